"""The support vector machine under rows G (f(X) + b) <= h in its scores: values and dual program.

min  1/2 |w|^2 + C sum_i max(0, 1 - y_i (f(x_i) + b))   s.t.  G (f(X) + b 1) <= h

with f(x) = <w, phi(x)>.

With multipliers a of the margins and mu >= 0 of the rows, w = sum_i v_i phi(x_i) for the vector
v = y a - G'mu: the rows shift it as they shift the pricing vector of the voted kernels. The dual is

max  1'a - h'mu - 1/2 v'Kv   s.t.  1'v = 0,  0 <= a <= C,  mu >= 0,

and any such (a, mu) bounds the optimum from below. Nothing has to be scaled: v is free.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from radprog.base.tolerances import UNIT_ROUNDOFF
from radprog.base.types import Deferred, FloatArray
from radprog.models.algebra import linear, quadratic, with_duals
from radprog.models.rounding import EXTENDED_ROUNDOFF, down, hinge_up, sum_down, up
from radprog.models.score_rows import ROW_PRICE, ScoreRows
from radprog.models.svm import Image, best_bias

if TYPE_CHECKING:
    import pyomo.environ as pyo
else:
    pyo = Deferred("pyomo.environ")


def expansion_of(y: FloatArray, rows: ScoreRows, a: FloatArray, mu: FloatArray) -> FloatArray:
    """v = y a - G'mu (m,), the coefficients of f."""
    return y * a - rows.shift(mu)


def allowed_bias(scores: FloatArray, y: FloatArray, rows: ScoreRows) -> float:
    """The bias that minimises the hinge losses among those that keep the rows; where none does, one
    between the least and the largest that rows ask for."""
    slack, sums = rows.h - rows.G @ scores, rows.G.sum(axis=1)
    sums = np.where(np.abs(sums) > len(y) * UNIT_ROUNDOFF * np.abs(rows.G).sum(axis=1), sums, 0.0)
    least = float((slack[sums < 0] / sums[sums < 0]).max(initial=-math.inf))
    most = float((slack[sums > 0] / sums[sums > 0]).min(initial=math.inf))
    if least > most:
        return (least + most) / 2.0
    return min(max(best_bias(scores, y), least), most)


def constant_under(y: FloatArray, C: float, rows: ScoreRows) -> tuple[float, float]:
    """(C sum hinge, bias) of w = 0 under the rows, infinite where no bias keeps them; y (m,)."""
    bias = allowed_bias(np.zeros(len(y)), y, rows)
    if not rows.met(np.full(len(y), bias)):
        return math.inf, bias
    return up(C * hinge_up((y * bias).astype(np.longdouble), np.zeros(len(y)))), bias


def constrained_values(
    K: FloatArray, y: FloatArray, C: float, rows: ScoreRows, a: FloatArray, mu: FloatArray
) -> tuple[float, float, float]:
    """Primal value at w = sum v_i phi(x_i) and the best bias that keeps the rows, that bias, and a
    lower bound of the optimum; K (m, m), y, a (m,), mu (R,), 0 <= a <= C and mu >= 0.

    The primal value is at least that in exact arithmetic, infinite where a row is violated by more
    than 1e-8 of its terms. The dual value is rounded down, by what the rounding of v may change as
    well; where rounding leaves 1'v = r off 0 it is that of a point a - r e_j or a + r e_j, whose
    value is less by at most |r| |1 - y_j (Kv)_j| + r^2 K_jj / 2. The point 0 has value 0.
    """
    v = expansion_of(y, rows, a, mu)
    image, doubt = Image.of(K, v), rows.doubt(a, mu)
    scores = image.values.astype(np.float64)
    bias = allowed_bias(scores, y, rows)
    objective = up(up(0.5 * image.norm) + image.hinge(y, bias, C))
    if not rows.met(scores + bias):
        objective = math.inf
    costs = rows.h * mu
    value = sum_down(np.concatenate([a, -costs - 2.0 * UNIT_ROUNDOFF * np.abs(costs)]))
    moved = float((np.abs(scores) + image.errors) @ doubt)
    moved += 0.5 * float(np.sqrt(image.diagonal.clip(min=0.0)) @ doubt) ** 2
    value = down(value - up(0.5 * image.norm) - up(moved, len(y)), 4)
    rest = up(abs(math.fsum(v.tolist())) + float(doubt.sum()), len(y))
    slope = np.abs(1.0 - y * scores) + image.errors
    slope += 4.0 * EXTENDED_ROUNDOFF * (1.0 + np.abs(scores))
    loss = rest * slope + rest * rest * image.diagonal / 2.0
    worst = 0.0
    for side in (-1.0, 1.0):  # 1'v is that much too small, or too large
        able = np.where(y * side > 0, a >= rest, a <= C - rest)
        worst = max(worst, float(loss[able].min()) if able.any() else math.inf)
    return objective, bias, max(0.0, down(value - up(worst, 8)))


def build_constrained_dual(
    K: FloatArray, y: FloatArray, C: float, rows: ScoreRows
) -> pyo.ConcreteModel:
    """The dual quadratic program.

    max  sum_i a_i - sum_r h_r row_price_r - 1/2 sum_ij v_i v_j K(x_i, x_j)
    s.t. balance: sum_i v_i = 0,  v_i = y_i a_i - sum_r G_ri row_price_r,
         0 <= a_i <= C,  row_price_r >= 0

    K (m, m) symmetric positive semidefinite, y (m,). Every pair of variables is written once.
    """
    m, images = len(y), np.vstack([np.diag(y), -rows.G])
    model = pyo.ConcreteModel(name="svm_dual")
    model.point = pyo.RangeSet(0, m - 1)
    model.a = pyo.Var(model.point, bounds=(0.0, C))
    prices = pyo.Var(pyo.RangeSet(0, len(rows) - 1), domain=pyo.NonNegativeReals)
    model.add_component(ROW_PRICE, prices)
    variables = [*model.a.values(), *prices.values()]
    costs = np.concatenate([np.ones(m), -rows.h])
    model.objective = pyo.Objective(
        expr=linear(costs, variables) - 0.5 * quadratic(images @ K @ images.T, variables),
        sense=pyo.maximize,
    )
    model.balance = pyo.Constraint(expr=linear(images.sum(axis=1), variables) == 0)
    return with_duals(model)
