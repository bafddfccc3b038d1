"""A grid of multiple kernel learning problems on one data set, sharing prepared kernels."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from radprog.decompositions.mkl.fit import fit_kernels, gram_data
from radprog.decompositions.run import Attempt, RunSettings, attempted
from radprog.instances.mkl_data import MklData
from radprog.models.mkl.kernel_sets import kernel_set
from radprog.models.mkl.settings import MKL


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
    specs: Sequence[MKL], data: MklData | None, settings: RunSettings
) -> Iterator[tuple[MKL, Attempt]]:
    """Runs of all specs in the order given, grouped by kernels; the error of one whose theta
    reaches the rank of a kernel.

    Specs of the same kernels share the prepared matrices, their spectra and tail sums. Cuts are
    not handed on: they would be valid, but larger masters cost more than the rounds they save.
    """
    groups: dict[MKL, list[MKL]] = {}
    for spec in specs:
        groups.setdefault(_kernels(spec), []).append(spec)
    for shared, members in groups.items():
        prepared = kernel_set(shared, gram_data(shared, data))
        for spec in members:
            yield spec, attempted(fit_kernels, spec, prepared, settings, settings.clock())
