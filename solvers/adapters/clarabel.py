"""Clarabel: an interior-point method for cone programs, the second solver for convex QP and QCQP.

A quadratic row a'x + 1/2 x'Qx <= u with Q = F'F is |Fx|^2 <= t, t = 2(u - a'x). For any c > 0 this
is the second-order cone |(2 sqrt(c) Fx, t - c)| <= t + c. The duals of such a cone determine the
multiplier of the row to half the digits, which its curvature allows for. Clarabel computes the
duality gap itself. It has a time limit but cannot be interrupted.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import clarabel
import numpy as np
from scipy import sparse

from radprog.base.tolerances import CLAIM_TOLERANCE, INTERIOR_LEAST
from radprog.base.types import FloatArray
from radprog.solvers.answer import Declared, SolverAnswer
from radprog.solvers.convexity import cone_of, row_as_cone, square_factor
from radprog.solvers.program import (
    ProblemClass,
    Program,
    SolveSettings,
    Status,
    set_attributes,
    status_map,
)

DECLARED = Declared(classes=frozenset({ProblemClass.QP, ProblemClass.QCQP}))

#: The status words of Clarabel. The status optimal also requires a small duality gap.
STATUS = status_map(
    optimal=("Solved", "AlmostSolved"),
    limit=("MaxIterations", "MaxTime"),
    interrupted=("CallbackTerminated",),
    infeasible=("PrimalInfeasible",),
    unbounded=("DualInfeasible",),
)


def version() -> str:
    """The version of the installed Clarabel."""
    return str(clarabel.__version__)


def solve(program: Program, settings: SolveSettings) -> SolverAnswer:
    """Solve a convex QP or QCQP."""
    n = program.cost.size
    # rows without a square: equations, and those with an upper or lower side
    plain = np.ones(program.row_lower.size, dtype=np.bool_)
    plain[list(program.quadratic_rows)] = False
    equal = plain & (program.row_lower == program.row_upper)
    upper = plain & ~equal & np.isfinite(program.row_upper)
    lower = plain & ~equal & np.isfinite(program.row_lower)
    has_lower, has_upper = np.isfinite(program.lower), np.isfinite(program.upper)
    unit = sparse.eye_array(n, format="csr")
    # blocks A and sides b: b - Ax is zero in the first block and nonnegative in the others
    parts = [
        (program.rows[equal], program.row_upper[equal]),
        (program.rows[upper], program.row_upper[upper]),
        (-program.rows[lower], -program.row_lower[lower]),
        (unit[has_upper], program.upper[has_upper]),
        (-unit[has_lower], -program.lower[has_lower]),
    ]
    kinds = [clarabel.ZeroConeT] + [clarabel.NonnegativeConeT] * (len(parts) - 1)
    parts += [_cone(program, row, square) for row, square in program.quadratic_rows.items()]
    quadratic = sparse.csc_array((n, n)) if program.quadratic is None else program.quadratic
    solver = clarabel.DefaultSolver(
        sparse.csc_matrix(sparse.triu(quadratic)),
        program.cost,
        sparse.csc_matrix(sparse.vstack([block for block, _ in parts])),
        np.concatenate([side for _, side in parts]),
        _cones(kinds, [side.size for _, side in parts]),
        _settings(settings),
    )
    result = solver.solve()
    word = str(result.status)
    status, gap = STATUS[word], abs(result.obj_val - result.obj_val_dual)
    # its status counts only with a small duality gap, relative to max(1, |objective|)
    if status is Status.OPTIMAL and not gap <= CLAIM_TOLERANCE * max(1.0, abs(result.obj_val)):
        status, word = Status.FEASIBLE, f"{word}, with a duality gap of {gap:.3g}"
    point, x = status in (Status.OPTIMAL, Status.FEASIBLE), np.asarray(result.x)
    # multipliers of the rows, from the duals of the cones
    duals = np.split(np.asarray(result.z), np.cumsum([side.size for _, side in parts])[:-1])
    multipliers = np.zeros(program.row_lower.size)
    multipliers[equal] -= duals[0]
    multipliers[upper] -= duals[1]
    multipliers[lower] += duals[2]
    for row, dual in zip(program.quadratic_rows, duals[5:], strict=True):
        sign = 1.0 if np.isfinite(program.row_upper[row]) else -1.0
        cone = cone_of(program, row)
        if cone is None:
            multipliers[row] = -2.0 * sign * (dual[0] + dual[-1])
        elif cone.axis @ x > 0.0:
            # the gradient of the row is the tangent of the cone times f'x / r
            multipliers[row] = -sign * dual[0] * cone.radius / float(cone.axis @ x)
    return SolverAnswer(
        status=status,
        x=np.clip(x, program.lower, program.upper) if point else None,
        claimed=float(result.obj_val) + program.constant if point else None,
        row_duals=multipliers,
        message=word,
    )


def minimum(
    P: sparse.csc_matrix,
    cost: FloatArray,
    A: sparse.csc_matrix,
    b: FloatArray,
    counts: Sequence[int],
    settings: SolveSettings,
) -> FloatArray | None:
    """The minimiser of cost'x + 1/2 x'Px subject to b - Ax in a product of cones.

    ``counts`` contains the numbers of rows of the zero cone, the nonnegative cone, and each
    second-order cone. P is the upper triangle of the matrix. Returns None if Clarabel does not
    solve the program.
    """
    cones = _cones([clarabel.ZeroConeT, clarabel.NonnegativeConeT], counts)
    result = clarabel.DefaultSolver(P, cost, A, b, cones, _settings(settings)).solve()
    return np.asarray(result.x) if str(result.status) == "Solved" else None


def _cones(kinds: list[Any], counts: Sequence[int]) -> list[Any]:
    """The cones with these numbers of rows: of ``kinds``, then second-order ones."""
    kinds = kinds + [clarabel.SecondOrderConeT] * (len(counts) - len(kinds))
    return [kind(count) for kind, count in zip(kinds, counts, strict=True) if count]


def _cone(
    program: Program, row: int, square: sparse.csc_array
) -> tuple[sparse.csr_array, FloatArray]:
    """(A, b) of a quadratic row as a cone, or of its negative if it bounds a concave function
    below.

    An indefinite row that is a second-order cone itself is |S^(1/2) x| <= f'x / r.
    """
    cone = cone_of(program, row)
    if cone is not None:
        block = np.vstack([cone.axis / cone.radius, _factor(cone.square)])
        return sparse.csr_array(-block), np.zeros(len(block))
    # a row that bounds a concave function below is that of its negative
    sign = 1.0 if np.isfinite(program.row_upper[row]) else -1.0
    side = program.row_upper[row] if sign > 0 else -program.row_lower[row]
    factor = _factor(sign * square)
    block, constants = row_as_cone(sign * program.rows[[row]].toarray()[0], side, factor)
    return sparse.csr_array(block), constants


def _factor(square: sparse.csc_array) -> FloatArray:
    """Z (k, n) with Z'Z = square (n, n), from its positive eigenvalues."""
    columns = np.unique(square.nonzero()[0])
    block = square_factor(square[columns][:, columns].toarray())
    factor = np.zeros((len(block), square.shape[0]))
    factor[:, columns] = block
    return factor


def _settings(settings: SolveSettings) -> Any:
    options = clarabel.DefaultSettings()
    options.verbose = False
    # the default tolerance, if the settings have none
    tolerance = 1e-8 if settings.tol is None else max(settings.tol, INTERIOR_LEAST)
    options.tol_gap_abs = options.tol_gap_rel = options.tol_feas = tolerance
    options.max_threads = settings.threads
    if settings.time_limit is not None:
        options.time_limit = max(settings.time_limit, 0.0)
    set_attributes("Clarabel", options, settings.solver_options)
    return options
