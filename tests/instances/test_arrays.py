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
from radprog.instances.bags import windows
from radprog.instances.data import LARGEST_NUMBER
from radprog.instances.grams import gram_set

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


WORDS, RAMP = ["ab", "b"], np.arange(12.0).reshape(2, 6)
LABELS, MANY = np.array([1, 1, 2, 2, 1, 2]), np.array([7, 16, 3, 7, 16, 3])


EYES = np.array([np.eye(6)] * 2)


def gram(*place: int, value: float) -> np.ndarray:
    """The matrices with one other entry."""
    K = EYES.copy()
    K[place] = value
    return K


@pytest.mark.cases(200)
@pytest.mark.parametrize(
    ("call", "arrays", "given", "message"),
    [
        (rp.dataset, ([[1, np.nan], [3, 4]], [0, 1]), {}, r"row 1, column 1: the cell is missing"),
        (rp.dataset, ([[1, 2], [np.inf, 4]], [0, 1]), {}, r"row 2, column 0: the cell is infinite"),
        (rp.dataset, ([1, 2, 3], [0, 1, 1]), {}, r"shape \(3,\)"),
        (rp.dataset, (np.zeros((2, 2, 2)), [0, 1]), {}, r"shape \(2, 2, 2\)"),
        (rp.dataset, (np.zeros((0, 2)), []), {}, "not empty"),
        (rp.dataset, (np.zeros((2, 0)), [0, 1]), {}, "not empty"),
        (rp.dataset, ([[1, 2], [3]], [0, 1]), {}, "cannot be used"),
        (rp.dataset, ([["a", "b"], ["c", "d"]], [0, 1]), {}, "column 0: got 'a', expected a num"),
        (rp.dataset, ([[1j], [2]], [0, 1]), {}, "cannot be used"),
        (rp.dataset, (np.array([[1], [None]]), [0, 1]), {}, "row 2, column 0: the cell is mis"),
        (rp.dataset, ([[1], [2]], [0, 1, 1]), {}, r"y has shape \(3,\), expected \(2,\)"),
        (rp.dataset, ([[1], [2]], [[0], [1]]), {}, r"y has shape \(2, 1\)"),
        (rp.dataset, ([[1], [2]], [1, 1]), {}, "one class"),
        (rp.dataset, ([[1], [2], [3]], [0, 1, 2]), {}, "3 classes"),
        (rp.dataset, ([[1], [2], [3]], [0, 1, np.nan]), {}, "row 3: the label is missing"),
        (rp.dataset, (POINTS, [0, 1, 1]), {"features": ("u",)}, "feature names"),
        (rp.dataset, (POINTS, [0, 1, 1]), {"labels": ("0", "2")}, "y holds"),
        (rp.dataset, (WORDS, [0, 1]), {"scale": "unit"}, "strings"),
        (rp.dataset, (POINTS, [0, 1, 1]), {"scale": "max"}, "scale 'max': expected one of"),
        (rp.partly_labelled, (WORDS,), {}, "X holds strings"),
        (rp.partly_labelled, ([[1.0], [2.0], [3.0]], WORDS), {}, r"shape \(2,\), expected \(3,\)"),
        (rp.series, (np.zeros(3),), {}, r"shape \(3,\), expected \(m, L\)"),
        (rp.series, (np.zeros((2, 0)),), {}, "not empty"),
        (rp.series, ([[1.0, np.nan]],), {}, r"X\[0, 1\] is nan"),
        (rp.series, ([[1.0, np.inf]],), {}, "is inf"),
        (rp.series, ([[1.0], [1.0, 2.0]],), {}, "X cannot be used"),
        (rp.series, ([["a", "b"]],), {}, "expected numbers"),
        (rp.series, (RAMP, [1, 2, 3]), {}, r"y has shape \(3,\), expected \(2,\)"),
        (rp.series, (RAMP, [1, 1]), {}, "one class"),
        (rp.bags, (np.zeros((2, 3)),), {}, r"expected \(m, Q, l\)"),
        (rp.regression_data, ([[1.0]], [np.nan]), {}, r"y\[0\] is nan"),
        (rp.regression_data, ([[np.inf]], [1.0]), {}, "row 1, column 0: the cell is infinite"),
        (rp.regression_data, ([1.0], [1.0]), {}, r"X has shape \(1,\)"),
        (rp.regression_data, ([[1.0]], [1.0, 2.0]), {}, r"y has shape \(2,\), expected \(1,\)"),
        (rp.regression_data, ([["a"]], [1]), {}, "got 'a', expected a number"),
        (rp.bags, ([[[0.0, 1]], np.zeros((2, 3))],), {}, "inhomogeneous shape"),
        (rp.bags, ([[[0.0, 1]], np.zeros((0, 2))],), {}, "cannot be used"),
        (rp.bags, ([[[0.0, 1]], [[1.0], [2.0, 3.0]]],), {}, "cannot be used"),
        (rp.bags, ([[[0.0, 1]], [["x", "y"]]],), {}, "cannot be used"),
        (rp.bags, ([[1.0, 2.0], [1.0, 2.0]],), {}, "expected .m, Q, l."),
        *((windows, (RAMP, "series", n), {}, f"length {n}: expected 1 to 6") for n in (0, -1, 7)),
        (windows, (np.zeros((3, 5, 2)), "bags", 3), {}, "patterns of these bags have 2 numbers"),
        (rp.sparse_data, ([[np.nan, 1.0], [0.0, 1.0]], [0, 1]), {}, "nan"),
        (rp.sparse_data, (np.zeros((0, 3)), []), {}, "shape"),
        (rp.sparse_data, ([["a", "b"]], [0]), {}, "X is not a sparse matrix"),
        (rp.sparse_data, (np.eye(2), [1, 1]), {}, "class"),
        (gram_set, (gram(1, 2, 3, value=np.nan), LABELS), {}, r"entry \[1, 2, 3\] is nan, "),
        (gram_set, (gram(0, 0, 0, value=np.inf), LABELS), {}, r"entry \[0, 0, 0\] is inf, "),
        (gram_set, (gram(1, 0, 4, value=9.0), LABELS), {}, r"1 is not symmetric: entry \[0, 4\]"),
        (gram_set, (EYES[:, :5], LABELS), {}, r"shape \(2, 5, 6\), expected \(M, n, n\)"),
        (gram_set, (EYES[0], LABELS), {}, r"shape \(6, 6\), expected"),
        (gram_set, (EYES, LABELS[:5]), {}, r"y has shape \(5,\), expected \(6,\)"),
        (gram_set, (EYES, [1] * 6), {}, "one class in the label column, expected two: '1'"),
        (gram_set, (EYES.astype(str), LABELS), {}, "expected numbers"),
        (gram_set, (EYES, LABELS), {"names": ["a"]}, "expected 2 different ones"),
        (gram_set, (EYES, LABELS), {"names": ["a", "a"]}, "expected 2 different ones"),
        (gram_set, (EYES, MANY), {"classes": ["7", "9"]}, "no row of class '9'"),
        (gram_set, (EYES, MANY), {"classes": ["7"]}, "one class in the label col"),
        (gram_set, (EYES, MANY), {"classes": ["7", "7.0"]}, "given twice"),
        (gram_set, (EYES, MANY), {"classes": ["7", "16"], "positive": "3"}, "positive '3'"),
        (gram_set, (EYES, MANY), {"positive": "7"}, "expected one of two classes"),
    ],
)
def test_arrays_that_do_not_fit_are_refused(call, arrays, given, message):
    refused((rp.DataError, rp.OptionError), message, call, *arrays, **given)


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
