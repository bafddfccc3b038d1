"""A reader of solution files of HiGHS, SCIP, GLPK, CBC, Gurobi, COPT, CPLEX and Xpress.

The names of columns and rows must be the names in an exported program.

| program | file | columns | duals |
|---|---|---|---|
| HiGHS | ``writeSolution``, style raw | all, by name | yes |
| GLPK | ``glpsol -w`` | all, by number | yes, not of integer programs |
| CBC | ``solution`` | by name, 0 if missing | with ``printi all`` before it |
| SCIP | ``write solution`` | by name, 0 if missing | no |
| Gurobi, COPT | ``.sol`` | all, by name | no |
| Gurobi | ``.json`` | by name, 0 if missing | with ``JSONSolDetail`` 1, not of MIPs |
| CPLEX | ``write FILE.sol`` | all, by name | yes, not of integer programs |
| Xpress | ``.slx`` | all, by name | with the flag ``d``, not of integer programs |
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from pathlib import Path

from radprog.base.errors import MALFORMED, SOLUTION_FILES, DataError, OptionError
from radprog.base.sections import few
from radprog.base.tolerances import AGREEMENT
from radprog.instances.tables import file_text
from radprog.solvers.answer import FileAnswer
from radprog.solvers.formats.valid_names import CONSTANT, NO_ROWS, matched, one_word
from radprog.solvers.program import Status

CONSTANTS = frozenset({CONSTANT, "ONE_VAR_CONSTANT"})  # names of ours and of Pyomo's writer
SCIP_OBJECTIVES = ("quadobjvar", "qmatrixvar")  # SCIP's own columns for a quadratic objective
CBC_WHOLE = "write the file by 'cbc PROGRAM solve printi all solution FILE'"
HIGHS_RAW = "write the style raw, writeSolution(FILE, 0)"
WITH_DUALS = {
    "cbc": CBC_WHOLE,
    "gurobi": "write FILE.json with JSONSolDetail 1",
    "highs": "let HiGHS end with feasible duals",
    "scip": "solve with HiGHS, as SCIP writes no row duals",
    "xpress": "write FILE.slx with the flag d",
}  # how a solver's file comes to hold duals
NamedValues = dict[str, float]
_XML = ("&lt;", "<"), ("&gt;", ">"), ("&quot;", '"'), ("&apos;", "'"), ("&amp;", "&")

GUROBI_JSON = "gurobi.json"
#: Gurobi's status numbers without a point, and their claims.
JSON_CLAIMS = {3: {"infeasible"}, 4: {"infeasible", "unbounded"}, 5: {"unbounded"}}
ANY, END = "any", "end"  # every state of a file; after its last line
NO_SOLUTION = "no solution"
COLUMN, ROW, LISTED = "columns", "rows", "listed"  # a value of a column, a dual of a row, either
_STARTS = {
    r"Model status\r?\n": "highs",
    r"(solution status:|objective value:|no solution available)": "scip",
    r"(c( .*)?\r?\n|s (bas|mip|ipt) )": "glpk",
    r"[A-Z][a-z ]+.* - objective value|Infeasible|Integer infeasible|Unbounded": "cbc",
    r"# (Solution for model|Objective value)": "gurobi",
    r"(<\?xml[^>]*>\s*)?<CPLEXSolution ": "cplex",
    r"(NAME .*\r?\n +C |ENDATA)": "xpress",
    r"\s*\{\s*\"SolutionInfo\"": GUROBI_JSON,
}
_CLAIM = re.compile(
    r"(?:Model status\r?\n|solution status:\s*)(infeasible|unbounded)\b", re.IGNORECASE
)
_REPORTS = {
    r"Columns\r?\n +Index +Status": f"HiGHS's table of six digits: {HIGHS_RAW}",
    r"\d+ \d+ : Number of columns": f"HiGHS's old style: {HIGHS_RAW}",
    r"Model status\r?\n[^#]*# Primal[^#]*# Columns -": f"HiGHS's sparse style: {HIGHS_RAW}",
    r"Problem:": "glpsol's report of six digits: write the solution with -w",
}
_PAIR = r"(?P<name>\S+)\s+(?P<value>\S+)"
_ALONE = _PAIR + r"\s*$"  # a pair and nothing else
_PAIRS = re.compile(r"^(\S+)[ \t]+(\S+)$", re.ASCII | re.MULTILINE)
#: The states of the file of each solver, the patterns of lines in a state, and their meanings: a
#: value, or the next state. The group ``objective`` of a pattern is the claimed objective.
_LINES: Mapping[str, Sequence[tuple[str, str, str]]] = {
    "highs": (
        (ANY, r"# Basis", END),
        (END, r"", ""),
        ("", r"# Primal solution values", "primal"),
        ("", r"", ""),
        ("primal", r"Feasible|#? ?Objective (?P<objective>\S+)", ""),
        ("primal", r"# Columns", "values"),
        # bound and gap of an integer program
        ("primal", r"(# )?(Objective_bound|MIP_rel_gap) ", ""),
        ("primal", r"", NO_SOLUTION),
        ("values", r"# Rows", "activities"),
        ("values", _ALONE, COLUMN),
        ("activities", r"# Dual solution values", "dual"),
        ("activities", _ALONE, ""),
        ("dual", r"Feasible", ""),
        ("dual", r"# Columns", "reduced costs"),
        ("dual", r"", END),
        ("reduced costs", r"# Rows", "duals"),
        ("reduced costs", _ALONE, ""),
        ("reduced costs", r"", ""),
        ("duals", _ALONE, ROW),
    ),
    "scip": (
        (ANY, r"no solution available", NO_SOLUTION),
        (ANY, r"solution status:", ""),
        (ANY, r"objective value:\s*(?P<objective>\S+)", ""),
        (ANY, _PAIR + r"\s+(\(obj:)?(?P<cost>[^)\s]+)", COLUMN),
    ),
    "glpk": (
        ("", r"c\b", ""),
        ("", r"s (?P<state>\S+) (?P<m>\d+) (?P<n>\d+) [fo]( \S)? (?P<objective>\S+)$", ""),
        ("", r"s ", NO_SOLUTION),
        (ANY, r"e o f", END),
        ("bas", r"i (?P<index>\d+) \S+ \S+ (?P<value>\S+)", ROW),
        ("bas", r"j (?P<index>\d+) \S+ (?P<value>\S+)", COLUMN),
        ("ipt", r"i (?P<index>\d+) \S+ (?P<value>\S+)", ROW),
        ("ipt", r"j (?P<index>\d+) (?P<value>\S+)", COLUMN),
        ("mip", r"i \d+ \S+", ""),
        ("mip", r"j (?P<index>\d+) (?P<value>\S+)", COLUMN),
    ),
    "cbc": (
        (ANY, r"(Infeasible|Integer infeasible|Unbounded|Linear relaxation)", NO_SOLUTION),
        (ANY, r"\s*\*\*", NO_SOLUTION),
        ("", r".* objective value\s+(?P<objective>\S+)", "values"),
        ("", r".*", "values"),
        ("values", r"\s*(?P<index>\d+)\s+" + _PAIR + r"\s+(?P<dual>\S+)", LISTED),
    ),
    "gurobi": (
        (ANY, r"#\s*Objective value\s*=\s*(?P<objective>\S+)", ""),
        (ANY, r"# (?!\S+$)|#\s*$", ""),
        (ANY, _ALONE, COLUMN),
    ),
    "cplex": (
        (ANY, r'.*primalFeasible="0"', NO_SOLUTION),
        (ANY, r'\s*<variable name="(?P<name>[^"]*)".* value="(?P<value>[^"]*)"', COLUMN),
        (ANY, r'\s*<constraint name="(?P<name>[^"]*)".* dual="(?P<value>[^"]*)"', ROW),
        (ANY, r'.*objectiveValue="(?P<objective>[^"]*)"', ""),
        (ANY, r"", ""),
    ),
    "xpress": (
        ("", r"ENDATA", NO_SOLUTION),
        ("", r"NAME ", "values"),
        ("values", r" +C +" + _PAIR, COLUMN),
        ("values", r" +D +" + _PAIR, ROW),
        ("values", r" +[RS] ", ""),  # reduced costs and slacks
        ("values", r"ENDATA", END),
    ),
}


def solution_text(objective: float, values: Mapping[str, float]) -> str:
    """A solution file with a line for each variable, which this reader and solvers read."""
    lines = (f"{one_word(name)} {value + 0.0!r}\n" for name, value in values.items())
    return f"# Objective value = {objective!r}\n" + "".join(lines)


class NoPointError(DataError):
    """A solution file has no point.

    ``claims`` contains the claims of the file: "infeasible", "unbounded", both or none.
    """

    claims: frozenset[str] = frozenset()


@dataclass(frozen=True, kw_only=True)
class OtherNames:
    """The names that a model has for the columns and rows of a program, in the program's order.

    A value in the program times ``units``, by the program's name or 1, is the value in the model.
    The objective of the model is ``scale`` times that of the program. ``fixed`` are the columns
    with one value, which a model may not have. The columns are ``scaled`` if a suffix of the model
    gives them other units in the files that are exported.
    """

    columns: Sequence[str] = ()
    rows: Sequence[str] = ()
    units: Mapping[str, float] = field(default_factory=dict)
    scale: float = 1.0
    fixed: Mapping[str, float] = field(default_factory=dict)
    scaled: bool = False

    def translated(self, values: Mapping[str, float], columns: Sequence[str]) -> NamedValues:
        """Values of columns by the program's names, in its units.

        Raises OptionError for names of a file whose units are not known.
        """
        # a constant of the objective, which a writer made a column
        made = CONSTANTS.difference(columns)
        values = {name: value for name, value in values.items() if name not in made}
        names, theirs = matched(values, columns, self.columns)
        if self.scaled and not theirs:
            raise OptionError(
                "the solution has names of a file, and the model has a suffix scaling_factor, in "
                "whose units it may be: give the file of the program in place of the model"
            )
        moved = {**self.fixed, **{names[name]: value for name, value in values.items()}}
        for name in self.units.keys() & names.values() if theirs else ():
            moved[name] /= self.units[name]
        return moved


def read_solution(
    path: str | Path,
    columns: Sequence[str],
    rows: Sequence[str],
    constant: float = 0.0,
    other: OtherNames | None = None,
) -> FileAnswer:
    """Read a solution of the program whose file has these columns and rows, in this order.

    The status is ``feasible``, unless the file has a point beside the word "infeasible" or
    "unbounded".

    ``constant`` is the constant of the objective in the file. The names in the solution may also be
    those of ``other``. Raises DataError for an unknown format, unknown or missing names, and values
    that are not finite numbers. Raises NoPointError for a file without a feasible solution.
    """
    text = file_text(path)
    head = text[:4096]  # which tells the format
    for start, problem in _REPORTS.items():
        if re.match(start, head):
            raise DataError(f"{path}: {problem}")
    # names of the program with values, without a line of the objective
    entry = re.match(r"\s*(\S+)[ \t]+[-+.\d]\S*[ \t]*\r?(\n|$)", head)
    has_names = entry is not None and entry[1] in {*columns, *(other.columns if other else ())}
    for start, solver in {"": "gurobi"}.items() if has_names else _STARTS.items():
        if re.match(start, head):
            names = {COLUMN: tuple(columns), ROW: tuple(rows)}
            source = _Source(
                *(str(path), solver.partition(".")[0], names, other or OtherNames()),
                constant=constant,
                total=constant,
            )
            try:
                if solver == GUROBI_JSON:
                    source.read_json(text)
                else:
                    source.read(text.splitlines())
                claim = _CLAIM.match(head)
                status = Status(claim[1].lower()) if claim else Status.FEASIBLE
                return replace(source.solution(), status=status)
            except NoPointError as error:
                # why there is no point: in words, or in GLPK's letters, where a first n means no
                # feasible point, and a second n no feasible dual point
                words = {w for w in ("infeasible", "unbounded") if w in head[:400].lower()}
                for primal, letter in re.findall(r"^s bas \d+ \d+ (\S) (\S)", head, re.MULTILINE):
                    dual = {"unbounded"} if letter == "n" else set()
                    words |= {"infeasible"} if primal == "n" else dual
                error.claims = error.claims or frozenset(words)
                raise
    raise DataError(
        f"{path}: not a solution file of {SOLUTION_FILES}; by hand: lines of "
        "a name of the program and a value"
    )


@dataclass
class _Source:
    """The state of a reader: a file of a solver, its expected names, and the lines so far.

    ``state`` is the state in the table of lines. ``values`` contains the values of columns and the
    duals of rows. ``total`` is the sum of the terms of the objective. ``extra`` counts rows of the
    file before those of the program. ``lists`` contains CBC's values and duals, of the rows (if the
    file has them) and of the columns.
    """

    path: str
    solver: str
    names: Mapping[str, tuple[str, ...]]
    other: OtherNames
    state: str = ""
    objective: float | None = None
    constant: float = 0.0
    total: float = 0.0
    extra: int = 0
    values: dict[str, NamedValues] = field(default_factory=lambda: {COLUMN: {}, ROW: {}})
    lists: list[tuple[NamedValues, NamedValues]] = field(default_factory=list)
    last_index: float = math.inf
    sparse: bool = False

    def read(self, lines: Sequence[str]) -> None:
        """Read every nonblank line by the first pattern of the state that matches."""
        table = [(state, re.compile(p, re.ASCII), kind) for state, p, kind in _LINES[self.solver]]
        # the states of lines with a name and a value, until a line with "#"
        plain = {state: kind for state, p, kind in _LINES[self.solver] if p == _ALONE}
        nonblank = ((line, text) for line, text in enumerate(lines) if text.strip())
        for heading, block in groupby(nonblank, lambda pair: pair[1][0] == "#"):
            numbered = list(block)
            kind = None if heading else plain.get(self.state, plain.get(ANY))
            if kind is not None and self.take_pairs([text for _, text in numbered], kind):
                continue
            for line, text in numbered:
                for state, pattern, kind in table:
                    fits = pattern.match(text) if state in (self.state, ANY) else None
                    if fits:
                        self.take(fits, kind, line)
                        break
                else:
                    raise DataError(
                        f"{self.path}, line {line + 1}: got '{text[:40]}', expected a name and a "
                        "value"
                    )

    def take_pairs(self, texts: list[str], kind: str) -> bool:
        """Read lines of a name and a number, each once; False if a line needs :meth:`take`."""
        pairs = _PAIRS.findall("\n".join(texts))
        values = dict(pairs)
        if len(pairs) < len(texts) or len(values) < len(pairs):
            return False
        if kind:
            try:
                numbers = list(map(float, values.values()))
            except ValueError:
                return False
            stored = self.values[kind]
            if stored.keys() & values.keys() or not all(map(math.isfinite, numbers)):
                return False
            stored.update(zip(values, numbers, strict=True))
        return True

    def read_json(self, text: str) -> None:
        """Read Gurobi's JSON; without ``JSONSolDetail`` 1, it omits zero columns and all rows."""
        self.sparse = True
        try:
            stored = json.loads(text)
            info = stored["SolutionInfo"]
            status = info["Status"]
            if status in JSON_CLAIMS:
                error = NoPointError(
                    f"{self.path}: holds no feasible solution, gurobi says status {status}"
                )
                error.claims = frozenset(JSON_CLAIMS[status])
                raise error
            # rows of an integer program have no multipliers, tagged ones no names
            rows = [e for e in stored.get("Constrs", ()) if e.keys() >= {"ConstrName", "Pi"}]
            entries = [(COLUMN, e["VarName"], e["X"]) for e in stored["Vars"]]
            for kind, name, value in [*entries, *((ROW, e["ConstrName"], e["Pi"]) for e in rows)]:
                if not isinstance(name, str):
                    raise TypeError(name)
                self.keep(self.values[kind], name, self.number(str(value), 0), 0)
            self.objective = self.number(str(info["ObjVal"]), 0)
        except (RecursionError, *MALFORMED):
            raise DataError(
                f"{self.path}: no JSON solution of Gurobi: expected Status, ObjVal, and Vars with "
                "VarName and X (tagged ones have no name: write it with JSONSolDetail 1, no tags)"
            ) from None

    def take(self, fits: re.Match[str], kind: str, line: int) -> None:
        """Read one line, counted from 0."""
        parts = {name: text for name, text in fits.groupdict().items() if text is not None}
        if kind == NO_SOLUTION:
            raise NoPointError(
                f"{self.path}, line {line + 1}: holds no feasible solution, {self.solver} says "
                f"'{fits.string.strip()[:40]}': the program may be infeasible (radprog "
                "analyze), or the time was too short"
            )
        if "objective" in parts:
            self.objective = self.number(parts["objective"], line)
        if "m" in parts:
            # GLPK's sizes; in some .mps files the objective is an additional row, with number 1
            m, n = len(self.names[ROW]), len(self.names[COLUMN])
            rows, columns = int(parts["m"]), int(parts["n"])
            self.extra = rows - m
            if self.extra not in (0, 1) or columns != n:
                raise DataError(
                    f"{self.path}: {rows} rows and {columns} columns, the program has {m} and {n}"
                )
        if kind == LISTED:
            # CBC numbers rows, where it lists them, and columns separately
            index = int(parts["index"])
            if index <= self.last_index:
                self.lists.append(({}, {}))
            self.last_index = index
            for values, entry in zip(self.lists[-1], ("value", "dual"), strict=True):
                self.keep(values, parts["name"], self.number(parts[entry], line), line)
        elif kind in self.values:
            value, name = self.number(parts["value"], line), parts.get("name")
            self.total += value * self.number(parts.get("cost", "0"), line)
            if name in CONSTANTS.difference(self.names[COLUMN]):
                self.total -= self.constant  # which is the cost of this column
            if name is None:
                name = self.numbered(kind, int(parts["index"]), line)
            if self.solver == "cplex":
                for mark, character in _XML:
                    name = name.replace(mark, character)
            self.keep(self.values[kind], name, value, line)
        else:
            self.state = parts.get("state", kind) or self.state

    def number(self, text: str, line: int) -> float:
        """A string of a line as a finite number. Raises DataError for any other string."""
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if not math.isfinite(value):
            raise DataError(
                f"{self.path}, line {line + 1}: got '{text[:40]}', expected a finite number"
            )
        return value

    def keep(self, values: NamedValues, name: str, value: float, line: int) -> None:
        """Store a value. Raises DataError for a repeated name."""
        if name in values:
            raise DataError(f"{self.path}, line {line + 1}: '{name}' comes twice")
        values[name] = value

    def numbered(self, kind: str, index: int, line: int) -> str:
        """The name of a column or row with this number, counted from 1 in the order of the file."""
        place = index - (self.extra if kind == ROW else 0)
        if place == 0 and self.extra and kind == ROW:
            return NO_ROWS
        if not 1 <= place <= len(self.names[kind]):
            raise DataError(f"{self.path}, line {line + 1}: there is no number {index}")
        return self.names[kind][place - 1]

    def solution(self) -> FileAnswer:
        """The solution from all lines. Raises DataError if values are missing."""
        columns, rows = self.values[COLUMN], self.values[ROW]
        # CBC's values of columns, and duals of rows if the file lists them
        if self.solver == "cbc":
            if len(self.lists) > 2:
                raise DataError(f"{self.path}: its numbers start again more than once")
            listed = {name for values, _ in self.lists for name in values}
            of_rows = set(self.names[ROW]) - set(self.names[COLUMN])
            if listed & of_rows and not listed >= {*self.names[ROW], *self.names[COLUMN]}:
                raise DataError(
                    f"{self.path}: some rows or columns are left out beside others: {CBC_WHOLE}"
                )
            columns = self.lists[-1][0] if self.lists else {}
            rows = self.lists[0][1] if len(self.lists) == 2 else {}
        last_line = {"glpk": "e o f", "xpress": "ENDATA"}.get(self.solver)
        if last_line is not None and self.state != END:
            raise DataError(f"{self.path}: ends before its last line, '{last_line}'")
        if self.solver == "highs" and self.state in ("", "primal"):
            raise NoPointError(f"{self.path}: holds no feasible solution")
        # SCIP leaves out zeros: its terms must add up to the objective
        if self.solver == "scip":
            for name in set(SCIP_OBJECTIVES).difference(self.names[COLUMN]):
                columns.pop(name, None)
        sparse = self.sparse or self.solver == "scip" or (self.solver == "cbc" and not rows)
        values = self.match(columns, COLUMN, sparse=sparse)
        claim = self.objective
        if self.solver == "scip" and (
            claim is None or not abs(self.total - claim) <= AGREEMENT * max(1.0, abs(claim))
        ):
            raise DataError(
                f"{self.path}: its columns add up to an objective of {self.total!r}, not "
                f"{claim!r}: some are missing or changed"
            )
        duals = self.match(rows, ROW) if rows or self.state == "duals" else None
        feasible = Status.FEASIBLE
        return FileAnswer(feasible, claim, values, row_duals=duals, solver=self.solver)

    def match(self, values: NamedValues, kind: str, *, sparse: bool = False) -> NamedValues:
        """The values of all columns or rows, in order; with ``sparse``, missing values are 0."""
        names = self.names[kind]
        if kind == COLUMN:
            values = self.other.translated(values, names)
        else:
            to = matched(values.keys() - {NO_ROWS}, names, self.other.rows)[0]
            values = {to.get(name, name): value for name, value in values.items()}
        unknown = sorted(set(values) - set(names) - {NO_ROWS})
        if unknown:
            shown = few(unknown)
            raise DataError(f"{self.path}: {kind} that the program does not have: {shown}")
        missing = [name for name in names if name not in values]
        if missing and not sparse:
            raise DataError(f"{self.path}: no value for the {kind} {few(missing)}")
        return {name: values.get(name, 0.0) for name in names}
