"""What differs between two programs, by the names of their rows and columns."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from radprog.base.types import IntArray
from radprog.solvers.program import Program

FEW = 3  # changes of one kind in a component that are printed one by one


@dataclass(frozen=True)
class Change:
    """A number of a row, a column, an entry or the objective, in one program and in the other.

    ``part`` is "row", "column", "entry" or "objective", and ``what`` names the number. ``before``
    or ``after`` is None for a row or column that only the other program has, and for its numbers.
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
        return f"{title}: {self.what} {self.step}"

    @property
    def step(self) -> str:
        """Both numbers."""
        return " -> ".join("none" if v is None else f"{v:.12g}" for v in (self.before, self.after))

    @property
    def common(self) -> bool:
        """Whether both programs have its row and column."""
        return self.before is not None and self.after is not None


def differences(one: Program, other: Program) -> list[Change]:
    """The changes from one program to the other, in its own sense of optimisation.

    Those of rows and columns that both have come first.
    """
    return sorted(_changes(one, other), key=lambda change: not change.common)


def _changes(one: Program, other: Program) -> Iterator[Change]:
    if one.sense != other.sense:
        yield Change("objective", "", "sense", float(one.sense), float(other.sense))
    pair = one.sense * one.constant, other.sense * other.constant
    if pair[0] != pair[1]:
        yield Change("objective", "", "constant", *pair)
    # rows and columns by name, in one list for both programs, with the value of an absent number
    inf = np.inf
    groups: tuple[tuple[str, tuple[Any, Any], tuple[tuple[str, Any, Any, float], ...]], ...] = (
        (
            "column",
            (one.column_names, other.column_names),
            (
                ("cost", one.sense * one.cost, other.sense * other.cost, 0.0),
                ("lower", one.lower, other.lower, 0.0),
                ("upper", one.upper, other.upper, inf),
                ("integer", one.integer, other.integer, 0.0),
            ),
        ),
        (
            "row",
            (one.row_names, other.row_names),
            (
                ("lower", one.row_lower, other.row_lower, -inf),
                ("upper", one.row_upper, other.row_upper, inf),
            ),
        ),
    )
    lists, places = [], []
    for part, sides, numbers in groups:
        names = list(dict.fromkeys((*sides[0], *sides[1])))
        at = {name: k for k, name in enumerate(names)}
        places.append([np.array([at[name] for name in side], dtype=np.intp) for side in sides])
        there = [np.isin(np.arange(len(names)), place) for place in places[-1]]
        lists.append((names, there))
        for k in np.flatnonzero(there[0] != there[1]).tolist():
            yield Change(part, names[k], "is", *(1.0 if of[k] else None for of in there))
        for what, *both, none in numbers:
            whole = [np.full(len(names), none) for _ in both]
            for values, place, held in zip(whole, places[-1], both, strict=True):
                values[place] = held
            for k in np.flatnonzero(whole[0] != whole[1]).tolist():
                pairs = zip(whole, there, strict=True)
                yield Change(
                    part, names[k], what, *(float(v[k]) if t[k] else None for v, t in pairs)
                )
    # entries, an absent one as 0
    (columns, with_column), (rows, with_row) = lists
    shape = len(rows), len(columns)
    a, b = (
        _spread(program, row_places, column_places, shape)
        for program, column_places, row_places in zip((one, other), *places, strict=True)
    )
    differ: Any = a != b
    apart = differ.tocoo()
    for r, c in sorted(zip(*(part.tolist() for part in apart.coords), strict=True)):
        held = zip((a, b), with_row, with_column, strict=True)
        ends = (float(m[r, c]) if row[r] and column[c] else None for m, row, column in held)
        yield Change("entry", f"{rows[r]}, {columns[c]}", "factor", *ends)


def _spread(
    program: Program, rows: IntArray, columns: IntArray, shape: tuple[int, int]
) -> sparse.csr_array:
    """The matrix of a program with its rows and columns at these places."""
    entries = program.rows.tocoo()
    r, c = entries.coords
    return sparse.csr_array((entries.data, (rows[r], columns[c])), shape=shape)


def difference_lines(changes: Sequence[Change]) -> list[str]:
    """The changes in lines, one for many of a kind in a component.

    What both programs have comes first, then what was added or removed, with its numbers.
    """
    # an equality that moved has one change
    whats: dict[tuple[str, str, str], list[str]] = {}
    for one in (one for one in changes if one.common):
        whats.setdefault((one.part, one.name, one.step), []).append(one.what)
    groups: dict[tuple[str, str, str], list[tuple[str, str]]] = {}
    for (part, name, step), kinds in whats.items():
        key = part, _component(name), " and ".join(kinds)
        groups.setdefault(key, []).append((name, step))
    lines = []
    for (part, component, what), members in groups.items():
        if len(members) <= FEW:
            lines += [f"{part} {name}".strip() + f": {what} {step}" for name, step in members]
        elif len({step for _, step in members}) == 1:
            lines.append(f"{part} {component}: {what} {members[0][1]}, {len(members)} times")
        else:
            such = f"{members[0][0]} {members[0][1]}"
            lines.append(f"{part} {component}: {what} of {len(members)} changed, such as {such}")
    # the numbers of a row or column that one program has, an entry beside its new row
    new: dict[tuple[str, str], list[Change]] = {}
    for one in (one for one in changes if one.what == "is"):
        new[one.part, one.name] = []
    for one in (one for one in changes if not one.common and one.what != "is"):
        row, _, column = one.name.partition(", ")
        of = (one.part, one.name) if one.part != "entry" else ("row", row)
        new[of if of in new else ("column", column)].append(one)
    sides = {
        (one.part, one.name): str(one).rpartition(" ")[2] for one in changes if one.what == "is"
    }
    wholes: dict[tuple[str, str, str], list[str]] = {}
    for part, name in new:
        wholes.setdefault((part, _component(name), sides[part, name]), []).append(name)
    for (part, component, side), names in wholes.items():
        if len(names) <= FEW:
            lines += [f"{part} {name}: {side}{_numbers(part, new[part, name])}" for name in names]
            continue
        count = Counter(
            _component(_other(part, one.name))
            for name in names
            for one in new[part, name]
            if one.part == "entry"
        )
        entries = ", ".join(f"{number} in {other}" for other, number in count.items())
        lines.append(
            f"{part} {component}: {len(names)} {side}" + f"; entries: {entries}" * bool(entries)
        )
    return lines


def _numbers(part: str, changes: Sequence[Change]) -> str:
    """The first five numbers of a row or column that one program has."""
    shown = []
    for one in changes:
        value = f"{one.after if one.before is None else one.before:.12g}"
        entry = one.part == "entry"
        shown.append(f"{value} in {_other(part, one.name)}" if entry else f"{one.what} {value}")
    shown[5:] = [f"and {len(shown) - 5} more"] * (len(shown) > 5)
    return f": {', '.join(shown)}" if shown else ""


def _other(part: str, name: str) -> str:
    """The other name of the entry of a row or column."""
    row, _, column = name.partition(", ")
    return column if part == "row" else row


def _component(name: str) -> str:
    return ", ".join(re.sub(r"[\[(].*", "(...)", part) for part in name.split(", "))
