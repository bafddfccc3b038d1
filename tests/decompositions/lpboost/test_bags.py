"""Bags hold as many patterns as they like: the best of them counts."""

from __future__ import annotations

import numpy as np
import pytest

import radprog as rp


@pytest.mark.parametrize("learner", ["shapelet", "rkhs"])
def test_patterns_that_come_twice_change_nothing(learner: str) -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(16, 5, 3)), np.arange(16) % 2
    X[y == 1, 0] += 3.0
    fit = rp.fit(rp.LPBoost(learner=learner, nu=0.3), rp.bags(X, y), max_iter=5).fit
    scores = fit.scores(X)
    assert np.ptp(scores) > 0.1
    np.testing.assert_allclose(fit.scores(np.concatenate([X, X[:, :2]], axis=1)), scores)
    with pytest.raises(rp.RadprogError, match="the fit was made on bags of patterns"):
        fit.scores(X[:, :, :2])
