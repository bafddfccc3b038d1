"""Explicit forms that a solver's branch and bound solves to global optimality."""

from __future__ import annotations

from radprog.base.errors import SolverError
from radprog.base.limits import OutOfBudget
from radprog.base.modelling import pyo
from radprog.decompositions.loop import Budget, Reason
from radprog.decompositions.run import RunSettings, SolverUse
from radprog.solvers.certificate import contradictory
from radprog.solvers.program import ProblemClass, Solution, Status
from radprog.solvers.registry import preferred, solve_model, solver


def bound_at(solution: Solution, objective: float) -> float | None:
    """The lower bound of a solver's search, which is not verified.

    ``objective`` is the recomputed value of a feasible point. A bound that exceeds it within the
    solver's tolerances is replaced by it.
    """
    bound = solution.bound
    return bound if bound is None or contradictory(objective, bound) else min(bound, objective)


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
) -> tuple[Solution, Reason, SolverUse]:
    """Solve an explicit form by the solver of the run, or by the preferred global solver.

    Returns the solution, which the model holds, the reason why the search ended, and its solver.

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
    return solution, budget.cut if cut else Reason.SOLVER, use
