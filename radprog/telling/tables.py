"""Tables of numbers and words, and the mappings that print and show themselves as text."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from radprog.base.errors import keyworded


def styled(value: float | None, style: str, missing: str = "-") -> str:
    """A number in a style of its own."""
    return missing if value is None or not math.isfinite(value) else f"{value:{style}}"


@dataclass(frozen=True, kw_only=True)
class Table:
    """Rows under a head: numbers to the right, the words of the last column to the left; columns
    without any value are left out. On a page a table without a head has the names of its rows in
    the first column.

    most: how many rows are shown; worded: whether the last column holds words. Of a page: title,
    note below the table, and main: what the page is about, which is never folded.
    """

    rows: Sequence[tuple[Any, ...]]
    head: tuple[str, ...] = ()
    title: str = ""
    note: str = ""
    main: bool = False
    most: int | None = None
    worded: bool = True

    def lines(self) -> list[str]:
        """The head and a line a row; nothing where there are none."""
        if not self.rows:
            return []
        # columns without any value are left out
        cells = [list(map(_cell, row)) for row in self.rows[: self.most]]
        columns = [
            (name, *column)
            for name, column in zip(self.head, zip(*cells, strict=True), strict=True)
            if set(column) - {"", "-"}
        ]
        # numbers to the right, the words of the last column to the left
        widths = [max(map(len, column)) for column in columns]
        numbers = len(widths) - self.worded
        lines = [
            "  ".join(
                cell.rjust(width) if place < numbers else cell
                for place, (cell, width) in enumerate(zip(row, widths, strict=True))
            )
            for row in zip(*columns, strict=True)
        ]
        # how many rows are not shown
        left = len(self.rows) - len(cells)
        return [*lines, f"{'...':>{widths[0]}}  {left} more"] if left else lines


def _cell(value: Any) -> str:
    return styled(value, ".6g") if value is None or isinstance(value, float) else str(value)


class ToldTable(dict[str, Any]):
    """A mapping in JSON's types, told in one line by ``repr`` and in full by ``print`` and in a
    notebook."""

    def lines(self) -> list[str]:
        """All of it, in lines of text."""
        raise NotImplementedError

    def ended(self) -> str:
        """What was found, in some words."""
        raise NotImplementedError

    def __str__(self) -> str:
        return keyworded("\n".join(self.lines()))

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self['model']}: {self.ended()}>"

    def _repr_html_(self) -> str:
        return f"<pre>{escape(str(self))}</pre>"
