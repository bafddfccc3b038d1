"""The predictor of every kernel model: a short kernel expansion."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from radprog.base.types import FloatArray, IntArray
from radprog.decompositions.predictors import (
    check_rows,
    columns_of,
    cross_columns,
    plain_values,
    read_points,
    reading,
    rebuilt,
)
from radprog.decompositions.run import signs, training_block
from radprog.models.kernels import (
    GIVEN_KERNELS,
    OWN,
    check_sample,
    parse_kernels,
    resolved,
    sample_of,
)


@dataclass(frozen=True, kw_only=True)
class KernelExpansion:
    """The predictor f(x) = sum_t coefficients_t K_{kernel_t}(x, points_t) + bias, with label +1 if
    f(x) >= 0.

    ``kernels`` contains the names of the kernels. For each term, ``kernel`` (r,) contains the index
    of its kernel, and ``centre`` (r,) contains the index of its centre among all centres. All
    centres are the columns of a ``cross`` matrix. ``points`` has shape (r, d) or contains strings
    (r,). ``coefficients`` has shape (r,).
    """

    kernels: tuple[str, ...]
    kernel: IntArray
    centre: IntArray
    points: NDArray[Any]
    coefficients: FloatArray
    bias: float = 0.0
    kind = "kernel_expansion"

    @classmethod
    def of_kernel(
        cls, kernel: str, X: NDArray[Any], coefficients: FloatArray, support: IntArray, bias: float
    ) -> Self:
        """The expansion for one kernel over the rows ``support`` (r,) of X. ``coefficients`` (n,)
        has one entry per row of X.
        """
        return cls(
            kernels=(kernel,),
            kernel=np.zeros(len(support), dtype=np.intp),
            centre=support,
            points=X[support],
            coefficients=coefficients[support],
            bias=bias,
        )

    def scores(self, X: NDArray[Any], cross: FloatArray | None = None) -> FloatArray:
        """Decision values (n,) for points X (n, d) or strings (n,).

        ``cross`` contains the values (n, centres) of a kernel from a file. Raises DataError if
        these values are missing, or if X has a different number of columns than the training
        points.
        """
        check_rows(X, columns_of(self.points))
        scores = np.full(len(X), self.bias)
        # kernel by kernel: its values at the points of its terms
        for k in np.unique(self.kernel) if len(X) else ():
            terms = self.kernel == k
            name = self.kernels[k]
            if name.startswith(GIVEN_KERNELS):
                values = cross_columns(cross, len(X), self.centre[terms], f"kernel {name}")
            else:
                values = parse_kernels(name)[0](X, self.points[terms])
            scores += values @ self.coefficients[terms]
        return scores

    def predict(self, X: NDArray[Any], cross: FloatArray | None = None) -> FloatArray:
        """The predicted labels (n,), each -1 or +1."""
        return signs(self.scores(X, cross))

    def summary(
        self, X: NDArray[Any], y: FloatArray, K: FloatArray, weights: FloatArray | None = None
    ) -> dict[str, Any]:
        """The ``fit`` block of a predictor with one kernel.

        K (m, m) is the kernel matrix of the training points. It is used only for kernels from a
        file and for strings.
        """
        if X.ndim == 1:
            scores = K[:, self.centre] @ self.coefficients + self.bias
        else:
            scores = self.scores(X, K)
        return {
            "support_vectors": len(self.centre),
            "coefficients": len(self.centre),
            "bias": self.bias,
            **training_block(scores, signs(scores), y, weights),
        }

    def to_dict(self) -> dict[str, Any]:
        """Plain values that :func:`from_dict` reads back exactly.

        A user's function is stored by name, with sample values that identify it.
        """
        # sample values of the user's functions, by which a reader identifies them
        user_kernels = [name for name in self.kernels if name.startswith(OWN)]
        samples = {name: sample_of(parse_kernels(name)[0], self.points) for name in user_kernels}
        return {
            **plain_values(self),
            "columns": columns_of(self.points),
            **({"samples": samples} if samples else {}),
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Rebuild the predictor from :meth:`to_dict`. Raises a DataError that names the missing or
        malformed part.
        """
        with reading():
            # a user's function comes with its name
            names = map(str, values["kernels"])
            kernels = tuple(resolved(name) if name.startswith(OWN) else name for name in names)
            points = read_points(values["points"], values["columns"])
            fit = rebuilt(cls, values, kernels=kernels, points=points)
            # shapes, finite numbers and known kernels
            lengths = {len(fit.kernel), len(fit.centre), len(fit.points), len(fit.coefficients)}
            if len(lengths) > 1 or not set(fit.kernel.tolist()) <= set(range(len(fit.kernels))):
                raise ValueError("kernels, centres, points and coefficients do not match")
            numbers = [fit.coefficients, np.array([fit.bias])]
            numbers += [] if points.ndim == 1 else [points]
            if not all(np.isfinite(part).all() for part in numbers) or (fit.centre < 0).any():
                raise ValueError("a coefficient, point or bias is not finite, or a centre negative")
            for name in fit.kernels:
                if not name.startswith(GIVEN_KERNELS):
                    kernel = parse_kernels(name)[0]
                    if name in values.get("samples", {}):
                        check_sample(name, kernel, fit.points, values["samples"][name])
        return fit
