"""A reader of programs in free MPS format, as CPLEX and Gurobi read them."""

from __future__ import annotations

import math
import re
from array import array
from collections import Counter
from collections.abc import Sequence
from itertools import chain, compress, count
from operator import ne
from pathlib import Path
from typing import Any, TextIO

import numpy as np

from radprog.base.errors import DataError
from radprog.base.types import IntArray
from radprog.solvers.formats.reading import SHOWN, Number, Reading
from radprog.solvers.program import INFINITE

SENSES = {"MAX": -1, "MAXIMIZE": -1, "MAXIMISE": -1, "MIN": 1, "MINIMIZE": 1, "MINIMISE": 1}
# possessive: a word after a thousand numbers is found in one pass
_NUMERALS = re.compile(r"(?:[-+0-9. ]++|[eE][-+]?+\d{1,3}+(?!\d))*+", re.ASCII)
_WITHOUT_NUMBER = ("FR", "MI", "PL", "BV")
#: The sides that a kind of bound sets: lower, upper or both.
_SIDES = {"UP": "u", "UI": "u", "PL": "u", "LO": "l", "LI": "l", "MI": "l"} | dict.fromkeys(
    ("FX", "FR", "BV"), "lu"
)
_BOUND = re.compile(r"^[ \t]+(\S+)[ \t]+(\S+)[ \t]+(\S+)(?:[ \t]+(\S+))?[ \t]*$", re.MULTILINE)
_HEAD, _INDENTED = re.compile(r"\n[^ \t]"), re.compile(r"\n[ \t]")  # first of the next line
_END = "\0"  # of a line, among the words of a block


def read_mps(path: Path, number: Number = float) -> Reading:
    """Read a linear or quadratic program. Raises DataError with the line of what is not read."""
    reader = _MpsReader(path, number)
    try:
        # the standard line ends of all systems, and no others
        with path.open(encoding="utf-8-sig", newline=None) as stream:
            reader.read(stream)
    except UnicodeDecodeError as error:
        raise DataError(f"a name in it is not UTF-8 text: {error.reason}") from None
    return reader.finished()


class _MpsReader:
    """The state of the reader: its section, the rows by name, and what the sections hold."""

    def __init__(self, path: Path, number: Number) -> None:
        self.path, self.out, self.exact = path, Reading(number), number is not float
        self.line, self.section, self.sections = 0, "", Counter[str]()
        self.row_of, self.letters = dict[str, int](), list[str]()
        self.objective: str | None = None
        self.wanted: str | None = None
        self.integer = False
        self.filled = set[int]()  # rows with an entry in the last column
        self.curved = Reading.COST  # the row of the squares that follow
        self.sides, self.ranges = dict[int, Any](), dict[int, Any]()
        self.sets = dict[str, str]()
        self.bounded = {side: array("i") for side in "lu"}  # lines of the bounds of columns, or 0
        self.negative = dict[int, tuple[str, int]]()  # columns with UP < 0 and their lines

    def read(self, stream: TextIO) -> None:
        """Read all lines, those of long sections in blocks where these are regular."""
        takers = {
            "ROWS": self.take_rows,
            "COLUMNS": self.take_columns,
            "RHS": self.take_sides,
            "BOUNDS": self.take_bounds,
        }
        line = 1
        # whole lines, about 15,000 at a time
        while text := stream.read(1 << 19) + stream.readline():
            place = 0
            while place < len(text):
                # a block ends where lines of a section begin or end
                regular = text[place] in " \t"
                stop = (_HEAD if regular else _INDENTED).search(text, place)
                block = text[place : stop.start() + 1 if stop else None]
                place += len(block)
                take_block = takers.get(self.section) if regular else None
                self.line = line
                try:
                    if take_block is None or not take_block(block):
                        for self.line, entry in enumerate(_lines(block), line):
                            self.take(entry)
                except DataError as error:
                    raise DataError(f"line {self.line}: {error}") from None
                line += block.count("\n")

    def take(self, text: str) -> None:
        """Read one line: a comment, the name of a section, or what stands in a section."""
        fields = text.split()
        if not fields or text[0] == "*":
            return
        if self.section == "ENDATA":
            raise DataError("ENDATA is not the last line")
        if text[0] not in " \t":
            self.open_section(fields)
        elif self.section in _SECTIONS:
            _SECTIONS[self.section](self, fields)
        else:
            raise DataError(f"got '{text.strip()[:SHOWN]}', expected a section such as ROWS")

    def open_section(self, fields: Sequence[str]) -> None:
        name = fields[0].upper()
        if name not in ("NAME", "ENDATA", *_SECTIONS):
            raise DataError(
                f"the section {fields[0][:SHOWN]} is not read: expected ROWS, COLUMNS, RHS, "
                "RANGES, BOUNDS, QUADOBJ, QMATRIX or QCMATRIX; lines of data begin with a blank"
            )
        self.curved = Reading.COST
        if name == "QCMATRIX":
            if len(fields) != 2:
                raise DataError("QCMATRIX: expected the name of a row")
            self.curved, name = self.row(fields[1]), " ".join(fields)
            if self.curved < 0:
                raise DataError(f"QCMATRIX of the free row {fields[1]}")
        self.sections[name] += 1
        if self.sections[name] > 1:
            raise DataError(f"the section {name} comes twice")
        needs = {"COLUMNS": "ROWS"} | dict.fromkeys(("ENDATA", "RHS", "BOUNDS"), "COLUMNS")
        if name in needs and needs[name] not in self.sections:
            raise DataError(f"the section {name} stands before {needs[name]}")
        if name == "RHS" and "RANGES" in self.sections:
            raise DataError("RHS stands behind RANGES, where HiGHS reads other sides: put it first")
        self.section = fields[0].upper()
        if name in ("BOUNDS", "ENDATA"):
            for lines in self.bounded.values():
                lines.extend([0] * (len(self.out.columns) - len(lines)))
        # CPLEX and Gurobi read the sense on the next line, HiGHS, Gurobi and SCIP also on this
        if name == "OBJSENSE" and len(fields) > 1:
            self.take_sense(fields[1:])
            # HiGHS reads only this, and only before ROWS
            if fields not in (["OBJSENSE", "MAX"], ["OBJSENSE", "MIN"]) or "ROWS" in self.sections:
                raise DataError(f"{fields[0]} {fields[1]}: write {fields[1]} on a line of its own")
            if self.out.sense == -1:
                self.out.notes.append(
                    f"line {self.line}: OBJSENSE MAX on one line is read as a maximisation; CPLEX "
                    "minimises: write MAX on a line of its own"
                )
        elif self.section not in ("NAME", "OBJSENSE", "QCMATRIX") and len(fields) > 1:
            raise DataError(f"got '{fields[1][:SHOWN]}' behind {name}, expected a new line")

    def take_sense(self, fields: Sequence[str]) -> None:
        if len(fields) != 1 or fields[0].upper() not in SENSES:
            raise DataError(f"OBJSENSE '{' '.join(fields)[:SHOWN]}': expected MAX or MIN")
        self.out.sense = SENSES[fields[0].upper()]

    def take_objective_name(self, fields: Sequence[str]) -> None:
        if len(fields) != 1 or "ROWS" in self.sections:
            raise DataError("OBJNAME: expected one name, before ROWS")
        self.wanted = fields[0]

    def take_row(self, fields: Sequence[str]) -> None:
        if len(fields) != 2:
            raise DataError(f"{len(fields)} fields, expected a letter and a name without blanks")
        letter, name = fields
        if name in self.row_of:
            raise DataError(f"the row {name} comes twice")
        if letter not in ("N", "E", "L", "G"):
            raise DataError(f"row {name} of the kind {letter[:SHOWN]}: expected N, E, L or G")
        if letter == "N":
            # the first free row is the objective, others are left out
            is_first = self.objective is None
            if is_first and self.wanted not in (None, name):
                raise DataError(
                    f"OBJNAME {self.wanted} is not the first row N, {name}, which "
                    "Gurobi and HiGHS minimise: put it first"
                )
            self.objective = name if is_first else self.objective
            self.row_of[name] = Reading.COST if is_first else Reading.FREE
            return
        self.row_of[name] = len(self.letters)
        self.letters.append(letter)
        self.out.rows.append(name)

    def words(self, block: str, count: int) -> list[list[str]] | None:
        """The first, second, ... words of the lines of a block, if each line has ``count``."""
        # one list of strings: lists of each line would start the garbage collector
        parts = block.replace("\n", f" {_END} ").split()
        step, lines = count + 1, block.count("\n")
        if len(parts) != step * lines or parts[count::step] != [_END] * lines:
            return None
        return [parts[k::step] for k in range(count)]

    def take_rows(self, block: str) -> bool:
        """Read a block of ROWS; False if a line needs :meth:`take`."""
        words = self.words(block, 2)
        if words is None:
            return False
        letters, names = words
        # the first row is usually the objective
        start = int(letters[:1] == ["N"] and not self.letters)
        if not {"E", "L", "G"}.issuperset(letters[start:]) or len({*names}) < len(names):
            return False
        if not self.row_of.keys().isdisjoint(names):
            return False
        for text in _lines(block)[:start]:
            self.take(text)
        self.row_of.update(zip(names[start:], count(len(self.letters)), strict=False))
        self.letters += letters[start:]
        self.out.rows += names[start:]
        return True

    def entries(self, block: str) -> tuple[Sequence[str], IntArray, Sequence[Any]] | None:
        """The first names, rows and numbers of a block of lines with one or two pairs of a row and
        a number; None if a line needs :meth:`take`.
        """
        words = self.words(block, 3)
        if words is None:
            fields = list(map(str.split, _lines(block)))
            if not set(map(len, fields)) <= {3, 5}:
                return None
            pairs = [(f[0], *f[k : k + 2]) for f in fields for k in range(1, len(f), 2)]
            words = list(map(list, zip(*pairs, strict=True)))
        names, rows, texts = words
        if not _NUMERALS.fullmatch(" ".join(texts)):
            return None
        try:
            places = np.fromiter(map(self.row_of.__getitem__, rows), np.int64, len(rows))
            values = list(map(self.out.decimal if self.exact else float, texts))
        except (KeyError, ValueError, DataError):
            return None
        return (names, places, values) if all(map(math.isfinite, values)) else None

    def take_sides(self, block: str) -> bool:
        """Read a block of RHS; False if a line needs :meth:`take`."""
        entries = self.entries(block)
        if entries is None:
            return False
        names, places, values = entries
        sides = dict(zip(places.tolist(), values, strict=True))
        sets = {*names, self.sets.get("RHS", names[0])}
        if len(sets) > 1 or len(sides) < len(places) or sides.keys() & {*self.sides, Reading.FREE}:
            return False
        self.sets["RHS"] = names[0]
        self.sides.update(sides)
        return True

    def take_columns(self, block: str) -> bool:
        """Read a block of columns; False if a line needs :meth:`take`."""
        entries = self.entries(block)
        if entries is None:
            return False
        names, rows, values = entries
        # the columns stand one after the other; the first may go on from the last block
        known = self.out.columns
        previous = next(reversed(known), "")
        starts = list(compress(count(), map(ne, names, chain((previous,), names))))
        added = [names[k] for k in starts]
        if len(set(added)) < len(added) or not known.keys().isdisjoint(added):
            return False
        columns = np.repeat(np.arange(len(added) + 1), np.diff([0, *starts, len(names)]))
        keys = np.sort(columns * (len(self.row_of) + 2) + rows)
        goes_on = rows[: starts[0] if starts else None].tolist()
        if (keys[1:] == keys[:-1]).any() or not self.filled.isdisjoint(goes_on):
            return False
        of_row, of_column = (
            array("i", part.astype(np.intc).tobytes()) for part in (rows, columns + len(known) - 1)
        )
        self.out.add(of_row, of_column, values)
        tail = rows[starts[-1] if starts else 0 :].tolist()
        self.filled = set(tail) if starts else self.filled.union(tail)
        self.out.open(added, integer=self.integer)
        return True

    def take_column(self, fields: Sequence[str]) -> None:
        if len(fields) == 3 and fields[1].upper() == "'MARKER'":
            if fields[1:] not in (["'MARKER'", "'INTORG'"], ["'MARKER'", "'INTEND'"]):
                raise DataError(
                    f"got {' '.join(fields[1:])[:SHOWN]}, expected 'MARKER' with "
                    "'INTORG' or 'INTEND', in capitals"
                )
            if self.integer == (fields[2] == "'INTORG'"):
                raise DataError(f"{fields[2]} follows another {fields[2]}")
            self.integer = not self.integer
            return
        name, pairs = fields[0], self.pairs(fields[1:], "a column, and pairs of a row and a number")
        if name != next(reversed(self.out.columns), None):
            if name in self.out.columns:
                raise DataError(f"the entries of column {name} do not stand together")
            self.out.open((name,), integer=self.integer)
            self.filled = set()
        for row, value in pairs:
            place = self.row(row)
            if place in self.filled:
                raise DataError(f"column {name} has a second entry in row {row}")
            self.filled.add(place)
            self.out.add([place], [len(self.out.columns) - 1], [self.out.decimal(value)])

    def pairs(self, fields: Sequence[str], expected: str) -> list[tuple[str, str]]:
        if len(fields) not in (2, 4):
            blank = "; names with blanks are not read" if len(fields) > 4 else ""
            raise DataError(f"{len(fields) + 1} fields, expected {expected}{blank}")
        return [(fields[k], fields[k + 1]) for k in range(0, len(fields), 2)]

    def row(self, name: str) -> int:
        place = self.row_of.get(name)
        if place is None:
            raise DataError(f"there is no row {name[:SHOWN]}")
        return place

    def of_set(self, fields: Sequence[str], *, has_set: bool) -> Sequence[str]:
        """The fields without the name of the set. There is one set of each section."""
        name = fields[0] if has_set else ""
        set_name = self.sets.setdefault(self.section, name)
        if set_name != name:
            raise DataError(f"a second set '{name[:SHOWN]}' of {self.section} beside '{set_name}'")
        return fields[1:] if has_set else fields

    def take_side(self, fields: Sequence[str]) -> None:
        """RHS and RANGES, whose first field is the name of a set, or is left out."""
        values = self.sides if self.section == "RHS" else self.ranges
        fields = self.of_set(fields, has_set=len(fields) % 2 == 1)
        for row, text in self.pairs(fields, "a set, and pairs of a row and a number"):
            place = self.row(row)
            value = self.out.decimal(text)
            if place == Reading.FREE or (place < 0 and values is self.ranges):
                raise DataError(f"{self.section} of the free row {row}")
            if place in values:
                raise DataError(f"row {row} has a second number in {self.section}")
            values[place] = value

    def take_bounds(self, block: str) -> bool:
        """Read a block of bounds of a named set; False if a line needs :meth:`take`."""
        matches = _BOUND.findall(block)
        if len(matches) < len(_lines(block)):
            return False
        kinds, sets, names, texts = zip(*matches, strict=True)
        numbers = [text or "0" for text in texts]
        if not _SIDES.keys() >= {*kinds} or not _NUMERALS.fullmatch(" ".join(numbers)):
            return False
        # a kind with a number has four words, another one three
        numbered = [kind not in _WITHOUT_NUMBER for kind in kinds]
        if numbered != list(map(bool, texts)) or sets[0] in self.out.columns:
            return False
        if len({*sets, self.sets.get("BOUNDS", sets[0])}) > 1:
            return False
        try:
            places = list(map(self.out.columns.__getitem__, names))
            values = list(map(self.out.side if self.exact else float, numbers))
        except (KeyError, ValueError, DataError):
            return False
        if not all(abs(value) < INFINITE for value in values):
            return False
        self.sets["BOUNDS"] = sets[0]
        bounds = zip(kinds, names, places, values, strict=True)
        for self.line, bound in enumerate(bounds, self.line):  # noqa: B020
            self.bound(*bound)
        return True

    def take_bound(self, fields: Sequence[str]) -> None:
        kind, numbers = fields[0], 0 if fields[0] in _WITHOUT_NUMBER else 1
        if kind not in (*_WITHOUT_NUMBER, "UP", "LO", "FX", "LI", "UI"):
            hint = " (semi-continuous)" if kind in ("SC", "SI") else ""
            raise DataError(
                f"a bound of the kind {kind[:SHOWN]}{hint} is not read: expected UP, LO, "
                "FX, FR, MI, PL, BV, LI or UI"
            )
        # without the name of the set, the column is the second field
        has_set = len(fields) > 2 + numbers
        if not numbers and len(fields) == 3 and fields[1] in self.out.columns:
            raise DataError(f"{kind}: expected the name of a set before the column")
        rest = self.of_set(fields[1:], has_set=has_set)
        if len(rest) not in (1 + numbers, 2) or rest[0] not in self.out.columns:
            raise DataError(
                f"there is no column {' '.join(rest)[:SHOWN]}"
                if len(rest) <= 2
                else f"{len(fields)} fields, expected a kind, a set, a column and a "
                "number; names with blanks are not read"
            )
        value = self.out.side(rest[1]) if numbers else 0
        if math.isinf(value) and (kind == "FX" or (value > 0) != (_SIDES[kind] == "u")):
            raise DataError(
                f"column {rest[0]} has the bound {kind} {rest[1]}: expected a finite number"
            )
        self.bound(kind, rest[0], self.out.columns[rest[0]], value)

    def bound(self, kind: str, name: str, j: int, value: Any) -> None:
        """Set a bound of column ``j``. Raises DataError for a second one of a side."""
        out = self.out
        for side in _SIDES[kind]:
            lines = self.bounded[side]
            if lines[j]:
                raise DataError(f"column {name} has a second bound {kind}, after line {lines[j]}")
            lines[j] = self.line
        if kind in ("BV", "LI", "UI"):
            out.integer[j] = True
        match kind:
            case "UP" | "UI":
                out.upper[j] = value
                if value < 0:
                    self.negative[j] = (name, self.line)
            case "LO" | "LI":
                out.lower[j] = value
            case "FX":
                out.lower[j] = out.upper[j] = value
            case "BV":
                out.upper[j] = 1
            case "FR" | "MI":
                out.lower[j] = -math.inf

    def take_square(self, fields: Sequence[str]) -> None:
        if len(fields) != 3 or not {fields[0], fields[1]} <= self.out.columns.keys():
            raise DataError("expected two columns and a number")
        i, j = (self.out.columns[name] for name in fields[:2])
        # QUADOBJ has one triangle, QMATRIX and QCMATRIX both
        place = (max(i, j), min(i, j)) if self.section == "QUADOBJ" else (i, j)
        squares = self.out.squares.setdefault(self.curved, {})
        if place in squares:
            raise DataError(f"a second entry of {fields[0]} and {fields[1]}")
        squares[place] = self.out.decimal(fields[2])

    def finished(self) -> Reading:
        """The reading after the last line: sides of rows, default bounds, one triangle."""
        out = self.out
        if self.section != "ENDATA":
            raise DataError("it ends without ENDATA: the file is cut off")
        if self.objective is None:
            raise DataError("it has no objective: expected a row N")
        out.constant = -self.sides.get(Reading.COST, 0)
        for row, letter in enumerate(self.letters):
            side, span = self.sides.get(row, 0), self.ranges.get(row)
            low, high = side, side
            if span is None:
                low, high = (
                    (-math.inf if letter == "L" else side),
                    (math.inf if letter == "G" else side),
                )
            elif letter == "L" or (letter == "E" and span < 0):
                low = side - abs(span)
            else:
                high = side + abs(span)
            out.row_lower.append(-math.inf if low <= -1e20 else low)
            out.row_upper.append(math.inf if high >= 1e20 else high)
        # integers without a bound are binary
        for j in np.flatnonzero(np.array(out.integer)).tolist():
            if not self.bounded["l"][j] and not self.bounded["u"][j]:
                out.upper[j] = 1
        for j, (name, line) in self.negative.items():
            if not self.bounded["l"][j]:
                out.lower[j] = -math.inf
                out.differs.add(j)
                out.notes.append(
                    f"line {line}: column {name} has a negative upper bound and no lower bound; as "
                    "in CPLEX and Gurobi its lower bound is -infinity, where HiGHS and SCIP read 0"
                )
        for row, pairs in out.squares.items():
            if row == Reading.COST and "QMATRIX" not in self.sections:
                continue
            if any(pairs.get((j, i), 0) != value for (i, j), value in pairs.items()):
                name = "QMATRIX" if row == Reading.COST else f"QCMATRIX {out.rows[row]}"
                raise DataError(f"its {name} is not symmetric")
            out.squares[row] = {(i, j): value for (i, j), value in pairs.items() if i >= j}
        return out


def _lines(block: str) -> list[str]:
    return block.removesuffix("\n").split("\n")


_SECTIONS = {
    "OBJSENSE": _MpsReader.take_sense,
    "OBJNAME": _MpsReader.take_objective_name,
    "ROWS": _MpsReader.take_row,
    "COLUMNS": _MpsReader.take_column,
    "RHS": _MpsReader.take_side,
    "RANGES": _MpsReader.take_side,
    "BOUNDS": _MpsReader.take_bound,
    "QUADOBJ": _MpsReader.take_square,
    "QMATRIX": _MpsReader.take_square,
    "QSECTION": _MpsReader.take_square,
    "QCMATRIX": _MpsReader.take_square,
}
