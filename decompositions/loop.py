"""The one loop: a step is repeated until a stop rule fires or the budget is spent."""

from __future__ import annotations

import math
import signal
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from radprog.base.errors import OptionError, SolverError, UnfinishedError
from radprog.base.limits import OutOfBudget, under
from radprog.base.tolerances import CROSSING, CROSSING_FLOOR, GAP_FLOOR

TIME_ROUNDING = 1e-2  # share of a time limit that solvers may leave
STOPS = signal.SIGINT, signal.SIGTERM, signal.SIGHUP  # a process that gets one ends as at a limit


class Reason(StrEnum):
    """Why a run stopped."""

    TOLERANCE = "tolerance"
    MAX_ITER = "max_iter"
    TIME_LIMIT = "time_limit"
    INTERRUPT = "interrupt"
    NO_COLUMN = "no_column"
    STALLED = "stalled"
    CRITICAL = "critical_point"
    SOLVER = "solver"

    @property
    def premature(self) -> bool:
        """Whether the run was cut off from outside before it ended by its own rule."""
        return self in (Reason.MAX_ITER, Reason.TIME_LIMIT, Reason.INTERRUPT)


def never() -> bool:
    """An interrupt flag that nobody raises."""
    return False


@dataclass
class Budget:
    """Seconds left and the interrupt flag; solver callbacks poll :meth:`spent`.

    used: seconds of the limit that were gone before the start; started: when that was.
    """

    time_limit: float | None = None
    interrupted: Callable[[], bool] = never
    used: float = 0.0
    started: float = field(default_factory=time.perf_counter)
    kernels: float = 0.0  # seconds after which the kernels were there

    def __post_init__(self) -> None:
        if self.time_limit is not None and not self.time_limit > 0:
            raise OptionError(f"time_limit {self.time_limit:g}: expected a positive number")

    @property
    def seconds(self) -> float:
        """Seconds since the start."""
        return time.perf_counter() - self.started

    @property
    def remaining(self) -> float:
        """Seconds left; infinite without a limit."""
        return math.inf if self.time_limit is None else self.time_limit - self.used - self.seconds

    @property
    def limit(self) -> float | None:
        """The time limit of a solver that starts now, at least a millisecond; None without one."""
        return None if self.time_limit is None else max(1e-3, self.remaining)

    def spent(self) -> bool:
        """Whether to stop now."""
        return self.interrupted() or self.remaining <= 0

    def check(self) -> None:
        """Raise OutOfBudget when spent."""
        if self.spent():
            raise OutOfBudget

    @property
    def reason(self) -> Reason:
        """Which of the two ended it."""
        return Reason.INTERRUPT if self.interrupted() else Reason.TIME_LIMIT

    @property
    def cut(self) -> Reason:
        """Why a solver that was handed the time left ended at a limit: a limit of its own, such as
        one on iterations, unless interrupt or time did it."""
        if self.spent() or self.remaining < TIME_ROUNDING * (self.time_limit or 0.0):
            return self.reason
        return Reason.MAX_ITER

    def ready(self) -> None:
        """The kernels are there: what comes now is solving."""
        self.kernels = self.seconds

    def times(self) -> dict[str, float]:
        """The ``time`` block of a result that is finished now."""
        total = self.seconds
        solve = max(0.0, total - self.kernels)
        return {"kernels": self.kernels, "build": 0.0, "solve": solve, "total": total}


@contextmanager
def first_step(budget: Budget) -> Iterator[None]:
    """Put a budget in force over the set-up of a run and its steps.

    Raises UnfinishedError where it is spent before there is a first step to keep: a call below
    raised OutOfBudget, and nobody caught it. What comes after the block, such as the certificate
    of the incumbent, runs without a limit.
    """
    try:
        with under(budget):
            budget.check()
            yield
    except OutOfBudget:
        raise unfinished(budget) from None


def unfinished(budget: Budget) -> UnfinishedError:
    """The error of a run that its budget ended before there was a first step."""
    return UnfinishedError(f"{budget.reason.value}: ended before the first step")


@dataclass
class Pace:
    """How long a sweep still takes, at the pace of the last half of its time: units kept by an
    earlier run are there at once, and units of one kind are unlike those of another."""

    _marks: list[tuple[float, int]] = field(default_factory=lambda: [(0.0, 0)])

    def left(self, seconds: float, done: int, total: int) -> float:
        """Seconds left when ``done`` units of ``total`` are there after ``seconds``."""
        # keep the marks of the last half of the time: the pace of now
        self._marks.append((seconds, done))
        while len(self._marks) > 2 and self._marks[1][0] <= seconds / 2:
            del self._marks[0]
        then, before = self._marks[0]
        return (seconds - then) / max(done - before, 1) * (total - done)


def relative_gap(objective: float | None, bound: float | None) -> float | None:
    """|objective - bound| / max(|objective|, 1e-10); None if either is missing."""
    if objective is None or bound is None:
        return None
    return abs(objective - bound) / max(abs(objective), GAP_FLOOR)


def crossed(objective: float | None, bound: float | None, sense: int = 1) -> bool:
    """Whether the bound lies beyond the objective by more than rounding: then one of them is wrong.

    sense: 1 of a minimisation, whose bound is a lower one; -1 of a maximisation. What two correct
    evaluations may be apart is taken as 1e-9 of the larger value plus 1e-12; such a pair is left as
    it is, and its gap is the distance. Anything above is no certificate, however small its gap.
    """
    if objective is None or bound is None:
        return False
    # what two correct evaluations may be apart
    allowed = CROSSING * max(abs(objective), abs(bound)) + CROSSING_FLOOR
    return sense * (bound - objective) > allowed


@dataclass(frozen=True)
class Record:
    """One line of a trace.

    Attributes
    ----------
    iteration : int
        Its number.
    seconds : float
        Since the run began.
    objective, bound : float or None
        The best known by then.
    detail : mapping
        Numbers that a driver adds, by name (``columns``, ``master`` and others).

    Examples
    --------
    >>> import numpy as np
    >>> import radprog as rp
    >>> data = rp.dataset(np.arange(6.0)[:, None], [-1, -1, 1, -1, 1, 1])
    >>> trace = rp.fit(rp.VKR(kernels="poly:1"), data).trace
    >>> trace[-1].bound <= trace[-1].objective <= trace[0].objective
    True
    """

    iteration: int
    seconds: float
    objective: float | None
    bound: float | None
    detail: Mapping[str, float] = field(default_factory=dict)

    @property
    def gap(self) -> float | None:
        """Relative gap between objective and bound."""
        return relative_gap(self.objective, self.bound)


class Stop(Protocol):
    """A rule over the trace so far, which is empty before the first step."""

    @property
    def reason(self) -> Reason:
        """What the run says when this rule ends it."""
        ...

    def __call__(self, trace: Sequence[Record]) -> bool:
        """Whether to stop after the last record."""
        ...


@dataclass(frozen=True)
class GapReached:
    """Stop when the gap is within ``tol`` (relative) or ``abs_tol`` (absolute)."""

    tol: float
    abs_tol: float
    sense: int = 1
    reason = Reason.TOLERANCE

    def __call__(self, trace: Sequence[Record]) -> bool:
        if not trace:
            return False
        pair = trace[-1].objective, trace[-1].bound
        return certified_by(*pair, self.tol, self.abs_tol, self.sense) is not None


@dataclass(frozen=True)
class MaxIterations:
    """Stop after ``limit`` iterations."""

    limit: int
    reason = Reason.MAX_ITER

    def __call__(self, trace: Sequence[Record]) -> bool:
        return len(trace) >= self.limit


@dataclass(frozen=True)
class NothingAdded:
    """Stop when the oracle added no column."""

    reason = Reason.NO_COLUMN

    def __call__(self, trace: Sequence[Record]) -> bool:
        return bool(trace) and trace[-1].detail.get("added") == 0


@dataclass(frozen=True)
class Stalled:
    """Stop when the objective fell by no more than ``decrease`` (relative) in the last step."""

    decrease: float
    reason = Reason.STALLED

    def __call__(self, trace: Sequence[Record]) -> bool:
        if len(trace) < 2:
            return False
        # the decrease of the last step, relative to the objective before it
        before, now = trace[-2].objective, trace[-1].objective
        if before is None or now is None:
            return False
        return before - now <= self.decrease * max(abs(before), GAP_FLOOR)


def certified_by(
    objective: float | None, bound: float | None, tol: float, abs_tol: float, sense: int = 1
) -> str | None:
    """Which tolerance the recomputed pair meets (:func:`tolerance_met`), or None, which a bound
    beyond the objective (:func:`crossed`) always gets."""
    # a bound beyond the objective proves nothing, however small the gap
    if objective is None or bound is None or crossed(objective, bound, sense):
        return None
    return tolerance_met(objective, bound, tol, abs_tol)


def tolerance_met(objective: float, bound: float, tol: float, abs_tol: float) -> str | None:
    """Which one the distance of the pair meets: "tol", "abs-tol" or None. Where a gap meets ``tol``
    since a small objective counts as 1e-10 in it, its difference does, and not its share of the
    objective."""
    # GAP_FLOOR makes the gap of a tiny objective smaller than its share
    gap, difference = relative_gap(objective, bound), abs(objective - bound)
    close = gap is not None and gap <= tol
    if close and difference <= tol * abs(objective):
        return "tol"
    return "abs-tol" if close or difference <= abs_tol else None


Observer = Callable[[Record], None]
Watcher = Callable[[int, int], None]  # how many are done, of how many
NamedWatcher = Callable[[str, int, int], None]  # the same of what has a name
Step = Callable[[int, Budget], Record]


def ignore(record: Record) -> None:
    """An observer that looks away."""


def run(
    step: Step,
    stops: Sequence[Stop],
    budget: Budget,
    observe: Observer = ignore,
    failures: list[SolverError] | None = None,
    *,
    needed: bool = False,
) -> tuple[Reason, list[Record]]:
    """Repeat ``step`` until a rule of ``stops`` fires or the budget is spent.

    Returns the reason and the trace of finished steps. Rules are asked in order. The budget is in
    force in every step (:mod:`radprog.base.limits`). A solver's failure is raised, or, where
    ``failures`` collects it, ends the run and keeps the trace. needed: OutOfBudget is raised where
    no step is finished, since there is no answer then.
    """
    trace: list[Record] = []
    while True:
        # rules in order: the first that fires is the reason
        for stop in stops:
            if stop(trace):
                return stop.reason, trace
        try:
            with under(budget):
                budget.check()
                trace.append(step(len(trace), budget))
        # a limit inside a step: what the finished ones left is the answer
        except OutOfBudget:
            if needed and not trace:
                raise
            return budget.reason, trace
        except SolverError as error:
            if failures is None:
                raise
            failures.append(error)
            return Reason.SOLVER, trace
        observe(trace[-1])
