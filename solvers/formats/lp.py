"""Programs in LP format, as GLPK, CBC, HiGHS, SCIP, CPLEX and Gurobi read it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TextIO

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from radprog.base.types import FloatArray
from radprog.solvers.formats.layout import (
    NO_ROWS,
    OBJECTIVE,
    RowKind,
    chunks,
    completed,
    decimals,
    interleaved,
    row_kinds,
)
from radprog.solvers.formats.valid_names import MAX_LENGTH, unique_names
from radprog.solvers.program import Program

_UPPER = "_upper"
_SENSE = {RowKind.EQUAL: "=", RowKind.AT_LEAST: ">=", RowKind.AT_MOST: "<=", RowKind.RANGED: ">="}


def split_rows(program: Program) -> dict[str, str]:
    """Ranged rows, which .lp holds as two: name of the added upper half -> name of the row."""
    kinds = row_kinds(program)
    ranged = [
        name for name, kind in zip(program.row_names, kinds, strict=True) if kind is RowKind.RANGED
    ]
    halves = (name[: MAX_LENGTH - len(_UPPER)] + _UPPER for name in ranged)
    names = unique_names((*program.row_names, *halves))
    return dict(zip(names[len(program.row_names) :], ranged, strict=True))


def write_lp(program: Program, stream: TextIO) -> None:
    """Write a program, one term a line. A ranged row becomes two: the upper half stands under the
    name that :func:`split_rows` gives. A row without bounds is left out; where none is left, one
    that always holds stands for them."""
    program = completed(program)
    names = program.column_names
    stream.write(f"Minimize\n {OBJECTIVE}:\n")
    # every column, in order: readers know none that is not named, and number them as they come
    stream.writelines(_terms(program.cost, np.arange(len(names)), names))
    if program.quadratic is not None:
        stream.write(f" + [\n{_square(program.quadratic, names)} ] / 2\n")
    stream.write("Subject To\n")
    if all(kind is RowKind.FREE for kind in row_kinds(program)):
        stream.write(f" {NO_ROWS}:\n +0 {names[0]}\n <= 1.0\n")
    stream.writelines(_rows(program))
    stream.write("Bounds\n")
    stream.writelines(_bounds(program))
    if program.integer.any():
        stream.write("General\n")
        stream.writelines(f" {names[j]}\n" for j in np.flatnonzero(program.integer))
    stream.write("End\n")


def _terms(values: FloatArray, columns: NDArray[np.integer], names: Sequence[str]) -> list[str]:
    """Three pieces for every term: sign, number, name with blank and line end."""
    signs = map((" +", " -").__getitem__, (values < 0).tolist())
    tails = [f" {name}\n" for name in names]
    return interleaved(
        values.size, signs, decimals(np.abs(values)), map(tails.__getitem__, columns.tolist())
    )


def _rows(program: Program) -> Iterator[str]:
    rows = program.rows
    kinds = row_kinds(program)
    upper_names = {name: upper for upper, name in split_rows(program).items()}
    # many rows at once: texts of terms in one pass
    for first, end in chunks(rows.indptr):
        span = slice(rows.indptr[first], rows.indptr[end])
        pieces = _terms(rows.data[span], rows.indices[span], program.column_names)
        starts = (3 * (rows.indptr[first : end + 1] - rows.indptr[first])).tolist()
        for row, start, stop in zip(range(first, end), starts, starts[1:], strict=False):
            if kinds[row] is RowKind.FREE:
                continue
            body = "".join(pieces[start:stop])
            # quadratic rows are written whole, those of an objective halved
            if row in program.quadratic_rows:
                square = _square(0.5 * program.quadratic_rows[row], program.column_names)
                body += f" + [\n{square} ]\n"
            body = body or f" +0 {program.column_names[0]}\n"
            low, high = float(program.row_lower[row]), float(program.row_upper[row])
            name, kind = program.row_names[row], kinds[row]
            side = high if kind is RowKind.AT_MOST else low
            yield f" {name}:\n{body} {_SENSE[kind]} {side!r}\n"
            if kind is RowKind.RANGED:
                yield f" {upper_names[name]}:\n{body} <= {high!r}\n"


def _square(matrix: sparse.csc_array, names: Sequence[str]) -> str:
    """x'Mx as `` +2.0 x^2`` and `` +1.5 x * y``, a line each."""
    half = sparse.triu(matrix, format="coo")
    weight = np.where(half.row == half.col, 1.0, 2.0) * half.data
    signs = map((" +", " -").__getitem__, (weight < 0).tolist())
    factors = (
        f" {names[i]}^2\n" if i == j else f" {names[i]} * {names[j]}\n"
        for i, j in zip(half.row.tolist(), half.col.tolist(), strict=True)
    )
    return "".join(interleaved(weight.size, signs, decimals(np.abs(weight)), factors))


def _bounds(program: Program) -> Iterator[str]:
    for name, low, high in zip(
        program.column_names, program.lower.tolist(), program.upper.tolist(), strict=True
    ):
        if low == high:
            yield f" {name} = {low!r}\n"
        elif low == -np.inf:
            yield f" {name} free\n" if high == np.inf else f" -inf <= {name} <= {high!r}\n"
        elif high < np.inf:
            yield f" {low!r} <= {name} <= {high!r}\n"
        elif low != 0:
            yield f" {name} >= {low!r}\n"
