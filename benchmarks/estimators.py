"""A row a task: an estimator of radprog beside the simplest rival, with size and seconds.

    python benchmarks/estimators.py            print the table
    python benchmarks/estimators.py --write    also write it to docs/tutorials/which-estimator.md

The benchmark needs RADPROG_DATA. Each method runs on the same five splits, with its default
settings except those named, in one thread. Columns are standardised.
"""

from __future__ import annotations

import os
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from measure import write_section
from sklearn.cluster import KMeans
from sklearn.datasets import load_diabetes
from sklearn.ensemble import AdaBoostClassifier, RandomForestClassifier
from sklearn.linear_model import HuberRegressor, LogisticRegressionCV, QuantileRegressor
from sklearn.metrics import adjusted_rand_score, mean_absolute_error, mean_pinball_loss
from sklearn.model_selection import train_test_split
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import StandardScaler
from sklearn.semi_supervised import LabelSpreading
from sklearn.svm import SVC
from table_generators import sparse_text

import radprog as rp
from radprog.estimators import (
    BoundedLossSVR,
    DiscriminativeClustering,
    DiscriminativeLabelPropagation,
    LocalMKLClassifier,
    LPBoostClassifier,
    ShapeletBoostClassifier,
    SparseHingeClassifierCV,
    SparseQuantileRegressor,
    VKRClassifier,
    VKRClassifierCV,
)
from radprog.instances.bags import read_series
from radprog.instances.dataset import read_partly_labelled

DATA = Path(os.environ.get("RADPROG_DATA", "."))
SPLITS = range(5)
Split = tuple[Any, Any, Any, Any]  # training rows and labels, test rows and labels
Size = Callable[[Any], float]


def table(name: str, most: int = 400) -> tuple[Any, Any]:
    """At most ``most`` rows without gaps, and their classes as numbers."""
    data = read_partly_labelled(DATA / f"{name}.csv", missing="drop")
    rows = np.random.default_rng(0).permutation(len(data.X))[:most]
    return data.X[rows], np.asarray(data.codes)[rows]


def halves(X: Any, y: Any, seed: int, stratify: bool = True) -> Split:
    """Two halves, standardised on the first."""
    parts = train_test_split(
        X, y, test_size=0.5, random_state=seed, stratify=y if stratify else None
    )
    scaler = StandardScaler(with_mean=not hasattr(X, "tocsr")).fit(parts[0])
    return scaler.transform(parts[0]), parts[2], scaler.transform(parts[1]), parts[3]


def of_tables(*names: str, most: int = 400) -> Iterator[Split]:
    """Halves of every table and seed."""
    for name in names:
        for seed in SPLITS:
            yield halves(*table(name, most), seed)


def of_texts() -> Iterator[Split]:
    """Texts with a few words that decide."""
    for seed in SPLITS:
        texts = sparse_text(600, 3000, seed=seed)
        X = texts.X.tocsr()
        X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)  # for liblinear
        yield X[:300], texts.targets[:300], X[300:], texts.targets[300:]


def of_values(wrong: float = 0.0) -> Iterator[Split]:
    """Halves of the diabetes progression; a share of the training targets is moved far away."""
    X, y = load_diabetes(return_X_y=True)
    for seed in SPLITS:
        train, told, test, truth = halves(X, (y - y.mean()) / y.std(), seed, stratify=False)
        rng = np.random.default_rng(seed)
        moved = rng.choice(len(told), int(wrong * len(told)), replace=False)
        told = told.copy()
        told[moved] += 5 * rng.choice([-1, 1], len(moved))
        yield train, told, test, truth


def of_series() -> Iterator[Split]:
    """The files of the archive."""
    for name in ("ECGFiveDays", "GunPoint", "ItalyPowerDemand", "TwoLeadECG"):
        train = read_series(DATA / "ucr" / f"{name}_TRAIN.tsv")
        test = read_series(DATA / "ucr" / f"{name}_TEST.tsv", like=train)
        yield train.X, train.codes, test.X, test.codes


def of_views() -> Iterator[Split]:
    """Four views of proteins side by side; the most frequent fold against the others."""
    names = [f"mkl/proteinFold_view{number:02d}" for number in (1, 2, 3, 4)]
    tables = [read_partly_labelled(DATA / f"{name}.csv") for name in names]
    X = np.hstack([one.X for one in tables])
    y = np.asarray(tables[0].codes)
    for seed in SPLITS:
        yield halves(X, (y == np.bincount(y).argmax()).astype(int), seed)


def of_few_labels() -> Iterator[Split]:
    """Five labels a class; the rows without a label are the test."""
    for name in ("clustering/iris", "clustering/seeds", "clustering/wine"):
        X, y = table(name)
        X = StandardScaler().fit_transform(X)
        for seed in SPLITS:
            rng = np.random.default_rng(seed)
            shown = np.full(len(y), -1)
            for k in np.unique(y):
                rows = rng.choice(np.flatnonzero(y == k), 5, replace=False)
                shown[rows] = k
            yield X, shown, X, np.where(shown < 0, y, -1)


def accuracy(model: Any, X: Any, y: Any) -> float:
    """The share of right labels, in percent."""
    return 100.0 * float(np.mean(model.predict(X) == y))


def hidden(model: Any, X: Any, y: Any) -> float:
    """The accuracy on rows without a label."""
    return 100.0 * float(np.mean(model.transduction_[y >= 0] == y[y >= 0]))


def rand(model: Any, X: Any, y: Any) -> float:
    """The adjusted Rand index of all rows times 100."""
    return 100.0 * float(adjusted_rand_score(y, model.labels_))


def error(model: Any, X: Any, y: Any) -> float:
    """The mean absolute error, in hundredths of a deviation."""
    return 100.0 * float(mean_absolute_error(y, model.predict(X)))


def pinball(model: Any, X: Any, y: Any) -> float:
    """The loss of the 0.9 quantile, in hundredths of a deviation."""
    return 100.0 * float(mean_pinball_loss(y, model.predict(X), alpha=0.9))


def nonzero(model: Any) -> float:
    """Features with a coefficient."""
    return float(np.count_nonzero(np.abs(np.atleast_2d(model.coef_)).sum(axis=0)))


def points(model: Any) -> float:
    """Training points that a score needs."""
    return float(len(model.support_))


def clusters(split: Split) -> int:
    """The number of classes."""
    return len(np.unique(split[3]))


def trees(model: Any) -> float:
    """Trees of an ensemble."""
    return float(len(model.estimators_))


class Thinned:
    """Ten of the 100 trees of a forest."""

    def fit(self, X: Any, y: Any) -> Any:
        """Fit the forest and thin it."""
        forest = RandomForestClassifier(100, random_state=0).fit(X, y)
        return rp.thin(forest, X, y, most=10)


BINARY = ("vkr/breastcancer", "vkr/ionosphere", "clustering/sonar", "clustering/heart_statlog")
LARGER = ("vkr/phishing", "vkr/waveform01")
#: Task, splits, score, unit of the size, and twice: name, estimator of a split, size.
TASKS: list[tuple[Any, ...]] = [
    (
        "classes in a table", lambda: of_tables(*BINARY), accuracy, "points",
        ("VKRClassifier", lambda s: VKRClassifier(), points),
        ("SVC", lambda s: SVC(), points),
    ),
    (
        "the same, settings chosen", lambda: of_tables(*BINARY), accuracy, "points",
        ("VKRClassifierCV", lambda s: VKRClassifierCV(), points),
        ("SVC", lambda s: SVC(), points),
    ),
    (
        "larger tables", lambda: of_tables(*LARGER, most=4000), accuracy, "points",
        ("VKRClassifier", lambda s: VKRClassifier(), points),
        ("SVC", lambda s: SVC(), points),
    ),
    (
        "few of 3,000 words", of_texts, accuracy, "words",
        ("SparseHingeClassifierCV", lambda s: SparseHingeClassifierCV(), nonzero),
        (
            "LogisticRegressionCV, l1",
            lambda s: LogisticRegressionCV(
                l1_ratios=[1.0], solver="liblinear", use_legacy_attributes=False
            ),
            nonzero,
        ),
    ),
    (
        "0.9 quantile (loss)", of_values, pinball, "features",
        ("SparseQuantileRegressor", lambda s: SparseQuantileRegressor(0.9, beta=1e-2), nonzero),
        ("QuantileRegressor", lambda s: QuantileRegressor(quantile=0.9, alpha=1e-2), nonzero),
    ),
    (
        "a tenth of the targets wrong (error)", lambda: of_values(0.1), error, "–",
        ("BoundedLossSVR", lambda s: BoundedLossSVR(eps_low=0.1), None),
        ("HuberRegressor", lambda s: HuberRegressor(), None),
    ),
    (
        "views side by side", of_views, accuracy, "points",
        ("LocalMKLClassifier", lambda s: LocalMKLClassifier(kernels="linear,rbf:scale,poly:2"),
         points),
        ("SVC", lambda s: SVC(), points),
    ),
    (
        "time series", of_series, accuracy, "patterns",
        ("ShapeletBoostClassifier", lambda s: ShapeletBoostClassifier(),
         lambda m: float(m.run_.summary["hypotheses"])),
        ("nearest neighbour", lambda s: KNeighborsClassifier(1), lambda m: float(m.n_samples_fit_)),
    ),
    (
        "few trees", lambda: of_tables(*BINARY), accuracy, "trees",
        ("rp.thin", lambda s: Thinned(), trees),
        ("RandomForest of 10", lambda s: RandomForestClassifier(10, random_state=0), trees),
    ),
    (
        "boosted stumps", lambda: of_tables(*BINARY), accuracy, "trees",
        ("LPBoostClassifier", lambda s: LPBoostClassifier(), trees),
        ("AdaBoostClassifier", lambda s: AdaBoostClassifier(random_state=0), trees),
    ),
    (
        "clusters (Rand index)", lambda: of_tables("clustering/iris", "clustering/wine"), rand, "–",
        ("DiscriminativeClustering",
         lambda s: DiscriminativeClustering(n_clusters=clusters(s)), None),
        ("KMeans", lambda s: KMeans(clusters(s), random_state=0), None),
    ),
    (
        "five labels a class", of_few_labels, hidden, "–",
        ("DiscriminativeLabelPropagation", lambda s: DiscriminativeLabelPropagation(), None),
        ("LabelSpreading", lambda s: LabelSpreading(), None),
    ),
]  # fmt: skip


def cell(splits: Callable[[], Iterator[Split]], score: Any, make: Any, size: Size | None) -> str:
    """Means over the splits: score, size, processor seconds of a fit."""
    scores, sizes, seconds = [], [], []
    for split in splits():
        X, y, test, truth = split
        start = time.process_time()
        model = make(split)
        model = model.fit(test) if score is rand else model.fit(X, y)
        seconds.append(time.process_time() - start)
        scores.append(score(model, test, truth))
        sizes.append(size(model) if size else 0.0)
    number = f"{np.mean(sizes):.0f}" if size else "–"
    return f"{np.mean(scores):.1f} | {number} | {np.mean(seconds):.2g}"


def main() -> None:
    """Print the table, and write it."""
    warnings.simplefilter("ignore")
    lines = [
        "| task | rows × columns | radprog | score | size | s | rival | score | size | s |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for task, splits, score, unit, *pair in TASKS:
        shapes = np.array([split[0].shape for split in splits()])
        rows, columns = (
            "–".join(f"{size:,}" for size in sorted({one.min(), one.max()})) for one in shapes.T
        )
        line = f"| {task if unit == '–' else f'{task}; {unit}'} | {rows} × {columns} "
        for name, make, size in pair:
            line += f"| `{name}` | {cell(splits, score, make, size)} "
        lines.append(line + "|")
        print(lines[-1], flush=True)
    if sys.argv[1:] == ["--write"]:
        write_section("estimators", "\n".join(lines), page="tutorials/which-estimator.md")


if __name__ == "__main__":
    main()
