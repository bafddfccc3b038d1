"""Voted Kernel Regularization (Cortes, Goyal, Kuznetsov, Mohri): programs and values.

Symbols: m points, p kernels, c centres; K_k (m, c), rows = points, columns = centres;
prices Lambda_k = lam r_k + beta. The coefficient alpha_kj is free in sign and multiplies
K_k(., x_j) itself: f(x) = sum_kj alpha_kj K_k(x, x_j), without a factor y_j and without bias.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pyomo.environ as pyo
from numpy.typing import NDArray

from radprog.instances.errors import OptionError
from radprog.instances.types import FloatArray, IntArray
from radprog.models.algebra import linear, with_duals
from radprog.models.kernels import KernelBank

UNIT_ROUNDOFF = 2.0**-53


@dataclass(frozen=True, kw_only=True)
class VotedKernels:
    """The data of program (1): kernel bank, labels y (m,), penalties r (p,), lam, beta.

    Raises OptionError where a price Lambda_k = lam r_k + beta is not positive: no scaled dual
    bound exists there and the coefficients are not unique.
    """

    bank: KernelBank
    y: FloatArray
    penalties: FloatArray
    lam: float
    beta: float

    def __post_init__(self) -> None:
        for kernel, price in zip(self.bank.kernels, self.prices, strict=True):
            if not price > 0:
                raise OptionError(
                    f"kernel {kernel.name} would cost nothing (lam*r + beta = {price:g}): "
                    "give a positive beta, or a positive lam with a positive penalty"
                )

    @property
    def m(self) -> int:
        """Number of points."""
        return self.bank.shape[1]

    @property
    def prices(self) -> FloatArray:
        """Lambda_k = lam r_k + beta (p,): objective units per unit of alpha."""
        return self.lam * self.penalties + self.beta

    @cached_property
    def mean_correlations(self) -> FloatArray:
        """|sum_i y_i K_k(x_i, c_j)| / m (p, c)."""
        return np.abs(self.bank.correlate(self.y / self.m))

    @cached_property
    def mean_sizes(self) -> FloatArray:
        """max_j sum_i |K_k(x_i, c_j)| / m (p,)."""
        each = np.full(self.m, 1.0 / self.m)
        return np.asarray(self.bank.correlate(each, absolute=True).max(axis=1))

    def at_prices(self, lam: float, beta: float) -> VotedKernels:
        """The same data at other prices, with what was computed from the data alone."""
        other = replace(self, lam=lam, beta=beta)
        other.__dict__["mean_correlations"] = self.mean_correlations
        other.__dict__["mean_sizes"] = self.mean_sizes
        return other

    @property
    def all_pairs(self) -> IntArray:
        """Every column (k, j): (p c, 2)."""
        p, _, c = self.bank.shape
        return np.stack(np.meshgrid(np.arange(p), np.arange(c), indexing="ij"), -1).reshape(-1, 2)

    def primal_value(self, columns: FloatArray, pairs: IntArray, alpha: FloatArray) -> float:
        """F(alpha) of (1): mean hinge + sum Lambda_k |alpha_kj|, evaluated.

        columns: K_k(., c_j) of the pairs (m, r); pairs (r, 2); alpha (r,).
        """
        margins = self.y * (columns @ alpha)
        hinge = float(np.maximum(0.0, 1.0 - margins).mean())
        return hinge + float(self.prices[pairs[:, 0]] @ np.abs(alpha))

    def ratios(self, d: FloatArray) -> FloatArray:
        """|A_kj . d| / Lambda_k (p, c), A_kj = y * K_k(., c_j); at most 1 where d is feasible."""
        out = np.abs(self.bank.correlate(self.y * d))
        out /= self.prices[:, None]
        return out

    def dual_bound(self, d: FloatArray, ratios: FloatArray, *, exact: bool = True) -> float:
        """Lower bound 1'd / max(1, max ratio) on the optimum of (1) for any d in [0, 1/m]^m.

        The largest ratio is enlarged by the rounding error of its own evaluation,
        m 2^-53 max_kj |A_kj| d / Lambda_k; with ``exact`` False by the larger and cheaper
        m 2^-53 max_kj |A_kj|_2 |d|_2 / Lambda_k.
        """
        if exact:
            sizes = self.bank.correlate(d, absolute=True)
        else:
            sizes = self.bank.column_norms() * float(np.linalg.norm(d))
        rounding = self.m * UNIT_ROUNDOFF
        largest = float(ratios.max()) + rounding * float((sizes / self.prices[:, None]).max())
        return float(d.sum()) * (1.0 - rounding) / max(1.0, largest)

    def lambda_max(self) -> FloatArray:
        """max_j |sum_i y_i K_k(x_i, c_j)| / m (p,): alpha = 0 is optimal if and only if every
        Lambda_k is at least this."""
        return np.asarray(self.mean_correlations.max(axis=1), dtype=np.float64)

    def useless(self) -> NDArray[np.bool_]:
        """Families (p,) that no optimal solution needs: Lambda_k >= max_j sum_i |K_k(x_i,c_j)|/m
        bounds every |A_kj . d|, because d_i <= 1/m."""
        return np.asarray(self.prices >= self.mean_sizes * (1.0 + self.m * UNIT_ROUNDOFF))


def _pairs_of(pairs: IntArray) -> list[tuple[int, int]]:
    return [(int(k), int(j)) for k, j in pairs]


def _coefficients(model: pyo.ConcreteModel, pairs: IntArray) -> tuple[list[object], list[object]]:
    model.column = pyo.Set(initialize=_pairs_of(pairs), dimen=2, ordered=True)
    model.alpha_plus = pyo.Var(model.column, domain=pyo.NonNegativeReals)
    model.alpha_minus = pyo.Var(model.column, domain=pyo.NonNegativeReals)
    return list(model.alpha_plus.values()), list(model.alpha_minus.values())


def build_primal(problem: VotedKernels, pairs: IntArray | None = None) -> pyo.ConcreteModel:
    """The primal linear program of (1), over all columns or the given pairs (k, j) (r, 2).

    min  sum_i slack_i / m + sum_kj Lambda_k (alpha_plus_kj + alpha_minus_kj)
    s.t. margin_i:  y_i sum_kj K_k(x_i, c_j) (alpha_plus_kj - alpha_minus_kj) + slack_i >= 1
         alpha_plus, alpha_minus, slack >= 0

    The paper's display leaves out slack >= 0, without which the program is unbounded.
    """
    pairs = problem.all_pairs if pairs is None else pairs
    m, prices = problem.m, problem.prices[pairs[:, 0]]
    model = pyo.ConcreteModel(name="vkr_primal")
    plus, minus = _coefficients(model, pairs)
    model.point = pyo.RangeSet(0, m - 1)
    model.slack = pyo.Var(model.point, domain=pyo.NonNegativeReals)
    slack = list(model.slack.values())
    model.objective = pyo.Objective(
        expr=linear(np.concatenate([np.full(m, 1.0 / m), prices, prices]), [*slack, *plus, *minus])
    )
    rows = problem.y[:, None] * problem.bank.columns(pairs)
    both = [*plus, *minus]
    model.margin = pyo.Constraint(model.point)
    for i in range(m):
        coefficients = np.concatenate([rows[i], -rows[i], [1.0]])
        model.margin[i] = (1.0, linear(coefficients, [*both, slack[i]]), None)
    return with_duals(model)


def build_dual(problem: VotedKernels, pairs: IntArray | None = None) -> pyo.ConcreteModel:
    """The dual linear program of (1); over given pairs (r, 2) it is the restricted master.

    max  sum_i weight_i
    s.t. correlation_kj:  -Lambda_k <= sum_i y_i K_k(x_i, c_j) weight_i <= Lambda_k
         0 <= weight_i <= 1/m

    The multiplier of correlation_kj is alpha_kj.
    """
    pairs = problem.all_pairs if pairs is None else pairs
    m = problem.m
    model = pyo.ConcreteModel(name="vkr_dual")
    model.point = pyo.RangeSet(0, m - 1)
    model.weight = pyo.Var(model.point, bounds=(0.0, 1.0 / m))
    weight = list(model.weight.values())
    model.objective = pyo.Objective(expr=linear(np.ones(m), weight), sense=pyo.maximize)
    model.column = pyo.Set(initialize=_pairs_of(pairs), dimen=2, ordered=True)
    model.correlation = pyo.Constraint(model.column)
    rows = (problem.y[:, None] * problem.bank.columns(pairs)).T
    for (k, j), row in zip(_pairs_of(pairs), rows, strict=True):
        price = float(problem.prices[k])
        model.correlation[k, j] = (-price, linear(row, weight), price)
    return with_duals(model)


def build_budget(problem: VotedKernels, budget: float) -> pyo.ConcreteModel:
    """Appendix B (5): the norm of alpha is bounded instead of priced; budget = 1/rho > 0.

    min  sum_i slack_i / m + lam sum_kj r_k (alpha_plus_kj + alpha_minus_kj)
    s.t. margin_i as in the primal,  norm_budget: sum_kj (alpha_plus_kj + alpha_minus_kj) <= 1/rho

    At the budget |alpha*|_1 of a solution alpha* of (1) the two programs share that solution, and
    -beta is a multiplier of norm_budget. It need not be the only one: that budget may be a kink.
    """
    if not budget > 0:
        raise OptionError(f"budget {budget:g}: expected a positive bound on sum |alpha|")
    model = build_primal(problem)
    pairs = problem.all_pairs
    prices = problem.lam * problem.penalties[pairs[:, 0]]
    both = [*model.alpha_plus.values(), *model.alpha_minus.values()]
    slack = list(model.slack.values())
    model.objective.set_value(
        linear(
            np.concatenate([np.full(problem.m, 1.0 / problem.m), prices, prices]), [*slack, *both]
        )
    )
    model.norm_budget = pyo.Constraint(expr=linear(np.ones(len(both)), both) <= budget)
    model.name = "vkr_budget"
    return model


def build_margin(problem: VotedKernels, budget: float) -> pyo.ConcreteModel:
    """Appendix B before the hinge: the empirical margin error itself, as a mixed-integer program.

    min  sum_i miss_i / m + lam sum_kj r_k (alpha_plus_kj + alpha_minus_kj)
    s.t. margin_i: y_i f(x_i) >= 1 - M_i miss_i,  M_i = 1 + max_kj |K_k(x_i, c_j)| / rho
         norm_budget: sum_kj (alpha_plus_kj + alpha_minus_kj) <= 1/rho,  miss_i in {0, 1}

    lam = 4 is the paper's constant. budget = 1/rho > 0.
    """
    if not budget > 0:
        raise OptionError(f"budget {budget:g}: expected a positive bound on sum |alpha|")
    pairs = problem.all_pairs
    m, prices = problem.m, problem.lam * problem.penalties[pairs[:, 0]]
    model = pyo.ConcreteModel(name="vkr_margin")
    plus, minus = _coefficients(model, pairs)
    both = [*plus, *minus]
    model.point = pyo.RangeSet(0, m - 1)
    model.miss = pyo.Var(model.point, domain=pyo.Binary)
    miss = list(model.miss.values())
    model.objective = pyo.Objective(
        expr=linear(np.concatenate([np.full(m, 1.0 / m), prices, prices]), [*miss, *both])
    )
    rows = problem.y[:, None] * problem.bank.columns(pairs)
    reach = 1.0 + np.abs(rows).max(axis=1) * budget
    model.margin = pyo.Constraint(model.point)
    for i in range(m):
        coefficients = np.concatenate([rows[i], -rows[i], [reach[i]]])
        model.margin[i] = (1.0, linear(coefficients, [*both, miss[i]]), None)
    model.norm_budget = pyo.Constraint(expr=linear(np.ones(len(both)), both) <= budget)
    return model


def margin_objective(
    problem: VotedKernels, columns: FloatArray, pairs: IntArray, alpha: FloatArray
) -> float:
    """Objective of :func:`build_margin` at alpha: share of y f(x) < 1 - 1e-9, plus penalty."""
    margins = problem.y * (columns @ alpha)
    penalty = problem.lam * float(problem.penalties[pairs[:, 0]] @ np.abs(alpha))
    return float((margins < 1.0 - 1e-9).mean()) + penalty


def signed(plus: Sequence[float], minus: Sequence[float]) -> FloatArray:
    """alpha = alpha_plus - alpha_minus."""
    return np.asarray(plus, dtype=np.float64) - np.asarray(minus, dtype=np.float64)
