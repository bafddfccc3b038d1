"""Calls that do not come back, in the place of a solver in a process of its own."""

import os
import time

from radprog.base.limits import asked_to_stop
from radprog.solvers.answer import SolverAnswer
from radprog.solvers.program import SolveSettings, Status


def ends_its_process(given: str, settings: object) -> str:
    """What SCIP does on some programs of wide numbers."""
    os.abort()


def never_ends(given: str, settings: object) -> str:
    """Until it is ended."""
    time.sleep(600.0)
    return given


def hears_its_caller(given: object, settings: SolveSettings) -> SolverAnswer:
    """Until it is asked to stop."""
    assert settings.interrupt is asked_to_stop
    while not asked_to_stop():
        time.sleep(0.01)
    return SolverAnswer(status=Status.INTERRUPTED, message="its incumbent")
