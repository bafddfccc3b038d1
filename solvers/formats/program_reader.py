"""Solving of program files by solvers that read files of this format and class."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from radprog.base.errors import CapabilityError, DataError, RadprogError, SolverError, warn_user
from radprog.base.types import BoolArray, FloatArray
from radprog.solvers.adapters import highs
from radprog.solvers.adapters.highs import HIGHS_ENTRY
from radprog.solvers.answer import FileAnswer, bound_of
from radprog.solvers.formats.lp_reader import read_lp
from radprog.solvers.formats.mps_reader import read_mps
from radprog.solvers.formats.reading import ExactNumbers, Number, Reading
from radprog.solvers.formats.unpacking import PlainFile, file_format, plain_file
from radprog.solvers.formats.valid_names import is_valid_name
from radprog.solvers.program import (
    SOLVER_DEFAULTS,
    ProblemClass,
    Program,
    SolveSettings,
    Status,
)
from radprog.solvers.registry import CRASHES, SolverSpec, instead, readers, solver


def reader_of(name: str, path: str | Path) -> SolverSpec:
    """The solver with this name, for files in the format of ``path``.

    Raises OptionError for an unknown solver, CapabilityError for an unsupported format, and
    SolverMissingError if the solver is not installed.
    """
    spec, form = solver(name), file_format(path)
    spec.loaded()
    if not spec.declared.formats:
        raise CapabilityError(f"{name} reads no files: {instead(readers())}")
    if form not in spec.declared.formats:
        raise CapabilityError(f"{name} does not read .{form} files: {instead(readers(form))}")
    return spec


def answer_of(
    spec: SolverSpec,
    file: PlainFile,
    settings: SolveSettings = SOLVER_DEFAULTS,
    problem_class: ProblemClass | None = None,
) -> FileAnswer:
    """The answer of a solver to an unpacked file.

    ``problem_class`` is the class of the program, if known; the sections of the file also determine
    a class. Raises CapabilityError if the solver does not support both classes, and SolverError if
    it gives no valid answer.
    """
    for kind in (problem_class or file.problem_class, file.problem_class):
        if kind not in spec.declared.classes:
            use = instead(readers(file.form, kind))
            raise CapabilityError(f"{spec.name} cannot solve the {kind} in {file.path}: {use}")
    adapter = spec.adapter()
    start = time.perf_counter()
    try:
        with file.named():
            answer = adapter.solve_file(file.place, settings)
        # its words as what they have to be
        return replace(
            answer,
            status=Status(answer.status),
            objective=None if answer.objective is None else float(answer.objective),
            x={name: float(value) for name, value in answer.x.items()},
            bound=bound_of(answer.bound),
            solver=spec.name,
            version=adapter.version(),
            seconds=time.perf_counter() - start,
        )
    except RadprogError:
        raise
    except CRASHES as error:
        raise SolverError(f"{spec.name} gave an answer that cannot be read: {error}") from error


def program_of(file: PlainFile) -> Program:
    """The matrices of an LP, MILP or QP file, always as a minimisation.

    HiGHS reads the file a second time, unless its parser does not take names or words of the file.
    Warns of constructs that solvers read in two ways, and of what HiGHS warns of. Raises
    CapabilityError for quadratic rows. Raises DataError for an unreadable file, and where the two
    readings differ.
    """
    with file.named():
        program, reading = _reading_of(file, float)
        notes, differs = reading.notes, reading.differs
        del reading  # its lists: 90 MB of 440 at 320,000 columns
        theirs, said = _reading_of_highs(program, file)
        _compare(program, theirs, differs, file)
    for note in (*notes, *(f"HiGHS warns: {line}" for line in said)):
        warn_user(f"{file.path}: {note}")
    # rows without names have those of HiGHS, in whose solution files they stand
    names = zip(program.row_names, theirs.row_names, strict=True)
    return replace(program, row_names=tuple(mine or other for mine, other in names))


def exact_numbers_of(file: PlainFile) -> ExactNumbers:
    """The decimals of a file as fractions, in the order of :func:`program_of`, without a second
    reading.
    """
    with file.named():
        return _reading_of(file, Fraction)[1].exact_numbers()


def exact_program(path: str | Path) -> tuple[Program, ExactNumbers]:
    """The matrices of a file, and its decimals as fractions in the same order."""
    with plain_file(path) as file:
        return program_of(file), exact_numbers_of(file)


def _reading_of(file: PlainFile, number: Number) -> tuple[Program, Reading]:
    if file.problem_class in (ProblemClass.QCQP, ProblemClass.MIQCQP):
        raise CapabilityError(f"{file.path} has quadratic rows, which HiGHS does not read")
    reading = (read_lp if file.form == "lp" else read_mps)(file.place, number)
    return reading.program(), reading


def _reading_of_highs(program: Program, file: PlainFile) -> tuple[Program, list[str]]:
    """What HiGHS reads, and its warnings; or what it holds of the program, where its parser ends.

    HiGHS does not take brackets and keywords in the names of .lp files, and cuts names at "#".
    """
    names = (*program.column_names, *filter(None, program.row_names))
    with suppress(DataError):
        theirs, said = highs.read_matrices(file.place)
        known = {*theirs.column_names, *theirs.row_names}
        if known.issuperset(names) or all(map(is_valid_name, names)):
            return theirs, said
    return highs.held_matrices(program), []


def _compare(mine: Program, theirs: Program, differs: set[int], file: PlainFile) -> None:
    """Raise DataError for the first row or column that HiGHS reads in another way."""

    def refuse(what: str, name: str, mine: object, theirs: object) -> None:
        with file.place.open(encoding="utf-8-sig", errors="replace") as lines:
            words = (k for k, text in enumerate(lines, 1) if name in text)
            line = next(words, None) if name else None
        place = f"line {line}: " if line else ""
        raise DataError(
            f"{place}{what} {name} is {mine}, but HiGHS reads {theirs}: write it plainly"
        )

    for what, ours, read in (
        ("the number of columns", mine.column_names, theirs.column_names),
        ("the number of rows", mine.row_names, theirs.row_names),
    ):
        if len(ours) != len(read):
            refuse(what, "", len(ours), len(read))
        for name, other in zip(ours, read, strict=True):
            if name not in ("", other):
                refuse("the name", name, repr(name), repr(other))
    if mine.sense != theirs.sense:
        refuse("the sense", "", mine.sense, theirs.sense)
    columns, rows = mine.column_names, mine.row_names
    kept = np.array([j not in differs for j in range(len(columns))], dtype=np.bool_)
    lower = np.where(kept, mine.lower, theirs.lower)
    upper = np.where(kept, mine.upper, theirs.upper)
    constants = np.array([mine.constant]), np.array([theirs.constant])
    vectors: list[tuple[str, FloatArray | BoolArray, FloatArray | BoolArray, Sequence[str]]] = [
        ("the cost of column", mine.cost, theirs.cost, columns),
        ("the lower bound of column", lower, theirs.lower, columns),
        ("the upper bound of column", upper, theirs.upper, columns),
        ("the mark of an integer of column", mine.integer, theirs.integer, columns),
        ("the lower side of row", mine.row_lower, theirs.row_lower, rows),
        ("the upper side of row", mine.row_upper, theirs.row_upper, rows),
        ("the constant of the objective", *constants, ("",)),
    ]
    for what, first, second, names in vectors:
        for k in np.flatnonzero(~np.isclose(first, second, rtol=1e-12, atol=0.0)).tolist():
            refuse(what, names[k], first[k], second[k])
    # HiGHS leaves out small entries
    empty = sparse.csc_array((len(mine.cost),) * 2)
    pairs: list[tuple[Any, Any, Sequence[str]]] = [(mine.rows, theirs.rows, rows)]
    if mine.quadratic is not None or theirs.quadratic is not None:
        square, other_square = (
            empty if q is None else q for q in (mine.quadratic, theirs.quadratic)
        )
        pairs.append((square, other_square, columns))
    for matrix, others, titles in pairs:
        change = (matrix - others).tocoo()
        for k in np.flatnonzero(np.abs(change.data) > HIGHS_ENTRY).tolist():
            i, j = (int(part[k]) for part in change.coords)
            if abs(change.data[k]) > 1e-12 * abs(matrix[i, j]):
                what = f"the entry of column {columns[j]} in"
                refuse(what, titles[i], matrix[i, j], others[i, j])
