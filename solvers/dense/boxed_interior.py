"""The interior-point method of Mehrotra for linear programs in a box, with few dense rows.

min cost'x  s.t.  matrix x <= high,  0 <= x <= upper    (cost (n,), matrix (m, n))

A step costs one Cholesky factor of an (m, m) matrix, O(m^2 n). Its points lie inside the optimal
face, where the vertices of the simplex method jump from one end of a large face to another.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.linalg.blas import dsyrk
from scipy.linalg.lapack import dpotrf, dpotrs

from radprog.base.limits import poll
from radprog.base.types import FloatArray


@np.errstate(all="ignore")  # numbers that overflow end the method
def interior_point(
    cost: FloatArray, upper: FloatArray, matrix: FloatArray, high: FloatArray, constant: float = 0.0
) -> tuple[FloatArray, FloatArray] | None:
    """A point x (n,) inside the optimal face, and the multipliers y (m,) <= 0 of the rows.

    Costs are not all 0, ``upper`` and ``high`` are positive and finite. The gap between the values
    of x and y should be 1e-7 of the value with the ``constant``, which may be 0. Returns None
    unless it is at most 1e-5 of the sum of both. The rows hold exactly.
    """
    m, n = matrix.shape
    size = float(np.abs(cost).mean())
    x, slack = 0.5 * upper, np.maximum(high - 0.5 * (matrix @ upper), 0.1 * high)
    price, low_price, top_price = 0.1 * size * np.ones(m), size * np.ones(n), size * np.ones(n)
    best = np.inf, x, price
    for _ in range(60):
        poll()
        # values of a point that meets the rows, and of the multipliers
        top, activity = upper - x, matrix @ x
        missed = high - activity - slack
        reduced = cost + price @ matrix
        dual = float(upper @ np.minimum(reduced, 0.0) - high @ price)
        point = x * min(1.0, float((high / np.maximum(activity, 1e-300)).min()))
        value = abs(dual + constant)
        excess = abs(float(cost @ point) - dual) / max(value + constant, 1e-300)
        if excess < best[0]:
            best = excess, point, price
        # ends where rounding errors grow; stumps on 10,000 rows of a margin of 0.04 need a smaller
        # gap than 1e-7 of the sum
        close = excess * (value + constant) <= 1e-7 * max(value, 1e-3 * constant)
        if close or not (excess <= 10.0 * best[0] or best[0] > 1e-2):
            break
        ratio, weights = low_price / x + top_price / top, price / slack
        solve = normal_equations(matrix, ratio, weights)
        if solve is None:
            break
        complementary = float(x @ low_price + top @ top_price + slack @ price)
        aims = -x * low_price, -top * top_price, -slack * price
        # the predictor aims at 0; the corrector at a share of the mean, with second-order terms
        for corrector in (False, True):
            right = low_price - top_price - reduced + aims[0] / x - aims[1] / top
            right -= (aims[2] / slack - weights * missed) @ matrix
            move, q = solve(right)
            slack_move = missed - q / weights
            moves = (
                (aims[0] - low_price * move) / x,
                (aims[1] + top_price * move) / top,
                (aims[2] - price * slack_move) / slack,
            )
            # the longest steps that keep all of them positive
            primal = longest_step((x, move), (top, -move), (slack, slack_move))
            step = longest_step((low_price, moves[0]), (top_price, moves[1]), (price, moves[2]))
            if not corrector:
                predicted = (
                    (x + primal * move) @ (low_price + step * moves[0])
                    + (top - primal * move) @ (top_price + step * moves[1])
                    + (slack + primal * slack_move) @ (price + step * moves[2])
                )
                aim = (predicted / complementary) ** 3 * complementary / (2 * n + m)
                aims = (
                    aim - x * low_price - move * moves[0],
                    aim - top * top_price + move * moves[1],
                    aim - slack * price - slack_move * moves[2],
                )
        primal, step = 0.995 * primal, 0.995 * step
        x, slack, price = x + primal * move, slack + primal * slack_move, price + step * moves[2]
        low_price, top_price = low_price + step * moves[0], top_price + step * moves[1]
    return (best[1], -best[2]) if best[0] <= 1e-5 else None


def normal_equations(
    matrix: FloatArray, ratio: FloatArray, weights: FloatArray
) -> Callable[[FloatArray], tuple[FloatArray, FloatArray]] | None:
    """The solution of D move + A'q = right, q = W A move, with diagonal D and W, or None if it is
    singular.
    """
    # by the (m, m) matrix W^-1 + A D^-1 A', with a ridge where that is singular; without the
    # column of the largest part, whose entries would hide all others
    scaled = matrix / np.sqrt(ratio)
    k = int(np.einsum("ij,ij->j", scaled, scaled).argmax())
    column, scaled[:, k] = matrix[:, k], 0.0
    normal = dsyrk(1.0, scaled, lower=1)
    diagonal = normal.diagonal() + 1.0 / weights
    for ridge in (0.0, 1e-14, 1e-12, 1e-10):
        normal[np.diag_indices(len(matrix))] = diagonal + ridge * diagonal.max()
        factor, failed = dpotrf(normal, lower=1, clean=0)
        if not failed:
            break
    else:
        return None
    border = dpotrs(factor, column, lower=1)[0]
    pivot = ratio[k] + column @ border

    def solve(right: FloatArray) -> tuple[FloatArray, FloatArray]:
        # iterative refinement: D is tiny inside the face. The product A move would lose there what
        # q has: a gap of 1e-7 instead of 1e-9
        move, q = np.zeros_like(right), np.zeros(len(matrix))
        for _ in range(3):
            residual = right - ratio * move - q @ matrix
            missing = scaled @ (residual / np.sqrt(ratio)) + matrix @ move - q / weights
            inner = dpotrs(factor, missing, lower=1)[0]
            step = (residual[k] - column @ inner) / pivot
            inner += step * border
            change = (residual - inner @ matrix) / ratio
            change[k] = step
            move, q = move + change, q + inner
        return move, q

    return solve


def longest_step(*pairs: tuple[FloatArray, FloatArray]) -> float:
    """The longest step of at most 1 that keeps positive values positive."""
    return min(1.0, *(1.0 / max(1e-300, float((-move / value).max())) for value, move in pairs))
