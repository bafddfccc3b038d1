"""Sign vectors that learn from one another: functions found for some are starts of others.

Suprema over one class have much in common. What is found stays a value that a function of the class
attains: a lower bound of the true supremum.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from radprog.base.limits import OutOfBudget, under
from radprog.base.types import FloatArray
from radprog.decompositions.loop import Budget, Record
from radprog.decompositions.regression.cccp import (
    DescentSettings,
    Fits,
    SignedFits,
    StepCounts,
    descend_from,
    start_kinds,
)

EXCHANGED = 200  # functions of sign vectors that others try
TRIED = 6  # of them that take a step for a sign vector, of which the best descends
EARLY_STEPS = 2  # of descents that an exchange follows


def exchanged_starts(starts: int) -> int:
    """How many of the starts of a sign vector are functions found for others: fewer than half."""
    return (starts - 1) // 2


def fit_signs(
    fits: SignedFits,
    settings: DescentSettings,
    *,
    starts: int,
    rng: np.random.Generator,
    carried: Sequence[FloatArray] = (),
) -> Fits:
    """Descend from ``starts`` points per sign vector, and keep the best of each; of several sign
    vectors (starts - 1) // 2 of these points are functions of others.

    carried: points (B, r + 1) in the class that are starts too: the result is never worse than
    they are. After two steps of every descent each sign vector tries the functions that the others
    have reached, and descends from the best beside its own; so again for every such start, the last
    time to the end. A spent budget or ``max_iter`` leaves the best so far.
    """
    rounds, budget = exchanged_starts(starts) if len(fits.signs) > 1 else 0, settings.budget

    def further(left: int, points: Sequence[FloatArray], trace: Sequence[Record]) -> Fits:
        """The next descent, ``left`` exchanges before the end."""
        most = None if settings.max_iter is None else settings.max_iter - len(trace)
        if left:
            most = EARLY_STEPS if most is None else min(EARLY_STEPS, most)
        return descend_from(fits, replace(settings, max_iter=most), points, first=len(trace))

    kinds = start_kinds(starts - rounds, bool(carried), among=rounds > 0)
    found = further(rounds, [*carried, *fits.starts(kinds, rng, budget)], [])
    fits = replace(fits, steps=StepCounts())
    for left in reversed(range(rounds)):
        if found.cut or (settings.max_iter is not None and len(found.trace) >= settings.max_iter):
            break
        try:
            with under(budget):
                near, tried = fits.in_time(best_of_others, fits, found.x, budget)
        except OutOfBudget:
            return replace(found, reason=budget.reason)
        more = further(left, [found.x, near], found.trace)
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
