"""``radprog solvers``: what each solver can do here, found by solving."""

from __future__ import annotations

import argparse
from dataclasses import asdict

from radprog.terminal import common
from radprog.terminal.common import JsonObject, Options
from radprog.terminal.output import show, write_or_emit

HELP = "what each solver can do here, found by solving"
EXAMPLES = ("solvers", "solvers --json -")


def add(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.add_argument("--json", metavar="FILE|-", help="the table as JSON")
    common.add_talk_options(parser)


def run(options: Options) -> int:
    """The capability table."""
    from radprog.solvers.questions.capability import capability_table  # loads every solver

    report = {"schema": 1, "solvers": [asdict(row) for row in capability_table()]}
    write_or_emit(options.json, report)
    show(options, lines(report))
    return 0


def lines(report: JsonObject) -> list[str]:
    """A row for each solver, a column for each class of program."""
    from radprog.solvers.program import ProblemClass

    heads = "".join(f"{c:<8}" for c in [*ProblemClass, "duals", "reads"])
    rows = [f"{'solver':<14}{'version':<31}{heads}"]
    for row in report["solvers"]:
        cells = "".join(f"{row['classes'][c]:<8}" for c in ProblemClass)
        version = row["version"] if row["installed"] else "not installed"
        tail = f"{row['duals']:<8}{','.join(row['reads']) or '-':<8}{row['note']}"
        rows.append(f"{row['name']:<14}{version:<31}{cells}{tail}".rstrip())
    return rows
