"""Who works on a sweep and what is kept of it, as it was asked for."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass

from radprog.decompositions.executors.serial import Serial
from radprog.decompositions.executors.units import Executor, Sweep, UnitAnswer
from radprog.decompositions.loop import Budget, Watcher
from radprog.instances.errors import OptionError

ALL = "all"


def cores() -> int:
    """Cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@dataclass(frozen=True, kw_only=True)
class Sharing:
    """jobs: processes of this machine, ``all``: one a core.

    Raises OptionError for other numbers of jobs.
    """

    jobs: int | str = 1

    def __post_init__(self) -> None:
        whole = isinstance(self.jobs, int) and not isinstance(self.jobs, bool)
        if self.jobs != ALL and not (whole and int(self.jobs) >= 1):
            raise OptionError(f"jobs {self.jobs}: expected a whole number >= 1, or {ALL}")

    @property
    def workers(self) -> int:
        """How many."""
        return cores() if self.jobs == ALL else int(self.jobs)

    @property
    def shared(self) -> bool:
        """Whether more than this process works."""
        return self.workers > 1

    def refuse_log(self, log: str | None) -> None:
        """OptionError where several processes were to write the log of a solver."""
        if log is not None and self.shared:
            raise OptionError(
                f"log {log}: {self.workers} processes cannot write one file: leave --log or "
                "--jobs out"
            )

    def executor(self, units: int) -> Executor:
        """One that starts now, for so many units; no more workers than these."""
        if not self.shared or units < 2:
            return Serial()
        from radprog.decompositions.executors.processes import Processes  # loads loky

        return Processes(min(self.workers, units))


ALONE = Sharing()


def parse_jobs(text: str) -> int | str:
    """``all`` or a number, which :class:`Sharing` checks; ValueError for another text."""
    return text if text == ALL else int(text)


def unwatched(done: int, total: int) -> None:
    """A watcher that looks away."""


def answers(
    sweep: Sweep, sharing: Sharing, budget: Budget, watch: Watcher = unwatched
) -> Iterator[UnitAnswer]:
    """An answer for every unit, in the order of the units, the same whoever works.

    watch: told how many fits of how many are done. Units that the budget leaves out are cut.
    """
    tally = _Tally(sum(unit.size for unit in sweep.units), watch)
    with sharing.executor(len(sweep.units)) as executor:
        yield from executor.answers(sweep, budget, tally.step, tally.ended)


@dataclass
class _Tally:
    """Fits that are done: counted one by one where a unit tells, else with its end."""

    total: int
    watch: Watcher
    done: int = 0
    told: int = 0  # by the unit that runs

    def step(self) -> None:
        self.done += 1
        self.told += 1
        self.watch(self.done, self.total)

    def ended(self, number: int, answer: UnitAnswer) -> None:
        """The rest of a unit's fits."""
        left = 0 if answer.cut else answer.unit.size - self.told
        self.told = 0
        if left > 0:
            self.done += left
            self.watch(self.done, self.total)
