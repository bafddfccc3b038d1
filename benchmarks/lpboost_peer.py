"""Peers of LPBoost over shapelets, run by an interpreter of their own that has aeon.

python lpboost_peer.py TRAIN.tsv TEST.tsv CLASSIFIER: rdst, minirocket or stc. Prints the wall and
processor seconds of fitting and of prediction, the accuracy and the largest memory as JSON.
Compiled code is warmed up first.
"""

from __future__ import annotations

import json
import resource
import sys
import time
from typing import Any

import numpy as np
from aeon.classification.convolution_based import MiniRocketClassifier
from aeon.classification.shapelet_based import RDSTClassifier, ShapeletTransformClassifier


def read(path: str) -> tuple[Any, Any]:
    """Series (m, 1, L) and labels of a UCR file."""
    table = np.loadtxt(path)
    return table[:, None, 1:], table[:, 0].astype(int)


def classifier(name: str) -> Any:
    """The classifier with its defaults; the transform classifier searches for 20 seconds."""
    if name == "rdst":
        return RDSTClassifier(random_state=0)
    if name == "minirocket":
        return MiniRocketClassifier(random_state=0)
    return ShapeletTransformClassifier(time_limit_in_minutes=20 / 60, random_state=0)


def main() -> None:
    """Fit and predict."""
    train, test, name = sys.argv[1:]
    X, y = read(train)
    new, truth = read(test)
    if name != "stc":
        warm = classifier(name).fit(X[:, :, : X.shape[2]], y)
        warm.predict(new[:2])
    start, cpu = time.perf_counter(), time.process_time()
    model = classifier(name).fit(X, y)
    fitted = time.perf_counter()
    accuracy = float((model.predict(new) == truth).mean())
    done, cpu = time.perf_counter(), time.process_time() - cpu
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**10
    answer = {"seconds": done - start, "fit": fitted - start, "cpu": cpu, "accuracy": accuracy}
    print(json.dumps({**answer, "peak_mb": memory}))


main()
