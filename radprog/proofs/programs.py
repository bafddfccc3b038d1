"""Certificates of linear programs in files, in the format VIPR."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from radprog.models.exact import flint
from radprog.solvers.formats.program_reader import program_of
from radprog.solvers.formats.unpacking import plain_file
from radprog.solvers.formats.vipr import vipr_text
from radprog.solvers.questions.exact import solve_exactly


def prove_program(
    path: str | Path, watch: Callable[[int], None] = lambda step: None
) -> tuple[str, dict[str, Any]]:
    """The certificate of the optimum of an .lp or .mps file, or of its infeasibility, and what it
    says: ``rows``, ``columns``, ``infeasible``, ``objective`` as a float and as a ``fraction``.
    ``watch`` is told the number of every step in rational numbers.

    Raises DataError, CapabilityError for another class than LP, SolverError where the optimum is
    not found in rational numbers, SolverMissingError without python-flint.
    """
    library = flint()
    with plain_file(path) as file:
        program = program_of(file)
    answer = solve_exactly(program, library, watch)
    value = answer.objective
    return vipr_text(program, answer), {
        "schema": 1,
        "rows": len(program.row_names),
        "columns": len(program.column_names),
        "infeasible": answer.x is None,
        "objective": None if value is None else float(value),
        "fraction": None if value is None else str(value),
    }
