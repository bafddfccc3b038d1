"""Arrays of finite numbers: from what a caller gives, and from NumPy's files."""

from __future__ import annotations

import io
import struct
import tokenize
import zipfile
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from radprog.instances.data import check_magnitude
from radprog.instances.delimited import split_cells, table_of
from radprog.instances.errors import DataError
from radprog.instances.tables import AnyPath, decode, digest, read_bytes
from radprog.instances.types import FloatArray

NPY_MAGIC = b"\x93NUMPY"
UNREADABLE = (
    ValueError,
    EOFError,
    OSError,
    MemoryError,
    AttributeError,
    TypeError,
    KeyError,
    NotImplementedError,
    OverflowError,
    RuntimeError,
    SyntaxError,
    tokenize.TokenError,
    struct.error,
    zipfile.BadZipFile,
    zlib.error,
)  # what NumPy and zipfile raise on damaged files


def finite(values: ArrayLike, source: str, name: str = "") -> FloatArray:
    """The values as float64, a copy.

    Raises DataError, naming the entry, where they are no array of finite numbers; the message
    begins with ``source`` and calls the array ``name``.
    """
    try:
        array = np.asarray(values)
        if array.dtype.kind not in "biuf":
            raise TypeError(f"entries of type {array.dtype}")
    except (TypeError, ValueError) as error:
        what = name or "the array"
        raise DataError(f"{source}: {what} cannot be used: {error}; expected numbers") from None
    array = np.array(array, dtype=np.float64)
    if not np.isfinite(array).all():
        place = tuple(np.argwhere(~np.isfinite(array))[0].tolist())
        where = f"{name or 'entry '}[{', '.join(map(str, place))}]"
        raise DataError(f"{source}: {where} is {array[place]}, expected a finite number")
    return array


def check_points(X: NDArray[Any]) -> None:
    """DataError, naming the row from 1, on a number of X (n, ...) that is missing or infinite."""
    if X.dtype.kind == "f" and not np.isfinite(X).all():
        row, *rest = np.argwhere(~np.isfinite(X))[0].tolist()
        raise DataError(
            f"row {row + 1}: X{[row, *rest]} is {X[row, *rest]}, expected a finite number"
        )


def labels_of(y: ArrayLike, n: int, source: str) -> list[str]:
    """The labels y (n,) as texts; DataError on another shape."""
    written = np.asarray(y)
    if written.shape != (n,):
        raise DataError(f"{source}: y has shape {written.shape}, expected ({n},)")
    return [str(label) for label in written.tolist()]


def read_matrix(path: AnyPath, shape: tuple[int | None, int | None] | None = None) -> FloatArray:
    """A matrix of finite numbers, float64, from ``.npy`` or from text without labels (CSV, ...).

    shape: what it must be; None in either place leaves that side free.
    Raises DataError on another shape, a cell that is no finite number, or a pickle.
    """
    source = str(path)
    raw = read_bytes(path)
    if raw.startswith(NPY_MAGIC) or Path(path).suffix.lower() in (".npy", ".npz"):
        matrix = one_array(source, raw)
    else:
        grid = split_cells(source, decode(source, raw))
        matrix = table_of(grid, sha256=digest(raw), label="none").values
    expected = (None, None) if shape is None else shape
    if matrix.ndim != 2 or any(
        want not in (None, got) for want, got in zip(expected, matrix.shape, strict=True)
    ):
        wanted = " x ".join("any" if want is None else str(want) for want in expected)
        raise DataError(f"{source}: an array of shape {matrix.shape}, expected {wanted}")
    matrix = finite(matrix, source)
    check_magnitude(matrix, lambda place: f"{source}, entry {list(place)}")
    return matrix


def one_array(source: str, raw: bytes) -> NDArray[Any]:
    """The array of an ``.npy`` file's bytes; DataError. Nothing is ever unpickled."""
    try:
        array = np.load(io.BytesIO(raw), allow_pickle=False)
    except UNREADABLE as error:
        raise DataError(
            f"{source}: no array of numbers in NumPy's .npy format (pickles are never read): "
            f"{error}"
        ) from None
    if not isinstance(array, np.ndarray):
        raise DataError(f"{source}: an .npz archive, expected a single array as .npy")
    return array


def archive(
    source: str, raw: bytes, needed: Sequence[str], optional: Sequence[str] = ()
) -> dict[str, NDArray[Any]]:
    """The arrays of these names in an ``.npz`` file's bytes; DataError where one is missing or
    cannot be read. Nothing is ever unpickled."""
    wanted = ", ".join(needed)
    try:
        found = np.load(io.BytesIO(raw), allow_pickle=False)
        if isinstance(found, np.ndarray):
            raise DataError(f"{source}: a single array, expected an .npz of {wanted}")
        with found:
            missing = [key for key in needed if key not in found.files]
            if missing:
                raise DataError(
                    f"{source}: no array {', '.join(missing)} in the archive, which holds "
                    f"{', '.join(found.files) or 'nothing'}"
                )
            return {key: found[key] for key in (*needed, *optional) if key in found.files}
    except UNREADABLE as error:
        raise DataError(
            f"{source}: no arrays in NumPy's .npz format (pickles are never read), expected "
            f"{wanted}: {error}"
        ) from None
