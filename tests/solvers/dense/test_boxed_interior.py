"""The interior-point method for a box, against HiGHS."""

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


@pytest.mark.parametrize("seed", range(3))
def test_the_gap_is_small_where_many_variables_are_inside(seed: int) -> None:
    # soft margins of many rows at few stumps, the value of which is small beside the constant
    rng = np.random.default_rng(seed)
    n, nu = 10_000, 0.55
    X, y = rng.normal(size=(n, 4)), rng.choice([-1.0, 1.0], n)
    y = np.where(rng.random(n) < 0.5, np.sign(X[:, 0]), y)
    stumps = [s * np.sign(X[:, j] - t) for j in range(4) for t in (-0.5, 0, 0.5) for s in (-1, 1)]
    # d = cap (1 - u), g + 2 = top - v
    top = 4.0 / nu
    rows = np.column_stack([-np.array(stumps) * y - 2.0, np.full(len(stumps), nu * n)])
    high = nu * n * top + rows[:, :-1].sum(axis=1)
    rows, high = np.vstack([np.append(np.ones(n), 0.0), rows]), np.append(n - nu * n, high)
    cost, upper = np.append(np.zeros(n), -1.0), np.append(np.ones(n), top)
    found = interior_point(cost, upper, rows, high, constant=top - 2.0)
    x, multipliers = found
    value = float(cost @ x)
    dual = float(upper @ np.minimum(cost - multipliers @ rows, 0.0) + high @ multipliers)
    assert abs(value - dual) <= 1e-7 * max(abs(dual + top - 2.0), 1e-3 * top)
