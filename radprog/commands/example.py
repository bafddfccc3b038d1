"""``radprog example``: write small data sets for the pages of the documentation."""

from __future__ import annotations

import argparse

from radprog.terminal import common
from radprog.terminal.common import Options
from radprog.terminal.output import emit

HELP = "write small data files, real or seeded, for the pages of the documentation"
EXAMPLES = ("example classes", "example all -o data")


def add(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.add_argument(
        "names",
        nargs="+",
        metavar="NAME",
        help="classes (train.csv, test.csv, small.csv, few.csv, twice.csv), "
        "iris (iris.csv, partly.csv), sinc (sinc.csv, ten.csv), "
        "series (waves_TRAIN.tsv, waves_TEST.tsv, three.tsv), "
        "bags (bags_TRAIN.npz, bags_TEST.npz, molecules.csv), views (a.csv, b.csv, "
        "kernels.npz, new.npy), texts (texts.csv), cars (cars.csv), or all",
    )
    words = "folder to write (default: the current one)"
    common.add_output(parser, "FOLDER", words, default=".")
    common.add_force(parser)
    common.add_talk_options(parser)


def run(options: Options) -> int:
    """Write the files and print their names."""
    from radprog.examples import write_examples

    files = write_examples(options.names, options.output, force=options.force)
    emit("".join(f"{name}\n" for name in files))
    return 0
