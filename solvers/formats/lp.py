"""A writer of programs in LP format for GLPK, CBC, HiGHS, SCIP, CPLEX and Gurobi."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TextIO

import numpy as np
from scipy import sparse

from radprog.solvers.formats.layout import (
    NO_ROWS,
    OBJECTIVE,
    RowKind,
    completed,
    row_kinds,
)
from radprog.solvers.formats.valid_names import MAX_LENGTH, unique_names
from radprog.solvers.program import Program

_UPPER = "_upper"
_SENSE = {RowKind.EQUAL: "=", RowKind.AT_LEAST: ">=", RowKind.AT_MOST: "<=", RowKind.RANGED: ">="}


def split_rows(program: Program) -> dict[str, str]:
    """A mapping from the name of the added upper half of each ranged row to the name of the row.

    A ranged row becomes two rows in .lp files.
    """
    kinds = row_kinds(program)
    ranged = [
        name for name, kind in zip(program.row_names, kinds, strict=True) if kind is RowKind.RANGED
    ]
    halves = (name[: MAX_LENGTH - len(_UPPER)] + _UPPER for name in ranged)
    names = unique_names((*program.row_names, *halves))
    return dict(zip(names[len(program.row_names) :], ranged, strict=True))


def write_lp(program: Program, stream: TextIO) -> None:
    """Write a program in LP format, one term per line.

    A ranged row becomes two rows; the upper half has the name from :func:`split_rows`. Rows without
    bounds are omitted. If no row remains, the writer adds a row that always holds.
    """
    program = completed(program)
    names = program.column_names
    stream.write(f"Minimize\n {OBJECTIVE}:\n")
    # every column, in order: readers know none that is not named, and number them as they come
    stream.write(_terms(program.cost.tolist(), range(len(names)), names))
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


def _terms(values: Iterable[float], columns: Iterable[int], names: Sequence[str]) -> str:
    """A line for each term: sign, the shortest decimal that reads back as the same float, name."""
    terms = zip(values, columns, strict=True)
    return "".join([f" {'-' if v < 0 else '+'}{abs(v)!r} {names[j]}\n" for v, j in terms])


def _rows(program: Program) -> Iterator[str]:
    names, rows = program.column_names, program.rows
    data, columns, starts = (part.tolist() for part in (rows.data, rows.indices, rows.indptr))
    upper_names = {name: upper for upper, name in split_rows(program).items()}
    for row, kind in enumerate(row_kinds(program)):
        if kind is RowKind.FREE:
            continue
        span = slice(starts[row], starts[row + 1])
        body = _terms(data[span], columns[span], names)
        # quadratic rows are written whole, those of an objective halved
        if row in program.quadratic_rows:
            body += f" + [\n{_square(0.5 * program.quadratic_rows[row], names)} ]\n"
        body = body or f" +0 {names[0]}\n"
        low, high = float(program.row_lower[row]), float(program.row_upper[row])
        name, side = program.row_names[row], high if kind is RowKind.AT_MOST else low
        yield f" {name}:\n{body} {_SENSE[kind]} {side!r}\n"
        if kind is RowKind.RANGED:
            yield f" {upper_names[name]}:\n{body} <= {high!r}\n"


def _square(matrix: sparse.csc_array, names: Sequence[str]) -> str:
    """x'Mx as `` +2.0 x^2`` and `` +1.5 x * y``, one per line."""
    half = sparse.triu(matrix, format="coo")
    places = list(zip(half.row.tolist(), half.col.tolist(), strict=True))
    factors = [f"{names[i]}^2" if i == j else f"{names[i]} * {names[j]}" for i, j in places]
    weights = np.where(half.row == half.col, 1.0, 2.0) * half.data
    return _terms(weights.tolist(), range(len(factors)), factors)


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
