"""The predictors of clustering and label propagation: the kernel classifier h(x, y)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist
from scipy.special import logsumexp

from radprog.base.errors import MALFORMED, DataError
from radprog.base.types import FloatArray, IntArray
from radprog.instances.arrays import check_points
from radprog.models.similarity.problem import indicator


@dataclass(frozen=True, kw_only=True)
class KernelClassifier:
    """h(x, y) = sum over points i of class y of weights_i s(x, x_i); the class of largest h (1).

    points (r, d), weights (r,) > 0, codes (r,) in 0..classes-1; centre (r,): the points' numbers
    among all training points (columns of a ``cross`` matrix); bandwidth: of the Gaussian kernel,
    None where similarities are given. labels: names of the classes, or () for clusters.
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
        """Of weights a (n,) and a labelling (n,); points without label are left out."""
        kept = np.flatnonzero((a > 0) & (codes >= 0))
        return KernelClassifier(
            points=X[kept], weights=a[kept], codes=codes[kept], centre=kept, classes=classes,
            bandwidth=bandwidth, labels=labels,
        )  # fmt: skip

    def scores(self, X: NDArray[Any], cross: FloatArray | None = None) -> FloatArray:
        """h (n, classes) at X (n, d), or from given similarities ``cross`` (n, training points)."""
        if self.bandwidth is None:
            weighted = self.weights[:, None] * indicator(self.codes, self.classes)
            return np.asarray(self._centre_columns(len(X), cross) @ weighted)
        return np.exp(self._logarithms(X))

    def predict(self, X: NDArray[Any], cross: FloatArray | None = None) -> FloatArray:
        """Codes of the classes (n,), as numbers.

        A Gaussian kernel is compared by its logarithm, so that no far point is a tie of zeros.
        """
        by = self.scores(X, cross) if self.bandwidth is None else self._logarithms(X)
        return np.asarray(by.argmax(axis=1), dtype=np.float64)

    def _logarithms(self, X: NDArray[Any]) -> FloatArray:
        check_points(X)
        if self.bandwidth is None or X.ndim != 2 or X.shape[1] != self.points.shape[1]:
            raise DataError(
                f"the fit was made on {self.points.shape[1]} features, the data has "
                f"{X.shape[1] if X.ndim == 2 else 'no'}"
            )
        # log h(x, y): sums of exponentials without underflow
        exponents = cdist(X, self.points, "sqeuclidean") * (-0.5 / self.bandwidth**2)
        out = np.full((len(X), self.classes), -np.inf)
        for y in range(self.classes):
            members = self.codes == y
            if members.any():
                out[:, y] = logsumexp(exponents[:, members], axis=1, b=self.weights[members])
        return out

    def _centre_columns(self, n: int, cross: FloatArray | None) -> FloatArray:
        if cross is None:
            raise DataError(
                "the similarity was given as a matrix: prediction needs its values between the new "
                "points (rows) and the training points (columns), option --cross FILE.npy"
            )
        if len(cross) != n or cross.shape[1] <= self.centre.max(initial=-1):
            raise DataError(
                f"cross matrix is {cross.shape[0]} x {cross.shape[1]}: expected {n} rows and one "
                "column per training point"
            )
        return np.asarray(cross[:, self.centre])

    def to_dict(self) -> dict[str, Any]:
        """Plain values that :func:`from_dict` reads back exactly."""
        return {
            "points": self.points.tolist(),
            "columns": int(self.points.shape[1]),
            "weights": self.weights.tolist(),
            "codes": self.codes.tolist(),
            "centre": self.centre.tolist(),
            "classes": self.classes,
            "bandwidth": self.bandwidth,
            "labels": list(self.labels),
        }

    @staticmethod
    def from_dict(values: Mapping[str, Any]) -> KernelClassifier:
        """Rebuild from :meth:`to_dict`; raises DataError naming what is missing or malformed."""
        try:
            # the arrays, then whether their sizes belong together
            width = values["bandwidth"]
            fit = KernelClassifier(
                points=np.asarray(values["points"], dtype=np.float64).reshape(
                    -1, int(values["columns"])
                ),
                weights=np.asarray(values["weights"], dtype=np.float64),
                codes=np.asarray(values["codes"], dtype=np.intp),
                centre=np.asarray(values["centre"], dtype=np.intp),
                classes=int(values["classes"]),
                bandwidth=None if width is None else float(width),
                labels=tuple(str(label) for label in values["labels"]),
            )
            sizes = {len(fit.points), len(fit.weights), len(fit.codes), len(fit.centre)}
            if len(sizes) > 1 or not set(fit.codes.tolist()) <= set(range(fit.classes)):
                raise ValueError("points, weights, codes and centres do not match")
            return fit
        except MALFORMED as error:
            raise DataError(f"not a saved fit: {error!r}") from None
