"""Writers of programs as .lp or .mps files (also .gz), and of models as .nl files.

Files contain a minimisation without an objective sense. A constant of the objective is a column
fixed at 1. Every bound other than 0 <= x < inf is written. Numbers are the shortest that read back
exactly. Rows without bounds are omitted. Equal programs give equal bytes. After an error no
incomplete file remains.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TextIO

import numpy as np
import pyomo.environ as pyo
from pyomo.common.errors import PyomoException
from pyomo.repn.plugins.nl_writer import NLWriter
from scipy import sparse

from radprog.base.errors import DataError, OptionError
from radprog.base.writing import atomic_text
from radprog.solvers.formats.valid_names import (
    CONSTANT,
    NO_ROWS,
    OBJECTIVE,
    unique_names,
    upper_half,
)
from radprog.solvers.program import Program

#: The suffixes of the files of models.
SUFFIXES = (".lp", ".mps", ".lp.gz", ".mps.gz", ".nl")


def row_kinds(program: Program) -> list[str]:
    """The letter of each row in MPS format: E, G or L, R with two sides, and "" without one."""
    low, high = np.isfinite(program.row_lower), np.isfinite(program.row_upper)
    same = program.row_lower == program.row_upper
    letters = np.select([~low & ~high, same, low & high, low], ["", "E", "R", "G"], "L")
    return [str(letter) for letter in letters]


def completed(program: Program) -> Program:
    """The program with its constant as a last column fixed at 1, and with at least one column.

    In an integer program the added column is an integer, because lp_solve derives the possible
    steps of the objective only from integer columns. It would miss optima if a continuous column
    without rows had a cost. Bounds of integers are rounded inwards, because GLPK rejects fractional
    bounds.
    """
    # integers have whole bounds
    integer = program.integer
    program = replace(
        program,
        lower=np.where(integer, np.ceil(program.lower), program.lower),
        upper=np.where(integer, np.floor(program.upper), program.upper),
    )
    if program.cost.size and not program.constant:
        return program

    # one column more, fixed at 1
    unit = np.ones(1)
    wider = program.with_columns(
        None, program.constant * unit, unit, unit, integer=bool(integer.any()), names=(CONSTANT,)
    )
    return replace(wider, column_names=unique_names(wider.column_names), constant=0.0)


_SENSE = {"E": "=", "G": ">=", "L": "<=", "R": ">="}


def split_rows(program: Program) -> dict[str, str]:
    """A mapping from the name of the added upper half of each ranged row to the name of the row.

    A ranged row becomes two rows in .lp files.
    """
    kinds = row_kinds(program)
    ranged = [name for name, kind in zip(program.row_names, kinds, strict=True) if kind == "R"]
    names = unique_names((*program.row_names, *map(upper_half, ranged)))
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
    if not any(row_kinds(program)):
        stream.write(f" {NO_ROWS}:\n +0 {names[0]}\n <= 1.0\n")
    stream.writelines(_lp_rows(program))
    stream.write("Bounds\n")
    stream.writelines(_lp_bounds(program))
    if program.integer.any():
        stream.write("General\n")
        stream.writelines(f" {names[j]}\n" for j in np.flatnonzero(program.integer))
    stream.write("End\n")


def _terms(values: Iterable[float], columns: Iterable[int], names: Sequence[str]) -> str:
    """A line for each term: sign, the shortest decimal that reads back as the same float, name."""
    terms = zip(values, columns, strict=True)
    return "".join([f" {'-' if v < 0 else '+'}{abs(v)!r} {names[j]}\n" for v, j in terms])


def _lp_rows(program: Program) -> Iterator[str]:
    names, rows = program.column_names, program.rows
    data, columns, starts = (part.tolist() for part in (rows.data, rows.indices, rows.indptr))
    upper_names = {name: upper for upper, name in split_rows(program).items()}
    for row, kind in enumerate(row_kinds(program)):
        if not kind:
            continue
        span = slice(starts[row], starts[row + 1])
        body = _terms(data[span], columns[span], names)
        # quadratic rows are written whole, those of an objective halved
        if row in program.quadratic_rows:
            body += f" + [\n{_square(0.5 * program.quadratic_rows[row], names)} ]\n"
        body = body or f" +0 {names[0]}\n"
        low, high = float(program.row_lower[row]), float(program.row_upper[row])
        name, side = program.row_names[row], high if kind == "L" else low
        yield f" {name}:\n{body} {_SENSE[kind]} {side!r}\n"
        if kind == "R":
            yield f" {upper_names[name]}:\n{body} <= {high!r}\n"


def _square(matrix: sparse.csc_array, names: Sequence[str]) -> str:
    """x'Mx as `` +2.0 x^2`` and `` +1.5 x * y``, one per line."""
    half = sparse.triu(matrix, format="coo")
    places = list(zip(half.row.tolist(), half.col.tolist(), strict=True))
    factors = [f"{names[i]}^2" if i == j else f"{names[i]} * {names[j]}" for i, j in places]
    weights = np.where(half.row == half.col, 1.0, 2.0) * half.data
    return _terms(weights.tolist(), range(len(factors)), factors)


def _lp_bounds(program: Program) -> Iterator[str]:
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
        bool(low) if kind == "R" else kind != "L" for kind, low in zip(kinds, ranged, strict=True)
    ]
    stream.write(f"NAME radprog FREE\nROWS\n N {OBJECTIVE}\n")
    stream.writelines(
        f" {kind if kind != 'R' else 'G' if low else 'L'} {name}\n"
        for name, kind, low in zip(program.row_names, kinds, based_low, strict=True)
        if kind
    )
    stream.write("COLUMNS\n")
    stream.writelines(_columns(program, kinds))
    stream.writelines(_sides(program, kinds, based_low))
    stream.write("BOUNDS\n")
    stream.writelines(_mps_bounds(program))
    if program.quadratic is not None:
        stream.write("QUADOBJ\n" + _entries(sparse.tril(program.quadratic, format="csc"), program))
    for row, matrix in program.quadratic_rows.items():
        if kinds[row]:
            stream.write(f"QCMATRIX {program.row_names[row]}\n{_entries(0.5 * matrix, program)}")
    stream.write("ENDATA\n")


def _columns(program: Program, kinds: list[str]) -> Iterator[str]:
    """One line per cost and coefficient, and one for a column without any."""
    written = np.flatnonzero([kind != "" for kind in kinds])
    matrix, names = program.rows[written].tocsc(), [program.row_names[i] for i in written]
    data, rows, starts = (part.tolist() for part in (matrix.data, matrix.indices, matrix.indptr))
    costs, integers = program.cost.tolist(), program.integer.tolist()
    # runs of integer columns stand between markers
    inside = False
    for j, (column, cost, is_integer) in enumerate(
        zip(program.column_names, costs, integers, strict=True)
    ):
        if is_integer != inside:
            yield f" MARKER 'MARKER' '{'INTORG' if is_integer else 'INTEND'}'\n"
            inside = is_integer
        span = slice(starts[j], starts[j + 1])
        # a 0 in the objective keeps an empty column
        if cost or span.start == span.stop:
            yield f" {column} {OBJECTIVE} {cost!r}\n"
        entries = zip(rows[span], data[span], strict=True)
        yield "".join([f" {column} {names[i]} {value!r}\n" for i, value in entries])
    if inside:
        yield " MARKER 'MARKER' 'INTEND'\n"


def _sides(program: Program, kinds: list[str], based_low: list[bool]) -> Iterator[str]:
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
        if not kind:
            continue
        side = low if from_low else high
        if side:
            yield f" RHS {name} {side!r}\n"
        if kind == "R":
            ranges.append(f" RNG {name} {high - low!r}\n")
    if ranges:
        yield "RANGES\n"
        yield from ranges


def _mps_bounds(program: Program) -> Iterator[str]:
    for name, low, high, is_integer in zip(
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
            elif low != 0 or is_integer or high < 0:
                yield f" LO BND {name} {low!r}\n"
            if high < np.inf:
                yield f" UP BND {name} {high!r}\n"
            elif is_integer:
                yield f" PL BND {name}\n"


def _entries(matrix: sparse.csc_array, program: Program) -> str:
    entries, names = matrix.tocoo(), program.column_names
    parts = zip(*(x.tolist() for x in (entries.col, entries.row, entries.data)), strict=True)
    return "".join([f" {names[j]} {names[i]} {value!r}\n" for j, i, value in parts])


def check_suffix(path: str | Path) -> None:
    """Raise OptionError unless the path has one of the ``SUFFIXES``."""
    if not (isinstance(path, str | Path) and str(path).endswith(SUFFIXES)):
        raise OptionError(
            f"{path}: expected one of {', '.join(SUFFIXES)}; only .nl holds rows and objectives "
            "that are neither linear nor quadratic"
        )


def write_program(program: Program, path: str | Path) -> None:
    """Write a program to ``path``; the suffix .lp, .mps, .lp.gz or .mps.gz determines the format.

    Raises OptionError for another suffix, OutputError for a failed write, and OutOfBudget when a
    current limit is reached. After an error no file remains.
    """
    name = Path(path).name
    for suffix, write in ((".lp", write_lp), (".mps", write_mps)):
        if name.endswith((suffix, suffix + ".gz")):
            with atomic_text(path) as stream:
                write(program, stream)
            return
    raise OptionError(f"a program is written to .lp, .mps, .lp.gz or .mps.gz, not to {path}")


def names_in(program: Program, path: str | Path) -> tuple[dict[str, int], dict[str, int]]:
    """The positions in the program of the columns and rows of a file of :func:`write_program`.

    The names are in the order in which readers number them. The column of a constant has the
    position after the last column. Rows without bounds are omitted, and a ranged row in .lp has two
    names.
    """
    columns = {name: place for place, name in enumerate(completed(program).column_names)}
    rows = {
        name: row
        for row, (name, kind) in enumerate(zip(program.row_names, row_kinds(program), strict=True))
        if kind
    }
    if not Path(path).name.removesuffix(".gz").endswith(".lp"):
        return columns, rows
    halves = {row: half for half, row in split_rows(program).items()}
    pairs = [(place, name) for name in rows for place in (name, halves.get(name)) if place]
    return columns, {place: rows[name] for place, name in pairs}


def write_nl(model: pyo.ConcreteModel, path: str | Path) -> None:
    """Write a Pyomo model with any algebra to ``path`` (.nl), through Pyomo.

    Raises the errors of :func:`write_program`. Also raises DataError for an empty interval, an
    invalid number, or a domain that Pyomo rejects.
    """
    if not Path(path).name.endswith(".nl"):
        raise OptionError(f"a nonlinear model is written to .nl, not to {path}")
    try:
        with atomic_text(path) as stream:
            NLWriter().write(model, stream)
    except (ArithmeticError, AttributeError, PyomoException, TypeError, ValueError) as error:
        raise DataError(f"Pyomo writes no .nl file: {' '.join(str(error).split())}") from None
