"""The units one after another, in this process."""

from __future__ import annotations

from collections.abc import Callable
from typing import Self

from radprog.decompositions.executors.units import Answers, Inside, Passed, Sweep, performed
from radprog.decompositions.loop import Budget


class Serial:
    """No worker but this process."""

    width = 1

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        return None

    def answers(self, sweep: Sweep, budget: Budget, step: Callable[[], None]) -> Answers:
        """See :class:`~radprog.decompositions.executors.units.Executor`; in order."""

        def counted() -> None:
            try:
                step()
            except Exception as error:
                raise Passed(error) from None

        inside = Inside(budget.spent, counted, sweep.news)
        for number, unit in enumerate(sweep.units):
            if budget.spent():
                return
            try:
                yield number, performed(sweep.call, sweep.shared, unit, inside)
            except Passed as passed:
                raise passed.error from None
