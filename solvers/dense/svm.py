"""Three methods for the dual of the support vector machine, and programs over a simplex.

libsvm solves problems with thousands of points to a relative accuracy of about 1e-6. PIQP's
interior-point method needs n^3 operations; it is accurate even if libsvm stalls. The active set
method starts from a nearby point and is exact up to rounding errors.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from scipy import linalg, sparse

from radprog.base.errors import DataError
from radprog.base.limits import poll
from radprog.base.tolerances import INTERIOR_SVM_GAP, LEAST_DIVISOR
from radprog.base.types import FloatArray
from radprog.solvers.adapters.piqp import solve_dense
from radprog.solvers.program import Program

SINGLE_RANGE = (1e-2, 1e6)  # of the largest entry, within which libsvm needs no scaling


def solve_svm(
    K: FloatArray,
    y: FloatArray,
    C: float | FloatArray,
    *,
    tolerance: float = 1e-3,  # the default violation at which libsvm ends
    max_iter: int = -1,
    bias: bool = True,
) -> tuple[FloatArray, bool]:
    """Solve max 1'a - 1/2 a'(yy' o K)a  s.t.  0 <= a <= C,  y'a = 0 (only with a bias).

    K (n, n) is symmetric positive semidefinite, y (n,) in {-1, +1}, and C a positive number or one
    bound >= 0 per example (n,). ``tolerance`` bounds the violation of the optimality conditions.
    ``max_iter`` caps libsvm's iterations (-1: no cap), because libsvm may stall for rank-deficient
    K and large C. Without a bias the program has only bounds, and PIQP solves it. Returns a (n,) in
    its box, and whether the method met the tolerance. Raises DataError if kernel values are too
    large for libsvm. The shapes are not checked.
    """
    # examples of bound 0 are none; one class alone leaves a = 0
    bound = np.broadcast_to(np.asarray(C, dtype=np.float64), y.shape)
    active = np.flatnonzero(bound > 0)
    alpha, converged = np.zeros(y.size), True
    if not bias and active.size:
        # without a bias the program has only bounds
        return solve_svm_interior(K, y, bound, tolerance=min(tolerance, 1e-8), bias=False)
    if bias and np.unique(y[active]).size == 2:
        # scikit-learn is imported where it is needed: help and linear programs start without it
        from sklearn.exceptions import ConvergenceWarning
        from sklearn.svm import SVC

        svm = SVC(C=1.0, kernel="precomputed", tol=tolerance, max_iter=max_iter, cache_size=500)
        block = K if active.size == y.size else K[np.ix_(active, active)]
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ConvergenceWarning)
                svm.fit(block, y[active], sample_weight=bound[active])
        except ValueError:  # its coefficients overflow
            raise DataError(
                f"kernel values up to {np.abs(block).max():g} are too large for libsvm: scale the "
                "data"
            ) from None
        alpha[active[svm.support_]] = np.abs(svm.dual_coef_[0])
        converged = svm.fit_status_ == 0
    return np.clip(alpha, 0.0, bound), converged


def solve_svm_interior(
    K: FloatArray,
    y: FloatArray,
    C: float | FloatArray,
    *,
    tolerance: float = INTERIOR_SVM_GAP,
    bias: bool = True,
) -> tuple[FloatArray, bool]:
    """Solve the program of :func:`solve_svm` by PIQP's interior-point method.

    ``tolerance`` is relative. The method needs n^3 operations and does not stall, unlike libsvm.
    The variables are a / s. The factor s is the largest C, but at most 1000 over the mean of K's
    diagonal, because a large C would cause numerical problems. The variables are also scaled by the
    diagonal of K.
    """
    bound = np.broadcast_to(np.asarray(C, dtype=np.float64), y.shape)
    # scales: s of all multipliers, and powers of two of each
    mean = float(np.trace(K)) / max(y.size, 1)
    largest = float(bound.max())
    scale = min(largest, 1e3 / mean) if mean > 0 else largest
    typical = mean if mean > 0 else 1.0
    diagonal = np.where(K.diagonal() > 0.0, K.diagonal(), typical)
    units = np.exp2(np.round(0.5 * np.log2(typical / diagonal)))
    # max 1'x - s/2 x'(yy' o K)x,  0 <= x <= C/s,  y'x = 0 with a bias, for x / units
    signed = np.multiply.outer(scale * y * units, y * units)
    signed *= K
    balance, zero = ((y * units)[None, :], np.zeros(1)) if bias else (None, None)
    box = np.zeros(y.size), bound / (scale * units)
    result, solved = solve_dense(
        signed.T, -units, balance, zero, None, None, None, *box, tolerance=tolerance
    )
    x = units * result.x
    if not np.isfinite(x).all():
        return np.zeros(y.size), False
    return np.clip(scale * x, 0.0, bound), solved


def solve_svm_active_set(
    K: FloatArray,
    y: FloatArray,
    C: float | FloatArray,
    start: FloatArray,
    *,
    bias: bool = True,
    steps: int,
) -> FloatArray | None:
    """Solve the program of :func:`solve_svm` by the primal-dual active set method.

    The method begins at the point ``start`` (n,). Every step divides the a_i into those at 0, those
    at C and free ones, and solves a linear system for the free ones. If a division repeats, its
    point is the solution up to rounding errors. Near the solution two or three steps are enough.
    The result a (n,) is not checked; callers evaluate its objective. Returns None if there are no
    free a_i, or if a linear system cannot be solved.
    """
    a, free, upper = start, np.zeros(0, dtype=np.bool_), np.zeros(0, dtype=np.bool_)
    # lifts the kernel of active sets, relative to the mean of its diagonal
    ridge = 1e-13 * float(np.trace(K)) / len(y)
    scores = K @ (y * a)
    inside = (a > 0) & (a < C)
    # the bias at the start: the median of what the free points ask for
    offsets = (y - scores)[inside] if bias else np.zeros(0)
    b = float(np.partition(offsets, len(offsets) // 2)[len(offsets) // 2]) if len(offsets) else 0.0
    for _ in range(steps):
        # guess: a gradient step of every a_i alone says at which side of its box it is
        push = a + (1.0 - y * (scores + b)) / np.maximum(K.diagonal(), ridge)
        previous, free, upper = (free, upper), (push > 0) & (push < C), push >= C
        if not free.any():
            return None
        if len(previous[0]) and (free == previous[0]).all() and (upper == previous[1]).all():
            break
        # solve  K_FF z_F + b 1 = y - K_FU z_U  and, with a bias,  1'z = 0  for the free points F
        z = np.where(upper, C * y, 0.0)
        A = K[np.ix_(free, free)]
        A.flat[:: len(A) + 1] += ridge
        try:
            factor = linalg.cho_factor(A, lower=True, overwrite_a=True, check_finite=False)
        except linalg.LinAlgError:
            return None
        sides = np.column_stack([y - K @ z, np.ones(len(y))])[free]
        margins, ones = linalg.cho_solve(factor, sides, check_finite=False).T
        b = float((margins.sum() + z.sum()) / ones.sum()) if bias else 0.0
        z[free] = margins - b * ones
        a, scores = y * z, K @ z
    # one step of refinement takes out what the ridge has put in
    change = linalg.cho_solve(factor, (y - scores - b)[free], check_finite=False)
    shift = (change.sum() + z.sum()) / ones.sum() if bias else 0.0
    z[free] += change - shift * ones
    a = y * z
    return np.clip(a, 0.0, C) if np.isfinite(a).all() else None


def svm_program(
    K: FloatArray,
    y: FloatArray,
    C: float | FloatArray,
    *,
    bias: bool = True,
    rows: tuple[Any, Any, FloatArray] | None = None,
) -> tuple[Program, FloatArray]:
    """The dual program as matrices, and the units (n + R,) of its variables a and mu.

    The program is min 1/2 v'Kv - 1'a + h'mu, 0 <= a <= C, mu >= 0, and 1'v = 0 with a bias, for
    v = y a - G'mu. ``rows`` has the sparse G (R, n) and T (R, K), and h (R,) of G f + T t <= h,
    t >= 0, with the multipliers mu: T'mu >= 0. With rows, the objective and a are in units of the
    largest C. In this case, the unit of each mu is the largest C divided by the largest entry of
    its row. The other arguments are as in
    :func:`solve_svm`.
    """
    n, scale = y.size, 1.0
    units, cost, signed, sums = np.ones(n), -np.ones(n), K * np.outer(y, y), y
    if rows is not None:
        G, T, h = rows
        scale = float(np.max(C))
        sizes = abs(sparse.csr_array(sparse.hstack([G, T]))).max(axis=1).toarray().ravel()
        units = scale * np.append(units, 1.0 / np.where(sizes > 0.0, sizes, 1.0))
        cost = np.append(cost, h)
        images = sparse.vstack([sparse.diags_array(y), -G])
        slacks = sparse.hstack([sparse.csr_array((T.shape[1], n)), T.T])
        signed, sums = images @ K @ images.T, images.sum(axis=1)
    signed = signed * np.outer(units, units / scale)
    balance = (sums * units / scale)[None, :] if bias else np.empty((0, len(units)))
    matrix = sparse.csr_array(balance)
    if rows is not None:
        matrix = sparse.csr_array(sparse.vstack([matrix, slacks * (units / scale)]))
    upper = np.full(len(units), np.inf)
    upper[:n] = np.broadcast_to(np.asarray(C, dtype=np.float64), (n,)) / scale
    program = Program(
        cost=cost * units / scale,
        rows=matrix,
        row_lower=np.zeros(matrix.shape[0]),
        row_upper=np.append(
            np.zeros(len(balance)), np.full(matrix.shape[0] - len(balance), np.inf)
        ),
        lower=np.zeros(len(units)),
        upper=upper,
        quadratic=sparse.csc_array((signed + signed.T) / 2),
    )
    return program, units


def solve_simplex_qp(Q: FloatArray, b: FloatArray, upper: float) -> FloatArray | None:
    """Solve min a'Qa + b'a  s.t.  0 <= a <= upper, 1'a = 1, for positive semidefinite Q (n, n).

    The variables are n a, in units of the largest entry of b and of Q / n, so that one tolerance
    suits all sizes. The point (n,) is feasible within the solver's tolerance. Returns None if the
    solver fails.
    """
    n = len(b)
    unit = max(float(np.abs(b).max()) / n, float(np.abs(Q).max()) / n**2, LEAST_DIVISOR)
    P = np.asfortranarray(Q * (2.0 / (unit * n**2)))
    # lifts a matrix that is singular to rounding, relative to its largest entry
    P[np.diag_indices(n)] += 1e-14 * float(np.abs(P).max())
    # the program in n a, whose entries are about 1
    mass = np.ones((1, n)), np.array([float(n)])
    box = np.zeros(n), np.full(n, n * min(upper, 1.0))
    cost = b / (unit * n)
    result, _ = solve_dense(P, cost, *mass, None, None, None, *box, tolerance=1e-9)
    x = np.asarray(result.x) / n
    return x if np.isfinite(x).all() else None


def paired_simplex_qp(Q: FloatArray, upper: float, gap: float) -> FloatArray | None:
    """Solve min a'Qa over 0 <= a <= upper, 1'a = 1 by libsvm, for symmetric Q (n, n).

    Q may be indefinite. libsvm moves two entries at a time (sequential minimal optimisation) from
    its own starting point. The Frank-Wolfe gap of a (n,) is at most ``gap``, up to single precision
    and a cap on the steps. The program is that of a one-class support vector machine for a / upper.
    Returns None if Q is 0 or not finite, or if libsvm rejects the program. Raises OutOfBudget when
    a current limit is reached.
    """
    n, top = len(Q), max(float(Q.max()), -float(Q.min()))
    if not 0.0 < top < np.inf:
        return None
    # libsvm keeps kernel values in single precision
    if not SINGLE_RANGE[0] < top < SINGLE_RANGE[1]:
        Q = Q / top
    else:
        top = 1.0
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.svm import OneClassSVM

    poll()
    svm = OneClassSVM(
        kernel="precomputed", nu=min(1.0, 1.0 / (n * upper)), tol=gap / (2.0 * upper * top),
        max_iter=50 * n, cache_size=500,  # steps of libsvm, a row
    )  # fmt: skip
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            svm.fit(Q)
    except ValueError:
        return None
    a = np.zeros(n)
    a[svm.support_] = upper * svm.dual_coef_[0]
    return a


def simplex_program(Q: FloatArray, b: FloatArray, upper: float) -> Program:
    """The program of :func:`solve_simplex_qp` as matrices, for any solver of the registry."""
    n = len(b)
    return Program(
        cost=b.copy(),
        rows=sparse.csr_array(np.ones((1, n))),
        row_lower=np.ones(1),
        row_upper=np.ones(1),
        lower=np.zeros(n),
        upper=np.full(n, min(upper, 1.0)),
        quadratic=sparse.csc_array(Q + Q.T),
    )
