"""The local complexity of Definition 2 beside (3), and Proposition 5 by random functions."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.optimize import minimize

from radprog.instances.errors import OptionError
from radprog.models.mkl.bounds import theorem_3_upper
from radprog.models.mkl.local_complexity import _least, local_complexity
from radprog.models.mkl.tail_sums import spectrum, tail_sum


def gaussian(N: int, seed: int, width: float = 0.5) -> np.ndarray:
    X = np.random.default_rng(seed).normal(size=(N, 2))
    return np.exp(-width * ((X[:, None] - X) ** 2).sum(-1))


@pytest.mark.parametrize("r", [1e-3, 1e-2, 0.1, math.inf])
@pytest.mark.parametrize("n", [10, 40])
def test_the_bound_holds_and_is_near(r: float, n: int) -> None:
    K = gaussian(60, 0)
    found = local_complexity(K, n, r, trials=400)
    bound = theorem_3_upper(spectrum(K / 60), n, r).value
    assert found.value - 4 * found.standard_error <= bound
    assert found.value >= 0.4 * bound


def test_without_a_radius_it_is_the_norm() -> None:
    K = gaussian(30, 1)
    rng = np.random.default_rng(0)
    rows, signs = rng.integers(0, 30, (300, 8)), np.where(rng.random((300, 8)) < 0.5, -1.0, 1.0)
    norms = [math.sqrt(s @ K[np.ix_(i, i)] @ s) / 8 for i, s in zip(rows, signs, strict=True)]
    found = local_complexity(K, 8, math.inf, trials=300)
    assert found.value == pytest.approx(np.mean(norms), rel=1e-6)


def test_it_grows_with_the_radius() -> None:
    K = gaussian(30, 2)
    values = [local_complexity(K, 10, r, trials=50).value for r in (1e-4, 1e-3, 1e-2, 0.1, 1.0)]
    assert values == sorted(values)
    assert local_complexity(K, 10, 1e-9, trials=50).value < 1e-3


@pytest.mark.parametrize("seed", range(5))
def test_the_supremum_by_another_solver(seed: int) -> None:
    """max <v, w> over |w| <= 1, sum lambda w^2 <= r, by sequential quadratic programming."""
    rng = np.random.default_rng(seed)
    v, eigenvalues, r = rng.normal(size=4), rng.uniform(0.1, 2.0, 4), 0.3
    rows = [
        {"type": "ineq", "fun": lambda w: 1 - w @ w},
        {"type": "ineq", "fun": lambda w: r - eigenvalues @ w**2},
    ]
    best = minimize(lambda w: -v @ w, 0.1 * v, constraints=rows, options={"ftol": 1e-13})
    found = math.sqrt(_least((v * v)[None, :], eigenvalues / r)[0])
    assert found == pytest.approx(-best.fun, rel=1e-5)


@pytest.mark.parametrize(("n", "r", "trials"), [(0, 1.0, 5), (3, 0.0, 5), (3, 1.0, 1)])
def test_refused(n: int, r: float, trials: int) -> None:
    with pytest.raises(OptionError, match="expected n >= 1"):
        local_complexity(np.eye(3), n, r, trials=trials)


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("theta", [0, 1, 3])
def test_functions_of_h2_are_combinations_of_h1(seed: int, theta: int) -> None:
    """Proposition 5 (conv H1 strictly inside H2) against positive tail sums: f in H2 is
    sum_m c_m g_m, sum c_m <= 1, g_m of norm L in the space of k_m / t_m, whose tail sum is 1."""
    rng = np.random.default_rng(seed)
    n, M, L = 12, 4, 1.7
    factors = [rng.normal(size=(n, rng.integers(6, 13))) for _ in range(M)]
    K = np.array([B @ B.T for B in factors])
    t = np.array([tail_sum(Km, theta) for Km in K])
    mu = rng.dirichlet(np.full(M, 0.5))
    mu /= mu @ t  # sum mu_m t_m = 1: on the edge of H2
    z = rng.normal(size=n)
    z *= L / math.sqrt(z @ np.einsum("m,mij->ij", mu, K) @ z)  # |f| = L in the space of k_mu
    parts = mu[:, None] * (K @ z)  # f_m = mu_m K_m z
    norms = mu * np.sqrt(np.einsum("i,mij,j->m", z, K, z))  # in the space of k_m
    c = np.sqrt(t) * norms / L
    g = parts / c[:, None]
    assert c.sum() <= 1 + 1e-12
    assert c @ g == pytest.approx(np.einsum("m,mij,j->i", mu, K, z))
    for m in range(M):
        assert tail_sum(K[m] / t[m], theta) == pytest.approx(1.0)
        own = g[m] @ np.linalg.pinv(K[m] / t[m], rcond=1e-10) @ g[m]
        assert math.sqrt(own) == pytest.approx(L, rel=1e-6)
