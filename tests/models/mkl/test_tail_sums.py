"""Tail sums and their supergradients against full spectra."""

import numpy as np
import pytest
from effort import examples
from hypothesis import given
from hypothesis import strategies as st
from refusals import refused
from scipy.stats import ortho_group

from radprog.base.errors import OptionError
from radprog.models.lapack import eigenpairs
from radprog.models.mkl import kernel_sets
from radprog.models.mkl.kernel_sets import rank, spectrum, tail, tail_sum

seeds = st.integers(0, 2**32 - 1)


def psd(rng: np.random.Generator, n: int, r: int) -> np.ndarray:
    factor = rng.normal(size=(n, r)) * rng.uniform(0.1, 2.0, size=r)
    return factor @ factor.T


def by_definition(K: np.ndarray, theta: int) -> float:
    return float(np.linalg.eigvalsh(K)[: len(K) - theta].sum())


@given(seeds)
@examples(40)
def test_tail_sum_is_the_sum_of_the_smallest(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 12))
    r = int(rng.integers(1, n + 2))
    K = psd(rng, n, r)
    assert rank(spectrum(K)) == min(n, r)
    for theta in range(n):
        expected = by_definition(K, theta)
        assert tail_sum(K, theta) == pytest.approx(expected, abs=1e-12 * np.trace(K))
        assert tail(K, theta).value == pytest.approx(expected, abs=1e-12 * np.trace(K))
        assert spectrum(K)[theta:].sum() == pytest.approx(expected, abs=1e-12 * np.trace(K))


@given(seeds)
@examples(40)
def test_the_supergradient_bounds_other_tail_sums_from_above(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, theta = 8, int(rng.integers(1, 6))
    here = psd(rng, n, 7)
    others = np.array([psd(rng, n, int(rng.integers(1, 9))) for _ in range(4)])
    found = tail(here, theta)
    for K, slope in zip(others, found.of(others), strict=True):
        assert slope >= by_definition(K, theta) - 1e-11
        assert slope <= np.trace(K) + 1e-11
    assert found.of(here[None])[0] == pytest.approx(found.value, rel=1e-12)


def test_a_tie_has_gap_zero_and_a_unique_value() -> None:
    found = tail(np.eye(5), 2)
    assert found.gap == pytest.approx(0.0, abs=1e-14)
    assert found.value == pytest.approx(3.0)
    assert tail(np.diag([5.0, 3.0, 1.0]), 1).gap == pytest.approx(2.0)
    assert tail(np.eye(3), 0).gap == np.inf
    assert [rank(spectrum(K)) for K in (np.eye(5), np.zeros((3, 3)))] == [5, 0]


def test_a_tiny_tail_keeps_its_digits() -> None:
    Q = np.linalg.qr(np.random.default_rng(0).normal(size=(6, 6)))[0]
    values = np.array([1e6, 1e-3, 5e-4, 2e-4, 1e-4, 5e-5])
    K = (Q * values) @ Q.T
    K = (K + K.T) / 2
    found = tail(K, 1)
    assert not found.top
    assert found.value == pytest.approx(values[1:].sum(), rel=1e-5)
    assert found.of(K[None])[0] == pytest.approx(found.value, rel=1e-5)


@pytest.mark.parametrize("theta", [-1, 5, 6])
def test_theta_outside_the_matrix_is_refused(theta: int) -> None:
    for function in (tail_sum, tail):
        refused(OptionError, f"theta {theta}: expected 0 <= theta < 5", function, np.eye(5), theta)


def large(kind: str) -> np.ndarray:
    """Kernel matrices of so many points that Lanczos is used, some of them hard for it."""
    rng, n = np.random.default_rng(1), 620
    if kind == "rbf":
        X = rng.normal(size=(n, 8))
        return np.exp(-0.1 * ((X[:, None] - X[None]) ** 2).sum(axis=2))
    if kind == "linear":  # products soon span the range
        X = rng.normal(size=(n, 5))
        return X @ X.T
    values = {
        "multiple": np.concatenate([[9.0] * 3, [4.0] * 4, rng.uniform(0.0, 1.0, n - 7)]),
        "copies": np.concatenate([[5.0] * 6, [3.0], [0.1] * (n - 7)]),
        "flat": rng.uniform(0.999999, 1.0, n),
        "identity": np.ones(n),
    }[kind]
    if kind != "multiple":
        return np.diag(values)
    Q = ortho_group.rvs(n, random_state=2)
    K = (Q * values) @ Q.T
    return (K + K.T) / 2


@pytest.mark.parametrize("kind", ["rbf", "linear", "identity", "multiple", "copies", "flat"])
def test_lanczos_agrees_with_the_full_spectrum(kind: str) -> None:
    K = large(kind)
    values = np.linalg.eigvalsh(K)[::-1]
    scale = 1e-9 * np.trace(K)
    assert len(K) >= kernel_sets.FULL_SPECTRUM
    for theta in (1, 2, 4, 6, 20):
        expected = values[theta:].sum()
        assert tail_sum(K, theta) == pytest.approx(expected, abs=scale)
        found = tail(K, theta)
        assert found.value == pytest.approx(expected, abs=scale)
        assert found.gap == pytest.approx(values[theta - 1] - values[theta], abs=2e-3 * values[0])
        identity = np.eye(found.vectors.shape[1])
        assert found.vectors.T @ found.vectors == pytest.approx(identity, abs=1e-9)


@pytest.mark.parametrize(("n", "beside"), [(30, 1e-18), (60, 1e-17), (700, 1e-18)])
def test_a_kernel_matrix_that_is_nearly_the_identity(n: int, beside: float) -> None:
    """Of which dsyevr finds none of the eigenvalues that it is asked for."""
    K = np.eye(n) + beside * (1.0 - np.eye(n))
    for first, last in ((n - 2, n - 1), (0, 2)):
        values, vectors = eigenpairs(K, first, last)
        assert values == pytest.approx(np.ones(last - first + 1), abs=1e-12)
        assert vectors.T @ vectors == pytest.approx(np.eye(len(values)), abs=1e-12)
    assert tail_sum(K, 1) == pytest.approx(n - 1.0)


def test_lanczos_is_used_where_it_is_said_to_be(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernel_sets, "spectrum", lambda K: pytest.fail("all eigenvalues computed"))
    tail_sum(large("rbf"), 3)
