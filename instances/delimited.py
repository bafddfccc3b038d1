"""Readers of text tables: CSV, TSV, or cells separated by semicolons or blanks."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from radprog.base.errors import DataError, OptionError
from radprog.base.limits import poll
from radprog.base.types import FloatArray, IntArray
from radprog.instances.labels import AMOUNT, indicators, label_texts, levels_of, plain_label
from radprog.instances.scaling import SCALINGS
from radprog.instances.tables import (
    WITH_COMMA,
    Levels,
    Table,
    also_texts,
    cell_number,
    checked_table,
    is_missing,
    place,
    same_columns,
    shown,
)

DELIMITERS = ("\t", ";", ",")
DECIMALS = (".", ",")
MISSING = ("drop", "mean", "error")
WHERE_CHOSEN = ("one_vs_rest", "weights", "categorical", "decimal", "header")
EVERY_TEXT = "auto"  # the text columns are those in which one stands
HEADERS = (AUTO, YES, NO) = ("auto", "yes", "no")
TRUTHS = {  # as pandas, polars and R write them
    **dict.fromkeys(("False", "false", "FALSE"), 0.0),
    **dict.fromkeys(("True", "true", "TRUE"), 1.0),
}
THOUSANDS = re.compile(r"[+-]?(0|[1-9]\d{0,2}(,\d{3})?)")  # as a comma groups them
SAMPLE_LINES = 50  # first rows that a delimiter must cut into equally many cells
HEAD = 100  # first rows that are compared with what may be a header
FEW_COLUMNS, FEW_ROWS = 3, 8  # up to which a first row 0, 1, 2 may well be data
ERROR_CELL = re.compile(r"#(N/A|DIV/0!|NAME\?|NULL!|NUM!|REF!|VALUE!)(?![^\s,;])", re.I)


@dataclass(frozen=True, kw_only=True)
class TableOptions:
    """The options of ``read`` with their defaults."""

    label: str = "last"
    scale: str = "none"
    missing: str = "error"
    positive: str | None = None
    strings: str | None = None
    one_vs_rest: bool = False
    weights: str | None = None
    categorical: str | None = None
    decimal: str | None = None
    header: str | None = None

    def __post_init__(self) -> None:
        # words, then what strings and labels leave without a meaning
        words = {"scale": SCALINGS, "missing": MISSING, "decimal": DECIMALS, "header": HEADERS}
        for name, allowed in words.items():
            value = getattr(self, name)
            if value is not None and value not in allowed:
                between = " " if name == "decimal" else ", "
                raise OptionError(f"{name} '{value}': expected one of {between.join(allowed)}")
        if self.strings is not None and self.missing == "mean":
            raise OptionError("missing 'mean' has no meaning for strings: expected drop or error")
        for name, plain in (("scale", "none"), ("categorical", None)):
            if self.strings is not None and (value := getattr(self, name)) != plain:
                raise OptionError(f"{name} '{value}' has no meaning for strings")
        if self.positive is not None and self.label == "none":
            raise OptionError(f"positive '{self.positive}' has no meaning without labels")

    def reading(self, *names: str) -> dict[str, Any]:
        """The options as a mapping: all of them, or those with the given names.

        Options in WHERE_CHOSEN are included only if they are set, because some models do not have
        them.
        """
        options = asdict(self)
        chosen = {key for key in WHERE_CHOSEN if options[key]}
        kept = names or options.keys() - set(WHERE_CHOSEN)
        return {key: options[key] for key in options if key in kept or key in chosen}


@dataclass(frozen=True, kw_only=True)
class Grid:
    """The columns of a table, and the row numbers in the file (n,) of its n rows.

    A column is an object array of strings (n,). In formats with typed columns it may be an array of
    numbers (n,), with NaN for missing cells. ``header`` contains the names of the columns, from a
    declaration or from the first row. ``plain`` is True if no string contains ``_``, because Python
    would read ``1_0`` as a number.
    """

    source: str
    lines: IntArray
    columns: Sequence[NDArray[Any]]
    header: tuple[str, ...] = ()
    plain: bool = True

    @property
    def first(self) -> tuple[str, ...]:
        """The header. If none is declared, the first row, which may be a header."""
        return self.header or tuple(str(column[0]).strip() for column in self.columns)

    def below_header(self) -> Grid:
        """The rows below the first row; the first row becomes the header."""
        below = [column[1:] for column in self.columns]
        return replace(self, lines=self.lines[1:], columns=below, header=self.first)

    def texts(self, j: int) -> list[str]:
        """Column j (n,) as strings. Missing cells of a numeric column are empty strings."""
        column = self.columns[j]
        texts = column.dtype == np.dtype(object)
        written = column.tolist() if texts else label_texts(column, self.source)
        return list(map(str.strip, written))

    def numbers(self, j: int) -> FloatArray | list[str]:
        """Column j (n,) as float64, with NaN for missing cells.

        If a cell is not a number, the column is returned as strings.
        """
        column = self.columns[j]
        if self.plain or column.dtype != np.dtype(object):
            with suppress(ValueError):  # one is missing, or a text
                return np.asarray(column, dtype=np.float64)
        return numbers_or_texts(column.tolist())


def split_cells(
    source: str,
    text: str,
    *,
    comment: str = "#",
    quote: str = '"',
    header: tuple[str, ...] = (),
    decimal: str = ".",
) -> Grid:
    """Split text into cells, without blank lines and comment lines.

    Comment lines begin with ``comment``. Error values of spreadsheets, such as ``#N/A``, are not
    comments. Cells are separated by tabs, semicolons, commas or blanks. The separator is the first
    of these that splits each of the first lines into the same number of cells, at least two.
    ``header`` contains the names that the file declares elsewhere. ``decimal`` is ``.`` or ``,``; a
    decimal comma cannot separate cells. Raises DataError for rows of different lengths, and for an
    unclosed quote.
    """
    text = text.rstrip("\n")
    every = text.split("\n")
    # rows of data: neither blank nor a comment; their numbers in the file are kept
    lines = [
        k
        for k, line in enumerate(map(str.lstrip, every), start=1)
        if line and (line[0] != comment or ERROR_CELL.match(line))
    ]
    if not lines:
        raise DataError(f"{source}: no rows of data")
    kept = [every[k - 1] for k in lines] if len(lines) < len(every) else every
    # the delimiter is what cuts the first rows into equally many cells
    between = [mark for mark in DELIMITERS if mark != decimal]
    delimiter = _delimiter(kept[:SAMPLE_LINES], quote, between)
    # cells in quotes are cut by csv, others by numpy (200,000 rows of 21: 0.4 s, by csv 1.2)
    poll()
    cells, rows = None, list[list[str]]()
    if quote in text:
        rows, lines = _quoted_rows(source, kept, lines, delimiter, quote)
    else:
        how: dict[str, Any] = {"delimiter": delimiter, "comments": None, "encoding": "utf-8"}
        with suppress(ValueError):  # rows of different lengths
            cells = np.loadtxt(kept, dtype=object, ndmin=2, **how)
    # every row has as many cells as the header, or as the first row
    if cells is None or len(header) not in (0, cells.shape[1]):
        rows = rows or [line.split(delimiter) for line in kept]
        width = len(header) or len(rows[0])
        for k, row in zip(lines, rows, strict=True):
            if len(row) != width:
                reason = "declared" if header else f"in row {lines[0]}"
                raise DataError(
                    f"{place(source, k)}: {len(row)} cells, expected {width} as {reason}"
                )
        cells = np.array(rows, dtype=object)
    if decimal == "," and cells.shape[1] == 1 and any("," in line for line in kept[:SAMPLE_LINES]):
        raise DataError(
            f"{source}: one cell a row, expected tabs, semicolons or blanks between cells, as "
            "--decimal , keeps the commas"
        )
    columns = list(cells.T)
    if decimal == ",":
        columns = [_with_points(source, lines, j, column) for j, column in enumerate(columns)]
    return Grid(
        source=source,
        lines=np.array(lines, dtype=np.int64),
        columns=columns,
        header=header,
        plain="_" not in text,
    )


def _quoted_rows(
    source: str, kept: Sequence[str], lines: Sequence[int], delimiter: str | None, quote: str
) -> tuple[list[list[str]], list[int]]:
    """The cells of each row with quotes, and the line in which each row begins.

    Raises DataError, with the row, for a quote that does not end, or that ends within a cell.
    """
    reader = csv.reader(
        (line.rstrip() + "\n" if delimiter is None else line + "\n" for line in kept),
        delimiter=delimiter or " ",
        quotechar=quote,
        skipinitialspace=True,
        strict=True,
    )
    rows, starts = list[list[str]](), list[int]()
    start = 0
    try:
        for row in reader:
            rows.append(row)
            starts.append(lines[start])
            start = reader.line_num
    except csv.Error as error:
        raise DataError(
            f"{place(source, lines[start])}: cannot be split into cells: {error}"
        ) from None
    return rows, starts


def _with_points(source: str, lines: Sequence[int], j: int, column: NDArray[Any]) -> NDArray[Any]:
    """Column j (n,) of strings, with points in place of decimal commas.

    Raises DataError for a number that already has a point, and for numbers that are recognisably
    grouped in thousands.
    """
    for i, cell in enumerate(column):
        if "." in cell and cell_number(cell) is not None:
            raise DataError(
                f"{place(source, lines[i], j)}: got '{shown(cell)}', expected a decimal comma as "
                "--decimal , says, and no point"
            )
    # 1,968 beside 861: a decimal comma would be missing in 861, and one of thousands is not
    texts = [cell.strip() for cell in column]
    body = range(0 if THOUSANDS.fullmatch(texts[0]) else 1, len(texts))
    if all(THOUSANDS.fullmatch(texts[i]) or is_missing(texts[i]) for i in body):
        large = [i for i in body if "," in texts[i]]
        small = [texts[i] for i in body if texts[i].lstrip("+-0").isdecimal()]
        if large and small:
            cell, whole = texts[large[0]], small[0]
            raise DataError(
                f"{place(source, lines[large[0]], j)}: '{cell}' beside '{whole}' is either "
                f"{cell.replace(',', '.')} or {cell.replace(',', '')}: write {whole},0 for a "
                f"decimal comma, and {cell.replace(',', '')} for thousands"
            )
    turned = [cell.replace(",", ".") if WITH_COMMA.fullmatch(cell) else cell for cell in column]
    return np.array(turned, dtype=object)


def _delimiter(sample: Sequence[str], quote: str, between: Sequence[str]) -> str | None:
    bare = [re.sub(f"{quote}[^{quote}]*{quote}", "", line) for line in sample]
    for delimiter in between:
        counts = {line.count(delimiter) for line in bare}
        if len(counts) == 1 and counts != {0}:
            return delimiter
    return next((delimiter for delimiter in between if any(delimiter in x for x in bare)), None)


def numbers_or_texts(cells: list[str]) -> FloatArray | list[str]:
    """Cells (n,) as float64, with NaN for missing cells.

    If a cell is not a number, the strings are returned unchanged. Truth values become 1 and 0.
    """
    values = {cell: cell_number(cell) for cell in set(cells)}
    if None in values.values() and all(
        cell.strip() in TRUTHS or is_missing(cell) for cell in values
    ):
        # as in a frame
        values = {cell: TRUTHS.get(cell.strip(), np.nan) for cell in values}
    if None in values.values():
        return cells
    return np.array([values[cell] for cell in cells], dtype=np.float64)


def table_of(
    grid: Grid,
    options: TableOptions,
    *,
    sha256: str,
    width: int | None = None,
    names: Sequence[str] = (),
    levels: Levels | None = None,
) -> Table:
    """Features, labels, strings and weights of a grid.

    - label: ``last``, ``first``, ``none``, a name of the header, or an index from 0. For ``last``
      and ``first``, the column of weights is ignored.
    - strings, weights: a name or an index.
    - width: the number of features d of any training data. A file with exactly d columns has no
      label. With ``strings``, a file with one column has no label. A file without a name for the
      weights, and with d or d + 1 columns, has no weights.
    - categorical: text columns, by names or indices joined by commas, or ``auto``.
    - levels: the levels of any training data, in place of ``categorical``. In this case, d is the
      number of features of these levels and the other columns.
    - names: the names of the feature columns of any training data, to compare with a header.
    - header: whether the first row is a header, if none is declared: ``yes``, ``no`` or ``auto``.
      With ``auto`` the first row is a header in four cases: an option uses one of its cells as a
      name, it has the names of the training data, it has strings above numbers, or it is 0, 1, 2,
      ...
    """
    label, strings, weights = options.label, options.strings, options.weights
    categorical = options.categorical if levels is None else None
    first = grid.first
    count = len(first)
    # a text column is one column of the file and a feature for each level
    if width is not None and levels:
        width -= sum(len(texts) - 1 for texts in levels.values())
    if _is_name(label) and label in names:
        raise OptionError(f"{grid.source}: label '{label}' is a feature of the training data")
    if count == (1 if strings is not None else width):
        label = "none"
    # the columns with a role; those left over are features
    w = _weights_column(grid, weights, first, label, 1 if strings is not None else width)
    # without its label the columns are compared with those of the training data
    if _is_name(label) and label not in first and not set(names).isdisjoint(first):
        label = "none"
    k = None if label == "none" else _column(grid, label, first, "label", without=w)
    s = None if strings is None else _column(grid, strings, first, "strings")
    if s is not None and s == k:
        raise DataError(f"{grid.source}: column {s} cannot hold both the labels and the strings")
    if w is not None and w in (k, s):
        raise DataError(f"{grid.source}: column {w} cannot hold the weights and something else")
    columns = tuple(j for j in range(count) if s is None and j not in (k, w))
    chosen = _chosen(grid, categorical, first, columns)
    # decide whether the first row names the columns: options call them, or the training data has
    # these names, or the cells below say so
    header, warnings = "", tuple[str, ...]()
    if not grid.header:
        called = [spec for spec in (label, strings, weights) if spec and spec in first]
        called += (categorical or "").split(",") if chosen else []
        named = any(map(_is_name, called))
        if named and options.header == NO:
            raise DataError(
                f"{grid.source}: --header no, but a column is called by its name: expected an "
                "index from 0"
            )
        of_training = bool(names) and tuple(names) == tuple(first[j] for j in columns)
        certain = named or of_training or _tops_numbers(grid, k, s, columns, levels, chosen)
        grid, header, warnings = _without_header(grid, options.header or AUTO, certain=certain)
    # read the cells: labels, strings and text columns as texts, others as numbers
    of_texts = {columns[p] for p in levels if p < len(columns)} if levels else set(chosen or ())
    of_texts |= {j for j in (k, s) if j is not None}
    cells = [grid.texts(j) if j in of_texts else grid.numbers(j) for j in range(count)]
    return checked_table(
        Table(
            source=grid.source,
            sha256=sha256,
            **_features(grid, cells, columns, levels, chosen, names),
            lines=grid.lines,
            labels=None if k is None else tuple(cells[k]),
            strings=None if s is None else tuple(cells[s]),
            weights=None if w is None else _weights(grid, grid.texts(w)),
            header=header,
            warnings=warnings,
        )
    )


def _tops_numbers(
    grid: Grid,
    label: int | None,
    strings: int | None,
    columns: Sequence[int],
    levels: Levels | None,
    chosen: Sequence[int] | None,
) -> bool:
    """Whether a first row without a number has names.

    It must contain a string in a feature column, or, with ``strings``, above numeric labels. If
    columns may contain strings, there are three cases: a string above a number, only strings that
    do not occur again in their column, or a string that is not a level.
    """
    first, below = grid.first, _below(grid)
    # a truth value above truth values is data
    truths = {j for j, cell in enumerate(first) if {cell, *below[j]} <= TRUTHS.keys()}
    texts = {j for j, cell in enumerate(first) if _is_text(cell)} - truths
    if any(WITH_COMMA.fullmatch(cell) for cell in first) or not all(
        j in texts or is_missing(cell) for j, cell in enumerate(first)
    ):
        return False
    numeric = {j for j, cells in enumerate(below) if cells and not any(map(_is_text, cells))}
    if strings is not None:
        return label in texts & numeric
    if not texts - {label}:
        return False
    # without text columns, a text can only be a name
    if levels:
        own = [(columns[p], of_column) for p, of_column in levels.items() if p < len(columns)]
        return any(plain_label(first[j]) not in of_column for j, of_column in own)
    if chosen is None or texts & numeric & set(columns):
        return True
    return bool(below[0]) and all(
        cell not in cells for cell, cells in zip(first, below, strict=True)
    )


def _below(grid: Grid) -> list[list[str]]:
    """The cells of each column below the first row, for at most HEAD rows."""
    return [[str(cell).strip() for cell in column[1:HEAD]] for column in grid.columns]


def _is_text(cell: str) -> bool:
    return cell_number(cell) is None


def _counts_up(first: Sequence[str]) -> int:
    """The number of cells of a first row 0, 1, ..., the default column names of a frame; 0 for
    other rows.
    """
    numbers = [cell for cell in first if cell and not _is_text(cell)]
    counted = numbers == [str(k) for k in range(len(numbers))]
    return len(numbers) if counted and len(numbers) > 1 else 0


def _names_of_numbers(grid: Grid) -> bool:
    """Whether a first row with numbers has names.

    All cells must differ, and they must be strings or whole numbers. They must be 0, 1, ..., or
    contain a string above a column of numbers. No string may occur again in its column, and not all
    numbers may. There must be more than FEW_COLUMNS columns or FEW_ROWS rows, because a smaller
    table may contain such data.
    """
    first, below = grid.first, _below(grid)
    texts = {j for j, cell in enumerate(first) if _is_text(cell)}
    numbers = {j for j, cell in enumerate(first) if cell.isascii() and cell.isdecimal()}
    # every cell is a text or a whole number, and all differ; the index of a frame has no name
    if len(texts) + len(numbers) + (not first[0]) < len(first) or len(set(first)) < len(first):
        return False
    above = any(below[j] and not any(map(_is_text, below[j])) for j in texts)
    again = {j for j in texts | numbers if first[j] in below[j]}
    counted = _counts_up(first)
    many = counted > FEW_COLUMNS or len(grid.lines) > FEW_ROWS
    return (counted > 0 or above) and many and again < numbers


def _without_header(grid: Grid, choice: str, *, certain: bool) -> tuple[Grid, str, tuple[str, ...]]:
    """The rows below a header, the header's row in words, and any warning.

    ``choice`` is ``yes``, ``no`` or ``auto``. ``certain`` means that ``auto`` need not check
    numbers in the row. Raises DataError if no row is left.
    """
    first = grid.first
    taken = choice == YES or (choice == AUTO and (certain or _names_of_numbers(grid)))
    row, what = f"row {grid.lines[0]}", f"row {grid.lines[0]} ({shown(', '.join(first))})"
    warnings: tuple[str, ...] = ()
    if choice == AUTO and not certain and (taken or _counts_up(first) == len(first)):
        read = "the header (--header no: for data)"
        read = read if taken else "data (--header yes: for the header)"
        warnings = (f"{what} holds numbers and is taken for {read}",)
    if not taken:
        return grid, f"none, {row} is data", warnings
    if len(grid.lines) == 1:
        raise DataError(f"{grid.source}: a header, but no rows of data")
    return grid.below_header(), what, warnings


def _features(
    grid: Grid,
    cells: Sequence[Any],
    columns: Sequence[int],
    levels: Levels | None,
    chosen: Sequence[int] | None,
    expected: Sequence[str],
) -> dict[str, Any]:
    """``values``, ``columns``, ``names`` and ``levels`` of a table: the columns (d',) in their
    order.

    A text column has one feature per level. Raises DataError if names differ from ``expected``, if
    a cell is not a number, if a level is unknown, or if the columns do not match the levels.
    """
    same_columns(grid.source, [grid.header[j] for j in columns if grid.header], expected, columns)
    levels = _levels(grid, cells, columns, chosen) if levels is None else levels
    if levels and max(levels) >= len(columns):
        raise DataError(
            f"{grid.source}: {len(columns)} columns of features given, but that of texts is number "
            f"{max(levels)}, from 0, in the training data"
        )
    _check_numbers(grid, cells, [j for p, j in enumerate(columns) if p not in levels])
    # a numeric column is one feature, a text column an indicator for each level
    blocks: list[FloatArray] = []
    names: list[str] = []
    behind: list[int] = []
    for p, j in enumerate(columns):
        own, name = levels.get(p), _name(grid, j)
        block = cells[j][:, None] if own is None else _one_hot(grid, cells[j], j, own)
        if name is not None:
            names += [name] if own is None else [f"{name}={level}" for level in own]
        blocks.append(block)
        behind += [j] * block.shape[1]
    return {
        "values": np.hstack(blocks) if blocks else np.empty((len(grid.lines), 0)),
        "columns": tuple(behind),
        "names": tuple(names),
        "levels": dict(levels),
    }


def _check_numbers(grid: Grid, cells: Sequence[Any], numeric: Sequence[int]) -> None:
    """Raise DataError for the first cell, row by row, of number columns that is not a number."""
    # the first wrong cell of each column; the uppermost is named
    wrong = [
        (next(i for i, cell in enumerate(cells[j]) if cell_number(cell) is None), j)
        for j in numeric
        if isinstance(cells[j], list)
    ]
    if wrong:
        i, j = min(wrong)
        others = [_name(grid, k) or str(k) for _, k in wrong if k != j]
        raise DataError(
            f"{place(grid.source, grid.lines[i], j, _name(grid, j))}: got '{shown(cells[j][i])}', "
            f"expected a number{also_texts(others)}{_hint(cells[j], i, bool(grid.header))}"
        )


def _name(grid: Grid, j: int) -> str | None:
    return grid.header[j] if grid.header else None


def _one_hot(grid: Grid, cells: Sequence[str], j: int, levels: Sequence[str]) -> FloatArray:
    """Column j of strings as one feature per level (n, levels). Raises DataError for an unknown
    level.
    """

    def where(i: int) -> str:
        return place(grid.source, grid.lines[i], j, _name(grid, j))

    return indicators(cells, levels, where)


def _chosen(
    grid: Grid, categorical: str | None, first: tuple[str, ...], columns: Sequence[int]
) -> list[int] | None:
    """The text columns that the option ``categorical`` names.

    Returns None if the option is not set, and an empty list if its value is ``auto``.
    """
    if categorical is None:
        return None
    if categorical == EVERY_TEXT:
        return []
    chosen = []
    for spec in categorical.split(","):
        j = _column(grid, spec.strip(), first, "categorical")
        if j not in columns:
            raise DataError(
                f"{grid.source}: column {j} cannot be categorical and hold the labels, or weights"
            )
        chosen.append(j)
    if len(set(chosen)) < len(chosen):
        raise OptionError(f"categorical {categorical}: a column is given twice")
    return chosen


def _levels(
    grid: Grid, cells: Sequence[Any], columns: Sequence[int], chosen: Sequence[int] | None
) -> Levels:
    """The levels of the text columns, by their place among ``columns``.

    The text columns are the ``chosen`` ones. If ``chosen`` is empty, every column that contains a
    string is a text column. If it is None, there are no text columns.
    """
    if chosen is None:
        return {}
    levels = {}
    for p, j in enumerate(columns):
        if j in chosen or (not chosen and isinstance(cells[j], list)):
            where = place(grid.source, grid.lines[0], j, _name(grid, j))
            if not chosen and all(WITH_COMMA.fullmatch(x) or is_missing(x) for x in set(cells[j])):
                cell = next(cell for cell in cells[j] if not is_missing(cell))
                raise DataError(f"{where}: {_comma_hint(cell)}")
            levels[p] = levels_of(cells[j], where, unasked=not chosen)
    return levels


def _weights_column(
    grid: Grid, spec: str | None, first: tuple[str, ...], label: str, width: int | None
) -> int | None:
    """The column of weights; None if the file has no such column.

    A file without labels, or with only labels, may lack this column.
    """
    if spec is None or len(first) == width:
        return None
    if width is not None and spec not in first and len(first) == width + (label != "none"):
        return None
    return _column(grid, spec, first, "weights")


def _weights(grid: Grid, cells: Sequence[str]) -> FloatArray:
    """Weights (n,) of the file. Raises DataError, with the row, unless each is a number >= 0."""
    values = np.empty(len(cells))
    for i, cell in enumerate(cells):
        value = cell_number(cell)
        if value is None or not 0.0 <= value < np.inf:
            raise DataError(
                f"{place(grid.source, grid.lines[i])}: weight '{shown(cell)}', expected a finite "
                "number >= 0"
            )
        values[i] = value
    return values


def _hint(cells: Sequence[str], i: int, header: bool) -> str:
    if WITH_COMMA.fullmatch(cells[i]):
        return f" (of {_comma_hint(cells[i])})"
    if AMOUNT.fullmatch(cells[i].strip()):
        return " (write numbers without currency, percent and thousands separators)"
    if i or header or (len(cells) > 1 and cell_number(cells[1]) is None):
        return " (text columns: --categorical, or --strings for the kernel edit)"
    return " (a first row with numbers in it is not taken for a header: --header yes)"


def _comma_hint(cell: str) -> str:
    # 1,200 may be either
    thousands = "; write thousands without it" if AMOUNT.fullmatch(cell.strip()) else ""
    return f"numbers with a decimal comma: --decimal ,{thousands}"


def _is_index(spec: str) -> bool:
    return re.fullmatch(r"[+-]?\d+", spec) is not None


def _is_name(spec: str) -> bool:
    return spec not in ("last", "first", "none") and not _is_index(spec)


def _column(
    grid: Grid, spec: str, first: tuple[str, ...], role: str, without: int | None = None
) -> int:
    """Index of the column ``spec``; the last and the first column do not count ``without``.

    ``first`` is the header or the first row.
    """
    if spec in ("last", "first"):
        order = range(len(first)) if spec == "first" else range(len(first) - 1, -1, -1)
        return next((j for j in order if j != without), order[0])
    if _is_index(spec):
        if 0 <= int(spec) < len(first):
            return int(spec)
        raise DataError(
            f"{grid.source}: {role} column {spec} is out of range: "
            f"the file has {len(first)} columns, counted from 0 to {len(first) - 1}"
        )
    # a name must stand exactly once in the header
    places = Counter(first)[spec]
    if places != 1:
        how_often = "more than once" if places else "not"
        raise DataError(
            f"{grid.source}: {role} column '{spec}' is {how_often} in the first row "
            f"({shown(', '.join(first), most=100)}): "
            "expected a name of the header, or an index from 0"
        )
    return first.index(spec)
