"""One column generation for all methods: a live restricted master, and the rounds that price.

    min  c'x + sum_q c_q w_q   s.t.  l <= A x + sum_q a_q w_q <= u,  x and w in their bounds

The columns q are generated. A round solves the master over the columns so far, prices columns at
its multipliers or at stabilised ones, and takes the Lagrangian bound of the answers. How columns
are priced, and what bounds them, is a subclass's:
:class:`radprog.decompositions.own.column_generation.Pricing` asks the user's pricers, and
:class:`radprog.decompositions.programs.dantzig_wolfe.Blocks` the blocks of a compact program.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import highspy
import numpy as np
from scipy import sparse

from radprog.base.errors import SolverError
from radprog.base.limits import OutOfBudget
from radprog.base.tolerances import CERTIFIED_GAP
from radprog.base.types import FloatArray, IntArray
from radprog.decompositions.drivers.exchange import Answer, MasterPoint
from radprog.decompositions.drivers.masters import (
    BASIC,
    Entries,
    InfeasibleError,
    LiveProgram,
    NewColumns,
    RebuiltProgram,
    UnboundedError,
)
from radprog.decompositions.loop import Budget, Reason
from radprog.solvers.adapters.highs import Compressed
from radprog.solvers.certificate import Priced
from radprog.solvers.program import Program

NONBASIC = highspy.HighsBasisStatus.kNonbasic  # at the bound that suits it
ENDLESS = 1e20  # an objective that no feasible point has, used as infinity


class Restricted:
    """The restricted master, with artificial columns if it has no feasible point of its own.

    The artificial columns are stored after the master's own columns, and only this class uses them.
    At first they have a penalty. If artificial columns remain in the solution, phase one minimises
    only their sum. Its multipliers f do not depend on costs, but pricers need multipliers that do.
    The pricers are therefore called at y + w f, where y are the last multipliers with the penalty.
    The weight w increases until costs are negligible. If still no column improves the objective, y
    + w f proves a bound beyond every possible objective value. Stop all rows hold without
    artificial columns, phase two keeps the artificial columns at their values.
    """

    weights = 1e4, 1e12, 1e21  # of the multipliers of phase one, times the largest cost

    def __init__(self, live: LiveProgram | RebuiltProgram, penalty: float = 10.0) -> None:
        """``penalty`` is that of artificial columns, times the largest cost."""
        self.live, self._initial, self._factor = live, live.program, penalty
        # all columns but the artificial ones, which only the solver has
        self.cost, self.lower, self.upper = (
            part.copy() for part in (self._initial.cost, self._initial.lower, self._initial.upper)
        )
        self.entries = Entries(self._initial.rows)
        self.slacks = self._artificial()
        self._program: Program | None = None
        self.artificial = slice(0, 0)
        self.artificial_sum = 0.0
        self.holds = False  # whether the last point meets rows and bounds
        self._phase = 0  # 0 while there is no artificial column, or at a penalty
        self._weight = -1  # place in weights, in phase one
        self._base = self.farkas = np.zeros(self._initial.row_lower.size)

    @property
    def program(self) -> Program:
        """The restricted master without artificial columns."""
        if self._program is None:
            self._program = replace(
                self._initial,
                cost=self.cost,
                rows=self.entries.matrix(),
                lower=self.lower,
                upper=self.upper,
                integer=np.zeros(len(self.cost), dtype=np.bool_),
                column_names=(),
            )
        return self._program

    @property
    def sides(self) -> tuple[FloatArray, FloatArray, float]:
        """The sides (m,), (m,) of the rows, and the constant of the objective."""
        return self._initial.row_lower, self._initial.row_upper, self._initial.constant

    def objective(self, x: FloatArray) -> float:
        """The objective at x (n,)."""
        return float(self.cost @ x) + self._initial.constant

    def add(self, cuts: NewColumns) -> None:
        """Append columns to the master."""
        self.entries.append(cuts.matrix)
        self.cost = np.concatenate([self.cost, cuts.cost])
        self.lower = np.concatenate([self.lower, cuts.lower])
        self.upper = np.concatenate([self.upper, cuts.upper])
        self._program = None
        self.live.add(replace(cuts, cost=0.0 * cuts.cost) if self._phase == 1 else cuts)

    def of_node(
        self, entries: Entries, cost: FloatArray, lower: FloatArray, upper: FloatArray
    ) -> Restricted:
        """A master of these columns and artificial ones; this one has no columns, only the rows."""
        node, slacks = copy.copy(self), self.slacks
        node.entries, node.cost, node.lower, node.upper = entries, cost, lower, upper
        node.artificial = slice(len(cost), len(cost) + len(slacks))
        costs = np.concatenate([cost, np.full(len(slacks), node._penalty())])
        bounds = (
            np.concatenate([lower, slacks.lower]),
            np.concatenate([upper, slacks.upper]),
        )
        matrix = Compressed.joined([entries.compressed(), slacks.matrix])
        self.live.replace(self._initial, NewColumns(matrix, costs, *bounds))
        return node

    @property
    def _has_artificial(self) -> bool:
        return self.artificial.stop > 0

    def solve(self, budget: Budget) -> MasterPoint:
        """Solve the master, and return the point without the artificial columns.

        ``artificial_sum`` is their sum, or 0 if every row holds without them.
        """
        while True:
            try:
                point = self.live.solve(budget)
            except InfeasibleError as error:
                if self._has_artificial:  # they meet every row
                    raise SolverError(f"{error}, and it has one") from error
                self.add_artificial()
                continue
            except UnboundedError:
                # phase one follows if artificial columns at a penalty make the master unbounded
                if not self._has_artificial or self._phase:
                    raise
                self.raise_weight()
                continue
            # artificial columns are not part of the returned point
            start, stop = self.artificial.start, self.artificial.stop
            values = point.x[start:stop]
            x = np.concatenate([point.x[:start], point.x[stop:]]) if len(values) else point.x
            self.holds = self.entries.meet(x, *self.sides[:2], self.lower, self.upper)
            self.artificial_sum = 0.0 if self.holds else float(values.sum())
            if self._phase != 1 or not self.holds:
                break
            # phase two: true costs again, and no more of the artificial columns than is rounding
            self._phase = 2
            self._price(self.cost, self._penalty())
            self.live.bound(self.artificial, 0.0 * values, np.maximum(values, 0.0))
        if self._phase == 0:
            self._base = point.multipliers
        if self._phase != 1:
            return MasterPoint(x, point.multipliers, point.value)
        self.farkas = point.multipliers
        # Farkas pricing: the multipliers of phase one outweigh all costs
        size = max(1.0, float(np.abs(self.cost).max(initial=0.0)))
        weight = self.weights[self._weight] * size / min(1.0, self.artificial_sum)
        return MasterPoint(x, self._base + weight * point.multipliers, point.value)

    def raise_weight(self) -> bool:
        """Begin phase one, or increase the weight of its multipliers. Returns False if the weight
        is already at its maximum.
        """
        if self._phase == 0:
            self._phase = 1
            self._price(0.0 * self.cost, 1.0)
        if self._weight + 1 == len(self.weights):
            return False
        self._weight += 1
        return True

    @property
    def in_phase_one(self) -> bool:
        return self._phase == 1

    def _penalty(self) -> float:
        return self._factor * max(1.0, float(np.abs(self.cost).max(initial=0.0)))

    def _price(self, cost: FloatArray, artificial: float) -> None:
        """Set the costs (n,) of the columns and one cost for all artificial columns."""
        start, stop = self.artificial.start, self.artificial.stop
        self.live.reprice(slice(0, start), cost[:start])
        self.live.reprice(self.artificial, np.full(stop - start, artificial))
        self.live.reprice(slice(stop, None), cost[start:])

    def add_artificial(self) -> None:
        """Add a penalised column for every finite side of a row."""
        start, size = len(self.cost), len(self.slacks)
        self.artificial = slice(start, start + size)
        self.live.add(replace(self.slacks, cost=np.full(size, self._penalty())))

    def _artificial(self) -> NewColumns:
        """Artificial columns: one upwards for a lower side, one downwards for an upper side."""
        program = self._initial
        lower_rows = np.flatnonzero(np.isfinite(program.row_lower))
        upper_rows = np.flatnonzero(np.isfinite(program.row_upper))
        rows = np.concatenate([lower_rows, upper_rows])
        signs = np.concatenate([np.ones(len(lower_rows)), -np.ones(len(upper_rows))])
        size = len(rows)
        matrix = sparse.csc_array(
            (signs, (rows, np.arange(size))), shape=(len(program.row_lower), size)
        )
        return NewColumns(matrix, np.zeros(size), np.zeros(size), np.full(size, np.inf))


class Engine:
    """Column generation in a restricted master, with the best point and bound of a minimisation.

    The columns of all nodes of a tree are those of the program, then the generated ones.
    :meth:`begin` passes those that a node allows to the live master.
    """

    share: float | None = None  # of the best bound's multipliers, where columns are priced
    searches = False  # whether a gap ends searches of pricers early
    gap: float  # of these searches, whose bounds hold (1.3 to 2.1 times fewer seconds)
    floor = -math.inf  # a bound of the node, which those up to it need not prove again
    penalty = 10.0  # of artificial columns at nodes, times the largest cost

    def __init__(self, live: LiveProgram | RebuiltProgram) -> None:
        self.restricted = Restricted(live)
        self.initial = self.restricted.program
        self.blank: Restricted | None = None  # a master without columns
        self.n_initial = self.initial.cost.size  # columns of the program itself
        self.entries, self.costs = self.restricted.entries, self.initial.cost
        self._places: IntArray = np.arange(self.n_initial)
        #: Called at a better point of the master, before columns are priced at its multipliers.
        self.improved: Callable[[], None] = lambda: None
        self.restart(self.restricted)

    def restart(self, restricted: Restricted) -> None:
        """Restart with another master. The best point and the best bound are discarded."""
        self.restricted = restricted
        self._priced: Priced | None = None
        self.entering: list[Any] = []  # not in the master yet
        self.rounds, self.finished, self.gap, self.floor = 0, False, 0.05, -math.inf
        self.lack = self.unproved = ""  # of a bound, and of a proof that there is no point
        self.objective: float | None = None
        self.bound: float | None = None
        self.x: FloatArray | None = None
        self.y = self.best_y = np.zeros(self.initial.row_lower.size)

    # what a subclass prices

    def price_and_bound(self, y: FloatArray, budget: Budget) -> bool:
        """Price columns at the multipliers y (m,), and update the bound. New ones are entering.

        Returns whether a column improves the objective.
        """
        raise NotImplementedError

    def usable(self, y: FloatArray) -> FloatArray:
        """Multipliers near y (m,) that make a bound with the columns of the program."""
        return y

    def admit(self) -> NewColumns:
        """The entering columns, as those of the master."""
        raise NotImplementedError

    # nodes

    @property
    def size(self) -> int:
        """The number of columns of the master."""
        return len(self.restricted.cost)

    @property
    def total(self) -> int:
        """The number of columns of all nodes."""
        return len(self.costs)

    @property
    def program(self) -> Program:
        """The restricted master as matrices."""
        return self.restricted.program

    @property
    def places(self) -> IntArray:
        """The places of the master's columns among those of all nodes."""
        return self._places[: self.size]

    def point(self) -> FloatArray | None:
        """The best point, with all columns of all nodes."""
        return None if self.x is None else self.all_columns(self.x)

    def all_columns(self, point: FloatArray) -> FloatArray:
        """A point of the master, with all columns of all nodes."""
        x = np.zeros(self.total)
        x[self._places[: len(point)]] = point
        return x

    def admitted(self) -> NewColumns:
        """The entering columns, which become columns of all nodes."""
        columns = self.admit()
        if self.entries is not self.restricted.entries:
            self.entries.append(columns.matrix)
        new = np.arange(self.total, self.total + len(columns))
        self._places = np.concatenate([self._places, new])
        self.costs = np.concatenate([self.costs, columns.cost])
        self.entering = []
        return columns

    def enter(self) -> None:
        """Add the entering columns to the restricted master."""
        if self.entering:
            self.restricted.add(self.admitted())

    def begin(
        self, lower: FloatArray, upper: FloatArray, basis: tuple[Any, ...] | None = None
    ) -> None:
        """Begin a node with bounds (n,), (n,) on the columns of all nodes.

        Its master has only the columns that the node allows and those of the basis with which it
        begins, the last one by default: a node of ``D20x100-0`` takes 34 ms, 55 from nothing. The
        basis of the parent has half of the iterations of the last one (``myciel4``: 20 and 38).
        """
        in_node, live = upper > 0.0, self.restricted.live
        in_node[: self.n_initial] = True
        if basis is None or basis[-1] is not live:  # that of a master with other rows
            basis = self.basis()
        if basis is not None:  # a node also has the columns of the basis
            in_node[basis[0]] = True
        self._places = np.flatnonzero(in_node)
        if self.blank is None:
            none, rows = np.zeros(0), self.initial.rows[:, :0]
            blank = replace(self.initial, cost=none, rows=rows, lower=none, upper=none)
            live.replace(replace(blank, integer=none > 0.0, column_names=()))
            self.blank = Restricted(live, self.penalty)
        box = lower[in_node], upper[in_node]
        restricted = self.blank.of_node(self.entries.take(in_node), self.costs[in_node], *box)
        if basis is not None and isinstance(live, LiveProgram):
            basic, artificial, last, _ = basis
            statuses = [NONBASIC] * len(self._places)
            for k in np.searchsorted(self._places, basic).tolist():
                statuses[k] = BASIC
            last.col_status = [*statuses, *artificial]
            live.highs.setBasis(last)
        self.restart(restricted)

    def basis(self) -> tuple[Any, ...] | None:
        """The last basis: the places of its columns, the statuses of artificial ones, and that of
        HiGHS. Reading the statuses of its columns takes ten times as long.
        """
        live, artificial = self.restricted.live, self.restricted.artificial
        if not isinstance(live, LiveProgram) or not artificial.stop or live.highs.failed:
            return None
        basis, (status, members) = live.highs.getBasis(), live.highs.getBasicVariables()
        flags = np.zeros(self.size + artificial.stop - artificial.start, dtype=np.bool_)
        valid = basis.valid and status == highspy.HighsStatus.kOk
        if not valid or live.highs.getNumCol() != len(flags):
            return None
        flags[members[members >= 0]] = True
        statuses = [BASIC if flag else NONBASIC for flag in flags[artificial].tolist()]
        return self.places[np.delete(flags, artificial)], statuses, basis, live

    # rounds

    def __call__(self, point: MasterPoint, budget: Budget) -> Answer[NewColumns]:
        """The oracle: value, bound and new columns at a point of the restricted master."""
        # a point of the master with all rows met is one of the whole program
        if not self.restricted.artificial_sum:
            value = self.restricted.objective(point.x)
            if self.restricted.holds and (self.objective is None or value <= self.objective):
                self.objective, self.x = value, point.x
                self.improved()
        # a multiplier of a side that is not there is 0
        lower, upper, _ = self.restricted.sides
        side = np.where(point.multipliers > 0, lower, upper)
        self.y = self.usable(np.where(np.isfinite(side), point.multipliers, 0.0))
        stabilised = self._stabilised(self.y)
        self.entering, improves = [], False
        try:
            improves = self.price_and_bound(stabilised, budget)
            # mispricing: no column at the stabilised multipliers, so the master's own are priced
            if not improves and stabilised is not self.y:
                improves = self.price_and_bound(self.y, budget)
            # searches with a gap found no column: they run to the end now, and nearly so later
            if not improves and self.gap and self.searches:
                self.gap = 0.0
                improves = self.price_and_bound(self.y, budget)
                self.gap = CERTIFIED_GAP * improves
        except SolverError as error:
            # a solver may fail at the large multipliers of phase one: then nothing is proved
            if not self.restricted.in_phase_one:
                raise
            self.unproved, self.finished = f": {error}", True
        else:
            # a limit that cut off a pricing model proves nothing of its other columns
            if not improves and budget.cut is not Reason.MAX_ITER:
                raise OutOfBudget
            self.finished = not improves and not (
                self.restricted.artificial_sum and self.restricted.raise_weight()
            )
        # the entering columns join the master
        self.rounds += 1
        columns = self.admitted() if self.entering else None
        detail = {"artificial": self.restricted.artificial_sum}
        return Answer(self.objective, self.bound, columns, detail)

    def _stabilised(self, y: FloatArray) -> FloatArray:
        """Multipliers that lie between the master's multipliers y (m,) and those of the best
        bound.
        """
        if self.restricted.artificial_sum:
            return y
        share = self.share
        if share is None:
            # by default, multipliers are smoothed after ten rounds
            share = 0.8 if self.rounds >= 10 else 0.0
        # smoothing (Wentges): between the multipliers of the best bound and the master's
        if not share or self.bound is None:
            return y
        return share * self.best_y + (1.0 - share) * y
