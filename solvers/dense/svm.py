"""The dual of the support vector machine, solved by libsvm through scikit-learn."""

from __future__ import annotations

import time
import warnings
from dataclasses import dataclass

import numpy as np
from scipy import linalg, sparse

from radprog.base.errors import DataError, OptionError
from radprog.base.limits import OutOfBudget, bounded, imported, isolated
from radprog.base.tolerances import INTERIOR_SVM_GAP, SUPPORT
from radprog.base.types import FloatArray
from radprog.solvers.dense.interior import interior_point
from radprog.solvers.dense.refined import ROUNDED, refining
from radprog.solvers.program import Program

BOXED_SVM_GAP = 1e-8  # of a machine without bias, at most
LIBSVM_DEFAULT = 1e-3  # violation at which libsvm ends unless told otherwise

ACTIVE_SET_RIDGE = 1e-13  # of the kernel of active sets, relative to the mean of its diagonal
LARGE = 1e3  # a dual point is rarely larger, times the mean of the diagonal
INTERIOR_APART = 600  # points from which an interior-point method takes half a second and more
ROUGH_STEPS = 20  # a small part of what libsvm needs
VERTEX_STEPS = 8  # in which multipliers leave the free ones
LARGEST_VERTEX = 2000  # free multipliers
_CACHE_MB = 500


@dataclass(frozen=True, kw_only=True)
class SvmSolution:
    """alpha (n,) in [0, C], the bias of f(x) = sum_j y_j alpha_j K(x, x_j) + bias.

    ``converged`` is False where ``max_iter`` ended the run; alpha is feasible all the same.
    """

    alpha: FloatArray
    bias: float
    seconds: float
    converged: bool


def solve_svm(
    K: FloatArray,
    y: FloatArray,
    C: float | FloatArray,
    *,
    tolerance: float = LIBSVM_DEFAULT,
    max_iter: int = -1,
    bias: bool = True,
) -> SvmSolution:
    """max 1'a - 1/2 a'(yy' o K)a  s.t.  0 <= a <= C,  y'a = 0 (only with a bias).

    K (n, n) symmetric positive semidefinite, y (n,) in {-1, +1}, C a positive number or one
    bound >= 0 per example (n,). ``tolerance`` bounds the violation of the optimality conditions;
    ``max_iter`` caps libsvm's iterations (-1: no cap), since it may stall where K is
    rank-deficient and C large. Without a bias the program has only bounds and PIQP solves it.
    Raises DataError for wrong shapes or values.
    """
    bound = _checked(K, y, C, tolerance)
    start = time.perf_counter()
    active = np.flatnonzero(bound > 0)
    signs = np.unique(y[active])
    alpha = np.zeros(y.size)
    offset, converged = 0.0, True
    if bias and signs.size == 1:
        offset = float(signs[0])  # y'a = 0 leaves a = 0 only, and f = y has no loss
    elif bias and signs.size == 2:
        block = K if active.size == y.size else K[np.ix_(active, active)]
        alpha[active], offset, converged = _libsvm(
            block, y[active], bound[active], tolerance, max_iter
        )
    elif active.size:
        exact = min(tolerance, BOXED_SVM_GAP)
        found = solve_svm_interior(K, y, bound, tolerance=exact, bias=False)
        alpha, converged = found.alpha, found.converged
    np.clip(alpha, 0.0, bound, out=alpha)
    seconds = time.perf_counter() - start
    return SvmSolution(alpha=alpha, bias=offset, seconds=seconds, converged=converged)


def solve_svm_in_time(
    K: FloatArray,
    y: FloatArray,
    C: float | FloatArray,
    *,
    tolerance: float,
    max_iter: int,
    bias: bool = True,
    staged: bool = False,
) -> SvmSolution:
    """:func:`solve_svm`, or 0 where a limit in force is spent before it ends; ``staged``: then its
    point after ROUGH_STEPS iterations per row, if there was time for them, after which libsvm
    starts anew."""
    best = SvmSolution(alpha=np.zeros(y.size), bias=0.0, seconds=0.0, converged=False)
    stages = (ROUGH_STEPS * y.size, max_iter) if staged else (max_iter,)
    for most in stages:
        try:
            best = solve_svm(K, y, C, tolerance=tolerance, max_iter=most, bias=bias)
        except OutOfBudget:
            return best
        if best.converged:
            break
    return best


def solve_svm_interior(
    K: FloatArray,
    y: FloatArray,
    C: float | FloatArray,
    *,
    tolerance: float = INTERIOR_SVM_GAP,
    bias: bool = True,
) -> SvmSolution:
    """The same program by an interior-point method: n^3 operations, but exact to ``tolerance``
    relative where libsvm stalls. It solves for a / s, s the smaller of the largest C and LARGE over
    the mean of K's diagonal, so that a large C does no harm, in units of a_i that even out that
    diagonal. From INTERIOR_APART points it is ended
    at a limit in force.

    Raises DataError for wrong shapes or values.
    """
    bound = _checked(K, y, C, tolerance)
    start = time.perf_counter()
    mean = float(np.trace(K)) / max(y.size, 1)
    largest = float(bound.max())
    scale = min(largest, LARGE / mean) if mean > 0 else largest
    typical = mean if mean > 0 else 1.0
    diagonal = np.where(K.diagonal() > 0.0, K.diagonal(), typical)
    units = np.exp2(np.round(0.5 * np.log2(typical / diagonal)))
    asked = (K, y, bound, scale, tolerance, bias, units)
    if y.size < INTERIOR_APART:
        x, offset, solved = interior_point(*asked)
    else:
        x, offset, solved = isolated(interior_point, *asked)
    found = bool(np.isfinite(x).all())
    return SvmSolution(
        alpha=np.clip(scale * x, 0.0, bound) if found else np.zeros(y.size),
        bias=offset if found else 0.0,
        seconds=time.perf_counter() - start,
        converged=found and solved,
    )


def solve_svm_active_set(
    K: FloatArray,
    y: FloatArray,
    C: float | FloatArray,
    start: FloatArray,
    *,
    bias: bool = True,
    steps: int,
) -> FloatArray | None:
    """The dual a (n,) by the primal-dual active set method from a point ``start`` (n,).

    Every step guesses which a_i are at 0, at C and free, and solves for the free ones; where the
    guess repeats, it is the solution to rounding errors. Near the solution two or three steps do.
    Not checked, and None where a linear system fails: the value of the point says what it is worth.
    """
    a, free, upper = start, np.zeros(0, dtype=np.bool_), np.zeros(0, dtype=np.bool_)
    ridge = ACTIVE_SET_RIDGE * float(np.trace(K)) / len(y)
    scores = K @ (y * a)
    inside = (a > 0) & (a < C)
    # the bias at the start: the median of what the free points ask for
    offsets = (y - scores)[inside] if bias else np.zeros(0)
    b = float(np.partition(offsets, len(offsets) // 2)[len(offsets) // 2]) if len(offsets) else 0.0
    for _ in range(steps):
        # guess: a gradient step of every a_i alone says at which side of its box it is
        push = a + (1.0 - y * (scores + b)) / np.maximum(K.diagonal(), ridge)
        before, free, upper = (free, upper), (push > 0) & (push < C), push >= C
        if not free.any():
            return None
        if len(before[0]) and (free == before[0]).all() and (upper == before[1]).all():
            break
        # solve  K_FF z_F + b 1 = y - K_FU z_U  and, with a bias,  1'z = 0  for the free points F
        z = np.where(upper, C * y, 0.0)
        sides = np.column_stack([y - K @ z, np.ones(len(y))])[free]
        A = K[np.ix_(free, free)]
        A.flat[:: len(A) + 1] += ridge
        try:
            factor = linalg.cho_factor(A, lower=True, overwrite_a=True, check_finite=False)
        except linalg.LinAlgError:
            return None
        solved = linalg.cho_solve(factor, sides, check_finite=False)
        b = float((solved[:, 0].sum() + z.sum()) / solved[:, 1].sum()) if bias else 0.0
        z[free] = solved[:, 0] - b * solved[:, 1]
        a, scores = y * z, K @ z
    return np.clip(a, 0.0, C) if np.isfinite(a).all() else None


def svm_vertex(
    K: FloatArray, y: FloatArray, C: float | FloatArray, start: FloatArray
) -> FloatArray | None:
    """The dual a (n,) whose free multipliers are those of ``start`` (n,), for margins of 1 and what
    they may lose as a becomes floats, so that no hinge is left where C is large beside a.

    Free multipliers z_i = y_i a_i of rows S and the bias b solve  K_SS z + b = y (1 + loss) -
    K_SU z_U,  1'z = -1'z_U,  U the rows at C; those that leave the box are free no longer. Not
    checked, and None where the system is singular or larger than LARGEST_VERTEX.
    """
    bound = np.broadcast_to(C, y.shape)
    upper = start >= bound * (1.0 - SUPPORT)
    sizes = start * np.sqrt(np.maximum(K.diagonal(), 0.0))
    free, loss, a = (sizes > SUPPORT * sizes.max()) & ~upper, 0.0 * y, start
    for _ in range(VERTEX_STEPS):
        # the linear system of the free multipliers and the bias
        held, size = np.where(upper, bound * y, 0.0), int(free.sum())
        if not 0 < size <= LARGEST_VERTEX:
            return None
        system = np.ones((size + 1, size + 1))
        system[:-1, :-1], system[-1, -1] = K[np.ix_(free, free)], 0.0
        right = (y * (1.0 + loss.astype(np.longdouble)) - K @ held)[free]
        found = refining(system)(np.append(right, -held.sum()))
        if not np.isfinite(found).all():
            return None
        # multipliers that leave the box are free no longer
        a = y * held
        a[free] = y[free] * found[:-1]
        outside = free & ((a <= 0.0) | (a >= bound))
        if not outside.any() and loss.any():
            break
        free, upper = free & ~outside, upper | (outside & (a >= bound))
        loss[free] = 0.0 if outside.any() else ROUNDED * (np.abs(system) @ np.abs(found))[:-1]
    return np.clip(a, 0.0, bound)


def _libsvm(
    K: FloatArray, y: FloatArray, bound: FloatArray, tolerance: float, max_iter: int
) -> tuple[FloatArray, float, bool]:
    warning = imported("sklearn.exceptions").ConvergenceWarning
    machine = imported("sklearn.svm").SVC(
        C=1.0, kernel="precomputed", tol=tolerance, max_iter=max_iter, cache_size=_CACHE_MB
    )
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", warning)
            bounded(machine.fit, K, y, sample_weight=bound)
    except OutOfBudget:  # the call that was given up on is still to warn
        warnings.filterwarnings("ignore", category=warning, module=r"sklearn\.svm")
        raise
    except ValueError:  # its coefficients overflow
        raise DataError(
            f"kernel values up to {np.abs(K).max():g} are too large for libsvm: scale the data"
        ) from None
    alpha = np.zeros(y.size)
    alpha[machine.support_] = np.abs(machine.dual_coef_[0])
    return alpha, float(machine.intercept_[0]), machine.fit_status_ == 0


def svm_program(
    K: FloatArray, y: FloatArray, C: float | FloatArray, *, bias: bool = True
) -> Program:
    """The dual program as matrices: min 1/2 a'(yy' o K)a - 1'a, 0 <= a <= C, y'a = 0 with a bias.

    Arguments as in :func:`solve_svm`, and unchecked.
    """
    n = y.size
    signed = K * np.outer(y, y)
    rows = y[None, :] if bias else np.empty((0, n))
    return Program(
        cost=-np.ones(n),
        rows=sparse.csr_array(rows),
        row_lower=np.zeros(len(rows)),
        row_upper=np.zeros(len(rows)),
        lower=np.zeros(n),
        upper=np.broadcast_to(np.asarray(C, dtype=np.float64), (n,)).copy(),
        integer=np.zeros(n, dtype=np.bool_),
        column_names=tuple(f"a({i})" for i in range(n)),
        row_names=("balance",) * len(rows),
        quadratic=sparse.csc_array((signed + signed.T) / 2),
    )


def _checked(K: FloatArray, y: FloatArray, C: float | FloatArray, tolerance: float) -> FloatArray:
    """The bounds of alpha (n,)."""
    n = y.size
    if y.ndim != 1 or n == 0 or not np.isin(y, (-1.0, 1.0)).all():
        raise DataError("y must be a vector of -1 and +1")
    if K.shape != (n, n):
        raise DataError(f"the kernel matrix has shape {K.shape}, but there are {n} labels")
    if not np.isfinite(K).all():
        raise DataError("the kernel matrix has entries that are not finite")
    bound = np.asarray(C, dtype=np.float64)
    bound = np.full(n, bound) if bound.ndim == 0 else bound.copy()
    if bound.shape != (n,) or not np.isfinite(bound).all() or np.any(bound < 0):
        raise DataError(f"C must be a positive number or {n} numbers >= 0")
    if not tolerance > 0:
        raise OptionError(f"the tolerance must be positive, not {tolerance}")
    return bound
