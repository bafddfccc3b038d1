"""The papers' data sets: the source of each file, and its state in the data folder."""

from __future__ import annotations

import csv
import importlib.resources
import os
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path, PurePosixPath

import numpy as np

from radprog.base.errors import DataError, OutputError
from radprog.base.writing import atomic_bytes
from radprog.instances.dataset import Dataset, dataset
from radprog.instances.delimited import TableOptions
from radprog.instances.tables import Table, digest
from radprog.instances.tabular import parse_table

FOLDER_VARIABLE = "RADPROG_DATA"
RAW_ADDRESS = "https://raw.githubusercontent.com"
PAPERS = {
    "vkr": "Voted Kernel Regularization",
    "clustering": "Discriminative Similarity for Clustering and Semi-Supervised Learning",
    "mkl": "Learning Kernels Using Local Rademacher Complexity",
    "ucr": "Boosting the Kernelized Shapelets",
    "bags": "Boosting the Kernelized Shapelets",
}


class State(StrEnum):
    """The state of an entry in the data folder."""

    PRESENT = "present"
    ABSENT = "absent"
    MISMATCH = "mismatch"
    UNCHECKED = "unchecked"


@dataclass(frozen=True, kw_only=True)
class DataEntry:
    """A data file: rows of ``features`` numbers and a label (last; first in ``ucr``).

    - file: path below the data folder.
    - source: ``owner/repository[@commit]:path`` on GitHub.
    - conversion: ``=`` keeps the bytes of the source. ``*`` writes the cells of the source as CSV.
      ``a=b,...`` also renames labels. ``-`` means that the file was made by hand, and ``fetch``
      cannot make it.
    - sha256: the hash of the file, or empty if no file of the data set was available. If the hash
      is empty, the source is a name, and ``features`` may be the number of kernels.
    """

    file: str
    rows: int
    features: int
    source: str
    conversion: str
    sha256: str

    @property
    def name(self) -> str:
        """The name of the file without folder and suffix."""
        return PurePosixPath(self.file).stem

    @property
    def paper(self) -> str:
        """The title of the paper that uses the file."""
        return PAPERS[self.file.split("/")[0]]

    @property
    def fetchable(self) -> bool:
        """Whether ``fetch`` can make the file from the source."""
        return self.conversion != "-"

    @property
    def address(self) -> str:
        """The GitHub address of the source."""
        repository, path = self.source.split(":")
        owner_name, _, commit = repository.partition("@")
        return f"{RAW_ADDRESS}/{owner_name}/{commit or 'HEAD'}/{path}"


def data_folder() -> Path:
    """The folder in the environment variable RADPROG_DATA.

    Raises DataError if the variable is not set, or is not the path of a folder.
    """
    folder = os.environ.get(FOLDER_VARIABLE, "")
    if not folder:
        raise DataError(
            "the papers' data: give --data DIR, the folder that holds vkr/german.csv etc., or set "
            f"{FOLDER_VARIABLE} to it"
        )
    if not Path(folder).is_dir():
        raise DataError(f"{FOLDER_VARIABLE} is '{folder}', expected a folder")
    return Path(folder)


def entry(name: str) -> DataEntry:
    """The entry of a file with this path (``vkr/german.csv``) or name (``german``).

    Raises DataError if there is none.
    """
    for candidate in EVERY_SET:
        if name in (candidate.file, candidate.name, PurePosixPath(candidate.file).name):
            return candidate
    names = ", ".join(candidate.name for candidate in EVERY_SET)
    raise DataError(f"no data set '{name}': expected one of {names}")


def status(folder: Path | None = None) -> tuple[tuple[DataEntry, State], ...]:
    """All entries with their states in a folder; the default is the data folder."""
    folder = data_folder() if folder is None else folder
    return tuple((one, _state(folder / one.file, one)) for one in EVERY_SET)


def _state(path: Path, wanted: DataEntry) -> State:
    if not path.is_file():
        return State.ABSENT
    if not wanted.sha256:
        return State.UNCHECKED
    return State.PRESENT if digest(path.read_bytes()) == wanted.sha256 else State.MISMATCH


def fetch(
    name: str, *, folder: Path | None = None, address: str | None = None, force: bool = False
) -> State:
    """Download the source of a data file, convert it, and write it below ``folder``.

    The default ``folder`` is the result of :func:`data_folder`. The default ``address`` is the
    source on GitHub. With ``force`` the file is written even if its hash differs from the
    catalogue's. Returns PRESENT, or MISMATCH for a file with a different hash. Raises DataError if
    the file cannot be made, has a wrong number of rows or columns, or, without ``force``, a
    different hash. Raises OutputError if the file cannot be written. After an error no file is
    written.
    """
    wanted = entry(name)
    if not wanted.fetchable:
        raise DataError(f"{wanted.file} is not a plain conversion of its source: {whence(wanted)}")
    target = (data_folder() if folder is None else folder) / wanted.file
    # download, convert, compare shape and hash, then write
    address = address or wanted.address
    try:
        with urllib.request.urlopen(address, timeout=60) as answer:
            raw = answer.read()
    except (OSError, ValueError) as error:
        raise DataError(f"{address}: cannot be downloaded: {error}") from None
    table = parse_table(
        address, raw, TableOptions(label="first" if wanted.conversion == "=" else "last")
    )
    if table.values.shape != (wanted.rows, wanted.features):
        raise DataError(
            f"{address}: {table.values.shape[0]} rows of {table.values.shape[1]} features, "
            f"expected {wanted.rows} of {wanted.features}"
        )
    content = raw if wanted.conversion == "=" else as_csv(table, wanted.conversion).encode()
    if digest(content) != wanted.sha256 and not force:
        raise DataError(f"{address}: {other_hash(wanted, digest(content))}; --force writes it")
    _write(target, content)
    return _state(target, wanted)


def whence(wanted: DataEntry | None) -> str:
    """Instructions for getting a file of the papers' data. ``wanted`` is its entry, or None."""
    if wanted is None:
        return "'radprog data list' has no source for it: bring your own"
    if wanted.fetchable:
        return f"'radprog data fetch {wanted.name}' brings it"
    return f"make it from {wanted.source}"


def other_hash(wanted: DataEntry, digits: str) -> str:
    """The message about a file whose hash differs from the catalogue's. It gives both hashes."""
    return f"{wanted.file} has SHA-256 {digits}, expected {wanted.sha256}"


def breast_cancer(scale: str = "none") -> Dataset:
    """The Wisconsin diagnostic breast cancer data from scikit-learn: X (569, 30).

    The label malignant (212 rows) is +1, and benign (357 rows) is -1. ``scale`` is one of SCALINGS,
    computed from all rows.
    """
    from sklearn.datasets import load_breast_cancer

    bunch = load_breast_cancer()
    return dataset(
        bunch.data,
        np.asarray(bunch.target_names)[bunch.target],
        name="breast_cancer",
        labels=("benign", "malignant"),
        features=tuple(str(name) for name in bunch.feature_names),
        scale=scale,
    )


def _write(target: Path, content: bytes) -> None:
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"cannot make {target.parent}: {error.strerror}") from None
    with atomic_bytes(target) as stream:
        stream.write(content)


def as_csv(table: Table, conversion: str = "*") -> str:
    """The lines of a CSV file with the features and, last, the label.

    Numbers have the fewest digits that give the same floating-point number; ``nan`` is a missing
    cell. ``conversion`` is ``*``, or ``a=b,...`` to rename labels. Raises DataError for a label
    that is not in this list.
    """
    labels = table.labels or ()
    if conversion != "*":
        renamed = dict(pair.split("=") for pair in conversion.split(","))
        if not set(labels) <= renamed.keys():
            raise DataError(
                f"{table.source}: labels {sorted(set(labels))}, expected {sorted(renamed)}"
            )
        labels = tuple(renamed[label] for label in labels)
    cells = [[repr(x).removesuffix(".0") for x in row] for row in (table.values + 0.0).tolist()]
    return "".join(",".join([*row, label]) + "\n" for row, label in zip(cells, labels, strict=True))


def _catalogue() -> Iterator[DataEntry]:
    """The entries of papers_data.tsv."""
    text = importlib.resources.files("radprog.instances").joinpath("papers_data.tsv").read_text()
    for row in csv.DictReader(text.splitlines(), delimiter="\t"):
        rows, features = int(row.pop("rows")), int(row.pop("features"))
        yield DataEntry(rows=rows, features=features, **row)


EVERY_SET = tuple(_catalogue())
#: The entries with a hash.
CATALOGUE = tuple(one for one in EVERY_SET if one.sha256)
