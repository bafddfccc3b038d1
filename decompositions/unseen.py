"""Pricing what a program does not hold: can a further family of columns improve the optimum?"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from radprog.decompositions.vkr import assemble, stored_points
from radprog.instances.dataset import Dataset
from radprog.instances.errors import DataError, OptionError
from radprog.models.kernels import KernelBank, parse_kernels
from radprog.models.penalties import kernel_penalties
from radprog.models.settings import L1SVM, VKR
from radprog.models.vkr import UNIT_ROUNDOFF, VotedKernels

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class Candidate:
    """A family of columns priced at the dual point d of a finished run.

    price: Lambda of the family; ratio: the largest |A_j d| / Lambda, enlarged by its rounding
    error; floor: no optimum with this family added lies below it; column: the column of the
    largest ratio; kernel_seconds, seconds: evaluating the kernel, and pricing it.
    """

    name: str
    price: float
    ratio: float
    floor: float
    column: int
    kernel_seconds: float
    seconds: float

    @property
    def keeps_bound(self) -> bool:
        """Whether d stays feasible, so that the bound of the run holds with the family added."""
        return self.ratio <= 1.0


@dataclass(frozen=True, kw_only=True)
class Priced:
    """Candidates beside the values of the run; floor: with all candidates added at once."""

    objective: float
    bound: float
    floor: float
    candidates: tuple[Candidate, ...]
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
        )


def _largest(problem: VotedKernels, d: FloatArray) -> tuple[float, int]:
    """max_kj |A_kj d| / Lambda_k with the rounding error of its evaluation, and its centre j."""
    ratios = problem.ratios(d)
    sizes = problem.bank.correlate(d, absolute=True) / problem.prices[:, None]
    rounding = problem.m * UNIT_ROUNDOFF * float(sizes.max())
    return float(ratios.max()) + rounding, int(ratios.max(axis=0).argmax())
