"""LPBoost: values of the soft margin program (2) and its dual (3), without a solver.

Symbols: m rows with labels y in {-1, +1}; T hypotheses with values H[t, i] = h_t(x_i); weights w of
hypotheses, weights d of rows; nu in (0, 1].

Rows may have weights w_i > 0, how many times each counts: m above and below is then W = sum_i w_i
and the caps are w_i / (nu W),  max rho - sum_i w_i slack_i / (nu W).  Equal rows have equal
margins, so that two of them lose what one of weight 2 does, and patterns of equal series are equal
hypotheses: a row of weight 2 is the same as two rows.

Constraints of one's own are rows G g(X) <= h in the scores g = sum_t w_t h_t of the ensemble,
G (R, m). With multipliers d (m,) of the margins, mu >= 0 (R,) of the rows and gamma of sum w = 1
the Lagrangian of (2) is

    gamma + h'mu + rho (1 - sum d) + sum_i slack_i (d_i - 1/(nu m))
        + sum_t w_t [h_t(X)'(y d - G'mu) - gamma],

so that the dual is  min gamma + h'mu  over  0 <= d <= 1/(nu m), sum d = 1, mu >= 0  and
h_t(X)'v <= gamma for every hypothesis, with the pricing vector v = y d - G'mu: the rows shift that
vector, and the hypothesis of the largest edge h(X)'v is priced as without them. A dual point is
written z = (d, mu), (m + R,). Every d in its simplex and every mu >= 0 give the bound

    max_h h(X)'v + h'mu

of the best soft margin, without scaling: gamma is free. The multiplier mu_r is what a unit more of
h_r adds to that margin.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from radprog.base.tolerances import UNIT_ROUNDOFF
from radprog.base.types import FloatArray
from radprog.instances.data import row_shares
from radprog.models.rounding import EXTENDED_ROUNDOFF, down, products, sum_up, up
from radprog.models.score_rows import NO_ROWS, ScoreRows


@dataclass(frozen=True, kw_only=True, eq=False)
class SoftMargin:
    """Labels y (m,), nu, weights of rows (m,) and constraints of one's own: what programs (2) and
    (3) share."""

    y: FloatArray
    nu: float
    rows: ScoreRows = NO_ROWS
    weights: FloatArray | None = None

    @property
    def m(self) -> int:
        """Number of rows."""
        return len(self.y)

    @property
    def cap(self) -> float:
        """The largest d of a row without weights, 1/(nu m), or 1 where that does not bind (nu m <
        1): the unit of d."""
        return min(1.0, 1.0 / (self.nu * self.m))

    @cached_property
    def shares(self) -> FloatArray:
        """The share (m,) of every row: 1/m, or w_i / W."""
        return row_shares(self.m, self.weights)

    @cached_property
    def costs(self) -> FloatArray:
        """What a unit of every slack costs (m,): 1/(nu m), or w_i / (nu W)."""
        if self.weights is None:
            return np.full(self.m, 1.0 / (self.nu * self.m))
        return self.shares / self.nu

    @cached_property
    def caps(self) -> FloatArray:
        """The largest d of every row (m,): its cost, or 1 where that does not bind."""
        return np.minimum(1.0, self.costs)

    def share(self, rows: NDArray[np.bool_]) -> float:
        """The share of the rows ``rows`` (m,), by their weights where they have some."""
        return float(np.average(rows, weights=self.weights))

    def worst_weights(self, margins: FloatArray) -> FloatArray:
        """argmin d'margins over 0 <= d <= caps, sum d = 1: caps on the smallest margins (m,)."""
        # fill the smallest margins up to their caps until the sum is 1
        order = np.argsort(margins, kind="stable")
        d = np.zeros(self.m)
        room = 1.0
        for i in order:
            d[i] = min(self.caps[i], room)
            room -= d[i]
            if room <= 0:
                break
        return d

    def value(self, margins: FloatArray) -> float:
        """max over rho of rho - sum_i (rho - margins_i)_+ / (nu m): program (2) at given w.

        It is the mean of the smallest nu m margins (the last of them in part), each counted by its
        weight. margins: y_i g(x_i).
        """
        return float(self.worst_weights(margins) @ margins)

    def value_down(self, H: FloatArray, w: FloatArray) -> float:
        """At most :meth:`value` of the weights w (T,) >= 0 over their sum in exact arithmetic, for
        the values H (T, m) given.

        Every margin counts lower by the error of its sum; any rho gives a value that is attained,
        and here it is the margin where the losses begin.
        """
        # margins, each lower by the error of its sum
        sums, errors = products((H * self.y).T, w)
        margins = sums - errors - 2.0 * EXTENDED_ROUNDOFF * np.abs(sums)
        # rho: the margin at which rows of weight nu m lie below
        counts = np.ones(self.m) if self.weights is None else self.weights
        counts = counts.astype(np.longdouble)
        share, order = np.longdouble(self.nu) * counts.sum(), np.argsort(margins, kind="stable")
        place = int(np.searchsorted(np.cumsum(counts[order]), share))
        least = margins[order[0]]
        if place:
            rho = margins[order[min(self.m - 1, place)]]
            lost = (counts * np.maximum(rho - margins, 0.0)).sum() / share
            least = rho - lost - 2 * (self.m + 8) * EXTENDED_ROUNDOFF * (abs(rho) + lost)
        value = math.nextafter(float(least), -math.inf) if least else 0.0
        return down(value / math.fsum(w.tolist()), 4)

    def rho(self, margins: FloatArray) -> float:
        """The largest rho that attains :meth:`value`."""
        used = self.worst_weights(margins) > 0
        return float(margins[used].max())

    def uniform(self) -> FloatArray:
        """The dual point z (m + R,) of the shares of the rows and mu = 0."""
        return np.append(self.shares, np.zeros(len(self.rows)))

    def feasible(self, z: FloatArray) -> FloatArray:
        """The feasible dual point nearest to z = (d, mu) (m + R,): d by one shift, mu >= 0."""
        if len(self.rows):
            return np.append(self._shifted(z[: self.m]), np.maximum(z[self.m :], 0.0))
        return self._shifted(z)

    def _shifted(self, d: FloatArray) -> FloatArray:
        """The point of 0 <= d <= caps, sum d = 1 nearest to d (m,) in the sense of one shift."""
        # bisection of the shift, then a rescaling for the last digits
        low, high = float(d.min()) - 1.0, float(d.max()) + 1.0
        for _ in range(100):
            middle = 0.5 * (low + high)
            if np.clip(d - middle, 0.0, self.caps).sum() > 1.0:
                low = middle
            else:
                high = middle
        d = np.clip(d - 0.5 * (low + high), 0.0, self.caps)
        return np.asarray(d / d.sum(), dtype=np.float64)

    def pricing_vector(self, z: FloatArray) -> FloatArray:
        """v = y d - G'mu (m,) of a dual point z = (d, mu) (m + R,)."""
        signed = self.y * z[: self.m]
        return signed - self.rows.shift(z[self.m :]) if len(self.rows) else signed

    def edges(self, H: FloatArray, z: FloatArray) -> FloatArray:
        """h_t(X)'v (T,) for H (T, m)."""
        return np.asarray(H @ self.pricing_vector(z), dtype=np.float64)

    def bound(self, edge: float, z: FloatArray) -> float:
        """At least h'mu beyond the largest edge h(X)'v of all hypotheses: the bound of z."""
        if not len(self.rows):
            return edge
        costs = self.rows.h * z[self.m :]
        return up(edge + sum_up(costs + 2.0 * UNIT_ROUNDOFF * np.abs(costs)))

    def rounding(self, largest: float, z: FloatArray) -> float:
        """What rounding can add to an edge of values up to ``largest`` in size, z included."""
        if not len(self.rows):
            return 4.0 * (self.m + 2) * UNIT_ROUNDOFF * largest
        size = 1.0 + float(z[self.m :] @ np.abs(self.rows.G).sum(axis=1))
        return 4.0 * (self.m + len(self.rows) + 5) * UNIT_ROUNDOFF * largest * size
