"""svmlight and ARFF."""

import numpy as np
import pytest
from refusals import refused
from sklearn.datasets import dump_svmlight_file

import radprog as rp

POINTS = np.array([[0.0, 1.5, 0.0], [2.0, 0.0, -1.0], [0.25, 0.0, 0.0]])


@pytest.mark.parametrize("name", ["d.svm", "d.svmlight", "d.libsvm", "d.SVM", "d.txt"])
@pytest.mark.parametrize("zero_based", [False, True])
def test_svmlight(tmp_path, name, zero_based):
    path = tmp_path / name
    dump_svmlight_file(POINTS, [1, -1, 1], str(path), zero_based=zero_based, comment="made up")
    data = rp.read(path)
    np.testing.assert_array_equal(data.X, POINTS)
    assert data.y.tolist() == [1, -1, 1]
    assert data.features == (("0", "1", "2") if zero_based else ("1", "2", "3"))
    assert data.labels == ("-1", "1")
    assert data.lines[0] > 1, "the file begins with comments"


@pytest.mark.parametrize("zero_based", [False, True])
def test_svmlight_test_rows_have_the_training_columns(tmp_path, zero_based):
    base = 0 if zero_based else 1
    (tmp_path / "train.svm").write_text(f"1 {base}:1 {base + 2}:3\n-1 {base + 1}:4\n")
    train = rp.read(tmp_path / "train.svm")
    assert train.X.tolist() == [[1, 0, 3], [0, 4, 0]]
    (tmp_path / "test.svm").write_text(f"-1 {base + 1}:7\n")
    assert rp.read(tmp_path / "test.svm", like=train).X.tolist() == [[0, 7, 0]]
    (tmp_path / "wide.svm").write_text(f"-1 {base + 3}:7\n")
    refused(rp.DataError, "4 columns of features given", rp.read, tmp_path / "wide.svm", like=train)


def test_svmlight_index_zero_in_a_test_file_of_one_based_data(tmp_path):
    (tmp_path / "train.svm").write_text("1 1:1 2:3\n-1 2:4\n")
    (tmp_path / "test.svm").write_text("1 0:1 1:3\n")
    with pytest.raises(rp.DataError, match="index 0"):
        rp.read(tmp_path / "test.svm", like=rp.read(tmp_path / "train.svm"))


@pytest.mark.parametrize("quote", ["'", '"'])
@pytest.mark.parametrize("name", ["y 2", "y, 2", "y", "it's", 'a "b" c', "{u}", "%", "@data"])
def test_arff_quotes_of_both_kinds_in_names_levels_and_cells(tmp_path, quote, name) -> None:
    word = quote + name.replace(quote, "\\" + quote) + quote
    lines = [f"@ATTRIBUTE {word} real", f"@attribute\tclass{{{word},v}}", "@DATA", f"1, {word}"]
    path = tmp_path / "d.arff"
    path.write_text("\n".join(["@relation r", *lines, "3,'v'", ""]))
    data = rp.read(path)
    assert data.features == (name,)
    assert set(data.labels) == {name, "v"}
