"""Whether the first row of a text file names its columns."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from radprog.instances.labels import plain_label
from radprog.instances.tables import WITH_COMMA, Levels, cell_number, is_missing

Cells = Callable[[int], Sequence[str]]  # of a column, the first row's first

HEADERS = (AUTO, YES, NO) = ("auto", "yes", "no")
FEW_COLUMNS, FEW_ROWS = 3, 8  # up to which a first row 0, 1, 2 may well be data


def holds_no_numbers(
    first: Sequence[str], column: Cells, label: int | None, strings: int | None
) -> bool:
    """Whether a first row holds no number, but a text in a column of features; with strings: texts
    alone, above numeric labels."""
    values = [cell_number(cell) for cell in first]
    if any(
        (value is not None and not is_missing(cell)) or WITH_COMMA.fullmatch(cell)
        for value, cell in zip(values, first, strict=True)
    ):
        return False
    if strings is None:
        return any(value is None for j, value in enumerate(values) if j != label)
    if label is None or values[label] is not None:
        return False
    below = column(label)[1:]
    return bool(below) and all(cell_number(cell) is not None for cell in below)


def tops_texts(
    first: Sequence[str], column: Cells, columns: Sequence[int], levels: Levels | None
) -> bool:
    """Whether a first row without numbers stands above columns of texts, and is none of theirs.

    It is where a known column of ``levels`` has no such level; without any, where a column of
    numbers begins in the row below, or no cell of it occurs again in its column.
    """
    # columns of texts with known levels: a text that is no level is a name
    if levels:
        known = [(columns[p], found) for p, found in levels.items() if p < len(columns)]
        return any(plain_label(first[j]) not in found for j, found in known)
    if len(column(0)) == 1:
        return False
    # a text above a number is a name
    below = ((first[j], column(j)[1]) for j in columns)
    if any(not is_missing(top + cell) and cell_number(cell) is not None for top, cell in below):
        return True
    return all(column(j).count(column(j)[0]) == 1 for j in columns)


def counts_up(first: Sequence[str]) -> int:
    """How many numbers a first row has, where they are 0, 1, ..., as frames name their columns;
    else 0."""
    numbers = [cell for cell in first if cell and cell_number(cell) is not None]
    counted = numbers == [str(k) for k in range(len(numbers))]
    return len(numbers) if counted and len(numbers) > 1 else 0


def names_of_numbers(first: Sequence[str], column: Cells) -> bool:
    """Whether a first row with numbers in it is one of names, which as data it would hardly be.

    All cells differ, and are texts or whole numbers; the first may be empty, above the index of a
    frame. The numbers are 0, 1, ..., more than FEW_COLUMNS or in a row of another kind than those
    below, and neither a text nor all numbers occur again in their columns; or there are more than
    FEW_ROWS, no cell occurs again, and the numbers are 0, 1, ... or the row is of another kind.
    """
    # every cell is a text or a whole number, and all differ
    texts = {j for j, cell in enumerate(first) if cell_number(cell) is None}
    numbers = {j for j, cell in enumerate(first) if cell.isascii() and cell.isdecimal()}
    others = len(first) - len(texts) - len(numbers) - (not first[0])
    if others or not numbers or len(set(first)) < len(first):
        return False
    count = len(column(0))
    if count == 1:
        return False
    # which of them occur again below, as the cells of data do
    cells = {j: set(map(str.strip, column(j)[1:])) for j in texts | numbers}
    again = {j for j, below in cells.items() if first[j] in below}
    # 0, 1, 2, ... are the names that a frame gives its columns
    counted = counts_up(first)
    other_kind = any(_of_another_kind(first[j], below) for j, below in cells.items())
    if counted > FEW_COLUMNS or (counted and other_kind):
        return again < numbers
    return count > FEW_ROWS and not again and (counted > 0 or other_kind)


def _of_another_kind(top: str, below: set[str]) -> bool:
    """Whether a text stands above numbers alone, or a number above texts alone."""
    kinds = {cell_number(cell) is None for cell in below if not is_missing(cell)}
    return kinds == {cell_number(top) is not None}
