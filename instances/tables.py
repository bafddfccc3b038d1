"""The first stage of reading a data file: its cells as numbers and strings.

The readers of all file formats return a ``Table``. A later stage converts the table to a data set
with two classes, many classes, a numeric target, or rows without labels.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import re
import stat
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from os import PathLike
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np

from radprog.base.errors import DataError
from radprog.base.limits import poll
from radprog.base.types import FloatArray, IntArray

AnyPath = str | PathLike[str]
Levels = Mapping[int, tuple[str, ...]]

GZIP_MAGIC = b"\x1f\x8b"
LARGEST_UNPACKED = 1 << 32
MISSING_MARKS = frozenset({"", "?", "na", "nan", "n/a", "#n/a", "null"})
INDEX_NAMES = ("", "Unnamed: 0")  # of the index in files of pandas
WITH_COMMA = re.compile(r"\s*[+-]?(\d+,\d*|,\d+)([eE][+-]?\d+)?\s*")
MOST_NAMED = 5  # columns that a message names
LONGEST_LIST = 300  # letters of all text columns that a message names


@dataclass(frozen=True, kw_only=True, eq=False)
class Table:
    """The cells of a data file.

    - values: float64 (n, d), the features in the order of the file. Missing cells are NaN, and no
      number is infinite.
    - lines: int64 (n,), the row number of each point in the file, counted from 1.
    - columns: the column number of each feature in the file, counted from 0.
    - names: the names of the features, or ().
    - labels: n strings as in the file, or None; strings: n strings of a text column, or None.
    - weights: n numbers >= 0, or None if there is no column of weights.
    - levels: the levels of each text column, by the index of the column among the feature columns,
      from 0. Each level is a feature: 1 if the cell has this level, and 0 otherwise.
    - header: a description of the row with the names; "" if the format declares the names.
    - warnings: lines of text; left_out: the dropped rows of the file.
    - ends: the first feature of each of several tables side by side, except the first table.
    """

    source: str
    sha256: str
    values: FloatArray
    lines: IntArray
    columns: tuple[int, ...]
    names: tuple[str, ...] = ()
    labels: tuple[str, ...] | None = None
    strings: tuple[str, ...] | None = None
    weights: FloatArray | None = None
    levels: Levels = field(default_factory=dict)
    header: str = ""
    warnings: tuple[str, ...] = ()
    ends: tuple[int, ...] = ()
    left_out: tuple[int, ...] = ()

    @property
    def name(self) -> str:
        """The name of the file; for several files, their number."""
        return f"{len(self.ends) + 1} views" if self.ends else Path(self.source).name

    def take(self, kept: IntArray) -> Table:
        """The table with only the rows ``kept``."""
        labels, strings, weights = self.labels, self.strings, self.weights
        return replace(
            self,
            values=self.values[kept],
            lines=self.lines[kept],
            labels=None if labels is None else tuple(labels[i] for i in kept),
            strings=None if strings is None else tuple(strings[i] for i in kept),
            weights=None if weights is None else weights[kept],
            left_out=tuple(sorted((*self.left_out, *np.delete(self.lines, kept).tolist()))),
        )

    def cell(self, row: int, feature: int) -> str:
        """The position of a cell, for messages."""
        name = self.names[feature] if self.names else None
        return place(self.source, int(self.lines[row]), self.columns[feature], name)

    def row(self, row: int) -> str:
        """The position of a row, for messages."""
        return place(self.source, int(self.lines[row]))


def place(
    source: str, line: int | np.integer[Any], column: int | None = None, name: str | None = None
) -> str:
    """A position such as ``file, row 7, column 3 ('age')``.

    Rows are counted from 1, and columns from 0.
    """
    where = f"{source}, row {line}"
    if column is not None:
        where += f", column {column}"
    if name:
        where += f" ('{shown(name)}')"
    return where


def format_of(source: str) -> str:
    """The suffix of a file in lower case and without .gz: ``.csv`` for ``a.CSV.gz``."""
    return PurePosixPath(source.lower().removesuffix(".gz")).suffix


def read_bytes(path: AnyPath) -> bytes:
    """The bytes of a file, unpacked if it is gzip.

    Raises DataError if the file is missing, is empty or is a folder. A pipe or device other than
    standard input also raises DataError, because reading might never end.
    """
    raw = file_bytes(path)
    # gzip is recognised by its first bytes, whatever the suffix says
    if raw.startswith(GZIP_MAGIC):
        raw = _unpacked(path, raw)
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


def file_text(path: AnyPath) -> str:
    """The text of a file in UTF-8. Raises DataError if the file cannot be read."""
    return text_of(path, file_bytes(path))


def text_of(path: AnyPath, raw: bytes) -> str:
    """The UTF-8 text of the bytes of a file. Raises DataError for other bytes."""
    try:
        return raw.decode()
    except UnicodeDecodeError:
        raise DataError(f"{path}: cannot be read: it is not a text") from None


def _unpacked(path: AnyPath, raw: bytes) -> bytes:
    """The unpacked bytes. Raises DataError if they are damaged or larger than LARGEST_UNPACKED."""
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
    return whole.getvalue()


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
        # regular files and folders pass; a pipe might never end
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
        raise DataError(f"{source}: a binary file, expected text (CSV, TSV, svmlight or ARFF)")
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        # the row of the first byte that is not a UTF-8
        line = raw.count(b"\n", 0, error.start) + 1
        raise DataError(
            f"{source}, row {line}: byte 0x{raw[error.start]:02x} is not a UTF-8 text: "
            "a binary file, or text in another encoding"
        ) from None
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def shown(text: object, most: int = 60) -> str:
    """A string for a message, shortened and on one line."""
    line = " ".join(str(text).split())
    return line if len(line) <= most else line[:most] + "..."


def also_texts(columns: Sequence[str]) -> str:
    """The part of a message about a string that lists the other columns with strings."""
    return f"; texts also in {shown(', '.join(columns), most=LONGEST_LIST)}" if columns else ""


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


def index_warnings(names: Sequence[str], values: FloatArray) -> tuple[str, ...]:
    """A warning if a feature of values (n, d) looks like the index of a pandas frame.

    pandas writes an index without a name.
    """
    for name, column in zip(names, values.T, strict=False):
        if name not in INDEX_NAMES:
            continue
        different = len(column) > 1 and len(np.unique(column)) == len(column)
        if different and np.array_equal(column, np.floor(column)):
            return (
                f"feature '{name}' numbers the rows, like the index of a pandas frame: leave it "
                "out with to_csv(FILE, index=False), or read_csv(FILE, index_col=0)",
            )
    return ()


def checked_table(table: Table) -> Table:
    """The table, with a warning about the index of a frame.

    Raises DataError if the table has no rows, if it has neither features nor strings, or if a cell
    is infinite.
    """
    if not len(table.lines):
        raise DataError(f"{table.source}: no rows of data")
    if table.strings is None and not table.columns:
        raise DataError(f"{table.source}: no feature column beside the label")
    # the first infinite cell, row by row, is named
    infinite = np.argwhere(np.isinf(table.values))
    if len(infinite):
        i, j = infinite[0].tolist()
        raise DataError(
            f"{table.cell(i, j)}: the cell is infinite, or too large; expected a number"
        )
    found = index_warnings(table.names, table.values)
    return replace(table, warnings=(*table.warnings, *found))


def same_columns(
    source: str, names: Sequence[str], expected: Sequence[str], columns: Sequence[int]
) -> None:
    """Raise DataError if the names or the order of the feature columns differ from ``expected``.

    Tables without names are not compared. ``columns`` are the positions of the columns, for the
    message.
    """
    if not names or not expected:
        return
    if len(names) != len(expected):
        # name what is missing first, then what is new
        missing = [f"no '{shown(name)}'" for name in expected if name not in names]
        others = [
            f"'{shown(name)}' is none of them" if name else "a column without a name"
            for name in names
            if name not in expected
        ]
        raise DataError(
            f"{source}: {len(names)} columns given, expected {len(expected)} as in the training "
            f"data: {', '.join([*missing, *others][:MOST_NAMED])}"
        )
    for j, name, wanted in zip(columns, names, expected, strict=True):
        if name != wanted:
            raise DataError(
                f"{source}: column {j} is '{shown(name)}', expected '{shown(wanted)}' as in the "
                "training data"
            )
