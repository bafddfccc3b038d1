"""Similarities of patterns, extremes, the choice of sigma, kernel rows on demand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from effort import examples
from hypothesis import given
from hypothesis import strategies as st
from series_generators import cylinder_bell_funnel

from radprog.base.errors import OptionError
from radprog.base.types import FloatArray
from radprog.instances.bags import windows
from radprog.models.lpboost import patterns as module
from radprog.models.lpboost.patterns import (
    PATTERN_KERNELS,
    SIGMAS,
    SINGLE_PRECISION_SUMS,
    LazyGram,
    PatternKernel,
    PatternTable,
    extremes,
    kernel_moments,
    kernel_variances,
    pattern_table,
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
    assert kernel_of(kind).psd == (kind != "distance")


@pytest.mark.parametrize(
    ("kind", "sigma", "message"),
    [
        ("gauss", 0.0, "sigma 0: expected a finite number > 0"),
        ("gauss", -1.0, "sigma -1"),
        ("gauss", np.inf, "sigma inf"),
        ("gauss", None, "sigma belongs to"),
        ("linear", 1.0, "sigma belongs to"),
        ("cosine", None, "unknown pattern kernel 'cosine'"),
    ],
)
def test_bad_kernels(kind: str, sigma: float | None, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        PatternKernel(kind=kind, sigma=sigma)


@examples(40)
@given(st.integers(0, 999), st.sampled_from(PATTERN_KERNELS), st.integers(1, 6), st.integers(1, 5))
def test_features_are_extremes_over_the_patterns_of_a_series(
    seed: int, kind: str, m: int, Q: int
) -> None:
    found = pattern_table(kind, random_patterns(seed, m, Q) + 0.7, moments=False)
    kernel = kernel_of(kind)
    K = kernel(found.stacked, found.stacked).reshape(m * Q, m, Q)
    norms = np.linalg.norm(found.stacked, axis=1) if kind == "linear" else np.ones(m * Q)
    near, far = found.features(kernel), found.features(kernel, nearest=False)
    np.testing.assert_allclose(near, K.max(axis=2) / norms[:, None], atol=1e-7)
    np.testing.assert_allclose(far, K.min(axis=2) / norms[:, None], atol=1e-7)
    own = near.reshape(m, Q, m)[np.arange(m), :, np.arange(m)]
    if kind == "linear":
        assert (own >= norms.reshape(m, Q) * (1 - 1e-12)).all()
    else:  # exactly: a pattern is in its own series
        np.testing.assert_array_equal(own, 1.0 if kind == "gauss" else 0.0)


def test_a_pattern_of_norm_zero_is_similar_to_nothing() -> None:
    patterns = random_patterns(1)
    patterns[2, 1] = 0.0
    features = pattern_table("linear", patterns, moments=False).features(kernel_of("linear"))
    np.testing.assert_array_equal(features[2 * 4 + 1], 0.0)
    assert (features[0] != 0).all()


@pytest.mark.parametrize("kind", PATTERN_KERNELS)
def test_blocks_change_nothing(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    patterns = random_patterns(2, 7, 5)
    whole = extremes(kind, patterns.reshape(-1, 3), patterns)
    moments, variances = (
        kernel_moments(patterns, SIGMAS),
        kernel_variances(patterns.reshape(-1, 3), SIGMAS),
    )
    monkeypatch.setattr(module, "BLOCK", 11)
    for a, b in zip(whole, extremes(kind, patterns.reshape(-1, 3), patterns), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(kernel_moments(patterns, SIGMAS), moments, rtol=1e-6)
    np.testing.assert_allclose(
        kernel_variances(patterns.reshape(-1, 3), SIGMAS), variances, atol=1e-14
    )


def test_subsets_of_a_table() -> None:
    patterns = random_patterns(3, 6, 4)
    whole = pattern_table("gauss", patterns, moments=True)
    rows = np.array([4, 0, 3])
    part = whole.take(rows)
    own = pattern_table("gauss", patterns[rows] - whole.shift, moments=True)
    np.testing.assert_allclose(part.near, own.near, atol=1e-12)
    np.testing.assert_allclose(part.far, own.far, atol=1e-12)
    assert part.moments is not None
    assert own.moments is not None
    np.testing.assert_allclose(part.moments, own.moments, rtol=1e-5)
    np.testing.assert_array_equal(part.patterns, whole.patterns[rows])


def test_a_sample_of_many_patterns_rules_candidates_out(monkeypatch: pytest.MonkeyPatch) -> None:
    patterns = windows(cylinder_bell_funnel(12, length=40, seed=3).X, "series", 9)
    every = pattern_table("gauss", patterns, moments=True)
    assert every.sigmas == SIGMAS
    monkeypatch.setattr(module, "SAMPLE", 300)
    monkeypatch.setattr(module, "SCREEN", 150)
    few = pattern_table("gauss", patterns, moments=True)
    assert 0 < len(few.sigmas) < len(SIGMAS)
    assert few.sigma() == every.sigma()
    rows = np.arange(7)
    assert few.take(rows).sigma() == every.take(rows).sigma()
    weighted = pattern_table("gauss", patterns, moments=True, weighted=True)
    assert weighted.sigma(np.arange(1.0, 13.0)) == every.sigma(np.arange(1.0, 13.0))


def test_moments_are_sums_over_pairs() -> None:
    patterns = random_patterns(4, 4, 5)
    Z = patterns.reshape(-1, 3)
    found = kernel_moments(patterns, SIGMAS)
    for s, sigma in enumerate(SIGMAS):
        K = PatternKernel(kind="gauss", sigma=sigma)(Z, Z).reshape(4, 5, 4, 5)
        for power in (1, 2):
            expected = (K**power).sum(axis=(1, 3))
            np.testing.assert_allclose(
                found[s, power - 1], expected, rtol=SINGLE_PRECISION_SUMS, atol=1e-25
            )


@pytest.mark.parametrize("scale", [1e-3, 1e-2, 0.1, 1.0, 10.0, 100.0])
def test_sigma_has_the_largest_variance(scale: float) -> None:
    data = cylinder_bell_funnel(12, length=24, seed=1)
    found = pattern_table("gauss", windows(scale * data.X, "series", 5), moments=True)

    def exact(Z: FloatArray) -> list[float]:
        variances = []
        for sigma in SIGMAS:
            K = PatternKernel(kind="gauss", sigma=sigma)(Z, Z)
            np.fill_diagonal(K, 1.0)
            variances.append(float(np.var(K)))
        return variances

    assert found.sigma() == SIGMAS[int(np.argmax(exact(found.stacked)))]
    np.testing.assert_allclose(
        kernel_variances(found.stacked, SIGMAS), exact(found.stacked), atol=1e-12
    )
    part = found.take(np.array([1, 5, 7, 8]))
    assert part.sigma() == SIGMAS[int(np.argmax(exact(part.stacked)))]


def test_close_variances_are_decided_in_double_precision(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two near patterns and a far one: the variances of two sigmas are equal at one distance."""
    monkeypatch.setattr(module, "SIGMAS", (1.0, 10.0))

    def patterns(D: float) -> FloatArray:
        return np.array([[[0.0]], [[D]], [[100.0]]])

    def difference(D: float) -> float:
        first, second = kernel_variances(patterns(D).reshape(-1, 1), [1.0, 10.0])
        return float(first - second)

    low, high = 0.1, 1.0
    assert difference(low) > 0.01
    assert difference(high) < -0.01
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if difference(middle) > 0 else (low, middle)
    assert pattern_table("gauss", patterns(low * (1 - 1e-9)), moments=True).sigma() == 1.0
    assert pattern_table("gauss", patterns(low * (1 + 1e-9)), moments=True).sigma() == 10.0


def test_ties_go_to_the_smallest_sigma() -> None:
    same = pattern_table("gauss", np.zeros((3, 2, 4)), moments=True)
    assert same.sigma() == SIGMAS[0]


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
    """``limit`` 8 * 20 * 6 keeps 6 rows of 20: they are forgotten and computed again."""
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


def test_more_rows_than_the_limit_at_once() -> None:
    Z = random_patterns(7).reshape(-1, 3)
    kernel: Any = kernel_of("gauss")
    gram = LazyGram(kernel, Z, limit=8 * 20 * 3)
    np.testing.assert_allclose(gram.rows(np.arange(20)), kernel(Z, Z), atol=1e-12)
    np.testing.assert_allclose(gram.rows(np.array([3])), kernel(Z[[3]], Z), atol=1e-12)


def test_a_table_is_made_for_one_kind() -> None:
    table = pattern_table("distance", random_patterns(8) + 50.0, moments=False)
    assert isinstance(table, PatternTable)
    assert table.shift == pytest.approx(50.0, abs=1.0)
    assert pattern_table("linear", random_patterns(8) + 50.0, moments=False).shift == 0.0
