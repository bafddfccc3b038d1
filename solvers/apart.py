"""Branch and bound in a separate process, because it may ignore its time limit or crash."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from radprog.base.limits import (
    Limit,
    OutOfBudget,
    asked_to_stop,
    in_a_process,
    under,
)
from radprog.solvers.answer import FileAnswer, SolverAnswer
from radprog.solvers.program import SolveSettings, Status

AT_LIMIT = "it did not stop, and was ended"
HANDING_OVER = 0.5  # seconds after the limit in which a solver hands over its incumbent
START = 0.1  # seconds of a search in this process; a new process takes 250 ms
Given = TypeVar("Given")
Found = TypeVar("Found", bound=SolverAnswer | FileAnswer)


def solve_search(
    kind: type[Found],
    call: Callable[[Given, SolveSettings], Found],
    argument: Given,
    settings: SolveSettings,
) -> Found:
    """The answer of a search: a short one in this process, a longer one by :func:`solve_apart`.

    A short search ends within START seconds, and within a tenth of a time limit. A longer one
    begins anew in the other process. If that is ended before it has a point, the point and the
    bound of its beginning are kept. With a log, which one process writes, all of it is there.
    """
    if settings.log is not None:
        return solve_apart(kind, call, argument, settings)
    limit = math.inf if settings.time_limit is None else settings.time_limit
    began = time.monotonic()
    short = call(argument, replace(settings, time_limit=min(START, limit / 10.0)))
    if short.status is not Status.LIMIT:
        return short
    if settings.time_limit is not None:
        settings = replace(settings, time_limit=max(1e-3, limit - (time.monotonic() - began)))
    answer = solve_apart(kind, call, argument, settings)
    if answer.status not in (Status.LIMIT, Status.INTERRUPTED) or (
        answer.x is not None and len(answer.x)
    ):
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
    # the interrupt stays in this process, which the other process asks whether to stop
    sent = replace(
        settings, interrupted=asked_to_stop, solver_options=dict(settings.solver_options)
    )

    seconds = settings.time_limit
    limit = Limit(None if seconds is None else seconds + HANDING_OVER, settings.interrupted)
    try:
        with under(limit):
            answer: Found = in_a_process(
                _in_time,
                call,
                argument,
                sent,
                time.monotonic(),
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
        seconds = settings.time_limit - (time.monotonic() - started)
        # seconds of a solver whose limit is over when its process starts
        settings = replace(settings, time_limit=max(1e-3, seconds))
    return call(argument, settings)
