"""Values of shapelets, in a table and in a screen: extremes, proved errors, exact rows, limits."""

import numpy as np
import pytest
from cut_off import Questions
from effort import examples
from hypothesis import given
from hypothesis import strategies as st
from refusals import refused

from radprog.base.errors import OptionError
from radprog.base.limits import OutOfBudget, under
from radprog.base.types import FloatArray
from radprog.models.lpboost import features as module
from radprog.models.lpboost.features import Features, pattern_table
from radprog.models.lpboost.patterns import PATTERN_KERNELS, PatternKernel, z_normalized


def kernel_of(kind: str, sigma: float = 0.3) -> PatternKernel:
    return PatternKernel(kind=kind, sigma=sigma if kind == "gauss" else None)


def both(kind: str, patterns: FloatArray, sigma: float = 0.3) -> tuple[Features, Features]:
    """The same values of radius 2.5, in a table and in a screen."""
    kernel, table = kernel_of(kind, sigma), pattern_table(kind, patterns)
    return Features.of_table(kernel, table, 2.5), Features.screen(kernel, table.patterns, 2.5)


@examples(40)
@given(st.integers(0, 999), st.sampled_from(PATTERN_KERNELS), st.integers(1, 6), st.integers(1, 5))
def test_features_are_extremes_over_the_patterns_of_a_series(
    seed: int, kind: str, m: int, Q: int
) -> None:
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


def test_a_pattern_of_norm_zero_is_similar_to_nothing() -> None:
    patterns = np.random.default_rng(1).normal(size=(5, 4, 3))
    patterns[2, 1] = 0.0
    for found in both("linear", patterns):
        np.testing.assert_array_equal(found.rows(np.array([2 * 4 + 1])), 0.0)
        assert (found.rows(np.array([0])) != 0).all()


def test_only_the_linear_kernel_sees_where_patterns_lie() -> None:
    patterns = np.random.default_rng(8).normal(size=(5, 4, 3)) + 50.0
    assert pattern_table("distance", patterns).shift == pytest.approx(50.0, abs=1.0)
    assert pattern_table("linear", patterns).shift == 0.0


@examples(40)
@given(
    st.integers(0, 999),
    st.sampled_from(PATTERN_KERNELS),
    st.integers(1, 6),
    st.integers(1, 5),
    st.sampled_from([1e-12, 1e-3, 1.0, 1e3, 1e6]),
    st.sampled_from([1e-4, 0.3, 1e4]),
)
def test_a_screen_errs_by_no_more_than_it_says(
    seed: int, kind: str, m: int, Q: int, size: float, sigma: float
) -> None:
    rng = np.random.default_rng(seed)
    stored, found = both(kind, size * (rng.normal(size=(m, Q, 4)) + 0.7), sigma / size**2)
    assert len(found) == len(stored) == m * Q
    largest = np.abs(stored.values).max()
    assert largest <= found.largest
    assert np.abs(found.values - stored.values).max() <= found.error
    assert found.error <= 1e-7 * largest
    np.testing.assert_allclose(
        found.rows(np.arange(m * Q)), stored.values, rtol=1e-9, atol=1e-7 * largest
    )
    weights = rng.normal(size=m) * rng.integers(2, size=m)
    sums, slack = found.sums(weights)
    rounding = 1e-12 * largest * np.abs(weights).sum()
    assert np.abs(sums - stored.values @ weights).max() <= slack + rounding
    assert slack == pytest.approx(found.error * np.abs(weights).sum())
    assert abs(found.spread() - stored.spread()) <= 2.0 * found.error + 1e-12 * largest


def test_constant_patterns_do_not_spread() -> None:
    for kind, value in (("gauss", 2.5), ("linear", 0.0), ("distance", 0.0)):
        for found in both(kind, z_normalized(np.ones((3, 4, 5)))):
            assert (found.values == value).all()
            assert found.spread() == 0.0


def test_a_screen_is_no_table() -> None:
    stored, found = both("gauss", np.random.default_rng(3).normal(size=(8, 20, 3)))
    assert 2 * found.values.nbytes == stored.values.nbytes
    refused(OptionError, "160 patterns on 8 series are too many", found.stored)
    assert stored.stored() is stored.values


@pytest.mark.parametrize("kind", PATTERN_KERNELS)
def test_blocks_of_all_widths_agree(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    patterns = np.random.default_rng(4).normal(size=(7, 5, 3))
    weights = np.random.default_rng(5).normal(size=7)
    whole = both(kind, patterns)
    for name, value in (("BLOCK", 60), ("SUMMED", 21), ("ROWS_AT_ONCE", 4)):
        monkeypatch.setattr(module, name, value)
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
    monkeypatch.setattr(module, "BLOCK", 50)  # two series a block: 25 blocks
    with under(Questions(24)), pytest.raises(OutOfBudget):
        pattern_table("gauss", patterns)
    with under(Questions(0)), pytest.raises(OutOfBudget):
        found.sums(np.ones(9))
    with under(Questions(0)), pytest.raises(OutOfBudget):
        found.rows(np.arange(3))
