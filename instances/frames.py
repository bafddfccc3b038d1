"""A table as columns: from a file, by polars where it is text or Parquet, a frame or an array.

Three checks are made here, because no library makes them: rows with too few cells, error values of
spreadsheets such as ``#N/A``, and ``1,968`` beside ``861`` where a comma is the decimal mark.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from decimal import Decimal
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from radprog.base.errors import MALFORMED, DataError
from radprog.base.limits import poll
from radprog.base.types import FloatArray, IntArray
from radprog.instances.labels import EXACT, is_gap, label_texts, levels_of, plain_label
from radprog.instances.tables import WITH_COMMA, Levels, cell_number, is_missing, place, shown

if TYPE_CHECKING:
    import polars as pl

MAX_CELLS = 500_000_000
PARQUET_MAGIC = b"PAR1"
TRUTHS = {  # as pandas, polars and R write them
    **dict.fromkeys(("False", "false", "FALSE"), 0.0),
    **dict.fromkeys(("True", "true", "TRUE"), 1.0),
}
THOUSANDS = re.compile(r"[+-]?(0|[1-9]\d{0,2}(,\d{3})?)")  # as a comma groups them
ERROR_CELL = r"(?i)^#(N/A|DIV/0!|NAME\?|NULL!|NUM!|REF!|VALUE!)([\s,;]|$)"  # of a spreadsheet


@dataclass(frozen=True, kw_only=True)
class Frame:
    """The columns of a table, and the row numbers (n,) of its n rows, counted from 1.

    A column is a polars series of texts (of a text file), an array of numbers (n,) with NaN for
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
            ["" if is_gap(cell) else str(cell).strip() for cell in c[:rows]] for c in self.columns
        ]

    def below(self) -> Frame:
        """The rows below the first row, whose cells become the names."""
        names = tuple(cells[0] for cells in self.head(1))
        columns = [column[1:] for column in self.columns]
        return replace(self, lines=self.lines[1:], columns=columns, names=names)

    def texts(self, j: int) -> list[str]:
        """Column j (n,) as texts, as they are written; a missing cell is an empty text."""
        column = self.columns[j]
        if not isinstance(column, np.ndarray):
            return list(map(str.strip, column.fill_null("").to_list()))
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
        if not isinstance(column, np.ndarray):
            cells = self.texts(j)
            return next((i, cell) for i, cell in enumerate(cells) if cell_number(cell) is None)
        for i, cell in enumerate(column):
            with suppress(TypeError, ValueError, OverflowError):
                _number(cell)
                continue
            return i, cell
        raise AssertionError(j)


def _number(cell: object) -> float:
    """A cell of a frame as a number; a truth value is 1 or 0, a missing cell NaN."""
    if is_gap(cell):
        return float("nan")
    if not isinstance(cell, Real | Decimal | np.bool_):
        raise TypeError(cell)
    return float(cell)


def numbers_of(cells: Sequence[object]) -> FloatArray | None:
    """Cells (n,) of a frame or an array as float64; None if one is not a number."""
    with suppress(TypeError, ValueError, OverflowError):
        return np.array([_number(cell) for cell in cells], dtype=np.float64)
    return None


def _parsed(column: pl.Series) -> FloatArray | None:
    """A column of texts as numbers; None if a cell is not a number."""
    import polars as pl

    values = column.cast(pl.Float64, strict=False)
    if values.null_count():
        values = column.str.strip_chars().cast(pl.Float64, strict=False)
    unread = values.is_null()
    numbers: FloatArray = values.fill_null(float("nan")).to_numpy()
    if not values.null_count():
        return numbers
    # cells that polars does not read: missing ones, truth values, or rare spellings of numbers
    cells = ["" if cell is None else cell.strip() for cell in column.filter(unread).unique()]
    truths = [cell in TRUTHS for cell in cells]
    if any(truths) and all(t or is_missing(cell) for t, cell in zip(truths, cells, strict=True)):
        whole = [cell for cell in column.unique() if cell is not None]
        if all(cell.strip() in TRUTHS or is_missing(cell) for cell in whole):
            return np.array([TRUTHS.get((x or "").strip(), np.nan) for x in column.to_list()])
        return None
    spelled = {cell: cell_number(cell) for cell in cells}
    if None in spelled.values():
        return None
    numbers = np.array(numbers)
    where = np.flatnonzero(unread.to_numpy())
    numbers[where] = [spelled[(cell or "").strip()] for cell in column.filter(unread).to_list()]
    return numbers


def text_frame(
    source: str,
    text: str,
    *,
    comment: str = "#",
    quote: str = '"',
    names: tuple[str, ...] = (),
    decimal: str = ".",
) -> Frame:
    """The cells of a text, without blank lines and comment lines.

    Cells are separated by tabs, semicolons, commas or blanks: by the first of these that splits
    each of the first lines into the same number of cells, at least two. ``names`` are the names
    that the file declares elsewhere. A decimal comma cannot separate cells. Raises DataError for
    rows of different lengths, and for an unclosed quote.
    """
    import polars as pl

    # lines of data: neither blank nor a comment; their numbers in the file are kept
    text = text.rstrip("\n")
    raw = text.encode()
    rows = _lines(text, raw)
    lines = np.arange(1, len(rows) + 1)
    if comment in text or re.search(r"(^|\n)\s*(\n|$)", text):
        bare = rows.str.strip_chars_start()
        remark = bare.str.starts_with(comment) & ~bare.str.contains(ERROR_CELL)
        kept = (bare.str.len_bytes() > 0) & ~remark
        rows, lines, raw = rows.filter(kept), np.flatnonzero(kept.to_numpy()) + 1, b""
    if not len(lines):
        raise DataError(f"{source}: no rows of data")
    first = rows.head(50).to_list()  # as many as show what separates cells
    separator = _separator(first, quote, [mark for mark in "\t;," if mark != decimal])
    poll()
    # without quotes every separator ends a cell; rows of other lengths are refused
    if quote not in text:
        if separator is None:
            rows, raw = rows.str.strip_chars().str.replace_all(r"\s+", " "), b""
        mark = separator or " "
        widths = rows.str.count_matches(mark, literal=True).to_numpy() + 1
        _refuse_lengths(source, lines, widths, names)
        table = pl.read_csv(
            io.BytesIO(raw or "\n".join(rows.to_list()).encode()),
            has_header=False, infer_schema=False, separator=mark, quote_char=None,
        ) if widths[0] > 1 else rows.to_frame()  # fmt: skip
        columns = table.get_columns()
    else:
        cells, lines = _quoted_rows(source, rows.to_list(), lines, separator, quote)
        _refuse_lengths(source, lines, np.array(list(map(len, cells))), names)
        columns = [pl.Series(column, dtype=pl.String) for column in zip(*cells, strict=True)]
    if decimal == ",":
        if len(columns) == 1 and any("," in line for line in first):
            raise DataError(
                f"{source}: one cell a row, expected tabs, semicolons or blanks between cells, as "
                "`decimal=','` keeps the commas"
            )
        columns = [_with_points(source, lines, j, column) for j, column in enumerate(columns)]
    return Frame(source=source, columns=columns, lines=lines, names=names)


def _lines(text: str, raw: bytes) -> pl.Series:
    """The lines of a text. polars cuts them five times faster than Python makes a series."""
    import polars as pl

    if "\x1f" not in text:
        table = pl.read_csv(
            io.BytesIO(raw),
            has_header=False, infer_schema=False, separator="\x1f", quote_char=None,
        )  # fmt: skip
        if table.height == text.count("\n") + 1:
            return table.to_series().fill_null("")
    return pl.Series(text.split("\n"), dtype=pl.String)


def _separator(sample: Sequence[str], quote: str, marks: Sequence[str]) -> str | None:
    """The separator of cells; None means blanks."""
    bare = [re.sub(f"{quote}[^{quote}]*{quote}", "", line) for line in sample]
    for mark in marks:
        counts = {line.count(mark) for line in bare}
        if len(counts) == 1 and counts != {0}:
            return mark
    return next((mark for mark in marks if any(mark in line for line in bare)), None)


def _refuse_lengths(source: str, lines: IntArray, widths: IntArray, names: tuple[str, ...]) -> None:
    """Raise DataError for the first row that has not as many cells as the names or row one."""
    width = len(names) or int(widths[0])
    wrong = np.flatnonzero(widths != width)
    if len(wrong):
        i, reason = int(wrong[0]), "declared" if names else f"in row {lines[0]}"
        raise DataError(
            f"{place(source, int(lines[i]))}: {widths[i]} cells, expected {width} as {reason}"
        )


def _quoted_rows(
    source: str, rows: Sequence[str], lines: IntArray, separator: str | None, quote: str
) -> tuple[list[list[str]], IntArray]:
    """The cells of each row with quotes, and the line in which each row begins.

    Raises DataError, with the row, for a quote that does not end, or that ends within a cell.
    """
    reader = csv.reader(
        (row.rstrip() + "\n" if separator is None else row + "\n" for row in rows),
        delimiter=separator or " ",
        quotechar=quote,
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


def _with_points(source: str, lines: IntArray, j: int, column: pl.Series) -> pl.Series:
    """Column j (n,) of texts, with points in place of decimal commas.

    Raises DataError for a number that already has a point, and for numbers that are recognisably
    grouped in thousands.
    """
    import polars as pl

    texts = ["" if cell is None else cell.strip() for cell in column.to_list()]
    for i, cell in enumerate(texts):
        if "." in cell and cell_number(cell) is not None:
            raise DataError(
                f"{place(source, int(lines[i]), j)}: got '{shown(cell)}', expected a decimal comma "
                "as `decimal=','` says, and no point"
            )
    # 1,968 beside 861: a decimal comma would be missing in 861, and one of thousands is not
    body = range(0 if THOUSANDS.fullmatch(texts[0]) else 1, len(texts))
    if all(THOUSANDS.fullmatch(texts[i]) or is_missing(texts[i]) for i in body):
        large = [i for i in body if "," in texts[i]]
        small = [texts[i] for i in body if texts[i].lstrip("+-0").isdecimal()]
        if large and small:
            cell, whole = texts[large[0]], small[0]
            raise DataError(
                f"{place(source, int(lines[large[0]]), j)}: '{cell}' beside '{whole}' is either "
                f"{cell.replace(',', '.')} or {cell.replace(',', '')}: write {whole},0 for a "
                f"decimal comma, and {cell.replace(',', '')} for thousands"
            )
    turned = [cell.replace(",", ".") if WITH_COMMA.fullmatch(cell) else cell for cell in texts]
    return pl.Series(turned, dtype=pl.String)


def arff_frame(source: str, text: str) -> Frame:
    """The table of an ARFF file with numeric and nominal attributes and dense rows.

    SciPy reads only the declarations, because its reader of rows ignores surplus cells.
    """
    from scipy.io import arff

    lines = text.split("\n")
    # declarations stand above @data
    start = next((k for k, line in enumerate(lines) if re.match(r"\s*@data\b", line, re.I)), None)
    if start is None:
        raise DataError(f"{source}: no @data line, expected ARFF")
    try:
        _, meta = arff.loadarff(io.StringIO("\n".join(lines[: start + 1]) + "\n"))
    except NotImplementedError:
        raise DataError(
            f"{source}: string attributes cannot be read from ARFF: write the rows as CSV"
        ) from None
    except (OSError, ValueError, StopIteration, RuntimeError) as error:
        raise DataError(
            f"{source}: the ARFF declarations cannot be read: {shown(error, most=200)}"
        ) from None
    names = tuple(str(name) for name in meta.names())
    if not names:
        raise DataError(f"{source}: no @attribute line, expected ARFF")
    for name, kind in zip(names, meta.types(), strict=True):
        if kind not in ("numeric", "nominal"):
            raise DataError(f"{source}: attribute '{name}' is a {kind}, expected a number")
    # rows below: quoted by one of two marks, and not sparse
    body = lines[start + 1 :]
    quote = "'" if any("'" in line for line in body) else '"'
    first = next((line.strip() for line in body if line.strip()[:1] not in ("", "%")), "")
    if first.startswith("{"):
        raise DataError(f"{source}: sparse ARFF rows are not read: write them as svmlight")
    # blank lines in place of the declarations keep the row numbers
    shifted = "\n" * (start + 1) + "\n".join(body)
    return text_frame(source, shifted, comment="%", quote=quote, names=names)


def parquet_frame(source: str, raw: bytes) -> Frame:
    """The table of a Parquet file with columns of numbers, truth values (as 1 and 0) and texts.

    A null is a missing cell. Rows are counted from 1. The index of a pandas frame is omitted.
    Raises DataError for a damaged file, no rows, another type, or more than MAX_CELLS cells.
    """
    import polars as pl

    try:
        scan = pl.scan_parquet(io.BytesIO(raw))
        rows, every = scan.select(pl.len()).collect().item(), scan.collect_schema().names()
        # the index that pandas wrote along is not a column of data
        notes = json.loads(pl.read_parquet_metadata(io.BytesIO(raw)).get("pandas", "{}"))
        index = notes.get("index_columns", ())
        kept = [name for name in every if name not in index]
        if rows * len(kept) > MAX_CELLS:
            raise DataError(f"{source}: {rows} rows of {len(kept)} columns are too many cells")
        table = scan.select(kept).collect()
    except (pl.exceptions.PolarsError, OSError, *MALFORMED) as error:
        raise DataError(f"{source}: cannot be read as Parquet: {shown(error, most=200)}") from None
    if not rows or not kept:
        raise DataError(f"{source}: no rows of data")
    frame = frame_of(table, source)
    for j, column in enumerate(table.get_columns()):
        kind = column.dtype
        if not (kind.is_numeric() or kind in (pl.Boolean, pl.String, pl.Null) or j in frame.levels):
            raise DataError(
                f"{source}: column '{shown(column.name)}' is of type {kind}, expected numbers, "
                "truth values or texts"
            )
    return replace(frame, levels={})


def frame_of(X: Any, source: str, names: Sequence[str] = ()) -> Frame:
    """The columns of a data frame, of an array (n, d), or of rows of cells.

    ``names`` replace those of a frame. Raises DataError for rows of different lengths, for another
    number of dimensions, and for objects that are no cells.
    """
    X, names = X.toarray() if hasattr(X, "toarray") else X, tuple(names)
    if hasattr(X, "columns"):
        # by place, as two columns of pandas may have one name
        by_place = getattr(X, "iloc", None)
        parts = (
            [X[name] for name in X.columns]
            if by_place is None
            else [by_place[:, j] for j in range(X.shape[1])]
        )
        names = names or tuple(map(str, X.columns))
        levels = {j: own for j, part in enumerate(parts) if (own := _categories(part))}
        columns = [_column(part, source, j) for j, part in enumerate(parts)]
        shape: tuple[int, ...] = (len(X), len(columns))
    else:
        try:
            array = np.asarray(X)
            if array.dtype.kind not in "biufOUSmM":
                raise TypeError(f"entries of type {array.dtype}")
            if array.dtype.kind in "US" and not isinstance(X, np.ndarray):
                array = np.asarray(X, dtype=object)  # a list of numbers and texts keeps both
        except (TypeError, ValueError) as error:
            raise DataError(f"{source}: X cannot be used: {error}; expected numbers") from None
        shape, levels = array.shape, {}
        columns = (
            [_column(part, source, j) for j, part in enumerate(array.T)] if array.ndim == 2 else []
        )
    if len(shape) != 2 or 0 in shape:
        raise DataError(
            f"{source}: X has shape {shape}, expected (n, d), or (n,) for strings, not empty"
        )
    if names and len(names) != shape[1]:
        raise DataError(f"{source}: {len(names)} feature names for X of shape {shape}")
    rows = np.arange(1, shape[0] + 1)
    return Frame(source=source, columns=columns, lines=rows, names=names, levels=levels)


def _column(cells: Any, source: str, j: int) -> NDArray[Any]:
    """A column (n,) of a frame as float64, or as an object array where not all are numbers."""
    array = np.asarray(cells)
    if (
        array.dtype.kind in "iu"
        and len(array)
        and not -EXACT <= array.min() <= array.max() <= EXACT
    ):
        i = int(np.argmax((array > EXACT) | (array < -EXACT)))
        raise DataError(
            f"{place(source, i + 1, j)}: {array[i]} is beyond 2^53, where floats leave out whole "
            "numbers: write it in another unit, or as a text"
        )
    if array.dtype.kind in "biuf":
        return array.astype(np.float64)
    objects = np.empty(len(array), dtype=object)
    objects[:] = list(array) if array.dtype.kind in "mM" else array.tolist()
    numbers = numbers_of(objects.tolist())
    return objects if numbers is None else numbers


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
