"""Rational arithmetic on small matrices: sums, roots and linear programs without error."""

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

Numbers = list[Fraction]
Matrix = list[Numbers]
ROOT_DIGITS = 10**40


def numbers(values: Iterable[Any]) -> Numbers:
    """Floats as they are."""
    return [Fraction(float(value)) for value in values]


def matrix(values: Any) -> Matrix:
    """A matrix of floats as it is."""
    return [numbers(row) for row in values]


def dot(a: Sequence[Fraction], b: Sequence[Fraction]) -> Fraction:
    """Sum of products."""
    return sum((p * q for p, q in zip(a, b, strict=True) if p and q), Fraction())


def products(a: Sequence[Fraction], b: Sequence[Fraction]) -> Numbers:
    """The products of entries."""
    return [p * q for p, q in zip(a, b, strict=True)]


def image(K: Matrix, c: Numbers) -> Numbers:
    """K c."""
    return [dot(row, c) for row in K]


def combined(matrices: Sequence[Matrix], weights: Numbers) -> Matrix:
    """Sum of weight times matrix."""
    n = len(matrices[0])
    return [
        [sum((w * K[i][j] for w, K in zip(weights, matrices, strict=True) if w), Fraction())
         for j in range(len(matrices[0][i]))]
        for i in range(n)
    ]  # fmt: skip


def balanced(y: Numbers, a: Numbers) -> list[Numbers]:
    """The points >= 0 that differ from a in one entry at most and have y'a = 0 exactly, for signs
    y."""
    off, points = dot(y, a), []
    for j, sign in enumerate(y):
        moved = a[j] - sign * off
        if sign * off >= 0 <= moved:
            points.append([*a[:j], moved, *a[j + 1 :]])
    return points


def root_up(value: Fraction, power: int) -> Fraction:
    """At least value^(1/power), by less than 1e-39 of it or so."""
    if value <= 0:
        return Fraction(0)
    # value scale^power is an integer of enough digits
    scale = ROOT_DIGITS
    while value * scale**power < ROOT_DIGITS**power:
        scale *= ROOT_DIGITS
    whole = math.ceil(value * scale**power)
    # the least integer whose power is no smaller, by bisection
    low, high = 0, 1 << (whole.bit_length() // power + 1)
    while low < high:
        middle = (low + high) // 2
        if middle**power < whole:
            low = middle + 1
        else:
            high = middle
    return Fraction(low, scale)


def largest_value(A: Matrix, b: Numbers, c: Numbers) -> Fraction:
    """max c'x over Ax <= b, x >= 0 with b >= 0, by the simplex method with Bland's rule.

    The tableau has one column per nonbasic variable. ValueError where it is unbounded.
    """
    # slacks are the first basis, which b >= 0 makes feasible; the last row holds minus the costs
    rows = [[*row, right] for row, right in zip(A, b, strict=True)]
    last = [*(-value for value in c), Fraction(0)]
    n = len(c)
    outside, basis = list(range(n)), list(range(n, n + len(A)))
    while True:
        entering = [j for j in range(n) if last[j] < 0]
        if not entering:
            return last[n]
        # Bland: the variable of least index enters, and of tied ratios that of least index leaves
        j = min(entering, key=lambda j: outside[j])
        ratios = [(row[n] / row[j], basis[i], i) for i, row in enumerate(rows) if row[j] > 0]
        if not ratios:
            raise ValueError("the program is unbounded")
        i = min(ratios)[2]
        _pivot(rows, last, i, j)
        outside[j], basis[i] = basis[i], outside[j]


def _pivot(rows: Matrix, last: Numbers, i: int, j: int) -> None:
    # the row of the variable that leaves, solved for the one that enters
    pivot = 1 / rows[i][j]
    chosen = [value * pivot for value in rows[i]]
    chosen[j] = pivot
    rows[i] = chosen
    # which is put into all others
    for row in (*(row for k, row in enumerate(rows) if k != i), last):
        factor = row[j]
        if factor:
            row[j] = Fraction(0)
            for k, value in enumerate(chosen):
                if value:
                    row[k] -= factor * value
