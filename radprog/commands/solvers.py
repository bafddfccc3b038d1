"""``radprog solvers``: list the program classes that each solver declares."""

from __future__ import annotations

import argparse
from typing import Any

from radprog.base.sections import Part, Table
from radprog.terminal import common
from radprog.terminal.common import JsonObject, Options
from radprog.terminal.output import finish

HELP = "what each installed solver can do"
EXAMPLES = ("solvers", "solvers --json -")


def add(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    common.add_files(parser, json="the table as JSON")


def run(options: Options) -> int:
    """Print the table of solvers."""
    report = {"schema": 1, "solvers": solver_rows()}
    finish(options, report, parts(report))
    return 0


def solver_rows() -> list[dict[str, Any]]:
    """The capabilities of each solver, as its adapter declares them; the tests solve a program of
    each class.
    """
    from radprog.solvers.program import ProblemClass
    from radprog.solvers.registry import list_solvers, solver

    rows = []
    for spec in map(solver, list_solvers()):
        installed, declared = spec.installed(), spec.declared
        rows.append(
            {
                "name": spec.name,
                "version": spec.adapter().version() if installed else "",
                "installed": installed,
                "classes": {str(kind): installed and spec.takes(kind) for kind in ProblemClass},
                "duals": installed and declared.duals,
                "hot_start": declared.hot_start,
                "reads": sorted(declared.formats),
                "note": declared.note if installed else spec.missing(),
            }
        )
    return rows


def parts(report: JsonObject) -> list[Part]:
    """A table with one row per solver and one column per program class, and remarks below it."""
    titles = [*report["solvers"][0]["classes"], "duals"]
    rows, notes = [], list[Part]()
    for row in report["solvers"]:
        can = {**row["classes"], "duals": row["duals"]}
        cells = ["yes" if can[title] else "-" for title in titles]
        version = (
            row["version"].partition(" (")[0].removeprefix("scikit-learn ")
            if row["installed"]
            else "not installed"
        )
        rows.append((row["name"], *cells, ",".join(row["reads"]) or "-", version))
        if row["note"]:
            notes.append(f"{row['name']}: {row['note']}" if row["installed"] else row["note"])
    legend = "-: radprog does not give it this class of programs, even if it could take it"
    return [Table(head=("solver", *titles, "reads", "version"), rows=rows), legend, *notes]
