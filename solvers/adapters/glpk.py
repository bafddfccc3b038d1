"""GLPK's command glpsol, a reader of .lp and .mps files: LP and MILP.

It would misread quadratic parts without a word.
"""

from __future__ import annotations

from pathlib import Path

from radprog.solvers.adapters.external import (
    claim,
    last_line,
    missing,
    printed_version,
    run_command,
    written,
)
from radprog.solvers.answer import FileClaim
from radprog.solvers.declared import Declared
from radprog.solvers.program import ProblemClass, SolveSettings, Status

_BASIC = {
    ("f", "f"): Status.OPTIMAL,
    ("f", "n"): Status.UNBOUNDED,
    ("n", "f"): Status.INFEASIBLE,
    ("n", "i"): Status.INFEASIBLE,
    ("n", "n"): Status.INFEASIBLE,
    ("n", "u"): Status.INFEASIBLE,
}
_MIP = {"o": Status.OPTIMAL, "n": Status.INFEASIBLE, "f": Status.LIMIT}


def version() -> str:
    """The version that glpsol prints about itself."""
    return printed_version(["glpsol", "--version"])


def solve_file(path: Path, settings: SolveSettings) -> FileClaim:
    """glpsol on ``path`` (.lp or free .mps); its folder must be ours."""
    solution, problem = path.with_name("answer.txt"), path.with_name("columns.txt")
    form = "--lp" if path.suffix == ".lp" else "--freemps"
    command = ["glpsol", form, path.name, "--nopresol", "-w", solution.name]
    command += ["--wglp", problem.name, "--seed", str(settings.seed)]
    if settings.time_limit is not None:
        command += ["--tmlim", str(max(1, round(settings.time_limit)))]
    stopped, text = run_command(command, path.parent, settings)
    if stopped is not None:
        return FileClaim(stopped)
    answer = written(solution, "glpk", text)
    columns = written(problem, "glpk", text)
    return parsed_answer(answer, columns, text)


def parsed_answer(solution: str, problem: str, output: str) -> FileClaim:
    """GLPK's raw solution (``-w``), with the names from its own format (``--wglp``) and what the
    command printed, which tells a limit from a failure."""
    names = {}
    for line in problem.splitlines():
        if line.startswith(("n i ", "n j ")):
            _, letter, index, name = line.split(maxsplit=3)
            names[letter, index] = name
    status, objective, x = Status.FAILED, None, {}
    duals: dict[str, float] | None = None
    for line in solution.splitlines():
        fields = line.split()
        if fields[:2] == ["s", "bas"]:
            status = _BASIC.get((fields[4], fields[5]), Status.FAILED)
            objective, place, duals = float(fields[6]), 3, {}
        elif fields[:2] == ["s", "mip"]:
            status = _MIP.get(fields[4], Status.FAILED)
            objective, place = float(fields[5]), 2
        elif fields[:1] == ["j"]:
            x[names["j", fields[1]]] = float(fields[place])
        elif fields[:1] == ["i"] and duals is not None and len(fields) > 4:
            duals[names.get(("i", fields[1]), "")] = float(fields[4])
    if status is Status.FAILED:
        for words, meaning in (
            ("TIME LIMIT", Status.LIMIT),
            ("UNBOUNDED", Status.UNBOUNDED),
            ("NO PRIMAL FEASIBLE", Status.INFEASIBLE),
        ):
            if words in output:
                status = meaning
    return claim(status, objective, x, last_line(output), duals)


DECLARED = Declared(
    classes=frozenset({ProblemClass.LP, ProblemClass.MILP}),
    formats=frozenset({"lp", "mps"}),
    missing=lambda: missing("glpsol", version),
)
