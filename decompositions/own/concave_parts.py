"""Values and tangents of marked parts: quadratic ones by matrices, others by their algebra."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from pyomo.common.numeric_types import native_types
from pyomo.core.expr.numeric_expr import UnaryFunctionExpression

from radprog.instances.errors import NonlinearError, SolverError
from radprog.instances.types import FloatArray
from radprog.solvers.bodies import Reader
from radprog.solvers.derivatives import Smooth


def _has_function(expression: Any) -> bool:
    """Whether a function such as exp or abs is in an expression."""
    ahead = [expression]
    while ahead:
        node = ahead.pop()
        if isinstance(node, UnaryFunctionExpression):
            return True
        if node.__class__ not in native_types and node.is_expression_type():
            ahead += node.args
    return False


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
        """c(x) (k,); SolverError where a part has no value."""
        found = self.constant + self.linear @ x
        found += np.bincount(self.k, self.a * x[self.i] * x[self.j], minlength=len(found))
        point = x.tolist() if self.general else []
        for k, part in self.general:
            found[k] = part.value(point)
        bad = np.flatnonzero(~np.isfinite(found))
        if len(bad):
            raise SolverError(f"the concave part {self.names[bad[0]]} has no value at a point")
        return found

    def slopes(self, x: FloatArray) -> FloatArray:
        """c'(x) (k, n), of |u| at 0 the subgradient 0; SolverError where there is none."""
        found = self.linear.copy()
        np.add.at(found, (self.k, self.i), self.a * x[self.j])
        np.add.at(found, (self.k, self.j), self.a * x[self.i])
        point = x.tolist() if self.general else []
        for k, part in self.general:
            found[k, list(part.columns)] = part.gradient(point)
        bad = np.flatnonzero(~np.isfinite(found).all(axis=1))
        if len(bad):
            raise SolverError(f"{self.names[bad[0]]} has no derivative at a point")
        return found
