"""Small data sets for the documentation: real ones from scikit-learn, and seeded random ones."""

from __future__ import annotations

import csv
import filecmp
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from radprog.base.errors import OptionError, OutputError
from radprog.base.types import FloatArray
from radprog.base.writing import atomic_bytes, atomic_text
from radprog.instances.bags import bags
from radprog.instances.dataset import Dataset, dataset
from radprog.instances.generators import sinc
from radprog.instances.splits import split

EVERY = "all"
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


def write_table(path: Path, header: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Write a CSV file and return its name."""
    with atomic_text(path) as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)
    return path.name


def write_dataset(data: Dataset, path: Path, label: str) -> str:
    """Write a data set of two classes as CSV with all digits."""
    rows = (
        [*map(repr, point), data.labels[int(sign > 0)]]
        for point, sign in zip(data.X.tolist(), data.targets, strict=True)
    )
    return write_table(path, [*data.features, label], rows)


def write_classes(folder: Path) -> Sequence[str]:
    """Breast cancer data with 30 measurements of 569 tumours.

    The files are train.csv, test.csv, small.csv (150 rows of train.csv), few.csv (12 points), and
    twice.csv, where one point has both labels.
    """
    # real measurements, and a part of them for slow pages
    train, test = split(breast_cancer(), 0.7, seed=0)
    parts = (train, test, train.take(np.arange(150)))
    names = [
        write_dataset(part, folder / f"{name}.csv", "diagnosis")
        for part, name in zip(parts, ("train", "test", "small"), strict=True)
    ]
    rng = np.random.default_rng(0)
    points = [
        [*map(repr, rng.normal(2.0 * (i % 2), 1.0, 2).tolist()), str(i % 2)] for i in range(12)
    ]
    names.append(write_table(folder / "few.csv", ["a", "b", "label"], points))
    twice = [*points, [*points[0][:2], "1"]]  # the first point again, with the other label
    names.append(write_table(folder / "twice.csv", ["a", "b", "label"], twice))
    return names


def write_iris(folder: Path) -> Sequence[str]:
    """Iris data, 150 flowers of three kinds: iris.csv, and partly.csv with three labels per
    kind."""
    from sklearn.datasets import load_iris

    bunch = load_iris()
    kinds = np.asarray(bunch.target_names)[bunch.target].tolist()
    header = [*bunch.feature_names, "kind"]
    points = [[repr(v) for v in row] for row in bunch.data.tolist()]
    # three known labels of every kind
    labelled = {i for kind in range(3) for i in range(50 * kind, 50 * kind + 3)}
    partly = [kind if i in labelled else "" for i, kind in enumerate(kinds)]
    return [
        write_table(folder / name, header, ([*p, k] for p, k in zip(points, labels, strict=True)))
        for name, labels in (("iris.csv", kinds), ("partly.csv", partly))
    ]


def write_sinc(folder: Path) -> Sequence[str]:
    """sin(3x)/(3x) with large noise on 30 of 100 points: sinc.csv, and ten.csv with ten of them."""
    data = sinc()
    rows = [
        [repr(x), repr(y)]
        for x, y in zip(data.X[:, 0].tolist(), np.asarray(data.y).tolist(), strict=True)
    ]
    return [
        write_table(folder / "sinc.csv", ["x", "y"], rows),
        write_table(folder / "ten.csv", ["x", "y"], rows[::10]),
    ]


def write_series(folder: Path) -> Sequence[str]:
    """Random walks with a wave that depends on the class: waves_TRAIN.tsv, waves_TEST.tsv,
    three.tsv."""
    rng = np.random.default_rng(0)
    names = []
    for name, rows, kinds in (("waves_TRAIN", 40, 2), ("waves_TEST", 60, 2), ("three", 30, 3)):
        # a random walk, with the wave of a class at a random place
        walks: FloatArray = rng.normal(0.0, 0.5, (rows, 60)).cumsum(axis=1)
        for i in range(rows):
            start, turns = int(rng.integers(0, 45)), (0.0, 1.0, 2.0)[i % kinds]
            walks[i, start : start + 15] += 3.0 * np.sin(turns * 2.0 * np.pi * np.arange(15) / 15)
        with atomic_text(folder / f"{name}.tsv") as stream:
            for i, walk in enumerate(walks.tolist()):
                stream.write("\t".join([str(1 + i % kinds), *map(repr, walk)]) + "\n")
        names.append(f"{name}.tsv")
    return names


def write_bags(folder: Path) -> Sequence[str]:
    """Random molecules with two to eight shapes, of which one or none binds.

    The files are molecules.csv with one row per shape, and the bags in bags_TRAIN.npz and
    bags_TEST.npz.
    """
    rng = np.random.default_rng(0)
    names = []
    for name, count in (("bags_TRAIN", 40), ("bags_TEST", 60)):
        shapes = [rng.normal(size=(int(rng.integers(2, 9)), 4)) for _ in range(count)]
        kinds = ["binds" if i % 2 else "idle" for i in range(count)]
        for i in range(1, count, 2):
            shapes[i][rng.integers(len(shapes[i]))] = rng.normal((1.5, -1.5, 1.5, 0.0), 0.3)
        with atomic_bytes(folder / f"{name}.npz") as stream:
            np.savez(stream, X=bags(shapes).X, y=kinds)
        names.append(f"{name}.npz")
        if name == "bags_TRAIN":
            rows = [
                [f"m{i}", *map(repr, shape), kinds[i]]
                for i, molecule in enumerate(shapes) for shape in molecule.tolist()
            ]  # fmt: skip
            header = ["molecule", "a", "b", "c", "d", "kind"]
            names.append(write_table(folder / "molecules.csv", header, rows))
    return names


def write_views(folder: Path) -> Sequence[str]:
    """Two views of 60 points of classes 7, 11, 16: a.csv, b.csv; and kernels: kernels.npz,
    new.npy."""
    rng = np.random.default_rng(0)
    # three classes that both views separate
    label = np.tile([7, 11, 16], 20)
    views = [rng.normal(size=(60, d)) + 0.4 * (label[:, None] - 11) / 4 for d in (5, 12)]
    names = [
        write_table(
            folder / f"{name}.csv",
            [*(f"{name}{j}" for j in range(view.shape[1])), "class"],
            ([*map(repr, row), kind] for row, kind in zip(view.tolist(), label, strict=True)),
        )
        for name, view in zip("ab", views, strict=True)
    ]
    # kernel matrices of two of the classes, and values of new points
    two = label != 11
    old, new = np.flatnonzero(two)[:30], np.flatnonzero(two)[30:]
    with atomic_bytes(folder / "kernels.npz") as stream:
        K = np.array([view[old] @ view[old].T for view in views])
        np.savez(stream, K=K, y=label[old])
    with atomic_bytes(folder / "new.npy") as stream:
        np.save(stream, np.array([view[new] @ view[old].T for view in views]))
    return [*names, "kernels.npz", "new.npy"]


def write_texts(folder: Path) -> Sequence[str]:
    """Words in two tenses, some with spelling errors: texts.csv, without a header."""
    stems = ("walk", "play", "turn", "call", "open", "start", "help", "look")
    words = [stem + suffix for stem in stems for suffix in ("ing", "ed")]
    words += [word[:2] + word[3:] for word in words]
    tense = ["present" if word.endswith("ing") else "past" for word in words]
    first, *columns = zip(words, tense, strict=True)
    return [write_table(folder / "texts.csv", first, columns)]


def write_plan(folder: Path) -> Sequence[str]:
    """60 random parcels that fill 20 of 24 vans to the last kilogram.

    The files are plan.mps, and highs.sol with the answer of HiGHS at a relative gap of 10 %.
    """
    import pyomo.environ as pyo

    from radprog.exporting import export
    from radprog.solvers.adapters.highs import Highs

    # three parcels for each van
    rng = np.random.default_rng(0)
    weights: list[int] = []
    for _ in range(20):
        large = int(rng.integers(380, 491))
        middle = int(rng.integers(250, (1000 - large) // 2 + 1))
        weights += [large, middle, 1000 - large - middle]
    rng.shuffle(weights)
    # the model, with more vans than are needed
    parcels, vans = range(60), range(24)
    m = pyo.ConcreteModel()
    m.put = pyo.Var(parcels, vans, domain=pyo.Binary)
    m.van = pyo.Var(vans, domain=pyo.Binary)
    m.vans = pyo.Objective(expr=sum(m.van.values()))
    m.parcel = pyo.Constraint(parcels, rule=lambda m, i: sum(m.put[i, v] for v in vans) == 1)
    m.weight = pyo.Constraint(
        vans,
        rule=lambda m, v: sum(weights[i] * m.put[i, v] for i in parcels) <= 1000 * m.van[v],
    )
    export(m, folder / "plan.mps")
    # the first answer that this gap allows
    solver = Highs()
    solver.readModel(str(folder / "plan.mps"))
    solver.setOptionValue("mip_rel_gap", 0.1)
    solver.run()
    solver.writeSolution(str(folder / "highs.sol"), 0)
    return ["plan.mps", "highs.sol"]


MAKERS: Mapping[str, Maker] = {
    "plan": write_plan,
    "classes": write_classes,
    "iris": write_iris,
    "sinc": write_sinc,
    "series": write_series,
    "bags": write_bags,
    "views": write_views,
    "texts": write_texts,
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
