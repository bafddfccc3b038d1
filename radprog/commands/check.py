"""``radprog check``: recompute the certificate of a result without any solver."""

from __future__ import annotations

import argparse

from radprog.commands import common
from radprog.commands.common import JsonObject, Options
from radprog.commands.output import probe, show, write_or_emit

HELP = "recompute the certificate of a result without any solver"
EXAMPLES = ("check run.json german.csv",)


def add(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.add_argument("result", metavar="RUN.json", help="what solve --json wrote")
    parser.add_argument("data", metavar="DATA", help="the data file that it was solved on")
    parser.add_argument("--json", metavar="FILE|-", help="claimed and recomputed values as JSON")
    common.add_talk_options(parser)


def run(options: Options) -> int:
    """Exit code 1 when the result does not hold."""
    from radprog.checking import check_result
    from radprog.saved import read_json

    probe(options.json, inputs=(options.result, options.data))
    result = read_json(options.result, "a result of radprog solve")
    report = check_result(result, options.data, options.result)
    write_or_emit(options.json, report)
    show(options, lines(report))
    return 0 if report["holds"] else 1


def lines(report: JsonObject) -> list[str]:
    """Claimed and recomputed values, and whether the result holds."""
    claimed, found = report["claimed"], report["recomputed"]
    rows = [f"{'':<10} {'claimed':<24} recomputed"]
    rows += [
        f"{key:<10} {claimed[key]!s:<24} {found[key]}" for key in ("objective", "bound", "gap")
    ]
    if report["holds"]:
        return [*rows, "the certificate holds" if found["certified"] else "the result holds"]
    return [*rows, *(f"the result DOES NOT HOLD: {problem}" for problem in report["problems"])]
