"""Support vector machines by active sets from a point nearby."""

import numpy as np
import pytest
from effort import examples
from hypothesis import given
from hypothesis import strategies as st

from radprog.solvers.dense.svm import solve_svm_active_set, solve_svm_interior


def problem(seed: int, n: int = 40, rank: int = 60) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    y = np.where(np.arange(n) % 2 == 0, 1.0, -1.0)
    F = rng.normal(size=(n, rank)) / np.sqrt(rank) + 0.1 * y[:, None]
    return F @ F.T, y


def value(K: np.ndarray, y: np.ndarray, a: np.ndarray) -> float:
    return float(a.sum() - 0.5 * (y * a) @ K @ (y * a))


@given(st.integers(0, 10**6), st.sampled_from([0.5, 3.0, 100.0]), st.booleans())
@examples(40)
def test_from_the_solution_of_a_neighbour(seed, C, bias) -> None:
    """K moves by a tenth: the point is that of the interior-point method, to rounding errors."""
    K, y = problem(seed)
    start = solve_svm_interior(K, y, C, tolerance=1e-9, bias=bias)[0]
    moved = K + 0.1 * problem(seed + 1)[0]
    exact = solve_svm_interior(moved, y, C, tolerance=1e-11, bias=bias)[0]
    a = solve_svm_active_set(moved, y, C, start, bias=bias, steps=30)
    assert a.min() >= 0
    assert a.max() <= C
    if bias:
        assert abs(a @ y) < 1e-9 * C * len(y)
    assert value(moved, y, a) == pytest.approx(value(moved, y, exact), rel=1e-8)


def test_few_steps_are_enough_nearby() -> None:
    done = 0
    for seed in range(20):
        K, y = problem(seed)
        start = solve_svm_interior(K, y, 3.0, tolerance=1e-9)[0]
        moved = K + 0.01 * problem(seed + 1)[0]
        exact = value(moved, y, solve_svm_interior(moved, y, 3.0, tolerance=1e-11)[0])
        a = solve_svm_active_set(moved, y, 3.0, start, steps=6)
        done += a is not None and abs(a @ y) < 1e-9 and value(moved, y, a) > exact * (1 - 1e-9)
    assert done >= 18


def test_without_a_free_point_there_is_none() -> None:
    K, y = problem(0)
    assert solve_svm_active_set(K, y, 1e-9, np.full(40, 1e-9), steps=6) is None
    assert solve_svm_active_set(np.full((2, 2), np.nan), y[:2], 1.0, np.ones(2), steps=6) is None
