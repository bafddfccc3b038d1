"""What an adapter hands back, and the one place where a claim becomes a status."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from radprog.instances.tolerances import (
    ABSOLUTE_GAP,
    CERTIFIED_DIFFERENCE,
    CERTIFIED_GAP,
    CLAIM_TOLERANCE,
    DUAL_SIGN,
    GAIN_TOLERANCE,
    LEEWAY,
    PROOF_GAP,
    ROW_ROUNDING,
)
from radprog.instances.types import BoolArray, FloatArray
from radprog.solvers.program import Program, Solution, SolveSettings, Status


@dataclass(frozen=True, kw_only=True)
class SolverAnswer:
    """A solver's own words: status, point (n,), claimed objective, row duals (m,), and of branch
    and bound the bound that its search leaves."""

    status: Status
    x: FloatArray | None = None
    claimed: float | None = None
    row_duals: FloatArray | None = None
    message: str = ""
    bound: float | None = None


class FileClaim(NamedTuple):
    """A solver's own words about a file: status, objective, values by name of column, duals by
    name of row (d objective / d right-hand side of the minimisation), and the bound of its search.
    """

    status: Status
    objective: float | None = None
    x: Mapping[str, float] = {}
    message: str = ""
    row_duals: Mapping[str, float] | None = None
    bound: float | None = None


def judge(
    program: Program,
    answer: SolverAnswer,
    *,
    solver: str,
    version: str,
    seconds: float,
    settings: SolveSettings,
    convex: bool = True,
) -> Solution:
    """Recompute an answer from the matrices; every adapter's answer becomes a Solution here.

    A solution holds a point only if it is feasible within the tolerance and has the claimed
    objective, else FAILED. It is called optimal only where its duals prove it: the program is
    continuous and ``convex``, the multipliers have the right shape and signs, and the duality gap
    is small. Without such a proof it is FEASIBLE, and ``claimed_optimal`` unless its own duals, or
    a bound beyond its own point, refute the claim. The message says why.
    """
    answer = _plain(answer)
    solution = claim = Solution(
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
    if program.integer.any() or not convex:
        solution = replace(solution, bound=answer.bound)
    if fault or answer.x is None:
        if answer.status not in _MUST_HOLD_A_POINT:
            return solution
        said = f"{solver} says {answer.status} {fault}"
        return replace(solution, status=Status.FAILED, message=said)
    x, duals = answer.x, answer.row_duals
    objective = program.objective(x)
    solution = replace(solution, x=x, objective=objective, violation=program.violation(x))
    solution = _measured(program, solution, duals, convex and not fault)
    allowed = tolerance * max(1.0, abs(objective))
    if solution.bound is not None and solution.bound - objective > allowed:
        return _contradicted(solution)
    if answer.status is not Status.OPTIMAL:
        return solution
    if not convex and not abs(objective) < BOUNDLESS:
        said = f"{solver} says optimal at {objective:g}, which stands for infinity"
        return replace(claim, status=Status.UNBOUNDED, message=said)
    claimed = answer.claimed
    if claimed is not None and not abs(objective - claimed) <= allowed:
        said = f"{solver} claims an optimum of {claimed!r} at a point of {objective!r}"
        return replace(solution, status=Status.FAILED, message=said)
    return as_certified(program, _proven(program, solution, duals is not None, convex), settings)


def _measured(
    program: Program, solution: Solution, duals: FloatArray | None, convex: bool
) -> Solution:
    """The solution with its duals, if they are numbers of the right shape, and the gap and bound
    that they leave; without them, with the gap that the bound of its search leaves."""
    x, objective = solution.x, solution.objective
    assert x is not None
    assert objective is not None
    if duals is not None and duals.shape == program.row_lower.shape and np.isfinite(duals).all():
        reduced_costs = program.reduced_costs(x, duals)
        gap = duality_gap(program, x, duals, reduced_costs)
        solution = replace(solution, row_duals=duals, reduced_costs=reduced_costs, gap=gap)
        if convex and not program.integer.any():
            solution = replace(solution, bound=objective - gap)
    elif solution.bound is not None:
        solution = replace(solution, gap=max(0.0, objective - solution.bound))
    return solution


def _contradicted(solution: Solution) -> Solution:
    """The solution without its bound, which lies beyond its point."""
    bound, objective = solution.bound, solution.objective
    said = f"{solution.solver} gives a bound of {bound!r} beyond its own point of {objective!r}"
    word = Status.FEASIBLE if solution.status is Status.OPTIMAL else solution.status
    return replace(solution, status=word, bound=None, gap=None, message=said)


def _plain(answer: SolverAnswer) -> SolverAnswer:
    """The answer with what is of no use left out: no status, no numbers."""
    try:
        status, message = Status(answer.status), answer.message
    except ValueError:
        status, message = Status.FAILED, f"it ended with {answer.status!r}"
    claimed = answer.claimed
    known = claimed is None or (isinstance(claimed, int | float) and claimed == claimed)
    return SolverAnswer(
        status=status,
        x=_numbers(answer.x),
        claimed=claimed if known else math.nan,
        row_duals=_numbers(answer.row_duals),
        message=str(message),
        bound=bound_of(answer.bound),
    )


def bound_of(value: object) -> float | None:
    """What a solver gave as a bound, if it is a finite number."""
    return value if isinstance(value, float) and math.isfinite(value) else None


def _numbers(values: object) -> FloatArray | None:
    """Values as numbers; where they are none, an empty matrix, which has the wrong shape."""
    if values is None:
        return None
    found = np.asarray(values)
    return found.astype(np.float64) if found.dtype.kind in "fiub" else np.empty((0, 0))


BOUNDLESS = 1e19  # objectives from here on are what solvers write for infinity
_MUST_HOLD_A_POINT = frozenset({Status.OPTIMAL, Status.FEASIBLE})
_MAY_HOLD_A_POINT = _MUST_HOLD_A_POINT | {Status.LIMIT, Status.INTERRUPTED}


def _fault(program: Program, x: FloatArray | None, tolerance: float) -> str:
    """Why x is no feasible point, or nothing."""
    if x is None or x.shape != program.cost.shape or not np.isfinite(x).all():
        return "without a finite point"
    violation = relative_violation(program, x, leeway=LEEWAY)
    return "" if violation <= tolerance else f"at a point that violates it by {violation:.3g}"


def _proven(program: Program, solution: Solution, told: bool, convex: bool) -> Solution:
    """The solution of a solver that says "optimal", as what its duals prove; ``told``: it gave
    some."""
    gap, objective = solution.gap, solution.objective
    assert objective is not None
    if not program.cost.any() and program.quadratic is None:
        return replace(solution, claimed_optimal=True)  # every feasible point is optimal
    if program.integer.any() or not convex:
        lack = "there is no dual proof where integers or squares make a program nonconvex"
    elif gap is None:
        lack = (
            "its duals are no finite numbers, one a row"
            if told
            else "it gives no duals, which would prove it"
        )
    elif gap > PROOF_GAP * max(1.0, abs(objective)):
        message = f"{solution.solver} says optimal, but its duals leave a gap of {gap:.3g}"
        return replace(solution, status=Status.FEASIBLE, message=message)
    else:
        lack = _lack(program, solution)
    return _unproven(solution, lack) if lack else replace(solution, claimed_optimal=True)


def _unproven(solution: Solution, lack: str) -> Solution:
    """The solution as one that is optimal by the solver's word alone."""
    message = f"claimed optimal by {solution.solver}: {lack}"
    return replace(solution, status=Status.FEASIBLE, claimed_optimal=True, message=message)


def as_certified(program: Program, solution: Solution, settings: SolveSettings) -> Solution:
    """A solution of these matrices, optimal only with the certificate that ``rp.certify`` asks for
    by default; the gap of who asked for a tolerance of 1e-6 or more is its own."""
    if solution.status is not Status.OPTIMAL or solution.x is None:
        return solution
    asked = settings.tolerance or 0.0
    outside = relative_violation(program, solution.x)
    if outside > max(CLAIM_TOLERANCE, 10.0 * asked):
        lack = f"its point violates a row by {outside:.3g} of the row's size"
        return _unproven(solution, lack)
    allowed = max(CERTIFIED_GAP * abs(solution.objective or 0.0), CERTIFIED_DIFFERENCE)
    gap = solution.gap or 0.0
    if asked >= CERTIFIED_GAP or gap <= allowed:
        return solution
    return _unproven(solution, f"its duals leave a gap of {gap:.3g}, and {allowed:.3g} is allowed")


def _lack(program: Program, solution: Solution) -> str:
    """What duals with a gap of at most PROOF_GAP lack of a proof, or nothing."""
    x, y, d, gap = solution.x, solution.row_duals, solution.reduced_costs, solution.gap
    assert x is not None
    assert y is not None
    assert d is not None
    assert gap is not None
    weighted = abs(program.rows) * np.abs(y)[:, None]
    terms = np.abs(program.cost) + weighted.sum(axis=0)
    if program.quadratic is not None:
        terms += abs(program.quadratic) @ np.abs(x)
    for row, matrix in program.quadratic_rows.items():
        terms += abs(y[row]) * (abs(matrix) @ np.abs(x))
    scale = float(terms.max(initial=0.0))
    size = _size(program, x, solution.objective or 0.0)
    if gap > max(PROOF_GAP * size, ABSOLUTE_GAP * min(1.0, scale)):
        return f"its duals leave a gap of {gap:.3g}"
    # of each column its own terms, but solvers' tolerances are absolute
    own = np.maximum(terms, min(1.0, scale) or 1.0)
    loose = _unbounded(y, program.row_lower, program.row_upper)
    astray = (weighted[np.flatnonzero(loose)] / own).max() if loose.any() else 0.0
    free = _unbounded(d, program.lower, program.upper)
    if max(astray, (np.abs(d) / own)[free].max(initial=0.0)) > DUAL_SIGN:
        return "its duals point to bounds that are infinite"
    gain = _gain(y, program.activity(x), program.row_lower, program.row_upper)
    gain += _gain(d, x, program.lower, program.upper)
    if gain > max(GAIN_TOLERANCE * size, ABSOLUTE_GAP * min(1.0, scale)):
        return f"its point is outside its bounds, which gains up to {gain:.3g}"
    return ""


def _size(program: Program, x: FloatArray, objective: float) -> float:
    """What a gap is compared with: |objective|, or the terms of the objective where they are more,
    but at most 1."""
    terms = float(np.abs(program.cost * x).sum())
    if program.quadratic is not None:
        terms += 0.5 * float(np.abs(x) @ (abs(program.quadratic) @ np.abs(x)))
    return max(abs(objective), min(1.0, terms))


def _unbounded(multiplier: FloatArray, lower: FloatArray, upper: FloatArray) -> BoolArray:
    """Where a multiplier points to an infinite bound."""
    return np.asarray(np.isinf(np.where(multiplier > 0, lower, upper)) & (multiplier != 0))


def _gain(multiplier: FloatArray, value: FloatArray, lower: FloatArray, upper: FloatArray) -> float:
    """Sum of |multiplier| times how far the value is outside the bound that it points to."""
    outside = np.where(multiplier > 0, lower - value, value - upper)
    return float((np.abs(multiplier) * np.maximum(outside, 0.0)).sum())


def duality_gap(
    program: Program, x: FloatArray, row_duals: FloatArray, reduced_costs: FloatArray
) -> float:
    """Sum of |multiplier| times the distance to the bound that its sign points to.

    It is the duality gap where x is feasible and the program convex. A multiplier that points to
    an infinite bound counts |multiplier| max(1, |value|).
    """
    rows = complementarity(row_duals, program.activity(x), program.row_lower, program.row_upper)
    return rows + complementarity(reduced_costs, x, program.lower, program.upper)


def complementarity(
    multiplier: FloatArray, value: FloatArray, lower: FloatArray, upper: FloatArray
) -> float:
    """Sum of |multiplier| times the distance of the value to the bound that its sign points to, of
    an infinite one max(1, |value|)."""
    side = np.where(multiplier > 0, lower, upper)
    finite = np.isfinite(side)
    distance = np.where(finite, value - np.where(finite, side, 0.0), np.maximum(1.0, np.abs(value)))
    return float(np.abs(multiplier * distance).sum())


def relative_violation(program: Program, x: FloatArray, *, leeway: float = 1.0) -> float:
    """Largest violation of a row or bound, relative to :func:`bound_scale`, after allowing for
    rounding errors of the rows.

    A row sum_j a_j x_j <= b of small numbers alone is measured in these: its size is at most
    ``leeway`` max_j |a_j| max(1, |x_j|), or |b| where that is more. ``leeway`` 1 is what a proof
    allows; solvers, whose tolerances are absolute, get LEEWAY.
    """
    activity = program.activity(x)
    noise = ROW_ROUNDING * (abs(program.rows) @ np.abs(x))
    size = leeway * row_sizes(program, x)
    fraction = np.abs(x - np.round(x))[program.integer]
    excess = [
        (program.row_lower - activity - noise) / bound_scale(program.row_lower, size),
        (activity - program.row_upper - noise) / bound_scale(program.row_upper, size),
        (program.lower - x) / bound_scale(program.lower),
        (x - program.upper) / bound_scale(program.upper),
        fraction,
    ]
    return max([0.0, *(float(part.max()) for part in excess if part.size)])


def bound_scale(bound: FloatArray, size: FloatArray | float = 1.0) -> FloatArray:
    """What a violation of bounds (k,) is relative to: max(1, |bound|), or, where ``size``, of what
    is bounded, is less than 1, max(size, |bound|)."""
    finite = np.where(np.isfinite(bound), np.abs(bound), 0.0)
    return np.asarray(np.maximum(np.minimum(1.0, size), finite), dtype=np.float64)


def row_sizes(program: Program, x: FloatArray) -> FloatArray:
    """max_j |a_ij| max(1, |x_j|) of every row (m,); 1 of quadratic ones and those without
    coefficients."""
    rows = program.rows
    sizes, full = np.ones(rows.shape[0]), np.diff(rows.indptr) > 0
    if full.any():
        terms = np.abs(rows.data) * np.maximum(1.0, np.abs(x))[rows.indices]
        sizes[full] = np.maximum.reduceat(terms, rows.indptr[:-1][full])
    sizes[list(program.quadratic_rows)] = 1.0
    return sizes
