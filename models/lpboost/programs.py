"""LPBoost: the soft margin program (2), its dual (3), and their values without a solver.

Symbols: m rows with labels y in {-1, +1}; T hypotheses with values H[t, i] = h_t(x_i); weights w of
hypotheses, weights d of rows; nu in (0, 1].
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyomo.environ as pyo

from radprog.instances.types import FloatArray
from radprog.models.algebra import linear, with_duals

UNIT_ROUNDOFF = 2.0**-53


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


def build_primal(H: FloatArray, margin: SoftMargin) -> pyo.ConcreteModel:
    """Program (2), the soft margin of an ensemble. H (T, m).

    max  rho - sum_i slack_i / (nu m)
    s.t. margin_i:  sum_t y_i h_t(x_i) weight_t + slack_i >= rho
         convex:    sum_t weight_t = 1,   weight, slack >= 0,  rho free

    Multipliers: d_i of margin_i, gamma of convex. The paper's display leaves out slack >= 0,
    without which the program is unbounded for nu < 1.
    """
    T, m = H.shape
    model = pyo.ConcreteModel(name="lpboost_primal")
    model.hypothesis = pyo.RangeSet(0, T - 1)
    model.row = pyo.RangeSet(0, m - 1)
    model.rho = pyo.Var()
    model.weight = pyo.Var(model.hypothesis, domain=pyo.NonNegativeReals)
    model.slack = pyo.Var(model.row, domain=pyo.NonNegativeReals)
    weight, slack = list(model.weight.values()), list(model.slack.values())
    cost = np.concatenate([[1.0], np.full(m, -1.0 / (margin.nu * m))])
    model.objective = pyo.Objective(expr=linear(cost, [model.rho, *slack]), sense=pyo.maximize)
    model.margin = pyo.Constraint(model.row)
    for i in range(m):
        row = np.concatenate([margin.y[i] * H[:, i], [1.0, -1.0]])
        model.margin[i] = (0.0, linear(row, [*weight, slack[i], model.rho]), None)
    model.convex = pyo.Constraint(expr=linear(np.ones(T), weight) == 1.0)
    return with_duals(model)


def build_dual(H: FloatArray, margin: SoftMargin) -> pyo.ConcreteModel:
    """Program (3), the smallest largest edge. H (T, m).

    min  gamma
    s.t. edge_t:  sum_i y_i h_t(x_i) d_i <= gamma
         mass:    sum_i d_i = 1,   0 <= d_i <= 1/(nu m),  gamma free

    Multipliers: -weight_t of edge_t, rho of mass. Over the hypotheses found so far it is the
    restricted master of column generation.
    """
    T, m = H.shape
    model = pyo.ConcreteModel(name="lpboost_dual")
    model.row = pyo.RangeSet(0, m - 1)
    model.gamma = pyo.Var()
    model.d = pyo.Var(model.row, bounds=(0.0, 1.0 / (margin.nu * m)))
    d = list(model.d.values())
    model.objective = pyo.Objective(expr=model.gamma)
    model.hypothesis = pyo.RangeSet(0, T - 1)
    model.edge = pyo.Constraint(model.hypothesis)
    rows = H * margin.y
    for t in range(T):
        row = np.concatenate([rows[t], [-1.0]])
        model.edge[t] = (None, linear(row, [*d, model.gamma]), 0.0)
    model.mass = pyo.Constraint(expr=linear(np.ones(m), d) == 1.0)
    return with_duals(model)
