"""Is a quadratic program convex? Asked before any convex solver sees it."""

from __future__ import annotations

import numpy as np
from scipy import linalg, sparse
from scipy.sparse import csgraph
from scipy.sparse import linalg as sparse_linalg

from radprog.instances.errors import ConvexityError
from radprog.solvers.program import Program

#: A matrix counts as positive semidefinite if its smallest eigenvalue is at least
#: -RELATIVE_TOLERANCE times its largest absolute entry.
RELATIVE_TOLERANCE = 1e-8
#: Largest block that is factorised as a dense matrix.
DENSE_LIMIT = 10_000
#: Largest dense block whose eigenvalues are computed all at once.
EIGENVALUE_LIMIT = 2_000
_LANCZOS_TOLERANCE = 1e-6


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
                f"-{RELATIVE_TOLERANCE:g} times the largest entry {_scale(matrix):.6g}; "
                "use a solver for nonconvex programs, or a positive semidefinite matrix"
            )


def negative_eigenvalue(matrix: sparse.csc_array) -> float | None:
    """The smallest eigenvalue of a symmetric matrix (n, n) if it is below the tolerance, else None.

    Connected blocks are tested one by one, by a factorisation of the block plus the tolerance
    times the identity; an eigenvalue is computed only where that fails.
    """
    tolerance = RELATIVE_TOLERANCE * _scale(matrix)
    found = (_negative(block, tolerance) for block in _blocks(matrix))
    return min((value for value in found if value is not None), default=None)


def smallest_eigenvalue(matrix: sparse.csc_array) -> float:
    """The smallest eigenvalue of a symmetric matrix (n, n); 0 where a row is empty."""
    empty = matrix.shape[0] > np.unique(matrix.nonzero()[0]).size
    return min(*(_smallest(block) for block in _blocks(matrix)), 0.0 if empty else np.inf, np.inf)


def _scale(matrix: sparse.csc_array) -> float:
    return float(np.abs(matrix.data).max(initial=0.0))


def _blocks(matrix: sparse.csc_array) -> list[sparse.csc_array]:
    """The connected blocks that hold an entry."""
    used = np.unique(matrix.nonzero()[0])
    if not used.size:
        return []
    if matrix.nnz == matrix.shape[0] ** 2:
        return [matrix]
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
    proved = _dense_positive if block.shape[0] <= DENSE_LIMIT else _sparse_positive
    return None if proved(block, tolerance) else _smallest(block)


def _dense_positive(block: sparse.csc_array, shift: float) -> bool:
    dense = block.toarray(order="F")
    dense[np.diag_indices_from(dense)] += shift
    try:
        linalg.cholesky(dense, lower=True, overwrite_a=True, check_finite=False)
    except linalg.LinAlgError:
        return False
    return True


def _sparse_positive(block: sparse.csc_array, shift: float) -> bool:
    """Gauss elimination on the diagonal has positive pivots exactly for positive matrices."""
    shifted = sparse.csc_array(block + shift * sparse.eye_array(block.shape[0]))
    try:
        factors = sparse_linalg.splu(
            shifted, "MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True}
        )
    except RuntimeError:  # exactly singular
        return False
    diagonal = bool((factors.perm_r == factors.perm_c).all())
    return diagonal and bool((factors.U.diagonal() > 0).all())


def _smallest(block: sparse.csc_array) -> float:
    """Smallest eigenvalue, above EIGENVALUE_LIMIT rows to about _LANCZOS_TOLERANCE of the norm."""
    n = block.shape[0]
    if n <= EIGENVALUE_LIMIT:
        return float(linalg.eigvalsh(block.toarray(), check_finite=False)[0])
    start = np.random.default_rng(0).normal(size=n)
    # the largest eigenvalue of (norm I - Q) converges where the smallest of Q may not
    norm = float(abs(block).sum(axis=0).max())
    flipped = norm * sparse.eye_array(n, format="csc") - block
    found = sparse_linalg.eigsh(
        flipped, k=1, which="LA", v0=start, tol=_LANCZOS_TOLERANCE, return_eigenvectors=False
    )
    return norm - float(found[0])
