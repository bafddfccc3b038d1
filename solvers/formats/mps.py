"""Programs in free MPS format, as GLPK, CBC, HiGHS, SCIP, CPLEX and Gurobi read it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import TextIO

import numpy as np
from scipy import sparse

from radprog.solvers.formats.layout import (
    OBJECTIVE,
    RowKind,
    chunks,
    completed,
    decimals,
    interleaved,
    row_kinds,
)
from radprog.solvers.program import Program

_LETTER = {RowKind.EQUAL: "E", RowKind.AT_LEAST: "G", RowKind.AT_MOST: "L"}


def write_mps(program: Program, stream: TextIO) -> None:
    """Write a program: RANGES for ranged rows, integers between markers, QUADOBJ (lower triangle
    of Q) and QCMATRIX (all of 1/2 Q_r). A row without bounds is left out."""
    program = completed(program)
    kinds = row_kinds(program)
    based_low = _based_low(program, kinds)
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


def _based_low(program: Program, kinds: list[RowKind]) -> list[bool]:
    """Is the right-hand side the lower bound? A ranged row is based on its smaller bound, so that
    the other one, which is read as a sum, keeps its relative precision."""
    ranged = np.abs(program.row_lower) <= np.abs(program.row_upper)
    return [
        bool(low) if kind is RowKind.RANGED else kind is not RowKind.AT_MOST
        for kind, low in zip(kinds, ranged, strict=True)
    ]


def _columns(program: Program, kinds: list[RowKind]) -> Iterator[str]:
    """A line for every cost and coefficient, and one for a column without any."""
    written = np.flatnonzero([kind is not RowKind.FREE for kind in kinds])
    # a stored 0 in the objective keeps an empty column
    cost = sparse.csr_array(
        (program.cost, np.arange(program.cost.size), [0, program.cost.size]),
        shape=(1, program.cost.size),
    )
    matrix = sparse.csc_array(sparse.vstack((cost, program.rows[written]), format="csc"))
    empty = (program.cost == 0) & (np.diff(matrix.indptr) > 1)
    keep = np.ones(matrix.nnz, dtype=np.bool_)
    keep[matrix.indptr[:-1][empty]] = False
    data, indices = matrix.data[keep], matrix.indices[keep]
    starts = np.concatenate(([0], np.cumsum(np.diff(matrix.indptr) - empty)))
    heads = [f" {name} " for name in program.column_names]
    row_names = [f"{name} " for name in (OBJECTIVE, *(program.row_names[i] for i in written))]
    first = 0
    # runs of integer columns stand between markers
    for whole, run in groupby(program.integer.tolist()):
        last = first + len(list(run))
        if whole:
            yield " MARKER 'MARKER' 'INTORG'\n"
        for begin, end in chunks(starts[first : last + 1]):
            begin, end = begin + first, end + first
            span = slice(starts[begin], starts[end])
            owners = np.repeat(np.arange(begin, end), np.diff(starts[begin : end + 1]))
            yield "".join(
                interleaved(
                    owners.size,
                    map(heads.__getitem__, owners.tolist()),
                    map(row_names.__getitem__, indices[span].tolist()),
                    map("{}\n".format, decimals(data[span])),
                )
            )
        if whole:
            yield " MARKER 'MARKER' 'INTEND'\n"
        first = last


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
    entries = matrix.tocoo()
    heads = [f" {name} " for name in program.column_names]
    return "".join(
        interleaved(
            entries.nnz,
            map(heads.__getitem__, entries.col.tolist()),
            map("{} ".format, map(program.column_names.__getitem__, entries.row.tolist())),
            map("{}\n".format, decimals(entries.data)),
        )
    )
