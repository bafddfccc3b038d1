"""What stands in a table: the bytes of its file, cells, labels, levels; places in messages."""

from __future__ import annotations

import gzip
import hashlib
import io
import math
import re
import stat
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from os import PathLike
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np

from radprog.base.errors import DataError, OptionError
from radprog.base.limits import poll
from radprog.base.types import IntArray

AnyPath = str | PathLike[str]
#: The levels of each text column, by the index of the column among the feature columns.
Levels = Mapping[int, tuple[str, ...]]

LabelPair = tuple[str, str]

LARGEST_UNPACKED = 1 << 32
UNKNOWN = -1  # code of a row without label
EXACT = 1 << 53  # from where floats leave out whole numbers
MISSING_MARKS = frozenset({"", "?", "na", "nan", "n/a", "#n/a", "null"})
WHOLE = re.compile(r"([+-]?[0-9]+)(\.0*)?")
AMOUNT = re.compile(r"[+-]?[$€£¥₹]?\s?(\d{1,3}([,' ]\d{3})+|\d+)(\.\d*)?\s?[$€£¥₹%]?")
WITH_COMMA = re.compile(r"\s*[+-]?(\d+,\d*|,\d+)([eE][+-]?\d+)?\s*")


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


def read_bytes(path: AnyPath, *, unpack: bool = True) -> bytes:
    """The bytes of a file, unpacked if it is gzip.

    Raises DataError if the file is missing, empty, a folder, a stream, damaged, or larger than
    LARGEST_UNPACKED. Without ``unpack``, the bytes may be any.
    """
    with readable(path):
        if not str(path):  # which is the present folder to Python
            raise FileNotFoundError
        raw = Path(path).read_bytes()
    if not unpack:
        return raw
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


def file_text(path: AnyPath) -> str:
    """The text of a file in UTF-8. Raises DataError if the file cannot be read."""
    return decode(str(path), read_bytes(path, unpack=False))


@contextmanager
def readable(path: AnyPath) -> Iterator[None]:
    """A context for reading a file. Raises DataError with the reason for a failure.

    Streams that might never end are refused: pipes, sockets and devices other than standard input.
    """
    if not isinstance(path, str | PathLike):
        raise DataError(
            f"a {type(path).__name__} is given, expected the path of a file: rp.dataset(X, y) "
            "takes arrays and frames"
        )
    try:
        mode = Path(path).stat().st_mode
        if str(path) != "/dev/stdin" and not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
            raise DataError(f"{path}: a pipe, socket or device, expected a file")
        yield
    except FileNotFoundError:
        raise DataError(f"{str(path) or repr('')}: no such file") from None
    except IsADirectoryError:
        raise DataError(f"{path}: this is a folder, expected a file") from None
    except (OSError, ValueError) as error:
        raise DataError(f"{path}: cannot be read: {error}") from None


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


def is_gap(cell: object) -> bool:
    """Whether an object is a missing cell: None, NaN, or NA and NaT of pandas."""
    return not isinstance(cell, str) and str(cell) in ("None", "<NA>", "NaT", "nan", "NaN")


def cell_number(cell: str) -> float | None:
    """The cell as a float, NaN for a missing cell, or None for a cell that is not a number."""
    if is_missing(cell):
        return math.nan
    try:
        return None if "_" in cell else float(cell)
    except ValueError:
        return None


def texts_of(column: Any, source: str) -> list[str]:
    """The cells of a column (n,) as texts, as they are written; a missing object is empty.

    Raises DataError for floating-point numbers of 2^53 or more, which do not represent a unique
    whole number.
    """
    if isinstance(column, np.ndarray) and column.dtype.kind == "f":
        large = column[np.abs(column) >= EXACT]
        if len(large):
            raise DataError(
                f"{source}: label or level {large[0]!r} is a float that stands for several whole "
                "numbers: give labels from 2^53 on as integers or texts"
            )
    return [
        cell.strip() if isinstance(cell, str) else "" if is_gap(cell) else str(cell)
        for cell in column.tolist()
    ]


def plain_label(label: str) -> str:
    """The normal form of a label. It is the same for ``1``, ``1.0`` and ``+1``; other strings stay
    unchanged.
    """
    text = label.strip()
    # whole numbers exactly, also where floats leave some out
    if whole := WHOLE.fullmatch(text):
        return str(int(whole[1]))
    value = cell_number(text)
    if value is None or not math.isfinite(value):
        return text
    return repr(value + 0.0).removesuffix(".0")


def in_order(labels: Sequence[str]) -> list[str]:
    """The distinct labels, sorted by value if all are numbers, and alphabetically if not."""
    every = set(labels)
    if any(cell_number(label) is None for label in every):
        return sorted(every)
    return sorted(every, key=lambda label: int(label) if WHOLE.fullmatch(label) else float(label))


def listed(names: Sequence[str]) -> str:
    """Labels or levels for a message, 30 at most."""
    return ", ".join(names[:30]) + (", ..." if len(names) > 30 else "")


def refuse_gap(labels: Sequence[str], source: str, lines: IntArray) -> None:
    """Raise DataError for the first missing label, with its row."""
    for i, label in enumerate(labels):
        if is_missing(label):
            raise DataError(
                f"{place(source, lines[i])}: the label is missing, expected a class (rows without "
                "one: read_partly_labelled, of cdsk and lpdsk)"
            )


def class_codes(
    texts: Sequence[str],
    source: str,
    lines: IntArray,
    *,
    classes: Sequence[str] | None = None,
    positive: str | None = None,
    several: bool = False,
    like: Sequence[str] | None = None,
    gaps: bool = False,
    column: tuple[int, str | None] | None = None,
) -> tuple[IntArray, IntArray, tuple[str, ...]]:
    """The rows to keep, the codes of these rows, and the label of each code 0, 1, ...

    ``classes`` are the labels to keep, by default all; rows of other classes are omitted.
    ``positive`` is the class with code 1 of two classes, by default the second in increasing order.
    ``several`` allows more than two classes. ``like`` contains the labels of the training data.
    With ``gaps``, labels may be missing, and any number of classes may be present. ``column`` is
    the number and name of a column whose levels the texts are. Raises DataError for a label that is
    missing or that the training data do not have, if a label of ``classes`` does not occur, and for
    a wrong number of classes. Raises OptionError for a repeated class, and if ``positive`` is not
    one of exactly two classes.
    """
    # each distinct label is spelled once
    spelling = {label: "" if is_missing(label) else plain_label(label) for label in set(texts)}
    plain = [spelling[label] for label in texts]
    if "" in spelling.values() and not gaps:
        refuse_gap(texts, source, lines)
    names = list(like or ())
    if like is None:
        names = present = in_order(list(filter(None, spelling.values())))
        if classes is not None:
            names = in_order([plain_label(text) for text in classes])
            if len(names) != len(classes):
                raise OptionError(f"classes {','.join(classes)}: a class is given twice")
            if absent := [label for label in names if label not in present]:
                raise DataError(
                    f"{source}: no row of class '{absent[0]}': the labels are {listed(present)}"
                )
        # two classes, or more where there may be; else an error that shows where each begins
        if not gaps and (len(names) < 2 or (len(names) > 2 and not several)):
            noun = "one class" if len(names) == 1 else f"{len(names)} classes"
            begins = [
                f"'{shown(label)}' {plain.count(label)} times, first in row "
                f"{lines[plain.index(label)]}"
                for label in names[:5]
            ]
            choice = " (or choose `one_vs_rest`)" if len(names) > 2 else ""
            if len(names) > 5:
                begins.append("...")
                if all(cell_number(label) is not None for label in names):
                    choice += " (numeric targets: read_regression, of svr, complexity and srm)"
            raise DataError(
                f"{source}: {noun} in the label column, expected two{choice}: {'; '.join(begins)}"
            )
        # the positive class is the second
        if positive is not None:
            second = plain_label(positive)
            if len(names) != 2 or second not in names:
                raise OptionError(
                    f"{source}: positive '{positive}': expected one of two classes, here "
                    f"{listed(names)}"
                )
            names.sort(key=lambda label: label == second)
    # rows of other classes are left out, where classes were chosen
    kept = np.arange(len(plain))
    if classes is not None and not set(plain).isdisjoint(names):
        kept = np.array([i for i, label in enumerate(plain) if label in names], dtype=np.intp)
    # the first label of another class is named; one that is missing is UNKNOWN
    number = {"": UNKNOWN, **{name: code for code, name in enumerate(names)}}
    for i in kept.tolist() if set(plain) - number.keys() else ():
        if plain[i] not in number:
            noun, where = ("label", ()) if column is None else ("level", column)
            expected = " or ".join(f"'{name}'" for name in names)
            raise DataError(
                f"{place(source, lines[i], *where)}: {noun} '{shown(texts[i])}', expected "
                f"{expected if len(names) < 3 else 'one of ' + listed(names)} as in the training "
                "data"
            )
    codes = np.array([number[plain[i]] for i in kept], dtype=np.intp)
    return kept, codes, tuple(names)


def levels_of(cells: Sequence[str], where: str, *, doubt: bool = False) -> tuple[str, ...]:
    """The levels of a text column (n,) in increasing order and normal form.

    Missing cells are not levels. Raises DataError if there is no level, or more than 1,000. With
    ``doubt``, because the user has not named the column, DataError is also raised if its cells are
    amounts or most of them are distinct. The message begins with ``where``.
    """
    levels = in_order([plain_label(cell) for cell in set(cells) if not is_missing(cell)])
    if not levels:
        raise DataError(f"{where}: every cell is missing: leave that column out")
    # each level is a feature: 1,000 of 200,000 rows are 1.6 GB
    if len(levels) > 1000:
        raise DataError(
            f"{where}: {len(levels)} levels in {len(cells)} rows, expected 1000 at most: leave "
            "that column out"
        )
    # amounts of money, names and numbers of documents are texts, but not levels
    texts = [level for level in levels if cell_number(level) is None]
    if doubt and texts and all(AMOUNT.fullmatch(x) or WITH_COMMA.fullmatch(x) for x in levels):
        raise DataError(
            f"{where}: numbers with signs, such as '{shown(texts[-1])}': write them without "
            "currency, percent and thousands separators (numbers with a decimal comma: "
            "`decimal=','`), or name the column as categorical"
        )
    # 20 cells may all differ and still be levels
    present = sum(not is_missing(cell) for cell in cells)
    if doubt and present > 20 and 2 * len(levels) > present:
        raise DataError(
            f"{where}: {len(levels)} different {'' if texts else 'numbers as '}texts in {present} "
            f"rows, such as '{shown(levels[0])}', are hardly levels: leave the column out, convert "
            "it to numbers, or name it as categorical"
        )
    return tuple(levels)


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
