"""Lines and tables of a result or an analysis, rendered as text or as HTML."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal, localcontext
from html import escape
from itertools import groupby
from typing import Any

EMPTY = {"", "-"}  # cells without a value
UNSAFE = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)


def safe(text: str) -> str:
    """Text for a terminal, in which escapes replace control characters, text direction marks and
    invalid bytes.

    Tabs and line ends do not change.
    """
    return UNSAFE.sub(lambda match: ascii(match[0])[1:-1], text)


@dataclass(frozen=True, kw_only=True)
class Table:
    """A text table with a header row. Columns without any value are omitted.

    Numbers are right-aligned, and words are left-aligned. If there is no header, the first column
    contains the names of the rows. ``most`` is the maximum number of visible rows, ``all_in`` says
    where the others are, and ``note`` is a line below the table.
    """

    rows: Sequence[tuple[Any, ...]]
    head: tuple[str, ...] = ()
    title: str = ""
    note: str = ""
    most: int | None = None
    all_in: str = ""

    @property
    def left(self) -> int:
        """The number of hidden rows beyond ``most``."""
        return 0 if self.most is None else max(0, len(self.rows) - self.most)

    def cells(self) -> list[tuple[str, ...]]:
        """The header and the visible rows as strings. A missing header has empty cells."""
        head = self.head or ("",) * len(self.rows[0])
        rows = [[cell_words(value) for value in row] for row in self.rows[: self.most]]
        columns = zip(head, *rows, strict=True)
        return list(zip(*(c for c in columns if set(c[1:]) - EMPTY), strict=True))

    def lines(self) -> list[str]:
        """The title, the header, one line per row, and the note; empty without rows."""
        if not self.rows:
            return []
        cells = self.cells()
        columns = list(zip(*cells, strict=True))
        widths = [max(map(len, column)) for column in columns]
        # columns with mostly numbers are right-aligned
        filled = [[cell for cell in column[1:] if cell not in EMPTY] for column in columns]
        sides = [">" if 2 * sum(map(_is_number, some)) > len(some) else "<" for some in filled]
        shapes = [f"{side}{width}" for side, width in zip(sides, widths, strict=True)]
        lines = ["  ".join(map(format, row, shapes)).rstrip() for row in cells[not self.head :]]
        hidden = [f"{'...':>{widths[0]}}  {self.left} more{self.all_in}"] if self.left else []
        return [text for text in (self.title, *lines, *hidden, self.note) if text]

    def html(self) -> str:
        """An HTML table below its title. All strings are escaped."""
        if not self.rows:
            return ""
        # headers of columns and names of rows; numbers are right-aligned
        head, *rows = self.cells()
        name = 0 if self.head else 1
        body = [
            "".join(f'<th scope="row">{escape(cell)}</th>' for cell in row[:name])
            + "".join(
                ('<td class="number">' if _is_number(cell) else "<td>") + f"{escape(cell)}</td>"
                for cell in row[name:]
            )
            for row in rows
        ]
        if self.head:
            body.insert(0, "".join(f'<th scope="col">{escape(cell)}</th>' for cell in head))
        title = f"<h3>{escape(self.title)}</h3>" if self.title else ""
        notes = (self.note, f"and {self.left} more{self.all_in}" if self.left else "")
        return "\n".join(
            [
                f'{title}<div class="scroll"><table>',
                *(f"<tr>{row}</tr>" for row in body),
                "</table></div>",
                *(f'<p class="soft">{escape(text)}</p>' for text in notes if text),
            ]
        )


def amount(number: int, one: str, several: str = "") -> str:
    """A number of things in words: "1 row" and "2 rows"."""
    return f"{number} {one if number == 1 else several or one + 's'}"


def _is_number(text: str) -> bool:
    try:
        float(text.strip("*"))  # marks of bold and italic numbers
    except ValueError:
        return False
    return True


Part = str | Table  # a line of text, or a table


def text_lines(parts: Iterable[Part]) -> list[str]:
    """Lines and tables as lines for a terminal."""
    return [
        line for part in parts for line in (part.lines() if isinstance(part, Table) else [part])
    ]


def html_of(parts: Iterable[Part]) -> str:
    """Lines and tables as HTML for a page or a notebook."""
    blocks = []
    for kind, group in groupby(parts, key=type):
        if kind is str:
            text = "\n".join(map(str, group))
            blocks.append(f"<pre>{escape(text)}</pre>")
        else:
            blocks += [part.html() for part in group if isinstance(part, Table)]
    return safe("\n".join(blocks))


class Shown:
    """A mixin that shows an object in notebooks as HTML."""

    def _parts(self) -> Sequence[Part]:
        """The object as lines and tables."""
        raise NotImplementedError

    def _repr_html_(self) -> str:
        return html_of(self._parts())


class Report(Shown, dict[str, Any]):
    """A mapping of JSON types. ``print`` and notebooks show it like the output of the corresponding
    command.
    """

    def __str__(self) -> str:
        return "\n".join(text_lines(self._parts()))

    def __repr__(self) -> str:
        lines = [part for part in self._parts() if isinstance(part, str)]
        return f"<{type(self).__name__}: {'; '.join(lines[:2])}>"


def few(words: Sequence[str], most: int | None = 5) -> str:
    """The first words of a list, and how many more there are."""
    hidden = 0 if most is None else len(words) - most
    return ", ".join(words[:most]) + f" and {hidden} more" * (hidden > 0)


def styled(value: float | None, style: str, missing: str = "-") -> str:
    """A number in the given format; ``missing`` for None and for numbers that are not finite."""
    return missing if value is None or not math.isfinite(value) else f"{value:{style}}"


def bounded(value: float | None, style: str, *, up: bool = True) -> str:
    """A bound in the given format, rounded ``up`` or down, so that the text is a bound too; a
    percentage has no sign.

    Digits after the 14th are rounding errors of the value.
    """
    if value is None or not math.isfinite(value):
        return "-" if value is None else str(value)
    exact, style = Decimal(f"{value:.14g}").scaleb(2 * ("%" in style)), style.replace("%", "f")
    with localcontext(rounding=ROUND_CEILING if up else ROUND_FLOOR):
        return f"{float(format(exact, style)):{style}}"


def cell_words(value: Any) -> str:
    """A JSON value in words."""
    if value is None or isinstance(value, float):
        return styled(value, ".6g")
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)


def named(key: Any) -> str:
    """The key of a block in words."""
    return str(key).replace("_", " ")


def _rounded(key: Any, value: Any) -> Any:
    """A value of a block, as a text if its key names an upper bound."""
    upper = str(key).endswith(("certified_upper", "upper_bound")) and isinstance(value, float)
    return bounded(value, ".6g") if upper else value


def pairs(title: str, values: Mapping[str, Any]) -> Table:
    """Names and values in two columns, without empty values."""
    filled = ((key, value) for key, value in values.items() if value not in (None, ""))
    rows = [(named(key), _rounded(key, value)) for key, value in filled]
    return Table(title=title, rows=rows)


def records(title: str, rows: Sequence[Mapping[str, Any]]) -> Table:
    """Records as rows, with the union of their keys as columns."""
    keys = list(dict.fromkeys(key for row in rows for key in row))
    cells = [tuple(_rounded(key, row.get(key)) for key in keys) for row in rows]
    return Table(title=title, head=tuple(map(named, keys)), rows=cells)
