"""Certified upper bounds of the complexity, bound (2), and complexities of the other models."""

from __future__ import annotations

import math

import numpy as np
import pytest

from radprog.decompositions.loop import Budget
from radprog.decompositions.regression.complexity import enumerate_pieces
from radprog.instances.errors import OptionError
from radprog.instances.types import FloatArray
from radprog.models.class_complexity import (
    class_complexity,
    finite_suprema,
    mkl_suprema,
    oracle_suprema,
)
from radprog.models.complexity import exact_complexity
from radprog.models.regression.bounds import (
    certified_upper,
    crude_bound,
    error_bound,
    net_bound,
    sampled_bound,
    suprema_bounds,
)
from radprog.models.regression.problem import (
    BoundedLoss,
    RegressionClass,
    all_signs,
    complexity_terms,
    draw_signs,
    regression_class,
)


def make_class(n: int, seed: int, gamma: float = 1.0) -> RegressionClass:
    rng = np.random.default_rng(seed)
    x = np.sort(rng.uniform(-1, 1, n))
    y = np.sin(3 * x) + 0.5 * rng.standard_normal(n)
    return regression_class(np.exp(-gamma * (x[:, None] - x) ** 2), y, BoundedLoss(up=1.5))


@pytest.mark.parametrize("A", [0.0, 0.5, 10.0])
@pytest.mark.parametrize("seed", range(2))
def test_bounds_lie_above_the_exact_complexity(A: float, seed: int) -> None:
    problem = make_class(6, seed)
    signs = all_signs(6, "rademacher")
    exact, _ = enumerate_pieces(problem, signs, A, Budget())
    assert np.all(suprema_bounds(problem, signs, A) >= -exact.values - 1e-8)
    value = float(complexity_terms(signs, -exact.values).mean())
    assert value <= min(net_bound(problem, A), crude_bound(problem, A), 1.0) + 1e-8
    drawn = draw_signs(6, 400, seed, "rademacher")
    assert value <= sampled_bound(problem, drawn, A, "rademacher")
    upper = certified_upper(problem, drawn, A, "rademacher")
    assert value <= upper.value + 1e-8
    assert upper.value == min(upper.all.values()) == upper.all[upper.name]
    if A == 0.0:
        assert suprema_bounds(problem, signs, A) == pytest.approx(-exact.values, abs=1e-12)


def test_balanced_signs_use_no_bound_for_independent_ones() -> None:
    problem = make_class(8, 0)
    upper = certified_upper(problem, draw_signs(8, 50, 0, "discrepancy"), 1.0, "discrepancy")
    assert set(upper.all) == {"trivial", "sampled"}


def test_small_classes_get_a_useful_bound() -> None:
    problem = make_class(100, 1, gamma=1e-3)
    signs = draw_signs(100, 100, 0, "rademacher")
    upper = certified_upper(problem, signs, 1e-3, "rademacher")
    assert upper.name == "sampled"
    assert upper.failure == 0.05
    assert upper.value < 0.2


def test_error_bound() -> None:
    terms = error_bound(0.2, 0.15, 100, 0.05)
    assert terms["confidence"] == pytest.approx(3 * math.sqrt(math.log(40) / 200))
    assert terms["value"] == pytest.approx(0.35 + 0.4074, abs=1e-4)
    assert error_bound(0.2, 0.15, 100, 0.05, 100)["confidence"] == pytest.approx(0.6109, abs=1e-4)
    for delta in (0.0, 1.0, -1.0, float("nan")):
        with pytest.raises(OptionError, match="delta"):
            error_bound(0.1, 0.1, 10, delta)
    with pytest.raises(OptionError):
        error_bound(0.1, 0.1, 10, 0.5, 0)


def test_finite_class_is_the_enumeration_of_vkr() -> None:
    K = np.random.default_rng(0).normal(size=(7, 4))
    ours = class_complexity(finite_suprema(K, both_signs=True), 7, trials=None)
    assert ours.value == pytest.approx(exact_complexity(K), rel=1e-12)
    assert ours.trials == 128
    sampled = class_complexity(finite_suprema(K, both_signs=True), 7, trials=4000)
    assert abs(sampled.value - ours.value) < 5 * sampled.standard_error
    one_sided = class_complexity(finite_suprema(K), 7, trials=None)
    assert 0 < one_sided.value < ours.value
    oracle = oracle_suprema(lambda sigma: float((sigma @ K[:, :2]).max()))
    assert class_complexity(oracle, 7, trials=None, exact=False).value <= one_sided.value


def tail(K: FloatArray, theta: int) -> float:
    """T(K): the sum of all but the theta largest eigenvalues."""
    return float(np.linalg.eigvalsh(K)[: len(K) - theta].sum())


def psd(rng: np.random.Generator, n: int, rank: int) -> FloatArray:
    factor = rng.normal(size=(n, rank))
    return factor @ factor.T


def test_learned_kernels_by_their_vertices() -> None:
    rng = np.random.default_rng(2)
    grams = np.stack([psd(rng, 6, 5) for _ in range(3)])
    tails = np.array([tail(K, 1) for K in grams])
    suprema = mkl_suprema(grams, tails, radius=2.0)
    signs = all_signs(6, "rademacher")
    values = suprema(signs)
    by_vertex = [
        [2 * math.sqrt(s @ K @ s / t) for K, t in zip(grams, tails, strict=True)] for s in signs
    ]
    assert values == pytest.approx(np.max(by_vertex, axis=1))
    # random points of the conv set are never better
    for mu in rng.dirichlet(np.ones(3), size=50) / tails:
        combined = np.einsum("m,mij->ij", mu, grams)
        inner = 2 * np.sqrt(np.einsum("ti,ij,tj->t", signs, combined, signs))
        assert np.all(inner <= values * (1 + 1e-12))
    # nor are points of the dc set T(K_mu) <= 1: it lies inside and has the same vertices
    strictly_inside = 0
    for mu in rng.dirichlet(np.ones(3), size=50):
        mu = mu / tail(np.einsum("m,mij->ij", mu, grams), 1)
        combined = np.einsum("m,mij->ij", mu, grams)
        assert tail(combined, 1) == pytest.approx(1.0)
        assert mu @ tails <= 1 + 1e-12
        strictly_inside += mu @ tails < 0.99
        inner = 2 * np.sqrt(np.einsum("ti,ij,tj->t", signs, combined, signs))
        assert np.all(inner <= values * (1 + 1e-12))
    assert strictly_inside > 10
    for K, t in zip(grams, tails, strict=True):
        assert tail(K / t, 1) == pytest.approx(1.0)
    for bad in (np.array([1.0, 0.0, 1.0]), np.ones(2)):
        with pytest.raises(OptionError):
            mkl_suprema(grams, bad)
    with pytest.raises(OptionError, match="semidefinite"):
        mkl_suprema(-grams, tails)
