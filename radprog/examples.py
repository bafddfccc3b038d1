"""Small data sets for the documentation: real ones from scikit-learn, and random ones.

Of those in ``example_files``, iris is Fisher's, with three labels of each kind in partly.csv. sinc
is sin(3x)/(3x) with large noise on 30 of 100 points, of which ten.csv has ten. series are random
walks with a wave that depends on the class. bags are molecules with two to eight shapes of four
numbers, of which one binds. plan is 60 parcels that fill 20 of 24 vans to the last kilogram, with
the answer of HiGHS at a gap of 10 %. classes has 12 random points. views are two views of 60 points
of the classes 7, 11 and 16, with kernel matrices of two classes and of new points. texts are words
in two tenses, some misspelt.
"""

from __future__ import annotations

import csv
import filecmp
import os
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from radprog.base.errors import OptionError, OutputError
from radprog.base.writing import atomic_text
from radprog.instances.dataset import Dataset, dataset
from radprog.instances.splits import split

EVERY = "all"
COPIED = ("plan", "iris", "sinc", "series", "bags", "views", "texts")  # in example_files
Maker = Callable[[Path], Sequence[str]]


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


def write_dataset(data: Dataset, path: Path, label: str) -> str:
    """Write a data set of two classes as CSV with all digits."""
    rows = (
        [*map(repr, point), data.labels[int(sign > 0)]]
        for point, sign in zip(data.X.tolist(), data.targets, strict=True)
    )
    with atomic_text(path) as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow([*data.features, label])
        writer.writerows(rows)
    return path.name


def write_classes(folder: Path) -> Sequence[str]:
    """Breast cancer data with 30 measurements of 569 tumours.

    The files are train.csv, test.csv, small.csv (150 rows of train.csv), and few.csv (12 points).
    """
    # real measurements, and a part of them for slow pages
    train, test = split(breast_cancer(), 0.7, seed=0)
    parts = (train, test, train.take(np.arange(150)))
    names = [
        write_dataset(part, folder / f"{name}.csv", "diagnosis")
        for part, name in zip(parts, ("train", "test", "small"), strict=True)
    ]
    return [*names, *copy_files("classes", folder)]


def copy_files(name: str, folder: Path) -> Sequence[str]:
    """Copy the files of a data set that the package holds."""
    held = sorted(files("radprog").joinpath("example_files", name).iterdir(), key=lambda f: f.name)
    for file in held:
        (folder / file.name).write_bytes(file.read_bytes())
    return [file.name for file in held]


MAKERS: Mapping[str, Maker] = {
    "classes": write_classes,
    **{name: partial(copy_files, name) for name in COPIED},
}


def write_examples(names: Sequence[str], folder: str | Path, *, force: bool = False) -> list[str]:
    """Write small real or random data sets into a folder, and return the names of the files.

    ``names`` are keys of MAKERS, or ``all``. Raises OptionError for another name, and the errors of
    :func:`place_files`.
    """
    for name in names:
        if name not in (*MAKERS, EVERY):
            raise OptionError(f"no example '{name}': expected one of {', '.join([*MAKERS, EVERY])}")
    wanted = MAKERS if EVERY in names else dict.fromkeys(names)
    return place_files(
        folder, lambda draft: [file for name in wanted for file in MAKERS[name](draft)], force=force
    )


def place_files(folder: str | Path, make: Maker, *, force: bool = False) -> list[str]:
    """Write the files of ``make`` into a folder, created if necessary, and return their names.

    The user did not name these files, so a file with other content is only replaced with ``force``.
    Raises OutputError for such a file, before any is written, and for a failed write.
    """
    target = Path(folder)
    try:
        target.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"cannot make the folder {target}: {error.strerror}") from None
    try:
        # first into a temporary folder, to compare with existing files
        with TemporaryDirectory(prefix=".radprog-", dir=target) as draft:
            files = list(make(Path(draft)))
            places = {Path(draft, name): target / name for name in files}
            lost = [
                str(place)
                for new, place in places.items()
                if place.exists() and not filecmp.cmp(new, place, shallow=False)
            ]
            if lost and not force:
                raise OutputError(
                    f"{', '.join(lost)}: another file of this name exists: name another folder "
                    "with `output`, or replace the file with `force`"
                )
            for new, place in places.items():
                os.replace(new, place)
    except OSError as error:
        raise OutputError(f"cannot write to {target}: {error.strerror or error}") from None
    return files
