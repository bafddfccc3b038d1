"""Small dense quadratic programs with frequent solves, by direct calls of PIQP."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from radprog.base.types import FloatArray
from radprog.solvers.adapters.piqp import solve_dense
from radprog.solvers.registry import CRASHES

NEAREST_GAP = 1e-10  # of the nearest point of a polytope

Sides = tuple[FloatArray, FloatArray]


class Minimum(NamedTuple):
    """x (n,) and one multiplier per row (m,), d objective / d right-hand side."""

    x: FloatArray
    multipliers: FloatArray


def minimise_quadratic(
    quadratic: FloatArray,
    cost: FloatArray,
    matrix: FloatArray,
    sides: Sides,
    bounds: Sides,
    *,
    tolerance: float = NEAREST_GAP,
) -> Minimum | None:
    """min cost'x + 1/2 x'Qx, sides[0] <= matrix x <= sides[1], bounds[0] <= x <= bounds[1].

    Q (n, n) is positive semidefinite, cost and bounds (n,), matrix (m, n), sides (m,). None without
    a solution to ``tolerance``, after a crash of PIQP, or for an invalid answer.
    """
    try:
        result, solved = solve_dense(
            quadratic, cost, None, None, matrix, *sides, *bounds, tolerance=tolerance
        )
        x = np.asarray(result.x, dtype=np.float64)
        multipliers = np.asarray(result.z_l - result.z_u, dtype=np.float64)
    except CRASHES:
        return None
    # trusted where it is solved, in as many finite numbers as there are columns and rows
    whole = x.shape == cost.shape and multipliers.shape == (len(matrix),)
    if not (solved and whole and np.isfinite(x).all() and np.isfinite(multipliers).all()):
        return None
    return Minimum(np.clip(x, *bounds), multipliers)


def nearest_point(
    centre: FloatArray,
    metric: FloatArray,
    matrix: FloatArray,
    sides: Sides,
    bounds: Sides,
) -> FloatArray | None:
    """min sum_j metric_j (x_j - centre_j)^2 over the same polyhedron; metric >= 0 (n,)."""
    minimum = minimise_quadratic(np.diag(metric), -metric * centre, matrix, sides, bounds)
    return None if minimum is None else minimum.x
