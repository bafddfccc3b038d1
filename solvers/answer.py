"""What an adapter hands back, and the one place where a claim becomes a status."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from radprog.instances.types import FloatArray
from radprog.solvers.program import Program, Solution, SolveSettings, Status

#: What a solver's word "optimal" must meet, relative to the numbers involved.
CLAIM_TOLERANCE = 1e-6
#: Duality gap, relative to max(1, |objective|), above which "optimal" becomes "feasible".
GAP_TOLERANCE = 1e-5
#: Rounding errors of a recomputed row, relative to the sum of its absolute terms.
ROUNDING = 1e-13


@dataclass(frozen=True, kw_only=True)
class SolverAnswer:
    """A solver's own words: status, point (n,), claimed objective, row duals (m,)."""

    status: Status
    x: FloatArray | None = None
    claimed: float | None = None
    row_duals: FloatArray | None = None
    message: str = ""


class FileClaim(NamedTuple):
    """A solver's own words about a file: status, objective, values by name of column."""

    status: Status
    objective: float | None = None
    x: Mapping[str, float] = {}
    message: str = ""


def judge(
    program: Program,
    answer: SolverAnswer,
    *,
    solver: str,
    version: str,
    seconds: float,
    settings: SolveSettings,
) -> Solution:
    """Recompute an answer from the matrices; every adapter's answer becomes a Solution here.

    A solution holds a point only if it is feasible within the tolerance, and calls it optimal
    only if it has the claimed objective too, else FAILED; and, for a continuous program with
    duals, if the duality gap is small, else FEASIBLE. The message says why.
    """
    solution = Solution(
        status=answer.status,
        solver=solver,
        version=version,
        seconds=seconds,
        claimed=answer.claimed,
        message=answer.message,
        options=dict(settings.options),
    )
    tolerance = max(CLAIM_TOLERANCE, 10 * (settings.tolerance or 0.0))
    fault = _fault(program, answer.x, tolerance)
    if answer.status not in _MAY_HOLD_A_POINT:
        return solution
    if fault or answer.x is None:
        if answer.status not in _MUST_HOLD_A_POINT:
            return solution
        message = f"{solver} says {answer.status} {fault}"
        return replace(solution, status=Status.FAILED, message=message)
    x, duals = answer.x, answer.row_duals
    objective = program.objective(x)
    solution = replace(solution, x=x, objective=objective, violation=program.violation(x))
    if duals is not None and duals.shape == program.row_lower.shape and np.isfinite(duals).all():
        reduced_costs = program.reduced_costs(x, duals)
        gap = duality_gap(program, x, duals, reduced_costs)
        solution = replace(solution, row_duals=duals, reduced_costs=reduced_costs, gap=gap)
    return _doubted(solution, objective, tolerance)


_MUST_HOLD_A_POINT = frozenset({Status.OPTIMAL, Status.FEASIBLE})
_MAY_HOLD_A_POINT = _MUST_HOLD_A_POINT | {Status.LIMIT, Status.INTERRUPTED}


def _fault(program: Program, x: FloatArray | None, tolerance: float) -> str:
    """Why x is no feasible point, or nothing."""
    if x is None or x.shape != program.cost.shape or not np.isfinite(x).all():
        return "without a finite point"
    violation = relative_violation(program, x)
    return "" if violation <= tolerance else f"at a point that violates it by {violation:.3g}"


def _doubted(solution: Solution, objective: float, tolerance: float) -> Solution:
    """The solution with its claim of optimality checked."""
    size = max(1.0, abs(objective))
    claimed, gap = solution.claimed, solution.gap
    if solution.status is not Status.OPTIMAL:
        return solution
    if claimed is not None and not abs(objective - claimed) <= tolerance * size:
        message = f"{solution.solver} claims an optimum of {claimed!r} at a point of {objective!r}"
        return replace(solution, status=Status.FAILED, message=message)
    if gap is not None and not gap <= GAP_TOLERANCE * size:
        message = f"{solution.solver} says optimal, but its duals leave a gap of {gap:.3g}"
        return replace(solution, status=Status.FEASIBLE, message=message)
    return solution


def duality_gap(
    program: Program, x: FloatArray, row_duals: FloatArray, reduced_costs: FloatArray
) -> float:
    """Sum of |multiplier| times the distance to the bound that its sign points to.

    It is the duality gap where x is feasible and the program convex. A multiplier that points to
    an infinite bound counts |multiplier| max(1, |value|).
    """
    rows = _complementarity(row_duals, program.activity(x), program.row_lower, program.row_upper)
    return rows + _complementarity(reduced_costs, x, program.lower, program.upper)


def _complementarity(
    multiplier: FloatArray, value: FloatArray, lower: FloatArray, upper: FloatArray
) -> float:
    side = np.where(multiplier > 0, lower, upper)
    finite = np.isfinite(side)
    distance = np.where(finite, value - np.where(finite, side, 0.0), np.maximum(1.0, np.abs(value)))
    return float(np.abs(multiplier * distance).sum())


def relative_violation(program: Program, x: FloatArray) -> float:
    """Largest violation over max(1, |bound|), after allowing for rounding errors of the rows."""
    activity = program.activity(x)
    noise = ROUNDING * (abs(program.rows) @ np.abs(x))
    fraction = np.abs(x - np.round(x))[program.integer]
    excess = [
        (program.row_lower - activity - noise) / _size(program.row_lower),
        (activity - program.row_upper - noise) / _size(program.row_upper),
        (program.lower - x) / _size(program.lower),
        (x - program.upper) / _size(program.upper),
        fraction,
    ]
    return max([0.0, *(float(part.max()) for part in excess if part.size)])


def _size(bound: FloatArray) -> FloatArray:
    return np.maximum(1.0, np.where(np.isfinite(bound), np.abs(bound), 1.0))
