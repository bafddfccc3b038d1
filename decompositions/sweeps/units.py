"""Units of a sweep, their answers, and the executors that run them."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

from radprog.base.errors import OptionError, RadprogError, UnitError
from radprog.base.limits import OutOfBudget, held_to, never
from radprog.decompositions.loop import Budget

LOCAL_CLUSTER = "local"


def ignore_step() -> None:
    """A step that is not counted."""


@dataclass(frozen=True, kw_only=True)
class Unit:
    """One part of a sweep.

    ``name`` describes the input of the unit. ``item`` is the input of this unit only. It can be
    pickled. ``size`` is the number of fits in the unit, and ``weight`` is its relative cost.
    Workers start with the most expensive unit, so that they need not wait for it at the end.
    """

    name: str
    item: Any
    size: int = 1
    weight: float = 1.0


@dataclass(frozen=True)
class Inside:
    """The arguments of the call that computes a unit: a function that returns whether to stop, a
    counter of finished fits, and ``news``.
    """

    interrupted: Callable[[], bool] = never
    step: Callable[[], None] = ignore_step
    news: Any = None


Call = Callable[[Any, Any, Inside], Any]


@dataclass(frozen=True, kw_only=True)
class Sweep:
    """A sweep. It computes ``call(shared, unit.item, inside)`` for all units.

    ``call`` is a module function that returns plain values. If it ends early, it raises
    OutOfBudget, with any partial result. ``shared`` contains the common data of all units, mainly
    the data set. These data are sent to each worker once. Consecutive sweeps with the same ``call``
    and the same ``shared`` object reuse them.
    ``news`` contains common data for this sweep only. For a checkpoint, ``identity`` contains plain
    values. Together with the units, they determine the answers.
    """

    call: Call
    shared: Any
    units: Sequence[Unit]
    news: Any = None
    identity: Mapping[str, Any] = field(default_factory=dict)

    def dearest_first(self) -> list[int]:
        """The indices of the units in order of decreasing cost."""
        return sorted(range(len(self.units)), key=lambda number: -self.units[number].weight)


@dataclass(frozen=True, kw_only=True)
class UnitAnswer:
    """The answer of a unit: its value, or the reason why it has no value.

    If ``cut`` is True, the unit was stopped or not started. Any value is then partial.
    """

    unit: Unit
    value: Any = None
    error: RadprogError | None = None
    cut: bool = False


Answers = Generator[tuple[int, UnitAnswer], None, None]


class Executor:
    """An executor that runs the units in order, in this process.

    Others run ``width`` units at once. It is a context manager; no work is running when it exits.
    It accepts one sweep after another until the budget of a sweep runs out.
    """

    width = 1

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        return None

    def answers(self, sweep: Sweep, budget: Budget, step: Callable[[], None]) -> Answers:
        """Yield the index and the answer of each finished unit, in any order. If the budget runs
        out, some units are missing.

        If the executor can report fits, ``step`` is called for each fit that a unit counts. Raises
        UnitError if no worker can be reached.
        """
        inside = Inside(budget.spent, step, sweep.news)
        for number, unit in enumerate(sweep.units):
            if budget.spent():
                return
            yield number, perform_unit(sweep.call, sweep.shared, unit, inside)


def perform_unit(call: Call, shared: Any, unit: Unit, inside: Inside) -> UnitAnswer:
    """The answer of one unit, computed in this process with one linear algebra thread.

    The answer is bitwise equal in every process. An unexpected error becomes a UnitError with the
    name of the unit.
    """
    # one thread: sums of several differ in their last digits
    try:
        with held_to(1):
            value = call(shared, unit.item, inside)
    except OutOfBudget as stop:
        return UnitAnswer(unit=unit, value=stop.partial, cut=True)
    except RadprogError as error:
        return UnitAnswer(unit=unit, error=error)
    except Exception as error:
        failure = UnitError(f"{unit.name}: {type(error).__name__}: {error}")
        failure.__cause__ = error
        return UnitAnswer(unit=unit, error=failure)
    return UnitAnswer(unit=unit, value=value)


def new_shared(sweep: Sweep, prior: Sweep | None, option: str) -> bytes | None:
    """The common data of a sweep, pickled for sending, or None if they are those of the last one.

    Raises OptionError if an object cannot be sent; ``option`` is the option that requires it.
    """
    import cloudpickle

    if prior is not None and prior.call is sweep.call and prior.shared is sweep.shared:
        return None
    try:
        blob: bytes = cloudpickle.dumps((sweep.call, sweep.shared))
    except Exception as error:
        name = option.partition(" ")[0]
        raise OptionError(
            f"{option}: what all fits share cannot be handed to another process ({error}): leave "
            f"`{name}` out"
        ) from None
    return blob
