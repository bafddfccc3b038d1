"""PIQP on dense programs, and on the dual of the support vector machine: alone here, so that a
process loads it fast."""

from __future__ import annotations

from typing import Any

import numpy as np
import piqp

from radprog.base.types import FloatArray


def solve_dense(
    quadratic: FloatArray, cost: FloatArray, *program: FloatArray | None, tolerance: float
) -> tuple[Any, bool]:
    """PIQP's last point of  min cost'x + 1/2 x'Qx,  Ax = b,  l <= Gx <= u,  lower <= x <= upper,
    and whether it is exact to ``tolerance`` relative; ``program``: A, b, G, l, u, lower, upper."""
    solver = piqp.DenseSolver()
    solver.settings.eps_abs = solver.settings.eps_duality_gap_abs = tolerance
    solver.settings.eps_rel = solver.settings.eps_duality_gap_rel = 0.1 * tolerance
    matrices = (None if part is None else np.asfortranarray(part) for part in program)
    solver.setup(np.asfortranarray(quadratic), cost, *matrices)
    solved = bool(solver.solve() == piqp.PIQP_SOLVED)
    return solver.result, solved


def interior_point(
    K: FloatArray,
    y: FloatArray,
    bound: FloatArray,
    scale: float,
    tolerance: float,
    bias: bool,
    units: FloatArray,
) -> tuple[FloatArray, float, bool]:
    """(x, offset, solved): the last point of  max 1'x - scale/2 x'(yy' o K)x,  0 <= x <=
    bound/scale,  y'x = 0 with a bias, for a = scale x, and the bias; exact to ``tolerance``
    relative where solved. It is solved for x / units (n,)."""
    n = y.size
    signs = y * units
    signed = np.multiply.outer(scale * signs, signs)
    signed *= K
    balance, zero = (signs[None, :], np.zeros(1)) if bias else (None, None)
    box = np.zeros(n), bound / (scale * units)
    result, solved = solve_dense(
        signed.T, -units, balance, zero, None, None, None, *box, tolerance=tolerance
    )
    return units * result.x, float(result.y[0]) if bias else 0.0, solved
