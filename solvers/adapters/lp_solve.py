"""lp_solve's command, a reader of .mps files: LP and MILP; its answers have six digits.

It would misread quadratic parts without a word.
"""

from __future__ import annotations

import re
from pathlib import Path

from radprog.solvers.adapters.external import (
    claim,
    first_line,
    missing,
    printed_version,
    run_command,
)
from radprog.solvers.answer import FileClaim
from radprog.solvers.declared import Declared
from radprog.solvers.program import ProblemClass, SolveSettings, Status

STATUS = (
    ("infeasible", Status.INFEASIBLE),
    ("unbounded", Status.UNBOUNDED),
    ("sub-optimal", Status.LIMIT),
    ("timeout", Status.LIMIT),
    ("suboptimal", Status.LIMIT),
    ("actual values of the variables", Status.OPTIMAL),
)


def version() -> str:
    """The version that lp_solve prints about itself."""
    return printed_version(["lp_solve", "-h"])


def solve_file(path: Path, settings: SolveSettings) -> FileClaim:
    """lp_solve on ``path`` (free .mps); its folder must be ours."""
    command = ["lp_solve", "-fmps", path.name, "-S3"]
    if settings.time_limit is not None:
        command += ["-timeout", str(max(1, round(settings.time_limit)))]
    stopped, text = run_command(command, path.parent, settings)
    return FileClaim(stopped) if stopped is not None else parsed_answer(text)


def parsed_answer(output: str) -> FileClaim:
    """What ``lp_solve -S3`` prints; values have six digits."""
    head = output.partition("Actual values of the variables")
    told = head[0] + head[1]
    status = next((s for word, s in STATUS if word in told.lower()), Status.FAILED)
    value = re.search(r"Value of objective function:\s*(\S+)", told)
    values = head[2].partition("Actual values of the constraints")[0]
    x = {}
    for line in values.splitlines():
        fields = line.split()
        if len(fields) == 2:
            x[fields[0]] = float(fields[1])
    return claim(status, float(value[1]) if value else None, x, first_line(output))


DECLARED = Declared(
    classes=frozenset({ProblemClass.LP, ProblemClass.MILP}),
    formats=frozenset({"mps"}),
    missing=lambda: missing("lp_solve", version),
)
