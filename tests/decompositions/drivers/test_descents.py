"""Descents: DCA from many starts, blocks in turn, projected gradients."""

import numpy as np
import pytest
from refusals import refused

from radprog.base.errors import SolverError
from radprog.base.types import FloatArray, IntArray
from radprog.decompositions.drivers.alternate import alternation
from radprog.decompositions.drivers.dca import Batch, dca_step, none_active
from radprog.decompositions.drivers.descend import DescentPoint, descend, move, stationary
from radprog.decompositions.loop import Budget, Reason, max_iterations, run, stalled
from radprog.models.similarity.problem import frank_wolfe_gap
from radprog.models.simplex import project


def double_well(x: FloatArray, rows: IntArray) -> FloatArray:
    """f(x) = sum_j x_j^4 - 2 x_j^2 + c_j x_j, c = (0.3, -0.2)."""
    return np.asarray((x**4 - 2 * x**2 + x * np.array([0.3, -0.2])).sum(axis=1))


def well_step(x: FloatArray, rows: IntArray, budget: Budget) -> tuple[FloatArray, FloatArray]:
    """-2 x^2 by its tangent at x_t: 4 z^3 + c = 4 x_t, majoriser z^4 + c z - 4 x_t z + 2 x_t^2."""
    c = np.array([0.3, -0.2])
    z = np.cbrt((4 * x - c) / 4)
    return z, (z**4 + c * z - 4 * x * z + 2 * x**2).sum(axis=1)


def descended(batch: Batch, objective, step, most: int = 90, **how):
    """The reason and the trace."""
    stops = [none_active(batch), max_iterations(most)]
    return run(dca_step(batch, objective, step, **how), stops, Budget())


STARTS = np.array([[1.7, 0.4], [-0.2, -2.0], [0.3, 0.3], [-1.0, 1.5], [0.0, 0.0]])


def test_every_start_descends_to_a_critical_point() -> None:
    batch = Batch.of(STARTS, double_well)
    first = batch.objective.copy()
    reason, trace = descended(batch, double_well, well_step, 500, tolerance=1e-15)
    assert reason is Reason.CRITICAL
    values = [record.objective for record in trace]
    assert values == sorted(values, reverse=True)
    assert (values[-1], trace[-1].bound) == (batch.objective.min(), None)
    for name, most in (("model_decrease", 1e-6), ("step", 1e-3)):
        assert trace[0].detail[name] > 0.1
        assert trace[-1].detail[name] < most
    assert trace[0].detail["active"] == 5
    assert trace[-2].detail["model"] >= values[-1] - 1e-12
    assert np.abs(4 * batch.x**3 - 4 * batch.x + np.array([0.3, -0.2])).max() < 1e-5
    assert (batch.objective < first - 1e-3).all()
    np.testing.assert_allclose(batch.objective, double_well(batch.x, np.arange(5)), rtol=1e-14)
    # four wells, of which the starts find three; one start finds the deepest
    corners = np.round(batch.x).astype(int).tolist()
    assert [-1, 1] in corners
    assert batch.best == corners.index([-1, 1])
    assert len({tuple(corner) for corner in corners}) == 3


def test_a_batch_does_what_single_runs_do() -> None:
    batch = Batch.of(STARTS, double_well)
    descended(batch, double_well, well_step)
    for row, start in enumerate(STARTS):
        single = Batch.of(start[None, :], double_well)
        descended(single, double_well, well_step)
        np.testing.assert_array_equal(single.x[0], batch.x[row])


def test_only_active_rows_are_asked_for() -> None:
    asked = []

    def watched(x: FloatArray, rows: IntArray, budget: Budget) -> tuple[FloatArray, FloatArray]:
        asked.append(rows.tolist())
        return well_step(x, rows, budget)

    starts = STARTS.copy()
    done = Batch.of(STARTS[:1], double_well)
    run(dca_step(done, double_well, well_step), [max_iterations(200)], Budget())
    starts[2] = done.x[0]  # a critical point from the beginning
    batch = Batch.of(starts, double_well)
    run(dca_step(batch, double_well, watched, tolerance=1e-9), [max_iterations(3)], Budget())
    assert asked[0] == [0, 1, 2, 3, 4]
    assert all(2 not in rows for rows in asked[1:])
    assert all(rows == sorted(rows) and rows for rows in asked)


@pytest.mark.parametrize(
    "change",
    [
        lambda x, value: (x, value - 0.5),  # below the objective: no majoriser
        lambda x, value: (x, value + 9.0),  # above the last objective: not minimised
        lambda x, value: (x + 3.0, value),  # a point that the value does not belong to
        lambda x, value: (x, value * np.nan),
    ],
)
def test_a_wrong_majoriser_is_an_error(change) -> None:
    batch = Batch.of(STARTS, double_well)
    step = dca_step(batch, double_well, lambda *given: change(*well_step(*given)))
    refused(SolverError, r"DCA step 4, start \d: objective .* does not hold", step, 4, Budget())


def test_a_step_that_does_not_descend_is_not_taken() -> None:
    batch = Batch.of(STARTS, double_well)
    before = batch.x.copy()

    def uphill(x: FloatArray, rows: IntArray, budget: Budget) -> tuple[FloatArray, FloatArray]:
        gradient = 4 * x**3 - 4 * x + np.array([0.3, -0.2])
        return x + 1e-9 * gradient, double_well(x, rows)

    dca_step(batch, double_well, uphill, sandwich=1e-6)(0, Budget())
    np.testing.assert_array_equal(batch.x, before)
    assert not batch.active.any()


def test_a_start_may_be_infeasible() -> None:
    """min x^2 - |x - 3| over x >= 0: infinite below 0."""

    def objective(x: FloatArray, rows: IntArray) -> FloatArray:
        return np.where(x[:, 0] >= 0, x[:, 0] ** 2 - np.abs(x[:, 0] - 3), np.inf)

    def majorise(x: FloatArray, rows: IntArray, budget: Budget) -> tuple[FloatArray, FloatArray]:
        slope = np.where(x[:, 0] >= 3, -1.0, 1.0)  # of -|x - 3| at x
        z = np.maximum(0.0, -slope / 2)
        return z[:, None], z**2 + slope * (z - 3)

    batch = Batch.of(np.array([[-2.0], [5.0]]), objective)
    assert np.isinf(batch.objective[0])
    reason, _ = descended(batch, objective, majorise)
    assert reason is Reason.CRITICAL
    np.testing.assert_array_equal(batch.x[:, 0], 0.0)
    np.testing.assert_array_equal(batch.objective, -3.0)


class Bowl:
    """f(x, y) = x^2 + y^2 + xy + 3x: block x -> -(y + 3)/2, block y -> -x/2."""

    def __init__(self) -> None:
        self.x, self.y = 5.0, 5.0
        self.log: list[str] = []

    def value(self) -> float:
        return self.x**2 + self.y**2 + self.x * self.y + 3 * self.x

    def first(self, budget: Budget) -> None:
        self.log.append("x")
        self.x = -(self.y + 3) / 2

    def second(self, budget: Budget) -> None:
        self.log.append("y")
        self.y = -self.x / 2


def test_blocks_in_turn_reach_the_minimum() -> None:
    bowl = Bowl()
    step = alternation([bowl.first, bowl.second], bowl.value, lambda: None)
    reason, trace = run(step, [stalled(1e-15)], Budget())
    assert reason is Reason.STALLED
    assert bowl.log == ["x", "y"] * len(trace)
    assert (bowl.x, bowl.y) == pytest.approx((-2.0, 1.0), abs=1e-6)
    values = [record.objective for record in trace]
    assert values == sorted(values, reverse=True)
    assert values[-1] == pytest.approx(-3.0)
    assert trace[0].bound is None


def test_the_bound_is_asked_after_the_blocks() -> None:
    bowl = Bowl()
    record = alternation([bowl.first], bowl.value, lambda: bowl.value() - 1.0)(0, Budget())
    assert record.objective == bowl.value()
    assert record.bound == record.objective - 1.0


def test_a_block_that_raises_the_objective_is_an_error() -> None:
    bowl = Bowl()

    def wrong(budget: Budget) -> None:
        bowl.x += 1e-3

    step = alternation([bowl.first, wrong], bowl.value, lambda: None)
    refused(SolverError, "round 7: a block raised the objective from", step, 7, Budget())


def test_rounding_is_no_rise() -> None:
    values = iter([1.0, 1.0 + 1e-13, 1.0 + 2e-13])
    step = alternation([lambda budget: None] * 2, lambda: next(values), lambda: None)
    assert step(0, Budget()).objective == 1.0 + 2e-13
    slow = iter([1.0, 1.0 + 1e-11])
    step = alternation([lambda budget: None], lambda: next(slow), lambda: None)
    with pytest.raises(SolverError):
        step(0, Budget())


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
