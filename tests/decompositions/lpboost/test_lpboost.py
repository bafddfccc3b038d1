"""LPBoost end to end: known optima, whole programs, certificates, limits, predictors."""

import json
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from effort import examples
from hypothesis import given
from hypothesis import strategies as st
from refusals import refused
from series_generators import cylinder_bell_funnel, planted_bags, planted_margin

from radprog.base.errors import MALFORMED, DataError, OptionError
from radprog.decompositions.loop import Reason
from radprog.decompositions.lpboost.ensemble import PatternEnsemble
from radprog.decompositions.lpboost.fit import fit_lpboost, recompute_lpboost
from radprog.decompositions.lpboost.report import hypotheses_from, start_hypotheses
from radprog.decompositions.lpboost.shapelets import assemble
from radprog.decompositions.run import RunSettings
from radprog.instances.bags import series
from radprog.models.lpboost.programs import build_primal
from radprog.models.lpboost.settings import LPBoost
from radprog.solvers.program import SolveSettings, Status
from radprog.solvers.registry import solve_model

PLAIN = RunSettings()


CURVES = cylinder_bell_funnel(30, length=40, seed=2)


@pytest.mark.parametrize("nu", [0.01, 0.2, 0.55, 1.0])
@pytest.mark.parametrize("kernel", ["gauss", "linear", "distance"])
def test_the_optimum_of_planted_patterns(kernel: str, nu: float) -> None:
    data = planted_bags(20, scale=1.5, seed=4)
    sigma = 0.4 if kernel == "gauss" else None
    run = fit_lpboost(LPBoost(pattern_kernel=kernel, nu=nu, sigma=sigma, radius=2.0), data, PLAIN)
    near, far = {
        "gauss": (1.0, float(np.exp(-0.4 * 2 * 1.5**2))),
        "linear": (1.5, 0.0),  # the shapelet is scaled to norm 1
        "distance": (0.0, -1.5 * np.sqrt(2)),
    }[kernel]
    expected = 2.0 * planted_margin(near, far)
    assert run.status is Status.OPTIMAL
    assert run.objective == pytest.approx(expected, rel=1e-6)
    assert run.bound == pytest.approx(expected, rel=1e-6)
    assert run.bound >= expected * (1 - 1e-12)
    if nu < 1:  # at nu = 1 one of the two planted patterns alone is as good
        np.testing.assert_array_equal(run.fit.predict(data.X), data.targets)


@examples(25)
@given(st.integers(0, 10_000), st.sampled_from([0.05, 0.3, 1.0]), st.booleans(), st.booleans())
def test_column_generation_is_the_whole_program(seed, nu, plus, several) -> None:
    rng = np.random.default_rng(seed)
    m = int(rng.integers(4, 16))
    y = rng.permutation(np.arange(m) % 2)
    data = series(rng.normal(size=(m, 9)) + 0.7 * y[:, None] * np.sin(np.arange(9)), y)
    learner = "shapelet-plus" if plus else "shapelet"
    spec = LPBoost(learner=learner, nu=nu, length="3,5" if several else "4", sigma=0.3)
    run = fit_lpboost(spec, data, RunSettings(tol=1e-9))
    # the optimum over every single shapelet, and its negative where the class has it
    problem = assemble(spec, data)
    H = np.concatenate([family.features for family in problem.families])
    H = H if plus else np.concatenate([H, -H])
    model = build_primal(H, problem.margin)
    assert run.summary["hypotheses"] <= run.summary["hypotheses_of"] == len(H)
    optimum = -solve_model(model, "highs", SolveSettings(tol=1e-10)).objective
    assert run.objective == pytest.approx(optimum, rel=1e-7, abs=2e-9)
    assert run.bound == pytest.approx(optimum, rel=1e-7, abs=2e-9)
    assert run.certified


def hypothesis(**values):
    return lambda e: e["hypotheses"][0].update(values)


def single(e: dict, alpha: list[float], sign: float) -> None:
    e["hypotheses"], e["w"] = e["hypotheses"][:1], [1.0]
    e["hypotheses"][0].update(alpha=alpha, patterns=[0, 1], sign=sign)


def test_evidence_that_does_not_fit_is_refused() -> None:
    spec = LPBoost(length="6")
    run = fit_lpboost(spec, CURVES, PLAIN)

    def check(change, **changes):
        evidence = json.loads(json.dumps(run.evidence))
        change(evidence)
        return recompute_lpboost(replace(spec, **changes), CURVES, evidence, 0)

    for change, message in (
        (lambda e: e["w"].append(0.1), "weights"),
        (lambda e: e.update(w=[-w for w in e["w"]]), "weights"),
        (lambda e: e.update(w=[2 * w for w in e["w"]]), "weights"),
        (lambda e: e["d"].pop(), "weights of rows"),
        (hypothesis(patterns=[10**6]), "do not fit"),
        (hypothesis(patterns=[-1]), "do not fit"),
        (hypothesis(length=7), "not in"),
        (hypothesis(sign=0.5), "do not fit"),
        (hypothesis(alpha=[1.1]), "single shapelet"),
        (hypothesis(alpha=[0.5, 0.5], patterns=[0, 1]), "single shapelet"),
        (hypothesis(alpha=None), "do not fit"),
        (hypothesis(alpha=["a"]), "could not convert"),
        (hypothesis(alpha=[], patterns=[]), "single shapelet"),
    ):
        refused((DataError, *MALFORMED), message, check, change)
    for learner, alpha in (("l1", [0.8, -0.3]), ("rkhs", [0.9, 0.9])):
        change = partial(single, alpha=alpha, sign=1.0)
        refused(DataError, "outside radius 1", check, change, learner=learner)
        change = partial(single, alpha=[0.3, -0.2], sign=-1.0)
        refused(DataError, "a negative hypothesis", check, change, learner=learner)
        check(change, learner=learner, orientation="both")
    # weights of rows that are none are made feasible, and the bound stays one
    assert check(lambda e: e["d"].reverse()).bound >= run.objective


@pytest.mark.thorough
@pytest.mark.parametrize("learner", ["l1", "rkhs"])
def test_local_pricing_proves_no_bound(learner: str) -> None:
    run = fit_lpboost(LPBoost(learner=learner, length="8"), CURVES, PLAIN)
    assert run.bound is None
    assert run.status is Status.FEASIBLE
    assert run.reason is Reason.NO_COLUMN
    assert not run.certified
    assert any("no upper bound is proved" in text for text in run.warnings)
    assert run.objective > 0.0
    plus = fit_lpboost(LPBoost(learner="shapelet-plus", length="8"), CURVES, PLAIN)
    assert run.objective > plus.objective  # the ball holds every shapelet
    detail = run.trace[0].detail
    assert {"dca_steps", "starts", "distinct", "model_decrease"} <= detail.keys()
    assert {"edge", "gamma", "columns", "used"} <= detail.keys()
    assert float((run.fit.predict(CURVES.X) == CURVES.targets).mean()) >= 0.9


def test_the_papers_unit_vector_calls_every_row_positive() -> None:
    run = fit_lpboost(LPBoost(learner="shapelet-plus", length="8"), CURVES, PLAIN)
    assert run.status is Status.OPTIMAL
    assert run.objective < 0
    np.testing.assert_array_equal(run.fit.predict(CURVES.X), 1.0)
    assert any(": choose learner shapelet" in text for text in run.warnings)


def test_another_solver_of_the_master() -> None:
    spec, name = LPBoost(length="8"), "pyomo:appsi_highs"
    run = fit_lpboost(spec, CURVES, RunSettings(solver=name))
    assert (run.certified, run.solver.name) == (True, name)
    assert run.objective == pytest.approx(fit_lpboost(spec, CURVES, PLAIN).objective, rel=1e-6)


def test_a_useless_width_is_named() -> None:
    run = fit_lpboost(LPBoost(length="8", sigma=1e-12), CURVES, PLAIN)
    assert any("choose another sigma" in text for text in run.warnings)
    assert run.certified
    assert fit_lpboost(LPBoost(length="8"), CURVES, PLAIN).warnings == ()


@pytest.mark.parametrize("learner", ["shapelet", "l1"])
def test_only_hypotheses_over_the_same_patterns_start(learner: str) -> None:
    spec = LPBoost(learner=learner, length="9", sigma=1.0)
    fit = fit_lpboost(spec, CURVES, RunSettings(max_iter=3)).fit
    origin, alpha = fit.groups[0].origin, fit.groups[0].alpha
    moved = CURVES.X.copy()
    moved[::2] += 0.01 * np.random.default_rng(0).normal(size=moved[::2].shape)
    problem = assemble(spec, replace(CURVES, X=moved))
    kept = [
        sorted((32 * origin[used][:, 0] + origin[used][:, 1]).tolist())
        for used in map(np.flatnonzero, alpha)
        if (origin[used, 0] % 2 == 1).all()
    ]
    assert len(kept) < len(alpha)
    found = start_hypotheses(spec, problem, fit)
    assert sorted(sorted(h.patterns.tolist()) for h in found) == sorted(kept)
    other = assemble(spec, cylinder_bell_funnel(30, length=40, seed=3))
    assert start_hypotheses(spec, other, fit) == []


def test_an_earlier_fit_is_a_start() -> None:
    spec = LPBoost(length="5,9")
    first = fit_lpboost(spec, CURVES, PLAIN)
    again = fit_lpboost(spec, CURVES, RunSettings(start=first.fit))
    assert again.objective == pytest.approx(first.objective, rel=1e-6)
    assert len(again.trace) < len(first.trace)
    assert len(again.trace) <= 2
    other = fit_lpboost(replace(spec, length="7"), CURVES, RunSettings(start=first.fit))
    assert other.certified  # patterns of other lengths are no use, and no harm
    local = LPBoost(learner="l1", length="9")
    begun = fit_lpboost(local, CURVES, RunSettings(max_iter=3))
    more = fit_lpboost(local, CURVES, RunSettings(max_iter=3, start=begun.fit))
    assert more.objective >= begun.objective - 1e-12


@pytest.mark.parametrize(
    "spec",
    [
        LPBoost(length="5,9"),
        LPBoost(length="6", pattern_kernel="linear"),
        LPBoost(length="6", pattern_kernel="distance"),
        LPBoost(length="6", normalize=True),
        LPBoost(length="6", learner="l1"),
        LPBoost(length="6", learner="rkhs", orientation="both"),
        LPBoost(length="6", learner="rkhs", pattern_kernel="linear", normalize=True),
        LPBoost(length="6", learner="l1", pattern_kernel="distance"),
    ],
)
def test_predictors_of_every_variant(spec: LPBoost) -> None:
    run = fit_lpboost(spec, CURVES, RunSettings(max_iter=8))
    fit = run.fit
    again = PatternEnsemble.from_dict(json.loads(json.dumps(fit.to_dict())))
    new = cylinder_bell_funnel(8, length=40, seed=9)
    np.testing.assert_array_equal(again.scores(new.X), fit.scores(new.X))
    # on the training rows the scores are the ensemble's own values
    chosen = hypotheses_from(assemble(spec, CURVES), run.evidence["hypotheses"])
    values = sum(w * h.values for w, h in zip(run.evidence["w"], chosen, strict=True))
    np.testing.assert_allclose(fit.scores(CURVES.X), values, atol=1e-7)
    assert sum(len(group.patterns) for group in fit.groups) == run.summary["support_vectors"]
    with pytest.raises(DataError, match=r"series of shape \(40,\), the data has rows of shape"):
        fit.scores(new.X[:, :30])


@pytest.mark.parametrize("learner", ["shapelet", "l1"])
def test_bags_and_several_channels(learner: str) -> None:
    rng = np.random.default_rng(3)
    y = np.arange(16) % 2
    X = rng.normal(size=(16, 2, 14))
    X[y == 1, 1, 4:8] += 2.5  # the second channel tells the classes apart
    channels = series(X, y)
    run = fit_lpboost(LPBoost(learner=learner, length="4"), channels, PLAIN)
    np.testing.assert_array_equal(run.fit.predict(X), channels.targets)
    assert run.extra["figure"]["rows"] == []
    patches = planted_bags(12, seed=5)
    run = fit_lpboost(LPBoost(learner=learner, sigma=1.0), patches, PLAIN)
    np.testing.assert_array_equal(run.fit.predict(patches.X), patches.targets)
    assert run.summary["lengths"][0]["length"] == 8


def test_damaged_predictors() -> None:
    good = fit_lpboost(LPBoost(length="8"), CURVES, PLAIN).fit.to_dict()
    group = good["groups"][0]
    changes = ({"sigma": None}, {"sigma": -1.0}, {"alpha": [[1.0]]}, {"patterns": "none"},
               {"pattern_kernel": "cosine"})  # fmt: skip
    for values in (
        {**good, "data_kind": "images"},
        {key: value for key, value in good.items() if key != "groups"},
        *({**good, "groups": [{**group, **change}]} for change in changes),
    ):
        refused((DataError, OptionError), "", PatternEnsemble.from_dict, values)


def test_patterns_are_drawn_where_they_lie_nearest() -> None:
    run = fit_lpboost(LPBoost(length="9", normalize=True), CURVES, PLAIN)
    fit = run.fit
    row, group = run.extra["figure"]["rows"][0], fit.groups[0]
    windows = fit.patterns(np.array([row["series"]]), group.cut)[0]
    contributions = (group.weights @ group.alpha).tolist()
    for pattern in row["patterns"]:
        k = contributions.index(pattern["contribution"])
        distance = ((windows - group.shift - group.patterns[k]) ** 2).sum(axis=1)
        assert pattern["position"] == int(distance.argmin())
        here = np.array(row["series"])[slice(pattern["position"], pattern["position"] + 9)]
        assert np.mean(pattern["values"]) == pytest.approx(here.mean(), abs=1e-6)


def test_the_bound_of_a_ball_counts_cells_of_a_linear_kernel() -> None:
    """Theorem 1 (i) holds for every ball: fewer cells than Q^m; with a Gaussian kernel Q^m."""
    spec = LPBoost(length="2", learner="rkhs", pattern_kernel="linear", orientation="both")
    kinds = ({}, {"pattern_kernel": "gauss"}, {"pattern_kernel": "gauss", "sigma": 0.1})
    few = replace(PLAIN, max_iter=5)
    runs = [fit_lpboost(replace(spec, **kind), CURVES, few) for kind in kinds]
    linear, gauss, given = (run.extra["bounds"][0] for run in runs)
    naive = linear["parameters"]["log_theta_naive"]
    assert linear["parameters"]["log_theta"] < naive
    assert gauss["parameters"]["log_theta"] == pytest.approx(naive)
    # images of a Gaussian kernel have norm 1, and its sigma is of the sample unless it is given
    said = [" ".join(bound["caveats"]) for bound in (linear, gauss, given)]
    assert ["Q^m" in text for text in said[:2]] == [False, True]
    assert ["largest norm" in text for text in said[:2]] == [True, False]
    assert ["sigma is chosen by the patterns" in text for text in said[1:]] == [True, False]
