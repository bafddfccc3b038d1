"""Method qcqp: the whole dual program by one solver for quadratic rows."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from radprog.base.errors import OptionError, SolverError
from radprog.base.limits import OutOfBudget
from radprog.base.types import FloatArray
from radprog.decompositions.loop import Budget, Reason, certified_by
from radprog.decompositions.mkl.machines import Machines
from radprog.decompositions.mkl.methods import Learned
from radprog.decompositions.mkl.oracle import BestWeights, Exchanging, minimise
from radprog.decompositions.run import RunSettings, SolverUse
from radprog.models.mkl.problem import Value, WeightBall
from radprog.models.mkl.programs import build_qcqp
from radprog.solvers.program import ProblemClass, Solution, Status
from radprog.solvers.registry import able, instead, solve_model, solver

if TYPE_CHECKING:
    import pyomo.environ as pyo

CUT = (Status.LIMIT, Status.INTERRUPTED)


def whole(machines: Machines, ball: WeightBall, settings: RunSettings, budget: Budget) -> Learned:
    """The whole dual program by one solver; its multipliers are the weights.

    Where no solver was asked for and one fails, the next one installed is tried. The machine at
    equal shares of the ball tells how large the program's numbers are. What a solver leaves open,
    with or without multipliers, is closed by exchange; a warning says so.
    """
    found, reason = BestWeights(), Reason.SOLVER
    first = machines(ball.weights(ball.to_sphere(np.ones(len(ball.c)))), Budget(), _share(settings))
    _offer(found, ball, first)
    build = partial(build_qcqp, machines.problem, ball, first.a)
    use: SolverUse | None = None
    warnings: tuple[str, ...] = ()
    try:
        model = build()
        name, answer, warnings = _solved(model, ball, settings, budget)
        use = SolverUse(name, answer.version, settings.solver_options)
        u, lack = _taken(model, answer, machines, ball, found, settings)
        if answer.status in CUT:
            reason = budget.cut
        elif not _closed(found, settings):
            ended = _closing(found, machines, ball, u, settings, budget)
            reason = ended if ended.premature else reason
            lack = f"{name} {lack}: the weights are those of an exchange that starts there"
            warnings = (*warnings, lack)
    except OutOfBudget:
        reason = budget.reason
    assert found.value is not None
    return Learned(
        value=found.value,
        reason=reason,
        trace=None,
        dual=found.dual,
        program=build,
        solver=use,
        warnings=warnings,
    )


def _share(settings: RunSettings) -> float:
    """The relative gap that machines are solved to."""
    return 0.1 * settings.tol


def _taken(
    model: pyo.ConcreteModel,
    answer: Solution,
    machines: Machines,
    ball: WeightBall,
    found: BestWeights,
    settings: RunSettings,
) -> tuple[FloatArray, str]:
    """Offer what a solver found; the direction u (L,) of its weights, and what it lacks."""
    problem, u = machines.problem, np.ones(len(ball.c))
    if answer.x is None:
        return u, "gives no point"
    a = np.array([point.value for point in model.a.values()], dtype=np.float64)
    a = problem.feasible(a.reshape(problem.labels.shape))
    q = problem.energies(a)
    machines.pool.add(a, problem.gain(a), q)
    found.offer_dual(a, problem.gain(a) - 0.5 * ball.support(q))
    if answer.row_duals is None:
        return u, "gives no multipliers"
    # of a maximisation: the suffix has d maximum / d right-hand side, >= 0 of a row <=
    u = ball.to_sphere(ball.c * np.maximum([model.dual[row] for row in model.energy.values()], 0.0))
    found.offer(problem.value(ball.weights(u), a))
    _offer(found, ball, machines(ball.weights(u), Budget(), _share(settings)))
    return u, f"leaves a gap of {found.gap:.2g}"


def _closing(
    found: BestWeights,
    machines: Machines,
    ball: WeightBall,
    u: FloatArray,
    settings: RunSettings,
    budget: Budget,
) -> Reason:
    """Close the gap by exchange from u (L,); how it ended."""
    how = Exchanging(
        tol=settings.tol, abs_tol=settings.abs_tol, seed=settings.seed, threads=settings.threads
    )
    rest, ended, _ = minimise(machines, ball, u, how, budget)
    assert rest.value is not None
    assert rest.dual is not None
    found.offer(rest.value)
    found.offer_dual(rest.dual, rest.bound)
    return ended


def _offer(found: BestWeights, ball: WeightBall, value: Value) -> None:
    found.offer(value)
    found.offer_dual(value.a, value.s - 0.5 * ball.support(value.energies))


def _closed(found: BestWeights, settings: RunSettings) -> bool:
    assert found.value is not None
    pair = found.value.objective, found.bound
    return certified_by(*pair, settings.tol, settings.abs_tol) is not None


def _solved(
    model: pyo.ConcreteModel, ball: WeightBall, settings: RunSettings, budget: Budget
) -> tuple[str, Solution, tuple[str, ...]]:
    """The solver asked for and its answer, or the first installed that does not fail; the last
    one's failure is raised."""
    asked = (settings.solver,) if settings.solver is not None else qcqp_solvers(ball.p)
    warnings: tuple[str, ...] = ()
    for name in asked[:-1]:
        try:
            return name, _answer(model, name, ball, settings, budget), warnings
        except SolverError as error:
            warnings = (*warnings, f"{error}: the next solver was asked")
    return asked[-1], _answer(model, asked[-1], ball, settings, budget), warnings


def _answer(
    model: pyo.ConcreteModel, name: str, ball: WeightBall, settings: RunSettings, budget: Budget
) -> Solution:
    """Solve the dual program; for norm 2 without the test for convexity, which its cone fails."""
    cone = ball.p != 1.0
    if cone and solver(name).installed() and not solver(name).declared.cones:
        use = instead(able(ProblemClass.QCQP, cones=True))
        raise OptionError(f"solver {name} does not take the cone of norm 2: {use}")
    answer = solve_model(model, name, settings.for_solver(budget), known_convex=cone)
    if answer.claim is not None:
        raise SolverError(f"{name} calls the program {answer.claim}, which it cannot be")
    return answer


def qcqp_solvers(p: float = 1.0) -> tuple[str, ...]:
    """The solvers installed that take the dual program of norm p, 1 or 2, the preferred first."""
    names = tuple(able(ProblemClass.QCQP, cones=p != 1.0))
    if not names:
        raise OptionError("no solver for quadratic rows is installed: use method silp")
    return names
