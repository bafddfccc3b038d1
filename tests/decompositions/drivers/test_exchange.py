"""Exchange on a semi-infinite program with a known optimum, and on doubles."""

import numpy as np
import pytest

from radprog.decompositions import loop
from radprog.decompositions.drivers.exchange import (
    Answer,
    CurvedMaster,
    Cuts,
    MasterPoint,
    exchange,
    exchange_step,
    minimise_quadratic,
    polish,
)
from radprog.decompositions.drivers.masters import HighsMaster
from radprog.decompositions.run import RunSettings
from radprog.solvers.program import SolveSettings


class Scripted:
    """A master that returns given points and remembers what was added."""

    def __init__(self, *points: float) -> None:
        self.points, self.added, self.log = list(points), [], []

    def add(self, cuts: Cuts) -> None:
        self.log.append("add")
        self.added.append(cuts)

    def solve(self, budget: loop.Budget) -> MasterPoint:
        self.log.append("solve")
        if not self.points:
            raise loop.OutOfBudget
        value = self.points.pop(0)
        return MasterPoint(np.array([value]), np.zeros(0), value)


def test_a_round_solves_prices_and_adds() -> None:
    master = Scripted(1.0)
    cuts = Cuts(np.ones((3, 1)), -np.ones(3), np.ones(3))
    step = exchange_step(master, lambda point, budget: Answer(5.0, 4.0, cuts, {"own": 7.0}))
    record = step(6, loop.Budget())
    assert master.log == ["solve", "add"]
    assert master.added == [cuts]
    assert (record.iteration, record.objective, record.bound) == (6, 5.0, 4.0)
    assert record.detail == {"master": 1.0, "added": 3, "own": 7.0}


def test_nothing_violated_ends_the_run() -> None:
    master = Scripted(1.0, 2.0, 3.0)
    added = Cuts(np.ones((1, 1)), -np.ones(1), np.ones(1))
    answers = iter([Answer(5.0, 1.0, added), Answer(5.0, 2.0, None)])
    stops = RunSettings(tol=1e-6, abs_tol=0.0).gap_reached(), loop.NOTHING_ADDED
    rounds = loop.Loop(stops, loop.Budget())
    exchange(master, lambda point, budget: next(answers), rounds)
    assert rounds.reason is loop.Reason.NO_COLUMN
    assert [record.detail["added"] for record in rounds.trace] == [1, 0]
    assert len(master.added) == 1


def test_what_the_oracle_finds_at_the_vertex_joins_the_master() -> None:
    master = HighsMaster(np.array([-1.0, -1.0]), np.ones(2), SolveSettings())
    cut = Cuts(np.ones((1, 2)), np.array([-1.0]), np.ones(1))
    master.add(cut)
    master.solve(loop.Budget())
    asked: list[MasterPoint] = []

    def oracle(point: MasterPoint, budget: loop.Budget) -> Answer:
        asked.append(point)
        return Answer(-1.0, -1.0, cut if len(asked) == 1 else None)

    rounds = loop.Loop([loop.NOTHING_ADDED], loop.Budget())
    polish(master, oracle, rounds, 1)
    assert [(one.iteration, one.detail["added"]) for one in rounds.trace] == [(1, 1), (2, 0)]
    assert [len(point.multipliers) for point in asked] == [1, 2]


FREE = np.full(2, np.inf)


def cut(row: list[float], lower: float) -> Cuts:
    return Cuts(np.array([row]), np.array([lower]), np.array([np.inf]))


def curved_master() -> CurvedMaster:
    """Variables (eta, x), cost eta, 0 <= both."""
    return CurvedMaster(np.array([1.0, 0.0]), np.zeros(2), FREE, np.array([False, True]))


def test_a_step_with_curvature_is_newtons() -> None:
    """f(x) = (x - 3)^2 / 2 + 7 at x = 1: the tangent and f'' give the minimum in one step."""
    program = curved_master()
    program.add(cut([1.0, 2.0], 9.0 + 2.0))  # eta >= 9 - 2 (x - 1)
    program.move(np.array([0.0, 1.0]), np.diag([0.0, 1.0]))
    point = program.solve(loop.Budget())
    assert point.x[1] == pytest.approx(3.0, abs=1e-5)
    assert point.value == pytest.approx(point.x[0])
    assert point.multipliers == pytest.approx([1.0], abs=1e-6)


def test_cuts_hold_against_the_curvature() -> None:
    program = curved_master()
    program.add(cut([1.0, 2.0], 11.0))
    program.add(cut([1.0, -4.0], -1.0))  # eta >= 4 x - 1: the corner of the cuts is x = 2
    program.move(np.array([0.0, 1.0]), np.diag([0.0, 1e-3]))
    point = program.solve(loop.Budget())
    assert point.x == pytest.approx([7.0, 2.0], abs=1e-4)
    assert point.multipliers.sum() == pytest.approx(1.0, abs=1e-6)
    assert (point.multipliers > 0.1).all()


def test_quadratic_programs_over_a_polyhedron() -> None:
    """The points of the unit box with x + y <= 1 nearest to two others; none has x + y >= 3."""
    row, bounds = np.ones((1, 2)), (np.zeros(2), np.ones(2))
    cases = ([2.0, 1.5], [0.75, 0.25], -1.25), ([0.2, 0.3], [0.2, 0.3], 0.0)
    for centre, nearest, multiplier in cases:
        cost, sides = -np.array(centre), (np.array([-np.inf]), np.array([1.0]))
        x, multipliers = minimise_quadratic(np.eye(2), cost, row, sides, bounds)
        assert x == pytest.approx(nearest, abs=1e-8)
        assert multipliers == pytest.approx([multiplier], abs=1e-6)
    sides = np.array([3.0]), np.array([np.inf])
    assert minimise_quadratic(np.eye(2), np.zeros(2), row, sides, bounds) is None
