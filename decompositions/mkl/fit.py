"""Multiple kernel learning with tail sums: certified fits of the variants conv, lp, unif and dc.

:func:`fit_mkl` has these steps:

- It computes the kernel matrices from the data (:mod:`radprog.models.mkl.kernel_sets`).
- It minimises J (:mod:`radprog.models.mkl.problem`) by the exchange method
  (:mod:`radprog.decompositions.mkl.exchange`). For the variant dc, each DCA step uses this method.
- It recomputes the values of the weights and dual points from the data.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextvars import Context
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from radprog.base.errors import DataError, OptionError, SolverError
from radprog.base.limits import OutOfBudget, held_to
from radprog.base.modelling import pyo
from radprog.base.tolerances import UNIT_ROUNDOFF, WEIGHT_EXCESS
from radprog.base.types import FloatArray, IntArray
from radprog.decompositions.drivers.masters import check_master
from radprog.decompositions.loop import Budget, Reason, Record, certified_by, first_step, ignore
from radprog.decompositions.mkl.dca import Start, minimise_dc, starting_points
from radprog.decompositions.mkl.exchange import BestWeights, ValueOracle, minimise_over_ball
from radprog.decompositions.predictors import (
    check_rows,
    columns_of,
    plain_values,
    read_points,
    reading,
    rebuilt,
)
from radprog.decompositions.run import (
    Attempt,
    Builder,
    Outcome,
    Recomputed,
    Run,
    RunSettings,
    SolverUse,
    attempted,
    level_ties,
    packed,
    signs,
    supporting,
    training_block,
)
from radprog.decompositions.searching import bound_at, search_form, searcher
from radprog.instances.dataset import MklData
from radprog.models.kernels import OWN, check_sample, resolved, sample_of
from radprog.models.mkl.bounds import bounds_of
from radprog.models.mkl.kernel_sets import (
    KernelSet,
    RawKernel,
    kernel_set,
    kernel_values,
    tail_sum,
    weighted_traces,
)
from radprog.models.mkl.problem import (
    JointKernels,
    MultipleKernels,
    TailBudget,
    Value,
    WeightBall,
    ball_of,
    problem_of,
    tail_budget,
)
from radprog.models.mkl.programs import (
    build_dc,
    build_multiclass,
    build_qcqp,
    build_silp,
    build_svm,
)
from radprog.models.mkl.settings import DEFAULT_STARTS, MKL
from radprog.solvers.adapters import piqp
from radprog.solvers.program import ProblemClass, Status, relative_gap
from radprog.solvers.registry import able, instead, solve_model, solver

VALUE_SHARE = 0.1  # gap of a value of J, relative to the tolerance, where it is computed once


@dataclass(frozen=True, kw_only=True)
class Learned:
    """The result of a method: the best value and the evidence of its bound."""

    value: Value
    reason: Reason
    trace: Sequence[Record] | None
    dual: FloatArray | None
    program: Builder
    columns: int | None = None
    solver_bound: float | None = None
    solver: SolverUse | None = None
    warnings: tuple[str, ...] = ()
    extra: Mapping[str, Any] = field(default_factory=dict)
    details: Mapping[str, Any] = field(default_factory=dict)


def fit_mkl(
    spec: MKL, data: MklData | None, settings: RunSettings, kernels: KernelSet | None = None
) -> Run:
    """Learn kernel weights and a classifier, and certify the result.

    The default method is silp for the variants conv and lp, hybrid for dc, and svm for unif.
    ``data`` may be None if ``spec.grams`` names a file, or if there are prepared ``kernels``. BLAS
    always uses one thread, and ``settings.threads`` applies only to solvers: with more threads, the
    last digits of sums would change, and with them the end point of a local method. For small
    matrices, more threads are also no faster. Raises OptionError and DataError for
    invalid input, SolverError if a solver fails, and UnfinishedError if a limit ends the run before
    its first step.
    """
    # a method of the variant and the norm
    joint = " with multiclass joint" if spec.multiclass == "joint" else ""
    method = settings.method_of(spec, spec.usable_methods, f" of variant '{spec.variant}'{joint}")
    if settings.solver is not None and method not in ("qcqp", "global"):
        check_master(settings.solver)
    if method == "global":
        if spec.p != 1.0:
            raise OptionError(f"method 'global' is for norm 1, not {spec.p:g}")
        searcher(ProblemClass.MIQCQP, settings)  # before the descents
    if method == "qcqp" and spec.p not in (1.0, 2.0):
        raise OptionError(f"norm {spec.p:g} makes no quadratic program: use method silp")
    budget = settings.budget()
    with held_to(1):
        if kernels is None:
            with first_step(budget):
                kernels = kernel_set(spec, data)
        problem = problem_of(spec, kernels)
        if method == "global":
            if kernels.M > 3:
                raise OptionError(
                    f"{kernels.M} kernels: method 'global' is for at most 3, use hybrid"
                )
            check_points(kernels.n, "method 'global'", ", use hybrid")
        budget.kernels = budget.seconds
        values = ValueOracle(problem)
        with first_step(budget):
            if spec.variant == "unif":
                learned = learn_uniform(values, settings)
            elif spec.variant == "dc":
                learned = learn_dc(spec, values, settings, budget, method)
            elif method == "qcqp":
                learned = learn_whole(values, ball_of(spec, problem), settings, budget)
            else:
                # minimise J over a ball by the exchange method, from equal weights or a start
                ball, weights = ball_of(spec, problem), starting_weights(problem, settings)
                start = np.ones(len(ball.c)) if weights is None else ball.c * weights
                best, reason, trace = minimise_over_ball(values, ball, start, settings, budget)
                learned = Learned(
                    value=best.value,
                    reason=reason,
                    trace=trace,
                    dual=best.dual,
                    columns=len(best.s),
                    program=partial(build_silp, ball, best.s, best.energies),
                )
        outcome = outcome_of(spec, values, learned, settings, method)
    return packed(spec, settings, budget, outcome)


def fit_grid(
    specs: Sequence[MKL], data: MklData | None, settings: RunSettings
) -> Iterator[tuple[MKL, Attempt]]:
    """The runs of all specs, grouped by kernels, in order within a group.

    If theta is at least the rank of a kernel, an error takes the place of the run. Specs with the
    same kernels share the prepared matrices, their eigenvalues and tail sums. They do not share
    cuts, although shared cuts would be valid. A larger master would cost more time than the saved
    rounds.
    """
    # settings that prepare the same kernels are one group
    groups: dict[MKL, list[MKL]] = {}
    for spec in specs:
        prepared = MKL(
            kernels=spec.kernels,
            grams=spec.grams,
            normalize=spec.normalize,
            center=spec.center,
        )  # what the prepared kernels depend on
        groups.setdefault(prepared, []).append(spec)
    for shared, members in groups.items():
        kernels = kernel_set(shared, data)
        for spec in members:
            yield spec, attempted(fit_mkl, spec, None, settings, kernels)


def starting_weights(problem: MultipleKernels, settings: RunSettings) -> FloatArray | None:
    """The weights (M,) of the earlier fit ``settings.start``, or None if there is no earlier
    fit.
    """
    start, kernels = settings.start, problem.kernels
    if start is None:
        return None
    if not isinstance(start, MultiKernelExpansion) or start.kernels != kernels.raw:
        raise OptionError("start: a fit of other kernels than these; leave `start` out")
    return start.weights / kernels.factors


def learn_uniform(values: ValueOracle, settings: RunSettings) -> Learned:
    """Solve the support vector machine with the mean of all kernels."""
    problem = values.problem
    M = problem.kernels.M
    value = values(np.full(M, 1.0 / M), VALUE_SHARE * settings.tol)
    program: Builder = partial(build_svm, problem, value.mu)
    if isinstance(problem, JointKernels):
        codes, K = problem.onehot.argmax(axis=0), problem.combine(value.mu)[None]
        program = partial(build_multiclass, K, codes, problem.costs, None, bias=problem.bias)
    return Learned(value=value, reason=Reason.SOLVER, trace=None, dual=value.a, program=program)


def learn_dc(
    spec: MKL, values: ValueOracle, settings: RunSettings, budget: Budget, method: str
) -> Learned:
    """Solve the variant dc. The relaxation is solved first. DCA then runs from several starts.

    If a limit ends the run before the first step of DCA, the answer is the relaxation's, scaled.

    The method ``global`` gives the form ``dc`` to a global solver, with the best value as start.
    """
    problem = values.problem
    constraint = tail_budget(spec, problem)
    exact, quiet = method == "global", replace(settings, max_iter=None, observe=ignore)
    if exact:  # the solver, its options and its log are those of the search
        quiet = replace(quiet, solver=None, solver_options={}, log=None)
    # the relaxation: the lower bound of every local method
    M = problem.kernels.M
    relaxed, _, _ = minimise_over_ball(values, constraint.outer(), np.ones(M), quiet, budget)
    # its weights on the boundary of the constraint: the answer where a limit ends what follows, and
    # without this limit, for one eigendecomposition
    biases = relaxed.value.biases if isinstance(problem, JointKernels) else None
    boundary = Context().run(constraint.to_boundary, relaxed.value.mu)
    value = Context().run(problem.value, boundary, relaxed.value.a, biases)
    trace = [Record(0, budget.seconds, value.objective, relaxed.bound)]
    summaries, details = list[Start](), dict[str, Any](residual=None, eigenvalue_gap=None)
    try:
        # the starts, an earlier fit the first of them
        count = spec.starts or DEFAULT_STARTS
        starts = starting_points(values, constraint, relaxed.value.mu, count, settings.seed)
        weights = starting_weights(problem, settings)
        if weights is not None:
            starts = [("given", weights), *starts][:count]
        # DCA from all of them
        value, reason, trace, summaries, details = minimise_dc(
            values, constraint, starts, "hybrid" if exact else method, quiet if exact else settings,
            budget, relaxed.bound,
        )  # fmt: skip
    except OutOfBudget:
        reason = budget.reason
    solution = use = None
    sandwich: dict[str, Any] = {"bound": relaxed.bound, "global_bound": None, "global_value": None}
    # the whole program, from the best critical point, unless the relaxation proves that point
    if exact and not certified_by(value.objective, relaxed.bound, settings.tol, settings.abs_tol):
        try:
            bound = spec.tail_bound(problem.kernels.n)
            model = build_dc(problem, spec.cutoff, bound, spec.p, value)
            settings.observe(trace[-1])  # the pair so far, because the search may be long
            solution, reason, use = search_form(model, ProblemClass.MIQCQP, settings, budget)
            mu = np.array([max(weight.value, 0.0) for weight in model.mu.values()])
            if mu.any():
                candidate = values(constraint.to_boundary(mu), VALUE_SHARE * settings.tol)
                value = min(value, candidate, key=lambda value: value.objective)
        except OutOfBudget:  # before the search or its model, or before its point has a value
            reason = budget.reason
    if solution is not None:
        global_bound = bound_at(solution, value.objective)
        sandwich |= {"global_bound": global_bound, "global_value": value.objective}
    return Learned(
        value=value,
        reason=reason,
        trace=trace,
        dual=relaxed.dual,
        solver_bound=sandwich["global_bound"],
        solver=use,
        program=partial(dc_step_program, constraint, value),
        extra={"sandwich": sandwich, "starts": summaries},
        details=details,
    )


def check_points(n: int, subject: str = "form 'dc'", instead: str = "") -> None:
    """Raise OptionError if the form ``dc`` of n points is too large."""
    if n > 40:
        raise OptionError(f"{subject} is for at most 40 points, the data has {n}{instead}")


def dc_step_program(constraint: TailBudget, value: Value) -> pyo.ConcreteModel:
    """The dual program of the exact DCA step at the weights ``value.mu``."""
    v = constraint.supergradient(constraint.tail(value.mu))
    return build_qcqp(constraint.problem, constraint.inner(v), value.a)


def learn_whole(
    values: ValueOracle, ball: WeightBall, settings: RunSettings, budget: Budget
) -> Learned:
    """Solve the whole dual program with one solver for quadratic constraints. The multipliers give
    the weights.

    A warning is issued if a gap remains or the solver returns no multipliers.
    """
    problem = values.problem
    name, cone = settings.solver or qcqp_solvers(ball.p)[0], ball.p != 1.0
    if cone and solver(name).installed() and not solver(name).declared.cones:
        use = instead(able(ProblemClass.QCQP, cones=True, added=True))
        raise OptionError(f"solver {name} does not take the cone of norm 2: {use}")
    # J at equal shares of the ball: the incumbent, and how large the program's numbers are
    accuracy = VALUE_SHARE * settings.tol
    initial = values(ball.to_sphere(np.ones(len(ball.c))) / ball.c, accuracy)
    best = BestWeights(ball, initial)
    # the whole program; for norm 2 without the test for convexity, which its cone fails
    build = partial(build_qcqp, problem, ball, initial.a)
    model = build()
    answer = solve_model(model, name, settings.for_solver(budget), assume_convex=cone)
    if answer.claim is not None:
        raise SolverError(f"{name} calls the program {answer.claim}, which it cannot be")
    # its dual point and, by its multipliers, its weights
    shortfall = "gives no point"
    if answer.x is not None:
        shortfall = "gives no multipliers"
        a = np.array([point.value for point in model.a.values()], dtype=np.float64)
        a = problem.feasible(a.reshape(problem.labels.shape))
        best.offer_dual(a, problem.gain(a), problem.energies(a))
        if answer.row_duals is not None:
            # the program is a maximum: the suffix has its derivatives, which are >= 0 for rows <=
            duals = np.array([model.dual[row] for row in model.energy.values()])
            u = ball.to_sphere(ball.c * np.maximum(duals, 0.0))
            best.offer(problem.value(u / ball.c, a))
            best.offer(values(u / ball.c, accuracy))
            shortfall = f"leaves a gap of {best.gap:.2g}"
    reason, warnings = Reason.SOLVER, tuple[str, ...]()
    pair = best.value.objective, best.bound
    if answer.status in (Status.LIMIT, Status.INTERRUPTED):
        reason = budget.cut
        if answer.x is None:
            raise OutOfBudget
    elif certified_by(*pair, settings.tol, settings.abs_tol) is None:
        warnings = (f"{name} {shortfall}: use method silp",)
    return Learned(
        value=best.value,
        reason=reason,
        trace=None,
        dual=best.dual,
        program=build,
        solver=SolverUse(name, answer.version, settings.solver_options),
        warnings=warnings,
    )


def qcqp_solvers(p: float = 1.0) -> tuple[str, ...]:
    """The installed solvers for the dual program with norm p (1 or 2), in order of preference."""
    names = tuple(able(ProblemClass.QCQP, cones=p != 1.0))
    if not names:
        raise OptionError("no solver for quadratic rows is installed: use method silp")
    return names


def values_of(
    spec: MKL, problem: MultipleKernels, evidence: Mapping[str, Any]
) -> tuple[Value, float | None]:
    """The primal value at the stored weights, rounded up, and the bound of the stored dual points.

    Raises DataError if the stored points do not match the data, or if the weights violate their
    constraint.
    """
    # the stored points, of the right shapes
    M, shape = problem.kernels.M, problem.labels.shape
    mu = np.asarray(evidence["weights"], dtype=np.float64)
    a = np.asarray(evidence["a"], dtype=np.float64)
    if mu.shape != (M,) or a.shape != shape or mu.min() < 0:
        raise DataError("the stored weights and dual points do not fit this data set")
    # the constraint of the weights; what they exceed it by raises the objective
    if spec.variant == "unif":
        excess = 1.0
        if np.abs(mu - 1.0 / M).max() > WEIGHT_EXCESS:
            raise DataError("the stored weights are not uniform")
    elif spec.variant == "dc":
        constraint = tail_budget(spec, problem)
        excess = constraint.used_share(mu, constraint.tail(mu).value)
    else:
        excess = ball_of(spec, problem).length(mu)
    if excess > 1.0 + WEIGHT_EXCESS:
        raise DataError(f"the stored weights break their constraint by a factor {excess:.12g}")
    # the objective at them, rounded up
    biases = None
    if isinstance(problem, JointKernels):
        biases = np.asarray(evidence["biases"], dtype=np.float64)
        if biases.shape != shape[:1] or (spec.no_bias and biases.any()):
            raise DataError("the stored biases do not fit this data set")
    value = problem.value(mu, a, biases)
    raised = 1.0 if spec.variant == "unif" else excess * (1.0 + 4.0 * (M + 2) * UNIT_ROUNDOFF)
    value = replace(value, objective=problem.objective_up(value, raised))
    # the bound: of a solver's search, or of one dual point
    if spec.variant == "dc" and evidence.get("solver_bound") is not None:
        return value, float(evidence["solver_bound"])
    if evidence.get("dual") is None:
        return value, None
    dual = np.asarray(evidence["dual"], dtype=np.float64)
    if dual.shape != shape:
        raise DataError("the stored dual points do not fit this data set")
    if spec.variant == "unif":
        return value, problem.dual_bound(lambda q: float(mu @ q), dual)
    return value, problem.dual_bound(ball_of(spec, problem).support, dual)


def recompute_mkl(
    spec: MKL, data: MklData | None, evidence: Mapping[str, Any], seed: int = 0
) -> Recomputed:
    """The objective and bound of the stored points, recomputed from the data without a solver.

    Raises DataError if the points do not match the data, and one of MALFORMED if values are
    invalid.
    """
    problem = problem_of(spec, kernel_set(spec, data))
    value, bound = values_of(spec, problem, evidence)
    fit = multi_kernel_expansion(problem, value)
    return Recomputed(objective=value.objective, bound=bound, fit=fit)


def outcome_of(
    spec: MKL, values: ValueOracle, learned: Learned, settings: RunSettings, method: str
) -> Outcome:
    """The outcome, with its certificate recomputed from the data."""
    # the points from which objective and bound are recomputed
    problem = values.problem
    evidence: dict[str, Any] = {
        "weights": learned.value.mu.tolist(),
        "a": learned.value.a.tolist(),
        "dual": None if learned.dual is None else learned.dual.tolist(),
    }
    if isinstance(problem, JointKernels):
        evidence["biases"] = learned.value.biases.tolist()
    value, bound = values_of(spec, problem, evidence)
    # a solver's bound takes the place of a proved one where it is better
    if learned.solver_bound is not None and (bound is None or learned.solver_bound > bound):
        bound = evidence["solver_bound"] = learned.solver_bound
    # the solver, by default PIQP for masters with curvature, and the predictor
    name, version = settings.solver or "piqp", piqp.version
    solver_version = version() if settings.solver is None else solver(name).adapter().version()
    default = SolverUse(name, solver_version, settings.solver_options)
    fit, extra = multi_kernel_expansion(problem, value), dict(learned.extra)
    kernels, scores = problem.kernels, value.scores + value.biases[:, None]
    # labels of two classes by the sign, of more by the largest score
    if len(scores) == 1:
        training = signs(scores[0]), problem.labels[0]
    else:
        training = scores.argmax(axis=0), problem.labels.argmax(axis=0)
    # weights of kernels of unequal traces do not compare: shares of the learned kernel's trace
    shares = value.mu * weighted_traces(kernels.K, kernels.weights)
    shares = shares / shares.sum()
    summary: dict[str, Any] = {
        "weights": value.mu.tolist(),
        "kernels": list(kernels.names),
        # above 0.05 % of the largest share: less would be printed as 0.0 %
        "kernels_used": int((shares > 5e-4 * shares.max()).sum()),
        "weight_per_kernel": shares.tolist(),
        "norms": (value.mu * np.sqrt(value.energies)).tolist(),
        "theta": spec.cutoff,
        "tail_sums": None if spec.variant == "unif" else kernels.tails(spec.cutoff).tolist(),
        "trace_factors": kernels.factors.tolist(),
        "bias": value.biases.tolist(),
        "coefficients": len(fit.support),
        "support_vectors": len(fit.support),
        **training_block(scores.T, *training, kernels.weights),
        "machines": values.calls,
        **learned.details,
    }
    if spec.variant in ("conv", "dc"):
        # T(K_mu); for dc that of sum_m mu_m^P K_m, which its constraint limits
        mu = value.mu**spec.p if spec.variant == "dc" else value.mu
        summary["tail_sum"] = tail_sum(kernels.weighted_kernel(problem.combine(mu)), spec.cutoff)
    warnings = [*kernels.warnings, *learned.warnings, *cap_warnings(spec, problem, value)]
    # a search that ended by its own rule, whose points are not proved
    stopped = learned.reason in (Reason.TOLERANCE, Reason.STALLED) and spec.variant != "dc"
    if stopped and certified_by(value.objective, bound, settings.tol, settings.abs_tol) is None:
        gap = relative_gap(value.objective, bound)
        warnings.append(
            "rounding errors hide the optimum"
            + ("" if gap is None else f": they leave a gap of {gap:.1e}")
            + "; kernels whose tail sums are tiny have large weights: choose a smaller theta or C"
        )
    if "sandwich" in extra:
        extra["sandwich"] = {**extra["sandwich"], "value": value.objective}
    return Outcome(
        method=method,
        reason=learned.reason,
        objective=value.objective,
        bound=bound,
        trace=learned.trace,
        solver=learned.solver or default,
        fit=fit,
        summary=summary,
        evidence=evidence,
        program=learned.program,
        columns=learned.columns,
        warnings=tuple(warnings),
        extra={**extra, "bounds": bounds_of(spec, problem, value)},
    )


def cap_warnings(spec: MKL, problem: MultipleKernels, value: Value) -> list[str]:
    """A warning if nearly all dual points are at C, where the weights of kernels hardly matter."""
    if problem.loss != "hinge" or isinstance(problem, JointKernels):
        return []
    # with an intercept the multipliers of the two classes have equal sums, so that at most twice
    # the smaller class is at C
    costs = np.broadcast_to(problem.C, problem.labels.shape)
    sides = [np.where(problem.labels * side > 0, costs, 0.0).sum(axis=1) for side in (1, -1)]
    limit = 2.0 * float(np.minimum(*sides).sum()) if problem.bias else float(costs.sum())
    if (share := float(value.a.sum()) / limit) <= 0.9:
        return []
    return [
        f"nearly all dual points are at C = {spec.C:g} ({share:.0%} of what it allows), "
        "where the choice of kernels hardly matters: choose a larger C or tail budget"
    ]


@dataclass(frozen=True, kw_only=True)
class MultiKernelExpansion:
    """The predictor f_r(x) = sum_m weights_m sum_t coefficients_rt K_m(x, points_t) + biases_r.

    The kernels are not normalised. The normalisation factors are part of the weights (M,).
    ``support`` (s,) contains the indices of the training points. ``points`` has shape (s, d),
    contains strings (s,), or is None if all kernels are matrices. ``coefficients`` has shape
    (k, s), and ``biases`` has shape (k,). For two classes, there is one row r, and the label is +1
    if f >= 0. With more classes, each class has a row, and the class with the largest f_r is
    predicted.
    """

    kernels: tuple[RawKernel, ...]
    weights: FloatArray
    support: IntArray
    points: NDArray[Any] | None
    coefficients: FloatArray
    biases: FloatArray
    rows: int
    kind = "multi_kernel"

    def scores(self, X: NDArray[Any], cross: FloatArray | None = None) -> FloatArray:
        """Scores (n,) for two classes, or (n, k) for k > 2 classes.

        X contains points (n, d) or strings (n,). If all kernels are matrices, X may contain kernel
        values (M, n, training points). ``cross`` contains the values of the G kernels that were
        given as matrices: (G, n, training points), or (n, training points) if G = 1. Raises
        DataError if a shape is wrong.
        """
        points = X if self.points is None else self.points
        check_rows(X, None if X.ndim == 3 else columns_of(points))
        if cross is None and X.ndim == 3:
            cross = np.asarray(X, dtype=np.float64)
        matrices = [m for m, kernel in enumerate(self.kernels) if kernel.given]
        if matrices and cross is None:
            raise DataError(
                f"{len(matrices)} kernels were given as matrices: prediction needs their values "
                "between the new points (rows) and the training points (columns), option `cross`"
            )
        if matrices and cross is not None:
            shape, cross = cross.shape, cross[None] if cross.ndim == 2 else cross
            if cross.ndim != 3 or (len(cross), cross.shape[2]) != (len(matrices), self.rows):
                raise DataError(
                    f"cross values of shape {shape}, expected ({len(matrices)}, new points, "
                    f"{self.rows})"
                )
        n = cross.shape[1] if cross is not None and X.ndim == 3 else len(X)
        scores = np.tile(self.biases, (n, 1))
        # kernels without weight are not computed
        active = np.flatnonzero(self.weights).tolist()
        computed = kernel_values([self.kernels[m] for m in active if m not in matrices], X, points)
        for m in active:
            if m in matrices and cross is not None:
                values = cross[matrices.index(m)][:, self.support]
            else:
                values = next(computed)
            scores += self.weights[m] * (values @ self.coefficients.T)
        return scores[:, 0] if len(self.biases) == 1 else level_ties(scores)

    def predict(self, X: NDArray[Any], cross: FloatArray | None = None) -> FloatArray:
        """Labels (n,): -1 or +1 for two classes, and class numbers 0, 1, ... for more classes."""
        scores = self.scores(X, cross)
        if scores.ndim == 1:
            return signs(scores)
        return np.asarray(scores.argmax(axis=1), dtype=np.float64)

    def to_dict(self) -> dict[str, Any]:
        """Plain values that :func:`from_dict` reads back exactly."""
        kernels = [dict(vars(kernel)) for kernel in self.kernels]
        for kernel, values in zip(self.kernels, kernels, strict=True):
            # values by which a function of the user's is recognised
            if kernel.name.startswith(OWN):
                values["sample"] = sample_of(kernel, self.points)
        features = columns_of(self.points)
        return {**plain_values(self, "kernels"), "kernels": kernels, "features": features}

    @staticmethod
    def from_dict(values: Mapping[str, Any]) -> MultiKernelExpansion:
        """Rebuild the predictor from :meth:`to_dict`. Raises a DataError that names the
        missing or malformed part.
        """
        with reading():
            # points: rows of numbers, or texts
            points = values["points"]
            if points is not None:
                points = read_points(points, values["features"])
            kernels = tuple(_raw_kernel(stored, points) for stored in values["kernels"])
            fit = rebuilt(MultiKernelExpansion, values, kernels=kernels, points=points)
            shape = len(fit.biases), len(fit.support)
            if points is not None and len(points) != len(fit.support):
                raise ValueError(f"{len(points)} points for {len(fit.support)} support vectors")
            return replace(fit, coefficients=fit.coefficients.reshape(shape))


def _raw_kernel(stored: Mapping[str, Any], points: NDArray[Any] | None) -> RawKernel:
    """A kernel of a saved fit. Raises KernelError if a user's function returns different values."""
    name, is_matrix, columns = str(stored["name"]), bool(stored["given"]), stored["columns"]
    kernel = RawKernel(
        name=name if is_matrix else resolved(name),
        columns=None if columns is None else (int(columns[0]), int(columns[1])),
        given=is_matrix,
    )
    if "sample" in stored:
        check_sample(name, kernel, points, stored["sample"])
    return kernel


def multi_kernel_expansion(problem: MultipleKernels, value: Value) -> MultiKernelExpansion:
    """The predictor sum_m mu_m K_m z + biases at a value of J, for mu (M,), z (k, n) and intercepts
    (k,).

    Centring is absorbed into the coefficients and intercepts. With H = I - 11'/n and the row means
    r of the raw kernel, the centred kernel gives k(x, .)Hz - r'Hz.
    """
    kernels, mu, z = problem.kernels, value.mu, value.a * problem.labels
    weights, biases = mu * kernels.factors, value.biases.copy()
    if kernels.means is not None:
        # Hz in place of z, -r'Hz into the bias
        z = z - z.mean(axis=1, keepdims=True)
        biases -= z @ (weights @ kernels.means)
    if len(kernels.labels) < len(z):
        # two classes of the joint loss: their difference is one score
        z, biases = z[1:] - z[:1], biases[1:] - biases[:1]
    support = supporting(z, np.einsum("m,mii->i", mu, kernels.K))
    return MultiKernelExpansion(
        kernels=kernels.raw,
        weights=weights,
        support=support,
        points=None if kernels.points is None else kernels.points[support],
        coefficients=z[:, support],
        biases=biases,
        rows=kernels.n,
    )
