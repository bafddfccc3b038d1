"""Descents of a regression in blocks, of starts or of sign vectors, by whoever works.

What a block is depends on the problem alone, and each draws from a seed of its own, so that the
answer is the same for any number of workers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np

from radprog.base.limits import OutOfBudget
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
from radprog.decompositions.sweeps.checkpoint import identity_of
from radprog.decompositions.sweeps.sharing import answers
from radprog.decompositions.sweeps.units import Inside, Partial, Sweep, Unit
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


@dataclass(kw_only=True)
class Descents:
    """Blocks, how each descends, what they share, and what those done have been through.

    unit: what a block is of, in words; join: the objective of the whole where a record of the block
    that comes next has this one.
    """

    descend: Descend
    shared: Any
    blocks: Sequence[Portion]
    unit: str
    spec: Any
    data: RegressionData
    join: Callable[[float], float]
    trace: list[Record] = field(default_factory=list)
    steps: StepCounts = field(default_factory=StepCounts)
    reason: Reason = Reason.CRITICAL

    def fits(self, settings: RunSettings, budget: Budget) -> Iterator[Fits]:
        """What every block ends with, in order; of one that a limit cuts what it has reached, and
        none after it. OutOfBudget where the first makes no step."""
        settings.sharing.refuse_log(settings.log)
        # by workers where there are some, else here
        shared = settings.sharing.shared or settings.sharing.checkpoint is not None
        done = 0
        for fits in (self._by_workers if shared else self._here)(settings, budget):
            self.trace += [self._joined(record) for record in fits.trace]
            self.steps = self.steps.joined(fits.steps)
            if fits.reason is not Reason.CRITICAL:
                self.reason = fits.reason
            done += 1
            yield fits
            if fits.cut:
                return
        if not done:
            raise OutOfBudget
        if done < len(self.blocks):
            self.reason = budget.reason

    def _joined(self, record: Record) -> Record:
        """A record of the block that comes next as one of the whole."""
        value = None if record.objective is None else self.join(record.objective)
        return replace(record, iteration=len(self.trace) + record.iteration, objective=value)

    def _here(self, settings: RunSettings, budget: Budget) -> Iterator[Fits]:
        """The blocks, one after the other in this process."""

        def observe(record: Record) -> None:
            settings.observe(self._joined(record))

        descend = single_threaded(self.descend)
        for block in self.blocks:
            try:
                yield descend(self.shared, block, settings, budget, observe)
            except OutOfBudget:
                return

    def _by_workers(self, settings: RunSettings, budget: Budget) -> Iterator[Fits]:
        """The blocks as the units of a sweep, whose records count seconds one block after the
        other."""
        # one unit a block
        alone, before, pace = settings.for_units(), 0.0, Pace()
        units = [
            Unit(name=f"{self.unit} {block.first} to {block.end - 1}", item=block, size=block.size)
            for block in self.blocks
        ]
        sweep = Sweep(
            call=_descend_block,
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
            fits = _read_fits(answer.value, before)
            before = fits.trace[-1].seconds if fits.trace else before
            yield replace(fits, reason=budget.reason) if answer.cut else fits


def _descend_block(shared: Any, block: Portion, inside: Inside) -> Any:
    """One block in a worker, as plain values."""
    descend, common, settings = shared
    alone = replace(settings, interrupted=inside.interrupted)
    fits = descend(common, block, alone, alone.budget(), ignore)
    values = {
        "x": fits.x.tolist(),
        "values": fits.values.tolist(),
        "reason": fits.reason.value,
        "trace": [asdict(record) for record in fits.trace],
        "steps": asdict(fits.steps),
        "distinct": fits.distinct.tolist(),
    }
    return Partial(values) if fits.cut else values


def _read_fits(values: Mapping[str, Any], before: float) -> Fits:
    """What :func:`_descend_block` gave; seconds count on from those of the blocks before."""
    trace = [Record(**record) for record in values["trace"]]
    return Fits(
        x=np.array(values["x"]),
        values=np.array(values["values"]),
        reason=Reason(values["reason"]),
        trace=[replace(record, seconds=before + record.seconds) for record in trace],
        steps=StepCounts(**values["steps"]),
        distinct=np.array(values["distinct"], dtype=np.intp),
    )


def start_blocks(fits: SignedFits, starts: int, seed: int) -> list[Portion]:
    """Five starts descend together, fewer where an iteration of one is much work; where the class
    holds constants alone all of them, which are the same."""
    # few starts at once where a step is much work: a limit then finds some done
    work = fits.problem.n * (fits.problem.rank + 1) ** 2
    size = starts if fits.flat else min(STARTS, max(1, MULTIPLIED // work))
    return blocks_of(starts, size, seed)


def descend_starts(
    fits: SignedFits, block: Portion, settings: RunSettings, budget: Budget, observe: Observer
) -> Fits:
    """The best end of the starts of a block."""
    fits = replace(fits, settings=settings, steps=StepCounts())
    # the kinds of start of this block alone
    kinds = start_kinds(block.end, carried=False)[block.first :]
    points = fits.starts(kinds, block.rng, budget)
    how = DescentSettings(budget=budget, max_iter=settings.max_iter, observe=observe)
    return descend_from(fits, how, points)


def fit_starts(
    fits: SignedFits, spec: Any, data: RegressionData, settings: RunSettings, budget: Budget
) -> Fits:
    """The best end of all starts of one sign vector (1, n); of equal ones the first.

    A spent budget leaves the best of the starts reached; OutOfBudget where there is none.
    """
    best: list[Fits] = []
    descents = Descents(
        descend=descend_starts,
        shared=replace(fits, settings=settings.for_units()),
        blocks=start_blocks(fits, spec.starts, settings.seed),
        unit="starts",
        spec=spec,
        data=data,
        join=lambda value: min([value, *(float(one.values[0]) for one in best)]),
    )
    distinct = 0
    for end in descents.fits(settings, budget):
        distinct += int(end.distinct[0])
        if not best or end.values[0] < best[0].values[0]:
            best[:] = [end]
    return replace(
        best[0],
        reason=descents.reason,
        trace=descents.trace,
        steps=descents.steps,
        distinct=np.array([distinct]),
    )
