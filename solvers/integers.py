"""Points of programs with integers: the only judge of their feasibility.

A solver's point has integers within a tolerance of whole numbers, and rows within a tolerance of
their sides. Here, integers become whole, rows over integers alone are tested exactly, and
the continuous columns are solved again with the integers fixed.
"""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from radprog.base.errors import RadprogError
from radprog.base.tolerances import CERTIFIED_GAP, CLAIM_TOLERANCE
from radprog.base.types import BoolArray, FloatArray
from radprog.solvers.program import SOLVER_DEFAULTS, Program, SolveSettings, Status

#: Whole numbers up to here, and sums of their products, do not round.
EXACT = 2.0**53


class JudgedPoint(NamedTuple):
    """A point (n,) with whole integers that is feasible, or None and the reason why not."""

    x: FloatArray | None
    fault: str = ""


def judge_integers(
    program: Program,
    x: FloatArray,
    settings: SolveSettings = SOLVER_DEFAULTS,
    *,
    tolerance: float = CLAIM_TOLERANCE,
) -> JudgedPoint:
    """Judge a point (n,) of a program with integers, and return the point to report.

    Integer columns are rounded to whole numbers. Their bounds, and rows of whole or decimal numbers
    over integer columns alone, are tested exactly (:func:`exact_violations`). If rounding moves the
    point, or other rows do not hold to rounding, the integers are fixed and the continuous columns
    are solved again, within the limits of ``settings``. Rows that may round hold within
    ``tolerance``, relative to their sides or terms
    (:func:`~radprog.solvers.answer.violations`).
    """
    from radprog.solvers.answer import violations

    integer = program.integer
    fraction = np.abs(x - np.rint(x))[integer]
    if fraction.max(initial=0.0) > tolerance:
        worst = np.flatnonzero(integer)[int(fraction.argmax())]
        return JudgedPoint(None, f"with a fraction of {program.column_names[worst]}: {x[worst]:g}")
    whole = np.where(integer, np.rint(x), x)
    rows, columns = violations(program, whole)
    # what depends on integers alone is final
    final = columns.copy()
    final[~integer] = 0.0
    decided = np.where(rows_of_integers(program), rows, 0.0)
    fault = _fault(program, decided, final, tolerance)
    if fault:
        return JudgedPoint(None, fault)
    # a point that rounding does not touch stays
    largest = max(rows.max(initial=0.0), columns.max(initial=0.0))
    if integer.all() or (fraction.max(initial=0.0) == 0.0 and largest <= 1e-12):
        return JudgedPoint(whole)
    # the continuous columns are solved again, with the integers fixed
    rest, word = solve_rest(program, whole, settings)
    if word is Status.INFEASIBLE:
        return JudgedPoint(None, "that is infeasible with its integers whole")
    if rest is not None:
        whole[~integer] = rest
    fault = _fault(program, *violations(program, whole), tolerance)
    return JudgedPoint(None, fault) if fault else JudgedPoint(whole)


def _fault(program: Program, rows: FloatArray, columns: FloatArray, tolerance: float) -> str:
    """The row or the column with the largest violation above the tolerance, or ""."""
    excess = np.append(rows, columns)
    worst = int(excess.argmax()) if excess.size else 0
    if not excess.size or excess[worst] <= tolerance:
        return ""
    name = (*program.row_names, *program.column_names)[worst]
    return f"that violates {name} by {excess[worst]:.3g}"


def solve_rest(
    program: Program, x: FloatArray, settings: SolveSettings
) -> tuple[FloatArray | None, Status]:
    """The continuous columns of the best point with the integers of x (n,), and the status.

    The status of an unproved claim is the claim. Without a point in time, or with an error of the
    solvers, the point is None.
    """
    from radprog.solvers.registry import solved_by_any
    from radprog.solvers.rescale import equal_units

    rest = with_integers_fixed(program, x)
    units = equal_units(rest)
    linear = rest.quadratic is None and not rest.quadratic_rows
    try:
        how = replace(settings, options={}, log=None)
        answer = solved_by_any(rest, units.scaled(rest) if linear else rest, how)
    except RadprogError:
        return None, Status.FAILED
    found = None if answer.x is None else answer.x / units.columns if linear else answer.x
    return found, answer.claim or answer.status


def with_integers_fixed(program: Program, x: FloatArray) -> Program:
    """The program over the continuous columns, with the integers at their values in x (n,)."""
    left, fixed = np.flatnonzero(~program.integer), np.flatnonzero(program.integer)
    at = x[fixed]
    cost, constant = program.cost[left].copy(), program.constant + float(program.cost[fixed] @ at)
    quadratic = program.quadratic
    if quadratic is not None:
        across = quadratic[:, fixed]
        cost += across[left] @ at
        constant += 0.5 * float(at @ (across[fixed] @ at))
        quadratic = quadratic[left][:, left].tocsc()
        quadratic = quadratic if quadratic.nnz else None
    # rows without their integers; those that are then empty are left out
    rows, shift = program.rows[:, left], program.rows[:, fixed] @ at
    squares = {}
    if program.quadratic_rows:
        products = np.zeros(rows.shape)
        for row, matrix in program.quadratic_rows.items():
            across = matrix[:, fixed]
            products[row] = across[left] @ at
            shift[row] += 0.5 * float(at @ (across[fixed] @ at))
            square = matrix[left][:, left].tocsc()
            if square.nnz:
                squares[row] = square
        rows = type(rows)(rows + products)
    whole = replace(
        program,
        cost=cost,
        constant=constant,
        rows=rows,
        row_lower=program.row_lower - shift,
        row_upper=program.row_upper - shift,
        lower=program.lower[left],
        upper=program.upper[left],
        integer=np.zeros(left.size, dtype=np.bool_),
        column_names=tuple(program.column_names[j] for j in left),
        quadratic=quadratic,
        quadratic_rows=squares,
    )
    kept = np.diff(rows.indptr) > 0
    kept[list(squares)] = True
    return whole if kept.all() else whole.of_rows(np.flatnonzero(kept).tolist())


def rows_of_integers(program: Program) -> BoolArray:
    """Whether rows (m,) are linear, and over integer columns alone."""
    rows, of_integers = program.rows, np.ones(program.row_lower.size, dtype=np.bool_)
    owner = np.repeat(np.arange(of_integers.size), np.diff(rows.indptr))
    of_integers[owner[~program.integer[rows.indices] & (rows.data != 0.0)]] = False
    of_integers[list(program.quadratic_rows)] = False
    return of_integers


def row_places(program: Program) -> NDArray[np.intp]:
    """The decimal places of rows (m,) over integer columns alone; -1 for rows that may round.

    They are the most of the coefficients, and of the sides where these are decimals.
    """
    rows, exact = program.rows, rows_of_integers(program)
    owner = np.repeat(np.arange(exact.size), np.diff(rows.indptr))
    inside = exact[owner]
    entries, owner = decimal_places(rows.data[inside]), owner[inside]
    exact[owner[entries < 0]] = False
    places = np.where(exact, 0, -1)
    if exact.any():
        np.maximum.at(places, owner[exact[owner]], entries[exact[owner]])
        for side in (program.row_lower, program.row_upper):
            np.maximum(places, decimal_places(side), out=places, where=exact)
    return places


def exact_violations(program: Program, x: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The violations (m,) of rows and (n,) of columns without rounding, in units; nan elsewhere.

    They are those of the point x (n,) with its integers rounded. The bounds of an integer column
    are tested, and rows over integer columns alone whose coefficients are whole or decimal numbers.
    The unit of such a row is the last decimal place of its numbers.
    """
    z, m = np.where(program.integer, np.rint(x), 0.0), program.row_lower.size
    # a whole number beyond a bound is beyond the next whole number by a unit
    excess = np.maximum(np.ceil(program.lower) - z, z - np.floor(program.upper))
    columns = np.where(program.integer, excess, np.nan)
    rows, places = program.rows, row_places(program)
    exact = places >= 0
    if not exact.any():
        return np.full(m, np.nan), columns
    owner = np.repeat(np.arange(m), np.diff(rows.indptr))
    inside = exact[owner]
    data, owner, of = rows.data[inside], owner[inside], rows.indices[inside]
    # in units, every number and every sum is a whole number; below 2^53 none rounds
    unit = 10.0 ** np.maximum(places, 0)
    scaled = np.rint(data * unit[owner])
    low, high = in_units(program.row_lower, unit), in_units(program.row_upper, unit)
    size = np.bincount(owner, weights=np.abs(scaled * z[of]), minlength=m)
    for part in (low, high):
        size = np.maximum(size, np.where(np.isfinite(part), 2.0 * np.abs(part), 0.0))
    np.maximum.at(size, owner, 4.0 * np.abs(scaled))
    activity = np.bincount(owner, weights=scaled * z[of], minlength=m)
    values = np.where(exact, np.maximum(low - activity, activity - high), np.nan)
    # larger ones in rational arithmetic
    for row in np.flatnonzero(exact & (size > EXACT)).tolist():
        values[row] = _in_fractions(program, row, z)
    return values, columns


def in_units(values: Any, unit: Any) -> Any:
    """Values (k,) times ``unit`` (k,), whole where they differ from whole numbers by rounding."""
    scaled = np.asarray(values * unit)
    finite = np.where(np.isfinite(scaled), scaled, 0.5)
    near = np.abs(finite - np.rint(finite)) <= 2.0**-51 * np.abs(finite)
    return np.where(near, np.rint(finite), scaled)


def _in_fractions(program: Program, row: int, z: FloatArray) -> float:
    """The violation of a row at z (n,), relative to the least place of its decimals."""
    span = slice(program.rows.indptr[row], program.rows.indptr[row + 1])
    data, of = program.rows.data[span].tolist(), program.rows.indices[span]
    terms = [Fraction(repr(a)) for a in data]
    activity = sum((a * int(v) for a, v in zip(terms, z[of].tolist(), strict=True)), Fraction(0))
    sides = float(program.row_lower[row]), float(program.row_upper[row])
    excess = [
        sign * (Fraction(repr(side)) - activity)
        for sign, side in zip((1, -1), sides, strict=True)
        if np.isfinite(side)
    ]
    unit = Fraction(1, max([1, *(a.denominator for a in terms)]))
    return float(max(excess, default=Fraction(-1)) / unit)


def decimal_places(values: FloatArray) -> NDArray[np.intp]:
    """The decimal places (k,) of numbers as they are printed; -1 for those that are no decimals.

    A decimal has at most 12 significant digits; whole numbers up to 2^53 have no places.
    """
    sizes, places = np.abs(values), np.full(values.shape, -1, dtype=np.intp)
    for count in range(23):  # 10^22 is the last power of ten without rounding
        power, most = 10.0**count, 1e12 if count else EXACT
        left = np.flatnonzero((places < 0) & (sizes * power <= most))
        if not left.size:
            break
        # the quotient is the double of the decimal, correctly rounded
        places[left[np.rint(sizes[left] * power) / power == sizes[left]]] = count
    return places


def objective_places(program: Program) -> int | None:
    """The decimal places of all objectives at whole points, less the constant; None without any."""
    cost = program.cost[program.cost != 0.0]
    if program.quadratic is not None or not program.integer[program.cost != 0.0].all():
        return None
    places = decimal_places(cost)
    return int(places.max(initial=0)) if (places >= 0).all() else None


def raised_bound(program: Program, bound: float) -> float:
    """A bound, raised to the next objective of a whole point where objectives are decimals."""
    places = objective_places(program)
    steps = math.inf if places is None else (bound - program.constant) * 10.0**places
    if places is None or not abs(steps) <= 1e12:  # rounding is as large as a unit
        return bound
    # less what rounding may add to a solver's bound
    return math.ceil(steps - 1e-6 - 1e-14 * abs(steps)) / 10.0**places + program.constant


def bound_met(program: Program, value: float, bound: float, tolerance: float = 0.0) -> bool:
    """Whether a bound proves the value of a judged point.

    It is exact where objectives are decimals, within the relative gap of a certificate elsewhere.
    """
    from radprog.solvers.certificate import close

    raised = raised_bound(program, bound)
    if raised != bound or objective_places(program) is not None:
        return value - raised <= 1e-13 * max(1.0, abs(value)) or close(value, raised, tolerance)
    return close(value, bound, max(CERTIFIED_GAP, tolerance)) or value <= bound
