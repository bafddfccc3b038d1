"""The certificate: a bound on the optimum of a program, proved without tolerances from multipliers.

For all multipliers y of the rows and all centres x, the optimum of a :class:`Program` is at least

    L(y) = k + sum_i y_i b_i + sum_j min over l_j <= z_j <= u_j of d_j z_j + s_j (z_j - x_j)^2 / 2

with b_i the side of row i in the direction of y_i, d = cost + Hx - A'y the gradient of the
Lagrangian at x, and H = Q - sum_r y_r Q_r its curvature. s_j is a proved lower bound on the
eigenvalues of the block of H with column j, and k = constant - x'Hx / 2. Every sum is rounded
outwards by its own error bound. If d_j points to an infinite bound, there are two remedies. The
rows may imply a finite bound (propagation; Neumaier and Shcherbina 2004). Otherwise multipliers
near y, with proved existence, make d_j = 0 exactly (Jansson 2004).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any, NamedTuple, TypeVar

import numpy as np
from scipy import linalg, sparse
from scipy.sparse.linalg import lsqr

from radprog.base.tolerances import CERTIFIED_GAP, CLAIM_TOLERANCE
from radprog.base.types import BoolArray, FloatArray
from radprog.solvers.convexity import (
    bounds_in_ball,
    bounds_in_cone,
    cones_of,
    conjugate_point,
    curvature,
    tangents_of_cones,
)
from radprog.solvers.program import Program, tolerance_met

REPAIRS = 2  # attempts to move multipliers to the right signs
ELIMINATIONS = 200_000  # operations on entries of a system that is solved in rational arithmetic
NEARLY_ZERO = 1e-9  # of the terms of a reduced cost: what is below may be meant to be 0
Count = TypeVar("Count", float, FloatArray)


class Plane(NamedTuple):
    """The tangents of all rows at x: coefficients (m, n), sizes of their terms (m, n), and shifts.

    The shifts (m,) are |x|'|Q_r||x| / 2.
    """

    rows: sparse.csr_array
    sizes: sparse.csr_array
    shifts: FloatArray

    @staticmethod
    def of(program: Program, x: FloatArray) -> Plane:
        """The tangents of the rows of a program at x (n,); linear rows stay unchanged."""
        shifts = np.zeros(program.row_lower.size)
        if not program.quadratic_rows:
            return Plane(program.rows, abs(program.rows), shifts)
        rows, sizes = sparse.lil_array(program.rows), sparse.lil_array(abs(program.rows))
        for row, matrix in program.quadratic_rows.items():
            weight = abs(matrix) @ np.abs(x)
            rows[[row]] += sparse.lil_array((matrix @ x)[None])
            sizes[[row]] += sparse.lil_array(weight[None])
            shifts[row] = 0.5 * float(np.abs(x) @ weight)
        return Plane(sparse.csr_array(rows), sparse.csr_array(sizes), shifts)


class _Lagrangian(NamedTuple):
    """min over the box of value + d'z + s'(z - x)^2 / 2.

    It has the gradient d (n,) with its error (n,), the smallest curvature s (n,), and the value
    with its error.
    """

    gradient: FloatArray
    error: FloatArray
    curvature: FloatArray
    value: float
    slack: float


def contradictory(objective: float, bound: float) -> bool:
    """Whether a lower bound exceeds the objective of a nearly feasible point beyond tolerances."""
    return bound - objective > 10.0 * CLAIM_TOLERANCE * max(1.0, abs(objective))


def beyond(objective: float, bound: float, tol: float = CERTIFIED_GAP) -> bool:
    """Whether a search's lower bound is false: beyond the objective of a judged point."""
    return bound > objective and not tolerance_met(objective, bound, tol)


def usable(program: Program, multipliers: FloatArray) -> FloatArray:
    """The multipliers (m,), with 0 in place of each multiplier of an infinite side."""
    side = np.where(multipliers > 0, program.row_lower, program.row_upper)
    return np.where(np.isfinite(side), multipliers, 0.0)


def dual_bound(
    program: Program,
    multipliers: FloatArray,
    *,
    best: float | None = None,
    x: FloatArray | None = None,
    psd: bool = False,
) -> tuple[float, FloatArray]:
    """The best lower bound on the optimum from the multipliers, or from repaired ones near them;
    and the multipliers (m,) that prove it.

    Parameters
    ----------
    program : Program
        A continuous program, or the relaxation of one with integers.
    multipliers : (m,) array
        d objective / d right-hand side. Any numbers give a valid bound, which may be -inf.
    best : float, optional
        Any number v, preferably the objective of a known point. Bounds on variables that follow
        from an objective near v or below are used. The bound is capped, so it is valid for every v.
    x : (n,) array, optional
        Centre of the quadratic part; the default is 0. Any point is valid.
    psd : bool
        The quadratic part is positive semidefinite by construction, and is not tested.
    """
    x = np.zeros_like(program.cost) if x is None else x
    cones = cones_of(program) if program.quadratic_rows else {}
    # rows that are cones become tangents at x
    tangents = tangents_of_cones(program, x, cones)
    bound, proof = _bound(tangents, multipliers, best, x, psd)
    if not cones:
        return bound, proof
    # other tangents, which cancel the gradients of columns that only their cones bound
    cutoff = _cutoff(best)
    # with the tangent of the objective at 0, which bounds the columns of its linear part
    square = tangents.quadratic
    bend = np.zeros_like(x) if square is None or psd else curvature(square)
    flat = replace(tangents, quadratic_rows={})
    _, upper = implied_bounds(flat, cutoff, np.zeros_like(x), bend)
    for row, square in tangents.quadratic_rows.items():
        if not program.rows[[row]].count_nonzero():
            upper = np.minimum(upper, bounds_in_ball(square, program.row_upper[row]))
    for cone in cones.values():
        limit = bounds_in_cone(cone, upper)
        program = replace(
            program,
            lower=np.maximum(program.lower, -limit),
            upper=np.minimum(program.upper, limit),
        )
    y = proof
    for _ in range(REPAIRS):
        # no better bound is looked for within this gap
        if best is not None and tolerance_met(best, bound, 1e-9):
            break
        trial = y.copy()
        trial[list(cones)] = 0.0
        d = _lagrangian(tangents, trial, x, True).gradient
        centres = {row: conjugate_point(cone, d) for row, cone in cones.items()}
        points = {row: point for row, point in centres.items() if point is not None}
        for row in points:
            trial[row] = -1.0 if np.isfinite(program.row_upper[row]) else 1.0
        moved = tangents_of_cones(program, x, cones, points)
        value, moved_to = _bound(moved, trial, best, x, psd)
        y = np.where(np.isin(np.arange(y.size), list(cones)), y, moved_to)
        if min(value, cutoff) > bound:
            bound, proof = min(value, cutoff), y
    return bound, proof


def _cutoff(best: float | None) -> float:
    """A cut-off of objectives near ``best``, or infinity."""
    return math.inf if best is None else best + max(1.0, abs(best))


def _bound(
    program: Program,
    multipliers: FloatArray,
    best: float | None,
    x: FloatArray,
    psd: bool,
) -> tuple[float, FloatArray]:
    """:func:`dual_bound` of a program without rows that are cones."""
    # multipliers of infinite sides become 0
    y = usable(program, multipliers)
    lagrangian = _lagrangian(program, y, x, psd)
    flat = None if program.quadratic_rows else lagrangian.curvature  # whatever the multipliers are
    ends = box = program.lower, program.upper
    cutoff, plane, initial = math.inf, None, (y, lagrangian)
    if _unbounded(lagrangian, *box).any():
        # bounds that the rows imply, and, below a cut-off, the objective
        cutoff = _cutoff(best)
        ends = implied_bounds(program, cutoff, x, lagrangian.curvature)
    bound, proof = _minimum(lagrangian, x, *ends), y
    for attempt in range(REPAIRS + 2):
        # no better bound is looked for within this gap
        sharp = best is not None and tolerance_met(best, bound, 1e-9)
        if sharp or not _unbounded(lagrangian, *box).any():
            break
        plane = plane or Plane.of(program, x)
        if attempt:  # move the multipliers to where no reduced cost points to infinity
            if attempt <= REPAIRS:
                y = _repair(program, plane, y, lagrangian, *box, wide=attempt > 1)
            else:  # more such columns than multipliers that move them
                y = _turn_inward(program, *initial, *box)
            lagrangian = _lagrangian(program, y, x, psd, flat)
        values = [_minimum(lagrangian, x, *ends)]
        values.append(_minimum(_enclose(program, plane, y, lagrangian, *box), x, *ends))
        if values == [-math.inf, -math.inf] and attempt in (0, REPAIRS):
            values.append(_rational_bound(program, y, lagrangian, x, *ends))
        if max(values) > bound:
            bound, proof = max(values), y
    return min(bound, cutoff), proof


def _rounding(count: Count) -> Count:
    """Relative error of sums of ``count`` products, twice that of rounding to nearest."""
    return (count + 4.0) * 2.0**-52


def _lagrangian(
    program: Program,
    y: FloatArray,
    x: FloatArray,
    psd: bool,
    bend: FloatArray | None = None,
) -> _Lagrangian:
    """The Lagrangian at multipliers y (m,), bounded below by a separable function about x (n,).

    ``bend`` (n,) is its smallest curvature, if it is known.
    """
    gradient = program.cost - program.rows.T @ y
    terms = np.abs(program.cost) + abs(program.rows).T @ np.abs(y)
    count = np.bincount(program.rows.indices, minlength=len(x)).astype(np.float64)
    parts = _sides(y, program.row_lower, program.row_upper, program.constant)
    slack = float(_rounding(1.0) * np.abs(parts).sum())
    squares = [] if program.quadratic is None else [program.quadratic]
    squares += [-y[row] * q for row, q in program.quadratic_rows.items() if y[row]]
    if squares:
        # the tangent of x'Hx / 2 at x, and how far the function may fall below it
        hessian, size = sum(squares[1:], squares[0]), sum(map(abs, squares[1:]), abs(squares[0]))
        pull, weight = hessian @ x, size @ np.abs(x)
        gradient, terms = gradient + pull, terms + weight
        widths = np.bincount(size.tocoo().col, minlength=len(x)) + 2.0 * len(squares)
        count += widths
        parts.append(-0.5 * float(x @ pull))
        slack += float(_rounding(widths.max() + len(x)) * (np.abs(x) @ weight))
        if bend is None and not psd:
            bend = curvature(sparse.csc_array(hessian))
            if len(squares) > 1:  # less the rounding of the sum
                rounded = np.asarray(size.sum(axis=1)).ravel()
                bend = bend - 2.0**-50 * len(squares) * rounded
    if bend is None:
        bend = np.zeros(len(x))
    value = math.fsum(parts) if np.isfinite(parts).all() else -math.inf
    return _Lagrangian(gradient, _rounding(count) * terms, bend, value, slack)


def _sides(
    y: FloatArray, row_lower: FloatArray, row_upper: FloatArray, constant: float
) -> list[float]:
    """The constant and the terms y_i b_i, of the sides that the signs point to."""
    nonzero = np.flatnonzero(y)
    y = y[nonzero]
    side = np.where(y > 0, row_lower[nonzero], row_upper[nonzero])
    return [constant, *(y * np.where(np.isfinite(side), side, 0.0)).tolist()]


class Priced(NamedTuple):
    """The columns of a linear program at multipliers y (m,): reduced costs d (n,), the sizes of
    their terms |c| + |A|'|y| and the numbers of entries.
    """

    y: FloatArray
    reduced: FloatArray
    terms: FloatArray
    entries: FloatArray

    def of(self, columns: BoolArray | slice) -> Priced:
        """Some of the columns."""
        return Priced(self.y, self.reduced[columns], self.terms[columns], self.entries[columns])

    def bound(
        self,
        rows: tuple[FloatArray, FloatArray, float],
        box: tuple[FloatArray, FloatArray],
        x: FloatArray,
    ) -> float:
        """The lower bound of these columns, to which the caller adds the terms of others.

        ``rows`` contains the sides of the rows and the constant, ``box`` the bounds (n,). The
        program lacks columns, so that its rows imply no bounds. A variable without a bound whose
        reduced cost is 0 up to rounding is assumed to be at most 1e6 times its value at x, or 1e6.
        """
        lagrangian = self._lagrangian(*rows)
        return _minimum(lagrangian, x, *_reach(lagrangian, x, *box))

    def is_dual_feasible(self, box: tuple[FloatArray, FloatArray]) -> bool:
        """Whether no column points to an infinite end of its box, by more than its rounding."""
        room = 8.0 * _rounding(self.entries) * self.terms
        falls, rises = self.reduced < -room, self.reduced > room
        return not bool(((rises & np.isinf(box[0])) | (falls & np.isinf(box[1]))).any())

    def _lagrangian(
        self, row_lower: FloatArray, row_upper: FloatArray, constant: float
    ) -> _Lagrangian:
        parts = _sides(self.y[: len(row_lower)], row_lower, row_upper, constant)
        slack = float(_rounding(1.0) * np.abs(parts).sum())
        value = math.fsum(parts) if np.isfinite(parts).all() else -math.inf
        error = _rounding(self.entries) * self.terms
        return _Lagrangian(self.reduced, error, np.zeros_like(self.reduced), value, slack)


def _smallest_terms(
    lagrangian: _Lagrangian, x: FloatArray, lower: FloatArray, upper: FloatArray
) -> FloatArray:
    """Smallest value (n,) of each column's term over its box; -inf if there is none."""
    d, e, s = lagrangian.gradient, lagrangian.error, lagrangian.curvature
    steep, bent = e + 2.0**-51 * np.abs(d), bool(s.any())
    values = []
    for end, away in ((lower, d + e <= 0.0), (upper, d - e >= 0.0)):
        finite = np.isfinite(end)
        z = np.where(finite, end, 0.0)
        value = d * z - steep * np.abs(z)
        if bent:
            value, away = value + 0.5 * np.minimum(s, 0.0) * (z - x) ** 2, away & (s >= 0.0)
        values.append(np.where(finite, value, np.where(away, np.inf, -np.inf)))
    smallest = np.minimum(*values)
    smallest[smallest == np.inf] = 0.0
    if not bent:
        return smallest
    # a column that curves upwards has a least value wherever its bounds are
    convex = s > 0.0
    steep = np.abs(d) + e
    free = d * x - e * np.abs(x) - 0.5 * steep**2 / np.where(convex, s, 1.0) * (1.0 + 2.0**-50)
    free -= 2.0**-51 * np.abs(d * x)
    return np.asarray(np.where(convex, np.maximum(smallest, free), smallest))


def _unbounded(lagrangian: _Lagrangian, lower: FloatArray, upper: FloatArray) -> BoolArray:
    """Whether each column's term (n,) is unbounded below over the box."""
    return np.asarray(_smallest_terms(lagrangian, np.zeros_like(lower), lower, upper) == -np.inf)


def _minimum(
    lagrangian: _Lagrangian,
    x: FloatArray,
    lower: FloatArray,
    upper: FloatArray,
) -> float:
    """The smallest value of the Lagrangian over the box, rounded down."""
    terms = _smallest_terms(lagrangian, x, lower, upper)
    if not (np.isfinite(terms).all() and math.isfinite(lagrangian.value - lagrangian.slack)):
        return -math.inf
    return math.fsum([lagrangian.value, -lagrangian.slack, *terms[terms != 0.0].tolist()])


def repaired(program: Program, multipliers: FloatArray, columns: int) -> FloatArray:
    """Multipliers for pricing, near ``multipliers`` (m,), with finite terms of the first columns.

    ``columns`` is the number of these columns. The method takes a few least-squares steps and may
    fail.
    """
    part = program
    if columns < program.cost.size:
        part = replace(
            program,
            cost=program.cost[:columns],
            rows=sparse.csr_array(program.rows[:, :columns]),
            lower=program.lower[:columns],
            upper=program.upper[:columns],
            integer=program.integer[:columns],
            column_names=program.column_names[:columns],
        )
    y, x = usable(program, multipliers), np.zeros(columns)
    for _ in range(REPAIRS):
        lagrangian = _lagrangian(part, y, x, True)
        ends = _reach(lagrangian, x, part.lower, part.upper)
        if not _unbounded(lagrangian, *ends).any():
            break
        y = _repair(part, Plane.of(part, x), y, lagrangian, part.lower, part.upper)
    return y


def _reach(
    lagrangian: _Lagrangian, x: FloatArray, lower: FloatArray, upper: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """The bounds (n,), (n,), with infinite ones replaced where the reduced cost is 0 up to
    rounding."""
    zero = np.abs(lagrangian.gradient) <= 8.0 * lagrangian.error
    if not zero.any():
        return lower, upper
    far = 1e6 * np.maximum(1.0, np.abs(x))
    return (
        np.where(zero & np.isinf(lower), -far, lower),
        np.where(zero & np.isinf(upper), far, upper),
    )


def _repair(
    program: Program,
    plane: Plane,
    y: FloatArray,
    lagrangian: _Lagrangian,
    lower: FloatArray,
    upper: FloatArray,
    *,
    wide: bool = False,
) -> FloatArray:
    """Multipliers near y (m,) with a gradient of 0 up to rounding in free columns.

    In other columns that point to infinity, the gradient is on the right side of 0 by a few
    roundings. The method is a least-squares step.
    """
    d, e = lagrangian.gradient, lagrangian.error
    no_low, no_top = np.isinf(lower), np.isinf(upper)
    free = no_low & no_top & (lagrangian.curvature <= 0.0)
    loose = (no_low | no_top) & (np.abs(d) <= NEARLY_ZERO * e * 2.0**52)
    columns = np.flatnonzero(free | loose | _unbounded(lagrangian, lower, upper))
    inward = np.where(no_top, np.maximum(d, 4.0 * e), np.minimum(d, -4.0 * e))
    target = np.where(free, 0.0, inward)[columns]
    # at first rows at 0 stay there: their sign would be a matter of chance
    equal = program.row_lower == program.row_upper
    largest = np.abs(y).max(initial=0.0)
    movable = equal | (np.abs(y) > 1e-9 * largest) | wide
    rows = np.flatnonzero(movable)
    if not rows.size or not columns.size:
        return y
    # least squares: the change of movable multipliers that moves the reduced costs there
    matrix = sparse.csr_array(plane.rows[rows].T)[columns]
    gap = d[columns] - target
    if matrix.shape[0] * matrix.shape[1] <= 1_000_000:  # entries of a dense one
        step = linalg.lstsq(matrix.toarray(), gap, check_finite=False, lapack_driver="gelsy")[0]
    else:
        step = lsqr(matrix, gap, atol=0.0, btol=0.0, conlim=0.0)[0]
    moved = y.copy()
    moved[rows] += step
    return usable(program, moved)


def _turn_inward(
    program: Program,
    y: FloatArray,
    lagrangian: _Lagrangian,
    lower: FloatArray,
    upper: FloatArray,
) -> FloatArray:
    """Multipliers near y (m,) whose reduced costs of 0 up to rounding point to finite bounds.

    A linear program finds the direction g with A_j'g on the right side of 0 for all these columns.
    It has none if the columns have a ray on which the rows stay 0 (Gordan); y is then returned.
    """
    from scipy import optimize  # slow to load, and rarely used

    d, e = lagrangian.gradient, lagrangian.error
    no_low, no_top = np.isinf(lower), np.isinf(upper)
    zero = (
        (no_low | no_top) & (np.abs(d) <= NEARLY_ZERO * e * 2.0**52) & (lagrangian.curvature == 0)
    )
    if program.quadratic_rows or (_unbounded(lagrangian, lower, upper) & ~zero).any():
        return y
    columns = np.flatnonzero(zero)
    no_low, no_top, d, e = no_low[columns], no_top[columns], d[columns], e[columns]
    # a reduced cost without rounding may stay at 0
    inward = np.where(no_low & no_top | (e == 0.0), 0.0, np.where(no_top, 1.0, -1.0))
    if not inward.any() or not y.size:
        return y
    largest = e.max()
    unit = np.where(e > 0.0, e / largest, 1.0)
    # a multiplier keeps its sign where it is 0, or so small that its sign is chance
    low, high = np.isfinite(program.row_lower), np.isfinite(program.row_upper)
    fixed_sign = (low & high) | (np.abs(y) > 1e-9 * np.abs(y).max(initial=0.0))
    ends = np.where(fixed_sign | high, -np.inf, 0.0), np.where(fixed_sign | low, np.inf, 0.0)
    # A_j'g <= -e_j, in units in which the largest e_j is 1, and each row is divided by its e_j
    turned = sparse.diags_array(np.where(inward < 0.0, -1.0, 1.0) / unit) @ program.rows.T[columns]
    equal = no_low & no_top
    solve: Any = optimize.linprog  # its types leave sparse matrices out
    result = solve(
        np.zeros(len(y)),
        A_ub=turned[~equal],
        b_ub=-np.abs(inward[~equal]),
        A_eq=turned[equal],
        b_eq=np.zeros(np.count_nonzero(equal)),
        bounds=np.transpose(ends),
        options={"primal_feasibility_tolerance": 1e-10, "time_limit": 10.0},
    )
    g = result.x
    if g is None or result.status != 0:
        return y
    short = 4.0 * largest - inward * d / unit
    return usable(program, y + 2.0 * short[inward != 0.0].max(initial=0.0) * g)


def _enclose(
    program: Program,
    plane: Plane,
    y: FloatArray,
    lagrangian: _Lagrangian,
    lower: FloatArray,
    upper: FloatArray,
) -> _Lagrangian:
    """The Lagrangian of multipliers near y (m,) with a gradient of exactly 0 in free columns.

    The existence of such multipliers near y is proved, but not their values. Without this proof the
    Lagrangian is returned unchanged.
    """
    free = np.flatnonzero(_unbounded(lagrangian, lower, upper) & np.isinf(lower) & np.isinf(upper))
    equal = program.row_lower == program.row_upper
    rows = np.flatnonzero(equal | (y != 0.0))
    k = free.size
    # free columns, up to which exact multipliers are enclosed
    if not 0 < k <= min(rows.size, 500):
        return lagrangian
    block = plane.rows[rows][:, free].T.toarray()  # (k, rows)
    # k rows on which the free columns are independent, by QR with pivoting
    triangle, order = linalg.qr(block, mode="r", pivoting=True, check_finite=False)
    pivots = np.abs(np.diag(triangle[:, :k]))
    # columns count as dependent below this share of the largest pivot
    if not pivots[-1] > 1e-10 * pivots[0]:
        return lagrangian
    chosen = rows[np.sort(order[:k])]
    # the square system M of these rows, and an approximate inverse R
    square = plane.rows[chosen][:, free].T.toarray()
    size = plane.sizes[chosen][:, free].T.toarray()
    inverse = linalg.inv(square, check_finite=False)
    # |I - R M| < 1 proves that M has an inverse, and bounds it (Rump)
    defect = np.abs(np.eye(k) - inverse @ square) + _rounding(k + len(y)) * (np.abs(inverse) @ size)
    norm = float(defect.sum(axis=1).max())
    if not norm < 0.5:
        return lagrangian
    # how far the exact multipliers may be from these
    step = np.abs(inverse) @ (np.abs(lagrangian.gradient) + lagrangian.error)[free]
    shift = step + norm / (1.0 - norm) * step.max()
    # no sign may change on the way
    if not (equal[chosen] | (np.abs(y[chosen]) > shift)).all():
        return lagrangian
    # what the shift of the multipliers may change elsewhere
    sides = np.abs(np.where(y > 0, program.row_lower, program.row_upper)) + plane.shifts
    error = lagrangian.error + (plane.sizes[chosen].T @ shift) * (1.0 + 2.0**-40)
    gradient, bend = lagrangian.gradient.copy(), lagrangian.curvature.copy()
    gradient[free] = error[free] = 0.0
    slack = lagrangian.slack + float(sides[chosen] @ shift) * (1.0 + 2.0**-40)
    squares = [(row, change) for row, change in zip(chosen, shift, strict=True)
               if row in program.quadratic_rows]  # fmt: skip
    # the curvature moves with the multipliers
    for row, change in squares:
        size = np.asarray(abs(program.quadratic_rows[row]).sum(axis=1)).ravel()
        bend = bend - change * size * (1.0 + 2.0**-40)
    return lagrangian._replace(gradient=gradient, error=error, curvature=bend, slack=slack)


def _rational_bound(
    program: Program,
    y: FloatArray,
    lagrangian: _Lagrangian,
    x: FloatArray,
    lower: FloatArray,
    upper: FloatArray,
) -> float:
    """The bound of rational multipliers near y (m,), in rational arithmetic.

    It proves contradictions whose columns are linearly dependent, such as the arcs of a cycle. If
    it is not possible, or takes too long, the result is -inf.
    """
    terms = lagrangian.error * 2.0**52
    zero = np.abs(lagrangian.gradient) <= NEARLY_ZERO * terms
    zero &= np.isinf(lower) | np.isinf(upper)
    columns = np.flatnonzero(zero)
    equal = program.row_lower == program.row_upper
    rows = np.flatnonzero(equal | (np.abs(y) > 1e-9 * np.abs(y).max(initial=0.0)))
    squares = sparse.coo_array((len(x), len(x)))
    if program.quadratic is not None:
        squares = sparse.coo_array(program.quadratic)
    bent = np.unique(squares.col)
    if (_unbounded(lagrangian, lower, upper) & ~zero).any() or (lagrangian.curvature < 0.0).any():
        return -math.inf
    if program.quadratic_rows or program.rows.nnz + squares.nnz > ELIMINATIONS:
        return -math.inf
    # sparse enough: every number as a fraction, the multipliers as simple ones next to them
    cost, turned = [Fraction(value) for value in program.cost.tolist()], program.rows.T
    exact = [_simple_fraction(value) for value in y.tolist()]
    centre = [Fraction(value) for value in x.tolist()]

    def gradient() -> list[Fraction]:
        """cost + Qx - A'y"""
        parts = cost, exact_product(squares, centre), exact_product(turned, exact)
        return [c + q - a for c, q, a in zip(*parts, strict=True)]

    # multipliers, and a centre, at which the gradient vanishes: A'dy - Q dx = gradient
    slopes = gradient()
    bending = sparse.csr_array(squares)[columns][:, bent]
    matrix = sparse.hstack([sparse.csr_array(program.rows[rows][:, columns].T), -bending])
    step = rational_solution(matrix, [slopes[j] for j in columns])
    if step is None:
        return -math.inf
    for place, change in zip(rows, step[: rows.size], strict=True):
        exact[place] += change
    for place, change in zip(bent, step[rows.size :], strict=True):
        centre[place] += change
    # the Lagrangian there, every number exact
    pulls = exact_product(squares, centre)
    value = Fraction(program.constant)
    value -= sum((q * v for q, v in zip(pulls, centre, strict=True)), Fraction(0)) / 2
    for row, multiplier in enumerate(exact):
        side = program.row_lower[row] if multiplier > 0 else program.row_upper[row]
        if multiplier and not math.isfinite(side):
            return -math.inf
        value += multiplier * Fraction(side) if multiplier else 0
    for slope, low, high in zip(gradient(), lower.tolist(), upper.tolist(), strict=True):
        end = low if slope > 0 else high
        if slope and not math.isfinite(end):
            return -math.inf
        value += slope * Fraction(end) if slope else 0
    return math.nextafter(float(value), -math.inf)


def _simple_fraction(value: float) -> Fraction:
    """A number, or the fraction of small integers that it is up to rounding."""
    number = Fraction(value)
    simple = number.limit_denominator(10_000)
    return simple if abs(simple - number) <= 1e-12 * abs(value) else number


def exact_product(matrix: Any, x: Sequence[Fraction]) -> list[Fraction]:
    """The product (m,) of a sparse matrix (m, n) and x (n,) in rational arithmetic."""
    sums, entries = [Fraction(0)] * matrix.shape[0], matrix.tocoo()
    # as numbers of Python: a fraction of NumPy's integers would overflow
    for i, j, a in zip(entries.row, entries.col, entries.data.tolist(), strict=True):
        if x[j]:
            sums[i] += Fraction(a) * x[j]
    return sums


def rational_solution(matrix: Any, right: list[Fraction]) -> list[Fraction] | None:
    """A rational solution of a sparse linear system (m, n), or None if there is no solution.

    Entries of columns without a pivot are 0. None also if the elimination takes too long.
    """
    n, work = matrix.shape[1], 0
    equations: list[dict[int, Fraction]] = [{n: b} for b in right]
    entries = sparse.coo_array(matrix)
    for i, j, a in zip(entries.row.tolist(), entries.col.tolist(), entries.data, strict=True):
        equations[i][j] = Fraction(a)
    count = np.bincount(entries.col, minlength=n).tolist()
    pivots: dict[int, dict[int, Fraction]] = {}
    # short equations, and columns with few entries, first: they fill the others least
    for equation in sorted(equations, key=len):
        while (pivot := next((j for j in equation if j in pivots), None)) is not None:
            factor = equation.pop(pivot)
            # long numbers take longer
            work += len(pivots[pivot]) * (1 + factor.denominator.bit_length() // 256)
            if work > ELIMINATIONS:
                return None
            for j, a in pivots[pivot].items():
                value = equation.pop(j, Fraction(0)) - factor * a
                if value or j == n:
                    equation[j] = value
        column = min((j for j in equation if j != n), key=lambda j: count[j], default=None)
        if column is None and equation[n]:
            return None
        if column is not None:
            top = equation.pop(column)
            pivots[column] = {j: a / top for j, a in equation.items()}
    # back substitution
    solution = [Fraction(0)] * n
    for column, equation in reversed(pivots.items()):
        right_side = equation.pop(n)
        solution[column] = right_side - sum(a * solution[j] for j, a in equation.items())
    return solution


def implied_bounds(
    program: Program,
    cutoff: float = math.inf,
    x: FloatArray | None = None,
    bend: FloatArray | None = None,
) -> tuple[FloatArray, FloatArray]:
    """The lower and upper bounds (n,), (n,) on the variables that a program implies.

    They follow from the bounds, the linear rows and objective <= ``cutoff``. A quadratic objective
    is replaced by its tangent at x (n,), provided that its curvature ``bend`` (n,) is nonnegative.
    Bounds are rounded outwards.
    """
    # linear rows alone, and the objective as one more, below its cut-off
    matrix, low, high = program.rows, program.row_lower.copy(), program.row_upper.copy()
    plain = list(program.quadratic_rows)
    low[plain], high[plain] = -np.inf, np.inf
    convex = not plain and bend is not None and not (bend < 0.0).any()
    if cutoff < math.inf and (program.quadratic is None or convex):
        slope, constant = program.cost, program.constant
        if program.quadratic is not None and x is not None:
            pull = program.quadratic @ x
            slope, constant = slope + pull, constant - 0.5 * float(x @ pull)
        size = abs(constant) + abs(cutoff)
        room = cutoff - constant + _rounding(2.0 * len(slope)) * size
        matrix = sparse.vstack([matrix, sparse.csr_array(slope[None])], format="csr")
        low, high = np.append(low, -np.inf), np.append(high, room)
    # propagation: every row bounds each of its columns by the least activity of the others
    lower, upper = program.lower.copy(), program.upper.copy()
    entries = sparse.coo_array(matrix)
    nonzero = entries.data != 0.0
    rows, columns, a = entries.row[nonzero], entries.col[nonzero], entries.data[nonzero]
    count = np.bincount(rows, minlength=len(high)).astype(np.float64)
    for _ in range(3):  # over the rows, for bounds that follow from other bounds
        for sign, side in ((1.0, high), (-1.0, -low)):  # sum_j sign a_j x_j <= side
            value = sign * a
            smallest = value * np.where(value > 0, lower[columns], upper[columns])
            # the row without its own column: a sum that one infinite term does not spoil
            infinite = np.isinf(smallest)
            finite = np.where(infinite, 0.0, smallest)
            activity, sums = np.zeros(len(side)), np.zeros(len(side))
            np.add.at(activity, rows, finite)
            np.add.at(sums, rows, np.abs(finite))
            open_ends = np.bincount(rows, weights=infinite, minlength=len(side))
            implied = np.isfinite(side[rows]) & (open_ends[rows] - infinite == 0)
            total = np.where(implied, side[rows], 0.0) - activity[rows] + finite
            error = _rounding(count)[rows] * (
                sums[rows] + np.abs(np.where(implied, side[rows], 0.0))
            )
            with np.errstate(over="ignore"):  # to infinity, which is no bound
                room = total / value
                slack = (error + 2.0**-51 * np.abs(total)) / np.abs(value)
            implied &= np.isfinite(room) & np.isfinite(slack)
            up, down = implied & (value > 0), implied & (value < 0)
            np.minimum.at(upper, columns[up], (room + slack)[up])
            np.maximum.at(lower, columns[down], (room - slack)[down])
    return lower, upper
