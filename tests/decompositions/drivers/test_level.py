"""Level-stabilised exchange on convex functions that know nothing of learning."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from scipy.optimize import minimize

from radprog.decompositions.drivers.exchange import (
    Answer,
    Cuts,
    LevelSet,
    MasterPoint,
    exchange,
    level_exchange,
)
from radprog.decompositions.drivers.live import RebuiltProgram, boxed_program
from radprog.decompositions.drivers.masters import HighsMaster
from radprog.decompositions.loop import Budget, GapReached, MaxIterations, Reason, Record, run

Function = Callable[[np.ndarray], tuple[float, np.ndarray]]


def quadratic(seed: int, n: int) -> Function:
    """1/2 (x - z)'Q(x - z) + 1 with its minimum inside the box [0, 1]^n, badly scaled."""
    rng = np.random.default_rng(seed)
    axes = np.linalg.qr(rng.normal(size=(n, n)))[0]
    Q = (axes * np.geomspace(1.0, 100.0, n)) @ axes.T
    z = rng.uniform(0.2, 0.8, n)

    def value(x: np.ndarray) -> tuple[float, np.ndarray]:
        return 0.5 * float((x - z) @ Q @ (x - z)) + 1.0, Q @ (x - z)

    return value


def kinked(seed: int, n: int) -> Function:
    """max_t |x - z_t| + e'x: not smooth, with its minimum where some pieces meet."""
    rng = np.random.default_rng(seed)
    centres, slope = rng.uniform(0, 1, (6, n)), 0.1 * rng.normal(size=n)

    def value(x: np.ndarray) -> tuple[float, np.ndarray]:
        distances = np.linalg.norm(x - centres, axis=1)
        t = int(distances.argmax())
        gradient = (x - centres[t]) / max(distances[t], 1e-12)
        return float(distances[t] + slope @ x) + 2.0, gradient + slope

    return value


class Oracle:
    """Tangent cuts eta >= f(z) + g'(x - z); the master's value is a lower bound."""

    def __init__(self, function: Function) -> None:
        self.function = function
        self.asked: list[np.ndarray] = []
        self.best = np.inf

    def __call__(self, point: MasterPoint, budget: Budget) -> Answer:
        x = point.x[1:]
        value, gradient = self.function(x)
        self.asked.append(x)
        self.best = min(self.best, value)
        row = np.concatenate([[1.0], -gradient])[None]
        cut = Cuts(row, np.array([value - gradient @ x]), np.array([np.inf]))
        bound = point.value if len(self.asked) > 1 else None
        return Answer(self.best, bound, cut)


def solve(
    function: Function, n: int, *, level: bool, tol: float = 1e-6, limit: int = 400, **options
) -> tuple[Reason, list[Record], Oracle]:
    cost = np.eye(1 + n)[0]
    lower, upper = np.zeros(1 + n), np.ones(1 + n)
    lower[0], upper[0] = -100.0, np.inf
    master = options.pop("master", None) or HighsMaster(cost, upper, lower=lower)
    oracle = Oracle(function)
    if level:
        metric = np.concatenate([[0.0], np.ones(n)])
        centre = np.concatenate([[0.0], np.full(n, 0.5)])
        level_set = LevelSet(cost, lower, upper, metric)
        if "best" in options:
            cut = oracle(MasterPoint(centre, np.zeros(0), 0.0), Budget()).cuts
            assert cut is not None
            master.add(cut)
            level_set.add(cut)
        step = level_exchange(master, oracle, level_set, centre, **options)
    else:
        step = exchange(master, oracle)
    stops = [GapReached(tol, 0.0), MaxIterations(limit)]
    reason, trace = run(step, stops, Budget())
    return reason, trace, oracle


def reference(function: Function, n: int) -> float:
    start = np.full(n, 0.5)
    bounds = [(0.0, 1.0)] * n
    return float(
        minimize(
            lambda x: function(x)[0],
            start,
            bounds=bounds,
            method="SLSQP",
            jac=lambda x: function(x)[1],
            options={"ftol": 1e-14, "maxiter": 1000},
        ).fun
    )


@pytest.mark.parametrize("make", [quadratic, kinked])
@pytest.mark.parametrize("seed", range(4))
def test_it_finds_the_minimum_that_plain_exchange_finds(make, seed: int) -> None:
    function = make(seed, 6)
    reason, trace, _ = solve(function, 6, level=True)
    assert reason is Reason.TOLERANCE
    best, bound = trace[-1].objective, trace[-1].bound
    _, plain, _ = solve(function, 6, level=False)
    assert best == pytest.approx(plain[-1].objective, rel=3e-6)
    if make is quadratic:
        assert best == pytest.approx(reference(function, 6), rel=2e-6)
    assert bound <= best


@pytest.mark.parametrize("seed", range(3))
def test_it_asks_less_often(seed: int) -> None:
    function = quadratic(seed, 8)
    _, trace, _ = solve(function, 8, level=True)
    _, plain, _ = solve(function, 8, level=False)
    assert len(plain) > 2.5 * len(trace)


@pytest.mark.parametrize("seed", range(3))
def test_trace_laws(seed: int) -> None:
    function = kinked(seed, 5)
    _, trace, _ = solve(function, 5, level=True)
    optimum = min(record.objective for record in trace)
    objectives = [record.objective for record in trace]
    bounds = [record.bound for record in trace if record.bound is not None]
    assert objectives == sorted(objectives, reverse=True)
    assert bounds == sorted(bounds) or np.diff(bounds).min() > -1e-7
    assert max(bounds) <= optimum + 1e-9
    _, again, _ = solve(function, 5, level=True)
    assert [record.objective for record in again] == objectives


def test_the_first_point_is_the_centre_unless_its_value_is_known() -> None:
    function = quadratic(0, 4)
    _, _, oracle = solve(function, 4, level=True, limit=1)
    assert oracle.asked[0] == pytest.approx(np.full(4, 0.5))
    known = function(np.full(4, 0.5))[0]
    _, _, oracle = solve(function, 4, level=True, limit=1, best=known)
    assert len(oracle.asked) == 2
    assert not np.allclose(oracle.asked[1], 0.5)


def test_the_point_asked_lies_on_the_level_set() -> None:
    """Every point but the first is in the box, and the model there is at most the level."""
    function = quadratic(1, 4)
    _, trace, oracle = solve(function, 4, level=True, limit=12)
    cuts: list[tuple[float, np.ndarray, np.ndarray]] = []
    for k, x in enumerate(oracle.asked):
        assert ((x >= -1e-9) & (x <= 1 + 1e-9)).all()
        if k:
            model = max(value + gradient @ (x - z) for value, gradient, z in cuts)
            best = min(value for value, _, _ in cuts)
            low = trace[k].detail["master"]
            assert model <= low + 0.7 * (best - low) + 1e-6
        cuts.append((*function(x), x))


def test_a_failed_projection_asks_the_masters_point(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(LevelSet, "project", lambda *arguments: None)
    function = quadratic(2, 4)
    _, _, level = solve(function, 4, level=True, limit=10)
    _, _, plain = solve(function, 4, level=False, limit=10)
    start = function(np.full(4, 0.5))[0]
    assert level.best <= start
    assert len(level.asked) == len(plain.asked) == 10


def test_a_corner_that_stays_the_masters_solution_is_asked_itself() -> None:
    """A linear function has the same slopes everywhere; its minimum is the corner 0."""

    def linear(x: np.ndarray) -> tuple[float, np.ndarray]:
        return float(x.sum()) + 1.0, np.ones(len(x))

    reason, trace, oracle = solve(linear, 5, level=True)
    assert reason is Reason.TOLERANCE
    assert len(trace) <= 4
    assert oracle.best == pytest.approx(1.0)


def test_any_master_will_do() -> None:
    function = kinked(0, 3)
    cost = np.eye(4)[0]
    upper = np.array([50.0, 1.0, 1.0, 1.0])
    master = RebuiltProgram(boxed_program(cost, np.zeros(len(cost)), upper), "highs")
    reason, trace, _ = solve(function, 3, level=True, master=master)
    assert reason is Reason.TOLERANCE
    _, direct, _ = solve(function, 3, level=True)
    assert trace[-1].objective == pytest.approx(direct[-1].objective, rel=1e-5)


def test_near_equal_cuts_do_not_stop_the_master() -> None:
    """Hundreds of cuts that differ in the last digits: the master is still solved."""
    rng = np.random.default_rng(0)
    cost = np.array([1.0, 0.0, 0.0])
    master = HighsMaster(cost, np.array([np.inf, 1.0, 1.0]))
    row = np.array([1.0, 0.3, 0.7])
    for _ in range(60):
        rows = row + 1e-13 * rng.normal(size=(5, 3))
        master.add(Cuts(rows, np.ones(5) + 1e-13 * rng.normal(size=5), np.full(5, np.inf)))
        point = master.solve(Budget())
    assert point.value == pytest.approx(0.0, abs=1e-9)
