"""The convex step (7) over the ball of the kernel's own norm: a point of least norm, by active set.

The dual of the step:  min over v of |r|,  r = sum_p d_p Phi(z_p) - sum_qj d_q v_qj Phi(x_q^(j)),
every v_q in the simplex. The model's minimum is -radius |r*|, at u = radius r*/|r*| (u = 0 where r*
is 0). Variables (q, j) are generated where they would shorten r, and left out when they fall to 0.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from radprog.base.limits import poll
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

FACE_ROUNDING = 1e-13  # of prices on a face of the hulls, relative to the largest score
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
    """argmin 1/2 mass'K mass - toward'mass over mass >= 0 whose sums per owner stay as they are.

    K (r, r) positive semidefinite, toward, mass (r,), owner (r,) >= 0. A primal active-set method:
    the minimum over the free variables, or the step towards it up to the first that would become
    negative, which leaves; those at 0 join again where the gradient says so.
    """
    if not len(mass):
        return mass
    groups, owner = np.unique(owner, return_inverse=True)
    totals = added(owner, mass, len(groups))
    size = float(K.diagonal().max()) or 1.0
    K, toward = K / size, toward / size
    H = K + PATTERN_RIDGE * np.eye(len(mass))
    mass, free = mass.copy(), np.ones(len(mass), dtype=bool)
    tolerance = FACE_ROUNDING * max(
        float(np.abs(toward).max()), float(np.abs(K).max() * totals.max())
    )
    for _ in range(20 + 4 * len(mass)):
        poll()
        used = np.flatnonzero(free)
        target, prices = _on_face(H, toward, owner, totals, used)
        if target.min() >= 0.0:
            mass[:] = 0.0
            mass[used] = target
            slope = H @ mass - toward - prices[owner]
            joining = np.flatnonzero(~free & (slope < -tolerance))
            if not joining.size:
                break
            free[joining[np.argmin(slope[joining])]] = True
            continue
        falling = target < 0.0
        here = mass[used]
        share = np.where(falling, here / np.where(falling, here - target, 1.0), np.inf)
        step = float(share.min())
        mass[used] = np.maximum(here + step * (target - here), 0.0)
        leaving = used[share <= step]
        counts = np.bincount(owner[used], minlength=len(totals))
        counts -= np.bincount(owner[leaving], minlength=len(totals))
        leaving = leaving[counts[owner[leaving]] > 0]  # of every owner one variable stays
        if not leaving.size:
            break
        mass[leaving] = 0.0
        free[leaving] = False
    return shared(mass, owner, totals)


def _on_face(
    H: FloatArray, toward: FloatArray, owner: IntArray, totals: FloatArray, used: IntArray
) -> tuple[FloatArray, FloatArray]:
    """Minimiser over the free variables, signs ignored, and the multiplier of every owner's sum."""
    r, g = len(used), len(totals)
    system = np.zeros((r + g, r + g))
    system[:r, :r] = H[np.ix_(used, used)]
    system[np.arange(r), r + owner[used]] = -1.0
    system[r + owner[used], np.arange(r)] = -1.0
    right = np.concatenate([toward[used], -totals])
    try:
        found = np.linalg.solve(system, right)
    except np.linalg.LinAlgError:  # equal patterns of large values, beside which the ridge is lost
        found = np.linalg.lstsq(system, right)[0]
    return found[:r], found[r:]
