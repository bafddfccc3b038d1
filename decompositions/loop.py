"""The loop of all methods. It repeats a step until a stop rule applies or the budget runs out."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import StrEnum

from radprog.base.errors import RadprogError, SolverError, StoppedError, UnfinishedError
from radprog.base.limits import Limit, OutOfBudget, under
from radprog.base.tolerances import GAP_FLOOR
from radprog.solvers.program import relative_gap, tolerance_met


class Reason(StrEnum):
    """The reason why a run stopped."""

    TOLERANCE = "tolerance"
    MAX_ITER = "max_iter"
    TIME_LIMIT = "time_limit"
    INTERRUPT = "interrupt"
    NO_COLUMN = "no_column"
    STALLED = "stalled"  # no further progress by the rule of the method
    CRITICAL = "critical_point"
    SOLVER = "solver"
    OWN_RULE = "own_rule"  # the user's stop rule

    @property
    def premature(self) -> bool:
        """Whether a limit or an interrupt ended the run before its stop rule applied."""
        limits = (Reason.MAX_ITER, Reason.TIME_LIMIT, Reason.INTERRUPT, Reason.OWN_RULE)
        return self in limits


@dataclass
class Budget(Limit):
    """The limit of a run. Solver callbacks poll :meth:`spent`."""

    kernels: float = 0.0  # seconds after which the kernels were computed and solving began

    @property
    def limit(self) -> float | None:
        """The time limit for a solver that starts now. It is at least one millisecond. If there is
        no limit, it is None.
        """
        return None if self.time_limit is None else max(1e-3, self.remaining)

    def check(self) -> None:
        """Raise OutOfBudget if the budget is spent."""
        if self.spent():
            raise OutOfBudget

    @property
    def reason(self) -> Reason:
        """The reason why the budget ended: the time limit or the interrupt."""
        return Reason.INTERRUPT if self.interrupted() else Reason.TIME_LIMIT

    @property
    def cut(self) -> Reason:
        """The reason why a limit ended a solver whose time limit was the remaining time.

        The reason is the interrupt or the time limit. Otherwise the solver reached its own limit,
        for example an iteration limit.
        """
        # solvers may leave a hundredth of a time limit
        if self.spent() or self.remaining < 1e-2 * (self.time_limit or 0.0):
            return self.reason
        return Reason.MAX_ITER


@contextmanager
def first_step(budget: Budget) -> Iterator[None]:
    """Apply a budget to the setup of a run and to its steps.

    Raises UnfinishedError if the budget runs out before the first step. Any OutOfBudget that the
    code in the block does not catch is converted as well. Code after the block, such as the
    certificate of the incumbent, runs without a limit.
    """
    try:
        with under(budget):
            if budget.spent():
                raise OutOfBudget
            yield
    except OutOfBudget:
        raise unfinished(budget) from None


def unfinished(budget: Budget) -> UnfinishedError:
    """The error for a run whose budget ended before the first step."""
    return UnfinishedError(f"{budget.reason.value}: ended before the first step")


def crossed(objective: float | None, bound: float | None, sense: int = 1) -> bool:
    """Whether the bound is on the wrong side of the objective by more than rounding errors.

    ``sense`` is 1 for a minimisation problem with a lower bound, and -1 for a maximisation problem.
    Two correct evaluations may differ by 1e-9 times the larger value plus 1e-12. If the bound
    crosses the objective by no more than this, both values are valid. The gap is then their
    absolute difference. If the difference is larger, one of the two is wrong, even if the gap is
    small.
    """
    if objective is None or bound is None:
        return False
    # rounding may carry a bound beyond its objective by 1e-9 of the larger, by 1e-12 next to 0
    allowed = 1e-9 * max(abs(objective), abs(bound)) + 1e-12
    return sense * (bound - objective) > allowed


@dataclass(frozen=True)
class Record:
    """One record in the trace of a run.

    Attributes
    ----------
    iteration : int
        Number of the iteration.
    seconds : float
        Time since the start of the run.
    objective, bound : float or None
        Best objective and best bound so far, in the sense of the model. A model that maximises,
        such as ``lpboost``, has an objective that rises and a bound from above.
    detail : mapping
        Further values reported by the method, by name (``columns``, ``master`` and others).

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
        """Relative gap between the objective and the bound."""
        return relative_gap(self.objective, self.bound)

    def __str__(self) -> str:
        best = {"objective": self.objective, "bound": self.bound}
        pair = "  ".join(f"{key} {'-' if x is None else f'{x:.9g}'}" for key, x in best.items())
        pair += " from above" if crossed(self.objective, self.bound) else ""  # of a maximum
        gap = "-" if self.gap is None else f"{self.gap:.1e}"
        columns = self.detail.get("columns")
        suffix = "" if columns is None else f"  columns {columns:.0f}"
        if "of" in self.detail:
            count = self.detail.get("done", self.detail.get("cells", 0.0))
            suffix += f"  {count:.0f} of {self.detail['of']:.0f} done"
        return f"{self.iteration:4d}  {self.seconds:8.2f} s  {pair}  gap {gap}{suffix}"


@dataclass(frozen=True)
class Stop:
    """A stop rule: the run ends for ``reason`` when ``holds`` is true of the trace so far.

    Before the first step the trace is empty. Rules about the state of a method ignore it.
    """

    reason: Reason
    holds: Callable[[Sequence[Record]], bool]


#: Stop when the oracle adds no column.
NOTHING_ADDED = Stop(
    Reason.NO_COLUMN, lambda trace: bool(trace) and trace[-1].detail.get("added") == 0
)


def max_iterations(limit: int) -> Stop:
    """Stop after ``limit`` iterations."""
    return Stop(Reason.MAX_ITER, lambda trace: len(trace) >= limit)


def stalled(decrease: float, reason: Reason = Reason.STALLED) -> Stop:
    """Stop when the last step decreased the objective by at most ``decrease`` (relative)."""

    def holds(trace: Sequence[Record]) -> bool:
        if len(trace) < 2:
            return False
        # the decrease of the last step, relative to the objective before it
        previous, current = trace[-2].objective, trace[-1].objective
        if previous is None or current is None:
            return False
        return previous - current <= decrease * max(abs(previous), GAP_FLOOR)

    return Stop(reason, holds)


def certified_by(
    objective: float | None, bound: float | None, tol: float, abs_tol: float, sense: int = 1
) -> str | None:
    """The tolerance that the recomputed objective and bound meet (:func:`tolerance_met`), or None.

    The result is None if the bound is on the wrong side of the objective (:func:`crossed`).
    """
    # a bound beyond the objective proves nothing, however small the gap
    if objective is None or bound is None or crossed(objective, bound, sense):
        return None
    return tolerance_met(objective, bound, tol, abs_tol)


Observer = Callable[[Record], None]
Watcher = Callable[[int, int], None]  # how many are done, of how many
NamedWatcher = Callable[[str, int, int], None]  # the same of what has a name
Step = Callable[[int, Budget], Record]


def print_record(record: Record) -> None:
    """An observer that prints each record to stderr."""
    sys.stderr.write(f"{record}\n")


def ignore(record: Record) -> None:
    """An observer that ignores all records."""


@dataclass
class Loop:
    """The loop of a method, with what a round does not see: stop rules, budget, observer and
    failures.

    ``for number in loop:`` repeats until a rule in ``stops`` applies or the budget runs out, and
    ``with loop.round():`` surrounds each round, to which the budget applies
    (:mod:`radprog.base.limits`). The failure of a solver, or of a function of the user's, is
    raised. If there is a list ``failures``, the error is appended to this list instead, and the
    loop ends with its trace. If ``needed`` is True and the budget runs out before the first round
    finishes, OutOfBudget is raised.
    """

    stops: Sequence[Stop]
    budget: Budget
    observe: Observer = ignore
    failures: list[RadprogError] | None = None
    needed: bool = False
    trace: list[Record] = field(default_factory=list)
    reason: Reason = Reason.SOLVER  # once it has ended
    _ended: bool = False

    def __iter__(self) -> Iterator[int]:
        while not self._ended:
            # rules in order: the first that applies is the reason
            for stop in self.stops:
                if stop.holds(self.trace):
                    self.reason = stop.reason
                    return
            if self.budget.spent():
                if self.needed and not self.trace:
                    raise OutOfBudget
                self.reason = self.budget.reason
                return
            yield len(self.trace)

    @contextmanager
    def round(self) -> Iterator[None]:
        """The context of a round, which appends its record to ``trace``."""
        try:
            with under(self.budget):
                yield
        # a limit inside a round: what the finished ones left is the answer
        except OutOfBudget:
            if self.needed and not self.trace:
                raise
            self.reason, self._ended = self.budget.reason, True
        except (SolverError, StoppedError) as error:
            if self.failures is None:
                raise
            self.failures.append(error)
            self._ended = True
        else:
            self.observe(self.trace[-1])


def run(
    step: Step,
    stops: Sequence[Stop],
    budget: Budget,
    observe: Observer = ignore,
    failures: list[RadprogError] | None = None,
    *,
    needed: bool = False,
) -> tuple[Reason, list[Record]]:
    """Repeat ``step`` in a :class:`Loop`, and return the reason of its end and its trace."""
    loop = Loop(stops, budget, observe, failures, needed)
    for number in loop:
        with loop.round():
            loop.trace.append(step(number, budget))
    return loop.reason, loop.trace
