"""Prices of kernels that a VKR run does not have, at its dual point."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from radprog.base.errors import DataError, OptionError
from radprog.base.limits import poll
from radprog.base.types import FloatArray
from radprog.decompositions.analyses import (
    Candidate,
    PricingResult,
)
from radprog.decompositions.vkr.fit import (
    assemble,
    stored_coefficients,
)
from radprog.instances.dataset import Dataset
from radprog.models.kernel_bank import KernelBank
from radprog.models.kernels import parse_kernels
from radprog.models.rounding import up
from radprog.models.vkr.penalties import kernel_penalties, trace_penalty
from radprog.models.vkr.problem import VotedKernels
from radprog.models.vkr.settings import L1SVM, VKR

ANY = "any:"
STARTS, START_WIDTHS = 12, 7  # of the search: best columns of the sample's centres and these widths


def interval_of(text: str) -> tuple[float, float]:
    """The ends LOW and HIGH of ``any:rbf:LOW..HIGH``. Raises OptionError if the family is
    different, or if there are fewer than two widths.
    """
    kernels = parse_kernels(text.removeprefix(ANY))
    widths = [getattr(kernel, "gamma", 0.0) for kernel in kernels if kernel.base == "squared"]
    if len(widths) != len(kernels) or len(kernels) < 2:
        raise OptionError(f"{text}: expected any:rbf:LOW..HIGH, only Gaussian kernels")
    return min(widths), max(widths)


def largest_correlation(
    low: float, high: float, X: FloatArray, v: FloatArray
) -> tuple[float, float, FloatArray]:
    """The largest |sum_i v_i exp(-gamma |x_i - x'|^2)| found by a search, with its gamma and x'.

    X (m, N) contains the points, and v (m,) is the pricing vector. gamma is between ``low`` and
    ``high``, and the centre x' is in the bounding box of the data: the paper's base functions
    K_k(., x') have arbitrary centres x', and its Section 5.2 has infinitely many kernels. The
    correlation is smooth and nonconcave in gamma and x', so the result is a lower bound on the
    supremum.
    """
    from scipy.optimize import minimize  # slow to import
    from scipy.spatial.distance import cdist

    box = np.column_stack([X.min(axis=0), X.max(axis=0)])
    ends = math.log(low), math.log(high)

    def negated(point: FloatArray, sign: float) -> tuple[float, FloatArray]:
        """-sign times the correlation at (log gamma, x'), and its gradient."""
        gamma, offsets = math.exp(point[0]), X - point[1:]
        squares = np.einsum("ij,ij->i", offsets, offsets)
        terms = sign * v * np.exp(-gamma * squares)
        slope = np.concatenate([[-gamma * (terms @ squares)], 2.0 * gamma * (terms @ offsets)])
        return -float(terms.sum()), -slope

    # starts: the best columns at the rows themselves, over a grid of widths
    squares = cdist(X, X, "sqeuclidean")
    candidates: list[tuple[float, float, float, int]] = []
    for gamma in np.geomspace(low, high, START_WIDTHS).tolist():
        poll()
        values = (v @ np.exp(-gamma * squares)).tolist()
        order = np.argsort(-np.abs(values))[:STARTS].tolist()
        candidates += [(abs(values[j]), math.copysign(1.0, values[j]), gamma, j) for j in order]
    candidates.sort(reverse=True)
    best = candidates[0][0], candidates[0][2], X[candidates[0][3]]
    # ascent from each, within the box and the interval of widths
    for _, sign, gamma, j in candidates[:STARTS]:
        poll()
        optimum = minimize(
            negated,
            np.concatenate([[math.log(gamma)], X[j]]),
            args=(sign,),
            jac=True,
            method="L-BFGS-B",
            bounds=[ends, *box.tolist()],
        )
        if -optimum.fun > best[0]:
            best = -float(optimum.fun), math.exp(optimum.x[0]), optimum.x[1:]
    return best


def correlation_ceiling(v: FloatArray) -> float:
    """An upper bound on |sum_i v_i K(x_i, x')| for all kernels with values in [0, 1].

    One sum is over the positive entries of v (m,), and the other over the negative entries. The
    bound is the larger absolute value of the two sums.
    """
    return float(max(v[v > 0].sum(), -v[v < 0].sum()))


def price_vkr(
    spec: VKR | L1SVM, data: Dataset, evidence: Mapping[str, Any], seed: int, kernels: str
) -> PricingResult:
    """Price every kernel in the SPEC ``kernels`` at the stored dual point d of a VKR run.

    The point d, divided by the largest ratio of the run's own columns, is feasible for the run's
    dual. The ratio of a new family is max_j |A_j d| / Lambda. If it is at most 1, the point remains
    feasible, so the bound 1'd still holds. If that bound is the optimum and the ratio is below 1,
    no optimal solution uses the family. If the ratio exceeds 1, d / ratio is feasible, and the
    optimum is at least bound / ratio. With constraints, the same holds for t (d, mu), because its
    bound is concave in t and 0 at t = 0.

    ``any:rbf:LOW..HIGH`` means all widths in this interval and all centres in the bounding box of
    the data. One candidate is a bound for all these kernels. Another is the best column found by a
    search from many starts. A kernel of the run has a ratio of at most 1, up to rounding. Raises
    DataError if the points belong to other data.
    """
    problem, _ = assemble(spec, data, seed)
    pairs, alpha, z = stored_coefficients(problem, evidence)
    if z is None:
        raise DataError("the result holds no dual point, so it has no prices: solve to the end")
    # what the run's points are worth, and its dual point scaled to feasibility
    objective = problem.primal_value(problem.bank.columns(pairs), pairs, alpha)
    ratios = problem.ratios(z)
    bound, _ = problem.dual_bound(z, ratios)
    feasible = z / max(1.0, _largest(problem, z)[0])
    # every new family at that point
    candidates: list[Candidate] = []
    for name in filter(lambda text: text.startswith(ANY), kernels.split(",")):
        candidates += price_any(problem, spec, feasible, bound, name)
    numbers = {kernel.name: k for k, kernel in enumerate(problem.bank.kernels)}
    centres = None if problem.bank.own_centres else problem.bank.centres
    names = [name for name in kernels.split(",") if not name.startswith(ANY)]
    for kernel in parse_kernels(",".join(names)) if names else ():
        # its own kernel matrix, its own penalty, and the prices of the run
        start = time.perf_counter()
        bank, k = KernelBank([kernel], problem.bank.X, centres), numbers.get(kernel.name)
        # a kernel of the run keeps its penalty, which another sample would estimate anew
        penalties = problem.penalties[k : k + 1] if k is not None else kernel_penalties(
            bank, spec.complexity, local_r=spec.local_r, trials=spec.trials, seed=seed,
            weights=problem.weights,
        ).r  # fmt: skip
        family = replace(problem, bank=bank, penalties=penalties)
        built = time.perf_counter()
        ratio, column = _largest(family, feasible)
        candidates.append(
            Candidate(
                name=kernel.name,
                price=float(family.prices[0]),
                ratio=ratio,
                floor=bound / (1.0 if k is not None else max(1.0, ratio)),
                column=column,
                kernel_seconds=built - start,
                seconds=time.perf_counter() - built,
                keeps_bound=k is not None or ratio <= 1.0,
                present=k is not None,
            )
        )
    sampled = "the prices of these kernels hold Monte Carlo estimates of their complexity"
    return PricingResult(
        objective=objective,
        bound=bound,
        floor=min(candidate.floor for candidate in candidates),
        candidates=tuple(candidates),
        warnings=(sampled,) if spec.complexity == "montecarlo" else (),
    )


def price_any(
    problem: VotedKernels, spec: VKR | L1SVM, z: FloatArray, bound: float, text: str
) -> Iterator[Candidate]:
    """Price all Gaussians with widths in an interval at all centres, and the best one found by a
    search.
    """
    low, high = interval_of(text)
    if spec.complexity not in ("trace", "none"):
        raise OptionError(
            f"{text}: complexity '{spec.complexity}' has no price for every width: trace or none"
        )
    # K(x, x) = 1: Lemma 3 gives every width the same penalty
    ones = np.ones(problem.m)
    penalty = trace_penalty(ones, 1.0, problem.weights) if spec.complexity == "trace" else 0.0
    price = spec.lam * penalty + spec.beta
    v = problem.pricing_vector(z)
    start = time.perf_counter()
    value, gamma, centre = largest_correlation(low, high, problem.bank.X, v)
    seconds = time.perf_counter() - start
    rows = (
        (text, up(correlation_ceiling(v), problem.m) / price, ()),
        (f"rbf:{gamma:.6g}", value / price, tuple(centre.tolist())),
    )
    for name, ratio, place in rows:
        yield Candidate(
            name=name,
            price=price,
            ratio=ratio,
            floor=bound / max(1.0, ratio),
            column=None,
            kernel_seconds=0.0,
            seconds=seconds,
            keeps_bound=ratio <= 1.0,
            centre=place,
        )


def _largest(problem: VotedKernels, z: FloatArray) -> tuple[float, int]:
    """The largest ratio |K_k(., c_j)'v| / Lambda_k plus its rounding error, and the index j of its
    centre.
    """
    ratios = problem.ratios(z)
    rounding = float(problem.errors(z).max())
    return float(ratios.max()) + rounding, int(ratios.max(axis=0).argmax())
