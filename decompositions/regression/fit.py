"""Regression with the bounded loss: the class, fits, the predictor, and loaded solutions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from importlib import metadata
from typing import Any

import numpy as np
from numpy.typing import NDArray

from radprog.base.errors import DataError, OptionError
from radprog.base.tolerances import LOADED_EXCESS, SUPPORT
from radprog.base.types import FloatArray
from radprog.decompositions.analyses import FormSolution
from radprog.decompositions.expansion import KernelExpansion
from radprog.decompositions.loop import Budget, Reason, Stop, first_step, run
from radprog.decompositions.regression.branch import GLOBAL_POINTS, CellTree
from radprog.decompositions.regression.cccp import (
    Radius,
    SignedFits,
    StepCounts,
    fit_signs,
    fit_starts,
)
from radprog.decompositions.run import Outcome, Recomputed, Run, RunSettings, SolverUse, packed
from radprog.instances.dataset import Dataset
from radprog.models.kernel_bank import KernelBank
from radprog.models.regression.certificate import (
    cover,
    least_bound,
    norm_up,
    read_states,
    scale_into_ball,
    spell_states,
    value_up,
)
from radprog.models.regression.problem import (
    RegressionClass,
    bounded_loss_bias,
    regression_class,
    slopes,
    tangent_constant,
)
from radprog.models.regression.programs import build_global, build_step, build_step_ivanov
from radprog.models.regression.settings import OWN_SOLVER, SVR, Complexity, kernel_of
from radprog.solvers.dense.hinges import solve_hinges
from radprog.solvers.registry import solver


@dataclass(frozen=True, kw_only=True)
class KernelRegressor(KernelExpansion):
    """The regression predictor h(x) = sum_t coefficients_t K(x, points_t) + bias."""

    kind = "kernel_regressor"

    def predict(self, X: NDArray[Any], cross: FloatArray | None = None) -> FloatArray:
        """The predicted values h (n,)."""
        return self.scores(X, cross)


def assemble(
    spec: SVR | Complexity, data: Dataset, *, proved: bool = False
) -> tuple[str, RegressionClass]:
    """The name of the kernel, and the factored function class on a data set.

    If ``proved`` is True, the factor is accurate enough for proofs. Raises DataError if rows are
    unusable, and OptionError if the kernel is unusable.
    """
    check_rows(data)
    kernel = kernel_of(spec.kernels, spec.gamma, data.X, data.weights)
    # Gram matrix of all rows, then its centred factor: h = F w + b from here on
    K = KernelBank([kernel], data.X).gram(0)
    return kernel.name, regression_class(K, data.targets, spec.loss(), proved=proved)


def check_rows(data: Dataset) -> None:
    """Raise DataError if there are fewer than two rows."""
    if data.rows < 2:
        raise DataError(f"{data.name}: {data.rows} rows, regression needs at least 2")


def radius_of(spec: SVR | Complexity) -> Radius:
    """The :class:`Radius` for problem (4) if C is set, and otherwise for problem (3)."""
    if isinstance(spec, SVR) and spec.C is not None:
        return Radius(C=spec.C)
    return Radius(A=spec.radius)


def counts_of(data: Dataset) -> FloatArray:
    """The weight of each point (n,)."""
    return np.ones(data.rows) if data.weights is None else data.weights


def solver_use(settings: RunSettings) -> SolverUse:
    """The solver of the convex steps."""
    if settings.solver is None:
        return SolverUse(OWN_SOLVER, f"radprog {metadata.version('radprog')}", {})
    version = solver(settings.solver).adapter().version()
    return SolverUse(settings.solver, version, settings.solver_options)


def step_warnings(steps: StepCounts) -> tuple[str, ...]:
    """A warning if some convex steps were not solved to their tolerance."""
    if not steps.doubtful:
        return ()
    return (
        f"{steps.doubtful} of {steps.solved} convex steps ended with a duality gap above "
        f"1e-06 (largest {steps.worst_gap:.2g}): their descents may end early",
    )


def regressor(kernel: str, data: Dataset, coefficients: FloatArray, bias: float) -> KernelRegressor:
    """The predictor with coefficients (n,) and intercept ``bias``."""
    # points without a coefficient are left out
    support = np.flatnonzero(coefficients)
    return KernelRegressor.of_kernel(kernel, data.X, coefficients, support, bias)


def scale_into_class(
    problem: RegressionClass, x: FloatArray, A: float | None
) -> tuple[FloatArray, FloatArray]:
    """The coefficients c (B, n) and intercepts (B,) of points x, scaled so that c'K c =
    |w|^2 <= A.
    """
    coefficients, bias = problem.expansion(x)
    # c'K c of the expansion is made |w|^2, at most A
    wanted = np.einsum("ij,ij->i", x[:, :-1], x[:, :-1])
    if A is not None:
        wanted = np.minimum(wanted, A)
    norms = np.einsum("ij,ij->i", problem.images(coefficients), coefficients)
    positive = norms > 0
    scale = np.sqrt(np.where(positive, wanted, 0.0) / np.where(positive, norms, 1.0))
    return coefficients * scale[:, None], bias


def values_of(
    problem: RegressionClass,
    signs: FloatArray,
    coefficients: FloatArray,
    bias: FloatArray,
    radius: Radius,
) -> tuple[FloatArray, FloatArray]:
    """The objectives (B,) and |w|^2 (B,) of kernel expansions (B, n) with intercepts (B,), for sign
    vectors (B, n).

    Raises DataError if shapes differ, or if |w|^2 exceeds A by more than the rounding error.
    """
    if coefficients.shape != signs.shape or bias.shape != (len(signs),):
        raise DataError("the stored functions do not fit this data set")
    # values from the kernel matrix itself, not from its factor
    g = problem.images(coefficients)
    norms = np.einsum("ij,ij->i", g, coefficients)
    if radius.A is not None:
        sizes = np.einsum(
            "ij,ij->i", problem.images(coefficients, absolute=True), np.abs(coefficients)
        )
        # what rounding may leave of |w|^2 over A: relative, and of the absolute terms of c'Kc
        excess = norms - radius.A * (1 + 1e-8) - (2.0**-50) * sizes
        if excess.max() > 0:
            worst = float(norms[excess.argmax()])
            raise DataError(f"a stored function has |w|^2 = {worst:.10g} > A = {radius.A:.10g}")
    losses = problem.objective(g + bias[:, None], signs)
    return losses if radius.C is None else 0.5 * norms + radius.C * losses, norms


@dataclass(frozen=True)
class LastStep:
    """The convex step at a point: slopes c (n,), the constant of the tangent, the optimum and its
    gap.

    The optimum is in the units of the objective. ``weight`` is C / eps_up for the step of problem
    (4) with the same solution. ``norm2`` is |w|^2.
    """

    c: FloatArray
    tangent: float
    value: float
    gap: float
    weight: float | None
    norm2: float


def last_step(
    problem: RegressionClass, signs: FloatArray, x: FloatArray, radius: Radius
) -> LastStep:
    """Linearise the objective at x (r + 1,) for one sign vector (n,), and solve the step
    accurately.
    """
    fits = SignedFits(problem=problem, signs=signs[None], radius=radius)
    # (6) and the tangent at x
    h = problem.functions(x[None])
    c = slopes(h, problem.y, signs[None], problem.loss)
    tangent = tangent_constant(h, problem.y, signs[None], problem.loss, c)
    if fits.flat:
        raise OptionError(
            "A = 0 (or a constant kernel): the class holds constants, there is no step"
        )
    # (8), as exactly as an export deserves
    solution = solve_hinges(fits.program(fits.hinges, c), tolerance=1e-11)
    value = fits.scale * float((solution.value + fits.hinges.constant + tangent)[0])
    # the price of |w|^2 that has the same solution: the inverse multiplier of the ball
    multiplier = float(solution.multiplier[0])
    weight = None if radius.C is None else fits.scale
    if radius.C is None and multiplier > 1e-8:  # multiplier of a norm that counts as zero
        weight = 1.0 / multiplier
    gap = fits.scale * float((solution.value - solution.bound)[0])
    norm2 = float((solution.w[0] ** 2).sum())
    return LastStep(c[0], float(tangent[0]), value, gap, weight, norm2)


def fit_svr(spec: SVR, data: Dataset, settings: RunSettings) -> Run:
    """Minimise the bounded losses by the convex-concave procedure from several starts.

    The result is the best critical point over all starts. Its objective is recomputed from the
    kernel expansion; there is no lower bound. If the budget runs out, the result is the best point
    so far. The method ``global`` continues by branch and bound (:func:`fit_global`). Raises
    OptionError, DataError, SolverError, and UnfinishedError if the budget allows no step.
    """
    method = settings.method_of(spec)
    budget = settings.budget()
    if method == "global":
        settings.sharing.refuse_one("svr by method global", divided=False, kept=False)
        data.refuse_weights("method 'global'")
        return packed(spec, settings, budget, fit_global(spec, data, settings, budget))
    radius, signs = radius_of(spec), -counts_of(data)[None]
    with first_step(budget):
        # factor the Gram matrix, then Algorithm 1 from every start
        kernel, problem = assemble(spec, data)
        budget.kernels = budget.seconds
        fits = SignedFits(problem=problem, signs=signs, radius=radius, settings=settings)
        ends = fit_starts(fits, spec, data, settings, budget)
    outcome = outcome_of(spec, data, kernel, problem, *scale_into_class(problem, ends.x, radius.A))
    outcome = replace(
        outcome,
        reason=ends.reason,
        trace=ends.trace,
        solver=solver_use(settings),
        program=partial(step_program, problem, signs[0], ends.x[0], radius),
        warnings=(*outcome.warnings, *step_warnings(ends.steps)),
        extra={
            "starts": spec.starts,
            "distinct_starts": int(ends.distinct[0]),
            "steps": ends.steps.solved,
        },
    )
    return packed(spec, settings, budget, outcome)


def fit_global(spec: SVR, data: Dataset, settings: RunSettings, budget: Budget) -> Outcome:
    """The global optimum, by branch and bound from the best point over all starts.

    The objective is recomputed and rounded up; the bound is rounded down. ``evidence`` contains the
    function, the pieces that cover all sets of saturated points, and their multipliers. If the
    budget runs out, the result is the best function so far and the bound from the current pieces.
    """
    if (n := data.rows) > GLOBAL_POINTS:
        raise OptionError(
            f"svr: method 'global' of {n} points branches over up to 2^{n} sets of saturated "
            f"points, at most {GLOBAL_POINTS} points are allowed: use method cccp, or export "
            "the form global for a solver of mixed-integer programs"
        )
    radius, signs = radius_of(spec), -counts_of(data)[None]
    with first_step(budget):
        # an incumbent by descents from every start
        kernel, problem = assemble(spec, data, proved=True)
        budget.kernels = budget.seconds
        ends = fit_signs(
            SignedFits(problem=problem, signs=signs, radius=radius),
            budget,
            starts=spec.starts,
            rng=np.random.default_rng(settings.seed),
        )
        # branch and bound over the saturated points
        tree = CellTree(problem, radius, settings.tol, settings.abs_tol, ends.x[0])
        stops = settings.stops(
            settings.gap_reached(), Stop(Reason.STALLED, lambda trace: not tree.open)
        )
        reason, trace = run(tree.step, stops, budget, settings.observe, needed=True)
    # the incumbent, moved into the ball despite rounding, and the pieces that bound it
    coefficients, bias = scale_into_class(problem, tree.x[None], radius.A)
    if radius.A is not None:
        coefficients = scale_into_ball(problem.kernel, coefficients[0], radius.A)[None]
    functions = problem.images(coefficients)
    bias = bounded_loss_bias(functions, problem.y, signs, problem.loss)[0]
    # the evidence of the bound: pieces as strings, and the multipliers of each, equal ones once
    states, multipliers = tree.leaves()
    rows, inverse = np.unique(multipliers, axis=0, return_inverse=True)
    proof = {
        "pieces": spell_states(states),
        "multipliers": rows.tolist(),
        "multipliers_of": inverse.ravel().tolist(),
    }
    return replace(
        outcome_of(spec, data, kernel, problem, coefficients, bias, proof),
        method="global",
        reason=reason,
        trace=trace,
        solver=solver_use(settings),
        extra={
            "starts": spec.starts,
            "distinct_starts": int(ends.distinct[0]),
            "nodes": tree.solved,
            "pieces": len(states),
        },
    )


def proved_bound(problem: RegressionClass, radius: Radius, evidence: Mapping[str, Any]) -> float:
    """The bound from stored pieces. Raises DataError if the proof is incomplete, or if a function
    is outside the class.
    """
    n = problem.n
    c = np.asarray(evidence["coefficients"], dtype=np.float64)
    states = read_states(evidence["pieces"], n)
    multipliers = np.asarray(evidence["multipliers"], dtype=np.float64)
    inverse = np.asarray(evidence["multipliers_of"], dtype=np.intp)
    if c.shape != (n,) or multipliers.shape[1:] != (n,) or inverse.shape != (len(states),):
        raise DataError("the stored points do not fit this data set")
    if not cover(states):
        raise DataError("the stored pieces leave out sets of saturated points: they prove nothing")
    norm = norm_up(problem.kernel, c)
    if radius.A is not None and norm > radius.A:
        raise DataError(f"the stored function has |w|^2 = {norm!r}, above A = {radius.A!r}")
    return least_bound(problem, states, multipliers[inverse], radius.A, radius.C)


def outcome_of(
    spec: SVR,
    data: Dataset,
    kernel: str,
    problem: RegressionClass,
    coefficients: FloatArray,
    bias: FloatArray,
    proved: Mapping[str, Any] | None = None,
) -> Outcome:
    """The outcome for kernel coefficients (1, n) and intercept (1,), with the objective recomputed.

    The bound comes from ``proved``, the evidence of :func:`fit_global`. Raises DataError if the
    function is outside its class.
    """
    radius, signs = radius_of(spec), -counts_of(data)[None]
    _, norm2 = values_of(problem, signs, coefficients, bias, radius)
    c, b = coefficients[0], float(bias[0])
    evidence = {"coefficients": c.tolist(), "bias": b, **(proved or {})}
    bound = None if proved is None else proved_bound(problem, radius, evidence)
    summary = summarise(kernel, problem, c, b, float(norm2[0]), data.weights)
    # most residuals in the constant part of the loss
    warnings: tuple[str, ...] = ()
    if 2 * (count := summary["saturated"]) > data.rows:
        warnings = (
            f"{count} of {data.rows} rows are saturated, beyond eps_low + eps_up = "
            f"{spec.eps_low + spec.eps_up:g} in units of the target, and count no more: a larger "
            "eps_up, or a scaled target",
        )
    return Outcome(
        method="cccp",
        objective=value_up(problem, c, b, radius.C, data.weights),
        bound=bound,
        trace=[],
        fit=regressor(kernel, data, c, b),
        summary=summary,
        evidence=evidence,
        warnings=warnings,
        program=partial(build_global, problem, signs[0], A=radius.A, C=radius.C),
    )


def recompute_svr(spec: SVR, data: Dataset, evidence: Mapping[str, Any], seed: int) -> Recomputed:
    """The objective of the stored function, recomputed with numpy, and the bound from any stored
    pieces.
    """
    keys = ("pieces", "multipliers", "multipliers_of")  # what proves a bound
    proved = {key: evidence[key] for key in keys if key in evidence}
    kernel, problem = assemble(spec, data, proved=bool(proved))
    coefficients = np.asarray(evidence["coefficients"], dtype=np.float64)[None]
    bias = np.asarray([evidence["bias"]], dtype=np.float64)
    return outcome_of(spec, data, kernel, problem, coefficients, bias, proved or None)


def step_program(problem: RegressionClass, signs: FloatArray, x: FloatArray, radius: Radius) -> Any:
    """The convex step at x (r + 1,) as a Pyomo model."""
    step = last_step(problem, signs, x, radius)
    if radius.A is not None:
        return build_step_ivanov(problem, signs, step.c, radius.A, step.tangent)
    return build_step(problem, signs, step.c, step.weight or 0.0, step.tangent)


def summarise(
    kernel: str,
    problem: RegressionClass,
    coefficients: FloatArray,
    bias: float,
    norm2: float,
    weights: FloatArray | None = None,
) -> dict[str, Any]:
    """The ``fit`` block: norm, intercept, losses, and the numbers of points with loss 1 and with
    loss 0.

    If the points have weights (n,), the losses are weighted.
    """
    # losses of the expansion as it is stored
    residuals = problem.y - problem.images(coefficients[None])[0] - bias
    losses = problem.loss(residuals)
    support = int((np.abs(coefficients) > SUPPORT * np.abs(coefficients).max(initial=0.0)).sum())
    return {
        "norm2": norm2,
        "bias": bias,
        "kernels": [kernel],
        "rank": problem.rank,
        "coefficients": support,
        "support_vectors": support,
        "empirical_error": float(np.average(losses, weights=weights)),
        "mae": float(np.average(np.abs(residuals), weights=weights)),
        "saturated": int((losses >= 1.0).sum()),
        "inside": int((losses <= 0.0).sum()),
    }


def load_svr(
    spec: SVR, data: Dataset, points: Sequence[FormSolution], settings: RunSettings
) -> Run:
    """Load w and b from a step or from the form ``global``, or the coefficients g from
    ``step-dual``.

    For the dual step, the optimal b is computed. The bounded losses are evaluated; there is no
    bound.
    """
    budget = settings.budget()
    kernel, problem = assemble(spec, data)
    budget.kernels = budget.seconds
    radius, point = radius_of(spec), points[0]
    if point.form == "step-dual":
        g = point.vector("g")
        if g.shape != (data.rows,):
            raise DataError("the solution does not fit this data set: other points")
        # w = F'g; b is chosen best below
        w, b = problem.factor.T @ g, np.zeros(1)
    else:
        w, b = point.vector("w"), point.vector("b")
    if w.shape != (problem.rank,) or b.shape != (1,):
        raise DataError("the solution does not fit this data set: another rank of the kernel")
    # inside of the ball, where the form has one
    warnings: tuple[str, ...] = ()
    if radius.A is not None and w @ w > radius.A * (1.0 + LOADED_EXCESS):
        outside = f"the solution has |w|^2 = {w @ w:.10g}, above A = {radius.A:.10g}"
        if point.form in ("step-ivanov", "global"):
            raise DataError(outside)
        warnings = (f"{outside}, which this form only prices: it was scaled down",)
    x = np.append(w, b)[None]
    if point.form == "step-dual":
        signs = -counts_of(data)[None]
        x[:, -1] = bounded_loss_bias(problem.functions(x), problem.y[None], signs, problem.loss)[0]
    coefficients, bias = scale_into_class(problem, x, radius.A)
    outcome = outcome_of(spec, data, kernel, problem, coefficients, bias)
    return packed(spec, settings, budget, replace(outcome, warnings=(*outcome.warnings, *warnings)))
