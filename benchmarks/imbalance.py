"""Remedies for imbalanced classes on three real data sets, beside logistic regression.

    python benchmarks/imbalance.py            print the table
    python benchmarks/imbalance.py --write    also write it to docs/tutorials/imbalanced.md

The benchmark needs RADPROG_DATA. Five folds, drawn four times, give 20 fits a cell. The columns
are standardised on the training rows.
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from measure import write_section
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import balanced_accuracy_score, roc_auc_score
from sklearn.model_selection import RepeatedStratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import radprog as rp
from radprog.estimators import LPBoostClassifier, SparseHingeClassifier
from radprog.instances.dataset import read_partly_labelled


def tables() -> Iterator[tuple[str, Any, Any]]:
    """Name, rows and whether a row is of the rare class."""
    folder = Path(os.environ["RADPROG_DATA"])
    for title, name, rare, most in (
        ("climate", "vkr/climate", "-1", None),
        ("ecoli", "clustering/ecoli", "imU", None),
        ("diabetes", "vkr/diabetes", "1", 55),
    ):
        data = read_partly_labelled(folder / f"{name}.csv")
        y = np.asarray([str(data.labels[code]) == rare for code in data.codes])
        kept = np.arange(len(y))
        if most is not None:  # as many of the rare class, and all others
            drawn = np.random.default_rng(0).choice(np.flatnonzero(y), most, replace=False)
            kept = np.sort(np.concatenate([np.flatnonzero(~y), drawn]))
        yield f"{title}: {100 * y[kept].mean():.1f} %", data.X[kept], y[kept]


WAYS: dict[str, Any] = {
    "default": SparseHingeClassifier(),
    "smaller beta": SparseHingeClassifier(beta=1e-4),
    "rate": SparseHingeClassifier(constraints=rp.rate("false negative", 0.2, positive=True)),
    "weights": SparseHingeClassifier(class_weight="balanced"),
    "boosted stumps": LPBoostClassifier(),
    "boosted stumps, weights": LPBoostClassifier(class_weight="balanced"),
    "logistic": LogisticRegression(l1_ratio=1, solver="liblinear", class_weight="balanced"),
}


def cell(model: Any, X: Any, y: Any) -> str:
    """Means over the folds of the AUC and of the balanced accuracy, in percent."""
    areas, rates = [], []
    folds = RepeatedStratifiedKFold(n_splits=5, n_repeats=4, random_state=0)
    for train, test in folds.split(X, y):
        fitted = make_pipeline(StandardScaler(), clone(model)).fit(X[train], y[train])
        areas.append(roc_auc_score(y[test], fitted.decision_function(X[test])))
        rates.append(balanced_accuracy_score(y[test], fitted.predict(X[test])))
    return f"{100 * np.mean(areas):.1f}, {100 * np.mean(rates):.0f}"


def main() -> None:
    """Print the table, and write it."""
    warnings.simplefilter("ignore")
    sets = list(tables())
    lines = ["| | " + " | ".join(name for name, _, _ in sets) + " |", "|---" * 4 + "|"]
    for name, model in WAYS.items():
        lines.append(" | ".join([f"| {name}", *(cell(model, X, y) for _, X, y in sets)]) + " |")
        print(lines[-1], flush=True)
    if sys.argv[1:] == ["--write"]:
        write_section("imbalance", "\n".join(lines), page="tutorials/imbalanced.md")


if __name__ == "__main__":
    main()
