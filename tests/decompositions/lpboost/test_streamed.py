"""LPBoost where features are a screen: the same optima and predictions; limits within pricing."""

import numpy as np
import pytest
from refusals import refused
from series_generators import cylinder_bell_funnel

import radprog as rp
from radprog.base.limits import OutOfBudget
from radprog.decompositions.loop import Budget, Reason
from radprog.decompositions.lpboost import shapelets, weak_learners
from radprog.decompositions.lpboost import shapelets as module
from radprog.decompositions.lpboost.fit import fit_lpboost, recompute_lpboost
from radprog.decompositions.lpboost.forms import lpboost_form
from radprog.decompositions.lpboost.prices import lpboost_classes, price_lpboost
from radprog.decompositions.lpboost.shapelets import assemble
from radprog.decompositions.lpboost.weak_learners import SingleShapelets
from radprog.decompositions.run import Run, RunSettings

TIGHT = RunSettings(tol=1e-9)


CURVES = cylinder_bell_funnel(40, length=40, seed=2)


@pytest.fixture
def streaming(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever can be streamed is."""
    monkeypatch.setattr(module, "STORED_LIMIT", 0)


def stored_run(spec: rp.LPBoost, data: rp.Bags, settings: RunSettings = TIGHT) -> Run:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "STORED_LIMIT", 1 << 40)
        return fit_lpboost(spec, data, settings)


@pytest.mark.cases(5)
@pytest.mark.thorough
@pytest.mark.parametrize("normalize", [False, True])
@pytest.mark.parametrize("kernel", ["gauss", "linear", "distance"])
@pytest.mark.parametrize("learner", ["shapelet", "shapelet-plus"])
@pytest.mark.usefixtures("streaming")
def test_streamed_and_stored_agree(learner, kernel, normalize) -> None:
    how = {"learner": learner, "pattern_kernel": kernel, "normalize": normalize}
    spec = rp.LPBoost(length="5,9", radius=1.5, **how)
    assert not any(family.values.exact for family in assemble(spec, CURVES).families)
    run, other = fit_lpboost(spec, CURVES, TIGHT), stored_run(spec, CURVES)
    assert run.certified
    assert other.certified
    assert run.objective == pytest.approx(other.objective, rel=1e-8, abs=1e-9)
    assert run.bound == pytest.approx(other.bound, rel=1e-8, abs=1e-9)
    exact = pytest.approx((run.objective, run.bound), rel=1e-14)
    assert recompute_lpboost(spec, CURVES, run.evidence, 0).pair == exact
    with pytest.MonkeyPatch.context() as patch:  # either certifies what the other found
        patch.setattr(module, "STORED_LIMIT", 1 << 40)
        again = recompute_lpboost(spec, CURVES, run.evidence, 0).pair
    assert again == pytest.approx((run.objective, run.bound), rel=1e-9, abs=1e-10)


@pytest.mark.parametrize("signed", [True, False])
@pytest.mark.parametrize("seed", range(4))
def test_pricing_by_a_screen_is_exact(seed: int, signed: bool, monkeypatch) -> None:
    """The screen alone would be off by its error, here a large one."""
    spec = rp.LPBoost(length="6", sigma=0.05)
    table = SingleShapelets(assemble(spec, CURVES), signed=signed)
    monkeypatch.setattr(module, "STORED_LIMIT", 0)
    monkeypatch.setattr(weak_learners.SingleShapelets, "batch_size", 1)
    problem = assemble(spec, CURVES)
    (family,) = problem.families
    assert not family.values.exact
    coarse = np.float32(1 / 32)
    family.values.values -= family.values.values % coarse
    family.values.error += float(coarse)
    coded = SingleShapelets(problem, signed=signed)
    d = np.random.default_rng(seed).dirichlet(np.ones(CURVES.rows))
    expected, found = (pricer(d, -np.inf, (), Budget()) for pricer in (table, coded))
    assert found.edge == pytest.approx(expected.edge, rel=1e-12)
    assert coded.bound(d) == pytest.approx(table.bound(d), rel=1e-12)
    first, second = found.hypotheses[0], expected.hypotheses[0]
    assert (first.sign, first.patterns.tolist()) == (second.sign, second.patterns.tolist())
    margins = problem.margin
    edges = [float(margins.edges(h.values[None, :], d)[0]) for h in found.hypotheses]
    assert max(edges) == edges[0]
    assert len(coded(d, expected.edge * (1 - 1e-9), (), Budget()).hypotheses) >= 1
    assert coded(d, expected.edge * (1 + 1e-9), (), Budget()).hypotheses == ()


@pytest.mark.usefixtures("streaming")
def test_other_questions_of_streamed_features() -> None:
    spec = rp.LPBoost(length="9", sigma=0.1)
    run = fit_lpboost(spec, CURVES, TIGHT)
    priced = price_lpboost(spec, CURVES, run.evidence, 0, "5")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "STORED_LIMIT", 1 << 40)
        expected = price_lpboost(spec, CURVES, run.evidence, 0, "5")
    assert priced.floor == pytest.approx(expected.floor, rel=1e-9)
    with pytest.raises(rp.OptionError, match="1280 patterns on 40 series are too many"):
        lpboost_form(spec, CURVES, "primal", RunSettings())
    refused(rp.OptionError, "too many", lpboost_classes, spec, CURVES, 0)
    local = fit_lpboost(rp.LPBoost(learner="l1", length="9"), CURVES, RunSettings(max_iter=1))
    assert local.objective is not None  # local learners store their tables


def test_what_exceeds_the_memory_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "memory", lambda: 10**6)
    tables = r"tables of 1280 patterns of 9 points on 40 series need 0.00164 GB, more than the"
    with pytest.raises(rp.DataError, match=tables + ".* or learner shapelet"):
        fit_lpboost(rp.LPBoost(learner="l1", length="9"), CURVES, TIGHT)
    monkeypatch.setattr(module, "STORED_LIMIT", 10**6)
    assert fit_lpboost(rp.LPBoost(length="9"), CURVES, TIGHT).certified  # a screen fits
    monkeypatch.setattr(module, "memory", lambda: 10**5)
    with pytest.raises(rp.DataError, match=r"values of 1280 patterns .* need 0.000205 GB"):
        fit_lpboost(rp.LPBoost(length="9"), CURVES, TIGHT)
    monkeypatch.setattr(module, "memory", lambda: None)
    assert fit_lpboost(rp.LPBoost(length="9"), CURVES, TIGHT).certified
    assert module.memory() is None


def test_a_limit_in_the_table_leaves_the_ensemble_of_a_sample(monkeypatch) -> None:
    data, spec = cylinder_bell_funnel(40, length=300, seed=2), rp.LPBoost()
    whole = fit_lpboost(spec, data, RunSettings())

    def cut_off(*args: object, **options: object) -> None:
        raise OutOfBudget

    monkeypatch.setattr(shapelets, "pattern_table", cut_off)
    run = fit_lpboost(spec, data, RunSettings(time_limit=60.0))
    assert (run.bound, run.certified, run.stopped_by) == (None, False, Reason.TIME_LIMIT)
    assert 0.0 < run.objective <= whole.objective + 1e-9
    assert "patterns were priced, so no bound is proved" in run.warnings[0]
    assert (run.fit.predict(data.X) == data.targets).mean() > 0.8
    with pytest.raises(rp.UnfinishedError):
        fit_lpboost(spec, data, RunSettings())
    monkeypatch.undo()
    again = recompute_lpboost(spec, data, run.evidence, 0)
    assert again.pair == (pytest.approx(run.objective, rel=1e-9), None)
