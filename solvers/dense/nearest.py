"""Small dense quadratic programs that are solved often, by direct calls of PIQP."""

from __future__ import annotations

import numpy as np

from radprog.base.types import FloatArray
from radprog.solvers.adapters.piqp import solve_dense
from radprog.solvers.program import Program
from radprog.solvers.registry import CRASHES

Sides = tuple[FloatArray, FloatArray]


def minimise_quadratic(
    quadratic: FloatArray,
    cost: FloatArray,
    matrix: FloatArray,
    sides: Sides,
    bounds: Sides,
) -> tuple[FloatArray, FloatArray] | None:
    """Solve min cost'x + 1/2 x'Qx, sides[0] <= matrix x <= sides[1], bounds[0] <= x <= bounds[1].

    Q (n, n) is positive semidefinite; cost and bounds are (n,), the matrix is (m, n), and the sides
    are (m,). Returns the minimiser x (n,) and the multipliers (m,) d objective / d side of
    the rows, or None if PIQP crashes or returns no valid solution within 1e-10.
    """
    try:
        result, solved = solve_dense(
            quadratic, cost, None, None, matrix, *sides, *bounds, tolerance=1e-10
        )
        x = np.asarray(result.x, dtype=np.float64)
        multipliers = np.asarray(result.z_l - result.z_u, dtype=np.float64)
    except CRASHES:
        return None
    # accept only a solved program with finite numbers of the right shapes
    shaped = x.shape == cost.shape and multipliers.shape == (len(matrix),)
    if not (solved and shaped and np.isfinite(x).all() and np.isfinite(multipliers).all()):
        return None
    return np.clip(x, *bounds), multipliers


def nearest_multipliers(program: Program, centre: FloatArray, level: float) -> FloatArray | None:
    """The multipliers y = p - q (m,) nearest to ``centre`` with a dual value of at least ``level``.

    Returns None if the solver returns no point. The program is

        min |p - max(centre, 0)|^2 + |q - max(-centre, 0)|^2
        over cost - A'(p - q) = l - u,
             constant + row_lower'p - row_upper'q + lower'l - upper'u >= level,
             p, q, l, u >= 0, each 0 where its side is infinite.

    l is eliminated, and so is u in columns with only one bound. The optimal multipliers of the
    program are feasible for every level up to its optimum.
    """
    # x is shifted to one of its bounds
    lower, upper, cost = program.lower, program.upper, program.cost
    boxed = np.flatnonzero(np.isfinite(lower) & np.isfinite(upper))
    base = np.where(np.isfinite(lower), lower, np.where(np.isfinite(upper), upper, 0.0))
    # multipliers of lower sides p and upper sides q, of upper bounds u
    columns, activity = program.rows.T.toarray(), program.rows @ base
    low, high = program.row_lower - activity, program.row_upper - activity
    p, q = np.flatnonzero(np.isfinite(low)), np.flatnonzero(np.isfinite(high))
    gain = np.concatenate([low[p], -high[q], (lower - upper)[boxed]])
    # rows: reduced costs between their limits, and the dual value above the level
    matrix = np.hstack([columns[:, p], -columns[:, q], -np.eye(len(cost))[:, boxed]])
    lowest = np.where(np.isinf(lower), cost, -np.inf)
    highest = np.where(np.isinf(lower) & np.isfinite(upper), np.inf, cost)
    target = level - program.constant - float(base @ cost)
    # distances count of p and q alone
    centres = np.concatenate([np.maximum(centre, 0.0)[p], np.maximum(-centre, 0.0)[q], boxed * 0.0])
    metric = np.repeat([1.0, 0.0], [len(p) + len(q), len(boxed)])
    minimum = minimise_quadratic(
        np.diag(metric),
        -metric * centres,
        np.vstack([matrix, gain]),
        (np.append(lowest, target), np.append(highest, np.inf)),
        (np.zeros(len(gain)), np.full(len(gain), np.inf)),
    )
    if minimum is None:
        return None
    y, step = np.zeros_like(centre), minimum[0]
    y[p] += step[: len(p)]
    y[q] -= step[len(p) : len(p) + len(q)]
    return y
