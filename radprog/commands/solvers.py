"""``radprog solvers``: list the tested program classes of each installed solver."""

from __future__ import annotations

import argparse
from dataclasses import asdict

from radprog.base.sections import Part, Table
from radprog.terminal import common
from radprog.terminal.common import JsonObject, Options
from radprog.terminal.output import finish

HELP = "tested capabilities of the installed solvers"
EXAMPLES = ("solvers", "solvers --json -")


def add(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.add_argument("--json", metavar="FILE|-", help="the table as JSON")
    common.add_talk_options(parser)


def run(options: Options) -> int:
    """Print the table of solvers."""
    from radprog.solvers.questions.capability import capability_table  # loads every solver

    report = {"schema": 1, "solvers": [asdict(row) for row in capability_table()]}
    finish(options, report, parts(report))
    return 0


def parts(report: JsonObject) -> list[Part]:
    """A table with one row per solver and one column per program class, and remarks below it."""
    from radprog.solvers.program import ProblemClass

    titles = [*map(str, ProblemClass), "duals"]
    rows, notes = [], list[Part]()
    for row in report["solvers"]:
        answers = {**row["classes"], "duals": row["duals"]}
        # the reason of a failed class stands below the table
        failed = {title: text for title, text in answers.items() if text not in ("ok", "-")}
        cells = ["no" if title in failed else answers[title] for title in titles]
        version = row["version"].partition(" (")[0] if row["installed"] else "not installed"
        rows.append((row["name"], *cells, ",".join(row["reads"]) or "-", version))
        for text in dict.fromkeys(failed.values()):
            alike = ", ".join(title for title, why in failed.items() if why == text)
            notes.append(f"{row['name']}, {alike}: {text}")
        if row["note"]:
            notes.append(f"{row['name']}: {row['note']}" if row["installed"] else row["note"])
    return [Table(head=("solver", *titles, "reads", "version"), rows=rows), *notes]
