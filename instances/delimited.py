"""Text in rows of cells: CSV, TSV, semicolons or blanks between them, with or without a header."""

from __future__ import annotations

import io
import re
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from itertools import repeat
from typing import Any

import numpy as np

from radprog.base.errors import DataError, OptionError
from radprog.base.limits import poll
from radprog.base.types import FloatArray, IntArray
from radprog.instances.headers import (
    AUTO,
    HEADERS,
    NO,
    YES,
    counts_up,
    holds_no_numbers,
    names_of_numbers,
    tops_texts,
)
from radprog.instances.labels import indicators, levels_of
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
SAMPLE_LINES = 50
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
        if self.scale not in SCALINGS:
            raise OptionError(f"scale '{self.scale}': expected one of {', '.join(SCALINGS)}")
        if self.missing not in MISSING:
            raise OptionError(f"missing '{self.missing}': expected one of {', '.join(MISSING)}")
        if self.strings is not None and self.scale != "none":
            raise OptionError(f"scale '{self.scale}' has no meaning for strings")
        if self.strings is not None and self.missing == "mean":
            raise OptionError("missing 'mean' has no meaning for strings: expected drop or error")
        if self.strings is not None and self.categorical is not None:
            raise OptionError(f"categorical '{self.categorical}' has no meaning for strings")
        if self.decimal not in (None, *DECIMALS):
            raise OptionError(f"decimal '{self.decimal}': expected one of {' '.join(DECIMALS)}")
        if self.header not in (None, *HEADERS):
            raise OptionError(f"header '{self.header}': expected one of {', '.join(HEADERS)}")
        if self.positive is not None and self.label == "none":
            raise OptionError(f"positive '{self.positive}' has no meaning without labels")

    def reading(self, *names: str) -> dict[str, Any]:
        """The options as a mapping: those of these names, or all; those of WHERE_CHOSEN where they
        are, for not every model has them."""
        given = asdict(self)
        chosen = {key for key in WHERE_CHOSEN if given[key]}
        kept = names or given.keys() - set(WHERE_CHOSEN)
        return {key: given[key] for key in given if key in kept or key in chosen}


@dataclass(frozen=True, kw_only=True)
class Grid(ABC):
    """Columns of cells that are not read yet, and the file's row behind each of their rows (n,).

    header: the names of the columns; of text, where they stand elsewhere (ARFF) or were taken from
    the first row.
    """

    source: str
    lines: IntArray
    header: tuple[str, ...] = ()

    @property
    def first(self) -> tuple[str, ...]:
        """The first row, where it may be the header."""
        return ()

    @abstractmethod
    def read(self, texts: Collection[int]) -> list[Any]:
        """Every column (n,): as written if it is one of ``texts`` or a cell of it is no number,
        else as float64, NaN where a cell is missing."""


@dataclass(frozen=True, kw_only=True)
class Cells(Grid):
    """Text in rows of cells: ``body`` without comments and blank lines, of which the first
    ``skipped`` lines are no data."""

    body: bytes
    delimiter: str | None
    quote: str
    decimal: str
    skipped: int = 0

    @cached_property
    def first(self) -> tuple[str, ...]:
        """The first row."""
        return tuple(cell.strip() for cell in self._first_as_written)

    @cached_property
    def _first_as_written(self) -> list[str]:
        # a header is cut like data: quotes and blanks count
        return [column[0] for column in self._as_written(self._cut(object, max_rows=1))]

    def column(self, j: int) -> list[str]:
        """A column as written (n,), its first cell perhaps a name."""
        return self._all_as_written[j]

    @cached_property
    def _all_as_written(self) -> list[list[str]]:
        return self._as_written(self._cut(object))

    def below_header(self) -> Cells:
        """The rows below the first, which has the names of the columns."""
        skipped = 1 + sum(name.count("\n") for name in self._first_as_written)
        return replace(self, lines=self.lines[1:], header=self.first, skipped=skipped)

    def read(self, texts: Collection[int]) -> list[Any]:
        """As :meth:`Grid.read`."""
        width, point = len(self.first), self.decimal == "."
        if point:
            # all cells at once, if those of columns of numbers are numbers
            kinds = [(str(j), object if j in texts else np.float64) for j in range(width)]
            try:
                rows = self._cut(np.dtype(kinds))
            except ValueError:
                pass
            else:
                return [rows[str(j)].tolist() if j in texts else rows[str(j)] for j in range(width)]
        # some are missing, texts or have a decimal comma: column by column
        plain = point and b"_" not in self.body  # which Python takes within a number
        columns = self._all_as_written
        return [
            columns[j] if j in texts else numbers_or_texts(columns[j], plain=plain)
            for j in range(width)
        ]

    def _cut(self, dtype: Any, max_rows: int | None = None) -> Any:
        """The rows by numpy: an array of cells (n, d), or of records (n,) for a dtype of fields.
        ValueError on a cell that is no number where one is expected."""
        poll()
        return np.loadtxt(
            io.BytesIO(self.body),
            dtype=dtype,
            delimiter=self.delimiter,
            quotechar=self.quote,
            skiprows=self.skipped,
            max_rows=max_rows,
            comments=None,
            ndmin=2 if dtype is object else 1,
            encoding="utf-8",
        )

    def _as_written(self, cells: Any) -> list[list[str]]:
        """The columns of cells (n, d) of texts, decimal commas as points; DataError on a number
        with a point where they have commas."""
        columns: list[list[str]] = cells.T.tolist()
        if self.decimal == ".":
            return columns
        for j, column in enumerate(columns):
            for i, cell in enumerate(column):
                if "." in cell and cell_number(cell) is not None:
                    raise DataError(
                        f"{place(self.source, self.lines[i], j)}: got '{shown(cell)}', expected a "
                        "decimal comma as --decimal , says, and no point"
                    )
        return [
            [cell.replace(",", ".") if WITH_COMMA.fullmatch(cell) else cell for cell in column]
            for column in columns
        ]


def split_cells(
    source: str,
    text: str,
    *,
    comment: str = "#",
    quote: str = '"',
    header: tuple[str, ...] = (),
    decimal: str = ".",
) -> Cells:
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
    text = "\n".join(kept) if len(lines) < len(every) else text
    # the delimiter is what cuts the first rows into equally many cells
    between = [mark for mark in DELIMITERS if mark != decimal]
    delimiter = _delimiter(kept[:SAMPLE_LINES], quote, between)
    if quote in text:
        kept, lines, text = _without_quotes(source, text, lines, delimiter, quote)
    if delimiter is None:
        counts = [len(line.split()) for line in kept]
    else:
        counts = [1 + marks for marks in map(str.count, kept, repeat(delimiter))]
    # every row has as many cells as the header, or as the first row
    width = len(header) or counts[0]
    if decimal == "," and width == 1 and any("," in line for line in kept[:SAMPLE_LINES]):
        raise DataError(
            f"{source}: one cell a row, expected tabs, semicolons or blanks between cells, as "
            "--decimal , keeps the commas"
        )
    for k, count in zip(lines, counts, strict=True):
        if count != width:
            reason = "declared" if header else f"in row {lines[0]}"
            raise DataError(f"{place(source, k)}: {count} cells, expected {width} as {reason}")
    return Cells(
        source=source,
        lines=np.array(lines, dtype=np.int64),
        header=header,
        body=text.encode(),
        delimiter=delimiter,
        quote=quote,
        decimal=decimal,
    )


def _without_quotes(
    source: str, text: str, lines: Sequence[int], delimiter: str | None, quote: str
) -> tuple[list[str], list[int], str]:
    """The rows with a quote in place of each quoted cell, the line in which each begins, and the
    text without the blanks before such a cell.

    DataError, naming the row, on a quote that does not end, or that ends within a cell.
    """
    # a quoted cell begins after a delimiter and ends before one
    ends = r"\s" if delimiter is None else rf"{delimiter}\n"
    begins = rf"(?:(?<![^{ends}])|^) *{quote}"
    cell = re.compile(rf"{begins}(?:[^{quote}]|{quote}{quote})*{quote}")
    # each quoted cell becomes one quote, with a mark for each line end within
    bare = cell.sub(lambda found: quote + "\0" * found.group().count("\n"), text)
    # what is left of a cell behind its closing quote is an error
    wrong = re.search(rf"{begins}(?!\0* *(?:[{ends}]|\Z))", bare)
    rows = bare.split("\n")
    # a line end within quotes begins no row
    starts = np.cumsum([0, *(row.count("\0") + 1 for row in rows[:-1])])
    if wrong:
        line = lines[starts[bare.count("\n", 0, wrong.end())]]
        raise DataError(
            f"{place(source, line)}: cannot be cut into cells: a quote that begins one ends none"
        )
    return rows, [lines[k] for k in starts], cell.sub(lambda found: found.group().lstrip(" "), text)


def _delimiter(sample: Sequence[str], quote: str, between: Sequence[str]) -> str | None:
    bare = [re.sub(f"{quote}[^{quote}]*{quote}", "", line) for line in sample]
    for delimiter in between:
        counts = {line.count(delimiter) for line in bare}
        if len(counts) == 1 and counts != {0}:
            return delimiter
    return next((delimiter for delimiter in between if any(delimiter in x for x in bare)), None)


def numbers_or_texts(cells: list[str], *, plain: bool = False) -> FloatArray | list[str]:
    """Cells (n,) as float64, NaN where missing; as they are where one is no number.

    plain: whether Python's own reading of numbers is ours, which no cell with ``_`` has.
    """
    if plain:
        with suppress(ValueError):  # one is missing or a text
            return np.array(cells, dtype=np.float64)
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
    columns then has no label, nor has a file with one column when ``strings`` is given; nor have
    these weights, or one with d + 1 columns that does not name them. categorical: the columns of
    texts, names or indices joined by commas, or ``auto``; levels: those of the training data, if
    any, in place of it; d is then the number of columns behind the features; names: of these,
    compared with a header first. header: whether the first row is one, where none is declared:
    ``yes``, ``no`` or ``auto``, if a name stands in it, or those of the training data do; if it
    holds no number, but is as :func:`holds_no_numbers` and :func:`tops_texts` say; and if it is
    :func:`names_of_numbers`.
    """
    label, strings, weights = options.label, options.strings, options.weights
    categorical = options.categorical if levels is None else None
    first = grid.header or grid.first
    count = len(first)
    # a column of texts is one column of the file and a feature for each level
    if width is not None and levels:
        width -= sum(len(known) - 1 for known in levels.values())
    if count == (1 if strings is not None else width):
        label = "none"
    # the columns with a role; those left over are features
    w = _weights_column(grid, weights, first, label, 1 if strings is not None else width)
    k = None if label == "none" else _column(grid, label, first, "label", without=w)
    s = None if strings is None else _column(grid, strings, first, "strings")
    _check_apart(grid.source, k, s, w)
    columns = tuple(j for j in range(count) if s is None and j not in (k, w))
    chosen = _chosen(grid, categorical, first, columns)
    # decide whether the first row names the columns
    found, warnings = "", tuple[str, ...]()
    if isinstance(grid, Cells) and not grid.header:
        called = [spec for spec in (label, strings, weights) if spec and spec in first]
        called += (categorical or "").split(",") if chosen else []
        top = holds_no_numbers(first, grid.column, k, s)
        if levels or chosen is not None:
            top = top and tops_texts(first, grid.column, columns, levels)
        known = bool(names) and tuple(names) == tuple(first[j] for j in columns)
        grid, found, warnings = _without_header(
            grid, options.header or AUTO, called=any(map(_is_name, called)), sure=top or known
        )
    # read the cells: labels, strings and chosen columns as texts
    of_texts = {columns[p] for p in levels if p < len(columns)} if levels else set(chosen or ())
    cells = grid.read({j for j in (k, s, w, *of_texts) if j is not None})
    return checked_table(
        Table(
            source=grid.source,
            sha256=sha256,
            **_features(grid, cells, columns, levels, chosen, names),
            lines=grid.lines,
            labels=None if k is None else tuple(map(str.strip, cells[k])),
            strings=None if s is None else tuple(map(str.strip, cells[s])),
            weights=None if w is None else _weights(grid, cells[w]),
            header=found,
            warnings=warnings,
        )
    )


def _without_header(
    grid: Cells, choice: str, *, called: bool, sure: bool
) -> tuple[Cells, str, tuple[str, ...]]:
    """The rows below a header, which row it is in words, and what to warn about.

    choice: ``yes``, ``no`` or ``auto``; called: whether options name columns of it; sure: whether
    ``auto`` needs not look at its numbers. DataError where no row is left, or one has no names.
    """
    if called and choice == NO:
        raise DataError(
            f"{grid.source}: --header no, but a column is called by its name: expected an index "
            "from 0"
        )
    first, sure = grid.first, called or sure
    taken = choice == YES or (choice == AUTO and (sure or names_of_numbers(first, grid.column)))
    row, what = f"row {grid.lines[0]}", f"row {grid.lines[0]} ({shown(', '.join(first))})"
    warnings: tuple[str, ...] = ()
    if choice == AUTO and not sure and (taken or counts_up(first) == len(first)):
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
        known, name = levels.get(p), _name(grid, j)
        block = cells[j][:, None] if known is None else _one_hot(grid, cells[j], j, known)
        if name is not None:
            names += [name] if known is None else [f"{name}={level}" for level in known]
        blocks.append(block)
        behind += [j] * block.shape[1]
    return {
        "values": np.hstack(blocks) if blocks else np.empty((len(grid.lines), 0)),
        "columns": tuple(behind),
        "names": tuple(names),
        "levels": dict(levels),
    }


def _check_numbers(grid: Grid, cells: Sequence[Any], numeric: Sequence[int]) -> None:
    """DataError on the first cell, row by row, of columns of numbers that is none."""
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
    """Column j of texts by its levels (n, levels); DataError on another one."""

    def where(i: int) -> str:
        return place(grid.source, grid.lines[i], j, _name(grid, j))

    return indicators(cells, levels, where)


def _chosen(
    grid: Grid, categorical: str | None, first: tuple[str, ...], columns: Sequence[int]
) -> list[int] | None:
    """The columns of texts that are asked for, none where the texts in them shall tell; None where
    there are none."""
    if categorical is None:
        return None
    if categorical == EVERY_TEXT:
        return []
    found = []
    for spec in categorical.split(","):
        j = _column(grid, spec.strip(), first, "categorical")
        if j not in columns:
            raise DataError(
                f"{grid.source}: column {j} cannot be categorical and hold the labels, or weights"
            )
        found.append(j)
    if len(set(found)) < len(found):
        raise OptionError(f"categorical {categorical}: a column is given twice")
    return found


def _levels(
    grid: Grid, cells: Sequence[Any], columns: Sequence[int], chosen: Sequence[int] | None
) -> Levels:
    """The levels of the columns of texts, by their place among ``columns``: of those ``chosen``,
    or where none is of every one in which a text stands."""
    if chosen is None:
        return {}
    found = {}
    for p, j in enumerate(columns):
        if j in chosen or (not chosen and isinstance(cells[j], list)):
            where = place(grid.source, grid.lines[0], j, _name(grid, j))
            if not chosen and all(WITH_COMMA.fullmatch(x) or is_missing(x) for x in set(cells[j])):
                raise DataError(f"{where}: numbers with a decimal comma: --decimal ,")
            found[p] = levels_of(cells[j], where)
    return found


def _check_apart(source: str, label: int | None, strings: int | None, weights: int | None) -> None:
    if strings is not None and strings == label:
        raise DataError(f"{source}: column {strings} cannot hold both the labels and the strings")
    if weights is not None and weights in (label, strings):
        raise DataError(f"{source}: column {weights} cannot hold the weights and something else")


def _weights_column(
    grid: Grid, spec: str | None, first: tuple[str, ...], label: str, width: int | None
) -> int | None:
    """The column of weights; None where the file has none, as one of features alone, or of features
    and labels, need not."""
    if spec is None or len(first) == width:
        return None
    if width is not None and spec not in first and len(first) == width + (label != "none"):
        return None
    return _column(grid, spec, first, "weights")


def _weights(grid: Grid, cells: Sequence[str]) -> FloatArray:
    """Weights (n,) as written; DataError, naming the row, for one that is no number >= 0."""
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
        found = "more than once" if places else "not"
        raise DataError(
            f"{grid.source}: {role} column '{spec}' is {found} in the first row "
            f"({shown(', '.join(first), most=100)}): "
            "expected a name of the header, or an index from 0"
        )
    return first.index(spec)
