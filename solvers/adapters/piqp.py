"""PIQP: an interior-point method for convex QPs, several times faster than HiGHS on dense ones.

PIQP has no time limit and cannot be interrupted. Only ``max_iter`` (250) limits its work.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import piqp
from scipy import sparse

from radprog.base.errors import OptionError
from radprog.base.tolerances import INTERIOR_LEAST
from radprog.base.types import FloatArray
from radprog.solvers.answer import Declared, SolverAnswer
from radprog.solvers.program import ProblemClass, Program, SolveSettings, set_attributes, status_map

DECLARED = Declared(classes=frozenset({ProblemClass.QP}), duals=True, timed=False)

#: The status words of PIQP.
STATUS = status_map(
    optimal=(piqp.PIQP_SOLVED,),
    limit=(piqp.PIQP_MAX_ITER_REACHED,),
    infeasible=(piqp.PIQP_PRIMAL_INFEASIBLE,),
    unbounded=(piqp.PIQP_DUAL_INFEASIBLE,),
)


def version() -> str:
    """The version of the installed PIQP."""
    return str(piqp.__version__)


def solve(program: Program, settings: SolveSettings) -> SolverAnswer:
    """Solve a convex QP.

    The option ``backend`` is ``dense`` or ``sparse``. All other options are passed to PIQP.
    """
    options = dict(settings.solver_options)
    n = program.cost.size
    quadratic = sparse.csc_array((n, n)) if program.quadratic is None else program.quadratic
    share = quadratic.nnz / max(1, n * n)
    # Without the option ``backend``, dense matrices are used above this share of nonzeros in Q.
    backend = options.pop("backend", "dense" if share > 0.2 else "sparse")
    if backend not in ("dense", "sparse"):
        raise OptionError(f"PIQP option backend takes dense or sparse, not {backend!r}")
    solver = piqp.DenseSolver() if backend == "dense" else piqp.SparseSolver()
    target, tolerance = solver.settings, settings.tol
    if tolerance is not None:
        target.eps_abs = target.eps_duality_gap_abs = max(tolerance, INTERIOR_LEAST)
        target.eps_rel = target.eps_duality_gap_rel = max(0.1 * tolerance, INTERIOR_LEAST)
    set_attributes("PIQP", target, options)
    # rows as PIQP takes them: equations, and intervals
    equal = program.row_lower == program.row_upper
    bounded = np.isfinite(program.row_lower) | np.isfinite(program.row_upper)
    between = bounded & ~equal

    def form(matrix: sparse.csc_array | sparse.csr_array) -> Any:
        dense = backend == "dense"
        return np.asfortranarray(matrix.toarray()) if dense else sparse.csc_matrix(matrix)

    solver.setup(
        form(quadratic),
        program.cost,
        form(program.rows[equal]) if equal.any() else None,
        program.row_lower[equal] if equal.any() else None,
        form(program.rows[between]) if between.any() else None,
        program.row_lower[between] if between.any() else None,
        program.row_upper[between] if between.any() else None,
        program.lower,
        program.upper,
    )
    word = solver.solve()
    result = solver.result
    # one multiplier a row again, by its two sides
    duals = np.zeros(program.row_lower.size)
    duals[equal] = -np.asarray(result.y)
    duals[between] = np.asarray(result.z_l) - np.asarray(result.z_u)
    usable = word in (piqp.PIQP_SOLVED, piqp.PIQP_MAX_ITER_REACHED)
    return SolverAnswer(
        status=STATUS[word],
        x=np.array(result.x) if usable else None,
        claimed=float(result.info.primal_obj) + program.constant if usable else None,
        row_duals=duals if usable else None,
        message=str(word.name),
    )


def solve_dense(
    quadratic: FloatArray, cost: FloatArray, *program: FloatArray | None, tolerance: float
) -> tuple[Any, bool]:
    """Solve min cost'x + 1/2 x'Qx  s.t.  Ax = b,  l <= Gx <= u,  lower <= x <= upper  by PIQP.

    Returns PIQP's result at the last point, and whether this point is accurate to the relative
    ``tolerance``. ``program`` contains A, b, G, l, u, lower and upper.
    """
    solver = piqp.DenseSolver()
    solver.settings.eps_abs = solver.settings.eps_duality_gap_abs = tolerance
    solver.settings.eps_rel = solver.settings.eps_duality_gap_rel = 0.1 * tolerance
    matrices = (None if part is None else np.asfortranarray(part) for part in program)
    solver.setup(np.asfortranarray(quadratic), cost, *matrices)
    solved = bool(solver.solve() == piqp.PIQP_SOLVED)
    return solver.result, solved
