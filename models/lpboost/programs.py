"""LPBoost: the soft margin program (2) and its dual (3).

Symbols: m rows with labels y in {-1, +1}; T hypotheses with values H[t, i] = h_t(x_i); hypothesis
weights w, row weights d; nu in (0, 1]. For rows with weights w_i, 1/m is w_i / sum w. The user's
constraints G g(X) <= h (:mod:`radprog.models.lpboost.problem`) are rows of the primal and columns
of the dual:

    score_row_r:  sum_t (G h_t(X))_r weight_t <= h_r        row_price_r >= 0
"""

from __future__ import annotations

import numpy as np

from radprog.base.modelling import pyo
from radprog.base.types import FloatArray, IntArray
from radprog.models.algebra import add_row_prices, add_score_rows, linear, with_duals
from radprog.models.lpboost.problem import SoftMargin
from radprog.models.score_arrays import ScoreRows


def _score_rows(model: pyo.ConcreteModel, H: FloatArray, rows: ScoreRows) -> None:
    """The constraints on the weights of the hypotheses H (T, m)."""
    if len(rows):
        add_score_rows(model, rows, rows.G @ H.T, list(model.weight.values()))


def build_primal(H: FloatArray, margin: SoftMargin) -> pyo.ConcreteModel:
    """Program (2): the soft margin of an ensemble of hypotheses with values H (T, m).

    max  rho - sum_i shortfall_i / (nu m)
    s.t. margin_i:  sum_t y_i h_t(x_i) weight_t + shortfall_i >= rho
         convex:    sum_t weight_t = 1,   weight, shortfall >= 0,  rho free

    The multipliers are d_i of margin_i, and gamma of convex. The paper omits shortfall >= 0;
    without these bounds the program is unbounded for nu < 1.
    """
    T, m = H.shape
    model = pyo.ConcreteModel(name="lpboost_primal")
    model.hypothesis = pyo.RangeSet(0, T - 1)
    model.row = pyo.RangeSet(0, m - 1)
    model.rho = pyo.Var()
    model.weight = pyo.Var(model.hypothesis, domain=pyo.NonNegativeReals)
    model.shortfall = pyo.Var(model.row, domain=pyo.NonNegativeReals)
    weight, shortfall = list(model.weight.values()), list(model.shortfall.values())
    # rho, less the cost of every shortfall
    cost = np.concatenate([[1.0], -margin.costs])
    model.objective = pyo.Objective(expr=linear(cost, [model.rho, *shortfall]), sense=pyo.maximize)
    model.margin = pyo.Constraint(model.row)
    for i in range(m):
        row = np.concatenate([margin.y[i] * H[:, i], [1.0, -1.0]])
        model.margin[i] = (0.0, linear(row, [*weight, shortfall[i], model.rho]), None)
    _score_rows(model, H, margin.rows)
    model.convex = pyo.Constraint(expr=linear(np.ones(T), weight) == 1.0)
    return with_duals(model)


def build_feasible(H: FloatArray, margin: SoftMargin) -> pyo.ConcreteModel:
    """The ensemble of hypotheses H (T, m) with the largest mean margin subject to the constraints.

    max  sum_i y_i sum_t h_t(x_i) weight_t / m  s.t.  score_row,  convex,  weight >= 0
    """
    T, m = H.shape
    model = pyo.ConcreteModel(name="lpboost_feasible")
    model.hypothesis = pyo.RangeSet(0, T - 1)
    model.weight = pyo.Var(model.hypothesis, domain=pyo.NonNegativeReals)
    weight = list(model.weight.values())
    model.objective = pyo.Objective(expr=linear(H @ margin.y / m, weight), sense=pyo.maximize)
    _score_rows(model, H, margin.rows)
    model.convex = pyo.Constraint(expr=linear(np.ones(T), weight) == 1.0)
    return with_duals(model)


def build_dual(H: FloatArray, margin: SoftMargin) -> pyo.ConcreteModel:
    """Program (3): the weights d that minimise the largest edge of hypotheses H (T, m).

    min  gamma + sum_r h_r row_price_r
    s.t. edge_t:  sum_i y_i h_t(x_i) d_i - sum_r (G h_t(X))_r row_price_r <= gamma
         mass:    sum_i d_i = 1,   0 <= d_i <= 1/(nu m),  row_price >= 0,  gamma free

    The multipliers are -weight_t of edge_t, and rho of mass. Over the generated hypotheses, the
    program is the restricted master of column generation.
    """
    (T, m), constraints = H.shape, margin.rows
    model = pyo.ConcreteModel(name="lpboost_dual")
    model.row = pyo.RangeSet(0, m - 1)
    model.gamma = pyo.Var()
    # weights of rows in their boxes, prices of constraints beside them
    costs = margin.costs.tolist()
    model.d = pyo.Var(model.row, bounds=lambda model, i: (0.0, costs[i]))
    d, prices = list(model.d.values()), add_row_prices(model, constraints)
    # edges of the hypotheses
    rows = H * margin.y
    if prices:
        rows = np.hstack([rows, -(H @ constraints.G.T)])
    cost = linear(np.append(constraints.h, 1.0), [*prices, model.gamma])
    model.objective = pyo.Objective(expr=cost if prices else model.gamma)
    model.hypothesis = pyo.RangeSet(0, T - 1)
    model.edge = pyo.Constraint(model.hypothesis)
    for t in range(T):
        row = np.concatenate([rows[t], [-1.0]])
        model.edge[t] = (None, linear(row, [*d, *prices, model.gamma]), 0.0)
    model.mass = pyo.Constraint(expr=linear(np.ones(m), d) == 1.0)
    return with_duals(model)


def build_votes(
    margins: FloatArray,
    row: IntArray,
    target: FloatArray,
    beta: FloatArray,
    caps: FloatArray | None = None,
    shares: FloatArray | None = None,
) -> pyo.ConcreteModel:
    """LPBoost for more than two classes, and for a part of an ensemble.

    ``margins`` (r, T) has one row for each pair of a data row and a class other than its own.
    ``row`` (r,) holds the index of the data row, and ``target`` (r,) the required margin. ``beta``
    (T,) holds the price of each weight, and ``caps`` (T,) an upper bound on each weight. ``shares``
    (m,) holds the shares c_i of the data rows, by default 1/m.

    min  sum_i c_i shortfall_i + sum_t beta_t weight_t
    s.t. margin_j:  sum_t margins_jt weight_t >= target_j - shortfall_i,  i = row_j
         weight, shortfall >= 0;  weight_t <= caps_t, with caps
    """
    m, T = int(row.max()) + 1, margins.shape[1]
    model = pyo.ConcreteModel(name="votes")
    top = None if caps is None else dict(enumerate(caps.tolist()))
    model.weight = pyo.Var(range(T), bounds=lambda _, t: (0.0, top and top[t]))
    model.shortfall = pyo.Var(range(m), domain=pyo.NonNegativeReals)
    weight, shortfall = list(model.weight.values()), list(model.shortfall.values())
    costs = np.append(np.full(m, 1.0 / m) if shares is None else shares, beta)
    model.objective = pyo.Objective(expr=linear(costs, [*shortfall, *weight]))
    model.margin = pyo.Constraint(
        range(len(row)),
        rule=lambda model, j: (
            linear(np.append(margins[j], 1.0), [*weight, shortfall[row[j]]]) >= float(target[j])
        ),
    )
    return with_duals(model)
