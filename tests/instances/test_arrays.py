"""Data sets from arrays; matrices from files."""

import pickle

import numpy as np
import pytest
from effort import examples
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from refusals import refused

import radprog as rp
from radprog.instances.arrays import read_matrix
from radprog.instances.data import LARGEST_NUMBER

POINTS = [[1, 2], [3, 4], [5, 7]]


def test_order_of_labels_may_be_given():
    data = rp.dataset(POINTS, [0, 1, 1], labels=("1", "0"))
    assert data.labels == ("1", "0")
    assert data.y.tolist() == [1, -1, -1]


def test_strings_and_scale_and_names():
    words = rp.dataset(["ab", "b"], [0, 1])
    assert words.X.tolist() == ["ab", "b"]
    assert words.columns is None
    data = rp.dataset(POINTS, None, scale="minmax", features=("u", "v"), name="mine")
    assert data.X.max(axis=0).tolist() == [1, 1]
    assert data.raw.tolist() == POINTS
    assert (data.features, data.name, data.y) == (("u", "v"), "mine", None)
    assert data.sha256 != rp.dataset(POINTS, [0, 1, 1]).sha256


WORDS = ["ab", "b"]


@pytest.mark.parametrize(
    ("X", "y", "message", "given"),
    [
        ([[1, np.nan], [3, 4]], [0, 1], r"row 1, column 1: the cell is missing", {}),
        ([[1, 2], [np.inf, 4]], [0, 1], r"row 2, column 0: the cell is infinite", {}),
        ([1, 2, 3], [0, 1, 1], r"shape \(3,\)", {}),
        (np.zeros((2, 2, 2)), [0, 1], r"shape \(2, 2, 2\)", {}),
        (np.zeros((0, 2)), [], "not empty", {}),
        (np.zeros((2, 0)), [0, 1], "not empty", {}),
        ([[1, 2], [3]], [0, 1], "cannot be used", {}),
        ([["a", "b"], ["c", "d"]], [0, 1], "row 1, column 0: got 'a', expected a number", {}),
        ([[1j], [2]], [0, 1], "cannot be used", {}),
        (np.array([[1], [None]]), [0, 1], r"row 2, column 0: the cell is missing", {}),
        ([[1], [2]], [0, 1, 1], r"y has shape \(3,\), expected \(2,\)", {}),
        ([[1], [2]], [[0], [1]], r"y has shape \(2, 1\)", {}),
        ([[1], [2]], [1, 1], "one class", {}),
        ([[1], [2], [3]], [0, 1, 2], "3 classes", {}),
        ([[1], [2], [3]], [0, 1, np.nan], "row 3: the label is missing", {}),
        (POINTS, [0, 1, 1], "feature names", {"features": ("u",)}),
        (POINTS, [0, 1, 1], "y holds", {"labels": ("0", "2")}),
        (WORDS, [0, 1], "strings", {"scale": "unit"}),
        (POINTS, [0, 1, 1], "scale 'max': expected one of", {"scale": "max"}),
    ],
)
def test_refused(X, y, message, given):
    refused((rp.DataError, rp.OptionError), message, rp.dataset, X, y, **given)


@examples(40)
@given(
    matrix=arrays(
        np.float64,
        array_shapes(min_dims=2, max_dims=2, max_side=5),
        elements=st.floats(-LARGEST_NUMBER, LARGEST_NUMBER),
    )
)
def test_matrices_are_read_as_written(tmp_path_factory, matrix):
    folder = tmp_path_factory.mktemp("matrix")
    np.save(folder / "K.npy", matrix)
    np.savetxt(folder / "K.csv", matrix, delimiter=",", fmt="%.17g")
    np.savetxt(folder / "K.txt", matrix, fmt="%.17g", header="by columns")
    for name in ("K.npy", "K.csv", "K.txt"):
        read = read_matrix(folder / name, shape=matrix.shape)
        np.testing.assert_array_equal(read, matrix)
        assert read.dtype == np.float64


@pytest.mark.parametrize("dtype", ["int8", "bool", "float32", ">f8"])
@pytest.mark.parametrize("name", ["K.npy", "K"])
def test_npy_of_any_type_is_told_by_content_too(tmp_path, name, dtype):
    with (tmp_path / name).open("wb") as stream:
        np.save(stream, np.array([[1, 0], [1, 1]], dtype=dtype))
    matrix = read_matrix(tmp_path / name, shape=(None, 2))
    assert matrix.tolist() == [[1, 0], [1, 1]]
    assert matrix.dtype == np.dtype("float64")


class Planted:
    """Unpickling it would leave a mark."""

    called = False

    def __reduce__(self):
        return (setattr, (Planted, "called", True))


def test_pickles_are_never_read(tmp_path):
    np.save(tmp_path / "object.npy", np.array([[Planted()]], dtype=object), allow_pickle=True)
    (tmp_path / "pickle.npy").write_bytes(pickle.dumps(Planted()))
    for name in ("object.npy", "pickle.npy"):
        refused(rp.DataError, r"npy.*pickle", read_matrix, tmp_path / name)
    assert not Planted.called


@pytest.mark.parametrize(
    ("array", "shape", "message"),
    [
        (np.eye(2), (2, 3), r"shape \(2, 2\), expected 2 x 3"),
        (np.eye(2), (None, 3), r"shape \(2, 2\), expected any x 3"),
        (np.ones(3), None, r"shape \(3,\), expected any x any"),
        (np.ones(3), (3, 1), r"shape \(3,\), expected 3 x 1"),
        (np.array(1.0), None, r"shape \(\)"),
        (np.array([[1, np.nan]]), None, r"entry \[0, 1\] is nan"),
        (np.array([[1], [np.inf]]), None, r"entry \[1, 0\] is inf"),
        (np.array([[1], [-1e200]]), None, r"entry \[1, 0\]: -1e\+200 is too large"),
        (np.array([[1j]]), None, "type complex128"),
        (np.array([["a"]]), None, "type <U1"),
    ],
)
def test_matrices_refused(tmp_path, array, shape, message):
    np.save(tmp_path / "K.npy", array)
    refused(rp.DataError, message, read_matrix, tmp_path / "K.npy", shape)


def test_matrix_files_refused(tmp_path):
    refused(rp.DataError, "no such file", read_matrix, tmp_path / "K.npy")
    np.save(tmp_path / "K.npy", np.eye(30))
    (tmp_path / "K.npy").write_bytes((tmp_path / "K.npy").read_bytes()[:200])
    refused(rp.DataError, "it cannot be read as a single array", read_matrix, tmp_path / "K.npy")
    np.savez(tmp_path / "K.npz", K=np.eye(2))
    refused(rp.DataError, "npz archive", read_matrix, tmp_path / "K.npz")
    (tmp_path / "K.csv").write_text("1,2\n3,x\n")
    refused(rp.DataError, "row 2, column 1: got 'x'", read_matrix, tmp_path / "K.csv")
    (tmp_path / "K.csv").write_text("1,2\n3,?\n")
    refused(rp.DataError, r"entry \[1, 1\] is nan", read_matrix, tmp_path / "K.csv")


def test_data_stay_when_their_arrays_change() -> None:
    X, y, points = np.zeros((2, 3, 1)), np.array([0.5, 1.5]), np.array(POINTS, dtype=float)
    bags, line = rp.bags(X), rp.regression_data([[1.0], [2.0]], y)
    data = rp.dataset(points, [0, 1, 1])
    X[0], y[0], points[:] = 7.0, 7.0, 0.0
    assert (bags.X.max(), line.y.tolist()) == (0.0, [0.5, 1.5])
    assert data.X.tolist() == data.raw.tolist() == POINTS
