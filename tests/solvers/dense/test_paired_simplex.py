"""Simplex steps in pairs of floats: the optimum of boxed programs, also where floats end."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from effort import seeds
from scipy.optimize import linprog

from radprog.solvers.dense.paired_simplex import PairedSimplex, _over, _pair, _plus, _times


def solved(A, cost, low, high) -> tuple[PairedSimplex, np.ndarray]:
    m, n = A.shape
    start = np.arange(n, n + m)
    simplex = PairedSimplex(A, cost, low, high, start, np.zeros(n + m, dtype=bool))
    assert simplex.run(500, lambda step: None) < 500
    x = np.empty(n + m)
    x[simplex.rows], x[simplex.columns] = simplex.x[0], simplex.at
    return simplex, x


@pytest.mark.parametrize("seed", seeds(20, 4))
def test_the_optimum_of_a_boxed_program(seed: int) -> None:
    rng = np.random.default_rng(seed)
    A, cost = rng.normal(size=(7, 9)), rng.normal(size=9)
    inside = rng.normal(size=9)
    low, high = np.append(inside - 1, A @ inside - 1), np.append(inside + 1, A @ inside + 1)
    high[9:12] = np.inf
    _, x = solved(A, cost, low, high)
    assert x[9:] == pytest.approx(A @ x[:9], abs=1e-13)
    assert (x >= low - 1e-13).all()
    assert (x <= high + 1e-13).all()
    rows, sides = np.vstack([A[3:], -A]), np.append(high[12:], -low[9:])
    reference = linprog(cost, rows, sides, bounds=np.stack([low[:9], high[:9]], axis=1))
    assert cost @ x[:9] == pytest.approx(reference.fun, rel=1e-9)


def test_right_hand_sides_that_floats_do_not_see() -> None:
    """max x + y: x + 0.1 y <= 1e-30, x - y = 0: floats of 0.1 and sides of 1e-30 both count."""
    A = np.array([[1.0, 0.1], [1.0, -1.0]])
    low, high = np.array([0.0, 0.0, -np.inf, 0.0]), np.array([1.0, 1.0, 1e-30, 0.0])
    simplex, x = solved(A, np.array([-1.0, -1.0]), low, high)
    assert sorted(simplex.rows) == [0, 1]
    assert x[:2] == pytest.approx([1e-30 / 1.1] * 2, rel=1e-15)


def test_pairs_hold_a_hundred_bits() -> None:
    third = _over(_pair(1.0), _pair(3.0))
    assert abs(sum(map(Fraction, third.tolist())) - Fraction(1, 3)) < Fraction(1, 2**104)
    product = _plus(_times(third, third), _pair(1.0))
    assert abs(sum(map(Fraction, product.tolist())) - Fraction(10, 9)) < Fraction(1, 2**102)
