"""Sets of kernel matrices: reading, checking, folds."""

from pathlib import Path

import numpy as np
from refusals import refused

from radprog.base.errors import DataError
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


def test_reading_an_archive(tmp_path: Path) -> None:
    path = tmp_path / "grams.npz"
    np.savez(path, K=matrices(), y=LABELS, names=np.array(["a", "b"]))
    data = read_grams(path)
    assert data.names == ("a", "b")
    assert np.allclose(data.K, matrices())
    assert data.name == "grams.npz"
    assert read_grams(path, positive="1").targets.tolist() == [1, 1, -1, -1, 1, -1]


def test_other_files_are_refused(tmp_path: Path) -> None:
    words, pickles = np.array(list("ababab"), dtype=object), np.array([[{}]], dtype=object)
    np.savez(tmp_path / "objects.npz", K=matrices(), y=words)
    np.savez(tmp_path / "lacking.npz", K=matrices())
    np.save(tmp_path / "single.npy", matrices())
    np.save(tmp_path / "cross.npy", pickles, allow_pickle=True)
    (tmp_path / "text.npz").write_text("1,2,3\n")
    for name, message in (
        ("objects.npz", "pickles are never read"),
        ("single.npy", "a single array"),
        ("lacking.npz", "no array y"),
        ("text.npz", "it cannot be read as an .npz archive of K, y"),
        ("none.npz", "no such file"),
    ):
        refused(DataError, message, read_grams, tmp_path / name)
    refused(DataError, "pickles are never read", read_cross, tmp_path / "cross.npy")


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
