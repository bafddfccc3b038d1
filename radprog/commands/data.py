"""``radprog data``: list or download the papers' data sets."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from radprog.base.errors import DataError, OptionError
from radprog.base.sections import Table
from radprog.terminal import common
from radprog.terminal.common import Options
from radprog.terminal.output import emit, say

HELP = "list the papers' data sets, or download one"
MEANINGS = {
    "mismatch": "mismatch: another file than expected, by its hash",
    "absent": "absent: not in the folder",
    "unchecked": "unchecked: no hash of the file is known",
}
EXAMPLES = ("data list --data DIR", "data fetch german -o data")


def add(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.add_argument("action", choices=("list", "fetch"))
    parser.add_argument("name", nargs="?", help="data set to download")
    parser.add_argument(
        "--data",
        "-o",
        "--output",
        metavar="DIR",
        help="folder of the data sets (default RADPROG_DATA)",
    )
    parser.add_argument(
        "--force", action="store_true", help="also write a file with another hash than expected"
    )
    common.add_talk_options(parser)


def run(options: Options) -> int:
    """List or download data sets."""
    from radprog.instances import papers_data as catalogue

    folder = None if options.data is None else Path(options.data)
    if options.action == "fetch":
        if options.name is None:
            raise OptionError("data fetch: which data set? see 'radprog data list'")
        state = catalogue.fetch(options.name, folder=folder, force=options.force)
        say(options, f"{options.name}: {state.value}")
        return 0
    if folder is not None and not folder.is_dir():
        raise DataError(f"{folder}: expected a folder")
    named = folder is not None or bool(os.environ.get(catalogue.FOLDER_VARIABLE))
    states = {entry.file: state.value for entry, state in catalogue.status(folder)} if named else {}
    rows = [
        (
            entry.file,
            states.get(entry.file, ""),
            entry.rows,
            entry.features,
            "fetch" if entry.fetchable else "by hand",
            entry.source if options.verbose else "",
        )
        for entry in catalogue.EVERY_SET
    ]
    table = Table(head=("file", "state", "rows", "features", "way", "source"), rows=rows)
    shown = [
        *([] if named else ["no folder is named: give --data DIR, or set RADPROG_DATA to it"]),
        *table.lines(),
        *(text for state, text in MEANINGS.items() if state in states.values()),
        "fetch: by 'radprog data fetch NAME'; by hand: from what --verbose names",
    ]
    emit("".join(f"{line}\n" for line in shown))
    return 0
