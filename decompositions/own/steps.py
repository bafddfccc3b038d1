"""The convex steps of DCA for small programs, assembled as dense matrices and solved by Clarabel.

For small programs, the code around a solver takes more time than the solver itself. For the
programs in ``benchmarks/dc_programs.py``, the processor times with this module (without it) are: qp
0.006 s (0.026 s), capped 0.013 s (0.081 s), bus 0.007 s (0.168 s).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import linalg, optimize, sparse

from radprog.base.errors import SolverMissingError
from radprog.base.tolerances import FREE_SLACK
from radprog.base.types import BoolArray, FloatArray
from radprog.decompositions.own.concave import POINTS_KEPT, SMALL, ConcaveSplit
from radprog.solvers.answer import complementarity
from radprog.solvers.convexity import row_as_cone, square_factor
from radprog.solvers.program import ProblemClass, SolveSettings
from radprog.solvers.registry import solver


def small_steps(split: ConcaveSplit) -> SmallSteps | None:
    """The steps of a small quadratic program if Clarabel is installed; otherwise None."""
    program = split.program
    if program.rows.shape[0] * program.cost.size > SMALL or program.problem_class not in (
        ProblemClass.QP,
        ProblemClass.QCQP,
    ):
        return None
    try:
        adapter = solver("clarabel").adapter()
    except SolverMissingError:
        return None
    return SmallSteps(split, adapter)


class SmallSteps:
    """The steps that minimise over (x, s). Every t_k is replaced by offset_k + slope_k'x."""

    def __init__(self, split: ConcaveSplit, adapter: Any) -> None:
        self.split, self.adapter = split, adapter
        # the step over (x, s): rows, bounds and the price of slack
        program, own, slack = split.program, split.own, split.slack
        rows = program.rows.toarray()
        self.columns = np.r_[own, slack]
        self.base = rows[:, self.columns]
        self.weights = rows[:, split.parts]
        room = np.where(split.loose, FREE_SLACK, 0.0)
        self.low, self.high = program.row_lower - room, program.row_upper + room
        self.lower, self.upper = program.lower[self.columns], program.upper[self.columns]
        size = len(self.columns)
        Q = np.zeros((size, size))
        if program.quadratic is not None:
            Q = program.quadratic.toarray()[np.ix_(self.columns, self.columns)]
        self.Q, self.P = Q, sparse.csc_matrix(np.triu(Q))
        # linear rows by their kind, bounds as rows
        plain = np.ones(len(self.low), dtype=np.bool_)
        plain[list(program.quadratic_rows)] = False
        equal = plain & (self.low == self.high)
        self.equal = np.flatnonzero(equal)
        self.above = np.flatnonzero(plain & ~equal & np.isfinite(self.high))
        self.below = np.flatnonzero(plain & ~equal & np.isfinite(self.low))
        top, bottom = np.isfinite(self.upper), np.isfinite(self.lower)
        unit = np.eye(size)
        self.bounds = np.vstack([unit[top], -unit[bottom]])
        self.ends = np.concatenate([self.upper[top], -self.lower[bottom]])
        self.cost, self.prices = program.cost[self.columns], program.cost[split.parts]
        self.constant = program.constant
        self.matrices = [
            (row, matrix.toarray()[np.ix_(self.columns, self.columns)])
            for row, matrix in program.quadratic_rows.items()
        ]
        # a quadratic row by its sign, written as <=, and its factor
        signs = np.where(np.isfinite(program.row_upper), 1.0, -1.0).tolist()
        self.squares = [
            (row, signs[row], square_factor(signs[row] * matrix)) for row, matrix in self.matrices
        ]
        self.turned = bool(self.weights.any())  # whether rows contain tangents
        self._cones: tuple[sparse.csc_matrix, FloatArray, list[int]] | None = None
        self._minima: dict[bytes, FloatArray] = {}  # minima over these cones by their costs

    def _tangent(self, x: FloatArray, price: float) -> tuple[FloatArray, ...]:
        """The step min cost'(x, s) over low <= A (x, s) <= high, and its tangents at x (n,).

        Returns A, low, high, cost, and the slopes and offsets of the tangents.
        """
        slopes, offsets = self.split.tangents(x)
        n = len(x)
        # each t_k is offset_k + slope_k'x: its column moves to those of x
        A = self.base.copy()
        A[:, :n] += self.weights @ slopes
        shift = self.weights @ offsets
        cost = self.cost.copy()
        cost[:n] += self.prices @ slopes
        cost[n:] = price
        return A, self.low - shift, self.high - shift, cost, slopes, offsets

    def residual(self, x: FloatArray, price: float) -> float | None:
        """The residual of the Karush-Kuhn-Tucker conditions at x (n,) without slack.

        The multipliers are computed by least squares. Returns None if this fails.
        """
        A, low, high, cost, _, offsets = self._tangent(x, price)
        z = np.append(x, np.zeros(len(self.columns) - len(x)))
        activity = A @ z
        for row, matrix in self.matrices:
            A[row] += matrix @ z
            activity[row] += 0.5 * float(z @ (matrix @ z))
        # rows and bounds that are active, to a relative distance of 1e-6, may have a multiplier
        near, reach = 1e-6 * np.maximum(1.0, np.abs(activity)), 1e-6 * np.maximum(1.0, np.abs(z))
        multipliers = _multipliers(A, cost + self.Q @ z, (
            activity - low <= near, high - activity <= near,
            z - self.lower <= reach, self.upper - z <= reach,
        ))  # fmt: skip
        if multipliers is None:
            return None
        value = float(cost @ z + 0.5 * z @ self.Q @ z + self.prices @ offsets) + self.constant
        gap = complementarity(multipliers[0], activity, low, high)
        gap += complementarity(multipliers[1], z, self.lower, self.upper)
        return gap / max(1.0, abs(value))

    def solve(
        self, x: FloatArray, price: float, settings: SolveSettings
    ) -> tuple[FloatArray, float, FloatArray] | None:
        """The minimum of the step at x (n,): the point (n,), its value, and its tangents (k,).

        Returns None if Clarabel does not report the step as solved.
        """
        A, low, high, cost, slopes, offsets = self._tangent(x, price)
        # without tangents in rows the cones stay the same, and so does a minimum at equal costs
        if self._cones is None or self.turned:
            # zeros, nonnegative numbers, one second-order cone a quadratic row
            blocks = [A[self.equal], A[self.above], -A[self.below], self.bounds]
            sides = [high[self.equal], high[self.above], -low[self.below], self.ends]
            counts = [len(self.equal), len(self.above) + len(self.below) + len(self.ends)]
            for row, sign, factor in self.squares:
                bound = float(high[row] if sign > 0 else -low[row])
                block, side = row_as_cone(sign * A[row], bound, factor)
                blocks.append(block)
                sides.append(side)
                counts.append(len(side))
            matrix = sparse.csc_matrix(np.vstack(blocks))
            self._cones = matrix, np.concatenate(sides), counts
            self._minima.clear()
        y = self._minima.get(key := cost.tobytes())
        if y is None:
            y = self.adapter.minimum(self.P, cost, *self._cones, settings)
        if y is None:
            return None
        if len(self._minima) >= POINTS_KEPT:
            self._minima.clear()
        self._minima[key] = y
        y = np.clip(y, self.lower, self.upper)
        value = float(cost @ y + 0.5 * y @ self.Q @ y + self.prices @ offsets) + self.constant
        return y[: len(x)], value, offsets + slopes @ y[: len(x)]


def _multipliers(
    rows: FloatArray, gradient: FloatArray, sides: Sequence[BoolArray]
) -> tuple[FloatArray, FloatArray] | None:
    """Multipliers y (m,) of the rows (m, n) and reduced costs (n,) by least squares.

    The multipliers minimise the residual of the gradient (n,) of the objective. ``sides`` marks the
    rows and variables at their lower and upper sides. Returns None if the least-squares problem
    cannot be solved.
    """
    # rows that are active on both sides have multipliers of either sign: by QR
    both = sides[0] & sides[1]
    low, high, left, right = sides[0] & ~both, sides[1] & ~both, sides[2], sides[3]
    unit = np.eye(len(gradient))
    equalities = rows[both].T
    try:
        orthogonal, triangle, order = linalg.qr(equalities, pivoting=True)
        sizes = np.abs(np.diagonal(triangle))
        # reciprocal condition up to which columns depend on each other
        rank = int((sizes > 1e-10 * sizes.max(initial=0.0)).sum())
        free, used = orthogonal[:, rank:], orthogonal[:, :rank]
        # the others are nonnegative least squares in what is orthogonal to these
        inequalities = np.vstack([rows[low], -rows[high], unit[left], -unit[right]])
        multipliers = np.zeros(len(inequalities))
        if free.size and len(inequalities):  # nnls ends the process where there is nothing to do
            multipliers, _ = optimize.nnls(free.T @ inequalities.T, free.T @ gradient)
        remainder = gradient - inequalities.T @ multipliers
        equal = np.zeros(equalities.shape[1])
        equal[order[:rank]] = linalg.solve_triangular(triangle[:rank, :rank], used.T @ remainder)
    except (RuntimeError, linalg.LinAlgError):
        return None
    y, count = np.zeros(len(rows)), int(low.sum())
    y[both] = equal
    y[low] = multipliers[:count]
    y[high] = -multipliers[count : count + int(high.sum())]
    return y, gradient - rows.T @ y
