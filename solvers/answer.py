"""What an adapter hands back, and the one place where a claim becomes a status."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from radprog.solvers.program import FloatArray, Program, Solution, SolveSettings, Status

#: What a solver's word "optimal" must meet, relative to the numbers involved.
CLAIM_TOLERANCE = 1e-6
#: Duality gap, relative to max(1, |objective|), above which "optimal" becomes "feasible".
GAP_TOLERANCE = 1e-5
#: Rounding errors of a recomputed row, relative to the sum of its absolute terms.
ROUNDING = 1e-13


@dataclass(frozen=True, kw_only=True)
class Answer:
    """A solver's own words: status, point (n,), claimed objective, row duals (m,)."""

    status: Status
    x: FloatArray | None = None
    claimed: float | None = None
    row_duals: FloatArray | None = None
    message: str = ""


class Found(NamedTuple):
    """A solver's own words about a file: status, objective, values by name of column."""

    status: Status
    objective: float | None = None
    x: Mapping[str, float] = {}
    message: str = ""


def judge(
    program: Program,
    answer: Answer,
    *,
    solver: str,
    version: str,
    seconds: float,
    settings: SolveSettings,
) -> Solution:
    """Recompute an answer from the matrices; nothing else in this package makes a Solution.

    OPTIMAL stays only if the point is finite and feasible and has the claimed objective, else it
    is FAILED; and, for a continuous program with duals, if the duality gap is small, else it is
    FEASIBLE. The message says why.
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
    x = answer.x
    if x is None or x.shape != program.cost.shape or not np.isfinite(x).all():
        if answer.status in (Status.OPTIMAL, Status.FEASIBLE):
            return replace(
                solution,
                status=Status.FAILED,
                message=f"{solver} says {answer.status} without a finite point",
            )
        return solution
    objective = program.objective(x)
    solution = replace(solution, x=x, objective=objective, violation=program.violation(x))
    duals = answer.row_duals
    if duals is not None and duals.shape == program.row_lower.shape and np.isfinite(duals).all():
        reduced_costs = program.reduced_costs(x, duals)
        solution = replace(
            solution,
            row_duals=duals,
            reduced_costs=reduced_costs,
            gap=duality_gap(program, x, duals, reduced_costs),
        )
    return _doubted(program, solution, max(CLAIM_TOLERANCE, 10 * (settings.tolerance or 0.0)))


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


def _doubted(program: Program, solution: Solution, tolerance: float) -> Solution:
    """The solution with its claim of optimality checked."""
    if solution.status is not Status.OPTIMAL or solution.x is None or solution.objective is None:
        return solution
    objective, claimed = solution.objective, solution.claimed
    size = max(1.0, abs(objective))
    violation = relative_violation(program, solution.x)
    if violation > tolerance:
        reason = f"claims an optimum at a point that violates the program by {violation:.3g}"
    elif claimed is not None and not abs(objective - claimed) <= tolerance * size:
        reason = f"claims an optimum of {claimed!r} at a point of value {objective!r}"
    elif solution.gap is not None and not solution.gap <= GAP_TOLERANCE * size:
        reason = f"claims an optimum, but its duals leave a gap of {solution.gap:.3g}"
        return replace(solution, status=Status.FEASIBLE, message=f"{solution.solver} {reason}")
    else:
        return solution
    return replace(solution, status=Status.FAILED, message=f"{solution.solver} {reason}")
