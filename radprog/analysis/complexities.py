"""Rademacher complexities of the classes behind the classifiers, under the same sign vectors."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from radprog.base.errors import OptionError, UnfinishedError
from radprog.base.limits import OutOfBudget, poll, under
from radprog.base.sections import Part, Report
from radprog.base.types import FloatArray
from radprog.catalog import Entry, entry_of
from radprog.decompositions.executors.checkpoint import identity_of
from radprog.decompositions.executors.sharing import Sharing, answers
from radprog.decompositions.executors.units import Inside, Partial, Sweep, Unit
from radprog.decompositions.loop import Budget, NamedWatcher, first_step, never
from radprog.decompositions.questions import FunctionClass
from radprog.decompositions.run import RunSettings, Spec
from radprog.models.complexity import SIGN_KINDS, estimate_of, sign_blocks
from radprog.models.settings import function
from radprog.result import data_block, radprog_version, suited
from radprog.telling.analyses import class_parts


class Complexities(Report):
    """Complexities of classes, printed as ``radprog complexity`` does.

    A mapping: ``model``, ``kind``; ``classes``, of each the name ``class``, value, standard_error,
    certified_upper and upper_by (None where none is known); ``complete``: no limit cut it off.
    """

    def _parts(self) -> list[Part]:
        return class_parts(self)


def complexity(
    spec: Spec,
    data: Any,
    *,
    trials: int = 100,
    exact: bool = False,
    kind: str = SIGN_KINDS[0],
    seed: int = 0,
    time_limit: float | None = None,
    interrupted: Callable[[], bool] = never,
    used: float = 0.0,
    jobs: int | str = 1,
    checkpoint: str | Path | None = None,
    scheduler: str | None = None,
    insecure: bool = False,
    watch: NamedWatcher = lambda name, done, total: None,
) -> Complexities:
    """Estimate (1/m) E sup_h sum sigma_i h(x_i) of every class of functions of a classifier.

    trials: random sign vectors; exact: all of them in their place (few points). kind: rademacher,
    or discrepancy: sign vectors that sum to 0. time_limit keeps what is done; used: seconds of it
    that are gone. jobs: processes that share the work, scheduler: those of a dask cluster;
    checkpoint: a folder that keeps what is done. watch is told a class, and how many sign vectors
    of how many are done.
    ``classes`` have value, standard error, trials, whether suprema are exact, and a certified upper
    bound where there is one. Raises OptionError, DataError, UnfinishedError.
    """
    entry = entry_of(spec)
    function("watch", watch)
    if trials is None:
        raise OptionError("trials None: expected a whole number, or exact for all sign vectors")
    asked = RunSettings(
        seed=seed,
        time_limit=time_limit,
        interrupted=interrupted,
        used=used,
        sharing=Sharing(jobs=jobs, scheduler=scheduler, insecure=insecure, checkpoint=checkpoint),
    )
    return Complexities(
        complexity_table(
            entry,
            spec,
            suited(entry, data),
            trials=None if exact else trials,
            kind=kind,
            settings=asked,
            watch=watch,
        )
    )


MOST_UNITS = 32  # of one class: sign vectors are handed out in so many parts


def complexity_table(
    entry: Entry,
    spec: Spec,
    data: Any,
    *,
    trials: int | None,
    kind: str,
    settings: RunSettings,
    watch: NamedWatcher = lambda name, done, total: None,
) -> dict[str, Any]:
    """(1/m) E sup_h sum sigma_i h(x_i) of every class of a model.

    trials: random sign vectors, or None for all of them (few points). Of the settings, seed, limits
    and ``sharing`` count. Rows hold value, standard error, trials, whether suprema are exact, and a
    certified upper bound where there is one; it is of random signs, not of the discrepancy. A limit
    leaves out sign vectors. Raises OptionError, DataError, UnfinishedError.
    """
    budget, signs = settings.budget(), (trials, settings.seed, kind)
    asked = _Asked(entry=entry, spec=spec, data=data, signs=signs)
    with first_step(budget):
        # the classes and the division of their sign vectors into units
        classes = asked.classes()
        units = [unit for number in range(len(classes)) for unit in asked.units(number)]
    # units are pure functions: any number of workers finds the same suprema
    sweep = Sweep(
        call=_suprema,
        shared=asked,
        units=units,
        identity={**identity_of([spec], data, settings), "signs": list(signs)},
    )
    # sign vectors of every class, for the progress line
    totals = [sum(unit.size for unit in units if unit.item[0] == k) for k in range(len(classes))]

    def told(done: int, total: int) -> None:
        at = next(k for k in range(len(totals)) if done <= sum(totals[: k + 1]))
        watch(classes[at].name, done - sum(totals[:at]), totals[at])

    # suprema by class, in the order of the sign vectors
    values, cut = [list[float]() for _ in classes], False
    for answer in answers(sweep, settings.sharing, budget, told):
        if answer.error is not None:
            raise answer.error
        values[answer.unit.item[0]] += answer.value or []
        cut = cut or answer.cut
    rows = list(_rows(classes, values, totals, trials, kind))
    if not rows:
        raise _unfinished(budget)
    # a limit leaves out sign vectors: the estimate is over those that are done
    complete = not cut
    return {
        "schema": 1,
        "radprog": radprog_version(),
        "model": entry.name,
        "params": {key: value for key, value in asdict(spec).items() if value is not None},
        "kind": kind,
        "seed": settings.seed,
        "enumerated": trials is None,
        "complete": complete,
        "stopped_by": "completion" if complete else budget.reason.value,
        "data": data_block(data),
        "classes": rows,
    }


def _rows(
    classes: Sequence[FunctionClass],
    values: Sequence[Sequence[float]],
    totals: Sequence[int],
    trials: int | None,
    kind: str,
) -> Iterator[dict[str, Any]]:
    """A line for every class of which enough sign vectors are done."""
    for item, found, total in zip(classes, values, totals, strict=True):
        estimate = estimate_of(np.array(found), total, enumerated=trials is None, exact=item.exact)
        if estimate is not None:
            upper = (item.upper, item.upper_by) if kind == "rademacher" else (None, None)
            row = {"class": item.name, **asdict(estimate)}
            yield row | dict(zip(("certified_upper", "upper_by"), upper, strict=True))


def _unfinished(budget: Budget) -> UnfinishedError:
    return UnfinishedError(f"{budget.reason.value}: ended before two sign vectors were done")


@dataclass(kw_only=True)
class _Asked:
    """The classes of a model, made once in every process that asks, and their sign vectors."""

    entry: Entry
    spec: Spec
    data: Any
    signs: tuple[int | None, int, str]
    made: list[FunctionClass] | None = None
    drawn: tuple[int, list[FloatArray]] | None = None  # a class and its sign vectors

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "made": None, "drawn": None}

    def classes(self) -> list[FunctionClass]:
        if self.made is None:
            make = self.entry.hook("classes", self.data)
            self.data.alike("this complexity")
            self.made = make(self.spec, self.data, self.signs[1])
        return self.made

    def blocks(self, number: int) -> list[FloatArray]:
        """The sign vectors of a class, so many as are taken at once."""
        if self.drawn is None or self.drawn[0] != number:
            trials, seed, kind = self.signs
            item = self.classes()[number]
            blocks = sign_blocks(item.m, trials, seed, kind, exact=item.exact)
            self.drawn = number, blocks
        return self.drawn[1]

    def units(self, number: int) -> list[Unit]:
        """Runs of blocks of a class."""
        item, blocks = self.classes()[number], self.blocks(number)
        # blocks in at most 32 units a class
        size = math.ceil(len(blocks) / MOST_UNITS)
        return [
            Unit(
                name=f"{item.name}, blocks {first + 1} to {first + len(blocks[first:][:size])}",
                item=(number, first, size),
                size=sum(map(len, blocks[first : first + size])),
            )
            for first in range(0, len(blocks), size)
        ]


def _suprema(asked: _Asked, place: tuple[int, int, int], inside: Inside) -> Any:
    """The suprema over m of a run of sign vectors; those before a cut."""
    number, first, size = place
    found: list[float] = []
    budget = Budget(None, inside.interrupted)
    try:
        with under(budget):
            item = asked.classes()[number]
            # (1/m) sup_h sum sigma_i h(x_i) of every sign vector of a block
            for signs in asked.blocks(number)[first : first + size]:
                poll()
                found += (np.asarray(item.suprema(signs), dtype=np.float64) / item.m).tolist()
                for _ in signs:
                    inside.step()
                if budget.spent():
                    break
    except OutOfBudget:
        return Partial(found)
    # fewer than the unit has: it was cut off
    whole = asked.blocks(number)[first : first + size]
    return found if len(found) == sum(map(len, whole)) else Partial(found)
