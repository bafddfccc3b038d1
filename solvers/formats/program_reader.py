"""Exported files read and solved by independent programs, each only for what it is declared for."""

from __future__ import annotations

import gzip
import importlib
import importlib.util
import re
import shutil
import tempfile
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, cast

from radprog.instances.errors import CapabilityError, DataError, OptionError, SolverMissingError
from radprog.solvers.adapters import external
from radprog.solvers.answer import Found
from radprog.solvers.program import ProblemClass, Program, SolveSettings, Status

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


@dataclass(frozen=True, kw_only=True)
class Reader:
    """A program that reads files: its classes and formats, and the package or command it needs."""

    name: str
    classes: frozenset[ProblemClass]
    formats: frozenset[str]
    read: Callable[[Path, SolveSettings], Found]
    version: Callable[[], str]
    package: str = ""
    command: str = ""

    def installed(self) -> bool:
        """True if the package or command is found."""
        if self.package:
            return importlib.util.find_spec(self.package) is not None
        return shutil.which(self.command) is not None


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
    if name not in READERS:
        raise OptionError(f"unknown solver {name!r} for files: known are {', '.join(READERS)}")
    reader = READERS[name]
    form = _format(path)
    if form not in reader.formats:
        able = ", ".join(other.name for other in READERS.values() if form in other.formats)
        raise CapabilityError(f"{name} does not read .{form} files: use {able}")
    found_class = file_class(path)
    wanted = problem_class or found_class
    if wanted not in reader.classes:
        able = ", ".join(other.name for other in READERS.values() if wanted in other.classes)
        raise CapabilityError(f"{name} cannot solve the {wanted} in {path}: use {able}")
    if not reader.installed():
        raise SolverMissingError(f"{name} is not installed: {reader.package or reader.command}")
    with _plain(Path(path)) as plain:
        start = time.perf_counter()
        found = reader.read(plain, settings)
        seconds = time.perf_counter() - start
    return FileAnswer(
        status=found.status,
        solver=name,
        objective=found.objective,
        x=found.x,
        seconds=seconds,
        version=reader.version(),
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
        return cast(Program, _adapter("highs").read_program(plain))


def _format(path: str | Path) -> str:
    name = Path(path).name.removesuffix(".gz")
    form = name.rpartition(".")[2]
    if form not in _START:
        raise OptionError(f"a program is read from .lp, .mps, .lp.gz or .mps.gz, not from {path}")
    return form


def _opened(path: Path) -> BinaryIO:
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


def _adapter(name: str) -> Any:
    return importlib.import_module(f"radprog.solvers.adapters.{name}")


def _inside(name: str, package: str, classes: Iterable[ProblemClass]) -> Reader:
    """A reader that runs in this process, through its adapter."""
    return Reader(
        name=name,
        classes=frozenset(classes),
        formats=frozenset({"lp", "mps"}),
        read=lambda model, settings: _adapter(name).solve_file(model, settings),
        version=lambda: _adapter(name).version(),
        package=package,
    )


def _outside(
    name: str, command: str, read: Callable[[Path, SolveSettings], Found], *formats: str
) -> Reader:
    """A reader that is a command; it would misread quadratic parts without a word."""
    return Reader(
        name=name,
        classes=frozenset({ProblemClass.LP, ProblemClass.MILP}),
        formats=frozenset(formats),
        read=read,
        version=lambda: external.version(command),
        command=command,
    )


READERS: Mapping[str, Reader] = {
    reader.name: reader
    for reader in (
        _inside("highs", "highspy", (ProblemClass.LP, ProblemClass.QP, ProblemClass.MILP)),
        _inside("scip", "pyscipopt", ProblemClass),
        _outside("glpk", "glpsol", external.run_glpk, "lp", "mps"),
        _outside("cbc", "cbc", external.run_cbc, "lp", "mps"),
        _outside("lp_solve", "lp_solve", external.run_lp_solve, "mps"),
    )
}
