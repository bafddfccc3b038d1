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

from radprog.instances.limits import Given, OutOfBudget, Result, bounded, isolated, limited, under
from radprog.solvers.answer import SolverAnswer
from radprog.solvers.declared import Adapter
from radprog.solvers.program import Program, SolveSettings, Status

LARGE_QUADRATIC = 250_000  # quadratic terms, from which one step of a solver may take long
LARGE_LINEAR = 250_000  # entries of rows, from which the set-up of a solver may
HANDING_OVER = 0.5  # seconds after the limit that a solver has to hand over what it found


@dataclass(frozen=True)
class Told:
    """The limit of a solver: a time by the wall clock, and whether it was interrupted."""

    end: float
    interrupted: Callable[[], bool] | None

    def spent(self) -> bool:
        """Whether to stop now."""
        return time.time() > self.end or (self.interrupted is not None and self.interrupted())


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
    told = Told(time.time() + limit + HANDING_OVER, settings.interrupt)
    plain = replace(settings, interrupt=None, options=dict(settings.options))
    try:
        with under(told):
            return isolated(_answer, adapter, program, plain, time.time() + limit, tested)
    except OutOfBudget:
        return answer_at_limit(settings)


def kept_to_limit(
    settings: SolveSettings,
    call: Callable[Given, Result],
    *args: Given.args,
    **kwargs: Given.kwargs,
) -> Result:
    """call(*args, **kwargs) of an adapter in a thread, for a program with integers: HiGHS's branch
    and bound can come into a loop that asks for no limit. OutOfBudget half a second after the limit
    or an interrupt, of which the adapter knows too."""
    limit = math.inf if settings.time_limit is None else settings.time_limit
    seen: list[float] = []

    def unheard() -> bool:
        if not seen and settings.interrupt is not None and settings.interrupt():
            seen.append(time.time())
        return bool(seen) and time.time() > seen[0] + HANDING_OVER

    with under(Told(time.time() + limit + HANDING_OVER, unheard)):
        return bounded(call, *args, **kwargs)


def answer_at_limit(settings: SolveSettings) -> SolverAnswer:
    """What is told of a solver that did not end by itself."""
    stopped = settings.interrupt is not None and settings.interrupt()
    status = Status.INTERRUPTED if stopped else Status.LIMIT
    return SolverAnswer(status=status, message="it was ended at the limit")


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
