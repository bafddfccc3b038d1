"""Proofs of mkl, variants conv and lp: accepted by the checker, or refused when edited."""

from fractions import Fraction

import numpy as np
import pytest
from effort import seeds
from planted import noisy, refused_everywhere, verdict

import radprog as rp

pytest.importorskip("flint")
KERNELS = ("linear,poly:2-3", "rbf:1e-1..1e1", "poly:2,rbf:0.5,laplace:1", "linear,poly:2")
NORMS = (1.0, 2.0, 1.5, 1.1, 3.0, 40.0)


def drawn(seed: int) -> tuple[rp.MKL, rp.Dataset]:
    rng = np.random.default_rng(seed)
    m, d = int(rng.integers(8, 40)), int(rng.integers(2, 5))
    X, y = noisy(rng, m, d, -1, 2)
    lp = seed % 5 == 4
    spec = rp.MKL(
        kernels=KERNELS[seed % 4],
        norm=NORMS[seed % 6],
        variant="lp" if lp else "conv",
        theta=None if lp else seed % 3 % 2,
        tail_budget=None if lp or seed % 7 else 2.5,
        normalize="none" if seed % 9 > 6 else "trace",
        C=float(10.0 ** rng.integers(-1, 3)),
        no_bias=seed % 8 > 5,
    )
    return spec, rp.dataset(X, y, scale=("ball", "standard")[seed % 2])


@pytest.mark.parametrize("seed", seeds(60, 12))
def test_a_random_result_is_proved(seed: int) -> None:
    spec, data = drawn(seed)
    run = rp.fit(spec, data)
    proof = rp.prove(run, data)
    assert verdict(dict(proof.content), proof.data or b"").startswith("VALID: mkl, ")
    assert proof.bound <= proof.objective
    assert Fraction(run.bound) <= proof.objective  # never above the exact optimum
    assert proof.gap <= Fraction(2.0 * max(run.gap or 0.0, 1e-9)) * proof.objective
    assert float(proof.objective) == pytest.approx(run.objective, rel=1e-9)
    given = proof.content["statement"]["given"]
    told = spec.theta == 1 if spec.variant == "conv" else spec.normalize == "none"
    assert given == ["the tail sums t_k"] * told + ["the shift and divisor"]


def test_a_single_kernel_is_a_support_vector_machine() -> None:
    """Two programs of the checker with one optimum: C of one is C T / t of the other."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(24, 2))
    data = rp.dataset(X, np.where(X[:, 0] + rng.normal(size=24) > 0, 1, -1))
    spec = rp.MKL(kernels="rbf:0.5", theta=0, tail_budget=12.0, C=4.0)
    mixed = rp.prove(rp.fit(spec, data, tol=1e-10), data)
    machine = rp.prove(rp.fit(rp.SVM(kernels="rbf:0.5", C=2.0), data), data)
    assert machine.vertex
    assert mixed.bound <= 2 * machine.objective  # J_C(c mu) = J_(c C)(mu) / c
    assert 2 * machine.bound <= mixed.objective
    assert mixed.gap < Fraction(1e-9)


PLACES = ("dual", "primal", "weights", "norm", "objective", "bound", "gap", "hash", "setting",
          "scale", "row")  # fmt: skip


@pytest.mark.parametrize("place", PLACES)
def test_a_planted_error_is_refused(place: str) -> None:
    drawn_proofs = [rp.prove(rp.fit(spec, data), data) for spec, data in map(drawn, range(4))]
    refused_everywhere(drawn_proofs, place, 8)


@pytest.mark.parametrize(
    ("options", "word"),
    [
        ({"variant": "unif"}, "variant conv or lp, not unif"),
        ({"variant": "dc"}, "variant conv or lp, not dc"),
        ({"loss": "squared"}, "loss hinge, not squared"),
        ({"center": True}, "center False, not True"),
    ],
)
def test_settings_without_exact_values_are_refused(options, word: str) -> None:
    _, data = drawn(1)
    spec = rp.MKL(**{"kernels": "rbf:0.5,rbf:2", **options})
    with pytest.raises(rp.RadprogError, match=word):
        rp.prove(rp.fit(spec, data, max_iter=None), data)
