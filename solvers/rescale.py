"""Scaling of a program before a solver sees it, and of its answer afterwards."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy import sparse

from radprog.instances.errors import CapabilityError
from radprog.instances.types import FloatArray
from radprog.solvers.program import Program, Solution


def rescale(
    program: Program, *, columns: FloatArray, rows: FloatArray, objective: float
) -> Program:
    """The same program in x = columns * v, rows multiplied by ``rows``, objective by
    ``objective``; all factors positive, columns (n,), rows (m,).

    Raises CapabilityError where an integer column would be scaled.
    """
    if (columns[program.integer] != 1.0).any():
        raise CapabilityError("integer columns are not rescaled")
    diagonal = sparse.diags_array(columns)
    scaled = sparse.csr_array(sparse.diags_array(rows) @ program.rows @ diagonal)
    quadratic = program.quadratic
    if quadratic is not None:
        quadratic = sparse.csc_array(diagonal @ quadratic @ diagonal * objective)
    return replace(
        program,
        cost=program.cost * columns * objective,
        constant=program.constant * objective,
        rows=scaled,
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


def restore(
    solution: Solution, *, columns: FloatArray, rows: FloatArray, objective: float
) -> Solution:
    """Point, duals and reduced costs of a solution of the rescaled program in the old units."""
    return replace(
        solution,
        x=None if solution.x is None else solution.x * columns,
        row_duals=None if solution.row_duals is None else solution.row_duals * rows / objective,
        reduced_costs=None
        if solution.reduced_costs is None
        else solution.reduced_costs / columns / objective,
        objective=None if solution.objective is None else solution.objective / objective,
        claimed=None if solution.claimed is None else solution.claimed / objective,
        gap=None if solution.gap is None else solution.gap / objective,
        bound=None if solution.bound is None else solution.bound / objective,
    )


@dataclass(frozen=True, eq=False)
class Scaling:
    """What a solver sees of a model: v = columns * x, rows and objective times their factors.

    columns (n,), rows (m,) and objective are positive, as in Pyomo's suffix ``scaling_factor``.
    """

    columns: FloatArray
    rows: FloatArray
    objective: float

    @property
    def trivial(self) -> bool:
        """Whether every factor is 1."""
        return self.objective == 1.0 and bool(np.all(self.columns == 1.0) & np.all(self.rows == 1))

    def scaled(self, program: Program) -> Program:
        """The program that a solver sees."""
        return rescale(
            program, columns=1.0 / self.columns, rows=self.rows, objective=self.objective
        )

    def restored(self, solution: Solution, program: Program) -> Solution:
        """A solver's answer in the units of ``program``."""
        back = restore(
            solution, columns=1.0 / self.columns, rows=self.rows, objective=self.objective
        )
        violation = None if back.x is None else program.violation(back.x)
        return replace(back, violation=violation)
