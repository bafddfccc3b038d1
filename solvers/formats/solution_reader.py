"""Solution files of HiGHS, SCIP, GLPK, CBC, Gurobi and CPLEX, read with the names of an
exported program.

| program | file | columns | duals |
|---|---|---|---|
| HiGHS | ``writeSolution``, style raw | all, by name | yes |
| GLPK | ``glpsol -w`` | all, by number | yes, not of integer programs |
| CBC | ``solution`` | by name, 0 where left out | with ``printi all`` before it |
| SCIP | ``write solution`` | by name, 0 where left out | no |
| Gurobi | ``.sol`` | all, by name | no |
| CPLEX | ``write FILE.sol`` | all, by name | yes, not of integer programs |
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from radprog.base.errors import DataError
from radprog.base.tolerances import AGREEMENT
from radprog.instances.tables import refuse_streams
from radprog.solvers.formats.layout import NO_ROWS

HEAD = 4096  # characters that tell the format
SHOWN = 5  # names that an error lists
SCIP_OBJECTIVES = ("quadobjvar", "qmatrixvar")  # SCIP's own columns for a quadratic objective
CBC_WHOLE = "write the file by 'cbc PROGRAM solve printi all solution FILE'"
WITH_DUALS = {
    "cbc": CBC_WHOLE,
    "highs": "let HiGHS end with feasible duals",
}  # how a solver's file comes to hold duals
NamedValues = dict[str, float]


@dataclass(frozen=True, kw_only=True)
class SolutionFile:
    """A solution by the names of the exported file, in its units: a minimisation.

    objective: what the file claims; row_duals: d objective / d right-hand side, or None.
    """

    solver: str
    objective: float | None
    columns: Mapping[str, float]
    row_duals: Mapping[str, float] | None = None


def read_solution(path: str | Path, columns: Sequence[str], rows: Sequence[str]) -> SolutionFile:
    """Read a solution of the program whose file has these columns and rows, in this order.

    Raises DataError, naming the file and the names or line at fault: an unknown format, no feasible
    solution in it, names that the program does not have, names that are missing, numbers that are
    none.
    """
    refuse_streams(path)
    try:
        text = Path(path).read_bytes().decode()
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is no text"
        raise DataError(f"{path}: cannot be read: {reason}") from None
    head = text[:HEAD]
    for start, what in _REPORTS.items():
        if re.match(start, head):
            raise DataError(f"{path}: {what}")
    for start, parse in _FORMATS.items():
        if re.match(start, head):
            return parse(_Source(str(path), text.splitlines(), tuple(columns), tuple(rows)))
    raise DataError(
        f"{path}: no solution file of HiGHS (style raw), SCIP, GLPK (-w), CBC (printi all), "
        "Gurobi or CPLEX"
    )


@dataclass(frozen=True)
class _Source:
    """A file, and the names that it must have."""

    path: str
    lines: Sequence[str]
    columns: tuple[str, ...]
    rows: tuple[str, ...]

    def number(self, text: str, line: int) -> float:
        """A finite number of a line, counted from 0."""
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if not math.isfinite(value):
            raise DataError(
                f"{self.path}, line {line + 1}: got '{text[:40]}', expected a finite number"
            )
        return value

    def fields(self, line: int, least: int) -> list[str]:
        """The words of a line."""
        words = self.lines[line].split()
        if len(words) < least:
            raise DataError(
                f"{self.path}, line {line + 1}: got '{self.lines[line][:40]}', expected "
                f"{least} words"
            )
        return words

    def pairs(self, span: Iterable[int]) -> NamedValues:
        """Lines of a name and a number; blank ones and comments are passed over."""
        found: NamedValues = {}
        for line in span:
            if self.lines[line].strip() and not self.lines[line].startswith("#"):
                name, value = self.fields(line, 2)[:2]
                self.once(found, name, line)
                found[name] = self.number(value, line)
        return found

    def once(self, found: Mapping[str, float], name: str, line: int) -> None:
        """Refuse a name that came before."""
        if name in found:
            raise DataError(f"{self.path}, line {line + 1}: '{name}' comes twice")

    def match(self, found: NamedValues, what: str, *, sparse: bool = False) -> NamedValues:
        """The values of all columns or rows, in order; where ``sparse``, missing ones are 0."""
        names = self.columns if what == "columns" else self.rows
        known = set(names)
        unknown = [name for name in found if name not in known and name != NO_ROWS]
        if unknown:
            raise DataError(f"{self.path}: {what} that the program does not have: {_some(unknown)}")
        missing = [name for name in names if name not in found]
        if missing and not sparse:
            raise DataError(f"{self.path}: no value for the {what} {_some(missing)}")
        return {name: found.get(name, 0.0) for name in names}

    def numbered(self, found: Mapping[int, float], what: str) -> NamedValues:
        """The values of columns or rows that are numbered from 1 in the order of the file."""
        names = self.columns if what == "columns" else self.rows
        return self.match({names[i - 1]: value for i, value in found.items()}, what)


def _some(names: Sequence[str]) -> str:
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return ", ".join(names[:SHOWN]) + more


def _highs(source: _Source) -> SolutionFile:
    """Sections '# Primal solution values' and '# Dual solution values', each with its columns and
    rows."""
    lines = source.lines
    told = lines[1].strip() if len(lines) > 1 else "nothing"
    primal = _after(lines, "# Primal solution values")
    if primal is None or primal >= len(lines) or lines[primal].strip() != "Feasible":
        raise DataError(f"{source.path}: holds no feasible solution, HiGHS says {told}")
    claimed = None
    if primal + 1 < len(lines) and lines[primal + 1].startswith("Objective"):
        claimed = source.number(source.fields(primal + 1, 2)[1], primal + 1)
    dual = _after(lines, "# Dual solution values")
    end = _after(lines, "# Basis") or len(lines)
    parts = _highs_part(source, primal, dual or end)
    duals = None
    if dual is not None and dual < len(lines) and lines[dual].strip() == "Feasible":
        duals = _highs_part(source, dual, end)[1]
    return SolutionFile(solver="highs", objective=claimed, columns=parts[0], row_duals=duals)


def _highs_part(source: _Source, start: int, end: int) -> tuple[NamedValues, NamedValues]:
    """Columns and rows between two lines."""
    marks = dict.fromkeys(("# Columns", "# Rows"), end)
    for line in range(start, end):
        for word in marks:
            if source.lines[line].startswith(word):
                marks[word] = line
    columns = source.pairs(range(marks["# Columns"] + 1, min(end, marks["# Rows"])))
    rows = source.pairs(range(marks["# Rows"] + 1, end))
    return source.match(columns, "columns"), source.match(rows, "rows")


def _after(lines: Sequence[str], mark: str) -> int | None:
    """The line after the one that starts with ``mark``."""
    return next((i + 1 for i, line in enumerate(lines) if line.startswith(mark)), None)


def _scip(source: _Source) -> SolutionFile:
    """'objective value: V', then 'name value (obj:cost)' of what is not 0: the terms must add up
    to V, or the file is not whole."""
    found: NamedValues = {}
    claimed, total = None, 0.0
    for line, text in enumerate(source.lines):
        if text.startswith("no solution available"):
            raise DataError(f"{source.path}: SCIP found no solution")
        if not text.strip() or text.startswith("solution status:"):
            continue
        if text.startswith("objective value:"):
            claimed = source.number(text.partition(":")[2].strip(), line)
            continue
        words = source.fields(line, 3)
        value = source.number(words[1], line)
        source.once(found, words[0], line)
        found[words[0]] = value
        cost = re.fullmatch(r"\(obj:(.+)\)", words[2])
        total += value * source.number(cost[1] if cost else words[2], line)
    for own in set(SCIP_OBJECTIVES).difference(source.columns):
        found.pop(own, None)
    columns = source.match(found, "columns", sparse=True)
    if claimed is None or not abs(total - claimed) <= AGREEMENT * max(1.0, abs(claimed)):
        raise DataError(
            f"{source.path}: its columns add up to an objective of {total!r}, not {claimed!r}: "
            "some are missing or changed"
        )
    return SolutionFile(solver="scip", objective=claimed, columns=columns)


def _glpk(source: _Source) -> SolutionFile:
    """Rows and columns by number: 'i number [status] value [dual]' and 'j ...'.

    An objective that is one more row, as in some .mps files, is row 1."""
    kind, place, claimed, extra = "", 2, None, 0
    found: dict[str, dict[int, float]] = {"i": {}, "j": {}}
    for line, text in enumerate(source.lines):
        letter = text[:1]
        if letter == "s":
            kind, claimed, extra = _glpk_head(source, line)
            place = 3 if kind == "bas" else 2
        elif letter in found:
            wants_dual = letter == "i" and kind != "mip"
            words = source.fields(line, place + 1 + wants_dual)
            index = source.number(words[1], line) - (extra if letter == "i" else 0)
            if index == 0 and extra and letter == "i":
                continue
            if index not in range(1, len(source.rows if letter == "i" else source.columns) + 1):
                raise DataError(f"{source.path}, line {line + 1}: there is no number {words[1]}")
            found[letter][int(index)] = source.number(words[place + wants_dual], line)
    columns = source.numbered(found["j"], "columns")
    rows = source.numbered(found["i"], "rows")
    if "e o f" not in source.lines[-1:]:
        raise DataError(f"{source.path}: ends before its last line, 'e o f'")
    return SolutionFile(
        solver="glpk",
        objective=claimed,
        columns=columns,
        row_duals=None if kind == "mip" else rows,
    )


def _glpk_head(source: _Source, line: int) -> tuple[str, float, int]:
    """Kind, objective and how many rows there are more than the program has, of the line 's'."""
    words = source.fields(line, 6)
    if words[1] not in ("bas", "mip", "ipt") or words[4] not in ("f", "o"):
        raise DataError(f"{source.path}: holds no feasible solution, as GLPK says")
    rows, columns = (source.number(word, line) for word in words[2:4])
    extra = rows - len(source.rows)
    if extra not in (0, 1) or columns != len(source.columns):
        raise DataError(
            f"{source.path}: {words[2]} rows and {words[3]} columns, the program has "
            f"{len(source.rows)} and {len(source.columns)}"
        )
    return words[1], source.number(words[-1], line), int(extra)


def _cbc(source: _Source) -> SolutionFile:
    """'number name value dual' of rows, where they were asked for, then of columns: the numbers
    start again. '**' marks what is infeasible."""
    head = source.lines[0]
    if head.startswith(("Infeasible", "Integer infeasible", "Unbounded", "Linear relaxation")):
        raise DataError(f"{source.path}: holds no feasible solution, CBC says {head.strip()}")
    claim = re.search(r"objective value\s+(\S+)", head)
    parts: list[tuple[NamedValues, NamedValues]] = []
    last = math.inf
    for line in range(1, len(source.lines)):
        if not source.lines[line].strip():
            continue
        if source.lines[line].lstrip().startswith("**"):
            raise DataError(f"{source.path}, line {line + 1}: CBC marks an infeasible value")
        words = source.fields(line, 4)
        number = source.number(words[0], line)
        if number <= last:
            parts.append(({}, {}))
        last = number
        values, duals = parts[-1]
        source.once(values, words[1], line)
        values[words[1]], duals[words[1]] = (source.number(word, line) for word in words[2:4])
    rows = parts[0][1] if len(parts) == 2 else None
    columns = parts[-1][0] if parts else {}
    if len(parts) > 2:
        raise DataError(f"{source.path}: its numbers start again more than once")
    # rows without those that are 0, which 'printi rows' leaves out
    named = {name for values, _ in parts for name in values}
    rows_named = named & (set(source.rows) - set(source.columns))
    if rows_named and not named >= {*source.rows, *source.columns}:
        raise DataError(
            f"{source.path}: some rows or columns are left out beside others: {CBC_WHOLE}"
        )
    return SolutionFile(
        solver="cbc",
        objective=source.number(claim[1], 0) if claim else None,
        columns=source.match(columns, "columns", sparse=rows is None),
        row_duals=None if rows is None else source.match(rows, "rows"),
    )


def _gurobi(source: _Source) -> SolutionFile:
    """Comments, then 'name value' of every column."""
    claimed = None
    for line, text in enumerate(source.lines):
        if match := re.match(r"#\s*Objective value\s*=\s*(\S+)", text):
            claimed = source.number(match[1], line)
    columns = source.match(source.pairs(range(len(source.lines))), "columns")
    return SolutionFile(solver="gurobi", objective=claimed, columns=columns)


def _cplex(source: _Source) -> SolutionFile:
    """XML, an element a line: 'header objectiveValue', 'constraint name dual' (where there are
    duals) and 'variable name value'."""
    found: dict[str, NamedValues] = {"variable": {}, "constraint": {}}
    claimed = None
    for line, text in enumerate(source.lines):
        if 'primalFeasible="0"' in text:
            raise DataError(f"{source.path}: holds no feasible solution, as CPLEX says")
        if match := _CPLEX_ELEMENT.match(text):
            kind, name, value = match.groups()
            source.once(found[kind], name, line)
            found[kind][name] = source.number(value, line)
        elif match := re.search(r'objectiveValue="([^"]*)"', text):
            claimed = source.number(match[1], line)
    duals = found["constraint"]
    return SolutionFile(
        solver="cplex",
        objective=claimed,
        columns=source.match(found["variable"], "columns"),
        row_duals=source.match(duals, "rows") if duals else None,
    )


_CPLEX_ELEMENT = re.compile(
    r'\s*<(variable|constraint) name="([^"]*)".* (?:value|dual)="([^"]*)"', re.ASCII
)
_FORMATS: Mapping[str, Callable[[_Source], SolutionFile]] = {
    r"Model status\r?\n": _highs,
    r"(solution status:|objective value:|no solution available)": _scip,
    r"(c( .*)?\r?\n|s (bas|mip|ipt) )": _glpk,
    r"[A-Z][a-z ]+.* - objective value|Infeasible|Integer infeasible|Unbounded": _cbc,
    r"# (Solution for model|Objective value)": _gurobi,
    r"(<\?xml[^>]*>\s*)?<CPLEXSolution ": _cplex,
}
_REPORTS = {
    r"Columns\r?\n +Index +Status": "HiGHS's table of six digits: write the style raw (0)",
    r"Problem:": "glpsol's report of six digits: write the solution with -w",
}
