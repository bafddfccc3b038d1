"""Estimators that choose by folds end within their time limit and one native call."""

from __future__ import annotations

import time
import warnings
from typing import Any

import numpy as np
import pytest

import radprog as rp
from radprog import estimators

WITH_FOLDS = [name for name in estimators.__all__ if name.endswith("CV")]


@pytest.mark.parametrize("limit", [0.3, 3.0])
@pytest.mark.parametrize("name", WITH_FOLDS)
def test_the_limit_holds_for_all_folds_together(name: str, limit: float) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 400 if "Sparse" in name else 20))
    score = X[:, 0] + 2.0 * rng.normal(size=300)
    y: Any = score if "Regressor" in name else score > 0
    model = getattr(estimators, name)(cv=4, time_limit=limit, tol=1e-9)
    began = time.process_time()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            model.fit(X, y)
            assert np.isfinite(model.objective_)
        except rp.UnfinishedError:
            assert limit < 1.0  # no time for the first step of the last fit
    spent = time.process_time() - began
    assert spent < limit + 2.0, caught  # the longest single call takes well below two seconds


def test_folds_cut_off_are_counted() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 2000))
    y = X[:, 0] + 2.0 * rng.normal(size=400) > 0
    model = estimators.SparseHingeClassifierCV(betas="1..1e-5:9", cv=3, time_limit=2.0)
    with pytest.warns(estimators.base.LimitWarning, match="limits cut off .* of the 27 fits"):
        model.fit(X, y)
    assert model.beta_ in model.betas_
