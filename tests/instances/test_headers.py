"""Whether a first row names the columns: found out, said, and settled by the option."""

import io

import numpy as np
import pandas as pd
import pytest
from refusals import refused

import radprog as rp
from radprog.instances.arrays import read_matrix
from radprog.instances.dataset import read_mkl

TEXTS = np.array(["no", "yes"] * 6)
SIGNS = np.array([-1, 1] * 6)
POINTS = np.random.default_rng(0).normal(size=(12, 3))
BINARY = (np.arange(36).reshape(12, 3) // np.array([1, 2, 3])) % 2


def by_pandas(values, label, names=None, index=False) -> str:
    frame = pd.DataFrame(values)
    frame["y" if names == "y" else len(frame.columns)] = label
    stream = io.StringIO()
    frame.to_csv(stream, index=index)
    return stream.getvalue()


@pytest.mark.parametrize("index", [False, True])
@pytest.mark.parametrize("values", [POINTS, BINARY, POINTS[:, :2]], ids=["reals", "0/1", "two"])
@pytest.mark.parametrize("label", [SIGNS, TEXTS], ids=["numbers", "texts"])
def test_names_that_pandas_gives_are_a_header(file, values, label, index):
    path = file(by_pandas(values, label, index=index))
    data = rp.read(path)
    assert (data.rows, data.lines[0]) == (12, 2)
    assert data.header.startswith("row 1 (")
    assert "is taken for the header (`header='no'` for data)" in data.warnings[0]
    assert ("feature '' numbers the rows" in data.warnings[-1]) == index
    assert rp.read_partly_labelled(path).rows == 12
    if label is SIGNS:
        assert rp.read_regression(path).rows == 12


def test_names_of_another_kind_than_the_cells_are_a_header(file):
    assert rp.read(file(by_pandas(POINTS, SIGNS, "y"))).features == ("0", "1", "2")
    years = "id,2019,2020,y\n" + "".join(f"{k},{k}.5,{k}.25,{k % 2}\n" for k in range(9))
    assert rp.read(file(years)).rows == 9


def test_a_row_that_may_be_either_is_told(file):
    text = "0,1,2\n" + "1,0,1\n0,1,2\n" * 6
    assert "is taken for data (`header='yes'` for the header)" in rp.read(file(text)).warnings[0]
    assert not rp.read(file(text), header="no").warnings
    data = rp.read(file(text), header="yes")
    assert (data.rows, data.reading["header"], data.warnings) == (12, "yes", ())


@pytest.mark.parametrize("reader", [rp.read, rp.read_regression, rp.read_partly_labelled, read_mkl])
def test_the_option_of_every_reader(file, reader):
    path = file("a,b,c\n1,2,0\n3,5,1\n4,4,1\n")
    assert reader(path, header="yes").rows == 3
    refused(rp.DataError, r"row 1, column 0: got 'a', expected a number", reader, path, header="no")


def test_views_and_files_like_the_training_data(file):
    path, plain = file(by_pandas(POINTS, SIGNS)), file("0,1,2\n0.5,0.25,0\n", "new.csv")
    views = rp.read_views([path, path], header="yes")
    assert (views.rows, views.X.shape) == (12, (12, 6))
    data = rp.read(path)
    assert rp.read(plain, like=data).rows == 1
    assert rp.read(plain, like=data, header="no").rows == 2
    # the names of the training data are a header
    data = rp.read(file("2019,2020,y\n1,2,0\n3,4,1\n"), header="yes")
    assert rp.read(file("2019,2020\n5,6\n", "new.csv"), like=data, header="auto").rows == 1


def test_svmlight_has_no_header(file):
    assert rp.read(file("1 1:2\n-1 1:3\n", "a.svm"), header="auto").header == ""


def test_distances_are_no_header(file):
    distances = np.abs(np.subtract.outer(np.arange(9), np.arange(9)))
    text = "\n".join(",".join(map(str, row)) for row in distances)
    np.testing.assert_array_equal(read_matrix(file(text)), distances)


def test_a_frame_is_no_path():
    with pytest.raises(rp.DataError) as told:
        rp.read(pd.DataFrame({"a": [1, 2]}))
    assert str(told.value) == (
        "a DataFrame is given, expected the path of a file: rp.dataset(X, y) takes arrays and "
        "frames"
    )
