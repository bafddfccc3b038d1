"""Convexity of quadratic programs, and bounds on negative curvature.

Every connected block of a matrix is treated separately. A Cholesky factorisation in floating point,
with a bound on its rounding errors, is a proof (Rump 2006). Small singular blocks often have
integer entries; they are factorised in rational arithmetic.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from scipy import linalg, sparse
from scipy.sparse import csgraph
from scipy.sparse import linalg as sparse_linalg

from radprog.base.errors import ConvexityError
from radprog.base.types import FloatArray, IntArray
from radprog.solvers.program import Program

CONVEXITY = 1e-8  # negative eigenvalue of a convex matrix, relative to its largest entry

#: Largest block that is factorised as a dense matrix.
DENSE_LIMIT = 10_000
#: Largest dense block whose eigenvalues are computed all at once.
EIGENVALUE_LIMIT = 2_000
#: Shares of the largest entry that are tried as lower bounds on the eigenvalues of a block.
POSITIVE_SHARES = (1e-3, 1e-6, 1e-9)


class Cone(NamedTuple):
    """The second-order cone |S^(1/2) x| <= f'x / r that a row x'Qx <= 0 is in the program's box.

    In the box f'x >= 0. S (n, n) = sign Q + ff'/r^2 is positive semidefinite, f is (n,), and r > 0.
    """

    square: sparse.csc_array
    axis: FloatArray
    radius: float


def check_convex(program: Program) -> None:
    """Raise ConvexityError unless the continuous relaxation of a program is convex.

    Q must be positive semidefinite. Unless a row is a second-order cone, Q_r must be positive
    semidefinite for a finite upper bound, and -Q_r for a finite lower bound. A quadratic equation
    is therefore never convex.
    """
    parts = [("the objective", program.quadratic, 1.0)]
    for row, matrix in program.quadratic_rows.items():
        name = f"row {program.row_names[row]}"
        if np.isfinite(program.row_upper[row]):
            parts.append((name, matrix, 1.0))
        if np.isfinite(program.row_lower[row]):
            parts.append((name, matrix, -1.0))
    rows = {f"row {program.row_names[row]}": row for row in program.quadratic_rows}
    for name, part, sign in parts:
        if part is None:
            continue
        smallest = negative_eigenvalue(sparse.csc_array(sign * part))
        if smallest is not None and (name not in rows or cone_of(program, rows[name]) is None):
            raise ConvexityError(
                f"{name} is not convex: smallest eigenvalue {smallest:.6g} of its matrix, below "
                f"-{CONVEXITY:g} times the largest entry of its block; "
                "use a solver for nonconvex programs, or a positive semidefinite matrix"
            )


def is_convex(program: Program) -> bool:
    """Whether a program passes :func:`check_convex`."""
    try:
        check_convex(program)
    except ConvexityError:
        return False
    return True


def cone_of(program: Program, row: int) -> Cone | None:
    """The second-order cone of an indefinite quadratic row; None if the row is not a cone.

    The cone may be rotated. Let w be the sum of the unit vectors of columns >= 0 in which the
    matrix has a negative entry, and f = -Qw. The row is a cone if w'Qw < 0, f is 0 except for
    positive entries in columns >= 0, and Q - ff'/(w'Qw) is positive semidefinite. The plane
    f'x = 0 then separates the two halves of x'Qx <= 0, and the box contains only one half.
    """
    matrix = program.quadratic_rows[row]
    lower, upper = program.row_lower[row], program.row_upper[row]
    sign = 1.0 if np.isfinite(upper) else -1.0
    side = upper if sign > 0 else lower
    is_ranged = np.isfinite(lower) and np.isfinite(upper)
    if is_ranged or side != 0.0 or program.rows[[row]].count_nonzero():
        return None
    square = sparse.csc_array(sign * matrix)
    entries = square.tocoo()
    negative = np.zeros(program.cost.size, dtype=np.bool_)
    negative[entries.row[entries.data < 0.0]] = True
    # the axis of the cone, from the columns >= 0 that have negative entries
    w = (negative & (program.lower >= 0.0)).astype(np.float64)
    axis = -(square @ w)
    depth = float(w @ axis)
    signed = (axis == 0.0) | ((axis > 0.0) & (program.lower >= 0.0))
    if not depth > 0.0 or not signed.all():
        return None
    column = sparse.csc_array(axis[:, None])
    # without the axis the rest must be positive semidefinite
    remainder = sparse.csc_array(square + column @ column.T / depth)
    remainder.eliminate_zeros()
    if negative_eigenvalue(remainder) is not None:
        return None
    return Cone(remainder, axis, math.sqrt(depth))


def square_factor(matrix: FloatArray) -> FloatArray:
    """A factor F with F'F equal to a symmetric ``matrix``, from its positive eigenvalues."""
    values, vectors = linalg.eigh(matrix)
    # eigenvalues of this share of the largest count as 0
    positive = values > 1e-14 * max(float(values[-1]), 0.0)
    return np.asarray(np.sqrt(values[positive])[:, None] * vectors[:, positive].T)


def row_as_cone(a: FloatArray, side: float, factor: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The pair (A, b) such that a'x + |Fx|^2 / 2 <= side if b - Ax is in a second-order cone."""
    # the scale c of the cone: its side, so that no digit is lost in t - c
    c = max(1.0, abs(2.0 * side))
    block = np.vstack([2.0 * a, -2.0 * np.sqrt(c) * factor, 2.0 * a])
    return block, np.concatenate([[2.0 * side + c], np.zeros(len(factor)), [2.0 * side - c]])


def cones_of(program: Program) -> dict[int, Cone]:
    """The second-order cones among the indefinite quadratic rows, by row."""
    cones = {}
    for row, matrix in program.quadratic_rows.items():
        sign = 1.0 if np.isfinite(program.row_upper[row]) else -1.0
        if negative_eigenvalue(sparse.csc_array(sign * matrix)) is not None:
            cone = cone_of(program, row)
            if cone is not None and not (curvature(cone.square) < 0.0).any():
                cones[row] = cone
    return cones


def tangents_of_cones(
    program: Program,
    x: FloatArray,
    cones: Mapping[int, Cone] | None = None,
    centres: Mapping[int, FloatArray] | None = None,
) -> Program:
    """The program with a tangent of the cone in place of every indefinite row that is a cone.

    The tangent is that at x (n,), or at the row's own centre (n,). By Cauchy and Schwarz,
    (Sx)'z <= v f'z / r for all z in the cone, if v >= (x'Sx)^(1/2). On the boundary of the cone,
    v times the tangent has the gradient of the row at x, so multipliers of rows stay unchanged.
    """
    cones = cones_of(program) if cones is None else cones
    if not cones:
        return program
    rows = sparse.lil_array(program.rows)
    lower, upper = program.row_lower.copy(), program.row_upper.copy()
    for row, cone in cones.items():
        sign = 1.0 if np.isfinite(program.row_upper[row]) else -1.0
        centre = x if centres is None else centres.get(row, x)
        pull = cone.square @ centre
        length = math.sqrt(max(float(centre @ pull), 0.0)) * (1.0 + 1e-13)
        rows[row, :] = sign * (pull - cone.axis * (length / cone.radius))
        lower[row], upper[row] = (-np.inf, 0.0) if sign > 0 else (0.0, np.inf)
    plain = {row: q for row, q in program.quadratic_rows.items() if row not in cones}
    return replace(
        program,
        rows=sparse.csr_array(rows),
        row_lower=lower,
        row_upper=upper,
        quadratic_rows=plain,
    )


def conjugate_point(cone: Cone, gradient: FloatArray) -> FloatArray | None:
    """A point x (n,) whose tangent Sx - f |S^(1/2) x| / r cancels a gradient d (n,).

    The sum is 0 in the columns of the cone outside its axis, and (1 - k) d on the axis. If d is in
    the dual cone, k is at most 1. None if there is no such point.
    """
    square, axis = sparse.csr_array(cone.square), np.flatnonzero(cone.axis)
    outside = np.setdiff1d(np.unique(square.nonzero()[0]), axis)
    if axis.size > EIGENVALUE_LIMIT or square[axis][:, outside].nnz:
        return None
    # outside the axis: Sx = -d
    x = np.zeros(gradient.size)
    try:
        factors = sparse_linalg.splu(sparse.csc_array(square[outside][:, outside]))
    except RuntimeError:  # singular
        return None
    x[outside] = -factors.solve(gradient[outside])
    # on the axis: d = z f / r + Sp
    block = np.column_stack([cone.axis[axis] / cone.radius, square[axis][:, axis].toarray()])
    part = linalg.lstsq(block, gradient[axis], check_finite=False)[0]
    depth = part[0] ** 2 - float(part[1:] @ block[:, 1:] @ part[1:])
    if not (part[0] > 0.0 and depth > 0.0):
        return None
    # the multiple of d on the axis for which the point is on the boundary of the cone
    x[axis] = -math.sqrt(max(float(x @ (square @ x)), 0.0) / depth) * part[1:]
    return x if np.isfinite(x).all() else None


def bounds_in_ball(square: sparse.csc_array, side: float) -> FloatArray:
    """Bounds (n,) on the absolute values of the columns where x'Qx / 2 <= side."""
    smallest = np.maximum(curvature(square), 0.0)
    with np.errstate(divide="ignore"):
        return np.asarray(np.sqrt(2.0 * max(side, 0.0) / smallest) * (1.0 + 1e-12))


def bounds_in_cone(cone: Cone, upper: FloatArray) -> FloatArray:
    """Bounds (n,) on the absolute values of the columns in a cone, given upper bounds (n,)."""
    axis, smallest = cone.axis > 0.0, np.maximum(curvature(cone.square), 0.0)
    height = float(cone.axis[axis] @ upper[axis]) / cone.radius * (1.0 + 1e-12)
    with np.errstate(divide="ignore"):
        return np.asarray(np.where(axis, upper, height / np.sqrt(smallest) * (1.0 + 1e-12)))


def negative_eigenvalue(matrix: sparse.csc_array) -> float | None:
    """The smallest eigenvalue of a symmetric matrix (n, n) if it is too negative; None if it is
    not.

    Each connected block, plus a tolerance relative to the block times the identity, is factorised.
    The eigenvalue is computed only if this fails. For blocks of more than EIGENVALUE_LIMIT rows it
    is computed to two digits, by bisection.
    """
    single, blocks = _blocks(matrix)
    values = [value for value in matrix.diagonal()[single].tolist() if not value >= 0.0]
    for _, block in blocks:
        tolerance = CONVEXITY * float(np.abs(block.data).max(initial=0.0))
        if is_positive(block, tolerance):
            continue
        if block.shape[0] <= EIGENVALUE_LIMIT:
            values.append(float(linalg.eigvalsh(block.toarray(), check_finite=False)[0]))
        else:
            # bisection on a logarithmic scale, from a bracket
            low, high = tolerance, 10 * tolerance
            while not is_positive(block, high):
                low, high = high, 10 * high
            while high > 1.01 * low:
                middle = math.sqrt(low * high)
                low, high = (low, middle) if is_positive(block, middle) else (middle, high)
            values.append(-high)
    return min(values, default=None)


def curvature(matrix: sparse.csc_array) -> FloatArray:
    """A proved lower bound (n,) on the eigenvalues of each column's connected block.

    The matrix (n, n) is symmetric. The bound is -inf if the block is not convex within the
    tolerance, and 0 in columns without an entry.
    """
    smallest = np.zeros(matrix.shape[0])
    single, blocks = _blocks(matrix)
    diagonal = matrix.diagonal()
    smallest[single] = diagonal[single]
    for columns, block in blocks:
        # in units in which the diagonal is about 1: powers of two, so that no digit is lost
        size = np.where(diagonal[columns] > 0.0, diagonal[columns], 1.0)
        unit = np.exp2(np.round(0.5 * np.log2(size)))
        inverse = sparse.diags_array(1.0 / unit)
        scaled = sparse.csc_array(inverse @ block @ inverse)
        smallest[columns] = _least_eigenvalue(scaled) * unit**2
    return smallest


def _least_eigenvalue(block: sparse.csc_array) -> float:
    """A proved lower bound on the eigenvalues of a connected block."""
    largest = float(np.abs(block.data).max())
    k = block.shape[0]
    # what rounding in a factorisation can hide (Rump 2006)
    hidden = (k + 2.0) * 2.0**-52 * float(np.abs(block.diagonal()).sum())
    # positive definite by a share of its largest entry
    for share in POSITIVE_SHARES if k <= EIGENVALUE_LIMIT else ():
        if share * largest > hidden and is_positive(block, -share * largest - hidden):
            return share * largest
    if is_positive(block, -hidden):
        return 0.0
    # a singular block, frequent with integer entries: rational arithmetic, up to 24 rows
    if k <= 24 and _is_semidefinite(block.toarray()):
        return 0.0
    # a little below 0: the least shift that makes it positive
    shift = max(hidden, 2.0**-1000)
    while shift <= CONVEXITY * largest:
        if is_positive(block, shift):
            return -shift - hidden
        shift *= 16.0
    shift = CONVEXITY * largest
    return -shift - hidden if is_positive(block, shift) else -math.inf


def _is_semidefinite(matrix: FloatArray) -> bool:
    """Whether a symmetric matrix is positive semidefinite, by LDL' in rational arithmetic.

    The pivots are on the diagonal.
    """
    schur = [[Fraction(value) for value in row] for row in matrix.tolist()]
    remaining = list(range(len(schur)))
    while remaining:
        pivot = max(remaining, key=lambda i: schur[i][i])
        top = schur[pivot][pivot]
        if top <= 0:  # nothing positive is left: then nothing at all may be
            return all(schur[i][j] == 0 for i in remaining for j in remaining)
        remaining.remove(pivot)
        for i in remaining:
            factor = schur[i][pivot] / top
            if factor:
                for j in remaining:
                    schur[i][j] -= factor * schur[pivot][j]
    return True


def _blocks(matrix: sparse.csc_array) -> tuple[IntArray, list[tuple[IntArray, sparse.csc_array]]]:
    """The columns with an entry only on the diagonal, and the larger connected blocks."""
    n, none = matrix.shape[0], np.empty(0, dtype=np.intp)
    if matrix.nnz == n**2:
        all_columns = np.arange(n, dtype=np.intp)
        return (all_columns, []) if n == 1 else (none, [(all_columns, matrix)])
    columns = np.unique(matrix.nonzero()[0]).astype(np.intp)
    if not columns.size:
        return none, []
    core = matrix[columns][:, columns]
    # connected blocks, by the pattern of entries
    _, label = csgraph.connected_components(core, directed=False)
    sizes = np.bincount(label)
    larger = np.flatnonzero(sizes > 1)
    order = np.argsort(label, kind="stable")
    starts = np.cumsum(sizes) - sizes
    parts = [order[starts[k] : starts[k] + sizes[k]] for k in larger]
    blocks = [(columns[part], sparse.csc_array(core[part][:, part])) for part in parts]
    return columns[sizes[label] == 1], blocks


def is_positive(block: sparse.csc_array, shift: float) -> bool:
    """Whether block + shift I is positive definite, by a factorisation with diagonal pivots."""
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
