"""Scaling of a linear program before a solver sees it, and of its answer afterwards."""

from __future__ import annotations

from dataclasses import replace

from scipy import sparse

from radprog.instances.errors import CapabilityError
from radprog.instances.types import FloatArray
from radprog.solvers.program import Program, Solution


def rescale(
    program: Program, *, columns: FloatArray, rows: FloatArray, objective: float
) -> Program:
    """The same linear program in x = columns * v, rows multiplied by ``rows``, objective by
    ``objective``; all factors positive, columns (n,), rows (m,).

    Raises CapabilityError for programs with quadratic parts or integers.
    """
    if program.quadratic is not None or program.quadratic_rows or program.integer.any():
        raise CapabilityError("only linear programs are rescaled")
    scaled = sparse.csr_array(sparse.diags_array(rows) @ program.rows @ sparse.diags_array(columns))
    return replace(
        program,
        cost=program.cost * columns * objective,
        constant=program.constant * objective,
        rows=scaled,
        row_lower=program.row_lower * rows,
        row_upper=program.row_upper * rows,
        lower=program.lower / columns,
        upper=program.upper / columns,
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
    )
