"""LPBoost: the soft margin program (2) and its dual (3).

Symbols: m rows with labels y in {-1, +1}; T hypotheses with values H[t, i] = h_t(x_i); weights w of
hypotheses, weights d of rows; nu in (0, 1].
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from radprog.instances.types import Deferred, FloatArray
from radprog.models.algebra import linear, with_duals
from radprog.models.lpboost.problem import SoftMargin

if TYPE_CHECKING:
    import pyomo.environ as pyo
else:
    pyo = Deferred("pyomo.environ")


def build_primal(H: FloatArray, margin: SoftMargin) -> pyo.ConcreteModel:
    """Program (2), the soft margin of an ensemble. H (T, m).

    max  rho - sum_i slack_i / (nu m)
    s.t. margin_i:  sum_t y_i h_t(x_i) weight_t + slack_i >= rho
         convex:    sum_t weight_t = 1,   weight, shortfall >= 0,  rho free

    Multipliers: d_i of margin_i, gamma of convex. The paper's display leaves out shortfall >= 0,
    without which the program is unbounded for nu < 1.
    """
    T, m = H.shape
    model = pyo.ConcreteModel(name="lpboost_primal")
    model.hypothesis = pyo.RangeSet(0, T - 1)
    model.row = pyo.RangeSet(0, m - 1)
    model.rho = pyo.Var()
    model.weight = pyo.Var(model.hypothesis, domain=pyo.NonNegativeReals)
    model.shortfall = pyo.Var(model.row, domain=pyo.NonNegativeReals)
    weight, shortfall = list(model.weight.values()), list(model.shortfall.values())
    cost = np.concatenate([[1.0], np.full(m, -1.0 / (margin.nu * m))])
    model.objective = pyo.Objective(expr=linear(cost, [model.rho, *shortfall]), sense=pyo.maximize)
    model.margin = pyo.Constraint(model.row)
    for i in range(m):
        row = np.concatenate([margin.y[i] * H[:, i], [1.0, -1.0]])
        model.margin[i] = (0.0, linear(row, [*weight, shortfall[i], model.rho]), None)
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
