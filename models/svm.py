"""Support vector machine (the L2 baseline): its dual program, and its values without a solver."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from radprog.base.tolerances import UNIT_ROUNDOFF
from radprog.base.types import Deferred, FloatArray
from radprog.models.algebra import linear, quadratic, with_duals
from radprog.models.rounding import (
    EXTENDED_ROUNDOFF,
    dot_up,
    down,
    hinge_up,
    products,
    sum_down,
    up,
)

if TYPE_CHECKING:
    import pyomo.environ as pyo
else:
    pyo = Deferred("pyomo.environ")


def best_bias(scores: FloatArray, y: FloatArray, costs: float | FloatArray = 1.0) -> float:
    """The middle of :func:`bias_interval`; scores, y (m,)."""
    left, right = bias_interval(scores, y, costs)
    return float((left + right) / 2.0)


def bias_interval(
    scores: FloatArray, y: FloatArray, costs: float | FloatArray = 1.0
) -> tuple[float, float]:
    """The minimisers over b of sum_i c_i max(0, 1 - y_i (scores_i + b)); scores, y (m,), costs c
    one number or (m,).

    The function is convex and piecewise linear with kinks at y_i - scores_i: it falls as long as
    kinks of less cost lie to the left than the points with y = +1 have, up to rounding.
    """
    if np.ndim(costs) == 0:
        kinks = np.sort(y - scores)
        positives = int((y > 0).sum())
        if positives == 0:
            return float(kinks[0]), float(kinks[0])
        return float(kinks[positives - 1]), float(kinks[min(positives, len(kinks) - 1)])
    each = np.broadcast_to(costs, len(y))
    order = np.argsort(y - scores, kind="stable")
    kinks, passed = (y - scores)[order], np.cumsum(each[order])
    total, slack = float(each[y > 0].sum()), len(y) * UNIT_ROUNDOFF * float(passed[-1])
    left, right = np.searchsorted(passed, [total - slack, total + slack])
    return float(kinks[left]), float(kinks[min(int(right), len(kinks) - 1)])


@dataclass(frozen=True, kw_only=True)
class Image:
    """Kc for coefficients c (m,), in extended precision, and the errors of its entries; at least
    c'Kc; at least the diagonal of K (m,)."""

    values: NDArray[np.longdouble]
    errors: FloatArray
    norm: float
    diagonal: FloatArray

    @staticmethod
    def of(K: FloatArray, c: FloatArray) -> Image:
        """K (m, m), c (m,)."""
        held = np.flatnonzero(c)
        values, errors = products(K[:, held], c[held])
        norm = dot_up(c[held], values[held], errors[held])
        return Image(values=values, errors=errors, norm=norm, diagonal=K.diagonal())

    def hinge(self, y: FloatArray, bias: float, C: float | FloatArray | None = None) -> float:
        """At least sum_i C_i max(0, 1 - y_i ((Kc)_i + bias)); C one number or (m,), 1 without."""
        margins = y * (self.values + np.longdouble(bias))
        added = self.errors + EXTENDED_ROUNDOFF * np.abs(margins).astype(np.float64)
        return _priced(C, margins, added * (1.0 + 4.0 * UNIT_ROUNDOFF))

    def dual(self, y: FloatArray, a: FloatArray, scale: float = 1.0, *, bias: bool = True) -> float:
        """At most the optimum of the dual whose point a (m,), c = a o y, lies in its box.

        The value at a is 1'a - c'Kc / (2 scale). With a bias the dual asks for y'a = 0, which
        floats meet to rounding only, r = |y'a|: the point meant is a - r e_j, j any point of the
        heavier side with a_j >= r, whose value is less by r (1 - y_j (Kc)_j / scale) + r^2 K_jj /
        (2 scale). The point 0 has value 0.
        """
        value = down(sum_down(a) - up(self.norm / (2.0 * scale))) + 0.0  # not -0
        off = math.fsum((a * y).tolist()) if bias else 0.0
        if off == 0.0:
            return value
        rest = up(abs(off))
        scores = y * self.values / scale
        slope = np.abs(1.0 - scores).astype(np.float64) + self.errors / scale
        slope += 4.0 * EXTENDED_ROUNDOFF * (1.0 + np.abs(scores).astype(np.float64))
        loss = rest * slope + rest * rest * self.diagonal / (2.0 * scale)
        able = (y * off > 0) & (a >= rest)
        return max(0.0, down(value - up(float(loss[able].min()), 8))) if able.any() else 0.0


def _priced(
    C: float | FloatArray | None, margins: NDArray[np.longdouble], errors: FloatArray
) -> float:
    """At least sum_i C_i max(0, 1 - t_i) for every t within ``errors`` (m,) of ``margins``."""
    if isinstance(C, np.ndarray):
        return hinge_up(margins, errors, C)
    loss = hinge_up(margins, errors)
    return loss if C is None else up(C * loss)


def svm_values(
    K: FloatArray, y: FloatArray, C: float | FloatArray, a: FloatArray
) -> tuple[float, float, float]:
    """1/2 |w|^2 + sum C_i hinge_i of w = sum a_i y_i phi(x_i), the bias that minimises it exactly,
    and the dual value 1'a - 1/2 a'(yy' * K)a; K (m, m), y (m,), C one number or (m,), a (m,).

    The primal value is at least that in exact arithmetic for these K, a and bias: |w|^2 = c'Kc,
    c = a o y, counts higher and every margin lower by the error of its sums
    (:mod:`radprog.models.rounding`), and products and sums after that are rounded up. The dual
    value is rounded down: a lower bound of the primal optimum where 0 <= a <= C and K is positive
    semidefinite, which is taken as given. Where rounding leaves y'a off 0, it is the value of a
    nearby point (:meth:`Image.dual`).
    """
    image = Image.of(K, a * y)
    bias = best_bias(image.values.astype(np.float64), y, C)
    objective = up(up(0.5 * image.norm) + image.hinge(y, bias, C))
    return objective, bias, image.dual(y, a)


def curvature_loss(K: FloatArray, C: float | FloatArray, a: FloatArray) -> float:
    """What a matrix K (m, m) that is indefinite within its tolerance takes off a dual value at
    multipliers a (m,), so that it bounds the objective of every expansion with |c_i| <= C_i.

    With -s the least eigenvalue, c'Kc >= c'(K + sI)c - s sum C_i^2, and the dual value of K + sI is
    that of K less s |a|^2 / 2.
    """
    shift = max(0.0, -float(np.linalg.eigvalsh(K)[0]))
    limits = np.broadcast_to(np.asarray(C, dtype=np.float64), a.shape)
    return 0.5 * shift * float(a @ a + limits @ limits)


def without_kernel(
    y: FloatArray, C: float | FloatArray, *, bias: bool = True
) -> tuple[float, float]:
    """(sum C_i hinge_i, bias) of w = 0, at least its value in exact arithmetic; y (m,)."""
    offset = best_bias(np.zeros(len(y)), y, C) if bias else 0.0
    return _priced(C, (y * offset).astype(np.longdouble), np.zeros(len(y))), offset


def svm_feasible(y: FloatArray, C: float | FloatArray, a: FloatArray) -> FloatArray:
    """A point of 0 <= a <= C, y'a = 0 near a (m,): clipped, then the heavier side shrunk.

    y'a = 0 holds up to the rounding of its sum; a point that is balanced so is left as it is.
    """
    a = np.clip(a, 0.0, C)
    plus, minus = float(a[y > 0].sum()), float(a[y < 0].sum())
    if abs(plus - minus) <= len(a) * UNIT_ROUNDOFF * (plus + minus):
        return a
    if plus > minus:
        a = np.where(y > 0, a * (minus / plus), a)
    elif minus > plus:
        a = np.where(y < 0, a * (plus / minus), a)
    return a


def build_svm_dual(K: FloatArray, y: FloatArray, C: float | FloatArray) -> pyo.ConcreteModel:
    """The dual quadratic program of the support vector machine with bias.

    max  sum_i a_i - 1/2 sum_ij a_i a_j y_i y_j K(x_i, x_j)
    s.t. balance: sum_i y_i a_i = 0,   0 <= a_i <= C_i

    K (m, m) symmetric positive semidefinite, y (m,); C one number or (m,). Written with every pair
    once, it has m(m+1)/2 quadratic terms.
    """
    m = len(y)
    model = pyo.ConcreteModel(name="svm_dual")
    model.point = pyo.RangeSet(0, m - 1)
    most = np.broadcast_to(C, m).tolist()
    model.a = pyo.Var(model.point, bounds=lambda model, i: (0.0, most[i]))
    a = list(model.a.values())
    Q = (y[:, None] * y[None, :]) * K
    model.objective = pyo.Objective(
        expr=linear(np.ones(m), a) - 0.5 * quadratic(Q, a), sense=pyo.maximize
    )
    model.balance = pyo.Constraint(expr=linear(y, a) == 0)
    return with_duals(model)
