"""A grid of VKR problems on one data set: neighbours hand on columns and basis."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np

from radprog.base.errors import RadprogError, UnfinishedError
from radprog.base.limits import OutOfBudget, under
from radprog.base.types import FloatArray
from radprog.decompositions.loop import Budget, relative_gap
from radprog.decompositions.one_vs_rest import OneVsRest, against
from radprog.decompositions.run import (
    Attempt,
    Fit,
    Run,
    RunSettings,
    RunStatus,
    attempted,
    packed,
)
from radprog.decompositions.vkr.fit import assemble, fit_vkr, generate_columns
from radprog.decompositions.vkr.pricing import Incumbent, Solved, Warm, joined
from radprog.decompositions.vkr.report import expansion, outcome_of
from radprog.instances.dataset import Dataset
from radprog.models.vkr.penalties import Penalties
from radprog.models.vkr.problem import VotedKernels
from radprog.models.vkr.settings import L1SVM, VKR

VotedSettings: TypeAlias = VKR | L1SVM
Predictors: TypeAlias = "dict[Any, Fit | RadprogError]"  # by settings, or why there is none

NEIGHBOURS = 3  # solved problems that hand on columns
TOO_LATE = "the time limit ended before this fit began"
LEAST_SECONDS = 1e-3  # of the time limit of a fit


def _as_vkr(spec: VotedSettings) -> VKR:
    return spec.as_vkr() if isinstance(spec, L1SVM) else spec


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


@dataclass(frozen=True)
class SolvedCell:
    """One problem of a grid, solved but not yet certified once more."""

    problem: VotedKernels
    penalties: Penalties
    solved: Solved
    budget: Budget


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
    if not _shared(specs, settings):
        for spec in specs:
            yield spec, attempted(fit_vkr, spec, data, settings)
        return
    for spec, cell in _cells(specs, data, settings):
        outcome = outcome_of(spec, data, cell.problem, cell.penalties, cell.solved, settings)
        yield spec, packed(spec, settings, cell.budget, outcome)


def fits_of_grid(
    specs: Sequence[VotedSettings], data: Dataset, settings: RunSettings
) -> tuple[Predictors, set[Any]]:
    """The predictors alone of what :func:`fit_grid` fits, of two classes or more, or why there is
    none: the solutions end by the same rules, their gaps come from the data as well, and nothing
    is told of them. And the settings whose fits a limit cut off.

    The time limit is that of all together: each fit has its share of what is left, and where
    nothing is an UnfinishedError stands for it.
    """
    budget, cut_off = settings.budget(), set[Any]()
    if data.classes:
        machines = []
        for number, label in enumerate(data.labels):
            alone = _sharing(settings, budget, len(data.labels) - number)
            fits, cut = fits_of_grid(specs, against(data, label), alone)
            machines.append(fits)
            cut_off |= cut
        return {
            spec: _together(data.labels, [fits[spec] for fits in machines]) for spec in specs
        }, cut_off
    late: RadprogError = UnfinishedError(TOO_LATE)
    found: Predictors = {}
    with suppress(OutOfBudget), under(budget):
        for spec, fit, premature in _predictors(specs, data, settings, budget):
            found[spec] = fit
            cut_off |= {spec} if premature else set()
    missing = [spec for spec in specs if spec not in found]
    return found | dict.fromkeys(missing, late), cut_off | set(missing)


def _predictors(
    specs: Sequence[VotedSettings], data: Dataset, settings: RunSettings, budget: Budget
) -> Iterator[tuple[VotedSettings, Fit | RadprogError, bool]]:
    """Each of the settings, its predictor, and whether a limit ended its fit."""
    if _shared(specs, settings):
        for spec, cell in _cells(specs, data, settings, budget):
            fit = expansion(cell.problem, cell.solved.incumbent)
            yield spec, fit, cell.solved.reason.premature
        return
    for number, spec in enumerate(specs):
        budget.check()
        run = attempted(fit_vkr, spec, data, _sharing(settings, budget, len(specs) - number))
        if isinstance(run, Run):
            yield spec, run.fit, run.status is RunStatus.LIMIT
        else:
            yield spec, run, False


def _sharing(settings: RunSettings, budget: Budget, left: int) -> RunSettings:
    """The settings of the next of so many fits, which share the time that is left."""
    if settings.time_limit is None:
        return settings
    return replace(settings, time_limit=max(budget.remaining / left, LEAST_SECONDS), used=0.0)


def _together(labels: Sequence[str], found: Sequence[Fit | RadprogError]) -> Fit | RadprogError:
    """The machines of all classes as one predictor, or the first error among them."""
    fits = [fit for fit in found if not isinstance(fit, RadprogError)]
    if len(fits) == len(labels):
        return OneVsRest(labels=tuple(labels), fits=tuple(fits))
    return next(fit for fit in found if isinstance(fit, RadprogError))


def _shared(specs: Sequence[VotedSettings], settings: RunSettings) -> bool:
    """Whether neighbours help one another."""
    by_columns = settings.method in (None, "colgen") and settings.solver in (None, "highs")
    return len(specs) > 1 and by_columns and not any(spec.constraints for spec in specs)


def _cells(
    specs: Sequence[VotedSettings],
    data: Dataset,
    settings: RunSettings,
    budget: Budget | None = None,
) -> Iterator[tuple[VotedSettings, SolvedCell]]:
    """Each of the settings with its problem solved, from its solved neighbours; budget: what all of
    them share, in place of a time limit of each."""
    done = 0
    groups: dict[VKR, list[VotedSettings]] = {}
    for spec in specs:
        groups.setdefault(replace(_as_vkr(spec), lam=1.0, beta=1.0), []).append(spec)
    for shared, members in groups.items():
        problem, penalties = assemble(shared, data, settings.seed)
        solved: list[Neighbour] = []
        for spec in sorted(members, key=lambda s: (-_as_vkr(s).lam, -s.beta)):
            priced = problem.at_prices(_as_vkr(spec).lam, spec.beta)
            prices = priced.prices
            solved.sort(key=lambda neighbour: neighbour.gap(prices))
            own = settings if budget is None else _sharing(settings, budget, len(specs) - done)
            alone, done = own.budget(), done + 1
            warm = joined([n.warm for n in solved[:NEIGHBOURS]])
            columns = generate_columns(priced, own, alone, warm)
            yield spec, SolvedCell(priced, penalties, columns, alone)
            if columns.warm is not None:
                solved.append(Neighbour.of(priced, columns.incumbent, columns.warm))
