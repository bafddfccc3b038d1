"""Sifting: the repeated solution of reduced programs, for masters with many dense rows and columns.

At an optimum, most variables are at a bound and most rows are slack. The reduced program omits the
rows that were clearly slack at the last optimum, and the variables that were clearly at 0. The
variables that were clearly at their upper bounds are replaced by one column, their sum. A reduced
program is therefore feasible if 0 satisfies all rows. Otherwise, an infeasible reduced program gets
all variables. Rows and variables that are violated at the optimum of the reduced program are added.
When there are none, the point is optimal for the whole program.

On the data set german (``benchmarks/vkr.py``), sifting takes 0.39 to 0.44 s of processor time.
HiGHS takes 0.59 to 0.76 s on the whole program. Sifting with HiGHS in place of the dense simplex
method takes 1.31 s.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import highspy
import numpy as np

from radprog.base.limits import under
from radprog.base.tolerances import MASTER_TOLERANCE
from radprog.base.types import BoolArray, FloatArray, IntArray
from radprog.decompositions.drivers.exchange import Cuts, MasterPoint
from radprog.decompositions.drivers.masters import (
    SMALL_POINT,
    HighsMaster,
    InfeasibleError,
    RebuiltProgram,
    master_for,
    row_factors,
)
from radprog.decompositions.loop import Budget
from radprog.decompositions.run import RunSettings
from radprog.solvers.dense.boxed_simplex import (
    AT_LOWER,
    AT_UPPER,
    BASIC,
    BoxedProgram,
    Statuses,
    solve_boxed,
)
from radprog.solvers.program import SOLVER_DEFAULTS, SolveSettings

WHOLE_ENTRIES = 100_000  # of a program that HiGHS solves at once
VARIABLES_KEPT = 3, 1000  # variables for each basic one, and at least

NO_WEIGHTS = {"simplex_dual_edge_weight_strategy": "1"}  # devex: none are computed at the start
BASIS_WORDS = {
    AT_LOWER: highspy.HighsBasisStatus.kLower,
    BASIC: highspy.HighsBasisStatus.kBasic,
    AT_UPPER: highspy.HighsBasisStatus.kUpper,
}


@dataclass(frozen=True)
class _Part:
    """Rows (r,) and variables (n,) of a reduced program, and variables (n,) that enter as a sum."""

    rows: BoolArray
    own: BoolArray
    summed: BoolArray


class SiftedMaster(HighsMaster):
    """The master min cost'x, 0 <= x <= upper, with cost < 0 and finite upper (n,), to which cuts
    with finite sides are added.

    With up to ``whole`` entries, it acts as a HighsMaster. With more entries, the dense simplex
    method solves the reduced programs. If its last point is less accurate than the tolerance, HiGHS
    continues from its basis. If rounding errors stop the dense method, HiGHS solves all further
    programs.
    """

    def __init__(
        self, cost: FloatArray, upper: FloatArray, settings: SolveSettings = SOLVER_DEFAULTS
    ) -> None:
        super().__init__(cost, upper, settings)
        self._settings = replace(settings, solver_options={**settings.solver_options, **NO_WEIGHTS})
        n = len(cost)
        self.whole, self._sifting, self._stuck = WHOLE_ENTRIES, False, False
        self._matrix, self._low, self._high = np.empty((0, n)), np.zeros(0), np.zeros(0)
        self._exact = True  # whether the last point is, in units that suit it
        self._column_status: Statuses = np.full(n, AT_UPPER, dtype=np.int8)
        self._row_status: Statuses = np.zeros(0, dtype=np.int8)
        self._reduced, self._activity = cost.copy(), np.zeros(0)
        self._factor, self._unit = np.ones(0), 1.0  # of rows, and of the variables

    def add(self, cuts: Cuts) -> None:
        """Append cuts. Raises SolverError if HiGHS rejects their coefficients or bounds."""
        old, size = len(self._low), len(cuts)
        # above this size parts are solved
        if not self._sifting and (old + size) * len(self.cost) > self.whole:
            self._adopt()
        # rows are in one array, which doubles when it is full
        if old + size > len(self._matrix):
            grown = np.empty((max(2 * old, old + size), len(self.cost)))
            grown[:old] = self._matrix[:old]
            self._matrix = grown
        self._matrix[old : old + size] = cuts.matrix
        kept = replace(cuts, matrix=self._matrix[old : old + size])
        if self._sifting:
            self._cuts.append(kept)
        else:
            super().add(kept)
        # a new row is basic, and binds first
        self._low = np.concatenate([self._low, cuts.lower])
        self._high = np.concatenate([self._high, cuts.upper])
        self._row_status = np.concatenate([self._row_status, np.full(size, BASIC, dtype=np.int8)])
        self._activity = np.concatenate([self._activity, np.full(size, np.inf)])
        # rows of large entries are measured in units of these
        self._factor = np.concatenate([self._factor, row_factors(kept.matrix)])

    def _adopt(self) -> None:
        """Start sifting from HiGHS's current basis."""
        if self._cuts:
            self.hot_start(*super().basis())
        self._sifting = True

    def basis(self) -> tuple[list[Any], list[Any]]:
        """Basis statuses of the columns and of the cuts."""
        if not self._sifting:
            return super().basis()
        return basis_words(self._column_status), basis_words(self._row_status)

    def hot_start(self, columns: list[Any], cuts: list[Any]) -> None:
        """Start the next solve from these basis statuses, one per column and per cut."""
        if not self._sifting:
            super().hot_start(columns, cuts)
        self._column_status = np.array([int(word) for word in columns], dtype=np.int8)
        self._row_status = np.array([int(word) for word in cuts], dtype=np.int8)
        self._reduced = np.sign(BASIC - self._column_status.astype(np.float64))
        self._activity = np.zeros(len(cuts))

    def solve(self, budget: Budget) -> MasterPoint:
        """Solve from the last basis. Raises OutOfBudget, or SolverError for any status other than
        optimal.
        """
        if not self._sifting:
            return super().solve(budget)
        with under(budget):
            return self._sifted(budget)

    def _first(self) -> _Part:
        """The first part: the rows and variables that are binding or basic at the last optimum, or
        nearly so.
        """
        # basic variables, and as many again of the least reduced costs
        basic = self._column_status == BASIC
        count = min(len(self.cost), max(VARIABLES_KEPT[0] * int(basic.sum()), VARIABLES_KEPT[1]))
        own = basic.copy()
        if not basic.any():  # before the first solve
            count = len(own)
        own[np.argpartition(np.abs(self._reduced), count - 1)[:count]] = True
        # rows that bind, and slack ones that are at most a tenth away
        side = np.where(self._activity > 0.0, self._high, self._low)
        # activity, as a share of its side, at which a slack row is kept
        rows = (self._row_status != BASIC) | (np.abs(self._activity) >= 0.9 * np.abs(side))
        return _Part(rows, own, ~own & (self._reduced < 0.0))

    def _sifted(self, budget: Budget) -> MasterPoint:
        part, matrix, last = self._first(), self._matrix[: len(self._low)], False
        slack = MASTER_TOLERANCE * self._factor
        while True:
            # the reduced program; then price all columns and rows at its solution
            try:
                x, multipliers, summed = self._part(part, budget, last)
            except InfeasibleError:
                # rows that 0 violates may need the variables that are left out
                if part.own.all():
                    raise
                part = _Part(part.rows, np.ones_like(part.own), np.zeros_like(part.own))
                continue
            self._reduced = self.cost - multipliers @ matrix
            self._activity = matrix @ x
            out = ~part.own & ~part.summed
            self._column_status[out], self._column_status[part.summed] = AT_LOWER, AT_UPPER
            # columns with an improving reduced cost; those in the sum, if the sum is basic
            wrong = out & (self._reduced < -MASTER_TOLERANCE)
            wrong |= part.summed & (self._reduced > MASTER_TOLERANCE)
            if summed != AT_UPPER and not (wrong & part.summed).any():
                wrong |= part.summed
            # rows that the point violates
            missed = (self._activity > self._high + slack) | (self._activity < self._low - slack)
            missed &= ~part.rows
            if not (wrong.any() or missed.any()):
                # optimal for the whole program; an inexact point is computed once more by HiGHS
                if self._exact:
                    return MasterPoint(x, multipliers, float(self.cost @ x))
                last = True
                continue
            members = np.flatnonzero(wrong & part.summed)
            if summed == BASIC:  # one of them takes the place of the sum
                self._column_status[members[np.abs(self._reduced[members]).argmin()]] = BASIC
            part, last = _Part(part.rows | missed, part.own | wrong, part.summed & ~wrong), False

    def _part(self, part: _Part, budget: Budget, last: bool) -> tuple[FloatArray, FloatArray, int]:
        """Solve a reduced program. Return x (n,), the multipliers of all rows, and the basis status
        of the sum.

        HiGHS solves the program if it is the ``last`` one, or if the dense method fails.
        """
        rows, own, summed = np.flatnonzero(part.rows), np.flatnonzero(part.own), part.summed
        # the columns at their upper bound enter as one: their sum
        matrix = self._matrix[np.ix_(rows, own)]
        total = self._matrix[rows] @ np.where(summed, self.upper, 0.0)
        cost = np.append(self.cost[own], self.cost[summed] @ self.upper[summed])
        upper = np.append(self.upper[own], 1.0)
        matrix = np.concatenate([matrix, total[:, None]], axis=1)
        columns = np.append(self._column_status[own], np.int8(AT_UPPER))
        if not summed.any():
            matrix, cost, upper, columns = matrix[:, :-1], cost[:-1], upper[:-1], columns[:-1]
        cuts = Cuts(matrix, self._low[rows], self._high[rows])
        # dense simplex method, or HiGHS where that is stuck or not exact enough
        solved = None if last or self._stuck else self._dense(cuts, cost, upper, columns, rows)
        if solved is None:
            solved = self._by_highs(cuts, cost, upper, columns, rows, budget)
            self._stuck |= not last
            self._exact = True
        values, prices, columns, self._row_status[rows] = solved
        self._column_status[own] = columns[: len(own)]
        # the point of the whole program
        x = np.zeros(len(self.cost))
        x[own] = values[: len(own)]
        if summed.any():
            x[summed] = values[-1] * self.upper[summed]
        multipliers = np.zeros(len(self._low))
        multipliers[rows] = prices
        largest = float(x.max(initial=0.0))
        self._unit = largest if 0.0 < largest < SMALL_POINT else 1.0
        return x, multipliers, int(columns[-1]) if summed.any() else AT_UPPER

    def _dense(
        self, cuts: Cuts, cost: FloatArray, upper: FloatArray, columns: Statuses, rows: IntArray
    ) -> _Solved | None:
        # the part in units in which rows and variables are about 1
        factor, unit = self._factor[rows], self._unit
        point = solve_boxed(
            BoxedProgram(
                cost=cost,
                upper=upper / unit,
                matrix=cuts.matrix * (unit / factor[:, None]),
                row_lower=cuts.lower / factor,
                row_upper=cuts.upper / factor,
            ),
            columns,
            self._row_status[rows],
        )
        if point is None:
            return None
        self._exact = point.exact and float(point.x.max(initial=0.0)) >= SMALL_POINT
        return point.x * unit, point.multipliers * unit / factor, point.columns, point.rows

    def _by_highs(
        self, cuts: Cuts, cost: FloatArray, upper: FloatArray, columns: Statuses, rows: IntArray,
        budget: Budget,
    ) -> _Solved:  # fmt: skip
        master = HighsMaster(cost, upper, self._settings)
        master.add(cuts)
        master.hot_start(basis_words(columns), basis_words(self._row_status[rows]))
        point = master.solve(budget)
        column_words, row_words = master.basis()
        return point.x, point.multipliers, _statuses(column_words), _statuses(row_words)


_Solved = tuple[FloatArray, FloatArray, Statuses, Statuses]


def basis_words(statuses: Statuses) -> list[Any]:
    """HiGHS's names for basis statuses."""
    return [BASIS_WORDS[status] for status in statuses.tolist()]


def _statuses(words: list[Any]) -> Statuses:
    """Convert HiGHS's names to basis statuses. All variables are boxed, so each is basic or at a
    bound."""
    return np.array([int(word) for word in words], dtype=np.int8)


def plain_highs(settings: RunSettings) -> bool:
    """Whether HiGHS is the solver and has neither options nor a log."""
    return settings.solver in (None, "highs") and not settings.solver_options and not settings.log


def boxed_master_for(
    settings: RunSettings, cost: FloatArray, upper: FloatArray
) -> HighsMaster | RebuiltProgram:
    """The master for a program over a box, with cost < 0 and cuts with finite sides.

    It is a :class:`SiftedMaster`, unless the box is infinite, another solver is requested, or HiGHS
    has options or a log.
    """
    if not (plain_highs(settings) and np.isfinite(upper).all()):
        return master_for(settings, cost, upper)
    return SiftedMaster(cost, upper, settings.for_solver(Budget()))
