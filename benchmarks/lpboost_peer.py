"""Peers of LPBoost over shapelets, run by a separate interpreter with aeon or pyts.

python lpboost_peer.py TRAIN.tsv TEST.tsv CLASSIFIER

CLASSIFIER is rdst, minirocket, stc, ig-svm or lts. The output is JSON: wall and processor seconds
of fitting and prediction, the accuracy, the correct test rows, and the peak memory. Compiled code
is warmed up first, except for the slow methods.
"""

from __future__ import annotations

import json
import resource
import sys
import time
from typing import Any

import numpy as np


def read(path: str) -> tuple[Any, Any]:
    """Series (m, L) and labels of a UCR file."""
    table = np.loadtxt(path)
    return table[:, 1:], table[:, 0].astype(int)


def classifier(name: str) -> Any:
    """The classifier with its defaults; stc searches for 20 seconds, ig-svm is the transform of
    10,000 candidates by information gain with a linear support vector machine."""
    if name == "lts":
        from pyts.classification import LearningShapelets

        return LearningShapelets(random_state=0)
    from aeon.classification import convolution_based, shapelet_based
    from sklearn.svm import SVC

    if name == "rdst":
        return shapelet_based.RDSTClassifier(random_state=0)
    if name == "minirocket":
        return convolution_based.MiniRocketClassifier(random_state=0)
    how = (
        {"estimator": SVC(kernel="linear")}
        if name == "ig-svm"
        else {"time_limit_in_minutes": 1 / 3}
    )
    return shapelet_based.ShapeletTransformClassifier(random_state=0, **how)


def main() -> None:
    """Fit and predict."""
    train, test, name = sys.argv[1:]
    X, y = read(train)
    new, truth = read(test)
    if name in ("rdst", "minirocket"):
        classifier(name).fit(X, y).predict(new[:2])
    start, cpu = time.perf_counter(), time.process_time()
    model = classifier(name).fit(X, y)
    fitted = time.perf_counter()
    right = np.asarray(model.predict(new)) == truth
    done, cpu = time.perf_counter(), time.process_time() - cpu
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**10
    answer = {"seconds": done - start, "fit": fitted - start, "cpu": cpu, "peak_mb": memory}
    print(json.dumps({**answer, "accuracy": right.mean(), "right": right.astype(int).tolist()}))


main()
