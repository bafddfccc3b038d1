"""Exported files read and solved by independent programs, each only for what it is declared for."""

from __future__ import annotations

import gzip
import re
import shutil
import tempfile
import time
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, cast

from radprog.instances.errors import (
    CapabilityError,
    DataError,
    OptionError,
    RadprogError,
    SolverError,
)
from radprog.instances.tables import refuse_streams
from radprog.solvers.adapters import highs
from radprog.solvers.program import ProblemClass, Program, SolveSettings, Status
from radprog.solvers.registry import readers, solver

_DEFAULT = SolveSettings()


@dataclass(frozen=True, kw_only=True)
class FileAnswer:
    """A program's own words about a file: nothing here is recomputed.

    ``x`` maps names of columns to values; it is empty without a point. ``seconds`` covers reading
    and solving.
    """

    status: Status
    solver: str
    objective: float | None = None
    x: Mapping[str, float] = field(default_factory=dict)
    seconds: float = 0.0
    version: str = ""
    message: str = ""


def read_file_with(
    name: str,
    path: str | Path,
    settings: SolveSettings = _DEFAULT,
    problem_class: ProblemClass | None = None,
) -> FileAnswer:
    """Let one program read and solve an .lp or .mps file (or .gz of one).

    ``problem_class`` is found by :func:`file_class` where it is not given. Raises OptionError for
    an unknown reader, CapabilityError for a class or format that it is not declared for,
    SolverMissingError where it is not installed, DataError for a file that cannot be read, and
    SolverError where it gives no answer.
    """
    reader, form = solver(name), _format(path)
    reader.loaded()
    if not reader.files:
        raise CapabilityError(f"{name} reads no files: use {', '.join(readers())}")
    if form not in reader.declared.formats:
        use = ", ".join(readers(form))
        raise CapabilityError(f"{name} does not read .{form} files: use {use}")
    found_class = file_class(path)
    wanted = problem_class or found_class
    if wanted not in reader.declared.classes:
        use = ", ".join(readers(form, wanted))
        raise CapabilityError(f"{name} cannot solve the {wanted} in {path}: use {use}")
    adapter = reader.file_adapter()
    with _plain(Path(path)) as plain:
        start = time.perf_counter()
        try:
            found = adapter.solve_file(plain, settings)
            version = adapter.version()
        except RadprogError:
            raise
        except (
            ArithmeticError,
            LookupError,
            OSError,
            RuntimeError,
            TypeError,
            ValueError,
        ) as error:
            raise SolverError(f"{name} gave an answer that cannot be read: {error}") from error
        seconds = time.perf_counter() - start
    return FileAnswer(
        status=found.status,
        solver=name,
        objective=found.objective,
        x=found.x,
        seconds=seconds,
        version=version,
        message=found.message,
    )


def file_class(path: str | Path) -> ProblemClass:
    """The class of the program in an .lp or .mps file (or .gz), from its sections and brackets.

    Raises DataError for a file that cannot be read or is neither.
    """
    form = _format(path)
    try:
        with _opened(Path(path)) as stream:
            text = stream.read().decode("utf-8", errors="replace")
    except (OSError, EOFError, zlib.error) as error:
        raise DataError(f"cannot read {path}: {error}") from None
    if _START[form].search(text) is None:
        raise DataError(f"{path} is no .{form} file")
    integer, objective, rows = (_scan_lp if form == "lp" else _scan_mps)(text)
    name = "QCQP" if rows else "QP" if objective else "LP"
    return ProblemClass(("MI" if integer else "") + name)


_MODE = re.MULTILINE | re.IGNORECASE
_START = {
    "lp": re.compile(r"^\s*(min|max)(imum|imi[sz]e)?\b", _MODE),
    "mps": re.compile(r"^ROWS\b", re.MULTILINE),
}


def _scan_lp(text: str) -> tuple[bool, bool, bool]:
    """(integers, quadratic objective, quadratic rows)."""
    text = re.sub(r"\\.*", "", text)
    integer = re.search(r"^\s*(gen(eral)?s?|int(eger)?s?|bin(ary|aries)?)\s*$", text, _MODE)
    rows = re.search(r"^\s*(subject to|such that|s\.?t\.?)", text, _MODE)
    split = rows.start() if rows else len(text)
    return integer is not None, "[" in text[:split], "[" in text[split:]


def _scan_mps(text: str) -> tuple[bool, bool, bool]:
    """(integers, quadratic objective, quadratic rows)."""
    integer = re.search(r"'INTORG'|^\s+(BV|LI|UI)\s", text, re.MULTILINE)
    objective = re.search(r"^(QUADOBJ|QMATRIX|QSECTION)\b", text, re.MULTILINE)
    rows = re.search(r"^QCMATRIX\b", text, re.MULTILINE)
    return integer is not None, objective is not None, rows is not None


def read_program(path: str | Path) -> Program:
    """The matrices of an LP, MILP or QP file, as HiGHS reads them (always as a minimisation).

    Raises CapabilityError for quadratic rows, and DataError for a file that cannot be read or has
    kinds of variables that a Program has not.
    """
    if file_class(path) in (ProblemClass.QCQP, ProblemClass.MIQCQP):
        raise CapabilityError(f"{path} has quadratic rows, which HiGHS does not read")
    with _plain(Path(path)) as plain:
        return highs.read_program(plain)


def _format(path: str | Path) -> str:
    name = Path(path).name.removesuffix(".gz")
    form = name.rpartition(".")[2]
    if form not in _START:
        raise OptionError(f"a program is read from .lp, .mps, .lp.gz or .mps.gz, not from {path}")
    return form


def _opened(path: Path) -> BinaryIO:
    refuse_streams(path)
    return cast(BinaryIO, gzip.open(path)) if path.name.endswith(".gz") else open(path, "rb")


@contextmanager
def _plain(path: Path) -> Iterator[Path]:
    """The file, unpacked, under a plain name in a folder of its own; errors name ``path``."""
    with tempfile.TemporaryDirectory(prefix="radprog-") as folder:
        place = Path(folder) / f"model.{_format(path)}"
        try:
            with _opened(path) as source, place.open("wb") as target:
                shutil.copyfileobj(source, target)
        except (OSError, EOFError, zlib.error) as error:
            raise DataError(f"cannot read {path}: {error}") from None
        try:
            yield place
        except DataError as error:
            raise DataError(f"cannot read {path}: {error}") from None
