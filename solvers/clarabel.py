"""Clarabel: an interior-point method for cones; here convex QP and QCQP, with duals.

A quadratic row a'x + 1/2 x'Qx <= u with Q = F'F is |Fx|^2 <= t, t = 2(u - a'x), which is the
second-order cone |(2Fx, t - 1)| <= t + 1. It has a time limit but no interrupt.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import clarabel
import numpy as np
from scipy import linalg, sparse

from radprog.instances.errors import OptionError
from radprog.solvers.answer import Answer
from radprog.solvers.options import parsed
from radprog.solvers.program import FloatArray, Program, SolveSettings, Status

#: Every word that Clarabel has had. An almost solved program is judged by its duality gap.
MEANING: Mapping[str, Status] = {
    "Unsolved": Status.FAILED,
    "Solved": Status.OPTIMAL,
    "AlmostSolved": Status.OPTIMAL,
    "PrimalInfeasible": Status.INFEASIBLE,
    "AlmostPrimalInfeasible": Status.FAILED,
    "DualInfeasible": Status.UNBOUNDED,
    "AlmostDualInfeasible": Status.FAILED,
    "MaxIterations": Status.LIMIT,
    "MaxTime": Status.LIMIT,
    "NumericalError": Status.FAILED,
    "InsufficientProgress": Status.FAILED,
    "CallbackTerminated": Status.INTERRUPTED,
}
_SMALLEST_TOLERANCE = 1e-12
_RANK_TOLERANCE = 1e-14


def version() -> str:
    """Version of the installed Clarabel."""
    return str(clarabel.__version__)


def solve(program: Program, settings: SolveSettings) -> Answer:
    """Solve a convex QP or QCQP."""
    n = program.cost.size
    blocks, sides, cones, owners = _linear_rows(program)
    cone_rows = []
    for row, square in program.quadratic_rows.items():
        block, side, sign = _cone(program, row, square)
        cone_rows.append((row, sign, sum(map(len, sides)), len(side)))
        blocks.append(block)
        sides.append(side)
        cones.append(clarabel.SecondOrderConeT(len(side)))
    quadratic = sparse.csc_array((n, n)) if program.quadratic is None else program.quadratic
    solver = clarabel.DefaultSolver(
        sparse.csc_matrix(sparse.triu(quadratic)),
        program.cost,
        sparse.csc_matrix(sparse.vstack(blocks)) if blocks else sparse.csc_matrix((0, n)),
        np.concatenate([np.zeros(0), *sides]),
        cones,
        _settings(settings),
    )
    found = solver.solve()
    word = str(found.status)
    status = MEANING.get(word, Status.FAILED)
    point = status in (Status.OPTIMAL, Status.FEASIBLE)
    duals = np.zeros(program.row_lower.size)
    z = np.asarray(found.z)
    for start, rows, sign in owners:
        np.add.at(duals, rows, -sign * z[start : start + rows.size])
    for row, sign, start, size in cone_rows:
        duals[row] -= sign * 2.0 * float(z[start] + z[start + size - 1])
    return Answer(
        status=status,
        x=np.clip(np.asarray(found.x), program.lower, program.upper) if point else None,
        claimed=float(found.obj_val) + program.constant if point else None,
        row_duals=duals if status is Status.OPTIMAL else None,
        message=word,
    )


def _linear_rows(program: Program) -> tuple[list[Any], list[FloatArray], list[Any], list[Any]]:
    """Blocks A, sides b and cones with b - Ax in the cone, and (start, rows, sign) of the duals."""
    n = program.cost.size
    plain = np.ones(program.row_lower.size, dtype=np.bool_)
    plain[list(program.quadratic_rows)] = False
    equal = plain & (program.row_lower == program.row_upper)
    upper = plain & ~equal & np.isfinite(program.row_upper)
    lower = plain & ~equal & np.isfinite(program.row_lower)
    below, above = np.isfinite(program.lower), np.isfinite(program.upper)
    unit = sparse.eye_array(n, format="csr")
    blocks: list[Any] = []
    sides: list[FloatArray] = []
    cones: list[Any] = []
    owners: list[Any] = []
    parts = [
        (program.rows[equal], program.row_upper[equal], equal, 1.0),
        (program.rows[upper], program.row_upper[upper], upper, 1.0),
        (-program.rows[lower], -program.row_lower[lower], lower, -1.0),
        (unit[above], program.upper[above], None, 1.0),
        (-unit[below], -program.lower[below], None, 1.0),
    ]
    for number, (block, side, mask, sign) in enumerate(parts):
        if not side.size:
            continue
        if mask is not None:
            owners.append((sum(map(len, sides)), np.flatnonzero(mask), sign))
        blocks.append(block)
        sides.append(side)
        kind = clarabel.NonnegativeConeT if number else clarabel.ZeroConeT
        cones.append(kind(side.size))
    return blocks, sides, cones, owners


def _cone(
    program: Program, row: int, square: sparse.csc_array
) -> tuple[sparse.csr_array, FloatArray, float]:
    """(A, b, sign) of a quadratic row; sign -1 where it is a lower bound of a concave function."""
    sign = 1.0 if np.isfinite(program.row_upper[row]) else -1.0
    side = program.row_upper[row] if sign > 0 else -program.row_lower[row]
    linear = sign * program.rows[[row]].toarray()[0]
    used = np.unique(square.nonzero()[0])
    values, vectors = linalg.eigh(sign * square[used][:, used].toarray())
    kept = values > _RANK_TOLERANCE * max(float(values[-1]), 0.0)
    factor = np.zeros((int(kept.sum()), program.cost.size))
    factor[:, used] = np.sqrt(values[kept])[:, None] * vectors[:, kept].T
    c = max(1.0, abs(2.0 * side))
    block = np.vstack([2.0 * linear, -2.0 * np.sqrt(c) * factor, 2.0 * linear])
    constants = np.concatenate([[2.0 * side + c], np.zeros(len(factor)), [2.0 * side - c]])
    return sparse.csr_array(block), constants, sign


def _settings(settings: SolveSettings) -> Any:
    own = clarabel.DefaultSettings()
    own.verbose = False
    tolerance = 1e-8 if settings.tolerance is None else max(settings.tolerance, _SMALLEST_TOLERANCE)
    own.tol_gap_abs = own.tol_gap_rel = own.tol_feas = tolerance
    own.max_threads = settings.threads
    if settings.time_limit is not None:
        own.time_limit = max(settings.time_limit, 0.0)
    for name, text in settings.options.items():
        present = getattr(own, name, None)
        if not isinstance(present, bool | int | float | str):
            raise OptionError(f"Clarabel has no option {name!r}")
        setattr(own, name, parsed("Clarabel", name, text, type(present)))
    return own
