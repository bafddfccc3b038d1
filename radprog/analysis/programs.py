"""The sections of an analysis: binding constraints, prices, ranges and conflicts.

Numbers are in the units of the program. Prices are in the units of the reported objective.
"""

from __future__ import annotations

import gc
import itertools
import math
import time
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Unpack

import numpy as np

from radprog.analysis.case import Case, model_case, program_case, solved_case
from radprog.analysis.program_page import SIDES, analysis_parts
from radprog.api import run_settings
from radprog.base.errors import OptionError, SolverError, UnfinishedError
from radprog.base.modelling import pyo
from radprog.base.names import name_pattern
from radprog.base.sections import Part, Report
from radprog.base.tolerances import BINDING
from radprog.base.types import FloatArray
from radprog.catalog import entry_of
from radprog.decompositions.programs.structure import Structure, detect, split_names
from radprog.decompositions.run import (
    RunOptions,
    RunSettings,
    settings_from,
    settings_of,
    stoppable,
)
from radprog.models.constraints import Constraints
from radprog.result import data_block, plain, radprog_version
from radprog.solvers.claims import ray_entries
from radprog.solvers.foreign import foreign_name, foreign_program, turned
from radprog.solvers.program import ProblemClass, SolveSettings, Status, refuse_no_number
from radprog.solvers.questions import conflict as conflicts
from radprog.solvers.questions.alternatives import next_best, other_vertices
from radprog.solvers.questions.numbers import find_oddities
from radprog.solvers.registry import preferred, solve_program

# the least multiplier that counts, relative to the largest or the largest cost: of a basis
BASIS_PRICE = 1e-9

# nonzeros of a program whose blocks are searched: a fifth of a second
BLOCKS_NONZEROS = 50_000

Block = dict[str, Any]

PRINTED_ROWS = 10  # rows and columns of every table that is printed


class Analysis(Report):
    """Sensitivity analysis of a program. ``print`` and notebooks show the report of
    ``radprog analyze``, with ``top`` rows of every table: set it for more.

    This class is a mapping with these keys:

    - ``status``, ``objective``, ``bound``, ``violation``, ``gap``: ``gap`` is the relative gap
      between objective and bound. With integer variables, both come from the search.
    - ``fixed_gap``: the relative gap of the program with its integer variables fixed, from which
      the prices come; None without integer variables or prices
    - ``program``: class and sizes
    - ``rows``: for each row, its name, meaning, activity, bounds, slack, binding side, price, and
      the range of the bound. A name counts examples from 0, as arrays do; "row 5" in a meaning is
      line 5 of the data file, including its header. The price is d objective / d bound. It is None
      if there are no multipliers. An end of a range is None if it is infinite. The range itself is
      None if the row is not binding, or if ranges are unknown because the solution has no basis.
      If the basis is degenerate, the price is one of many: the derivative in one direction, or
      between those of both.
    - ``columns``: for each column, its value, its cost with the range, and its reduced cost
    - ``numbers``: ``ranges`` of coefficients, costs, right-hand sides and bounds; ``counts`` of
      findings by kind; and up to 1000 ``findings`` of each kind, each with the ``name`` of its row
      or column, the ``other`` one that it is compared with, and a ``value``: of "big M" a
      coefficient that serves (the smallest one by the bounds of columns: all rows together may
      allow a smaller one), of a "singleton row" the bound, of other units the ratio, of a
      duplicate, parallel or redundant one the factor; a "redundant row" is implied by the
      ``other``, of which it is a multiple. Units are other ones from 1e6 times the median of all
      on, and 1000 times beside entries of the same column, constraint and variable
    - ``structure``: numbers of blocks, kinds of identical blocks, linking rows and columns of a
      user's own linear program with up to 50,000 nonzeros (:func:`radprog.structure` has no such
      limit); None without blocks
    - ``basis``: whether the prices and the optimal solution are unique, of the program with its
      integer variables fixed
    - ``conflict``: the conflict of an infeasible program, and in it ``repair``, which is
      ``report["conflict"]["repair"]``: the moves of sides of rows, in the units of each row, with
      the least sum that makes it feasible; None if there are none, or at a limit
    - ``ray``: the entries of a ray of an unbounded program, the largest first
    - ``solutions``: with ``solutions=K``, their ``kind``, whether they are ``complete`` (there are
      no others), a ``message`` why the list ends, and a ``list`` of them with objective, bound,
      gap, status and values; else None. ``swap_of`` is the number of
      the first solution of which one only swaps identical blocks, or None

    Examples
    --------
    >>> import pyomo.environ as pyo
    >>> import radprog as rp
    >>> model = pyo.ConcreteModel()
    >>> model.x = pyo.Var(bounds=(0, None))
    >>> model.cost = pyo.Objective(expr=2 * model.x)
    >>> model.demand = pyo.Constraint(expr=model.x >= 4)
    >>> report = rp.analyze(model)
    >>> report["status"], report["rows"][0]["price"], report["columns"][0]["value"]
    ('optimal', 2.0, 4.0)
    """

    top = PRINTED_ROWS

    def _parts(self) -> list[Part]:
        return analysis_parts(self, self.top)


def analyze(
    model: Any,
    data: Any = None,
    form: str | None = None,
    *,
    constraints: Constraints | None = None,
    solutions: int = 0,
    protect: Sequence[str] = (),
    top: int = PRINTED_ROWS,
    **settings: Unpack[RunOptions],
) -> Analysis:
    """Analyze a program: binding constraints, prices, ranges and conflicts.

    Parameters
    ----------
    model : settings of a model, ConcreteModel, str, Path, or model of highspy, linopy or CVXPY
        Settings of a model, together with ``data``. Alternatively, a linear or quadratic program
        without ``data``: a Pyomo model, an .lp or .mps file, or a model of another modelling
        language.
    data : data set, optional
        The data of the model.
    form : str, optional
        Name of the form. The default is the first form of the model.
    constraints : Constraint or sequence, optional
        Linear constraints on the scores, as in :func:`radprog.fit`.
    solutions : int
        How many solutions to list, the optimum first. Of a program with integers, these are the
        next best ones with other values of the integer columns, each with the bound of its own
        search. Of a linear program, they are vertices of the face of optimal points.
    protect : sequence of str
        Names of rows or of constraints that ``repair`` may not move, or patterns such as
        ``"demand[*,1]"``, in which ``*`` and ``?`` are wildcards.
    top : int
        The rows of every table that is printed.
    **settings
        Settings of a run, as in :func:`radprog.fit`. ``time_limit`` is for all solutions together.

    Returns
    -------
    Analysis
        A mapping of JSON types that ``print`` shows as tables, with ``rows``, ``columns``,
        ``basis``, ``conflict`` and others. None represents an infinite number or a
        missing value. A Pyomo model keeps the sense of its objective.

    Raises
    ------
    OptionError
        If the form or an option is unknown.
    DataError
        If the data cannot be used.
    CapabilityError
        If the program is neither linear nor quadratic.
    SolverError
        If the solver fails.

    Notes
    -----
    For the linear program v = min c'x s.t. lower <= A x <= upper, the price of a bound b is the
    derivative d v / d b. The range of b is the interval on which the basis remains optimal; v is
    linear there. At a degenerate vertex, a row may have price 0 and a range that ends at b.

    If the program is infeasible, ``conflict`` lists an irreducible set of rows, bounds and
    integrality conditions without a common point. If ``found_by`` is "deletion" and there are no
    weights, this is only a solver's claim. ``least_move`` is 1 / weight: the smallest shift of this
    side that can resolve the conflict if no other side is shifted. Other conflicts may remain, and
    ``repair`` resolves all. If
    an integer program is infeasible only according to a solver, ``status`` is "failed" and
    ``claim`` is "infeasible".

    Examples
    --------
    >>> import pyomo.environ as pyo
    >>> import radprog as rp
    >>> model = pyo.ConcreteModel()
    >>> model.x = pyo.Var(bounds=(0, None))
    >>> model.y = pyo.Var(bounds=(0, None))
    >>> model.cost = pyo.Objective(expr=2 * model.x + 3 * model.y)
    >>> model.demand = pyo.Constraint(expr=model.x + model.y >= 4)
    >>> report = rp.analyze(model)
    >>> report["objective"]
    8.0
    >>> row = report["rows"][0]
    >>> row["name"], row["binding"], row["price"]
    ('demand', 'lower', 2.0)
    """
    refuse_no_number("solutions", solutions, whole=True)
    refuse_no_number("top", top, whole=True)
    # a user's own program, or a form of a model
    foreign = foreign_program(model)
    if foreign is not None or hasattr(model, "component_data_objects"):
        if not (data is None and form is None and constraints is None):
            raise OptionError("a Pyomo model is complete: leave data, form and constraints out")
        chosen = settings_from(RunSettings, settings)
        solve = partial(model_case, model)
        if foreign is not None:
            solve = partial(program_case, foreign, foreign_name(model))
    else:
        entry = entry_of(model)
        data = entry.adapt(data)
        spec = entry.with_widths(entry.constrained(model, data, constraints), data)
        chosen, solve = run_settings(entry, **settings), partial(solved_case, spec, data, form)
    with stoppable(chosen) as solving:  # conflicts and further solutions are searches, too
        report = Analysis(report_of(solve(solving), solutions, protect))
    report.top = top
    return report


def report_of(case: Case, count: int = 0, protect: Sequence[str] = ()) -> Block:
    """All sections of the report on a solved program, in JSON types, with ``count`` solutions."""
    protect = [protect] if isinstance(protect, str) else protect
    # a name of a row may have commas itself
    parts = ([names] if _rows_like(case, [names]) else split_names(names) for names in protect)
    protect = [*itertools.chain.from_iterable(parts)]
    for pattern in protect:
        if not _rows_like(case, [pattern]):
            raise OptionError(f"protect: no row has the name {pattern}, such as {case.rows[0]}")
    # records have no cycles: looking for some in 1e5 of them takes two thirds of the time
    collecting = gc.isenabled()
    gc.disable()
    try:
        rows, columns = row_records(case), column_records(case)
    finally:
        if collecting:
            gc.enable()
    report = head(case)
    report |= {
        "numbers": numbers(case),
        "structure": structure(case),
        "basis": basis(case),
        "rows": (),
        "columns": (),
        "conflict": conflict(case, protect),
        "ray": ray(case),
        "solutions": solutions(case, count) if count and case.solution.x is not None else None,
    }
    # the long lists have JSON types already: a second walk takes as long as HiGHS
    return {**plain(report), "rows": rows, "columns": columns}


def head(case: Case) -> Block:
    """The program, the solver, and the recomputed gap and violation."""
    program, solution = case.program, case.solution
    spec = {} if case.spec is None else settings_of(case.spec)
    built = case.built
    notes = turned(case.foreign) if built is None else list(built.notes)
    # notes on the limits of the numbers below
    fixed_gap = case.priced.gap if program.integer.any() and case.priced is not None else None
    if fixed_gap is not None:
        notes.append(
            "prices hold with the integer variables fixed at their values (gap of that "
            f"program {fixed_gap:.2g}); if these may move too, a unit may have another price: "
            "change the side by a unit and solve again"
        )
    model = None if built is None or case.entry is not None else built.model
    if model is not None and any(
        v.fixed for v in model.component_data_objects(pyo.Var, active=True)
    ):
        notes.append(
            "fixed variables are numbers: activity and bounds of a row are of the variables that "
            "are left"
        )
    if solution.x is None and solution.status is Status.LIMIT:
        limit = case.settings.time_limit or conflicts.PATIENCE
        notes.append(
            f"stopped after {limit:g} s (`time_limit`): whether the program has a feasible point "
            "is not known"
        )
    # integers alone in conflict: the relaxation has a point
    claim = solution.claim if solution.status is Status.FAILED else None
    if Status.INFEASIBLE in (solution.status, claim) and program.integer.any():
        relaxed = replace(program, integer=np.zeros_like(program.integer))
        solver = preferred(relaxed.problem_class, nonconvex=bool(program.quadratic_rows))
        if solve_program(relaxed, solver, _settings(case)).x is not None:
            notes.append("the relaxation, without the integers, has a feasible point")
    if (solution.claimed_optimal and solution.status is not Status.OPTIMAL) or claim:
        notes.append(solution.message)
    if solution.x is not None and case.priced is None:
        notes.append(f"solver {solution.solver} gives no multipliers for this program: no prices")
    # Pyomo calls a program without a name "unknown"
    name = case.foreign or "own model"
    if model is not None and model.name != "unknown":
        name = str(model.name)
    return {
        "schema": 1,
        "radprog": radprog_version(),
        "model": name if case.entry is None else case.entry.name,
        "form": case.form,
        "params": {**spec, "seed": case.settings.seed},
        "data": None if case.data is None else data_block(case.data),
        "program": {
            "class": program.problem_class.value,
            "rows": len(case.rows),
            "columns": len(case.columns),
            "nonzeros": int(program.rows.nnz),
            "integers": int(program.integer.sum()),
            "scale": case.scale,
        },
        "iterate": None if built is None else built.iterate,
        "solver": {"name": solution.solver, "version": solution.version},
        "status": solution.status.value,
        "claimed_optimal": solution.claimed_optimal,
        "claim": None if claim is None else claim.value,
        "proved_by": solution.proved_by,
        "objective": None if solution.objective is None else case.scale * solution.objective,
        "bound": None if solution.bound is None else case.scale * solution.bound,
        "violation": solution.violation,
        "gap": solution.gap,
        "fixed_gap": fixed_gap,
        "notes": notes,
    }


def numbers(case: Case) -> Block:
    """The ranges of the numbers of a program, and what is odd about its rows and columns."""
    summary, findings = find_oddities(case.named)
    return {**summary, "findings": findings}


def _blocks(case: Case) -> Structure | None:
    """The blocks of a linear program; None for other programs and without blocks.

    They are not searched in large programs, where this takes longer than the solution.
    """
    linear = case.program.problem_class in (ProblemClass.LP, ProblemClass.MILP)
    if not linear or case.entry is not None or case.program.rows.nnz > BLOCKS_NONZEROS:
        return None
    split = detect(case.named)
    return split if len(split.blocks) > 1 else None


def structure(case: Case) -> Block | None:
    """The blocks of a program in words and numbers."""
    if (split := _blocks(case)) is None:
        return None
    words = {"summary": str(split).splitlines()[0], "score": split.score, "source": split.source}
    words["first"] = split.members(split.blocks[0])
    return {**words, **split.to_dict()}


def basis(case: Case) -> Block | None:
    """Whether the prices and the optimal solution are unique, according to the basis.

    None without a proved optimum, of the program or of the one with its integers fixed.
    """
    ranging, priced = case.ranging, case.priced
    if ranging is None or priced is None or priced.status is not Status.OPTIMAL:
        return None
    names = *case.columns, *case.rows
    movable = [names[k] for k in ranging.movable[:PRINTED_ROWS]]
    return {
        "degenerate": ranging.degenerate,
        "alternatives": len(ranging.movable),
        "movable": movable,
    }


def row_records(case: Case) -> list[Block]:
    """For each row its activity, slack, binding side and price, and the range of that side."""
    program, solution = case.program, case.solution
    if solution.x is None:
        return []
    activity = program.activity(solution.x)
    # the size of the terms of a row: rounding is relative to it
    terms = np.maximum(abs(program.rows) @ np.abs(solution.x), np.finfo(float).tiny)
    duals = _multipliers(case)[0]
    sides = _sides(activity, program.row_lower, program.row_upper, terms, duals)
    # distance to the nearer side
    slack = np.minimum(activity - program.row_lower, program.row_upper - activity)
    side = None if case.ranging is None else case.ranging.side
    if side is not None:
        (low, high), ends = side[:2].copy(), case.scale * side[2:]
        # basic at its side: the basis stays optimal while the side moves away from the row
        for i in np.flatnonzero(np.isnan(low)):
            if sides[i] is not None:
                low[i] = -np.inf if sides[i] == "lower" else program.row_upper[i]
                high[i] = np.inf if sides[i] == "upper" else program.row_lower[i]
                ends[:, i] = case.scale * program.objective(solution.x)
    # as lists, of which each row is one record
    m = len(case.rows)
    slack[[bool(word) for word in sides]] = 0.0
    values = (
        case.rows,
        map(case.wording.what, case.rows),
        *map(_finite, (activity, program.row_lower, program.row_upper)),
        sides,
        _finite(slack),
        [None] * m if duals is None else _finite(case.scale * duals),
        [None] * m if side is None else _ranges(low, high),
        [None] * m if side is None else _ranges(*ends),
    )
    return [
        {
            "name": name,
            "what": what,
            "activity": value,
            "lower": lower,
            "upper": upper,
            "binding": binding,
            "slack": distance,
            "price": price,
            "range": span,
            "objective_at_ends": worth,
        }  # a literal takes two thirds of the time of dict(zip(keys, row))
        for name, what, value, lower, upper, binding, distance, price, span, worth in zip(
            *values, strict=True
        )
    ]


def column_records(case: Case) -> list[Block]:
    """For each column its value, active bound, cost with its range, and reduced cost.

    Integer columns are fixed for the prices and have no range.
    """
    program, solution = case.program, case.solution
    if solution.x is None:
        return []
    x, reduced = solution.x, _multipliers(case)[1]
    # columns are compared with the largest of them
    size = np.full(x.shape, max(float(np.abs(x).max(initial=0.0)), np.finfo(float).tiny))
    # the reduced cost of a fixed integer does not mean that it is at a bound
    pulled = None if reduced is None else np.where(program.integer, 0.0, reduced)
    sides = _sides(x, program.lower, program.upper, size, pulled)
    cost = None if case.ranging is None else case.ranging.cost
    sense = float(program.sense)
    n = len(case.columns)
    ranges: list[list[float | None] | None] = [None] * n
    if cost is not None:
        ends = np.sort(sense * cost[:2, :n], axis=0)
        ends[:, program.integer] = np.nan
        ranges = _ranges(*ends)
    values = (
        case.columns,
        map(case.wording.what, case.columns),
        *map(_finite, (x, program.lower, program.upper)),
        sides,
        [None] * n if reduced is None else _finite(case.scale * reduced),
        _finite(sense * program.cost),
        ranges,
    )
    return [
        {
            "name": name,
            "what": what,
            "value": value,
            "lower": lower,
            "upper": upper,
            "at": side,
            "reduced_cost": price,
            "cost": cost,
            "cost_range": span,
        }
        for name, what, value, lower, upper, side, price, cost, span in zip(*values, strict=True)
    ]


def ray(case: Case) -> list[Block]:
    """For an unbounded program, a ray that proves unboundedness; its largest entries come first."""
    if case.solution.status is not Status.UNBOUNDED or case.solution.ray is None:
        return []
    entries = ray_entries(case.solution.ray, case.columns)
    return [
        {"name": name, "what": case.wording.what(name), "value": value} for name, value in entries
    ]


def conflict(case: Case, protect: Sequence[str] = ()) -> Block | None:
    """For an infeasible program, conditions that cannot hold together, if possible irreducible.

    Returns None for other programs, after a time limit or an interrupt, or if no solver can decide.
    """
    if Status.INFEASIBLE not in (case.solution.status, case.solution.claim):
        return None
    # an irreducible set of rows, bounds and integers, by radprog's own search
    began, settings = time.perf_counter(), _settings(case)
    try:
        core = conflicts.find_conflict(case.program, settings)
    except (SolverError, UnfinishedError):
        return None
    # a claim about a linear program needs weights: without them it is wrong, or badly scaled
    linear = case.program.problem_class is ProblemClass.LP
    unproved = case.solution.status is not Status.INFEASIBLE and linear
    if core is None or (unproved and core.weights is None):
        return None
    conditions = []
    # each condition with the description of its row or column, and its multiplier
    for place, condition in enumerate(core.conditions):
        names = case.rows if condition.part == "row" else case.columns
        name = names[condition.index]
        weight = None if core.weights is None else float(core.weights[place])
        conditions.append(
            {
                "part": condition.part,
                "name": name,
                "what": case.wording.what(name),
                "side": SIDES.get(condition.side, condition.side),
                "bound": None if condition.side == "integer" else condition.bound(case.program),
                "weight": weight,
                # 0 >= 1 - weight * move: smaller moves leave the contradiction
                "least_move": 1.0 / weight if weight else None,
            }
        )
    return {
        "conditions": conditions,
        "irreducible": core.irreducible,
        "found_by": core.found_by,
        "residual": core.residual,
        "integers": bool(case.program.integer.any()),
        "repair": _repair(case, settings.after(time.perf_counter() - began), protect),
        "protected": list(protect),
    }


def _rows_like(case: Case, patterns: Sequence[str]) -> list[int]:
    """The rows with one of these names, or that fit one of these patterns."""
    tests = [name_pattern(pattern) for pattern in patterns]
    return [i for i, name in enumerate(case.rows) if any(fits(name) for fits in tests)]


def _repair(case: Case, settings: SolveSettings, protect: Sequence[str]) -> Block | None:
    """The moves of sides of rows, with the least sum, that make the program feasible."""
    try:
        repair = conflicts.least_repair(case.program, settings, _rows_like(case, protect))
    except (SolverError, UnfinishedError):
        return None
    if repair is None:
        return None
    (sides, proved), moves = repair, list[Block]()
    for side, amount in sides:
        name, bound = case.rows[side.index], side.bound(case.program)
        # nine digits, rounded outwards, without the rounding of the solver
        sign, unit = (
            (-1.0, 1.0)[side.side == "upper"],
            10.0 ** (9 - int(math.log10(max(1.0, abs(bound))))),
        )
        moved = sign * math.ceil((sign * bound + amount) * unit - 1e-3) / unit + 0.0
        words = {"name": name, "what": case.wording.what(name), "side": SIDES[side.side]}
        moves.append({**words, "from": bound, "to": moved})
    return {"total": sum(amount for _, amount in sides), "proved": proved, "moves": moves}


def solutions(case: Case, count: int) -> Block:
    """Up to ``count`` solutions: the next best ones with integers, or vertices of a linear
    program's optimal face; of a quadratic program without integers the optimum alone.
    """
    program, first, run = replace(case.program, sense=1), case.solution, case.settings
    settings = replace(run, used=run.used + first.seconds)
    solving = settings.for_solver(settings.budget())
    if program.integer.any():
        points, words = next_best(program, first, count, run.solver, solving)
    elif program.problem_class is not ProblemClass.LP:
        message = "others are listed of linear programs, and of programs with integers"
        points, words = [first], {"kind": "the optimum", "complete": False, "message": message}
    else:
        tight = replace(solving, tol=1e-9, solver_options={}, log=None)
        points, words = other_vertices(program, first, case.ranging, count, tight)
    entries = [
        {
            "objective": None if point.objective is None else case.scale * point.objective,
            "bound": None if point.bound is None else case.scale * point.bound,
            "gap": point.gap,
            "status": point.status.value,
            "proved_by": point.proved_by,
            "swap_of": swap,
            "values": dict(zip(case.columns, (np.asarray(point.x) + 0.0).tolist(), strict=True)),
        }
        for point, swap in zip(
            points, _swaps(case, [np.asarray(point.x) for point in points]), strict=True
        )
    ]
    return {**words, "list": entries}


def _swaps(case: Case, points: Sequence[FloatArray]) -> list[int | None]:
    """For each point (n,), the number of the first one of which it swaps identical blocks."""
    blocks, earlier, swaps = _blocks(case), dict[object, int](), list[int | None]()
    for number, point in enumerate(points, 1):
        x = np.round(point, 6) + 0.0
        key: object = number
        if blocks is not None:
            parts = [sorted(x[b.columns].tolist() for b in kind.blocks) for kind in blocks.kinds]
            key = repr([x[blocks.linking_columns].tolist(), parts])
        first = earlier.setdefault(key, number)
        swaps.append(first if first < number else None)
    return swaps


def _settings(case: Case) -> SolveSettings:
    """The settings of a further solve. Its time limit is reduced by the time of the first solve."""
    seconds = case.settings.used + case.solution.seconds
    settings = replace(case.settings, used=seconds)
    return settings.for_own_solver(settings.budget(), conflicts.PATIENCE)


def _multipliers(case: Case) -> tuple[FloatArray | None, FloatArray | None]:
    """Row duals and reduced costs, with rounding errors set to 0."""
    priced = case.priced
    if priced is None or priced.row_duals is None or priced.reduced_costs is None:
        return None, None
    pair = priced.row_duals, priced.reduced_costs
    # values that are small beside the largest multiplier or cost are rounding errors
    largest = max(float(np.abs(part).max(initial=0.0)) for part in (*pair, case.program.cost))
    # and of a point that comes from no basis
    limit = (1e-6 if case.ranging is None else BASIS_PRICE) * largest
    duals, reduced = (np.where(np.abs(part) > limit, part, 0.0) for part in pair)
    return duals, reduced


def _sides(
    value: FloatArray,
    lower: FloatArray,
    upper: FloatArray,
    size: FloatArray,
    multiplier: FloatArray | None,
) -> list[str | None]:
    """The binding side: the bound that is reached or, if none is, the bound implied by the
    multiplier.
    """
    # a side binds if the activity reaches it up to rounding
    reach_lower, reach_upper = (
        BINDING * np.maximum(size, np.where(np.isfinite(bound), np.abs(bound), 0.0))
        for bound in (lower, upper)
    )
    at_lower, at_upper = value - lower <= reach_lower, upper - value <= reach_upper
    if multiplier is not None:
        # else the sign of the multiplier determines the side
        inside = ~(at_lower | at_upper)
        at_lower |= inside & (multiplier > 0) & np.isfinite(lower)
        at_upper |= inside & (multiplier < 0) & np.isfinite(upper)
    equal = (lower == upper) & (at_lower | at_upper)
    words = np.where(at_upper, "upper", "")
    words = np.where(equal, "equal", np.where(at_lower, "lower", words))
    return [word or None for word in words.tolist()]


def _finite(values: FloatArray) -> list[float | None]:
    """The numbers, with None for infinite ones and zero for minus zero."""
    numbers: list[float | None] = (values + 0.0).tolist()
    for i in np.flatnonzero(~np.isfinite(values)).tolist():
        numbers[i] = None
    return numbers


def _ranges(low: FloatArray, high: FloatArray) -> list[list[float | None] | None]:
    """The ends of ranges, with None for infinite ends; None where there is no range."""
    ends = zip(_finite(low), _finite(high), (np.isnan(low) | np.isnan(high)).tolist(), strict=True)
    return [None if no_range else [lower, upper] for lower, upper, no_range in ends]
