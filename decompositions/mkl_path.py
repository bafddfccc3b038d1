"""A grid of multiple kernel learning problems on one data set, sharing kernels and cuts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from radprog.decompositions.mkl import fit_kernels, gram_data
from radprog.decompositions.mkl_methods import problem_of
from radprog.decompositions.mkl_oracle import Pool
from radprog.decompositions.run import Run, RunSettings
from radprog.models.mkl_kernels import Data, kernel_set
from radprog.models.mkl_settings import MKL

MOST_CUTS = 150  # cuts that a problem hands on


def _kernels(spec: MKL) -> MKL:
    """What the prepared kernels depend on."""
    return MKL(
        kernels=spec.kernels,
        grams=spec.grams,
        normalize=spec.normalize,
        center=spec.center,
        repair=spec.repair,
    )


def fit_grid(
    specs: Sequence[MKL], data: Data | None, settings: RunSettings
) -> Iterator[tuple[MKL, Run]]:
    """Runs of all specs, by increasing C.

    Specs of the same kernels share the prepared matrices and their tail sums; those of the same
    loss and bias also share cuts, whatever their variant, theta, norm or tail budget: a cut holds
    for every weights. From C to a larger one dual points stay feasible. Plain exchange shares
    nothing.
    """
    groups: dict[MKL, list[MKL]] = {}
    for spec in specs:
        groups.setdefault(_kernels(spec), []).append(spec)
    for shared, members in groups.items():
        source = gram_data(shared, data)
        prepared = kernel_set(shared, source)
        pools: dict[tuple[str, bool], tuple[float, Pool]] = {}
        for spec in sorted(members, key=lambda spec: spec.C):
            key = (spec.loss, spec.no_bias)
            pool = Pool()
            if key in pools and spec.exchange == "level":
                old_C, old = pools[key]
                pool = old.last(MOST_CUTS).scaled(problem_of(spec, prepared), old_C)
            budget = settings.budget()
            run = fit_kernels(spec, prepared, replace(settings), budget, pool)
            pools[key] = (spec.C, pool)
            yield spec, run
