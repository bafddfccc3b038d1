"""Rademacher complexity and maximal discrepancy of a regression class: estimate, exact, certified.

Every supremum found by descent is attained by a function of the class, so the estimate is one from
below; the certified upper bound stands beside it. By enumeration (few points) it is exact.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from radprog.base.errors import OptionError
from radprog.base.limits import OutOfBudget, under
from radprog.base.types import FloatArray
from radprog.decompositions.loop import Budget, Clock, Observer, Reason, Record
from radprog.decompositions.regression.assembly import (
    assembled,
    in_class,
    radius_of,
    values_of,
)
from radprog.decompositions.regression.blocks import Descents, Joined, Portion, blocks_of
from radprog.decompositions.regression.cccp import (
    DescentSettings,
    Fits,
    Radius,
    SignedFits,
    StepCounts,
    far_from,
)
from radprog.decompositions.regression.exchange import fit_signs
from radprog.decompositions.regression.fit import (
    OWN,
    regressor,
    solver_use,
    step_program,
    step_warnings,
    summarise,
)
from radprog.decompositions.run import SOLVERLESS, Methods, Outcome, Run, RunSettings, packed
from radprog.instances.regression import RegressionData
from radprog.models.bounds import Bound
from radprog.models.complexity import all_signs, check_kind, draw_signs, standard_error
from radprog.models.regression.bounds import least, trivial_bound, upper_bounds
from radprog.models.regression.problem import (
    Hinges,
    RegressionClass,
    bounded_loss_bias,
    complexity_terms,
    piece,
)
from radprog.models.regression.settings import TRIALS, Complexity
from radprog.solvers.dense.batched_qp import solve_hinges
from radprog.solvers.dense.hinges import HingeProgram

EXACT_PIECE_GAP = 1e-10  # of a convex piece of an exact complexity

NOT_USED: Methods = {
    "cccp": ("start", "threads"),
    "exact": ("start", "threads", *SOLVERLESS),
}
PIECES = 2**19  # convex programs that an enumeration may take
PIECES_AT_ONCE = 4096  # of them at once
MULTIPLIED = 2**31  # numbers that an iteration of a block of sign vectors may multiply
ENOUGH = "the estimate and its standard error are theirs"
CONSTANTS = "too few: the values are those of the best constants"
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


@dataclass(frozen=True, kw_only=True)
class Sample:
    """Functions found for sign vectors (T, n), and last the one for all signs -1, evaluated.

    x (T + 1, r + 1); coefficients (T + 1, n); bias, values, norms (T + 1,).
    """

    x: FloatArray
    coefficients: FloatArray
    bias: FloatArray
    values: FloatArray
    norms: FloatArray

    @staticmethod
    def of(problem: RegressionClass, signs: FloatArray, x: FloatArray, radius: Radius) -> Sample:
        """Points x of sign vectors (T + 1, n), as functions of the class."""
        coefficients, bias = in_class(problem, x, radius.A)
        values, norms = values_of(problem, signs, coefficients, bias, radius)
        return Sample(x=x, coefficients=coefficients, bias=bias, values=values, norms=norms)

    @staticmethod
    def of_constants(problem: RegressionClass, signs: FloatArray, radius: Radius) -> Sample:
        """The best constants for sign vectors (T, n) and for all signs -1."""
        rows = _with_errors(signs)
        x = SignedFits(problem=problem, signs=rows, radius=radius).constants()
        return Sample.of(problem, rows, x, radius)

    @staticmethod
    def joined(parts: Sequence[Sample]) -> Sample:
        """Several as one; the first holds the function of all signs -1, which stays the last."""

        def every(name: str) -> FloatArray:
            first, *others = (getattr(part, name) for part in parts)
            return np.concatenate([first[:-1], *others, first[-1:]])

        return Sample(**{name: every(name) for name in vars(parts[0])})


@dataclass(frozen=True, kw_only=True)
class Sampled:
    """A sample, and how it was come by; proved (T + 1,): exact values from below, or None."""

    sample: Sample
    reason: Reason
    trace: list[Record]
    steps: StepCounts
    distinct: int | None = None
    proved: FloatArray | None = None
    said: tuple[str, ...] = ()


def fit_complexity(spec: Complexity, data: RegressionData, settings: RunSettings) -> Run:
    """Estimate (1) over random sign vectors, or compute it over all of them (``exact``).

    ``fit`` is the function of least empirical error found. Extra keys: standard_error, starts,
    certified_upper, certified_upper_by (name, failure probability, all), estimate (what it is).
    A spent budget leaves the estimate over the sign vectors done, with its standard error; over all
    of them by the best constants where fewer than two are.
    """
    method = settings.check(spec, NOT_USED, OWN)
    if method == "exact" and settings.max_iter is not None:
        raise OptionError("complexity: method 'exact' enumerates: leave --max-iter out")
    if method == "exact":
        settings.sharing.refuse_one("complexity by method exact", divided=False, kept=False)
    clock = settings.clock()
    kernel, problem, cut = assembled(spec, data, clock)
    n, radius = data.rows, radius_of(spec)
    signs = signs_of(spec, n, settings.seed, method)
    clock.ready()
    suprema = enumerated if method == "exact" and not cut else sampled
    found = suprema(spec, data, settings, problem, signs, clock)
    sample, bounds = found.sample, found.proved
    T = len(sample.x) - 1
    signs, coefficients, bias = signs[:T], sample.coefficients, sample.bias
    terms = complexity_terms(signs, -sample.values[:T])
    if bounds is None:
        limits = _upper_bounds(spec, problem, signs, clock)
    else:
        value = float(complexity_terms(signs, -bounds[:T]).mean())
        limits = [Bound(name="enumeration", value=value, parameters={"failure": 0.0})]
    outcome = Outcome(
        method=method,
        reason=found.reason,
        objective=float(terms.mean()),
        bound=None,
        trace=found.trace,
        solver=solver_use(settings),
        fit=regressor(kernel, data, coefficients[T], float(bias[T])),
        summary=summarise(kernel, problem, coefficients[T], float(bias[T]), float(sample.norms[T])),
        evidence={
            "method": method,
            "coefficients": coefficients[:T].tolist(),
            "bias": bias[:T].tolist(),
            "function": {"coefficients": coefficients[T].tolist(), "bias": float(bias[T])},
        },
        program=partial(step_program, problem, signs[0], sample.x[0], radius),
        warnings=(*step_warnings(found.steps), *cut, *found.said),
        extra={
            "kind": spec.kind,
            "trials": T,
            "standard_error": 0.0 if method == "exact" else standard_error(terms),
            "starts": None if method == "exact" else spec.starts,
            "distinct_starts": None if method == "exact" else found.distinct,
            "estimate": ESTIMATE_WORDS if bounds is None else EXACT_WORDS,
            "plain_mean": float((-2.0 / n) * sample.values[:T].mean()),
            "empirical_error": float(sample.values[T] / n),
            **certified(limits),
        },
    )
    return packed(spec, settings, clock, outcome)


def block_size(problem: RegressionClass, starts: int) -> int:
    """How many sign vectors descend together: few where a step of one is much work already, so that
    a limit finds some of them done."""
    return min(TRIALS, max(1, MULTIPLIED // (starts * problem.n * (problem.rank + 1) ** 2)))


def descend_signs(
    shared: tuple[Complexity, RegressionClass, FloatArray],
    block: Portion,
    settings: RunSettings,
    budget: Budget,
    observe: Observer,
) -> Fits:
    """The functions of least signed loss for a block of sign vectors, and, in the first one, last
    that of all signs -1."""
    spec, problem, signs = shared
    own = signs[block.first : block.end]
    rows = own if block.first else _with_errors(own)
    fits = SignedFits(problem=problem, signs=rows, radius=radius_of(spec), settings=settings)
    how = DescentSettings(
        budget=budget,
        max_iter=settings.max_iter,
        observe=observe,
        monitor=lambda values: float(complexity_terms(own, -values[: len(own)]).mean()),
    )
    return fit_signs(fits, how, starts=spec.starts, rng=block.rng)


def sampled(
    spec: Complexity,
    data: RegressionData,
    settings: RunSettings,
    problem: RegressionClass,
    signs: FloatArray,
    clock: Clock,
) -> Sampled:
    """The functions of least signed loss for sign vectors (T, n), and for all signs -1, by descent.

    One block of sign vectors after the other. Where a limit strikes, those of the blocks done are
    the sample, and the first block with what it has reached; where they are fewer than two, it is
    all sign vectors with their best constants.
    """
    T, radius = len(signs), radius_of(spec)
    blocks = blocks_of(T, block_size(problem, spec.starts), (settings.seed, 1))
    parts: list[Sample] = []
    terms: list[FloatArray] = []

    def mean(value: float) -> float:
        known = np.concatenate([*terms, np.empty(0)])
        size = blocks[len(parts)].size
        return float((known.sum() + size * value) / (len(known) + size)) if parts else value

    joined, distinct = Joined(objective=mean), spec.starts
    descents = Descents(
        descend=descend_signs, shared=(spec, problem, signs), blocks=blocks, unit="sign vectors",
        spec=spec, data=data,
    )  # fmt: skip
    for found, block in zip(descents.fits(settings, clock.budget, joined), blocks, strict=False):
        if found.cut and parts:
            break
        rows = signs[block.first : block.end]
        try:
            with under(clock.grace if found.cut else clock.budget):
                part = Sample.of(problem, rows if parts else _with_errors(rows), found.x, radius)
        except OutOfBudget:
            joined.reason = clock.budget.reason
            break
        parts.append(part)
        terms.append(complexity_terms(rows, -part.values[: len(rows)]))
        distinct = min(distinct, int(found.distinct.min()))
    done = sum(map(len, terms))
    theirs = ENOUGH
    if done < 2:
        parts, theirs = [Sample.of_constants(problem, signs, radius)], CONSTANTS
    told = f"{joined.reason.value}: {done} of {T} sign vectors were done, {theirs}"
    return Sampled(
        sample=Sample.joined(parts),
        reason=joined.reason,
        trace=joined.trace,
        steps=joined.steps,
        distinct=distinct,
        said=(told,) * (done < T),
    )


def _with_errors(signs: FloatArray) -> FloatArray:
    """Sign vectors (T, n) and, last, the one whose losses are all minimised."""
    return np.concatenate([signs, -np.ones((1, signs.shape[1]))])


def enumerated(
    spec: Complexity,
    data: RegressionData,
    settings: RunSettings,
    problem: RegressionClass,
    signs: FloatArray,
    clock: Clock,
) -> Sampled:
    """The same by every convex piece, with exact values from below where all were solved."""
    rows, radius = _with_errors(signs), radius_of(spec)
    found, proved = enumerate_pieces(problem, rows, spec.radius, clock.budget)
    return Sampled(
        sample=Sample.of(problem, rows, found.x, radius),
        reason=found.reason,
        trace=found.trace,
        steps=found.steps,
        proved=proved,
    )


def _upper_bounds(
    spec: Complexity, problem: RegressionClass, signs: FloatArray, clock: Clock
) -> list[Bound]:
    """Upper bounds of the complexity; of a run that a limit has cut off the trivial one, where the
    others take too long."""
    try:
        with under(clock.grace):
            return upper_bounds(problem, signs, spec.radius, spec.kind)
    except OutOfBudget:
        return [trivial_bound()]


def certified(limits: Sequence[Bound]) -> dict[str, Any]:
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
                program = HingeProgram(
                    F=problem.factor,
                    t1=part.t1,
                    t2=part.t2,
                    c=np.zeros_like(part.t1),
                    box=problem.bias_box(A),
                    radius=float(np.sqrt(A)),
                )
                found = solve_hinges(program, tolerance=EXACT_PIECE_GAP, poll=budget.check)
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
