"""PIQP on the dual of the support vector machine: alone here, so that a process loads it fast."""

from __future__ import annotations

import numpy as np
import piqp

from radprog.instances.types import FloatArray


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
    solver = piqp.DenseSolver()
    solver.settings.eps_abs = solver.settings.eps_duality_gap_abs = tolerance
    solver.settings.eps_rel = solver.settings.eps_duality_gap_rel = 0.1 * tolerance
    signs = y * units
    signed = np.multiply.outer(scale * signs, signs)
    signed *= K
    balance, zero = (np.asfortranarray(signs[None, :]), np.zeros(1)) if bias else (None, None)
    none = (None, None, None)
    solver.setup(signed.T, -units, balance, zero, *none, np.zeros(n), bound / (scale * units))
    word = solver.solve()
    offset = float(solver.result.y[0]) if bias else 0.0
    return units * solver.result.x, offset, bool(word == piqp.PIQP_SOLVED)
