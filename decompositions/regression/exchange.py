"""Sign vectors that learn from one another: functions found for some are starts of others.

Suprema over one class have much in common. What is found stays a value that a function of the class
attains: a lower bound of the true supremum.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from radprog.decompositions.loop import Budget, Observer, Record
from radprog.decompositions.regression.cccp import Fits, SignedFits, StepCounts, fit_signs
from radprog.instances.limits import OutOfBudget, under
from radprog.instances.types import FloatArray

EXCHANGED = 200  # functions of sign vectors that others try
TRIED = 6  # of them that take a step for a sign vector, of which the best descends
EARLY_STEPS = 2  # of descents that an exchange follows


def exchanged_starts(starts: int) -> int:
    """How many of the starts of a sign vector are functions found for others: fewer than half."""
    return (starts - 1) // 2


def fit_together(
    fits: SignedFits,
    *,
    starts: int,
    rng: np.random.Generator,
    budget: Budget,
    carried: Sequence[FloatArray] = (),
    max_iter: int | None = None,
    monitor: Callable[[FloatArray], float] = lambda values: float(values.min()),
    observe: Observer = lambda record: None,
) -> Fits:
    """:func:`fit_signs`, of whose starts (starts - 1) // 2 are functions of other sign vectors.

    After two steps of every descent each sign vector tries the functions that the others have
    reached, and descends from the best beside its own; so again for every such start, the last time
    to the end. A spent budget or ``max_iter`` leaves the best so far.
    """
    rounds = exchanged_starts(starts) if len(fits.signs) > 1 else 0
    descend = partial(fit_signs, fits, rng=rng, budget=budget, monitor=monitor, observe=observe)

    def steps(left: int, trace: Sequence[Record]) -> int | None:
        """How many the next descent may take, ``left`` exchanges before the end."""
        rest = None if max_iter is None else max_iter - len(trace)
        return rest if not left else min(EARLY_STEPS, EARLY_STEPS if rest is None else rest)

    found = descend(
        starts=starts - rounds, carried=carried, among=rounds > 0, max_iter=steps(rounds, [])
    )
    for left in reversed(range(rounds)):
        if found.cut or (max_iter is not None and len(found.trace) >= max_iter):
            break
        try:
            with under(budget):
                near, tried = fits.called(best_of_others, fits, found.x, budget)
        except OutOfBudget:
            return replace(found, reason=budget.reason)
        fits.steps = StepCounts()
        more = descend(
            starts=0,
            carried=[found.x, near],
            max_iter=steps(left, found.trace),
            first=len(found.trace),
        )
        found = replace(
            more,
            trace=[*found.trace, *more.trace],
            steps=found.steps.joined(tried).joined(more.steps),
            distinct=found.distinct + more.distinct - 1,
        )
    return found


def best_of_others(
    fits: SignedFits, x: FloatArray, budget: Budget
) -> tuple[FloatArray, StepCounts]:
    """For every sign vector the best point (B, r + 1) one step from functions of others and their
    negatives, those of least objective for it: x (B, r + 1) holds the function of each."""
    B, pool = len(x), x[:EXCHANGED]
    both = np.concatenate([pool, -pool])
    values = fits.objectives(both)
    np.fill_diagonal(values[:, : len(pool)], np.inf)
    order = np.argsort(values, axis=1, kind="stable")[:, :TRIED].T
    several = replace(fits, signs=np.tile(fits.signs, (len(order), 1)), steps=StepCounts())
    rows = np.arange(order.size)
    moved, _ = several.majorise(both[order.ravel()], rows, budget)
    best = several.objective(moved, rows).reshape(-1, B).argmin(axis=0)
    return moved.reshape(-1, B, x.shape[1])[best, np.arange(B)], several.steps
