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
    gap_closed,
    gather_weights,
    merge_patterns,
    share_out,
    sum_by_owner,
)
from radprog.models.lpboost.patterns import LazyGram
from radprog.solvers.adapters.piqp import solve_dense

LEAST_NORM_TOLERANCE = 1e-13  # of the quadratic program over the variables in use
LEAST_SHARE = 1e-10  # of a series' weight: a pattern with less has none
ZERO_NORM = 1e-15  # |r|^2, as a share of |sum_p d_p Phi(z_p)|^2, that counts as 0
PATTERN_RIDGE = 1e-12  # on the diagonal of a kernel matrix: overlapping patterns make it singular


class MinNormStep:
    """Solves convex steps over one ball."""

    def __init__(
        self, gram: LazyGram, m: int, radius: float, tolerance: float = SHAPELET_STEP_GAP
    ) -> None:
        self.gram, self.m, self.radius, self.tolerance = gram, m, radius, tolerance
        self.Q = len(gram) // m

    def __call__(self, step: Linearised, budget: Budget) -> StepAnswer:
        """Minimise the model over the ball."""
        d = step.d
        negative = step.negative[d[step.negative] > 0]
        # the fixed point sum_p d_p Phi(z_p): its patterns, their weights, and its scores K a
        weights, fixed = gather_weights(step.slopes, d[step.positive])
        toward = self.gram.combine(fixed, weights)
        size = np.sqrt(max(float(weights @ toward[fixed]), 0.0))
        active, mass = self._warm(step, negative, toward)
        best = StepAnswer(
            patterns=np.zeros(0, np.intp), alpha=np.zeros(0), value=0.0, bound=-np.inf, rounds=0
        )
        bound, count = -np.inf, 0
        for count in range(1, MOST_STEP_ROUNDS + 1):
            budget.check()
            # least norm over the patterns in use; those that fell to 0 leave
            K = self.gram.block(active, active)
            mass = least_norm(K, toward[active], active // self.Q, mass)
            active, mass = active[mass > 0], mass[mass > 0]
            # the residual r: its scores at all patterns and its squared length
            scores = toward - self.gram.combine(active, mass)
            square = float(weights @ scores[fixed] - mass @ scores[active])
            worst = self._best(scores, negative)
            scale = self.radius * (size + float(d[negative].sum()))
            # r = 0: the minimum is 0, at u = 0, and a direction there would be noise
            if square <= ZERO_NORM * max(size**2, LEAST_DIVISOR):
                bound = max(bound, -self.radius * float(np.sqrt(ZERO_NORM)) * size)
                break
            # dual bound -radius |r|, and the value of u = radius r / |r|
            norm = float(np.sqrt(square))
            bound = max(bound, -self.radius * norm)
            inner = float(d[negative] @ scores[worst]) - float(weights @ scores[fixed])
            value = self.radius / norm * inner
            if value < best.value:
                patterns = np.concatenate([fixed, active])
                alpha = np.concatenate([weights, -mass]) * (self.radius / norm)
                patterns, alpha = merge_patterns(patterns, alpha, np.inf)
                best = StepAnswer(
                    patterns=patterns, alpha=alpha, value=value, bound=bound, rounds=count
                )
            # the best pattern of every negative series joins, unless the bounds have met
            new = np.setdiff1d(worst, active)
            if gap_closed(best.value, bound, self.tolerance, scale) or not len(new):
                break
            active = np.concatenate([active, new])
            mass = np.concatenate([mass, np.zeros(len(new))])
        return replace(best, bound=min(bound, best.value), rounds=count)

    def _warm(
        self, step: Linearised, negative: IntArray, toward: FloatArray
    ) -> tuple[IntArray, FloatArray]:
        """Variables to begin with and their masses: those of the point ``step.near`` (gun point:
        4.7 s, 10.5 without), and the best one of every series that has none."""
        active: IntArray = np.zeros(0, dtype=np.intp)
        mass, best = np.zeros(0), self._best(toward, negative)
        if step.near is not None:
            alpha, scores = step.near
            active = np.flatnonzero(alpha < 0)
            active = active[np.isin(active // self.Q, negative)]
            mass, best = -alpha[active], self._best(scores, negative)
        # a series that has none begins with its best pattern alone
        bare = ~np.isin(best // self.Q, active // self.Q)
        new = np.setdiff1d(best, active)
        mass = np.concatenate([mass, bare[np.searchsorted(best, new)].astype(np.float64)])
        active = np.concatenate([active, new])
        return active, share_out(mass, active // self.Q, step.d)

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
    totals = sum_by_owner(owner, mass, len(groups))
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
    return share_out(np.where(share > LEAST_SHARE, share * size, 0.0), owner, totals)
