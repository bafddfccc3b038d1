"""Limits in force: what is polled, and calls that are given up on."""

import math
import os
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from bad_endings import keeps_an_answer, presses_ctrl_c
from cut_off import Questions
from processes import PATIENCE, until
from refusals import refused

from radprog.base import limits as lim
from radprog.base.errors import OptionError
from radprog.decompositions.loop import Budget
from radprog.models.kernels import parse_kernels
from radprog.solvers.program import SolveSettings


def test_an_eigendecomposition_that_takes_too_long_is_not_begun() -> None:
    lim.poll_eigendecomposition(10**5)
    with lim.under(Budget(100.0)):
        lim.poll_eigendecomposition(4000)
        with pytest.raises(lim.OutOfBudget):
            lim.poll_eigendecomposition(10_000)
    with lim.under(Budget(1e-3)):
        lim.poll_eigendecomposition(500)  # ends before anybody notices


def test_an_inner_limit_does_not_lift_the_outer_one() -> None:
    for outer, inner in ((0, math.inf), (math.inf, 0)):
        with lim.under(Questions(outer)), lim.under(Questions(inner)):
            refused(lim.OutOfBudget, "", lim.poll)


def test_a_call_that_ends_in_time() -> None:
    with lim.under(Questions(math.inf)):
        assert lim.in_a_process(math.hypot, 3.0, 4.0) == 5.0
        assert len(lim.in_a_process(np.arange, 100_000)) == 100_000  # more than a pipe holds
        assert lim.in_a_process(np.sum, np.ones(100_000)) == 100_000
        assert lim.in_a_process(os.getpid) == lim.in_a_process(os.getpid) != os.getpid()
        refused(OptionError, "unknown kernel", lim.in_a_process, parse_kernels, "none")


def test_a_process_that_does_not_end_is_ended(monkeypatch) -> None:
    lim._end_idle()
    started, popen = [], subprocess.Popen
    kept = lambda *a, **k: started.append(popen(*a, **k)) or started[0]  # noqa: E731
    monkeypatch.setattr(subprocess, "Popen", kept)
    with lim.under(Questions(1)), pytest.raises(lim.OutOfBudget):
        lim.in_a_process(time.sleep, 1e6)
    assert started[0].returncode == -signal.SIGKILL


def test_what_it_kept_is_the_answer_of_a_process_that_is_ended(tmp_path) -> None:
    place = tmp_path / "kept"
    with lim.under(Budget(interrupted=place.exists)):
        assert lim.in_a_process(keeps_an_answer, place, patience=0.01) == "the last"


@pytest.mark.usefixtures("ctrl_c")
def test_ctrl_c_is_a_limit_where_an_answer_is_kept() -> None:
    settings = SolveSettings(interrupted=lim.asked_to_stop)
    with lim.stopped_by_ctrl_c() as pressed, lim.under(Budget(interrupted=pressed)):
        answer = lim.in_a_process(presses_ctrl_c, None, settings, patience=1e6)
        assert (answer.message, pressed()) == ("its incumbent", True)
    assert not pressed()
    # the second one, and one that nobody expects
    with lim.stopped_by_ctrl_c() as pressed, lim.under(Budget(interrupted=pressed)):
        with pytest.raises(KeyboardInterrupt):
            lim.in_a_process(presses_ctrl_c, None, settings, 2, patience=1e6)
        assert pressed()
    with pytest.raises(KeyboardInterrupt):
        lim.in_a_process(presses_ctrl_c, None, settings, patience=1e6)


@pytest.mark.usefixtures("ctrl_c")
def test_ctrl_c_stops_what_runs_inside_what_it_stops() -> None:
    with lim.stopped_by_ctrl_c() as outer, lim.stopped_by_ctrl_c() as inner:
        assert not outer()
        os.kill(os.getpid(), signal.SIGINT)
        assert outer()
        assert inner()
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.usefixtures("ctrl_c")
def test_a_signal_waits_for_compiled_code() -> None:
    steps = []

    def compiled() -> None:
        with lim.signals_held() as held:
            os.kill(os.getpid(), signal.SIGINT)
            steps.extend(held)

    with pytest.raises(KeyboardInterrupt):
        compiled()
    assert steps == [signal.SIGINT]
    with lim.signals_held() as held:
        assert not held


def test_a_process_that_dies_is_an_error() -> None:
    with lim.under(Questions(math.inf)), pytest.raises(RuntimeError, match="ended with 7"):
        lim.in_a_process(os._exit, 7)


def worked(stop) -> tuple[str, int]:
    """Processor time, in which it looks at ``stop``; that of a fork begins at 0."""
    spent, last = 0.0, time.thread_time()
    while spent < 0.2:
        if stop():
            return "stopped", os.getpid()
        spent, last = spent + max(0.0, (now := time.thread_time()) - last), now
    return "done", os.getpid()


def test_a_call_goes_on_in_a_fork() -> None:
    here = os.getpid()
    assert lim.goes_on_apart(worked, lim.never, 10.0, patience=1.0) == ("done", here)
    word, there = lim.goes_on_apart(worked, lim.never, 0.05, patience=1.0)
    assert (word, there != here) == ("done", True)
    assert lim.goes_on_apart(worked, lambda: True, 0.0, patience=1.0) == ("stopped", here)
    assert not lim._served
    # a limit of the caller, which the fork hears
    asked = Questions(0)
    with lim.under(asked):
        word, there = lim.goes_on_apart(lambda stop: worked(stop), lim.never, 0.0, patience=1e6)
    assert (word, there != here) == ("stopped", True)

    def failing(stop) -> None:
        worked(stop)
        raise OptionError(f"in {os.getpid()}")

    refused(OptionError, "in ", lim.goes_on_apart, failing, lim.never, 0.05, patience=1.0)

    def dying(stop) -> None:
        if worked(stop)[0] == "done":
            os.kill(os.getpid(), signal.SIGKILL)

    refused(RuntimeError, "ended with -9", lim.goes_on_apart, dying, lim.never, 0.05, patience=1.0)
    # a caller that ignores SIGCHLD has no exit codes
    before = signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    try:
        assert lim.goes_on_apart(worked, lim.never, 0.05, patience=1.0)[0] == "done"
    finally:
        signal.signal(signal.SIGCHLD, before)


def test_a_fork_that_does_not_end_leaves_what_it_kept(monkeypatch) -> None:
    forks, fork = [], os.fork

    def counted() -> int:
        forks.append(fork())
        return forks[-1]

    monkeypatch.setattr(os, "fork", counted)

    def deaf(stop, answer: str = "") -> str:
        while not stop() and os.getpid() == here:
            pass
        if os.getpid() != here:
            if answer:
                lim.keep(answer)
            time.sleep(600.0)
        return "stopped"

    here = os.getpid()

    with lim.under(Budget(0.5)), pytest.raises(lim.OutOfBudget) as ended:
        lim.goes_on_apart(deaf, lim.never, 0.05, patience=0.01)
    assert ended.value.partial == "stopped"
    with lim.under(Budget(0.5)):
        found = lim.goes_on_apart(partial(deaf, answer="the last"), lim.never, 0.05, patience=0.01)
    assert found == "the last"
    lim._end_idle()
    assert len(forks) >= 2
    for child in forks:
        with pytest.raises(ChildProcessError):  # none is left
            os.waitpid(child, os.WNOHANG)


CALLER = """

from bad_endings import never_lets_python_run as never_ends
from pathlib import Path
from radprog.base.limits import goes_on_apart, in_a_process, never
"""
CALLS = (
    "in_a_process(never_ends, Path({place!r}))",
    "goes_on_apart(lambda stop: stop() or never_ends(Path({place!r})), never, 0, patience=1)",
)


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_a_process_ends_with_its_caller(tmp_path, number, call) -> None:
    place = tmp_path / "process"
    code = f"import sys; sys.path[:] = {sys.path!r}" + CALLER + call.format(place=str(place))
    caller = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.DEVNULL)
    until(lambda: place.exists() and place.read_text() != "", caller)
    process = Path(f"/proc/{place.read_text()}/cmdline")
    caller.send_signal(number)
    caller.wait()
    # an ended process without a parent is gone, or has no command any more
    end = time.monotonic() + PATIENCE
    while process.exists() and process.read_bytes():
        assert time.monotonic() < end
        time.sleep(0.02)
