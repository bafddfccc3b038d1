"""Values and tangents of marked parts: quadratic ones by matrices, others by their algebra."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyomo.environ as pyo
from pyomo.repn import generate_standard_repn

from radprog.instances.errors import SolverError
from radprog.instances.types import FloatArray
from radprog.solvers.derivatives import Smooth


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
        for k, mark in enumerate(marks):
            found = generate_standard_repn(mark.expr, quadratic=True)
            if found.nonlinear_expr is not None:
                self.general.append((k, Smooth(mark.expr, place)))
                continue
            self.constant[k] = pyo.value(found.constant)
            for value, variable in zip(found.linear_coefs, found.linear_vars, strict=True):
                self.linear[k, place[id(variable)]] += value
            pairs = zip(found.quadratic_coefs, found.quadratic_vars, strict=True)
            squares += [(k, place[id(i)], place[id(j)], value) for value, (i, j) in pairs]
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
