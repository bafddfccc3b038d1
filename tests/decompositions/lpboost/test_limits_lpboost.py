"""LPBoost cut off at any question: an ensemble that is recomputed, and no wrong bound."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from series_generators import cylinder_bell_funnel

from radprog.base.errors import UnfinishedError
from radprog.decompositions.loop import Reason
from radprog.decompositions.lpboost import shapelets
from radprog.decompositions.lpboost.fit import fit_lpboost, recompute_lpboost
from radprog.decompositions.lpboost.report import nothing
from radprog.decompositions.run import RunSettings, RunStatus
from radprog.models.lpboost.cuts import Cut
from radprog.models.lpboost.settings import LPBoost
from radprog.solvers.compile import compile_model

DATA = cylinder_bell_funnel(12, length=20, seed=2)
SPECS = {
    "shapelet": LPBoost(),
    "linear": LPBoost(pattern_kernel="linear", radius=3.0, length="4,6"),
    "distance": LPBoost(pattern_kernel="distance", normalize=True),
    "l1": LPBoost(learner="l1", sigma=0.1),
    "rkhs": LPBoost(learner="rkhs", length="3"),
}

pytestmark = pytest.mark.usefixtures("no_grace")


def settings(polls: int) -> RunSettings:
    asked = itertools.count()
    return RunSettings(interrupted=lambda: next(asked) >= polls, max_iter=4)


@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize("name", SPECS)
def test_wherever_it_is_cut_off(monkeypatch, name: str, streamed: bool) -> None:
    if streamed:
        monkeypatch.setattr(shapelets, "STORED_LIMIT", 0)
    spec, data = SPECS[name], DATA
    full = fit_lpboost(spec, data, RunSettings(max_iter=4))
    found = set()
    for polls in (0, 1, 3, 12, 13, 20, 25, 26, 30, 50, 100, 200, 400):
        run = fit_lpboost(spec, data, settings(polls))
        again = recompute_lpboost(spec, data, run.evidence, 0)
        assert again.objective == pytest.approx(run.objective, rel=1e-9, abs=1e-12)
        assert (again.bound is None) == (run.bound is None)
        if run.bound is not None:
            assert again.bound == pytest.approx(run.bound, rel=1e-9)
        assert run.objective <= full.objective * (1 + 1e-9)
        if spec.exact and run.bound is not None:
            assert run.bound >= full.objective * (1 - 1e-9)
        error = (run.fit.predict(data.X) != data.signs).mean()
        assert run.summary["training_error"] == error
        np.testing.assert_array_equal(again.fit.predict(data.X), run.fit.predict(data.X))
        assert set(run.summary) == set(full.summary)
        assert compile_model(run.model()).cost.size == data.rows + 1
        found.add(run.evidence["w"] == [0.5, 0.5] or run.evidence["w"] == [1.0])
        if polls == 0:
            assert (run.status, run.stopped_by) == (RunStatus.LIMIT, Reason.INTERRUPT)
            assert run.objective == 0.0
            assert (run.bound is not None) == spec.exact
            assert any("cut off while the patterns" in warning for warning in run.warnings)
    assert True in found


def test_after_the_limit_patterns_of_one_row_are_cut_out(monkeypatch) -> None:
    rows = []
    cut_out = Cut.patterns
    monkeypatch.setattr(
        Cut, "patterns", lambda cut, X, *a, **b: rows.append(len(X)) or cut_out(cut, X, *a, **b)
    )
    nothing(LPBoost(), DATA)
    assert rows == [1]


@pytest.mark.parametrize("radius", [1.0, 0.3])
@pytest.mark.parametrize("normalize", [False, True])
@pytest.mark.parametrize("kernel", ["gauss", "linear", "distance"])
def test_no_hypothesis_is_larger_than_the_bound_says(kernel, normalize, radius) -> None:
    spec = LPBoost(pattern_kernel=kernel, normalize=normalize, radius=radius, length="3,0.5")
    problem = shapelets.assemble(spec, DATA)
    bound = fit_lpboost(spec, DATA, settings(0)).bound
    largest = max(family.values.largest for family in problem.families)
    assert largest <= bound
    assert kernel == "linear" or bound <= 20 * largest


def test_a_learner_that_has_no_ensemble_before() -> None:
    with pytest.raises(UnfinishedError, match="shapelet-plus has no hypothesis"):
        fit_lpboost(LPBoost(learner="shapelet-plus"), DATA, settings(0))
