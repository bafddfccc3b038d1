"""Voted Kernel Regularization (Cortes, Goyal, Kuznetsov, Mohri): data, values and bounds.

Symbols: m points, p kernels, c centres; K_k (m, c), rows = points, columns = centres;
prices Lambda_k = lam r_k + beta. The coefficient alpha_kj is free in sign and multiplies
K_k(., x_j) itself: f(x) = sum_kj alpha_kj K_k(x, x_j), without a factor y_j and without bias.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from radprog.instances.errors import OptionError
from radprog.instances.tolerances import UNIT_ROUNDOFF
from radprog.instances.types import FloatArray, IntArray
from radprog.models.kernels import KernelBank
from radprog.models.rounding import down, hinge_up, products, sum_down, sum_up, up

DOUBTFUL_COLUMNS = 512  # evaluated in extended precision at a time


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
        """F(alpha) of (1): mean hinge + sum Lambda_k |alpha_kj|, evaluated and rounded up.

        columns: K_k(., c_j) of the pairs (m, r); pairs (r, 2); alpha (r,). At least the value in
        exact arithmetic for these kernel values: every margin counts lower by the error of its sum
        (:func:`radprog.models.rounding.products`), and every sum is rounded up.
        """
        if not len(alpha):
            return 1.0
        scores, errors = products(columns, alpha)
        norm = up(sum_up(self.prices[pairs[:, 0]] * np.abs(alpha)))
        return up(up(hinge_up(self.y * scores, errors) / self.m) + norm)

    def ratios(self, d: FloatArray) -> FloatArray:
        """|A_kj . d| / Lambda_k (p, c), A_kj = y * K_k(., c_j); at most 1 where d is feasible."""
        out = np.abs(self.bank.correlate(self.y * d))
        out /= self.prices[:, None]
        return out

    def dual_bound(self, d: FloatArray, ratios: FloatArray, *, exact: bool = True) -> float:
        """Lower bound 1'd / max(1, max ratio) on the optimum of (1) for any d in [0, 1/m]^m.

        Every ratio is enlarged by the rounding error of its own evaluation: a float sum of m
        products is off by at most m 2^-53 |A_kj| d. With ``exact``, the columns that could be the
        largest after that are evaluated once more in extended precision; without, all get the
        larger and cheaper m 2^-53 max_kj |A_kj|_2 |d|_2 / Lambda_k.
        """
        rounding = self.m * UNIT_ROUNDOFF
        if not exact:
            norms = self.bank.column_norms() * float(np.linalg.norm(d)) / self.prices[:, None]
            largest = float(ratios.max()) + rounding * float(norms.max())
            return float(d.sum()) * (1.0 - rounding) / max(1.0, largest)
        return down(sum_down(d) / max(1.0, up(self.largest_ratio(d, ratios))))

    def largest_ratio(self, d: FloatArray, ratios: FloatArray) -> float:
        """At least max_kj |A_kj . d| / Lambda_k, for ratios (p, c) evaluated in floats."""
        errors = self.bank.correlate(d, absolute=True) / self.prices[:, None]
        errors *= self.m * UNIT_ROUNDOFF * (1.0 + self.m * UNIT_ROUNDOFF)
        least = float((ratios - errors).max())
        doubtful = np.argwhere(ratios + errors > max(1.0, least))
        largest = max(1.0, least)
        for start in range(0, len(doubtful), DOUBTFUL_COLUMNS):
            pairs = doubtful[start : start + DOUBTFUL_COLUMNS]
            values, error = products(self.bank.columns(pairs).T, self.y * d)
            upper = (np.abs(values) + error) / self.prices[pairs[:, 0]]
            largest = max(largest, up(float(upper.max())))
        return largest

    def useless(self) -> NDArray[np.bool_]:
        """Families (p,) that no optimal solution needs: Lambda_k >= max_j sum_i |K_k(x_i,c_j)|/m
        bounds every |A_kj . d|, because d_i <= 1/m."""
        return np.asarray(self.prices >= self.mean_sizes * (1.0 + self.m * UNIT_ROUNDOFF))
