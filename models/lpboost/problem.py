"""LPBoost: values of the soft margin program (2) and its dual (3), without a solver.

Symbols: m rows with labels y in {-1, +1}; T hypotheses with values H[t, i] = h_t(x_i); weights w of
hypotheses, weights d of rows; nu in (0, 1].
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from radprog.instances.tolerances import UNIT_ROUNDOFF
from radprog.instances.types import FloatArray
from radprog.models.rounding import EXTENDED_ROUNDOFF, down, products


@dataclass(frozen=True, kw_only=True, eq=False)
class SoftMargin:
    """Labels y (m,) and nu: what programs (2) and (3) share."""

    y: FloatArray
    nu: float

    @property
    def m(self) -> int:
        """Number of rows."""
        return len(self.y)

    @property
    def cap(self) -> float:
        """The largest weight of a row, 1/(nu m), or 1 where that does not bind (nu m < 1)."""
        return min(1.0, 1.0 / (self.nu * self.m))

    def worst_weights(self, margins: FloatArray) -> FloatArray:
        """argmin d'margins over 0 <= d <= cap, sum d = 1: the cap on the smallest margins (m,)."""
        order = np.argsort(margins, kind="stable")
        d = np.zeros(self.m)
        room = 1.0
        for i in order[: int(np.ceil(1.0 / self.cap)) + 1]:
            d[i] = min(self.cap, room)
            room -= d[i]
            if room <= 0:
                break
        return d

    def value(self, margins: FloatArray) -> float:
        """max over rho of rho - sum_i (rho - margins_i)_+ / (nu m): program (2) at given w.

        It is the mean of the smallest nu m margins (the last of them in part). margins: y_i g(x_i).
        """
        return float(self.worst_weights(margins) @ margins)

    def value_down(self, H: FloatArray, w: FloatArray) -> float:
        """At most :meth:`value` of the weights w (T,) >= 0 over their sum in exact arithmetic, for
        the values H (T, m) given.

        Every margin counts lower by the error of its sum; any rho gives a value that is attained,
        and here it is the margin where the losses begin.
        """
        sums, errors = products((H * self.y).T, w)
        margins = sums - errors - 2.0 * EXTENDED_ROUNDOFF * np.abs(sums)
        share, order = np.longdouble(self.nu) * self.m, np.sort(margins)
        least = order[0]
        if share >= 1:
            rho = order[min(self.m, int(np.ceil(share))) - 1]
            lost = np.maximum(rho - margins, 0.0).sum() / share
            least = rho - lost - (self.m + 8) * EXTENDED_ROUNDOFF * (abs(rho) + lost)
        value = math.nextafter(float(least), -math.inf) if least else 0.0
        return down(value / math.fsum(w.tolist()), 4)

    def rho(self, margins: FloatArray) -> float:
        """The largest rho that attains :meth:`value`."""
        used = self.worst_weights(margins) > 0
        return float(margins[used].max())

    def feasible(self, d: FloatArray) -> FloatArray:
        """The point of 0 <= d <= cap, sum d = 1 nearest to d (m,) in the sense of one shift."""
        low, high = float(d.min()) - 1.0, float(d.max()) + 1.0
        for _ in range(100):
            middle = 0.5 * (low + high)
            if np.clip(d - middle, 0.0, self.cap).sum() > 1.0:
                low = middle
            else:
                high = middle
        d = np.clip(d - 0.5 * (low + high), 0.0, self.cap)
        return np.asarray(d / d.sum(), dtype=np.float64)

    def edges(self, H: FloatArray, d: FloatArray) -> FloatArray:
        """sum_i d_i y_i h_t(x_i) (T,) for H (T, m)."""
        return np.asarray(H @ (self.y * d), dtype=np.float64)

    def rounding(self, largest: float) -> float:
        """What rounding can add to an edge of values up to ``largest`` in size, d included."""
        return 4.0 * (self.m + 2) * UNIT_ROUNDOFF * largest
