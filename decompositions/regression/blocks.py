"""Descents of a regression in blocks, of starts or of sign vectors, by whoever works.

What a block is depends on the problem alone, and each draws from a seed of its own, so that the
answer is the same for any number of workers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np

from radprog.decompositions.executors.checkpoint import identity_of
from radprog.decompositions.executors.sharing import answers
from radprog.decompositions.executors.units import Inside, Partial, Sweep, Unit
from radprog.decompositions.loop import Budget, Observer, Pace, Reason, Record, ignore
from radprog.decompositions.regression.cccp import (
    DescentSettings,
    Fits,
    SignedFits,
    StepCounts,
    descend_from,
    start_kinds,
)
from radprog.decompositions.run import RunSettings
from radprog.decompositions.threads import single_threaded
from radprog.instances.regression import RegressionData

STARTS = 5  # that descend together, as many as a fit has where nothing is said
MULTIPLIED = 2**28  # numbers that an iteration of a block of starts may multiply


@dataclass(frozen=True)
class Portion:
    """Numbers ``first`` to ``end - 1`` of what is divided, and the seed of what they draw."""

    first: int
    end: int
    seed: int | tuple[int, ...]

    @property
    def size(self) -> int:
        """How many."""
        return self.end - self.first

    @property
    def rng(self) -> np.random.Generator:
        """What the block draws from."""
        return np.random.default_rng(self.seed)


def blocks_of(count: int, size: int, seed: int | tuple[int, ...]) -> list[Portion]:
    """Blocks of ``size`` of ``count``; the first draws from ``seed``, block b from (seed, b)."""
    plain = seed if isinstance(seed, tuple) else (seed,)
    return [
        Portion(first, min(first + size, count), (*plain, b) if b else seed)
        for b, first in enumerate(range(0, count, size))
    ]


#: Descends the batch of a block, of what all share: a function of a module.
Descend = Callable[[Any, Portion, RunSettings, Budget, Observer], Fits]


@dataclass(frozen=True, kw_only=True)
class Descents:
    """Blocks, how each descends, and what they share. unit: what a block is of, in words."""

    descend: Descend
    shared: Any
    blocks: Sequence[Portion]
    unit: str
    spec: Any
    data: RegressionData

    def fits(self, settings: RunSettings, budget: Budget, joined: Joined) -> Iterator[Fits]:
        """What every block finds, in order, taken in by ``joined``; of a block that a cut strikes
        what it has reached, and none after it. In one process the first is always there."""
        settings.sharing.refuse_log(settings.log)
        found, left = self._here(settings, budget, joined), len(self.blocks)
        if settings.sharing.shared or settings.sharing.checkpoint is not None:
            found = self._shared(settings, budget)
        for fits in found:
            left -= 1
            joined.take(fits)
            yield fits
            if fits.cut:
                return
        if left:
            joined.reason = budget.reason

    def _here(self, settings: RunSettings, budget: Budget, joined: Joined) -> Iterator[Fits]:
        def observe(record: Record) -> None:
            settings.observe(joined.seen(record))

        descend = single_threaded(self.descend)
        for number, block in enumerate(self.blocks):
            if number and budget.spent():
                return
            yield descend(self.shared, block, settings, budget, observe)

    def _shared(self, settings: RunSettings, budget: Budget) -> Iterator[Fits]:
        alone, before, pace = settings.for_units(), 0.0, Pace()
        units = [
            Unit(name=f"{self.unit} {block.first} to {block.end - 1}", item=block, size=block.size)
            for block in self.blocks
        ]
        sweep = Sweep(
            call=_descended,
            shared=(self.descend, self.shared, alone),
            units=units,
            identity=identity_of([self.spec], self.data, alone) | {"blocks": self.unit},
        )

        def watch(done: int, total: int) -> None:
            left = pace.left(budget.seconds, done, total)
            detail = {"done": float(done), "of": float(total), "seconds_left": left}
            settings.observe(Record(done - 1, budget.seconds, None, None, detail))

        for answer in answers(sweep, settings.sharing, budget, watch):
            if answer.error is not None:
                raise answer.error
            if answer.value is None:
                return
            found = _read(answer.value, before)
            before = found.trace[-1].seconds if found.trace else before
            yield replace(found, reason=budget.reason) if answer.cut else found


def _descended(shared: Any, block: Portion, inside: Inside) -> Any:
    """One block in a worker, as plain values."""
    descend, common, settings = shared
    alone = replace(settings, interrupted=inside.interrupted)
    found = descend(common, block, alone, alone.budget(), ignore)
    return Partial(_plain(found)) if found.cut else _plain(found)


def _plain(found: Fits) -> dict[str, Any]:
    return {
        "x": found.x.tolist(),
        "values": found.values.tolist(),
        "reason": found.reason.value,
        "trace": [asdict(record) for record in found.trace],
        "steps": asdict(found.steps),
        "distinct": found.distinct.tolist(),
    }


def _read(told: Mapping[str, Any], before: float) -> Fits:
    """What :func:`_plain` gave; seconds count on from those of the blocks before."""
    trace = [Record(**record) for record in told["trace"]]
    return Fits(
        x=np.array(told["x"]),
        values=np.array(told["values"]),
        reason=Reason(told["reason"]),
        trace=[replace(record, seconds=before + record.seconds) for record in trace],
        steps=StepCounts(**told["steps"]),
        distinct=np.array(told["distinct"], dtype=np.intp),
    )


@dataclass(kw_only=True)
class Joined:
    """What the blocks so far have been through; objective: of a record of the block that comes
    next, that of the whole."""

    objective: Callable[[float], float]
    trace: list[Record] = field(default_factory=list)
    steps: StepCounts = field(default_factory=StepCounts)
    reason: Reason = Reason.CRITICAL

    def seen(self, record: Record) -> Record:
        """The record as one of the whole."""
        value = None if record.objective is None else self.objective(record.objective)
        number = len(self.trace) + record.iteration
        return replace(record, iteration=number, objective=value)

    def take(self, found: Fits) -> None:
        """Take in the block that comes next."""
        self.trace += [self.seen(record) for record in found.trace]
        self.steps = self.steps.joined(found.steps)
        if found.reason is not Reason.CRITICAL:
            self.reason = found.reason


def start_blocks(fits: SignedFits, starts: int, seed: int) -> list[Portion]:
    """Five starts descend together, fewer where an iteration of one is much work; where the class
    holds constants alone all of them, which are the same."""
    work = fits.problem.n * (fits.problem.rank + 1) ** 2
    size = starts if fits.flat else min(STARTS, max(1, MULTIPLIED // work))
    return blocks_of(starts, size, seed)


def descend_starts(
    fits: SignedFits, block: Portion, settings: RunSettings, budget: Budget, observe: Observer
) -> Fits:
    """The best end of the starts of a block."""
    fits = replace(fits, settings=settings, steps=StepCounts())
    kinds = start_kinds(block.end, carried=False)[block.first :]
    points = fits.starts(kinds, block.rng, budget)
    how = DescentSettings(budget=budget, max_iter=settings.max_iter, observe=observe)
    return descend_from(fits, how, points)


def fit_starts(
    fits: SignedFits, spec: Any, data: RegressionData, settings: RunSettings, budget: Budget
) -> Fits:
    """The best end of all starts of one sign vector (1, n); of equal ones the first.

    A spent budget leaves the best of the starts reached, the best constant where there is none.
    """
    best, distinct = None, 0

    def least(value: float) -> float:
        return value if best is None else min(value, float(best.values[0]))

    joined = Joined(objective=least)
    descents = Descents(
        descend=descend_starts,
        shared=replace(fits, settings=settings.for_units()),
        blocks=start_blocks(fits, spec.starts, settings.seed),
        unit="starts",
        spec=spec,
        data=data,
    )
    for found in descents.fits(settings, budget, joined):
        distinct += int(found.distinct[0])
        if best is None or found.values[0] < best.values[0]:
            best = found
    if best is None:
        x, distinct = fits.constants(), 1
        best = Fits(x, fits.objective(x, np.zeros(1, dtype=np.intp)), joined.reason, [],
                    joined.steps, np.ones(1, dtype=np.intp))  # fmt: skip
    return replace(
        best,
        reason=joined.reason,
        trace=joined.trace,
        steps=joined.steps,
        distinct=np.array([distinct]),
    )
