"""Rademacher complexity and maximal discrepancy of a regression class: estimate, exact, certified.

For each sign vector, a descent finds a function of the class. The supremum and the estimate may
therefore be too low, but not too high. The result also includes a certified upper bound. With
branch and bound, each supremum is exact. The complexity over all sign vectors is then exact. An
estimate over random sign vectors then has only a sampling error. If a limit ends the run, the
finished trees are kept. For each other sign vector, the result contains the value of a function and
an upper bound.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from typing import Any

import numpy as np

from radprog.base.errors import OptionError
from radprog.base.limits import OutOfBudget
from radprog.base.types import FloatArray
from radprog.decompositions.loop import Budget, Reason, Record, first_step
from radprog.decompositions.regression.branch import GLOBAL_POINTS, CellTree, complete_trees
from radprog.decompositions.regression.cccp import (
    Block,
    Descents,
    Fits,
    Radius,
    SignedFits,
    StepCounts,
    blocks_of,
    fit_signs,
)
from radprog.decompositions.regression.fit import (
    assemble,
    radius_of,
    regressor,
    scale_into_class,
    solver_use,
    step_program,
    step_warnings,
    summarise,
    values_of,
)
from radprog.decompositions.run import Outcome, Recomputed, Run, RunSettings, packed
from radprog.instances.dataset import Dataset
from radprog.models.complexity import all_signs, check_kind, draw_signs, standard_error
from radprog.models.regression.bounds import smallest_bound, suprema_bounds, upper_bounds
from radprog.models.regression.problem import RegressionClass, complexity_terms
from radprog.models.regression.settings import TRIALS, Complexity

SUPREMUM_GAP = 1e-7  # of a supremum of sum sigma_i ell_i by branch and bound
ESTIMATE_WORDS = "too low on average: each supremum is a local optimum"


def signs_of(spec: Complexity, n: int, seed: int, method: str) -> FloatArray:
    """The sign vectors (T, n) of a complexity: random vectors drawn from the seed, or all
    vectors.
    """
    if method == "exact" and spec.trials is None:
        check_kind(spec.kind, n)
        count = 2**n if spec.kind == "rademacher" else math.comb(n, n // 2)
        if count > 4096:
            raise OptionError(
                f"exact complexity of {n} points has {count} sign vectors, at most 4096 are "
                "allowed: draw some with `trials`, whose suprema are exact, or use method cccp"
            )
        return all_signs(n, spec.kind)
    if method == "exact" and n > GLOBAL_POINTS:
        raise OptionError(
            f"complexity: method 'exact' branches over {n} points, at most {GLOBAL_POINTS} are "
            "allowed: use method cccp"
        )
    return draw_signs(n, TRIALS if spec.trials is None else spec.trials, seed, spec.kind)


def fit_complexity(spec: Complexity, data: Dataset, settings: RunSettings) -> Run:
    """Estimate (1) over random sign vectors, or compute it over all of them (``exact``).

    With ``exact``, each supremum is solved to optimality. If ``trials`` is given, the sign vectors
    are random. Otherwise all sign vectors are used, and ``objective`` and ``bound`` enclose the
    complexity. ``fit`` is the function with the smallest empirical error. ``extra`` contains
    ``standard_error``, ``starts``, ``certified_upper``, ``certified_upper_by`` (name, failure
    probability, all bounds) and ``estimate`` (a description). If the budget runs out, the estimate
    and its standard error cover the finished sign vectors; with ``exact`` they cover all sign
    vectors. Raises UnfinishedError if fewer than two sign vectors are finished, or if no step is
    finished.
    """
    method = settings.method_of(spec)
    exact, enumerated = method == "exact", method == "exact" and spec.trials is None
    if exact:
        settings.sharing.refuse_one("complexity by method exact", divided=False, kept=False)
    budget, n, radius = settings.budget(), data.rows, radius_of(spec)
    signs = signs_of(spec, n, settings.seed, method)
    with first_step(budget):
        kernel, problem = assemble(spec, data, proved=exact)
        budget.kernels = budget.seconds
        # the supremum for every sign vector, and the smallest empirical error for signs of -1
        bounds: FloatArray | None = None
        if exact:
            ends, bounds = branch_signs(spec, problem, _with_error_row(signs), settings, budget)
        else:
            ends = sample_signs(spec, data, settings, problem, signs, budget)
    # functions of the class, evaluated on the data: terms of (1)
    drawn, T = len(signs), len(ends.x) - 1
    signs, rows = signs[:T], _with_error_row(signs[:T])
    coefficients, bias = scale_into_class(problem, ends.x, radius.A)
    values, norms = values_of(problem, rows, coefficients, bias, radius)
    terms = complexity_terms(signs, -values[:T])
    # what the complexity is at most
    suprema = None if bounds is None else _tree_bounds(-values[:T], -bounds[:T])
    upper = upper_bounds(problem, signs, spec.radius, spec.kind, suprema, enumerated=enumerated)
    # what the estimate is
    closed, words = min(len(ends.trace), T), ESTIMATE_WORDS
    if exact:
        words = "each supremum is exact" if spec.trials else "exact: every sign vector"
        words = f"{words}, by branch and bound"
        if closed < T:
            words = f"from below: {closed} of {T} suprema are exact, the others are local optima"
    warnings = step_warnings(ends.steps)
    if drawn > T:
        warnings += (
            f"{ends.reason.value}: {T} of {drawn} sign vectors were done, the estimate and its "
            "standard error are theirs",
        )
    outcome = Outcome(
        method=method,
        reason=ends.reason,
        objective=float(terms.mean()),
        bound=smallest_bound(upper).value if enumerated else None,
        trace=ends.trace,
        solver=solver_use(settings),
        fit=regressor(kernel, data, coefficients[T], float(bias[T])),
        summary=summarise(kernel, problem, coefficients[T], float(bias[T]), float(norms[T])),
        evidence={
            "method": method,
            "coefficients": coefficients[:T].tolist(),
            "bias": bias[:T].tolist(),
            "function": {"coefficients": coefficients[T].tolist(), "bias": float(bias[T])},
            **({"closed": closed} if enumerated else {}),
        },
        program=partial(step_program, problem, signs[0], ends.x[0], radius),
        warnings=warnings,
        extra={
            "kind": spec.kind,
            "trials": T,
            "standard_error": 0.0 if enumerated else standard_error(terms),
            "starts": None if exact else spec.starts,
            "distinct_starts": None if exact else int(ends.distinct.min()),
            "estimate": words,
            "plain_mean": float((-2.0 / n) * values[:T].mean()),
            "empirical_error": float(values[T] / n),
            "certified_upper": smallest_bound(upper).value,
            "certified_upper_by": {
                "name": smallest_bound(upper).name,
                **smallest_bound(upper).parameters,
                "all": {limit.name: limit.value for limit in upper},
            },
        },
    )
    return packed(spec, settings, budget, outcome)


def _tree_bounds(attained: FloatArray, bounds: FloatArray) -> FloatArray:
    """Upper bounds (T,) on suprema, from attained values (T,) and the bounds (T,) of trees.

    For a closed tree, the bound is the attained value plus the tolerance. This bound does not
    depend on the path of the search.
    """
    closed = attained + SUPREMUM_GAP
    return np.where(bounds <= closed, closed, bounds)


def descend_signs(
    shared: tuple[Complexity, RegressionClass, FloatArray],
    block: Block,
    settings: RunSettings,
    budget: Budget,
) -> Fits:
    """The functions with the smallest signed losses for a block of sign vectors.

    In the first block, the last function belongs to the sign vector whose entries are all -1.
    """
    (spec, problem, signs), (span, seed) = shared, block
    block_signs = signs[span.start : span.stop]
    rows = block_signs if span.start else _with_error_row(block_signs)
    fits = SignedFits(problem=problem, signs=rows, radius=radius_of(spec), settings=settings)

    def estimate(values: FloatArray) -> float:
        return float(complexity_terms(block_signs, -values[: len(block_signs)]).mean())

    rng = np.random.default_rng(seed)
    return fit_signs(fits, budget, starts=spec.starts, rng=rng, monitor=estimate)


def sample_signs(
    spec: Complexity,
    data: Dataset,
    settings: RunSettings,
    problem: RegressionClass,
    signs: FloatArray,
    budget: Budget,
) -> Fits:
    """Functions with small signed losses from descents, for the sign vectors (T, n) and the vector
    of all -1.

    If a limit ends the run, the sample contains the finished blocks, or the current state of the
    first block. Raises OutOfBudget if there are fewer than two sign vectors.
    """
    # sign vectors in blocks that descend together, small ones where a step is much work, so that
    # an iteration of a block multiplies 2^31 numbers at most: a limit then finds some done
    work = spec.starts * problem.n * (problem.rank + 1) ** 2
    blocks = blocks_of(len(signs), min(TRIALS, max(1, 2**31 // work)), (settings.seed, 1))
    parts: list[Fits] = []

    def mean(value: float) -> float:
        """The mean of the terms so far, with ``value`` for the next block."""
        if not parts:
            return value
        count = sum(len(span) for span, _ in blocks[: len(parts)])
        # weighted by the sign vectors of both
        terms = complexity_terms(signs[:count], -_join_blocks(parts, "values")[:-1])
        size = len(blocks[len(parts)][0])
        return float((terms.sum() + size * value) / (count + size))

    descents = Descents(
        descend=descend_signs,
        shared=(spec, problem, signs),
        blocks=blocks,
        unit="sign vectors",
        spec=spec,
        data=data,
        join=mean,
    )
    for part in descents.fits(settings, budget):
        if part.cut and parts:
            break
        parts.append(part)
    if sum(len(span) for span, _ in blocks[: len(parts)]) < 2:
        raise OutOfBudget
    return Fits(
        x=_join_blocks(parts, "x"),
        values=_join_blocks(parts, "values"),
        reason=descents.reason,
        trace=descents.trace,
        steps=descents.steps,
        distinct=_join_blocks(parts, "distinct"),
    )


def branch_signs(
    spec: Complexity,
    problem: RegressionClass,
    rows: FloatArray,
    settings: RunSettings,
    budget: Budget,
) -> tuple[Fits, FloatArray]:
    """The best functions for the sign vectors (T, n), and lower bounds (T,) on their signed losses.

    Branch and bound starts from the best end points of descents, in the order of the sign vectors.
    The trace has one record per closed tree. If the budget runs out or ``max_iter`` trees are
    reached, the other sign vectors keep the end points of their descents. Their bounds do not use a
    tree.
    """
    radius, T = radius_of(spec), len(rows)
    # incumbents by descents of all at once
    ends = fit_signs(
        SignedFits(problem=problem, signs=rows, radius=radius),
        budget,
        starts=spec.starts,
        rng=np.random.default_rng([settings.seed, 1]),
    )
    x, bounds, trace = ends.x.copy(), -suprema_bounds(problem, rows, spec.radius), list[Record]()
    values, nodes, reason = ends.values.copy(), 0, Reason.SOLVER
    closed = _closed_trees(problem, radius, x, rows, budget)
    try:
        for tree, nodes in islice(closed, settings.max_iter):
            t = len(trace)
            x[t], values[t], bounds[t] = tree.x, tree.best, max(bounds[t], tree.floor)
            # the estimate so far
            estimate = float(complexity_terms(rows[:-1], -values[:-1]).mean())
            detail = {"done": t + 1.0, "of": float(T), "nodes": float(nodes)}
            trace.append(Record(t, budget.seconds, estimate, None, detail))
            settings.observe(trace[-1])
        if len(trace) < T:
            reason = Reason.MAX_ITER
    except OutOfBudget:
        reason = budget.reason
    return Fits(x, values, reason, trace, StepCounts(nodes), ends.distinct), bounds


def _closed_trees(
    problem: RegressionClass, radius: Radius, x: FloatArray, rows: FloatArray, budget: Budget
) -> Iterator[tuple[CellTree, int]]:
    """The closed tree of each sign vector (T, n) from x (T, r + 1), by :func:`complete_trees`."""
    places = zip(x, rows, strict=True)
    trees = (CellTree(problem, radius, 0.0, SUPREMUM_GAP, start, signs) for start, signs in places)
    return complete_trees(trees, budget)


def _join_blocks(parts: Sequence[Fits], name: str) -> Any:
    """Join an array of several blocks.

    The entry for the vector of all -1 is the last in the first block, and the last in the result.
    """
    first, *later = (getattr(part, name) for part in parts)
    return np.concatenate([first[:-1], *later, first[-1:]])


def _with_error_row(signs: FloatArray) -> FloatArray:
    """The sign vectors (T, n), followed by the sign vector that minimises all losses."""
    return np.concatenate([signs, -np.ones((1, signs.shape[1]))])


def recompute_complexity(
    spec: Complexity, data: Dataset, evidence: Mapping[str, Any], seed: int
) -> Recomputed:
    """The lower estimate of the stored functions, recomputed with numpy.

    The stored functions belong to the first sign vectors or to all of them. For an enumeration, the
    bound is recomputed as well. The trees are closed again from the stored functions.
    """
    method = str(evidence["method"])
    kernel, problem = assemble(spec, data, proved=method == "exact")
    radius = radius_of(spec)
    coefficients = np.asarray(evidence["coefficients"], dtype=np.float64)
    bias = np.asarray(evidence["bias"], dtype=np.float64)
    # the sign vectors that the functions are for, and last the one of smallest error
    T = len(coefficients)
    signs = signs_of(spec, data.rows, seed, method)[:T]
    minimiser = evidence["function"]
    coefficients = np.concatenate([coefficients, [minimiser["coefficients"]]])
    bias = np.append(bias, float(minimiser["bias"]))
    values, _ = values_of(problem, _with_error_row(signs), coefficients, bias, radius)
    terms = complexity_terms(signs, -values[:T])
    fit = regressor(kernel, data, coefficients[T], float(bias[T]))
    if "closed" not in evidence:
        return Recomputed(objective=float(terms.mean()), bound=None, fit=fit)
    # the trees that were closed close again, from the stored functions
    bounds, closed = suprema_bounds(problem, signs, spec.radius), int(evidence["closed"])
    x = problem.points(coefficients[:closed], bias[:closed])
    trees = _closed_trees(problem, radius, x, signs[:closed], Budget())
    bounds[:closed] = np.minimum(bounds[:closed], [-tree.floor for tree, _ in trees])
    suprema = _tree_bounds(-values[:T], bounds)
    upper = upper_bounds(problem, signs, spec.radius, spec.kind, suprema, enumerated=True)
    return Recomputed(objective=float(terms.mean()), bound=smallest_bound(upper).value, fit=fit)
