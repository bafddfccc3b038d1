"""Solvers that are commands: run in a folder, watched, and what they print and write."""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from radprog.instances.errors import OptionError, SolverError, SolverMissingError
from radprog.solvers.answer import FileClaim
from radprog.solvers.program import SolveSettings, Status

_GRACE = 1.0
_GREETING = 5.0  # seconds to print a version
_PATIENCE = 0.05


def run_command(
    command: list[str], folder: Path, settings: SolveSettings
) -> tuple[Status | None, str]:
    """Run a command in ``folder``: (None, its output), or why it was stopped before its end."""
    if settings.options:
        raise OptionError(f"{command[0]} takes no solver options here")
    executable = shutil.which(command[0])
    if executable is None:
        raise SolverMissingError(f"{command[0]} is not installed")
    log = folder / "output.txt"
    limit = settings.time_limit
    deadline = None if limit is None else time.monotonic() + limit + _GRACE
    with log.open("wb") as sink:
        process = subprocess.Popen(
            [executable, *command[1:]],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=sink,
            stderr=subprocess.STDOUT,
        )
        try:
            stopped = _watch(process, deadline, settings)
        finally:
            process.kill()
            process.wait()
    return stopped, log.read_text(errors="replace")


def _watch(
    process: subprocess.Popen[bytes], deadline: float | None, settings: SolveSettings
) -> Status | None:
    while True:
        try:
            process.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            if deadline is not None and time.monotonic() > deadline:
                return Status.LIMIT
            if settings.interrupt is not None and settings.interrupt():
                return Status.INTERRUPTED
        else:
            return None


def missing(command: str, version: Callable[[], str]) -> str:
    """Why a command cannot be used: it is not found, or does not tell its version; or nothing."""
    if shutil.which(command) is None:
        return f"is not installed: no {command}"
    try:
        version()
    except SolverError as error:
        return f"cannot be used: {error}"
    except OSError as error:
        return f"cannot be used: {command} cannot be run: {error.strerror}"
    return ""


def written(file: Path, name: str, output: str) -> str:
    """The text of a file that a solver wrote; SolverError where there is none.

    Bytes that are no text are replaced: no number is made of them.
    """
    if not file.is_file():
        raise SolverError(f"{name} gave no solution: {last_line(output)}")
    return file.read_text(errors="replace")


def claim(
    status: Status,
    objective: float | None,
    x: Mapping[str, float],
    message: str,
    row_duals: Mapping[str, float] | None = None,
) -> FileClaim:
    """A point is kept only with a status that may hold one, and duals only with an optimum."""
    if status in (Status.OPTIMAL, Status.LIMIT):
        duals = row_duals if status is Status.OPTIMAL else None
        return FileClaim(status, objective, x, message, duals)
    return FileClaim(status, message=message)


def printed_version(command: list[str]) -> str:
    """The version in what a command prints; SolverError where it does not end."""
    with tempfile.TemporaryDirectory(prefix="radprog-") as folder:
        stopped, text = run_command(
            command, Path(folder), SolveSettings(time_limit=_GREETING - _GRACE)
        )
    if stopped is not None:
        raise SolverError(f"'{' '.join(command)}' did not end within {_GREETING:.0f} s")
    number = re.search(r"\d+(\.\d+)+", text)
    return number[0] if number else ""


def last_line(text: str) -> str:
    lines = text.strip().splitlines()
    return lines[-1].strip() if lines else "no output"


def first_line(text: str) -> str:
    lines = text.strip().splitlines()
    return lines[0].strip() if lines else "no output"
