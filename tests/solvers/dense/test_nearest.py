"""Nearest points of polyhedra: known cases, and the optimality conditions on random ones."""

import numpy as np
import pytest
from effort import seeds

from radprog.solvers.dense.nearest import nearest_point

INF = np.inf


def test_known_projections() -> None:
    bounds = (np.zeros(2), np.ones(2))
    row, low, high = np.ones((1, 2)), np.array([-INF]), np.array([1.0])
    found = nearest_point(np.array([2.0, 1.5]), np.ones(2), row, (low, high), bounds)
    assert found == pytest.approx([0.75, 0.25], abs=1e-8)
    inside = nearest_point(np.array([0.2, 0.3]), np.ones(2), row, (low, high), bounds)
    assert inside == pytest.approx([0.2, 0.3], abs=1e-8)


def test_a_metric_of_zero_leaves_a_variable_out() -> None:
    """x_0 >= 3 - x_1 costs nothing: x_1 stays where the centre is."""
    sides = (np.array([3.0]), np.array([INF]))
    bounds = (np.zeros(2), np.array([INF, 1.0]))
    found = nearest_point(
        np.array([0.0, 0.4]), np.array([0.0, 1.0]), np.ones((1, 2)), sides, bounds
    )
    assert found[1] == pytest.approx(0.4, abs=1e-7)
    assert found.sum() >= 3.0 - 1e-7


def test_an_empty_polyhedron_has_no_nearest_point() -> None:
    sides = (np.array([3.0]), np.array([INF]))
    bounds = (np.zeros(2), np.ones(2))
    assert nearest_point(np.zeros(2), np.ones(2), np.ones((1, 2)), sides, bounds) is None


@pytest.mark.parametrize("seed", seeds(10))
def test_no_other_point_is_nearer(seed) -> None:
    rng = np.random.default_rng(seed)
    n, m = 5, 8
    matrix, inside = rng.normal(size=(m, n)), rng.uniform(0.2, 0.8, n)
    high = matrix @ inside + rng.uniform(0.0, 0.3, m)
    metric, centre = rng.uniform(0.5, 2.0, n), rng.normal(size=n) * 2
    sides, bounds = (np.full(m, -INF), high), (np.zeros(n), np.ones(n))
    found = nearest_point(centre, metric, matrix, sides, bounds)
    assert (matrix @ found <= high + 1e-7).all()
    for _ in range(200):  # the angle to every feasible point is obtuse
        other = inside + 0.5 * rng.normal(size=n)
        if (matrix @ other <= high).all() and ((other >= 0) & (other <= 1)).all():
            assert (metric * (centre - found)) @ (other - found) <= 1e-6
