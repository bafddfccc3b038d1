"""Projected gradient: monotone, ends at stationary points, stays where nothing descends."""

import numpy as np

from radprog.base.types import FloatArray
from radprog.decompositions.drivers.descend import DescentPoint, descend, move, stationary
from radprog.decompositions.loop import Budget, Reason, max_iterations, run
from radprog.models.similarity.problem import frank_wolfe_gap
from radprog.models.simplex import project


def quadratic(n: int) -> tuple[FloatArray, FloatArray]:
    rng = np.random.default_rng(n)
    A = rng.normal(size=(n, n))
    return A @ A.T / n, rng.normal(size=n)


def test_convex_program_is_solved() -> None:
    Q, b = quadratic(20)
    upper = 0.2

    def function(a: FloatArray) -> tuple[float, FloatArray]:
        return float(a @ Q @ a + b @ a), 2 * Q @ a + b

    def gap(gradient: FloatArray, a: FloatArray) -> float:
        return frank_wolfe_gap(gradient, a, upper)

    point = DescentPoint.at(np.full(20, 0.05), function, gap)
    step = descend(point, function, lambda v: project(v, upper), gap)
    reason, trace = run(step, [stationary(point, 1e-8), max_iterations(500)], Budget())
    assert reason is Reason.CRITICAL
    assert (np.diff(np.array([record.objective for record in trace], dtype=float)) <= 0.0).all()
    assert frank_wolfe_gap(2 * Q @ point.x + b, point.x, upper) <= 1e-8
    assert point.x.max() <= upper + 1e-15
    assert len(trace) > 3


def test_an_infinite_value_is_stepped_back_from() -> None:
    def function(x: FloatArray) -> tuple[float, FloatArray]:
        value = float(-np.log(x[0]) + x[0]) if x[0] > 0 else np.inf
        return value, np.array([-1 / x[0] + 1]) if x[0] > 0 else np.zeros(1)

    point = DescentPoint(np.array([5.0]), *function(np.array([5.0])), gap=1.0, length=100.0)
    assert move(point, function, lambda v: v, lambda g, x: float(np.abs(g[0])))
    assert 0 < point.x[0] < 5


def test_a_stationary_point_is_kept() -> None:
    point = DescentPoint(np.zeros(2), 0.0, np.zeros(2), gap=0.0)
    assert not move(point, lambda x: (0.0, x), lambda v: v, lambda g, x: 0.0)
    assert stationary(point, 0.0).holds([])
