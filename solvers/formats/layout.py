"""Common parts of the .lp and .mps writers: the program of the file, and fast formatting of
arrays.
"""

from __future__ import annotations

from dataclasses import replace
from enum import IntEnum

import numpy as np
from scipy import sparse

from radprog.solvers.formats.valid_names import unique_names
from radprog.solvers.program import Program

#: The name of the objective row, which no row of a program can have.
OBJECTIVE = "obj"
#: The name of a column fixed at 1; its cost is the constant of the objective.
CONSTANT = "objective_constant"
#: The name of a row 0 <= 1 in .lp files without rows, which GLPK refuses; no list of rows has it.
NO_ROWS = "no_rows"


class RowKind(IntEnum):
    """The kind of a row: its finite bounds, and whether they are equal."""

    FREE = 0
    EQUAL = 1
    AT_LEAST = 2
    AT_MOST = 3
    RANGED = 4


def row_kinds(program: Program) -> list[RowKind]:
    """The kind of each row, in order."""
    low, high = np.isfinite(program.row_lower), np.isfinite(program.row_upper)
    same = program.row_lower == program.row_upper
    numbers = np.select(
        [~low & ~high, same, low & high, low],
        [RowKind.FREE, RowKind.EQUAL, RowKind.RANGED, RowKind.AT_LEAST],
        RowKind.AT_MOST,
    )
    return [RowKind(number) for number in numbers.tolist()]


def completed(program: Program) -> Program:
    """The program with its constant as a last column fixed at 1, and with at least one column.

    In an integer program the added column is an integer, because lp_solve derives the possible
    steps of the objective only from integer columns. It would miss optima if a continuous column
    without rows had a cost. Bounds of integers are rounded inwards, because GLPK rejects fractional
    bounds.
    """
    # integers have whole bounds
    whole = program.integer
    program = replace(
        program,
        lower=np.where(whole, np.ceil(program.lower), program.lower),
        upper=np.where(whole, np.floor(program.upper), program.upper),
    )
    if program.cost.size and not program.constant:
        return program

    def padded(matrix: sparse.csc_array) -> sparse.csc_array:
        return sparse.csc_array(sparse.block_diag((matrix, sparse.csc_array((1, 1)))))

    # one column more, fixed at 1
    quadratic = program.quadratic
    blank = sparse.csr_array((program.rows.shape[0], 1))
    return replace(
        program,
        cost=np.append(program.cost, program.constant),
        rows=sparse.csr_array(sparse.hstack((program.rows, blank))),
        lower=np.append(program.lower, 1.0),
        upper=np.append(program.upper, 1.0),
        integer=np.append(whole, whole.any()),
        column_names=unique_names((*program.column_names, CONSTANT)),
        constant=0.0,
        quadratic=None if quadratic is None else padded(quadratic),
        quadratic_rows={row: padded(part) for row, part in program.quadratic_rows.items()},
    )
