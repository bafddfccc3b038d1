"""``radprog data``: the papers' data sets, to list or to fetch."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from radprog.base.errors import DataError, OptionError
from radprog.terminal import common
from radprog.terminal.common import JsonObject, Options
from radprog.terminal.output import emit, say

HELP = "the papers' data sets: list them, or fetch one"
NO_FOLDER = "-"  # the state of a file where no folder is named
EXAMPLES = ("data list --data DIR", "data fetch german -o data")


def add(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.add_argument("action", choices=("list", "fetch"))
    parser.add_argument("name", nargs="?", help="which one to fetch")
    parser.add_argument(
        "--data",
        "-o",
        "--output",
        metavar="DIR",
        help="folder to look into, or to write to (RADPROG_DATA)",
    )
    parser.add_argument(
        "--force", action="store_true", help="write what has another hash than expected, too"
    )
    common.add_talk_options(parser)


def run(options: Options) -> int:
    """List, or fetch."""
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
    known = folder is not None or bool(os.environ.get(catalogue.FOLDER_VARIABLE))
    states = {entry.file: state.value for entry, state in catalogue.status(folder)} if known else {}
    rows = [
        {
            "file": entry.file,
            "state": states.get(entry.file, NO_FOLDER),
            "rows": entry.rows,
            "features": entry.features,
            "way": "fetch" if entry.fetchable else "by hand",
            "source": entry.source if options.verbose else "",
        }
        for entry in catalogue.CATALOGUE
    ]
    emit("".join(f"{line}\n" for line in lines({"rows": rows})))
    return 0


def lines(table: JsonObject) -> list[str]:
    """A row for each file, below a line where no folder is named, and what the words mean."""
    meaning = {
        "mismatch": "mismatch: another file than expected, by its hash",
        "absent": "absent: not in the folder",
    }
    seen = {row["state"] for row in table["rows"]}
    heads = {"file": "file", "state": "state", "way": "way", "source": ""}
    sizes = ["   rows x features", *(f"{r['rows']:>7} x {r['features']:<8}" for r in table["rows"])]
    files = [
        f"{row['file']:<36}{row['state']:<10}{size} {row['way']:<9}{row['source']}".rstrip()
        for row, size in zip([heads, *table["rows"]], sizes, strict=True)
    ]
    nowhere = ["no folder is named: give --data DIR, or set RADPROG_DATA to it"]
    return [
        *(nowhere if NO_FOLDER in seen else []),
        *files,
        *(text for state, text in meaning.items() if state in seen),
        "fetch: by 'radprog data fetch NAME'; by hand: from what --verbose names",
    ]
