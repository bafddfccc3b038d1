"""A bound of a linear program from any multipliers of its rows, recomputed from its matrices."""

from __future__ import annotations

import math

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import lsqr

from radprog.instances.tolerances import (
    CLAIM_TOLERANCE,
    CROSSING,
    QUADRATIC_ROUNDING,
    REDUCED_COST_ROUNDING,
)
from radprog.instances.types import BoolArray, FloatArray
from radprog.solvers.program import Program

PASSES = 3  # over the rows, for bounds that follow from other bounds


def usable(program: Program, multipliers: FloatArray) -> FloatArray:
    """The multipliers (m,), 0 where they point to a side of a row that is infinite."""
    side = np.where(multipliers > 0, program.row_lower, program.row_upper)
    return np.where(np.isfinite(side), multipliers, 0.0)


def lagrangian_bound(
    program: Program,
    multipliers: FloatArray,
    *,
    covered: BoolArray | None = None,
    whole: bool = True,
    best: float | None = None,
    x: FloatArray | None = None,
    sizes: FloatArray | None = None,
) -> float:
    """A lower bound of min cost'x + constant over rows and bounds, for any multipliers y (m,):

    L(y) = constant + sum_i (y_i row_lower_i if y_i > 0 else y_i row_upper_i)
           + sum_j min over lower_j <= x_j <= upper_j of d_j x_j,     d = cost - A'y.

    covered (n,): columns left out, whose least value the caller adds. ``whole``: these are all
    columns; then an infinite bound that d_j points to is replaced by one that follows from the rows
    and from cost'x + constant <= ``best``, the value of a feasible point, which an optimum does not
    exceed. Where none follows, d_j counts as |d_j| max(1, 2 |x_j|) if it is rounding, at most 1e-12
    of its terms, as -inf if it is larger. Twice the rounding of all sums is taken off; sizes (n,):
    of the terms of costs that are sums themselves. Where
    nothing is covered, multipliers :func:`rebalanced` near these are tried too: the better bound
    counts.
    """
    y = usable(program, multipliers)
    tried = [y] if covered is not None else [y, *rebalanced(program, y)]
    costs = np.abs(program.cost) if sizes is None else sizes
    return max(_lagrangian(program, y, covered, whole, best, x, costs) for y in tried)


def _lagrangian(
    program: Program,
    y: FloatArray,
    covered: BoolArray | None,
    whole: bool,
    best: float | None,
    x: FloatArray | None,
    costs: FloatArray,
) -> float:
    side = np.where(y > 0, program.row_lower, program.row_upper)
    rows = np.where(y == 0.0, 0.0, y * np.where(np.isfinite(side), side, 0.0))
    d = program.reduced_costs(np.zeros_like(program.cost), y)
    terms = costs + abs(program.rows).T @ np.abs(y)
    lower, upper = program.lower, program.upper
    if whole and np.isinf(np.where(d > 0, lower, upper)[d != 0.0]).any():
        lower, upper = implied_bounds(program, best)
    end = np.where(d > 0, lower, upper)
    finite = np.isfinite(end) | (d == 0.0)
    least = d * np.where(finite & np.isfinite(end), end, 0.0)
    size = np.maximum(1.0, 2.0 * np.abs(x)) if x is not None else np.ones_like(d)
    loose = np.where(np.abs(d) <= REDUCED_COST_ROUNDING * terms, -np.abs(d) * size, -math.inf)
    least = np.where(finite, least, loose)
    room = terms * np.abs(np.where(finite & np.isfinite(end), end, 0.0))
    if covered is not None:
        least, room = np.where(covered, 0.0, least), np.where(covered, 0.0, room)
    value = math.fsum([program.constant, *rows.tolist()]) + float(least.sum())
    if not math.isfinite(value):
        return -math.inf
    noise = abs(program.constant) + float(np.abs(rows).sum()) + float(room.sum())
    return value - 2.0 * QUADRATIC_ROUNDING * noise


def rebalanced(program: Program, y: FloatArray) -> list[FloatArray]:
    """Multipliers near y (m,) whose reduced costs are 0 up to rounding, if there are any, in free
    columns and those where they point to an infinite bound; none where y's own are so already."""
    d = program.reduced_costs(np.zeros_like(program.cost), y)
    terms = np.abs(program.cost) + abs(program.rows).T @ np.abs(y)
    free = np.isinf(program.lower) & np.isinf(program.upper)
    wrong = (d != 0.0) & np.isinf(np.where(d > 0, program.lower, program.upper))
    if not (wrong & (np.abs(d) > REDUCED_COST_ROUNDING * terms)).any():
        return []
    kept = np.flatnonzero(wrong | free)
    moved = lsqr(program.rows.T[kept], d[kept], atol=0.0, btol=0.0, conlim=0.0)[0]
    return [usable(program, y + moved)]


def contradictory(objective: float, bound: float) -> bool:
    """Whether a lower bound is above the value of a point that is feasible within tolerances by
    more than these explain."""
    return bound - objective > 10.0 * CLAIM_TOLERANCE * max(1.0, abs(objective))


def implied_bounds(program: Program, best: float | None = None) -> tuple[FloatArray, FloatArray]:
    """Bounds (n,), (n,) of the variables that follow from bounds, rows and, with ``best``, from
    cost'x + constant <= best."""
    matrix, low, high = program.rows, program.row_lower, program.row_upper
    if best is not None:
        matrix = sparse.vstack([matrix, sparse.csr_array(program.cost[None])], format="csr")
        low, high = np.append(low, -np.inf), np.append(high, best - program.constant)
    lower, upper = program.lower.copy(), program.upper.copy()
    entries = sparse.coo_array(matrix)
    rows, columns, a = entries.row, entries.col, entries.data
    for _ in range(PASSES):
        for sign, side in ((1.0, high), (-1.0, -low)):  # sum_j sign a_j x_j <= side
            value = sign * a
            least = value * np.where(value > 0, lower[columns], upper[columns])
            activity = np.zeros(len(side))
            np.add.at(activity, rows, least)
            with np.errstate(invalid="ignore", divide="ignore"):
                room = (side[rows] - activity[rows] + least) / value
            known = np.isfinite(room)
            up, down = known & (value > 0), known & (value < 0)
            slack = CROSSING * np.abs(np.where(known, room, 0.0))
            np.minimum.at(upper, columns[up], (room + slack)[up])
            np.maximum.at(lower, columns[down], (room - slack)[down])
    return lower, upper
