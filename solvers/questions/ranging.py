"""Ranges of costs and right-hand sides of a linear program in which its basis stays optimal."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import Any

import highspy
import numpy as np
from highspy import HighsBasisStatus

from radprog.base.errors import CapabilityError, SolverError
from radprog.base.types import BoolArray, FloatArray, IntArray
from radprog.solvers.adapters import highs as adapter
from radprog.solvers.answer import judge
from radprog.solvers.claims import prove_claim
from radprog.solvers.program import INFINITE, ProblemClass, Program, Solution, SolveSettings, Status


@dataclass(frozen=True, kw_only=True)
class Ranging:
    """The ranges of an optimal basis.

    - cost (4, n): the ends low and high of the range of each column's cost, and the objective at
      both ends. It is linear in between. An end may be infinite.
    - side (4, m): the same of the binding bound of each nonbasic row; NaN for basic rows.
    - degenerate: the number of basic rows and columns at a bound. If it is positive, another basis
      of the same point may have other prices.
    - movable: the numbers of the nonbasic columns and rows with reduced cost 0; rows are numbered
      after the columns. If there are any such columns or rows, other points may be optimal.
    - face: a program over the optimal points, by complementary slackness. It moves the movable
      columns and rows away from their bounds, each by at most max(1, |value|). If none can move,
      the optimal point is unique.
    """

    cost: FloatArray
    side: FloatArray
    degenerate: int
    movable: IntArray
    face: Program


def solve_ranged(
    program: Program, settings: SolveSettings | None = None
) -> tuple[Solution, Ranging | None]:
    """Solve a linear program by the simplex method of HiGHS, with the ranges of an optimal basis.

    Raises CapabilityError for another class, and SolverError if HiGHS fails.
    """
    if program.problem_class is not ProblemClass.LP:
        raise CapabilityError(f"ranging needs a linear program, not a {program.problem_class}")
    settings = settings or SolveSettings()
    start = time.perf_counter()
    solver = adapter.new_highs(settings)
    adapter.set_option(solver, "solver", "simplex")
    adapter.pass_program(solver, program)
    solver = adapter.run(solver, settings)
    solution = judge(
        program,
        adapter.read_answer(solver),
        solver="highs",
        version=adapter.version(),
        seconds=time.perf_counter() - start,
        settings=settings,
    )
    if solution.claim is not None:
        return prove_claim(program, solution, settings), None
    if solution.status is Status.FAILED:
        raise SolverError(f"solver highs failed: {solution.message}")
    if not solution.claimed_optimal or solution.row_duals is None:
        return solution, None
    return solution, _ranging(solver, program, solution)


def _ranging(solver: adapter.Highs, program: Program, solution: Solution) -> Ranging | None:
    status, ranges = solver.getRanging()
    basis = solver.getBasis()
    if status == highspy.HighsStatus.kError or not ranges.valid or not basis.valid:
        return None
    columns, rows = (
        np.array([word == HighsBasisStatus.kBasic for word in words], dtype=np.bool_)
        for words in (basis.col_status, basis.row_status)
    )
    assert solution.x is not None
    assert solution.row_duals is not None
    assert solution.reduced_costs is not None
    activity, sizes = program.activity(solution.x), _row_sizes(program, solution.x)
    degenerate = _at_bound(activity, program.row_lower, program.row_upper, sizes)[rows].sum()
    sizes = np.full(columns.shape, np.abs(solution.x).max(initial=0.0))
    degenerate += _at_bound(solution.x, program.lower, program.upper, sizes)[columns].sum()
    size = max(
        [float(np.abs(part).max()) for part in (program.cost, solution.row_duals) if part.size],
        default=0.0,
    )
    # nonbasic ones without a reduced cost: the point may move along them
    lower = np.concatenate([program.lower, program.row_lower])
    upper = np.concatenate([program.upper, program.row_upper])
    prices = np.abs(np.concatenate([solution.reduced_costs, solution.row_duals]))
    priced = prices > 1e-9 * size  # what is smaller is a rounding error
    free = ~np.concatenate([columns, rows]) & (lower < upper) & ~priced
    # the optimal face: what has a price stays where it is
    value = np.clip(np.concatenate([solution.x, activity]), lower, upper)
    reach = np.where(free, np.maximum(1.0, np.abs(value)), np.inf)
    reach[priced] = 0.0
    low, high = np.maximum(lower, value - reach), np.minimum(upper, value + reach)
    away, n = np.where(high - value < value - low, -1.0, 1.0) * free, len(columns)
    face = replace(
        program,
        cost=-(away[:n] + program.rows.T @ away[n:]),
        lower=low[:n],
        upper=high[:n],
        row_lower=low[n:],
        row_upper=high[n:],
    )
    return Ranging(
        face=face,
        cost=_range(ranges.col_cost_dn, ranges.col_cost_up),
        side=np.where(rows, np.nan, _range(ranges.row_bound_dn, ranges.row_bound_up)),
        degenerate=int(degenerate),
        movable=np.flatnonzero(free),
    )


def _row_sizes(program: Program, x: FloatArray) -> FloatArray:
    """The sizes (m,) of the terms of each row, to which the rounding error of its activity belongs.

    A column that is 0 in a basis has the rounding error of the others. Without it, a row of such
    columns alone does not hold at its bound.
    """
    smallest = 1e-3 * np.abs(x).max(initial=0.0)
    sizes: FloatArray = abs(program.rows) @ np.maximum(np.abs(x), smallest)
    return sizes


def _range(down: Any, up: Any) -> FloatArray:
    """The ranges (4, k) of k numbers."""
    ends = np.array([down.value_, up.value_, down.objective_, up.objective_], dtype=np.float64)
    ends[0, ends[0] <= -INFINITE], ends[1, ends[1] >= INFINITE] = -np.inf, np.inf
    return ends


def _at_bound(
    value: FloatArray, lower: FloatArray, upper: FloatArray, size: FloatArray
) -> BoolArray:
    touching = np.zeros(value.shape, dtype=np.bool_)
    for bound in (lower, upper):
        end = np.where(np.isfinite(bound), bound, 0.0)
        # a distance of at most 1e-9 of the terms counts as 0
        reach = 1e-9 * np.maximum(size, np.abs(end))
        touching |= np.isfinite(bound) & (np.abs(value - end) <= reach)
    return touching
