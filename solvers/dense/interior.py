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
    span: FloatArray,
    units: FloatArray,
) -> tuple[FloatArray, FloatArray, bool]:
    """(x, offset, solved): the last point of  max 1'x - scale/2 x'(yy' o K)x,  0 <= x <=
    bound/scale,  E'(yx) = 0 for the functions E = ``span`` (n, l) that are not penalised, for
    a = scale x, and the coefficients (l,) of E; exact to ``tolerance`` relative where solved. It
    is solved for x / units (n,)."""
    n = y.size
    solver = piqp.DenseSolver()
    solver.settings.eps_abs = solver.settings.eps_duality_gap_abs = tolerance
    solver.settings.eps_rel = solver.settings.eps_duality_gap_rel = 0.1 * tolerance
    signs = y * units
    signed = np.multiply.outer(scale * signs, signs)
    signed *= K
    count = span.shape[1]
    balance, zero = (np.asfortranarray(span.T * signs), np.zeros(count)) if count else (None, None)
    none = (None, None, None)
    solver.setup(signed.T, -units, balance, zero, *none, np.zeros(n), bound / (scale * units))
    word = solver.solve()
    offset = np.asarray(solver.result.y) if count else np.zeros(0)
    return units * solver.result.x, offset, bool(word == piqp.PIQP_SOLVED)
