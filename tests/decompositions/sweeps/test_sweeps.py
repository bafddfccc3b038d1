"""Executors on planted units: order, failures, deaths, limits; the same answers from all."""

import os
from typing import Any

import numpy as np
import pytest
from cut_off import polled
from planted_units import planted, square, sweep_of
from refusals import refused

from radprog.base.errors import DataError, OptionError, UnitError
from radprog.decompositions.loop import Budget
from radprog.decompositions.sweeps.sharing import Sharing, answers, cores, parse_jobs
from radprog.decompositions.sweeps.units import Sweep, Unit, UnitAnswer

JOBS = [1, 2]


def found(sweep: Sweep, jobs: int, **budget: Any) -> list[UnitAnswer]:
    return list(answers(sweep, Sharing(jobs=jobs), Budget(**budget)))


@pytest.mark.parametrize("jobs", JOBS)
def test_answers_come_in_the_order_of_the_units(jobs) -> None:
    matrix = np.random.default_rng(0).normal(size=(12, 40))
    units = [Unit(name=f"row {i}", item=i, size=i + 1) for i in range(12)]
    seen: list[tuple[int, int]] = []
    sweep = Sweep(call=square, shared={"matrix": matrix}, units=units)
    watch = lambda done, total: seen.append((done, total))  # noqa: E731
    told = list(answers(sweep, Sharing(jobs=jobs), Budget(), watch))
    assert [answer.unit.item for answer in told] == list(range(12))
    assert [answer.value[0] for answer in told] == [float(row @ row) for row in matrix]
    assert ({answer.value[1] for answer in told} == {os.getpid()}) == (jobs == 1)
    assert seen[-1] == (78, 78)
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)


def test_the_dearest_begin() -> None:
    weights = [1.0, 5.0, 2.0, 5.0]
    units = [Unit(name=str(k), item=k, weight=weight) for k, weight in enumerate(weights)]
    assert Sweep(call=planted, shared=None, units=units).dearest_first() == [1, 3, 2, 0]


@pytest.mark.parametrize("jobs", JOBS)
def test_a_failed_unit_is_named_and_takes_no_other_down(jobs) -> None:
    told = found(sweep_of(("", 1), ("wrong", "boom"), ("refused", "no rows"), ("", 2)), jobs)
    assert [answer.value for answer in told] == [1, None, None, 2]
    assert isinstance(told[1].error, UnitError)
    assert str(told[1].error) == "unit 1: ValueError: boom"
    assert isinstance(told[2].error, DataError)
    assert not any(answer.cut for answer in told)


@pytest.mark.thorough
def test_workers_that_die_again_and_again_end_the_sweep(tmp_path) -> None:
    """In a line; what the checkpoint holds is not computed again."""
    sharing = Sharing(jobs=2, checkpoint=tmp_path / "kept")
    items = [*(("", i) for i in range(4)), ("dies", None)]
    with pytest.raises(UnitError, match=r"jobs 2: processes died 3 times .*SIGKILL.*mem"):
        list(answers(sweep_of(*items), sharing, Budget()))
    assert list((tmp_path / "kept").glob("unit-*"))


@pytest.mark.thorough
def test_a_worker_killed_half_way_costs_nothing(tmp_path) -> None:
    items = [("", 0), ("dies once", str(tmp_path / "dead")), *(("", i) for i in range(2, 8))]
    told = found(sweep_of(*items), 2)
    assert (tmp_path / "dead").exists()
    assert [answer.error for answer in told] == [None] * 8
    assert [answer.value for answer in told[2:]] == list(range(2, 8))


@pytest.mark.parametrize("jobs", JOBS)
def test_a_limit_keeps_what_was_found(jobs) -> None:
    """It strikes while one waits: of two processes when the others are done."""
    seen: list[int] = []
    watch = lambda done, total: seen.append(done)  # noqa: E731
    flag = polled(10)[0] if jobs == 1 else lambda: len(seen) == 3
    sweep = sweep_of(("", 1), ("waits", "half"), ("", 2), ("", 3))
    told = list(answers(sweep, Sharing(jobs=jobs), Budget(interrupted=flag), watch))
    assert (told[0].value, told[0].cut) == (1, False)
    assert (told[1].value, told[1].cut) == ("half", True)
    if jobs == 1:
        assert [(answer.value, answer.cut) for answer in told[2:]] == [(None, True)] * 2
    else:  # the other process went on
        assert [(answer.value, answer.cut) for answer in told[2:]] == [(2, False), (3, False)]


@pytest.mark.parametrize("jobs", JOBS)
def test_an_interrupt_before_the_first_leaves_all_out(jobs) -> None:
    told = found(sweep_of(("", 1), ("", 2)), jobs, interrupted=lambda: True)
    assert [(answer.value, answer.cut) for answer in told] == [(None, True)] * 2


def test_what_cannot_travel_is_refused() -> None:
    sweep = Sweep(call=planted, shared=os.scandir("."), units=sweep_of(("", 1), ("", 2)).units)
    refused(OptionError, "leave `jobs` out", list, answers(sweep, Sharing(jobs=2), Budget()))


@pytest.mark.parametrize("jobs", [0, -1, True, 1.5, "some"])
def test_numbers_of_jobs_that_mean_nothing(jobs) -> None:
    refused(OptionError, f"jobs {jobs}: expected a whole number >= 1, or all", Sharing, jobs=jobs)


def test_all_is_every_core() -> None:
    assert Sharing(jobs=parse_jobs("all")).workers == cores() >= 1
    assert parse_jobs("3") == 3
    refused(OptionError, "x: expected a whole number >= 1, or all", Sharing, jobs=parse_jobs("x"))
