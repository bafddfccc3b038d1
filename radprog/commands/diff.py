"""``radprog diff``: what changed between two program files, by names."""

from __future__ import annotations

import argparse
from collections import Counter

from radprog.base.errors import CapabilityError
from radprog.terminal import common
from radprog.terminal.common import Options
from radprog.terminal.output import finish

HELP = "what changed between two .lp or .mps files, by names"
EXAMPLES = ("diff before.mps after.mps", "diff before.mps after.lp --top 50 --json changes.json")
CODES = """exit codes:
  0  the programs are the same, but for the order of rows and columns
  1  they differ
  2  a file cannot be read, or has squares
"""


def add(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.add_argument("program", metavar="A", help="an .lp or .mps file (also .gz)")
    parser.add_argument("model", metavar="B", help="the file to compare with A")
    parser.add_argument("--top", type=int, default=20, help="lines that are printed (20)")
    common.add_files(parser, json="all changes as JSON")


def run(options: Options) -> int:
    """Print the changes and return the exit code: 0 if there are none, otherwise 1."""
    from radprog.solvers.foreign import foreign_program
    from radprog.solvers.questions.difference import difference_lines, differences

    programs = [foreign_program(path) for path in (options.program, options.model)]
    first, second = (program for program in programs if program is not None)
    for path, program in zip((options.program, options.model), (first, second), strict=True):
        if program.quadratic is not None or program.quadratic_rows:
            raise CapabilityError(f"{path}: a {program.problem_class}: expected no squares")
    changes = differences(first, second)
    # a row or column that only one file has counts once, without its numbers and entries, and so do
    # the two sides of an equality
    steps = {(c.part, c.name, c.step) for c in changes if c.common or c.what == "is"}
    counts = Counter(part for part, _, _ in sorted(steps))
    plural = {"entry": "entries", "objective": "the objective"}
    words = ", ".join(f"{number} of {plural.get(p, p + 's')}" for p, number in counts.items())
    head = (
        f"{(n := counts.total())} change{'s' * (n > 1)}: {words}"
        if changes
        else "the programs are the same"
    )
    lines = difference_lines(changes)
    cut = len(lines) - max(options.top, 0)
    tail = [f"and {cut} more lines: --top {len(lines)}, or all changes by --json"] * (cut > 0)
    table = {"schema": 1, "same": not changes, "changes": [vars(change) for change in changes]}
    finish(options, table, [head, *lines[: max(options.top, 0)], *tail])
    return 1 if changes else 0
