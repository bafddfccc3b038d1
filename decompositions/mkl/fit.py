"""Multiple kernel learning with tail sums: variants conv, lp, unif and dc, certified."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any, ParamSpec, TypeVar

import numpy as np

from radprog.base.errors import MALFORMED, DataError, OptionError
from radprog.base.limits import OutOfBudget, bounded, poll, under
from radprog.base.tolerances import SUPPORT, UNIT_ROUNDOFF, WEIGHT_EXCESS
from radprog.decompositions.drivers.masters import check_master
from radprog.decompositions.expansion import signs
from radprog.decompositions.loop import Budget, Clock
from radprog.decompositions.mkl.branch import MOST_BRANCHED, partition_bound
from radprog.decompositions.mkl.machines import Machines, Pool
from radprog.decompositions.mkl.methods import (
    Learned,
    ball_of,
    convex,
    nonconvex,
    problem_of,
    tail_budget,
    uniform,
    unlearned,
)
from radprog.decompositions.mkl.predictor import MultiKernelExpansion, multi_kernel_expansion
from radprog.decompositions.mkl.report import bounds_of
from radprog.decompositions.mkl.whole import whole
from radprog.decompositions.run import (
    SOLVERLESS,
    Methods,
    Outcome,
    Recomputed,
    Run,
    RunSettings,
    SolverUse,
    packed,
)
from radprog.decompositions.threads import held_to
from radprog.instances.grams import read_grams
from radprog.instances.mkl_data import MklData
from radprog.models.lapack import LARGE_MATRIX
from radprog.models.mkl.kernel_sets import KernelSet, kernel_set, unread_kernels
from radprog.models.mkl.problem import MultipleKernels, Value
from radprog.models.mkl.settings import METHODS_OF, MKL
from radprog.solvers.adapters.highs import version as highs_version

Given = ParamSpec("Given")
Result = TypeVar("Result")
NOT_USED: Methods = {
    "qcqp": ("max_iter", "start"),
    "svm": ("max_iter", "start", *SOLVERLESS),
}
SMALL_C_SHARE = 0.9  # share of the sum of dual points that C allows, above which C is small


def gram_data(spec: MKL, data: MklData | None) -> MklData:
    """The data set, or the kernel matrices that ``spec.grams`` names in its place."""
    if data is not None:
        return data
    if spec.grams is None:
        raise OptionError("no data: give a data set, or kernel matrices by the option grams")
    return read_grams(spec.grams)


def fit_mkl(spec: MKL, data: MklData | None, settings: RunSettings) -> Run:
    """Learn kernel weights and a classifier; certify the result.

    ``settings.method`` None: silp (conv, lp), hybrid (dc), svm (unif). ``data`` may be None where
    ``spec.grams`` names a file. Raises OptionError, DataError on bad input, SolverError when a
    solver fails.
    """
    clock = settings.clock()
    method_of(spec, settings)
    known = gram_data(spec, data)
    try:
        with under(clock.grace):
            kernels = bounded(kernel_set, spec, known)
    except OutOfBudget:
        kernels = unread_kernels(spec, known)
    return fit_kernels(spec, kernels, settings, clock)


def method_of(spec: MKL, settings: RunSettings) -> str:
    """The method, checked against the variant; raises OptionError."""
    known = METHODS_OF[spec.variant]
    if settings.method not in (None, *known):
        raise OptionError(
            f"method '{settings.method}' is not one of variant '{spec.variant}': expected "
            f"{', '.join(known)}"
        )
    method = settings.check(spec, NOT_USED, methods=known)
    if settings.solver is not None and method != "qcqp":
        check_master(settings.solver)
    if method == "global" and spec.p != 1.0:
        raise OptionError(f"method 'global' is for norm 1, not {spec.p:g}")
    if method == "qcqp" and spec.p not in (1.0, 2.0):
        raise OptionError(f"norm {spec.p:g} makes no quadratic program: use method silp")
    if method == "qcqp" and spec.exchange != "newton":
        raise OptionError("exchange is not used by method 'qcqp'")
    return method


def fit_kernels(
    spec: MKL,
    kernels: KernelSet,
    settings: RunSettings,
    clock: Clock,
    pool: Pool | None = None,
) -> Run:
    """:func:`fit_mkl` for prepared kernels; ``pool`` holds known cuts and gets the new ones.

    BLAS gets one thread, whatever ``settings.threads`` says, which is for solvers: local methods
    carry the last digit of a sum into later ones, and on small matrices more threads only wait.
    """
    with held_to(1):
        return _fit_kernels(spec, kernels, settings, clock, pool)


def _fit_kernels(
    spec: MKL, kernels: KernelSet, settings: RunSettings, clock: Clock, pool: Pool | None
) -> Run:
    method = method_of(spec, settings)
    problem = problem_of(spec, kernels)
    if method == "global" and kernels.M > MOST_BRANCHED:
        raise OptionError(
            f"{kernels.M} kernels: method 'global' is for at most {MOST_BRANCHED}, use hybrid"
        )
    clock.ready()
    machines = Machines(problem, pool)
    with under(clock.grace):
        learned = _learned(spec, machines, settings, clock.budget, method)
        machines.rest()
        outcome = outcome_of(spec, problem, machines, learned, settings, method)
    return packed(spec, settings, clock, outcome)


def _learned(
    spec: MKL, machines: Machines, settings: RunSettings, budget: Budget, method: str
) -> Learned:
    """What the method of a variant learns."""
    problem = machines.problem
    if problem.kernels.unread:
        return unlearned(spec, problem, budget.reason)
    try:
        if spec.variant == "unif":
            return uniform(machines, settings, budget)
        if spec.variant == "dc":
            return nonconvex(spec, machines, settings, budget, method)
        if method == "qcqp":
            return whole(machines, ball_of(spec, problem), settings, budget)
        return convex(spec, machines, settings, budget)
    except OutOfBudget:
        return unlearned(spec, problem, budget.reason)


def values_of(
    spec: MKL, problem: MultipleKernels, evidence: Mapping[str, Any]
) -> tuple[Value, float | None]:
    """The primal value at the stored weights, rounded up, and the lower bound of the stored dual
    points.

    Raises DataError where they do not fit the data, or the weights break their constraint.
    """
    return stored_value(spec, problem, evidence), stored_bound(spec, problem, evidence)


def stored_value(spec: MKL, problem: MultipleKernels, evidence: Mapping[str, Any]) -> Value:
    """The primal value at the stored weights, rounded up; raises DataError."""
    M, shape = problem.kernels.M, problem.labels.shape
    mu = np.asarray(evidence["weights"], dtype=np.float64)
    a = np.asarray(evidence["a"], dtype=np.float64)
    if mu.shape != (M,) or a.shape != shape or mu.min() < 0:
        raise DataError("the stored weights and dual points do not fit this data set")
    value = problem.value(mu, a)
    if spec.variant == "unif":
        if np.abs(mu - 1.0 / M).max() > WEIGHT_EXCESS:
            raise DataError("the stored weights are not uniform")
        return _rounded_up(problem, value)
    if spec.variant == "dc":
        constraint = tail_budget(spec, problem)
        excess = constraint.used(mu, constraint.tail(mu).value)
    else:
        excess = ball_of(spec, problem).length(mu)
    if excess > 1.0 + WEIGHT_EXCESS:
        raise DataError(f"the stored weights break their constraint by a factor {excess:.12g}")
    return _rounded_up(problem, value, excess * (1.0 + 4.0 * (M + 2) * UNIT_ROUNDOFF))


def stored_bound(spec: MKL, problem: MultipleKernels, evidence: Mapping[str, Any]) -> float | None:
    """The lower bound of the stored dual points; raises DataError."""
    if spec.variant == "dc" and evidence.get("partition") is not None:
        try:
            return partition_bound(tail_budget(spec, problem), evidence["partition"])
        except MALFORMED as error:
            raise DataError(f"the stored partition is damaged: {error!r}") from None
    if evidence.get("dual") is None:
        return None
    dual = np.asarray(evidence["dual"], dtype=np.float64)
    if dual.shape != problem.labels.shape:
        raise DataError("the stored dual points do not fit this data set")
    if not dual.any():
        return 0.0  # of the dual point 0: no loss is negative
    if spec.variant == "unif":
        mu = np.asarray(evidence["weights"], dtype=np.float64)
        return problem.fixed_bound(mu, dual)
    return problem.dual_bound(ball_of(spec, problem), dual)


def _by_size(
    problem: MultipleKernels, call: Callable[Given, Result], *args: Given.args, **more: Given.kwargs
) -> Result:
    """call(*args), given up on at a limit where a factor of every kernel, or its values, may take
    long."""
    kernels = problem.kernels
    n, X = kernels.n, kernels.points
    features = 0 if X is None else X.size // n
    unknown = X is not None and (X.dtype.kind == "U" or any(k.own for k in kernels.raw))
    if unknown or kernels.M * n**2 * max(n, features) >= LARGE_MATRIX**3:
        return bounded(call, *args, **more)
    poll()
    return call(*args, **more)


def _in_time(
    spec: MKL, problem: MultipleKernels, learned: Learned
) -> tuple[Value, float | None, dict[str, Any]]:
    """Value, bound and the evidence of both, each of which a limit may leave no time to recompute:
    then the value is as it was computed, and the bound that of a weaker dual point."""
    dual = None if learned.dual is None else learned.dual.tolist()
    evidence: dict[str, Any] = {
        "weights": learned.value.mu.tolist(),
        "a": learned.value.a.tolist(),
        "dual": dual,
    }
    zero = {**evidence, "dual": np.zeros(problem.labels.shape).tolist()}
    several = [evidence, zero]
    if learned.partition is not None:
        several.insert(0, {**evidence, "partition": dict(learned.partition)})
    bound = None
    for evidence in several:
        try:
            bound = _by_size(problem, stored_bound, spec, problem, evidence)
            break
        except OutOfBudget:
            bound = 0.0
    try:
        value = _by_size(problem, stored_value, spec, problem, evidence)
    except OutOfBudget:
        value = learned.value
    return value, bound, evidence


def _rounded_up(problem: MultipleKernels, value: Value, excess: float = 1.0) -> Value:
    return replace(value, objective=problem.objective_up(value, excess))


def recompute_mkl(
    spec: MKL, data: MklData | None, evidence: Mapping[str, Any], seed: int = 0
) -> Recomputed:
    """What the stored points are worth, from the data alone, without any solver."""
    problem = problem_of(spec, kernel_set(spec, gram_data(spec, data)))
    try:
        value, bound = values_of(spec, problem, evidence)
    except MALFORMED as error:
        if isinstance(error, DataError):
            raise
        raise DataError(f"not the evidence of a result of mkl: {error!r}") from None
    fit = multi_kernel_expansion(problem, value)
    return Recomputed(objective=value.objective, bound=bound, fit=fit)


def outcome_of(
    spec: MKL,
    problem: MultipleKernels,
    machines: Machines,
    learned: Learned,
    settings: RunSettings,
    method: str,
) -> Outcome:
    """What was learned, its certificate recomputed from the data."""
    value, bound, evidence = _in_time(spec, problem, learned)
    name = settings.solver or "highs"
    version = highs_version() if name == "highs" else ""
    default = SolverUse(name, version, settings.solver_options)
    fit, sandwich = multi_kernel_expansion(problem, value), learned.extra.get("sandwich")
    return Outcome(
        method=method,
        reason=learned.reason,
        objective=value.objective,
        bound=bound,
        trace=learned.trace,
        solver=learned.solver or default,
        fit=fit,
        summary={
            **_summary(spec, problem, value, fit),
            "machines": machines.calls,
            **learned.details,
        },
        evidence=evidence,
        program=learned.program,
        columns=len(machines.pool),
        warnings=(
            *problem.kernels.warnings,
            *learned.warnings,
            *_bounded(spec, problem, value),
        ),
        extra={
            **learned.extra,
            **({"sandwich": {**sandwich, "value": value.objective}} if sandwich else {}),
            "bounds": _bounds_in_time(spec, problem, value),
        },
    )


def _bounds_in_time(spec: MKL, problem: MultipleKernels, value: Value) -> list[dict[str, Any]]:
    try:
        return _by_size(problem, bounds_of, spec, problem, value)
    except OutOfBudget:
        return []


def _bounded(spec: MKL, problem: MultipleKernels, value: Value) -> tuple[str, ...]:
    """A warning where nearly all dual points that can be are at C: kernels hardly matter then.

    With a bias both classes weigh the same, so that at most twice the smaller one is at C.
    """
    if problem.loss != "hinge":
        return ()
    costs = np.broadcast_to(problem.C, problem.labels.shape)
    sides = [np.where(problem.labels * side > 0, costs, 0.0).sum(axis=1) for side in (1, -1)]
    most = 2.0 * float(np.minimum(*sides).sum()) if problem.bias else float(costs.sum())
    share = float(value.a.sum()) / most
    if share <= SMALL_C_SHARE:
        return ()
    return (
        f"nearly all dual points are at C = {spec.C:g} ({share:.0%} of what it allows), where "
        "the choice of kernels hardly matters: choose a larger C or tail budget",
    )


def _summary(
    spec: MKL, problem: MultipleKernels, value: Value, fit: MultiKernelExpansion
) -> dict[str, Any]:
    """The ``fit`` block of a result; the training error is that of the predictor where its kernels
    can be computed, else of the matrices given."""
    kernels = problem.kernels
    scores = value.scores + value.biases[:, None]
    tails = None
    with suppress(OutOfBudget):
        if spec.variant != "unif" and not kernels.unread:
            tails = _by_size(problem, kernels.tails, spec.cutoff).tolist()
        if kernels.points is not None and not any(kernel.given for kernel in kernels.raw):
            scores = np.atleast_2d(_by_size(problem, fit.scores, kernels.points).T)
    if len(scores) == 1:
        wrong = signs(scores[0]) != problem.labels[0]
    else:
        wrong = scores.argmax(axis=0) != problem.labels.argmax(axis=0)
    used = int((value.mu > SUPPORT * value.mu.max()).sum())
    return {
        "weights": value.mu.tolist(),
        "kernels": list(kernels.names),
        "kernels_used": used,
        "weight_per_kernel": value.mu.tolist(),
        "norms": (value.mu * np.sqrt(value.energies)).tolist(),
        "theta": spec.cutoff,
        "tail_sums": tails,
        "trace_factors": kernels.factors.tolist(),
        "bias": value.biases.tolist(),
        "coefficients": len(fit.support),
        "support_vectors": len(fit.support),
        "training_error": float(np.average(wrong, weights=kernels.weights)),
    }
