"""Is a quadratic program convex? Asked before any convex solver sees it."""

from __future__ import annotations

import math

import numpy as np
from scipy import linalg, sparse
from scipy.sparse import csgraph
from scipy.sparse import linalg as sparse_linalg

from radprog.instances.errors import ConvexityError
from radprog.instances.tolerances import CONVEXITY
from radprog.solvers.program import Program

#: Largest block that is factorised as a dense matrix.
DENSE_LIMIT = 10_000
#: Largest matrix that is not split into blocks.
UNSPLIT = 100
#: Largest dense block whose eigenvalues are computed all at once.
EIGENVALUE_LIMIT = 2_000


def check_convex(program: Program) -> None:
    """Raise ConvexityError, with the smallest eigenvalue, unless the relaxation is convex.

    Q must be positive semidefinite; so must Q_r of a row with a finite upper bound, and -Q_r of
    one with a finite lower bound (so a quadratic equation is never convex).
    """
    parts = [("the objective", program.quadratic, 1)]
    for row, matrix in program.quadratic_rows.items():
        name = f"row {program.row_names[row]}"
        if np.isfinite(program.row_upper[row]):
            parts.append((name, matrix, 1))
        if np.isfinite(program.row_lower[row]):
            parts.append((name, matrix, -1))
    for name, part, sign in parts:
        if part is None:
            continue
        matrix = sign * part
        smallest = negative_eigenvalue(matrix)
        if smallest is not None:
            raise ConvexityError(
                f"{name} is not convex: smallest eigenvalue {smallest:.6g} of its matrix, below "
                f"-{CONVEXITY:g} times the largest entry {_scale(matrix):.6g}; "
                "use a solver for nonconvex programs, or a positive semidefinite matrix"
            )


def is_convex(program: Program) -> bool:
    """Whether :func:`check_convex` has nothing against a program."""
    try:
        check_convex(program)
    except ConvexityError:
        return False
    return True


def negative_eigenvalue(matrix: sparse.csc_array) -> float | None:
    """The smallest eigenvalue of a symmetric matrix (n, n) if it is below the tolerance, else None.

    Connected blocks are tested one by one, by a factorisation of the block plus the tolerance
    times the identity. Only where that fails the eigenvalue is computed, for blocks of more than
    EIGENVALUE_LIMIT rows by bisection to two digits.
    """
    tolerance = CONVEXITY * _scale(matrix)
    found = (_negative(block, tolerance) for block in _blocks(matrix))
    return min((value for value in found if value is not None), default=None)


def _scale(matrix: sparse.csc_array) -> float:
    return float(np.abs(matrix.data).max(initial=0.0))


def _blocks(matrix: sparse.csc_array) -> list[sparse.csc_array]:
    """The connected blocks that hold an entry."""
    if not matrix.nnz:
        return []
    if matrix.nnz == matrix.shape[0] ** 2 or matrix.shape[0] <= UNSPLIT:
        return [matrix]
    used = np.unique(matrix.nonzero()[0])
    core = matrix[used][:, used]
    count, label = csgraph.connected_components(core, directed=False)
    if count == 1:
        return [core]
    if count == used.size:
        return [sparse.csc_array(core.diagonal().min().reshape(1, 1))]
    order = np.argsort(label, kind="stable")
    edges = np.cumsum(np.bincount(label))[:-1]
    return [core[part][:, part] for part in np.split(order, edges)]


def _negative(block: sparse.csc_array, tolerance: float) -> float | None:
    if _is_positive(block, tolerance):
        return None
    if block.shape[0] <= EIGENVALUE_LIMIT:
        return float(linalg.eigvalsh(block.toarray(), check_finite=False)[0])
    low, high = tolerance, 10 * tolerance
    while not _is_positive(block, high):
        low, high = high, 10 * high
    while high > 1.01 * low:
        middle = math.sqrt(low * high)
        low, high = (low, middle) if _is_positive(block, middle) else (middle, high)
    return -high


def _is_positive(block: sparse.csc_array, shift: float) -> bool:
    """Is block + shift I positive definite? Then all pivots on the diagonal are positive."""
    n = block.shape[0]
    if n <= DENSE_LIMIT:
        dense = block.toarray(order="F")
        dense[np.diag_indices(n)] += shift
        try:
            linalg.cholesky(dense, lower=True, overwrite_a=True, check_finite=False)
        except linalg.LinAlgError:
            return False
        return True
    shifted = sparse.csc_array(block + shift * sparse.eye_array(n))
    try:
        pivots = sparse_linalg.splu(
            shifted, "MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True}
        )
    except RuntimeError:  # exactly singular
        return False
    unmoved = (pivots.perm_r == pivots.perm_c).all()
    return bool(unmoved and (pivots.U.diagonal() > 0).all())
