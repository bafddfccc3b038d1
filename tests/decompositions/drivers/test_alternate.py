"""Block-coordinate descent: order of blocks, and descent as a law."""

import pytest

from radprog.base.errors import SolverError
from radprog.base.limits import OutOfBudget
from radprog.decompositions.drivers.alternate import alternation
from radprog.decompositions.loop import Budget, Reason, max_iterations, run, stalled


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
    with pytest.raises(SolverError, match="round 7: a block raised the objective from"):
        step(7, Budget())


def test_rounding_is_no_rise() -> None:
    values = iter([1.0, 1.0 + 1e-13, 1.0 + 2e-13])
    step = alternation([lambda budget: None] * 2, lambda: next(values), lambda: None)
    assert step(0, Budget()).objective == 1.0 + 2e-13
    slow = iter([1.0, 1.0 + 1e-11])
    step = alternation([lambda budget: None], lambda: next(slow), lambda: None)
    with pytest.raises(SolverError):
        step(0, Budget())


def test_a_budget_spent_in_a_block_ends_the_run() -> None:
    bowl, calls = Bowl(), []

    def patient(budget: Budget) -> None:
        calls.append(1)
        if len(calls) == 3:
            raise OutOfBudget

    step = alternation([bowl.first, patient], bowl.value, lambda: None)
    reason, trace = run(step, [max_iterations(50)], Budget(interrupted=lambda: len(calls) >= 3))
    assert (reason, len(trace)) == (Reason.INTERRUPT, 2)
