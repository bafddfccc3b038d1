"""Limits in force: what is polled, and calls that are given up on."""

import math
import os
import signal
import subprocess
import sys
import time
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


CALLER = """

from bad_endings import never_lets_python_run as never_ends
from pathlib import Path
from radprog.base.limits import in_a_process
in_a_process(never_ends, Path({place!r}))
"""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_a_process_ends_with_its_caller(tmp_path, number) -> None:
    place = tmp_path / "process"
    code = f"import sys; sys.path[:] = {sys.path!r}" + CALLER.format(place=str(place))
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
