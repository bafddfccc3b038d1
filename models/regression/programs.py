"""Explicit programs of bounded-loss regression (Anguita, Ghio, Oneto, Ridella), one sign vector.

The symbols are as in :mod:`radprog.models.regression.problem`: signs sigma (n,), -1 (S+ of the
paper, loss minimised) or +1 (S-, loss maximised); slopes c (n,) of the concave part at the iterate.
The feature space enters through the factor: h_i = sum_k F_ik w_k + b. ``weight`` is the factor of
rho: C / eps_up for (4), 1 / eps_up for (3); problems (5)-(9) of the paper omit eps_up. The bias b
is restricted to an interval outside of which every loss is saturated. Without this restriction, a
step may have an unbounded set of optima.

Problem (5) of the paper is unbounded as printed, because its primed slacks have no upper bounds. It
is therefore not built. :func:`build_global` is an explicit program of (3) and (4).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from radprog.base.modelling import pyo
from radprog.base.types import FloatArray
from radprog.models.algebra import linear, quadratic, with_duals, with_scales
from radprog.models.regression.problem import RegressionClass

DENSE_DUAL = 1000  # points above which the dual is written with the factor


def tikhonov_radius(C: float, n: float) -> float:
    """An upper bound A on |w|^2 at all points of a descent on (4) that starts with |w|^2 <= 2 C n.

    It holds because each step lowers the objective, and the sum of the losses is between -n and n.
    """
    return 6.0 * C * n


def _functions(
    model: pyo.ConcreteModel, problem: RegressionClass, A: float
) -> tuple[list[Any], list[Any]]:
    """Variables w and b, and the list of all of them: coefficients of h_i are [F_i, 1]."""
    model.part = pyo.RangeSet(0, problem.rank - 1)
    model.point = pyo.RangeSet(0, problem.n - 1)
    model.w = pyo.Var(model.part)
    model.b = pyo.Var(bounds=problem.bias_box(A))
    w = list(model.w.values())
    return w, [*w, model.b]


def _hinge_rows(
    model: pyo.ConcreteModel, problem: RegressionClass, signs: FloatArray, w_b: list[Any]
) -> None:
    """Slacks xi, xihat and the rows of (8)."""
    loss = problem.loss
    model.xi = pyo.Var(model.point)
    model.xihat = pyo.Var(model.point)
    model.below = pyo.Constraint(model.point)
    model.above = pyo.Constraint(model.point)
    for i in range(problem.n):
        xi, xihat = model.xi[i], model.xihat[i]
        row = np.append(problem.factor[i], 1.0)
        left = linear(np.append(row, 1.0), [*w_b, xi])
        right = linear(np.append(row, -1.0), [*w_b, xihat])
        low, high = float(problem.y[i]) - loss.low, float(problem.y[i]) + loss.low
        if signs[i] < 0:
            xi.setlb(0.0)
            xihat.setlb(0.0)
            model.below[i] = left >= low
            model.above[i] = right <= high
        else:
            xi.setub(loss.up)
            xihat.setub(loss.up)
            model.below[i] = left <= low
            model.above[i] = right >= high


def _step_cost(
    model: pyo.ConcreteModel,
    problem: RegressionClass,
    signs: FloatArray,
    c: FloatArray,
    w_b: list[Any],
    weight: float,
) -> Any:
    """weight (sum_S+ (xi + xihat) - sum_S- (xi + xihat) + sum_i c_i h_i)."""
    # sum_i c_i h_i in terms of w and b
    along = np.append(problem.factor.T @ c, c.sum())
    coefficients = weight * np.concatenate([along, -signs, -signs])
    return linear(coefficients, [*w_b, *model.xi.values(), *model.xihat.values()])


def build_step(
    problem: RegressionClass,
    signs: FloatArray,
    c: FloatArray,
    weight: float,
    tangent: float = 0.0,
    A: float | None = None,
) -> pyo.ConcreteModel:
    """One step of the convex-concave procedure, program (8).

    min  1/2 |w|^2 + weight (sum_S+ (xi_i + xihat_i) - sum_S- (xi_i + xihat_i) + sum_i c_i h_i
         + tangent)
    s.t. S+: below_i: h_i + xi_i >= y_i - eps_low,  above_i: h_i - xihat_i <= y_i + eps_low,
             xi, xihat >= 0
         S-: below_i: h_i + xi_i <= y_i - eps_low,  above_i: h_i - xihat_i >= y_i + eps_low,
             xi, xihat <= eps_up

    ``signs`` and c are (n,). The paper omits the constant ``tangent``; with this constant, the
    optimum is between the next and the current value of (4). ``A`` is the bound on |w|^2 for the
    interval of b.
    """
    model = pyo.ConcreteModel(name="svr_step")
    total = float(np.abs(signs).sum())
    # the interval of b: outside of it every loss is 1
    radius = tikhonov_radius(weight * problem.loss.up, total) if A is None else A
    w, w_b = _functions(model, problem, radius)
    _hinge_rows(model, problem, signs, w_b)
    cost = _step_cost(model, problem, signs, c, w_b, weight)
    norm = 0.5 * pyo.quicksum(component * component for component in w)
    model.objective = pyo.Objective(expr=norm + cost + weight * tangent)
    return with_duals(model)


def build_step_ivanov(
    problem: RegressionClass, signs: FloatArray, c: FloatArray, A: float, tangent: float = 0.0
) -> pyo.ConcreteModel:
    """One step of the convex-concave procedure on (3), with the losses and the rows of (8).

    The constraint ball: |w|^2 <= A replaces the norm in the objective. The multiplier lambda of
    1/2 (|w|^2 - A) is 1 / weight of the :func:`build_step` with the same solution. The units of the
    program are the units of the loss (weight 1 / eps_up). Solvers use w in units of sqrt(A),
    because their absolute feasibility tolerances may be large relative to a small A.
    """
    model = pyo.ConcreteModel(name="svr_step_ivanov")
    w, w_b = _functions(model, problem, A)
    _hinge_rows(model, problem, signs, w_b)
    weight = 1.0 / problem.loss.up
    cost = _step_cost(model, problem, signs, c, w_b, weight)
    model.objective = pyo.Objective(expr=cost + weight * tangent)
    if w:
        model.ball = pyo.Constraint(expr=pyo.quicksum(v * v for v in w) <= A)
        with_scales(model, 1.0, {"w": math.sqrt(A), "ball": A})
    return with_duals(model)


def build_step_dual(
    problem: RegressionClass,
    signs: FloatArray,
    c: FloatArray,
    weight: float,
    tangent: float = 0.0,
) -> pyo.ConcreteModel:
    """The dual (9) of one step, with a constant such that its optimum is minus that of (8).

    min  1/2 sum_ij g_i g_j K(x_i, x_j) - constant
         + sum_S+ alpha_i (-y_i + eps_low) + alphahat_i (-y_i - eps_low)
         + sum_S- alpha_i (-y_i + eps_low + eps_up) + alphahat_i (-y_i - eps_low - eps_up)
    s.t. coefficient_i: g_i = alpha_i + alphahat_i,  balance: sum_i g_i = 0
         S+: -Delta <= alpha <= weight - Delta,   -weight - Deltahat <= alphahat <= -Deltahat
         S-: -weight - Delta <= alpha <= -Delta,  -Deltahat <= alphahat <= weight - Deltahat

    The regression function is h(x) = sum_i g_i K(x_i, x) + b. For more than 1000 points and a
    factor F of lower rank, the norm is 1/2 |v|^2 with rows v_k = sum_i F_ik g_i.
    """
    loss, n, y, minimised = problem.loss, problem.n, problem.y, signs < 0
    # Delta and Deltahat of (6): a slope is split between the two hinges of its point
    delta = np.where(minimised, weight * (c > 0), np.where(c > 0, 0.0, -weight))
    deltahat = np.where(minimised, -weight * (c < 0), np.where(c < 0, 0.0, weight))
    # the sum of the optima of (8) and (9), which the paper omits
    outer = loss.low + loss.up
    minimised_part = delta * (y - loss.low) + deltahat * (y + loss.low)
    maximised_part = delta * (y - outer) + deltahat * (y + outer) - 2.0 * weight * loss.up
    constant = float(np.where(minimised, minimised_part, maximised_part).sum()) + weight * tangent
    model = pyo.ConcreteModel(name="svr_step_dual")
    model.point = pyo.RangeSet(0, n - 1)
    # boxes of the multipliers of both hinges, each of width weight
    low = np.where(minimised, -delta, -weight - delta)
    lowhat = np.where(minimised, -weight - deltahat, -deltahat)
    model.alpha = pyo.Var(model.point, bounds=_boxes(low, weight))
    model.alphahat = pyo.Var(model.point, bounds=_boxes(lowhat, weight))
    model.g = pyo.Var(model.point)
    alpha, alphahat, g = (list(v.values()) for v in (model.alpha, model.alphahat, model.g))
    model.coefficient = pyo.Constraint(
        model.point, rule=lambda m, i: m.g[i] - m.alpha[i] - m.alphahat[i] == 0
    )
    model.balance = pyo.Constraint(expr=linear(np.ones(n), g) == 0)
    margin = np.where(minimised, loss.low, outer)
    cost = linear(np.concatenate([margin - y, -margin - y]), [*alpha, *alphahat])
    # 1/2 g'K g, dense or by the coordinates F'g
    if n <= DENSE_DUAL or problem.rank == n:
        norm = 0.5 * quadratic(problem.kernel, g)
    else:
        model.part = pyo.RangeSet(0, problem.rank - 1)
        model.v = pyo.Var(model.part)
        model.projection = pyo.Constraint(model.part)
        for k in range(problem.rank):
            coefficients = np.append(problem.factor[:, k], -1.0)
            model.projection[k] = linear(coefficients, [*g, model.v[k]]) == 0
        norm = 0.5 * pyo.quicksum(v * v for v in model.v.values())
    model.objective = pyo.Objective(expr=norm + cost - constant)
    return with_duals(model)


def _boxes(lower: FloatArray, width: float) -> Any:
    return lambda model, i: (float(lower[i]), float(lower[i]) + width)


def build_global(
    problem: RegressionClass,
    signs: FloatArray,
    *,
    A: float | None = None,
    C: float | None = None,
) -> pyo.ConcreteModel:
    """The nonconvex problem as a mixed-integer program: (3) with ``A``, (4) with ``C``.

    min  1/eps_up sum_i -sigma_i v_i                    (3);  s.t. ball: |w|^2 <= A
    min  1/2 |w|^2 + C/eps_up sum_i -sigma_i v_i        (4)
    S+ (one binary q_i, 1 where saturated): v_i >= eps_up q_i,
         over_i: v_i >= r_i - eps_low - M q_i,  under_i: v_i >= -r_i - eps_low - M q_i
    S- (binaries p_i, q_i: which side r_i is on): v_i <= eps_up (p_i + q_i), p_i + q_i <= 1,
         over_i: v_i <= r_i - eps_low + M (1 - p_i),  under_i: v_i <= -r_i - eps_low + M (1 - q_i)
    0 <= v_i <= eps_up, r_i = y_i - h_i. Each M is the smallest that the ranges of w and b allow.
    With ``A``, solvers use w in units of sqrt(A), as in :func:`build_step_ivanov`.
    """
    loss, n, y = problem.loss, problem.n, problem.y
    radius = tikhonov_radius(C or 0.0, float(np.abs(signs).sum())) if A is None else A
    model = pyo.ConcreteModel(name="svr_global")
    w, w_b = _functions(model, problem, radius)
    for component in w:
        component.setlb(-float(np.sqrt(radius)))
        component.setub(float(np.sqrt(radius)))
    # the least big-M: by how much r_i can exceed the loss, from the ranges of w and b
    low, high = problem.bias_box(radius)
    reach = problem.reach(radius)
    largest, smallest = y - low + reach, y - high - reach
    model.v = pyo.Var(model.point, bounds=(0.0, loss.up))
    model.p = pyo.Var([i for i in range(n) if signs[i] > 0], domain=pyo.Binary)
    model.q = pyo.Var(model.point, domain=pyo.Binary)
    names = ("saturated", "side", "over", "under")
    for name in names:
        model.add_component(name, pyo.Constraint(model.point))
    for i in range(n):
        h = linear(np.append(problem.factor[i], 1.0), w_b)
        r, v, q = float(y[i]) - h, model.v[i], model.q[i]
        if signs[i] < 0:
            over = max(0.0, float(largest[i]) - loss.low - loss.up)
            under = max(0.0, -float(smallest[i]) - loss.low - loss.up)
            model.saturated[i] = v >= loss.up * q
            model.over[i] = v >= r - loss.low - over * q
            model.under[i] = v >= -r - loss.low - under * q
        else:
            p = model.p[i]
            over = loss.up + loss.low - float(smallest[i])
            under = loss.up + loss.low + float(largest[i])
            model.saturated[i] = v <= loss.up * (p + q)
            model.side[i] = p + q <= 1
            model.over[i] = v <= r - loss.low + over * (1 - p)
            model.under[i] = v <= -r - loss.low + under * (1 - q)
    weight = (1.0 if C is None else C) / loss.up
    cost = linear(-weight * signs, list(model.v.values()))
    squares = pyo.quicksum(component * component for component in w)
    model.objective = pyo.Objective(expr=cost if C is None else 0.5 * squares + cost)
    if C is None and w:
        model.ball = pyo.Constraint(expr=squares <= radius)
        with_scales(model, 1.0, {"w": math.sqrt(radius), "ball": radius})
    return model
