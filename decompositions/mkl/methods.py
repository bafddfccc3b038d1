"""The methods of multiple kernel learning: what each variant runs, and what it learns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from radprog.base.errors import OptionError, SolverError
from radprog.base.limits import OutOfBudget
from radprog.base.types import FloatArray
from radprog.decompositions.loop import Budget, Reason, Record, certified_by, ignore
from radprog.decompositions.mkl.branch import branch_and_bound
from radprog.decompositions.mkl.dca import Start, minimise_dc, starting_points
from radprog.decompositions.mkl.exchange import (
    BestWeights,
    ExchangeSettings,
    minimise_over_ball,
)
from radprog.decompositions.mkl.predictor import MultiKernelExpansion
from radprog.decompositions.mkl.value_oracle import ValueOracle
from radprog.decompositions.run import Builder, RunSettings, SolverUse
from radprog.models.mkl.kernel_sets import KernelSet
from radprog.models.mkl.problem import MultipleKernels, TailBudget, Value, WeightBall
from radprog.models.mkl.programs import build_qcqp, build_silp, build_svm
from radprog.models.mkl.settings import DEFAULT_STARTS, MKL
from radprog.solvers.program import ProblemClass, Solution, Status
from radprog.solvers.registry import able, instead, solve_model, solver

if TYPE_CHECKING:
    import pyomo.environ as pyo

VALUE_SHARE = 0.1  # gap of a value of J, relative to the tolerance, where it is computed once


@dataclass(frozen=True, kw_only=True)
class Learned:
    """What a method learns: the best value and the evidence of its bound."""

    value: Value
    reason: Reason
    trace: Sequence[Record] | None
    dual: FloatArray | None
    program: Builder
    partition: Mapping[str, Any] | None = None
    solver: SolverUse | None = None
    warnings: tuple[str, ...] = ()
    extra: Mapping[str, Any] = field(default_factory=dict)
    details: Mapping[str, Any] = field(default_factory=dict)


def problem_of(spec: MKL, kernels: KernelSet) -> MultipleKernels:
    """The data of J for prepared kernels."""
    C = spec.C if kernels.weights is None else spec.C * kernels.weights
    return MultipleKernels(kernels=kernels, C=C, loss=spec.loss, bias=spec.bias)


def tail_budget(spec: MKL, problem: MultipleKernels) -> TailBudget:
    """The constraint of variant dc."""
    n = problem.kernels.n
    return TailBudget(problem, spec.cutoff, spec.budget(n), spec.p)


def ball_of(spec: MKL, problem: MultipleKernels) -> WeightBall:
    """The convex set of weights that bounds the problem from below: for conv and lp its own.

    Raises OptionError, naming the kernel, where a tail sum is zero.
    """
    kernels = problem.kernels
    if spec.variant == "conv":
        return WeightBall(kernels.tails(spec.cutoff) / spec.budget(kernels.total), spec.p)
    if spec.variant == "dc":
        return tail_budget(spec, problem).outer()
    return WeightBall(np.ones(kernels.M), spec.p)


def _starting_weights(problem: MultipleKernels, settings: RunSettings) -> FloatArray | None:
    """The weights (M,) of an earlier fit, None without one."""
    start, kernels = settings.start, problem.kernels
    if start is None:
        return None
    if not isinstance(start, MultiKernelExpansion) or start.kernels != kernels.raw:
        raise OptionError("start: a fit of other kernels than these; leave --start out")
    return start.weights / kernels.factors


def learn_uniform(values: ValueOracle, settings: RunSettings) -> Learned:
    """The support vector machine with the mean of all kernels."""
    M = values.problem.kernels.M
    value = values(np.full(M, 1.0 / M), VALUE_SHARE * settings.tol)
    return Learned(
        value=value,
        reason=Reason.SOLVER,
        trace=None,
        dual=value.a,
        program=partial(build_svm, values.problem, value.mu),
    )


def learn_convex(spec: MKL, values: ValueOracle, settings: RunSettings, budget: Budget) -> Learned:
    """min J over a ball by exchange."""
    ball = ball_of(spec, values.problem)
    weights = _starting_weights(values.problem, settings)
    start = np.ones(len(ball.c)) if weights is None else ball.c * weights
    how = ExchangeSettings(exchange=spec.exchange, **vars(settings))
    best, reason, trace = minimise_over_ball(values, ball, start, how, budget)
    return Learned(
        value=best.value,
        reason=reason,
        trace=trace,
        dual=best.dual,
        program=partial(build_silp, ball, list(values.pool.s), list(values.pool.energies)),
    )


def learn_dc(
    spec: MKL, values: ValueOracle, settings: RunSettings, budget: Budget, method: str
) -> Learned:
    """Variant dc: the relaxation, then DCA from several starts, for method global branch and bound
    after it."""
    problem = values.problem
    constraint = tail_budget(spec, problem)
    how = ExchangeSettings(exchange=spec.exchange, **vars(settings))
    quiet = replace(how, max_iter=None, observe=ignore)
    # the relaxation: the lower bound of every local method
    M = problem.kernels.M
    relaxed, _, _ = minimise_over_ball(values, constraint.outer(), np.ones(M), quiet, budget)
    # the starts, an earlier fit the first of them
    starts = starting_points(
        values, constraint, relaxed.value.mu, spec.starts or DEFAULT_STARTS, settings.seed
    )
    weights = _starting_weights(problem, settings)
    if weights is not None:
        starts = [Start("given", weights), *starts][: len(starts)]
    # DCA from all of them
    local = minimise_dc(
        values,
        constraint,
        starts,
        "hybrid" if method == "global" else method,
        quiet if method == "global" else how,
        budget,
        relaxed.bound,
    )
    value, reason, trace, partition = local.value, local.reason, local.trace, None
    sandwich: dict[str, Any] = {"bound": relaxed.bound, "global_bound": None, "global_value": None}
    if method == "global":
        exact = branch_and_bound(values, constraint, value, how, budget)
        value, reason, trace, partition = exact.value, exact.reason, exact.trace, exact.partition
        sandwich |= {"global_bound": exact.bound, "global_value": value.objective}
    pool = values.pool
    return Learned(
        value=value,
        reason=reason,
        trace=trace,
        dual=relaxed.dual,
        partition=partition,
        program=partial(dc_step_program, constraint, value, list(pool.s), list(pool.energies)),
        extra={"sandwich": sandwich, "starts": local.starts},
        details={
            "residual": local.residual,
            "eigenvalue_gap": local.eigenvalue_gap,
        },
    )


def dc_step_program(
    constraint: TailBudget, value: Value, s: list[float], energies: list[FloatArray]
) -> pyo.ConcreteModel:
    """The master of the exact DCA step at a value's weights, with cuts s (T,), energies (T, M)."""
    v = constraint.supergradient(constraint.tail(value.mu))
    return build_silp(constraint.inner(v), s, energies)


def learn_whole(
    values: ValueOracle, ball: WeightBall, settings: RunSettings, budget: Budget
) -> Learned:
    """The whole dual program by one solver for quadratic rows; its multipliers are the weights.

    Where no solver is named and one fails, the next one installed is tried. What a solver leaves
    open, with or without multipliers, is closed by exchange; a warning says so.
    """
    # J at equal shares of the ball: the incumbent, and how large the program's numbers are
    accuracy = VALUE_SHARE * settings.tol
    first = values(ball.weights(ball.to_sphere(np.ones(len(ball.c)))), accuracy)
    best = BestWeights.at(first, ball)
    # the program, by the first solver that does not fail
    build = partial(build_qcqp, values.problem, ball, first.a)
    model = build()
    name, answer, warnings = _solve_whole(model, ball, settings, budget)
    # its dual point and, by its multipliers, its weights; u (L,) is their direction
    u, lack = np.ones(len(ball.c)), "gives no point"
    problem = values.problem
    if answer.x is not None:
        lack = "gives no multipliers"
        a = np.array([point.value for point in model.a.values()], dtype=np.float64)
        a = problem.feasible(a.reshape(problem.labels.shape))
        q, gain = problem.energies(a), problem.gain(a)
        values.pool.add(a, gain, q)
        best.offer_dual(a, gain - 0.5 * ball.support(q))
        if answer.row_duals is not None:
            # of a maximisation: the suffix has d maximum / d right-hand side, >= 0 of a row <=
            duals = np.array([model.dual[row] for row in model.energy.values()])
            u = ball.to_sphere(ball.c * np.maximum(duals, 0.0))
            best.offer(problem.value(ball.weights(u), a), ball)
            best.offer(values(ball.weights(u), accuracy), ball)
            lack = f"leaves a gap of {best.gap:.2g}"
    # exchange closes what the solver leaves open
    reason = Reason.SOLVER
    pair = best.value.objective, best.bound
    if answer.status in (Status.LIMIT, Status.INTERRUPTED):
        reason = budget.cut
        if answer.x is None:
            raise OutOfBudget
    elif certified_by(*pair, settings.tol, settings.abs_tol) is None:
        how = ExchangeSettings(
            tol=settings.tol, abs_tol=settings.abs_tol, seed=settings.seed, threads=settings.threads
        )
        try:
            closed, ended, _ = minimise_over_ball(values, ball, u, how, budget)
            best.offer(closed.value, ball)
            best.offer_dual(closed.dual, closed.bound)
            reason = ended if ended.premature else reason
        except OutOfBudget:
            reason = budget.reason
        lack = f"{name} {lack}: the weights are those of an exchange that starts there"
        warnings = (*warnings, lack)
    return Learned(
        value=best.value,
        reason=reason,
        trace=None,
        dual=best.dual,
        program=build,
        solver=SolverUse(name, answer.version, settings.solver_options),
        warnings=warnings,
    )


def _solve_whole(
    model: pyo.ConcreteModel, ball: WeightBall, settings: RunSettings, budget: Budget
) -> tuple[str, Solution, tuple[str, ...]]:
    """The named solver and its answer, or the first installed that does not fail; the last one's
    failure is raised."""
    names = (settings.solver,) if settings.solver is not None else qcqp_solvers(ball.p)
    cone, warnings = ball.p != 1.0, tuple[str, ...]()
    for name in names:
        if cone and solver(name).installed() and not solver(name).declared.cones:
            use = instead(able(ProblemClass.QCQP, cones=True))
            raise OptionError(f"solver {name} does not take the cone of norm 2: {use}")
        try:
            # for norm 2 without the test for convexity, which its cone fails
            answer = solve_model(model, name, settings.for_solver(budget), known_convex=cone)
            if answer.claim is not None:
                raise SolverError(f"{name} calls the program {answer.claim}, which it cannot be")
        except SolverError as error:
            if name == names[-1]:
                raise
            warnings = (*warnings, f"{error}: the next solver was asked")
        else:
            break
    return name, answer, warnings


def qcqp_solvers(p: float = 1.0) -> tuple[str, ...]:
    """The solvers installed that take the dual program of norm p, 1 or 2, the preferred first."""
    names = tuple(able(ProblemClass.QCQP, cones=p != 1.0))
    if not names:
        raise OptionError("no solver for quadratic rows is installed: use method silp")
    return names
