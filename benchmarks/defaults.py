"""The searches that two estimators make by default, beside one setting and other packages.

    python benchmarks/defaults.py            print two tables
    python benchmarks/defaults.py --write    also write them to the page of benchmarks

The benchmark needs RADPROG_DATA. Five outer folds, drawn twice, at most 300 rows of a data set. The
searches were chosen on the first six tables, and on the first two sets of series.
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from measure import stopwatch, write_section
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, RepeatedStratifiedKFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from radprog.estimators import ShapeletBoostClassifier, VKRClassifier, VKRClassifierCV
from radprog.instances.bags import read_series
from radprog.instances.dataset import read_partly_labelled

DATA = Path(os.environ.get("RADPROG_DATA", "."))
TABLES = [
    "vkr/breastcancer",
    "vkr/diabetes",
    "vkr/ionosphere",
    "vkr/phishing",
    "clustering/heart_statlog",
    "clustering/breast_cancer_wdbc",
    "vkr/climate",
    "vkr/german",
    "vkr/ocr49",
    "vkr/waveform01",
    "clustering/sonar",
    "clustering/wine",
]
SERIES = ["ECGFiveDays", "GunPoint", "ItalyPowerDemand", "TwoLeadECG"]
OF_TABLES: dict[str, Callable[[], Any]] = {
    "VKRClassifier": VKRClassifier,
    "VKRClassifierCV": VKRClassifierCV,
    "SVC": SVC,
    "SVC, C and gamma by folds": lambda: GridSearchCV(
        SVC(), {"C": [1.0, 10.0], "gamma": ["scale", 0.003, 0.01, 0.1]}, cv=5
    ),
    "LogisticRegression": lambda: LogisticRegression(max_iter=1000),
}
OF_SERIES: dict[str, Callable[[], Any]] = {
    "a fifth": ShapeletBoostClassifier,
    'length="auto"': lambda: ShapeletBoostClassifier(length="auto"),
    "three lengths": lambda: ShapeletBoostClassifier(length="0.1,0.2,0.4"),
    "nearest neighbour": lambda: KNeighborsClassifier(1),
}


def of_table(make: Callable[[], Any], name: str) -> float:
    """The mean accuracy on outer folds, in percent."""
    data = read_partly_labelled(DATA / f"{name}.csv", missing="drop")
    rows = np.random.default_rng(0).permutation(len(data.X))[:300]
    X, y, right = data.X[rows], np.asarray(data.codes)[rows], []
    folds = RepeatedStratifiedKFold(n_splits=5, n_repeats=2, random_state=0)
    for train, test in folds.split(X, y):
        model = make_pipeline(StandardScaler(), make()).fit(X[train], y[train])
        right.append(model.score(X[test], y[test]))
    return 100.0 * float(np.mean(right))


def of_series(make: Callable[[], Any], name: str) -> float:
    """The accuracy on the test file, in percent."""
    train = read_series(DATA / "ucr" / f"{name}_TRAIN.tsv")
    test = read_series(DATA / "ucr" / f"{name}_TEST.tsv", like=train)
    return 100.0 * float(make().fit(train.X, train.codes).score(test.X, test.codes))


def rows_of(ways: dict[str, Any], names: list[str], score: Any, half: int) -> list[str]:
    """A line a way: every set, the means of both halves, and processor seconds of all fits."""
    short = [name.rpartition("/")[2] for name in names]
    head = ["", *short, f"first {half}", "others", "s"]
    lines = [f"| {' | '.join(head)} |", "|---" * len(head) + "|"]
    for way, make in ways.items():
        with stopwatch() as spent:
            found = [score(make, name) for name in names]
        means = [f"{np.mean(part):.1f}" for part in (found[:half], found[half:])]
        cells = [way, *(f"{one:.1f}" for one in found), *means, f"{spent['cpu']:.1f}"]
        lines.append(f"| {' | '.join(cells)} |")
        print(lines[-1], flush=True)
    return lines


def main() -> None:
    """Both tables."""
    warnings.simplefilter("ignore")
    lines = [
        *rows_of(OF_TABLES, TABLES, of_table, 6),
        "",
        *rows_of(OF_SERIES, SERIES, of_series, 2),
    ]
    if sys.argv[1:] == ["--write"]:
        write_section("defaults", "\n".join(lines))


if __name__ == "__main__":
    main()
