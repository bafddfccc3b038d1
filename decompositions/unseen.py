"""Pricing what a program does not hold: can a further family of columns improve the optimum?"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from radprog.decompositions.lpboost.fit import recompute_lpboost
from radprog.decompositions.lpboost.shapelets import assemble as assemble_shapelets
from radprog.decompositions.lpboost.weak_learners import SingleShapelets
from radprog.decompositions.mkl.fit import values_of
from radprog.decompositions.mkl.methods import ball_of, problem_of
from radprog.decompositions.vkr.fit import assemble, stored_points
from radprog.instances.bags import Bags
from radprog.instances.dataset import Dataset
from radprog.instances.errors import DataError, OptionError
from radprog.instances.types import FloatArray
from radprog.models.kernels import KernelBank, parse_kernels
from radprog.models.lpboost.settings import LPBoost
from radprog.models.mkl.kernel_sets import kernel_set
from radprog.models.mkl.settings import DEFAULT_KERNELS, MKL
from radprog.models.settings import L1SVM, VKR
from radprog.models.vkr.penalties import kernel_penalties
from radprog.models.vkr.programs import UNIT_ROUNDOFF, VotedKernels

ROUNDING = 1e-12  # relative: how far two evaluations of one bound may differ


@dataclass(frozen=True, kw_only=True)
class Candidate:
    """A family of columns priced at the dual point of a finished run.

    keeps_bound: the bound of the run holds with the family added, so that it cannot help.
    price: what a unit of it costs; ratio: the largest gain of a unit at the dual point over its
    price, enlarged by its rounding error; floor: no optimum with this family added is better;
    column: the column of the largest ratio, where a family has several; kernel_seconds, seconds:
    evaluating the kernel, and pricing it.
    """

    name: str
    price: float
    ratio: float
    floor: float
    column: int | None
    kernel_seconds: float
    seconds: float
    keeps_bound: bool


@dataclass(frozen=True, kw_only=True)
class Priced:
    """Candidates beside the values of the run; floor: with all candidates added at once, no
    optimum is below it, or, where ``maximise``, above it."""

    objective: float
    bound: float
    floor: float
    candidates: tuple[Candidate, ...]
    maximise: bool = False
    warnings: tuple[str, ...] = ()


def price_vkr(
    spec: VKR | L1SVM, data: Dataset, evidence: Mapping[str, Any], seed: int, kernels: str
) -> Priced:
    """Price every kernel of the SPEC ``kernels`` at the stored dual point d of a VKR run.

    d, divided by the largest ratio of the run's own columns, is feasible for the run's dual. A
    family with max_j |A_j d| <= Lambda keeps it feasible: the bound 1'd still holds, and where
    that bound is the optimum and the ratio is below 1, no optimal solution uses the family.
    Otherwise d / ratio is feasible, and the optimum is at least bound / ratio.

    Raises OptionError for a kernel that the run has already, DataError for points of other data.
    """
    program = spec.as_vkr() if isinstance(spec, L1SVM) else spec
    problem, _ = assemble(program, data, seed)
    pairs, alpha, d = stored_points(problem, evidence)
    if d is None:
        raise DataError("the result holds no dual point, so it has no prices")
    objective = problem.primal_value(problem.bank.columns(pairs), pairs, alpha)
    bound = problem.dual_bound(d, problem.ratios(d))
    feasible = d / max(1.0, _largest(problem, d)[0])
    known = {kernel.name for kernel in problem.bank.kernels}
    candidates = tuple(_priced(problem, program, feasible, bound, seed, kernels, known))
    worst = max(candidate.ratio for candidate in candidates)
    sampled = "the prices of these kernels hold Monte Carlo estimates of their complexity"
    return Priced(
        objective=objective,
        bound=bound,
        floor=bound / max(1.0, worst),
        candidates=candidates,
        warnings=(sampled,) if program.complexity == "montecarlo" else (),
    )


def _priced(
    problem: VotedKernels,
    program: VKR,
    d: FloatArray,
    bound: float,
    seed: int,
    kernels: str,
    known: set[str],
) -> Iterator[Candidate]:
    centres = None if problem.bank.own_centres else problem.bank.centres
    for kernel in parse_kernels(kernels):
        if kernel.name in known:
            raise OptionError(f"kernel '{kernel.name}' is in the program already: nothing to price")
        start = time.perf_counter()
        bank = KernelBank([kernel], problem.bank.X, centres)
        penalties = kernel_penalties(
            bank,
            program.complexity,
            local_r=program.local_r,
            trials=program.trials,
            seed=seed,
        )
        family = VotedKernels(
            bank=bank, y=problem.y, penalties=penalties.r, lam=program.lam, beta=program.beta
        )
        built = time.perf_counter()
        ratio, column = _largest(family, d)
        yield Candidate(
            name=kernel.name,
            price=float(family.prices[0]),
            ratio=ratio,
            floor=bound / max(1.0, ratio),
            column=column,
            kernel_seconds=built - start,
            seconds=time.perf_counter() - built,
            keeps_bound=ratio <= 1.0,
        )


def _largest(problem: VotedKernels, d: FloatArray) -> tuple[float, int]:
    """max_kj |A_kj d| / Lambda_k with the rounding error of its evaluation, and its centre j."""
    ratios = problem.ratios(d)
    sizes = problem.bank.correlate(d, absolute=True) / problem.prices[:, None]
    rounding = problem.m * UNIT_ROUNDOFF * float(sizes.max())
    return float(ratios.max()) + rounding, int(ratios.max(axis=0).argmax())


def price_mkl(spec: MKL, data: Any, evidence: Mapping[str, Any], seed: int, kernels: str) -> Priced:
    """Price every kernel of the SPEC ``kernels`` at the stored dual point a of multiple kernel
    learning, variants conv and lp.

    The bound is  s - 1/2 max <q, mu>  over the weights, q_m = z'K_m z, z = a y. Norm 1: a kernel
    with q/c at most the largest q/c of the run keeps it. A larger norm gives every kernel weight,
    and a candidate always lowers the bound. a is scaled for the best bound with the candidate.
    """
    if spec.variant not in ("conv", "lp"):
        raise OptionError(f"variant '{spec.variant}' is not convex: only conv and lp are priced")
    if spec.grams is not None:
        raise OptionError("kernels given as matrices: there is no point to evaluate others on")
    if evidence.get("dual") is None:
        raise DataError("the result holds no dual point, so it has no prices")
    problem = problem_of(spec, kernel_set(spec, data))
    ball, a = ball_of(spec, problem), np.asarray(evidence["dual"], dtype=np.float64)
    if a.shape != problem.labels.shape:
        raise DataError("the stored dual points do not fit this data set")
    value, bound = values_of(spec, problem, evidence)
    assert bound is not None
    support = ball.support(problem.energies(problem.feasible(a)))
    known = spec.kernels or DEFAULT_KERNELS
    candidates = []
    for kernel in parse_kernels(kernels):
        if kernel.name in problem.kernels.names:
            raise OptionError(f"kernel '{kernel.name}' is in the program already: nothing to price")
        start = time.perf_counter()
        alone = problem_of(spec, kernel_set(replace(spec, kernels=kernel.name), data))
        built = time.perf_counter()
        own = ball_of(spec, alone)
        gain = own.support(alone.energies(alone.feasible(a)) + alone.rounding(a))
        seconds = time.perf_counter() - built
        floor = _mkl_floor(spec, data, f"{known},{kernel.name}", a, bound)
        candidates.append(
            Candidate(
                name=kernel.name,
                price=float(own.c[0]),
                ratio=gain / support,
                floor=floor,
                column=None,
                kernel_seconds=built - start,
                seconds=seconds,
                keeps_bound=floor >= bound - ROUNDING * abs(bound),
            )
        )
    together = _mkl_floor(spec, data, f"{known},{kernels}", a, bound)
    return Priced(
        objective=value.objective, bound=bound, floor=together, candidates=tuple(candidates)
    )


def _mkl_floor(spec: MKL, data: Any, kernels: str, a: FloatArray, bound: float) -> float:
    """Bound of the program with other kernels at the best multiple of a, at most ``bound``."""
    problem = problem_of(spec, kernel_set(replace(spec, kernels=kernels), data))
    ball, a = ball_of(spec, problem), problem.feasible(a)
    curve = ball.support(problem.energies(a))
    best = min(1.0, problem.gain(a) / curve) if curve > 0 else 1.0
    return min(bound, max(problem.dual_bound(ball, t * a) for t in (1.0, best)))


def price_lpboost(
    spec: LPBoost, data: Bags, evidence: Mapping[str, Any], seed: int, lengths: str
) -> Priced:
    """Price shapelets of other lengths at the stored row weights d of LPBoost.

    The optimal margin is at most the largest edge sum_i d_i y_i h(x_i) of the class at d: a length
    with no larger edge cannot raise it, and another one to its own largest edge at most.
    """
    if not spec.exact:
        raise OptionError(
            f"learner '{spec.learner}' is priced by local search, which proves no bound"
        )
    problem = assemble_shapelets(spec, data)
    objective, bound = recompute_lpboost(spec, data, evidence, seed)
    assert bound is not None
    d = problem.margin.feasible(np.asarray(evidence["d"], dtype=np.float64))
    known = {family.length for family in problem.families}
    candidates = []
    for length in replace(spec, length=lengths).lengths(data.span):
        if length in known:
            raise OptionError(f"length {length} is in the program already: nothing to price")
        start = time.perf_counter()
        family = assemble_shapelets(replace(spec, length=str(length)), data)
        built = time.perf_counter()
        edge = SingleShapelets(family, signed=spec.learner == "shapelet").bound(d)
        candidates.append(
            Candidate(
                name=f"length {length}",
                price=bound,
                ratio=edge / bound if bound > 0 else (np.inf if edge > bound else 1.0),
                floor=max(bound, edge),
                column=None,
                kernel_seconds=built - start,
                seconds=time.perf_counter() - built,
                keeps_bound=edge <= bound,
            )
        )
    return Priced(
        objective=objective,
        bound=bound,
        floor=max(candidate.floor for candidate in candidates),
        candidates=tuple(candidates),
        maximise=True,
    )
