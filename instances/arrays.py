"""Arrays of finite numbers, from Python objects and from NumPy's files."""

from __future__ import annotations

import io
import struct
import tokenize
import zipfile
import zlib
from collections.abc import Sequence
from contextlib import suppress
from decimal import Decimal
from numbers import Real
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from radprog.base.errors import MALFORMED, DataError
from radprog.base.types import FloatArray
from radprog.instances.data import check_magnitude
from radprog.instances.delimited import AUTO, NO, TableOptions, split_cells, table_of
from radprog.instances.labels import is_gap, label_texts
from radprog.instances.tables import (
    AnyPath,
    also_texts,
    cell_number,
    decode,
    digest,
    place,
    read_bytes,
    shown,
)

NPY_MAGIC = b"\x93NUMPY"
UNREADABLE = (
    *MALFORMED,
    *(EOFError, OSError, MemoryError, RuntimeError, SyntaxError),
    *(tokenize.TokenError, struct.error, zipfile.BadZipFile, zlib.error),
)  # what NumPy and zipfile raise on damaged files


def columns_of(X: Any) -> list[Any]:
    """The columns of a frame or of another two-dimensional object; none for other objects."""
    if hasattr(X, "columns"):
        # a frame: by place, as two columns of pandas may have one name
        by_place = getattr(X, "iloc", None)  # of pandas, where two may have one name
        if by_place is not None:
            return [by_place[:, j] for j in range(X.shape[1])]
        return [X[name] for name in X.columns]
    if hasattr(X, "toarray"):
        return []
    with suppress(TypeError, ValueError):
        table = np.asarray(X, dtype=object)
        return list(table.T) if table.ndim == 2 else []
    return []


def array_of(values: Any) -> NDArray[Any]:
    """The values as an array.

    A column of a data frame, or an array of objects, becomes float64 if every cell is a number, a
    truth value or missing. Missing cells become NaN.
    """
    columns = columns_of(values) if hasattr(values, "columns") else []
    if not columns:
        return _numbers(np.asarray(values))
    # column by column: each may have a type of its own
    parts = [_numbers(np.asarray(column)) for column in columns]
    kinds = {part.dtype.kind for part in parts}
    if kinds <= set("biuf"):
        return np.column_stack(parts).astype(np.float64)
    # a text or another object somewhere: the cells as they are, for an error that names one
    table = np.empty((len(parts[0]), len(parts)), dtype=object)
    for j, (column, part) in enumerate(zip(columns, parts, strict=True)):
        for i, cell in enumerate(part if part.dtype.kind in "biuf" else column):
            table[i, j] = cell
    return table


def _numbers(array: NDArray[Any]) -> NDArray[Any]:
    """Objects as float64 if all are numbers or missing. Other objects, including dates, stay
    unchanged.
    """
    if array.dtype.kind in "mM":
        return np.array(list(array.ravel()), dtype=object).reshape(array.shape)
    if array.dtype.kind != "O":
        return array
    with suppress(TypeError, ValueError, OverflowError):
        cells = [np.nan if is_gap(cell) else _number(cell) for cell in array.ravel()]
        return np.array(cells, dtype=np.float64).reshape(array.shape)
    return array


def _number(cell: object) -> float:
    if not isinstance(cell, Real | Decimal | np.bool_):
        raise TypeError
    return float(cell)


def refuse_others(
    array: NDArray[Any],
    source: str,
    features: Sequence[str] = (),
    more: str = "",
    first: int = 0,
) -> None:
    """Raise DataError for the first cell of a table (n, d), column by column, that is not a number.

    For the message, ``features`` contains the d names or none, ``more`` is a hint about strings,
    and ``first`` is the number of the first column. If the cell is a string, the message lists all
    columns with strings.
    """
    if array.ndim != 2 or array.dtype.kind not in "OU":
        return
    columns = array.T.tolist()
    for j, column in enumerate(columns):
        for i, cell in enumerate(column):
            feature = features[j] if j < len(features) else None
            where = place(source, i + 1, j + first, feature)
            if isinstance(cell, str):
                others = [
                    features[k] if k < len(features) else str(k + first)
                    for k in range(j + 1, len(columns))
                    if any(isinstance(other, str) for other in columns[k])
                ]
                raise DataError(
                    f"{where}: '{shown(cell)}', expected a number{also_texts(others)}{more}"
                )
            if not (is_gap(cell) or isinstance(cell, Real | Decimal | np.bool_)):
                raise DataError(
                    f"{where}: {shown(cell)}, a {type(cell).__name__}, expected a number: leave "
                    "that column out, or make numbers of it"
                )


def finite(values: ArrayLike, source: str, name: str = "") -> FloatArray:
    """The values as float64, in a copy.

    Raises DataError unless the values are an array of finite numbers. The message begins with
    ``source`` and gives the invalid entry and the ``name`` of the array.
    """
    try:
        array = array_of(values)
        if array.dtype.kind == "O":
            refuse_others(array, source, tuple(map(str, getattr(values, "columns", ()))))
        if array.dtype.kind not in "biuf":
            raise TypeError(f"entries of type {array.dtype}")
    except (TypeError, ValueError) as error:
        what = name or "the array"
        raise DataError(f"{source}: {what} cannot be used: {error}; expected numbers") from None
    # a copy, in which the first entry that is not finite is named
    array = np.array(array, dtype=np.float64)
    if not np.isfinite(array).all():
        place = tuple(np.argwhere(~np.isfinite(array))[0].tolist())
        where = f"{name or 'entry '}[{', '.join(map(str, place))}]"
        raise DataError(f"{source}: {where} is {array[place]}, expected a finite number")
    return array


def check_points(X: NDArray[Any]) -> None:
    """Raise DataError for a number of X (n, ...) that is missing or infinite."""
    if X.dtype.kind == "f" and not np.isfinite(X).all():
        row, *cell = np.argwhere(~np.isfinite(X))[0].tolist()
        raise DataError(
            f"row {row + 1}: X{[row, *cell]} is {X[row, *cell]}, expected a finite number"
        )


def column_of(values: ArrayLike, n: int, source: str, name: str) -> FloatArray:
    """A copy of finite numbers (n,). Raises DataError for other values or a wrong shape."""
    array = finite(values, source, name)
    if array.shape != (n,):
        raise DataError(f"{source}: {name} has shape {array.shape}, expected ({n},)")
    return array


def labels_of(y: ArrayLike, n: int, source: str) -> list[str]:
    """The labels y (n,) as strings; a missing label becomes an empty string.

    Raises DataError for a wrong shape, and under the conditions of :func:`label_texts`.
    """
    written = np.asarray(y)
    if written.shape != (n,):
        raise DataError(f"{source}: y has shape {written.shape}, expected ({n},)")
    return label_texts(written, source)


def read_matrix(path: AnyPath, shape: tuple[int | None, int | None] | None = None) -> FloatArray:
    """Read a matrix of finite numbers from an ``.npy`` file or from a text file without labels.

    ``shape`` is the required shape. None in it allows any length of a side. Raises DataError for a
    wrong shape, a cell that is not a finite number, or a pickle.
    """
    source = str(path)
    raw = read_bytes(path)
    if raw.startswith(NPY_MAGIC) or Path(path).suffix.lower() in (".npy", ".npz"):
        matrix = one_array(source, raw)
    else:
        # text: a first row of names is a header, but distances 0, 1, 2 are not
        grid = split_cells(source, decode(source, raw))
        plain = all(cell_number(cell) is not None for cell in grid.first)  # distances: 0, 1, 2
        options = TableOptions(label="none", header=NO if plain else AUTO)
        matrix = table_of(grid, options, sha256=digest(raw)).values
    # the shape, then the size of the numbers
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
    """The array in the bytes of an ``.npy`` file, without unpickling.

    Raises DataError if the bytes are not such a file.
    """
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
    """The arrays of these names in the bytes of an ``.npz`` file, without unpickling.

    Raises DataError for an array that is missing or unreadable.
    """
    wanted = ", ".join(needed)
    try:
        arrays = np.load(io.BytesIO(raw), allow_pickle=False)
        if isinstance(arrays, np.ndarray):
            raise DataError(f"{source}: a single array, expected an .npz of {wanted}")
        with arrays:
            missing = [key for key in needed if key not in arrays.files]
            if missing:
                raise DataError(
                    f"{source}: no array {', '.join(missing)} in the archive, which holds "
                    f"{', '.join(arrays.files) or 'nothing'}"
                )
            return {key: arrays[key] for key in (*needed, *optional) if key in arrays.files}
    except UNREADABLE as error:
        raise DataError(
            f"{source}: no arrays in NumPy's .npz format (pickles are never read), expected "
            f"{wanted}: {error}"
        ) from None
