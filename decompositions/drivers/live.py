"""A linear program that grows while it is solved: rows and columns are appended.

In HiGHS it stays alive, and a solve starts from the last basis; any other solver with duals gets it
anew in every round.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy import sparse

from radprog.base.errors import CapabilityError, SolverError
from radprog.base.limits import OutOfBudget
from radprog.base.tolerances import MASTER_TOLERANCE
from radprog.base.types import FloatArray
from radprog.decompositions.drivers.exchange import Cuts, MasterPoint
from radprog.decompositions.drivers.masters import DUAL, HighsMaster, run_live, solution_of
from radprog.decompositions.loop import Budget
from radprog.decompositions.run import RunSettings
from radprog.solvers.adapters.highs import STATUS, accepted, new_highs, pass_program, set_option
from radprog.solvers.claims import proves_unbounded
from radprog.solvers.program import SOLVER_DEFAULTS, ProblemClass, Program, SolveSettings, Status
from radprog.solvers.registry import solve_program
from radprog.solvers.registry import solver as solver_named

PRIMAL = 4  # HiGHS's number of the primal simplex method


class InfeasibleError(SolverError):
    """The program has no feasible point, says the solver."""


class UnboundedError(SolverError):
    """The program has no least value: a ray shows it."""


@dataclass(frozen=True)
class NewColumns:
    """Variables with their coefficients in the rows; matrix (m, t), the others (t,)."""

    matrix: sparse.csc_array
    cost: FloatArray
    lower: FloatArray
    upper: FloatArray
    names: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.cost)


def boxed_program(cost: FloatArray, lower: FloatArray, upper: FloatArray) -> Program:
    """min cost'x over a box, all (n,), without rows."""
    n = len(cost)
    return Program(
        cost=cost,
        rows=sparse.csr_array((0, n)),
        row_lower=np.zeros(0),
        row_upper=np.zeros(0),
        lower=lower,
        upper=upper,
        integer=np.zeros(n, dtype=np.bool_),
        column_names=tuple(f"x({j})" for j in range(n)),
        row_names=(),
    )


def grown(program: Program, new: Cuts | NewColumns) -> Program:
    """The program with rows or columns appended."""
    old, size = program.rows, len(new)
    if not size:
        return program
    if isinstance(new, Cuts):
        # entries of the new rows stand behind those of the old ones
        parts = sparse.csr_array(new.matrix)
        joined = (
            np.concatenate([old.data, parts.data]),
            np.concatenate([old.indices, parts.indices]),
            np.concatenate([old.indptr, old.indptr[-1] + parts.indptr[1:]]),
        )
        return replace(
            program,
            rows=sparse.csr_array(joined, shape=(old.shape[0] + size, old.shape[1])),
            row_lower=np.concatenate([program.row_lower, new.lower]),
            row_upper=np.concatenate([program.row_upper, new.upper]),
            row_names=program.row_names
            + (new.names or tuple(f"cut({old.shape[0] + i})" for i in range(size))),
        )
    parts = sparse.csr_array(new.matrix)
    # entries of the new columns stand behind the old ones of their rows
    ends = np.repeat(old.indptr[1:], np.diff(parts.indptr))
    joined = (
        np.insert(old.data, ends, parts.data),
        np.insert(old.indices, ends, parts.indices + old.shape[1]),
        old.indptr + parts.indptr,
    )
    return replace(
        program,
        cost=np.concatenate([program.cost, new.cost]),
        rows=sparse.csr_array(joined, shape=(old.shape[0], old.shape[1] + size)),
        lower=np.concatenate([program.lower, new.lower]),
        upper=np.concatenate([program.upper, new.upper]),
        integer=np.concatenate([program.integer, np.zeros(size, dtype=np.bool_)]),
        column_names=program.column_names + new.names,
        quadratic=None if program.quadratic is None else _enlarged(program.quadratic, size),
        quadratic_rows={
            row: _enlarged(matrix, size) for row, matrix in program.quadratic_rows.items()
        },
    )


def _enlarged(matrix: sparse.csc_array, more: int) -> sparse.csc_array:
    """The matrix with rows and columns of zeros appended."""
    size = matrix.shape[0] + more
    wide = sparse.coo_array(matrix)
    return sparse.csc_array((wide.data, (wide.row, wide.col)), shape=(size, size))


class LiveProgram:
    """A linear ``program`` in HiGHS; ``add`` appends, ``solve`` starts from the last basis."""

    def __init__(self, program: Program, settings: SolveSettings = SOLVER_DEFAULTS) -> None:
        self.program = program
        self._budget = Budget()
        # presolve would lose the basis; HiGHS polls the budget of the solve at hand
        live = replace(
            settings,
            tolerance=settings.tolerance or MASTER_TOLERANCE,
            time_limit=None,
            interrupt=lambda: self._budget.spent(),
            options={"presolve": "off", "solver": "simplex", **settings.options},
        )
        self._highs = new_highs(live)
        pass_program(self._highs, program)

    def add(self, cuts: Cuts | NewColumns) -> None:
        """Append rows or columns; SolverError where HiGHS refuses their numbers."""
        self.program = grown(self.program, cuts)
        # rows and columns travel in compressed form
        rows, part, size = isinstance(cuts, Cuts), cuts.matrix, len(cuts)
        parts = part.indptr[:-1], part.indices, part.data
        if isinstance(cuts, Cuts):
            status = self._highs.addRows(size, cuts.lower, cuts.upper, part.nnz, *parts)
        else:
            status = self._highs.addCols(size, cuts.cost, cuts.lower, cuts.upper, part.nnz, *parts)
        accepted(status, "new rows" if rows else "new columns", part.data)
        # the last basis stays dual feasible beside new rows, primal feasible beside new columns
        set_option(self._highs, "simplex_strategy", DUAL if rows else PRIMAL)

    def reprice(self, columns: slice, cost: FloatArray) -> None:
        """Change the cost of columns."""
        self.program.cost[columns] = cost
        places = np.arange(self.program.cost.size, dtype=np.int32)[columns]
        accepted(self._highs.changeColsCost(len(places), places, cost), "new costs", cost)

    def cap(self, columns: slice, upper: FloatArray) -> None:
        """Change the upper bounds of columns."""
        self.program.upper[columns] = upper
        places = np.arange(self.program.cost.size, dtype=np.int32)[columns]
        sides = self.program.lower[columns], upper
        accepted(self._highs.changeColsBounds(len(places), places, *sides), "new bounds", upper)

    def solve(self, budget: Budget) -> MasterPoint:
        """Raises OutOfBudget, InfeasibleError, UnboundedError, or SolverError where HiGHS fails."""
        if not self.program.cost.size:
            return _of_nothing(self.program)
        # hot start from the last basis; HiGHS polls the budget
        self._budget = budget
        status = run_live(self._highs)
        # "infeasible" is believed here, as the caller proves it; "unbounded" needs a ray
        if STATUS[status] is Status.INFEASIBLE:
            raise InfeasibleError("the program has no feasible point, says highs")
        if STATUS[status] is Status.UNBOUNDED:
            left = SolveSettings(time_limit=budget.limit, interrupt=budget.spent)
            if not proves_unbounded(self.program, left):
                raise SolverError("highs says that the program is unbounded, and no ray shows it")
            raise UnboundedError("the program is unbounded, says highs")
        solution = solution_of(self._highs, status, "the live program")
        x, multipliers = np.array(solution.col_value), np.array(solution.row_dual)
        return MasterPoint(x, multipliers, self.program.objective(x))


def _of_nothing(program: Program) -> MasterPoint:
    """The point of a program without variables; InfeasibleError where a row does not hold."""
    if max(program.row_lower.max(initial=0.0), -program.row_upper.min(initial=0.0)) > 0.0:
        raise InfeasibleError("the program has no variable, and a row that does not hold")
    return MasterPoint(np.zeros(0), np.zeros(program.row_lower.size), program.constant)


class RebuiltProgram:
    """The same for any solver with duals, which solves it from nothing in every round."""

    def __init__(
        self, program: Program, solver: str, settings: SolveSettings = SOLVER_DEFAULTS
    ) -> None:
        check_master(solver)
        self.program, self._solver, self._settings = program, solver, settings
        self.version = ""

    def add(self, cuts: Cuts | NewColumns) -> None:
        """Append rows or columns."""
        self.program = grown(self.program, cuts)

    def reprice(self, columns: slice, cost: FloatArray) -> None:
        """Change the cost of columns."""
        self.program.cost[columns] = cost

    def cap(self, columns: slice, upper: FloatArray) -> None:
        """Change the upper bounds of columns."""
        self.program.upper[columns] = upper

    def solve(self, budget: Budget) -> MasterPoint:
        """Raises what :meth:`LiveProgram.solve` raises."""
        budget.check()
        settings = replace(self._settings, time_limit=budget.limit, interrupt=budget.spent)
        # from nothing, in the time that is left
        solution = solve_program(self.program, self._solver, settings)
        self.version = solution.version
        if solution.status in (Status.LIMIT, Status.INTERRUPTED):
            raise OutOfBudget
        if solution.x is None:
            LiveProgram(self.program).solve(budget)  # raises where the program has no optimum
            raise SolverError(f"{self._solver} gave no point: {solution.message}")
        duals = solution.row_duals if self.program.row_lower.size else np.zeros(0)
        if solution.x is None or duals is None:
            raise SolverError(f"{self._solver} gave no duals: use highs")
        return MasterPoint(solution.x, duals, self.program.objective(solution.x))


def check_master(solver: str) -> None:
    """CapabilityError unless a solver takes linear programs and gives duals; OptionError for an
    unknown one."""
    spec = solver_named(solver)
    spec.check(ProblemClass.LP)
    if not spec.declared.duals:
        raise CapabilityError(f"solver {solver} gives no duals, which pricing needs: use highs")


def live_program(
    program: Program, solver: str | None = None, settings: SolveSettings = SOLVER_DEFAULTS
) -> LiveProgram | RebuiltProgram:
    """The live program of HiGHS, which is the default, or one rebuilt for another solver."""
    if solver in (None, "highs"):
        return LiveProgram(program, settings)
    return RebuiltProgram(program, solver, settings)


def master_for(
    settings: RunSettings, cost: FloatArray, upper: FloatArray, lower: FloatArray | None = None
) -> HighsMaster | RebuiltProgram:
    """The live master for HiGHS, which is the default, the rebuilt one for any other solver;
    CapabilityError where that gives no duals."""
    how = settings.for_solver(Budget())
    if settings.solver in (None, "highs"):
        return HighsMaster(cost, upper, how, lower)
    box = np.zeros(len(cost)) if lower is None else lower
    return RebuiltProgram(boxed_program(cost, box, upper), settings.solver, how)
