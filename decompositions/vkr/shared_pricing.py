"""Pricing by several workers. A pass over the kernels is divided into units, one for each worker
and round.

A unit is a block of kernels and centres with all rows. It receives the nonzero multipliers. To find
the best columns and the largest ratio, it returns the sums of its columns. For the rounding error,
it returns the sums of absolute values. A sum over rows is never divided among units, so the bound
is the maximum over the blocks. The caller keeps the master, its columns and the stored kernels.
"""

from __future__ import annotations

from contextlib import ExitStack
from typing import Any, Self

from radprog.base.errors import ConnectionLostError
from radprog.base.limits import under
from radprog.decompositions.loop import Budget
from radprog.decompositions.sweeps.sharing import ALONE, Sharing
from radprog.decompositions.sweeps.units import Executor, Inside, Sweep, Unit, uncounted
from radprog.models.kernel_tiles import Elsewhere, KernelPass, KernelTiles, Measures

LEAST_VALUES = 1 << 24  # kernel values of a pass below which this process is as fast alone
ALONE_AGAIN = (
    "workers answered no more: this process continued by itself, and the result is the same"
)
KernelBlock = tuple[slice, slice]  # of kernels and of centres


class SharedPricing:
    """Passes over kernels by the workers of ``sharing`` until the budget runs out.

    After that, the caller computes the passes. The caller always computes small passes. If a worker
    does not answer, it computes all further passes. The object is a context manager. Raises
    OptionError if no scheduler answers at the address, or if the data cannot be sent to the
    workers.
    """

    def __init__(self, sharing: Sharing, budget: Budget) -> None:
        self.sharing, self.budget = sharing, budget
        self.warnings: tuple[str, ...] = ()
        self._stack = ExitStack()
        self._executor: Executor | None = None
        self._ended = not sharing.shared

    def __enter__(self) -> Self:
        if self.sharing.elsewhere:  # the scheduler must answer now
            self._executor = self._stack.enter_context(self.sharing.executor(1, self.budget))
        return self

    def __exit__(self, *error: Any) -> None:
        self._ended = True
        self._stack.__exit__(*error)

    def __reduce__(self) -> Any:
        """A copy that has no workers."""
        return SharedPricing, (ALONE, Budget())

    @property
    def passes(self) -> Elsewhere | None:
        """The workers for a kernel bank, or None."""
        return None if self._ended else self

    def __call__(
        self, tiles: KernelTiles, request: KernelPass
    ) -> list[tuple[slice, slice, Measures]] | None:
        """The measures of each block, or None if the caller has to compute the pass."""
        # a pass that is small is faster here
        values = len(tiles.kernels) * len(tiles.centres) * len(request.weights)
        if self._ended or values < LEAST_VALUES or self.budget.spent():
            return None
        # workers are begun with the first pass that is worth it
        if self._executor is None:
            executor = self.sharing.executor(len(tiles.kernels) * len(tiles.blocks()), self.budget)
            self._executor = self._stack.enter_context(executor)
        places = divided(tiles, self._executor.width)
        if len(places) < 2 and not self.sharing.elsewhere:
            return None
        # one unit a block, with what is new in this round
        limit = self.budget.limit
        units = [
            Unit(name=f"block {number}", item=(place, limit)) for number, place in enumerate(places)
        ]
        sweep = Sweep(call=measured_block, shared=tiles, units=units, news=request)
        try:
            answers = dict(self._executor.answers(sweep, self.budget, uncounted))
        except ConnectionLostError:
            answers = {}
        # a bound takes the maximum over all blocks: an incomplete pass is useless
        if any(
            number not in answers or answers[number].value is None for number in range(len(units))
        ):
            if not self.budget.spent() and not any(answer.cut for answer in answers.values()):
                self.warnings = (ALONE_AGAIN,)
            self._ended = True
            self._stack.close()
            return None
        return [(*place, answers[number].value) for number, place in enumerate(places)]


def divided(tiles: KernelTiles, workers: int) -> list[KernelBlock]:
    """Divide the kernels and centres into at most ``workers`` parts of neighbouring blocks.

    Kernels are divided if there are fewer blocks of centres than workers.
    """
    # as many groups of kernels as make up for blocks that are missing, then ranges of blocks
    p, blocks = len(tiles.kernels), tiles.blocks()
    groups = max(1, min(p, -(-workers // max(1, len(blocks)))))
    ranges = max(1, min(len(blocks), workers // groups))
    kernels = [slice(p * g // groups, p * (g + 1) // groups) for g in range(groups)]
    cuts = [blocks[len(blocks) * r // ranges].start for r in range(ranges)]
    centres = [slice(*pair) for pair in zip(cuts, [*cuts[1:], len(tiles.centres)], strict=True)]
    return [(members, columns) for columns in centres for members in kernels]


def measured_block(tiles: KernelTiles, item: Any, inside: Inside) -> Measures:
    """Compute one block, in a worker.

    ``item`` contains the block and the remaining time in seconds. ``inside.news`` is the pass.
    """
    place, limit = item
    with under(Budget(limit, inside.interrupted)):
        return tiles.part(*place).measured(inside.news)
