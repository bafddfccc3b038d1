"""Text in rows of cells: CSV, TSV, semicolons or blanks between them, with or without a header."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from radprog.instances.errors import DataError, OptionError
from radprog.instances.headers import (
    AUTO,
    NO,
    YES,
    counts_up,
    holds_no_numbers,
    names_of_numbers,
    tops_texts,
)
from radprog.instances.labels import indicators, levels_of
from radprog.instances.limits import poll
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
    to_floats,
)
from radprog.instances.types import FloatArray

DELIMITERS = ("\t", ";", ",")
DECIMALS = (".", ",")
EVERY_TEXT = "auto"  # the columns of texts are those in which one stands
SAMPLE_LINES = 50
ERROR_CELL = re.compile(r"#(N/A|DIV/0!|NAME\?|NULL!|NUM!|REF!|VALUE!)(?![^\s,;])", re.I)
CUT_AT_ONCE = 256  # that are cut into cells between two looks at the limits


@dataclass(frozen=True, kw_only=True)
class Grid:
    """Equally long rows of cells as written, and the line behind each.

    header: names that stand elsewhere (ARFF); where there are none, the first row may hold them.
    """

    source: str
    rows: list[list[str]]
    lines: list[int]
    header: tuple[str, ...] = ()


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
    Raises DataError on rows of different lengths, on a quote that does not end, and on a number
    with a decimal point where they have commas.
    """
    kept = ["" if _is_comment(line.lstrip(), comment) else line for line in text.split("\n")]
    between = [mark for mark in DELIMITERS if mark != decimal]
    delimiter = _delimiter([line for line in kept if line][:SAMPLE_LINES], quote, between)
    if delimiter is None:
        cell = re.compile(f"{quote}([^{quote}]*){quote}|(\\S+)")
        pairs = [
            (k, [quoted or plain for quoted, plain in cell.findall(line)])
            for k, line in enumerate(kept, start=1)
            if line
        ]
    else:
        pairs = _quoted_rows(source, kept, delimiter, quote)
    if not pairs:
        raise DataError(f"{source}: no rows of data")
    lines, rows = [k for k, _ in pairs], [row for _, row in pairs]
    width = len(header or rows[0])
    if decimal == "," and width == 1 and any("," in row[0] for row in rows[:SAMPLE_LINES]):
        raise DataError(
            f"{source}: one cell a row, expected tabs, semicolons or blanks between cells, as "
            "--decimal , keeps the commas"
        )
    for k, row in pairs:
        if len(row) != width:
            reason = "declared" if header else f"in row {lines[0]}"
            raise DataError(f"{place(source, k)}: {len(row)} cells, expected {width} as {reason}")
    if decimal == ",":
        rows = [_pointed(source, k, row) for k, row in pairs]
    return Grid(source=source, rows=rows, lines=lines, header=header)


def _is_comment(line: str, comment: str) -> bool:
    """Whether a line, without the blanks before it, holds no cells."""
    return not line or (line.startswith(comment) and not ERROR_CELL.match(line))


def _pointed(source: str, line: int, row: list[str]) -> list[str]:
    """The cells of a row, decimal commas as points; DataError on a number with a point."""
    for j, cell in enumerate(row):
        if "." in cell and cell_number(cell) is not None:
            raise DataError(
                f"{place(source, line, j)}: got '{shown(cell)}', expected a decimal comma as "
                "--decimal , says, and no point"
            )
    return [cell.replace(",", ".") if WITH_COMMA.fullmatch(cell) else cell for cell in row]


def _quoted_rows(
    source: str, lines: Sequence[str], delimiter: str, quote: str
) -> list[tuple[int, list[str]]]:
    reader = csv.reader(
        (line + "\n" for line in lines),
        delimiter=delimiter,
        quotechar=quote,
        skipinitialspace=True,
        strict=True,
    )
    pairs, start = [], 1
    try:
        for row in reader:
            if row:
                pairs.append((start, row))
            if not reader.line_num % CUT_AT_ONCE:
                poll()
            start = reader.line_num + 1
    except csv.Error as error:
        raise DataError(f"{place(source, start)}: cannot be cut into cells: {error}") from None
    return pairs


def _delimiter(sample: Sequence[str], quote: str, between: Sequence[str]) -> str | None:
    bare = [re.sub(f"{quote}[^{quote}]*{quote}", "", line) for line in sample]
    for delimiter in between:
        counts = {line.count(delimiter) for line in bare}
        if len(counts) == 1 and counts != {0}:
            return delimiter
    return next((delimiter for delimiter in between if any(delimiter in x for x in bare)), None)


def table_of(
    grid: Grid,
    *,
    sha256: str,
    label: str,
    strings: str | None = None,
    width: int | None = None,
    names: Sequence[str] = (),
    weights: str | None = None,
    categorical: str | None = None,
    levels: Levels | None = None,
    header: str = AUTO,
) -> Table:
    """Features, labels, strings and weights of a grid.

    label: ``last``, ``first``, ``none``, a name of the header or an index from 0; strings, weights:
    a name or an index; the last and the first column are of those without the weights. width: the
    number of features d of the training data, if any; a file with exactly d columns then has no
    label, nor has a file with one column when ``strings`` is given; nor have these weights, or one
    with d + 1 columns that does not name them. categorical: the columns of texts, names or indices
    joined by commas, or ``auto``; levels: those of the training data, if any, in place of it; d is
    then the number of columns behind the features; names: of these, compared with a header first.
    header: whether the first row is one, where none is declared: ``yes``, ``no`` or ``auto``, if a
    name stands in it, or those of the training data do; if it holds no number, but is as
    :func:`holds_no_numbers` and :func:`tops_texts` say; and if it is :func:`names_of_numbers`.
    """
    first = grid.header or tuple(cell.strip() for cell in grid.rows[0])
    count = len(first)
    if width is not None and levels:
        width -= sum(len(known) - 1 for known in levels.values())
    if count == (1 if strings is not None else width):
        label = "none"
    w = _weights_column(grid, weights, first, label, 1 if strings is not None else width)
    k = None if label == "none" else _column(grid, label, first, "label", without=w)
    s = None if strings is None else _column(grid, strings, first, "strings")
    _check_apart(grid.source, k, s, w)
    columns = tuple(j for j in range(count) if s is None and j not in (k, w))
    chosen = _chosen(grid, categorical, first, columns)
    called = [spec for spec in (label, strings, weights) if spec and spec in first]
    called += (categorical or "").split(",") if chosen else []
    top = holds_no_numbers(grid.rows, k, s)
    if levels or chosen is not None:
        top = top and tops_texts(grid.rows, columns, levels)
    known = bool(names) and tuple(names) == tuple(first[j] for j in columns)
    named, sure = any(map(_is_name, called)), top or known
    parts, found, warnings = _without_header(grid, first, header, called=named, sure=sure)
    levels = _levels(parts, columns, chosen) if levels is None else levels
    return checked_table(
        Table(
            source=grid.source,
            sha256=sha256,
            **_features(parts, columns, levels, names),
            lines=np.array(parts.lines, dtype=np.int64),
            labels=None if k is None else tuple(row[k].strip() for row in parts.rows),
            strings=None if s is None else tuple(row[s].strip() for row in parts.rows),
            weights=None if w is None else _weights(parts, w),
            header=found,
            warnings=warnings,
        )
    )


def _without_header(
    grid: Grid, first: tuple[str, ...], choice: str, *, called: bool, sure: bool
) -> tuple[Grid, str, tuple[str, ...]]:
    """The rows below a header, which row it is in words, and what to warn about.

    choice: ``yes``, ``no`` or ``auto``; called: whether options name columns of it; sure: whether
    ``auto`` needs not look at its numbers. DataError where no row is left, or one has no names.
    """
    if grid.header:
        return grid, "", ()
    if called and choice == NO:
        raise DataError(
            f"{grid.source}: --header no, but a column is called by its name: expected an index "
            "from 0"
        )
    sure = called or sure
    taken = choice == YES or (choice == AUTO and (sure or names_of_numbers(grid.rows)))
    row, what = f"row {grid.lines[0]}", f"row {grid.lines[0]} ({shown(', '.join(first))})"
    warnings: tuple[str, ...] = ()
    if choice == AUTO and not sure and (taken or counts_up(first) == len(first)):
        read = "the header (--header no: for data)"
        read = read if taken else "data (--header yes: for the header)"
        warnings = (f"{what} holds numbers and is taken for {read}",)
    if not taken:
        return grid, f"none, {row} is data", warnings
    if len(grid.rows) == 1:
        raise DataError(f"{grid.source}: a header, but no rows of data")
    below = replace(grid, rows=grid.rows[1:], lines=grid.lines[1:], header=first)
    return below, what, warnings


def _features(
    grid: Grid, columns: Sequence[int], levels: Levels, expected: Sequence[str]
) -> dict[str, Any]:
    """``values``, ``columns``, ``names`` and ``levels`` of a table: the columns (d',) as they
    stand, those of texts by a feature for each of their levels.

    Raises DataError where they have other names than ``expected``, on a cell that is no number, on
    an unknown level, and on columns that are not those of the levels.
    """
    same_columns(grid.source, [grid.header[j] for j in columns if grid.header], expected, columns)
    if levels and max(levels) >= len(columns):
        raise DataError(
            f"{grid.source}: {len(columns)} columns of features given, but that of texts is number "
            f"{max(levels)}, from 0, in the training data"
        )
    numeric = [j for p, j in enumerate(columns) if p not in levels]
    whole = len(numeric) == len(grid.rows[0])
    cells = grid.rows if whole else [[row[j] for j in numeric] for row in grid.rows]
    names = [grid.header[j] if grid.header else None for j in columns]
    values = to_floats(cells)
    if isinstance(values, tuple):
        i, j = values[0], numeric[values[1]]
        where = place(grid.source, grid.lines[i], j, grid.header[j] if grid.header else None)
        hint = _hint(grid.rows, i, j, grid.header)
        raise DataError(f"{where}: got '{shown(grid.rows[i][j])}', expected a number{hint}")
    if not levels:
        named = tuple(name for name in names if name is not None)
        return {"values": values, "columns": tuple(columns), "names": named}
    blocks, behind, told = [], [], []
    plain = iter(values.T[:, :, None])
    for p, (j, name) in enumerate(zip(columns, names, strict=True)):
        known = levels.get(p)
        if known is None:
            blocks.append(next(plain))
            told.append(name)
        else:
            blocks.append(_one_hot(grid, j, name, known))
            told += [None if name is None else f"{name}={level}" for level in known]
        behind += [j] * blocks[-1].shape[1]
    return {
        "values": np.hstack(blocks),
        "columns": tuple(behind),
        "names": tuple(name for name in told if name is not None),
        "levels": dict(levels),
    }


def _one_hot(grid: Grid, j: int, name: str | None, levels: Sequence[str]) -> FloatArray:
    """Column j of texts by its levels (n, levels); DataError on another one."""

    def where(i: int) -> str:
        return place(grid.source, grid.lines[i], j, name)

    return indicators([row[j] for row in grid.rows], levels, where)


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


def _levels(grid: Grid, columns: Sequence[int], chosen: Sequence[int] | None) -> Levels:
    """The levels of the columns of texts, by their place among ``columns``: of those ``chosen``,
    or where none is of every one in which a text stands."""
    if chosen is None:
        return {}
    found = {}
    for p, j in enumerate(columns):
        cells = [row[j] for row in grid.rows]
        if j in chosen or (not chosen and any(cell_number(cell) is None for cell in set(cells))):
            name = grid.header[j] if grid.header else None
            where = place(grid.source, grid.lines[0], j, name)
            if not chosen and all(WITH_COMMA.fullmatch(x) or is_missing(x) for x in set(cells)):
                raise DataError(f"{where}: numbers with a decimal comma: --decimal ,")
            found[p] = levels_of(cells, where)
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


def _weights(grid: Grid, w: int) -> FloatArray:
    """Weights (n,) as written; DataError, naming the row, for one that is no number >= 0."""
    values = np.empty(len(grid.rows))
    for i, row in enumerate(grid.rows):
        value = cell_number(row[w])
        if value is None or not 0.0 <= value < np.inf:
            raise DataError(
                f"{place(grid.source, grid.lines[i])}: weight '{shown(row[w])}', expected a finite "
                "number >= 0"
            )
        values[i] = value
    return values


def _hint(rows: Sequence[Sequence[str]], i: int, j: int, header: tuple[str, ...]) -> str:
    if WITH_COMMA.fullmatch(rows[i][j]):
        return " (of numbers with a decimal comma: --decimal ,)"
    if i or header or (len(rows) > 1 and cell_number(rows[1][j]) is None):
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
    places = Counter(first)[spec]
    if places != 1:
        found = "more than once" if places else "not"
        raise DataError(
            f"{grid.source}: {role} column '{spec}' is {found} in the first row "
            f"({shown(', '.join(first), most=100)}): "
            "expected a name of the header, or an index from 0"
        )
    return first.index(spec)
