"""Simplex steps in pairs of floats, hi + lo with some 106 bits together (Dekker, 1971).

    min c'x,  s = A x,  low <= (x, s) <= high

by a dictionary: the basic variables as linear functions of the others. What floats cannot tell
apart, as right-hand sides of 1e-17 beside entries of 1, pairs mostly can; nothing is proved here.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from radprog.base.limits import poll
from radprog.base.types import BoolArray, FloatArray, IntArray

PAIR_DOUBT = 2.0**-96  # relative error of sums of products of pairs of floats
PAIR_PIVOT = 2.0**-60  # relative to its row or column: smaller entries of a dictionary are none

_SPLIT = 2.0**27 + 1.0
_AT_ONCE = 1 << 14  # entries, which stay near the processor
Pair = FloatArray  # (2, ...)


class PairedSimplex:
    """Variables 0 ... n - 1 are x, n ... n + m - 1 the rows s.

    A (m, n), cost (n,), low and high (n + m,); basic: m variables, upper (n + m,): whether a
    variable that is not basic is at its upper end.
    """

    def __init__(
        self,
        A: FloatArray,
        cost: FloatArray,
        low: FloatArray,
        high: FloatArray,
        basic: IntArray,
        upper: BoolArray,
    ):
        m, n = A.shape
        self.low, self.high, self.cost = low, high, np.append(cost, np.zeros(m))
        self.rows, self.columns = n + np.arange(m), np.arange(n)
        self.table = _pair(np.vstack([A, cost]))  # the last row: reduced costs
        wanted = np.zeros(n + m, dtype=bool)
        wanted[basic] = True
        for j in np.flatnonzero(wanted[:n]):
            poll()
            sizes = np.where(wanted[self.rows], 0.0, np.abs(self.table[0, :m, j]))
            if not sizes.any():
                break
            self._pivot(int(sizes.argmax()), int(j))
        self.upper = upper.copy()
        self.shifted = False
        self._refresh()

    def run(self, most: int, watch: Callable[[int], None]) -> int:
        """Steps until none is left or to be taken, at most so many, and how many there were."""
        for number in range(most):
            poll()
            if not self._step():
                return number
            watch(number)
        return most

    def answer(self) -> tuple[FloatArray, FloatArray, IntArray]:
        """Values, reduced costs and states (n + m,) of all variables; a state is 0 at the lower
        end, 1 in the basis, 2 at the upper end."""
        values, prices = np.zeros(len(self.low)), np.zeros(len(self.low))
        values[self.columns], values[self.rows] = self.at, self.x[0]
        prices[self.columns] = self.table[0, len(self.rows)]
        states = np.where(self.upper, 2, 0)
        states[self.rows] = 1
        return values, prices, states

    def _at(self) -> FloatArray:
        """Values (n,) of the variables that are not basic."""
        low, high = self.low[self.columns], self.high[self.columns]
        first = np.where(self.upper[self.columns], high, low)
        other = np.where(self.upper[self.columns], low, high)
        known = np.where(np.isfinite(first), first, other)
        return np.where(np.isfinite(known), known, 0.0)

    def _refresh(self) -> None:
        """Values of the basic variables and reduced costs, from the dictionary."""
        m = len(self.rows)
        self.at = self._at()
        self.x = _sum(_times(self.table[:, :m], _pair(self.at)[:, None, :]))
        prices = _pair(self.cost[self.rows])[:, None, :]
        turned = self.table[:, :m].transpose(0, 2, 1)
        found = _plus(_sum(_times(turned, prices)), _pair(self.cost[self.columns]))
        self.table[:, m] = found
        self.fuzz = PAIR_DOUBT * (
            np.abs(self.cost[self.columns]) + np.abs(self.cost[self.rows]) @ np.abs(turned[0].T)
        )

    def _step(self) -> bool:
        """One step; False where none is left, or none to take."""
        m = len(self.rows)
        T = self.table[0, :m]
        short = _gap(self.low[self.rows], self.x)
        over = -_gap(self.high[self.rows], self.x)
        doubt = PAIR_DOUBT * (np.abs(T) @ np.abs(self.at) + np.abs(self.x[0]))
        violation = np.maximum(short, over)
        outside = violation > doubt
        z = self.table[0, m]
        better = (np.abs(z) > self.fuzz) & self._moves(np.where(z > 0, -1, 1))
        if outside.any():
            self.shifted |= bool(better.any())
            self.table[:, m, better] = 0.0
            steep = np.where(outside, violation, 0.0) ** 2 / (1.0 + (T**2).sum(axis=1))
            r = int(steep.argmax())
            return self._leave(r, 1 if short[r] > over[r] else -1)
        if better.any():
            steep = np.where(better, z, 0.0) ** 2 / (1.0 + (T**2).sum(axis=0))
            j = int(steep.argmax())
            return self._enter(j, 1 if z[j] < 0 else -1)
        if self.shifted:
            self.shifted = False
            self._refresh()
            return True
        return False

    def _moves(self, way: IntArray) -> BoolArray:
        """Which of the variables that are not basic can go that way (n,)."""
        low, high = self.low[self.columns], self.high[self.columns]
        return np.where(way > 0, self.at < high, self.at > low)

    def _leave(self, r: int, up: int) -> bool:
        """A dual step: row r goes to the end that it is beyond; False where nothing lets it."""
        m = len(self.rows)
        row, z = self.table[0, r], self.table[0, m]
        able = np.abs(row) > PAIR_PIVOT * np.abs(row).max(initial=0.0)
        able &= self._moves(np.where(row > 0, up, -up))
        if not able.any():
            return False
        j = self._least(np.abs(z), np.abs(row), able)
        self._swap(r, j, upper=up < 0)
        return True

    def _enter(self, j: int, way: int) -> bool:
        """A primal step: variable j moves until something stops it; False where nothing does."""
        m = len(self.rows)
        change = way * self.table[0, :m, j]
        end = np.where(change > 0, self.high[self.rows], self.low[self.rows])
        able = (np.abs(change) > PAIR_PIVOT * np.abs(change).max(initial=0.0)) & np.isfinite(end)
        room = np.abs(_gap(end, self.x))
        k = self.columns[j]
        width = self.high[k] - self.low[k]
        r = self._least(room, np.abs(change), able) if able.any() else -1
        if r < 0 or room[r] > width * abs(change[r]):
            if not np.isfinite(width):
                return False
            self.upper[k] = way > 0
            self._refresh()
            return True
        self._swap(r, j, upper=bool(change[r] > 0))
        return True

    @staticmethod
    def _least(above: FloatArray, below: FloatArray, able: BoolArray) -> int:
        """Of the least quotients the one of the largest divisor."""
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = np.where(able, above / below, np.inf)
        near = ratio <= ratio.min() * (1.0 + PAIR_PIVOT)
        return int(np.where(near, below, -1.0).argmax())

    def _swap(self, r: int, j: int, *, upper: bool) -> None:
        """Basic variable r goes to an end, and variable j takes its place."""
        m, leaving = len(self.rows), self.rows[r]
        end = self.high[leaving] if upper else self.low[leaving]
        by = _over(_plus(_pair(end), -self.x[:, r]), self.table[:, r, j])
        self.x = _plus(self.x, _times(self.table[:, :m, j], by[:, None]))
        self.x[:, r] = _plus(_pair(self.at[j]), by)
        self._pivot(r, j)
        self.at[j], self.upper[leaving] = end, upper

    def _pivot(self, r: int, j: int) -> None:
        """Exchange row r and column j: table - (column + e_r) (row - e_j) / pivot."""
        pivot = self.table[:, r, j].copy()
        column, row = self.table[:, :, j].copy(), self.table[:, r].copy()
        column[:, r] = _plus(pivot, _pair(1.0))
        row[:, j] = _plus(pivot, _pair(-1.0))
        row = _over(row, pivot[:, None])
        for start in range(0, column.shape[1], many := 1 + _AT_ONCE // row.shape[1]):
            part = slice(start, start + many)
            taken = _times(column[:, part, None], row[:, None, :])
            self.table[:, part] = _plus(self.table[:, part], -taken)
        self.rows[r], self.columns[j] = self.columns[j], self.rows[r]


def _pair(value: FloatArray | float) -> Pair:
    found = np.zeros((2, *np.shape(value)))
    found[0] = value
    return found


def _gap(end: FloatArray, x: Pair) -> FloatArray:
    """end - x, where ends may be infinite."""
    known = np.isfinite(end)
    return np.where(known, _plus(_pair(np.where(known, end, 0.0)), -x)[0], end)


def _tidy(high: FloatArray, low: FloatArray) -> Pair:
    total = high + low
    return np.stack([total, low - (total - high)])


def _plus(a: Pair, b: Pair) -> Pair:
    total = a[0] + b[0]
    part = total - a[0]
    return _tidy(total, (a[0] - (total - part)) + (b[0] - part) + a[1] + b[1])


def _halves(a: FloatArray) -> tuple[FloatArray, FloatArray]:
    shifted = _SPLIT * a
    high = shifted - (shifted - a)
    return high, a - high


def _times(a: Pair, b: Pair) -> Pair:
    product = a[0] * b[0]
    (ah, al), (bh, bl) = _halves(a[0]), _halves(b[0])
    error = ((ah * bh - product) + ah * bl + al * bh) + al * bl
    return _tidy(product, error + a[0] * b[1] + a[1] * b[0])


def _over(a: Pair, b: Pair) -> Pair:
    first = a[0] / b[0]
    rest = _plus(a, -_times(_pair(first), b))
    return _tidy(first, rest[0] / b[0])


def _sum(a: Pair) -> Pair:
    """Over the last axis."""
    while a.shape[-1] > 1:
        half = a.shape[-1] // 2
        rest = a[..., 2 * half :]
        a = np.concatenate([_plus(a[..., :half], a[..., half : 2 * half]), rest], axis=-1)
    return a[..., 0] if a.shape[-1] else np.zeros(a.shape[:-1])
