"""The papers' data files, where RADPROG_DATA names their folder."""

import csv
import os
from pathlib import Path

LIST = Path(__file__).resolve().parents[2] / "reproduction" / "data.tsv"


def listed() -> list[dict[str, str]]:
    """The lines of the list of files that have a hash."""
    with LIST.open() as stream:
        return [line for line in csv.DictReader(stream, delimiter="\t") if line["sha256"]]


def path_of(name: str) -> Path:
    """The path of a file by its path in the folder, or by its name."""
    (file,) = (line["file"] for line in listed() if name in (line["file"], Path(line["file"]).stem))
    return Path(os.environ["RADPROG_DATA"]) / file
