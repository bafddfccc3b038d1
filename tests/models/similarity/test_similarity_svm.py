"""Similarity Machine: objective at least, bound at most their values in rational arithmetic."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from rational import Numbers, balanced, dot, image, matrix, numbers, products

from radprog.base.types import FloatArray
from radprog.models.similarity.svm import SimilaritySvm, below_zero


def applied(svm: SimilaritySvm, c: Numbers, signs: FloatArray) -> tuple[Numbers, Fraction]:
    """F diag(signs) F'c and |F'c|^2, or Sc and c'Sc."""
    if svm.factor is None:
        scores = image(matrix(svm.S), c)
        return scores, dot(scores, c)
    z = image(matrix(svm.factor.T), c)
    return image(matrix(svm.factor), products(numbers(signs), z)), dot(z, z)


def random_svm(seed: int, *, psd: bool, bias: bool) -> SimilaritySvm:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 9))
    X = rng.normal(size=(n, 3)) * 10.0 ** rng.uniform(-4, 4, size=3)
    S = X @ np.diag([1.0, 1.0, 1.0 if psd else -1.0]) @ X.T
    y = np.where(rng.random(n) < 0.5, 1.0, -1.0)
    y[:2] = 1.0, -1.0
    return SimilaritySvm.of((S + S.T) / 2, y, 10.0 ** rng.uniform(-6, 3), bias=bias, name="S")


@pytest.mark.parametrize("psd", [True, False])
@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("seed", range(25))
def test_values_enclose_exact_arithmetic(seed: int, bias: bool, psd: bool) -> None:
    svm = random_svm(seed, psd=psd, bias=bias)
    assert svm.factor is not None or svm.negative == 0
    assert svm.negative == 0 or not psd
    assert svm.negative > 0 or (svm.signs == 1.0).all()
    n, y, lam = svm.n, numbers(svm.y), Fraction(svm.lam)
    rng = np.random.default_rng(seed)
    mu = svm.feasible(rng.random(n) / n * 10.0 ** rng.uniform(-9, 0.5, size=n))
    assert max(numbers(mu)) <= Fraction(1, n)
    a = svm.coefficients(mu)
    b = svm.offset(a)
    scores, norm = applied(svm, numbers(a), svm.signs)
    margins = products(y, [s + Fraction(b) for s in scores])
    losses = [max(Fraction(0), 1 - margin) for margin in margins]
    objective = svm.primal_value(a, b)
    value = sum(losses, Fraction()) / n + lam * norm
    assert 0 <= Fraction(objective) - value <= Fraction(1e-13) * value
    bound, best = svm.dual_value(mu), Fraction(0)
    for point in balanced(y, numbers(mu)) if bias else [numbers(mu)]:
        _, size = applied(svm, products(y, point), np.ones(n))
        best = max(best, sum(point) - size / (4 * lam))
    assert Fraction(bound) <= best
    assert Fraction(bound) <= Fraction(objective)


def test_a_similarity_of_less_than_full_rank_is_certified_by_its_factor() -> None:
    """Rounding makes an eigenvalue negative, which 1 / lam multiplies."""
    v = np.array([0.5, 3.6, -1.7])
    S, y = np.outer(v, v), np.array([-1.0, 1.0, 1.0])
    assert np.linalg.eigvalsh(S)[0] < 0
    svm = SimilaritySvm.of(S, y, 1e-9, bias=True, name="S")
    assert (svm.negative, svm.sign) == (0, None)
    np.testing.assert_allclose(svm.factor @ svm.factor.T, S, atol=1e-13)
    mu = svm.feasible(np.array([1.0, 0.2, 0.8]) / 3)
    a = svm.coefficients(mu)
    assert svm.dual_value(mu) <= svm.primal_value(a, svm.offset(a))
    S += np.eye(3)
    assert SimilaritySvm.of(S, y, 1e-9, bias=True, name="S").factor is None


def test_the_factor_is_the_similarity() -> None:
    svm = random_svm(3, psd=False, bias=True)
    assert svm.negative == 1
    F = svm.factor
    scale = float(np.abs(svm.S).max())
    np.testing.assert_allclose((F * svm.signs) @ F.T, svm.S, atol=1e-14 * scale)
    np.testing.assert_allclose(svm.size, F @ F.T, atol=1e-14 * scale)
    np.testing.assert_allclose(svm.sign @ svm.size, svm.S, atol=1e-13 * scale)


@pytest.mark.parametrize("bias", [True, False])
def test_no_multiplier_is_above_one_nth(bias: bool) -> None:
    """Above it, or at a 1/n that is rounded up, mu would be outside the box of the dual, and its
    value a bound above the optimum: 1, where S = 0."""
    upwards = 0
    for n in range(2, 100, 2):
        y = np.where(np.arange(n) % 2 == 0, 1.0, -1.0)
        svm = SimilaritySvm.of(np.zeros((n, n)), y, 1.0, bias=bias, name="S")
        upwards += Fraction(1.0 / n) > Fraction(1, n)
        for size in (1.0 / n, 1.0, 1e300):
            mu = svm.feasible(np.full(n, size))
            assert max(numbers(mu)) <= Fraction(1, n)
            assert sum(numbers(mu)) >= 1 - Fraction(1, 2**40)
            assert svm.dual_value(mu) <= 1.0
    assert upwards


def test_slack_covers_what_eigenvalues_below_zero_change() -> None:
    """S = diag(1, -t) is kept as it is: objective and bound must hold for |S| = diag(1, t)."""
    t, y, lam = 0.125, np.array([1.0, -1.0]), 0.5
    S = np.diag([1.0, -t])
    whole = {"factor": None, "size": S, "sign": None, "signs": np.ones(2)}
    svm = SimilaritySvm.of(S, y, lam, bias=False, name="S")
    kept = replace(svm, slack=np.full(2, 2 * t), **whole)
    a, mu = np.array([0.3, -0.7]), np.array([0.25, 0.5 - 2**-40])
    hinge = float(np.maximum(0.0, 1.0 - y * (S @ a)).mean())
    value = hinge + lam * float(a @ np.diag([1.0, t]) @ a)
    assert value <= kept.primal_value(a, 0.0) <= value + lam * 2 * t * float(a @ a)
    bound = float(mu.sum() - (mu @ np.diag([1.0, t]) @ mu) / (4 * lam))
    assert bound - 2 * t * float(mu @ mu) / (4 * lam) <= kept.dual_value(mu) <= bound


@pytest.mark.parametrize("weighted", [False, True])
def test_many_rows_of_a_low_rank_need_no_eigenvalues(weighted: bool, monkeypatch) -> None:
    rng = np.random.default_rng(0)
    X, w = rng.normal(size=(500, 3)), rng.uniform(0.5, 2.0, 500) if weighted else None
    S, y = X @ X.T, np.sign(X[:, 0] + 0.1)
    usual = SimilaritySvm.of(S, y, 1e-9, bias=True, name="S", weights=w)
    assert usual.factor is not None  # the slack would show at so small a lam
    assert usual.negative == 0
    assert below_zero(S - 1e-9 * np.eye(500), None) == np.inf
    t = below_zero(S, None)
    assert -float(np.linalg.eigvalsh(S)[0]) <= t <= 1e-9
    monkeypatch.setattr(np.linalg, "eigh", None)
    for rounding in (None, 11 * 2.0**-53):
        svm = SimilaritySvm.of(S, y, 1e-2, bias=True, name="S", weights=w, rounding=rounding)
        mu = svm.feasible(0.05 * rng.random(500) / 500)
        a = svm.coefficients(mu)
        expected = float(mu.sum() - np.sum((X.T @ (mu * y)) ** 2) / (4 * svm.lam))
        assert svm.dual_value(mu) == pytest.approx(expected, abs=1e-9)
        assert svm.dual_value(mu) <= svm.primal_value(a, svm.offset(a))
