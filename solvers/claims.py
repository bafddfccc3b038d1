"""Proofs of the claims of solvers, and multipliers at their points.

"Infeasible" requires multipliers that prove that no point satisfies the rows (Farkas). "Unbounded"
requires a feasible point and a ray with a decreasing objective. "Optimal" requires multipliers that
bound the optimum. If a proof is missing, HiGHS computes one from the scaled program. These proofs
are verified like all others.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from operator import itemgetter
from typing import Any

import numpy as np
from scipy import sparse

from radprog.base.errors import SolverError
from radprog.base.tolerances import CLAIM_TOLERANCE, HIGHS_LEAST
from radprog.base.types import FloatArray
from radprog.solvers.answer import BY_SOLVER, SolverAnswer, own_limit, plain, proved, without_point
from radprog.solvers.certificate import (
    NEARLY_ZERO,
    Plane,
    dual_bound,
    exact_product,
    rational_solution,
)
from radprog.solvers.convexity import curvature, tangents_of_cones
from radprog.solvers.program import Program, Solution, SolveSettings, Status
from radprog.solvers.rescale import equal_units, largest_entries
from radprog.solvers.violations import bound_scale, relative_violation


def prove_claim(
    program: Program,
    solution: Solution,
    settings: SolveSettings,
    *,
    convex: bool = True,
    psd: bool = False,
) -> Solution:
    """The solution with a proof of its claim, or the unchanged solution without a proof.

    The proof takes at most twice the solver's time and a second, within the time limit.
    """
    open_claim = solution.status is Status.FAILED
    open_optimum = solution.status is Status.FEASIBLE and not program.integer.any() and convex
    seconds = math.inf if settings.time_limit is None else settings.time_limit - solution.seconds
    stopped = settings.interrupted()
    searched = solution.proved_by == BY_SOLVER and program.integer.any()
    if not (open_claim or open_optimum or searched) or stopped or seconds <= 0.0:
        return solution
    remaining = limited(settings, own_limit(settings, solution.seconds))
    # a search that ends at a point, although a ray leads away from it
    if searched:
        linear = program.quadratic is None and not program.quadratic_rows
        ray = unbounded_ray(program, remaining, solution.x) if linear else None
        if ray is None:
            return solution
        text = f"{solution.solver} says optimal, and a ray proves that it is unbounded"
        return replace(without_point(solution, Status.UNBOUNDED, text), ray=ray)
    # infeasible: multipliers of rows (Farkas)
    if solution.claim is Status.INFEASIBLE and (proof := infeasibility(program, remaining)):
        message = f"proved by {proof[0]}"
        return replace(solution, status=Status.INFEASIBLE, message=message, ray=proof[1])
    # unbounded: a point and a ray
    linear = program.quadratic is None and not program.quadratic_rows
    if solution.claim is Status.UNBOUNDED and (linear if program.integer.any() else convex):
        ray = unbounded_ray(program, remaining)
        if ray is not None:
            return replace(solution, status=Status.UNBOUNDED, message="proved by a ray", ray=ray)
    if program.integer.any() or not convex:
        return solution
    # optimal: multipliers by HiGHS, of the program or of its tangents at the point
    if solution.x is not None and solution.claimed_optimal:
        tight = replace(remaining, tol=HIGHS_LEAST)
        y = multipliers_at(program, solution.x, tight)
        if y is not None:
            tried = proved(program, replace(solution, row_duals=y, message=""), settings, psd=psd)
            if tried.status is Status.OPTIMAL:
                return tried
            if linear and tried.bound is not None and solution.bound is None:
                solution = tried
    return solution


def limited(settings: SolveSettings, seconds: float) -> SolveSettings:
    """Settings of solves of our own that together stop after some seconds, or at an interrupt."""
    deadline = time.monotonic() + seconds

    def stopped() -> bool:
        return time.monotonic() >= deadline or settings.interrupted()

    return SolveSettings(seed=settings.seed, time_limit=seconds, interrupted=stopped)


def _by_highs(program: Program, settings: SolveSettings) -> tuple[SolverAnswer, FloatArray | None]:
    """HiGHS's answer to a linear program in equal units, and its multipliers (m,).

    Both are in the units of the program.
    """
    from radprog.solvers.adapters import highs  # loads highspy

    units = equal_units(program)
    nothing = SolverAnswer(status=Status.FAILED), None
    if settings.interrupted():
        return nothing
    try:
        # options and a log are for the solver that was named
        bare = replace(settings, solver_options={}, log=None)
        answer: Any = highs.solve(units.scaled(program), bare)
    except SolverError:
        return nothing
    if not isinstance(answer, SolverAnswer):
        return nothing
    # back to the units of the program
    answer = plain(answer)
    x, y = answer.x, answer.row_duals
    usual = x is not None and x.shape == units.columns.shape and bool(np.isfinite(x).all())
    x = x / units.columns if usual and x is not None else None
    y = None if y is None or y.shape != units.rows.shape else y * units.rows / units.objective
    claimed = None if answer.claimed is None else answer.claimed / units.objective
    return replace(answer, x=x, row_duals=y, claimed=claimed), y


def multipliers_at(program: Program, x: FloatArray, settings: SolveSettings) -> FloatArray | None:
    """Multipliers (m,) of an optimum by HiGHS, or None.

    For a linear program, HiGHS solves the program itself. For another convex program, HiGHS solves
    the linear program of :func:`recovered_multipliers` at x (n,).
    """
    linear = program.quadratic is None and not program.quadratic_rows
    y = _by_highs(program, settings)[1] if linear else None
    return recovered_multipliers(program, x, settings) if y is None else y


def recovered_multipliers(
    program: Program, x: FloatArray, settings: SolveSettings
) -> FloatArray | None:
    """Multipliers (m,) of a convex program at a point x (n,) near its optimum, or None.

    They are the multipliers of the linear program of the tangents at x, over a box around x.
    """
    program = tangents_of_cones(program, x)
    cost = program.reduced_costs(x, np.zeros(program.row_lower.size))
    # sides in z - x, loosened to hold the point itself
    activity = program.activity(x)
    step = 1.0 + np.abs(x)
    plane = replace(
        program,
        cost=cost,
        constant=0.0,
        rows=Plane.of(program, x).rows,
        row_lower=np.minimum(program.row_lower - activity, 0.0),
        row_upper=np.maximum(program.row_upper - activity, 0.0),
        lower=np.maximum(np.minimum(program.lower - x, 0.0), -step),
        upper=np.minimum(np.maximum(program.upper - x, 0.0), step),
        quadratic=None,
        quadratic_rows={},
    )
    return _by_highs(plane, settings)[1]


def infeasibility(
    program: Program, settings: SolveSettings
) -> tuple[str, FloatArray | None] | None:
    """A proof that no point within the bounds satisfies all linear and convex rows, or None.

    It is the name of its method and, for some methods, multipliers (m,) of the rows. The methods
    are a pair of contradictory bounds, a row that no integers satisfy (divisibility), and
    multipliers of the rows. The multipliers prove a lower bound above 0 on the smallest sum of
    violations, in units of each row. The sum of the linear rows, weighted by the multipliers, is 0
    >= 1. If there are quadratic rows, the multipliers are not returned.
    """
    if (program.lower > program.upper).any() or (program.row_lower > program.row_upper).any():
        return "bounds that cross", None
    if divided_row(program) is not None:
        return "divisibility of a row", None
    _, (bound, y) = _least_violation(program, replace(settings, tol=HIGHS_LEAST))
    if not bound > 0.0:
        return None
    # the multipliers of linear rows are a proof on their own (Farkas)
    if not proves_infeasible(program, y):
        return "multipliers of rows", None
    # their sum 0 >= value; towards an infinite end only rounding left a slope
    slope = program.rows.T @ y
    weights = np.concatenate([y, -slope])
    ends = np.concatenate(
        [
            np.where(y > 0, program.row_lower, program.row_upper),
            np.where(slope > 0, program.upper, program.lower),
        ]
    )
    value = weights[np.isfinite(ends)] @ ends[np.isfinite(ends)]
    return "multipliers of rows", y / value + 0.0 if value > 0.0 else None


def proves_infeasible(program: Program, multipliers: FloatArray) -> bool:
    """Whether multipliers (m,) prove that no point within the bounds satisfies all linear rows.

    By Farkas' lemma, a multiple of the multipliers then gives a lower bound above 0 on the sum of
    violations.
    """
    if program.quadratic_rows or not multipliers.any():
        return False
    # violations cost 1 a unit, so that smaller multipliers leave them at 0
    y = multipliers / np.abs(multipliers).max() / 2.0
    # far above the numbers whose products are no longer rounded, but cut off: these lose the
    # digits that bounds of rounding errors count on
    tiny = 1e-100
    y[np.abs(y) < tiny] = 0.0
    return dual_bound(elastic(program), y)[0] > tiny


def divided_row(program: Program) -> int | None:
    """The first row with integer columns and coefficients that no integers satisfy, or None.

    Its value is a multiple of the greatest common divisor of the coefficients, and no multiple is
    between its sides. The sides are relaxed by CLAIM_TOLERANCE. Row m + j has the bounds of
    column j.
    """
    rows = sparse.vstack([program.rows, sparse.eye_array(program.cost.size)], format="csr")
    low = np.append(program.row_lower, program.lower)
    high = np.append(program.row_upper, program.upper)
    # the greatest common divisor of each row: 0 where a column or factor is not an integer
    values, owner = np.abs(rows.data), np.repeat(np.arange(low.size), np.diff(rows.indptr))
    is_integer = program.integer[rows.indices] & (values % 1.0 == 0.0) & (values < 2.0**53)
    divisor = np.zeros(low.size, dtype=np.int64)
    np.gcd.at(divisor, owner, np.where(is_integer, values, 0.0).astype(np.int64))
    divisor[owner[~is_integer]] = 0
    divisor[list(program.quadratic_rows)] = 0
    # no multiple between the sides
    bounded = np.flatnonzero(np.isfinite(low) & np.isfinite(high) & (low <= high) & (divisor > 0))
    low, high, divisor = low[bounded], high[bounded], divisor[bounded]
    first = np.ceil((low - CLAIM_TOLERANCE * bound_scale(low)) / divisor)
    last = np.floor((high + CLAIM_TOLERANCE * bound_scale(high)) / divisor)
    return next(iter(bounded[last < first].tolist()), None)


def _least_violation(
    program: Program, settings: SolveSettings
) -> tuple[FloatArray | None, tuple[float, FloatArray]]:
    """A point (n,) of smallest violation, or None, and a lower bound on it with its multipliers.

    Quadratic rows are replaced by their tangents at the previous points (Kelley).
    """
    n = program.cost.size
    linear, tangents = _without_squares(program), program.quadratic_rows
    point, bound = None, (-np.inf, np.zeros(program.row_lower.size))
    for _ in range(20):  # rounds of tangents
        relaxed = elastic(linear, largest_entries(linear.rows, axis=1))
        # the point of least violation, and what its multipliers prove
        answer, y = _by_highs(relaxed, settings)
        if answer.x is None:
            return None, bound
        point = answer.x[:n]
        if y is not None:
            # at half of them no violation has a reduced cost that is 0 up to rounding
            bound = max(bound, dual_bound(relaxed, 0.5 * y), key=itemgetter(0))
        activity = program.activity(point)
        outside = np.maximum(activity - program.row_upper, program.row_lower - activity)
        violated = [row for row in tangents if outside[row] > 0.0]
        if bound[0] > 0.0 or not violated:
            break
        # cut the point off by tangents of the rows that it violates
        linear = _with_tangents(program, linear, violated, point)
    return point, bound


def _without_squares(program: Program) -> Program:
    """The linear rows of a program."""
    rows = range(program.row_lower.size)
    linear = [row for row in rows if row not in program.quadratic_rows]
    return replace(program.of_rows(linear), quadratic=None)


def _with_tangents(program: Program, linear: Program, unmet: list[int], x: FloatArray) -> Program:
    """The linear rows with the tangents at x (n,) of convex quadratic rows.

    A second-order cone has the tangent of the cone. A row that is not convex on its bounded side is
    omitted.
    """
    plane = tangents_of_cones(program, x)
    rows, low, high = [], [], []
    for row in unmet:
        coefficients, lower, upper = (
            plane.rows[[row]].toarray()[0],
            plane.row_lower[row],
            plane.row_upper[row],
        )
        matrix = plane.quadratic_rows.get(row)
        if matrix is not None:
            sign = 1.0 if np.isfinite(upper) else -1.0
            if np.isfinite(lower) and np.isfinite(upper):
                continue
            if (curvature(sparse.csc_array(sign * matrix)) < 0.0).any():
                continue
            pull = matrix @ x
            shift = 0.5 * float(x @ pull)
            coefficients = coefficients + pull
            # loosen the sides by the rounding error of the tangent, relative to its terms
            loose = 1e-13 * (abs(shift) + float(np.abs(pull) @ np.abs(x)))
            lower, upper = lower + shift - loose, upper + shift + loose
        rows.append(coefficients)
        low.append(lower)
        high.append(upper)
    if not rows:
        return linear
    names = [f"tangent{i}" for i in range(len(rows))]
    return linear.with_rows(np.array(rows), low, high, names)


def elastic(program: Program, units: FloatArray | None = None) -> Program:
    """The program that minimises the sum of the violations of the linear rows.

    The violations are in ``units`` (m,), by default 1. The columns are x, then the violations of
    the lower sides, then those of the upper sides.
    """
    m, n = program.rows.shape
    unit = sparse.diags_array(np.ones(m) if units is None else units)
    return Program(
        cost=np.concatenate([np.zeros(n), np.ones(2 * m)]),
        rows=sparse.csr_array(sparse.hstack([program.rows, unit, -unit])),
        row_lower=program.row_lower,
        row_upper=program.row_upper,
        lower=np.concatenate([program.lower, np.zeros(2 * m)]),
        upper=np.concatenate([program.upper, np.full(2 * m, np.inf)]),
    )


def unbounded_ray(
    program: Program, settings: SolveSettings, point: FloatArray | None = None
) -> FloatArray | None:
    """A ray (n,) that proves that a program is unbounded, or None.

    The rows, the bounds and the quadratic part allow the ray. The objective decreases along it, and
    the program has a feasible ``point`` (n,), which is computed if it is not given. The ray of
    the relaxation proves a program with integers unbounded: rational multiples of it are whole.
    """
    n = program.cost.size
    # without a column that improves without limit there is no ray
    falling = (program.cost > 0.0) & np.isinf(program.lower)
    falling |= (program.cost < 0.0) & np.isinf(program.upper)
    if program.quadratic is None and not falling.any():
        return None
    # along a ray all squares stay 0, and rows keep to their finite sides
    squares = [q for q in (program.quadratic, *program.quadratic_rows.values()) if q is not None]
    rows = sparse.csr_array(sparse.vstack([program.rows, *squares]))
    zeros = np.zeros(n * len(squares))
    # the cone of directions, cut to a box, with the slope of the objective as cost
    scale = np.abs(program.cost).max(initial=0.0) or 1.0
    cone = replace(
        program,
        cost=program.cost / scale,
        constant=0.0,
        rows=rows,
        row_lower=np.append(np.where(np.isfinite(program.row_lower), 0.0, -np.inf), zeros),
        row_upper=np.append(np.where(np.isfinite(program.row_upper), 0.0, np.inf), zeros),
        lower=np.where(np.isfinite(program.lower), 0.0, -1.0),
        upper=np.where(np.isfinite(program.upper), 0.0, 1.0),
        integer=np.zeros_like(program.integer),
        row_names=(),
        quadratic=None,
        quadratic_rows={},
    )
    tight = replace(settings, tol=HIGHS_LEAST)
    ray = _by_highs(cone, tight)[0].x
    if ray is None:
        return None
    # it must hold its rows exactly, and lead away from a feasible point
    ray = np.clip(ray, cone.lower, cone.upper)
    if not _is_ray(cone, ray):
        return None
    if point is not None:
        return ray
    if program.integer.any():
        # any point of the linear rows that, with whole integers, satisfies all others
        relaxed = _by_highs(replace(_without_squares(program), cost=0.0 * program.cost), tight)[0].x
        if relaxed is None:
            return None
        rounded = np.where(program.integer, np.rint(relaxed), relaxed)
        return ray if relative_violation(program, rounded) <= CLAIM_TOLERANCE else None
    point, bound = _least_violation(program, tight)
    if point is None or bound[0] > 0.0 or relative_violation(program, point) > CLAIM_TOLERANCE:
        return None
    return ray


def ray_entries(
    ray: FloatArray, names: Sequence[str], limit: int | None = None
) -> list[tuple[str, float]]:
    """The nonzero entries of a ray (n,) with their names, largest first."""
    order = np.argsort(-np.abs(ray), kind="stable")[:limit]
    return [(names[j], float(ray[j])) for j in order.tolist() if ray[j] != 0.0]


def _is_ray(cone: Program, ray: FloatArray) -> bool:
    """Whether a nearby direction (n,) satisfies every homogeneous row and bound exactly.

    The objective must decrease along it. The check uses rational arithmetic.
    """
    if cone.rows.nnz > 200_000:  # entries of rows that are held exactly by a ray
        return False
    activity, terms = cone.activity(ray), abs(cone.rows) @ np.abs(ray)
    nonzero, tight = np.flatnonzero(ray), np.flatnonzero(np.abs(activity) <= NEARLY_ZERO * terms)
    exact = [Fraction(value) for value in ray.tolist()]
    # rows that are next to 0 become 0 by a small step
    gaps = exact_product(cone.rows, exact)
    if any(gaps[row] for row in tight):
        step = rational_solution(cone.rows[tight][:, nonzero], [-gaps[row] for row in tight])
        # from a ray that a solver gives to one that holds its rows exactly
        if step is None or max(map(abs, step), default=0) > 1e-6:
            return False
        for place, change in zip(nonzero, step, strict=True):
            exact[place] += change
    rows_hold = all(
        low <= value <= high
        for low, value, high in zip(
            cone.row_lower, exact_product(cone.rows, exact), cone.row_upper, strict=True
        )
    )
    # a bound of 0 is a bound of the program; others only keep the direction short
    inside = all(
        (low < 0.0 or value >= 0) and (high > 0.0 or value <= 0)
        for low, value, high in zip(cone.lower, exact, cone.upper, strict=True)
    )
    slope = sum(Fraction(c) * v for c, v in zip(cone.cost.tolist(), exact, strict=True))
    return rows_hold and inside and slope < 0
