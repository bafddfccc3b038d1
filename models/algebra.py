"""Common helpers of the Pyomo builders."""

from __future__ import annotations

import logging
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from radprog.base.limits import OutOfBudget, poll
from radprog.base.modelling import pyo
from radprog.base.types import FloatArray
from radprog.models.score_arrays import ScoreRows
from radprog.models.score_rows import ROW_PRICE, SCORE_ROW


def _expected(record: logging.LogRecord) -> bool:
    """Prevent Pyomo from reporting a reached limit as an error in a rule."""
    return OutOfBudget.__name__ not in record.getMessage()


logging.getLogger("pyomo.core").addFilter(_expected)


def linear(coefficients: FloatArray, variables: Sequence[Any]) -> Any:
    """The sum of coefficients_j variables_j as one Pyomo expression.

    The function is fast for dense rows. Builders call it once per row. Each call polls the current
    limits.
    """
    from pyomo.core.expr import LinearExpression

    poll()
    return LinearExpression(linear_coefs=coefficients.tolist(), linear_vars=variables)


def quadratic(matrix: FloatArray, variables: Sequence[Any]) -> Any:
    """The expression x'Mx for symmetric M, with one term per pair of variables and no zero terms.

    The current limits are polled between rows.
    """

    def terms() -> Iterator[Any]:
        n = len(variables)
        for i in range(n):
            poll()
            for j in range(i, n):
                if matrix[i, j] != 0.0:
                    factor = matrix[i, j] if i == j else 2.0 * matrix[i, j]
                    yield factor * variables[i] * variables[j]

    return pyo.quicksum(terms())


def add_score_rows(
    model: pyo.ConcreteModel, rows: ScoreRows, images: FloatArray, variables: list[Any]
) -> None:
    """Add the rows images_r'variables + T_r'rate_term <= h_r, with the slacks of rates."""
    slacks = list[Any]()
    if len(rows.owner):
        model.rate_term = pyo.Var(range(len(rows.owner)), domain=pyo.NonNegativeReals)
        slacks = list(model.rate_term.values())
    block, T = pyo.Constraint(pyo.RangeSet(0, len(rows) - 1)), rows.T
    model.add_component(SCORE_ROW, block)
    for r, (image, side) in enumerate(zip(images, rows.h.tolist(), strict=True)):
        part = slice(T.indptr[r], T.indptr[r + 1])
        of_row = [slacks[k] for k in T.indices[part].tolist()]
        block[r] = (None, linear(np.append(image, T.data[part]), [*variables, *of_row]), side)


def add_row_prices(model: pyo.ConcreteModel, rows: ScoreRows) -> list[Any]:
    """Add the multipliers row_price >= 0 of the rows, with T'row_price >= 0 for the slacks of
    rates; if there are no rows, add nothing.
    """
    if not len(rows):
        return []
    block = pyo.Var(pyo.RangeSet(0, len(rows) - 1), domain=pyo.NonNegativeReals)
    model.add_component(ROW_PRICE, block)
    if len(rows.owner):
        terms = zip(rows.owner.tolist(), rows.shares.tolist(), strict=True)
        prices, first = list(block.values()), rows.given
        model.rate_term = pyo.Constraint(range(len(rows.owner)))
        for k, (r, share) in enumerate(terms):
            model.rate_term[k] = share * prices[r] - prices[first + k] >= 0.0
    return list(block.values())


def with_duals(model: pyo.ConcreteModel) -> pyo.ConcreteModel:
    """Add the suffixes for duals and reduced costs to the model."""
    model.dual = pyo.Suffix(direction=pyo.Suffix.IMPORT)
    model.rc = pyo.Suffix(direction=pyo.Suffix.IMPORT)
    return model


def with_scales(
    model: pyo.ConcreteModel, objective: float, scales: Mapping[str, float | Sequence[float]]
) -> pyo.ConcreteModel:
    """Set the sizes of the objective and of the named components, for scaling.

    ``scales`` contains one size for each component, or one size for each entry of a component. For
    solvers and files, each variable and each constraint is divided by its size. Sizes are rounded
    to powers of two, so scaling causes no rounding errors. Pyomo's suffix ``scaling_factor`` has
    the inverse sizes. The algebra of the model stays unchanged.
    """
    # powers of two, so that scaling rounds no number
    model.scaling_factor = pyo.Suffix(direction=pyo.Suffix.EXPORT)
    model.scaling_factor[model.objective] = _power(objective)
    for name, scale in scales.items():
        entries = list(model.component(name).values())
        sizes = [scale] * len(entries) if isinstance(scale, int | float) else scale
        for entry, size in zip(entries, sizes, strict=True):
            model.scaling_factor[entry] = _power(size)
    return model


def _power(size: float) -> float:
    """1/size, rounded to a power of two; 1 if the size is 0 or not a number."""
    largest_power = 500  # of 2, of a scale
    if not 0.0 < size < math.inf:
        return 1.0
    return math.ldexp(1.0, -min(max(round(math.log2(size)), -largest_power), largest_power))
