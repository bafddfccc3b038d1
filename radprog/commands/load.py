"""``radprog load``: turn another solver's solution of an exported file into a certified result."""

from __future__ import annotations

import argparse

from radprog.base.errors import SOLUTION_FILES
from radprog.terminal import common
from radprog.terminal.common import Options
from radprog.terminal.output import finish

HELP = "evaluate another solver's solution of an exported file as a certified result"
EXAMPLES = (
    "load train.sol --names train.mps.names.json --data train.csv --json run.json",
    "load primal.sol --names primal.lp.names.json --data train.csv \\\n"
    "      --dual-sol dual.sol --dual-names dual.lp.names.json",
)
CODES = """exit codes:
  0  certified, or read without a bound: the result says "not certified" and why
  1  the duals leave too large a gap, or the file claims another objective, or infeasible
  2  a file cannot be read, or belongs to other names or data: nothing is written
  3  a solver that is not installed, or crashed
"""


def add(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    help = f"solution file of {SOLUTION_FILES}"
    parser.add_argument("solution", metavar="SOL", help=help)
    help = "names.json of the export"
    parser.add_argument("--names", required=True, metavar="NAMES.json", help=help)
    common.add_files(
        parser,
        data="the exported data (default: its --grams or --views)",
        dual_sol="solution of the exported dual form, for the bound",
        dual_names="names of the dual form",
    )
    common.add_settings(parser, tol=None, abs_tol=None)
    common.add_files(
        parser, json="the whole result as JSON", save="save the predictor as JSON, or as .npz"
    )


def run(options: Options) -> int:
    """Print the result of the solution file.

    The exit code is 1 if the claimed objective differs from the objective of the point, or if the
    duals do not certify the point.
    """
    from radprog.loading import load
    from radprog.result import result_of
    from radprog.saved import SavedFit
    from radprog.telling import summary_lines

    # the certificate is recomputed from the data
    loaded = load(
        options.solution,
        options.names,
        options.data,
        dual_sol=options.dual_sol,
        dual_names=options.dual_names,
        **common.chosen(options, "tol", "abs_tol"),
    )
    run = loaded.run
    result = result_of(run, loaded.data)
    files = {}
    if options.save is not None:
        saved = SavedFit(model=run.name, data=loaded.data, fit=run.fit)
        files[options.save] = saved.content(options.save)
    lines = summary_lines(result)
    finish(options, result, lines, warnings=result["warnings"], files=files)
    return 0 if loaded.agrees is not False and (run.certified or run.bound is None) else 1
