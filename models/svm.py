"""Support vector machine (the L2 baseline): its dual program, and its values without a solver."""

from __future__ import annotations

import numpy as np
import pyomo.environ as pyo

from radprog.instances.types import FloatArray
from radprog.models.algebra import linear, quadratic, with_duals
from radprog.models.rounding import sum_up


def best_bias(scores: FloatArray, y: FloatArray) -> float:
    """A minimiser over b of sum_i max(0, 1 - y_i (scores_i + b)); scores, y (m,).

    The function is convex and piecewise linear with kinks at y_i - scores_i: it falls as long as
    fewer kinks lie to the left than there are points with y = +1.
    """
    kinks = np.sort(y - scores)
    positives = int((y > 0).sum())
    if positives == 0:
        return float(kinks[0])
    left = kinks[positives - 1]
    right = kinks[min(positives, len(kinks) - 1)]
    return float((left + right) / 2.0)


def svm_primal_value(K: FloatArray, y: FloatArray, C: float, a: FloatArray) -> tuple[float, float]:
    """(1/2 |w|^2 + C sum hinge, bias) of w = sum a_i y_i phi(x_i), the bias minimised exactly.

    K (m, m), y (m,), a (m,).
    """
    coefficients = a * y
    scores = K @ coefficients
    bias = best_bias(scores, y)
    hinge = sum_up(np.maximum(0.0, 1.0 - y * (scores + bias)))
    return 0.5 * float(coefficients @ scores) + C * hinge, bias


def svm_feasible(y: FloatArray, C: float, a: FloatArray) -> FloatArray:
    """A point of 0 <= a <= C, y'a = 0 near a (m,): clipped, then the heavier side shrunk."""
    a = np.clip(a, 0.0, C)
    plus, minus = float(a[y > 0].sum()), float(a[y < 0].sum())
    if plus > minus:
        a = np.where(y > 0, a * (minus / plus), a)
    elif minus > plus:
        a = np.where(y < 0, a * (plus / minus), a)
    return a


def svm_dual_value(K: FloatArray, y: FloatArray, a: FloatArray) -> float:
    """1'a - 1/2 a'(yy' * K)a at a (m,), lowered by the rounding error of its evaluation: a lower
    bound of the primal value when a is feasible and K is positive semidefinite."""
    coefficients = a * y
    m = len(a)
    value = float(a.sum()) - 0.5 * float(coefficients @ (K @ coefficients))
    terms = float(a.sum()) + 0.5 * float(np.abs(coefficients) @ (np.abs(K) @ np.abs(coefficients)))
    return value - 2.0 * m * 2.0**-53 * terms


def build_svm_dual(K: FloatArray, y: FloatArray, C: float) -> pyo.ConcreteModel:
    """The dual quadratic program of the support vector machine with bias.

    max  sum_i a_i - 1/2 sum_ij a_i a_j y_i y_j K(x_i, x_j)
    s.t. balance: sum_i y_i a_i = 0,   0 <= a_i <= C

    K (m, m) symmetric positive semidefinite, y (m,). Written with every pair once, it has
    m(m+1)/2 quadratic terms.
    """
    m = len(y)
    model = pyo.ConcreteModel(name="svm_dual")
    model.point = pyo.RangeSet(0, m - 1)
    model.a = pyo.Var(model.point, bounds=(0.0, C))
    a = list(model.a.values())
    Q = (y[:, None] * y[None, :]) * K
    model.objective = pyo.Objective(
        expr=linear(np.ones(m), a) - 0.5 * quadratic(Q, a), sense=pyo.maximize
    )
    model.balance = pyo.Constraint(expr=linear(y, a) == 0)
    return with_duals(model)
