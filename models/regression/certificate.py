"""Objective and lower bounds of (3) and (4) with all losses minimised, valid despite rounding.

The functions are h = K c + b with |w|^2 = c'K c. As a matrix of rational numbers, K is positive
semidefinite (:func:`~radprog.models.regression.problem.surely_definite`). Each point is saturated
(loss 1), fitted (loss (|r| - eps_low)_+ / eps_up) or free (loss 0). A piece is the problem with
fixed states of all points. The smallest optimum of pieces that cover all ways to saturate points is
a lower bound on the optimum. For |S| saturated points, multipliers g_i in [-1, 1] of the fitted
points (0 elsewhere), and any function,

    (3)  sum ell_i >= |S| + (g'y - eps_low |g|_1 - sqrt(A g'K g) - |b sum g|) / eps_up
    (4)  1/2 |w|^2 + C sum ell_i >= C (the same without the root) - (C / eps_up)^2 g'K g / 2

where |b| is at most the largest bias in an interval outside of which every loss is 1.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from radprog.base.errors import DataError
from radprog.base.tolerances import UNIT_ROUNDOFF
from radprog.base.types import FloatArray, IntArray
from radprog.models.regression.problem import RegressionClass
from radprog.models.rounding import EXTENDED_ROUNDOFF, dot_up, products, sum_up, up

FREE, FITTED, SATURATED, MIRRORED = 0, 1, 2, 3  # MIRRORED: of a maximised loss alone
LETTERS = "?fs"  # of the three, in a result


def norm_up(K: FloatArray, c: FloatArray) -> float:
    """An upper bound on c'K c."""
    support = np.flatnonzero(c)
    values, errors = products(K[np.ix_(support, support)], c[support])
    return dot_up(c[support], values, errors)


def value_up(
    problem: RegressionClass,
    c: FloatArray,
    b: float,
    C: float | None,
    weights: FloatArray | None = None,
) -> float:
    """An upper bound on the objective of (3), or of (4) with ``C``, at coefficients c (n,) and b.

    The bound includes the rounding errors of its sums. ``weights`` (n,) multiply the losses of the
    points.
    """
    support, loss = np.flatnonzero(c), problem.loss
    # residuals, rounded up
    image, errors = products(problem.kernel[:, support], c[support])
    distances = np.abs(problem.y - (image + np.longdouble(b)))
    errors = errors + 4.0 * EXTENDED_ROUNDOFF * (np.abs(image).astype(np.float64) + abs(b))
    errors += 2.0 * EXTENDED_ROUNDOFF * distances.astype(np.float64)
    residuals = np.nextafter((distances + errors).astype(np.float64), np.inf)
    # losses in [0, 1], rounded up; zeros and ones are exact
    shares = np.nextafter(np.nextafter(residuals - loss.low, np.inf) / loss.up, np.inf)
    shares = np.where(residuals > loss.low, np.minimum(shares, 1.0), 0.0)
    if weights is None and np.isin(shares, (0.0, 1.0)).all():
        total = float(shares.sum())
    else:
        total = sum_up(shares if weights is None else np.nextafter(shares * weights, np.inf))
    if C is None:
        return total
    return up(up(0.5 * dot_up(c[support], image[support], errors[support])) + up(C * total))


def scale_into_ball(K: FloatArray, c: FloatArray, A: float) -> FloatArray:
    """The coefficients c (n,), scaled down such that c'K c <= A despite rounding."""
    shrink = UNIT_ROUNDOFF
    while (norm := norm_up(K, c)) > A:
        c = c * (math.sqrt(A / norm) * (1.0 - shrink))
        shrink *= 4.0
    return c


def interval(problem: RegressionClass, A: float | None, C: float | None) -> float:
    """An upper bound on |b| for functions whose objective is better than with all losses at 1.

    For (4) such functions have |w|^2 <= 2 C n.
    """
    radius = 2.0 * (C or 0.0) * problem.n if A is None else A
    reach = np.sqrt(radius * np.maximum(problem.kernel.diagonal(), 0.0))
    size = np.abs(problem.y) + reach + problem.loss.low + problem.loss.up
    return float(size.max()) * (1.0 + 16.0 * UNIT_ROUNDOFF)


def balanced(g: FloatArray, states: IntArray) -> FloatArray:
    """Multipliers (L, n) near g, in [-1, 1], with row sums of 0 up to rounding.

    Multipliers of points that are not fitted become 0. The positive or the negative multipliers,
    whichever have the larger sum, are scaled down.
    """
    g = np.where(states == FITTED, np.clip(np.nan_to_num(g), -1.0, 1.0), 0.0)
    # the heavier side is scaled down to the lighter one
    plus, minus = np.maximum(g, 0.0), np.maximum(-g, 0.0)
    sums = plus.sum(axis=1, keepdims=True), minus.sum(axis=1, keepdims=True)
    lighter = np.minimum(*sums)
    scales = [np.where(s > 0, lighter / np.where(s > 0, s, 1.0), 0.0) for s in sums]
    return np.asarray(plus * np.minimum(scales[0], 1.0) - minus * np.minimum(scales[1], 1.0))


def piece_bounds(
    problem: RegressionClass, states: IntArray, g: FloatArray, A: float | None, C: float | None
) -> FloatArray:
    """Lower bounds (L,) of pieces with states (L, n) in FREE, FITTED, SATURATED, rounded down.

    The multipliers g (L, n) come from :func:`balanced`.
    """
    n, loss, wide = problem.n, problem.loss, np.longdouble
    u = (8 * n + 64) * EXTENDED_ROUNDOFF  # more roundings than any sum here has
    # g'y - eps_low |g|_1, with the sum of its terms, which rounding is relative to
    G, K, y = g.astype(wide), problem.kernel.astype(wide), problem.y.astype(wide)
    sizes = np.abs(G)
    gain = G @ y - loss.low * sizes.sum(axis=1)
    gain_size = sizes @ (np.abs(y) + loss.low)
    # what a sum of g that is not 0 may cost: |b| times it
    offset = np.abs(G.sum(axis=1)) + u * sizes.sum(axis=1)
    # g'K g, rounded up
    square = np.maximum(((G @ K) * G).sum(axis=1), 0.0)
    square += u * ((sizes @ np.abs(K)) * sizes).sum(axis=1)
    unbalanced = offset * interval(problem, A, C)
    # |S| + the convex bound of the fitted points, all rounded down
    saturated = (states == SATURATED).sum(axis=1).astype(wide)
    unit = wide(1.0 if C is None else C)
    weight = unit / loss.up
    length = np.sqrt(square * wide(A or 0.0)) if C is None else weight * square / 2
    cost = weight * (length + unbalanced)
    low = weight * gain - cost - u * (weight * gain_size + cost)
    total = (unit * saturated + np.maximum(low, 0.0)) * (1.0 - u)
    bounds = np.nextafter(total.astype(np.float64), -np.inf)
    lowest: FloatArray = np.maximum(bounds, _units(states, C))
    return lowest


def _units(states: IntArray, C: float | None) -> FloatArray:
    """The cost (L,) of the saturated points, rounded down."""
    counts: FloatArray = (states == SATURATED).sum(axis=1).astype(np.float64)
    if C is not None:
        counts = np.maximum(np.nextafter(C * counts, -np.inf), 0.0)
    return counts


def least_bound(
    problem: RegressionClass, states: IntArray, g: FloatArray, A: float | None, C: float | None
) -> float:
    """A lower bound on the optimum from pieces (L, n) that cover all ways to saturate points."""
    all_saturated = float(_units(np.full((1, problem.n), SATURATED), C)[0])
    return min(all_saturated, float(piece_bounds(problem, states, balanced(g, states), A, C).min()))


def cover(states: IntArray) -> bool:
    """Whether pieces (L, n) cover all ways to saturate points.

    They do if they are the leaves of a tree that branches on one point at a time.
    """
    ahead = [(np.arange(len(states)), np.ones(states.shape[1], dtype=bool))]
    while ahead:
        rows, unsplit = ahead.pop()
        part = states[rows]
        if len(rows) == 0:
            return False
        if (part[:, unsplit] == FREE).all(axis=1).any():
            continue
        # a point on which all pieces here are split
        fixed = np.flatnonzero(unsplit & (part != FREE).all(axis=0))
        if not len(fixed):
            return False
        remaining = unsplit.copy()
        remaining[fixed[0]] = False
        ahead += [(rows[part[:, fixed[0]] == kind], remaining) for kind in (FITTED, SATURATED)]
    return True


def spell_states(states: IntArray) -> list[str]:
    """Convert pieces (L, n) to words of one letter per point."""
    return ["".join(LETTERS[kind] for kind in row) for row in states.tolist()]


def read_states(words: Sequence[str], n: int) -> IntArray:
    """Convert words of :func:`spell_states` to pieces (L, n). Raises DataError for others."""
    if not words or any(len(word) != n or set(word) - set(LETTERS) for word in words):
        raise DataError(f"the stored pieces are not words of {n} of the letters {LETTERS}")
    return np.array([[LETTERS.index(letter) for letter in word] for word in words], dtype=np.intp)
