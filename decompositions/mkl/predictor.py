"""The predictor of multiple kernel learning: a weighted sum of kernels with one score per class."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from radprog.base.errors import DataError
from radprog.base.types import FloatArray, IntArray
from radprog.decompositions.predictors import (
    check_rows,
    columns_of,
    plain_values,
    read_points,
    reading,
    rebuilt,
)
from radprog.decompositions.run import signs, supporting
from radprog.models.kernels import OWN, check_sample, resolved, sample_of
from radprog.models.mkl.kernel_sets import RawKernel, kernel_values
from radprog.models.mkl.problem import MultipleKernels, Value


@dataclass(frozen=True, kw_only=True)
class MultiKernelExpansion:
    """The predictor f_r(x) = sum_m weights_m sum_t coefficients_rt K_m(x, points_t) + biases_r.

    The kernels are not normalised. The normalisation factors are part of the weights (M,).
    ``support`` (s,) contains the indices of the training points. ``points`` has shape (s, d),
    contains strings (s,), or is None if all kernels are matrices. ``coefficients`` has shape
    (k, s), and ``biases`` has shape (k,). For two classes, there is one row r, and the label is +1
    if f >= 0. With more classes, each class has a row, and the class with the largest f_r is
    predicted.
    """

    kernels: tuple[RawKernel, ...]
    weights: FloatArray
    support: IntArray
    points: NDArray[Any] | None
    coefficients: FloatArray
    biases: FloatArray
    rows: int
    kind = "multi_kernel"

    def scores(self, X: NDArray[Any], cross: FloatArray | None = None) -> FloatArray:
        """Scores (n,) for two classes, or (n, k) for k > 2 classes.

        X contains points (n, d) or strings (n,). If all kernels are matrices, X may contain kernel
        values (M, n, training points). ``cross`` contains the values of the G kernels that were
        given as matrices: (G, n, training points), or (n, training points) if G = 1. Raises
        DataError if a shape is wrong.
        """
        points = X if self.points is None else self.points
        check_rows(X, None if X.ndim == 3 else columns_of(points))
        if cross is None and X.ndim == 3:
            cross = np.asarray(X, dtype=np.float64)
        given = [m for m, kernel in enumerate(self.kernels) if kernel.given]
        if given and cross is None:
            raise DataError(
                f"{len(given)} kernels were given as matrices: prediction needs their values "
                "between the new points (rows) and the training points (columns), option `cross`"
            )
        if given and cross is not None:
            shape, cross = cross.shape, cross[None] if cross.ndim == 2 else cross
            if cross.ndim != 3 or (len(cross), cross.shape[2]) != (len(given), self.rows):
                raise DataError(
                    f"cross values of shape {shape}, expected ({len(given)}, new points, "
                    f"{self.rows})"
                )
        n = cross.shape[1] if cross is not None and X.ndim == 3 else len(X)
        scores = np.tile(self.biases, (n, 1))
        # kernels without weight are not computed
        used = np.flatnonzero(self.weights).tolist()
        computed = kernel_values([self.kernels[m] for m in used if m not in given], X, points)
        for m in used:
            if m in given and cross is not None:
                values = cross[given.index(m)][:, self.support]
            else:
                values = next(computed)
            scores += self.weights[m] * (values @ self.coefficients.T)
        return scores[:, 0] if len(self.biases) == 1 else scores

    def predict(self, X: NDArray[Any], cross: FloatArray | None = None) -> FloatArray:
        """Labels (n,): -1 or +1 for two classes, and class numbers 0, 1, ... for more classes."""
        scores = self.scores(X, cross)
        if scores.ndim == 1:
            return signs(scores)
        return np.asarray(scores.argmax(axis=1), dtype=np.float64)

    def to_dict(self) -> dict[str, Any]:
        """Plain values that :func:`from_dict` reads back exactly."""
        kernels: list[dict[str, Any]] = [
            {"name": kernel.name, "columns": kernel.columns, "given": kernel.given}
            for kernel in self.kernels
        ]
        for kernel, values in zip(self.kernels, kernels, strict=True):
            if kernel.name.startswith(
                OWN
            ):  # values by which a function of the user's is recognised
                values["sample"] = sample_of(kernel, self.points)
        features = columns_of(self.points)
        return {**plain_values(self, "kernels"), "kernels": kernels, "features": features}

    @staticmethod
    def from_dict(values: Mapping[str, Any]) -> MultiKernelExpansion:
        """Rebuild the predictor from :meth:`to_dict`. Raises a DataError that names the
        missing or malformed part.
        """
        with reading():
            # points: rows of numbers, or texts
            points = values["points"]
            if points is not None:
                points = read_points(points, values["features"])
            kernels = tuple(_raw_kernel(stored, points) for stored in values["kernels"])
            fit = rebuilt(MultiKernelExpansion, values, kernels=kernels, points=points)
            shape = len(fit.biases), len(fit.support)
            if points is not None and len(points) != len(fit.support):
                raise ValueError(f"{len(points)} points for {len(fit.support)} support vectors")
            return replace(fit, coefficients=fit.coefficients.reshape(shape))


def _raw_kernel(stored: Mapping[str, Any], points: NDArray[Any] | None) -> RawKernel:
    """A kernel of a saved fit. Raises KernelError if a user's function returns different values."""
    name, given, columns = str(stored["name"]), bool(stored["given"]), stored["columns"]
    kernel = RawKernel(
        name=name if given else resolved(name),
        columns=None if columns is None else (int(columns[0]), int(columns[1])),
        given=given,
    )
    if "sample" in stored:
        check_sample(name, kernel, points, stored["sample"])
    return kernel


def multi_kernel_expansion(problem: MultipleKernels, value: Value) -> MultiKernelExpansion:
    """The predictor sum_m mu_m K_m z + biases at a value of J, for mu (M,), z (k, n) and intercepts
    (k,).

    Centring is absorbed into the coefficients and intercepts. With H = I - 11'/n and the row means
    r of the raw kernel, the centred kernel gives k(x, .)Hz - r'Hz.
    """
    kernels, mu, z = problem.kernels, value.mu, value.a * problem.labels
    weights, biases = mu * kernels.factors, value.biases.copy()
    if kernels.means is not None:
        # Hz in place of z, -r'Hz into the bias
        z = z - z.mean(axis=1, keepdims=True)
        biases -= z @ (weights @ kernels.means)
    if len(kernels.labels) < len(z):
        # two classes of the joint loss: their difference is one score
        z, biases = z[1:] - z[:1], biases[1:] - biases[:1]
    support = supporting(z, np.einsum("m,mii->i", mu, kernels.K))
    return MultiKernelExpansion(
        kernels=kernels.raw,
        weights=weights,
        support=support,
        points=None if kernels.points is None else kernels.points[support],
        coefficients=z[:, support],
        biases=biases,
        rows=kernels.n,
    )
