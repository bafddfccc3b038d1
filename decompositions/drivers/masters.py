"""Restricted masters: a live one in HiGHS, and one rebuilt in Pyomo for any solver with duals."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import highspy
import numpy as np
import pyomo.environ as pyo

from radprog.decompositions.drivers.exchange import Cuts, MasterPoint
from radprog.decompositions.loop import Budget, OutOfBudget
from radprog.decompositions.run import RunSettings
from radprog.instances.errors import CapabilityError, SolverError
from radprog.instances.types import FloatArray
from radprog.models.algebra import linear, with_duals
from radprog.solvers.adapters.highs import STATUS, new_highs
from radprog.solvers.adapters.highs import version as highs_version
from radprog.solvers.program import SolveSettings, Status
from radprog.solvers.registry import solve_model
from radprog.solvers.registry import solver as solver_named

MASTER_TOLERANCE = 1e-9  # feasibility of the scaled master, primal and dual
BASIC = highspy.HighsBasisStatus.kBasic
SMALL_POINT = 1e-2  # rescale when no variable of the scaled master is larger than this
DUAL_SIMPLEX = {
    "presolve": "off",
    "solver": "simplex",
    "simplex_strategy": "1",  # dual
    "simplex_scale_strategy": "0",  # rows come scaled
}
DEFAULT = SolveSettings()


class HighsMaster:
    """min cost'x, lower <= x <= upper, cuts added live; the dual simplex method restarts from the
    last basis, which stays dual feasible when rows are added.

    Internally v = x / scale, with costs unscaled: absolute tolerances then stay meaningful when the
    optimum is tiny. cost, upper, lower (n,), lower 0 by default; bounds may be infinite.
    settings: threads, seed, options and log; the time is that of the budget of each solve.
    """

    def __init__(
        self,
        cost: FloatArray,
        upper: FloatArray,
        settings: SolveSettings = DEFAULT,
        lower: FloatArray | None = None,
    ) -> None:
        self.cost, self.upper = cost, upper
        self.lower = np.zeros(len(cost)) if lower is None else lower
        self.scale = 1.0
        self._cuts: list[Cuts] = []
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
        low, high = self.lower / self.scale, self.upper / self.scale
        self._highs.addCols(n, self.cost, low, high, 0, none, none, np.zeros(0))

    def _pass(self, cuts: Cuts) -> None:
        rows, n = cuts.matrix.shape
        starts = np.arange(rows, dtype=np.int32) * n
        indices = np.tile(np.arange(n, dtype=np.int32), rows)
        values = np.ascontiguousarray(cuts.matrix * self.scale).ravel()
        self._highs.addRows(rows, cuts.lower, cuts.upper, rows * n, starts, indices, values)

    def add(self, cuts: Cuts) -> None:
        """Append cuts."""
        self._cuts.append(cuts)
        self._pass(cuts)

    def basis(self) -> tuple[list[Any], list[Any]]:
        """Basis statuses of the columns and of the cuts; kept by positive scaling of either."""
        basis = self._highs.getBasis()
        return list(basis.col_status), list(basis.row_status)

    def hot_start(self, columns: list[Any], cuts: list[Any]) -> None:
        """Start the next solve from these basis statuses, one per column and per cut."""
        basis = highspy.HighsBasis()
        basis.col_status, basis.row_status = columns, cuts
        basis.valid = True
        self._highs.setBasis(basis)

    def _rescale(self, factor: float) -> None:
        """Start again with x measured in smaller units, from the same basis."""
        basis = self._highs.getBasis()
        self.scale *= factor
        self._start()
        for cuts in self._cuts:
            self._pass(cuts)
        self._highs.setBasis(basis)

    def _run(self, budget: Budget) -> Any:
        highs, self._budget = self._highs, budget
        highs.run()  # polls the budget
        status = highs.getModelStatus()
        if STATUS[status] is Status.FAILED:  # near-equal cuts: once more, without the old basis
            highs.clearSolver()
            highs.run()
            status = highs.getModelStatus()
        if status != highspy.HighsModelStatus.kOptimal:
            if STATUS[status] is Status.INTERRUPTED:
                raise OutOfBudget
            raise SolverError(
                f"HiGHS stopped in the restricted master with status "
                f"'{highs.modelStatusToString(status)}'"
            )
        return highs.getSolution()

    def solve(self, budget: Budget) -> MasterPoint:
        """Solve from the last basis; raises OutOfBudget, or SolverError on any other status."""
        solution = self._run(budget)
        largest = float(np.max(np.abs(solution.col_value), initial=0.0))
        if 0.0 < largest < SMALL_POINT:
            self._rescale(largest)
            solution = self._run(budget)
        x = np.asarray(solution.col_value) * self.scale
        multipliers = np.asarray(solution.row_dual, dtype=np.float64) * self.scale
        return MasterPoint(x, multipliers, float(self.cost @ x))


class PyomoMaster:
    """The same master as a Pyomo model, rebuilt every round and solved by any solver with duals."""

    def __init__(
        self,
        cost: FloatArray,
        upper: FloatArray,
        solver: str,
        settings: SolveSettings = DEFAULT,
        lower: FloatArray | None = None,
    ) -> None:
        if not solver_named(solver).declared.duals:
            raise CapabilityError(
                f"solver {solver} gives no duals, which a master needs: use highs"
            )
        self.cost, self.upper = cost, upper
        self.lower = np.zeros(len(cost)) if lower is None else lower
        self.solver, self.settings = solver, settings
        self.version = ""
        self._cuts: list[Cuts] = []

    def add(self, cuts: Cuts) -> None:
        """Append cuts."""
        self._cuts.append(cuts)

    def model(self) -> pyo.ConcreteModel:
        """min cost'x, lower <= x <= upper, lower_t <= cut_t'x <= upper_t."""
        n = len(self.cost)
        model = pyo.ConcreteModel(name="master")
        box = [(float(a), float(b)) for a, b in zip(self.lower, self.upper, strict=True)]
        model.x = pyo.Var(pyo.RangeSet(0, n - 1), bounds=lambda _, j: box[j])
        x = list(model.x.values())
        model.objective = pyo.Objective(expr=linear(self.cost, x))
        model.cut = pyo.ConstraintList()
        for cuts in self._cuts:
            for row, lower, upper in zip(cuts.matrix, cuts.lower, cuts.upper, strict=True):
                model.cut.add((float(lower), linear(row, x), float(upper)))
        return with_duals(model)

    def solve(self, budget: Budget) -> MasterPoint:
        """Build and solve; raises OutOfBudget, or SolverError without a solution and duals."""
        budget.check()
        settings = replace(self.settings, time_limit=budget.limit, interrupt=budget.spent)
        solution = solve_model(self.model(), self.solver, settings)
        if solution.status in (Status.LIMIT, Status.INTERRUPTED):
            raise OutOfBudget
        self.version = solution.version
        duals = solution.row_duals if self._cuts else np.zeros(0)
        if solution.x is None or duals is None:
            raise SolverError(f"{self.solver} gave no duals for the restricted master")
        return MasterPoint(solution.x, duals, float(self.cost @ solution.x))


def master_for(
    settings: RunSettings, cost: FloatArray, upper: FloatArray, lower: FloatArray | None = None
) -> HighsMaster | PyomoMaster:
    """The live master for HiGHS, which is the default, the rebuilt one for any other solver;
    CapabilityError where that gives no duals."""
    asked = settings.for_solver(Budget())
    if settings.solver in (None, "highs"):
        return HighsMaster(cost, upper, asked, lower)
    return PyomoMaster(cost, upper, settings.solver, asked, lower)
