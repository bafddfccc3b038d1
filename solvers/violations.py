"""Violations of the rows and bounds of a program at a point, exact where integers make them so."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from radprog.base.tolerances import ROW_ROUNDING
from radprog.base.types import BoolArray, FloatArray
from radprog.solvers.program import Program

#: Whole numbers up to here, and sums of their products, do not round.
EXACT = 2.0**53


def relative_violation(program: Program, x: FloatArray, *, leeway: float = 1.0) -> float:
    """The largest of the :func:`violations`; 0 for a feasible point."""
    return float(np.concatenate(violations(program, x, leeway=leeway)).max(initial=0.0))


def violations(
    program: Program, x: FloatArray, *, leeway: float = 1.0
) -> tuple[FloatArray, FloatArray]:
    """The violations of the rows (m,), and of the bounds and integrality of the columns (n,).

    A number is at most 0 if there is no violation. The numbers are relative to :func:`bound_scale`.
    They allow for rounding errors in the rows. For a row sum_j a_j x_j <= b of small numbers, the
    scale is at most ``leeway`` max_j |a_j| max(1, |x_j|), or |b| if larger. Proofs use ``leeway``
    1. The points that solvers return are checked with LEEWAY, because solvers have absolute
    tolerances. Rows and bounds of integers are tested exactly, at whole numbers
    (:func:`exact_violations`).
    """
    activity = program.activity(x)
    noise = ROW_ROUNDING * (abs(program.rows) @ np.abs(x))
    size = leeway * row_sizes(program, x)
    below = (program.row_lower - activity - noise) / bound_scale(program.row_lower, size)
    above = (activity - program.row_upper - noise) / bound_scale(program.row_upper, size)
    low = (program.lower - x) / bound_scale(program.lower)
    high = (x - program.upper) / bound_scale(program.upper)
    rows, columns = np.maximum(below, above), np.maximum(low, high)
    if program.integer.any():
        # whole numbers are exact, in units
        for values, exact in zip((rows, columns), exact_violations(program, x), strict=True):
            np.copyto(values, exact, where=~np.isnan(exact))
        fraction = np.abs(x - np.rint(x))[program.integer]
        columns[program.integer] = np.maximum(columns[program.integer], fraction)
    return rows, columns


def bound_scale(bound: FloatArray, size: FloatArray | float = 1.0) -> FloatArray:
    """The scale max(min(1, size), |bound|) of violations of bounds (k,)."""
    finite = np.where(np.isfinite(bound), np.abs(bound), 0.0)
    return np.asarray(np.maximum(np.minimum(1.0, size), finite), dtype=np.float64)


def row_sizes(program: Program, x: FloatArray) -> FloatArray:
    """The size max_j |a_ij| max(1, |x_j|) of each row (m,); 1 for quadratic and empty rows."""
    rows = program.rows
    sizes, full = np.ones(rows.shape[0]), np.diff(rows.indptr) > 0
    if full.any():
        terms = np.abs(rows.data) * np.maximum(1.0, np.abs(x))[rows.indices]
        sizes[full] = np.maximum.reduceat(terms, rows.indptr[:-1][full])
    sizes[list(program.quadratic_rows)] = 1.0
    return sizes


def rows_of_integers(program: Program) -> BoolArray:
    """Whether rows (m,) are linear, and over integer columns alone."""
    rows, of_integers = program.rows, np.ones(program.row_lower.size, dtype=np.bool_)
    owner = np.repeat(np.arange(of_integers.size), np.diff(rows.indptr))
    of_integers[owner[~program.integer[rows.indices] & (rows.data != 0.0)]] = False
    of_integers[list(program.quadratic_rows)] = False
    return of_integers


def row_places(program: Program) -> NDArray[np.intp]:
    """The decimal places of rows (m,) over integer columns alone; -1 for rows that may round.

    They are the most of the coefficients, and of the sides where these are decimals, of up to 15
    significant digits. Numbers of more than 12 digits may be decimals by chance (one computed
    double in 10 has at most 15 digits): all of a row together in less than one case in a hundred.
    """
    rows, exact = program.rows, rows_of_integers(program)
    owner = np.repeat(np.arange(exact.size), np.diff(rows.indptr))
    inside = exact[owner]
    data, owner, m = rows.data[inside], owner[inside], exact.size
    # the finite sides count as numbers of their rows, those of an equation as one
    upper = np.where(program.row_lower == program.row_upper, 0.0, program.row_upper)
    values = np.concatenate([data, program.row_lower, upper])
    values[~np.isfinite(values)] = 0.0
    row, places = np.concatenate([owner, np.arange(m), np.arange(m)]), decimal_places(values, 15)
    exact[owner[places[: data.size] < 0]] = False
    digits = np.log10(np.maximum(np.abs(values), 1e-300)) + places
    long = (places > 0) & (digits > 12.0)
    chance = np.bincount(row[long], weights=15.65 - digits[long], minlength=m)
    exact &= (chance >= 2.0) | (chance == 0.0)
    result = np.where(exact, 0, -1)
    np.maximum.at(result, row, np.where(exact[row], places, -1))
    return result


def exact_violations(program: Program, x: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The violations (m,) of rows and (n,) of columns without rounding, in units; nan elsewhere.

    They are those of the point x (n,) with its integers rounded. The bounds of an integer column
    are tested, and rows over integer columns alone. The unit of a row of whole or decimal numbers
    is the last decimal place of its numbers. Other rows are tested to 12 digits, and their unit is
    the sixth digit of their terms.
    """
    z, m = np.where(program.integer, np.rint(x), 0.0), program.row_lower.size
    # a whole number beyond a bound is beyond the next whole number by a unit
    excess = np.maximum(np.ceil(program.lower) - z, z - np.floor(program.upper))
    columns = np.where(program.integer, excess, np.nan)
    rows, places, alone = program.rows, row_places(program), rows_of_integers(program)
    if not alone.any():
        return np.full(m, np.nan), columns
    owner = np.repeat(np.arange(m), np.diff(rows.indptr))
    inside, exact = alone[owner], places >= 0
    data, owner, column = rows.data[inside], owner[inside], rows.indices[inside]
    # in units, every number and every sum is a whole number; below 2^53 none rounds
    unit = np.where(exact, 10.0 ** np.maximum(places, 0), 1.0)
    scaled = np.where(exact[owner], np.rint(data * unit[owner]), data)
    low, high = in_units(program.row_lower, unit), in_units(program.row_upper, unit)
    size = np.bincount(owner, weights=np.abs(scaled * z[column]), minlength=m)
    for part in (low, high):
        size = np.maximum(size, np.where(np.isfinite(part), 2.0 * np.abs(part), 0.0))
    np.maximum.at(size, owner, 4.0 * np.abs(scaled))
    activity = np.bincount(owner, weights=scaled * z[column], minlength=m)
    beyond = np.maximum(low - activity, activity - high)
    # other numbers have rounded: what differs in their first 12 digits is 1e-6 or more
    digits = 1e6 * beyond / np.where(size > 0.0, size, 1.0)
    values = np.where(exact, beyond, np.where(alone, digits, np.nan))
    # larger ones in rational arithmetic
    for row in np.flatnonzero(exact & (size > EXACT)).tolist():
        values[row] = _in_fractions(program, row, z)
    return values, columns


def in_units(values: Any, unit: Any) -> Any:
    """Values (k,) times ``unit`` (k,), whole where they differ from whole numbers by rounding."""
    scaled = np.asarray(values * unit)
    finite = np.where(np.isfinite(scaled), scaled, 0.5)
    close = np.abs(finite - np.rint(finite)) <= 2.0**-51 * np.abs(finite)
    return np.where(close, np.rint(finite), scaled)


def _in_fractions(program: Program, row: int, z: FloatArray) -> float:
    """The violation of a row at z (n,), relative to the least place of its decimals."""
    span = slice(program.rows.indptr[row], program.rows.indptr[row + 1])
    data, js = program.rows.data[span].tolist(), program.rows.indices[span]
    terms = [Fraction(repr(a)) for a in data]
    activity = sum((a * int(v) for a, v in zip(terms, z[js].tolist(), strict=True)), Fraction(0))
    sides = float(program.row_lower[row]), float(program.row_upper[row])
    excess = [
        sign * (Fraction(repr(side)) - activity)
        for sign, side in zip((1, -1), sides, strict=True)
        if np.isfinite(side)
    ]
    unit = Fraction(1, max([1, *(a.denominator for a in terms)]))
    return float(max(excess, default=Fraction(-1)) / unit)


def decimal_places(values: FloatArray, digits: int = 12) -> NDArray[np.intp]:
    """The decimal places (k,) of numbers as they are printed; -1 for those that are no decimals.

    A decimal has at most ``digits`` significant digits; whole numbers up to 2^53 have no places.
    """
    sizes, places = np.abs(values), np.full(values.shape, -1, dtype=np.intp)
    for count in range(23):  # 10^22 is the last power of ten without rounding
        power, limit = 10.0**count, 10.0**digits if count else EXACT
        tried = np.flatnonzero((places < 0) & (sizes * power <= limit))
        if not tried.size:
            break
        # the quotient is the double of the decimal, correctly rounded
        places[tried[np.rint(sizes[tried] * power) / power == sizes[tried]]] = count
    return places
