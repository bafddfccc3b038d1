"""The methods of multiple kernel learning: what each variant runs, and what it hands back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from radprog.base.errors import OptionError
from radprog.base.limits import OutOfBudget, bounded
from radprog.base.tolerances import UNIT_ROUNDOFF
from radprog.base.types import FloatArray
from radprog.decompositions.loop import Budget, Reason, Record, ignore
from radprog.decompositions.mkl.branch import GlobalResult, branch_and_bound
from radprog.decompositions.mkl.machines import Machines
from radprog.decompositions.mkl.nonconvex import Start, minimise_dc, starting_points
from radprog.decompositions.mkl.oracle import BestWeights, Exchanging, minimise
from radprog.decompositions.mkl.predictor import MultiKernelExpansion
from radprog.decompositions.run import Builder, RunSettings, SolverUse
from radprog.models.mkl.kernel_sets import KernelSet
from radprog.models.mkl.problem import MultipleKernels, Value, WeightBall
from radprog.models.mkl.programs import build_silp, build_svm
from radprog.models.mkl.settings import DEFAULT_STARTS, MKL
from radprog.models.mkl.tail_budget import TailBudget

if TYPE_CHECKING:
    import pyomo.environ as pyo

UNREAD_KERNELS = (
    "the run was cut off before its kernels were there: weights are equal, and the predictor is "
    "the best constant"
)
UNTRIED_WEIGHTS = (
    "the run was cut off before its first step: the kernels have equal shares of the budget by "
    "their traces"
)


@dataclass(frozen=True, kw_only=True)
class Learned:
    """What a method hands to the packing: the value found and the evidence of its bound."""

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


def complexity_upper(spec: MKL, problem: MultipleKernels) -> float:
    """At least the Rademacher complexity of {w'phi_mu: |w| <= 1, mu in the set of the variant}.

    It is E sqrt(max_mu sigma'K_mu sigma) / n, by Jensen's inequality and a maximum that is at most
    a sum no more than sqrt(sum_m tr(K_m) / c_m) / n over the ball ||c * mu||_p <= 1 around the set.
    """
    traces = np.einsum("mii->m", problem.kernels.K)
    slopes = traces / problem.kernels.M
    if spec.variant != "unif":
        slopes = ball_of(spec, problem).slopes(traces)
    return float(np.sqrt(slopes.sum())) / problem.kernels.n


def _exchanging(spec: MKL, settings: RunSettings, *, quiet: bool = False) -> Exchanging:
    if quiet:
        settings = replace(settings, max_iter=None, observe=ignore)
    return Exchanging(exchange=spec.exchange, **vars(settings))


def _first_point(problem: MultipleKernels, settings: RunSettings) -> FloatArray:
    """Starting direction (M,): equal shares of the ball, or the weights of an earlier fit."""
    start, kernels = settings.start, problem.kernels
    if start is None:
        return np.ones(kernels.M)
    if not isinstance(start, MultiKernelExpansion) or start.kernels != kernels.raw:
        raise OptionError("start: a fit of other kernels than these; leave --start out")
    return start.weights / kernels.factors


def uniform(machines: Machines, settings: RunSettings, budget: Budget) -> Learned:
    """The machine with the mean of all kernels."""
    M = machines.problem.kernels.M
    value = machines.regardless(np.full(M, 1.0 / M), 0.1 * settings.tol)
    return Learned(
        value=value,
        reason=Reason.SOLVER if len(machines.pool) else budget.reason,
        trace=None,
        dual=value.a,
        program=partial(build_svm, machines.problem, value.mu),
    )


def convex(spec: MKL, machines: Machines, settings: RunSettings, budget: Budget) -> Learned:
    """min J over a ball by exchange."""
    ball = ball_of(spec, machines.problem)
    start = _first_point(machines.problem, settings)
    given = start if settings.start is None else ball.c * start
    how = _exchanging(spec, settings)
    found, reason, trace = minimise(machines, ball, given, how, budget)
    assert found.value is not None
    pool = machines.pool
    return Learned(
        value=found.value,
        reason=reason,
        trace=trace,
        dual=found.dual,
        program=partial(build_silp, ball, list(pool.s), list(pool.energies)),
    )


def nonconvex(
    spec: MKL, machines: Machines, settings: RunSettings, budget: Budget, method: str
) -> Learned:
    """Variant dc: the relaxation, then DCA from several starts or branch and bound."""
    problem = machines.problem
    constraint = tail_budget(spec, problem)
    quiet, how = _exchanging(spec, settings, quiet=True), _exchanging(spec, settings)
    M = problem.kernels.M
    relaxed, _, _ = minimise(machines, constraint.outer(), np.ones(M), quiet, budget)
    assert relaxed.value is not None
    try:
        starts = starting_points(
            machines, constraint, relaxed.value.mu, spec.starts or DEFAULT_STARTS, settings.seed,
            budget,
        )  # fmt: skip
        if settings.start is not None:
            given = _first_point(problem, settings)
            starts = [Start("given", given), *starts][: len(starts)]
        local = minimise_dc(
            machines,
            constraint,
            starts,
            "hybrid" if method == "global" else method,
            quiet if method == "global" else how,
            budget,
            relaxed.bound,
        )
    except OutOfBudget:
        return unlearned(spec, problem, budget.reason, relaxed)
    value, reason, trace = local.value, local.reason, local.trace
    partition: Mapping[str, Any] | None = None
    exact: GlobalResult | None = None
    if method == "global":
        exact = branch_and_bound(machines, constraint, value, how, budget)
        value, reason, trace = exact.value, exact.reason, exact.trace
        partition = exact.partition
    sandwich = {
        "bound": relaxed.bound,
        "value": value.objective,
        "global_bound": None if exact is None else exact.bound,
        "global_value": None if exact is None else exact.value.objective,
    }
    pool = machines.pool
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
            "tail_sum": _tail_in_time(constraint, value.mu),
        },
    )


def unlearned(
    spec: MKL, problem: MultipleKernels, reason: Reason, relaxed: BestWeights | None = None
) -> Learned:
    """Where a limit leaves time for no more: weights that meet the constraint because no tail sum
    is above the trace, with w = 0 or, of variant dc, the dual point of a relaxation that is done.
    """
    mu, kernels = traced_weights(spec, problem.kernels), problem.kernels
    value = problem.at_zero(mu)
    dual = np.zeros(problem.labels.shape)
    if relaxed is not None and relaxed.value is not None and relaxed.dual is not None:
        dual = relaxed.dual
        with suppress(OutOfBudget):
            better = bounded(problem.value, mu, relaxed.value.a)
            value = better if better.objective < value.objective else value
    bound = 0.0 if relaxed is None else relaxed.bound
    own: dict[str, Any] = {}
    details: dict[str, Any] = {}
    if spec.variant == "dc":
        pair = {"bound": bound, "value": value.objective}
        own = {"sandwich": {**pair, "global_bound": None, "global_value": None}, "starts": []}
        details = dict.fromkeys(("residual", "eigenvalue_gap", "tail_sum"))
    program = no_program if kernels.unread else partial(build_svm, problem, value.mu)
    return Learned(
        value=value,
        reason=reason,
        trace=[],
        dual=dual,
        program=program,
        warnings=(UNREAD_KERNELS if kernels.unread else UNTRIED_WEIGHTS,),
        extra=own,
        details=details,
    )


def traced_weights(spec: MKL, kernels: KernelSet) -> FloatArray:
    """Equal shares (M,) of the budget with traces for tail sums; 0 where no trace is known."""
    M, n = kernels.M, kernels.n
    if spec.variant == "unif":
        return np.full(M, 1.0 / M)
    if spec.variant == "lp":
        return np.full(M, M ** (-1.0 / spec.p))
    if kernels.unread and spec.normalize != "trace":
        return np.zeros(M)
    traces = np.full(M, float(n)) if kernels.unread else np.einsum("mii->m", kernels.K)
    shares = spec.budget(n) / traces
    if spec.variant == "dc":
        return np.asarray((shares / M) ** (1.0 / spec.p)) * (1.0 - UNIT_ROUNDOFF * 64 * M)
    return np.asarray(shares * (M ** (-1.0 / spec.p) * (1.0 - UNIT_ROUNDOFF * 64 * M)))


def no_program() -> pyo.ConcreteModel:
    """OptionError: a run that ended before its kernels were there has solved no program."""
    raise OptionError("the run was cut off before its kernels were there: it has solved no program")


def _tail_in_time(constraint: TailBudget, mu: FloatArray) -> float | None:
    try:
        return bounded(constraint.tail, mu).value
    except OutOfBudget:
        return None


def dc_step_program(
    constraint: TailBudget, value: Value, s: list[float], energies: list[FloatArray]
) -> pyo.ConcreteModel:
    """The master of the exact DCA step at a value's weights, with cuts s (T,), energies (T, M)."""
    v = constraint.supergradient(constraint.tail(value.mu))
    return build_silp(constraint.inner(v), s, energies)
