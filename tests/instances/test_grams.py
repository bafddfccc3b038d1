"""Sets of kernel matrices: reading, checking, folds."""

from pathlib import Path

import numpy as np
import pytest
from refusals import refused

from radprog.base.errors import DataError, OptionError
from radprog.instances.grams import gram_set, read_cross, read_grams


def matrices(n: int = 6, M: int = 2, seed: int = 0) -> np.ndarray:
    factors = np.random.default_rng(seed).normal(size=(M, n, n))
    return factors @ factors.transpose(0, 2, 1)


LABELS = np.array([1, 1, 2, 2, 1, 2])


def test_a_set_holds_matrices_labels_and_names() -> None:
    data = gram_set(matrices(), LABELS, names=["first", "second"])
    assert data.K.shape == (2, 6, 6)
    assert data.labels == ("1", "2")
    assert data.targets.tolist() == [-1, -1, 1, 1, -1, 1]
    assert (data.rows, data.columns, data.names) == (6, None, ("first", "second"))
    assert len(data.sha256) == 64
    assert data.sha256 != gram_set(2 * matrices(), LABELS).sha256


def test_rounding_errors_of_symmetry_are_removed() -> None:
    K = matrices()
    K[0, 1, 2] += 1e-12
    data = gram_set(K, LABELS)
    assert np.array_equal(data.K[0], data.K[0].T)


def spoiled(change: str) -> tuple[np.ndarray, np.ndarray]:
    K, y = matrices(), LABELS.copy()
    if change == "nan":
        K[1, 2, 3] = K[1, 3, 2] = np.nan
    elif change == "infinite":
        K[0, 0, 0] = np.inf
    elif change == "asymmetric":
        K[1, 0, 4] += 1.0
    elif change == "not square":
        K = K[:, :5]
    elif change == "flat":
        K = K[0]
    elif change == "other n":
        y = y[:5]
    elif change == "one class":
        y[:] = 1
    elif change == "text":
        K = K.astype(str)
    return K, y


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("nan", r"entry \[1, 2, 3\] is nan, expected a finite number"),
        ("infinite", r"entry \[0, 0, 0\] is inf, expected a finite number"),
        ("asymmetric", r"kernel gram:1 is not symmetric: entry \[0, 4\]"),
        ("not square", r"shape \(2, 5, 6\), expected \(M, n, n\)"),
        ("flat", r"shape \(6, 6\), expected"),
        ("other n", r"y has shape \(5,\), expected \(6,\)"),
        ("one class", "one class in the label column, expected two: '1'"),
        ("text", "expected numbers"),
    ],
)
def test_bad_arrays_are_refused(change: str, message: str) -> None:
    refused(DataError, message, gram_set, *spoiled(change))


def test_names_must_be_as_many_and_different() -> None:
    for names in (["a"], ["a", "a"]):
        refused(DataError, "expected 2 different ones", gram_set, matrices(), LABELS, names=names)


def test_classes_are_chosen_out_of_many() -> None:
    y = np.array([7, 16, 3, 7, 16, 3])
    data = gram_set(matrices(), y, classes=["16", "7"])
    assert data.labels == ("7", "16")
    assert data.rows == 4
    assert data.targets.tolist() == [-1, 1, -1, 1]
    assert np.array_equal(data.K[0], matrices()[0][np.ix_([0, 1, 3, 4], [0, 1, 3, 4])])
    flipped = gram_set(matrices(), y, classes=["16", "7"], positive="7")
    assert flipped.targets.tolist() == [1, -1, 1, -1]
    many = gram_set(matrices(), y)
    assert many.labels == ("3", "7", "16")
    assert many.targets.tolist() == [1, 2, 0, 1, 2, 0]


@pytest.mark.parametrize(
    ("classes", "positive", "error", "message"),
    [
        (["7", "9"], None, DataError, "no row of class '9'"),
        (["7"], None, DataError, "one class in the label column, expected two: '7'"),
        (["7", "7.0"], None, OptionError, "given twice"),
        (["7", "16"], "3", OptionError, "positive '3'"),
        (None, "7", OptionError, "expected one of two classes"),
    ],
)
def test_classes_that_do_not_fit_are_refused(classes, positive, error, message) -> None:
    with pytest.raises(error, match=message):
        gram_set(matrices(), np.array([7, 16, 3, 7, 16, 3]), classes=classes, positive=positive)


def test_reading_an_archive(tmp_path: Path) -> None:
    path = tmp_path / "grams.npz"
    np.savez(path, K=matrices(), y=LABELS, names=np.array(["a", "b"]))
    data = read_grams(path)
    assert data.names == ("a", "b")
    assert np.allclose(data.K, matrices())
    assert data.name == "grams.npz"
    assert read_grams(path, positive="1").targets.tolist() == [1, 1, -1, -1, 1, -1]


def test_a_pickled_array_is_never_read(tmp_path: Path) -> None:
    path = tmp_path / "grams.npz"
    np.savez(path, K=matrices(), y=np.array(["a", "b", "a", "b", "a", "b"], dtype=object))
    refused(DataError, "pickles are never read", read_grams, path)
    pickled = tmp_path / "cross.npy"
    np.save(pickled, np.array([[{}]], dtype=object), allow_pickle=True)
    refused(DataError, "pickles are never read", read_cross, pickled)


def test_other_files_are_refused(tmp_path: Path) -> None:
    single, lacking, text = tmp_path / "a.npy", tmp_path / "b.npz", tmp_path / "c.npz"
    np.save(single, matrices())
    np.savez(lacking, K=matrices())
    text.write_text("1,2,3\n")
    for path, message in (
        (single, "a single array"),
        (lacking, "no array y"),
        (text, "it cannot be read as an .npz archive of K, y"),
        (tmp_path / "none.npz", "no such file"),
    ):
        refused(DataError, message, read_grams, path)


def test_folds_keep_rows_and_training_columns() -> None:
    data = gram_set(matrices(), LABELS)
    train, test = data.partition(np.array([0, 2, 3]), np.array([5, 1]))
    assert train.X.shape == (2, 3, 3)
    assert np.array_equal(test.X, data.K[:, [5, 1]][:, :, [0, 2, 3]])
    assert test.targets.tolist() == [1, -1]
    assert data.take(np.array([4, 5])).rows == 2


def test_cross_values(tmp_path: Path) -> None:
    path = tmp_path / "cross.npy"
    values = np.arange(24.0).reshape(2, 3, 4)
    np.save(path, values)
    assert np.array_equal(read_cross(path), values)
    np.save(path, values[0])
    assert read_cross(path).shape == (1, 3, 4)
    np.save(path, values[0, 0])
    refused(DataError, r"shape \(4,\), expected \(kernels, new points", read_cross, path)
    archive = tmp_path / "cross.npz"
    np.savez(archive, K=values)
    assert np.array_equal(read_cross(archive), values)
