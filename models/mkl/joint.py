"""The joint hinge loss over k classes (Crammer and Singer): linear systems of its dual program.

The dual points z (k, n) of J are z = d - p. Here d_ri is C_i if r is the class y_i of point i, and
0 otherwise. The sum of p >= 0 is C_i in column i and, with biases, that of d_r in row r:

    max  sum_i z_{y_i i} - 1/2 sum_r z_r'K z_r .

The optimality conditions are  E_ri - (K z_r)_i - b_r - l_i = s_ri >= 0,  p o s = 0,  with E_ri = 1
at the own class. The shortfall of point i is 1 - l_i minus its own score.
"""

from __future__ import annotations

import numpy as np
from scipy import linalg

from radprog.base.limits import poll
from radprog.base.types import FloatArray


class JointSystem:
    """Solver of the linear systems dp_r = W_r (rhs_r - K dp_r + dl + db_r 1) for all classes r.

    Every column of dp sums to 0. With biases, every row also sums to 0.

    K (n, n) is positive semidefinite, and w (k, n) has the positive diagonals of W_r. Let B_r = I +
    W_r^(1/2) K W_r^(1/2), with eigenvalues of at least 1. Then (W_r^-1 + K)^-1 is W_r^(1/2) B_r^-1
    W_r^(1/2), and the sum of these is the matrix of dl.
    """

    def __init__(self, K: FloatArray, w: FloatArray, *, bias: bool) -> None:
        n = len(K)
        self._roots, self._bias = np.sqrt(w), bias
        self._factors, sums = list[FloatArray](), np.zeros((n, n))
        for root in self._roots:
            poll()
            B = K * np.multiply.outer(root, root)
            B.flat[:: n + 1] += 1.0
            # transposes are in the order of columns, which LAPACK takes without a copy
            factor, info = linalg.lapack.dpotrf(B.T, lower=1, clean=0, overwrite_a=1)
            if info != 0:
                raise linalg.LinAlgError("the kernel matrix is not positive semidefinite")
            self._factors.append(factor)
            inverse, _ = linalg.lapack.dpotri(factor, lower=1)
            inverse *= np.multiply.outer(root, root)
            sums += inverse
        sums = np.tril(sums) + np.tril(sums, -1).T
        level = float(np.trace(sums)) / n
        if bias:
            # the biases eliminated: 1 is then a null vector, since l + t 1 and b - t 1 are l and b
            self._ones = self._apply(np.ones((len(w), n)))
            self._totals = self._ones.sum(axis=1)
            sums -= (self._ones / self._totals[:, None]).T @ self._ones
            # lifts the null vector of the sums, relative to the mean diagonal of their system
            sums += 1.0 * level / n
        # a ridge of 1e-14, relative to the same
        sums.flat[:: n + 1] += 1e-14 * level
        self._sums = linalg.cho_factor(sums, lower=True, overwrite_a=True, check_finite=False)

    def _apply(self, rhs: FloatArray) -> FloatArray:
        """(W_r^-1 + K)^-1 rhs_r for all r: (k, n)."""
        solved = [
            root * linalg.lapack.dpotrs(factor, root * side, lower=1)[0]
            for root, factor, side in zip(self._roots, self._factors, rhs, strict=True)
        ]
        return np.array(solved)

    def __call__(self, rhs: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """dp (k, n), dl (n,) and db (k,) for rhs (k, n)."""
        free = self._apply(rhs)
        columns, db = free.sum(axis=0), np.zeros(len(rhs))
        if self._bias:
            columns = columns - (free.sum(axis=1) / self._totals) @ self._ones
        dl = -linalg.cho_solve(self._sums, columns, check_finite=False)
        dp = free + self._apply(np.broadcast_to(dl, rhs.shape))
        if self._bias:
            db = -dp.sum(axis=1) / self._totals
            dp = dp + db[:, None] * self._ones
        return dp, np.asarray(dl), db


def joint_feasible(p: FloatArray, costs: FloatArray, E: FloatArray, *, bias: bool) -> FloatArray:
    """A point near p (k, n) with nonnegative entries and column sums ``costs`` (n,).

    With biases, the sum of row r is the total cost of the points of class r. ``E`` (k, n) is 1
    for the class of each point, and 0 otherwise.
    """
    # columns by their factor
    p = np.maximum(p, 0.0)
    sums = p.sum(axis=0)
    p = np.where(sums > 0, p * (costs / np.where(sums > 0, sums, 1.0)), costs / len(p))
    if not bias:
        return np.asarray(p)
    # rows by shares of what they lack; then towards a point inside, as far as needed
    share = costs / costs.sum()
    p = p + np.multiply.outer(E @ costs - p.sum(axis=1), share)
    inside = np.multiply.outer(E @ share, costs)
    low = p < 0.0
    step = float((-p[low] / (inside[low] - p[low])).max(initial=0.0))
    return np.asarray(np.maximum(p + step * (inside - p), 0.0))
