"""Accuracy and processor time of the estimators, compared with scikit-learn and aeon.

python benchmarks/comparison.py [--rows N] [--peer PYTHON]    run missing units, write the page
python benchmarks/comparison.py --collect                     write the existing results
python benchmarks/comparison.py --write                       write only the page
python benchmarks/comparison.py --quick                       four small data sets, no page

The benchmark needs RADPROG_DATA. A unit is one method on one data set. Its result is one complete
file in --units, so an interrupted run continues with the missing units. When all units are done,
the results are written to benchmarks/results/comparison.json and docs/reference/benchmarks.md.
PYTHON is an interpreter with aeon; without it, the methods of aeon are omitted.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import warnings
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from comparison_methods import METHODS, Method, grid_text
from comparison_page import page
from measure import circumstances, stopwatch, write_section
from sklearn.datasets import load_diabetes, make_friedman1
from sklearn.metrics import adjusted_rand_score, mean_absolute_error
from sklearn.model_selection import (
    GridSearchCV,
    KFold,
    ParameterGrid,
    StratifiedKFold,
    train_test_split,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from table_generators import sinc

from radprog.base.writing import atomic_text
from radprog.instances.bags import read_series
from radprog.instances.dataset import read_partly_labelled

HERE = Path(__file__).resolve().parent
RESULTS = HERE / "results" / "comparison.json"
UNITS = HERE.parent / "build" / "comparison"
FOLDS, SEEDS, KNOWN, WRONG = 3, 3, 5, 0.1
FEWEST = FOLDS**2  # rows of a class
COLUMNS = ("scores", "cpu", "chosen", "warnings")
VKR = [
    "breastcancer",
    "climate",
    "diabetes",
    "german",
    "ionosphere",
    "ocr49",
    "phishing",
    "waveform01",
]
CLUSTERING = [
    "breast_cancer_wdbc",
    "ecoli",
    "glass",
    "heart_statlog",
    "iris",
    "seeds",
    "sonar",
    "waveform",
    "wine",
]
TABLES = [*(f"vkr/{name}" for name in VKR), *(f"clustering/{name}" for name in CLUSTERING)]
SERIES = ["ECGFiveDays", "GunPoint", "ItalyPowerDemand", "TwoLeadECG"]
VALUES = ["diabetes", "friedman1", "sinc"]
WITH_WRONG = [*VALUES, *(f"{name}, wrong values" for name in VALUES)]
SETS = {
    "classes": TABLES,
    "clusters": TABLES,
    "labels": TABLES,
    "values": WITH_WRONG,
    "series": SERIES,
}
QUICK = ("clustering/iris", "vkr/ionosphere", "sinc", "ItalyPowerDemand")


@dataclass(frozen=True)
class Unit:
    """One method on one data set."""

    task: str
    data: str
    method: str

    @property
    def file(self) -> str:
        """Its result."""
        name = "-".join((self.task, self.data, self.method))
        return "".join(c if c.isalnum() or c in "-_" else "_" for c in name) + ".json"


def plan(quick: bool = False) -> list[Unit]:
    """All units in the order in which they run: a data set of every task after the other, so that
    a run that is ended has something of each; peers, whose code has to be compiled, last."""
    units = [
        (place + 100 * bool(METHODS[task][method].peer), Unit(task, data, method))
        for task, names in SETS.items()
        for place, data in enumerate(names)
        if not quick or data in QUICK
        for method in METHODS[task]
    ]
    return [unit for _, unit in sorted(units, key=lambda pair: pair[0])]


def table(name: str, most: int) -> tuple[Any, Any]:
    """Rows without gaps, of classes of at least FEWEST rows; of more than ``most``, as many drawn
    with the shares of the classes."""
    data = read_partly_labelled(Path(os.environ["RADPROG_DATA"]) / f"{name}.csv", missing="drop")
    X, y = data.X, np.asarray(data.codes)
    kept = np.flatnonzero(np.bincount(y)[y] >= FEWEST)
    if len(kept) > most:
        kept, _ = train_test_split(kept, train_size=most, stratify=y[kept], random_state=0)
    return X[kept], y[kept]


def classes(method: Method, name: str, most: int) -> Iterator[dict[str, Any]]:
    """Accuracy on every outer fold of what the inner folds chose."""
    X, y = table(name, most)
    for train, test in StratifiedKFold(FOLDS, shuffle=True, random_state=0).split(X, y):
        inner = StratifiedKFold(FOLDS, shuffle=True, random_state=1)
        pipe = make_pipeline(StandardScaler(), method.make(X.shape[1], 0))
        search = GridSearchCV(pipe, _steps(pipe, method.grid(X.shape[1])), cv=inner)
        yield _timed(search, X[train], y[train]) | {"score": search.score(X[test], y[test])}


def clusters(method: Method, name: str, most: int) -> Iterator[dict[str, Any]]:
    """Adjusted Rand index of all rows, a seed after the other; the number of classes is told."""
    X, y = table(name, most)
    X, k = StandardScaler().fit_transform(X), len(set(y.tolist()))
    for seed in range(SEEDS):
        model = method.make(k, seed)
        with stopwatch() as spent:
            labels = model.fit_predict(X)
        yield {"cpu": spent["cpu"], "score": adjusted_rand_score(y, labels), "chosen": {}}


def labels(method: Method, name: str, most: int) -> Iterator[dict[str, Any]]:
    """Accuracy on unlabelled rows, KNOWN labels a class; the choice is by folds of these labels."""
    X, y = table(name, most)
    X = StandardScaler().fit_transform(X)
    for seed in range(SEEDS):
        rng = np.random.default_rng(seed)
        known = np.concatenate(
            [rng.choice(np.flatnonzero(y == k), KNOWN, replace=False) for k in np.unique(y)]
        )
        folds = list(StratifiedKFold(FOLDS, shuffle=True, random_state=1).split(known, y[known]))

        def told(rows: Any, settings: Any, seed: int = seed) -> Any:
            shown = np.full(len(y), -1)
            shown[rows] = y[rows]
            return method.make(X.shape[1], seed).set_params(**settings).fit(X, shown).transduction_

        def right(settings: Any, known: Any = known, folds: Any = folds, told: Any = told) -> float:
            hits = [(told(known[a], settings) == y)[known[b]].mean() for a, b in folds]
            return float(np.mean(hits))

        with stopwatch() as spent:
            settings = list(ParameterGrid(method.grid(X.shape[1])))
            chosen = max(settings, key=right) if len(settings) > 1 else settings[0]
            found = told(known, chosen)
        hidden = np.setdiff1d(np.arange(len(y)), known)
        score = float((found == y)[hidden].mean())
        yield {"cpu": spent["cpu"], "score": score, "chosen": chosen}


def values(method: Method, name: str, most: int) -> Iterator[dict[str, Any]]:
    """Mean absolute error over that of the training median, on every outer fold; of a set with
    wrong values a share WRONG of those that are learned from is moved by 5 standard deviations."""
    base, _, wrong = name.partition(", ")
    X, y = _with_values(base, most)
    for number, (train, test) in enumerate(KFold(FOLDS, shuffle=True, random_state=0).split(X)):
        told, rng = y[train].copy(), np.random.default_rng(number)
        if wrong:
            moved = rng.choice(len(told), int(WRONG * len(told)), replace=False)
            told[moved] += 5 * y.std() * rng.choice([-1, 1], len(moved))
        inner = KFold(FOLDS, shuffle=True, random_state=1)
        model = method.make(X.shape[1], 0)
        search = GridSearchCV(
            model, method.grid(X.shape[1]), cv=inner, scoring="neg_mean_absolute_error"
        )
        row = _timed(search, X[train], told)
        middle = np.full(len(test), np.median(told))
        error = mean_absolute_error(y[test], search.predict(X[test]))
        yield row | {"score": float(error / mean_absolute_error(y[test], middle))}


def _with_values(name: str, most: int) -> tuple[Any, Any]:
    if name == "sinc":
        data = sinc(n=most, seed=0)
        return data.X, np.asarray(data.targets)
    if name == "friedman1":
        return make_friedman1(most, n_features=10, noise=1.0, random_state=0)
    X, y = load_diabetes(return_X_y=True)
    rows = np.random.default_rng(0).permutation(len(X))[:most]
    return X[rows], y[rows]


def series(method: Method, name: str, most: int) -> Iterator[dict[str, Any]]:
    """Accuracy on the archive's test file, chosen by folds of its training file."""
    folder = Path(os.environ["RADPROG_DATA"]) / "ucr"
    files = [folder / f"{name}_{part}.tsv" for part in ("TRAIN", "TEST")]
    if method.peer:
        command = [method.python, str(HERE / "lpboost_peer.py"), *map(str, files), method.peer]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        answer = json.loads(done.stdout.splitlines()[-1])
        yield {"cpu": answer["cpu"], "score": answer["accuracy"], "chosen": {}}
        return
    train = read_series(files[0])
    test = read_series(files[1], like=train)
    inner = StratifiedKFold(FOLDS, shuffle=True, random_state=1)
    model = method.make(train.X.shape[-1], 0)
    search = GridSearchCV(model, method.grid(train.X.shape[-1]), cv=inner)
    row = _timed(search, train.X, train.codes)
    yield row | {"score": search.score(test.X, test.codes)}


def _timed(search: Any, X: Any, y: Any) -> dict[str, Any]:
    """The search fitted: processor seconds of all its fits, and its choice."""
    with stopwatch() as spent:
        search.fit(X, y)
    return {"cpu": spent["cpu"], "chosen": search.best_params_}


def _steps(pipe: Any, grid: Any) -> Any:
    """The grid of a pipeline's last step."""
    last = pipe.steps[-1][0]
    return [{f"{last}__{key}": value for key, value in part.items()} for part in grid]


TASKS = {
    "classes": classes,
    "clusters": clusters,
    "labels": labels,
    "values": values,
    "series": series,
}


def result(unit: Unit, most: int, peer: str | None) -> dict[str, Any] | None:
    """What a unit measures, None of a peer whose interpreter is not given."""
    method = METHODS[unit.task][unit.method]
    if method.peer and not peer:
        return None
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        rows = list(TASKS[unit.task](replace(method, python=peer or ""), unit.data, most))
    return {
        "scores": [round(float(row["score"]), 4) for row in rows],
        "cpu": round(sum(row["cpu"] for row in rows), 3),
        "chosen": [
            {k.rpartition("__")[2]: str(v) for k, v in row["chosen"].items()} for row in rows
        ],
        "warnings": sorted({warning.category.__name__ for warning in told}),
    }


def kept(place: Path, task: dict[str, Any], make: Callable[[], Any]) -> dict[str, Any] | None:
    """The result in the file ``place`` where it is of this very task, else made and written."""
    if place.is_file():
        known: dict[str, Any] = json.loads(place.read_text())
        if known["of"] == task:
            return known
    answer = make()
    if answer is None:
        return None
    written = {**answer, "of": task}
    with atomic_text(place) as stream:
        json.dump(written, stream)
    return written


def main() -> None:
    """Run what is missing, and write results and page."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--quick", action="store_true", help="four small data sets, no page")
    parser.add_argument("--rows", type=int, default=150, help="rows of a data set at most (150)")
    parser.add_argument("--peer", help="interpreter that has aeon")
    parser.add_argument("--units", type=Path, default=UNITS, help="folder of the units")
    parser.add_argument("--collect", action="store_true", help="write what there is, run nothing")
    parser.add_argument("--write", action="store_true", help="the page alone, run nothing")
    options = parser.parse_args()
    if options.write:
        write_section("comparison", page(json.loads(RESULTS.read_text())))
        return
    most, around = 60 if options.quick else options.rows, circumstances()
    options.units.mkdir(parents=True, exist_ok=True)
    found, left = [], []
    for unit in plan(options.quick):
        task = {**asdict(unit), "rows": most, "grid": grid_text(unit.task, unit.method)}
        machine = {key: around["machine"][key] for key in ("processor", "cores")}
        task |= {"versions": around["versions"], "machine": machine}

        def make(unit: Unit = unit) -> dict[str, Any] | None:
            return None if options.collect else result(unit, most, options.peer)

        row = kept(options.units / unit.file, task, make)
        if row is None:
            left.append(asdict(unit))
            continue
        told = f"{float(np.mean(row['scores'])):.3f}, {row['cpu']:.1f} s"
        print(f"{unit.task} {unit.data} {unit.method}: {told}", flush=True)
        found.append(asdict(unit) | {key: row[key] for key in COLUMNS})
    if not options.quick:
        written = {**around, "rows": most, **described(), "units": found, "left": left}
        RESULTS.write_text(json.dumps(written, indent=1) + "\n")
        write_section("comparison", page(written))


def described() -> dict[str, Any]:
    """What the methods are: their grids, with what is fixed, and which are ours."""
    grids = {
        task: {
            name: ", ".join(filter(None, (method.fixed, grid_text(task, name))))
            for name, method in methods.items()
        }
        for task, methods in METHODS.items()
    }
    ours = {task: [name for name in METHODS[task] if METHODS[task][name].ours] for task in METHODS}
    return {"grids": grids, "ours": ours}


if __name__ == "__main__":
    main()
