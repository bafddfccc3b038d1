"""Square linear systems whose residuals are taken in extended precision."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import linalg

from radprog.base.limits import poll
from radprog.base.tolerances import UNIT_ROUNDOFF
from radprog.base.types import FloatArray

REFINEMENTS = 6  # steps of iterative refinement
# share of a coefficient that a row may lose: it, the entry and what they came from are rounded to
# floats, and the row is summed in chunks in extended precision
ROUNDED = 4.0 * UNIT_ROUNDOFF + 64.0 * float(np.finfo(np.longdouble).eps)


def refining(matrix: FloatArray) -> Callable[[NDArray[Any]], FloatArray]:
    """What solves systems of a matrix (n, n), by LU factors of it equilibrated and residuals in
    extended precision: NaN where it is singular."""
    rows = np.abs(matrix).max(axis=1, initial=0.0)
    rows[rows == 0.0] = 1.0
    columns = np.abs(matrix / rows[:, None]).max(axis=0, initial=0.0)
    columns[columns == 0.0] = 1.0
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore", linalg.LinAlgWarning)
        factors = linalg.lu_factor(matrix / rows[:, None] / columns, check_finite=False)
    exact = matrix.astype(np.longdouble)

    def solve(right: NDArray[Any]) -> FloatArray:
        x = np.zeros(len(right), dtype=np.longdouble)
        with np.errstate(all="ignore"):
            for _ in range(REFINEMENTS):
                poll()
                residual = ((right - exact @ x) / rows).astype(np.float64)
                x += linalg.lu_solve(factors, residual, check_finite=False) / columns
            return x.astype(np.float64)

    return solve
