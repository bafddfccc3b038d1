"""Series and bags from files: UCR text, .ts, .npz; what cannot be used, and reading like."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from refusals import refused

import radprog as rp


def write(path: Path, text: str) -> Path:
    path.write_text(text)
    return path


UCR = "2\t0.5\t1.5\t-1\n1\t1\t2\t3\n2\t0\t0\t1\n"
TS = """# a comment
@problemName Two
@timeStamps false
@univariate true
@equalLength true
@classLabel true left right
@data
0.5,1.5,-1:right
1,2,3:left
"""


def test_ucr_text(tmp_path: Path) -> None:
    data = rp.read_series(write(tmp_path / "a.tsv", UCR))
    np.testing.assert_array_equal(data.X, [[0.5, 1.5, -1], [1, 2, 3], [0, 0, 1]])
    assert data.labels == ("1", "2")
    np.testing.assert_array_equal(data.targets, [1, -1, 1])
    assert (data.kind, data.name, data.columns) == ("series", "a.tsv", 3)
    assert data.lines.tolist() == [1, 2, 3]
    flipped = rp.read_series(tmp_path / "a.tsv", positive=1)
    np.testing.assert_array_equal(flipped.targets, [-1, 1, -1])
    assert flipped.sha256 == data.sha256


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.txt", "  2.0000000e+00  5e-1  1.5 -1\n 1.0000000e+00 1 2 3\n  2.0 0 0 1\n"),
        ("a.csv", "2,0.5,1.5,-1\r\n1,1,2,3\r\n2,0,0,1"),
    ],
)
def test_older_spellings_of_the_same(tmp_path: Path, name: str, text: str) -> None:
    data = rp.read_series(write(tmp_path / name, text))
    np.testing.assert_array_equal(data.X, rp.read_series(write(tmp_path / "b.tsv", UCR)).X)
    np.testing.assert_array_equal(data.targets, [1, -1, 1])
    assert data.labels == ("1", "2")


def test_the_label_may_be_elsewhere_or_missing(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", "0,1,x\n2,3,y\n")
    assert rp.read_series(path, label="last").labels == ("x", "y")
    assert rp.read_series(path, label=2).labels == ("x", "y")
    assert rp.read_series(write(tmp_path / "b.csv", "0,1\n2,3\n"), label="none").y is None
    with pytest.raises(rp.OptionError, match="no meaning without labels"):
        rp.read_series(tmp_path / "b.csv", label="none", positive=1)


def test_ts_files(tmp_path: Path) -> None:
    data = rp.read_series(write(tmp_path / "a.ts", TS))
    np.testing.assert_array_equal(data.X, [[0.5, 1.5, -1], [1, 2, 3]])
    assert data.labels == ("left", "right")
    assert data.lines.tolist() == [8, 9]
    several = TS.replace("0.5,1.5,-1:", "0.5,1.5,-1:1,1,1:").replace("1,2,3:", "1,2,3:2,2,4:")
    both = rp.read_series(write(tmp_path / "b.ts", several))
    assert both.X.shape == (2, 2, 3)
    np.testing.assert_array_equal(both.X[1], [[1, 2, 3], [2, 2, 4]])
    plain = TS.replace("true left right", "false").replace(":right", "").replace(":left", "")
    assert rp.read_series(write(tmp_path / "c.ts", plain)).y is None
    assert rp.read_series(tmp_path / "a.ts", label="none").y is None


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("@data\n", "", r"row 7: '0.5,1.5,-1:right' before the line @data"),
        ("timeStamps false", "timeStamps true", "time stamps are not read"),
        ("1,2,3:left", "1,2:left", r"row 9: 2 points, expected 3 as in row 8: .* equal length"),
        ("1,2,3:left", "1,?,3:left", "row 9, column 1: the value is missing"),
        ("1,2,3:left", "1,inf,3:left", "row 9, column 1: the cell is infinite"),
        ("1,2,3:left", "1,b,3:left", "row 9, column 1: got 'b', expected a number"),
        ("1,2,3:left", "1,2,3", "row 9: 1 fields between colons, expected 2"),
        ("0.5,1.5,-1:right\n1,2,3:left\n", "", "no rows of data"),
        ("1,2,3:left", "1,2,3:?", "row 9: the label is missing"),
        ("@data\n", "@\n", r"row 8: '0.5,1.5,-1:right' before the line @data"),
        ("@classLabel true left right", "@classLabel", "row 8: 1 points, expected 3"),
    ],
)
def test_bad_ts_files(tmp_path: Path, old: str, new: str, message: str) -> None:
    assert old in TS
    refused(rp.DataError, message, rp.read_series, write(tmp_path / "a.ts", TS.replace(old, new)))


def test_bags_in_npz(tmp_path: Path) -> None:
    X = np.random.default_rng(0).normal(size=(4, 3, 2))
    np.savez(tmp_path / "a.npz", X=X, y=np.array(["u", "v", "u", "v"]))
    data = rp.read_series(tmp_path / "a.npz")
    np.testing.assert_array_equal(data.X, X)
    assert (data.kind, data.labels) == ("bags", ("u", "v"))
    np.testing.assert_array_equal(data.targets, [-1, 1, -1, 1])
    np.savez_compressed(tmp_path / "b.npz", X=X.astype(np.float32))
    assert rp.read_series(tmp_path / "b.npz").y is None


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"patterns": np.zeros((2, 3, 1))}, "no array X in the archive, which holds patterns"),
        ({"X": np.zeros((2, 3))}, r"expected \(m, Q, l\)"),
        ({"X": np.full((2, 3, 1), np.nan)}, "nan"),
        ({"X": np.zeros((2, 3, 1)), "y": np.zeros(3)}, r"y has shape \(3,\)"),
        ({"X": np.array([[[object()]]])}, r"\.npz"),
    ],
)
def test_bad_npz(tmp_path: Path, arrays: dict[str, Any], message: str) -> None:
    np.savez(tmp_path / "a.npz", **arrays)
    refused(rp.DataError, message, rp.read_series, tmp_path / "a.npz")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1\t1\tNaN\n2\t3\t4\n", "row 1, column 2: the value is missing"),
        ("1\t1\tinf\n2\t3\t4\n", "infinite"),
        ("1\t1\t2\n2\t3\n", "row 2: 2 cells, expected 3"),
        ("1\t1\tx\n2\t3\t4\n", "got 'x'"),
        ("1\t1\t2\n1\t3\t4\n", "one class"),
        ("1\t1\t2\n2\t3\t4\n3\t3\t4\n", "3 classes .* choose `one_vs_rest`"),
        ("\t1\t2\n2\t3\t4\n", "the label is missing"),
    ],
)
def test_bad_ucr_text(tmp_path: Path, text: str, message: str) -> None:
    refused(rp.DataError, message, rp.read_series, write(tmp_path / "a.tsv", text))


def test_three_classes(tmp_path: Path) -> None:
    path = write(tmp_path / "a.tsv", UCR + "7\t1\t1\t1\n")
    data = rp.read_series(path, one_vs_rest=True)
    assert data.labels == ("1", "2", "7")
    assert data.classes == ("2", "1", "2", "7")
    test = rp.read_series(write(tmp_path / "b.tsv", "7\t0\t0\t0\n1\t0\t0\t0\n"), like=data)
    assert test.classes == ("7", "1")
    with pytest.raises(rp.DataError, match=r"row 1: label '5', expected one of 1, 2, 7"):
        rp.read_series(write(tmp_path / "c.tsv", "5\t0\t0\t0\n"), like=data)
    with pytest.raises(rp.OptionError, match="positive '7': expected one of two classes"):
        rp.read_series(path, one_vs_rest=True, positive=7)


def test_two_classes_are_two_classes_anyway(tmp_path: Path) -> None:
    data = rp.read_series(write(tmp_path / "a.tsv", UCR), one_vs_rest=True)
    assert data.classes == ()
    np.testing.assert_array_equal(data.targets, [1, -1, 1])


@pytest.mark.parametrize("option", [{"scale": "unit"}, {"missing": "drop"}, {"strings": "0"}])
def test_options_of_tables_have_no_meaning(tmp_path: Path, option: dict[str, str]) -> None:
    path = write(tmp_path / "a.tsv", UCR)
    refused(rp.OptionError, "has no meaning for series", rp.read_series, path, **option)
    rp.read_series(path, scale="none", missing="error", strings=None)
    with pytest.raises(rp.OptionError, match=r"label '3' has no meaning for \.ts files"):
        rp.read_series(write(tmp_path / "a.ts", TS), label=3)
    with pytest.raises(TypeError):
        rp.read_series(path, nosuch="1")


@pytest.fixture
def trained(tmp_path: Path) -> rp.Bags:
    return rp.read_series(write(tmp_path / "train.tsv", UCR), positive="1")


def test_reading_like_the_training_data(trained: rp.Bags, tmp_path: Path) -> None:
    for like in (trained, rp.Bags.from_recipe(trained.recipe())):
        test = rp.read_series(write(tmp_path / "t.tsv", "1\t1\t1\t1\n"), like=like)
        np.testing.assert_array_equal(test.targets, [1.0])
        assert test.labels == ("2", "1")
        bare = rp.read_series(write(tmp_path / "u.tsv", "1\t1\t1\n4\t5\t6\n"), like=like)
        assert bare.y is None
        assert bare.X.shape == (2, 3)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1\t1\n", r"shape \(1,\), expected series of shape \(3,\) as in the training data"),
        ("1\t1\t1\t1\t1\n", r"shape \(4,\), expected series of shape \(3,\)"),
        ("5\t1\t1\t1\n", "label '5', expected '2' or '1'"),
    ],
)
def test_other_data_than_the_training_data(
    trained: rp.Bags, tmp_path: Path, text: str, message: str
) -> None:
    with pytest.raises(rp.DataError, match=message):
        rp.read_series(write(tmp_path / "t.tsv", text), like=trained, label="first")


def test_other_options_than_the_training_data(trained: rp.Bags, tmp_path: Path) -> None:
    path = write(tmp_path / "t.tsv", "1\t1\t1\t1\n")
    rp.read_series(path, like=trained, positive="1.0")
    with pytest.raises(rp.OptionError, match="positive '2' given, but it is '1'"):
        rp.read_series(path, like=trained, positive=2)
    refused(rp.OptionError, "one_vs_rest", rp.read_series, path, like=trained, one_vs_rest=True)
    np.savez(tmp_path / "t.npz", X=np.zeros((1, 1, 3)))
    with pytest.raises(rp.DataError, match="bags of patterns of shape"):
        rp.read_series(tmp_path / "t.npz", like=trained)


def test_what_was_read_can_be_read_again(trained: rp.Bags, tmp_path: Path) -> None:
    again = rp.read_series(tmp_path / "train.tsv", **trained.reading)
    np.testing.assert_array_equal(again.targets, trained.targets)
    assert again.sha256 == trained.sha256
