"""Similarities of patterns, extremes, the choice of sigma, kernel rows on demand."""

import numpy as np
import pytest
from refusals import refused
from series_generators import cylinder_bell_funnel

from radprog.base.errors import OptionError
from radprog.base.types import FloatArray
from radprog.instances.bags import windows
from radprog.models.lpboost import patterns as module
from radprog.models.lpboost.patterns import (
    PATTERN_KERNELS,
    SIGMAS,
    LazyGram,
    PatternKernel,
    centred,
    choose_sigma,
    kernel_variances,
    z_normalized,
)


def kernel_of(kind: str) -> PatternKernel:
    return PatternKernel(kind=kind, sigma=0.3 if kind == "gauss" else None)


def naive(kind: str, z: FloatArray, x: FloatArray) -> float:
    """K(z, x) for single patterns, sigma 0.3."""
    if kind == "linear":
        return sum(a * b for a, b in zip(z, x, strict=True))
    distance = sum((a - b) ** 2 for a, b in zip(z, x, strict=True))
    return -(distance**0.5) if kind == "distance" else float(np.exp(-0.3 * distance))


def random_patterns(seed: int, m: int = 5, Q: int = 4, length: int = 3) -> FloatArray:
    return np.random.default_rng(seed).normal(size=(m, Q, length))


@pytest.mark.parametrize("kind", PATTERN_KERNELS)
def test_similarities(kind: str) -> None:
    Z = random_patterns(0).reshape(-1, 3)
    K = kernel_of(kind)(Z, Z[:7])
    expected = [[naive(kind, z, x) for x in Z[:7]] for z in Z]
    # the distance of a pattern to itself is a root of rounding errors
    np.testing.assert_allclose(K, expected, rtol=1e-10, atol=1e-7 if kind == "distance" else 1e-13)


@pytest.mark.parametrize(
    ("kind", "sigma", "message"),
    [
        ("gauss", 0.0, "sigma 0: expected a finite number > 0"),
        ("gauss", None, "sigma belongs to"),
        ("linear", 1.0, "sigma belongs to"),
        ("cosine", None, "unknown pattern kernel 'cosine'"),
    ],
)
def test_bad_kernels(kind: str, sigma: float | None, message: str) -> None:
    refused(OptionError, message, PatternKernel, kind=kind, sigma=sigma)


def largest_variance(Z: FloatArray, counts: FloatArray) -> float:
    """The candidate of the largest variance of all kernel values, entry by entry."""
    variances = []
    for sigma in SIGMAS:
        K = PatternKernel(kind="gauss", sigma=sigma)(Z, Z)
        np.fill_diagonal(K, 1.0)
        weights = np.outer(counts, counts)
        mean = np.average(K, weights=weights)
        variances.append(float(np.average((K - mean) ** 2, weights=weights)))
    np.testing.assert_allclose(kernel_variances(Z, SIGMAS, counts), variances, atol=1e-12)
    return SIGMAS[int(np.argmax(variances))]


@pytest.mark.parametrize("scale", [1e-3, 1e-2, 0.1, 1.0, 10.0, 100.0])
def test_sigma_has_the_largest_variance(scale: float, monkeypatch: pytest.MonkeyPatch) -> None:
    data = cylinder_bell_funnel(12, length=24, seed=1)
    patterns, _ = centred("gauss", windows(scale * data.X, "series", 5))
    Z, weights = patterns.reshape(-1, 5), np.arange(1.0, 13.0)
    assert choose_sigma(patterns) == (largest_variance(Z, np.ones(240)), None)
    assert choose_sigma(patterns, weights) == (largest_variance(Z, np.repeat(weights, 20)), None)
    doubled = np.repeat(patterns, [2, *([1] * 11)], axis=0)
    assert choose_sigma(patterns, np.array([2.0, *([1.0] * 11)])) == choose_sigma(doubled)
    monkeypatch.setattr(module, "SAMPLE", 60)
    assert choose_sigma(patterns) == (largest_variance(Z, np.ones(240)), 60)


def test_ties_go_to_the_smallest_sigma() -> None:
    assert choose_sigma(np.zeros((3, 2, 4))) == (SIGMAS[0], None)


def test_normalized_patterns() -> None:
    patterns = random_patterns(5, 3, 4, 6) * 7 + 100
    patterns[1, 2] = 42.0
    found = z_normalized(patterns)
    np.testing.assert_allclose(found.mean(axis=2), 0.0, atol=1e-12)
    deviations = found.std(axis=2)
    assert deviations[1, 2] == 0.0
    deviations[1, 2] = 1.0
    np.testing.assert_allclose(deviations, 1.0, rtol=1e-12)
    np.testing.assert_allclose(z_normalized(3.0 * patterns - 5.0), found, atol=1e-9)


@pytest.mark.parametrize("kind", PATTERN_KERNELS)
@pytest.mark.parametrize("limit", [1 << 28, 8 * 20 * 6])
def test_kernel_rows_on_demand(kind: str, limit: int) -> None:
    """``limit`` 8 * 20 * 6 keeps 6 rows of 20: they are forgotten and computed again, also where
    more are needed at once."""
    Z = random_patterns(6).reshape(-1, 3)
    kernel = kernel_of(kind)
    K = kernel(Z, Z)
    if kind != "linear":
        np.fill_diagonal(K, 1.0 if kind == "gauss" else 0.0)
    gram = LazyGram(kernel, Z, limit)
    rng = np.random.default_rng(0)
    for _ in range(30):
        chosen = rng.permutation(20)[: rng.integers(1, 6)]
        np.testing.assert_allclose(gram.rows(chosen), K[chosen], atol=1e-12)
        weights = rng.normal(size=len(chosen)) * (rng.random(len(chosen)) < 0.7)
        np.testing.assert_allclose(gram.combine(chosen, weights), weights @ K[chosen], atol=1e-12)
        others = rng.permutation(20)[:4]
        np.testing.assert_allclose(
            gram.block(chosen, others), K[np.ix_(chosen, others)], atol=1e-12
        )
    assert len(gram) == 20
    np.testing.assert_allclose(gram.rows(np.arange(20)), K, atol=1e-12)
    np.testing.assert_allclose(gram.rows(np.array([3])), K[[3]], atol=1e-12)
