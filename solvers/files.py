"""Programs written to .lp, .mps (and .gz) and models to .nl: whole files or none.

Both formats hold a minimisation without an objective sense; a constant of the objective is a
column fixed at 1; every bound other than 0 <= x < inf is written; numbers are the shortest that
read back exactly; rows without bounds are left out. Same program, same bytes.
"""

from __future__ import annotations

import gzip
import io
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, TextIO

import pyomo.environ as pyo
from pyomo.repn.plugins.nl_writer import NLWriter

from radprog.instances.errors import OptionError, OutputError
from radprog.solvers.lp_format import split_rows, write_lp
from radprog.solvers.mps_format import write_mps
from radprog.solvers.program import Program

__all__ = ["atomic_text", "split_rows", "write_lp", "write_mps", "write_nl", "write_program"]

_GZIP_LEVEL = 6


def write_program(program: Program, path: str | Path) -> None:
    """Write a program to ``path``: .lp or .mps, or either with .gz, by the suffix.

    Raises OptionError for another suffix and OutputError, naming the path, where it cannot be
    written; then no file is left.
    """
    name = Path(path).name
    for suffix, write in ((".lp", write_lp), (".mps", write_mps)):
        if name.endswith((suffix, suffix + ".gz")):
            with atomic_text(path) as stream:
                write(program, stream)
            return
    raise OptionError(f"a program is written to .lp, .mps, .lp.gz or .mps.gz, not to {path}")


def write_nl(model: pyo.ConcreteModel, path: str | Path) -> None:
    """Write a Pyomo model of any algebra to ``path`` (.nl) through Pyomo; errors as above."""
    if not Path(path).name.endswith(".nl"):
        raise OptionError(f"a nonlinear model is written to .nl, not to {path}")
    with atomic_text(path) as stream:
        NLWriter().write(model, stream)


@contextmanager
def atomic_text(path: str | Path) -> Iterator[TextIO]:
    """A text stream whose content becomes ``path`` when the block ends without an error.

    It is written beside the target and moved over it; on any error nothing is left behind. A
    name ending in .gz is compressed, without a time stamp. A device or pipe is written in place.
    Raises OutputError, naming the path, for any failure of the file system.
    """
    target = Path(os.path.realpath(path))
    try:
        if target.exists() and not target.is_file():
            with open(target, "wb") as raw, _text(raw, target.name) as stream:
                yield stream
            return
        draft = target.with_name(f".radprog-{secrets.token_hex(6)}.tmp")
        try:
            with open(draft, "xb") as raw, _text(raw, target.name) as stream:
                yield stream
            os.replace(draft, target)
        finally:
            draft.unlink(missing_ok=True)
    except OSError as error:
        raise OutputError(f"cannot write {path}: {error.strerror or error}") from None


@contextmanager
def _text(raw: BinaryIO, name: str) -> Iterator[TextIO]:
    if name.endswith(".gz"):
        with (
            gzip.GzipFile("", "wb", _GZIP_LEVEL, raw, mtime=0) as packed,
            io.TextIOWrapper(packed, "utf-8", newline="") as stream,
        ):
            yield stream
    else:
        with io.TextIOWrapper(raw, "utf-8", newline="") as stream:
            yield stream
