"""Pricing by many: passes over kernels as units, one for every worker and round.

A unit is a block of kernels and centres with all rows. It is told the multipliers that are not 0,
and answers with the sums of its columns, which give its best columns and its largest ratio, or with
the sums of absolute values, which give its rounding term. Nothing is added over rows across units:
the bound takes the maximum over blocks. The master, the columns in it, and kernels that are stored
stay with the caller.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from radprog.decompositions.executors.pool import UNREACHABLE
from radprog.decompositions.executors.sharing import ALONE, Sharing
from radprog.decompositions.executors.units import (
    Executor,
    Inside,
    Sweep,
    Unit,
    UnitAnswer,
    uncounted,
)
from radprog.decompositions.loop import Budget
from radprog.instances.limits import under
from radprog.instances.types import FloatArray
from radprog.models.kernel_tiles import Elsewhere, KernelPass, KernelTiles, Measures

LEAST_VALUES = 1 << 24  # kernel values of a pass below which this process is as fast alone
ALONE_AGAIN = "no worker answered any more: this process went on alone, and the result is the same"
KernelBlock = tuple[slice, slice]  # of kernels and of centres


@dataclass(frozen=True)
class News:
    """What is new in a round: the weights (h,) or (h, T) of rows that count, as bits where these
    are not all, (n / 8,) bytes."""

    weights: FloatArray
    rows: NDArray[np.uint8] | None

    @staticmethod
    def of(asked: KernelPass, n: int) -> News:
        """Those of a pass over n rows."""
        if asked.rows is None:
            return News(asked.weights, None)
        used = np.zeros(n, dtype=bool)
        used[asked.rows] = True
        return News(asked.weights, np.packbits(used))

    def asked(self, kinds: Sequence[str], n: int) -> KernelPass:
        """The pass again."""
        rows = None if self.rows is None else np.flatnonzero(np.unpackbits(self.rows, count=n))
        return KernelPass(kinds=kinds, weights=self.weights, rows=rows)


class SharedPricing:
    """Passes over kernels made by the workers of ``sharing``, until the budget is spent: then, and
    where they are too small or no worker answers, by nobody. Parts that a lost worker leaves out
    are done by another one, and at last here.

    A context; raises OptionError where no scheduler answers at the address given, or what the
    workers need cannot travel.
    """

    def __init__(self, sharing: Sharing, budget: Budget) -> None:
        self.sharing, self.budget = sharing, budget
        self.warnings: tuple[str, ...] = ()
        self._stack = ExitStack()
        self._executor: Executor | None = None
        self._ended = not sharing.shared

    def __enter__(self) -> Self:
        if self.sharing.elsewhere:  # whether anybody is there is told now
            self._executor = self._stack.enter_context(self.sharing.executor(1))
        return self

    def __exit__(self, *error: Any) -> None:
        self._ended = True
        self._stack.__exit__(*error)

    def __reduce__(self) -> Any:
        """A copy has no workers."""
        return SharedPricing, (ALONE, Budget())

    @property
    def passes(self) -> Elsewhere | None:
        """What a kernel bank is handed; None where nobody else works."""
        return None if self._ended else self

    def __call__(
        self, tiles: KernelTiles, asked: KernelPass
    ) -> list[tuple[slice, slice, Measures]] | None:
        """What was measured of every block; None: nobody did it."""
        values = len(tiles.kernels) * len(tiles.centres) * len(asked.weights)
        if self._ended or values < LEAST_VALUES or self.budget.spent():
            return None
        blocks = len(tiles.blocks())
        if self._executor is None:
            executor = self.sharing.executor(len(tiles.kernels) * blocks)
            self._executor = self._stack.enter_context(executor)
        places = divided(tiles, self._executor.width)
        if len(places) < 2 and not self.sharing.elsewhere:
            return None
        told = self._answers(self._executor, tiles, asked, places)
        if told is None or any(answer.cut for answer in told):
            self._end()
            return None
        if all(answer.error is not None for answer in told):
            self.warnings = (ALONE_AGAIN,)
            self._end()
            return None
        return [
            (*place, answer.value if answer.error is None else tiles.part(*place).measured(asked))
            for place, answer in zip(places, told, strict=True)
        ]

    def _answers(
        self,
        executor: Executor,
        tiles: KernelTiles,
        asked: KernelPass,
        places: Sequence[KernelBlock],
    ) -> list[UnitAnswer] | None:
        """Those of one round, None where it could not begin."""
        left = self.budget.remaining
        limit = None if math.isinf(left) else max(left, 1e-3)
        units = [
            Unit(name=f"block {number}", item=(place, tuple(asked.kinds), limit), place=number)
            for number, place in enumerate(places)
        ]
        news = News.of(asked, len(tiles.X))
        sweep = Sweep(call=measured_block, shared=tiles, units=units, news=news)
        try:
            return list(executor.answers(sweep, self.budget, uncounted, _unheard))
        except UNREACHABLE:
            self.warnings = (ALONE_AGAIN,)
            return None

    def _end(self) -> None:
        """No more passes: the workers' parts are computed by this process from now on."""
        self._ended = True
        self._stack.close()


def divided(tiles: KernelTiles, workers: int) -> list[KernelBlock]:
    """At most so many parts of kernels and centres, of neighbouring blocks: kernels are divided
    where there are fewer blocks of centres than workers."""
    p, blocks = len(tiles.kernels), tiles.blocks()
    groups = max(1, min(p, -(-workers // max(1, len(blocks)))))
    ranges = max(1, min(len(blocks), workers // groups))
    kernels = [slice(p * g // groups, p * (g + 1) // groups) for g in range(groups)]
    cuts = [blocks[len(blocks) * r // ranges].start for r in range(ranges)]
    centres = [slice(*pair) for pair in zip(cuts, [*cuts[1:], len(tiles.centres)], strict=True)]
    return [(members, columns) for columns in centres for members in kernels]


def measured_block(tiles: KernelTiles, item: Any, inside: Inside) -> Measures:
    """One block, in a worker; item: the block, what is asked for, the seconds left."""
    place, kinds, limit = item
    asked = inside.news.asked(kinds, len(tiles.X))
    with under(Budget(limit, inside.interrupted)):
        return tiles.part(*place).measured(asked)


def _unheard(number: int, answer: UnitAnswer) -> None:
    """Nobody waits for single blocks."""
