"""Explicit forms that a solver's branch and bound solves to global optimality."""

from __future__ import annotations

from dataclasses import dataclass

from radprog.base.errors import SolverError
from radprog.base.limits import OutOfBudget
from radprog.base.modelling import pyo
from radprog.decompositions.loop import Budget, Reason
from radprog.decompositions.run import RunSettings, SolverUse
from radprog.solvers.certificate import contradictory
from radprog.solvers.program import ProblemClass, Solution, Status
from radprog.solvers.registry import preferred, solve_model, solver


@dataclass(frozen=True)
class SearchAnswer:
    """The end of a solver's search. The model holds its best point."""

    solution: Solution
    reason: Reason
    solver: SolverUse

    def bound(self, objective: float) -> float | None:
        """The solver's lower bound, which is not verified.

        ``objective`` is the recomputed value of a feasible point. A bound that exceeds it within
        the solver's tolerances is replaced by it.
        """
        bound = self.solution.bound
        if bound is None or contradictory(objective, bound):
            return bound
        return min(bound, objective)


def searcher(kind: ProblemClass, settings: RunSettings) -> str:
    """The solver of the run, or the preferred global solver of a class.

    A fit that works before its search calls this first. Raises SolverMissingError if no global
    solver is installed, and CapabilityError if the solver of the run does not take the class.
    """
    name = settings.solver or preferred(kind, nonconvex=True)
    solver(name).check(kind)
    return name


def search_form(
    model: pyo.ConcreteModel, kind: ProblemClass, settings: RunSettings, budget: Budget
) -> SearchAnswer:
    """Solve an explicit form by the solver of the run, or by the preferred global solver.

    Raises the errors of :func:`searcher`, OutOfBudget if a limit ends the search before its first
    point, and SolverError if it finds none.
    """
    budget.check()
    name = searcher(kind, settings)
    solution = solve_model(model, name, settings.for_solver(budget))
    cut = solution.status in (Status.LIMIT, Status.INTERRUPTED)
    if solution.x is None and cut:
        raise OutOfBudget
    if solution.x is None:
        raise SolverError(f"{name} found no point of the program: {solution.message}")
    use = SolverUse(name, solution.version, settings.solver_options)
    return SearchAnswer(solution, budget.cut if cut else Reason.SOLVER, use)
