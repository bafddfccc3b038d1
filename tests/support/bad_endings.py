"""Calls that do not come back, in the place of a solver in a process of its own."""

import os
import signal
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

from radprog.base.limits import _served, asked_to_stop, keep, never
from radprog.solvers.adapters import highs
from radprog.solvers.answer import SolverAnswer
from radprog.solvers.program import Program, SolveSettings, Status


def ends_its_process(given: str, settings: object) -> str:
    """What SCIP does on some programs of wide numbers."""
    os.abort()


def never_ends(given: str, settings: object) -> str:
    """Until it is ended."""
    time.sleep(600.0)
    return given


def hears_its_caller(given: object, settings: SolveSettings) -> SolverAnswer:
    """Until it is asked to stop."""
    assert settings.interrupted is asked_to_stop
    while not asked_to_stop():
        time.sleep(0.01)
    return SolverAnswer(status=Status.INTERRUPTED, message="its incumbent")


def presses_ctrl_c(given: object, settings: SolveSettings, times: int = 1) -> SolverAnswer:
    """Ctrl-C in the caller while it waits, and again when the caller asks to stop."""
    assert _served, "the parent of the tests is no caller"
    os.kill(os.getppid(), signal.SIGINT)
    answer = hears_its_caller(given, settings)
    if times == 2:
        os.kill(os.getppid(), signal.SIGINT)
        time.sleep(600.0)
    return answer


def pressed_at_the_incumbent(given: Program | Path, settings: SolveSettings) -> Any:
    """Branch and bound of HiGHS, interrupted when its best point is there but not its bound."""
    solve: Any = highs._solve if isinstance(given, Program) else highs._solve_file
    answer = solve(given, replace(settings, interrupted=never))
    presses_ctrl_c(given, settings)
    return replace(answer, status=Status.INTERRUPTED, bound=answer.bound - 0.25)


def keeps_an_answer(place: Path) -> None:
    """Until it is ended."""
    keep("the last but one")
    keep("the last")
    place.touch()
    time.sleep(600.0)


def never_lets_python_run(place: Path) -> None:
    """As a long call into compiled code."""
    place.write_text(str(os.getpid()))
    sum(range(10**15))
