"""LPBoost: values of the soft margin program (2) and its dual (3), without a solver.

Symbols: m rows with labels y in {-1, +1}; T hypotheses with values H[t, i] = h_t(x_i); weights w of
hypotheses, weights d of rows; nu in (0, 1].

Rows may have weights w_i > 0. Then W = sum_i w_i replaces m, the caps are w_i / (nu W), and the
objective is max rho - sum_i w_i slack_i / (nu W). A row of weight 2 is equivalent to two rows:
equal rows have equal margins, and patterns of equal series are equal hypotheses.

The user's constraints are rows G g(X) <= h on the scores g = sum_t w_t h_t of the ensemble, G (R,
m). Let d (m,) be the multipliers of the margins, mu >= 0 (R,) the multipliers of the rows, and
gamma the multiplier of sum w = 1. The Lagrangian of (2) is

    gamma + h'mu + rho (1 - sum d) + sum_i slack_i (d_i - 1/(nu m))
        + sum_t w_t [h_t(X)'(y d - G'mu) - gamma].

The dual is therefore  min gamma + h'mu  over  0 <= d <= 1/(nu m), sum d = 1, mu >= 0  and h_t(X)'v
<= gamma for every hypothesis, with the pricing vector v = y d - G'mu. The rows shift only this
vector, so the pricing problem of the largest edge h(X)'v stays the same. The multipliers of rates
are in a cone (:class:`~radprog.models.score_arrays.ScoreRows`). A dual point is written z
= (d, mu), (m + R,). Every d in its simplex and every mu >= 0 give the bound

    max_h h(X)'v + h'mu

on the best soft margin. No scaling is necessary, because gamma is free. The multiplier mu_r is the
gain of that margin per unit of h_r.
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
from radprog.models.score_arrays import NO_ROWS, ScoreRows
from radprog.models.simplex import project


@dataclass(frozen=True, kw_only=True, eq=False)
class SoftMargin:
    """The data of programs (2) and (3): labels y (m,), nu, weights of rows (m,), and
    constraints."""

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
        """The largest d of a row without weights: 1/(nu m), or 1 if nu m < 1. It is the unit of
        d.
        """
        return min(1.0, 1.0 / (self.nu * self.m))

    @cached_property
    def shares(self) -> FloatArray:
        """The share (m,) of each row: 1/m, or w_i / W."""
        return row_shares(self.m, self.weights)

    @cached_property
    def costs(self) -> FloatArray:
        """The cost (m,) of a unit of each slack: 1/(nu m), or w_i / (nu W)."""
        if self.weights is None:
            return np.full(self.m, 1.0 / (self.nu * self.m))
        return self.shares / self.nu

    @cached_property
    def caps(self) -> FloatArray:
        """The largest d of each row (m,): its cost, or 1 if that is smaller."""
        return np.minimum(1.0, self.costs)

    def share(self, rows: NDArray[np.bool_]) -> float:
        """The share of the rows in the mask ``rows`` (m,), weighted if there are weights."""
        return float(np.average(rows, weights=self.weights))

    def worst_weights(self, margins: FloatArray) -> FloatArray:
        """The weights d that minimise d'margins over 0 <= d <= caps, sum d = 1.

        The rows with the smallest margins (m,) receive weights equal to their caps.
        """
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
        """The value of program (2) at fixed w, from the margins y_i g(x_i) (m,).

        It is the maximum over rho of rho - sum_i (rho - margins_i)_+ / (nu m). This is the weighted
        mean of the smallest nu m margins; the last of them may count in part.
        """
        return float(self.worst_weights(margins) @ margins)

    def value_down(self, H: FloatArray, w: FloatArray) -> float:
        """A lower bound on :meth:`value` at the normalised weights w (T,) >= 0 in exact arithmetic.

        H (T, m) has the values of the hypotheses. Every margin is lowered by the rounding error of
        its sum. Any rho gives a lower bound; the method uses the smallest margin without loss.
        """
        # margins, each lower by the error of its sum
        sums, errors = products((H * self.y).T, w)
        margins = sums - errors - 2.0 * EXTENDED_ROUNDOFF * np.abs(sums)
        # rho: the margin at which rows of weight nu m lie below
        counts = np.ones(self.m) if self.weights is None else self.weights
        counts = counts.astype(np.longdouble)
        share, order = np.longdouble(self.nu) * counts.sum(), np.argsort(margins, kind="stable")
        place = int(np.searchsorted(np.cumsum(counts[order]), share))
        lower = margins[order[0]]
        if place:
            rho = margins[order[min(self.m - 1, place)]]
            lost = (counts * np.maximum(rho - margins, 0.0)).sum() / share
            lower = rho - lost - 2 * (self.m + 8) * EXTENDED_ROUNDOFF * (abs(rho) + lost)
        value = math.nextafter(float(lower), -math.inf) if lower else 0.0
        return down(value / math.fsum(w.tolist()), 4)

    def rho(self, margins: FloatArray) -> float:
        """The largest rho that attains :meth:`value`."""
        support = self.worst_weights(margins) > 0
        return float(margins[support].max())

    def uniform(self) -> FloatArray:
        """The dual point z (m + R,) with the shares of the rows and mu = 0."""
        return np.append(self.shares, np.zeros(len(self.rows)))

    def feasible(self, z: FloatArray) -> FloatArray:
        """The feasible dual point nearest to z = (d, mu) (m + R,).

        All d are shifted by the same number and clipped, and mu is made feasible.
        """
        return np.append(project(z[: self.m], self.caps), self.rows.feasible(z[self.m :]))

    def pricing_vector(self, z: FloatArray) -> FloatArray:
        """The pricing vector v = y d - G'mu (m,) of a dual point z = (d, mu) (m + R,)."""
        signed = self.y * z[: self.m]
        return signed - self.rows.shift(z[self.m :]) if len(self.rows) else signed

    def edges(self, H: FloatArray, z: FloatArray) -> FloatArray:
        """The edges h_t(X)'v (T,) of hypotheses with values H (T, m)."""
        return np.asarray(H @ self.pricing_vector(z), dtype=np.float64)

    def bound(self, edge: float, z: FloatArray) -> float:
        """The bound of z: an upper bound on h'mu + ``edge``, the largest edge h(X)'v."""
        if not len(self.rows):
            return edge
        costs = self.rows.h * z[self.m :]
        return up(edge + sum_up(costs + 2.0 * UNIT_ROUNDOFF * np.abs(costs)))

    def rounding(self, largest: float, z: FloatArray) -> float:
        """An upper bound on the rounding error of an edge and of the pricing vector of z.

        ``largest`` bounds the absolute values of the hypotheses.
        """
        if not len(self.rows):
            return 4.0 * (self.m + 2) * UNIT_ROUNDOFF * largest
        size = 1.0 + float(z[self.m :] @ abs(self.rows.G).sum(axis=1))
        return 4.0 * (self.m + len(self.rows) + 5) * UNIT_ROUNDOFF * largest * size
