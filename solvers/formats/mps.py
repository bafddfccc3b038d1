"""A writer of programs in free MPS format for GLPK, CBC, HiGHS, SCIP, CPLEX and Gurobi."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TextIO

import numpy as np
from scipy import sparse

from radprog.solvers.formats.layout import (
    OBJECTIVE,
    RowKind,
    completed,
    row_kinds,
)
from radprog.solvers.program import Program

_LETTER = {RowKind.EQUAL: "E", RowKind.AT_LEAST: "G", RowKind.AT_MOST: "L"}


def write_mps(program: Program, stream: TextIO) -> None:
    """Write a program in free MPS format; rows without bounds are omitted.

    Ranged rows are written to RANGES, and integer columns between markers. QUADOBJ contains the
    lower triangle of Q. QCMATRIX contains all of 1/2 Q_r.
    """
    program = completed(program)
    kinds = row_kinds(program)
    # whether a right-hand side is the lower bound: a ranged row is based on the smaller of its
    # bounds; the other one is read as a sum, and so keeps its relative precision
    ranged = np.abs(program.row_lower) <= np.abs(program.row_upper)
    based_low = [
        bool(low) if kind is RowKind.RANGED else kind is not RowKind.AT_MOST
        for kind, low in zip(kinds, ranged, strict=True)
    ]
    stream.write(f"NAME radprog FREE\nROWS\n N {OBJECTIVE}\n")
    stream.writelines(
        f" {_LETTER.get(kind) or ('G' if low else 'L')} {name}\n"
        for name, kind, low in zip(program.row_names, kinds, based_low, strict=True)
        if kind is not RowKind.FREE
    )
    stream.write("COLUMNS\n")
    stream.writelines(_columns(program, kinds))
    stream.writelines(_sides(program, kinds, based_low))
    stream.write("BOUNDS\n")
    stream.writelines(_bounds(program))
    if program.quadratic is not None:
        stream.write("QUADOBJ\n" + _entries(sparse.tril(program.quadratic, format="csc"), program))
    for row, matrix in program.quadratic_rows.items():
        if kinds[row] is not RowKind.FREE:
            stream.write(f"QCMATRIX {program.row_names[row]}\n{_entries(0.5 * matrix, program)}")
    stream.write("ENDATA\n")


def _columns(program: Program, kinds: list[RowKind]) -> Iterator[str]:
    """One line per cost and coefficient, and one for a column without any."""
    written = np.flatnonzero([kind is not RowKind.FREE for kind in kinds])
    matrix, names = program.rows[written].tocsc(), [program.row_names[i] for i in written]
    data, rows, starts = (part.tolist() for part in (matrix.data, matrix.indices, matrix.indptr))
    costs, integers = program.cost.tolist(), program.integer.tolist()
    # runs of integer columns stand between markers
    inside = False
    for j, (column, cost, whole) in enumerate(
        zip(program.column_names, costs, integers, strict=True)
    ):
        if whole != inside:
            yield f" MARKER 'MARKER' '{'INTORG' if whole else 'INTEND'}'\n"
            inside = whole
        span = slice(starts[j], starts[j + 1])
        # a 0 in the objective keeps an empty column
        if cost or span.start == span.stop:
            yield f" {column} {OBJECTIVE} {cost!r}\n"
        entries = zip(rows[span], data[span], strict=True)
        yield "".join([f" {column} {names[i]} {value!r}\n" for i, value in entries])
    if inside:
        yield " MARKER 'MARKER' 'INTEND'\n"


def _sides(program: Program, kinds: list[RowKind], based_low: list[bool]) -> Iterator[str]:
    """RHS and RANGES. A range R means [rhs, rhs + R] on a G row and [rhs - R, rhs] on an L row."""
    yield "RHS\n"
    ranges = []
    for name, kind, from_low, low, high in zip(
        program.row_names,
        kinds,
        based_low,
        program.row_lower.tolist(),
        program.row_upper.tolist(),
        strict=True,
    ):
        if kind is RowKind.FREE:
            continue
        side = low if from_low else high
        if side:
            yield f" RHS {name} {side!r}\n"
        if kind is RowKind.RANGED:
            ranges.append(f" RNG {name} {high - low!r}\n")
    if ranges:
        yield "RANGES\n"
        yield from ranges


def _bounds(program: Program) -> Iterator[str]:
    for name, low, high, whole in zip(
        program.column_names,
        program.lower.tolist(),
        program.upper.tolist(),
        program.integer.tolist(),
        strict=True,
    ):
        if low == high:
            yield f" FX BND {name} {low!r}\n"
        elif low == -np.inf and high == np.inf:
            yield f" FR BND {name}\n"
        else:
            if low == -np.inf:
                yield f" MI BND {name}\n"
            elif low != 0 or whole or high < 0:
                yield f" LO BND {name} {low!r}\n"
            if high < np.inf:
                yield f" UP BND {name} {high!r}\n"
            elif whole:
                yield f" PL BND {name}\n"


def _entries(matrix: sparse.csc_array, program: Program) -> str:
    entries, names = matrix.tocoo(), program.column_names
    parts = zip(*(x.tolist() for x in (entries.col, entries.row, entries.data)), strict=True)
    return "".join([f" {names[j]} {names[i]} {value!r}\n" for j, i, value in parts])
