"""The papers' data sets: where each file comes from, and whether it is here; one is always."""

from __future__ import annotations

import os
import urllib.request
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
}
PREFIXES = {
    "{german}": "eduardoluiz7/SI-2018-2@f5e99bc59d2bf4e0692df9ce344ad2c1ea9e51dd:",
    "{arff}": "renatopp/arff-datasets@c59f172882592bb58982cc54d2d3c8a2b57e9b73:classification/",
    "{ucr}": (
        "iwuqing/Time-Series-Classification-based-on-KNN"
        "@6f961db51e2633ba46524913177c518bd03bb843:data/"
    ),
}


class State(StrEnum):
    """What the data folder holds of an entry."""

    PRESENT = "present"
    ABSENT = "absent"
    MISMATCH = "mismatch"


@dataclass(frozen=True, kw_only=True)
class DataEntry:
    """A data file: rows of ``features`` numbers and a label (last; first in ``ucr``).

    file: below the data folder; source: ``owner/repository[@commit]:path`` on GitHub;
    conversion: ``=`` the source's bytes; ``*`` its cells as CSV; ``a=b,...`` the same with labels
    renamed; ``-`` made by hand, which ``fetch`` cannot repeat.
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
    """The folder that RADPROG_DATA names; DataError where it is not set or no folder."""
    given = os.environ.get(FOLDER_VARIABLE, "")
    if not given:
        raise DataError(
            "the papers' data: give --data DIR, the folder that holds vkr/german.csv etc., or set "
            f"{FOLDER_VARIABLE} to it"
        )
    if not Path(given).is_dir():
        raise DataError(f"{FOLDER_VARIABLE} is '{given}', expected a folder")
    return Path(given)


def entry(name: str) -> DataEntry:
    """The entry of a file (``vkr/german.csv``) or of its name alone (``german``)."""
    for candidate in CATALOGUE:
        if name in (candidate.file, candidate.name, PurePosixPath(candidate.file).name):
            return candidate
    known = ", ".join(candidate.name for candidate in CATALOGUE)
    raise DataError(f"no data set '{name}': expected one of {known}")


def status(folder: Path | None = None) -> tuple[tuple[DataEntry, State], ...]:
    """Every entry of the catalogue with its state in a folder, by default that of the data."""
    folder = data_folder() if folder is None else folder
    return tuple((known, _state(folder / known.file, known)) for known in CATALOGUE)


def _state(path: Path, known: DataEntry) -> State:
    if not path.is_file():
        return State.ABSENT
    return State.PRESENT if digest(path.read_bytes()) == known.sha256 else State.MISMATCH


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
    """How a file of the papers' data is had; None: one that is not in the catalogue."""
    if wanted is None:
        return "'radprog data list' has no source for it: bring your own"
    if wanted.fetchable:
        return f"'radprog data fetch {wanted.name}' brings it"
    return f"make it from {wanted.source}"


def other_hash(wanted: DataEntry, found: str) -> str:
    """What is said of a file whose bytes are not those of the catalogue: both hashes."""
    return f"{wanted.file} has SHA-256 {found}, expected {wanted.sha256}"


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


def _parsed(table: str) -> tuple[DataEntry, ...]:
    for short, full in PREFIXES.items():
        table = table.replace(short, full)
    words = table.split()
    return tuple(
        DataEntry(
            file=file,
            rows=int(rows),
            features=int(features),
            source=source,
            conversion=conversion,
            sha256=sha256,
        )
        for file, rows, features, source, conversion, sha256 in zip(
            *(words[k::6] for k in range(6)), strict=True
        )
    )


# file, rows, features, source, conversion, sha256
CATALOGUE = _parsed("""
vkr/breastcancer.csv 699 9 {arff}breast.w.arff benign=-1,malignant=1
  1c6ac742900555748712412fe7d129e075647e3a11339d50c7ebfc7be1adbc1c
vkr/climate.csv 540 18 addmao/Climate_Model:pop_failures.dat -
  b3073df4013ff27576ff1217db65156eab18247321c206a84b08d4f2efd2eb4b
vkr/diabetes.csv 768 8 {arff}diabetes.arff tested_negative=-1,tested_positive=1
  4e80d357d7f1d89c9d3c22ad8731d8bab46fa00e786926d3e42c56192fb6ea17
vkr/german.csv 1000 24 {german}german.data-numeric 1=1,2=-1
  f87ef79959067c804306d72373e551e08ae70b9f1e763ef09757b5f8b2f7bd19
vkr/ionosphere.csv 351 34 {arff}ionosphere.arff b=-1,g=1
  a6a966006a4ee41ee5d66b5799ee0ce082fea7000b200612e59f4776e7b276ba
vkr/ocr49.csv 2000 196 charliermarsh/java-ml:data/ocr49.train -
  f215025ff213f20be96b89b7dd4247f057d170a3e9e896bb5328ba424038b8c0
vkr/phishing.csv 2456 30 DuyPhamziz/phishing_websites:data/.old.arff *
  629c1da32474a7a65802d90dde915d506e5313c7e1b63f4b746ffd35d8436a15
vkr/waveform01.csv 3304 21 cromero294/noise-based-classifier:datasets/waveform.data -
  6db6694355706e48f54b275aa280688fb1fbe38ea6e11ba03bda98cc7bb3484c
clustering/waveform.csv 5000 21 cromero294/noise-based-classifier:datasets/waveform.data *
  50973daeb8e7cf1f2d5535b8743a5a481e09cd729f4b8c269a7b6ac1784a6d8b
clustering/iris.csv 150 4 {arff}iris.arff *
  51661a85b73c89505b36248573afca923c18d3b0d92fa5daec84f728948bcf58
clustering/wine.csv 178 13 {arff}wine.arff -
  24cefd7e5d00a6c9cb806f6a8e3ef2e48ae23b1ca5863b11300718d3dacab509
clustering/heart_statlog.csv 270 13 {arff}heart.statlog.arff absent=-1,present=1
  1b74beefde8412c92aabd9fdc4b275caf16b60e8c11a349959c317fa75d4b1c4
clustering/sonar.csv 208 60 {arff}sonar.arff Rock=-1,Mine=1
  d499685a5a3839b547f4d55d2832166a928996aac1f31fe528866ccbce599df7
clustering/glass.csv 214 9 {arff}glass.arff *
  cead320ef592d255b024972af00cd7a81bd4e355b04ca0b29ebf390f2e1eded2
clustering/ecoli.csv 336 7 {arff}ecoli.arff *
  93b6243eab4592a1ac83f4b2adba498db383b92840bbd91537887711d57c4eda
clustering/breast_cancer_wdbc.csv 569 30 scikit-learn:load_breast_cancer -
  ce1d1e44534cc15347fc983db620e0e3753552746781f04fb46fef0bb014a8b9
clustering/seeds.csv 210 7 jbrownlee/Datasets:wheat-seeds.csv *
  ccbb02ab12d769438861e857d4d944c3a1f674cb5303690a0eedc861a19d4e10
mkl/proteinFold_view01.csv 694 27 ytccyw/TLMSC:datasets/proteinFold.mat -
  b811f9104a8ce216a81846de87fc8f4cb83f4bee033e2a25d3240b4b438ed892
mkl/proteinFold_view02.csv 694 27 ytccyw/TLMSC:datasets/proteinFold.mat -
  aab731df353f15d8e948a659bcdd6e44b6102ed6950d0b5f4c1d74ceab714e83
mkl/proteinFold_view03.csv 694 27 ytccyw/TLMSC:datasets/proteinFold.mat -
  9ce227b75e6275e45fd46c216426f9d35985baf5e3fd3285db854909a802788d
mkl/proteinFold_view04.csv 694 27 ytccyw/TLMSC:datasets/proteinFold.mat -
  3622cedae0d52011f11962afd04482ffe03e1946527909571c8e03be2aeee6b4
mkl/proteinFold_view05.csv 694 27 ytccyw/TLMSC:datasets/proteinFold.mat -
  828ef350c93e2665adb9cb31fcaf5ecb65a9d064a94dba0ea3ed2c668b315071
mkl/proteinFold_view06.csv 694 27 ytccyw/TLMSC:datasets/proteinFold.mat -
  35b47ac6c57e5b78dcfcca46d2c7c37ac73ecb54adf73b20757d75f9ce41aa5c
mkl/proteinFold_view07.csv 694 27 ytccyw/TLMSC:datasets/proteinFold.mat -
  0b6ed71dc5f646ff04058eb07431027be205c1d33894a238067e868160f9a0d9
mkl/proteinFold_view08.csv 694 27 ytccyw/TLMSC:datasets/proteinFold.mat -
  610ecbf6bfb6aaef985867af99b5048f9562d1714ec8a321f3f06d9ba271ee1f
mkl/proteinFold_view09.csv 694 27 ytccyw/TLMSC:datasets/proteinFold.mat -
  0a677d2cb01653948e5ca4c55bd23b3e7da95108a98aeed918f28f2a3905cdcb
mkl/proteinFold_view10.csv 694 27 ytccyw/TLMSC:datasets/proteinFold.mat -
  ddd0ba07f8d3b7c4773386b4dbe4e10d5bffb95b4da5194b65d24a8199f62c42
mkl/proteinFold_view11.csv 694 27 ytccyw/TLMSC:datasets/proteinFold.mat -
  3d079fa07bb3d8bd5f812828f6858a138c732bec525ca2687e12d90185e40477
mkl/proteinFold_view12.csv 694 27 ytccyw/TLMSC:datasets/proteinFold.mat -
  c388e0f813c80a1459c021a3bf14e1087b35f174a9237bdcb3db75b2867fea3c
ucr/ECGFiveDays_TRAIN.tsv 23 136 {ucr}ECGFiveDays/ECGFiveDays_TRAIN.tsv =
  e81cc7d1b974324b432ce50bc6e9dac88e3111ffd46dccd1df1e4863e82022c3
ucr/ECGFiveDays_TEST.tsv 861 136 {ucr}ECGFiveDays/ECGFiveDays_TEST.tsv =
  bb9706f13954be81bf9b47aa6e8634e94f11fdee93237e3c039d8822eef4439f
ucr/GunPoint_TRAIN.tsv 50 150 {ucr}GunPoint/GunPoint_TRAIN.tsv =
  4d14e4f44a6230087cb4b4ed7844c8b0feb76f07a76108cc367d689e0de8f609
ucr/GunPoint_TEST.tsv 150 150 {ucr}GunPoint/GunPoint_TEST.tsv =
  5537eb2f3050e1514f3221b5f4c9799b350fb229ea15eed9e78bbae855505ccf
ucr/ItalyPowerDemand_TRAIN.tsv 67 24 {ucr}ItalyPowerDemand/ItalyPowerDemand_TRAIN.tsv =
  fab46ef99232ada65773ed89b131954a91ec1da69803159cb1566f320dbaf22e
ucr/ItalyPowerDemand_TEST.tsv 1029 24 {ucr}ItalyPowerDemand/ItalyPowerDemand_TEST.tsv =
  ab22aa53de4ef55f2e2bcbf0518565704aeec8d76f48ef1180903bf5814c47fc
ucr/TwoLeadECG_TRAIN.tsv 23 82 {ucr}TwoLeadECG/TwoLeadECG_TRAIN.tsv =
  63c29e3f7f0411b729c6c90732cb1c1c08f257a7130b15680f484e82d6ed17a8
ucr/TwoLeadECG_TEST.tsv 1139 82 {ucr}TwoLeadECG/TwoLeadECG_TEST.tsv =
  18dd890ee9963869e22b137aa4e54736d2b2384251a20ec831f2dc7620be2f3f
""")
