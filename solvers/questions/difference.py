"""What differs between two programs, by the names of their rows and columns."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from radprog.solvers.program import Program


@dataclass(frozen=True)
class Change:
    """A number of a row, a column, an entry or the objective, in one program and in the other.

    ``part`` is "row", "column", "entry" or "objective", and ``what`` names the number. ``before``
    or ``after`` is None for a row, column or entry that only the other program has.
    """

    part: str
    name: str
    what: str
    before: float | None
    after: float | None

    def __str__(self) -> str:
        title = f"{self.part} {self.name}".strip()
        if self.what == "is":
            return f"{title}: {'removed' if self.after is None else 'added'}"
        before, after = ("none" if v is None else f"{v:.12g}" for v in (self.before, self.after))
        return f"{title}: {self.what} {before} -> {after}"


def differences(one: Program, other: Program) -> Iterator[Change]:
    """The changes from one program to the other, in its own sense of optimisation."""
    if one.sense != other.sense:
        yield Change("objective", "", "sense", float(one.sense), float(other.sense))
    pair = one.sense * one.constant, other.sense * other.constant
    if pair[0] != pair[1]:
        yield Change("objective", "", "constant", *pair)
    # rows and columns by name, then their numbers
    groups: tuple[tuple[str, tuple[Any, Any], tuple[tuple[str, Any, Any], ...]], ...] = (
        (
            "column",
            (one.column_names, other.column_names),
            (
                ("cost", one.sense * one.cost, other.sense * other.cost),
                ("lower", one.lower, other.lower),
                ("upper", one.upper, other.upper),
                ("integer", one.integer, other.integer),
            ),
        ),
        (
            "row",
            (one.row_names, other.row_names),
            (
                ("lower", one.row_lower, other.row_lower),
                ("upper", one.row_upper, other.row_upper),
            ),
        ),
    )
    places = []
    for part, (before, after), numbers in groups:
        mine = {name: k for k, name in enumerate(before)}
        theirs = {name: k for k, name in enumerate(after)}
        places.append((mine, theirs))
        for name in (name for name in before if name not in theirs):
            yield Change(part, name, "is", 1.0, None)
        for name in (name for name in after if name not in mine):
            yield Change(part, name, "is", None, 1.0)
        common = [name for name in before if name in theirs]
        left = np.array([mine[name] for name in common], dtype=np.intp)
        right = np.array([theirs[name] for name in common], dtype=np.intp)
        for what, a, b in numbers:
            for k in np.flatnonzero(a[left] != b[right]).tolist():
                yield Change(part, common[k], what, float(a[left[k]]), float(b[right[k]]))
    # entries of the rows and columns that both have
    (columns, other_columns), (rows, other_rows) = places
    both = [name for name in columns if name in other_columns]
    kept = [name for name in rows if name in other_rows]
    a = one.rows[[rows[name] for name in kept]][:, [columns[name] for name in both]]
    b = other.rows[[other_rows[name] for name in kept]][:, [other_columns[name] for name in both]]
    apart: Any = a != b
    apart = apart.tocoo()
    for r, c in sorted(zip(*(part.tolist() for part in apart.coords), strict=True)):
        yield Change("entry", f"{kept[r]}, {both[c]}", "factor", float(a[r, c]), float(b[r, c]))
