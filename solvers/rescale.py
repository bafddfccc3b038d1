"""Scaling of a program for a solver, and of its answer afterwards."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import sparse

from radprog.base.errors import CapabilityError
from radprog.base.types import FloatArray
from radprog.solvers.program import Program, Solution, Status
from radprog.solvers.violations import row_places, rows_of_integers


@dataclass(frozen=True, eq=False)
class Scaling:
    """The scaling of a program: variables v = columns * x; rows and objective times their factors.

    The factors of columns (n,), rows (m,) and the objective are positive, as in Pyomo's suffix
    ``scaling_factor``.
    """

    columns: FloatArray
    rows: FloatArray
    objective: float

    @property
    def trivial(self) -> bool:
        """Whether every factor is 1."""
        return self.objective == 1.0 and bool(np.all(self.columns == 1.0) & np.all(self.rows == 1))

    def scaled(self, program: Program) -> Program:
        """The scaled program. Raises CapabilityError if an integer column is scaled."""
        if (self.columns[program.integer] != 1.0).any():
            raise CapabilityError("integer columns are not rescaled")
        if self.trivial:
            return program
        # x = D v: rows R A D, squares D Q D
        columns, rows = 1.0 / self.columns, self.rows
        diagonal = sparse.diags_array(columns)
        quadratic = program.quadratic
        if quadratic is not None:
            quadratic = sparse.csc_array(diagonal @ quadratic @ diagonal * self.objective)
        return replace(
            program,
            cost=program.cost * columns * self.objective,
            constant=program.constant * self.objective,
            rows=sparse.csr_array(sparse.diags_array(rows) @ program.rows @ diagonal),
            row_lower=program.row_lower * rows,
            row_upper=program.row_upper * rows,
            lower=program.lower / columns,
            upper=program.upper / columns,
            quadratic=quadratic,
            quadratic_rows={
                row: sparse.csc_array(diagonal @ square @ diagonal * rows[row])
                for row, square in program.quadratic_rows.items()
            },
        )

    def restored(self, solution: Solution, program: Program) -> Solution:
        """The solution of the scaled program in the units of ``program``."""
        columns = 1.0 / self.columns

        def over(values: Any, factors: Any) -> Any:
            return None if values is None else values * factors / self.objective

        x = None if solution.x is None else solution.x * columns
        units = self.rows if solution.status is Status.INFEASIBLE else columns
        return replace(
            solution,
            x=x,
            ray=None if solution.ray is None else solution.ray * units,
            row_duals=over(solution.row_duals, self.rows),
            reduced_costs=over(solution.reduced_costs, self.columns),
            objective=over(solution.objective, 1.0),
            claimed=over(solution.claimed, 1.0),
            bound=over(solution.bound, 1.0),
            violation=None if x is None else program.violation(x),
        )


GOOD_VALUES = (1e-3, 1e3)  # sizes of an optimum that solvers' absolute tolerances suit


def natural_units(program: Program, value: float) -> Scaling:
    """The scaling to an optimum of about 1, from an estimate ``value`` of the optimum.

    Solvers have absolute tolerances. Costs and sides of rows also become about 1, provided that
    entries remain below 2^20. The unit of a column is |value| / |cost|; for a column
    without a cost it depends on its largest entry. The unit of a row is its side. All factors are
    powers of two. Integer columns are not scaled.
    """
    matrix, goal, largest = abs(program.rows), 1.0 / abs(value), 2.0**20
    # columns in units of the value over their cost
    entries, cost = largest_entries(matrix, axis=0), np.abs(program.cost) * goal
    columns = 1.0 / np.where(cost > 0.0, np.maximum(cost, entries / largest), entries)
    columns = np.where(program.integer, 1.0, _powers(columns))
    entries = largest_entries(sparse.csr_array(matrix @ sparse.diags_array(columns)), axis=1)
    # rows in units of their side
    lower, upper = np.abs(program.row_lower), np.abs(program.row_upper)
    side = np.maximum(*(np.where(np.isfinite(part), part, 0.0) for part in (lower, upper)))
    rows = 1.0 / np.where(side > 0.0, np.maximum(side, entries / largest), entries)
    return Scaling(1.0 / columns, _powers(rows), float(_powers(np.array([goal]))[0]))


def equal_units(program: Program) -> Scaling:
    """The scaling to largest entries of rows and columns, and a largest cost, of about 1."""
    m, n = program.rows.shape
    matrix, rows, columns = abs(program.rows), np.ones(m), np.ones(n)
    # equilibrate: rows and columns by the root of their largest entry, in turn
    for _ in range(3):  # over rows and columns, of equilibration
        for axis, factors in ((1, rows), (0, columns)):
            scaled = sparse.diags_array(rows) @ matrix @ sparse.diags_array(columns)
            factors /= np.sqrt(largest_entries(sparse.csr_array(scaled), axis=axis))
    columns = np.where(program.integer, 1.0, _powers(columns))
    cost = np.abs(program.cost * columns).max(initial=0.0) or 1.0
    return Scaling(1.0 / columns, _powers(rows), float(_powers(np.array([1.0 / cost]))[0]))


def search_units(program: Program) -> Scaling:
    """The scaling of a program with integers for the absolute tolerances of a search.

    What is far below 1 is made larger: rows by the largest entry of their continuous columns, or of
    a row over integer columns alone whose numbers are no decimals, continuous columns by their
    entries unless they are squared, and the objective by its least cost. Rows of large entries
    become smaller. A unit of a row over integer columns alone is never made smaller.
    """
    matrix = abs(program.rows)
    free = sparse.csr_array(matrix @ sparse.diags_array(np.where(program.integer, 0.0, 1.0)))
    alone = rows_of_integers(program)
    entries, largest = largest_entries(free, axis=1), largest_entries(matrix, axis=1)
    rows = _enlarging(np.where(alone & (row_places(program) < 0), largest, entries))
    # a row grows until its largest entry is 2^20: an integer that is whole only within the solver's
    # tolerance of 1e-6 would move a larger row by more than 1
    rows = np.where(alone, rows, np.minimum(rows, np.maximum(1.0, _powers(2.0**20 / largest))))
    # rows without small entries shrink, until their least entry is 1e-3 or their largest is 1; rows
    # over integers alone do not, as a solver would then take a difference of one unit for none
    inverse = 1.0 / np.where(matrix.data > 0.0, matrix.data, np.inf)
    smallest = 1.0 / largest_entries(
        sparse.csr_array((inverse, matrix.indices, matrix.indptr), shape=matrix.shape),
        axis=1,
    )
    large = ~alone & (largest > 1e3) & (smallest >= np.minimum(1e-3 * largest, 1e3))
    rows = np.where(large, _powers(1.0 / np.minimum(1e3 * smallest, largest)), rows)
    # solvers take entries below 1e-9 for 0: a row grows until its least entry is 1e-7, unless its
    # largest exceeds 1e6 then
    lost = ~alone & (rows * smallest < 1e-8)
    rows = np.where(lost, _powers(np.minimum(1e-7 / smallest, 1e6 / largest)), rows)
    columns = largest_entries(sparse.csr_array(sparse.diags_array(rows) @ free), axis=0)
    squares = [q for q in (program.quadratic, *program.quadratic_rows.values()) if q is not None]
    squared = sum((np.diff(q.indptr) for q in squares), np.zeros(columns.size)) > 0
    # columns with squares keep their units: small linear entries say nothing about the squares, and
    # a factor would apply to these twice
    columns = np.where(program.integer | squared, 1.0, _enlarging(columns))
    # a cost below the tolerance of reduced costs counts as 0, so the least cost becomes about 1,
    # unless the largest exceeds 2^24 then; with squares, solvers fail at large numbers, so the
    # largest cost becomes about 1
    cost = np.abs(program.cost * columns)
    cost = cost[cost > 0.0]
    size = max(cost.min(initial=1.0), cost.max(initial=1.0) / 2.0**24)
    size = float(cost.max(initial=0.0)) or 1.0 if squares else float(size)
    return Scaling(1.0 / columns, rows, float(_enlarging(np.array([size]))[0]))


def row_units(program: Program) -> Scaling:
    """Units of rows of small or large entries, for the absolute tolerances of a solver.

    Points stay what they are, and a multiplier is divided by the factor of its row.
    """
    sizes = largest_entries(program.rows, axis=1)
    rows = np.where((sizes < 0.01) | (sizes > 1e6), _powers(1.0 / sizes), 1.0)
    return Scaling(np.ones_like(program.cost), rows, 1.0)


def _enlarging(sizes: FloatArray) -> FloatArray:
    """The powers of two that raise sizes below 1/100 to about 1, and 1 for all others."""
    return np.asarray(np.where(sizes < 0.01, np.exp2(np.ceil(-np.log2(sizes))), 1.0))


def largest_entries(matrix: sparse.csr_array, axis: int) -> FloatArray:
    """The largest entries in size of the columns (axis 0) or rows (axis 1); 1 for empty ones."""
    if not matrix.nnz:
        return np.ones(matrix.shape[1 - axis])
    largest = abs(matrix).max(axis=axis).toarray().ravel()
    return np.asarray(np.where(largest > 0.0, largest, 1.0))


def _powers(factors: FloatArray) -> FloatArray:
    """The nearest powers of two, which lose no digit."""
    return np.asarray(np.exp2(np.clip(np.round(np.log2(factors)), -500, 500)))
