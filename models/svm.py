"""The support vector machine: its dual program, and rigorous bounds from its points.

min  1/2 |w|^2 + C sum_i max(0, 1 - y_i (f(x_i) + b)),  f(x) = <w, phi(x)>

has the dual  max  1'a - 1/2 v'Kv  s.t.  1'v = 0 (with the bias b),  0 <= a <= C,  where v = y a are
the coefficients of f. Rows G (f(X) + b 1) <= h on the scores, with multipliers mu >= 0, subtract
G'mu from v and h'mu from the dual value: v = y a - G'mu. Every such (a, mu) bounds the optimum from
below.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from radprog.base.modelling import pyo
from radprog.base.tolerances import UNIT_ROUNDOFF
from radprog.base.types import FloatArray
from radprog.models.algebra import add_row_prices, linear, quadratic, with_duals
from radprog.models.rounding import (
    EXTENDED_ROUNDOFF,
    dot_up,
    down,
    hinge_up,
    products,
    sum_down,
    up,
)
from radprog.models.score_arrays import ScoreRows


def best_bias(scores: FloatArray, y: FloatArray, costs: float | FloatArray = 1.0) -> float:
    """The middle of the interval of :func:`bias_interval`, for scores and y (m,)."""
    left, right = bias_interval(scores, y, costs)
    return float((left + right) / 2.0)


def bias_interval(
    scores: FloatArray, y: FloatArray, costs: float | FloatArray = 1.0
) -> tuple[float, float]:
    """The ends of the interval of minimisers b of sum_i c_i max(0, 1 - y_i (scores_i + b)).

    scores and y are (m,), costs c one number or (m,). The function is convex and piecewise linear
    with kinks at y_i - scores_i. It decreases while the kinks to the left have a smaller total cost
    than the points with y = +1, up to rounding.
    """
    # equal costs: as many kinks to the left as there are points with y = +1
    if np.ndim(costs) == 0:
        kinks = np.sort(y - scores)
        positives = int((y > 0).sum())
        if positives == 0:
            return float(kinks[0]), float(kinks[0])
        return float(kinks[positives - 1]), float(kinks[min(positives, len(kinks) - 1)])
    # unlike costs: the sum of the costs passed
    each = np.broadcast_to(costs, len(y))
    order = np.argsort(y - scores, kind="stable")
    kinks, passed = (y - scores)[order], np.cumsum(each[order])
    total, slack = float(each[y > 0].sum()), len(y) * UNIT_ROUNDOFF * float(passed[-1])
    left, right = np.searchsorted(passed, [total - slack, total + slack])
    return float(kinks[left]), float(kinks[min(int(right), len(kinks) - 1)])


@dataclass(frozen=True, kw_only=True)
class Image:
    """The product Kc for coefficients c (m,) in extended precision, with error bounds (m,).

    ``norm`` is an upper bound on c'Kc, and ``diagonal`` (m,) bounds that of K from above.
    """

    values: NDArray[np.longdouble]
    errors: FloatArray
    norm: float
    diagonal: FloatArray

    @staticmethod
    def of(K: FloatArray, c: FloatArray) -> Image:
        """The image of c (m,) under K (m, m)."""
        # columns without a coefficient add nothing
        support = np.flatnonzero(c)
        values, errors = products(K[:, support], c[support])
        norm = dot_up(c[support], values[support], errors[support])
        return Image(values=values, errors=errors, norm=norm, diagonal=K.diagonal())

    def hinge(self, y: FloatArray, bias: float, C: float | FloatArray = 1.0) -> float:
        """An upper bound on sum_i C_i max(0, 1 - y_i ((Kc)_i + bias)); C is one number or (m,)."""
        margins = y * (self.values + np.longdouble(bias))
        errors = self.errors + EXTENDED_ROUNDOFF * np.abs(margins).astype(np.float64)
        errors *= 1.0 + 4.0 * UNIT_ROUNDOFF
        if isinstance(C, np.ndarray):
            return hinge_up(margins, errors, C)
        return up(C * hinge_up(margins, errors))

    def dual(
        self,
        y: FloatArray,
        a: FloatArray,
        C: float | FloatArray,
        gain: float,
        *,
        scale: float = 1.0,
        balance: float = 0.0,
        doubt: float = 0.0,
    ) -> float:
        """A lower bound on the optimum by a dual point a (m,) in the box: gain - c'Kc / (2 scale).

        With a bias, 1'c must be 0. Its computed value is ``balance``, with an error of at most
        ``doubt``; let r = |balance| + doubt. A change of one a_j by at most r makes 1'c = 0
        exactly, for any j that stays in its box. The change lowers the value by at most
        r |1 - y_j (Kc)_j / scale| + r^2 K_jj / (2 scale). The point 0 has value 0.
        """
        # the value of the point itself
        value = down(gain - up(self.norm / (2.0 * scale))) + 0.0  # not -0
        shift = up(abs(balance) + doubt)
        if shift == 0.0:
            return value
        # what moving one multiplier by that much may cost
        scores = y * self.values / scale
        slope = np.abs(1.0 - scores).astype(np.float64) + self.errors / scale
        slope += 4.0 * EXTENDED_ROUNDOFF * (1.0 + np.abs(scores).astype(np.float64))
        loss = shift * slope + shift * shift * self.diagonal / (2.0 * scale)
        worst = 0.0
        for side in (1.0, -1.0):
            # 1'c may be too large, or too small, by up to r
            if side * balance + doubt > 0.0:
                able = np.where(y * side > 0, a >= shift, a <= C - shift)
                worst = max(worst, float(loss[able].min()) if able.any() else math.inf)
        return max(0.0, down(value - up(worst, 8)))


def coefficients(
    y: FloatArray, a: FloatArray, rows: ScoreRows | None = None, mu: FloatArray | None = None
) -> FloatArray:
    """The coefficients v = y a - G'mu (m,) of f."""
    return y * a if rows is None or mu is None else y * a - rows.shift(mu)


def allowed_bias(
    scores: FloatArray, y: FloatArray, C: float | FloatArray, rows: ScoreRows | None
) -> float:
    """The bias that minimises the hinge losses subject to the rows.

    If no bias satisfies all rows, the result is the midpoint of the conflicting limits.
    """
    # rows with sums of G not 0 bound the bias from below or from above
    best = best_bias(scores, y, C)
    if rows is None:
        return best
    plain = rows.plain
    slack, sums = plain.h - plain.G @ scores, plain.G.sum(axis=1)
    sums = np.where(np.abs(sums) > len(y) * UNIT_ROUNDOFF * abs(plain.G).sum(axis=1), sums, 0.0)
    lower = float((slack[sums < 0] / sums[sums < 0]).max(initial=-math.inf))
    upper = float((slack[sums > 0] / sums[sums > 0]).min(initial=math.inf))
    # so do the slacks of rates
    for r in np.unique(rows.owner):
        low, high = _rate_interval(*rows.terms(r, scores), float(rows.h[r]))
        lower, upper = max(lower, low), min(upper, high)
    return (lower + upper) / 2.0 if lower > upper else min(max(best, lower), upper)


def _rate_interval(
    values: FloatArray, signs: FloatArray, shares: FloatArray, cap: float
) -> tuple[float, float]:
    """The interval of b with sum_k shares_k max(0, 1 + signs_k (values_k + b)) <= cap, or the
    minimiser of the sum twice.
    """
    kinks = np.unique(-signs - values)
    sums = np.array([shares @ np.maximum(0.0, 1.0 + signs * (values + b)) for b in kinks])
    met = np.flatnonzero(sums <= cap)
    if not len(met):
        return (float(kinks[sums.argmin()]),) * 2
    ends = []
    for sign, at in ((-1, met[0]), (1, met[-1])):
        # to the next kink, or on the line beyond the last one
        slope = float(shares[signs == sign].sum())
        if 0 <= at + sign < len(kinks):
            slope = abs(float((sums[at + sign] - sums[at]) / (kinks[at + sign] - kinks[at])))
        ends.append(float(kinks[at]) + sign * ((cap - sums[at]) / slope if slope else math.inf))
    return ends[0], ends[1]


def svm_values(
    K: FloatArray,
    y: FloatArray,
    C: float | FloatArray,
    a: FloatArray,
    rows: ScoreRows | None = None,
    mu: FloatArray | None = None,
) -> tuple[float, float, float]:
    """The primal value at w = sum_i v_i phi(x_i), the best feasible bias, and the dual value.

    K is (m, m), y and a are (m,), mu is (R,), and C is one number or (m,). The primal value at the
    best feasible bias is an upper bound in exact arithmetic for these K, v and bias. It is infinite
    if a row is violated by more than 1e-8 of its terms. The norm |w|^2 = v'Kv is raised, and every
    margin lowered, by the error of its sums (:mod:`radprog.models.rounding`). All later products
    and sums are rounded up. The dual value is rounded down. It is a lower bound on the primal
    optimum if 0 <= a <= C, mu >= 0 and K is positive semidefinite. These conditions are not
    checked.
    """
    # primal value at w = sum v_i phi(x_i) and its best bias
    v = coefficients(y, a, rows, mu)
    image = Image.of(K, v)
    scores = image.values.astype(np.float64)
    bias = allowed_bias(scores, y, C, rows)
    objective = up(up(0.5 * image.norm) + image.hinge(y, bias, C))
    # dual value at (a, mu), whose balance 1'v = 0 holds to rounding
    balance = math.fsum(v.tolist())
    if rows is None or mu is None:
        return objective, bias, image.dual(y, a, C, sum_down(a), balance=balance)
    if not rows.met(scores + bias):
        objective = math.inf
    # h'mu, and what the rounding of v may change
    costs, doubts = rows.h * mu, rows.doubt(a, mu)
    gain = sum_down(np.concatenate([a, -costs - 2.0 * UNIT_ROUNDOFF * np.abs(costs)]))
    moved = float((np.abs(scores) + image.errors) @ doubts)
    moved += 0.5 * float(np.sqrt(image.diagonal.clip(min=0.0)) @ doubts) ** 2
    gain = down(gain - up(moved, len(y)), 4)
    doubt = up(float(doubts.sum()), len(y))
    return objective, bias, image.dual(y, a, C, gain, balance=balance, doubt=doubt)


def curvature_loss(K: FloatArray, C: float | FloatArray, a: FloatArray) -> float:
    """The correction of the dual value at a (m,) for a slightly indefinite matrix K (m, m).

    The dual value minus the correction is at most the objective of every expansion with
    |c_i| <= C_i. With -s the smallest eigenvalue, c'Kc >= c'(K + sI)c - s sum C_i^2. The dual value
    of K + sI is that of K minus s |a|^2 / 2.
    """
    # the least eigenvalue, where it is negative
    shift = max(0.0, -float(np.linalg.eigvalsh(K)[0]))
    limits = np.broadcast_to(np.asarray(C, dtype=np.float64), a.shape)
    return 0.5 * shift * float(a @ a + limits @ limits)


def svm_feasible(y: FloatArray, C: float | FloatArray, a: FloatArray) -> FloatArray:
    """A point of 0 <= a <= C, y'a = 0 near a (m,): a is clipped, and its heavier class reduced.

    y'a = 0 holds up to the rounding error of the sum. A point of the box with y'a = 0 stays
    unchanged.
    """
    a = np.clip(a, 0.0, C)
    # the heavier class is shrunk: the point stays in its box
    plus, minus = float(a[y > 0].sum()), float(a[y < 0].sum())
    if abs(plus - minus) <= len(a) * UNIT_ROUNDOFF * (plus + minus):
        return a
    if plus > minus:
        a = np.where(y > 0, a * (minus / plus), a)
    elif minus > plus:
        a = np.where(y < 0, a * (plus / minus), a)
    return a


def build_svm_dual(
    K: FloatArray,
    y: FloatArray,
    C: float | FloatArray,
    rows: ScoreRows | None = None,
    *,
    bias: bool = True,
    names: tuple[str, str] = ("svm_dual", "a"),
) -> pyo.ConcreteModel:
    """The dual quadratic program of the support vector machine.

    max  sum_i a_i - sum_r h_r row_price_r - 1/2 sum_ij v_i v_j K(x_i, x_j)
    s.t. balance: sum_i v_i = 0,  v_i = y_i a_i - sum_r G_ri row_price_r,
         0 <= a_i <= C_i,  row_price_r >= 0

    K (m, m) is symmetric positive semidefinite, y is (m,), and C is one number or (m,). Row prices
    exist only with ``rows``, and balance only with ``bias``. Each pair of variables has one
    quadratic term, m(m+1)/2 without rows. ``names`` contains the names of the program and of a.
    """
    m = len(y)
    name, multiplier = names
    model = pyo.ConcreteModel(name=name)
    model.point = pyo.RangeSet(0, m - 1)
    upper = np.broadcast_to(C, m).tolist()
    model.add_component(multiplier, pyo.Var(model.point, bounds=lambda model, i: (0.0, upper[i])))
    # v is linear in the multipliers of the points, and in those of the rows where there are some
    variables, gains = list(model.component(multiplier).values()), np.ones(m)
    Q, balance = (y[:, None] * y[None, :]) * K, y
    if rows is not None:
        variables += add_row_prices(model, rows)
        gains = np.concatenate([gains, -rows.h])
        images = sparse.vstack([sparse.diags_array(y), -rows.G])
        Q, balance = np.asarray(images @ K @ images.T), np.asarray(images @ np.ones(m))
    model.objective = pyo.Objective(
        expr=linear(gains, variables) - 0.5 * quadratic(Q, variables), sense=pyo.maximize
    )
    if bias:
        model.balance = pyo.Constraint(expr=linear(balance, variables) == 0)
    return with_duals(model)
