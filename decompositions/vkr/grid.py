"""A grid of VKR problems on one data set: neighbours hand on columns and basis."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from radprog.base.types import FloatArray
from radprog.decompositions.loop import relative_gap
from radprog.decompositions.run import Attempt, RunSettings, attempted, packed
from radprog.decompositions.vkr.fit import assemble, fit_vkr, generate_columns
from radprog.decompositions.vkr.pricing import Incumbent, Warm, joined
from radprog.decompositions.vkr.report import outcome_of
from radprog.instances.dataset import Dataset
from radprog.models.vkr.problem import VotedKernels
from radprog.models.vkr.settings import L1SVM, VKR

VotedSettings: TypeAlias = VKR | L1SVM

NEIGHBOURS = 3  # solved problems that hand on columns


@dataclass(frozen=True)
class Neighbour:
    """A solved problem, and what its points are worth at other prices.

    At prices Lambda' the coefficients are worth  hinge + sum_k Lambda'_k norms_k,  and d can be
    stretched by min(room, 1 / max_k(largest_k / Lambda'_k)), which bounds the optimum from below.
    norms: sum_j |alpha_kj| (p,); largest: max_j |A_kj . d| (p,); room: 1 / max d_i/c_i.
    """

    warm: Warm
    hinge: float
    norms: FloatArray
    total: float
    room: float
    largest: FloatArray

    @staticmethod
    def of(problem: VotedKernels, incumbent: Incumbent, warm: Warm) -> Neighbour:
        """The neighbour that a certified incumbent makes."""
        # norms of the families, which other prices multiply
        norms = np.zeros(len(problem.prices))
        np.add.at(norms, incumbent.pairs[:, 0], np.abs(incumbent.alpha))
        return Neighbour(
            warm=warm,
            hinge=incumbent.objective - float(problem.prices @ norms),
            norms=norms,
            total=float(incumbent.d.sum()),
            room=1.0 / (problem.m * float((incumbent.d / problem.boxes).max())),
            largest=incumbent.ratios.max(axis=1) * problem.prices,
        )

    def gap(self, prices: FloatArray) -> float:
        """Relative gap that the two points leave at other prices (p,)."""
        value = self.hinge + float(prices @ self.norms)
        stretch = 1.0 / max(1.0 / self.room, float((self.largest / prices).max()))
        return relative_gap(value, self.total * stretch) or 0.0


def fit_grid(
    specs: Sequence[VotedSettings], data: Dataset, settings: RunSettings
) -> Iterator[tuple[VotedSettings, Attempt]]:
    """Certified runs of all specs, in path order.

    Specs that differ in lam and beta only share kernels and penalties. They are solved in order of
    decreasing lam, then beta; each takes over the columns and the basis of the solved neighbour
    whose points leave the smallest gap on it, and the used columns of the next two. A basis stays
    one under positive row scaling.
    A single spec, specs with constraints, and other methods than column generation in HiGHS, are
    fitted one by one.
    """
    # german, 12 pairs of lam and beta, 5 folds: 5.6 s, 15.1 one by one
    by_columns = settings.method in (None, "colgen") and settings.solver in (None, "highs")
    if len(specs) < 2 or not by_columns or any(spec.constraints for spec in specs):
        for spec in specs:
            yield spec, attempted(fit_vkr, spec, data, settings)
        return
    # settings of the same kernels and penalties make one path
    paths: dict[VKR, list[VotedSettings]] = {}
    for spec in specs:
        paths.setdefault(replace(spec.as_vkr(), lam=1.0, beta=1.0), []).append(spec)
    for shared, members in paths.items():
        problem, penalties = assemble(shared, data, settings.seed)
        solved: list[Neighbour] = []
        for spec in sorted(members, key=lambda spec: (-spec.as_vkr().lam, -spec.beta)):
            budget = settings.budget()
            priced = problem.at_prices(spec.as_vkr().lam, spec.beta)
            # the neighbour whose points are worth most here hands on its basis, the next columns
            # (ionosphere, 49 settings: 1.55 s, 2.68 by the nearest prices; german 19.7 and 17.1)
            prices = priced.prices
            solved.sort(key=lambda neighbour: neighbour.gap(prices))
            warm = joined([neighbour.warm for neighbour in solved[:NEIGHBOURS]])
            columns = generate_columns(priced, settings, budget, warm)
            outcome = outcome_of(spec, data, priced, penalties, columns, settings)
            yield spec, packed(spec, settings, budget, outcome)
            if columns.warm is not None:
                solved.append(Neighbour.of(priced, columns.incumbent, columns.warm))
