"""Accurate solutions of linear systems, by iterative refinement or in rational arithmetic."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Sequence
from contextlib import suppress
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import linalg

from radprog.base.limits import poll
from radprog.base.tolerances import UNIT_ROUNDOFF
from radprog.base.types import FloatArray

# share of a coefficient that a row may lose: it, the entry and what they came from are rounded to
# floats, and the row is summed in chunks in extended precision
ROUNDED = 4.0 * UNIT_ROUNDOFF + 64.0 * float(np.finfo(np.longdouble).eps)


def refining(matrix: FloatArray) -> Callable[[NDArray[Any]], FloatArray]:
    """A function that solves systems with a matrix (n, n), by LU factors and refinement.

    The matrix is equilibrated, and residuals are in extended precision. The result is NaN for a
    singular matrix.
    """
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
            for _ in range(6):  # steps of iterative refinement
                poll()
                residual = ((right - exact @ x) / rows).astype(np.float64)
                x += linalg.lu_solve(factors, residual, check_finite=False) / columns
            return x.astype(np.float64)

    return solve


def solve_refined(
    library: Any, A: Sequence[Sequence[int]], b: Sequence[Fraction], x: Sequence[Fraction]
) -> list[Fraction] | None:
    """An exact solution of A x = b near x (n,), or None if there is no solution.

    A (r, n) has integers. ``library`` is python-flint. A square regular system has one solution. In
    other systems, coordinates without a pivot keep their values in x.
    """
    r, n = len(A), len(x)
    if not r:
        return list(x)
    if r == n:
        with suppress(ZeroDivisionError):
            return solve_square(library, A, b)
    matrix = library.fmpq_mat(library.fmpz_mat([list(row) for row in A]))
    right = library.fmpq_mat(r, 1, [_rational(library, value) for value in b])
    point = library.fmpq_mat(n, 1, [_rational(library, value) for value in x])
    remainder = right - matrix * point
    rows = [[*row, side] for row, (side,) in zip(matrix.tolist(), remainder.tolist(), strict=True)]
    reduced, rank = library.fmpq_mat(rows).rref()
    moved = list(x)
    for row in reduced.tolist()[:rank]:
        pivot = next(j for j, value in enumerate(row) if value)
        if pivot == n:
            return None
        moved[pivot] += _fraction(row[n])
    return moved


def solve_square(library: Any, A: Sequence[Sequence[int]], b: Sequence[Fraction]) -> list[Fraction]:
    """The exact solution of A x = b. Raises ZeroDivisionError if A (n, n) is singular."""
    if not len(A):
        return []
    poll()
    right = library.fmpq_mat(len(A), 1, [_rational(library, value) for value in b])
    matrix = library.fmpq_mat(library.fmpz_mat([list(row) for row in A]))
    return [_fraction(value) for value in matrix.solve(right).entries()]


def common(values: Sequence[Fraction]) -> tuple[list[int], int]:
    """The numerators of fractions over their least common denominator, and that denominator."""
    denominator = math.lcm(*(value.denominator for value in values)) if values else 1
    return [value.numerator * (denominator // value.denominator) for value in values], denominator


def _rational(library: Any, value: Fraction) -> Any:
    return library.fmpq(value.numerator, value.denominator)


def _fraction(value: Any) -> Fraction:
    return Fraction(int(value.p), int(value.q))
