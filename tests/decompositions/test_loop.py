"""The loop on hand-made traces and steps: rules, budget, what is kept."""

import math
import time
from dataclasses import replace

import pytest
from processes import PATIENCE
from refusals import refused

from radprog.base.errors import OptionError
from radprog.base.limits import OutOfBudget, never
from radprog.decompositions.loop import (
    NOTHING_ADDED,
    Budget,
    Reason,
    Record,
    Stop,
    certified_by,
    crossed,
    max_iterations,
    run,
    stalled,
)
from radprog.decompositions.run import RunSettings, loosely
from radprog.solvers.program import relative_gap


def reached(tol: float, abs_tol: float, sense: int = 1) -> Stop:
    return RunSettings(tol=tol, abs_tol=abs_tol).gap_reached(sense)


RULES = [reached(1e-6, 1e-9), max_iterations(3), NOTHING_ADDED, stalled(1e-12)]


def trace_of(*pairs: tuple[float | None, float | None], **detail: float) -> list[Record]:
    return [Record(i, 0.1 * i, *pair, detail) for i, pair in enumerate(pairs)]


def halving(iteration: int, budget: Budget) -> Record:
    """Objective 1 + 2^-t, bound 1 - 2^-t."""
    return Record(iteration, budget.seconds, 1 + 0.5**iteration, 1 - 0.5**iteration)


# ---------------------------------------------------------------- rules


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.reason)
def test_no_rule_fires_on_an_empty_trace(rule: Stop) -> None:
    assert not rule.holds([])


TWO = (1.0, 0.0), (1.0, 0.0)
STALLED = stalled(1e-3)
FIRES: list[tuple[Stop, tuple[tuple[float | None, float | None], ...], bool]] = [
    # a gap rule looks at the last record, and a gap of 0 needs equality
    (reached(0.1, 0.0), ((1.0, 1.0), (1.0, 0.5)), False),
    (reached(0.1, 0.0), ((1.0, 0.5), (1.0, 0.95)), True),
    (reached(0.0, 0.0), ((0.3, 0.3),), True),
    (reached(0.0, 0.0), ((0.3, math.nextafter(0.3, 0)),), False),
    # records are counted
    (max_iterations(0), (), True),
    *((max_iterations(n), TWO, n < 3) for n in range(4)),
    # a small decrease of the last step, or an increase
    (STALLED, TWO[:1], False),
    (STALLED, TWO, True),
    (STALLED, ((1.0, 0.0), (0.9995, 0.0)), True),
    (STALLED, ((1.0, 0.0), (0.998, 0.0)), False),
    (STALLED, ((1.0, 0.0), (1.1, 0.0)), True),
    (STALLED, ((2.0, 0.0), (1.0, 0.0), (0.5, 0.0)), False),
    (STALLED, ((2.0, 0.0), (0.5, 0.0), (0.5, 0.0)), True),
    (STALLED, ((None, 0.0), (1.0, 0.0)), False),
    (STALLED, ((1.0, 0.0), (None, 0.0)), False),
    (STALLED, ((1e-6, 0.0), (0.9e-6, 0.0)), False),  # relative: tiny optima are no stalls
    (stalled(0.0), ((0.0, 0.0), (0.0, 0.0)), True),
    # gaps within the relative or the absolute tolerance
    *(
        (reached(1e-6, 1e-9), (pair,), fires)
        for pair, fires in (
            ((2.0, 2.0), True),
            ((2.0, 2.0 - 1.9e-6), True),
            ((2.0, 2.0 - 2.1e-6), False),
            ((2.0, 2.0 + 1.9e-9), True),
            ((2.0, 2.0 + 2.1e-9), False),  # beyond the objective by more than rounding
            ((0.0, 0.9e-12), True),
            ((0.0, 1.1e-12), False),
            ((1e-5, 1e-5 - 0.9e-9), True),
            ((1e-5, 1e-5 - 1.1e-9), False),
            ((0.0, -0.9e-9), True),
            ((0.0, -1.1e-9), False),
            ((-2.0, -2.0 - 1.9e-6), True),
            ((2.0, None), False),
            ((None, 2.0), False),
            ((None, None), False),
        )
    ),
]


@pytest.mark.cases(len(FIRES))
@pytest.mark.parametrize(("rule", "pairs", "fires"), FIRES)
def test_rules_on_traces(rule: Stop, pairs: tuple, fires: bool) -> None:
    assert rule.holds(trace_of(*pairs)) is fires


@pytest.mark.parametrize("pair", [(2.0, 2.0 - 1.9e-6), (2.0, 2.0 - 2.1e-6), (2.0, 2.0 + 2.1e-9)])
def test_a_maximisation_is_the_mirror_image(pair: tuple[float, float]) -> None:
    mirrored = trace_of((-pair[0], -pair[1]))
    assert reached(1e-6, 1e-9, -1).holds(mirrored) is reached(1e-6, 1e-9).holds(trace_of(pair))


def test_nothing_added() -> None:
    added, none = trace_of((1.0, 0.0), added=2), trace_of((1.0, 0.0), added=0)
    traces = none, added, trace_of((1.0, 0.0)), [*none, *added]
    assert [NOTHING_ADDED.holds(trace) for trace in traces] == [True, False, False, False]


def test_gap_and_certificate() -> None:
    assert relative_gap(2.0, 1.0) == 0.5
    assert relative_gap(-2.0, -3.0) == 0.5
    assert relative_gap(0.0, -1e-12) == pytest.approx(1e-2)
    assert relative_gap(None, 1.0) is relative_gap(1.0, None) is None
    assert certified_by(1.0, 1.0 - 1e-7, 1e-6, 0.0) == "tol"
    assert certified_by(1e-5, 1e-5 - 1e-10, 1e-6, 1e-9) == "abs-tol"
    assert certified_by(1e-17, 0.0, 1e-6, 1e-9) == certified_by(1e-17, 0.0, 1e-6, 0.0) == "abs-tol"
    assert certified_by(0.0, 0.0, 1e-6, 0.0) == "tol"
    assert certified_by(1.0, 0.9, 1e-6, 1e-9) is None
    assert "the gap is 1 of the objective" in loosely(1e-9, 1e-17, 0.0)
    assert certified_by(None, 0.9, 1e9, 1e9) is None
    assert Record(0, 0.0, 2.0, 1.0).gap == 0.5
    assert Record(0, 0.0, 2.0, None).gap is None


@pytest.mark.parametrize("sense", [1, -1])
@pytest.mark.parametrize("size", [1e-6, 1.0, 1e6])
def test_a_bound_beyond_the_objective_is_never_certified(sense: int, size: float) -> None:
    def pair(excess: float) -> tuple[float, float]:
        return sense * size, sense * size * (1.0 + excess)

    for excess, wrong in ((-1e-7, False), (0.0, False), (1e-10, False), (1e-5, True), (9.0, True)):
        assert crossed(*pair(excess), sense) is wrong
        assert (certified_by(*pair(excess), 1e-6, 1e-9, sense) is None) is wrong
    assert not crossed(None, 1.0)
    assert not crossed(1.0, None)
    assert not crossed(1.0, float("nan"))


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_what_is_not_a_number_is_never_certified(value: float) -> None:
    for pair in ((1.0, value), (value, 1.0), (value, value)):
        assert certified_by(*pair, 1e-6, 1e-9) is None


# ---------------------------------------------------------------- budget


def test_budget_of_time_and_patience() -> None:
    assert Budget().remaining == math.inf
    assert not Budget().spent()
    Budget().check()
    flag: list[bool] = []
    early = Budget(time_limit=10.0, interrupted=lambda: bool(flag))
    assert 0.0 < early.remaining <= 10.0
    assert not early.spent()
    flag.append(True)
    late = Budget(time_limit=10.0, started=time.perf_counter() - 11.0)
    assert late.remaining < 0.0
    assert 11.0 <= late.seconds < 11.0 + PATIENCE
    for budget, reason in ((early, Reason.INTERRUPT), (late, Reason.TIME_LIMIT)):
        assert budget.spent()
        assert budget.reason is reason
        refused(OutOfBudget, "", budget.check)


@pytest.mark.parametrize("flag", [False, True])
def test_a_time_limit_is_no_interrupt_of_a_solver(flag) -> None:
    settings = RunSettings(time_limit=10.0, interrupted=lambda: flag)
    late = replace(settings.budget(), started=time.perf_counter() - 11.0)
    assert late.spent()
    asked = settings.for_solver(late)
    assert (asked.interrupted(), asked.time_limit) == (flag, 1e-3)
    assert asked.interrupted is not never


@pytest.mark.parametrize("limit", [0.0, -1.0, float("nan")])
def test_a_time_limit_is_positive(limit: float) -> None:
    refused(OptionError, f"time_limit {limit:g}", RunSettings, time_limit=limit)


# ---------------------------------------------------------------- run


def test_run_until_the_gap_is_closed() -> None:
    seen: list[Record] = []
    reason, trace = run(halving, [reached(1e-3, 0.0)], Budget(), seen.append)
    assert reason is Reason.TOLERANCE
    assert seen == trace
    assert [record.iteration for record in trace] == list(range(12))
    assert trace[-1].gap <= 1e-3 < trace[-2].gap


def test_the_first_rule_that_fires_is_the_reason() -> None:
    assert run(halving, [max_iterations(4), reached(1.0, 0.0)], Budget())[0] is Reason.TOLERANCE
    assert run(halving, [max_iterations(1), reached(2.0, 0.0)], Budget())[0] is Reason.MAX_ITER
    assert run(halving, [reached(2.0, 0.0), max_iterations(1)], Budget())[0] is Reason.TOLERANCE


def test_no_step_is_made() -> None:
    def step(iteration: int, budget: Budget) -> Record:
        raise AssertionError("a step was made")

    assert run(step, [max_iterations(0)], Budget()) == (Reason.MAX_ITER, [])
    assert run(step, [], Budget(interrupted=lambda: True)) == (Reason.INTERRUPT, [])


@pytest.mark.parametrize("reason", [Reason.INTERRUPT, Reason.TIME_LIMIT])
def test_the_trace_is_kept_when_the_budget_is_spent_inside_a_step(reason: Reason) -> None:
    flag: list[bool] = []
    limited = reason is Reason.TIME_LIMIT
    budget = Budget(time_limit=100.0 if limited else None, interrupted=lambda: bool(flag))

    def step(iteration: int, budget: Budget) -> Record:
        if iteration == 3:
            if limited:
                budget.started -= 1000.0
            else:
                flag.append(True)
            budget.check()
            raise AssertionError("the step went on")
        return halving(iteration, budget)

    seen: list[Record] = []
    found, trace = run(step, [max_iterations(9)], budget, seen.append)
    assert found is reason
    assert len(trace) == 3
    assert seen == trace


def test_a_step_that_ends_after_the_deadline_counts() -> None:
    """A rule that it meets is stronger than the spent budget: the run has ended by itself."""
    flag: list[bool] = []

    def step(iteration: int, budget: Budget) -> Record:
        flag.append(True)
        return halving(iteration, budget)

    for stop, reason in ((max_iterations(3), Reason.MAX_ITER), (max_iterations(9), None)):
        flag.clear()
        ended, trace = run(step, [stop], Budget(interrupted=lambda: len(flag) == 3))
        assert (ended, len(trace)) == (reason or Reason.INTERRUPT, 3)
