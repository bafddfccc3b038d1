"""Points of programs with integers: the only judge of their feasibility.

A solver's point has integers within a tolerance of whole numbers, and rows within a tolerance of
their sides. Here, integers become whole, rows over integers alone are tested exactly, and
the continuous columns are solved again with the integers fixed.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from radprog.base.errors import RadprogError, SolverError
from radprog.base.tolerances import CERTIFIED_GAP, CLAIM_TOLERANCE
from radprog.base.types import FloatArray
from radprog.solvers.program import (
    SOLVER_DEFAULTS,
    Program,
    Solution,
    SolveSettings,
    Status,
    tolerance_met,
)
from radprog.solvers.violations import decimal_places, rows_of_integers, violations

#: Solves a continuous program, scaled, as :func:`radprog.solvers.registry.solved_by_any` does.
Solve = Callable[[Program, Program, SolveSettings], Solution]


def as_given(program: Program, scaled: Program, settings: SolveSettings) -> Solution:
    """Raise SolverError: :func:`judge_integers` keeps the continuous columns of the point."""
    raise SolverError("the continuous columns stay as they are")


def judge_integers(
    program: Program,
    x: FloatArray,
    solve: Solve,
    settings: SolveSettings = SOLVER_DEFAULTS,
) -> tuple[FloatArray | None, str]:
    """Judge a point (n,) of a program with integers, and return the point to report and "", or None
    and the reason why it is infeasible.

    Integer columns are rounded to whole numbers. Their bounds, and rows of whole or decimal numbers
    over integer columns alone, are tested exactly, other rows over these to 12 digits
    (:func:`~radprog.solvers.violations.exact_violations`). If rounding moves the point, other rows
    do not hold to rounding, or costs are seven decades apart, the integers are fixed and the
    continuous columns are solved again by ``solve``, within the limits of ``settings``. Rows with
    continuous columns hold within CLAIM_TOLERANCE, relative to their sides or terms
    (:func:`~radprog.solvers.violations.violations`).
    """
    integer = program.integer
    fraction = np.abs(x - np.rint(x))[integer]
    if fraction.max(initial=0.0) > CLAIM_TOLERANCE:
        worst = np.flatnonzero(integer)[int(fraction.argmax())]
        return None, f"with a fraction of {program.column_names[worst]}: {x[worst]:g}"
    rounded = np.where(integer, np.rint(x), x)
    rows, columns = violations(program, rounded)
    # what depends on integers alone is final
    final = columns.copy()
    final[~integer] = 0.0
    decided = np.where(rows_of_integers(program), rows, 0.0)
    fault = _fault(program, rounded, decided, final)
    if fault:
        return None, fault
    # a point that rounding does not touch stays, unless costs are too far apart for tolerances
    largest = max(rows.max(initial=0.0), columns.max(initial=0.0), fraction.max(initial=0.0))
    costs = np.abs(program.cost[program.cost != 0.0])
    wide = costs.max(initial=0.0) > 1e7 * costs.min(initial=math.inf)
    if integer.all() or (largest <= 1e-12 and not wide):
        return rounded, ""
    # the continuous columns are solved again, with the integers fixed
    rest, word = solve_rest(program, rounded, solve, settings)
    if word is Status.INFEASIBLE:
        return None, "that is infeasible with its integers whole"
    if rest is not None:
        rounded[~integer] = rest
    fault = _fault(program, rounded, *violations(program, rounded))
    return None if fault else rounded, fault


def _fault(program: Program, x: FloatArray, rows: FloatArray, columns: FloatArray) -> str:
    """The row or the column with the largest relative violation above CLAIM_TOLERANCE, or ""."""
    excess = np.append(rows, columns)
    worst = int(excess.argmax()) if excess.size else 0
    if not excess.size or excess[worst] <= CLAIM_TOLERANCE:
        return ""
    name = (*program.row_names, *program.column_names)[worst]
    # in its own units
    row_violations, outside, fraction = program.violations(x)
    violation = np.append(row_violations, np.maximum(outside, fraction))[worst]
    return f"that violates {name} by {violation:.3g}"


def solve_rest(
    program: Program, x: FloatArray, solve: Solve, settings: SolveSettings
) -> tuple[FloatArray | None, Status]:
    """The continuous columns of the best point with the integers of x (n,), and the status.

    The status of an unproved claim is the claim. Without a point in time, or with an error of the
    solvers, the point is None.
    """
    from radprog.solvers.rescale import equal_units  # loads scipy

    rest = with_integers_fixed(program, x)
    units = equal_units(rest)
    linear = rest.quadratic is None and not rest.quadratic_rows
    try:
        bare = replace(settings, solver_options={}, log=None)
        answer = solve(rest, units.scaled(rest) if linear else rest, bare)
    except RadprogError:
        return None, Status.FAILED
    point = None if answer.x is None else answer.x / units.columns if linear else answer.x
    return point, answer.claim or answer.status


def with_integers_fixed(program: Program, x: FloatArray) -> Program:
    """The program over the continuous columns, with the integers at their values in x (n,)."""
    free, fixed = np.flatnonzero(~program.integer), np.flatnonzero(program.integer)
    z = x[fixed]
    cost, constant = program.cost[free].copy(), program.constant + float(program.cost[fixed] @ z)
    quadratic = program.quadratic
    if quadratic is not None:
        across = quadratic[:, fixed]
        cost += across[free] @ z
        constant += 0.5 * float(z @ (across[fixed] @ z))
        quadratic = quadratic[free][:, free].tocsc()
        quadratic = quadratic if quadratic.nnz else None
    # rows without their integers; those that are then empty are left out
    rows, shift = program.rows[:, free], program.rows[:, fixed] @ z
    squares = {}
    if program.quadratic_rows:
        products = np.zeros(rows.shape)
        for row, matrix in program.quadratic_rows.items():
            across = matrix[:, fixed]
            products[row] = across[free] @ z
            shift[row] += 0.5 * float(z @ (across[fixed] @ z))
            square = matrix[free][:, free].tocsc()
            if square.nnz:
                squares[row] = square
        rows = type(rows)(rows + products)
    reduced = replace(
        program,
        cost=cost,
        constant=constant,
        rows=rows,
        row_lower=program.row_lower - shift,
        row_upper=program.row_upper - shift,
        lower=program.lower[free],
        upper=program.upper[free],
        integer=np.zeros(free.size, dtype=np.bool_),
        column_names=tuple(program.column_names[j] for j in free),
        quadratic=quadratic,
        quadratic_rows=squares,
    )
    nonempty = np.diff(rows.indptr) > 0
    nonempty[list(squares)] = True
    return reduced if nonempty.all() else reduced.of_rows(np.flatnonzero(nonempty).tolist())


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
    if not math.isfinite(value):  # no point has been judged
        return False
    raised = raised_bound(program, bound)
    if raised != bound or objective_places(program) is not None:
        return value - raised <= 1e-13 * max(1.0, abs(value)) or bool(
            tolerance_met(value, raised, tolerance)
        )
    return value <= bound or bool(tolerance_met(value, bound, max(CERTIFIED_GAP, tolerance)))
