"""A table: the bytes of its file, its cells, labels and levels, and its columns, from a text, a
frame or an array; its header, features and missing cells.

Three checks are made here, because no library makes them: rows with too few cells, error values of
spreadsheets such as ``#N/A``, and ``1,968`` beside ``861`` where a comma is the decimal mark.
"""

from __future__ import annotations

import csv
import gzip
import io
import math
import re
import stat
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from decimal import Decimal
from numbers import Integral, Real
from os import PathLike
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np
from numpy.typing import NDArray

from radprog.base.errors import DataError, OptionError
from radprog.base.limits import poll
from radprog.base.sections import amount
from radprog.base.types import FloatArray, IntArray

AnyPath = str | PathLike[str]
#: The levels of each text column, by the index of the column among the feature columns.
Levels = Mapping[int, tuple[str, ...]]

LabelPair = tuple[str, str]

LARGEST_UNPACKED = 1 << 32
UNKNOWN = -1  # code of a row without label
EXACT = 1 << 53  # from where floats leave out whole numbers
MISSING_MARKS = frozenset({"", "?", "na", "nan", "n/a", "#n/a", "null"})
WHOLE = re.compile(r"([+-]?[0-9]+)(\.0*)?")
PADDED = re.compile(r"[+-]?0[0-9].*|.*[^!-~].*")  # 007, or digits of another script
WITH_COMMA = re.compile(r"\s*[+-]?(\d+,\d*|,\d+)([eE][+-]?\d+)?\s*")
TRUTHS = {  # as pandas, polars and R write them
    **dict.fromkeys(("False", "false", "FALSE"), 0.0),
    **dict.fromkeys(("True", "true", "TRUE"), 1.0),
}


def place(
    source: str, line: int | np.integer[Any], column: int | None = None, name: str | None = None
) -> str:
    """A position such as ``file, row 7, column 3 ('age')``.

    Rows are counted from 1, and columns from 0.
    """
    position = f"{source}, row {line}"
    if column is not None:
        position += f", column {column}"
    return f"{position} ('{shown(name)}')" if name else position


def shown(text: object, limit: int = 60) -> str:
    """A string for a message, shortened and on one line."""
    line = " ".join(str(text).split())
    return line if len(line) <= limit else line[:limit] + "..."


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
                unpacked = io.BytesIO()
                while unpacked.tell() <= LARGEST_UNPACKED and (block := stream.read(1 << 22)):
                    unpacked.write(block)
                    poll()
        except (OSError, EOFError, zlib.error) as error:
            raise DataError(f"{path}: cannot be unpacked: {error}") from None
        if unpacked.tell() > LARGEST_UNPACKED:
            raise DataError(f"{path}: more than {LARGEST_UNPACKED >> 20} MiB, unpacked")
        raw = unpacked.getvalue()
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


def texts_of(column: Any) -> list[str]:
    """The cells of a column (n,) as texts, as they are written; a missing object is empty."""
    return [
        cell.strip() if isinstance(cell, str) else "" if is_gap(cell) else str(cell)
        for cell in column.tolist()
    ]


def labels_of(y: Any, n: int, source: str) -> tuple[list[str], str]:
    """The texts of typed labels y (n,), and their type, from which each text gives its label again.

    A missing label is empty. The type is ``str``, ``bool``, ``int`` or ``float``. Raises DataError
    for a wrong shape, and for labels of another type or of several types.
    """
    y = y.to_list() if hasattr(y, "to_list") else y  # a series with gaps keeps whole numbers
    cells = np.asarray(y, dtype=None if hasattr(y, "dtype") else object)
    if cells.shape != (n,):
        raise DataError(f"{source}: y has shape {cells.shape}, expected ({n},)")
    values = list(cells) if cells.dtype.kind in "mM" else cells.tolist()
    # the first type that all labels have, and how it is written
    kinds: dict[str, tuple[tuple[type, ...], Callable[[Any], str]]] = {
        "str": ((str,), str),
        "bool": ((bool, np.bool_), lambda cell: str(bool(cell))),
        "int": ((Integral, np.bool_), lambda cell: str(int(cell))),
        "float": ((Real, np.bool_), lambda cell: repr(float(cell) + 0.0).removesuffix(".0")),
    }
    with suppress(TypeError):  # of lists and other cells that are not hashable
        distinct = {cell for cell in set(values) if not is_gap(cell)}
        for label_type, (types, written) in kinds.items():
            if all(isinstance(cell, types) for cell in distinct):
                texts = {cell: written(cell) for cell in distinct}
                return [texts.get(cell, "") for cell in values], label_type
    found = ", ".join(sorted({type(cell).__name__ for cell in values if not is_gap(cell)}))
    raise DataError(
        f"{source}: labels of type {found}, expected one type: texts, whole numbers, floats or "
        "truth values"
    )


def plain_label(label: str) -> str:
    """The normal form of a label of a text file. It is the same for ``1``, ``1.0`` and ``+1``;
    other strings stay unchanged, and so do those with leading zeros, such as ``007``.
    """
    text = label.strip()
    if PADDED.fullmatch(text):
        return text
    # whole numbers exactly, also where floats leave some out
    if integer := WHOLE.fullmatch(text):
        return str(int(integer[1]))
    value = cell_number(text)
    if value is None or not math.isfinite(value):
        return text
    return repr(value + 0.0).removesuffix(".0")


def in_order(labels: Iterable[str]) -> list[str]:
    """The distinct labels, sorted by value if all are numbers, and alphabetically if not."""
    texts = sorted(set(labels))
    if any(cell_number(label) is None for label in texts):
        return texts
    wholes = map(WHOLE.fullmatch, texts)
    values = [int(m[1]) if m else float(x) for m, x in zip(wholes, texts, strict=True)]
    return [text for _, text in sorted(zip(values, texts, strict=True))]


def listed(names: Sequence[str]) -> str:
    """Labels or levels for a message, 30 at most."""
    return ", ".join(names[:30]) + (", ..." if len(names) > 30 else "")


def no_label(text: str, label_type: str) -> bool:
    """Whether a label is missing: of typed labels, only an empty one, so that "NA" is a class."""
    return is_missing(text) if label_type == "text" else not text


def refuse_gap(
    labels: Sequence[str],
    source: str,
    lines: IntArray,
    like: Sequence[str] | None = None,
    label_type: str = "text",
) -> None:
    """Raise DataError for the first missing label, with its row. ``like``: the labels of a fit."""
    advice = "without labels, leave their column out"
    if like is None:
        advice = "rows without one: read_partly_labelled, of cdsk and lpdsk"
    for i, label in enumerate(labels):
        if no_label(label, label_type) and label not in (like or ()):
            raise DataError(
                f"{place(source, lines[i])}: the label is missing, expected a class ({advice})"
            )


def wrong_classes(
    names: Sequence[str], labels: Sequence[str], source: str, lines: IntArray
) -> DataError:
    """The error for labels of a wrong number of classes, which shows where each class begins."""
    noun = "one class" if len(names) == 1 else f"{len(names)} classes"
    begins = [
        f"'{shown(label)}' {labels.count(label)} times, first in row {lines[labels.index(label)]}"
        for label in names[:5]
    ]
    choice = " (or choose `one_vs_rest`)" if len(names) > 2 else ""
    if len(names) > 5:
        begins.append("...")
        if all(cell_number(label) is not None for label in names):
            choice += " (numeric targets: read_regression, of svr, complexity and srm; a "
            choice += "complexity needs no labels: remove the column, with `label='none'`)"
    return DataError(
        f"{source}: {noun} in the label column, expected two{choice}: {'; '.join(begins)}"
    )


def class_codes(
    texts: Sequence[str],
    source: str,
    lines: IntArray,
    *,
    label_type: str = "text",
    classes: Sequence[str] | None = None,
    positive: str | None = None,
    several: bool = False,
    like: Sequence[str] | None = None,
    gaps: bool = False,
    column: tuple[int, str | None] | None = None,
) -> tuple[IntArray, IntArray, tuple[str, ...]]:
    """The rows to keep, the codes of these rows, and the label of each code 0, 1, ...

    Spellings of one number are one label, named as first written, unless ``label_type`` is ``str``.
    ``classes`` are the labels to keep, by default all; rows of other classes are omitted.
    ``positive`` is the class with code 1 of two classes, by default the second in increasing order.
    ``several`` allows more than two classes. ``like`` contains the labels of the training data.
    With ``gaps``, labels may be missing, and any number of classes may be present. ``column`` is
    the number and name of a column whose levels the texts are. Raises DataError for a label that is
    missing or that the training data do not have, if a label of ``classes`` does not occur, and for
    a wrong number of classes. Raises OptionError for a repeated class, and if ``positive`` is not
    one of exactly two classes.
    """
    # each number has one name: of the training data if only one of them is it, or as first written
    form, order = (str, sorted) if label_type == "str" else (plain_label, in_order)
    names, distinct = list(like or ()), dict.fromkeys(texts)
    times = Counter(map(form, names))
    name_of = {form(name): name for name in names if times[form(name)] == 1}
    for text in distinct if like is None else ():
        name_of.setdefault(form(text), text)
    # where rows may be without a label, the marks of files stand for one in arrays too
    marks = "text" if gaps else label_type
    named = {text: name_of.get(form(text), text) for text in distinct if not no_label(text, marks)}
    if label_type == "float" and (large := [x for x in named if abs(float(x)) >= EXACT]):
        raise DataError(
            f"{source}: label {large[0]} is a float that stands for several whole numbers: give "
            "labels from 2^53 on as integers or texts"
        )
    named |= {name: name for name in names}
    plain = [named.get(text, "") for text in texts]
    if "" in plain and not gaps:
        refuse_gap(texts, source, lines, like, label_type)
    if like is None:
        names = present = order(named.values())
        if classes is not None:
            names = order({name_of.get(form(text), text) for text in classes})
            if len(names) != len(classes):
                raise OptionError(f"classes {','.join(classes)}: a class is given twice")
            if absent := [label for label in names if label not in present]:
                raise DataError(
                    f"{source}: no row of class '{absent[0]}': the labels are {listed(present)}"
                )
        # two classes, or more where there may be
        if not gaps and (len(names) < 2 or (len(names) > 2 and not several)):
            raise wrong_classes(names, plain, source, lines)
        # the positive class is the second
        if positive is not None:
            second = name_of.get(form(positive), positive)
            if len(names) != 2 or second not in names:
                raise OptionError(
                    f"{source}: positive '{positive}': expected one of two classes, here "
                    f"{listed(names)}"
                )
            names.sort(key=lambda label: label == second)
    # rows of other classes are left out, where classes were chosen
    indices = np.arange(len(plain))
    if classes is not None and not set(plain).isdisjoint(names):
        indices = np.array([i for i, label in enumerate(plain) if label in names], dtype=np.intp)
    # the first label of another class is named; one that is missing is UNKNOWN
    number = {"": UNKNOWN, **{name: code for code, name in enumerate(names)}}
    if foreign := [i for i in indices.tolist() if plain[i] not in number]:
        i, (noun, cell) = foreign[0], ("label", ()) if column is None else ("level", column)
        expected = " or ".join(f"'{name}'" for name in names)
        ending = f" ({len(foreign)} rows have others)" if len(foreign) > 1 else ""
        raise DataError(
            f"{place(source, lines[i], *cell)}: {noun} '{shown(texts[i])}', expected "
            f"{expected if len(names) < 3 else 'one of ' + listed(names)} as in the training "
            f"data{ending}"
        )
    codes = np.array([number[plain[i]] for i in indices], dtype=np.intp)
    return indices, codes, tuple(names)


def levels_of(cells: Sequence[str], position: str) -> tuple[str, ...]:
    """The levels of a text column (n,) in increasing order and normal form.

    Missing cells are not levels. Raises DataError if there is no level, or more than 1,000. The
    message begins with ``position``.
    """
    levels = in_order([plain_label(cell) for cell in set(cells) if not is_missing(cell)])
    if not levels:
        raise DataError(f"{position}: every cell is missing: leave that column out")
    # each level is a feature: 1,000 of 200,000 rows are 1.6 GB
    if len(levels) > 1000:
        raise DataError(
            f"{position}: {len(levels)} levels in {len(cells)} rows, expected 1000 at most: leave "
            "that column out"
        )
    return tuple(levels)


def same_columns(source: str, names: Sequence[str], expected: Sequence[str]) -> None:
    """Raise DataError if the names or the order of the feature columns differ from ``expected``.

    Tables without names are not compared.
    """
    if not names or not expected or tuple(names) == tuple(expected):
        return
    changes = [f"no '{shown(name)}'" for name in expected if name not in names]
    changes += [f"'{shown(name)}' is none of them" for name in names if name not in expected]
    raise DataError(
        f"{source}: {len(names)} columns of features given, expected {len(expected)} as in the "
        "training data: " + (", ".join(changes[:5]) or "in another order")
    )


@dataclass(frozen=True, kw_only=True)
class Frame:
    """The columns of a table, and the row numbers (n,) of its n rows, counted from 1.

    A column is an Arrow array of texts (of a text file), an array of numbers (n,) with NaN for
    missing cells, or an object array (n,) of the cells of a frame or an array. A text of a text
    file may be a number; a text of a typed column stays a text. ``levels`` are those of columns of
    a categorical type. ``header`` tells which row has the ``names``; it is empty if the names are
    declared or missing.
    """

    source: str
    columns: Sequence[Any]
    lines: IntArray
    names: tuple[str, ...] = ()
    header: str = ""
    warnings: tuple[str, ...] = ()
    levels: Levels = field(default_factory=dict)

    def place(self, i: int, j: int) -> str:
        """The position of the cell in row i and column j, for messages."""
        return place(self.source, int(self.lines[i]), j, self.names[j] if self.names else None)

    def column_named(self, spec: str, titles: Sequence[str], role: str) -> int:
        """The index of the column ``spec``: an index, or a name that occurs once in ``titles``,
        the header or the first row.
        """
        if re.fullmatch(r"\d+", spec) and int(spec) < len(titles):
            return int(spec)
        if list(titles).count(spec) == 1 and is_name(spec):
            return list(titles).index(spec)
        raise DataError(
            f"{self.source}: {role} column '{spec}' is not one of the {len(titles)} columns "
            f"({shown(', '.join(filter(None, titles)), limit=100)}): expected a name of the "
            "header that occurs once"
            + f", or an index from 0 to {len(titles) - 1}"
            * (role != "drop")
        )


def is_name(spec: str) -> bool:
    """Whether an option calls a column by its name."""
    return spec not in ("last", "first", "none") and not re.fullmatch(r"[+-]?\d+", spec)


def numbers_of(cells: Any) -> FloatArray | None:
    """Cells (n,) as float64 with NaN for missing ones; None if a cell is not a number.

    A truth value is 1 or 0. A text is a number only in a text file, whose columns are of Arrow.
    """
    if isinstance(cells, np.ndarray) and cells.dtype.kind in "biuf":
        return cells.astype(np.float64, copy=False)
    if isinstance(cells, np.ndarray | list | tuple):
        values = [float("nan") if is_gap(cell) else cell for cell in cells]
        if not all(isinstance(value, Real | Decimal | np.bool_) for value in values):
            return None
        with suppress(OverflowError):  # whole numbers beyond all floats
            return np.array([float(value) for value in values], dtype=np.float64)
        return None
    with suppress(ValueError):
        return np.array(np.from_dlpack(cells.cast("float64")))
    # cells that Arrow does not read: missing ones, truth values, blanks beside a number
    texts = cells.tolist()
    known = {cell: cell_number(cell) for cell in set(texts)}
    if None in known.values() and all(x.strip() in TRUTHS or is_missing(x) for x in known):
        known = {cell: TRUTHS.get(cell.strip(), np.nan) for cell in known}
    if None in known.values():
        return None
    return np.array([known[cell] for cell in texts], dtype=np.float64)


def is_text(cell: object) -> bool:
    """Whether a cell of a text file is neither a number nor missing, or a cell is a text."""
    return isinstance(cell, str) and cell_number(cell) is None


def text_frame(
    source: str,
    text: str,
    *,
    comment: str = "#",
    names: tuple[str, ...] = (),
    decimal: str = ".",
) -> Frame:
    """The cells of a text, without blank lines and comment lines.

    Cells are separated by tabs, semicolons, commas or blanks: by the first of these that splits
    each of the first lines into the same number of cells, at least two. ``names`` are the names
    that the file declares elsewhere. A decimal comma cannot separate cells. Raises DataError for
    rows of different lengths, and for a quote that does not end, or that ends within a cell.
    """
    import pyarrow as pa
    from pyarrow import csv as arrow_csv

    # lines of data: neither blank nor a comment; error values such as #N/A are cells, no comment
    text = text.rstrip("\n")
    rows = text.split("\n")
    lines = np.arange(1, len(rows) + 1)
    if comment in text or not all(map(str.strip, rows)):
        error = re.compile(r"(?i)#(N/A|DIV/0!|NAME\?|NULL!|NUM!|REF!|VALUE!)([\s,;]|$)")
        data_rows = [
            k
            for k, row in enumerate(map(str.lstrip, rows))
            if row and (row[0] != comment or error.match(row))
        ]
        rows, lines = [rows[k] for k in data_rows], lines[data_rows]
        text = "\n".join(rows)
    if not rows:
        raise DataError(f"{source}: no rows of data")
    # the separator of cells, from the first fifty lines
    bare = [re.sub('"[^"]*"', "", line) for line in rows[:50]]
    marks = [mark for mark in "\t;," if mark != decimal and any(mark in line for line in bare)]
    even = [mark for mark in marks if len({line.count(mark) for line in bare}) == 1]
    separator = next(iter([*even, *marks]), None)
    poll()
    columns: list[Any] = []
    if separator is not None and '"' not in text:
        # Arrow cuts 200,000 rows of 21 in 0.2 s, Python in 1.2; it refuses rows of other lengths
        numbers = [str(j) for j in range(rows[0].count(separator) + 1)]
        with suppress(pa.ArrowInvalid):
            table = arrow_csv.read_csv(
                pa.BufferReader(text.encode()),
                arrow_csv.ReadOptions(column_names=numbers, use_threads=False),
                arrow_csv.ParseOptions(delimiter=separator, quote_char=False),
                arrow_csv.ConvertOptions(column_types=dict.fromkeys(numbers, pa.string())),
            )
            columns = [column.chunk(0) for column in table.combine_chunks().columns]
    if not columns or len(names) not in (0, len(columns)):
        reader = csv.reader(
            (f"{row if separator else row.rstrip()}\n" for row in rows),
            delimiter=separator or " ",
            skipinitialspace=True,
            strict=True,
        )
        # a cell in quotes may go on in the next line; its row has the number of the first
        cells, starts = [], [0]
        try:
            for row in reader:
                cells.append(row)
                starts.append(reader.line_num)
        except csv.Error as error:
            raise DataError(
                f"{place(source, lines[starts[-1]])}: cannot be split into cells: {error}"
            ) from None
        lines = lines[starts[:-1]]
        # every row has as many cells as the first, or as there are names
        width = len(names) or len(cells[0])
        for line, row in zip(lines.tolist(), cells, strict=True):
            if len(row) != width:
                reason = "declared" if names else f"in row {lines[0]}"
                raise DataError(
                    f"{place(source, line)}: {len(row)} cells, expected {width} as {reason}"
                )
        columns = [pa.array(column, pa.string()) for column in zip(*cells, strict=True)]
    if decimal == ",":
        columns = _with_points(source, lines, columns)
    return Frame(source=source, columns=columns, lines=lines, names=names)


def _with_points(source: str, lines: IntArray, columns: Sequence[Any]) -> list[Any]:
    """Columns of texts (n,), with points in place of decimal commas.

    Raises DataError for commas between cells, for a number that already has a point, and for
    numbers that are recognisably grouped in thousands.
    """
    import pyarrow as pa

    if len(columns) == 1 and any("," in cell for cell in columns[0][:50].tolist()):
        raise DataError(
            f"{source}: one cell a row, expected tabs, semicolons or blanks between cells, as "
            "`decimal=','` keeps the commas"
        )
    grouped = re.compile(r"[+-]?(0|[1-9]\d{0,2}(,\d{3})?)").fullmatch
    turned = list[Any]()
    for j, column in enumerate(columns):
        texts = [cell.strip() for cell in column.tolist()]
        for i, cell in enumerate(texts):
            if "." in cell and cell_number(cell) is not None:
                raise DataError(
                    f"{place(source, lines[i], j)}: got '{shown(cell)}', expected a decimal comma "
                    "as `decimal=','` says, and no point"
                )
        # 1,968 beside 861: a decimal comma would be missing in 861, and one of thousands is not;
        # the first row may hold a name
        body = [cell for i, cell in enumerate(texts) if i or grouped(cell)]
        large = next((cell for cell in body if "," in cell), None)
        small = next((cell for cell in body if cell.lstrip("+-0").isdecimal()), None)
        if large and small and all(grouped(cell) or is_missing(cell) for cell in body):
            point, integer = large.replace(",", "."), large.replace(",", "")
            raise DataError(
                f"{place(source, lines[texts.index(large)], j)}: '{large}' beside '{small}' is "
                f"either {point} or {integer}: write {small},0 for a decimal comma, and {integer} "
                "for thousands"
            )
        cells = (cell.replace(",", ".") if WITH_COMMA.fullmatch(cell) else cell for cell in texts)
        turned.append(pa.array(list(cells), pa.string()))
    return turned


def frame_of(X: Any, source: str, names: Sequence[str] = (), wanted: Sequence[str] = ()) -> Frame:
    """The columns of a data frame, of an array (n, d), or of rows of cells; one of strings (n,).

    ``names`` replace those of a frame. If all columns ``wanted`` are there, the others hold
    anything, and are not read. Raises DataError for rows of different lengths, for another
    number of dimensions, and for objects that are no cells.
    """
    X, names = X.toarray() if hasattr(X, "toarray") else X, tuple(names)
    parts: list[Any] = []
    if hasattr(X, "columns"):
        # by place, as two columns of pandas may have one name
        by_place = getattr(X, "iloc", None)
        parts = [
            X[name] if by_place is None else by_place[:, j] for j, name in enumerate(X.columns)
        ]
        names = names or tuple(map(str, X.columns))
        shape: tuple[int, ...] = (len(X), len(parts))
    else:
        try:
            array = np.asarray(X)
            if array.dtype.kind not in "biufOUSmM":
                raise TypeError(f"entries of type {array.dtype}")
            if array.dtype.kind in "US" and not isinstance(X, np.ndarray):
                array = np.asarray(X, dtype=object)  # a list of numbers and texts keeps both
        except (TypeError, ValueError) as error:
            raise DataError(f"{source}: X cannot be used: {error}; expected numbers") from None
        shape = array.shape
        if array.ndim == 1 and len(array) and all(isinstance(cell, str) for cell in array.tolist()):
            lines = np.arange(1, len(array) + 1)
            return Frame(source=source, columns=[array.astype(np.str_)], lines=lines)
        parts = list(array.T) if array.ndim == 2 else []
    if len(shape) != 2 or 0 in shape:
        raise DataError(
            f"{source}: X has shape {shape}, expected (n, d), or (n,) for strings, not empty"
        )
    if names and len(names) != shape[1]:
        raise DataError(f"{source}: {len(names)} feature names for X of shape {shape}")
    # the categories of pandas and polars are levels, in their order
    levels: dict[int, tuple[str, ...]] = {}
    for j, part in enumerate(parts):
        kind = getattr(part, "dtype", None)
        if str(kind) == "category" or str(kind).startswith("Enum"):
            texts = map(str, getattr(kind, "categories", ()))
            levels[j] = tuple(plain_label(text) for text in texts if not is_missing(text))
        elif str(kind).startswith("Categorical"):
            levels[j] = levels_of(texts_of(part.to_numpy()), place(source, 1, j))
    needed = wanted if wanted and set(wanted) <= set(names) else names
    columns = [
        typed_column(part, source, j, names[j] if names else None, checked=j not in levels)
        if not names or names[j] in needed
        else np.full(shape[0], None)
        for j, part in enumerate(parts)
    ]
    lines = np.arange(1, shape[0] + 1)
    return Frame(source=source, columns=columns, lines=lines, names=names, levels=levels)


def typed_column(
    cells: Any, source: str, j: int, name: str | None, *, checked: bool = True
) -> NDArray[Any]:
    """A column (n,) of a frame as an array of numbers, or of objects where not all are numbers.

    Raises DataError for whole numbers that floats merge, and, if ``checked``, for a cell that is
    neither a number, a truth value, a text nor missing.
    """
    array = np.asarray(cells)
    if array.dtype.kind in "iu":
        # not by the absolute value, which the least integer does not have
        large = np.flatnonzero((array > EXACT) | (array < -EXACT))
        if len(large):
            raise DataError(
                f"{place(source, large[0] + 1, j)}: {array[large[0]]} is beyond 2^53, where floats "
                "leave out whole numbers: write it in another unit, or as a text"
            )
    if array.dtype.kind in "biuf":
        return array
    objects = np.empty(len(array), dtype=object)
    listed = isinstance(cells, list) or array.dtype.kind in "mM"
    objects[:] = list(cells) if listed else array.tolist()
    numbers = numbers_of(objects)
    if numbers is not None:
        # truth values and whole numbers stay what they are beside a gap, as labels have a type
        typed = all(is_gap(cell) or isinstance(cell, Integral | np.bool_) for cell in objects)
        return objects if typed else numbers
    for i, cell in enumerate(objects if checked else ()):
        if not isinstance(cell, str | Real | Decimal | np.bool_) and not is_gap(cell):
            raise DataError(
                f"{place(source, i + 1, j, name)}: {shown(cell)}, a {type(cell).__name__}, "
                "expected a number: leave that column out, or make numbers of it"
            )
    return objects


def below_header(
    frame: Frame, choice: str, certain: bool, numeric: Sequence[int], categorical: bool
) -> Frame:
    """The rows below a header, with a warning where the choice is doubtful.

    ``choice`` is ``yes``, ``no`` or ``auto``: the first row is the header if options or training
    data make that ``certain``, if it has a text above numbers, or in a ``numeric`` column, and if
    it is 0, 1, ..., as pandas writes for a frame without names. Raises DataError if no row is left.
    """
    head = [texts_of(column[:100]) for column in frame.columns]
    titles, body = tuple(cells[0] for cells in head), [cells[1:] for cells in head]
    row = f"row {frame.lines[0]}"
    described = f"{row} ({shown(', '.join(titles))})"
    warnings: tuple[str, ...] = ()
    header = choice == "yes" or (choice == "auto" and certain)
    if choice == "auto" and not certain:
        # a truth value above truth values is data
        texts = {
            j
            for j, cell in enumerate(titles)
            if cell_number(cell) is None and not {cell, *body[j]} <= TRUTHS.keys()
        }
        ints = [j for j, cell in enumerate(titles) if cell.isascii() and cell.isdecimal()]
        text_above = any(
            body[j] and all(cell in TRUTHS or cell_number(cell) is not None for cell in body[j])
            for j in texts
        )
        if any(WITH_COMMA.fullmatch(cell) for cell in titles) or not all(
            j in texts or j in ints or is_missing(cell) for j, cell in enumerate(titles)
        ):
            header = False
        elif not ints:
            # texts alone are names where nothing else may be a text, and, of columns of levels,
            # if none of them occurs again
            fresh = all(cell not in cells for cell, cells in zip(titles, body, strict=True))
            header = text_above or not texts.isdisjoint(numeric) or (categorical and fresh)
        else:
            # numbers are names beside a text above numbers, or if they count; not in a table of few
            # rows, and not if all of them occur again
            counted = len(ints) > 1 and [int(titles[j]) for j in ints] == list(range(len(ints)))
            repeated = all(titles[j] in body[j] for j in ints) or len(set(titles)) < len(titles)
            header = (text_above or counted) and len(frame.lines) > 8 and not repeated
            if header or (counted and len(ints) == len(titles)):
                read = ("the header", "no", "data") if header else ("data", "yes", "the header")
                warnings = (
                    f"{described} holds numbers and is taken for {read[0]} (`header='{read[1]}'` "
                    f"for {read[2]})",
                )
    if not header:
        return replace(frame, header=f"none, {row} is data", warnings=warnings)
    if len(frame.lines) == 1:
        raise DataError(f"{frame.source}: a header, but no rows of data")
    columns = [column[1:] for column in frame.columns]
    changes: Any = {"header": described, "warnings": warnings}
    return replace(frame, lines=frame.lines[1:], columns=columns, names=titles, **changes)


@dataclass(frozen=True, kw_only=True, eq=False)
class DataTable:
    """The features of the rows of a table, and what else each row has.

    - values: float64 (n, d), the features in the order of the file. Missing cells are NaN, and no
      number is infinite.
    - lines: int64 (n,), the row number of each point in the file, counted from 1.
    - columns: the column number of each feature in the file, counted from 0.
    - names: the names of the features, or ().
    - roles: what the table has of ``labels`` and ``strings`` (n,), texts as in the file, of
      ``weights`` (n,) >= 0, and, of arrays, ``target`` and ``truth`` (n,).
    - levels: the levels of each text column, by the index of the column among the feature columns,
      from 0. Each level is a feature: 1 if the cell has this level, and 0 otherwise.
    - header: a description of the row with the names; "" if the format declares the names.
    - warnings: lines of text; left_out: the dropped rows of the file.
    - ends: the first feature of each of several tables side by side, except the first table.
    - label: the name of the column of the labels, or (); label_type: ``text`` of a text file, or
      the type of :func:`labels_of`.
    """

    source: str
    values: FloatArray
    lines: IntArray
    columns: tuple[int, ...]
    names: tuple[str, ...] = ()
    roles: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    levels: Levels = field(default_factory=dict)
    header: str = ""
    warnings: tuple[str, ...] = ()
    ends: tuple[int, ...] = ()
    left_out: tuple[int, ...] = ()
    file_hash: str = ""
    label: tuple[str, ...] = ()
    label_type: str = "text"

    def take(self, indices: IntArray) -> DataTable:
        """The table with only the rows ``indices``."""
        return replace(
            self,
            values=self.values[indices],
            lines=self.lines[indices],
            roles={name: cells[indices] for name, cells in self.roles.items()},
            left_out=tuple(sorted((*self.left_out, *np.delete(self.lines, indices).tolist()))),
        )

    def cell(self, row: int, feature: int) -> str:
        """The position of a cell, for messages."""
        if not self.columns:
            return place(self.source, self.lines[row])
        name = self.names[feature] if self.names else None
        return place(self.source, self.lines[row], self.columns[feature], name)


def features_of(
    frame: Frame,
    columns: Sequence[int],
    levels: Levels | None = None,
    chosen: Sequence[int] | None = None,
    expected: Sequence[str] = (),
    **roles: NDArray[Any] | None,
) -> DataTable:
    """The table of the columns (d',) in their order, and of what else the rows have.

    A text column has one feature per level: of ``levels`` if they are given, otherwise of the
    ``chosen`` columns. If ``chosen`` is empty, every column that contains a string is a text
    column. If it is None, only columns of a categorical type are. Warns about a feature that looks
    like the index of a pandas frame. Raises DataError if there is neither a feature nor a column of
    strings, if names differ from ``expected``, if a cell is infinite or not a number, if a level is
    unknown, or if the columns do not match the levels.
    """
    if frame.names and expected:
        same_columns(frame.source, [frame.names[j] for j in columns], expected)
    if levels and max(levels) >= len(columns):
        raise DataError(
            f"{frame.source}: {len(columns)} columns of features given, but that of texts is "
            f"number {max(levels)}, from 0, in the training data"
        )
    if not columns and roles.get("strings") is None:
        raise DataError(f"{frame.source}: no feature column beside the label")
    text_levels, wrong, warnings = dict(levels or {}), list[int](), list(frame.warnings)
    blocks, names, file_columns = [np.empty((len(frame.lines), 0))], list[str](), list[int]()
    for p, j in enumerate(columns):
        # numbers where a column has only numbers, levels where it holds texts that may stand there
        if levels is None and j in frame.levels:
            text_levels[p] = frame.levels[j]
        numbers = None if p in text_levels or j in (chosen or ()) else numbers_of(frame.columns[j])
        is_new = levels is None and chosen is not None and (not chosen or j in chosen)
        if numbers is None and p not in text_levels and is_new:
            texts = texts_of(frame.columns[j])
            text_levels[p] = levels_of(texts, frame.place(0, j))
            warnings += many_levels(frame, j, texts, len(text_levels[p]))
        # a numeric column is one feature, a text column an indicator for each level
        name = frame.names[j] if frame.names else None
        if numbers is not None:
            blocks.append(numbers[:, None])
        elif p in text_levels:
            blocks.append(indicators(frame, j, text_levels[p]))
        else:
            wrong.append(j)
        if name is not None:
            names += [f"{name}={level}" for level in text_levels[p]] if p in text_levels else [name]
        file_columns += [j] * blocks[-1].shape[1]
    if wrong:
        raise not_numbers(frame, wrong)
    table = DataTable(
        source=frame.source,
        values=np.hstack(blocks),
        lines=frame.lines,
        columns=tuple(file_columns),
        names=tuple(names),
        roles={name: cells for name, cells in roles.items() if cells is not None},
        levels=text_levels,
        header=frame.header,
        warnings=tuple(warnings),
    )
    # the first infinite cell, row by row, is named
    infinite = np.argwhere(np.isinf(table.values))
    if len(infinite):
        position = table.cell(*infinite[0].tolist())
        raise DataError(f"{position}: the cell is infinite, or too large; expected a number")
    # pandas writes an index without a name
    for name, column in zip(names, table.values.T, strict=False):
        is_integer = name in ("", "Unnamed: 0") and np.array_equal(column, np.floor(column))
        if is_integer and 1 < len(column) == len(np.unique(column)):
            warning = (
                f"feature '{name}' numbers the rows, like the index of a pandas frame: leave "
                "it out with to_csv(FILE, index=False), or read_csv(FILE, index_col=0)"
            )
            return replace(table, warnings=(*table.warnings, warning))
    return table


def many_levels(frame: Frame, j: int, texts: Sequence[str], count: int) -> list[str]:
    """A warning if column j, with the ``texts`` (n,), has so many levels that they may be none."""
    if count <= max(10, len(texts) / 2):  # fewer rows say nothing
        return []
    words = [i for i, text in enumerate(texts) if cell_number(text) is None]
    if 0 < len(words) < len(texts) / 10:
        return [
            f"{frame.place(words[0], j)}: '{shown(texts[words[0]])}' is a text among numbers, "
            f"which makes {count} levels of them: correct it"
        ]
    return [
        f"{frame.place(0, j)}: {count} levels in {len(texts)} rows, like an id, are as many "
        "features: `drop` leaves columns out, by name"
    ]


def indicators(frame: Frame, j: int, levels: Sequence[str]) -> FloatArray:
    """The features (n, k) of a text column with k levels, NaN for missing cells.

    Another level is an error.
    """
    texts = texts_of(frame.columns[j])
    column = (j, frame.names[j] if frame.names else None)
    _, codes, _ = class_codes(
        texts, frame.source, frame.lines, like=levels, gaps=True, column=column
    )
    # the last row is for UNKNOWN: all missing
    block: FloatArray = np.vstack([np.eye(len(levels)), np.full(len(levels), np.nan)])[codes]
    return block


def not_numbers(
    frame: Frame,
    wrong: Sequence[int],
    ending: str = "; `categorical` makes features of text columns",
) -> DataError:
    """The error for the uppermost cell that is not a number, in the columns ``wrong``.

    ``ending`` is the end of the message.
    """
    typed = isinstance(frame.columns[wrong[0]], np.ndarray)
    cells = dict[int, tuple[int, Any]]()
    for k in wrong:
        column = frame.columns[k] if typed else texts_of(frame.columns[k])
        cells[k] = next(
            (i, cell)
            for i, cell in enumerate(column)
            if (numbers_of([cell]) is None if typed else is_text(cell))
        )
    j = min(cells, key=lambda column: (cells[column][0], column))
    i, cell = cells[j]
    other_names = [frame.names[k] if frame.names else str(k) for k in wrong if k != j]
    message = f"got '{shown(cell)}', expected a number"
    if other_names:
        message += f"; texts also in {shown(', '.join(other_names), limit=300)}"
    return DataError(f"{frame.place(i, j)}: {message}{ending}")


def complete_rows(table: DataTable, missing: str, *, trained: bool = False) -> DataTable:
    """The table without rows with missing cells, if ``missing`` is ``drop``, and a warning.
    ``trained``: of new rows of a fit, which has chosen ``missing``.

    Raises DataError for a missing cell if ``missing`` is ``error``, and if no row remains.
    """
    strings = table.roles.get("strings")
    holes = np.isnan(table.values) if strings is None else np.asarray(strings == "")[:, None]
    incomplete = np.asarray(holes.any(axis=1))
    rows = int(incomplete.sum())
    if not rows:
        return table
    # a text column has one cell, but several features
    each = np.unique(table.columns, return_index=True)[1] if table.levels else slice(None)
    cells, i = int(holes[:, each].sum()), int(np.argmax(incomplete))
    first = table.cell(i, int(np.argmax(holes[i])))
    if missing == "error":
        advice = "choose `missing='drop'` or mean"
        if trained and strings is None:
            advice = "the fit holds no means to fill it with: fit again with `missing='mean'`"
        raise DataError(f"{first}: the cell is missing ({cells} in {rows} rows); {advice}")
    if missing == "mean":
        warning = f"{amount(cells, 'missing cell')} filled with training means"
        warning += f"; the first is {first}" * trained
    elif rows == len(incomplete):
        raise DataError(f"{table.source}: every row has a missing cell, none is left")
    else:
        warning = f"{amount(rows, 'row')} with missing cells dropped"
        table = table.take(np.flatnonzero(~incomplete))
    return replace(table, warnings=(warning, *table.warnings))
