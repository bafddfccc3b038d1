"""Dense quadratic programs over a simplex with a box, by direct calls of PIQP and libsvm."""

from __future__ import annotations

import warnings

import numpy as np
from scipy import sparse

from radprog.base.limits import poll
from radprog.base.tolerances import DIAGONAL_LIFT, LEAST_DIVISOR
from radprog.base.types import FloatArray
from radprog.solvers.adapters.piqp import solve_dense
from radprog.solvers.program import Program

SIMPLEX_QP_GAP = 1e-9  # of a quadratic program over the simplex

MOST_PAIRS = 50  # steps of libsvm, a row
CACHE_MB = 500  # of libsvm
SINGLE_RANGE = (1e-2, 1e6)  # of the largest entry, within which libsvm needs no scaling


def solve_simplex_qp(
    Q: FloatArray, b: FloatArray, upper: float, *, tolerance: float = SIMPLEX_QP_GAP
) -> FloatArray | None:
    """min a'Qa + b'a  s.t.  0 <= a <= upper, 1'a = 1, for Q (n, n) positive semidefinite.

    The program is solved for n a, in units of the largest entry of b and of Q / n, so that the same
    tolerance is right for all sizes. The point (n,) is feasible within the solver's tolerance.
    Returns None if the solver fails.
    """
    n = len(b)
    unit = max(float(np.abs(b).max()) / n, float(np.abs(Q).max()) / n**2, LEAST_DIVISOR)
    P = np.asfortranarray(Q * (2.0 / (unit * n**2)))
    P[np.diag_indices(n)] += DIAGONAL_LIFT * float(np.abs(P).max())
    # the program in n a, whose entries are about 1
    mass = np.ones((1, n)), np.array([float(n)])
    box = np.zeros(n), np.full(n, n * min(upper, 1.0))
    cost = b / (unit * n)
    result, _ = solve_dense(P, cost, *mass, None, None, None, *box, tolerance=tolerance)
    x = np.asarray(result.x) / n
    return x if np.isfinite(x).all() else None


def paired_simplex_qp(Q: FloatArray, upper: float, gap: float) -> FloatArray | None:
    """min a'Qa over 0 <= a <= upper, 1'a = 1 by libsvm, for a symmetric Q (n, n) that may be
    indefinite.

    libsvm moves two entries at a time (sequential minimal optimisation) from a start of its own.
    The Frank-Wolfe gap of a (n,) is at most ``gap``, up to single precision and a cap on the steps.
    The program is that of a one-class support vector machine for a / upper. Returns None if its
    entries exceed the range of floating-point numbers, or if the box allows only one point. Raises
    OutOfBudget.
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
        max_iter=MOST_PAIRS * n, cache_size=CACHE_MB,
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
