"""Text in rows of cells: CSV, TSV, semicolons or blanks between them, with or without a header."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from radprog.instances.errors import DataError
from radprog.instances.limits import poll
from radprog.instances.tables import (
    Table,
    cell_number,
    checked_table,
    is_missing,
    place,
    shown,
    to_floats,
)
from radprog.instances.types import FloatArray

DELIMITERS = ("\t", ";", ",")
SAMPLE_LINES = 50


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
    source: str, text: str, *, comment: str = "#", quote: str = '"', header: tuple[str, ...] = ()
) -> Grid:
    """Cut text into cells. Blank lines and lines that begin with ``comment`` are skipped.

    Cells stand between tabs, semicolons, commas, or runs of blanks: the first of these that gives
    the same number of cells, above one, on each of the first lines. header: names that the file
    declares elsewhere.
    Raises DataError on rows of different lengths and on a quote that does not end.
    """
    kept = [
        "" if not line.strip() or line.lstrip().startswith(comment) else line
        for line in text.split("\n")
    ]
    delimiter = _delimiter([line for line in kept if line][:SAMPLE_LINES], quote)
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
    for k, row in pairs:
        if len(row) != width:
            reason = "declared" if header else f"in row {lines[0]}"
            raise DataError(f"{place(source, k)}: {len(row)} cells, expected {width} as {reason}")
    return Grid(source=source, rows=rows, lines=lines, header=header)


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
            poll()
            if row:
                pairs.append((start, row))
            start = reader.line_num + 1
    except csv.Error as error:
        raise DataError(f"{place(source, start)}: cannot be cut into cells: {error}") from None
    return pairs


def _delimiter(sample: Sequence[str], quote: str) -> str | None:
    bare = [re.sub(f"{quote}[^{quote}]*{quote}", "", line) for line in sample]
    for delimiter in DELIMITERS:
        counts = {line.count(delimiter) for line in bare}
        if len(counts) == 1 and counts != {0}:
            return delimiter
    return next((delimiter for delimiter in DELIMITERS if any(delimiter in x for x in bare)), None)


def table_of(
    grid: Grid,
    *,
    sha256: str,
    label: str,
    strings: str | None = None,
    width: int | None = None,
    weights: str | None = None,
) -> Table:
    """Features, labels, strings and weights of a grid.

    label: ``last``, ``first``, ``none``, a name of the header or an index from 0; strings, weights:
    a name or an index; the last and the first column are of those without the weights. width: the
    number of features d of the training data, if any; a file with exactly d columns then has no
    label, nor has a file with one column when ``strings`` is given; nor have these weights, or one
    with d + 1 columns that does not name them.
    Without a declared header, the first row is one when a name stands in it; or when it holds no
    number, but a text in a feature column (with ``strings``: a text above numeric labels only).
    """
    first = grid.header or tuple(cell.strip() for cell in grid.rows[0])
    count = len(first)
    if count == (1 if strings is not None else width):
        label = "none"
    w = _weights_column(grid, weights, first, label, 1 if strings is not None else width)
    k = None if label == "none" else _column(grid, label, first, "label", without=w)
    s = None if strings is None else _column(grid, strings, first, "strings")
    _check_apart(grid.source, k, s, w)
    rows, lines = grid.rows, grid.lines
    header = grid.header
    named = any(spec in first for spec in (label, strings, weights) if spec and _is_name(spec))
    if not header and (named or _looks_like_header(rows, k, s)):
        header, rows, lines = first, rows[1:], lines[1:]
    if not rows:
        raise DataError(f"{grid.source}: a header, but no rows of data")
    columns = () if s is not None else tuple(j for j in range(count) if j not in (k, w))
    names = tuple(header[j] for j in columns) if header else ()
    labels = None if k is None else tuple(row[k].strip() for row in rows)
    cells = rows if len(columns) == count else [[row[j] for j in columns] for row in rows]
    values = to_floats(cells)
    if isinstance(values, tuple):
        i, j = values
        raise DataError(
            f"{place(grid.source, lines[i], columns[j], names[j] if names else None)}: "
            f"got '{shown(cells[i][j])}', expected a number" + _hint(rows, i, header)
        )
    return checked_table(
        Table(
            source=grid.source,
            sha256=sha256,
            values=values,
            lines=np.array(lines, dtype=np.int64),
            columns=columns,
            names=names,
            labels=labels,
            strings=None if s is None else tuple(row[s].strip() for row in rows),
            weights=None if w is None else _weights(grid.source, [row[w] for row in rows], lines),
        )
    )


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


def _weights(source: str, cells: Sequence[str], lines: Sequence[int]) -> FloatArray:
    """Weights (n,) as written; DataError, naming the row, for one that is no number >= 0."""
    values = np.empty(len(cells))
    for i, cell in enumerate(cells):
        value = cell_number(cell)
        if value is None or not 0.0 <= value < np.inf:
            raise DataError(
                f"{place(source, lines[i])}: weight '{shown(cell)}', expected a finite number >= 0"
            )
        values[i] = value
    return values


def _hint(rows: Sequence[Sequence[str]], i: int, header: tuple[str, ...]) -> str:
    mixed = i == 0 and not header and any(cell_number(cell) is not None for cell in rows[0])
    return " (a first row with numbers in it is not taken for a header)" if mixed else ""


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


def _looks_like_header(
    rows: Sequence[Sequence[str]], label: int | None, strings: int | None
) -> bool:
    first = rows[0]
    values = [cell_number(cell) for cell in first]
    if any(
        value is not None and not is_missing(cell)
        for value, cell in zip(values, first, strict=True)
    ):
        return False
    if strings is None:
        return any(value is None for j, value in enumerate(values) if j != label)
    if label is None or values[label] is not None or len(rows) == 1:
        return False
    return all(cell_number(row[label]) is not None for row in rows[1:])
