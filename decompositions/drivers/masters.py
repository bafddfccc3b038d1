"""The restricted master of dense cuts, live in HiGHS."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import highspy
import numpy as np

from radprog.base.errors import SolverError
from radprog.base.limits import OutOfBudget, poll
from radprog.base.tolerances import MASTER_TOLERANCE
from radprog.base.types import Deferred, FloatArray
from radprog.decompositions.drivers.exchange import Cuts, MasterPoint
from radprog.decompositions.loop import Budget
from radprog.solvers.adapters.highs import STATUS, accepted, new_highs, set_option
from radprog.solvers.adapters.highs import version as highs_version
from radprog.solvers.dense.refined import ROUNDED, refining
from radprog.solvers.program import SOLVER_DEFAULTS, SolveSettings, Status

if TYPE_CHECKING:
    import pyomo.environ as pyo
else:
    pyo = Deferred("pyomo.environ")

DUAL = 1  # HiGHS's number of the dual simplex method
BASIC = highspy.HighsBasisStatus.kBasic
AT_UPPER = highspy.HighsBasisStatus.kUpper
SMALL_POINT = 1e-2  # rescale when no variable of the scaled master is larger than this
RESCALINGS = 8  # at most in one solve
LARGEST_REFINED = 10**7  # entries of a master that is solved in other units
LARGEST_ENTRY = 2.0**16  # of a scaled row: above, its rounding errors exceed the tolerance
BALANCINGS = 10  # passes over the rows and columns of an ill-scaled master
DUAL_SIMPLEX = {
    "presolve": "off",
    "solver": "simplex",
    "simplex_strategy": "1",  # dual
    "simplex_scale_strategy": "0",  # rows come scaled
}


def run_live(highs: highspy.Highs) -> Any:
    """Solve a live program, which has an optimum, from its last basis; the status of HiGHS.

    Where it fails or finds none, as it may with near-equal rows, once more from nothing.
    """
    highs.run()
    status = highs.getModelStatus()
    if STATUS[status] not in (Status.OPTIMAL, Status.LIMIT, Status.INTERRUPTED):
        highs.clearSolver()
        set_option(highs, "simplex_strategy", DUAL)
        highs.run()
        status = highs.getModelStatus()
    return status


def solution_of(highs: highspy.Highs, status: Any, place: str) -> Any:
    """The optimum that HiGHS found in ``place``; raises OutOfBudget where it was interrupted,
    SolverError on any other status."""
    if status == highspy.HighsModelStatus.kOptimal:
        return highs.getSolution()
    if STATUS[status] is Status.INTERRUPTED:
        raise OutOfBudget
    word = highs.modelStatusToString(status)
    raise SolverError(f"HiGHS stopped in {place} with status '{word}'")


class HighsMaster:
    """min cost'x, lower <= x <= upper, cuts added live; the dual simplex method restarts from the
    last basis, which stays dual feasible when rows are added.

    Internally v = x / (scale units), with the costs of v at most those of x: absolute tolerances
    then stay meaningful when the optimum is tiny. A row with entries above LARGEST_ENTRY is divided
    by a power of two. units (n,) are 1 unless HiGHS fails: then they balance the cuts' columns.
    cost, upper, lower (n,), lower 0 by default; bounds may be infinite.
    settings: threads, seed, options and log; the time is that of the budget of each solve.
    """

    def __init__(
        self,
        cost: FloatArray,
        upper: FloatArray,
        settings: SolveSettings = SOLVER_DEFAULTS,
        lower: FloatArray | None = None,
    ) -> None:
        self.cost, self.upper = cost, upper
        self.lower = np.zeros(len(cost)) if lower is None else lower
        self.scale, self._units = 1.0, np.ones(len(cost))
        self._cuts: list[Cuts] = []
        self._factors: list[FloatArray] = []
        self._given_basis: tuple[list[Any], list[Any]] | None = None
        self.version = highs_version()
        self._budget = Budget()
        self._settings = replace(
            settings,
            tolerance=MASTER_TOLERANCE,
            time_limit=None,
            interrupt=lambda: self._budget.spent(),
            options={**DUAL_SIMPLEX, **settings.options},
        )
        self._start()

    def _start(self) -> None:
        self._highs = new_highs(self._settings)
        n = len(self.cost)
        none = np.zeros(0, dtype=np.int32)
        units = self.scale * self._units
        # the box and the costs in units of v
        low, high, cost = self.lower / units, self.upper / units, self.cost * self._units
        cost = cost / self._units.max()
        status = self._highs.addCols(n, cost, low, high, 0, none, none, np.zeros(0))
        accepted(status, "the columns of the restricted master", cost)
        self._factors = []

    def _pass(self, cuts: Cuts) -> None:
        rows, n = cuts.matrix.shape
        # dense rows in compressed form
        starts = np.arange(rows, dtype=np.int32) * n
        indices = np.tile(np.arange(n, dtype=np.int32), rows)
        matrix = cuts.matrix * (self.scale * self._units)
        # entries above LARGEST_ENTRY lose the tolerance to rounding: their row is divided
        largest = np.abs(matrix).max(axis=1, initial=0.0)
        factors = np.exp2(np.ceil(np.log2(np.maximum(largest / LARGEST_ENTRY, 1.0))))
        self._factors.append(factors)
        values = np.ascontiguousarray(matrix / factors[:, None]).ravel()
        low, high = cuts.lower / factors, cuts.upper / factors
        status = self._highs.addRows(rows, low, high, rows * n, starts, indices, values)
        accepted(status, "the rows of the restricted master", values)

    def add(self, cuts: Cuts) -> None:
        """Append cuts; SolverError where HiGHS refuses their numbers."""
        self._cuts.append(cuts)
        self._pass(cuts)
        if self._given_basis is not None:
            columns, rows = self._given_basis
            self._given_basis = columns, [*rows, *[BASIC] * len(cuts)]

    def basis(self) -> tuple[list[Any], list[Any]]:
        """Basis statuses of the columns and of the cuts; kept by positive scaling of either. Those
        given, until a solve: HiGHS changes a basis that is singular to it, in its units."""
        if self._given_basis is not None:
            return self._given_basis
        basis = self._highs.getBasis()
        return list(basis.col_status), list(basis.row_status)

    def hot_start(self, columns: list[Any], cuts: list[Any]) -> None:
        """Start the next solve from these basis statuses, one per column and per cut."""
        # HiGHS changes a basis that is singular in its units: it is remembered as given
        self._given_basis = columns, cuts
        # the basis is handed over as HiGHS words
        basis = highspy.HighsBasis()
        basis.col_status, basis.row_status = columns, cuts
        basis.valid = True
        self._highs.setBasis(basis)

    def _rescale(self, factor: float) -> None:
        """Start again with x measured in smaller units, from the same basis."""
        basis = self._highs.getBasis()
        self.scale *= factor
        self._again()
        self._highs.setBasis(basis)

    def _again(self) -> None:
        self._start()
        for cuts in self._cuts:
            self._pass(cuts)

    def _run(self, budget: Budget) -> Any:
        self._budget, self._given_basis = budget, None  # HiGHS polls the budget
        status = run_live(self._highs)
        if STATUS[status] is Status.FAILED and self._cuts:
            # entries of all orders of magnitude: in units that make the largest of a column 1
            units, _ = equilibrated(self._joined()[0])
            self._units, self.scale = units / units.max(), 1.0
            self._again()
            status = run_live(self._highs)
        return solution_of(self._highs, status, "the restricted master")

    def solve(self, budget: Budget) -> MasterPoint:
        """Solve from the last basis; raises OutOfBudget, or SolverError on any other status."""
        # where the optimum is tiny, once more with x in units in which it is about 1
        x, multipliers = self._answer(budget)
        for _ in range(RESCALINGS):
            largest = float(np.max(np.abs(x), initial=0.0))
            if not 0.0 < largest < SMALL_POINT:
                break
            self._rescale(largest)
            x, multipliers = self._answer(budget)
        # back to the units of the program
        x = x * (self.scale * self._units)
        multipliers = multipliers * (self.scale * self._units.max())
        if self._factors:
            multipliers /= np.concatenate(self._factors)
        return MasterPoint(x, multipliers, float(self.cost @ x))

    def _answer(self, budget: Budget) -> tuple[FloatArray, FloatArray]:
        """The point (n,) and the row duals of a run; SolverError where they are no such numbers."""
        solution = self._run(budget)
        rows = sum(map(len, self._cuts))
        x, multipliers = np.asarray(solution.col_value), np.asarray(solution.row_dual)
        # a status of optimal is not believed without the numbers
        for values, size in ((x, len(self.cost)), (multipliers, rows)):
            if values.shape != (size,) or not np.isfinite(values).all():
                raise SolverError(
                    f"HiGHS gave no {size} finite numbers as an answer to the restricted master"
                )
        return x, multipliers

    def _joined(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """All cuts: matrix (t, n), lower and upper (t,)."""
        parts = zip(*((cuts.matrix, cuts.lower, cuts.upper) for cuts in self._cuts), strict=True)
        matrix, lower, upper = (np.concatenate(part) for part in parts)
        return matrix, lower, upper

    def refine(self, budget: Budget) -> None:
        """Go on from the last basis in units that make the largest entries of rows and columns,
        the sides and the costs about 1: of a row with larger entries a tolerance is a large share
        of its side. The last basis stays where HiGHS fails, or entries are too many."""
        if not 0 < sum(map(len, self._cuts)) * len(self.cost) <= LARGEST_REFINED:
            return
        # equilibrate the rows and columns, then the sides and the costs
        matrix, lower, upper = self._joined()
        units, sizes = equilibrated(matrix)
        sides = np.abs(sizes * np.concatenate([[lower], [upper]]))
        length = sides[np.isfinite(sides)].max(initial=0.0) or 1.0
        cost, ends = self.cost * units, sizes / length
        low, high = (bound / (units * length) for bound in (self.lower, self.upper))
        # a master of its own in these units, started from the last basis
        other = HighsMaster(cost / np.abs(cost).max(), high, self._settings, low)
        other.add(Cuts(sizes[:, None] * matrix * units, lower * ends, upper * ends))
        # the basis has no units: it goes there and back
        other.hot_start(*self.basis())
        with suppress(SolverError):
            other.solve(budget)
            self.hot_start(*other.basis())

    def vertex(self) -> MasterPoint | None:
        """The last basis solved once more, without tolerances: one LU factorisation of the basis
        matrix, residuals in extended precision, for sides and costs that are met also after the
        solution has been rounded to floats. None where the basis is none, or singular."""
        if not self._cuts:
            return None
        columns, rows = self.basis()
        status = np.array([int(word) for word in columns])
        row_status = np.array([int(word) for word in rows])
        matrix, lower, upper = self._joined()
        basic, active = status == int(BASIC), row_status != int(BASIC)
        if basic.sum() != active.sum():
            return None
        # the variables outside the basis stand at their bounds
        x = np.where(status == int(AT_UPPER), self.upper, self.lower)
        x[basic] = 0.0
        side = np.where(row_status == int(AT_UPPER), upper, lower)[active]
        rest = matrix[np.ix_(active, ~basic)].astype(np.longdouble) @ x[~basic]
        # B x = side - rest for the basic variables, with sides that rounding does not pass
        square, cost = matrix[np.ix_(active, basic)], self.cost[basic]
        solve = refining(square)
        x[basic] = solve(side - rest)
        doubt = ROUNDED * (np.abs(matrix[active]) @ np.abs(x))
        side = side - np.sign(side) * np.minimum(doubt, 0.5 * np.abs(side))
        x[basic] = solve(side - rest)
        # B'y = cost for the multipliers, with costs that rounding does not pass
        solve, multipliers = refining(square.T), np.zeros(len(lower))
        priced = solve(cost)
        multipliers[active] = solve(cost - ROUNDED * (np.abs(priced) @ np.abs(square)))
        if not (np.isfinite(x[basic]).all() and np.isfinite(multipliers).all()):
            return None
        return MasterPoint(x, multipliers, float(self.cost @ x))


def equilibrated(matrix: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Powers of two for columns (n,) and rows (r,) that make the largest entry of each about 1."""
    sizes = np.abs(matrix)
    units, factors = np.ones(matrix.shape[1]), np.ones(len(matrix))
    for _ in range(BALANCINGS):
        poll()
        # geometric scaling (Ruiz): divide rows, then columns, by the root of their largest entry
        rows = np.sqrt(sizes.max(axis=1, initial=0.0))
        rows[rows == 0.0] = 1.0
        sizes /= rows[:, None]
        columns = np.sqrt(sizes.max(axis=0, initial=0.0))
        columns[columns == 0.0] = 1.0
        sizes /= columns
        units, factors = units / columns, factors / rows
    return np.exp2(np.round(np.log2(units))), np.exp2(np.round(np.log2(factors)))
