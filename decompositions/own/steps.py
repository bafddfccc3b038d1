"""The convex steps of DCA with their tangents put in, for programs so small that what surrounds a
solver costs more than the solver: assembled densely, solved by Clarabel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import linalg, optimize, sparse

from radprog.decompositions.own.concave import ConcaveSplit
from radprog.instances.errors import SolverMissingError
from radprog.instances.tolerances import ACTIVE_ROW, CONE_RANK, FREE_SLACK
from radprog.instances.types import FloatArray
from radprog.solvers.program import ProblemClass, Program, SolveSettings
from radprog.solvers.registry import solver

SMALL = 200_000  # rows times columns of a dense matrix


@dataclass(frozen=True)
class StepPoint:
    """The minimum of a step: x (n,), its value, and the tangents (k,) there."""

    x: FloatArray
    value: float
    tangents: FloatArray


def small_steps(split: ConcaveSplit) -> SmallSteps | None:
    """The steps of a small quadratic program where Clarabel is installed; None of any other."""
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
    """min over (x, s) of the step in which every t_k is offset_k + slope_k'x."""

    def __init__(self, split: ConcaveSplit, adapter: Any) -> None:
        self.split, self.adapter = split, adapter
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
        self.squares = [
            (row, *_factor(program, row, self.columns)) for row in program.quadratic_rows
        ]

    def solve(self, x: FloatArray, price: float, settings: SolveSettings) -> StepPoint | None:
        """The step tangent at x (n,); None where Clarabel does not call it solved."""
        slopes, offsets = self.split.tangents(x)
        program, n = self.split.program, len(x)
        A = self.base.copy()
        A[:, :n] += self.weights @ slopes
        shift = self.weights @ offsets
        low, high = self.low - shift, self.high - shift
        prices = program.cost[self.split.parts]
        cost = program.cost[self.columns].copy()
        cost[:n] += prices @ slopes
        cost[n:] = price
        blocks = [A[self.equal], A[self.above], -A[self.below], self.bounds]
        sides = [high[self.equal], high[self.above], -low[self.below], self.ends]
        counts = [len(self.equal), len(self.above) + len(self.below) + len(self.ends)]
        for row, sign, factor in self.squares:
            block, side = _cone(sign * A[row], float(high[row] if sign > 0 else -low[row]), factor)
            blocks.append(block)
            sides.append(side)
            counts.append(len(side))
        y = self.adapter.minimum(
            self.P, cost, sparse.csc_matrix(np.vstack(blocks)), np.concatenate(sides), counts,
            settings,
        )  # fmt: skip
        if y is None:
            return None
        y = np.clip(y, self.lower, self.upper)
        value = float(cost @ y + 0.5 * y @ self.Q @ y + prices @ offsets) + program.constant
        return StepPoint(y[:n], value, offsets + slopes @ y[:n])


def _factor(program: Program, row: int, columns: Any) -> tuple[float, FloatArray]:
    """Sign of a quadratic row written as ``<=``, and F with F'F its matrix."""
    sign = 1.0 if np.isfinite(program.row_upper[row]) else -1.0
    matrix = sign * program.quadratic_rows[row].toarray()[np.ix_(columns, columns)]
    values, vectors = linalg.eigh(matrix)
    kept = values > CONE_RANK * max(float(values[-1]), 0.0)
    return sign, np.sqrt(values[kept])[:, None] * vectors[:, kept].T


def _cone(a: FloatArray, side: float, factor: FloatArray) -> tuple[FloatArray, FloatArray]:
    """(A, b) of a'x + |Fx|^2 / 2 <= side as b - Ax in a second-order cone."""
    c = max(1.0, abs(2.0 * side))
    block = np.vstack([2.0 * a, -2.0 * np.sqrt(c) * factor, 2.0 * a])
    return block, np.concatenate([[2.0 * side + c], np.zeros(len(factor)), [2.0 * side - c]])


def active_multipliers(program: Program, z: FloatArray) -> FloatArray | None:
    """Multipliers (m,) of the rows at z that leave the least gradient of the Lagrangian: least
    squares over rows and bounds that are active; None where that is too large or fails."""
    rows = program.rows.toarray() if program.rows.shape[0] * z.size <= SMALL else None
    if rows is None:
        return None
    for row, matrix in program.quadratic_rows.items():
        rows[row] += matrix @ z
    activity = program.activity(z)
    size = np.maximum(1.0, np.abs(activity))
    at_low = activity - program.row_lower <= ACTIVE_ROW * size
    at_high = program.row_upper - activity <= ACTIVE_ROW * size
    reach = np.maximum(1.0, np.abs(z))
    left = z - program.lower <= ACTIVE_ROW * reach
    right = program.upper - z <= ACTIVE_ROW * reach
    unit = np.eye(z.size)
    gradient = program.reduced_costs(z, np.zeros(len(rows)))
    sides = np.vstack([rows[at_low], -rows[at_high], unit[left], -unit[right]])
    try:
        found, _ = optimize.nnls(sides.T, gradient)
    except RuntimeError:
        return None
    y = np.zeros(len(rows))
    count = int(at_low.sum())
    y[at_low] += found[:count]
    y[at_high] -= found[count : count + int(at_high.sum())]
    return y
