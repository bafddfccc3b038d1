"""``radprog verify``: solve an exported file and compare the answer with its names.json."""

from __future__ import annotations

import argparse
from typing import Any

from radprog.terminal import common
from radprog.terminal.common import JsonObject, Options
from radprog.terminal.output import interruptible_to_the_end, show, write_or_emit

HELP = "solve an exported file and compare with its names.json"
EXAMPLES = (
    "verify train.mps",
    "verify train.mps --solver highs --solver scip --solver glpk --json verdict.json",
)


def add(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    from radprog.solvers.registry import SOLVERS

    parser.add_argument("program", metavar="FILE", help="an exported .lp or .mps file (also .gz)")
    names = (name.rpartition(":")[2] for name, spec in SOLVERS.items() if spec.only)
    help = f"{', '.join(names)} or pyomo:NAME, or one of another package; repeatable "
    help += "(default: the first installed one for this class of programs)"
    parser.add_argument("--solver", action="append", metavar="NAME", help=help)
    common.add_settings(parser, time_limit="time limit of each solver")
    common.add_files(parser, json="the verdicts as JSON")


def run(options: Options) -> int:
    """Print the verdicts; the exit code is 1 if a solver disagrees."""
    from radprog.exporting import agreeing, read_names, verify
    from radprog.solvers.formats.program_reader import reader_of
    from radprog.solvers.program import ProblemClass
    from radprog.terminal.output import phase

    names = read_names(options.program)
    report: dict[str, Any] = {
        "file": str(options.program),
        "class": names["class"],
        "expected": names["expected_objective"],
        "expected_status": names.get("expected_status"),
        "rows": [],
    }
    if names["class"] != "NLP":
        for solver in options.solver or ():  # each, before the first works
            reader_of(solver, options.program, ProblemClass(names["class"]))
    interruptible_to_the_end(options)
    for solver in options.solver or [None]:
        message = f"{solver or 'a solver'} solves {options.program}, Ctrl-C stops it"
        with phase(message, quiet=options.quiet, verbose=options.verbose):
            verdict = verify(options.program, solver, time_limit=options.time_limit)
        # without an expected value solvers are compared with one another
        rows = report["rows"] if report["expected"] is None else ()
        values = [row["objective"] for row in rows if row["agrees"]]
        row = {
            "solver": verdict.answer.solver,
            "version": verdict.answer.version,
            "status": verdict.answer.status.value,
            "claimed": verdict.answer.objective,
            "objective": verdict.objective,
            "violation": verdict.violation,
            "difference": verdict.difference,
            "seconds": verdict.answer.seconds,
            "agrees": verdict.agrees
            and all(agreeing(verdict.objective, value) for value in values),
            "cut_off": verdict.cut_off,
            "bound": verdict.answer.bound,
            "proven": verdict.proven,
            "own_duals": verdict.own_duals,
            "searched": verdict.searched,
            "gap": verdict.gap,
        }
        # shown when it is there: the next solver may take long
        show(
            options, [verdict_line(row)] if report["rows"] else [*lines(report), verdict_line(row)]
        )
        report["rows"].append(row)
        if row["status"] == "interrupted":
            break
    write_or_emit(options.json, report)
    return 0 if all(row["agrees"] for row in report["rows"]) else 1


def lines(report: JsonObject) -> list[str]:
    """The expected value, and the headings of the verdicts."""
    from radprog.exporting import expected_words
    from radprog.solvers.foreign import turned

    names = {"expected_objective": report["expected"], "expected_status": report["expected_status"]}
    return [
        f"{report['file']}: {report['class']}, {expected_words(names, '.14g')}",
        *turned(report["file"]),
        f"{'solver':<10}{'status':<12}{'objective':>22}{'violation':>11}{'seconds':>9}",
    ]


def verdict_line(row: JsonObject) -> str:
    """The answer of a solver, and whether it agrees; if a limit was reached, its progress."""
    from radprog.base.sections import bounded, styled

    # without an expected objective only the solver's own is compared with its point
    alone = row["status"] == "optimal" and row["difference"] is None
    agrees = "its point has its objective" if alone else "agrees"
    word = agrees if row["agrees"] else "cut off" if row["cut_off"] else "DIFFERS"
    if row["cut_off"] and row["bound"] is not None:
        word += f", at least {bounded(row['bound'], '.10g', up=False)} by its own word"
    if row.get("searched"):
        word += ", optimal by its search, which is not proved"
    elif row["status"] == "optimal":
        gap = row.get("gap")
        whose = "its duals" if row["own_duals"] else "duals of HiGHS at its point"
        lacks = "without duals" if gap is None else f"{whose} leave a gap of {gap:.1e}"
        word += f", proven by {whose}" if row["proven"] else f", optimal by its own word ({lacks})"
    return (
        f"{row['solver']:<10}{row['status']:<12}{styled(row['objective'], '.14g'):>22}"
        f"{styled(row['violation'], '.1e'):>11}{row['seconds']:>9.2f}  {word}"
    )
