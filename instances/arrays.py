"""Data sets from arrays, and matrices from files."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from radprog.instances.delimited import split_rows, table_of
from radprog.instances.errors import DataError
from radprog.instances.tables import AnyPath, decode, digest, read_bytes
from radprog.instances.types import FloatArray

NPY_MAGIC = b"\x93NUMPY"


def read_matrix(path: AnyPath, shape: tuple[int | None, int | None] | None = None) -> FloatArray:
    """A matrix of finite numbers, float64, from ``.npy`` or from text without labels (CSV, ...).

    shape: what it must be; None in either place leaves that side free.
    Raises DataError on another shape, a cell that is no finite number, or a pickle.
    """
    source = str(path)
    raw = read_bytes(path)
    if raw.startswith(NPY_MAGIC) or Path(path).suffix.lower() in (".npy", ".npz"):
        matrix = _npy(path)
    else:
        grid = split_rows(source, decode(source, raw))
        matrix = table_of(grid, sha256=digest(raw), label="none").values
    expected = (None, None) if shape is None else shape
    if matrix.ndim != 2 or any(
        want not in (None, got) for want, got in zip(expected, matrix.shape, strict=True)
    ):
        wanted = " x ".join("any" if want is None else str(want) for want in expected)
        raise DataError(f"{source}: an array of shape {matrix.shape}, expected {wanted}")
    if not np.isfinite(matrix).all():
        i, j = np.argwhere(~np.isfinite(matrix))[0].tolist()
        raise DataError(f"{source}: entry [{i}, {j}] is {matrix[i, j]}, expected a finite number")
    return matrix


def _npy(path: AnyPath) -> FloatArray:
    try:
        array = np.load(path, allow_pickle=False)
    except (ValueError, EOFError, OSError, MemoryError) as error:
        raise DataError(
            f"{path}: no array of numbers in NumPy's .npy format (pickles are never read): {error}"
        ) from None
    if not isinstance(array, np.ndarray):
        array.close()
        raise DataError(f"{path}: an .npz archive, expected a single array as .npy")
    if array.dtype.kind not in "biuf":
        raise DataError(f"{path}: an array of type {array.dtype}, expected numbers")
    return np.asarray(array, dtype=np.float64)
