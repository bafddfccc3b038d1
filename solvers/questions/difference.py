"""What differs between two programs, by the names of their rows and columns."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import sparse

from radprog.base.sections import few
from radprog.solvers.formats.valid_names import NO_ROWS, is_upper_half
from radprog.solvers.program import Program


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

    Those of rows and columns that both have come first. Ranged rows, which .lp files have in two
    rows and .mps files in RANGES, are compared as one.
    """
    one, other = _joined(one, other.row_names), _joined(other, one.row_names)
    changes = [*_changes(one, replace(other, sense=one.sense))]
    if one.sense != other.sense and not {"cost", "constant"} & {change.what for change in changes}:
        # a maximum of f beside a minimum of -f: one change
        sentence = "the negative of the other, with the other sense,"
        changes.insert(0, Change("objective", "", sentence, float(one.sense), float(other.sense)))
    elif one.sense != other.sense:
        changes = [*_changes(one, other)]
    return sorted(changes, key=lambda change: not change.common)


def _joined(program: Program, others: Sequence[str]) -> Program:
    """The program with the upper half of each ranged row in the row itself, unless it is among the
    names ``others``, and without the row of a file that has none.
    """
    names, upper, taken = program.row_names, program.row_upper.copy(), {*others}
    kept = np.array([name != NO_ROWS for name in names], dtype=np.bool_)
    starts, parts = program.rows.indptr.tolist(), (program.rows.indices, program.rows.data)
    for i, name in enumerate(names[1:], 1):
        if not is_upper_half(name, names[i - 1]) or name in taken:
            continue
        first, half = slice(starts[i - 1], starts[i]), slice(starts[i], starts[i + 1])
        entries = all(np.array_equal(part[first], part[half]) for part in parts)
        if entries and program.row_lower[i] == -upper[i - 1] == -np.inf:
            upper[i - 1], kept[i] = upper[i], False
    return replace(program, row_upper=upper).of_rows(np.flatnonzero(kept).tolist())


def _changes(one: Program, other: Program) -> Iterator[Change]:
    both, lists = (one, other), []
    for quantity, pair in (
        ("sense", [float(p.sense) for p in both]),
        ("constant", [p.sense * p.constant for p in both]),
    ):
        if pair[0] != pair[1]:
            yield Change("objective", "", quantity, *pair)
    # the numbers of rows and columns by name, with the value of an absent one
    for part, listed, numbers in (
        ("column", "column_names", {"cost": 0.0, "lower": 0.0, "upper": np.inf, "integer": 0.0}),
        ("row", "row_names", {"row_lower": -np.inf, "row_upper": np.inf}),
    ):
        names = list(dict.fromkeys(name for p in both for name in getattr(p, listed)))
        slot = {name: k for k, name in enumerate(names)}
        places = [
            np.array([slot[name] for name in getattr(p, listed)], dtype=np.intp) for p in both
        ]
        present = [np.isin(np.arange(len(names)), place) for place in places]
        lists.append((names, places, present))
        tables = {"is": [np.where(has, 1.0, 0.0) for has in present]}
        for number, none in numbers.items():
            data = tables[number.removeprefix("row_")] = [np.full(len(names), none) for _ in both]
            for p, place, vector in zip(both, places, data, strict=True):
                vector[place] = getattr(p, number) * (p.sense if number == "cost" else 1)
        # the sum of a side and a range in a file may round otherwise than the other side
        sides = np.abs([vector for end in ("lower", "upper") for vector in tables[end]])
        ranged = np.isfinite(sides).all(axis=0) & (part == "row")
        rounding = 1e-15 * np.where(ranged, sides.max(axis=0), 0.0)
        for quantity, (mine, theirs) in tables.items():
            same = np.isclose(mine, theirs, rtol=0.0, atol=rounding)
            for k in np.flatnonzero(~same).tolist():
                ends = (
                    float(v[k]) if has[k] else None
                    for v, has in zip((mine, theirs), present, strict=True)
                )
                yield Change(part, names[k], quantity, *ends)
    # entries, an absent one as 0
    (columns, column_places, with_column), (rows, row_places, with_row) = lists
    spread = []
    for p, r, c in zip(both, row_places, column_places, strict=True):
        entries = p.rows.tocoo()
        at_names = r[entries.coords[0]], c[entries.coords[1]]
        spread.append(sparse.csr_array((entries.data, at_names), shape=(len(rows), len(columns))))
    apart: Any = spread[0] != spread[1]
    for i, j in sorted(zip(*(part.tolist() for part in apart.tocoo().coords), strict=True)):
        triples = zip(spread, with_row, with_column, strict=True)
        ends = (float(m[i, j]) if row[i] and column[j] else None for m, row, column in triples)
        yield Change("entry", f"{rows[i]}, {columns[j]}", "factor", *ends)


def difference_lines(changes: Sequence[Change]) -> list[str]:
    """The changes in lines, one for many of a kind in a component.

    What both programs have comes first, then what was added or removed, with its numbers.
    """
    # by row, column or entry: a moved equality is one change, an entry stands with its new row
    texts: dict[tuple[str, str, str], list[str]] = {}
    events = {(c.part, c.name): str(c).rpartition(" ")[2] for c in changes if c.what == "is"}
    for change in changes:
        if change.common:
            texts.setdefault((change.part, change.name, change.step), []).append(change.what)
            continue
        row, _, column = change.name.partition(", ")
        entry = change.part == "entry"
        owner = (change.part, change.name) if not entry else ("row", row)
        owner = owner if owner in events else ("column", column)
        numbers = texts.setdefault((*owner, events[owner]), [])
        if change.what != "is":
            value = f"{change.after if change.before is None else change.before:.12g}"
            partner = column if owner[0] == "row" else row
            numbers.append(f"{value} in {partner}" if entry else f"{change.what} {value}")
    groups: dict[tuple[str, str, str], list[tuple[str, str]]] = {}
    for (part, name, step), words in texts.items():
        event = events.get((part, name))
        text = f": {few(words)}" * bool(words) if event else f": {' and '.join(words)} {step}"
        kind = event or f"changed of {' and '.join(words)}"
        groups.setdefault((part, component_of(name), kind), []).append((name, text))
    lines = []
    for (part, component, kind), members in groups.items():
        name, text = members[0]
        event = f": {kind}" if kind in ("added", "removed") else ""
        if len(members) <= 3:  # few are printed one by one
            lines += [f"{part} {name}".strip() + event + text for name, text in members]
        elif len({text for _, text in members}) == 1:
            lines.append(f"{part} {component}{event}{text}, {len(members)} times")
        else:
            lines.append(
                f"{part} {component}: {len(members)} {kind.split()[0]}, such as {name}{text}"
            )
    return lines


def component_of(name: str) -> str:
    """The name of a row or column, or of an entry, with ``(...)`` in place of an index."""
    return ", ".join(re.sub(r"[\[(].*", "(...)", part) for part in name.split(", "))
