"""Rademacher complexity and maximal discrepancy of a regression class: estimate, exact, certified.

Every supremum found by descent is attained by a function of the class, so the estimate is one from
below; the certified upper bound stands beside it. By enumeration (few points) it is exact.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from radprog.decompositions.loop import Budget, Reason, Record
from radprog.decompositions.regression.cccp import (
    Fits,
    Radius,
    SignedFits,
    StepCounts,
    far_from,
    fit_signs,
)
from radprog.decompositions.regression.fit import (
    OWN,
    assemble,
    in_class,
    radius_of,
    regressor,
    solver_use,
    step_program,
    step_warnings,
    summarise,
    values_of,
)
from radprog.decompositions.run import SOLVERLESS, Methods, Outcome, Run, RunSettings, packed
from radprog.instances.errors import OptionError
from radprog.instances.limits import OutOfBudget
from radprog.instances.regression import RegressionData
from radprog.instances.tolerances import EXACT_PIECE_GAP
from radprog.instances.types import FloatArray
from radprog.models.bounds import Bound
from radprog.models.complexity import all_signs, check_kind, draw_signs, standard_error
from radprog.models.regression.bounds import least, upper_bounds
from radprog.models.regression.problem import (
    Hinges,
    RegressionClass,
    bounded_loss_bias,
    complexity_terms,
    piece,
)
from radprog.models.regression.settings import TRIALS, Complexity
from radprog.solvers.dense.batched_qp import solve_hinges

NOT_USED: Methods = {
    "cccp": ("start", "threads"),
    "exact": ("start", "threads", *SOLVERLESS),
}
PIECES = 2**19  # convex programs that an enumeration may take
PIECES_AT_ONCE = 4096  # of them at once
EXACT_WORDS = "exact: every sign vector, every convex piece"
ESTIMATE_WORDS = "estimate from below: each supremum is a local optimum"


def signs_of(spec: Complexity, n: int, seed: int, method: str) -> FloatArray:
    """The sign vectors (T, n) of a complexity: drawn from the seed, or all of them."""
    if method == "exact":
        if spec.trials is not None:
            raise OptionError("method 'exact' takes every sign vector: leave --trials out")
        check_kind(spec.kind, n)
        each = 5 if spec.loss().low > 0 else 4
        if each**n > PIECES:
            raise OptionError(
                f"exact complexity of {n} points takes up to {each}^{n} convex programs, at most "
                f"{PIECES} are allowed: use method cccp"
            )
        return all_signs(n, spec.kind)
    return draw_signs(n, TRIALS if spec.trials is None else spec.trials, seed, spec.kind)


def fit_complexity(spec: Complexity, data: RegressionData, settings: RunSettings) -> Run:
    """Estimate (1) over random sign vectors, or compute it over all of them (``exact``).

    ``fit`` is the function of least empirical error found. Extra keys: standard_error, starts,
    certified_upper, certified_upper_by (name, failure probability, all), estimate (what it is).
    """
    method = settings.check("complexity", spec.methods, NOT_USED, OWN)
    if method == "exact" and settings.max_iter is not None:
        raise OptionError("complexity: method 'exact' enumerates: leave --max-iter out")
    clock = settings.clock()
    kernel, problem = assemble(spec, data)
    n, A = data.rows, spec.radius
    signs = signs_of(spec, n, settings.seed, method)
    T, radius = len(signs), radius_of(spec)
    rows = np.concatenate([signs, -np.ones((1, n))])
    clock.ready()
    found, bounds = _suprema(spec, settings, problem, rows, clock.budget, exact=method == "exact")
    coefficients, bias = in_class(problem, found.x, A)
    values, norms = values_of(problem, rows, coefficients, bias, radius)
    terms = complexity_terms(signs, -values[:T])
    limits = upper_bounds(problem, signs, A, spec.kind)
    if bounds is not None:
        value = float(complexity_terms(signs, -bounds[:T]).mean())
        limits = [Bound(name="enumeration", value=value, parameters={"failure": 0.0})]
    outcome = Outcome(
        name="complexity",
        method=method,
        reason=found.reason,
        objective=float(terms.mean()),
        bound=None,
        trace=found.trace,
        solver=solver_use(settings),
        fit=regressor(kernel, data, coefficients[T], float(bias[T])),
        summary=summarise(kernel, problem, coefficients[T], float(bias[T]), float(norms[T])),
        evidence={
            "method": method,
            "coefficients": coefficients[:T].tolist(),
            "bias": bias[:T].tolist(),
        },
        program=partial(step_program, problem, rows[0], found.x[0], radius),
        warnings=step_warnings(found.steps),
        extra={
            "kind": spec.kind,
            "trials": T,
            "standard_error": 0.0 if method == "exact" else standard_error(terms),
            "starts": None if method == "exact" else spec.starts,
            "distinct_starts": None if method == "exact" else int(found.distinct.min()),
            "estimate": ESTIMATE_WORDS if bounds is None else EXACT_WORDS,
            "plain_mean": float((-2.0 / n) * values[:T].mean()),
            "empirical_error": float(values[T] / n),
            **_certified(limits),
        },
    )
    return packed(spec, settings, clock, outcome)


def _suprema(
    spec: Complexity,
    settings: RunSettings,
    problem: RegressionClass,
    rows: FloatArray,
    budget: Budget,
    *,
    exact: bool,
) -> tuple[Fits, FloatArray | None]:
    """The functions of least signed loss for sign vectors (T + 1, n), the last of them all -1;
    with exact bounds from below where every convex piece is solved."""
    if exact:
        return enumerate_pieces(problem, rows, spec.radius, budget)
    signs, radius = rows[:-1], radius_of(spec)
    found = fit_signs(
        SignedFits(problem=problem, signs=rows, radius=radius, settings=settings),
        starts=spec.starts,
        rng=np.random.default_rng([settings.seed, 1]),
        budget=budget,
        max_iter=settings.max_iter,
        monitor=lambda values: float(complexity_terms(signs, -values[:-1]).mean()),
        observe=settings.observe,
    )
    return found, None


def _certified(limits: Sequence[Bound]) -> dict[str, Any]:
    """The least upper bound, beside all of them."""
    upper = least(limits)
    return {
        "certified_upper": upper.value,
        "certified_upper_by": {
            "name": upper.name,
            **upper.parameters,
            "all": {limit.name: limit.value for limit in limits},
        },
    }


def recompute_complexity(
    spec: Complexity, data: RegressionData, evidence: Mapping[str, Any], seed: int
) -> tuple[float, None]:
    """The estimate that the stored functions prove from below, with numpy alone; no bound."""
    _, problem = assemble(spec, data)
    signs = signs_of(spec, data.rows, seed, str(evidence["method"]))
    coefficients = np.asarray(evidence["coefficients"], dtype=np.float64)
    bias = np.asarray(evidence["bias"], dtype=np.float64)
    values, _ = values_of(problem, signs, coefficients, bias, radius_of(spec))
    return float(complexity_terms(signs, -values).mean()), None


def convex_pieces(problem: RegressionClass, signs: FloatArray, far: float) -> Hinges:
    """The P convex pieces of one sign vector (n,): the objective is the least of these sums."""
    several = 3 if problem.loss.low > 0 else 2
    kinds = [range(several if sign > 0 else 2) for sign in signs.tolist()]
    table = np.array(list(itertools.product(*kinds)))
    rows = np.broadcast_to(signs, table.shape)
    return piece(problem.y, rows, problem.loss, far, table)


def enumerate_pieces(
    problem: RegressionClass, signs: FloatArray, A: float, budget: Budget
) -> tuple[Fits, FloatArray | None]:
    """Global optima for sign vectors (T, n) by all convex pieces, and lower bounds (T,) of them.

    A spent budget leaves the best constants to the sign vectors not done, and no lower bounds.
    """
    T, r, up = len(signs), problem.rank, problem.loss.up
    none = np.zeros(T, dtype=np.intp)
    x = np.zeros((T, r + 1))
    x[:, -1], values = bounded_loss_bias(np.zeros_like(signs), problem.y, signs, problem.loss)
    if A == 0 or r == 0:
        record = Record(0, budget.seconds, float(values.mean()), None)
        return Fits(x, values, Reason.SOLVER, [record], StepCounts(), none), values
    reason, solved, bounds = Reason.SOLVER, 0, np.full(T, np.inf)
    far = far_from(problem, A)
    try:
        for t in range(T):
            pieces = convex_pieces(problem, signs[t], far)
            for start in range(0, len(pieces.t1), PIECES_AT_ONCE):
                part = pieces.take(np.arange(start, min(start + PIECES_AT_ONCE, len(pieces.t1))))
                found = solve_hinges(
                    problem.factor,
                    part.t1,
                    part.t2,
                    np.zeros_like(part.t1),
                    box=problem.bias_box(A),
                    radius=float(np.sqrt(A)),
                    tolerance=EXACT_PIECE_GAP,
                    poll=budget.check,
                )
                totals = (found.value + part.constant) / up
                bounds[t] = min(bounds[t], float(((found.bound + part.constant) / up).min()))
                k = int(totals.argmin())
                solved += len(totals)
                if totals[k] < values[t]:
                    values[t], x[t] = totals[k], np.append(found.w[k], found.b[k])
    except OutOfBudget:
        reason = budget.reason
    values = Radius(A=A).objective(problem, x, signs)
    record = Record(0, budget.seconds, float(values.mean()), None, {"pieces": float(solved)})
    proved = bounds if reason is Reason.SOLVER else None
    return Fits(x, values, reason, [record], StepCounts(solved), none), proved
