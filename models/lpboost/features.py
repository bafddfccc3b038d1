"""Values of all single shapelets on all series, in double precision or in a single-precision
screen.

Symbols: m series with Q patterns each, stacked as n = m Q patterns z_k; the feature of pattern k on
series i is F_ki = radius max_j K(z_k, x_i^j) / |Phi(z_k)|, 0 where the norm is 0.

A screen needs an eighth of the memory of a table with its distances. Its entries have errors of at
most ``error``. With a screen, pricing first finds all patterns that may be optimal. It then
computes the rows of these patterns in double precision, so pricing remains exact.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from radprog.base.errors import OptionError
from radprog.base.limits import poll
from radprog.base.types import FloatArray, IntArray
from radprog.models.lpboost.patterns import BLOCK, PatternKernel, base_values, centred

SUMMED = 1 << 22  # numbers of a screen that are widened at once
ROWS_AT_ONCE = 32


@dataclass(frozen=True, kw_only=True, eq=False)
class PatternTable:
    """The base values of patterns and series, common to all ensembles over these series.

    They do not depend on sigma, nu or the fold. ``patterns`` (m, Q, l) are shifted by ``shift``.
    ``near`` and ``far`` are the base values (m, Q, m) of the most and the least similar pattern of
    each series. ``far`` is None if the learner does not need it.
    """

    kind: str
    patterns: FloatArray
    shift: float
    near: FloatArray
    far: FloatArray | None = None

    def take(self, rows: IntArray) -> PatternTable:
        """The table of the series ``rows``."""
        grid = np.ix_(rows, np.arange(self.patterns.shape[1]), rows)
        far = None if self.far is None else self.far[grid]
        return replace(self, patterns=self.patterns[rows], near=self.near[grid], far=far)

    def features(self, kernel: PatternKernel, *, nearest: bool = True) -> FloatArray:
        """The values max_j K(z_k, x_i^j) / |Phi(z_k)| (n, m); with min_j unless ``nearest``."""
        base = self.near if nearest else self.far
        assert base is not None
        norms = kernel.norms(self.patterns.reshape(-1, self.patterns.shape[2]))
        return _per_norm(kernel.of_base(base.reshape(len(norms), -1)), norms[:, None])


def pattern_table(kind: str, patterns: FloatArray, *, farthest: bool = False) -> PatternTable:
    """The table of patterns (m, Q, l), with ``far`` if it is needed."""
    patterns, shift = centred(kind, patterns)
    m, Q, _ = patterns.shape
    tables = [np.empty((m, Q, m)) for _ in range(2 if farthest else 1)]
    best = _best_of(kind)
    worst = np.maximum if best is np.minimum else np.minimum
    for i, start, stop, base in _pair_blocks(kind, patterns):
        for table, extreme in zip(tables, (best, worst), strict=False):
            table[i, :, start:stop] = _extreme(kind, extreme, base, 2)
            table[start:stop, :, i] = _extreme(kind, extreme, base, 0)
    return PatternTable(
        kind=kind,
        patterns=patterns,
        shift=shift,
        near=tables[0],
        far=tables[1] if farthest else None,
    )


def _best_of(kind: str) -> np.ufunc:
    """The base value of the more similar of two pairs of patterns."""
    return np.maximum if kind == "linear" else np.minimum


def _pair_blocks(kind: str, patterns: FloatArray) -> Iterator[tuple[int, int, int, FloatArray]]:
    """Base values (Q, s, Q) between the patterns of series i and of the series start to stop.

    No series is after i, so every pair occurs once.
    """
    m, Q, length = patterns.shape
    left = right = patterns.reshape(m * Q, length)
    if kind != "linear":
        # |a|^2 1 + 1 |b|^2 - 2 a'b in one product, which rounding may leave below 0
        squares = np.einsum("ij,ij->i", left, left)[:, None]
        ones = np.ones_like(squares)
        left, right = np.hstack([left, squares, ones]), np.hstack([-2.0 * left, ones, squares])
    step = max(1, BLOCK // (Q * Q))
    for i in range(m):
        rows = left[i * Q : (i + 1) * Q]
        for start in range(0, i + 1, step):
            poll()
            stop = min(i + 1, start + step)
            base = (rows @ right[start * Q : stop * Q].T).reshape(Q, stop - start, Q)
            if stop > i and kind != "linear":  # a pattern is at distance 0 from itself
                base[np.arange(Q), -1, np.arange(Q)] = 0.0
            yield i, start, stop, base


def _extreme(kind: str, best: np.ufunc, base: FloatArray, axis: int) -> FloatArray:
    """The best or worst base values along an axis; distances are at least 0."""
    values = best.reduce(base, axis=axis)
    return np.asarray(values if kind == "linear" else np.maximum(values, 0.0, out=values))


class Features:
    """The feature matrix F (n, m) of n series and m patterns (m, Q, l).

    The patterns are first shifted to mean 0, except for the linear kernel. ``values`` are F in
    double precision, or a screen in single precision with errors of at most ``error``. ``largest``
    is an upper bound on the size of the entries. Of a sample, ``values`` are the rows ``places``,
    and the other patterns count as 0 in ``sums``.
    """

    def __init__(
        self,
        kernel: PatternKernel,
        patterns: FloatArray,
        radius: float,
        values: FloatArray | NDArray[np.float32],
        places: IntArray | None = None,
    ) -> None:
        screen_rounding = 1.01 * 2.0**-24  # relative error of a number in single precision
        self.kernel, self.patterns, self.radius, self.values = kernel, patterns, radius, values
        self.places, double = places, values.dtype == np.float64
        self.exact = double and places is None
        self.largest = float(np.abs(values).max()) * (1.0 if double else 1.0 + screen_rounding)
        self.error = 0.0 if double else self.largest * screen_rounding

    def __len__(self) -> int:
        return int(self.patterns.shape[0] * self.patterns.shape[1])

    @classmethod
    def of_table(cls, kernel: PatternKernel, table: PatternTable, radius: float) -> Features:
        """All features in double precision."""
        return cls(kernel, table.patterns, radius, radius * table.features(kernel))

    @classmethod
    def screen(cls, kernel: PatternKernel, patterns: FloatArray, radius: float) -> Features:
        """All features in single precision, computed block by block in double."""
        m, Q, length = patterns.shape
        values = np.empty((m, m, Q), dtype=np.float32)  # of a series side by side, for ``sums``
        norms = kernel.norms(patterns.reshape(m * Q, length)).reshape(m, Q)
        best = _best_of(kernel.kind)
        for i, start, stop, base in _pair_blocks(kernel.kind, patterns):
            forward = kernel.of_base(_extreme(kernel.kind, best, base, 2))
            backward = kernel.of_base(_extreme(kernel.kind, best, base, 0))
            values[start:stop, i] = radius * _per_norm(forward, norms[i][:, None]).T
            values[i, start:stop] = radius * _per_norm(backward, norms[start:stop])
        return cls(kernel, patterns, radius, values.reshape(m, m * Q).T)

    @classmethod
    def sample(
        cls, kernel: PatternKernel, patterns: FloatArray, radius: float, work: float
    ) -> Features:
        """The features of as many random patterns as take ``work`` products of two numbers."""
        m, Q, length = patterns.shape
        count = min(m * Q, max(16, int(work / (m * Q * length))))
        places = np.sort(np.random.default_rng(0).permutation(m * Q)[:count])
        rows = cls(kernel, patterns, radius, np.zeros((1, m)), places[:1]).rows(places)
        return cls(kernel, patterns, radius, rows, places)

    def stored(self) -> FloatArray:
        """The matrix F (n, m) in double precision.

        Raises OptionError for a screen.
        """
        if not self.exact:
            n, m = self.values.shape
            raise OptionError(
                f"{n} patterns on {m} series are too many to be written out: take longer patterns "
                "or fewer series"
            )
        return np.asarray(self.values, dtype=np.float64)

    def rows(self, indices: IntArray) -> FloatArray:
        """The rows F[indices] (r, m) in double precision; for a screen they are computed again."""
        if self.exact:
            return self.stored()[indices]
        m, Q, length = self.patterns.shape
        stacked = self.patterns.reshape(m * Q, length)
        values = np.empty((len(indices), m))
        for top in range(0, len(indices), ROWS_AT_ONCE):
            poll()
            part = indices[top : top + ROWS_AT_ONCE]
            base = base_values(self.kernel.kind, stacked[part], stacked).reshape(-1, m, Q)
            best = _best_of(self.kernel.kind).reduce(base, axis=2)
            if self.kernel.kind != "linear":  # every pattern lies in its own series
                best[np.arange(len(part)), part // Q] = 0.0
            norms = self.kernel.norms(stacked[part])[:, None]
            values[top : top + ROWS_AT_ONCE] = _per_norm(self.kernel.of_base(best), norms)
        return self.radius * values

    def sums(self, weights: FloatArray) -> tuple[FloatArray, float]:
        """The product F weights (n,) for weights (m,), and a bound on the error of each entry.

        The bound does not include the rounding errors of the sums.
        """
        if self.exact:
            return np.asarray(self.values @ weights, dtype=np.float64), 0.0
        if self.places is not None:
            edges = np.zeros(len(self))
            edges[self.places] = self.values @ weights
            return edges, 0.0
        support = np.flatnonzero(weights)
        total = np.empty(len(self))
        step = max(1, SUMMED // max(1, len(support)))
        for start in range(0, len(self), step):
            poll()
            block = self.values.T[support, start : start + step].astype(np.float64)
            total[start : start + step] = weights[support] @ block
        return total, self.error * float(np.abs(weights).sum())

    def spread(self) -> float:
        """The largest difference of two entries in a row, with an error of at most 2 ``error``."""
        return float(np.ptp(self.values, axis=1).max())


def _per_norm(values: FloatArray, norms: FloatArray) -> FloatArray:
    """values / norms, 0 where the norm is 0."""
    return np.asarray(np.where(norms > 0, values / np.where(norms > 0, norms, 1.0), 0.0))
