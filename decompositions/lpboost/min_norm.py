"""The convex step (7) over the ball of the kernel's own norm: a point of least norm.

The dual of the step:  min over v of |r|,  r = sum_p d_p Phi(z_p) - sum_qj d_q v_qj Phi(x_q^(j)),
every v_q in the simplex. The model's minimum is -radius |r*|, at u = radius r*/|r*| (u = 0 where r*
is 0). Variables (q, j) are generated where they would shorten r, and left out when they fall to 0.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from radprog.base.tolerances import LEAST_DIVISOR, SHAPELET_STEP_GAP
from radprog.base.types import FloatArray, IntArray
from radprog.decompositions.loop import Budget
from radprog.decompositions.lpboost.convex_step import (
    MOST_STEP_ROUNDS,
    Linearised,
    StepAnswer,
    added,
    done,
    gathered,
    merged,
    shared,
)
from radprog.models.lpboost.patterns import LazyGram
from radprog.solvers.adapters.piqp import solve_dense

LEAST_NORM_TOLERANCE = 1e-10  # of the quadratic program over the variables in use
LEAST_SHARE = 1e-7  # of a series' weight: a pattern with less has none
ZERO_NORM = 1e-15  # |r|^2, as a share of |sum_p d_p Phi(z_p)|^2, that counts as 0
PATTERN_RIDGE = 1e-12  # on the diagonal of a kernel matrix: overlapping patterns make it singular


class MinNormStep:
    """Solves convex steps over one ball; the variables in use stay for the next step."""

    def __init__(
        self, gram: LazyGram, m: int, radius: float, tolerance: float = SHAPELET_STEP_GAP
    ) -> None:
        self.gram, self.m, self.radius, self.tolerance = gram, m, radius, tolerance
        self.Q = len(gram) // m
        self._active: IntArray = np.zeros(0, dtype=np.intp)
        self._mass: FloatArray = np.zeros(0)

    def __call__(self, step: Linearised, budget: Budget) -> StepAnswer:
        """Minimise the model over the ball."""
        d = step.d
        negative = step.negative[d[step.negative] > 0]
        weights, fixed = gathered(step.slopes, d[step.positive])
        toward = self.gram.combine(fixed, weights)
        size = np.sqrt(max(float(weights @ toward[fixed]), 0.0))
        active, mass = self._warm(step, negative, toward)
        best = StepAnswer(
            patterns=np.zeros(0, np.intp), alpha=np.zeros(0), value=0.0, bound=-np.inf, rounds=0
        )
        bound, count = -np.inf, 0
        for count in range(1, MOST_STEP_ROUNDS + 1):
            budget.check()
            K = self.gram.block(active, active)
            mass = least_norm(K, toward[active], active // self.Q, mass)
            active, mass = active[mass > 0], mass[mass > 0]
            scores = toward - self.gram.combine(active, mass)
            square = float(weights @ scores[fixed] - mass @ scores[active])
            worst = self._best(scores, negative)
            scale = self.radius * (size + float(d[negative].sum()))
            if square <= ZERO_NORM * max(size**2, LEAST_DIVISOR):
                bound = max(bound, -self.radius * float(np.sqrt(ZERO_NORM)) * size)
                break
            norm = float(np.sqrt(square))
            bound = max(bound, -self.radius * norm)
            inner = float(d[negative] @ scores[worst]) - float(weights @ scores[fixed])
            value = self.radius / norm * inner
            if value < best.value:
                patterns = np.concatenate([fixed, active])
                alpha = np.concatenate([weights, -mass]) * (self.radius / norm)
                patterns, alpha = merged(patterns, alpha, np.inf)
                best = StepAnswer(
                    patterns=patterns, alpha=alpha, value=value, bound=bound, rounds=count
                )
            new = np.setdiff1d(worst, active)
            if done(best.value, bound, self.tolerance, scale) or not len(new):
                break
            active = np.concatenate([active, new])
            mass = np.concatenate([mass, np.zeros(len(new))])
        self._active, self._mass = active, mass
        return replace(best, bound=min(bound, best.value), rounds=count)

    def _warm(
        self, step: Linearised, negative: IntArray, toward: FloatArray
    ) -> tuple[IntArray, FloatArray]:
        """Variables to begin with and their masses: those of the point ``step.near``, then the last
        ones of series that it leaves out, then the best one of every other series."""
        active, mass = self._active, self._mass
        if step.near is not None:
            alpha, scores = step.near
            own = np.flatnonzero(alpha < 0)
            others = ~np.isin(active // self.Q, own // self.Q)
            active = np.concatenate([own, active[others]])
            mass = np.concatenate([-alpha[own], mass[others]])
            toward = scores
        kept = np.isin(active // self.Q, negative)
        active, mass = active[kept], mass[kept]
        bare = np.setdiff1d(negative, active // self.Q)
        active = np.concatenate([active, self._best(toward, bare)])
        mass = np.concatenate([mass, np.ones(len(bare))])
        mass = shared(mass, active // self.Q, step.d)
        if step.near is not None:
            new = np.setdiff1d(self._best(toward, negative), active)
            active, mass = np.concatenate([active, new]), np.append(mass, np.zeros(len(new)))
        return active, mass

    def _best(self, scores: FloatArray, series: IntArray) -> IntArray:
        """Pattern of the largest score in each of some series, flat."""
        grouped = scores.reshape(self.m, self.Q)[series]
        return np.asarray(series * self.Q + grouped.argmax(axis=1), dtype=np.intp)


def least_norm(K: FloatArray, toward: FloatArray, owner: IntArray, mass: FloatArray) -> FloatArray:
    """argmin 1/2 mass'K mass - toward'mass over mass >= 0 whose sums per owner stay as they are, by
    PIQP.

    K (r, r) positive semidefinite, toward, mass (r,), owner (r,) >= 0. Shares below LEAST_SHARE of
    a sum are 0.
    """
    if not len(mass):
        return mass
    groups, owner = np.unique(owner, return_inverse=True)
    totals = added(owner, mass, len(groups))
    # in shares of every owner's sum, and in units of the largest coefficient
    size = totals[owner]
    P, cost = K * np.outer(size, size), -toward * size
    unit = max(float(np.abs(P).max()), float(np.abs(cost).max())) or 1.0
    P = np.asfortranarray(P / unit)
    # overlapping patterns make the kernel matrix singular
    P[np.diag_indices(len(mass))] += PATTERN_RIDGE
    sums = (groups[:, None] == groups[owner]).astype(np.float64)
    box = np.zeros(len(mass)), np.full(len(mass), np.inf)
    result, _ = solve_dense(
        P, cost / unit, sums, np.ones(len(groups)), None, None, None, *box,
        tolerance=LEAST_NORM_TOLERANCE,
    )  # fmt: skip
    # an interior point: shares that are next to nothing are nothing
    share = np.asarray(result.x)
    return shared(np.where(share > LEAST_SHARE, share * size, 0.0), owner, totals)
