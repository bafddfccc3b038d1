"""``radprog bounds``: compare all error bounds of a result."""

from __future__ import annotations

import argparse
from contextlib import suppress
from pathlib import Path

from radprog.base.errors import KernelError
from radprog.terminal import common
from radprog.terminal.common import Options
from radprog.terminal.output import finish, probe

HELP = "every error bound of a result side by side"
DEFINED = """\
Marks of a bound:
  <- best    the least proved one, also by test rows (test) or rows held out (hold-out)
  vacuous    it is 1 or more, by its largest summand; rho is the margin that it divides by
  estimate   its proof lacks a step; --verbose lists these steps, and the source of each bound"""
EXAMPLES = (
    "bounds run.json --delta 0.01",
    "bounds run.json --data train.csv --test test.csv --json bounds.json",
)


def add(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.description = f"{parser.description}\n\n{DEFINED}"
    parser.add_argument("result", metavar="RUN.json", help="file of solve --json")
    help = "probability that a bound fails (that of the run)"
    parser.add_argument("--delta", type=float, metavar="D", help=help)
    help = "share of the rows to hold out, drawn with the seed of the run; a fit to the other rows "
    help += "is tested on them; 0: none (0.2)"
    parser.add_argument("--holdout", type=float, default=0.2, metavar="SHARE", help=help)
    common.add_files(
        parser,
        data="the data of RUN.json, for complexities by Monte Carlo (default: the file of this "
        "name beside RUN.json, if it exists)",
        test="show how far bounds are from its error",
        json="the table as JSON",
    )


def run(options: Options) -> int:
    """Print the table of bounds."""
    from radprog.analysis.bounds import bound_parts, bounds, gap_lines
    from radprog.saved import StoredRun, read_json

    result = read_json(options.result, "a result of radprog solve")
    # the data lie beside the result, unless they are named
    with suppress(KernelError):  # a user function, which no file contains
        name = Path(StoredRun.of(result, options.result).name).name
        path = Path(options.result).with_name(name)
        options.data = options.data or (str(path) if path.is_file() else None)
    probe(options)
    arguments = {"delta": options.delta, "test": options.test, "holdout": options.holdout}
    table = bounds(options.result, options.data, **arguments)
    parts = bound_parts(table)
    finish(options, table, [*parts, *gap_lines(table, listed=options.verbose)])
    return 0
