"""Penalties against closed forms, enumeration by hand, and each other."""

import itertools
import math

import numpy as np
import pytest
from effort import examples
from hypothesis import given
from hypothesis import strategies as st
from refusals import refused
from signs import exact_complexity, monte_carlo

from radprog.base.errors import OptionError
from radprog.base.types import FloatArray
from radprog.models.complexity import massart, psd_spectrum
from radprog.models.vkr import penalties
from radprog.models.vkr.penalties import (
    kernel_radius,
    local_fixed_point,
    local_lower_penalty,
    local_penalty,
    pseudo_dimension_penalty,
    trace_penalty,
)


def unit_rows(m: int, d: int, seed: int) -> FloatArray:
    X = np.random.default_rng(seed).normal(size=(m, d))
    return X / np.linalg.norm(X, axis=1, keepdims=True)


def polynomial(X: FloatArray, Z: FloatArray, degree: int) -> FloatArray:
    return (X @ Z.T + 1.0) ** degree


def lemma_3(diagonal: FloatArray) -> float:
    """The trace penalty at the sample's own radius."""
    return trace_penalty(diagonal, kernel_radius(diagonal))


def suprema(K: FloatArray) -> FloatArray:
    """max_j |sum_i sigma_i K_ij| / m for each of the 2^m sign vectors, one at a time."""
    m, c = K.shape
    values = [
        max([abs(sum(sigma[i] * K[i, j] for i in range(m))) for j in range(c)]) / m
        for sigma in itertools.product((-1, 1), repeat=m)
    ]
    return np.array(values)


# ---------------------------------------------------------------- closed forms


@pytest.mark.parametrize("degree", [1, 2, 5])
def test_pseudo_dimension_penalty_on_unit_rows(degree: int) -> None:
    X = unit_rows(9, 4, seed=2)
    radius = kernel_radius(polynomial(X, X, degree).diagonal())
    dimension = {1: 5, 2: 15, 5: 126}[degree]  # C(4 + k, k)
    expected = 2**degree * math.sqrt(dimension)
    assert pseudo_dimension_penalty(radius, 4, degree) == pytest.approx(expected, rel=1e-12)


def test_the_dimension_counts_monomials() -> None:
    exponents = itertools.product(range(4), repeat=3)
    assert pseudo_dimension_penalty(1.0, 3, 3) == math.sqrt(sum(sum(e) <= 3 for e in exponents))
    assert pseudo_dimension_penalty(1.0, 196, 10) == math.sqrt(30377090094628145)


# ---------------------------------------------------------------- enumeration and Monte Carlo


@examples(40)
@given(st.integers(1, 7), st.integers(1, 4), st.integers(0, 2**32 - 1))
def test_enumeration_equals_a_loop_over_all_signs(m: int, c: int, seed: int) -> None:
    K = np.random.default_rng(seed).normal(size=(m, c)) * 10.0 ** (seed % 7 - 3)
    assert exact_complexity(K) == pytest.approx(suprema(K).mean(), rel=1e-12)


def test_blocks_do_not_change_the_values(monkeypatch: pytest.MonkeyPatch) -> None:
    K = np.random.default_rng(4).normal(size=(10, 6))
    whole = exact_complexity(K), monte_carlo(K, 500, seed=9)
    monkeypatch.setattr(penalties, "SUMS_AT_ONCE", 7 * 16)  # 7 sign vectors at a time
    assert exact_complexity(K) == pytest.approx(whole[0], rel=1e-13)
    assert monte_carlo(K, 500, seed=9) == pytest.approx(whole[1], rel=1e-12)


def test_monte_carlo_finds_the_enumerated_value() -> None:
    X = unit_rows(12, 5, seed=5)
    for degree in (1, 4):
        K = polynomial(X, X, degree)
        value, error = monte_carlo(K, trials=20_000, seed=degree)
        assert 0 < error <= 0.01 * value
        assert abs(value - exact_complexity(K)) <= 4 * error


def test_standard_error_is_the_deviation_over_the_root_of_the_trials() -> None:
    K = np.random.default_rng(6).normal(size=(8, 3))
    _, error = monte_carlo(K, trials=40_000, seed=0)
    assert error == pytest.approx(suprema(K).std() / 200, rel=0.05)


@examples(40)
@given(st.integers(2, 9), st.integers(1, 6), st.integers(0, 2**32 - 1))
def test_upper_bounds_are_above_enumeration(m: int, degree: int, seed: int) -> None:
    X = np.random.default_rng(seed).normal(size=(m, 3))
    K = polynomial(X, X, degree)
    exact = exact_complexity(K)
    assert exact > 0
    assert exact <= lemma_3(K.diagonal()) * (1 + 1e-12)
    assert exact <= massart(np.linalg.norm(K, axis=0), m) * (1 + 1e-12)


# ---------------------------------------------------------------- local complexity


def test_local_penalty_by_hand() -> None:
    # m = 3, kappa^2 = 4: 4 * (2, .5, .1) capped at 1 gives 1 + 1 + .4; sqrt(2/3 * 2.4)
    eigenvalues = np.array([2.0, 0.5, 0.1])
    assert local_penalty(eigenvalues, 2.0, 1.0) == pytest.approx(1.2649110640673518, rel=1e-14)
    assert local_lower_penalty(eigenvalues, 2.0, 1.0) == pytest.approx(math.sqrt(0.8), rel=1e-14)


def localised(K: FloatArray, r: float) -> FloatArray:
    """Columns of K with mean square at most r."""
    return K[:, (K**2).mean(axis=0) <= r]


@examples(40)
@given(st.integers(3, 9), st.integers(1, 5), st.floats(0.2, 4.0), st.integers(0, 2**32 - 1))
def test_local_penalty_bounds_the_localised_family(
    m: int, degree: int, scale: float, seed: int
) -> None:
    X = scale * np.random.default_rng(seed).normal(size=(m, 3))
    K = polynomial(X, X, degree)
    eigenvalues, radius = psd_spectrum(K), kernel_radius(K.diagonal())
    for r in np.quantile((K**2).mean(axis=0), [0.0, 0.5, 1.0]) * (1 + 1e-9):
        family = localised(K, float(r))
        assert family.shape[1] > 0
        assert exact_complexity(family) <= local_penalty(eigenvalues, radius, float(r)) * (1 + 1e-9)


def fixed_point_by_pieces(scaled: FloatArray) -> float:
    """With q eigenvalues capped, r^2 = (2/m)(q r + rest): the root that caps exactly those q."""
    descending, m = np.sort(scaled)[::-1], len(scaled)
    for q in range(m + 1):
        half, rest = q / m, float(descending[q:].sum())
        root = half + math.sqrt(half**2 + 2 * rest / m)
        below = q == m or descending[q] <= root
        if below and (q == 0 or descending[q - 1] >= root):
            return root
    raise AssertionError("no piece holds its own root")


@examples(100)
@given(
    st.lists(st.floats(1e-12, 1e6), min_size=1, max_size=12),
    st.integers(0, 5),
    st.floats(1e-2, 1e2),
)
def test_fixed_point(positive: list[float], zeros: int, radius: float) -> None:
    eigenvalues = np.array(positive + [0.0] * zeros)
    r = local_fixed_point(eigenvalues, radius)
    assert local_penalty(eigenvalues, radius, r) == pytest.approx(r, rel=1e-12)
    assert r == pytest.approx(fixed_point_by_pieces(radius**2 * eigenvalues), rel=1e-12)
    for factor in (1e-3, 0.5, 0.99):  # unique: the function is above r below it, and below above
        assert local_penalty(eigenvalues, radius, factor * r) > factor * r
        assert local_penalty(eigenvalues, radius, r / factor) < r / factor


# ---------------------------------------------------------------- refusals


def test_what_has_no_bound_is_refused() -> None:
    refused(OptionError, "edit distance.*no penalty", lemma_3, np.zeros(5))
    refused(OptionError, "negative.*feature map", lemma_3, np.array([1.0, -1e-3, 2.0]))
    refused(OptionError, "shape", psd_spectrum, np.ones((2, 3)))
    refused(OptionError, "not symmetric", psd_spectrum, np.array([[1.0, 0.5], [0.4, 1.0]]))
    words = "not positive semidefinite"
    refused(OptionError, words, psd_spectrum, np.array([[1.0, 2.0], [2.0, 1.0]]))
    refused(OptionError, "not finite", psd_spectrum, np.array([[1.0, np.nan], [np.nan, 1.0]]))
    refused(OptionError, words, psd_spectrum, np.diag([-1.0, -2.0]))
    refused(OptionError, "finite", massart, np.array([1.0, np.inf]), m=2)
    refused(OptionError, "non-empty", massart, np.array([]), m=2)


@pytest.mark.parametrize(("defect", "accepted"), [(1e-10, True), (1e-6, False)])
def test_psd_test_is_relative(defect: float, accepted: bool) -> None:
    for size in (1e-20, 1.0, 1e20):
        indefinite = size * np.diag([1.0, 0.5, -defect])
        skewed = size * np.array([[1.0, defect], [0.0, 1.0]])
        for K in (indefinite, skewed):
            if accepted:
                assert psd_spectrum(K).min() >= 0
            else:
                refused(OptionError, "not", psd_spectrum, K)
