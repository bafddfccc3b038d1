"""Thinned forests compared with all 500 trees: accuracy and size on twelve tables.

    python benchmarks/thin.py                        # all sets, two draws of the training rows
    python benchmarks/thin.py german glass --draws 5
    python benchmarks/thin.py --folds                # folds choose the number of trees

The benchmark needs RADPROG_DATA and uses one thread. Up to 400 rows are drawn for training; the
others are test rows. The thinned forest has 50 of 500 trees, without a choice of settings. With
``--folds``, 5 folds of the training rows choose 10, 20, 30, 40 or 50 trees. Fewer than 50 are
chosen only if they are more accurate by one standard error. ``first`` is the forest of the first
trees, as many as the thinned forest has. The accuracy on a set is kept if it is at most one
standard error of the difference, row by row, below that of all trees. ``expected`` is the share of
pairs of draws on which it is kept. Targets, caps and leaf values of ``rp.thin`` were chosen with
test rows of the sets with a star.
"""

from __future__ import annotations

import argparse
import itertools
import os
from pathlib import Path
from typing import Any

import numpy as np
from measure import keep, stopwatch
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import StratifiedKFold, train_test_split

import radprog as rp

SETS = {
    "vkr": [
        "breastcancer",
        "climate",
        "diabetes",
        "german",
        "ionosphere",
        "ocr49",
        "phishing",
        "waveform01",
    ],
    "clustering": ["glass", "heart_statlog", "sonar", "wine"],
}
CHOSEN_ON = ("breastcancer", "diabetes", "ionosphere", "waveform01", "glass", "sonar")
TREES, ROWS, MOST = 500, 400, 50


def choose(X: Any, y: Any, seed: int) -> int:
    """50 trees, or the most accurate smaller number, if it is better by one standard error."""
    sizes = range(MOST, 0, -10)
    right = np.zeros((len(sizes), len(y)))
    for inside, outside in StratifiedKFold(5, shuffle=True, random_state=seed).split(X, y):
        forest = RandomForestClassifier(TREES, random_state=seed).fit(X[inside], y[inside])
        for place, size in enumerate(sizes):
            part = rp.thin(forest, X[inside], y[inside], most=size, refit=True)
            right[place, outside] = part.predict(X[outside]) == y[outside]
    gain = right - right[0]
    better = gain.mean(axis=1) > gain.std(axis=1) / np.sqrt(len(y))
    return sizes[int(np.where(better, gain.mean(axis=1), 0.0).argmax())]


def kept(draws: list[dict[str, Any]]) -> bool:
    """Whether thinned forests lose at most one standard error on these draws."""
    lost = np.concatenate([one["all"] - one["thinned"] for one in draws])
    return bool(lost.mean() <= lost.std() / np.sqrt(len(lost)))


def draw(X: Any, y: Any, seed: int, folds: bool) -> dict[str, Any]:
    """Accuracies on the test rows of one draw, row by row, with the size of the part."""
    size = min(ROWS, len(y) // 2)
    rows, others = train_test_split(
        np.arange(len(y)), train_size=size, random_state=seed, stratify=y
    )
    forest = RandomForestClassifier(TREES, random_state=seed).fit(X[rows], y[rows])
    most = choose(X[rows], y[rows], seed) if folds else MOST
    with stopwatch() as spent:
        part = rp.thin(forest, X[rows], y[rows], most=most, refit=True)
    first = RandomForestClassifier(len(part.weights_), random_state=seed).fit(X[rows], y[rows])
    right = {
        name: np.asarray(model.predict(X[others]) == y[others], dtype=float)
        for name, model in (("all", forest), ("thinned", part), ("first", first))
    }
    return {"size": len(part.weights_), "gap": part.gap_, "cpu": spent["cpu"], **right}


def main() -> None:
    """A row for every set."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sets", nargs="*")
    parser.add_argument("--draws", type=int, default=2)
    parser.add_argument("--folds", action="store_true")
    options = parser.parse_args()
    print(f"{'set':<16}    all  thinned  first  trees      gap  cpu s  kept  expected")
    table = []
    for folder, names in SETS.items():
        for name in names:
            if options.sets and name not in options.sets:
                continue
            path = Path(os.environ["RADPROG_DATA"]) / folder / f"{name}.csv"
            data = rp.read(path, one_vs_rest=True, missing="drop")
            draws = [draw(data.X, data.codes, seed, options.folds) for seed in range(options.draws)]
            joined = {
                key: np.concatenate([one[key] for one in draws])
                for key in ("all", "thinned", "first")
            }
            pairs = list(itertools.combinations(draws, min(2, len(draws))))
            row = {
                "set": name,
                **{key: float(100 * values.mean()) for key, values in joined.items()},
                "trees": float(np.mean([one["size"] for one in draws])),
                "gap": max(one["gap"] for one in draws),
                "cpu": float(np.mean([one["cpu"] for one in draws])),
                "kept": kept(draws),
                "expected": float(np.mean([kept(list(pair)) for pair in pairs])),
            }
            table.append(row)
            print(
                f"{name + '*' * (name in CHOSEN_ON):<16}{row['all']:>7.1f}{row['thinned']:>9.1f}"
                f"{row['first']:>7.1f}{row['trees']:>7.1f}{row['gap']:>9.0e}{row['cpu']:>7.1f}"
                f"  {row['kept']!s:<5}{row['expected']:>9.2f}",
                flush=True,
            )
    keep(f"{TREES} trees, draws {options.draws}", table)
    print(
        f"kept on {sum(row['kept'] for row in table)} of {len(table)} sets; expected of two draws: "
        f"{sum(row['expected'] for row in table):.1f}"
    )


if __name__ == "__main__":
    main()
