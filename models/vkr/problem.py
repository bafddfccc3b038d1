"""Voted Kernel Regularization (Cortes, Goyal, Kuznetsov, Mohri): data, values and bounds.

Symbols: m points, p kernels, c centres; K_k (m, c), rows = points, columns = centres; prices
Lambda_k = lam r_k + beta. The coefficients alpha_kj are free in sign:
f(x) = sum_kj alpha_kj K_k(x, x_j), without factors y_j and without a bias.

Rows may have weights w_i > 0. The mean is then the weighted mean, and 1/m below is c_i = w_i / W
with W = sum_i w_i:  min sum_i c_i slack_i + sum_kj Lambda_k |alpha_kj|, 0 <= d_i <= c_i. A row of
weight 2 is equivalent to two rows: equal rows have equal margins, so their losses add up to one
loss with both prices. Their columns are equal, so their coefficients can be added without a change
of scores or norm. A row of weight 0 is neither a point nor a centre. The penalties of such a sample
are in :mod:`radprog.models.vkr.penalties`.

The user's constraints are rows G f(X) <= h on the scores of the points, G (R, m). Let d (m,) be the
multipliers of the margins, and mu >= 0 (R,) the multipliers of the rows. The Lagrangian of (1) is

    1'd - h'mu + sum_i (1/m - d_i) slack_i
        + sum_kj [Lambda_k |alpha_kj| - alpha_kj K_k(., c_j)'(y d - G'mu)],

The dual is therefore  max 1'd - h'mu  over  0 <= d <= 1/m, mu >= 0  and  |K_k(., c_j)'v| <=
Lambda_k for every column, with the pricing vector v = y d - G'mu: the rows shift only this vector.
A dual point is written z = (d, mu), (m + R,). An infeasible point is scaled: with the largest t <=
1 such that t |K_k(., c_j)'v| <= Lambda_k, the bound is t (1'd - h'mu). The multipliers of rates are
in a cone, which such a t keeps (:class:`~radprog.models.score_arrays.ScoreRows`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from radprog.base.errors import OptionError
from radprog.base.tolerances import UNIT_ROUNDOFF
from radprog.base.types import FloatArray, IntArray
from radprog.instances.data import row_shares
from radprog.models.kernel_bank import KernelBank
from radprog.models.rounding import down, hinge_up, products, sum_down, sum_up, up
from radprog.models.score_arrays import NO_ROWS, ScoreRows


@dataclass(frozen=True, kw_only=True)
class VotedKernels:
    """The data of program (1).

    These are the kernel bank, labels y (m,), penalties r (p,), lam, beta, weights of the rows (m,)
    and the user's constraints. If the centres are only some of the points, ``centre_rows`` (c,) has
    their numbers. Raises OptionError if a price Lambda_k = lam r_k + beta is not positive, because
    no scaled dual bound exists for such a price.
    """

    bank: KernelBank
    y: FloatArray
    penalties: FloatArray
    lam: float
    beta: float
    rows: ScoreRows = NO_ROWS
    weights: FloatArray | None = None
    centre_rows: IntArray | None = None
    #: The number of points.
    m: int = field(init=False)
    #: The prices Lambda_k = lam r_k + beta (p,), in objective units per unit of alpha.
    prices: FloatArray = field(init=False)
    #: The factor c (m,) of each row's loss: 1/m, or w_i / sum w.
    costs: FloatArray = field(init=False)
    #: The array m c (m,), which is 1 for each row if there are no weights.
    boxes: FloatArray = field(init=False)

    def __post_init__(self) -> None:
        m = self.bank.shape[1]
        costs = row_shares(m, self.weights)
        boxes = np.ones(m) if self.weights is None else m * costs
        prices = self.lam * self.penalties + self.beta
        self.__dict__.update(m=m, prices=prices, costs=costs, boxes=boxes)
        for kernel, price in zip(self.bank.kernels, self.prices, strict=True):
            if not price > 0:
                raise OptionError(
                    f"kernel {kernel.name} would cost nothing (lam*r + beta = {price:g}): "
                    "give a positive beta, or a positive lam with a positive penalty"
                )

    @cached_property
    def mean_correlations(self) -> FloatArray:
        """The correlations |sum_i c_i y_i K_k(x_i, c_j)| (p, c) at the largest weights."""
        return np.abs(self.bank.correlate(self.y * self.costs))

    def share(self, rows: NDArray[np.bool_]) -> float:
        """The share of the rows in the mask ``rows`` (m,), weighted if there are weights."""
        return float(np.average(rows, weights=self.weights))

    def at_prices(self, lam: float, beta: float) -> VotedKernels:
        """The same data with other prices; all values that do not depend on the prices are kept."""
        priced = replace(self, lam=lam, beta=beta)
        priced.__dict__["mean_correlations"] = self.mean_correlations
        return priced

    @property
    def all_pairs(self) -> IntArray:
        """The pairs (k, j) (p c, 2) of all columns."""
        p, _, c = self.bank.shape
        return np.stack(np.meshgrid(np.arange(p), np.arange(c), indexing="ij"), -1).reshape(-1, 2)

    def primal_value(self, columns: FloatArray, pairs: IntArray, alpha: FloatArray) -> float:
        """The objective (1): the mean hinge loss plus the sum of Lambda_k |alpha_kj|, rounded up.

        ``columns`` (m, r) contains K_k(., c_j) for each pair of ``pairs`` (r, 2), and ``alpha``
        (r,) has the coefficients. The value is an upper bound in exact arithmetic for these kernel
        values. Every margin is lowered by the error of its sum
        (:func:`radprog.models.rounding.products`), and every sum is rounded up. The value is
        infinite if a constraint is violated by more than 1e-8 of its terms.
        """
        if not len(alpha):
            loss = 1.0 if self.weights is None else sum_up(self.costs)
            return loss if self.rows.zero else math.inf
        # a point that breaks a constraint is worth nothing
        scores, errors = products(columns, alpha)
        if len(self.rows) and not self.rows.met(scores.astype(np.float64)):
            return math.inf
        # every margin lower by its error, every sum rounded up
        norm = up(sum_up(self.prices[pairs[:, 0]] * np.abs(alpha)))
        if self.weights is not None:
            return up(hinge_up(self.y * scores, errors, self.costs) + norm)
        return up(up(hinge_up(self.y * scores, errors) / self.m) + norm)

    def clip_to_box(self, z: FloatArray) -> FloatArray:
        """The point nearest to z = (d, mu) with 0 <= d <= c and feasible mu >= 0."""
        return np.append(np.clip(z[: self.m], 0.0, self.costs), self.rows.feasible(z[self.m :]))

    def pricing_vector(self, z: FloatArray) -> FloatArray:
        """The pricing vector v = y d - G'mu (m,) of a dual point z = (d, mu) (m + R,)."""
        signed = self.y * z[: self.m]
        return signed - self.rows.shift(z[self.m :]) if len(self.rows) else signed

    def ratios(self, z: FloatArray) -> FloatArray:
        """The ratios |K_k(., c_j)'v| / Lambda_k (p, c), at most 1 for feasible z."""
        ratios = np.abs(self.bank.correlate(self.pricing_vector(z)))
        ratios /= self.prices[:, None]
        return ratios

    def dual_bound(
        self, z: FloatArray, ratios: FloatArray, *, exact: bool = True
    ) -> tuple[float, float]:
        """A lower bound on the optimum of (1) from any z, and the factor t that makes z feasible.

        z is (d, mu) with d in [0, c] and mu >= 0. The bound is (1'd - h'mu) / max(1, max ratio).
        Every ratio is increased by a bound on its rounding error. This bound
        is m 2^-53 |K_kj|'|v| for the sum of m products, plus the difference of two evaluations of
        kernel values that are not stored. With ``exact``, the columns that could be the largest are
        evaluated again in extended precision. If ``exact`` is False, the larger but cheaper bound
        m 2^-53 |K_kj|_2 |v|_2 is used.
        """
        # 1'd - h'mu, rounded down
        unit, costs = self.m * UNIT_ROUNDOFF, self.rows.h * z[self.m :]
        terms = [z[: self.m], -costs - 2.0 * UNIT_ROUNDOFF * np.abs(costs)]
        value = sum_down(np.concatenate(terms))
        if not exact:  # never above the bound by extended precision
            value -= unit * abs(value)
        v = self.pricing_vector(z)
        if exact:
            # columns that could be the largest, 512 at a time, once more in extended precision
            errors = self.errors(z)
            largest = max(1.0, float((ratios - errors).max()))
            doubtful = np.argwhere(ratios + errors > largest)
            for start in range(0, len(doubtful), 512):
                pairs = doubtful[start : start + 512]
                columns = self.bank.columns(pairs).T
                values, error = products(columns, v)
                if len(self.rows):
                    error = error + np.abs(columns) @ self._doubt(z) * (1.0 + unit)
                upper = (np.abs(values) + error) / self.prices[pairs[:, 0]]
                largest = max(largest, up(float(upper.max())))
        else:
            # a larger bound on rounding by Cauchy and Schwarz, without a pass over the kernels
            size = float(np.linalg.norm(v))
            if len(self.rows):
                size += float(np.linalg.norm(self._doubt(z))) / unit
            crude = (unit * size) * self.bank.column_norms
            crude += self.bank.value_errors * float(np.abs(v).sum())
            largest = float(ratios.max()) + float((crude / self.prices[:, None]).max())
        # one division makes the point feasible
        divisor = max(1.0, up(largest))
        return max(0.0, down(value / divisor)), 1.0 / divisor

    def errors(self, z: FloatArray) -> FloatArray:
        """An upper bound on the rounding error of each ratio (p, c)."""
        # the errors of a sum of m products, of kernel values evaluated twice, and of v itself
        unit = self.m * UNIT_ROUNDOFF
        v = self.pricing_vector(z)
        errors = unit * self.bank.correlate(v, absolute=True)
        errors += self.bank.value_errors * float(np.abs(v).sum())
        errors *= (1.0 + unit) / self.prices[:, None]
        if len(self.rows):
            doubt = self.bank.correlate(self._doubt(z), absolute=True)
            errors += doubt * (1.0 + unit) / self.prices[:, None]
        return errors

    def _doubt(self, z: FloatArray) -> FloatArray:
        return self.rows.doubt(z[: self.m], z[self.m :])


@dataclass
class Incumbent:
    """The best primal and dual points so far, with their recomputed values.

    ``d`` is the dual point z = (d, mu) (m + R,) of this module, and
    ``ratios`` (p, c) are the ratios at z. An infinite objective means that there is no primal
    point.
    """

    pairs: IntArray
    alpha: FloatArray
    objective: float
    d: FloatArray
    bound: float
    ratios: FloatArray
    scores: FloatArray = field(default_factory=lambda: np.zeros(0))  # (m,), once it is certified

    @staticmethod
    def trivial(problem: VotedKernels) -> Incumbent:
        """The initial points alpha = 0 and d = c. F is 1, or infinite if alpha = 0 violates a
        constraint. The bound is computed from d, scaled to be feasible.
        """
        no_pairs, no_alpha = np.zeros((0, 2), np.intp), np.zeros(0)
        value = problem.primal_value(np.zeros((problem.m, 0)), no_pairs, no_alpha)
        mu = np.zeros(len(problem.rows))
        d = np.concatenate([problem.costs, mu])
        ratios = problem.mean_correlations / problem.prices[:, None]
        bound, _ = problem.dual_bound(d, ratios, exact=False)
        return Incumbent(no_pairs, no_alpha, value, d, bound, ratios)

    @property
    def value(self) -> float | None:
        """The objective, or None if there is no primal point."""
        return self.objective if math.isfinite(self.objective) else None

    def offer_primal(self, pairs: IntArray, alpha: FloatArray, objective: float) -> None:
        """Store alpha if its objective is smaller."""
        if objective < self.objective:
            support = alpha != 0.0
            self.pairs, self.alpha, self.objective = pairs[support], alpha[support], objective

    def offer_dual(self, d: FloatArray, bound: float) -> None:
        """Store d if its bound is larger."""
        if bound > self.bound:
            self.d, self.bound = d, bound

    def certify(self, problem: VotedKernels) -> None:
        """Recompute the objective, the bound and the scores of alpha from the data.

        For the bound, the rounding error is computed exactly.
        """
        columns = problem.bank.columns(self.pairs)
        self.objective = problem.primal_value(columns, self.pairs, self.alpha)
        self.ratios = problem.ratios(self.d)
        self.bound, _ = problem.dual_bound(self.d, self.ratios)
        self.scores = columns @ self.alpha
