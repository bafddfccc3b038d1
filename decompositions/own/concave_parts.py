"""Values and tangents of marked parts: quadratic ones by matrices, others by their algebra."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from pyomo.core.expr.numeric_expr import UnaryFunctionExpression
from scipy import sparse

from radprog.base.errors import ConvexityError, NonlinearError
from radprog.base.tolerances import CURVATURE_EXCESS
from radprog.base.types import FloatArray
from radprog.solvers.bodies import Reader, nodes_in
from radprog.solvers.convexity import negative_eigenvalue
from radprog.solvers.derivatives import Smooth


def _has_function(expression: Any) -> bool:
    """Whether a function such as exp or abs is in an expression."""
    return any(isinstance(node, UnaryFunctionExpression) for node in nodes_in(expression))


class ConcaveParts:
    """c(x) (k,) of the marked expressions, over the variables x (n,), and its slopes (k, n).

    A quadratic part is read once: c_k = constant_k + L_k'x + sum of a x_i x_j.
    """

    def __init__(
        self, marks: Sequence[Any], names: Sequence[str], variables: Sequence[Any]
    ) -> None:
        self.names = names
        place = {id(variable): j for j, variable in enumerate(variables)}
        self.constant = np.zeros(len(marks))
        self.linear = np.zeros((len(marks), len(variables)))
        self.general: list[tuple[int, Smooth]] = []
        squares: list[tuple[int, int, int, float]] = []
        reader = Reader(list(variables))
        for k, mark in enumerate(marks):
            try:
                found = None if _has_function(mark.expr) else reader.read(mark.expr, mark)
            except NonlinearError:
                found = None
            if found is None:
                self.general.append((k, Smooth(mark.expr, place)))
                continue
            self.constant[k] = found.constant
            np.add.at(self.linear[k], found.columns, found.coefficients)
            squares += [(k, i, j, value) for i, j, value in found.quadratic]
        where = np.array([item[:3] for item in squares], dtype=np.intp).reshape(-1, 3)
        self.k, self.i, self.j = where.T
        self.a = np.array([item[3] for item in squares], dtype=np.float64)

    def values(self, x: FloatArray) -> FloatArray:
        """c(x) (k,); NaN where a part has no value."""
        found = self.constant + self.linear @ x
        found += np.bincount(self.k, self.a * x[self.i] * x[self.j], minlength=len(found))
        point = x.tolist() if self.general else []
        for k, part in self.general:
            found[k] = part.value(point)
        return found

    def slopes(self, x: FloatArray) -> FloatArray:
        """c'(x) (k, n), of |u| at 0 the subgradient 0; NaN or infinite where there is none."""
        found = self.linear.copy()
        np.add.at(found, (self.k, self.i), self.a * x[self.j])
        np.add.at(found, (self.k, self.j), self.a * x[self.i])
        point = x.tolist() if self.general else []
        for k, part in self.general:
            found[k, list(part.columns)] = part.gradient(point)
        return found

    def check_quadratic(self) -> None:
        """Raise ConvexityError for a quadratic part that is not concave."""
        n = self.linear.shape[1]
        for k in np.unique(self.k).tolist():
            own = self.k == k
            half = sparse.coo_array((self.a[own], (self.i[own], self.j[own])), shape=(n, n))
            least = negative_eigenvalue(sparse.csc_array(-(half + half.T)))
            if least is not None:
                raise ConvexityError(
                    f"{self.names[k]} is marked as concave, and is not: its second derivative is "
                    f"{-least:.6g} along a line"
                )

    def bent_up(self, u: FloatArray, v: FloatArray) -> str:
        """Which general part lies below the middle of its values at u and v (n,) by more than
        rounding, and where; "" where none does."""
        points = [x.tolist() for x in (u, (u + v) / 2.0, v)]
        for k, part in self.general:
            left, middle, right = (part.value(point) for point in points)
            size = max(1.0, abs(left), abs(middle), abs(right))
            if (left + right) / 2.0 - middle > CURVATURE_EXCESS * size:
                return (
                    f"{self.names[k]} is marked as concave, and is not: {middle:.6g} between two "
                    f"points where it is {left:.6g} and {right:.6g}: {_shown(points[0], part)} and "
                    f"{_shown(points[2], part)}"
                )
        return ""


def _shown(point: Sequence[float], part: Smooth) -> str:
    """The values of a part's first variables at a point."""
    shown = ", ".join(f"{point[j]:.6g}" for j in part.columns[:5])
    return f"({shown}, ...)" if len(part.columns) > 5 else f"({shown})"
