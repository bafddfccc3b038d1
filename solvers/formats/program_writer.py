"""Writers of programs as .lp or .mps files (also .gz), and of models as .nl files.

Files contain a minimisation without an objective sense. A constant of the objective is a column
fixed at 1. Every bound other than 0 <= x < inf is written. Numbers are the shortest that read back
exactly. Rows without bounds are omitted. Equal programs give equal bytes. After an error no
incomplete file remains.
"""

from __future__ import annotations

from pathlib import Path

import pyomo.environ as pyo
from pyomo.common.errors import PyomoException
from pyomo.repn.plugins.nl_writer import NLWriter

from radprog.base.errors import DataError, OptionError
from radprog.base.writing import atomic_text
from radprog.solvers.formats.layout import RowKind, completed, row_kinds
from radprog.solvers.formats.lp import split_rows, write_lp
from radprog.solvers.formats.mps import write_mps
from radprog.solvers.program import Program

#: The suffixes of the files of models.
SUFFIXES = (".lp", ".mps", ".lp.gz", ".mps.gz", ".nl")

__all__ = [
    "SUFFIXES",
    "check_suffix",
    "names_in",
    "split_rows",
    "write_lp",
    "write_mps",
    "write_nl",
    "write_program",
]


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
        if kind is not RowKind.FREE
    }
    if not Path(path).name.removesuffix(".gz").endswith(".lp"):
        return columns, rows
    halves = {row: half for half, row in split_rows(program).items()}
    both = [(place, name) for name in rows for place in (name, halves.get(name)) if place]
    return columns, {place: rows[name] for place, name in both}


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
