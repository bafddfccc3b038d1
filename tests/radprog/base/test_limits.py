"""Limits in force: what is polled, and calls that are given up on."""

from __future__ import annotations

import itertools
import math
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import pytest

from radprog.base import limits
from radprog.base.errors import OptionError
from radprog.base.limits import (
    OutOfBudget,
    bounded,
    given_up,
    imported,
    isolated,
    lifted,
    limited,
    poll,
    poll_eigendecomposition,
    under,
)
from radprog.decompositions.loop import Budget
from radprog.models.kernels import parse_kernels


@dataclass
class Questions:
    """Spent from the given question on."""

    left: float
    asked: itertools.count[int] = field(default_factory=itertools.count)

    def spent(self) -> bool:
        return next(self.asked) >= self.left


@dataclass
class Flag:
    """Spent once an event has happened."""

    event: threading.Event

    def spent(self) -> bool:
        return self.event.is_set()


def test_without_a_limit_nothing_happens() -> None:
    assert not limited()
    poll()
    caller = threading.current_thread()
    assert bounded(threading.current_thread) is caller
    assert isolated(threading.current_thread) is caller


def test_the_poll_that_finds_it_spent_raises() -> None:
    with under(Questions(2)):
        poll()
        poll()
        with pytest.raises(OutOfBudget):
            poll()
    poll()


def test_an_eigendecomposition_that_takes_too_long_is_not_begun() -> None:
    poll_eigendecomposition(10**5)
    with under(Budget(100.0)):
        poll_eigendecomposition(4000)
        with pytest.raises(OutOfBudget):
            poll_eigendecomposition(10_000)
    with under(Budget(1e-3)):
        poll_eigendecomposition(500)  # ends before anybody notices


def test_an_inner_limit_does_not_lift_the_outer_one() -> None:
    with under(Questions(0)), under(Questions(math.inf)), pytest.raises(OutOfBudget):
        poll()
    with under(Questions(math.inf)), under(Questions(0)), pytest.raises(OutOfBudget):
        poll()


def test_small_work_is_done_regardless() -> None:
    with under(Questions(0)):
        with lifted():
            assert not limited()
            poll()
        assert limited()


@pytest.mark.parametrize("run", [bounded, isolated])
def test_a_call_that_ends_in_time(run: Callable) -> None:
    with under(Questions(math.inf)):
        assert run(math.hypot, 3.0, 4.0) == 5.0
        assert (run(np.add, np.arange(3), 1) == [1, 2, 3]).all()
        with pytest.raises(OptionError, match="unknown kernel"):
            run(parse_kernels, "none")


def test_a_call_in_a_thread_knows_the_limit() -> None:
    with under(Questions(math.inf)):
        assert bounded(limited)


def test_a_thread_that_does_not_end_is_given_up_on(monkeypatch) -> None:
    monkeypatch.setattr(limits, "_given_up", [])  # of earlier tests, whose threads may still run
    never, before = threading.Event(), set(threading.enumerate())
    with under(Questions(1)), pytest.raises(OutOfBudget):
        bounded(never.wait)
    assert given_up()
    never.set()
    for thread in set(threading.enumerate()) - before:
        thread.join(10)
    assert not given_up()


def test_a_process_that_does_not_end_is_ended(monkeypatch) -> None:
    started = []
    popen = subprocess.Popen
    monkeypatch.setattr(
        subprocess, "Popen", lambda *a, **k: started.append(popen(*a, **k)) or started[0]
    )
    with under(Questions(1)), pytest.raises(OutOfBudget):
        isolated(time.sleep, 1e6)
    assert started[0].returncode == -signal.SIGKILL


def test_a_process_that_dies_is_an_error() -> None:
    with under(Questions(math.inf)), pytest.raises(RuntimeError, match="ended with 7"):
        isolated(os._exit, 7)


def test_an_import_that_is_given_up_on_is_ended_all_the_same(tmp_path, monkeypatch) -> None:
    (tmp_path / "slow_module.py").write_text(
        "import slow_flags\nslow_flags.begun.set()\nslow_flags.go.wait()\nvalue = 7\n"
    )
    (tmp_path / "slow_flags.py").write_text(
        "import threading\nbegun, go = threading.Event(), threading.Event()\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    flags = imported("slow_flags")
    with under(Flag(flags.begun)), pytest.raises(OutOfBudget):
        imported("slow_module")
    flags.go.set()
    assert imported("slow_module").value == 7
    assert imported("slow_module") is sys.modules["slow_module"]
    for name in ("slow_module", "slow_flags"):
        del sys.modules[name]
