"""A restricted master. Artificial columns ensure that it always has a feasible point."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy import sparse

from radprog.base.errors import SolverError
from radprog.base.tolerances import CLAIM_TOLERANCE
from radprog.base.types import FloatArray
from radprog.decompositions.drivers.exchange import MasterPoint
from radprog.decompositions.drivers.masters import (
    InfeasibleError,
    LiveProgram,
    NewColumns,
    RebuiltProgram,
    UnboundedError,
    grown,
)
from radprog.decompositions.loop import Budget
from radprog.solvers.program import Program
from radprog.solvers.violations import relative_violation

WEIGHTS = (1e4, 1e12, 1e21)  # of the multipliers of phase one, times the largest cost
ENDLESS = 1e20  # an objective that no feasible point has, used as infinity


class Restricted:
    """The restricted master, with artificial columns if it has no feasible point of its own.

    The artificial columns are stored after the master's own columns, and only this class uses them.
    At first they have a penalty. If artificial columns remain in the solution, phase one minimises
    only their sum. Its multipliers f do not depend on costs, but pricers need multipliers that do.
    The pricers are therefore called at y + w f, where y are the last multipliers with the penalty.
    The weight w increases until costs are negligible. If still no column improves the objective, y
    + w f proves a bound beyond every possible objective value. When all rows hold without
    artificial columns, phase two keeps the artificial columns at their values.
    """

    def __init__(self, live: LiveProgram | RebuiltProgram) -> None:
        self.live = live
        self.artificial = slice(0, 0)
        self.artificial_sum = 0.0
        self._phase = 0  # 0 while there is no artificial column, or at a penalty
        self._weight = -1  # place in WEIGHTS, in phase one
        self._base = np.zeros(live.program.row_lower.size)
        self._own: Program | None = None  # kept where the live program has artificial columns

    @property
    def program(self) -> Program:
        """The restricted master without artificial columns."""
        return self._own or self.live.program

    def add(self, cuts: NewColumns) -> None:
        """Append columns to the master."""
        if self._own is not None:
            self._own = grown(self._own, cuts)
        self.live.add(replace(cuts, cost=0.0 * cuts.cost) if self._phase == 1 else cuts)

    def restart(self, lower: FloatArray, upper: FloatArray) -> None:
        """Set lower and upper bounds (n,) on the master's columns, and reset the penalty on the
        artificial columns.
        """
        if self._own is None:
            self.add_artificial()
        assert self._own is not None
        self._phase, self._weight, self.artificial_sum = 0, -1, 0.0
        self._own.lower[:], self._own.upper[:] = lower, upper
        self._price(self._own.cost, self._penalty())
        # artificial columns are at the positions where they were added
        first, size = self.artificial.start, self.artificial.stop - self.artificial.start
        low = np.insert(lower, first, np.zeros(size))
        self.live.bound(slice(None), low, np.insert(upper, first, np.full(size, np.inf)))

    def solve(self, budget: Budget) -> MasterPoint:
        """Solve the master, and return the point without the artificial columns.

        ``artificial_sum`` is their sum, or 0 if every row holds without them.
        """
        try:
            point = self._solved(budget)
        except InfeasibleError as error:
            if self._own is not None:  # artificial columns meet every row
                raise SolverError(f"{error}, and it has one") from error
            self.add_artificial()
            point = self._solved(budget)
        # artificial columns are not part of the returned point
        x = np.delete(point.x, self.artificial)
        used = point.x[self.artificial]
        holds = self._own is None or relative_violation(self._own, x) <= CLAIM_TOLERANCE
        self.artificial_sum = 0.0 if holds else float(used.sum())
        if self._phase == 1 and holds:
            # phase two: true costs again, and no more of the artificial columns than is rounding
            self._phase = 2
            self._price(self.program.cost, self._penalty())
            self.live.bound(self.artificial, 0.0 * used, np.maximum(used, 0.0))
            return self.solve(budget)
        if self._phase == 0:
            self._base = point.multipliers
        if self._phase != 1:
            return MasterPoint(x, point.multipliers, point.value)
        # Farkas pricing: the multipliers of phase one outweigh all costs
        size = max(1.0, float(np.abs(self.program.cost).max(initial=0.0)))
        weight = WEIGHTS[self._weight] * size / min(1.0, self.artificial_sum)
        return MasterPoint(x, self._base + weight * point.multipliers, point.value)

    def raise_weight(self) -> bool:
        """Begin phase one, or increase the weight of its multipliers. Returns False if the weight
        is already at its maximum.
        """
        if self._phase == 0:
            self._phase = 1
            self._price(0.0 * self.program.cost, 1.0)
        if self._weight + 1 == len(WEIGHTS):
            return False
        self._weight += 1
        return True

    @property
    def in_phase_one(self) -> bool:
        return self._phase == 1

    def _solved(self, budget: Budget) -> MasterPoint:
        """The solution of the master.

        Phase one follows if penalised artificial columns make the master unbounded.
        """
        try:
            return self.live.solve(budget)
        except UnboundedError:
            if self._own is None or self._phase:
                raise
            self.raise_weight()
            return self.live.solve(budget)

    def _penalty(self) -> float:
        # of artificial columns, times the largest cost
        return 10.0 * max(1.0, float(np.abs(self.program.cost).max(initial=0.0)))

    def _price(self, cost: FloatArray, artificial: float) -> None:
        """Set the costs (n,) of the columns and one cost for all artificial columns."""
        first, last = self.artificial.start, self.artificial.stop
        self.live.reprice(slice(0, first), cost[:first])
        self.live.reprice(self.artificial, np.full(last - first, artificial))
        self.live.reprice(slice(last, None), cost[first:])

    def add_artificial(self) -> None:
        """Add a penalised column for every finite side of a row."""
        program = self._own = self.live.program
        # one upwards for a lower side, one downwards for an upper side
        up = np.flatnonzero(np.isfinite(program.row_lower))
        down = np.flatnonzero(np.isfinite(program.row_upper))
        rows = np.concatenate([up, down])
        signs = np.concatenate([np.ones(len(up)), -np.ones(len(down))])
        size, start = len(rows), program.cost.size
        self.artificial = slice(start, start + size)
        matrix = sparse.csc_array(
            (signs, (rows, np.arange(size))), shape=(len(program.row_lower), size)
        )
        cost, zero = np.full(size, self._penalty()), np.zeros(size)
        names = tuple(f"artificial({i})" for i in range(size))
        self.live.add(NewColumns(matrix, cost, zero, np.full(size, np.inf), names))
