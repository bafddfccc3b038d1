"""Branch and bound in a separate process, because it may ignore its time limit or crash."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TypeVar

from radprog.base.limits import (
    OutOfBudget,
    asked_to_stop,
    in_a_process,
    process_waits,
    under,
)
from radprog.solvers.answer import FileAnswer, SolverAnswer
from radprog.solvers.program import SolveSettings, Status

AT_LIMIT = "it did not stop, and was ended"
HANDING_OVER = 0.5  # seconds after the limit in which a solver hands over its incumbent
START, CALL = 0.5, 0.05  # seconds of the start of a process, and more than those of a call
Given = TypeVar("Given")
Found = TypeVar("Found", bound=SolverAnswer | FileAnswer)


@dataclass
class Deadline:
    """The limit that the parent process enforces: an interrupt, or the solver's time limit."""

    settings: SolveSettings
    started: float = field(default_factory=time.monotonic)

    def spent(self) -> bool:
        """Whether the solver must stop now."""
        limit = self.settings.time_limit
        end = self.started + (math.inf if limit is None else limit) + HANDING_OVER
        return self.settings.interrupted() or time.monotonic() >= end


def solve_search(
    kind: type[Found],
    call: Callable[[Given, SolveSettings], Found],
    argument: Given,
    settings: SolveSettings,
) -> Found:
    """The answer of a search: in this process if it is short, or else by :func:`solve_apart`.

    A short search ends within the time that a call of another process costs, and within a tenth of
    a time limit. If the process is ended before it has a point, the short run's point and bound are
    kept. With a log, which must contain a single run, no short search is tried.
    """
    # small searches: 6 ms here, 12 ms in a process that waits, 250 ms in a new one
    short = None
    if settings.log is None and not any("time" in name for name in settings.solver_options):
        brief = CALL if process_waits() else START
        if settings.time_limit is not None:
            brief = min(brief, settings.time_limit / 10.0)
        short = call(argument, replace(settings, time_limit=brief))
        if short.status is not Status.LIMIT:
            return short
    answer = solve_apart(kind, call, argument, settings)
    cut = answer.status in (Status.LIMIT, Status.INTERRUPTED)
    if short is None or not cut or (answer.x is not None and len(answer.x)):
        return answer
    return replace(short, status=answer.status, message=answer.message)


def solve_apart(
    kind: type[Found],
    call: Callable[[Given, SolveSettings], Found],
    argument: Given,
    settings: SolveSettings,
) -> Found:
    """Run call(argument, settings) of an adapter in a separate process, and return its answer.

    ``kind`` is the type of the answer. When the limit is reached, the solver returns its incumbent.
    A solver that does not return is killed; its answer has no point. Raises RuntimeError if the
    process dies.
    """
    # its interrupt lives here: the process asks whether this one wants it to stop
    sent = replace(
        settings, interrupted=asked_to_stop, solver_options=dict(settings.solver_options)
    )
    deadline = Deadline(settings)
    try:
        with under(deadline):
            answer: Found = in_a_process(
                _in_time,
                call,
                argument,
                sent,
                deadline.started,
                patience=HANDING_OVER,
                fresh=kind is FileAnswer,  # Pyomo remembers where its commands were
            )
    except OutOfBudget:
        answer = kind(status=Status.INTERRUPTED, message=AT_LIMIT)
    # the limit that the solver did not keep reaches it as an interrupt
    interrupted = settings.interrupted()
    if answer.status is Status.INTERRUPTED and not interrupted:
        answer = replace(answer, status=Status.LIMIT)
    return answer


def _in_time(
    call: Callable[[Given, SolveSettings], Found],
    argument: Given,
    settings: SolveSettings,
    started: float,
) -> Found:
    """Run call(argument, settings) with the remaining time of a limit that began at ``started``."""
    if settings.time_limit is not None:
        left = settings.time_limit - (time.monotonic() - started)
        # seconds of a solver whose limit is over when its process starts
        settings = replace(settings, time_limit=max(1e-3, left))
    return call(argument, settings)
