"""Solving of program files by solvers that read files of this format and class."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

from radprog.base.errors import CapabilityError, RadprogError, SolverError
from radprog.solvers.adapters import highs
from radprog.solvers.answer import FileAnswer, bound_of
from radprog.solvers.formats.unpacking import PlainFile, file_format
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
    if not spec.files:
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
    """The matrices of an LP, MILP or QP file, read by HiGHS, always as a minimisation.

    Raises CapabilityError for quadratic rows. Raises DataError for an unreadable file, and for
    kinds of variables that a Program does not have.
    """
    if file.problem_class in (ProblemClass.QCQP, ProblemClass.MIQCQP):
        raise CapabilityError(f"{file.path} has quadratic rows, which HiGHS does not read")
    with file.named():
        return highs.read_matrices(file.place)
