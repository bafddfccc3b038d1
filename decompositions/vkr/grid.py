"""A grid of VKR problems on one data set: neighbours hand on columns and basis."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from radprog.base.types import FloatArray
from radprog.decompositions.loop import Budget, first_step, relative_gap
from radprog.decompositions.run import Attempt, RunSettings, attempted, packed
from radprog.decompositions.vkr.fit import assemble, fit_vkr, generate_columns
from radprog.decompositions.vkr.pricing import Incumbent, Warm, joined
from radprog.decompositions.vkr.report import outcome_of
from radprog.instances.dataset import Dataset
from radprog.models.vkr.problem import VotedKernels
from radprog.models.vkr.settings import L1SVM, VKR

VotedSettings: TypeAlias = VKR | L1SVM

NEIGHBOURS = 3  # solved problems that hand on columns
LEAST_SECONDS = 1e-3  # of the time limit of a fit


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
        norms = np.zeros(len(problem.prices))
        np.add.at(norms, incumbent.pairs[:, 0], np.abs(incumbent.alpha))
        return Neighbour(
            warm=warm,
            hinge=incumbent.objective - float(problem.prices @ norms),
            norms=norms,
            total=float(incumbent.d.sum()),
            room=1.0 / (problem.m * float((incumbent.d / problem.boxes).max())),
            largest=problem.ratios(incumbent.d).max(axis=1) * problem.prices,
        )

    def gap(self, prices: FloatArray) -> float:
        """Relative gap that the two points leave at other prices (p,)."""
        value = self.hinge + float(prices @ self.norms)
        stretch = 1.0 / max(1.0 / self.room, float((self.largest / prices).max()))
        return relative_gap(value, self.total * stretch) or 0.0


def fit_grid(
    specs: Sequence[VotedSettings],
    data: Dataset,
    settings: RunSettings,
    whole: Budget | None = None,
) -> Iterator[tuple[VotedSettings, Attempt]]:
    """Certified runs of all specs, in path order.

    Specs that differ in lam and beta only share kernels and penalties. They are solved in order of
    decreasing lam, then beta; each takes over the columns and the basis of the solved neighbour
    whose points leave the smallest gap on it, and the used columns of the next two. A basis stays
    one under positive row scaling.
    A single spec, specs with constraints, and other methods than column generation in HiGHS, are
    fitted one by one. ``whole``: the budget of all fits together, in place of a time limit of each:
    of what is left each has an equal share; raises UnfinishedError where nothing is.
    """
    left = iter(range(len(specs), 0, -1))

    def settings_now() -> RunSettings:
        return settings if whole is None else within(settings, whole, next(left))

    by_columns = settings.method in (None, "colgen") and settings.solver in (None, "highs")
    if len(specs) < 2 or not by_columns or any(spec.constraints for spec in specs):
        for spec in specs:
            yield spec, attempted(fit_vkr, spec, data, settings_now())
        return
    # settings of the same kernels and penalties make one path
    paths: dict[VKR, list[VotedSettings]] = {}
    for spec in specs:
        paths.setdefault(replace(spec.as_vkr(), lam=1.0, beta=1.0), []).append(spec)
    for shared, members in paths.items():
        with first_step(whole or Budget()):
            problem, penalties = assemble(shared, data, settings.seed)
        solved: list[Neighbour] = []
        for spec in sorted(members, key=lambda spec: (-spec.as_vkr().lam, -spec.beta)):
            own = settings_now()
            budget = own.budget()
            priced = problem.at_prices(spec.as_vkr().lam, spec.beta)
            # the neighbour whose points are worth most here hands on its basis, the next columns
            prices = priced.prices
            solved.sort(key=lambda neighbour: neighbour.gap(prices))
            warm = joined([neighbour.warm for neighbour in solved[:NEIGHBOURS]])
            columns = generate_columns(priced, own, budget, warm)
            outcome = outcome_of(spec, data, priced, penalties, columns, own)
            yield spec, packed(spec, own, budget, outcome)
            if columns.warm is not None:
                solved.append(Neighbour.of(priced, columns.incumbent, columns.warm))


def within(settings: RunSettings, budget: Budget, left: int) -> RunSettings:
    """The settings of the next of so many fits, which have equal shares of what is left of a
    budget; UnfinishedError where nothing is."""
    with first_step(budget):
        if budget.time_limit is None:
            return settings
        return replace(settings, time_limit=max(budget.remaining / left, LEAST_SECONDS), used=0.0)
