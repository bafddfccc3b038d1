"""The interior-point method for a box, against HiGHS."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import linprog

from radprog.solvers.dense.boxed_interior import interior_point


@pytest.mark.parametrize("seed", range(40))
def test_values_are_those_of_highs(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(5, 300))
    m = int(rng.integers(1, n // 2 + 1))
    # votes, numbers, rows of all sizes, and equal rows
    votes = rng.choice([-1.0, 1.0], (m, n))
    matrix = [
        votes,
        rng.standard_normal((m, n)),
        rng.choice([-1.0, 0.0, 1.0], (m, n)) * 10.0 ** rng.uniform(-3, 3, (m, 1)),
        np.repeat(votes, 3, axis=0),
    ][seed % 4]
    cost = -rng.uniform(0.1, 2.0, n) if seed % 3 else -np.ones(n)
    upper = rng.uniform(0.1, 3.0, n) if seed % 2 else np.ones(n)
    high = rng.uniform(0.1, 5.0, len(matrix)) * (np.abs(matrix).max(axis=1) + 1e-3)
    found = interior_point(cost, upper, matrix, high)
    assert found is not None
    x, y = found
    assert ((x >= 0.0) & (x <= upper)).all()
    assert (matrix @ x <= high * (1.0 + 1e-12)).all()
    assert (y <= 0.0).all()
    bounds = np.column_stack([np.zeros(n), upper])
    value = linprog(cost, A_ub=matrix, b_ub=high, bounds=bounds, method="highs").fun
    assert cost @ x == pytest.approx(value, rel=1e-5)
    assert upper @ np.minimum(cost - y @ matrix, 0.0) + high @ y == pytest.approx(value, rel=1e-5)


def test_numbers_that_overflow_give_no_point() -> None:
    huge = np.full((1, 3), 1e300)
    assert interior_point(-np.full(3, 1e300), np.ones(3), huge, np.ones(1)) is None
