"""Series and bags from files: UCR text, .ts, .npz; what cannot be used, and reading like."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from effort import examples
from hypothesis import given
from hypothesis import strategies as st
from refusals import refused
from series_generators import cylinder_bell_funnel

import radprog as rp
from radprog.decompositions.lpboost.shapelets import assemble
from radprog.instances.bags import Bags, bags, series, windows

UCR = "2\t0.5\t1.5\t-1\n1\t1\t2\t3\n2\t0\t0\t1\n"


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


def test_other_files_than_the_training_data(file: Callable[..., str], tmp_path: Path) -> None:
    trained = rp.read_series(file(UCR, "train.tsv"), positive="1")
    path = file("1\t1\t1\t1\n", "t.tsv")
    assert rp.read_series(path, like=trained, positive="1.0").targets.tolist() == [1.0]
    refused(rp.OptionError, "one_vs_rest", rp.read_series, path, like=trained, one_vs_rest=True)
    short = file("1\t1\n", "s.tsv")
    words = r"shape \(1,\), expected series of shape \(3,\) as in the training data"
    refused(rp.DataError, words, rp.read_series, short, like=trained, label="first")
    np.savez(tmp_path / "t.npz", X=np.zeros((1, 1, 3)))
    words = "bags of patterns of shape"
    refused(rp.DataError, words, rp.read_series, tmp_path / "t.npz", like=trained)


RAMP = np.arange(12.0).reshape(2, 6)


@examples(30)
@given(st.integers(1, 4), st.integers(1, 3), st.integers(1, 9), st.data())
def test_windows_of_several_channels(m: int, channels: int, span: int, data: Any) -> None:
    length = data.draw(st.integers(1, span))
    X = np.random.default_rng(m).normal(size=(m, channels, span))
    found = windows(X, "series", length)
    assert found.shape == (m, span - length + 1, channels * length)
    if channels == 1:
        np.testing.assert_array_equal(windows(X[:, 0], "series", length), found)
    for i in range(m):
        for j in range(span - length + 1):
            np.testing.assert_array_equal(found[i, j], X[i, :, j : j + length].ravel())


def test_bags_are_their_own_patterns() -> None:
    X = np.random.default_rng(0).normal(size=(3, 5, 2))
    np.testing.assert_array_equal(windows(X, "bags", 2), X)


def test_bags_of_different_sizes_repeat_their_last_pattern() -> None:
    parts = [np.arange(6.0).reshape(3, 2), np.array([[7.0, 8.0]])]
    data = bags(parts, ["a", "b"])
    np.testing.assert_array_equal(data.X[0], parts[0])
    np.testing.assert_array_equal(data.X[1], [[7, 8]] * 3)
    assert data.sha256 == bags([part.tolist() for part in parts], ["a", "b"]).sha256


def test_arrays_with_labels() -> None:
    data = series(RAMP, ["b", "a"], name="ramp")
    assert data.labels == ("a", "b")
    np.testing.assert_array_equal(data.targets, [1.0, -1.0])
    assert (data.rows, data.columns, data.span, data.kind) == (2, 6, 6, "series")
    assert series(RAMP).y is None
    with pytest.raises(rp.DataError, match="needs labels"):
        _ = series(RAMP).targets
    patches = bags(np.zeros((4, 3, 2)), [1, 1, 0, 0])
    assert (patches.columns, patches.span) == (6, 2)
    same = series(RAMP, ["b", "a"])
    assert same.sha256 == data.sha256
    assert same.sha256 != series(RAMP, ["a", "b"]).sha256
    assert same.sha256 != series(RAMP + 1e-12, ["b", "a"]).sha256


def test_more_than_two_classes_need_one_vs_rest() -> None:
    data = series(np.zeros((4, 3)), ["x", "10", "9", "x"])
    assert data.labels == ("10", "9", "x")
    assert data.classes == ("x", "10", "9", "x")
    assert data.targets.tolist() == data.codes.tolist() == [2, 0, 1, 2]
    refused(rp.DataError, "works with two classes", assemble, rp.LPBoost(length="1"), data)
    part = data.take(np.array([0, 2]))
    assert part.classes == ("x", "9")
    assert part.labels == data.labels


def test_subsets_know_where_they_come_from() -> None:
    data = cylinder_bell_funnel(10, length=16)
    train, test = data.partition(np.array([7, 1, 3, 4]), np.array([0, 2]))
    np.testing.assert_array_equal(train.X, data.X[[7, 1, 3, 4]])
    np.testing.assert_array_equal(test.targets, data.targets[[0, 2]])
    again = train.take(np.array([2, 0]))
    assert again.origin is not None
    whole, rows = again.origin
    assert whole is data
    assert rows.tolist() == [3, 7]
    assert again.sha256 == data.take(np.array([3, 7])).sha256 != data.sha256
    assert len({data.sha256, train.sha256, again.sha256}) == 3


def test_recipes() -> None:
    data = bags(np.zeros((4, 3, 2)), ["no", "yes", "no", "yes"], name="patches")
    like = Bags.from_recipe(json.loads(json.dumps(data.recipe())))
    assert like.X.shape == (0, 3, 2)
    assert (like.kind, like.labels, like.name) == ("bags", ("no", "yes"), "patches")
    assert like.sha256 == data.sha256
