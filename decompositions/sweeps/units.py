"""Units of a sweep, what becomes of them, and what an executor is."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, Self

from radprog.base.errors import OptionError, RadprogError, UnitError
from radprog.base.limits import OutOfBudget
from radprog.decompositions.loop import Budget, never
from radprog.decompositions.threads import held_to

LOCAL_CLUSTER = "local"


def uncounted() -> None:
    """A step that nobody counts."""


@dataclass(frozen=True, kw_only=True)
class Unit:
    """One piece of a sweep. name: its input in words; item: its own part of the call's input,
    which can be pickled; size: how many fits it holds; weight: how expensive it is beside the
    others; workers begin with the most expensive, lest all wait for it in the end.
    """

    name: str
    item: Any
    size: int = 1
    weight: float = 1.0


@dataclass(frozen=True)
class Inside:
    """What a unit's call receives: whether to stop, a counter of finished fits, and the news of
    the sweep.
    """

    interrupted: Callable[[], bool] = never
    step: Callable[[], None] = uncounted
    news: Any = None


@dataclass(frozen=True)
class Partial:
    """What a unit's call returns that was cut off and has something to show."""

    value: Any


Call = Callable[[Any, Any, Inside], Any]


@dataclass(frozen=True, kw_only=True)
class Sweep:
    """call(shared, unit.item, inside) for every unit.

    call: a function of a module, which returns plain values, a Partial where it was cut off, or
    raises OutOfBudget then. shared: what all units use, data above all; it travels once per worker,
    also where an executor is given several sweeps with one and the same call and object. news: what
    all units of this one sweep use, which travels once per worker too. identity: plain values that
    decide the answers beside the units, for a checkpoint.
    """

    call: Call
    shared: Any
    units: Sequence[Unit]
    news: Any = None
    identity: Mapping[str, Any] = field(default_factory=dict)

    def dearest_first(self) -> list[int]:
        """The numbers of its units."""
        return sorted(range(len(self.units)), key=lambda number: -self.units[number].weight)


@dataclass(frozen=True, kw_only=True)
class UnitAnswer:
    """What became of a unit: its value, or why there is none. cut: it was stopped or not begun,
    and the value, if there is one, is a part."""

    unit: Unit
    value: Any = None
    error: RadprogError | None = None
    cut: bool = False


Answers = Generator[tuple[int, UnitAnswer], None, None]


class Executor(Protocol):
    """Works on units, ``width`` at once; a context, at whose end nothing of it runs. It takes one
    sweep after another until the budget of one was spent."""

    width: int

    def __enter__(self) -> Self: ...

    def __exit__(self, *error: object) -> None: ...

    def answers(self, sweep: Sweep, budget: Budget, step: Callable[[], None]) -> Answers:
        """Yield number and answer of units as they end, in any order; a spent budget leaves units
        out. step: called for every fit that a unit counts, where the executor can tell.

        Raises ConnectionLostError where no worker can be reached any more.
        """
        ...


class Serial:
    """Works on the units in order, in this process."""

    width = 1

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        return None

    def answers(self, sweep: Sweep, budget: Budget, step: Callable[[], None]) -> Answers:
        """See :class:`Executor`."""
        inside = Inside(budget.spent, step, sweep.news)
        for number, unit in enumerate(sweep.units):
            if budget.spent():
                return
            yield number, performed(sweep.call, sweep.shared, unit, inside)


def performed(call: Call, shared: Any, unit: Unit, inside: Inside) -> UnitAnswer:
    """The answer of one unit, in this process, with one thread of linear algebra: the same bytes
    everywhere. An error that nobody foresaw becomes a UnitError that names the unit."""
    # one thread: sums of several differ in their last digits
    try:
        with held_to(1):
            value = call(shared, unit.item, inside)
    except OutOfBudget:
        return UnitAnswer(unit=unit, cut=True)
    except RadprogError as error:
        return UnitAnswer(unit=unit, error=error)
    except Exception as error:
        failure = UnitError(f"{unit.name}: {type(error).__name__}: {error}")
        failure.__cause__ = error
        return UnitAnswer(unit=unit, error=failure)
    # cut off, with a part to show
    if isinstance(value, Partial):
        return UnitAnswer(unit=unit, value=value.value, cut=True)
    return UnitAnswer(unit=unit, value=value)


def packed_sweep(sweep: Sweep, option: str) -> bytes:
    """What the units of a sweep share, as it travels.

    Raises OptionError where something in it cannot travel: ``option`` asked for that.
    """
    import cloudpickle

    try:
        blob: bytes = cloudpickle.dumps((sweep.call, sweep.shared))
    except Exception as error:
        name = option.partition(" ")[0]
        raise OptionError(
            f"{option}: what all fits share cannot be handed to another process ({error}): leave "
            f"--{name} out"
        ) from None
    return blob
