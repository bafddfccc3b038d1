"""Similarities of patterns, the choice of sigma, kernel rows on demand; values of shapelets in a
table and in a screen: extremes, proved errors, exact rows, limits."""

import numpy as np
import pytest
from cut_off import Questions
from effort import examples
from hypothesis import given
from hypothesis import strategies as st
from refusals import refused
from series_generators import cylinder_bell_funnel

from radprog.base.errors import OptionError
from radprog.base.limits import OutOfBudget, under
from radprog.base.types import FloatArray
from radprog.instances.bags import windows
from radprog.models.lpboost import features as features_module
from radprog.models.lpboost import patterns as module
from radprog.models.lpboost.features import Features, pattern_table
from radprog.models.lpboost.patterns import PATTERN_KERNELS, PatternKernel, z_normalized


def kernel_of(kind: str, sigma: float = 0.3) -> PatternKernel:
    return PatternKernel(kind=kind, sigma=sigma if kind == "gauss" else None)


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


def test_bad_kernels() -> None:
    for kind, sigma, message in (
        ("gauss", 0.0, "sigma 0: expected a finite number > 0"),
        ("gauss", None, "sigma belongs to"),
        ("linear", 1.0, "sigma belongs to"),
        ("cosine", None, "unknown pattern kernel 'cosine'"),
    ):
        refused(OptionError, message, PatternKernel, kind=kind, sigma=sigma)


def largest_variance(Z: FloatArray, counts: FloatArray) -> float:
    """The candidate of the largest variance of all kernel values, entry by entry."""
    variances = []
    for sigma in module.SIGMAS:
        K = PatternKernel(kind="gauss", sigma=sigma)(Z, Z)
        np.fill_diagonal(K, 1.0)
        weights = np.outer(counts, counts)
        mean = np.average(K, weights=weights)
        variances.append(float(np.average((K - mean) ** 2, weights=weights)))
    found = module.kernel_variances(Z, module.SIGMAS, counts)
    np.testing.assert_allclose(found, variances, atol=1e-12)
    return module.SIGMAS[int(np.argmax(variances))]


@pytest.mark.parametrize("scale", [1e-3, 1e-2, 0.1, 1.0, 10.0, 100.0])
def test_sigma_has_the_largest_variance(scale: float, monkeypatch: pytest.MonkeyPatch) -> None:
    data = cylinder_bell_funnel(12, length=24, seed=1)
    patterns, _ = module.centred("gauss", windows(scale * data.X, "series", 5))
    Z, weights = patterns.reshape(-1, 5), np.arange(1.0, 13.0)
    assert module.choose_sigma(patterns) == (largest_variance(Z, np.ones(240)), None)
    assert module.choose_sigma(patterns, weights) == (
        largest_variance(Z, np.repeat(weights, 20)),
        None,
    )
    doubled = np.repeat(patterns, [2, *([1] * 11)], axis=0)
    twice = np.array([2.0, *([1.0] * 11)])
    assert module.choose_sigma(patterns, twice) == module.choose_sigma(doubled)
    monkeypatch.setattr(module, "SAMPLE", 60)
    assert module.choose_sigma(patterns) == (largest_variance(Z, np.ones(240)), 60)
    assert module.choose_sigma(np.zeros((3, 2, 4))) == (module.SIGMAS[0], None)  # a tie


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
    gram = module.LazyGram(kernel, Z, limit)
    rng = np.random.default_rng(0)
    for _ in range(30):
        chosen = rng.permutation(20)[: rng.integers(1, 6)]
        np.testing.assert_allclose(gram.rows(chosen), K[chosen], atol=1e-12)
        weights = rng.normal(size=len(chosen)) * (rng.random(len(chosen)) < 0.7)
        np.testing.assert_allclose(gram.combine(chosen, weights), weights @ K[chosen], atol=1e-12)
        others = rng.permutation(20)[:4]
        block = gram.block(chosen, others)
        np.testing.assert_allclose(block, K[np.ix_(chosen, others)], atol=1e-12)
    assert len(gram) == 20
    np.testing.assert_allclose(gram.rows(np.arange(20)), K, atol=1e-12)


def both(kind: str, patterns: FloatArray, sigma: float = 0.3) -> tuple[Features, Features]:
    """The same values of radius 2.5, in a table and in a screen."""
    kernel, table = kernel_of(kind, sigma), pattern_table(kind, patterns)
    return Features.of_table(kernel, table, 2.5), Features.screen(kernel, table.patterns, 2.5)


SHAPES = st.integers(0, 999), st.sampled_from(PATTERN_KERNELS), st.integers(1, 6), st.integers(1, 5)


@examples(40)
@given(*SHAPES)
def test_features_are_extremes_over_the_patterns_of_a_series(seed, kind, m, Q) -> None:
    patterns = np.random.default_rng(seed).normal(size=(m, Q, 3)) + 0.7
    found, kernel = pattern_table(kind, patterns, farthest=True), kernel_of(kind)
    Z = found.patterns.reshape(-1, 3)
    K = kernel(Z, Z).reshape(m * Q, m, Q)
    norms = np.linalg.norm(Z, axis=1) if kind == "linear" else np.ones(m * Q)
    near, far = found.features(kernel), found.features(kernel, nearest=False)
    np.testing.assert_allclose(near, K.max(axis=2) / norms[:, None], atol=1e-7)
    np.testing.assert_allclose(far, K.min(axis=2) / norms[:, None], atol=1e-7)
    own = near.reshape(m, Q, m)[np.arange(m), :, np.arange(m)]
    if kind == "linear":
        assert (own >= norms.reshape(m, Q) * (1 - 1e-12)).all()
    else:  # exactly: a pattern is in its own series
        np.testing.assert_array_equal(own, 1.0 if kind == "gauss" else 0.0)
    rows = np.random.default_rng(seed).permutation(m)[: 1 + m // 2]
    part, alone = found.take(rows), pattern_table(kind, patterns[rows], farthest=True)
    np.testing.assert_allclose(part.near, alone.near, atol=1e-12)
    np.testing.assert_allclose(part.far, alone.far, atol=1e-12)


@examples(40)
@given(*SHAPES, st.sampled_from([1e-12, 1e-3, 1.0, 1e3, 1e6]), st.sampled_from([1e-4, 0.3, 1e4]))
def test_a_screen_errs_by_no_more_than_it_says(seed, kind, m, Q, size, sigma) -> None:
    rng = np.random.default_rng(seed)
    stored, found = both(kind, size * (rng.normal(size=(m, Q, 4)) + 0.7), sigma / size**2)
    assert len(found) == len(stored) == m * Q
    largest = np.abs(stored.values).max()
    assert largest <= found.largest
    assert np.abs(found.values - stored.values).max() <= found.error
    assert found.error <= 1e-7 * largest
    rows = found.rows(np.arange(m * Q))
    np.testing.assert_allclose(rows, stored.values, rtol=1e-9, atol=1e-7 * largest)
    weights = rng.normal(size=m) * rng.integers(2, size=m)
    sums, slack = found.sums(weights)
    rounding = 1e-12 * largest * np.abs(weights).sum()
    assert np.abs(sums - stored.values @ weights).max() <= slack + rounding
    assert slack == pytest.approx(found.error * np.abs(weights).sum())
    assert abs(found.spread() - stored.spread()) <= 2.0 * found.error + 1e-12 * largest


def test_special_patterns() -> None:
    """Constant ones do not spread, one of norm 0 has no likeness, and a screen is no table."""
    for kind, value in (("gauss", 2.5), ("linear", 0.0), ("distance", 0.0)):
        for found in both(kind, z_normalized(np.ones((3, 4, 5)))):
            assert (found.values == value).all()
            assert found.spread() == 0.0
    patterns = np.random.default_rng(1).normal(size=(8, 20, 3))
    # only the linear kernel sees where patterns lie
    shifts = [pattern_table(kind, patterns + 50.0).shift for kind in ("distance", "linear")]
    assert shifts == pytest.approx([50.0, 0.0], abs=1.0)
    patterns[2, 1] = 0.0
    for found in both("linear", patterns):
        np.testing.assert_array_equal(found.rows(np.array([2 * 20 + 1])), 0.0)
        assert (found.rows(np.array([0])) != 0).all()
    stored, found = both("gauss", patterns)
    assert 2 * found.values.nbytes == stored.values.nbytes
    refused(OptionError, "160 patterns on 8 series are too many", found.stored)
    assert stored.stored() is stored.values


@pytest.mark.parametrize("kind", PATTERN_KERNELS)
def test_blocks_of_all_widths_agree(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    patterns = np.random.default_rng(4).normal(size=(7, 5, 3))
    weights = np.random.default_rng(5).normal(size=7)
    whole = both(kind, patterns)
    for name, value in (("BLOCK", 60), ("SUMMED", 21), ("ROWS_AT_ONCE", 4)):
        monkeypatch.setattr(features_module, name, value)
    for one, other in zip(whole, both(kind, patterns), strict=True):
        np.testing.assert_allclose(one.values, other.values, atol=1e-6)
        np.testing.assert_allclose(one.sums(weights)[0], other.sums(weights)[0], atol=1e-5)
        np.testing.assert_allclose(one.rows(np.arange(35)), other.rows(np.arange(35)), atol=1e-7)


@pytest.mark.parametrize("looks", [0, 3])
def test_building_keeps_limits(looks: int, monkeypatch: pytest.MonkeyPatch) -> None:
    patterns = np.random.default_rng(6).normal(size=(9, 5, 3))
    kernel = kernel_of("gauss")
    with under(Questions(looks)), pytest.raises(OutOfBudget):
        Features.screen(kernel, patterns, 1.0)
    with under(Questions(9)):  # one look a block, here a series
        found = Features.screen(kernel, patterns, 1.0)
    monkeypatch.setattr(features_module, "BLOCK", 50)  # two series a block: 25 blocks
    with under(Questions(24)), pytest.raises(OutOfBudget):
        pattern_table("gauss", patterns)
    with under(Questions(0)), pytest.raises(OutOfBudget):
        found.sums(np.ones(9))
    with under(Questions(0)), pytest.raises(OutOfBudget):
        found.rows(np.arange(3))
