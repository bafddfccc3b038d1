"""Proofs of svm and simsvm: accepted by the checker, exact for rational kernels, else refused."""

from fractions import Fraction

import numpy as np
import pytest
from effort import seeds
from planted import noisy, refused_everywhere, verdict

import radprog as rp

pytest.importorskip("flint")
KERNELS = ("linear", "poly:3", "rbf:0.5", "laplace:1", "poly:1", "linear")


def proved(seed: int) -> tuple[rp.Proof, float]:
    """A proof, and the bound of its run."""
    rng = np.random.default_rng(seed)
    m, d = int(rng.integers(6, 50)), int(rng.integers(1, 5))
    X, y = noisy(rng, m, d, -2, 3)
    kernels, data = KERNELS[seed % 6], rp.dataset(X, y, scale=("ball", "standard")[seed % 2])
    spec: rp.SVM | rp.SimSVM = rp.SVM(kernels=kernels, C=float(10.0 ** rng.integers(-2, 3)))
    if seed % 4 > 1:
        spec = rp.SimSVM(kernels=kernels, lam=1e-2, no_bias=seed % 8 > 5)
    run = rp.fit(spec, data)
    return rp.prove(run, data), run.bound


@pytest.mark.parametrize("seed", seeds(100, 16))
def test_a_random_result_is_proved(seed: int) -> None:
    proof, bound = proved(seed)
    assert verdict(dict(proof.content), proof.data or b"").startswith("VALID")
    assert proof.bound <= proof.objective
    assert Fraction(bound) <= proof.objective  # never above the exact optimum
    assert proof.gap <= Fraction(1e-6) * proof.objective
    if proof.vertex:
        rational = seed % 6 not in (2, 3)
        assert proof.gap == 0 or (not rational and proof.gap < 2.0**-80 * proof.objective)


def test_most_solutions_are_rational() -> None:
    assert sum(proved(seed)[0].vertex for seed in range(8)) >= 6


def test_a_run_that_was_cut_off_leaves_a_gap() -> None:
    data = rp.dataset(np.random.default_rng(0).normal(size=(12, 2)), [1, -1] * 6)
    spec = rp.SVM(kernels="rbf:1", C=100.0)
    proof = rp.prove(rp.fit(spec, data, solver="libsvm", max_iter=1), data)
    assert proof.gap > 0
    assert verdict(dict(proof.content), proof.data or b"").startswith("VALID: svm")


@pytest.mark.parametrize("place", ["dual", "objective", "bound", "hash", "setting", "scale", "row"])
def test_a_planted_error_is_refused(place: str) -> None:
    refused_everywhere([proved(seed)[0] for seed in (0, 2, 5)], place, 9)


def test_a_similarity_from_a_file_is_refused(tmp_path) -> None:
    np.save(tmp_path / "S.npy", np.eye(4))
    data = rp.dataset(np.arange(4.0)[:, None], [1, -1, 1, -1])
    run = rp.fit(rp.SimSVM(similarity=str(tmp_path / "S.npy")), data)
    with pytest.raises(rp.RadprogError, match="not proved"):
        rp.prove(run, data)
