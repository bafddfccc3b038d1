"""The papers' data sets: where each file comes from, and whether it is here; one is always."""

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
    """What the data folder holds of an entry."""

    PRESENT = "present"
    ABSENT = "absent"
    MISMATCH = "mismatch"
    UNCHECKED = "unchecked"


@dataclass(frozen=True, kw_only=True)
class DataEntry:
    """A data file: rows of ``features`` numbers and a label (last; first in ``ucr``).

    file: below the data folder; source: ``owner/repository[@commit]:path`` on GitHub;
    conversion: ``=`` the source's bytes; ``*`` its cells as CSV; ``a=b,...`` the same with labels
    renamed; ``-`` made by hand, which ``fetch`` cannot repeat. sha256: empty where no file of the
    set was at hand, whose source is then a name, and features may count kernels.
    """

    file: str
    rows: int
    features: int
    source: str
    conversion: str
    sha256: str

    @property
    def name(self) -> str:
        """The file's name without folder and suffix."""
        return PurePosixPath(self.file).stem

    @property
    def paper(self) -> str:
        """Title of the paper that uses it."""
        return PAPERS[self.file.split("/")[0]]

    @property
    def fetchable(self) -> bool:
        """Whether ``fetch`` can make the file from its source."""
        return self.conversion != "-"

    @property
    def address(self) -> str:
        """Where GitHub serves the source."""
        repository, path = self.source.split(":")
        owner_name, _, commit = repository.partition("@")
        return f"{RAW_ADDRESS}/{owner_name}/{commit or 'HEAD'}/{path}"


def data_folder() -> Path:
    """The folder that RADPROG_DATA names; raises DataError if it is not set or no folder."""
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
    """The entry of a file, by path (``vkr/german.csv``) or by name (``german``)."""
    for candidate in EVERY_SET:
        if name in (candidate.file, candidate.name, PurePosixPath(candidate.file).name):
            return candidate
    names = ", ".join(candidate.name for candidate in EVERY_SET)
    raise DataError(f"no data set '{name}': expected one of {names}")


def status(folder: Path | None = None) -> tuple[tuple[DataEntry, State], ...]:
    """Every entry with its state in a folder, by default that of the data."""
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
    """Download a data file's source, convert it and put it below ``folder``.

    folder: RADPROG_DATA by default; address: the source's on GitHub by default; force: also where
    the bytes are not those of the catalogue. Returns PRESENT, or with ``force`` MISMATCH. Raises
    DataError where the file cannot be made from its source, comes out with other rows or columns,
    or has another hash, which names both; OutputError where it cannot be written; then nothing is
    written.
    """
    wanted = entry(name)
    if not wanted.fetchable:
        raise DataError(f"{wanted.file} is no plain conversion of its source: {whence(wanted)}")
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
    """How to get a file of the papers' data; None for a file that is not in the catalogue."""
    if wanted is None:
        return "'radprog data list' has no source for it: bring your own"
    if wanted.fetchable:
        return f"'radprog data fetch {wanted.name}' brings it"
    return f"make it from {wanted.source}"


def other_hash(wanted: DataEntry, digits: str) -> str:
    """The message for a file whose hash differs from the catalogue's: both hashes."""
    return f"{wanted.file} has SHA-256 {digits}, expected {wanted.sha256}"


def breast_cancer(scale: str = "none") -> Dataset:
    """Wisconsin diagnostic breast cancer, as bundled with scikit-learn: X (569, 30).

    malignant (212 rows) is +1, benign (357) is -1. scale: one of SCALINGS, fitted on all rows.
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
    """Features, then the label, in the shortest digits that read back the same (``nan``: missing).

    conversion: ``*`` or ``a=b,...``, which renames labels; DataError on a label that it lacks.
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
#: Those with a hash.
CATALOGUE = tuple(one for one in EVERY_SET if one.sha256)
