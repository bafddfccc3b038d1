"""Units in the hands of workers: few more than these, lost ones again, answers in order."""

from __future__ import annotations

import contextlib
import time
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, CancelledError, Future, wait
from typing import Any, Self

from radprog.decompositions.executors.units import Sweep, Unit, UnitAnswer
from radprog.decompositions.loop import Budget
from radprog.instances.errors import UnitError
from radprog.instances.limits import OutOfBudget, under

AHEAD = 1  # units that wait where the workers are, so that none waits for the next one to travel
LOOK = 0.05  # seconds between two looks at the budget
#: What a sweep raises whose workers are out of reach: of sockets and pipes, of pools and clients
#: that are closed, of what was handed to them.
UNREACHABLE = (OSError, EOFError, RuntimeError, CancelledError)
PARTING = 3.0  # seconds that units have to hand over what they found, once the budget is spent


class WorkerLost(Exception):
    """A worker is gone, and with it units whose answers nobody will see; ``how`` it ended."""

    def __init__(self, how: str) -> None:
        super().__init__(how)
        self.how = how


class WorkerPool(ABC):
    """What executors with workers share; a kind of worker fills in the abstract parts."""

    width = 1  # units at once
    known: tuple[Any, Any] | None = None  # call and shared part that the workers have

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.leave(clean=error[0] is None)

    @abstractmethod
    def share(self, sweep: Sweep) -> None:
        """Make what is shared known to the workers, once each."""

    @abstractmethod
    def tell(self, news: Any) -> None:
        """Make the news of a sweep known to the workers, in place of those before."""

    @abstractmethod
    def submit(self, unit: Unit) -> Future[UnitAnswer]:
        """Hand a unit to a worker."""

    @abstractmethod
    def ask_to_stop(self) -> None:
        """Tell the units that run to end with what they have."""

    @abstractmethod
    def tend(self) -> None:
        """Look after the workers, now and then while units fly."""

    @abstractmethod
    def renew(self) -> None:
        """Workers again, after one was lost with all that ran."""

    @abstractmethod
    def leave(self, *, clean: bool) -> None:
        """End; not ``clean``: what still runs is ended too."""

    @abstractmethod
    def loss(self, error: BaseException) -> WorkerLost | None:
        """What the error of a future says of a lost worker, None where it is another one."""

    def answers(
        self,
        sweep: Sweep,
        budget: Budget,
        step: Callable[[], None],
        done: Callable[[int, UnitAnswer], None],
    ) -> Iterator[UnitAnswer]:
        """See :class:`~radprog.decompositions.executors.units.Executor`; steps are not told."""
        if not sweep.units:
            return
        with contextlib.suppress(OutOfBudget), under(budget):  # what is spent then is told below
            if self.known is None or any(
                old is not new
                for old, new in zip(self.known, (sweep.call, sweep.shared), strict=True)
            ):
                self.share(sweep)
                self.known = sweep.call, sweep.shared
            self.tell(sweep.news)
        flight = _Flight(self, sweep, budget, done)
        for number in range(len(sweep.units)):
            while number not in flight.found:
                flight.advance()
            yield flight.found.pop(number)


class _Flight:
    """Which units wait, which fly, and which may have ended their worker and fly alone."""

    def __init__(
        self,
        pool: WorkerPool,
        sweep: Sweep,
        budget: Budget,
        done: Callable[[int, UnitAnswer], None],
    ) -> None:
        self.pool, self.units, self.budget, self.done = pool, sweep.units, budget, done
        dearest = sorted(range(len(sweep.units)), key=lambda k: -sweep.units[k].weight)
        self.waiting, self.alone = deque(dearest), deque[int]()
        self.flying: dict[Future[UnitAnswer], int] = {}
        self.found: dict[int, UnitAnswer] = {}

    def advance(self) -> None:
        """Hand out what can be, then wait a moment for answers."""
        if self.budget.spent():
            self._end()
            return
        self.pool.tend()
        self._fill()
        lost = self._collect()
        if lost is not None:
            self._again(lost)

    def _fill(self) -> None:
        while self.alone and not self.flying:
            self._launch(self.alone[0])
        while not self.alone and self.waiting and len(self.flying) < self.pool.width + AHEAD:
            self._launch(self.waiting.popleft())

    def _launch(self, number: int) -> None:
        try:
            future = self.pool.submit(self.units[number])
        except Exception as error:  # a worker was lost since the last look
            future = Future()
            future.set_exception(error)
        self.flying[future] = number

    def _collect(self) -> tuple[WorkerLost, list[int]] | None:
        """Take in what is done; the units that were lost, if a worker was."""
        ended, _ = wait(self.flying, timeout=LOOK, return_when=FIRST_COMPLETED)
        how, numbers = None, []
        for future in sorted(ended, key=self.flying.__getitem__):
            number = self.flying.pop(future)
            error = CancelledError() if future.cancelled() else future.exception()
            loss = None if error is None else self.pool.loss(error)
            if loss is not None:
                how = loss
                numbers.append(number)
                continue
            unit = self.units[number]
            if error is not None:
                failure = UnitError(f"{unit.name}: {type(error).__name__}: {error}")
                self._take(number, UnitAnswer(unit=unit, error=failure))
            else:
                self._take(number, future.result())
        return None if how is None else (how, numbers)

    def _take(self, number: int, answer: UnitAnswer) -> None:
        if self.alone and self.alone[0] == number:
            self.alone.popleft()
        self.found[number] = answer
        self.done(number, answer)

    def _again(self, lost: tuple[WorkerLost, list[int]]) -> None:
        """All that flew is lost with the worker: each flies alone now, and one that ends its worker
        then has failed."""
        how, numbers = lost
        numbers = sorted({*numbers, *self.flying.values()})
        self.flying.clear()
        self.pool.renew()
        if self.alone:
            number = self.alone[0]
            unit = self.units[number]
            text = f"{unit.name}: its worker died ({how.how}), and again when it ran alone"
            hint = "it may need more memory than there is"
            self._take(number, UnitAnswer(unit=unit, error=UnitError(f"{text}: {hint}")))
        else:
            self.alone.extend(numbers)

    def _end(self) -> None:
        """The budget is spent: what hands over in time is kept, all else is cut."""
        if self.flying:
            self.pool.ask_to_stop()
        end = time.monotonic() + PARTING
        while self.flying and time.monotonic() < end:
            if self._collect() is not None:
                break
        for number, unit in enumerate(self.units):
            if number in self.flying.values() or number in self.alone or number in self.waiting:
                self.found[number] = UnitAnswer(unit=unit, cut=True)
            else:
                self.found.setdefault(number, UnitAnswer(unit=unit, cut=True))
        self.pool.leave(clean=not self.flying)
        self.flying.clear()
