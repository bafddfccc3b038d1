"""Voted Kernel Regularization (Cortes, Goyal, Kuznetsov, Mohri): its programs.

The symbols are as in :mod:`radprog.models.vkr.problem`; for rows with weights, 1/m is c_i = w_i /
sum w. Constraints on the scores are rows of every primal, and variables of every dual:

    score_row_r:   sum_kj (G K_k)_rj (alpha_plus_kj - alpha_minus_kj) <= h_r      row_price_r >= 0
"""

from __future__ import annotations

import numpy as np

from radprog.base.errors import OptionError
from radprog.base.modelling import pyo
from radprog.base.tolerances import ON_MARGIN
from radprog.base.types import FloatArray, IntArray
from radprog.models.algebra import (
    add_row_prices,
    add_score_rows,
    linear,
    with_duals,
    with_scales,
)
from radprog.models.score_arrays import ScoreRows
from radprog.models.score_rows import ROW_PRICE, SCORE_ROW
from radprog.models.vkr.problem import VotedKernels


def _pairs_of(pairs: IntArray) -> list[tuple[int, int]]:
    return [(int(k), int(j)) for k, j in pairs]


def _coefficients(model: pyo.ConcreteModel, pairs: IntArray) -> tuple[list[object], list[object]]:
    model.column = pyo.Set(initialize=_pairs_of(pairs), dimen=2, ordered=True)
    model.alpha_plus = pyo.Var(model.column, domain=pyo.NonNegativeReals)
    model.alpha_minus = pyo.Var(model.column, domain=pyo.NonNegativeReals)
    return list(model.alpha_plus.values()), list(model.alpha_minus.values())


def _set_units(
    model: pyo.ConcreteModel,
    problem: VotedKernels,
    pairs: IntArray,
    columns: FloatArray,
    *,
    priced: bool = True,
) -> pyo.ConcreteModel:
    """Set the units of a model whose numbers do not suit the absolute tolerances of solvers.

    Such a model has a price below 1e-3, or the largest kernel values v of its columns
    (m, r), or their ratio, are beyond 1e6. The unit of a coefficient is u = 1 / v. For
    small prices, the unit of the objective is 1 / w, with w the median of v / Lambda, but at most m
    2^24. In these units, a coefficient costs about 1. Without beta in the costs (not
    ``priced``), w = m, because the optimum may be 0. If a coefficient would cost less, u grows to 1
    / (w Lambda), with entries of at most 2^8. The units of the user's rows are their
    largest entries, and those of dual variables the inverse over w.
    """
    m, prices = problem.m, problem.prices[pairs[:, 0]]
    v = np.abs(columns).max(axis=0, initial=0.0)
    v[v == 0.0] = 1.0
    # units, where a price is small, or kernel values are large or far apart
    small = prices.min(initial=np.inf) < 1e-3
    if not small and v.max(initial=1.0) <= 1e6 * min(1.0, v.min(initial=1.0)):
        return model
    # units of the coefficients, and of the objective
    w, units = 1.0, 1.0 / v
    if small:
        # a point's loss costs at most 2^24 in such units, and entries of a column are at most 2^8,
        # where that makes prices larger
        w = float(np.clip(np.median(v / prices), 1.0, m * 2.0**24)) if priced else float(m)
        units = np.maximum(units, np.minimum(1.0 / (w * prices), 2.0**8 / v))
    # units of everything that depends on them
    sizes = {
        "alpha_plus": units,
        "alpha_minus": units,
        "norm_budget": units.max(initial=0.0) if small else 1.0,
        "weight": np.full(m, 1.0 / w),
        "correlation": 1.0 / (w * units),
        SCORE_ROW: problem.rows.sizes,
        ROW_PRICE: 1.0 / (w * problem.rows.sizes),
    }
    entries = {name: np.asarray(size).tolist() for name, size in sizes.items()}
    present = {name: size for name, size in entries.items() if model.component(name) is not None}
    return with_scales(model, 1.0 / w, present)


def _constrain(model: pyo.ConcreteModel, rows: ScoreRows, columns: FloatArray) -> None:
    """Add the user's rows on the scores over the columns (m, r)."""
    if len(rows):
        images = rows.G @ columns
        alpha = [*model.alpha_plus.values(), *model.alpha_minus.values()]
        add_score_rows(model, rows, np.hstack([images, -images]), alpha)


def build_primal(problem: VotedKernels, pairs: IntArray | None = None) -> pyo.ConcreteModel:
    """The primal program (1) of the paper, over all columns or the given ``pairs`` (k, j) (r, 2).

    min  sum_i shortfall_i / m + sum_kj Lambda_k (alpha_plus_kj + alpha_minus_kj)
    s.t. margin_i:  y_i sum_kj K_k(x_i, c_j) (alpha_plus_kj - alpha_minus_kj) + shortfall_i >= 1
         alpha_plus, alpha_minus, shortfall >= 0

    The paper omits shortfall >= 0; without these bounds the program is unbounded.
    """
    pairs = problem.all_pairs if pairs is None else pairs
    model, columns = _primal(problem, pairs, problem.prices)
    return _set_units(model, problem, pairs, columns)


def _primal(
    problem: VotedKernels, pairs: IntArray, prices: FloatArray, missed: float | None = None
) -> tuple[pyo.ConcreteModel, FloatArray]:
    """The program of :func:`build_primal` at other prices (p,), and the columns of the pairs (m,
    r).

    ``missed`` replaces the losses by the margin errors of :func:`build_margin` at this budget.
    """
    m = problem.m
    model = pyo.ConcreteModel(name="vkr_primal")
    plus, minus = _coefficients(model, pairs)
    alpha = [*plus, *minus]
    model.point = pyo.RangeSet(0, m - 1)
    # y_i f(x_i) + M_i loss_i >= 1, M_i = 1 for hinge losses
    columns = problem.bank.columns(pairs)
    rows = problem.y[:, None] * columns
    if missed is None:
        model.shortfall = pyo.Var(model.point, domain=pyo.NonNegativeReals)
        losses, reach = list(model.shortfall.values()), np.ones(m)
    else:
        model.miss = pyo.Var(model.point, domain=pyo.Binary)
        losses, reach = list(model.miss.values()), 1.0 + np.abs(rows).max(axis=1) * missed
    costs = np.concatenate([problem.costs, *[prices[pairs[:, 0]]] * 2])
    model.objective = pyo.Objective(expr=linear(costs, [*losses, *alpha]))
    model.margin = pyo.Constraint(model.point)
    for i in range(m):
        coefficients = np.concatenate([rows[i], -rows[i], [reach[i]]])
        model.margin[i] = (1.0, linear(coefficients, [*alpha, losses[i]]), None)
    _constrain(model, problem.rows, columns)
    return model if missed is not None else with_duals(model), columns


def build_feasible(problem: VotedKernels, pairs: IntArray) -> pyo.ConcreteModel:
    """The smallest coefficients of ``pairs`` (r, 2) that satisfy the user's constraints.

    min  sum_kj s_kj (alpha_plus_kj + alpha_minus_kj)  s.t.  score_row

    The losses do not matter. The price of a column is s_kj = max_r |sum_i G_ri K_k(x_i, c_j)|. For
    kernels of high degree, the prices of (1) would be tiny in the units of these rows.
    """
    columns = problem.bank.columns(pairs)
    sizes = np.abs(problem.rows.G @ columns).max(axis=0)
    costs = np.where(sizes > 0.0, sizes, 1.0)
    model = pyo.ConcreteModel(name="vkr_feasible")
    plus, minus = _coefficients(model, pairs)
    model.objective = pyo.Objective(expr=linear(np.tile(costs, 2), [*plus, *minus]))
    _constrain(model, problem.rows, columns)
    return with_duals(model)


def build_dual(problem: VotedKernels, pairs: IntArray | None = None) -> pyo.ConcreteModel:
    """The dual program of (1); over given ``pairs`` (r, 2) it is the restricted master.

    max  sum_i weight_i - sum_r h_r row_price_r
    s.t. correlation_kj:  -Lambda_k <= sum_i K_k(x_i, c_j) v_i <= Lambda_k
         0 <= weight_i <= 1/m,  v_i = y_i weight_i - sum_r G_ri row_price_r

    The multiplier of correlation_kj is alpha_kj.
    """
    pairs = problem.all_pairs if pairs is None else pairs
    m, keys = problem.m, _pairs_of(pairs)
    model = pyo.ConcreteModel(name="vkr_dual")
    model.point = pyo.RangeSet(0, m - 1)
    costs = problem.costs.tolist()
    model.weight = pyo.Var(model.point, bounds=lambda model, i: (0.0, costs[i]))
    # the gain of every weight, and the cost of the user's right-hand sides
    gains = np.concatenate([np.ones(m), -problem.rows.h])
    free = [*model.weight.values(), *add_row_prices(model, problem.rows)]
    model.objective = pyo.Objective(expr=linear(gains, free), sense=pyo.maximize)
    model.column = pyo.Set(initialize=keys, dimen=2, ordered=True)
    model.correlation = pyo.Constraint(model.column)
    # a ranged row for every column
    columns = problem.bank.columns(pairs)
    rows = (problem.y[:, None] * columns).T
    if len(problem.rows):
        rows = np.hstack([rows, -(problem.rows.G @ columns).T])
    for (k, j), row in zip(keys, rows, strict=True):
        price = float(problem.prices[k])
        model.correlation[k, j] = (-price, linear(row, free), price)
    return _set_units(with_duals(model), problem, pairs, columns)


def build_budget(problem: VotedKernels, budget: float) -> pyo.ConcreteModel:
    """Program (5) of Appendix B, with a bound on the norm of alpha instead of a price.

    min  sum_i shortfall_i / m + lam sum_kj r_k (alpha_plus_kj + alpha_minus_kj)
    s.t. margin_i as in the primal,  norm_budget: sum_kj (alpha_plus_kj + alpha_minus_kj) <= 1/rho

    ``budget`` is 1/rho > 0. For a solution alpha* of (1) and the budget |alpha*|_1, alpha* solves
    both programs, and -beta is a multiplier of norm_budget. The multiplier need not be unique,
    because the optimal value may have a kink at this budget.
    """
    return _budgeted("vkr_budget", problem, budget)


def _budgeted(
    name: str, problem: VotedKernels, budget: float, *, missed: bool = False
) -> pyo.ConcreteModel:
    """A primal program with a bound on sum |alpha| in place of beta."""
    if not budget > 0:
        raise OptionError(f"budget {budget:g}: expected a positive bound on sum |alpha|")
    pairs = problem.all_pairs
    model, columns = _primal(
        problem, pairs, problem.lam * problem.penalties, budget if missed else None
    )
    model.name = name
    alpha = [*model.alpha_plus.values(), *model.alpha_minus.values()]
    model.norm_budget = pyo.Constraint(expr=linear(np.ones(len(alpha)), alpha) <= budget)
    return _set_units(model, problem, pairs, columns, priced=False)


def build_margin(problem: VotedKernels, budget: float) -> pyo.ConcreteModel:
    """The mixed-integer program of Appendix B with the empirical margin error, not the hinge loss.

    min  sum_i miss_i / m + lam sum_kj r_k (alpha_plus_kj + alpha_minus_kj)
    s.t. margin_i: y_i f(x_i) >= 1 - M_i miss_i,  M_i = 1 + max_kj |K_k(x_i, c_j)| / rho
         norm_budget: sum_kj (alpha_plus_kj + alpha_minus_kj) <= 1/rho,  miss_i in {0, 1}

    ``budget`` is 1/rho > 0, and lam = 4 is the paper's constant. Points with y_i f(x_i) = 1 are not
    counted here. The paper's margin error counts y_i f(x_i) <= 1. No closed constraint can express
    this condition.
    """
    return _budgeted("vkr_margin", problem, budget, missed=True)


def margin_objective(
    problem: VotedKernels, columns: FloatArray, pairs: IntArray, alpha: FloatArray
) -> float:
    """The objective of :func:`build_margin` at alpha, with y f(x) < 1 - 1e-9 as a miss."""
    margins = problem.y * (columns @ alpha)
    penalty = problem.lam * float(problem.penalties[pairs[:, 0]] @ np.abs(alpha))
    return problem.share(margins < 1.0 - ON_MARGIN) + penalty
