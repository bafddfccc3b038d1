"""``radprog demo``: the main job on a shipped real data set."""

from __future__ import annotations

import argparse
from pathlib import Path

from radprog.terminal import common
from radprog.terminal.common import Options

HELP = "the main job on a shipped real data set; most of its time is the whole dual program"
EXAMPLES = ("demo -o demo-output",)


def add(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.add_argument(
        "-o", "--output", default="demo-output", metavar="FOLDER", help="default demo-output"
    )
    common.add_talk_options(parser)


def run(options: Options) -> int:
    """Solve, check, export, verify on the shipped data."""
    from radprog.shipped.demo import run_demo

    return run_demo(Path(options.output), quiet=options.quiet)
