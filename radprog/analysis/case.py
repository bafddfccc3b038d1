"""What an analyst asks of a solved program: what binds, what a unit is worth, how far numbers can
move, and what conflicts. Every number is in the units of the program, prices in those of the
objective that is reported."""

from __future__ import annotations

import contextlib
import math
import re
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
import pyomo.environ as pyo
from numpy.typing import NDArray

from radprog.analysis.wording import Wording
from radprog.catalog import Entry, entry_of
from radprog.decompositions.forms import BuiltForm
from radprog.decompositions.run import RunSettings
from radprog.instances.errors import ConvexityError, OptionError, SolverError
from radprog.instances.types import BoolArray, FloatArray
from radprog.result import data_block, version
from radprog.saved import plain
from radprog.solvers.adapters.highs import version as highs_version
from radprog.solvers.compile import compile_model, component_names
from radprog.solvers.convexity import check_convex
from radprog.solvers.program import ProblemClass, Program, Solution, SolveSettings, Status
from radprog.solvers.questions.conflict import (
    INTERIOR,
    PATIENCE,
    Conflict,
    Part,
    find_conflict,
    proven_conflict,
)
from radprog.solvers.questions.ranging import Ranging, solve_ranged
from radprog.solvers.registry import SOLVERS, solve_program

TOLERANCE = 1e-9  # of the simplex method: prices of a program can be small
STOPPED = {
    Status.LIMIT: "stopped after {:g} s (--time-limit)",
    Status.FAILED: "no method ended within its tolerances (features of one size, --scale, help)",
}
AT_LEAST = 1.0  # seconds that a last try is worth
PROVEN = "the alternative of the program has a point"
FIRST_TRY = 10.0  # seconds of the simplex method before a conflict is looked for
BINDING = 1e-7  # distance to a bound, relative to the terms of its row, that is none
PRICED = 1e-9  # multiplier of a basis, relative to the largest or to the largest cost, that counts
NOISE = 1e-6  # the same of a point that comes from no basis
SOLVER_OF = {
    ProblemClass.LP: ("highs",),
    ProblemClass.QP: ("highs", "piqp"),
    ProblemClass.QCQP: ("ipopt", "clarabel", "scip"),
    ProblemClass.MILP: ("highs",),
    ProblemClass.MIQP: ("scip",),
    ProblemClass.MIQCQP: ("scip",),
}


@dataclass(frozen=True, kw_only=True)
class Case:
    """One program of one model, solved: what every section of an analysis looks at.

    columns, rows: components; solution: of the program; priced: the one whose multipliers are told,
    that of the program with its integers fixed where it has integers; scale: reported objective per
    unit of the minimised one; conflict: where it was found before the solver could tell.
    """

    entry: Entry
    spec: Any
    data: Any
    form: str
    built: BuiltForm
    program: Program
    columns: Sequence[str]
    rows: Sequence[str]
    solution: Solution
    priced: Solution | None
    ranging: Ranging | None
    wording: Wording
    settings: RunSettings
    conflict: Conflict | None = None

    @property
    def scale(self) -> float:
        return self.built.sense


Report = dict[str, Any]
#: A part of the report, which sees the parts before it.
Section = Callable[[Case, Report], Report]


def analyze(
    spec: Any,
    data: Any,
    form: str | None = None,
    fixed: Sequence[str] = (),
    settings: RunSettings | None = None,
) -> Report:
    """What binds, what a unit is worth, how far numbers can move, what conflicts in a program.

    form: None is the model's first; fixed: variables made numbers before solving, "NAME=VALUE" or
    "NAME[INDEX]=VALUE". The report holds JSON's types, None for what is infinite. Raises
    OptionError for a form or variable that there is not, and what building and solving raise.
    """
    case = solved_case(spec, data, form, fixed, settings)
    report: Report = {}
    for section in SECTIONS:
        report |= section(case, report)
    plainly: Report = plain(report)
    return plainly


def solved_case(
    spec: Any,
    data: Any,
    form: str | None = None,
    fixed: Sequence[str] = (),
    settings: RunSettings | None = None,
) -> Case:
    """The program of a form, solved, with prices and ranges where its class has them."""
    entry, settings = entry_of(spec), settings or RunSettings()
    if not entry.forms:
        raise OptionError(f"{entry.name} has no program to analyze")
    form = form or entry.forms[0]
    built = entry.form(spec, data, form, replace(settings, solver=None, solver_options={}))
    for text in fixed:
        fix(built.model, text)
    program = compile_model(built.model)
    columns, rows = component_names(built.model)
    solution, ranging, conflict = (
        _solve_fixed(program, settings) if fixed else (*_solve(program, settings), None)
    )
    priced = solution if solution.row_duals is not None else None
    if program.integer.any() and solution.x is not None:
        priced, ranging = _solve(_with_integers_fixed(program, solution.x), settings)  # prices only
    return Case(
        entry=entry,
        spec=spec,
        data=data,
        form=form,
        built=built,
        program=program,
        columns=columns,
        rows=rows,
        solution=solution,
        priced=priced if priced is not None and priced.row_duals is not None else None,
        ranging=ranging,
        wording=Wording(entry.hooks.terms, form, spec, data, built.iterate),
        settings=settings,
        conflict=conflict,
    )


def fix(model: pyo.ConcreteModel, text: str) -> None:
    """Fix the variables of a component, or one of them; raises OptionError."""
    match = re.fullmatch(r"(\w+)(?:\[([\d, ]+)\])?=(.+)", text)
    known = [variable.name for variable in model.component_objects(pyo.Var, active=True)]
    if match is None or match[1] not in known:
        raise OptionError(
            f"fix '{text}': expected NAME=VALUE or NAME[INDEX]=VALUE, NAME one of "
            f"{', '.join(known)}"
        )
    component = model.component(match[1])
    try:
        value = float(match[3])
        if match[2] is not None:
            numbers = tuple(int(number) for number in match[2].split(","))
            component[numbers if len(numbers) > 1 else numbers[0]].fix(value, skip_validation=True)
        else:
            component.fix(value, skip_validation=True)
    except (KeyError, ValueError) as error:
        raise OptionError(f"fix '{text}': {error}") from None


def _solve(program: Program, settings: RunSettings) -> tuple[Solution, Ranging | None]:
    """By the named solver, else the first installed one for the class."""
    asked = settings.for_solver(settings.budget())
    kind = program.problem_class
    able = [name for name in SOLVER_OF[kind] if SOLVERS[name].installed()]
    name = settings.solver or next(iter(able), SOLVER_OF[kind][0])
    if settings.solver is None and program.quadratic_rows and not _convex(program):
        name = SOLVER_OF[ProblemClass.MIQCQP][0]
    if name == "highs" and kind is ProblemClass.LP and program.cost.size:
        with contextlib.suppress(SolverError):  # the tight tolerance may be out of reach
            return solve_ranged(program, replace(asked, tolerance=TOLERANCE))
        asked = replace(asked, options={**INTERIOR, **asked.options})
    return solve_program(program, name, asked), None


def _solve_fixed(
    program: Program, settings: RunSettings
) -> tuple[Solution, Ranging | None, Conflict | None]:
    """A program with fixed variables may be infeasible, which can take the simplex method long to
    see: after a while a linear one is first asked for a conflict. All ends within the time limit,
    a minute where none is given."""
    end = time.monotonic() + (settings.time_limit or PATIENCE)

    def until(seconds: float) -> RunSettings:
        return replace(settings, time_limit=max(0.0, min(seconds, end - time.monotonic())))

    if program.problem_class is ProblemClass.LP:
        with contextlib.suppress(SolverError):
            solution, ranging = _solve(program, until(FIRST_TRY))
            if solution.status is not Status.LIMIT:
                return solution, ranging, None
        limit = until(math.inf).time_limit
        found = proven_conflict(program, SolveSettings(time_limit=limit, threads=settings.threads))
        if found is not None:
            told = Solution(
                status=Status.INFEASIBLE, solver="highs", version=highs_version(), message=PROVEN
            )
            return told, None, found
        status = Status.LIMIT
        if time.monotonic() < end - AT_LEAST:
            try:
                return *_solve(program, until(math.inf)), None
            except SolverError:
                status = Status.FAILED
        told = Solution(status=status, solver="highs", version=highs_version())
        return told, None, None
    return *_solve(program, until(math.inf)), None


def _convex(program: Program) -> bool:
    try:
        check_convex(program)
    except ConvexityError:
        return False
    return True


def _with_integers_fixed(program: Program, x: FloatArray) -> Program:
    value = np.round(x)
    return replace(
        program,
        lower=np.where(program.integer, value, program.lower),
        upper=np.where(program.integer, value, program.upper),
        integer=np.zeros_like(program.integer),
    )


def head(case: Case, report: Report) -> Report:
    """What was solved, how, and how well: gap and violation are recomputed."""
    program, solution = case.program, case.solution
    spec = {key: value for key, value in asdict(case.spec).items() if value is not None}
    notes = list(case.built.notes)
    if program.integer.any() and case.priced is not None:
        notes.append("prices hold with the integer variables fixed at their values")
    if solution.x is None and solution.status in STOPPED:
        limit = case.settings.time_limit or PATIENCE
        notes.append(
            f"{STOPPED[solution.status].format(limit)}: "
            "whether the program has a feasible point is not known"
        )
    if solution.x is not None and case.priced is None:
        notes.append(f"solver {solution.solver} gives no multipliers for this program: no prices")
    return {
        "schema": 1,
        "radprog": version(),
        "model": case.entry.name,
        "form": case.form,
        "params": {**spec, "seed": case.settings.seed},
        "data": data_block(case.data),
        "program": {
            "class": program.problem_class.value,
            "rows": len(case.rows),
            "columns": len(case.columns),
            "nonzeros": int(program.rows.nnz),
            "integers": int(program.integer.sum()),
            "scale": case.scale,
        },
        "iterate": case.built.iterate,
        "solver": {"name": solution.solver, "version": solution.version},
        "status": solution.status.value,
        "objective": None if solution.objective is None else case.scale * solution.objective,
        "violation": solution.violation,
        "gap": None if case.priced is None else case.priced.gap,
        "notes": notes,
    }


def basis(case: Case, report: Report) -> Report:
    """Whether prices and optimum are the only ones, as far as the basis tells."""
    found = case.ranging
    if found is None:
        return {"basis": None}
    return {"basis": {"degenerate": found.degenerate, "alternatives": found.alternatives}}


def rows(case: Case, report: Report) -> Report:
    """Every row: activity, slack, side that binds, price, and the range of that side."""
    program, solution = case.program, case.solution
    if solution.x is None:
        return {"rows": []}
    activity = program.activity(solution.x)
    terms = np.maximum(abs(program.rows) @ np.abs(solution.x), np.finfo(float).tiny)
    duals = _multipliers(case)[0]
    sides = _sides(activity, program.row_lower, program.row_upper, terms, duals)
    slack = np.minimum(activity - program.row_lower, program.row_upper - activity)
    side = None if case.ranging is None else case.ranging.side
    if side is not None:
        ends = case.scale * np.stack([side.objective_low, side.objective_high])
    return {
        "rows": [
            {
                "name": name,
                "what": case.wording.what(name),
                "activity": float(activity[i]),
                "lower": float(program.row_lower[i]),
                "upper": float(program.row_upper[i]),
                "binding": sides[i],
                "slack": 0.0 if sides[i] else float(slack[i]),
                "price": None if duals is None else _clean(case.scale * duals[i]),
                "range": None if side is None else _range(side.low[i], side.high[i]),
                "objective_at_ends": None if side is None else _range(*ends[:, i]),
            }
            for i, name in enumerate(case.rows)
        ]
    }


def columns(case: Case, report: Report) -> Report:
    """Every column: value, bound that it is at, cost with its range, reduced cost."""
    program, solution = case.program, case.solution
    if solution.x is None:
        return {"columns": []}
    x, reduced = solution.x, _multipliers(case)[1]
    size = np.full(x.shape, max(float(np.abs(x).max(initial=0.0)), np.finfo(float).tiny))
    sides = _sides(x, program.lower, program.upper, size, reduced)
    cost = None if case.ranging is None else case.ranging.cost
    sense = float(program.sense)
    return {
        "columns": [
            {
                "name": name,
                "what": case.wording.what(name),
                "value": float(x[j]),
                "lower": float(program.lower[j]),
                "upper": float(program.upper[j]),
                "at": sides[j],
                "reduced_cost": None if reduced is None else _clean(case.scale * reduced[j]),
                "cost": _clean(sense * program.cost[j]),
                "cost_range": None
                if cost is None
                else _range(*sorted((sense * cost.low[j], sense * cost.high[j]))),
            }
            for j, name in enumerate(case.columns)
        ]
    }


def groups(case: Case, report: Report) -> Report:
    """Rows and columns by component: how many bind, and what their prices mean."""
    found = []
    for part, count, key in (("row", "binding", "price"), ("column", "at", "reduced_cost")):
        together: dict[str, list[Report]] = {}
        for item in report[part + "s"]:
            together.setdefault(item["name"].partition("[")[0], []).append(item)
        for name, members in together.items():
            prices = [member[key] for member in members if member[key] is not None]
            found.append(
                {
                    "part": part,
                    "component": name,
                    "count": len(members),
                    "at_bound": sum(member[count] is not None for member in members),
                    "priced": sum(price != 0.0 for price in prices),
                    "price_total": sum(prices) if prices else None,
                    "price_means": case.wording.price(name),
                }
            )
    return {"groups": found}


def conflict(case: Case, report: Report) -> Report:
    """Of an infeasible program: conditions that cannot hold together, none of them to spare."""
    if case.solution.status is not Status.INFEASIBLE:
        return {"conflict": None}
    asked = SolveSettings(
        time_limit=case.settings.time_limit or PATIENCE, threads=case.settings.threads
    )
    found = case.conflict or find_conflict(case.program, asked)
    if found is None:
        return {"conflict": None}
    conditions = []
    for place, condition in enumerate(found.conditions):
        names = case.rows if condition.part is Part.ROW else case.columns
        name = names[condition.index]
        conditions.append(
            {
                "part": condition.part.value,
                "name": name,
                "what": case.wording.what(name),
                "side": ">=" if condition.side == "lower" else "<=",
                "bound": condition.bound(case.program),
                "weight": None if found.weights is None else float(found.weights[place]),
            }
        )
    return {
        "conflict": {
            "conditions": conditions,
            "irreducible": found.irreducible,
            "found_by": found.found_by,
            "residual": found.residual,
            "integers": bool(case.program.integer.any()),
        }
    }


SECTIONS: tuple[Section, ...] = (head, basis, rows, columns, groups, conflict)


def _multipliers(case: Case) -> tuple[FloatArray | None, FloatArray | None]:
    """Row duals and reduced costs, what is rounding set to 0."""
    priced = case.priced
    if priced is None or priced.row_duals is None or priced.reduced_costs is None:
        return None, None
    both = priced.row_duals, priced.reduced_costs
    largest = max(float(np.abs(part).max(initial=0.0)) for part in (*both, case.program.cost))
    least = (NOISE if case.ranging is None else PRICED) * largest
    duals, reduced = (np.where(np.abs(part) > least, part, 0.0) for part in both)
    return duals, reduced


def _sides(
    value: FloatArray,
    lower: FloatArray,
    upper: FloatArray,
    size: FloatArray,
    multiplier: FloatArray | None,
) -> list[str | None]:
    """Which bound binds: the value is there, or a multiplier points to it."""
    near_lower, near_upper = (
        BINDING * np.maximum(size, np.where(np.isfinite(bound), np.abs(bound), 0.0))
        for bound in (lower, upper)
    )
    at_lower, at_upper = value - lower <= near_lower, upper - value <= near_upper
    if multiplier is not None:
        at_lower |= (multiplier > 0) & np.isfinite(lower)
        at_upper |= (multiplier < 0) & np.isfinite(upper)
    return _words(at_lower, at_upper, lower == upper)


def _words(at_lower: BoolArray, at_upper: BoolArray, same: BoolArray) -> list[str | None]:
    words: NDArray[np.object_] = np.full(at_lower.shape, None, dtype=object)
    words[at_upper] = "upper"
    words[at_lower] = "lower"
    words[(at_lower | at_upper) & same] = "equal"
    found: list[str | None] = words.tolist()
    return found


def _clean(value: float) -> float:
    """Without minus zero."""
    return float(value) + 0.0


def _range(low: float, high: float) -> list[float | None] | None:
    """The ends, None where infinite; nothing where there is no range."""
    if np.isnan(low) or np.isnan(high):
        return None
    return [float(end) if np.isfinite(end) else None for end in (low, high)]
