"""Sets of kernel matrices over the same points: arrays, .npz archives, and their parts."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from radprog.base.errors import DataError
from radprog.base.types import FloatArray, IntArray
from radprog.instances.arrays import finite, packed_arrays
from radprog.instances.data import Data, check_magnitude
from radprog.instances.tables import UNKNOWN, AnyPath, class_codes, labels_of, read_bytes


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class GramSet(Data):
    """Kernel matrices over the same points, with the labels of the points.

    Attributes
    ----------
    X : ndarray (M, n, n)
        M symmetric kernel matrices. In a test set of r points, the shape is (M, r, n), with the
        kernel values between the r test points and the n training points.
    names : tuple of str
        Names of the M kernels.
    labels, codes, y, name, sha256
        See :class:`radprog.Dataset`.

    Examples
    --------
    >>> import numpy as np
    >>> import radprog as rp
    >>> X = np.arange(6.0)[:, None]
    >>> data = rp.gram_set([X @ X.T, np.eye(6)], [0, 0, 1, 0, 1, 1], names=["linear", "unit"])
    >>> data.X.shape, data.names
    ((2, 6, 6), ('linear', 'unit'))
    >>> rp.fit(rp.MKL(theta=0, C=100), data).certified
    True
    """

    kind: str = "grams"
    labels: tuple[str, ...] = ("-1", "1")
    names: tuple[str, ...] = ()

    def _place(self, i: int, *entry: int) -> str:
        return f"entry {[i, *entry]}"

    def row_name(self, i: int) -> str:
        """The name of point i in messages, counted from 0 as in the matrices."""
        return f"point {i}"

    @property
    def K(self) -> FloatArray:
        """The kernel matrices X."""
        return self.X

    def _rows_of_X(self, indices: IntArray) -> FloatArray:
        return np.ascontiguousarray(self.X[:, indices][:, :, indices])

    def partition(self, train: IntArray, test: IntArray) -> tuple[Self, Self]:
        """The training points and the test points as separate data sets.

        The test set contains the kernel values between test and training points.
        """
        values = np.ascontiguousarray(self.X[:, test][:, :, train])
        return self.take(train), replace(self.take(test), X=values)


def gram_set(
    K: ArrayLike,
    y: ArrayLike,
    *,
    names: Sequence[str] = (),
    name: str = "grams",
    classes: Sequence[str] | None = None,
    positive: str | None = None,
) -> GramSet:
    """Create a data set of kernel matrices from arrays.

    Parameters
    ----------
    K : array (M, n, n)
        M symmetric kernel matrices of n points.
    y : array (n,)
        Labels from two or more classes.
    names : sequence of str
        Names of the M kernels.
    name : str
        Name that results show for the data set.
    classes : sequence of str, optional
        The labels to keep. The default is all labels. Points from other classes are omitted.
    positive : str, optional
        The label of +1. The default is the second of two labels in increasing order.

    Returns
    -------
    GramSet
        The data set.

    Raises
    ------
    DataError
        If the shape is wrong, an entry is not finite, a matrix is asymmetric, or there are fewer
        than two classes.

    Examples
    --------
    >>> import numpy as np
    >>> import radprog as rp
    >>> X = np.array([[0.0, 1.0], [2.0, 3.0], [4.0, 6.0]])
    >>> K = [X @ X.T, (1.0 + X @ X.T) ** 2]
    >>> rp.gram_set(K, ["a", "b", "a"], names=["linear", "quadratic"])
    <GramSet 'grams': 2 x 3 x 3, classes 'a', 'b'>
    """
    # M square matrices of finite numbers, with n labels
    matrices = finite(K, name)
    if matrices.ndim != 3 or 0 in matrices.shape or matrices.shape[1] != matrices.shape[2]:
        raise DataError(f"{name}: K has shape {matrices.shape}, expected (M, n, n), not empty")
    M, n, _ = matrices.shape
    texts, label_type = labels_of(y, n, name)
    # a name for each kernel, and each kernel symmetric
    kernels = tuple(names) if names else tuple(f"gram:{m}" for m in range(M))
    if len(kernels) != M or len(set(kernels)) != M:
        raise DataError(
            f"{name}: {len(kernels)} names for {M} kernels, expected {M} different ones"
        )
    for m, matrix in enumerate(matrices):
        check_symmetric(matrix, f"{name}: kernel {kernels[m]}")
    # exactly symmetric: rounding is averaged
    matrices = np.ascontiguousarray((matrices + matrices.transpose(0, 2, 1)) / 2)
    data = GramSet(X=matrices, codes=np.full(n, UNKNOWN), names=kernels, name=name)
    # classes, and the points that belong to them
    return data.labelled(texts, label_type, classes=classes, positive=positive, several=True)


def read_grams(
    path: AnyPath,
    *,
    classes: Sequence[str] | None = None,
    positive: str | None = None,
    like: GramSet | None = None,
) -> GramSet:
    """Read kernel matrices from an .npz archive.

    Parameters
    ----------
    path : str or Path
        An archive of arrays ``K`` (M, n, n), ``y`` (n,) and, optionally, ``names`` (M,).
    classes : sequence of str, optional
        The labels to keep. The default is all labels. Points from other classes are omitted.
    positive : str, optional
        The label of +1. The default is the second of two labels in increasing order.
    like : GramSet, optional
        The training set of n points. K then has shape (M, r, n) and contains the kernel values
        between r new points and the training points.

    Returns
    -------
    GramSet
        The data set.

    Raises
    ------
    DataError
        If an array is missing, pickled or of the wrong shape, or there are fewer than two classes.
        The message contains the name of the file.
    OptionError
        If ``classes`` contains a label twice.

    Notes
    -----
    With ``like``, the labels y (r,) are optional, and an .npy file with K is sufficient. Files are
    never unpickled.

    Examples
    --------
    >>> import numpy as np
    >>> import radprog as rp
    >>> X = np.array([[0.0, 1.0], [2.0, 3.0], [4.0, 6.0]])
    >>> np.savez("kernels.npz", K=[X @ X.T, np.eye(3)], y=["a", "b", "a"], names=["linear", "unit"])
    >>> rp.read_grams("kernels.npz").names
    ('linear', 'unit')
    """
    source, raw = str(path), read_bytes(path)
    if like is None:
        arrays = packed_arrays(source, raw, ("K", "y"), ("names",))
        reading = {"classes": None if classes is None else list(classes), "positive": positive}
        data = gram_set(
            arrays["K"],
            arrays["y"],
            names=[str(text) for text in arrays.get("names", np.empty(0)).tolist()],
            name=source.rsplit("/", 1)[-1],
            classes=classes,
            positive=positive,
        )
        return replace(data, file_hash=hashlib.sha256(raw).hexdigest(), reading=reading)
    # kernel values of new points with those of the training data
    K, M = read_cross(path), len(like.names)
    if len(K) != M:
        raise DataError(f"{source}: {len(K)} kernels, expected {M} as in the training data")
    codes = np.full(K.shape[1], UNKNOWN)
    # labels of the new points, where the archive has some
    arrays = packed_arrays(source, raw, ("K",), ("y",)) if source.endswith(".npz") else {}
    if "y" in arrays:
        texts, label_type = labels_of(arrays["y"], K.shape[1], source)
        keywords: Any = {"classes": like.reading.get("classes"), "like": like.labels}
        keywords |= {"lines": np.arange(1, K.shape[1] + 1), "label_type": label_type}
        indices, codes, _ = class_codes(texts, source, **keywords)
        K = np.ascontiguousarray(K[:, indices])
    file_hash = hashlib.sha256(raw).hexdigest()
    return replace(like, X=K, codes=codes, name=source.rsplit("/", 1)[-1], file_hash=file_hash)


def read_cross(path: AnyPath) -> FloatArray:
    """Read kernel values (M, new points, training points) for a prediction.

    The file is an .npy file, or an .npz file with K. For a single kernel it may have a matrix (new
    points, training points).
    """
    source = str(path)
    name = "K" if source.endswith(".npz") else ""
    values = finite(packed_arrays(source, read_bytes(path), (name,) if name else ())[name], source)
    check_magnitude(values, lambda place: f"{source}, entry {list(place)}")
    if values.ndim == 2:
        values = values[None]
    if values.ndim != 3 or 0 in values.shape:
        raise DataError(
            f"{source}: an array of shape {values.shape}, expected (kernels, new points, training "
            "points), not empty"
        )
    return values


def check_symmetric(matrix: FloatArray, name: str) -> None:
    """Raise DataError if a matrix (n, n) is not symmetric."""
    difference = np.abs(matrix - matrix.T)
    # asymmetry that counts as rounding
    if difference.max() > 1e-8 * np.abs(matrix).max():
        i, j = np.unravel_index(int(difference.argmax()), difference.shape)
        raise DataError(
            f"{name} is not symmetric: entry [{i}, {j}] is {matrix[i, j]:.6g}, "
            f"[{j}, {i}] is {matrix[j, i]:.6g}"
        )
