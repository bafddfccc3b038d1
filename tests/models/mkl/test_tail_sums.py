"""Tail sums and their supergradients against full spectra."""

import numpy as np
import pytest
from effort import examples
from hypothesis import given
from hypothesis import strategies as st
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
    K = psd(rng, n, int(rng.integers(1, n + 2)))
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


@given(seeds)
@examples(25)
def test_tail_sums_are_superadditive(seed: int) -> None:
    rng = np.random.default_rng(seed)
    first, second = psd(rng, 7, 5), psd(rng, 7, 4)
    for theta in range(1, 6):
        total = tail_sum(first + second, theta)
        assert total >= tail_sum(first, theta) + tail_sum(second, theta) - 1e-11
        assert tail_sum(3.0 * first, theta) == pytest.approx(3.0 * tail_sum(first, theta), abs=1e-9)


def test_the_example_of_propositions_4_and_5() -> None:
    first, second = np.diag([2.0, 1.0]), np.diag([1.0, 2.0])
    assert tail_sum(first, 1) == tail_sum(second, 1) == 1.0
    assert tail_sum((first + second) / 2, 1) == 1.5


@given(seeds)
@examples(40)
def test_the_convex_hull_of_h1_is_h2(seed: int) -> None:
    """A function of H2 as a convex combination of functions of H1, with and without zero tails.

    Each part f_m of f is divided by its coefficient, and then has norm at most 1 in the space of a
    kernel s_m K_m alone, whose tail sum is at most 1.
    """
    rng = np.random.default_rng(seed)
    n, M, theta = 8, int(rng.integers(1, 6)), int(rng.integers(1, 4))
    ranks = rng.integers(1, n + 1, size=M)
    K = np.array([psd(rng, n, r) for r in ranks])
    zero = ranks <= theta
    t = np.array([0.0 if z else tail_sum(k, theta) for z, k in zip(zero, K, strict=True)])
    # f of norm 1 at weights mu with <mu, t> = 1, and the norms of its parts
    mu = rng.exponential(size=M)
    mu = mu if zero.all() else mu / (mu @ t)
    a = rng.normal(size=n)
    a /= np.sqrt(a @ np.tensordot(mu, K, 1) @ a)
    parts = mu[:, None] * (K @ a)
    norms = mu * np.sqrt(np.einsum("i,mij,j->m", a, K, a))
    # the coefficients c, and the weights s of the kernels
    c = np.sqrt(t) * norms
    left = 1.0 - c.sum()
    assert left > 0.0 if zero.any() else left >= -1e-12
    c[zero] = left / max(zero.sum(), 1)
    s = np.where(zero, (norms / c) ** 2, 1.0 / np.where(zero, 1.0, t))
    for m in range(M):
        assert s[m] * tail_sum(K[m], theta) <= 1.0 + 1e-12 * s[m] * np.trace(K[m])
        assert norms[m] / c[m] / np.sqrt(s[m]) <= 1.0 + 1e-12
    assert c.sum() <= 1.0 + 1e-12
    assert (c[:, None] * (parts / c[:, None])).sum(axis=0) == pytest.approx(
        np.tensordot(mu, K, 1) @ a, abs=1e-9
    )


@pytest.mark.parametrize("weight", [1.0, 1e3, 1e9])
def test_a_zero_tail_sum_and_other_kernels(weight: float) -> None:
    """A weight without a limit, and one that another kernel limits."""
    first = weight * np.diag([1.0, 0.0, 0.0])
    assert tail_sum(first, 1) == pytest.approx(0.0, abs=1e-15 * weight)
    assert tail_sum(first + np.eye(3) / 2, 1) == pytest.approx(1.0, abs=1e-15 * weight)
    assert tail_sum(first + np.diag([0.0, 0.5, 0.0]), 1) == pytest.approx(0.5, abs=1e-15 * weight)


def test_a_tie_has_gap_zero_and_a_unique_value() -> None:
    found = tail(np.eye(5), 2)
    assert found.gap == pytest.approx(0.0, abs=1e-14)
    assert found.value == pytest.approx(3.0)
    assert tail(np.diag([5.0, 3.0, 1.0]), 1).gap == pytest.approx(2.0)
    assert tail(np.eye(3), 0).gap == np.inf


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
        with pytest.raises(OptionError, match=f"theta {theta}: expected 0 <= theta < 5"):
            function(np.eye(5), theta)


def large(kind: str, n: int = 620) -> np.ndarray:
    rng = np.random.default_rng(1)
    if kind == "rbf":
        X = rng.normal(size=(n, 8))
        return np.exp(-0.1 * ((X[:, None] - X[None]) ** 2).sum(axis=2))
    if kind == "linear":
        X = rng.normal(size=(n, 5))
        return X @ X.T
    if kind == "identity":
        return np.eye(n)
    Q = ortho_group.rvs(n, random_state=2)
    K = (Q * np.concatenate([[9.0] * 3, [4.0] * 4, rng.uniform(0.0, 1.0, n - 7)])) @ Q.T
    return (K + K.T) / 2


@pytest.mark.parametrize("kind", ["rbf", "linear", "identity", "multiple"])
def test_lanczos_agrees_with_the_full_spectrum(kind: str) -> None:
    K = large(kind)
    values = np.linalg.eigvalsh(K)[::-1]
    assert len(K) >= kernel_sets.FULL_SPECTRUM
    for theta in (1, 2, 4):
        expected = values[theta:].sum()
        assert tail_sum(K, theta) == pytest.approx(expected, abs=1e-9 * np.trace(K))
        found = tail(K, theta)
        assert found.value == pytest.approx(expected, abs=1e-9 * np.trace(K))
        assert found.gap == pytest.approx(values[theta - 1] - values[theta], abs=2e-3 * values[0])


@pytest.mark.parametrize(("kind", "theta"), [("low", 16), ("copies", 6), ("flat", 20)])
def test_spectra_that_are_hard_for_lanczos(kind: str, theta: int) -> None:
    """Products that soon span the range, copies of an eigenvalue, a flat spectrum."""
    rng = np.random.default_rng(3)
    if kind == "low":
        F = rng.normal(size=(700, 5))
        K = F @ F.T
    elif kind == "copies":
        K = np.diag(np.concatenate([np.full(6, 5.0), [3.0], np.full(693, 0.1)]))
    else:
        K = np.diag(rng.uniform(0.999999, 1.0, 700))
    values = np.linalg.eigvalsh(K)[::-1]
    scale = 1e-9 * np.trace(K)
    assert tail_sum(K, theta) == pytest.approx(values[theta:].sum(), abs=scale)
    found = tail(K, theta)
    assert found.value == pytest.approx(values[theta:].sum(), abs=scale)
    assert found.vectors.T @ found.vectors == pytest.approx(
        np.eye(found.vectors.shape[1]), abs=1e-9
    )


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


def test_rank() -> None:
    assert rank(spectrum(psd(np.random.default_rng(0), 20, 4))) == 4
    assert rank(spectrum(np.eye(5))) == 5
    assert rank(spectrum(np.zeros((3, 3)))) == 0
