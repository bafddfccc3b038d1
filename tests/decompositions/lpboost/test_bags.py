"""Bags hold as many patterns as they like: the best of them counts."""

from pathlib import Path

import numpy as np
import pytest

import radprog as rp


@pytest.mark.parametrize("learner", ["shapelet", "rkhs"])
def test_patterns_that_come_twice_change_nothing(learner: str) -> None:
    X, y = np.random.default_rng(0).normal(size=(16, 5, 3)), np.arange(16) % 2
    X[y == 1, 0] += 3.0
    fit = rp.fit(rp.LPBoost(learner=learner, nu=0.3), rp.bags(X, y), max_iter=5).fit
    scores = fit.scores(X)
    assert np.ptp(scores) > 0.1
    np.testing.assert_allclose(fit.scores(np.concatenate([X, X[:, :2]], axis=1)), scores)
    with pytest.raises(rp.RadprogError, match="the fit was made on bags of patterns"):
        fit.scores(X[:, :, :2])


def test_test_bags_may_hold_more_patterns(tmp_path: Path) -> None:
    X, y = np.random.default_rng(0).normal(size=(8, 5, 3)), np.arange(8) % 2
    np.savez(tmp_path / "old.npz", X=X, y=y)
    np.savez(tmp_path / "new.npz", X=np.concatenate([X, X], axis=1), y=y)
    np.savez(tmp_path / "other.npz", X=X[:, :, :2], y=y)
    old = rp.read_series(tmp_path / "old.npz")
    new = rp.read_series(tmp_path / "new.npz", like=old)
    run = rp.fit(rp.LPBoost(nu=0.3), old)
    assert run.predict(new).tolist() == run.predict(old).tolist()
    with pytest.raises(rp.DataError, match="bags of patterns of shape"):
        rp.read_series(tmp_path / "other.npz", like=old)
