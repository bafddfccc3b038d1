"""Rules of a classifier beside packages made for them: parity (fairlearn), monotone features.

    python benchmarks/rules.py --peer PYTHON            print two tables
    python benchmarks/rules.py --peer PYTHON --write    also write them to the page of benchmarks

PYTHON is an interpreter with fairlearn and xgboost. The benchmark needs RADPROG_DATA. Five splits
into halves a data set; columns are standardised; one thread.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from measure import write_section
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split

GAP = 0.05  # largest difference of the positive rates on training rows
#: Column of the group, whether it is cut at its median, columns that rise, columns that fall.
SETS = {
    "vkr/german": (9, True, (), ()),  # age
    "vkr/diabetes": (7, True, (1, 5, 6, 7), ()),  # age; glucose, mass, pedigree, age
    "clustering/heart_statlog": (1, False, (0, 2, 9, 11), (7,)),  # sex; maximal heart rate falls
    "vkr/breastcancer": (0, True, tuple(range(9)), ()),
}
EPS = {
    "ours": [0.5, 0.25, 0.0, -0.1, -0.2, -0.3, -0.5, -0.75, -1.0, -1.5],
    "theirs": [0.2, 0.1, 0.05, 0.02, 0.01],
}
Model = tuple[Callable[[Any], Any], str]  # labels of rows, and what is proved


def splits(name: str) -> Iterator[Any]:
    """Training and test rows, labels and groups."""
    table = np.genfromtxt(Path(os.environ["RADPROG_DATA"]) / f"{name}.csv", delimiter=",")
    table = table[~np.isnan(table).any(axis=1)]
    X, y = table[:, :-1], (table[:, -1] > 0).astype(int)
    column, cut, *_ = SETS[name]
    middle = np.median(X[:, column]) if cut else X[:, column].mean()
    group = (X[:, column] > middle).astype(int)
    for seed in range(5):
        parts = train_test_split(X, y, group, test_size=0.5, random_state=seed, stratify=y)
        mean, deviation = parts[0].mean(axis=0), parts[0].std(axis=0) + 1e-12
        yield [(parts[0] - mean) / deviation, (parts[1] - mean) / deviation, *parts[2:]]


def distance(called: Any, group: Any) -> float:
    """The difference of the positive rates of the groups."""
    return abs(float(called[group == 1].mean() - called[group == 0].mean()))


def by_radprog(X: Any, y: Any, group: Any, eps: float) -> Model:
    """A cap on the difference of the mean scores; below 0 it makes up for unequal spreads."""
    import radprog as rp

    data, spec = rp.dataset(X, np.where(y == 1, 1, -1)), rp.L1Linear(beta=1e-3)
    row = np.where(group == 1, 1.0 / (group == 1).sum(), -1.0 / (group == 0).sum())
    row *= np.sign(row @ y)  # the group with more positives comes first
    run = rp.fit(spec, data, constraints=rp.scores(row[None], [eps], ["parity"]))
    return lambda Z: (np.asarray(run.decision_function(Z)) > 0).astype(int), f"{run.gap:.0e}"


def by_reduction(X: Any, y: Any, group: Any, eps: float) -> Model:
    """Exponentiated gradient of fairlearn over logistic regression: a random mixture."""
    from fairlearn.reductions import DemographicParity, ExponentiatedGradient

    model = ExponentiatedGradient(LogisticRegression(), DemographicParity(difference_bound=eps))
    model.fit(X, y, sensitive_features=group)
    return lambda Z: model.predict(Z, random_state=0), ""


def by_grid(X: Any, y: Any, group: Any, eps: float) -> Model:
    """The grid search of fairlearn over logistic regression: one linear model."""
    from fairlearn.reductions import DemographicParity, GridSearch

    rule = DemographicParity(difference_bound=eps)
    model = GridSearch(LogisticRegression(), rule, grid_size=20)
    model.fit(X, y, sensitive_features=group)
    return model.predict, ""


def parity(make: Callable[..., Model], side: str, name: str) -> dict[str, float | str]:
    """Test error and gap of the best training error within GAP, and seconds of all fits."""
    rows, proof = [], ""
    for X, Z, y, t, group, other in splits(name):
        start, found = time.process_time(), []
        for eps in EPS[side]:
            predict, proof = make(X, y, group, eps)
            called = predict(X)
            found.append((distance(called, group) > GAP, np.mean(called != y), predict))
        seconds = time.process_time() - start
        # where no fit is within GAP, the one of the least error
        best = min(found, key=lambda one: one[:2])[2](Z)
        rows.append((np.mean(best != t), distance(best, other), seconds))
    error, gap, seconds = np.mean(rows, axis=0)
    return {"error": float(error), "gap": float(gap), "seconds": float(seconds), "proof": proof}


def of_boosting(X: Any, y: Any, signs: Any) -> Any:
    """scikit-learn's boosting, monotone."""
    return HistGradientBoostingClassifier(monotonic_cst=signs, random_state=0).fit(X, y)


def of_xgboost(X: Any, y: Any, signs: Any) -> Any:
    """XGBoost with 100 trees, monotone."""
    from xgboost import XGBClassifier

    rules = tuple(int(sign) for sign in signs)
    return XGBClassifier(n_estimators=100, monotone_constraints=rules, n_jobs=1).fit(X, y)


def of_radprog(X: Any, y: Any, signs: Any) -> Any:
    """A sparse linear classifier with signs."""
    import radprog as rp
    from radprog.estimators import SparseHingeClassifier

    rules = [rp.monotone(int(j), sign=int(signs[j])) for j in np.flatnonzero(signs)]
    return SparseHingeClassifier(1e-3, constraints=rules or None).fit(X, y)


def monotone(make: Callable[..., Any], name: str) -> dict[str, float]:
    """Accuracy with the rules and without, and seconds of a fit with them."""
    rows = []
    for X, Z, y, t, *_ in splits(name):
        signs = np.zeros(X.shape[1], dtype=int)
        signs[list(SETS[name][2])], signs[list(SETS[name][3])] = 1, -1
        free = make(X, y, np.zeros_like(signs))
        start = time.process_time()
        ruled = make(X, y, signs)
        seconds = time.process_time() - start
        rows.append((np.mean(ruled.predict(Z) == t), np.mean(free.predict(Z) == t), seconds))
    right, free_right, seconds = np.mean(rows, axis=0)
    return {"right": float(right), "free": float(free_right), "seconds": float(seconds)}


FAIR = {
    "radprog": (by_radprog, "ours"),
    "fairlearn, exponentiated gradient": (by_reduction, "theirs"),
    "fairlearn, grid search": (by_grid, "theirs"),
}
RISING = {
    "radprog, linear": of_radprog,
    "HistGradientBoosting": of_boosting,
    "XGBoost": of_xgboost,
}
OURS = ("radprog", "radprog, linear", "HistGradientBoosting")


def measured(way: str, name: str) -> dict[str, Any]:
    """One cell of a table."""
    warnings.simplefilter("ignore")
    if way in FAIR:
        return parity(*FAIR[way], name)
    return monotone(RISING[way], name)


def main() -> None:
    """Both tables."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--peer", help="interpreter with fairlearn and xgboost")
    parser.add_argument("--write", action="store_true", help="write the page")
    parser.add_argument("--child", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        print(json.dumps(measured(*options.child)))
        return

    def cell(way: str, name: str) -> dict[str, Any]:
        python = sys.executable if way in OURS else options.peer
        command = [python, __file__, "--child", way, name]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        answer: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
        return answer

    short = {name: name.rpartition("/")[2] for name in SETS}
    fair, rising = list(SETS)[:3], list(SETS)[1:]
    lines = [
        "| parity | " + " | ".join(f"{short[n]}: error, gap, s" for n in fair) + " | proof |",
        "|---" * (len(fair) + 2) + "|",
    ]
    for way in FAIR:
        found = [cell(way, name) for name in fair]
        cells = [f"{100 * c['error']:.1f} %, {c['gap']:.3f}, {c['seconds']:.2f}" for c in found]
        lines.append(f"| {way} | {' | '.join(cells)} | {found[0]['proof'] or 'none'} |")
        print(lines[-1], flush=True)
    lines += [
        "",
        "| monotone | "
        + " | ".join(f"{short[n]}: with, without, s" for n in rising)
        + " | proof |",
        "|---" * (len(rising) + 2) + "|",
    ]
    for way in RISING:
        found = [cell(way, name) for name in rising]
        cells = [
            f"{100 * c['right']:.1f}, {100 * c['free']:.1f}, {c['seconds']:.3f}" for c in found
        ]
        lines.append(f"| {way} | {' | '.join(cells)} | {'yes' if 'radprog' in way else 'none'} |")
        print(lines[-1], flush=True)
    if options.write:
        write_section("rules", "\n".join(lines))


if __name__ == "__main__":
    main()
