"""A solver in a process of its own, which is ended at the time limit, or in a thread of its own,
which is given up on.

Some solvers never ask whether to stop, or hold the interpreter while one factorisation of a large
dense matrix takes longer than the limit.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeVar

from radprog.base.limits import OutOfBudget, bounded, isolated, limited, under
from radprog.solvers.answer import FileClaim, SolverAnswer
from radprog.solvers.declared import Adapter
from radprog.solvers.program import Program, SolveSettings, Status

LARGE_QUADRATIC = 250_000  # quadratic terms, from which one step of a solver may take long
LARGE_LINEAR = 250_000  # entries of rows, from which the set-up of a solver may
AT_LIMIT = "it was ended at the limit"
Given = TypeVar("Given")
Words = TypeVar("Words", SolverAnswer, FileClaim)
HANDING_OVER = 0.5  # seconds after the limit that a solver has to hand over what it found


@dataclass
class Told:
    """The limit of a solver: a time by the wall clock, and ``patience`` seconds from when it was
    first seen to be interrupted."""

    end: float
    interrupted: Callable[[], bool] | None
    patience: float = 0.0

    @staticmethod
    def of(settings: SolveSettings, patience: float = 0.0) -> Told:
        """Half a second after the time limit."""
        limit = math.inf if settings.time_limit is None else settings.time_limit
        return Told(time.time() + limit + HANDING_OVER, settings.interrupt, patience)

    def spent(self) -> bool:
        """Whether to stop now."""
        now = time.time()
        if self.interrupted is not None and self.interrupted():
            self.end, self.interrupted = min(self.end, now + self.patience), None
        return now >= self.end


def wanted(program: Program, settings: SolveSettings, *, punctual: bool = True) -> bool:
    """Whether a program is so large that its solver is kept to a time limit from outside;
    ``punctual``: as its adapter declares."""
    parts = [*program.quadratic_rows.values()]
    if program.quadratic is not None:
        parts.append(program.quadratic)
    timed = settings.time_limit is not None or limited()
    if not timed:
        return False
    late = not punctual and program.rows.nnz >= LARGE_LINEAR
    return late or sum(part.nnz for part in parts) >= LARGE_QUADRATIC


def solve_apart(
    adapter: Callable[[], Adapter], program: Program, settings: SolveSettings, *, tested: bool
) -> SolverAnswer:
    """The answer of the adapter that ``adapter`` loads, after the test of convexity where
    ``tested``; without a point where it has none half a second after the time limit. Raises what
    they raise."""
    limit = math.inf if settings.time_limit is None else settings.time_limit
    plain = replace(settings, interrupt=None, options=dict(settings.options))
    try:
        with under(Told.of(settings)):
            return isolated(_answer, adapter, program, plain, time.time() + limit, tested)
    except OutOfBudget:
        return told_at_limit(SolverAnswer, settings)


def solve_beside(
    kind: type[Words],
    call: Callable[[Given, SolveSettings], Words],
    given: Given,
    settings: SolveSettings,
) -> Words:
    """call(given, settings) of an adapter, an answer of a ``kind``, in a thread: for a program with
    integers, as HiGHS's branch and bound can come into a loop that asks for no limit. Without a
    point half a second after the limit or an interrupt, of which the adapter knows too."""
    try:
        with under(Told.of(settings, HANDING_OVER)):
            return bounded(call, given, settings)
    except OutOfBudget:
        return told_at_limit(kind, settings)


def told_at_limit(kind: type[Words], settings: SolveSettings) -> Words:
    """What is told, as a ``kind`` of answers, of a solver that did not end by itself."""
    asked = settings.interrupt is not None and settings.interrupt()
    return kind(status=Status.INTERRUPTED if asked else Status.LIMIT, message=AT_LIMIT)


def _answer(
    adapter: Callable[[], Adapter],
    program: Program,
    settings: SolveSettings,
    end: float,
    tested: bool,
) -> SolverAnswer:
    loaded = adapter()
    if tested:
        from radprog.solvers.convexity import check_convex  # loads scipy

        check_convex(program)
    if settings.time_limit is not None:
        settings = replace(settings, time_limit=max(end - time.time(), 1e-3))
    return loaded.solve(program, settings)
