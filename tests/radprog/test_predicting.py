"""Predictions of rows as they were given: scaled by the fit, labelled as the user did."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import radprog as rp

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 3)) * np.array([1.0, 100.0, 0.01]) + 5.0
SIDE = X[:, 0] > 5.0


@pytest.mark.parametrize(
    ("labels", "kind"),
    [(("no", "yes"), "U"), ((0, 1), "i"), ((-1, 1), "i"), ((False, True), "b"), ((0.5, 1.5), "f")],
)
@pytest.mark.parametrize("scale", ["standard", "ball", "none"])
def test_rows_are_scaled_and_labels_are_the_users(labels: Any, kind: str, scale: str) -> None:
    y = np.array([labels[int(side)] for side in SIDE])
    data = rp.dataset(X, y, scale=scale)
    run = rp.fit(rp.VKR(kernels="poly:1-2", lam=1e-3, beta=1e-3), data)
    predicted = run.predict(X)
    assert predicted.dtype.kind == kind
    assert set(predicted) <= set(labels)
    scores = run.decision_function(X)
    np.testing.assert_array_equal(scores, run.fit.scores(data.X))
    np.testing.assert_array_equal(predicted == labels[1], scores >= 0)
    np.testing.assert_array_equal(predicted, run.predict(data))
    if scale == "standard":
        assert np.mean(predicted == y) > 0.9


def test_more_classes_regression_and_clusters(tmp_path: Path) -> None:
    names = np.array(["low", "middle", "high"])[(X[:, 0] > 4.5).astype(int) + (X[:, 0] > 5.5)]
    data = rp.dataset(X, names, scale="standard", one_vs_rest=True)
    run = rp.fit(rp.L1SVM(kernels="poly:1", beta=1e-3), data)
    assert run.decision_function(X).shape == (60, 3)
    assert set(run.predict(X)) <= set(names)
    assert np.mean(run.predict(X) == names) > 0.6
    rp.save_fit(run, data, tmp_path / "fit.json")
    np.testing.assert_array_equal(rp.load_fit(tmp_path / "fit.json").predict(X), run.predict(X))
    again = pickle.loads(pickle.dumps(run))  # noqa: S301
    np.testing.assert_array_equal(again.predict(X), run.predict(X))

    numbers = rp.regression_data(X, X[:, 0] * 2.0, scale="standard")
    fitted = rp.fit(rp.SVR(kernels="linear"), numbers)
    np.testing.assert_array_equal(fitted.predict(X), fitted.fit.predict(numbers.X))


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        (X[:, :2], r"X has shape \(60, 2\), expected \(n, 3\) numbers"),
        (X[0], r"X has shape \(3,\)"),
        (np.where(SIDE[:, None], np.nan, X), "expected a finite number"),
        (np.array(["a", "b"]), "expected .n, 3. numbers"),
        (rp.regression_data(X, X[:, 0]), "expected dataset"),
    ],
)
def test_other_rows_are_refused(rows: Any, words: str) -> None:
    run = rp.fit(rp.VKR(kernels="poly:1"), rp.dataset(X, SIDE, scale="standard"))
    with pytest.raises(rp.RadprogError, match=words):
        run.predict(rows)
