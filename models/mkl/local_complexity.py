"""The local Rademacher complexity of a kernel class, by Monte Carlo on a finite population.

Source: C. Cortes, M. Kloft and M. Mohri, Learning Kernels Using Local Rademacher Complexity
(NeurIPS 2013), Definition 2, of F = {x -> <w, phi(x)>: |w| <= 1}, whose bound is (3).
"""

from __future__ import annotations

import math

import numpy as np

from radprog.instances.errors import OptionError
from radprog.instances.types import FloatArray
from radprog.models.complexity import Estimate, standard_error
from radprog.models.mkl.tail_sums import rank

NARROWINGS = 100  # of the interval of the multiplier
GOLDEN = (math.sqrt(5.0) - 1.0) / 2.0


def local_complexity(
    K: FloatArray, n: int, r: float, *, trials: int = 200, seed: int = 0
) -> Estimate:
    """E sup { (1/n) sum_i sigma_i f(x_i) : |w| <= 1, E f^2 <= r } for n draws with replacement from
    the N points of K (N, N), each equally likely; r may be infinite.

    With eigenpairs (lambda_j, u_j) of K/N, phi_j = sqrt(N) u_j, E f^2 = sum_j lambda_j w_j^2, and
    the supremum of <v, w>, v_j = sqrt(lambda_j) (1/n) sum_i sigma_i phi_j(x_i), over both
    ellipsoids is  min over a in [0, 1] of sqrt(sum_j v_j^2 / (1 - a + a lambda_j / r)),  exactly.
    Raises OptionError for n < 1, r <= 0 or fewer than 2 trials.
    """
    if n < 1 or not r > 0 or trials < 2:
        raise OptionError(f"n {n}, r {r:g}, trials {trials}: expected n >= 1, r > 0, trials >= 2")
    values, vectors = np.linalg.eigh(K / len(K))
    values, vectors = values[::-1], vectors[:, ::-1]
    kept = rank(values)
    values, features = values[:kept], vectors[:, :kept] * np.sqrt(len(K) * values[:kept])
    rng = np.random.default_rng(seed)
    rows = rng.integers(0, len(K), (trials, n))
    signs = np.where(rng.random((trials, n)) < 0.5, -1.0, 1.0)
    v = np.einsum("ti,tij->tj", signs, features[rows]) / n
    suprema = np.sqrt(_least(v * v, values / r))
    return Estimate(
        value=float(suprema.mean()), standard_error=standard_error(suprema), trials=trials
    )


def _least(squares: FloatArray, shares: FloatArray) -> FloatArray:
    """min over a in [0, 1] of sum_j squares_tj / (1 - a + a shares_j), convex in a: (T,)."""

    def value(a: FloatArray) -> FloatArray:
        with np.errstate(divide="ignore"):
            weights = 1.0 - a[:, None] * (1.0 - shares)
            return np.asarray((squares / weights).sum(axis=1))

    low, high = np.zeros(len(squares)), np.ones(len(squares))
    for _ in range(NARROWINGS):
        left, right = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
        down = value(left) > value(right)
        low, high = np.where(down, left, low), np.where(down, high, right)
    return np.minimum(value((low + high) / 2.0), value(np.zeros(len(squares))))
