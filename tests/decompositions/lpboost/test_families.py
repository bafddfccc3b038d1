"""Families of patterns and bags of them: certified pools, and grids that share their tables."""

import json

import numpy as np
import pytest
from series_generators import cylinder_bell_funnel

import radprog as rp
from radprog.decompositions.lpboost.ensemble import PatternEnsemble
from radprog.decompositions.lpboost.fit import fit_grid, fit_lpboost, recompute_lpboost
from radprog.decompositions.lpboost.shapelets import assemble
from radprog.decompositions.run import RunSettings
from radprog.models.lpboost.cuts import Cut
from radprog.models.lpboost.programs import build_primal
from radprog.solvers.registry import solve_model

FAMILIES = "plain,diff,dilated:3"
CURVES = cylinder_bell_funnel(16, length=24, seed=2)


def test_what_each_family_takes_of_a_window() -> None:
    x = np.array([3.0, 1.0, 4.0, 1.0, 5.0, 9.0])
    wanted = {
        "plain": [x[t : t + 4] for t in range(3)],
        "diff": [[x[t + i + 1] - x[t + i] for i in range(3)] for t in range(3)],
        "dilated:2": [[x[t], x[t + 2]] for t in range(3)],
        "dilated:3": [[x[t], x[t + 3]] for t in range(3)],
    }
    for family, patterns in wanted.items():
        cut = Cut(length=4, family=family)
        found = cut.patterns(x[None, :], "series", normalize=False)[0]
        np.testing.assert_array_equal(found, patterns)
        drawn = cut.to_points(found[1], x[1:5], normalized=False)
        assert len(drawn) == 4
        if not family.startswith("dilated"):
            np.testing.assert_allclose(drawn, x[1:5])
        assert Cut.from_dict(cut.to_dict()) == cut
    channels = np.stack([x, -x])[None]
    found = Cut(length=4, family="diff").patterns(channels, "series", normalize=False)
    first = wanted["diff"][0]
    np.testing.assert_array_equal(found[0, 0], [*first, *np.negative(first)])


def test_a_pool_of_families_is_certified_and_holds_the_plain_one() -> None:
    spec = rp.LPBoost(length=(2, 6), families=FAMILIES.split(","))
    assert [(cut.family, cut.length) for cut in spec.cuts(24)] == [
        ("plain", 2), ("plain", 6), ("diff", 2), ("diff", 6), ("dilated:3", 6)
    ]  # fmt: skip
    run = rp.fit(spec, CURVES)
    assert run.certified
    problem = assemble(spec, CURVES)
    H = np.concatenate([family.features for family in problem.families])
    whole = solve_model(build_primal(np.concatenate([H, -H]), problem.margin), "highs").objective
    assert run.objective == pytest.approx(-(whole or 0.0), rel=1e-6)
    assert run.objective > rp.fit(rp.LPBoost(length="2,6"), CURVES).objective + 1e-3
    assert {part.get("family") for part in run.summary["lengths"]} == {None, "diff", "dilated:3"}
    again = PatternEnsemble.from_dict(json.loads(json.dumps(run.fit.to_dict())))
    np.testing.assert_array_equal(again.scores(CURVES.X), run.fit.scores(CURVES.X))
    assert any("family" in item for item in run.evidence["hypotheses"])


SPECS = [
    rp.LPBoost(length=length, nu=nu, **more)
    for more in ({}, {"pattern_kernel": "distance"}, {"normalize": True}, {"sigma": 0.02})
    for length in ("5", "8", "5,8")
    for nu in (0.2, 0.1)
]


GRID_CURVES = cylinder_bell_funnel(24, length=32, seed=5)


@pytest.mark.thorough
def test_a_grid_gives_the_runs_of_single_fits() -> None:
    fold = GRID_CURVES.take(np.arange(2, 22))
    seen = set()
    for spec, run in fit_grid(SPECS, fold, RunSettings()):
        alone = fit_lpboost(spec, fold, RunSettings())
        assert run.certified
        assert run.objective == pytest.approx(alone.objective, rel=1e-6, abs=1e-9)
        assert run.summary["lengths"][0]["sigma"] == alone.summary["lengths"][0]["sigma"]
        scores, expected = run.fit.scores(GRID_CURVES.X), alone.fit.scores(GRID_CURVES.X)
        assert float(np.corrcoef(scores, expected)[0, 1]) > 0.95
        objective, bound = recompute_lpboost(spec, fold, run.evidence, 0).pair
        assert objective == pytest.approx(run.objective, rel=1e-9, abs=1e-12)
        assert bound == pytest.approx(run.bound, rel=1e-9, abs=1e-12)
        seen.add(spec)
    assert seen == set(SPECS)
