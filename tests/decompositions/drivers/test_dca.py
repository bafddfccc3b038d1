"""DCA: descent, the sandwich, critical points, many starts at once."""

from collections.abc import Callable

import numpy as np
import pytest
from effort import examples
from hypothesis import given
from hypothesis import strategies as st

from radprog.base.errors import SolverError
from radprog.base.limits import OutOfBudget
from radprog.base.types import FloatArray, IntArray
from radprog.decompositions.drivers.dca import Batch, dca_step, none_active
from radprog.decompositions.loop import Budget, Reason, max_iterations, run


def double_well(x: FloatArray, rows: IntArray) -> FloatArray:
    """f(x) = sum_j x_j^4 - 2 x_j^2 + c_j x_j, c = (0.3, -0.2)."""
    return np.asarray((x**4 - 2 * x**2 + x * np.array([0.3, -0.2])).sum(axis=1))


def well_step(x: FloatArray, rows: IntArray, budget: Budget) -> tuple[FloatArray, FloatArray]:
    """-2 x^2 by its tangent at x_t: 4 z^3 + c = 4 x_t, majoriser z^4 + c z - 4 x_t z + 2 x_t^2."""
    c = np.array([0.3, -0.2])
    z = np.cbrt((4 * x - c) / 4)
    return z, (z**4 + c * z - 4 * x * z + 2 * x**2).sum(axis=1)


STARTS = np.array([[1.7, 0.4], [-0.2, -2.0], [0.3, 0.3], [-1.0, 1.5], [0.0, 0.0]])


def test_every_start_descends_to_a_critical_point() -> None:
    batch = Batch.of(STARTS, double_well)
    first = batch.objective.copy()
    stops = [none_active(batch), max_iterations(500)]
    reason, trace = run(dca_step(batch, double_well, well_step, tolerance=1e-15), stops, Budget())
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
    run(dca_step(batch, double_well, well_step), [none_active(batch), max_iterations(90)], Budget())
    for row, start in enumerate(STARTS):
        single = Batch.of(start[None, :], double_well)
        run(
            dca_step(single, double_well, well_step),
            [none_active(single), max_iterations(90)],
            Budget(),
        )
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
def test_a_wrong_majoriser_is_an_error(
    change: Callable[[FloatArray, FloatArray], tuple[FloatArray, FloatArray]],
) -> None:
    batch = Batch.of(STARTS, double_well)
    step = dca_step(batch, double_well, lambda *given: change(*well_step(*given)))
    with pytest.raises(SolverError, match=r"DCA step 4, start \d: objective .* does not hold"):
        step(4, Budget())


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
    reason, _ = run(dca_step(batch, objective, majorise), [none_active(batch)], Budget())
    assert reason is Reason.CRITICAL
    np.testing.assert_array_equal(batch.x[:, 0], 0.0)
    np.testing.assert_array_equal(batch.objective, -3.0)


def test_an_interrupted_step_leaves_the_batch_as_it_was() -> None:
    batch = Batch.of(STARTS, double_well)
    dca_step(batch, double_well, well_step)(0, Budget())
    kept = batch.x.copy()

    def spent(x: FloatArray, rows: IntArray, budget: Budget) -> tuple[FloatArray, FloatArray]:
        raise OutOfBudget

    reason, trace = run(
        dca_step(batch, double_well, spent), [none_active(batch)], Budget(time_limit=9.0)
    )
    assert reason is Reason.TIME_LIMIT
    assert trace == []
    np.testing.assert_array_equal(batch.x, kept)


@examples(40)
@given(st.integers(0, 10_000), st.integers(1, 6), st.integers(1, 5))
def test_quadratic_minus_quadratic(seed: int, starts: int, n: int) -> None:
    """f = 1/2 x'Ax - 1/2 x'Bx + c'x with A - B positive definite: the optimum, from anywhere."""
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(n, n))
    B = root @ root.T
    A = B + np.diag(rng.uniform(0.5, 2.0, n))
    c = rng.normal(size=n)

    def objective(x: FloatArray, rows: IntArray) -> FloatArray:
        return np.asarray(0.5 * np.einsum("bi,ij,bj->b", x, A - B, x) + x @ c)

    def majorise(x: FloatArray, rows: IntArray, budget: Budget) -> tuple[FloatArray, FloatArray]:
        tangent = x @ B - c
        z = np.linalg.solve(A, tangent.T).T
        value = 0.5 * np.einsum("bi,ij,bj->b", z, A, z) - np.einsum("bi,bi->b", tangent, z)
        return z, value + 0.5 * np.einsum("bi,ij,bj->b", x, B, x)

    batch = Batch.of(3.0 * rng.normal(size=(starts, n)), objective)
    run(
        dca_step(batch, objective, majorise, tolerance=0.0),
        [none_active(batch), max_iterations(3000)],
        Budget(),
    )
    best = np.linalg.solve(A - B, -c)
    np.testing.assert_allclose(batch.objective, 0.5 * c @ best, rtol=1e-6, atol=1e-9)
