"""Hinge regressions of high rank: active sets, from Newton's method on smoothed hinges.

The programs are those of :class:`~radprog.solvers.dense.hinges.HingeProgram`, solved one at a time.
With the pull s = p - q of the hinges and share = 1 / multiplier, w = share F'(s - c). s is u below
the lower kink of a point, 0 between its kinks, and -u above the upper kink. At a kink s is free,
and h is fixed. The places of all points determine all other quantities. These are affine in share.
With a radius, share is the root of a quadratic.

Near the solution, exact steps, each from the places of the last, end at the solution. Elsewhere the
hinges are smoothed about the current pull (the method of multipliers), by less in each round.
Newton's method with exact line searches always decreases the smoothed objective. Exact steps follow
from the point at which it ends. Value and bound are recomputed from the point.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property, partial

import numpy as np
from scipy import linalg

from radprog.base.types import FloatArray, IntArray
from radprog.solvers.dense.hinges import HingeProgram, HingeSolution, solve_hinges

# columns of F of the first solution, and from which active sets are faster: svr of 150 rows 0.3 s,
# 1.3 by the batch alone; of 400 rows 0.8 s, 4.0; of 1,500 rows 3.5 s, more than 150
HIGH_RANK = 100
WIDTH, NARROWER, WIDER = 0.3, 0.3, 10.0  # of smoothing, in units of share |F_i|^2; of the next


def solve_hinges_of_rank(
    program: HingeProgram,
    *,
    tolerance: float = 1e-9,  # relative to 1 + |value|
    poll: Callable[[], None] = lambda: None,
    start: HingeSolution | None = None,
) -> HingeSolution:
    """Solve a batch of programs, fast for F (n, r) with many columns in decreasing length.

    With fewer than HIGH_RANK columns, or if active sets fail, :func:`solve_hinges` is used.
    ``start`` is the solution of a similar program, by default of the program of the leading
    columns.
    """
    if program.F.shape[1] < HIGH_RANK:
        return solve_hinges(program, tolerance=tolerance, poll=poll)
    if start is None:
        start = leading_hinges(program, poll)
    hinges = _HingeSystem.of(program, tolerance, poll)
    parts = []
    # one problem after the other, from the coarse solution
    for k in range(len(program.c)):
        row = _Row.of(program, k)
        parts.append(hinges.solve(row, hinges.starting_point(row, start, k)))
    w, b, value, bound, multiplier, pull = (np.array(part) for part in zip(*parts, strict=True))
    # those whose active sets lead nowhere: the interior-point method
    unsolved = np.flatnonzero(~np.isfinite(value))
    if len(unsolved):
        solution = solve_hinges(program.take(unsolved), tolerance=tolerance, poll=poll)
        w[unsolved], b[unsolved], pull[unsolved] = solution.w, solution.b, solution.pull
        value[unsolved], bound[unsolved], multiplier[unsolved] = (
            solution.value,
            solution.bound,
            solution.multiplier,
        )
    return HingeSolution(w, b, value, bound, multiplier, pull)


def leading_hinges(program: HingeProgram, poll: Callable[[], None]) -> HingeSolution:
    """A coarse solution over the first HIGH_RANK columns; the other entries of w (B, r) are 0."""
    leading = replace(program, F=program.F[:, :HIGH_RANK], gram=None)
    # hinge regressions on the leading columns first, to a coarse tolerance
    coarse = solve_hinges(leading, tolerance=1e-5, poll=poll)
    w = np.zeros((len(coarse.w), program.F.shape[1]))
    w[:, :HIGH_RANK] = coarse.w
    return replace(coarse, w=w)


OneSolution = tuple[FloatArray, float, float, float, float, FloatArray]


#: The place of each point: above its upper kink, at it, between both, at the lower one, below it.
ABOVE, AT_UPPER, BETWEEN, AT_LOWER, BELOW = range(-2, 3)


class _Row:
    """Hinges and slopes of one problem, their costs u (n,), and the kinks of each point.

    ``along`` is a vector and its product with the Gram matrix.
    """

    def __init__(self, t1: FloatArray, t2: FloatArray, c: FloatArray, u: FloatArray) -> None:
        self.t1, self.t2, self.c, self.u = t1, t2, c, u
        self.low, self.high = np.minimum(t1, t2), np.maximum(t1, t2)
        self.along = np.zeros_like(c), np.zeros_like(c)

    @staticmethod
    def of(program: HingeProgram, k: int) -> _Row:
        """The data of problem k of a batch."""
        u = np.ones(len(program.F)) if program.costs is None else program.costs
        return _Row(program.t1[k], program.t2[k], program.c[k], u)

    def places(self, g: FloatArray, width: FloatArray) -> IntArray:
        """The places (n,) for hinges smoothed by ``width`` (n,), at g = h - width s."""
        reach = width * self.u
        lower = (g >= self.low - reach) & (g <= self.low)
        upper = (g >= self.high) & (g <= self.high + reach)
        outside = [lower, upper, g > self.high + reach, g < self.low - reach]
        return np.select(outside, [AT_LOWER, AT_UPPER, ABOVE, BELOW], BETWEEN)

    def pulled(self, g: FloatArray, width: FloatArray) -> FloatArray:
        """The pull of hinges smoothed by ``width`` (n,), at g = h - width s."""
        upward = np.clip((self.low - g) / width, 0.0, self.u)
        return np.asarray(upward - np.clip((g - self.high) / width, 0.0, self.u))

    def image(self, gram: FloatArray, x: FloatArray) -> FloatArray:
        """gram x, updated from the previous vector if few entries have changed."""
        previous, image = self.along
        changed = np.flatnonzero(x != previous)
        if 4 * len(changed) < len(x):
            image = image + (x - previous)[changed] @ gram[changed]
        else:
            image = gram @ x
        self.along = x, image
        return image


@dataclass(frozen=True)
class _HingePoint:
    """Values g = F w (n,), bias, |w|^2, share and pull s (n,) of a point."""

    g: FloatArray
    b: float
    square: float
    share: float
    s: FloatArray

    @property
    def h(self) -> FloatArray:
        """Values (n,)."""
        return self.g + self.b


@dataclass(frozen=True)
class _Piece:
    """Points for all shares with the same places: w = F'(v0 + share v1), and so on."""

    v0: FloatArray
    g0: FloatArray
    b0: float
    v1: FloatArray
    g1: FloatArray
    b1: float

    @cached_property
    def squares(self) -> tuple[float, float, float]:
        """|w0|^2, w0'w1 and |w1|^2."""
        v0, v1, g1 = self.v0, self.v1, self.g1
        return float(v0 @ self.g0), float(v0 @ g1), float(v1 @ g1)

    def v(self, share: float) -> FloatArray:
        """Coefficients (n,) of w; an infinite share is that of a multiplier of 0."""
        return self.v0 if np.isinf(share) else self.v0 + share * self.v1

    def at(self, share: float, c: FloatArray) -> _HingePoint:
        """The point of a share."""
        square0, cross, square1 = self.squares
        if np.isinf(share):
            return _HingePoint(self.g0, self.b0, square0, share, self.v1 + c)
        square = square0 + share * (2.0 * cross + share * square1)
        g, b = self.g0 + share * self.g1, self.b0 + share * self.b1
        return _HingePoint(g, b, square, share, self.v0 / share + self.v1 + c)

    def share(self, radius: float, present: float) -> float:
        """The largest t > 0 with |w0 + t w1| = radius.

        If there is no such t, ``present`` times the factor by which w is too long.
        """
        square0, cross, square1 = self.squares
        inner = cross * cross - square1 * (square0 - radius**2)
        if square1 > 0.0 and inner >= 0.0 and np.sqrt(inner) > cross:
            return float((np.sqrt(inner) - cross) / square1)
        square = max(square0 + present * (2.0 * cross + present * square1), np.finfo(float).tiny)
        return present * min(1.0, radius / float(np.sqrt(square)))


@dataclass(frozen=True)
class _HingeSystem:
    """The common data of all problems; gram = F F' (n, n), size (n,) its diagonal, bounded
    below."""

    program: HingeProgram
    gram: FloatArray
    size: FloatArray
    tolerance: float
    poll: Callable[[], None]

    @staticmethod
    def of(program: HingeProgram, tolerance: float, poll: Callable[[], None]) -> _HingeSystem:
        """The state of a batch, with its Gram matrix if it is known."""
        gram = program.F @ program.F.T if program.gram is None else program.gram
        size = gram.diagonal()
        # no |F_i|^2 counts as less than a tenth of the mean
        return _HingeSystem(program, gram, np.maximum(size, 0.1 * size.mean()), tolerance, poll)

    @property
    def lost(self) -> OneSolution:
        """The outcome if the steps do not converge."""
        n, r = self.program.F.shape
        return np.zeros(r), 0.0, np.inf, -np.inf, 0.0, np.zeros(n)

    def starting_point(self, row: _Row, start: HingeSolution, k: int) -> _HingePoint:
        """A starting point from a nearby solution, possibly with fewer columns.

        The multiplier of this point may be almost 0 even if the multiplier of its pull on all
        points is not.
        """
        program, w, s = self.program, start.w[k], start.pull[k]
        # a solution whose multiplier is next to 0 may be this large
        largest = 1e9
        share = 1.0 / (program.price or max(float(start.multiplier[k]), 1.0 / largest))
        if not program.price:
            length = float(np.linalg.norm(program.F.T @ (s - row.c)))
            share = min(share, program.radius / max(length, program.radius / largest))
        return _HingePoint(program.F @ w, float(start.b[k]), float(w @ w), share, s)

    def solve(self, row: _Row, point: _HingePoint) -> OneSolution:
        """w, b, value, bound, multiplier and pull from any starting point."""
        width = WIDTH
        # exact steps where the places are right, else a round of smoothing that brings them nearer
        for _ in range(10):  # of smoothing
            with suppress(linalg.LinAlgError):
                solution = self.exact(row, point)
                if solution is not None:
                    return solution
            try:
                point, width = self.smooth(row, point, width), width * NARROWER
            except linalg.LinAlgError:
                width *= WIDER
        return self.lost

    def exact(self, row: _Row, point: _HingePoint) -> OneSolution | None:
        """Steps from guess to guess, until one repeats and is the solution; None if the steps
        fail.
        """
        places, piece, previous = None, None, np.inf
        # added to the kernel values of points at kinks, relative to the mean diagonal
        ridge = np.full(len(row.c), 1e-11 * float(self.size.mean()))
        for _ in range(40):  # exact steps
            reach = point.share * self.size
            # guess: who is at a kink, above or below, at a gradient step from here
            guess = row.places(point.h - reach * point.s, reach)
            changes = np.inf if places is None else float(np.count_nonzero(guess != places))
            # the guess repeats: the piece holds the solution
            if piece is not None and changes == 0:
                return self.check(row, piece, point)
            # the guesses do not settle: too far away for exact steps
            if places is not None and changes > 0.9 * previous:
                return None
            places, previous = guess, changes
            # the points with these places, and among them the one of the radius
            piece = self.piece(row, guess, point.b, ridge, None)
            point = piece.at(self.share(piece, point.share), row.c)
            if np.isinf(point.share):
                return self.check(row, piece, point)
        return None

    def share(self, piece: _Piece, present: float) -> float:
        """The share of the price or the radius; infinite if w is short enough without a
        multiplier."""
        program, (square0, _, square1) = self.program, piece.squares
        if program.price:
            return present
        radius, pull = program.radius, float(np.sqrt(max(square1, 0.0)))
        # a pull that costs less than a tenth of the tolerance counts as none
        if square0 <= radius**2 and radius * pull <= 0.1 * self.tolerance:
            return np.inf
        return piece.share(radius, present)

    def smooth(self, row: _Row, point: _HingePoint, width: float) -> _HingePoint:
        """The minimum with hinges smoothed about the pull of a point.

        Also returns the point of the radius with the same places.
        """
        ridge, share, centre = width * self.size, point.share, point.s
        wide = share * ridge
        for _ in range(60):  # of a round
            places = row.places(point.h - wide * centre, wide)
            # Newton's step: the minimum with these places, then an exact line search towards it
            piece = self.piece(row, places, point.b, ridge, centre)
            t, point = self.step(row, point, piece, wide, centre)
            # few points change places: the round has done its work
            moving = np.count_nonzero(places != row.places(point.h - wide * centre, wide))
            # a round ends where at most 5 % of the free points change
            settled = moving <= 0.05 * np.count_nonzero(np.abs(places) == AT_LOWER)
            if (t > 0.9 and settled) or t <= 1e-9:
                break
        # the multiplier of the ball, by no more than a factor of 3 a round
        if not self.program.price:
            further = piece.share(self.program.radius, share)
            point = piece.at(min(max(further, share / 3.0), share * 3.0), row.c)
            return replace(point, s=np.clip(point.s, -row.u, row.u))
        return replace(point, s=row.pulled(point.h - wide * centre, wide))

    def step(
        self, row: _Row, point: _HingePoint, piece: _Piece, wide: FloatArray, centre: FloatArray
    ) -> tuple[float, _HingePoint]:
        """The step length to the piece, at most 1, and its point: a zero slope of the smoothed
        objective."""
        share, ahead = point.share, piece.at(point.share, row.c)
        start, dh = point.h - wide * centre, ahead.h - point.h
        cross = float(point.g @ piece.v(share))
        linear, bend = cross - point.square, ahead.square - 2.0 * cross + point.square

        def slope(t: float) -> float:
            pull = row.pulled(start + t * dh, wide)
            return (linear + t * bend) / share + float((row.c - pull) @ dh)

        if slope(1.0) <= 0.0:
            return 1.0, ahead
        # bisection: the slope along a step is monotone
        low, high = 0.0, 1.0
        while high - low > 1e-9:
            middle = (low + high) / 2.0
            low, high = (low, middle) if slope(middle) > 0.0 else (middle, high)
        square = point.square + high * (2.0 * linear + high * bend)
        g, b = point.g + high * (ahead.g - point.g), point.b + high * (ahead.b - point.b)
        return high, _HingePoint(g, b, square, share, centre)

    def piece(
        self, row: _Row, places: IntArray, b: float, ridge: FloatArray, centre: FloatArray | None
    ) -> _Piece:
        """The points with these places.

        Kinks of the free points are h + share ridge (s - centre), or h to the second order of a
        small ridge. Without a free point, the bias is ``b``, or the end of the box to which all
        points are pulled.
        """
        self.poll()
        c, kinked = row.c, np.abs(places) == AT_LOWER
        free, pull = np.flatnonzero(kinked), row.u * (places == BELOW) - row.u * (places == ABOVE)
        push = np.where(kinked, 0.0, pull - c)
        across, along, total = self.gram[free], row.image(self.gram, push), float(push.sum())
        if not len(free):
            b = b if np.isclose(total, 0.0) else self.program.box[total > 0.0]
            return _Piece(np.zeros_like(c), np.zeros_like(c), b, push, along, 0.0)
        # the linear system of the free points: kernel values plus a ridge, and the bias
        kinks = np.where(places > 0, row.low, row.high)[free]
        ridge = ridge[free]
        offset = np.zeros(len(free)) if centre is None else ridge * (centre - c)[free]
        # a centred Gram matrix has no length along 1, where the sum of v is known
        length = float(self.size.mean())
        matrix = across[:, free] + length
        matrix.flat[:: len(free) + 1] += ridge
        factor = linalg.cho_factor(matrix, lower=True, check_finite=False)
        solve = partial(linalg.cho_solve, factor, check_finite=False)
        pulls = offset - along[free] - length * total
        solved = solve(np.stack([kinks, pulls, np.ones(len(free))], axis=1))
        if centre is None:
            solved += solve(ridge[:, None] * solved)
        # the bias makes the pulls sum to 0
        ones = float(solved[:, 2].sum())
        if not ones > 0.0:
            raise linalg.LinAlgError("points at kinks that depend on each other")
        b0 = float(solved[:, 0].sum()) / ones
        b1 = (float(solved[:, 1].sum()) + total) / ones
        parts = solved[:, :2] - np.outer(solved[:, 2], [b0, b1])
        g0, g1 = parts.T @ across
        v0, v1 = np.zeros_like(push), push.copy()
        v0[free], v1[free] = parts.T
        return _Piece(v0, g0, b0, v1, g1 + along, b1)

    def check(self, row: _Row, piece: _Piece, point: _HingePoint) -> OneSolution | None:
        """The point, if its gap is within the tolerance."""
        inside, (low, high) = np.clip(point.s, -row.u, row.u), self.program.box
        if not low <= point.b <= high:
            return None
        w = self.program.F.T @ piece.v(point.share)
        value, bound = self.value(row, w, point.b), self.bound(row, inside)
        if not value - bound <= self.tolerance * (1.0 + abs(value)):
            return None
        return w, point.b, value, bound, 0.0 if self.program.price else 1.0 / point.share, inside

    def value(self, row: _Row, w: FloatArray, b: float) -> float:
        """The objective at w, scaled into the ball, and b."""
        price, radius = self.program.price, self.program.radius
        if not price:
            w *= min(1.0, radius / max(float(np.linalg.norm(w)), np.finfo(float).tiny))
        h = self.program.F @ w + b
        hinges = row.u * (np.maximum(row.t1 - h, 0.0) + np.maximum(h - row.t2, 0.0)) + row.c * h
        return float(hinges.sum() + 0.5 * price * (w @ w))

    def bound(self, row: _Row, s: FloatArray) -> float:
        """The lower bound of a pull s (n,) in [-u, u].

        If the hinges of a point overlap, both pull between the kinks.
        """
        overlap = row.t1 > row.t2
        p = np.where(overlap, np.minimum(row.u, row.u + s), np.maximum(s, 0.0))
        q = p - s
        beta = s - row.c
        price, box, total = self.program.price, self.program.box, float(beta.sum())
        square = float(np.square(self.program.F.T @ beta).sum())
        lowest = -0.5 * square / price if price else -self.program.radius * float(np.sqrt(square))
        return float(p @ row.t1 - q @ row.t2) + lowest + min(-total * end for end in box)
