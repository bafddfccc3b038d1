"""Text in rows of cells: CSV, TSV, semicolons or blanks between them, with or without a header."""

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
from radprog.instances.labels import indicators, label_texts, levels_of, plain_label
from radprog.instances.scaling import SCALINGS
from radprog.instances.tables import (
    WITH_COMMA,
    Levels,
    Table,
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
EVERY_TEXT = "auto"  # the columns of texts are those in which one stands
HEADERS = (AUTO, YES, NO) = ("auto", "yes", "no")
SAMPLE_LINES = 50  # first rows that a delimiter must cut into equally many cells
HEAD = 100  # first rows that are compared with what may be a header
FEW_COLUMNS, FEW_ROWS = 3, 8  # up to which a first row 0, 1, 2 may well be data
ERROR_CELL = re.compile(r"#(N/A|DIV/0!|NAME\?|NULL!|NUM!|REF!|VALUE!)(?![^\s,;])", re.I)


@dataclass(frozen=True, kw_only=True)
class TableOptions:
    """The options of ``read``, settled."""

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
        """The options as a mapping: those of these names, or all; those of WHERE_CHOSEN where they
        are, for not every model has them."""
        options = asdict(self)
        chosen = {key for key in WHERE_CHOSEN if options[key]}
        kept = names or options.keys() - set(WHERE_CHOSEN)
        return {key: options[key] for key in options if key in kept or key in chosen}


@dataclass(frozen=True, kw_only=True)
class Grid:
    """Columns of cells and the file's row behind each of their rows (n,).

    columns: texts (n,) as objects, or numbers (n,), NaN where a cell is missing, of a format that
    has such. header: the names of the columns, declared or taken from the first row. plain: whether
    Python's own reading of numbers is ours, which no text with ``_`` in it has.
    """

    source: str
    lines: IntArray
    columns: Sequence[NDArray[Any]]
    header: tuple[str, ...] = ()
    plain: bool = True

    @property
    def first(self) -> tuple[str, ...]:
        """The header, or the first row, which may be one."""
        return self.header or tuple(str(column[0]).strip() for column in self.columns)

    def below_header(self) -> Grid:
        """The rows below the first, which has the names of the columns."""
        below = [column[1:] for column in self.columns]
        return replace(self, lines=self.lines[1:], columns=below, header=self.first)

    def texts(self, j: int) -> list[str]:
        """Column j (n,) as text, empty if a cell of a column of numbers is missing."""
        column = self.columns[j]
        texts = column.dtype == np.dtype(object)
        written = column.tolist() if texts else label_texts(column, self.source)
        return list(map(str.strip, written))

    def numbers(self, j: int) -> FloatArray | list[str]:
        """Column j (n,) as float64, NaN if a cell is missing; as texts if one is not a number."""
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
    """Cut text into cells. Blank lines and lines that begin with ``comment``, but not with an error
    value of a spreadsheet such as ``#N/A``, are skipped.

    Cells stand between tabs, semicolons, commas, or runs of blanks: the first of these that gives
    the same number of cells, above one, on each of the first lines. header: names that the file
    declares elsewhere. decimal: ``.``, or ``,``, which then stands between no cells.
    Raises DataError on rows of different lengths, and on a quote that does not end.
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
    """The cells of every row, some of them in quotes, and the line in which each row begins;
    DataError, naming the row, on a quote that does not end, or that ends within a cell."""
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
            f"{place(source, lines[start])}: cannot be cut into cells: {error}"
        ) from None
    return rows, starts


def _with_points(source: str, lines: Sequence[int], j: int, column: NDArray[Any]) -> NDArray[Any]:
    """Column j (n,) of texts with points in place of decimal commas; raises DataError on a
    number that has a point already.
    """
    for i, cell in enumerate(column):
        if "." in cell and cell_number(cell) is not None:
            raise DataError(
                f"{place(source, lines[i], j)}: got '{shown(cell)}', expected a decimal comma as "
                "--decimal , says, and no point"
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
    """Cells (n,) as float64, NaN if missing; unchanged if one is not a number."""
    values = {cell: cell_number(cell) for cell in set(cells)}
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

    Of the options: label: ``last``, ``first``, ``none``, a name of the header or an index from 0;
    strings, weights: a name or an index; the last and the first column are of those without the
    weights. width: the number of features d of the training data, if any; a file with exactly d
    columns then has no label, nor has a file with one column with ``strings``; nor have
    these weights, or one with d + 1 columns that does not name them. categorical: the columns of
    texts, names or indices joined by commas, or ``auto``; levels: those of the training data, if
    any, in place of it; d is then the number of columns behind the features; names: of these,
    compared with a header first. header: whether the first row is one, where none is declared:
    ``yes``, ``no`` or ``auto``: if an option names a column of it, if it holds the names of the
    training data, or as :func:`_tops_numbers` and :func:`_names_of_numbers` say.
    """
    label, strings, weights = options.label, options.strings, options.weights
    categorical = options.categorical if levels is None else None
    first = grid.first
    count = len(first)
    # a column of texts is one column of the file and a feature for each level
    if width is not None and levels:
        width -= sum(len(texts) - 1 for texts in levels.values())
    if count == (1 if strings is not None else width):
        label = "none"
    # the columns with a role; those left over are features
    w = _weights_column(grid, weights, first, label, 1 if strings is not None else width)
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
    # read the cells: labels, strings and columns of texts as texts, others as numbers
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
    """Whether a first row without a number is one of names: it has a text in a column of features,
    or with strings above labels that are numbers. Where columns may hold texts it must stand above
    a number, or hold no text that its column repeats; or a text that is no level."""
    first = grid.first
    texts = {j for j, cell in enumerate(first) if cell_number(cell) is None}
    if any(WITH_COMMA.fullmatch(cell) for cell in first) or not all(
        j in texts or is_missing(cell) for j, cell in enumerate(first)
    ):
        return False
    below = _below(grid)
    numeric = {j for j, cells in enumerate(below) if cells and not any(map(_is_text, cells))}
    if strings is not None:
        return label in texts & numeric
    if not texts - {label}:
        return False
    # without columns of texts a text can but be a name
    if levels:
        own = [(columns[p], of_column) for p, of_column in levels.items() if p < len(columns)]
        return any(plain_label(first[j]) not in of_column for j, of_column in own)
    if chosen is None or texts & numeric & set(columns):
        return True
    return bool(below[0]) and all(
        cell not in cells for cell, cells in zip(first, below, strict=True)
    )


def _below(grid: Grid) -> list[list[str]]:
    """The cells of every column below the first row, of HEAD rows."""
    return [[str(cell).strip() for cell in column[1:HEAD]] for column in grid.columns]


def _is_text(cell: str) -> bool:
    return cell_number(cell) is None


def _counts_up(first: Sequence[str]) -> int:
    """How many numbers a first row has, where they are 0, 1, ..., as frames name their columns;
    else 0."""
    numbers = [cell for cell in first if cell and not _is_text(cell)]
    counted = numbers == [str(k) for k in range(len(numbers))]
    return len(numbers) if counted and len(numbers) > 1 else 0


def _names_of_numbers(grid: Grid) -> bool:
    """Whether a first row with numbers in it is one of names, which as data it would hardly be.

    All cells differ, and are texts or whole numbers: 0, 1, ..., or with a text above numbers
    alone. No text and not all numbers occur again in their columns; and there are more than
    FEW_COLUMNS or FEW_ROWS, below which they may well be data.
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
    """The rows below a header, which row it is in words, and what to warn about.

    choice: ``yes``, ``no`` or ``auto``; certain: whether ``auto`` needs not look at numbers in it.
    DataError where no row is left.
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
    """``values``, ``columns``, ``names`` and ``levels`` of a table: the columns (d',) as they
    stand, those of texts by a feature for each of their levels.

    Raises DataError where they have other names than ``expected``, on a cell that is no number, on
    an unknown level, and on columns that are not those of the levels.
    """
    same_columns(grid.source, [grid.header[j] for j in columns if grid.header], expected, columns)
    levels = _levels(grid, cells, columns, chosen) if levels is None else levels
    if levels and max(levels) >= len(columns):
        raise DataError(
            f"{grid.source}: {len(columns)} columns of features given, but that of texts is number "
            f"{max(levels)}, from 0, in the training data"
        )
    _check_numbers(grid, cells, [j for p, j in enumerate(columns) if p not in levels])
    # a column of numbers is one feature, one of texts an indicator for each level
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
    """Raise DataError for the first cell, row by row, in columns of numbers that is not a
    number.
    """
    # the first wrong cell of each column; the uppermost is named
    wrong = [
        (next(i for i, cell in enumerate(cells[j]) if cell_number(cell) is None), j)
        for j in numeric
        if isinstance(cells[j], list)
    ]
    if wrong:
        i, j = min(wrong)
        raise DataError(
            f"{place(grid.source, grid.lines[i], j, _name(grid, j))}: got '{shown(cells[j][i])}', "
            f"expected a number{_hint(cells[j], i, bool(grid.header))}"
        )


def _name(grid: Grid, j: int) -> str | None:
    return grid.header[j] if grid.header else None


def _one_hot(grid: Grid, cells: Sequence[str], j: int, levels: Sequence[str]) -> FloatArray:
    """Column j of texts as one feature per level (n, levels); raises DataError for another
    level.
    """

    def where(i: int) -> str:
        return place(grid.source, grid.lines[i], j, _name(grid, j))

    return indicators(cells, levels, where)


def _chosen(
    grid: Grid, categorical: str | None, first: tuple[str, ...], columns: Sequence[int]
) -> list[int] | None:
    """The columns of texts that an option names, an empty list if it names none; None if the
    cells decide.
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
    """The levels of the columns of texts, by their place among ``columns``: of the ``chosen``
    ones, or of every column with a text if none is chosen.
    """
    if chosen is None:
        return {}
    levels = {}
    for p, j in enumerate(columns):
        if j in chosen or (not chosen and isinstance(cells[j], list)):
            where = place(grid.source, grid.lines[0], j, _name(grid, j))
            if not chosen and all(WITH_COMMA.fullmatch(x) or is_missing(x) for x in set(cells[j])):
                raise DataError(f"{where}: numbers with a decimal comma: --decimal ,")
            levels[p] = levels_of(cells[j], where)
    return levels


def _weights_column(
    grid: Grid, spec: str | None, first: tuple[str, ...], label: str, width: int | None
) -> int | None:
    """The column of weights; None if the file has none, which is allowed for files without
    labels or with labels only.
    """
    if spec is None or len(first) == width:
        return None
    if width is not None and spec not in first and len(first) == width + (label != "none"):
        return None
    return _column(grid, spec, first, "weights")


def _weights(grid: Grid, cells: Sequence[str]) -> FloatArray:
    """Weights (n,) of the file; raises DataError, naming the row, for one that is not a number
    >= 0.
    """
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
        return " (of numbers with a decimal comma: --decimal ,)"
    if i or header or (len(cells) > 1 and cell_number(cells[1]) is None):
        return " (columns of texts: --categorical, or --strings for the kernel edit)"
    return " (a first row with numbers in it is not taken for a header: --header yes)"


def _is_index(spec: str) -> bool:
    return re.fullmatch(r"[+-]?\d+", spec) is not None


def _is_name(spec: str) -> bool:
    return spec not in ("last", "first", "none") and not _is_index(spec)


def _column(
    grid: Grid, spec: str, first: tuple[str, ...], role: str, without: int | None = None
) -> int:
    """Index of the column that ``spec`` names, the last or first but for ``without``; ``first`` is
    the header or the first row."""
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
