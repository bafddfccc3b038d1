"""Linear constraints on the scores of a fit as arrays, with the slacks of rates."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse

from radprog.base.errors import OptionError
from radprog.base.tolerances import UNIT_ROUNDOFF
from radprog.base.types import FloatArray, IntArray
from radprog.models.score_rows import AnyRow, ScoreRow, term_names


@dataclass(frozen=True, kw_only=True, eq=False)
class ScoreRows:
    """The constraints G f + T t <= h with G (R, m) and h (R,), and the names of rows and
    constraints.

    The slacks t (K,) >= 0 are the terms t_k = max(0, 1 + s_i f_i) of rates, and the last K rows are
    s_i f_i - t_k <= -1. The first R - K rows are the constraints as they were given, in which a
    rate is the row sum_k shares_k t_k <= bound + sum_i |weights_i|, with its number owner_k. So
    the multipliers mu >= 0 of all rows are feasible if mu_k <= shares_k mu_{owner_k} for every k.
    """

    G: sparse.csr_array
    h: FloatArray
    names: tuple[str, ...]
    of: tuple[str, ...]
    owner: IntArray = field(default_factory=lambda: np.zeros(0, dtype=np.intp))
    shares: FloatArray = field(default_factory=lambda: np.zeros(0))
    #: The coefficients T (R, K) of the slacks.
    T: sparse.csr_array = field(init=False)
    #: The largest coefficients (R,), by which rows are divided for solvers; 1 for zero rows.
    sizes: FloatArray = field(init=False)
    #: Whether scores of 0 satisfy all rows.
    zero: bool = field(init=False)

    def __post_init__(self) -> None:
        R, K = len(self.h), len(self.owner)
        own = np.arange(R - K, R), np.arange(K)
        places = np.append(own[0], self.owner), np.append(own[1], own[1])
        T = sparse.csr_array((np.append(np.full(K, -1.0), self.shares), places), shape=(R, K))
        joined = sparse.csr_array(sparse.hstack([self.G, T]))
        largest = abs(joined).max(axis=1).toarray().ravel() if joined.nnz else np.zeros(R)
        self.__dict__.update(T=T, sizes=np.where(largest > 0.0, largest, 1.0))
        self.__dict__.update(zero=bool((self.activity(np.zeros(self.G.shape[1])) <= self.h).all()))

    @staticmethod
    def of_points(rows: Sequence[ScoreRow], m: int) -> ScoreRows:
        """The rows over m points. Raises OptionError for a point that does not exist."""
        for row in rows:
            if row.points and not 0 <= min(row.points) <= max(row.points) < m:
                raise OptionError(
                    f"constraint '{row.name}' is over {max(row.points) + 1} points or more, "
                    f"the data have {m}"
                )
        rates = [(r, row) for r, row in enumerate(rows) if row.rate]
        parts = [(row.points, row.weights) if not row.rate else ((), ()) for row in rows]
        parts += [
            ((i,), (math.copysign(1.0, weight),))
            for _, row in rates
            for i, weight in zip(row.points, row.weights, strict=True)
        ]
        indptr = np.cumsum([0, *(len(points) for points, _ in parts)])
        points = [i for places, _ in parts for i in places]
        weights = [weight for _, values in parts for weight in values]
        shares = [np.abs(row.weights) for _, row in rates]
        totals = {r: float(share.sum()) for (r, _), share in zip(rates, shares, strict=True)}
        K, terms = len(parts) - len(rows), term_names(rows)
        G = sparse.csr_array((weights, points, indptr), shape=(len(parts), m), dtype=np.float64)
        G.sort_indices()
        return ScoreRows(
            G=G,
            h=np.append(
                [row.bound + totals.get(r, 0.0) for r, row in enumerate(rows)], -np.ones(K)
            ),
            names=(*(row.name for row in rows), *terms),
            of=(*(row.of for row in rows), *terms.values()),
            owner=np.repeat([r for r, _ in rates], list(map(len, shares))).astype(np.intp),
            shares=np.concatenate(shares) if shares else np.zeros(0),
        )

    @property
    def given(self) -> int:
        """The number R - K of the rows that were given."""
        return len(self.h) - len(self.owner)

    @cached_property
    def plain(self) -> ScoreRows:
        """The rows without rates."""
        kept = np.setdiff1d(np.arange(self.given), self.owner)
        names, of = (tuple(words[r] for r in kept) for words in (self.names, self.of))
        return ScoreRows(G=self.G[kept], h=self.h[kept], names=names, of=of)

    @property
    def row_names(self) -> tuple[str, ...]:
        """The names of the rows in errors: all rows of a rate have its name."""
        rates = {self.of[r] for r in self.owner}
        return tuple(
            rule if rule in rates else name for rule, name in zip(self.of, self.names, strict=True)
        )

    def __len__(self) -> int:
        return len(self.h)

    def activity(self, scores: FloatArray) -> FloatArray:
        """The left sides (R,) at scores f (m,) and the least slacks."""
        values = np.asarray(self.G @ scores)
        return np.asarray(values + self.T @ np.maximum(values[self.given :] + 1.0, 0.0))

    def excess(self, scores: FloatArray) -> FloatArray:
        """The relative violations (R,) of the rows at scores f (m,).

        The violation of row r is divided by the largest of |h_r|, the sum of its terms' sizes and
        max_i |G_ri| max_i |f_i|.
        """
        # relative to what is added up, so that the units of a row do not matter; a score of 0 is a
        # sum of terms as large as other scores
        terms = abs(self.G) @ np.abs(scores)
        largest = np.where(terms > 0.0, self.sizes * np.abs(scores).max(initial=0.0), 0.0)
        terms = terms + abs(self.T) @ (1.0 + terms[self.given :])
        terms = np.maximum(np.maximum(terms, np.abs(self.h)), largest)
        over = self.activity(scores) - self.h
        return np.where(terms > 0.0, over / np.where(terms > 0.0, terms, 1.0), 0.0)

    def terms(self, r: int, scores: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """The scores, signs s and shares of the points of the rate with row r."""
        own = np.flatnonzero(self.owner == r)
        signed = self.G[self.given + own]
        signs = np.asarray(signed.sum(axis=1), dtype=np.float64)
        return signs * (signed @ scores), signs, self.shares[own]

    def met(self, scores: FloatArray) -> bool:
        """Whether scores (m,) satisfy all rows, within 1e-8 of their terms."""
        return not len(self) or bool(self.excess(scores).max() <= 1e-8)

    def shift(self, mu: FloatArray) -> FloatArray:
        """The vector G'mu (m,), which the multipliers mu (R,) subtract from the pricing vector."""
        return np.asarray(mu @ self.G)

    def feasible(self, mu: FloatArray) -> FloatArray:
        """The feasible multipliers near mu (R,): mu >= 0, and T'mu >= 0 also after rounding."""
        mu = np.maximum(mu, 0.0)
        most = self.shares * mu[self.owner] * (1.0 - 2.0 * UNIT_ROUNDOFF)
        return np.append(mu[: self.given], np.minimum(mu[self.given :], most))

    def linearised(self, terms: FloatArray) -> ScoreRows:
        """Rows without slacks that these ones imply: in the row of a rate only the points with
        positive ``terms`` (K,) count, each with its term 1 + s_i f_i.
        """
        S, inside = self.given, np.flatnonzero(terms > 0.0)
        shares = self.shares[inside], (self.owner[inside], inside)
        sums = sparse.csr_array(shares, shape=(S, len(terms)))
        G = sparse.csr_array(self.G[:S] + sums @ self.G[S:])
        return ScoreRows(G=G, h=self.h[:S] - sums.sum(axis=1), names=self.names[:S], of=self.of[:S])

    @staticmethod
    def joined(parts: Sequence[ScoreRows]) -> ScoreRows:
        """The rows of all parts, which have no slacks."""
        return ScoreRows(
            G=sparse.csr_array(sparse.vstack([part.G for part in parts])),
            h=np.concatenate([part.h for part in parts]),
            names=tuple(name for part in parts for name in part.names),
            of=tuple(of for part in parts for of in part.of),
        )

    def without_opposites(self, mu: FloatArray) -> FloatArray:
        """The multipliers mu (R,), less the common part of the multipliers of opposite rows.

        Opposite rows are f - g <= eps and g - f <= eps. For eps = 0 they are an equality, and only
        the difference of their multipliers is determined.
        """
        rows = {r: self.G[[r]] for r in range(self.given) if r not in self.owner}
        place = {(row.indices.tobytes(), row.data.tobytes()): r for r, row in rows.items()}
        reduced = mu.copy()
        for r, row in rows.items():
            opposite = place.get((row.indices.tobytes(), (-row.data).tobytes()), r)
            if opposite != r and self.h[r] + self.h[opposite] >= 0.0:
                reduced[[r, opposite]] -= reduced[[r, opposite]].min()
        return reduced

    def doubt(self, d: FloatArray, mu: FloatArray) -> FloatArray:
        """An upper bound on the rounding error of each entry of y d - G'mu (m,)."""
        terms: FloatArray = np.abs(d) + np.abs(mu) @ abs(self.G)
        return (self.most + 3) * UNIT_ROUNDOFF * terms

    @cached_property
    def most(self) -> int:
        """The largest number of rows with the score of one point."""
        return int(np.bincount(self.G.indices).max(initial=0))

    def values(self, scores: FloatArray, mu: FloatArray) -> list[dict[str, Any]]:
        """The :func:`constraint_values` at scores f (m,) and multipliers mu (R,)."""
        S = self.given
        return constraint_values(self.of[:S], self.activity(scores)[:S], self.h[:S], mu[:S])


NO_ROWS = ScoreRows(G=sparse.csr_array((0, 0)), h=np.zeros(0), names=(), of=())


def arrays_of(rows: Sequence[AnyRow] | None, m: int) -> ScoreRows:
    """The rows on the scores as arrays, for m points.

    Raises OptionError for a row on other points.
    """
    scores = [row for row in rows or () if isinstance(row, ScoreRow)]
    return ScoreRows.of_points(scores, m) if scores else NO_ROWS


def constraint_values(
    names: Sequence[str], values: FloatArray, bounds: FloatArray, prices: FloatArray
) -> list[dict[str, Any]]:
    """The number of rows, the smallest slack and the price of each constraint.

    The price bounds the improvement of the objective if the bounds of all rows of the constraint
    increase by one. If the optimal value is differentiable in these bounds, the price is its rate
    of change.
    """
    constraints: dict[str, dict[str, Any]] = {}
    for name, value, bound, price in zip(names, values, bounds, prices, strict=True):
        slack = float(bound - value)
        entry = constraints.setdefault(
            name, {"name": name, "rows": 0, "slack": slack, "price": 0.0}
        )
        entry["rows"] += 1
        entry["slack"] = min(entry["slack"], slack)
        entry["price"] += float(price)
    return list(constraints.values())
