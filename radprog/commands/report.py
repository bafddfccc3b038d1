"""``radprog report``: write a self-contained page about a result."""

from __future__ import annotations

import argparse

from radprog.terminal import common
from radprog.terminal.common import Options
from radprog.terminal.output import interruptible_to_the_end, say

HELP = "write a self-contained page about a result"
EXAMPLES = ("report run.json -o page.html", "report run.json --analysis analysis.json -o page.html")


def add(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.add_argument("result", metavar="RUN.json", help="file of solve --json or analyze --json")
    common.add_output(parser, "OUT.html", "the page")
    common.add_files(parser, analysis="file of analyze --json to include")


def run(options: Options) -> int:
    """Write the page."""
    from radprog.reporting import report

    interruptible_to_the_end(options)
    report(options.result, options.output, analysis=options.analysis)
    say(options, f"{options.output}: a page that needs no other file")
    return 0
