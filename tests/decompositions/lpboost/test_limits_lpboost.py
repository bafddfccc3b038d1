"""LPBoost cut off at any question: an ensemble that is recomputed, and no wrong bound."""

import numpy as np
import pytest
from cut_off import polled
from series_generators import cylinder_bell_funnel

import radprog as rp
from radprog.decompositions.lpboost import shapelets
from radprog.decompositions.lpboost.fit import fit_lpboost, recompute_lpboost
from radprog.decompositions.run import RunSettings

DATA = cylinder_bell_funnel(12, length=20, seed=2)
SPECS = {
    "shapelet": rp.LPBoost(),
    "linear": rp.LPBoost(pattern_kernel="linear", radius=3.0, length="4,6"),
    "distance": rp.LPBoost(pattern_kernel="distance", normalize=True),
    "l1": rp.LPBoost(learner="l1", sigma=0.1),
    "rkhs": rp.LPBoost(learner="rkhs", length="3"),
}


@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize("name", SPECS)
def test_wherever_it_is_cut_off(monkeypatch, name: str, streamed: bool) -> None:
    """An error before the first round, and after it an ensemble that is certified in full."""
    if streamed:
        monkeypatch.setattr(shapelets, "STORED_LIMIT", 0)
    spec, data = SPECS[name], DATA
    full = fit_lpboost(spec, data, RunSettings(max_iter=4))
    unfinished = 0
    for polls in (0, 1, 13, 26, 50, 100, 200, 400, 1000):
        try:
            run = fit_lpboost(spec, data, RunSettings(interrupted=polled(polls)[0], max_iter=4))
        except rp.UnfinishedError:
            unfinished += 1
            continue
        assert run.trace
        again = recompute_lpboost(spec, data, run.evidence, 0)
        assert again.objective == pytest.approx(run.objective, rel=1e-9, abs=1e-12)
        assert again.bound == (None if run.bound is None else pytest.approx(run.bound, rel=1e-9))
        assert run.objective <= full.objective * (1 + 1e-9)
        if spec.exact and run.bound is not None:
            assert run.bound >= full.objective * (1 - 1e-9)
        assert run.summary["training_error"] == (run.fit.predict(data.X) != data.signs).mean()
        np.testing.assert_array_equal(again.fit.predict(data.X), run.fit.predict(data.X))
    assert 0 < unfinished < 9
