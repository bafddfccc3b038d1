"""Linear systems in rational arithmetic."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any


def solve_near(
    library: Any, A: Sequence[Sequence[int]], b: Sequence[Fraction], x: Sequence[Fraction]
) -> list[Fraction] | None:
    """A solution of A x = b, A (r, n) of integers, that keeps what it can of x (n,).

    None where there is none. library: python-flint. A square regular system has one solution; of
    others the coordinates without a pivot stay those of x.
    """
    r, n = len(A), len(x)
    if not r:
        return list(x)
    matrix = library.fmpq_mat(library.fmpz_mat([list(row) for row in A]))
    right = library.fmpq_mat(r, 1, [_rational(library, value) for value in b])
    if r == n:
        try:
            return [_fraction(value) for value in matrix.solve(right).entries()]
        except ZeroDivisionError:
            pass
    at = library.fmpq_mat(n, 1, [_rational(library, value) for value in x])
    rest = right - matrix * at
    rows = [[*row, last] for row, (last,) in zip(matrix.tolist(), rest.tolist(), strict=True)]
    reduced, rank = library.fmpq_mat(rows).rref()
    moved = list(x)
    for row in reduced.tolist()[:rank]:
        pivot = next(j for j, value in enumerate(row) if value)
        if pivot == n:
            return None
        moved[pivot] += _fraction(row[n])
    return moved


def common(values: Sequence[Fraction]) -> tuple[list[int], int]:
    """Numerators over the least common denominator, and it."""
    below = math.lcm(*(value.denominator for value in values)) if values else 1
    return [value.numerator * (below // value.denominator) for value in values], below


def _rational(library: Any, value: Fraction) -> Any:
    return library.fmpq(value.numerator, value.denominator)


def _fraction(value: Any) -> Fraction:
    return Fraction(int(value.p), int(value.q))
