"""A table as columns: from a file, by pyarrow where it is text or Parquet and by scikit-learn where
it is svmlight, from a frame or an array.

Three checks are made here, because no library makes them: rows with too few cells, error values of
spreadsheets such as ``#N/A``, and ``1,968`` beside ``861`` where a comma is the decimal mark.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from decimal import Decimal
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from radprog.base.errors import MALFORMED, DataError, OptionError
from radprog.base.limits import poll
from radprog.base.types import FloatArray, IntArray
from radprog.instances.labels import (
    EXACT,
    WITH_COMMA,
    is_gap,
    label_texts,
    levels_of,
    plain_label,
)
from radprog.instances.tables import Levels, cell_number, is_missing, place, shown

if TYPE_CHECKING:
    import pyarrow as pa

SVMLIGHT = (".svm", ".svmlight", ".libsvm")  # suffixes
MAX_CELLS = 500_000_000
TRUTHS = {  # as pandas, polars and R write them
    **dict.fromkeys(("False", "false", "FALSE"), 0.0),
    **dict.fromkeys(("True", "true", "TRUE"), 1.0),
}
THOUSANDS = re.compile(r"[+-]?(0|[1-9]\d{0,2}(,\d{3})?)")  # as a comma groups them
ERROR_CELL = r"(?i)^#(N/A|DIV/0!|NAME\?|NULL!|NUM!|REF!|VALUE!)([\s,;]|$)"  # of a spreadsheet

_WORD = r"""'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*\""""  # a word of an ARFF file in quotes
QUOTED = re.compile(rf"(?<![^,\s])(?:{_WORD})(?=[,\s]|$)")
LEVEL = re.compile(rf"{_WORD}|[^,\s'\"][^,]*")
ATTRIBUTE = re.compile(
    rf"""@attribute\s+({_WORD}|[^\s'"{{}},%]+)\s*"""
    rf"""(?:\{{((?:{_WORD}|[^'"{{}}])*)\}}|numeric|real|integer)""",
    re.I,
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

    def head(self, rows: int) -> list[list[str]]:
        """The first cells of each column as texts."""
        return [
            ["" if is_gap(cell) else str(cell).strip() for cell in column[:rows].tolist()]
            for column in self.columns
        ]

    def texts(self, j: int) -> list[str]:
        """Column j (n,) as texts, as they are written; a missing cell is an empty text."""
        column = self.columns[j]
        if not isinstance(column, np.ndarray):
            return list(map(str.strip, column.tolist()))
        return [text.strip() for text in label_texts(column, self.source)]

    def numbers(self, j: int) -> FloatArray | None:
        """Column j (n,) as float64 with NaN for missing cells; None if a cell is not a number."""
        column = self.columns[j]
        if not isinstance(column, np.ndarray):
            return _parsed(column)
        return column if column.dtype.kind == "f" else numbers_of(column.tolist())

    def wrong_cell(self, j: int) -> tuple[int, Any]:
        """The first cell of column j that is not a number, and its row."""
        column = self.columns[j]
        if isinstance(column, np.ndarray):
            return next((i, cell) for i, cell in enumerate(column) if numbers_of([cell]) is None)
        cells = enumerate(self.texts(j))
        return next((i, cell) for i, cell in cells if cell_number(cell) is None)


def numbers_of(cells: Sequence[object]) -> FloatArray | None:
    """Cells (n,) of a frame or an array as float64; None if one is not a number.

    A truth value is 1 or 0, and a missing cell NaN.
    """
    values = list[float]()
    for cell in cells:
        gap = is_gap(cell)
        if not gap and not isinstance(cell, Real | Decimal | np.bool_):
            return None
        with suppress(OverflowError):  # whole numbers beyond all floats
            values.append(float("nan") if gap else float(cell))  # type: ignore[arg-type]
    return np.array(values, dtype=np.float64) if len(values) == len(cells) else None


def _parsed(column: pa.Array) -> FloatArray | None:
    """A column of texts as numbers, truth values as 1 and 0; None if a cell is none of these."""
    import pyarrow as pa

    with suppress(pa.ArrowInvalid):
        return _floats(column.cast(pa.float64()))
    # cells that Arrow does not read: missing ones, truth values, blanks beside a number
    cells = column.tolist()
    values = {cell: cell_number(cell) for cell in set(cells)}
    if None in values.values() and all(x.strip() in TRUTHS or is_missing(x) for x in values):
        values = {cell: TRUTHS.get(cell.strip(), np.nan) for cell in values}
    if None in values.values():
        return None
    return np.array([values[cell] for cell in cells], dtype=np.float64)


def _floats(column: pa.Array) -> FloatArray:
    """An Arrow array of float64 as numpy's; Arrow's own conversion would import pandas."""
    numbers = np.frombuffer(column.buffers()[1], dtype=np.float64)
    values = numbers[column.offset : column.offset + len(column)].copy()
    if column.null_count:
        values[np.array(column.is_null().tolist())] = np.nan
    return values


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
    rows of different lengths, and for an unclosed quote.
    """
    import pyarrow as pa
    from pyarrow import csv as arrow_csv

    # lines of data: neither blank nor a comment; their numbers in the file are kept
    text = text.rstrip("\n")
    rows = text.split("\n")
    lines = np.arange(1, len(rows) + 1)
    if comment in text or not all(map(str.strip, rows)):
        kept = [
            k
            for k, row in enumerate(map(str.lstrip, rows))
            if row and (row[0] != comment or re.match(ERROR_CELL, row))
        ]
        rows, lines = [rows[k] for k in kept], lines[kept]
        text = "\n".join(rows)
    if not rows:
        raise DataError(f"{source}: no rows of data")
    # what separates cells: fifty lines show it
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
        cells, lines = _split(source, rows, lines, separator)
        width = len(names) or len(cells[0])
        for line, row in zip(lines.tolist(), cells, strict=True):
            if len(row) != width:
                reason = "declared" if names else f"in row {lines[0]}"
                raise DataError(
                    f"{place(source, line)}: {len(row)} cells, expected {width} as {reason}"
                )
        columns = [pa.array(column, pa.string()) for column in zip(*cells, strict=True)]
    if decimal == ",":
        if len(columns) == 1 and any("," in line for line in rows[:50]):
            raise DataError(
                f"{source}: one cell a row, expected tabs, semicolons or blanks between cells, as "
                "`decimal=','` keeps the commas"
            )
        columns = [_with_points(source, lines, j, column) for j, column in enumerate(columns)]
    return Frame(source=source, columns=columns, lines=lines, names=names)


def _split(
    source: str, rows: Sequence[str], lines: IntArray, separator: str | None
) -> tuple[list[list[str]], IntArray]:
    """The cells of each row, and the line in which each row begins: a cell in quotes may go on.

    Raises DataError, with the row, for a quote that does not end, or that ends within a cell.
    """
    if not any('"' in row for row in rows):
        return [row.split(separator) for row in rows], lines
    reader = csv.reader(
        (row.rstrip() + "\n" if separator is None else row + "\n" for row in rows),
        delimiter=separator or " ",
        skipinitialspace=True,
        strict=True,
    )
    cells, starts, start = list[list[str]](), list[int](), 0
    try:
        for row in reader:
            cells.append(row)
            starts.append(int(lines[start]))
            start = reader.line_num
    except csv.Error as error:
        raise DataError(
            f"{place(source, int(lines[start]))}: cannot be split into cells: {error}"
        ) from None
    return cells, np.array(starts)


def _with_points(source: str, lines: IntArray, j: int, column: pa.Array) -> pa.Array:
    """Column j (n,) of texts, with points in place of decimal commas.

    Raises DataError for a number that already has a point, and for numbers that are recognisably
    grouped in thousands.
    """
    import pyarrow as pa

    texts = [cell.strip() for cell in column.tolist()]
    for i, cell in enumerate(texts):
        if "." in cell and cell_number(cell) is not None:
            raise DataError(
                f"{place(source, int(lines[i]), j)}: got '{shown(cell)}', expected a decimal comma "
                "as `decimal=','` says, and no point"
            )
    # 1,968 beside 861: a decimal comma would be missing in 861, and one of thousands is not; the
    # first row may hold a name
    body = [(i, cell) for i, cell in enumerate(texts) if i or THOUSANDS.fullmatch(cell)]
    if all(THOUSANDS.fullmatch(cell) or is_missing(cell) for _, cell in body):
        large = [(i, cell) for i, cell in body if "," in cell]
        small = [cell for _, cell in body if cell.lstrip("+-0").isdecimal()]
        if large and small:
            (i, cell), whole = large[0], small[0]
            raise DataError(
                f"{place(source, int(lines[i]), j)}: '{cell}' beside '{whole}' is either "
                f"{cell.replace(',', '.')} or {cell.replace(',', '')}: write {whole},0 for a "
                f"decimal comma, and {cell.replace(',', '')} for thousands"
            )
    turned = [cell.replace(",", ".") if WITH_COMMA.fullmatch(cell) else cell for cell in texts]
    return pa.array(turned, pa.string())


def arff_frame(source: str, text: str) -> Frame:
    """The table of an ARFF file with numeric and nominal attributes and dense rows.

    Names and cells may stand in quotes of both kinds. scipy's reader leaves surplus cells out
    without a word, names no row in its errors, and knows ASCII only. Raises DataError, with the row
    and column, for a declaration or a cell that the format does not allow.
    """
    # declarations stand above @data
    lines = text.split("\n")
    start = next((k for k, line in enumerate(lines) if re.match(r"\s*@data\b", line, re.I)), None)
    if start is None:
        raise DataError(f"{source}: no @data line, expected ARFF")
    kinds = dict[str, list[str] | None]()
    for line, words in enumerate(map(str.strip, lines[:start]), 1):
        if not words or words[0] == "%" or words.lower().startswith("@relation"):
            continue
        declared = ATTRIBUTE.fullmatch(words)
        if declared is None or (name := _unquoted(declared[1])) in kinds:
            raise DataError(
                f"{place(source, line)}: the ARFF declarations cannot be read: '{shown(words)}', "
                "expected @attribute, a new name, and numeric or levels in braces"
            )
        texts = declared[2]
        kinds[name] = None if texts is None else [_unquoted(x[0]) for x in LEVEL.finditer(texts)]
    # rows below: quotes of both kinds become those of CSV; blank lines in place of the declarations
    # keep the row numbers
    body = [
        QUOTED.sub(lambda word: '"' + _unquoted(word[0]).replace('"', '""') + '"', line)
        for line in lines[start + 1 :]
    ]
    if not kinds or any(line.lstrip().startswith("{") for line in body):
        raise DataError(
            f"{source}: no @attribute lines, or sparse rows, which are not read: write svmlight"
        )
    shifted = "\n" * (start + 1) + "\n".join(body)
    frame = text_frame(source, shifted, comment="%", names=tuple(kinds))
    # each cell is of the declared type
    for j, levels in enumerate(kinds.values()):
        if levels is None and frame.numbers(j) is None:
            i, cell = frame.wrong_cell(j)
            raise DataError(f"{frame.place(i, j)}: got '{shown(cell)}', expected a number")
        for i, cell in enumerate(() if levels is None else frame.texts(j)):
            if cell not in (levels or ()) and cell != "?":
                raise DataError(
                    f"{frame.place(i, j)}: got '{shown(cell)}', expected one of "
                    f"{shown(', '.join(levels or ()))}"
                )
    return frame


def _unquoted(word: str) -> str:
    """A word of an ARFF file without its quotes and backslashes."""
    return re.sub(r"\\(.)", r"\1", word[1:-1]) if word[:1] in ("'", '"') else word.strip()


def parquet_frame(source: str, raw: bytes) -> Frame:
    """The table of a Parquet file with columns of numbers, truth values (as 1 and 0) and texts.

    A null is a missing cell. Rows are counted from 1. The index of a pandas frame is omitted.
    Raises DataError for a damaged file, no rows, another type, or more than MAX_CELLS cells.
    """
    import pyarrow as pa
    from pyarrow import parquet, types

    try:
        file = parquet.ParquetFile(pa.BufferReader(raw))
        schema = file.schema_arrow
        rows = file.metadata.num_rows
        # the index that pandas wrote along is not a column of data
        index = (schema.pandas_metadata or {}).get("index_columns", ())
        names = tuple(name for name in schema.names if name not in index)
        if rows * len(names) > MAX_CELLS:
            raise DataError(f"{source}: {rows} rows of {len(names)} columns are too many cells")
        table = file.read()
    except (pa.ArrowException, OSError, *MALFORMED) as error:
        raise DataError(f"{source}: cannot be read as Parquet: {shown(error, most=200)}") from None
    if not rows or not names:
        raise DataError(f"{source}: no rows of data")
    columns = []
    for j, name in enumerate(names):
        part = table.column(schema.names.index(name))
        if types.is_float64(part.type):
            columns.append(np.concatenate([_floats(chunk) for chunk in part.chunks]))
        else:
            columns.append(_column(part.to_pylist(), source, j, name))
    return Frame(source=source, columns=columns, lines=np.arange(1, rows + 1), names=names)


def frame_of(X: Any, source: str, names: Sequence[str] = ()) -> Frame:
    """The columns of a data frame, of an array (n, d), or of rows of cells.

    ``names`` replace those of a frame. Raises DataError for rows of different lengths, for another
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
        parts = list(array.T) if array.ndim == 2 else []
    if len(shape) != 2 or 0 in shape:
        raise DataError(
            f"{source}: X has shape {shape}, expected (n, d), or (n,) for strings, not empty"
        )
    if names and len(names) != shape[1]:
        raise DataError(f"{source}: {len(names)} feature names for X of shape {shape}")
    levels = {j: own for j, part in enumerate(parts) if (own := _categories(part))}
    columns = [
        _column(part, source, j, names[j] if names else None, checked=j not in levels)
        for j, part in enumerate(parts)
    ]
    lines = np.arange(1, shape[0] + 1)
    return Frame(source=source, columns=columns, lines=lines, names=names, levels=levels)


def _column(
    cells: Any, source: str, j: int, name: str | None, *, checked: bool = True
) -> NDArray[Any]:
    """A column (n,) of a frame as float64, or as an object array where not all are numbers.

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
        return array.astype(np.float64)
    objects = np.empty(len(array), dtype=object)
    objects[:] = list(array) if array.dtype.kind in "mM" else array.tolist()
    numbers = numbers_of(objects.tolist())
    if numbers is not None:
        return numbers
    for i, cell in enumerate(objects if checked else ()):
        if not isinstance(cell, str | Real | Decimal | np.bool_) and not is_gap(cell):
            raise DataError(
                f"{place(source, i + 1, j, name)}: {shown(cell)}, a {type(cell).__name__}, "
                "expected a number: leave that column out, or make numbers of it"
            )
    return objects


def _categories(column: Any) -> tuple[str, ...]:
    """The categories of a frame's Categorical column, in their order; none for another column."""
    kind = getattr(column, "dtype", None)
    name = str(kind)
    if name == "category" or name.startswith("Enum"):
        return tuple(map(plain_label, cells_of(getattr(kind, "categories", ()))))
    return levels_of(cells_of(column), "a column") if name.startswith("Categorical") else ()


def cells_of(column: Any) -> list[str]:
    """The cells of a column (n,) as strings; missing cells are empty strings."""
    return ["" if is_gap(cell) or is_missing(text := str(cell)) else text for cell in column]


def frame_names(X: Any) -> tuple[str, ...]:
    """The names of a frame's columns; none for columns 0, 1, ... and for other objects."""
    names = tuple(map(str, getattr(X, "columns", ())))
    return () if names == tuple(map(str, range(len(names)))) else names


def is_text(cell: object) -> bool:
    """Whether a cell of a text file is neither a number nor missing, or a cell is a text."""
    return isinstance(cell, str) and cell_number(cell) is None


def svmlight_rows(
    source: str, text: str, label: str, names: Sequence[str] = ()
) -> tuple[Any, int, IntArray, tuple[str, ...] | None]:
    """The points, the smallest index of a feature, the line of each row, and the labels.

    The points are a sparse matrix with one column for each index from 0. The smallest index is 1,
    or 0 if the file has an index 0; the ``names`` of the features of any training data are indices
    and determine it. Raises DataError, with the row, for a row that scikit-learn cannot read.
    """
    from sklearn.datasets import load_svmlight_file

    def load(text: str) -> Any:
        if re.search(r"\d_\d", text):
            raise ValueError("'_' inside a number")
        return load_svmlight_file(io.BytesIO(text.encode()), zero_based=True)[0]

    if label not in ("last", "first", "none"):
        raise OptionError(
            f"{source}: label column '{label}': an svmlight row begins with its label"
        )
    # comments and blank lines are no rows
    contents = [line.split("#")[0].strip() for line in text.split("\n")]
    poll()
    try:
        points = load("\n".join(contents))
    except (ValueError, OverflowError):
        # read row by row to name the one that is wrong
        for k, content in enumerate(contents, start=1):
            try:
                load(content)
            except (ValueError, OverflowError) as error:
                raise DataError(
                    f"{place(source, k)}: got '{shown(content)}', expected a numeric label and "
                    f"ascending index:value pairs ({shown(error)})"
                ) from None
        raise
    # indices begin at 1, or at 0 where the file uses that
    uses_zero = bool((points.indices == 0).any())
    base = int(names[0] != "0") if names else int(not uses_zero)
    if base == 1 and uses_zero:
        raise DataError(f"{source}: feature index 0, but those of the training data begin at 1")
    lines = np.array([k for k, content in enumerate(contents, start=1) if content], dtype=np.int64)
    labels = None if label == "none" else tuple(row.split()[0] for row in contents if row)
    return points, base, lines, labels
