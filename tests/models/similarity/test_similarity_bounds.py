"""Bounds of discriminative similarity: identities, counterexamples to the letter, special cases."""

import math

import numpy as np
import pytest
from effort import examples
from hypothesis import given
from hypothesis import strategies as st
from refusals import refused

from radprog.base.errors import OptionError
from radprog.models.bounds import ramp, trace_bound
from radprog.models.similarity import bounds
from radprog.models.similarity.problem import Distances, indicator


@given(st.integers(0, 10**6), st.integers(2, 10), st.integers(1, 4))
@examples(60)
def test_10_is_an_upper_bound_and_exact_without_negative_margins(seed: int, n: int, c: int) -> None:
    rng = np.random.default_rng(seed)
    K = Distances.of(rng.normal(size=(n, 2))).gram(1.0)
    a, codes = rng.dirichlet(np.ones(n)), rng.integers(0, c, n)
    scores = K @ (a[:, None] * indicator(codes, c))
    margin = bounds.margins(scores, codes, summed=True)
    error, bound = float(ramp(margin).mean()), bounds.empirical_bound(scores, codes)
    pairs = [(i, j) for i in range(n) for j in range(i) if codes[i] != codes[j]]
    cut = sum((a[i] + a[j]) * K[i, j] for i, j in pairs)
    assert bound == pytest.approx(1 - float(a @ K.sum(axis=1)) / n + 2 * cut / n, abs=1e-12)
    assert error <= bound + 1e-12
    if margin.min() >= 0:
        assert error == pytest.approx(bound, abs=1e-12)
    else:
        assert error < bound


def test_sum_of_classes_fails_with_negative_scores() -> None:
    """One point, three classes: the best other class beats it, the sum of the others does not."""
    scores = np.array([[0.1, 0.5, -0.6]])
    codes = np.array([0])
    assert ramp(bounds.margins(scores, codes, summed=False))[0] == 1.0
    assert ramp(bounds.margins(scores, codes, summed=True))[0] == pytest.approx(0.8)


def test_theorem_3_reduces_to_theorem_1_for_a_kernel() -> None:
    rng = np.random.default_rng(1)
    scores, codes = rng.random((40, 2)) / 3, rng.integers(0, 2, 40)
    one = bounds.kernel_bound(scores, codes, 0.4, 0.05)
    three = bounds.similarity_bound(scores, codes, (0.4, 0.0), 1.0, 0.05)
    assert three.terms == pytest.approx(one.terms)  # with two classes the margins are one


def test_theorem_1_by_hand() -> None:
    n, c, B, delta = 100, 2, 0.5, 0.1
    scores, codes = np.full((n, c), 0.25), np.zeros(n, dtype=np.intp)
    bound = bounds.kernel_bound(scores, codes, B, delta, gamma=2.0)
    deviation = math.sqrt(math.log(20) / 200)
    assert bound.value == pytest.approx(1.0 + 8 * 3 * 2 * 0.5 / (2 * 10) + deviation)
    assert bound.to_dict()["vacuous"]
    assert bounds.lemma_1(n, c, B) == pytest.approx(0.3)
    refused(OptionError, "delta", bounds.kernel_bound, scores, codes, 1.0, 1.5)
    refused(OptionError, "gamma", bounds.kernel_bound, scores, codes, 1.0, 0.5, gamma=0.0)


def test_density_bound_by_hand() -> None:
    X = np.random.default_rng(0).normal(size=(60, 1)) + np.repeat([[-1.0], [1.0]], 30, axis=0)
    every, codes, a = Distances.of(X), np.repeat([0, 1], 30), np.full(60, 1 / 60)
    K, wide = every.gram(0.5), every.gram(0.5 * math.sqrt(2))
    found = bounds.density_bound(K, wide, a, codes, 0.5, 1, 0.05)
    at, epsilon = found.parameters, found.parameters["epsilon"]
    assert 240 * math.exp(-2 * 59 * epsilon**2) == pytest.approx(1 - at["probability"])
    tau0 = 1 / (math.sqrt(2 * math.pi) * 0.5)
    cut = sum((a[i] + a[j]) * K[i, j] for i in range(30) for j in range(30, 60))
    ise = 4 * cut - 2 * float(a @ K.sum(axis=1))
    assert (at["log_tau0"], at["ise_hat"]) == pytest.approx((math.log(tau0), ise))
    expected = tau0 / 60 * ise + at["K"] * tau0 / math.sqrt(2) + 2 * tau0 * (2 / 60 + 2 * epsilon)
    assert (found.value, sum(found.terms.values())) == pytest.approx((expected, expected))
    assert found.to_dict()["vacuous"] == (found.value >= 0)
    # in high dimension it overflows, and says so
    far = bounds.density_bound(K, wide, a, codes, 0.01, 200, 0.05)
    assert not math.isfinite(far.value)


def test_machine_bound_scales_with_the_range() -> None:
    margin = np.linspace(-1, 2, 50)
    diagonals = np.ones(50), np.full(50, 0.25)
    small = bounds.simsvm_bound(margin, diagonals, (0.3, 0.2), 0.0, 0.05)
    roots = 0.3 * math.sqrt(50) + 0.2 * math.sqrt(12.5)
    assert small.terms["complexity"] == pytest.approx(4 / 50 * roots)
    one = trace_bound("Theorem 5", margin, [(0.3, np.ones(50))], 0.05)
    kernel = bounds.simsvm_bound(margin, (np.ones(50), np.zeros(50)), (0.3, 0.0), 0.0, 0.05)
    assert one.terms == pytest.approx(kernel.terms)
    large = bounds.simsvm_bound(margin, diagonals, (3.0, 2.0), 0.0, 0.05)
    assert large.terms["confidence"] > small.terms["confidence"]
    # with a bias, the range and the complexity of f = w'phi + b are larger by it
    biased = bounds.simsvm_bound(margin, (4.0 * diagonals[0], diagonals[1]), (3.0, 2.0), -1.5, 0.05)
    assert biased.parameters["range"] == pytest.approx(2.0 * 5.0 + 1.5)
    roots = 3.0 * math.sqrt(200) + 2.0 * math.sqrt(12.5) + 1.5 * math.sqrt(50)
    assert biased.terms["complexity"] == pytest.approx(4 / 50 * roots)
