"""Hinge regressions of high rank: few leading columns by interior points, then active sets.

The program is that of :class:`~radprog.solvers.dense.hinges.HingeProgram`, one at a time. With the
pull s = p - q of the hinges, w = F'(s - c) / multiplier: s is 1 below the lower kink of a point, 0
between its kinks, -1 above the upper one, and free at a kink, where h is known. A step guesses who
is where from h and s, and solves for the free ones, of which there are few; with a radius,
1/multiplier is the root of a quadratic. Where the guess repeats, it is the solution to rounding
errors; value and bound are computed from the point and believed alone. A radius from which the
steps lead nowhere is grown from smaller ones.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from scipy import linalg

from radprog.instances.tolerances import BATCHED_QP_GAP, COARSE_HINGE_GAP, KINK_RIDGE
from radprog.instances.types import BoolArray, FloatArray
from radprog.solvers.dense.batched_qp import solve_hinges
from radprog.solvers.dense.hinges import HingeProgram, HingeSolution

LEADING = 100  # columns of F of the first solution
ACTIVE_STEPS = 40
HALVED = 6  # times that the radius is halved to find a first solution
LEAST_GROWTH = 1.05  # of the radius from there


def solve_hinges_of_rank(
    program: HingeProgram,
    *,
    tolerance: float = BATCHED_QP_GAP,
    poll: Callable[[], None] = lambda: None,
) -> HingeSolution:
    """:func:`solve_hinges`, faster where F (n, r) has far more than LEADING columns, the longest
    first; what active sets do not solve is left to it."""
    F, radius, count = program.F, program.radius, len(program.c)
    if program.costs is not None or F.shape[1] < 2 * LEADING:
        return solve_hinges(program, tolerance=tolerance, poll=poll)
    hard = _Hinges(program, np.einsum("ij,ij->i", F, F), tolerance, poll)
    rows = [_Row(*parts) for parts in zip(program.t1, program.t2, program.c, strict=True)]
    parts: list[OneSolution] = [hard.lost] * count
    left, short = list(range(count)), radius
    for _ in range(1 if program.price else 1 + HALVED):
        if not left:
            break
        leading = replace(program.take(left), F=F[:, :LEADING], radius=short)
        near = solve_hinges(leading, tolerance=COARSE_HINGE_GAP, poll=poll)
        for n, k in enumerate(left):
            start = near.pull[n], float(near.b[n]), float(near.multiplier[n])
            parts[k] = hard.solved(rows[k], *start, short)
        begun = [k for k in left if np.isfinite(parts[k][2])]
        for k in begun if short < radius else []:
            parts[k] = hard.grown(rows[k], parts[k], short, radius)
        left, short = [k for k in left if k not in begun], short / 2.0
    w, b, value, bound, multiplier, pull = (np.array(part) for part in zip(*parts, strict=True))
    rest = np.flatnonzero(~np.isfinite(value))
    if len(rest):
        again = solve_hinges(program.take(rest), tolerance=tolerance, poll=poll)
        w[rest], b[rest], pull[rest] = again.w, again.b, again.pull
        value[rest], bound[rest], multiplier[rest] = again.value, again.bound, again.multiplier
    return HingeSolution(w, b, value, bound, multiplier, pull)


OneSolution = tuple[FloatArray, float, float, float, float, FloatArray]


class _Row:
    """Hinges and slopes of one problem, and the lower and upper kink of every point."""

    def __init__(self, t1: FloatArray, t2: FloatArray, c: FloatArray) -> None:
        self.t1, self.t2, self.c = t1, t2, c
        self.low, self.high = np.minimum(t1, t2), np.maximum(t1, t2)


@dataclass(frozen=True)
class _Hinges:
    """What all problems share; size (n,): the squared lengths of the rows of F."""

    program: HingeProgram
    size: FloatArray
    tolerance: float
    poll: Callable[[], None]

    @property
    def lost(self) -> OneSolution:
        """What is told where the steps lead nowhere."""
        n, r = self.program.F.shape
        return np.zeros(r), 0.0, np.inf, -np.inf, 0.0, np.zeros(n)

    def grown(self, row: _Row, found: OneSolution, radius: float, end: float) -> OneSolution:
        """From the solution at a radius to that at a larger one, ``end``."""
        factor = 2.0
        while radius < end:
            further = min(end, radius * factor)
            _, b, _, _, multiplier, s = found
            more = self.solved(row, s, b, multiplier, further)
            if np.isfinite(more[2]):
                found, radius = more, further
            elif factor < LEAST_GROWTH:
                return self.lost
            else:
                factor = float(np.sqrt(factor))
        return found

    def solved(
        self, row: _Row, s: FloatArray, b: float, multiplier: float, radius: float
    ) -> OneSolution:
        """w, b, value, bound, multiplier and pull from a pull (n,) nearby."""
        share = 1.0 / (self.program.price or max(float(multiplier), np.finfo(float).tiny))
        w, seen = share * (self.program.F.T @ (s - row.c)), set()
        for _ in range(ACTIVE_STEPS):
            self.poll()
            lower, upper, fixed = self.places(row, self.program.F @ w + b, s, share)
            guess = lower.tobytes() + upper.tobytes() + fixed.tobytes()
            if guess in seen:
                break
            seen.add(guess)
            free = lower | upper
            found = self.at(
                row, free, np.where(lower, row.low, row.high)[free], fixed, share, radius
            )
            if found is None:
                return self.lost
            w, b, share, pulls = found
            s = fixed.copy()
            s[free] = pulls + row.c[free]
        inside = np.clip(s, -1.0, 1.0)
        low, high = self.program.box
        if not low <= b <= high:
            return self.lost
        value, bound = self.value(row, w, b, radius), self.bound(row, inside, radius)
        if not value - bound <= self.tolerance * (1.0 + abs(value)):
            return self.lost
        return w, b, value, bound, 0.0 if self.program.price else 1.0 / share, inside

    def places(
        self, row: _Row, h: FloatArray, s: FloatArray, share: float
    ) -> tuple[BoolArray, BoolArray, FloatArray]:
        """Who is at the lower and at the upper kink (n,), and the pull (n,) of all others."""
        reach = share * self.size
        g = h - reach * s
        lower = (g >= row.low - reach) & (g <= row.low)
        upper = (g >= row.high) & (g <= row.high + reach) & ~lower
        above, below = g > row.high + reach, g < row.low - reach
        return lower, upper, below.astype(np.float64) - above

    def at(
        self,
        row: _Row,
        free: BoolArray,
        h: FloatArray,
        fixed: FloatArray,
        share: float,
        radius: float,
    ) -> tuple[FloatArray, float, float, FloatArray] | None:
        """w, b, 1/multiplier and s - c of the free points, whose values are h, the pull of the
        others fixed; None where there is no such point. Where none has that radius, 1/multiplier
        stays ``share``."""
        Ff, push = self.program.F[free], np.where(free, 0.0, fixed - row.c)
        along, m = self.program.F.T @ push, len(h)
        A, right = np.zeros((m + 1, m + 1)), np.zeros((m + 1, 2))
        A[:m, :m] = Ff @ Ff.T
        A[:m, :m].flat[:: m + 1] += KINK_RIDGE * float(self.size.mean())
        A[:m, m] = A[m, :m] = 1.0
        right[:m, 0], right[:m, 1], right[m, 1] = h, -(Ff @ along), -push.sum()
        try:
            solved = linalg.solve(A, right, assume_a="sym", check_finite=False)
        except linalg.LinAlgError:
            return None
        w0, w1 = (Ff.T @ solved[:m]).T
        w1 = w1 + along
        if not self.program.price:
            share = _root(w0, w1, radius) or share
        z = solved[:, 0] + share * solved[:, 1]
        return w0 + share * w1, float(z[m]), share, z[:m] / share

    def value(self, row: _Row, w: FloatArray, b: float, radius: float) -> float:
        """The objective at w, drawn into the ball, and b."""
        if not self.program.price:
            w *= min(1.0, radius / max(float(np.linalg.norm(w)), np.finfo(float).tiny))
        h = self.program.F @ w + b
        hinges = np.maximum(row.t1 - h, 0.0) + np.maximum(h - row.t2, 0.0) + row.c * h
        return float(hinges.sum() + 0.5 * self.program.price * (w @ w))

    def bound(self, row: _Row, s: FloatArray, radius: float) -> float:
        """The lower bound of a pull s (n,) in [-1, 1]: where the hinges of a point overlap, both
        pull between the kinks."""
        both = row.t1 > row.t2
        p = np.where(both, np.minimum(1.0, 1.0 + s), np.maximum(s, 0.0))
        q = p - s
        beta = s - row.c
        price, box, total = self.program.price, self.program.box, float(beta.sum())
        square = float(np.square(self.program.F.T @ beta).sum())
        least = -0.5 * square / price if price else -radius * float(np.sqrt(square))
        return float(p @ row.t1 - q @ row.t2) + least + min(-total * end for end in box)


def _root(w0: FloatArray, w1: FloatArray, radius: float) -> float | None:
    """The largest t > 0 with |w0 + t w1| = radius, or None."""
    a, half, rest = float(w1 @ w1), float(w0 @ w1), float(w0 @ w0) - radius**2
    inner = half * half - a * rest
    if not (a > 0 and inner >= 0):
        return None
    t = (np.sqrt(inner) - half) / a
    return float(t) if t > 0 else None
