"""What boosted shapelets rest on: preference, equal series, refusals."""

from dataclasses import replace

import numpy as np
import pytest
from small_data import waves

import radprog as rp

SPEC = rp.LPBoost(length="5", nu=0.2, sigma=0.5)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("kernel", [{"sigma": 0.5}, {"pattern_kernel": "distance", "sigma": None}])
def test_series_outside_leave_the_ensemble_as_it_is(seed: int, kernel: dict) -> None:
    data, spec = waves(seed, 30, 16), replace(SPEC, **kernel)
    run = rp.fit(spec, data, tol=1e-10)
    found, rho = run.extra["compression"], run.summary["rho"]
    assert found["refused"] is None
    assert rho > 0
    margins = data.signs * run.fit.scores(data.X)
    inside = margins <= rho + 1e-7
    for group in run.fit.groups:
        inside[group.origin[:, 0]] = True
    assert inside.sum() == found["size"] < 30
    kept = np.flatnonzero(inside)
    fixed = replace(spec, nu=spec.nu * 30 / len(kept))  # 1/(nu m) stays
    again = rp.fit(fixed, data.take(kept), tol=1e-10)
    assert again.fit.scores(data.X) == pytest.approx(run.fit.scores(data.X), abs=1e-6)
    assert again.extra["compression"]["size"] == found["size"]


def test_equal_series_may_stand_for_each_other() -> None:
    data = waves(7, 20, 16)
    twice = rp.fit(SPEC, rp.series(np.vstack([data.X, data.X]), np.tile(data.signs, 2)), tol=1e-10)
    assert "other ensembles may be as good" in twice.extra["compression"]["refused"]


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({}, "other ensembles may be as good"),  # cut off
        ({"sigma": None}, "give `sigma` a number"),
        ({"sigma": "auto"}, "give `sigma` a number"),
        ({"learner": "l1"}, "use `learner='shapelet'`"),
        ({"nu": 1.0}, "another `nu`"),
    ],
)
def test_refusals(changes: dict, why: str) -> None:
    data, limit = (waves(0, 12, 16), None) if changes else (waves(1, 30, 16), 1)
    found = rp.fit(replace(SPEC, **changes), data, max_iter=limit).extra["compression"]
    assert found["bound"] is found["size"] is None
    assert why in found["refused"]
