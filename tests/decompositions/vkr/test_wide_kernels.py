"""Kernel values of many orders of magnitude: certified where floats can hold a proof."""

import numpy as np
import pytest

import radprog as rp
from radprog.decompositions.drivers import sifting
from radprog.decompositions.run import RunSettings
from radprog.decompositions.vkr.fit import fit_vkr, recompute_vkr

HARD = [(0, 1e-5, 1.0), (2, 1e-3, 1.0), (3, 1e-3, 1.0), (1, 1e-5, 3.0), (3, 1e-5, 3.0)]


def uneven(seed: int, spread: float, rows: int = 60, features: int = 20) -> rp.Dataset:
    """Points of very different lengths."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, features)) * spread * np.exp(rng.normal(size=(rows, 1)))
    return rp.dataset(X, np.where(X[:, 0] + X[:, 1] * rng.normal(size=rows) > 0, 1, -1))


@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize(("seed", "beta", "spread"), HARD)
def test_a_high_degree_on_uneven_points_is_certified(
    monkeypatch, seed: int, beta: float, spread: float, whole: bool
) -> None:
    if not whole:
        monkeypatch.setattr(sifting.SiftedMaster, "sifting_size", 0)
    data, spec = uneven(seed, spread), rp.L1SVM(kernels="poly:10", beta=beta)
    tol = 1e-6 if whole else 1e-4
    run = fit_vkr(spec, data, RunSettings(tol=tol, abs_tol=1e-300))
    assert run.certified
    assert run.gap <= tol
    again = recompute_vkr(spec, data, run.evidence, 0)
    assert (again.objective, again.bound) == (run.objective, run.bound)


@pytest.mark.parametrize("seed", range(3))
def test_features_of_a_million_are_certified(seed: int) -> None:
    """Prices of 1e-3 beside kernel values of 1e13 and more: a dual point in floats misses them, if
    it is not asked to keep away from them."""
    run = fit_vkr(rp.L1SVM(kernels="linear"), uneven(seed, 1e6, 40, 6), RunSettings())
    assert run.certified
    assert run.objective == pytest.approx(run.bound, rel=1e-9)
    assert run.objective > 0.2
