"""Arrays of finite numbers, from Python objects and from NumPy's files."""

from __future__ import annotations

import io
import struct
import tokenize
import zipfile
import zlib
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from radprog.base.errors import MALFORMED, DataError
from radprog.base.types import FloatArray
from radprog.instances.data import check_magnitude
from radprog.instances.tables import (
    AnyPath,
    below_header,
    decode,
    features_of,
    is_text,
    numbers_of,
    read_bytes,
    text_frame,
    texts_of,
)

UNREADABLE = (
    *MALFORMED,
    *(EOFError, OSError, MemoryError, RuntimeError, SyntaxError),
    *(tokenize.TokenError, struct.error, zipfile.BadZipFile, zlib.error),
)  # what NumPy and zipfile raise on damaged files


def finite(values: ArrayLike, source: str, name: str = "") -> FloatArray:
    """The values as float64, in a copy.

    Raises DataError unless the values are an array of finite numbers. The message begins with
    ``source`` and gives the invalid entry and the ``name`` of the array.
    """
    try:
        array = np.asarray(values)
        if array.dtype.kind == "O":
            flat = numbers_of(array.ravel())
            array = array if flat is None else flat.reshape(array.shape)
        if array.dtype.kind not in "biuf":
            raise TypeError(f"entries of type {array.dtype}")
    except (TypeError, ValueError) as error:
        noun = name or "the array"
        raise DataError(f"{source}: {noun} cannot be used: {error}; expected numbers") from None
    # a copy, in which the first entry that is not finite is named
    array = np.array(array, dtype=np.float64)
    if not np.isfinite(array).all():
        place = tuple(np.argwhere(~np.isfinite(array))[0].tolist())
        entry = f"{name or 'entry '}[{', '.join(map(str, place))}]"
        raise DataError(f"{source}: {entry} is {array[place]}, expected a finite number")
    return array


def column_of(values: ArrayLike, n: int, source: str, name: str) -> FloatArray:
    """A copy of finite numbers (n,). Raises DataError for other values or a wrong shape."""
    array = finite(values, source, name)
    if array.shape != (n,):
        raise DataError(f"{source}: {name} has shape {array.shape}, expected ({n},)")
    return array


def read_matrix(path: AnyPath, shape: tuple[int | None, int | None] | None = None) -> FloatArray:
    """Read a matrix of finite numbers from an ``.npy`` file or from a text file without labels.

    ``shape`` is the required shape. None in it allows any length of a side. Raises DataError for a
    wrong shape, a cell that is not a finite number, or a pickle.
    """
    source, raw = str(path), read_bytes(path)
    if raw.startswith(b"\x93NUMPY") or source.lower().endswith((".npy", ".npz")):
        matrix = packed_arrays(source, raw)[""]
    else:
        # text: a first row of names is a header, but distances 0, 1, 2 are not
        frame = text_frame(source, decode(source, raw))
        first_row = [texts_of(column[:1])[0] for column in frame.columns]
        header, columns = "auto" if any(map(is_text, first_row)) else "no", range(len(first_row))
        frame = below_header(frame, header, False, columns, False)
        matrix = features_of(frame, columns).values
    # the shape, then the size of the numbers
    expected = (None, None) if shape is None else shape
    if matrix.ndim != 2 or not all(map(lambda a, b: a in (None, b), expected, matrix.shape)):
        wanted = " x ".join("any" if want is None else str(want) for want in expected)
        raise DataError(f"{source}: an array of shape {matrix.shape}, expected {wanted}")
    matrix = finite(matrix, source)
    check_magnitude(matrix, lambda place: f"{source}, entry {list(place)}")
    return matrix


def packed_arrays(
    source: str, raw: bytes, needed: Sequence[str] = (), optional: Sequence[str] = ()
) -> dict[str, NDArray[Any]]:
    """The arrays of these names in the bytes of an ``.npz`` file, without unpickling.

    If no name is needed, the file is ``.npy``, and its array is that of the name ``""``. Raises
    DataError for an array that is missing or unreadable.
    """
    wanted = f"an .npz archive of {', '.join(needed)}" if needed else "a single array as .npy"
    try:
        arrays = np.load(io.BytesIO(raw), allow_pickle=False)
        single = isinstance(arrays, np.ndarray)
        if single == bool(needed):
            form = "a single array" if single else "an .npz archive"
            raise DataError(f"{source}: {form}, expected {wanted}")
        if single:
            return {"": arrays}
        with arrays:
            missing = [key for key in needed if key not in arrays.files]
            if missing:
                raise DataError(
                    f"{source}: no array {', '.join(missing)} in the archive, which holds "
                    f"{', '.join(arrays.files) or 'nothing'}"
                )
            names = [key for key in (*needed, *optional) if key in arrays.files]
            refuse_bomb(source, arrays, len(raw), names)
            return {key: arrays[key] for key in names}
    except UNREADABLE as error:
        raise DataError(
            f"{source}: it cannot be read as {wanted} (pickles are never read): {error}"
        ) from None


def refuse_bomb(source: str, archive: Any, packed: int, names: Sequence[str]) -> None:
    """Raise DataError if these arrays of an .npz file of ``packed`` bytes are much larger unpacked.

    The sizes stand in the directory of the archive, which limits what is unpacked.
    """
    files = {part for name in names for part in (name, f"{name}.npy")}
    size = sum(entry.file_size for entry in archive.zip.infolist() if entry.filename in files)
    if size > max(1 << 28, 4 * packed):
        raise DataError(
            f"{source}: {', '.join(names)[:40]}: {size >> 20} MiB unpacked, expected at most "
            "256 MiB or four times the file: write it without compression, by np.savez"
        )
