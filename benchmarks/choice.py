"""The choice of lam and beta for VKR on german: VKRClassifierCV against scikit-learn's search.

    python benchmarks/choice.py          # five folds; 12 pairs, three sets of kernels; 49 pairs

The benchmark needs RADPROG_DATA. Every measurement is a separate process with one thread. Both
times include the last fit, on all rows.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

from measure import child, measure, stopwatch, table

THIS = str(Path(__file__).resolve())
KERNELS = ("poly:1-10", "poly:1-3", "rbf:0.01")
POWERS = [10.0**-i for i in range(7)]
GRIDS = {"12": (POWERS[1:4], POWERS[1:5]), "49": (POWERS, POWERS)}  # lam and beta


def chosen(way: str, kernels: str, pairs: str) -> dict[str, Any]:
    """The pair that ``way``, cv or search, chooses on standardised columns."""
    from sklearn.model_selection import GridSearchCV, StratifiedKFold
    from sklearn.preprocessing import StandardScaler

    from radprog.estimators import VKRClassifier, VKRClassifierCV
    from radprog.instances.dataset import read

    data = read(Path(os.environ["RADPROG_DATA"]) / "vkr" / "german.csv")
    X = StandardScaler().fit_transform(data.X)
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    VKRClassifier(kernels="poly:1").fit(X[::20], data.y[::20])  # what is imported late
    lams, betas = GRIDS[pairs]
    with stopwatch() as spent:
        if way == "cv":
            by_path = VKRClassifierCV(kernels=kernels, lams=lams, betas=betas, cv=folds)
            pair = by_path.fit(X, data.y).lam_, by_path.beta_
            score = by_path.best_score_
        else:
            grid = {"lam": lams, "beta": betas}
            search = GridSearchCV(VKRClassifier(kernels=kernels), grid, cv=folds)
            best = search.fit(X, data.y).best_params_
            pair, score = (best["lam"], best["beta"]), search.best_score_
    note = f"lam {pair[0]:g}, beta {pair[1]:g}, {100 * score:.1f} % on the folds"
    return {**spent, "objective": None, "note": note}


def main() -> None:
    """Every set of kernels."""
    if sys.argv[1:2] == ["--child"]:
        child(lambda: chosen(*sys.argv[2:]))
        return
    os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")
    for kernels in KERNELS:
        ways = (("cv", "VKRClassifierCV"), ("search", "GridSearchCV"))
        rows = [{"name": name, **measure(THIS, ["--child", way, kernels], 1)} for way, name in ways]
        table(f"german, {kernels}: ratios to VKRClassifierCV", rows)


if __name__ == "__main__":
    main()
