"""Discriminative similarity: identities of the paper, spectral split, simplex with a box."""

import itertools

import numpy as np
import pytest
from cut_off import Questions
from effort import examples
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from refusals import refused
from scipy.spatial.distance import pdist

from radprog.base.errors import OptionError
from radprog.base.limits import OutOfBudget, under
from radprog.base.types import FloatArray
from radprog.models.similarity import problem as problems
from radprog.models.similarity.svm import flipped_spectrum
from radprog.models.simplex import project

SEEDS = st.integers(0, 10**6)


def test_distances_are_those_of_pairs_and_keep_limits() -> None:
    _, X = points(3, 700)
    assert np.array_equal(problems.Distances.of(X).squared, pdist(X, "sqeuclidean"))
    with under(Questions(2)), pytest.raises(OutOfBudget):
        problems.Distances.of(X)


def points(seed: int, n: int) -> tuple[np.random.Generator, FloatArray]:
    rng = np.random.default_rng(seed)
    return rng, rng.normal(size=(n, 2))


def kernel_problem(seed: int, n: int, tau: float = 0.5) -> tuple[problems.Weighted, FloatArray]:
    rng, X = points(seed, n)
    K = problems.Distances.of(X).gram(float(rng.uniform(0.3, 2.0)))
    lam = float(rng.uniform(0.5, 2.0)) * n / 2
    problem = problems.Weighted(s=K, size=K, lam=lam, upper=problems.kernel_box(lam), tau=tau)
    return problem, project(rng.dirichlet(np.ones(n)), problem.upper)


def symmetric(rng: np.random.Generator, n: int) -> FloatArray:
    A = rng.uniform(-1, 1, size=(n, n))
    return (A + A.T) / 2


def printed_12(K: FloatArray, a: FloatArray, codes: NDArray[np.intp], lam: float) -> float:
    """(12) by loops, as printed."""
    n, total = len(a), 0.0
    for i, j in itertools.product(range(n), repeat=2):
        if i < j and codes[i] != codes[j]:
            total += 2 * (a[i] + a[j] - lam * a[i] * a[j]) * K[i, j]
        total += -(a[i] + a[j]) / 2 * K[i, j] + lam * a[i] * K[i, j] * a[j]
    return total


@given(SEEDS, st.integers(2, 9), st.integers(1, 4))
@examples(40)
def test_objective_is_12_at_a_labelling(seed: int, n: int, c: int) -> None:
    problem, a = kernel_problem(seed, n)
    codes = np.random.default_rng(seed).integers(0, c, n)
    expected = printed_12(problem.s, a, codes, problem.lam)
    Y = problems.indicator(codes, c)
    Q, b = problem.quadratic(Y)
    for value in (problem.value(a, Y), problem.labelled_value(a, codes), float(a @ Q @ a + b @ a)):
        assert value == pytest.approx(expected, abs=1e-11 * n)


@given(SEEDS, st.integers(3, 9), st.sampled_from([0.5, 1.0]))
@examples(30)
def test_trace_is_twice_the_sum_over_pairs(seed: int, n: int, tau: float) -> None:
    problem, a = kernel_problem(seed, n, tau)
    Y = np.random.default_rng(seed).normal(size=(n, 3))
    L, S = problem.laplacian(a), problem.similarity(a)
    pairs = sum(S[i, j] * np.sum((Y[i] - Y[j]) ** 2) for i in range(n) for j in range(i + 1, n))
    assert np.trace(Y.T @ L @ Y) == pytest.approx(pairs, rel=1e-10, abs=1e-12)
    assert problem.trace(a, Y) == pytest.approx(tau * pairs, rel=1e-10, abs=1e-12)
    codes = np.random.default_rng(seed).integers(0, 3, n)
    different = codes[:, None] != codes
    Z = problems.indicator(codes, 3)
    assert np.trace(Z.T @ L @ Z) == pytest.approx(2 * np.triu(S * different, 1).sum(), abs=1e-12)
    Q, b = problem.quadratic(Y)
    assert a @ Q @ a + b @ a == pytest.approx(problem.value(a, Y), rel=1e-9, abs=1e-10)


def test_general_box() -> None:
    rng, X = points(0, 8)
    K = problems.Distances.of(X).gram(1.0)
    assert problems.general_box(K, K, 5.0) == pytest.approx(problems.kernel_box(5.0))
    S = np.abs(symmetric(rng, 8)) + 0.05
    size = flipped_spectrum(S).size
    upper = problems.general_box(S, size, 5.0)
    assert 0 < upper < problems.kernel_box(5.0)
    similarity = problems.Weighted(s=S, size=size, lam=5.0, upper=1.0).similarity(np.full(8, upper))
    assert (similarity + 9.0 * np.eye(8)).min() == pytest.approx(0.0, abs=1e-12)
    assert problems.general_box(-S, size, 5.0) is None


@given(SEEDS, st.integers(1, 12), st.integers(1, 4))
@examples(40)
def test_spectrum_is_flipped_and_weights_are_of_a_convex_program(seed: int, n: int, c: int) -> None:
    rng = np.random.default_rng(seed)
    S = symmetric(rng, n)
    size = flipped_spectrum(S).size
    problem = problems.Weighted(s=S, size=size, lam=float(n), upper=1.0)
    Q, _ = problem.quadratic(problems.indicator(rng.integers(0, c, n), c))
    assert np.linalg.eigvalsh(Q)[0] >= -1e-10 * n
    np.testing.assert_allclose(size @ size, S @ S, atol=1e-11 * n)
    assert np.linalg.eigvalsh(size)[0] >= -1e-11 * n
    _, X = points(seed, 30)
    K = problems.Distances.of(X).gram(3.0)
    assert flipped_spectrum(K).size is K


@given(SEEDS, st.integers(2, 9))
@examples(30)
def test_ise_is_that_of_section_4(seed: int, n: int) -> None:
    problem, a = kernel_problem(seed, n)
    _, X = points(seed, n)
    wide = problems.Distances.of(X).gram(1.3)
    K, lam = problem.s, problem.lam
    codes = np.random.default_rng(seed).integers(0, 2, n)
    expected = 0.0
    for i, j in itertools.product(range(n), repeat=2):
        differ = i < j and codes[i] != codes[j]
        expected += -(a[i] + a[j]) * K[i, j] + lam * a[i] * a[j] * wide[i, j]
        expected += differ * (4 * (a[i] + a[j]) * K[i, j] - 4 * lam * a[i] * a[j] * wide[i, j])
    density = problems.DensityWeighted(s=K, size=wide, lam=lam, upper=1.0)
    y = np.where(codes == 0, -1.0, 1.0)[:, None]
    assert density.labelled_value(a, codes) == pytest.approx(expected, abs=1e-9)
    Q, b = density.quadratic(y)
    assert a @ Q @ a + b @ a == pytest.approx(expected, abs=1e-9)
    assert float(y[:, 0] @ density.form(a) @ y[:, 0]) == pytest.approx(expected, abs=1e-9)
    Q, _ = density.quadratic(np.random.default_rng(seed).normal(size=(n, 1)))
    assert np.linalg.eigvalsh(Q)[0] >= -1e-10 * n
    pair = 4 * (np.add.outer(a, a) - lam * np.multiply.outer(a, a)) * K  # S^ise
    np.fill_diagonal(pair, 0.0)
    np.testing.assert_allclose(pair, 2 * problem.similarity(a), atol=1e-12)


@given(SEEDS, st.integers(2, 6), st.floats(0.0, 1.0))
@examples(60)
def test_least_linear_value_is_at_a_vertex(seed: int, n: int, share: float) -> None:
    g = np.random.default_rng(seed).normal(size=n)
    upper = 1.0 / n + share * (1.0 - 1.0 / n)
    best = np.inf
    for order in itertools.permutations(range(n)):
        s, left = np.zeros(n), 1.0
        for i in order:
            s[i] = min(upper, left)
            left -= s[i]
        best = min(best, float(g @ s))
    assert problems.least_linear(g, upper) == pytest.approx(best, abs=1e-12)


def test_box_and_lam_are_checked() -> None:
    K, same = np.eye(4), problems.Distances.of(np.ones((3, 2)))
    refused(OptionError, "lam at most 8", problems.Weighted, s=K, size=K, lam=9.0, upper=2.0 / 9.0)
    problems.Weighted(s=K, size=K, lam=8.0, upper=problems.kernel_box(8.0))
    refused(OptionError, "lam 0", problems.Weighted, s=K, size=K, lam=0.0, upper=1.0)
    refused(OptionError, "median distance is 0", lambda: same.median)
