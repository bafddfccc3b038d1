"""The predictor of LPBoost: a weighted sum of a few hypotheses over a few patterns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np

from radprog.base.errors import DataError
from radprog.base.types import FloatArray, IntArray
from radprog.decompositions.predictors import check_rows, plain_values, reading, rebuilt
from radprog.decompositions.run import signs
from radprog.instances.bags import NOUN, BagKind
from radprog.models.lpboost.cuts import Cut
from radprog.models.lpboost.patterns import BLOCK, PatternKernel, base_values


@dataclass(frozen=True, kw_only=True, eq=False)
class PatternGroup:
    """A group of T hypotheses sign_t max_j sum_k alpha_tk K(z_k, x^(j)) over r patterns from one
    cut.

    ``shift`` was subtracted from ``patterns`` (r, l) and is subtracted from new patterns. ``alpha``
    has shape (T, r). ``weights`` (T,) contains w_t times the sign. ``origin`` (r, 2) contains the
    series and the position of each pattern in the training data.
    """

    cut: Cut
    kernel: PatternKernel
    shift: float
    patterns: FloatArray
    alpha: FloatArray
    weights: FloatArray
    origin: IntArray

    def values(self, patterns: FloatArray) -> FloatArray:
        """The values (m, T) of max_j sum_k alpha_tk K(z_k, x^(j)), without the sign, for patterns
        (m, Q, l).
        """
        m, Q, length = patterns.shape
        values = np.empty((m, len(self.weights)))
        # series in blocks that fit in the cache; of each the best pattern
        step = max(1, BLOCK // (Q * max(len(self.patterns), len(self.weights))))
        for start in range(0, m, step):
            rows = patterns[start : start + step]
            K = self.kernel(rows.reshape(-1, length) - self.shift, self.patterns)
            values[start : start + step] = (K @ self.alpha.T).reshape(len(rows), Q, -1).max(axis=1)
        return values

    def to_dict(self) -> dict[str, Any]:
        """The group as JSON-compatible values."""
        kernel = {"pattern_kernel": self.kernel.kind, "sigma": self.kernel.sigma}
        return {**self.cut.to_dict(), **kernel, **plain_values(self, "cut", "kernel")}

    @staticmethod
    def from_dict(values: Mapping[str, Any]) -> PatternGroup:
        """Rebuild from :meth:`to_dict`."""
        sigma = values["sigma"]
        group = rebuilt(
            PatternGroup,
            values,
            cut=Cut.from_dict(values),
            kernel=PatternKernel(
                kind=str(values["pattern_kernel"]), sigma=None if sigma is None else float(sigma)
            ),
        )
        alpha, patterns = group.alpha, group.patterns
        if patterns.ndim != 2 or alpha.shape != (len(group.weights), len(patterns)):
            raise ValueError(f"alpha of shape {alpha.shape} for {len(patterns)} patterns")
        return replace(group, origin=group.origin.reshape(-1, 2))


@dataclass(frozen=True, kw_only=True, eq=False)
class PatternEnsemble:
    """The predictor g(x) = sum_t w_t h_t(x), with label +1 if g(x) >= 0.

    ``shape`` is the shape of a training row. New rows must have the same shape. For bags, only the
    last number must agree.
    """

    data_kind: BagKind
    shape: tuple[int, ...]
    normalize: bool
    groups: tuple[PatternGroup, ...]
    kind = "pattern_ensemble"

    def patterns(self, X: FloatArray, cut: Cut) -> FloatArray:
        """The patterns (m, Q, l) of the rows X for the hypotheses."""
        return cut.patterns(X, self.data_kind, normalize=self.normalize)

    def scores(self, X: FloatArray, cross: Any = None) -> FloatArray:
        """Decision values g (m,) of series (m, L), (m, channels, L) or bags (m, Q, l).

        Raises DataError if the shape of a row differs from that of the training data.
        """
        check_rows(X, None)
        # shape as in the training data
        free_axes = 1 if self.data_kind == "bags" else 0  # bags hold as many patterns as they like
        if X.shape[1 + free_axes :] != self.shape[free_axes:]:
            raise DataError(
                f"the fit was made on {NOUN[self.data_kind]} of shape {self.shape}, the data has "
                f"rows of shape {X.shape[1:]}"
            )
        # sum of the groups, one for each length and family
        scores = np.zeros(len(X))
        for group in self.groups:
            scores += group.values(self.patterns(X, group.cut)) @ group.weights
        return scores

    def predict(self, X: FloatArray, cross: Any = None) -> FloatArray:
        """The predicted labels (m,), each -1 or +1."""
        return signs(self.scores(X, cross))

    def to_dict(self) -> dict[str, Any]:
        """Plain values that :func:`from_dict` reads back exactly."""
        groups = [group.to_dict() for group in self.groups]
        return {**plain_values(self, "groups"), "groups": groups}

    @staticmethod
    def from_dict(values: Mapping[str, Any]) -> PatternEnsemble:
        """Rebuild the predictor from :meth:`to_dict`. Raises a DataError that names the missing or
        malformed part.
        """
        with reading():
            if values["data_kind"] not in NOUN:
                raise ValueError(f"data_kind {values['data_kind']!r}")
            groups = tuple(PatternGroup.from_dict(group) for group in values["groups"])
            kind = cast(BagKind, values["data_kind"])
            return rebuilt(PatternEnsemble, values, data_kind=kind, groups=groups)


def placements(
    group: PatternGroup, series: FloatArray, ensemble: PatternEnsemble
) -> list[dict[str, Any]]:
    """For a plot, the position at which each pattern of a group best matches one series (L,).

    Each entry contains the position of the pattern, its length, its values in the units of the
    series, and its contribution sum_t weight_t alpha_tk.
    """
    cut = group.cut
    windows = ensemble.patterns(series[None, :], cut)[0]
    # where each pattern lies nearest to the series
    nearest = base_values("distance", group.patterns, windows - group.shift).argmin(axis=1)
    values = group.patterns + group.shift
    return [
        {
            "position": position,
            **cut.to_dict(),
            "values": cut.to_points(
                pattern, series[position : position + cut.length], normalized=ensemble.normalize
            ).tolist(),
            "contribution": float(contribution),
        }
        for position, pattern, contribution in zip(
            nearest.tolist(), values, group.weights @ group.alpha, strict=True
        )
    ]
