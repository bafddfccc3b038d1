"""The dual simplex method on an explicit inverse, for dense linear programs with finite bounds.

All variables and rows have finite bounds. In a pivot, a sparse code looks up each entry of a dense
row. In this module, a pivot consists of three products of a matrix and a vector. The result is a
basis and its point, which the caller certifies.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import qr
from scipy.linalg.blas import dger

from radprog.base.limits import poll
from radprog.base.tolerances import MASTER_TOLERANCE
from radprog.base.types import FloatArray, IntArray

AT_LOWER, BASIC, AT_UPPER = 0, 1, 2  # as HiGHS counts them

Statuses = NDArray[np.int8]


@dataclass(frozen=True, kw_only=True)
class BoxedProgram:
    """The program min cost'x  s.t.  0 <= x <= upper,  row_lower <= matrix x <= row_upper.

    The matrix is (m, n), and all bounds are finite.
    """

    cost: FloatArray
    upper: FloatArray
    matrix: FloatArray
    row_lower: FloatArray
    row_upper: FloatArray


@dataclass(frozen=True, kw_only=True)
class BoxedPoint:
    """A point x (n,), multipliers (m,) of the rows, and basis statuses of columns and rows.

    ``columns`` (n,) and ``rows`` (m,) are the statuses. ``exact`` is True if rounding errors are
    within the tolerance; it can be False even after a new inversion.
    """

    x: FloatArray
    multipliers: FloatArray
    columns: Statuses
    rows: Statuses
    pivots: int
    exact: bool


def solve_boxed(program: BoxedProgram, columns: Statuses, rows: Statuses) -> BoxedPoint | None:
    """Solve a program, starting from a basis that may be infeasible or incomplete.

    ``columns`` and ``rows`` are the statuses of the basis. Returns None if rounding errors or a
    singular basis stop the method. The current limits are polled between pivots.
    """
    try:
        return _Simplex(program, columns, rows).run()
    except np.linalg.LinAlgError:
        return None


class _Simplex:
    """The simplex method; row i is also a variable s_i = (matrix x)_i, number n + i of n + m.

    A nearly singular basis, for which a new inverse does not help, raises LinAlgError.
    """

    refactor = 400  # pivots after which the inverse is computed anew
    patience = 50  # pivots per row, after which the method gives up

    def __init__(self, program: BoxedProgram, columns: Statuses, rows: Statuses) -> None:
        m, n = program.matrix.shape
        self.m, self.n, self.matrix, self.program = m, n, program.matrix, program
        self.low = np.concatenate([np.zeros(n), program.row_lower])
        self.high = np.concatenate([program.upper, program.row_upper])
        self.width = self.high - self.low
        self.cost = np.concatenate([program.cost, np.zeros(m)])
        status = np.concatenate([columns, rows]).astype(np.int8)
        basic = np.flatnonzero(status == BASIC)
        # a basis has m members: too many columns leave it, missing ones are slacks
        if len(basic) > m:  # columns come first, and go first
            status[basic[: len(basic) - m]] = AT_LOWER
        elif len(basic) < m:
            spare = n + np.flatnonzero(status[n:] != BASIC)
            status[spare[: m - len(basic)]] = BASIC
        self.status, self.basis = status, np.flatnonzero(status == BASIC)
        self.pivots = self.since = self.stalled = self.repairs = 0
        self._perturbed = False
        self._restart()

    def _restart(self) -> None:
        """Recompute all values from the basis. Because all bounds are finite, reduced costs of any
        sign are feasible.
        """
        # with slacks aside only the rows R of basic columns K are inverted; then
        # x_K = A_RK^-1 s_R, and the slacks follow
        m, n, slack = self.m, self.n, self.basis >= self.n
        structural, free = np.flatnonzero(~slack), np.flatnonzero(slack)
        rows = self.basis[free] - n
        places = np.setdiff1d(np.arange(m), rows)
        part = self.matrix[:, self.basis[structural]]
        try:
            self.inverse, small = np.zeros((m, m)), np.linalg.inv(part[places])
        except np.linalg.LinAlgError:
            self.repairs += 1
            if self.repairs > 5:
                raise
            self._repair(self.basis[structural])
            return
        self.inverse[np.ix_(structural, places)] = small
        self.inverse[np.ix_(free, places)] = part[rows] @ small
        self.inverse[free, rows] = -1.0
        self.since = 0
        # multipliers and reduced costs of the basis
        y = self.cost[self.basis] @ self.inverse
        self.reduced = np.concatenate([self.cost[: self.n] - y @ self.matrix, y])
        self.reduced[self.basis] = 0.0
        # every variable has two finite ends: the one that suits its reduced cost is dual feasible
        bound = self.status != BASIC
        self.status[bound & (self.reduced < -MASTER_TOLERANCE)] = AT_UPPER
        self.status[bound & (self.reduced > MASTER_TOLERANCE)] = AT_LOWER
        self.x = np.where(self.status == AT_UPPER, self.high, self.low)
        self.x[self.basis] = 0.0
        # values of the basic variables, and weights of the dual steepest edges
        self.value = self.inverse @ (self.x[n:] - self.matrix @ self.x[:n])
        self.weights = np.einsum("ij,ij->i", self.inverse, self.inverse)
        self.basic_low, self.basic_high = self.low[self.basis], self.high[self.basis]
        self.side = 1.0 - self.status  # 1 at the lower bound, -1 at the upper, 0 in the basis

    def _repair(self, columns: IntArray) -> None:
        """Replace a singular basis: independent basic columns and as many independent rows stay."""
        part = self.matrix[:, columns]
        _, factor, order = qr(part, mode="economic", pivoting=True)
        sizes = np.abs(np.diag(factor))
        independent = order[: np.count_nonzero(sizes > 1e-9 * sizes[0])]
        *_, rows = qr(part[:, independent].T, mode="economic", pivoting=True)
        self.status[columns], self.status[self.n :] = AT_LOWER, BASIC
        self.status[columns[independent]] = BASIC
        self.status[self.n + rows[: len(independent)]] = AT_LOWER
        self.basis = np.flatnonzero(self.status == BASIC)
        self._restart()

    def run(self) -> BoxedPoint:
        """Pivot until the point is feasible."""
        doubts = 0
        while self.pivots < self.patience * (self.m + 10):
            if self.pivots % 16 == 0:  # pivots between two looks at the limits
                poll()
            # the row that leaves: the largest squared violation by its steepest-edge weight
            beyond = np.maximum(self.basic_low - self.value, self.value - self.basic_high)
            score = np.maximum(beyond - MASTER_TOLERANCE, 0.0)
            score *= score
            score /= self.weights
            p = int(score.argmax()) if self.m else 0
            # primal feasible and dual feasible: optimal, unless costs are perturbed or rounding
            # says otherwise
            if not self.m or score[p] == 0.0:
                if self._perturbed:
                    self.cost[: self.n], self._perturbed = self.program.cost, False
                    self._restart()
                    continue
                point = self._point()
                if point is not None:
                    return point
            elif self._pivot(p, float(beyond[p]), below=bool(self.value[p] < self.basic_low[p])):
                continue
            # numbers in doubt: compute all anew from the basis, but not again and again
            doubts += 1
            # give up if the inverse is new, or after 20 new inverses
            if self.since == 0 or doubts > 20:
                break
            self._restart()
        raise np.linalg.LinAlgError("the basis is nearly singular")

    def _point(self) -> BoxedPoint | None:
        """The point of the basis, unless its rounding errors are too large."""
        x, n = self.x.copy(), self.n
        x[self.basis] = self.value
        y = self.cost[self.basis] @ self.inverse
        reduced = self.program.cost - y @ self.matrix
        inside = self.basis[self.basis < n]
        # what rounding leaves: reduced costs of basic columns, rows, and signs of the others
        errors = np.abs(reduced[inside]), np.abs(self.matrix @ x[:n] - x[n:])
        wrong = np.where(self.status[:n] == AT_LOWER, -reduced, 0.0).max(initial=0.0)
        wrong = max(wrong, np.where(self.status[:n] == AT_UPPER, reduced, 0.0).max(initial=0.0))
        residual = max(error.max(initial=0.0) for error in errors)
        exact = bool(max(residual, wrong / 4.0) <= MASTER_TOLERANCE)
        if self.since and not exact:
            return None
        return BoxedPoint(
            x=x[:n], multipliers=y, columns=self.status[:n].copy(), rows=self.status[n:].copy(),
            pivots=self.pivots, exact=exact,
        )  # fmt: skip

    def _pivot(self, p: int, beyond: float, *, below: bool) -> bool:
        """Move the p-th basic variable to the bound that it violates; False if the pivot is
        unreliable."""
        n, row = self.n, self.inverse[p].copy()
        alpha = np.empty(n + self.m)
        np.dot(row, self.matrix, out=alpha[:n])
        np.negative(row, out=alpha[n:])
        # ratio test over the row of the tableau
        choice = self._entering(alpha, beyond, -1.0 if below else 1.0)
        if choice is None:
            return False
        q, flips = choice
        # the pivot, by column and by row: where they differ the inverse is too old
        column = self.inverse @ self.matrix[:, q] if q < n else -self.inverse[:, q - n]
        pivot = column[p]
        if abs(pivot - alpha[q]) > 1e-7 * (1.0 + abs(pivot)):
            return False
        # bound flips of the long step, then the change of reduced costs
        if len(flips):
            move = np.zeros(n + self.m)
            move[flips] = self.side[flips] * self.width[flips]
            self.x += move
            self.status[flips] = AT_UPPER - self.status[flips]
            self.side[flips] *= -1.0
            self.value -= self.inverse @ (self.matrix @ move[:n] - move[n:])
        step = self.reduced[q] / alpha[q]
        # ten steps of length 0, as of votes -1 and 1: costs are perturbed until the optimum
        self.stalled = self.stalled + 1 if abs(step) <= 1e-12 else 0
        if self.stalled == 10 and not self._perturbed:
            size = 1e-6 * np.abs(self.program.cost).max()
            away = np.where(self.status[:n] == AT_UPPER, -size, size)
            self.cost[:n] += away * (1.0 + np.random.default_rng(0).random(n))
            self._perturbed = True
            self._restart()
            return True
        alpha *= step
        self.reduced -= alpha
        leaving = int(self.basis[p])
        self.basis[p] = q
        self.reduced[q], self.reduced[leaving] = 0.0, -step
        # the leaving variable goes to the bound that it violated, the others follow
        bound = self.low[leaving] if below else self.high[leaving]
        length = (self.value[p] - bound) / pivot
        self.value -= length * column
        self.value[p] = self.x[q] + length
        self.x[leaving], self.x[q] = bound, 0.0
        self.status[leaving], self.status[q] = AT_LOWER if below else AT_UPPER, BASIC
        self.side[leaving], self.side[q] = 1.0 if below else -1.0, 0.0
        self.basic_low[p], self.basic_high[p] = self.low[q], self.high[q]
        # weights of the steepest edges (Forrest and Goldfarb 1992); that of the leaving row is
        # computed anew, as errors of the recursion would double with every pivot
        ratio, weight = column / pivot, float(row @ row)
        self.weights -= ratio * (2.0 * (self.inverse @ row) - weight * ratio)
        self.weights[p] = weight / pivot**2
        np.maximum(self.weights, 1e-4, out=self.weights)  # no edge is steeper
        # the inverse is updated by its product form, a matrix of rank one
        row /= pivot
        dger(-1.0, row, column, a=self.inverse.T, overwrite_a=1)
        self.inverse[p] = row
        self.pivots += 1
        self.since += 1
        if self.since >= self.refactor:
            self._restart()
        return True

    def _entering(
        self, alpha: FloatArray, slope: float, sign: float
    ) -> tuple[int, IntArray] | None:
        """The entering variable, and those that go to their other bound on the way.

        The ratios of reduced costs to entries are taken in order, while the dual objective
        increases.
        """
        # entries that push a reduced cost towards 0
        entries = self.side * alpha
        entries *= sign
        # smaller entries are no safe pivots
        eligible = (entries > 1e-7).nonzero()[0]
        if not len(eligible):
            return None
        size, cost = entries[eligible], np.abs(self.reduced[eligible])
        ratio = cost / size
        order = ratio.argsort()
        # long step: the slope of the dual falls at every breakpoint, until it is negative
        falls = (size * self.width[eligible])[order].cumsum()
        last = min(int(falls.searchsorted(slope)), len(order) - 1)
        later = order[last:]
        # Harris: of the ratios within the tolerance the largest pivot
        limit = ((cost[later] + MASTER_TOLERANCE) / size[later]).min()
        allowed = later[ratio[later] <= limit]
        return int(eligible[allowed[size[allowed].argmax()]]), eligible[order[:last]]
