"""The weak learner's programs: the convex step (7) over two balls, their duals, and exact pricing.

Symbols: m series with Q patterns each, n = m Q patterns z_k with kernel matrix K (n, n); weights d.
Positive series p, linearised at one pattern z_p each, give a = sum_p d_p K(z_p, .). Negative series
q keep their maximum over j, bounded by level_q. Series with d = 0 are omitted, because their level
would have no cost.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from radprog.base.errors import OptionError
from radprog.base.modelling import pyo
from radprog.base.tolerances import LEAST_DIVISOR
from radprog.base.types import FloatArray, IntArray
from radprog.models.algebra import linear, quadratic, with_duals, with_scales

LARGEST_PROGRAM = 4_000_000  # coefficients of an explicit program


@dataclass(frozen=True, kw_only=True, eq=False)
class WeakStep:
    """The data of a convex step: K (n, n); y (m,) in {-1, +1}; d (m,) >= 0; radius > 0.

    Each positive series with d > 0 is linearised at one pattern. The indices k = i Q + j of these
    patterns are in ``slopes``.
    """

    K: FloatArray
    y: FloatArray
    d: FloatArray
    slopes: IntArray
    radius: float

    @property
    def n(self) -> int:
        """The number of patterns."""
        return len(self.K)

    @property
    def Q(self) -> int:
        """The number of patterns per series."""
        return self.n // len(self.y)

    @cached_property
    def positive(self) -> IntArray:
        """The positive series with positive weight."""
        return np.flatnonzero((self.y > 0) & (self.d > 0))

    @cached_property
    def negative(self) -> IntArray:
        """The negative series with positive weight."""
        return np.flatnonzero((self.y < 0) & (self.d > 0))

    @cached_property
    def a(self) -> FloatArray:
        """The vector sum_p d_p K(z_p, .) (n,)."""
        return np.asarray(self.d[self.positive] @ self.K[self.slopes])

    @cached_property
    def rivals(self) -> list[tuple[int, int]]:
        """The pairs (q, j) of a negative series and one of its patterns."""
        return [(int(q), j) for q in self.negative for j in range(self.Q)]

    def flat(self, pair: tuple[int, int]) -> int:
        """The index of the pattern of a pair (q, j)."""
        return pair[0] * self.Q + pair[1]


def check_size(coefficients: int) -> None:
    """Raise OptionError if a program would have too many coefficients."""
    if coefficients > LARGEST_PROGRAM:
        raise OptionError(
            f"the explicit program would have {coefficients} coefficients (at most "
            f"{LARGEST_PROGRAM}): choose a longer pattern, fewer rows, or a smaller nu"
        )


def _patterns(model: pyo.ConcreteModel, step: WeakStep) -> None:
    model.pattern = pyo.RangeSet(0, step.n - 1)
    model.rival = pyo.Set(initialize=step.rivals, dimen=2, ordered=True)
    model.series = pyo.Set(initialize=[int(q) for q in step.negative], ordered=True)


def build_l1_step(step: WeakStep) -> pyo.ConcreteModel:
    """The step (7) with the paper's practical ball |alpha|_1 <= radius.

    min  - sum_k a_k (alpha_plus_k - alpha_minus_k) + sum_q d_q level_q
    s.t. above_qj: sum_k K(x_q^(j), z_k) (alpha_plus_k - alpha_minus_k) <= level_q
         ball:     sum_k (alpha_plus_k + alpha_minus_k) <= radius,   alpha_plus, alpha_minus >= 0
    """
    check_size(2 * step.n * len(step.rivals))
    model = pyo.ConcreteModel(name="weak_l1")
    _patterns(model, step)
    model.alpha_plus = pyo.Var(model.pattern, domain=pyo.NonNegativeReals)
    model.alpha_minus = pyo.Var(model.pattern, domain=pyo.NonNegativeReals)
    model.level = pyo.Var(model.series)
    alpha = [*model.alpha_plus.values(), *model.alpha_minus.values()]
    # objective (7): - a'alpha + sum_q d_q level_q
    level = list(model.level.values())
    costs = np.concatenate([-step.a, step.a, step.d[step.negative]])
    model.objective = pyo.Objective(expr=linear(costs, [*alpha, *level]))
    model.above = pyo.Constraint(model.rival)
    for q, j in step.rivals:
        row = step.K[step.flat((q, j))]
        coefficients = np.concatenate([row, -row, [-1.0]])
        model.above[q, j] = (None, linear(coefficients, [*alpha, model.level[q]]), 0.0)
    model.ball = pyo.Constraint(expr=linear(np.ones(len(alpha)), alpha) <= step.radius)
    return with_duals(model)


def build_l1_dual(step: WeakStep) -> pyo.ConcreteModel:
    """The dual of the step over the l1 ball: minimise the largest residual correlation.

    max  - radius largest
    s.t. above_k, below_k: |a_k - sum_qj K(x_q^(j), z_k) mass_qj| <= largest
         share_q:          sum_j mass_qj = d_q,   mass >= 0
    """
    check_size(2 * step.n * len(step.rivals))
    model = pyo.ConcreteModel(name="weak_l1_dual")
    _patterns(model, step)
    model.mass = pyo.Var(model.rival, domain=pyo.NonNegativeReals)
    model.largest = pyo.Var(domain=pyo.NonNegativeReals)
    model.objective = pyo.Objective(expr=-step.radius * model.largest, sense=pyo.maximize)
    mass = list(model.mass.values())
    # residual correlation of every pattern, from above and from below
    block = step.K[:, [step.flat(pair) for pair in step.rivals]]
    model.above = pyo.Constraint(model.pattern)
    model.below = pyo.Constraint(model.pattern)
    for k in range(step.n):
        for rows, sign in ((model.above, 1.0), (model.below, -1.0)):
            coefficients = np.concatenate([sign * block[k], [1.0]])
            body = linear(coefficients, [*mass, model.largest])
            rows[k] = (sign * float(step.a[k]), body, None)
    _shares(model, step)
    return with_duals(model)


def _shares(model: pyo.ConcreteModel, step: WeakStep) -> None:
    """sum_j mass_qj = d_q for each negative series."""
    model.share = pyo.Constraint(model.series)
    for q in step.negative.tolist():
        masses = [model.mass[q, j] for j in range(step.Q)]
        model.share[q] = linear(np.ones(step.Q), masses) == float(step.d[q])


def build_l1_mip(step: WeakStep) -> pyo.ConcreteModel:
    """Exact pricing over the l1 ball: binaries choose the pattern of each positive series.

    min  - sum_p d_p height_p + sum_q d_q level_q
    s.t. reached_pj: height_p <= (K alpha)_pj + M (1 - chosen_pj),   M = 2 radius max |K|
         one_p:      sum_j chosen_pj = 1,   chosen binary
         above_qj:   (K alpha)_qj <= level_q,   ball: |alpha|_1 <= radius
    """
    candidates = [(int(p), j) for p in step.positive for j in range(step.Q)]
    check_size(2 * step.n * (len(step.rivals) + len(candidates)))
    model = build_l1_step(step)
    model.name = "weak_l1_mip"
    # the step without its slopes: heights of the positive series in their place
    for suffix in (model.dual, model.rc):  # integers have none
        model.del_component(suffix)
    model.choice = pyo.Set(initialize=candidates, dimen=2, ordered=True)
    model.winner = pyo.Set(initialize=[int(p) for p in step.positive], ordered=True)
    model.chosen = pyo.Var(model.choice, domain=pyo.Binary)
    model.height = pyo.Var(model.winner)
    heights, levels = list(model.height.values()), list(model.level.values())
    costs = np.concatenate([-step.d[step.positive], step.d[step.negative]])
    model.objective.set_value(linear(costs, [*heights, *levels]))
    alpha = [*model.alpha_plus.values(), *model.alpha_minus.values()]
    # a pattern that is not chosen bounds no height: M = 2 radius max |K|
    reach = 2.0 * step.radius * float(np.abs(step.K).max())
    model.reached = pyo.Constraint(model.choice)
    for p, j in candidates:
        row = step.K[step.flat((p, j))]
        coefficients = np.concatenate([-row, row, [1.0, reach]])
        body = linear(coefficients, [*alpha, model.height[p], model.chosen[p, j]])
        model.reached[p, j] = (None, body, reach)
    model.one = pyo.Constraint(model.winner)
    for p in step.positive.tolist():
        choices = [model.chosen[p, j] for j in range(step.Q)]
        model.one[p] = linear(np.ones(step.Q), choices) == 1.0
    return model


def build_rkhs_step(step: WeakStep) -> pyo.ConcreteModel:
    """The step (7) over the RKHS ball, a quadratically constrained program.

    min  - sum_r b_r v_r + sum_q d_q level_q
    s.t. coordinate_r: v_r = sum_k R_rk alpha_k
         above_qj:     sum_r R_r,qj v_r <= level_q
         ball:         sum_r v_r^2 <= radius^2

    Here K = R'R, so R_qj'v = sum_k K(x_q^(j), z_k) alpha_k, b = sum_p d_p R_p and
    v'v = alpha'K alpha. In terms of alpha, the ball would have n^2 products.
    """
    # coordinates v = R alpha, in which the ball is a sum of squares
    factor = gram_factor(0.5 * (step.K + step.K.T))
    check_size(len(factor) * (step.n + len(step.rivals)))
    model = pyo.ConcreteModel(name="weak_rkhs")
    _patterns(model, step)
    model.alpha = pyo.Var(model.pattern)
    model.level = pyo.Var(model.series)
    model.dimension = pyo.RangeSet(0, len(factor) - 1)
    model.v = pyo.Var(model.dimension)
    alpha, v, level = (list(x.values()) for x in (model.alpha, model.v, model.level))
    b = factor[:, step.slopes] @ step.d[step.positive]
    costs = np.concatenate([-b, step.d[step.negative]])
    model.objective = pyo.Objective(expr=linear(costs, [*v, *level]))
    model.coordinate = pyo.Constraint(model.dimension)
    for r, row in enumerate(factor):
        model.coordinate[r] = linear(np.append(row, -1.0), [*alpha, v[r]]) == 0.0
    model.above = pyo.Constraint(model.rival)
    for q, j in step.rivals:
        coefficients = np.append(factor[:, step.flat((q, j))], -1.0)
        model.above[q, j] = (None, linear(coefficients, [*v, model.level[q]]), 0.0)
    model.ball = pyo.Constraint(expr=pyo.quicksum(x * x for x in v) <= step.radius**2)
    # units: the largest score that a point of the ball can have
    longest = math.sqrt(_largest_square(step))
    reach = step.radius * longest
    sizes = {"alpha": step.radius / longest, "level": reach, "v": step.radius}
    rows = {"coordinate": step.radius, "above": reach, "ball": step.radius**2}
    return with_scales(with_duals(model), reach, sizes | rows)


def _largest_square(step: WeakStep) -> float:
    """max_k K_kk, the largest squared length of a pattern; 1 if all are 0."""
    return float(step.K.diagonal().max(initial=0.0)) or 1.0


def gram_factor(K: FloatArray) -> FloatArray:
    """Return R (rank, n) with R'R = K, for a symmetric K.

    Eigenvalues below 1e-10 of the largest are omitted.
    """
    # eigenvectors of the eigenvalues that are not rounding errors
    values, vectors = np.linalg.eigh(K)
    # eigenvalues below this share of the largest are rounding errors
    positive = values > 1e-10 * max(float(values[-1]), LEAST_DIVISOR)
    return np.asarray(np.sqrt(values[positive])[:, None] * vectors[:, positive].T)


def build_min_norm(step: WeakStep) -> pyo.ConcreteModel:
    """The dual over the RKHS ball: the squared distance of a point to a sum of convex hulls.

    min  |sum_p d_p Phi(z_p) - sum_qj mass_qj Phi(x_q^(j))|^2
    s.t. share_q: sum_j mass_qj = d_q,   mass >= 0

    The optimal value of the step is -radius times the square root of this optimal value.
    """
    # constant, linear and quadratic part of |a - sum mass Phi|^2
    flat = [step.flat(pair) for pair in step.rivals]
    check_size(len(flat) * (len(flat) + 1) // 2)
    model = pyo.ConcreteModel(name="weak_minnorm")
    _patterns(model, step)
    model.mass = pyo.Var(model.rival, domain=pyo.NonNegativeReals)
    mass = list(model.mass.values())
    K = 0.5 * (step.K + step.K.T)
    constant = float(step.d[step.positive] @ step.a[step.slopes])
    model.objective = pyo.Objective(
        expr=constant + linear(-2.0 * step.a[flat], mass) + quadratic(K[np.ix_(flat, flat)], mass)
    )
    _shares(model, step)
    return with_scales(with_duals(model), _largest_square(step), {})
