"""Which labels a clustering takes: those of the weights found, or of equal weights."""

from dataclasses import replace

import numpy as np
import pytest

import radprog as rp
from radprog.base.types import IntArray
from radprog.decompositions.run import Run, RunSettings
from radprog.decompositions.similarity.assembly import Instance, assemble
from radprog.decompositions.similarity.cdsk import fit_cdsk, recompute_cdsk
from radprog.instances.generators import waveform
from radprog.models.similarity.spectral import spectral_clusters


@pytest.fixture(scope="module")
def waves() -> rp.Dataset:
    data = waveform(120, (1, 2), seed=0)
    return rp.partly_labelled(data.X, data.codes, scale="standard")


def value_of(run: Run, instance: Instance, codes: IntArray) -> float:
    a = np.asarray(run.summary["weights"])[instance.order]
    return instance.problem.labelled_value(a, codes)


@pytest.mark.parametrize("objective", ["ratio", "ncut"])
@pytest.mark.parametrize("bandwidth", ["auto", "median"])
@pytest.mark.parametrize("neighbours", [None, 10])
def test_labels_are_those_of_lower_objective(
    waves: rp.Dataset, objective: str, bandwidth: str, neighbours: int | None
) -> None:
    spec = rp.CDSK(objective=objective, bandwidth=bandwidth, neighbours=neighbours)
    run, instance = fit_cdsk(spec, waves, RunSettings()), assemble(spec, waves)
    first = spectral_clusters(instance.problem.s.copy(), 2)
    assert first is not None
    assert run.summary["labelled_objective"] <= value_of(run, instance, first) + 1e-9
    again = recompute_cdsk(spec, waves, run.evidence)
    np.testing.assert_array_equal(again.fit.predict(waves.X), run.fit.predict(waves.X))


def test_the_choice_of_a_bandwidth_leaves_its_clusters(waves: rp.Dataset) -> None:
    chosen = assemble(rp.CDSK(), waves)
    assert chosen.first is not None
    given = replace(rp.CDSK(), bandwidth=chosen.bandwidth)
    assert assemble(given, waves).first is None
    assert (
        fit_cdsk(given, waves, RunSettings()).summary["labels"]
        == (fit_cdsk(rp.CDSK(), waves, RunSettings()).summary["labels"])
    )
