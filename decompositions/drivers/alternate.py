"""Alternation: block-coordinate descent of one monitored objective."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from radprog.base.errors import SolverError
from radprog.decompositions.loop import Budget, Record, Step

Block = Callable[[Budget], None]


def alternation(
    blocks: Sequence[Block], objective: Callable[[], float], bound: Callable[[], float | None]
) -> Step:
    """Perform one round, in which each block in turn minimises ``objective`` over its own
    variables.

    Raises SolverError if a block increases the objective by more than rounding errors, because the
    block then minimises a different function.
    """

    def step(iteration: int, budget: Budget) -> Record:
        # Gauss-Seidel: each block uses the current values of the others
        value = objective()
        for block in blocks:
            block(budget)
            current = objective()
            # relative increase of the monitored objective that rounding may cause
            if current > value + 1e-12 * max(1.0, abs(value)):
                raise SolverError(
                    f"round {iteration}: a block raised the objective from {value} to {current}"
                )
            value = current
        return Record(iteration, budget.seconds, value, bound())

    return step
