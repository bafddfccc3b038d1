"""A classifier that is useless on its own training rows says so, with a remedy that works."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import radprog as rp
from radprog.base.types import FloatArray, IntArray

SPECS = {
    "vkr": rp.VKR(kernels="poly:1-3", beta=0.05),
    "l1svm": rp.L1SVM(),
    "svm": rp.SVM(kernels="rbf:0.1"),
    "l1linear": rp.L1Linear(loss="hinge", beta=0.02),
    "mkl": rp.MKL(kernels="rbf:0.001,rbf:0.01"),
    "lpboost": rp.LPBoost(learner="stump", nu=0.5),
    "simsvm": rp.SimSVM(kernels="rbf:0.1"),
}


def rare(seed: int) -> tuple[FloatArray, IntArray]:
    """Rows with 8 to 12 % positives that the features tell apart only in part."""
    rng = np.random.default_rng(seed)
    y = np.where(rng.permutation(150) < rng.integers(12, 19), 1, -1)
    return rng.normal(size=(150, 5)) + 0.5 * (y[:, None] > 0), y


def weak(predicted: Any, scores: FloatArray, y: IntArray) -> bool:
    """Whether the scores are equal, or at most one row in 20 of a class is recognised."""
    shares = [np.mean(predicted[y == label] == label) for label in np.unique(y)]
    return bool(min(shares) <= 0.05 or np.ptp(scores) <= 1e-9 * np.abs(scores).max())


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", SPECS)
def test_a_weak_fit_warns_in_the_run_and_beside_its_bounds(name: str, seed: int) -> None:
    X, y = rare(seed)
    data = rp.dataset(X, y)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        run = rp.fit(SPECS[name], data)
    scores = run.fit.scores(data.X)
    expected = weak(np.where(scores >= 0, 1, -1), scores, y)
    said = [str(one.message) for one in caught if one.category is rp.WeakFitWarning]
    assert bool(said) is expected is ("weakness" in run.summary)
    assert set(said) <= set(run.warnings)
    # weights come first, and a weaker penalty only for one stronger than usual
    for line in said:
        assert "training row" in line
        if name != "lpboost":
            assert "class_weight='balanced'" in line.partition(" or ")[0]
        assert ("rp.rate('false negative', 0.2)" in line) is hasattr(SPECS[name], "constraints")
        assert ("a smaller beta" in line) is (name in ("vkr", "l1linear"))
    table = rp.bounds(run, data) if name != "mkl" else None
    if table is not None and expected:
        assert "useless" in str(table)
        assert "<- best" not in str(table)
