"""A grid of VKR problems on one data set: neighbours hand on columns and basis."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from radprog.decompositions.run import Run, RunSettings
from radprog.decompositions.vkr import (
    Warm,
    assemble,
    finish,
    fit_vkr,
    generate_columns,
)
from radprog.instances.dataset import Dataset
from radprog.models.settings import L1SVM, VKR
from radprog.models.vkr import VotedKernels

Spec = VKR | L1SVM


def _as_vkr(spec: Spec) -> VKR:
    return spec.as_vkr() if isinstance(spec, L1SVM) else spec


def fit_grid(
    specs: Sequence[Spec], data: Dataset, settings: RunSettings
) -> Iterator[tuple[Spec, Run]]:
    """Certified runs of all specs, in path order.

    Specs that differ in lam and beta only share kernels and penalties. Within them, every lam
    starts from the first solution of the previous, larger lam and descends in beta; each problem
    takes over the columns and the basis of its neighbour, which positive row scaling keeps valid.
    Other methods than column generation in HiGHS are fitted one by one.
    """
    if settings.method not in (None, "colgen") or settings.solver not in (None, "highs"):
        for spec in specs:
            yield spec, fit_vkr(spec, data, settings)
        return
    groups: dict[VKR, list[Spec]] = {}
    for spec in specs:
        groups.setdefault(replace(_as_vkr(spec), lam=1.0, beta=1.0), []).append(spec)
    for shared, members in groups.items():
        problem, penalties = assemble(shared, data, settings.seed)
        row_start: Warm | None = None
        warm: Warm | None = None
        last_lam: float | None = None
        for spec in sorted(members, key=lambda s: (-_as_vkr(s).lam, -s.beta)):
            lam = _as_vkr(spec).lam
            cell = VotedKernels(
                bank=problem.bank,
                y=problem.y,
                penalties=problem.penalties,
                lam=lam,
                beta=spec.beta,
            )
            new_row = lam != last_lam
            budget = settings.budget()
            outcome = generate_columns(cell, settings, budget, row_start if new_row else warm)
            warm = outcome.warm
            if new_row:
                row_start, last_lam = warm, lam
            yield spec, finish(spec, cell, penalties, outcome, settings, budget, 0.0)
