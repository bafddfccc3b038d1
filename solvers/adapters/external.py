"""GLPK, CBC and lp_solve as commands that read a file: run, watched, and their answers parsed."""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path

from radprog.instances.errors import OptionError, SolverError, SolverMissingError
from radprog.solvers.answer import Found
from radprog.solvers.program import SolveSettings, Status

_GRACE = 5.0
_PATIENCE = 0.05


def run_glpk(model: Path, settings: SolveSettings) -> Found:
    """glpsol on ``model`` (.lp or free .mps); its folder must be ours."""
    solution, problem = model.with_name("answer.txt"), model.with_name("columns.txt")
    form = "--lp" if model.suffix == ".lp" else "--freemps"
    command = ["glpsol", form, model.name, "--nopresol", "-w", solution.name]
    command += ["--wglp", problem.name, "--seed", str(settings.seed)]
    if settings.time_limit is not None:
        command += ["--tmlim", str(max(1, round(settings.time_limit)))]
    stopped, text = run_command(command, model.parent, settings)
    if stopped is not None:
        return Found(stopped)
    _need(solution, "glpk", text)
    _need(problem, "glpk", text)
    return parse_glpk(solution.read_text(), problem.read_text(), text)


def run_cbc(model: Path, settings: SolveSettings) -> Found:
    """cbc on ``model`` (.lp or free .mps); its folder must be ours."""
    solution = model.with_name("answer.txt")
    command = ["cbc", model.name, "-randomCbcSeed", str(settings.seed % 2**31)]
    if settings.time_limit is not None:
        command += ["-seconds", repr(settings.time_limit)]
    command += ["-printingOptions", "all", "-solve", "-solution", solution.name]
    stopped, text = run_command(command, model.parent, settings)
    if stopped is not None:
        return Found(stopped)
    _need(solution, "cbc", text)
    return parse_cbc(solution.read_text())


def run_lp_solve(model: Path, settings: SolveSettings) -> Found:
    """lp_solve on ``model`` (free .mps); its folder must be ours."""
    command = ["lp_solve", "-fmps", model.name, "-S3"]
    if settings.time_limit is not None:
        command += ["-timeout", str(max(1, round(settings.time_limit)))]
    stopped, text = run_command(command, model.parent, settings)
    return Found(stopped) if stopped is not None else parse_lp_solve(text)


_GLPK_BASIC = {
    ("f", "f"): Status.OPTIMAL,
    ("f", "n"): Status.UNBOUNDED,
    ("n", "f"): Status.INFEASIBLE,
    ("n", "i"): Status.INFEASIBLE,
    ("n", "n"): Status.INFEASIBLE,
    ("n", "u"): Status.INFEASIBLE,
}
_GLPK_MIP = {"o": Status.OPTIMAL, "n": Status.INFEASIBLE, "f": Status.LIMIT}


def parse_glpk(solution: str, problem: str, output: str) -> Found:
    """GLPK's raw solution (``-w``), with the names from its own format (``--wglp``) and what the
    command printed, which tells a limit from a failure."""
    names = {}
    for line in problem.splitlines():
        if line.startswith("n j "):
            _, _, index, name = line.split(maxsplit=3)
            names[index] = name
    status, objective, x = Status.FAILED, None, {}
    for line in solution.splitlines():
        fields = line.split()
        if fields[:2] == ["s", "bas"]:
            status = _GLPK_BASIC.get((fields[4], fields[5]), Status.FAILED)
            objective, place = float(fields[6]), 3
        elif fields[:2] == ["s", "mip"]:
            status = _GLPK_MIP.get(fields[4], Status.FAILED)
            objective, place = float(fields[5]), 2
        elif fields[:1] == ["j"]:
            x[names[fields[1]]] = float(fields[place])
    if status is Status.FAILED:
        for words, meaning in (
            ("TIME LIMIT", Status.LIMIT),
            ("UNBOUNDED", Status.UNBOUNDED),
            ("NO PRIMAL FEASIBLE", Status.INFEASIBLE),
        ):
            if words in output:
                status = meaning
    return _found(status, objective, x, _last_line(output))


_CBC = {
    "Optimal": Status.OPTIMAL,
    "Infeasible": Status.INFEASIBLE,
    "Integer infeasible": Status.INFEASIBLE,
    "Linear relaxation infeasible": Status.INFEASIBLE,
    "Unbounded": Status.UNBOUNDED,
    "Linear relaxation unbounded": Status.UNBOUNDED,
    "Stopped": Status.LIMIT,
}


def parse_cbc(solution: str) -> Found:
    """CBC's ``-solution`` file, written with ``-printingOptions all``: rows first, then columns,
    each numbered from 0."""
    first, _, rest = solution.partition("\n")
    status = next((s for word, s in _CBC.items() if first.startswith(word)), Status.FAILED)
    claim = re.search(r"objective value\s+(\S+)", first)
    x: dict[str, float] = {}
    last = -1
    for line in rest.splitlines():
        fields = line.replace("**", " ").split()
        if len(fields) < 3:
            continue
        if int(fields[0]) <= last:
            x = {}  # numbering starts again: what came before were rows
        last = int(fields[0])
        x[fields[1]] = float(fields[2])
    return _found(status, float(claim[1]) if claim else None, x, first.strip())


_LP_SOLVE = (
    ("infeasible", Status.INFEASIBLE),
    ("unbounded", Status.UNBOUNDED),
    ("sub-optimal", Status.LIMIT),
    ("timeout", Status.LIMIT),
    ("suboptimal", Status.LIMIT),
    ("actual values of the variables", Status.OPTIMAL),
)


def parse_lp_solve(output: str) -> Found:
    """What ``lp_solve -S3`` prints; values have six digits."""
    head = output.partition("Actual values of the variables")
    told = head[0] + head[1]
    status = next((s for word, s in _LP_SOLVE if word in told.lower()), Status.FAILED)
    claim = re.search(r"Value of objective function:\s*(\S+)", told)
    values = head[2].partition("Actual values of the constraints")[0]
    x = {}
    for line in values.splitlines():
        fields = line.split()
        if len(fields) == 2:
            x[fields[0]] = float(fields[1])
    return _found(status, float(claim[1]) if claim else None, x, _first_line(output))


def _found(status: Status, objective: float | None, x: Mapping[str, float], message: str) -> Found:
    """A point is kept only with a status that may hold one."""
    if status in (Status.OPTIMAL, Status.LIMIT):
        return Found(status, objective, x, message)
    return Found(status, message=message)


_ASKED = {"glpsol": "--version", "cbc": "-quit", "lp_solve": "-h"}


def version(command: str) -> str:
    """The version that glpsol, cbc or lp_solve prints about itself."""
    with tempfile.TemporaryDirectory(prefix="radprog-") as folder:
        _, text = run_command([command, _ASKED[command]], Path(folder), SolveSettings(time_limit=5))
    number = re.search(r"\d+(\.\d+)+", text)
    return number[0] if number else ""


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


def _need(file: Path, name: str, output: str) -> None:
    if not file.is_file():
        raise SolverError(f"{name} gave no solution: {_last_line(output)}")


def _last_line(text: str) -> str:
    lines = text.strip().splitlines()
    return lines[-1].strip() if lines else "no output"


def _first_line(text: str) -> str:
    lines = text.strip().splitlines()
    return lines[0].strip() if lines else "no output"
