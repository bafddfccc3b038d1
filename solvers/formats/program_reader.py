"""Reading of program files, and solving of them by solvers that read files or take matrices."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from radprog.base.errors import CapabilityError, DataError, RadprogError, SolverError, warn_user
from radprog.base.types import FloatArray
from radprog.solvers.adapters import highs
from radprog.solvers.adapters.highs import HIGHS_ENTRY, Highs
from radprog.solvers.answer import FileAnswer, SolverAnswer, bound_of
from radprog.solvers.formats.lp_reader import read_lp
from radprog.solvers.formats.mps_reader import read_mps
from radprog.solvers.formats.reading import ExactNumbers, Number, Reading
from radprog.solvers.formats.unpacking import PlainFile, file_format, plain_file
from radprog.solvers.formats.valid_names import is_valid_name
from radprog.solvers.program import SOLVER_DEFAULTS, ProblemClass, Program, SolveSettings, Status
from radprog.solvers.registry import CRASHES, SolverSpec, able, instead, readers, solver


def reader_of(name: str, path: str | Path, kind: ProblemClass) -> SolverSpec:
    """The solver with this name, for a program of class ``kind`` in the file ``path``.

    A solver that does not read the format of the file solves the matrices of :func:`program_of`.
    Raises OptionError for an unknown solver, CapabilityError for an unsupported class or format,
    and SolverMissingError if the solver is not installed.
    """
    spec, form = solver(name), file_format(path)
    if form not in spec.declared.formats and not hasattr(spec.loaded(), "solve"):
        raise CapabilityError(f"{name} does not read .{form} files: {instead(readers(form, kind))}")
    if kind not in spec.declared.classes:
        use = instead(able(kind, added=True))
        raise CapabilityError(f"{name} cannot solve the {kind} in {path}: {use}")
    spec.adapter()
    return spec


def answer_of(
    spec: SolverSpec,
    file: PlainFile,
    settings: SolveSettings = SOLVER_DEFAULTS,
    program: Program | None = None,
) -> FileAnswer:
    """The answer of a solver to an unpacked file, which contains ``program``.

    Raises CapabilityError if the solver does not support the class that the sections of the file
    determine, and SolverError if it gives no valid answer.
    """
    adapter = reader_of(spec.name, file.path, file.problem_class).adapter()
    start = time.perf_counter()
    try:
        with file.named():
            if file.form in spec.declared.formats:
                answer = adapter.solve_file(file.place, settings)
            else:
                matrices = program_of(file) if program is None else program
                answer = _by_names(adapter.solve(matrices, settings), matrices)
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


def _by_names(answer: SolverAnswer, program: Program) -> FileAnswer:
    """The answer of a solver to matrices, by the names of the file."""

    def named(names: Sequence[str], values: FloatArray) -> dict[str, float]:
        return dict(zip(names, values.tolist(), strict=True))

    return FileAnswer(
        answer.status,
        answer.claimed,
        {} if answer.x is None else named(program.column_names, answer.x),
        answer.message,
        None if answer.row_duals is None else named(program.row_names, answer.row_duals),
        answer.bound,
    )


def program_of(file: PlainFile) -> Program:
    """The matrices of a file, always as a minimisation.

    HiGHS reads the file a second time, unless it has quadratic rows, or names or words that the
    parser of HiGHS does not take. Warns of constructs that solvers read in two ways, and of what
    HiGHS warns of. Raises DataError for an unreadable file, and where the two readings differ.
    """
    with file.named():
        reading = _reading_of(file, float)
        program, notes, differs = reading.program(), reading.notes, reading.differs
        del reading  # its dictionary of names
        live: Highs | None = None
        warnings: list[str] = []
        if not program.quadratic_rows:
            live, theirs, warnings = _model_of_highs(program, file)
            _compare(program, live, differs, file, theirs)
    # rows without names have those of HiGHS, in whose solution files they stand
    if "" in program.row_names:
        names = (
            name or (live and live.getRowName(i)[1]) or f"HiGHS_R{i}"
            for i, name in enumerate(program.row_names)
        )
        program = replace(program, row_names=tuple(names))
    for note in (*notes, *(f"HiGHS warns: {line}" for line in warnings)):
        warn_user(f"{file.path}: {note}")
    return program


def exact_numbers_of(file: PlainFile) -> ExactNumbers:
    """The decimals of a file as fractions, in the order of :func:`program_of`, without a second
    reading.
    """
    with file.named():
        return _reading_of(file, Fraction).exact_numbers()


def exact_program(path: str | Path) -> tuple[Program, ExactNumbers]:
    """The matrices of a file, and its decimals as fractions in the same order."""
    with plain_file(path) as file:
        return program_of(file), exact_numbers_of(file)


def _reading_of(file: PlainFile, number: Number) -> Reading:
    return (read_lp if file.form == "lp" else read_mps)(file.place, number)


def _model_of_highs(
    program: Program, file: PlainFile
) -> tuple[Highs, Sequence[str] | None, list[str]]:
    """The model that HiGHS reads, its names where they differ, and its warnings; or what it holds
    of the program, and None, where its parser ends.

    HiGHS does not take brackets and keywords in the names of .lp files, and cuts names at "#".
    """
    columns, rows = program.column_names, program.row_names
    with suppress(DataError):
        live, warnings = highs.read_model(file.place)
        if not highs.names_differ(live, columns, rows):
            return live, (), warnings
        names, theirs = (*columns, *filter(None, rows)), [*chain(*highs.names_of(live))]
        if {*theirs}.issuperset(names) or all(map(is_valid_name, names)):
            return live, theirs, warnings
    return highs.held_model(program), None, []


def _compare(
    mine: Program, live: Highs, differs: set[int], file: PlainFile, theirs: Sequence[str] | None
) -> None:
    """Raise DataError for the first row or column that a model of HiGHS has in another way.

    ``theirs`` are its names, if they differ; None if it was not read from the file.
    """

    def refuse(noun: str, name: str, mine: object, theirs: object) -> None:
        with file.place.open(encoding="utf-8-sig", errors="replace") as lines:
            words = (k for k, text in enumerate(lines, 1) if name in text)
            line = next(words, None) if name else None
        place = f"line {line}: " if line else ""
        raise DataError(
            f"{place}{noun} {name} is {mine}, but HiGHS reads {theirs}: write it plainly"
        )

    def compare(noun: str, first: Any, second: Any, names: Sequence[str]) -> None:
        for k in np.flatnonzero(~np.isclose(first, second, rtol=1e-12, atol=0.0)).tolist():
            refuse(noun, names[k], first[k], second[k])

    def compare_entries(first: Any, second: Any, rows: Sequence[str], names: Sequence[str]) -> None:
        # HiGHS leaves out small entries
        change = (first - second).tocoo()
        for k in np.flatnonzero(np.abs(change.data) > HIGHS_ENTRY).tolist():
            i, j = (int(part[k]) for part in change.coords)
            if abs(change.data[k]) > 1e-12 * abs(first[i, j]):
                refuse(f"the entry of column {names[j]} in", rows[i], first[i, j], second[i, j])

    columns, rows, n = mine.column_names, mine.row_names, len(mine.column_names)
    sense, constant = highs.objective_of(live)
    for noun, ours, count in (
        ("the number of columns", columns, live.getNumCol()),
        ("the number of rows", rows, live.getNumRow()),
    ):
        if len(ours) != count:
            refuse(noun, "", len(ours), count)
    for name, their_name in zip((*columns, *rows), theirs, strict=True) if theirs else ():
        if name not in ("", their_name):
            refuse("the name", name, repr(name), repr(their_name))
    if theirs is not None and mine.sense != sense:
        refuse("the sense", "", mine.sense, sense)
    row_lower, row_upper = highs.sides_of(live)
    compare("the lower side of row", mine.row_lower, row_lower, rows)
    compare("the upper side of row", mine.row_upper, row_upper, rows)
    compare("the constant of the objective", [mine.constant], [constant], ("",))
    # some columns at a time: whole copies of both matrices would be the peak of the memory
    for first in range(0, n, 50_000):
        last = min(first + 50_000, n)
        cost, lower, upper, entries = highs.columns_of(live, first, last)
        names, part = columns[first:last], slice(first, last)
        for j in differs.intersection(range(first, last)):
            lower[j - first], upper[j - first] = mine.lower[j], mine.upper[j]
        integer = highs.integers_of(live, first, last)
        compare("the cost of column", mine.cost[part], sense * cost, names)
        compare("the lower bound of column", mine.lower[part], lower, names)
        compare("the upper bound of column", mine.upper[part], upper, names)
        compare("the mark of an integer of column", mine.integer[part], integer, names)
        compare_entries(mine.rows[:, part], sparse.csr_array(entries), rows, names)
    hessian, empty = highs.hessian_of(live), sparse.csc_array((n, n))
    if mine.quadratic is not None or hessian is not None:
        compare_entries(
            empty if mine.quadratic is None else mine.quadratic,
            empty if hessian is None else sense * hessian,
            columns,
            columns,
        )
