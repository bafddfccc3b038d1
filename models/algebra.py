"""Small helpers shared by the Pyomo builders."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pyomo.environ as pyo
from pyomo.core.expr import LinearExpression

from radprog.instances.limits import poll
from radprog.instances.types import FloatArray


def linear(coefficients: FloatArray, variables: Sequence[Any]) -> Any:
    """sum_j coefficients_j variables_j as one Pyomo expression (dense rows build fast this way);
    builders write a row by each call, before which the limits in force are polled."""
    poll()
    return LinearExpression(linear_coefs=coefficients.tolist(), linear_vars=variables)


def quadratic(matrix: FloatArray, variables: Sequence[Any]) -> Any:
    """x'Mx for symmetric M, each pair of variables written once, zero entries left out; the limits
    in force are polled between rows."""

    def terms() -> Iterator[Any]:
        n = len(variables)
        for i in range(n):
            poll()
            for j in range(i, n):
                if matrix[i, j] != 0.0:
                    factor = matrix[i, j] if i == j else 2.0 * matrix[i, j]
                    yield factor * variables[i] * variables[j]

    return pyo.quicksum(terms())


def with_duals(model: pyo.ConcreteModel) -> pyo.ConcreteModel:
    """Give the model the suffixes that a solver's duals and reduced costs are loaded into."""
    model.dual = pyo.Suffix(direction=pyo.Suffix.IMPORT)
    model.rc = pyo.Suffix(direction=pyo.Suffix.IMPORT)
    return model
