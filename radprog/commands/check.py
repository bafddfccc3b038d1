"""``radprog check``: recompute the claims of a result without a solver."""

from __future__ import annotations

import argparse

from radprog.base.sections import Part, Table
from radprog.terminal import common
from radprog.terminal.common import JsonObject, Options
from radprog.terminal.output import finish

HELP = "recompute the claims of a result without a solver"
EXAMPLES = (
    "check run.json train.csv",
    "check run.json train.csv --test test.csv --json report.json",
)
DIGEST = {
    "holds": "holds: the result was not edited; times are not covered",
    "broken": "BROKEN: the result was edited after it was written",
    "missing": "none: edits of other values go unnoticed",
}


def add(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.add_argument("result", metavar="RUN.json", help="file of solve --json")
    parser.add_argument("data", metavar="DATA", nargs="?", help="the data file of the fit")
    common.add_files(
        parser,
        test="test data, to recompute the test block of the result",
        json="claimed and recomputed values as JSON",
    )


def run(options: Options) -> int:
    """Print the comparison; the exit code is 1 if the result does not hold."""
    from radprog.checking import check

    report = check(options.result, options.data, test=options.test)
    finish(options, report, parts(report))
    return 0 if report["holds"] else 1


def parts(report: JsonObject) -> list[Part]:
    """Lines with the claimed and the recomputed values, the digest, and the verdict on the
    certificate.
    """
    claimed, recomputed = report["claimed"], report["recomputed"]
    rows = [(key, str(claimed[key]), str(recomputed[key])) for key in ("objective", "bound", "gap")]
    if recomputed["bound_by"] != "radprog":  # the end of a solver's search
        words = f"not recomputed, of {recomputed['bound_by']}'s search"
        rows[1] = "bound", str(claimed["bound"]), words
    rows.append(("status", claimed["status"], recomputed["status"]))
    if "test" in recomputed:
        name = next(name for name in ("error", "mae") if name in recomputed["test"])
        claim, value = (str(block["test"].get(name)) for block in (claimed, recomputed))
        rows.append((f"test {name}", claim, value))
    shown: list[Part] = [
        Table(head=("", "claimed", "recomputed"), rows=rows),
        f"digest     {DIGEST[report['digest']]}",
        *(f"data       {note}" for note in report["notes"]),
    ]
    if not report["holds"]:
        return shown + [f"the result DOES NOT HOLD: {problem}" for problem in report["problems"]]
    within = {
        "tol": "the {what} holds: its gap is within {tolerance:g}",
        "abs-tol": "the {what} holds: its difference is within {tolerance:g}",
        None: "the result holds: the values above are recomputed, the rest is as it was written"
        if report["digest"] == "holds"
        else "the values above hold; the rest is not verified, and no digest shows edits",
    }[recomputed["certified_by"]]
    what = "certificate" if recomputed["bound_by"] == "radprog" else "result"
    return [*shown, within.format(**recomputed, what=what)]
