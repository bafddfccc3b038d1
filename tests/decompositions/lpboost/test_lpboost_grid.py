"""Many settings on shared distances."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from series_generators import cylinder_bell_funnel

import radprog as rp
import radprog.decompositions.lpboost.fit as lpboost_grid
from radprog.decompositions.lpboost.fit import fit_grid, fit_lpboost, recompute_lpboost
from radprog.decompositions.run import RunSettings

SPECS = [
    rp.LPBoost(length=length, nu=nu, **more)
    for more in ({}, {"pattern_kernel": "distance"}, {"normalize": True}, {"sigma": 0.02})
    for length in ("5", "8", "5,8")
    for nu in (0.2, 0.1)
]


@pytest.fixture(scope="module")
def curves() -> rp.Bags:
    return cylinder_bell_funnel(24, length=32, seed=5)


@pytest.mark.thorough
def test_a_grid_gives_the_runs_of_single_fits(curves: rp.Bags) -> None:
    fold = curves.take(np.arange(2, 22))
    seen = set()
    for spec, run in fit_grid(SPECS, fold, RunSettings()):
        alone = fit_lpboost(spec, fold, RunSettings())
        assert run.certified
        assert run.objective == pytest.approx(alone.objective, rel=1e-6, abs=1e-9)
        assert run.summary["lengths"][0]["sigma"] == alone.summary["lengths"][0]["sigma"]
        scores, expected = run.fit.scores(curves.X), alone.fit.scores(curves.X)
        assert float(np.corrcoef(scores, expected)[0, 1]) > 0.95
        objective, bound = recompute_lpboost(spec, fold, run.evidence, 0).pair
        assert objective == pytest.approx(run.objective, rel=1e-9, abs=1e-12)
        assert bound == pytest.approx(run.bound, rel=1e-9, abs=1e-12)
        seen.add(spec)
    assert seen == set(SPECS)


def test_distances_are_computed_once_for_all_folds(
    curves: rp.Bags, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = []
    made = lpboost_grid.stored_table

    def counted(spec: Any, data: rp.Bags, cut: Any) -> Any:
        calls.append((cut.length, data.rows))
        return made(spec, data, cut)

    monkeypatch.setattr(lpboost_grid, "stored_table", counted)
    fresh = replace(curves)
    specs = SPECS[:6]
    for rows in (np.arange(20), np.arange(4, 24)):
        assert len(list(fit_grid(specs, fresh.take(rows), RunSettings()))) == 6
    assert calls == [(5, 24), (8, 24)]
    list(fit_grid(specs, replace(curves), RunSettings()))
    assert len(calls) == 4  # another data set, though an equal one
