"""Integer programs proved by the tree: statuses, values and VIPR files against exact answers.

    python tests/attack/tree_proofs.py --count 200 --seed 0

The programs are those of integer_programs.py, of at most 40 integers. RADPROG_VIPRCHK names
viprchk; without it, the reader in tests/support judges alone.
"""

from __future__ import annotations

import math
import sys
import tempfile
from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from exact_programs import Small, lp
from integer_programs import KINDS, TooLargeError, draw, exactly, optimum
from script_options import TALLY, run
from vipr_reader import proved, refused

from radprog.base.errors import RadprogError
from radprog.base.limits import under
from radprog.decompositions.loop import Budget
from radprog.models.exact import flint
from radprog.solvers.foreign import foreign_program
from radprog.solvers.program import Program, SolveSettings, Status
from radprog.solvers.questions.tree import ExactTree
from radprog.solvers.registry import solved_by_any

BOUNDED = [kind for kind in KINDS if kind != "unbounded"]


def accepts(text: str) -> bool:
    """Whether viprchk, if there is one, and the reader accept a certificate."""
    try:
        proved(text)
    except (AssertionError, KeyError, ValueError, IndexError, StopIteration):
        return False
    return not refused(text)


def decimals(values: Iterable[Any]) -> tuple[Any, ...]:
    """Numbers as the decimals of 15 digits that a tree makes of their doubles."""
    return tuple(Fraction(f"{float(v):.15g}") if math.isfinite(v) else v for v in values)


def read_again(small: Small) -> Program:
    """The program that a file of a drawn one holds."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "program.lp"
        path.write_text(lp(small.doubles()))
        program = foreign_program(path)
    assert program is not None
    return program


def solve(seed: int, limit: float) -> tuple[Any, list[str]]:
    """The tree of a random program, and what is false in it."""
    drawn = draw(seed, BOUNDED)
    judged, known = exactly(drawn.program), drawn.known
    if drawn.kind == "shares":  # the tree reads doubles as decimals, which are other numbers
        sides = drawn.program.rows
        rows = tuple((decimals(a), *decimals((low, high))) for a, low, high in sides)
        judged = replace(judged, rows=rows, cost=decimals(drawn.program.cost))
        known = optimum(judged)
    program = read_again(drawn.program)
    with under(Budget(limit)):
        # a solver's point to begin with, as the command does
        start = solved_by_any(program, program, SolveSettings(time_limit=limit / 6.0)).x
        answer = ExactTree(program, flint).solve(start)
    faults = []
    if answer.status is Status.INFEASIBLE and known.status != "infeasible":
        faults.append(f"infeasible, but it is {known.status}")
    if answer.status is Status.OPTIMAL:
        # columns of a file stand in the order in which they occur
        at = dict(zip(program.column_names, answer.x or (), strict=True))
        point = [at[f"x{j}"] for j in range(len(at))]
        value = float(judged.value(point))
        off = abs(value - float(known.value))
        # rows with continuous columns hold exactly here
        if known.status != "optimal" or (all(drawn.program.whole) and off > 1e-9):
            faults.append(f"optimal {value}, but {known.status} {known.value}")
        if value < float(known.value - known.leeway) - 1e-6 * max(1.0, abs(value)):
            faults.append(f"optimal {value} below {known.value} by more than {known.leeway}")
    if answer.status in (Status.OPTIMAL, Status.INFEASIBLE) and not accepts(answer.vipr()):
        faults.append("its certificate is not accepted")
    return answer, faults


def examine(seed: int, limit: float = 60.0) -> list[str]:
    """What is false in the proof of the program of a seed."""
    try:
        answer, faults = solve(seed, limit)
    except TooLargeError:
        return []
    except RadprogError as error:
        TALLY[f"refused: {str(error)[:60]}"] += 1
        return []
    TALLY[answer.status.value] += 1
    return [f"seed {seed}: {fault}" for fault in faults]


if __name__ == "__main__":
    sys.exit(run(__doc__, examine, limit=60.0))
