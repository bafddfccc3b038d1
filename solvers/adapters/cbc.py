"""CBC's command, a reader of .lp and .mps files: LP and MILP.

It would misread quadratic parts without a word.
"""

from __future__ import annotations

import re
from pathlib import Path

from radprog.solvers.adapters.external import claim, missing, printed_version, run_command, written
from radprog.solvers.answer import FileClaim
from radprog.solvers.declared import Declared
from radprog.solvers.program import ProblemClass, SolveSettings, Status

STATUS = {
    "Optimal": Status.OPTIMAL,
    "Infeasible": Status.INFEASIBLE,
    "Integer infeasible": Status.INFEASIBLE,
    "Linear relaxation infeasible": Status.INFEASIBLE,
    "Unbounded": Status.UNBOUNDED,
    "Linear relaxation unbounded": Status.UNBOUNDED,
    "Stopped": Status.LIMIT,
}


def version() -> str:
    """The version that cbc prints about itself."""
    return printed_version(["cbc", "-quit"])


def solve_file(path: Path, settings: SolveSettings) -> FileClaim:
    """cbc on ``path`` (.lp or free .mps); its folder must be ours."""
    solution = path.with_name("answer.txt")
    command = ["cbc", path.name, "-randomCbcSeed", str(settings.seed % 2**31)]
    if settings.time_limit is not None:
        command += ["-seconds", repr(settings.time_limit)]
    command += ["-printingOptions", "all", "-solve", "-solution", solution.name]
    stopped, text = run_command(command, path.parent, settings)
    if stopped is not None:
        return FileClaim(stopped)
    return parsed_answer(written(solution, "cbc", text))


def parsed_answer(solution: str) -> FileClaim:
    """CBC's ``-solution`` file, written with ``-printingOptions all``: rows first, then columns,
    each numbered from 0; the last number of a row is its dual."""
    first, _, rest = solution.partition("\n")
    status = next((s for word, s in STATUS.items() if first.startswith(word)), Status.FAILED)
    value = re.search(r"objective value\s+(\S+)", first)
    x: dict[str, float] = {}
    prices: dict[str, float] = {}
    duals, last = None, -1
    for line in rest.splitlines():
        fields = line.replace("**", " ").split()
        if len(fields) < 3:
            continue
        if int(fields[0]) <= last:
            x, duals, prices = {}, prices, {}  # what came before were rows
        last = int(fields[0])
        x[fields[1]] = float(fields[2])
        if len(fields) > 3:
            prices[fields[1]] = float(fields[3])
    return claim(status, float(value[1]) if value else None, x, first.strip(), duals)


DECLARED = Declared(
    classes=frozenset({ProblemClass.LP, ProblemClass.MILP}),
    formats=frozenset({"lp", "mps"}),
    missing=lambda: missing("cbc", version),
)
