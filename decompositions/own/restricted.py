"""A restricted master that has a feasible point: artificial columns stand in, at a penalty."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from radprog.decompositions.drivers.exchange import MasterPoint
from radprog.decompositions.drivers.live import (
    InfeasibleError,
    LiveProgram,
    NewColumns,
    RebuiltProgram,
    UnboundedError,
    grown,
)
from radprog.decompositions.loop import Budget
from radprog.instances.tolerances import CLAIM_TOLERANCE
from radprog.solvers.program import Program

PENALTY, PENALTY_GROWTH, PENALTIES = 10.0, 100.0, 5  # of artificial columns, times the largest cost


class Restricted:
    """The restricted master with artificial columns where it has no feasible point without: they
    stand behind the master's own columns, and are never seen outside."""

    def __init__(self, live: LiveProgram | RebuiltProgram) -> None:
        self.live = live
        self.artificial = slice(0, 0)
        self.penalty = self.left = 0.0
        self._raised = 0
        self._own: Program | None = None  # kept where the live program has artificial columns

    @property
    def program(self) -> Program:
        """The restricted master without artificial columns."""
        return self._own or self.live.program

    def add(self, cuts: NewColumns) -> None:
        """Append columns."""
        self.live.add(cuts)
        if self._own is not None:
            self._own = grown(self._own, cuts)

    def solve(self, budget: Budget) -> MasterPoint:
        """A point without the artificial columns, whose sum is ``left``, 0 where it is rounding."""
        try:
            point = self._solved(budget)
        except InfeasibleError:
            if self.penalty:
                raise
            self._add_artificial()
            point = self._solved(budget)
        used = float(point.x[self.artificial].sum())
        x = np.delete(point.x, self.artificial)
        self.left = (
            used if used > CLAIM_TOLERANCE * max(1.0, float(np.abs(x).max(initial=0))) else 0
        )
        return MasterPoint(x, point.multipliers, point.value)

    def _solved(self, budget: Budget) -> MasterPoint:
        """With artificial columns at a price at which they do not pay for columns without end."""
        while True:
            try:
                return self.live.solve(budget)
            except UnboundedError:
                if not (self.penalty and self.dearer()):
                    raise

    def _add_artificial(self) -> None:
        """A column for every finite side of a row."""
        program = self._own = self.live.program
        up = np.flatnonzero(np.isfinite(program.row_lower))
        down = np.flatnonzero(np.isfinite(program.row_upper))
        rows = np.concatenate([up, down])
        signs = np.concatenate([np.ones(len(up)), -np.ones(len(down))])
        size, start = len(rows), program.cost.size
        self.artificial = slice(start, start + size)
        self.penalty = PENALTY * max(1.0, float(np.abs(program.cost).max(initial=0.0)))
        matrix = sparse.csc_array(
            (signs, (rows, np.arange(size))), shape=(len(program.row_lower), size)
        )
        cost, zero = np.full(size, self.penalty), np.zeros(size)
        names = tuple(f"artificial({i})" for i in range(size))
        self.live.add(NewColumns(matrix, cost, zero, np.full(size, np.inf), names))

    def dearer(self) -> bool:
        """Raise the penalty of the artificial columns; False where it is high enough."""
        if self._raised == PENALTIES:
            return False
        self._raised += 1
        self.penalty *= PENALTY_GROWTH
        size = self.artificial.stop - self.artificial.start
        self.live.reprice(self.artificial, np.full(size, self.penalty))
        return True
