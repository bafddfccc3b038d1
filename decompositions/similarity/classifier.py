"""The predictor of clustering and label propagation: the kernel classifier h(x, y)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist
from scipy.special import logsumexp

from radprog.base.types import FloatArray, IntArray
from radprog.decompositions.predictors import (
    check_rows,
    cross_columns,
    plain_values,
    read_points,
    reading,
    rebuilt,
)
from radprog.decompositions.run import level_ties
from radprog.models.similarity.problem import indicator


@dataclass(frozen=True, kw_only=True)
class KernelClassifier:
    """The predictor (1): the class y with the largest h(x, y), the sum of weights_i s(x, x_i) over
    the points i of class y.

    ``points`` has shape (r, d). ``weights`` (r,) are positive, and ``codes`` (r,) are in
    0..classes-1. ``centre`` (r,) contains the indices of the points among all training points. The
    columns of a ``cross`` matrix are in the order of all training points. ``bandwidth`` is the
    width of the Gaussian kernel, or None for given similarities. ``labels`` contains the names of
    the classes, or is () for clusters.
    """

    points: FloatArray
    weights: FloatArray
    codes: IntArray
    centre: IntArray
    classes: int
    bandwidth: float | None
    labels: tuple[str, ...] = ()
    kind = "kernel_classifier"

    @staticmethod
    def of(
        X: FloatArray,
        a: FloatArray,
        codes: IntArray,
        classes: int,
        bandwidth: float | None,
        labels: tuple[str, ...] = (),
    ) -> KernelClassifier:
        """The classifier with the weights a (n,) and labels ``codes`` (n,), without the unlabelled
        points.
        """
        support = np.flatnonzero((a > 0) & (codes >= 0))
        return KernelClassifier(
            points=X[support], weights=a[support], codes=codes[support], centre=support,
            classes=classes, bandwidth=bandwidth, labels=labels,
        )  # fmt: skip

    def scores(self, X: NDArray[Any], cross: FloatArray | None = None) -> FloatArray:
        """The values h (n, classes) at X (n, d), or for given similarities ``cross`` (n, training
        points).
        """
        if self.bandwidth is None:
            weighted = self.weights[:, None] * indicator(self.codes, self.classes)
            similar = cross_columns(cross, len(X), self.centre, "the similarity")
            return level_ties(similar @ weighted)
        return np.exp(self._logarithms(X))

    def predict(self, X: NDArray[Any], cross: FloatArray | None = None) -> FloatArray:
        """The codes of the predicted classes (n,).

        For a Gaussian kernel, logarithms are compared, because the values at distant points
        underflow to 0.
        """
        scores = self.scores(X, cross) if self.bandwidth is None else self._logarithms(X)
        return np.asarray(scores.argmax(axis=1), dtype=np.float64)

    def _logarithms(self, X: NDArray[Any]) -> FloatArray:
        check_rows(X, self.points.shape[1])
        assert self.bandwidth is not None  # else similarities are given
        # log h(x, y): sums of exponentials without underflow
        exponents = cdist(X, self.points, "sqeuclidean") * (-0.5 / self.bandwidth**2)
        logarithms = np.full((len(X), self.classes), -np.inf)
        for y in range(self.classes):
            members = self.codes == y
            if members.any():
                logarithms[:, y] = logsumexp(exponents[:, members], axis=1, b=self.weights[members])
        return level_ties(logarithms, 1.0)

    def to_dict(self) -> dict[str, Any]:
        """Plain values that :func:`from_dict` reads back exactly."""
        return {**plain_values(self), "columns": int(self.points.shape[1])}

    @staticmethod
    def from_dict(values: Mapping[str, Any]) -> KernelClassifier:
        """Rebuild the predictor from :meth:`to_dict`. Raises a DataError that names the missing or
        malformed part.
        """
        with reading():
            # the arrays, then whether their sizes belong together
            points = read_points(values["points"], int(values["columns"]))
            fit = rebuilt(KernelClassifier, values, points=points)
            sizes = {len(fit.points), len(fit.weights), len(fit.codes), len(fit.centre)}
            if len(sizes) > 1 or not set(fit.codes.tolist()) <= set(range(fit.classes)):
                raise ValueError("points, weights, codes and centres do not match")
        return fit
