"""The nearest point of a polyhedron, by PIQP's dense interior-point method."""

from __future__ import annotations

import numpy as np
import piqp

from radprog.solvers.program import FloatArray


def nearest_point(
    centre: FloatArray,
    metric: FloatArray,
    matrix: FloatArray,
    sides: tuple[FloatArray, FloatArray],
    bounds: tuple[FloatArray, FloatArray],
    *,
    tolerance: float = 1e-10,
) -> FloatArray | None:
    """min sum_j metric_j (x_j - centre_j)^2, sides[0] <= matrix x <= sides[1], bounds on x.

    centre, metric >= 0 and both bounds (n,); matrix (m, n); both sides (m,). For small dense
    problems that are solved again and again. None where no solution is found.
    """
    solver = piqp.DenseSolver()
    solver.settings.eps_abs = solver.settings.eps_duality_gap_abs = tolerance
    solver.settings.eps_rel = solver.settings.eps_duality_gap_rel = 0.1 * tolerance
    solver.setup(
        np.diag(metric),
        -metric * centre,
        None,
        None,
        np.asfortranarray(matrix),
        *sides,
        *bounds,
    )
    solved = solver.solve() == piqp.PIQP_SOLVED
    x = np.clip(np.asarray(solver.result.x), *bounds)
    return x if solved and np.isfinite(x).all() else None
