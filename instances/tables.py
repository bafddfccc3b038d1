"""Files of data: their bytes and texts, the cells in them, and how messages name a place."""

from __future__ import annotations

import gzip
import hashlib
import io
import stat
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from os import PathLike
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np

from radprog.base.errors import DataError
from radprog.base.limits import poll

AnyPath = str | PathLike[str]
#: The levels of each text column, by the index of the column among the feature columns.
Levels = Mapping[int, tuple[str, ...]]

LARGEST_UNPACKED = 1 << 32
MISSING_MARKS = frozenset({"", "?", "na", "nan", "n/a", "#n/a", "null"})


def place(
    source: str, line: int | np.integer[Any], column: int | None = None, name: str | None = None
) -> str:
    """A position such as ``file, row 7, column 3 ('age')``.

    Rows are counted from 1, and columns from 0.
    """
    where = f"{source}, row {line}"
    if column is not None:
        where += f", column {column}"
    return f"{where} ('{shown(name)}')" if name else where


def shown(text: object, most: int = 60) -> str:
    """A string for a message, shortened and on one line."""
    line = " ".join(str(text).split())
    return line if len(line) <= most else line[:most] + "..."


def format_of(source: str) -> str:
    """The suffix of a file in lower case and without .gz: ``.csv`` for ``a.CSV.gz``."""
    return PurePosixPath(source.lower().removesuffix(".gz")).suffix


def read_bytes(path: AnyPath) -> bytes:
    """The bytes of a file, unpacked if it is gzip.

    Raises DataError if the file is missing, empty, a folder, a stream, damaged, or larger than
    LARGEST_UNPACKED.
    """
    raw = file_bytes(path)
    # gzip is recognised by its first bytes, whatever the suffix says
    if raw.startswith(b"\x1f\x8b"):
        try:
            with gzip.open(io.BytesIO(raw)) as stream:
                # blocks, until the first byte above the cap
                whole = io.BytesIO()
                while whole.tell() <= LARGEST_UNPACKED and (block := stream.read(1 << 22)):
                    whole.write(block)
                    poll()
        except (OSError, EOFError, zlib.error) as error:
            raise DataError(f"{path}: cannot be unpacked: {error}") from None
        if whole.tell() > LARGEST_UNPACKED:
            raise DataError(f"{path}: more than {LARGEST_UNPACKED >> 20} MiB, unpacked")
        raw = whole.getvalue()
    if not raw or raw.isspace():
        raise DataError(f"{path}: the file is empty, expected rows of data")
    return raw


def file_bytes(path: AnyPath) -> bytes:
    """The bytes of any file. Raises DataError for a file that cannot be read, and for a stream."""
    refuse_streams(path)
    with readable(path):
        if not str(path):  # which is the present folder to Python
            raise FileNotFoundError
        return Path(path).read_bytes()


def file_text(path: AnyPath) -> str:
    """The text of a file in UTF-8. Raises DataError if the file cannot be read."""
    return decode(str(path), file_bytes(path))


@contextmanager
def readable(path: AnyPath) -> Iterator[None]:
    """A context for reading a file. Raises DataError with the reason for a failure."""
    try:
        yield
    except FileNotFoundError:
        raise DataError(f"{str(path) or repr('')}: no such file") from None
    except IsADirectoryError:
        raise DataError(f"{path}: this is a folder, expected a file") from None
    except (OSError, ValueError) as error:
        raise DataError(f"{path}: cannot be read: {error}") from None


def refuse_streams(path: AnyPath) -> None:
    """Raise DataError for an object that is not a path, or for a stream that might never end.

    Such a stream is a pipe, socket or device other than standard input.
    """
    if not isinstance(path, str | PathLike):
        raise DataError(
            f"a {type(path).__name__} is given, expected the path of a file: rp.dataset(X, y) "
            "takes arrays and frames"
        )
    try:
        mode = Path(path).stat().st_mode
    except (OSError, ValueError):
        return  # reading it says why
    if str(path) != "/dev/stdin" and not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
        raise DataError(f"{path}: a pipe, socket or device, expected a file")


def decode(source: str, raw: bytes) -> str:
    """The UTF-8 text of a file, without a byte order mark and with LF as the line end.

    Raises DataError for a binary file or another encoding.
    """
    if b"\0" in raw:
        raise DataError(f"{source}: a binary file, expected text")
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        # the row of the first byte that is not UTF-8
        line = raw.count(b"\n", 0, error.start) + 1
        raise DataError(
            f"{source}, row {line}: byte 0x{raw[error.start]:02x} is not a UTF-8 text: "
            "a binary file, or text in another encoding"
        ) from None
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def digest(raw: bytes) -> str:
    """The SHA-256 hash of the bytes, in hexadecimal digits."""
    return hashlib.sha256(raw).hexdigest()


def is_missing(cell: str) -> bool:
    """Whether a cell is empty, one of MISSING_MARKS in any case, or ``None``.

    ``none`` in lower case is not missing, because it may be a level.
    """
    text = cell.strip()
    return text.lower() in MISSING_MARKS or text == "None"


def cell_number(cell: str) -> float | None:
    """The cell as a float, NaN for a missing cell, or None for a cell that is not a number."""
    if is_missing(cell):
        return float("nan")
    try:
        return None if "_" in cell else float(cell)
    except ValueError:
        return None


def same_columns(
    source: str, names: Sequence[str], expected: Sequence[str], columns: Sequence[int]
) -> None:
    """Raise DataError if the names or the order of the feature columns differ from ``expected``.

    Tables without names are not compared. ``columns`` are the positions of the columns, for the
    message.
    """
    if not names or not expected or tuple(names) == tuple(expected):
        return
    if len(names) == len(expected):
        pairs = zip(columns, names, expected, strict=True)
        j, name, wanted = next(one for one in pairs if one[1] != one[2])
        raise DataError(
            f"{source}: column {j} is '{shown(name)}', expected '{shown(wanted)}' as in the "
            "training data"
        )
    # what is missing first, then what is new; five columns at most
    changes = [f"no '{shown(name)}'" for name in expected if name not in names]
    changes += [
        f"'{shown(name)}' is none of them" if name else "a column without a name"
        for name in names
        if name not in expected
    ]
    raise DataError(
        f"{source}: {len(names)} columns given, expected {len(expected)} as in the training data: "
        f"{', '.join(changes[:5])}"
    )
