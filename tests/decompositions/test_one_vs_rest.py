"""One classifier per class: sums, predictions, certificates, any classifier of two."""

import itertools
import json
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from refusals import refused
from series_generators import SHAPES, cylinder_bell_funnel

import radprog as rp
from radprog.decompositions.linear.fit import LinearFit
from radprog.decompositions.loop import Reason
from radprog.decompositions.lpboost.ensemble import PatternEnsemble
from radprog.decompositions.lpboost.fit import fit_lpboost, recompute_lpboost
from radprog.decompositions.one_vs_rest import (
    OneVsRest,
    against,
    fit_one_vs_rest,
    recompute_one_vs_rest,
)
from radprog.decompositions.run import RunSettings, level_ties
from radprog.decompositions.similarity.classifier import KernelClassifier
from radprog.solvers.program import Status
from radprog.solvers.registry import solve_model

SPEC = rp.LPBoost(length="10")


CURVES = cylinder_bell_funnel(36, length=48, classes=SHAPES, seed=0)


def test_three_classes() -> None:
    run = fit_one_vs_rest(fit_lpboost, SPEC, CURVES, RunSettings())
    assert run.status is Status.OPTIMAL
    singles = [fit_lpboost(SPEC, against(CURVES, label), RunSettings()) for label in CURVES.labels]
    assert run.objective == pytest.approx(sum(s.objective or 0.0 for s in singles))
    assert run.bound == pytest.approx(sum(s.bound or 0.0 for s in singles))
    assert run.columns == sum(s.columns or 0 for s in singles)
    assert run.summary["hypotheses"] == sum(s.summary["hypotheses"] for s in singles)
    assert run.summary["machines"] == 3
    assert [m["label"] for m in run.extra["machines"]] == list(CURVES.labels)
    assert all(m["certified"] for m in run.extra["machines"])
    told = [(r.iteration, r.detail["machine"], r.seconds) for r in run.trace]
    for k, part in enumerate(zip(*told, strict=True)):
        assert list(part) == (list(range(len(told))) if k == 0 else sorted(part))
    assert {machine for _, machine, _ in told} == {0.0, 1.0, 2.0}
    new = cylinder_bell_funnel(90, length=48, classes=SHAPES, seed=1)
    scores = run.fit.scores(new.X)
    assert scores.shape == (90, 3)
    np.testing.assert_array_equal(scores[:, 1], singles[1].fit.scores(new.X))
    assert (run.fit.predict(new.X) == new.targets).mean() > 0.85
    # sums are recomputed
    evidence = json.loads(json.dumps(run.evidence))
    recomputed = partial(recompute_one_vs_rest, recompute_lpboost, SPEC, CURVES)
    assert recomputed(evidence, 0).pair == (run.objective, run.bound)
    with pytest.raises(rp.DataError, match="2 classifiers for 3 classes"):
        recomputed({"machines": evidence["machines"][:2]}, 0)


def test_the_programs_are_one_separable_program() -> None:
    run = fit_one_vs_rest(fit_lpboost, SPEC, CURVES, RunSettings(tol=1e-9))
    assert solve_model(run.model()).objective == pytest.approx(run.objective, rel=1e-7)


def test_local_classifiers_have_no_bound() -> None:
    spec = replace(SPEC, learner="rkhs")
    run = fit_one_vs_rest(fit_lpboost, spec, CURVES, RunSettings(max_iter=2))
    assert run.bound is None
    assert run.reason is Reason.MAX_ITER
    assert run.status is Status.LIMIT
    assert len(run.warnings) == 1
    assert 0 < run.summary["nonzero_share"] < 1


def test_a_classifier_without_a_first_step_ends_them_all() -> None:
    asked = itertools.count()
    settings = RunSettings(interrupted=lambda: next(asked) >= 4)
    refused(rp.UnfinishedError, "interrupt", fit_one_vs_rest, fit_lpboost, SPEC, CURVES, settings)
    with pytest.raises(rp.UnfinishedError, match="time_limit"):
        fit_one_vs_rest(fit_lpboost, SPEC, CURVES, RunSettings(time_limit=1e-5))


def test_saved_classifiers() -> None:
    fit = fit_one_vs_rest(fit_lpboost, SPEC, CURVES, RunSettings()).fit
    stored = json.loads(json.dumps(fit.to_dict()))
    readers = {PatternEnsemble.kind: PatternEnsemble.from_dict}

    def rebuilt(kind: str, values) -> PatternEnsemble:
        return readers[kind](values)

    again = OneVsRest.from_dict(stored, rebuilt)
    np.testing.assert_array_equal(again.scores(CURVES.X), fit.scores(CURVES.X))
    assert again.labels == CURVES.labels
    for broken in (
        {"labels": stored["labels"]},
        {**stored, "labels": ["a"]},
        {**stored, "fits": [{"kind": "other", "fit": {}}] * 3},
        {"labels": ["a"], "fits": stored["fits"][:1]},
        {**stored, "fits": None},
    ):
        refused(rp.DataError, "not a saved fit", OneVsRest.from_dict, broken, rebuilt)


def test_one_class_against_the_others() -> None:
    binary = against(CURVES, "bell")
    assert binary.labels == ("not bell", "bell")
    np.testing.assert_array_equal(binary.targets > 0, [label == "bell" for label in CURVES.classes])
    assert binary.classes == ()
    codes = [CURVES.labels.index(label) for label in CURVES.classes]
    assert CURVES.codes.tolist() == CURVES.targets.tolist() == codes


@pytest.mark.parametrize("change", [-1e-15, 0.0, 1e-15])
def test_the_first_class_wins_a_tie_whatever_the_rounding(change) -> None:
    X, scores = np.zeros((1, 1)), np.array([[1.0 - 3e-14, 1.0, 1.0 + change, 1.0 - 1e-6]])
    level = level_ties(scores)
    assert level.tolist() == [[level.max()] * 3 + [1.0 - 1e-6]]

    def constant(value):
        none = np.zeros(0)
        bias = float(value)
        return LinearFit(features=none.astype(int), w=none, bias=bias, columns=1, classes=True)

    votes = OneVsRest(labels=tuple("abcd"), fits=tuple(map(constant, scores[0])))
    assert votes.predict(X).tolist() == [0.0]
    assert votes.scores(X).argmax(axis=1).tolist() == [0]
    # similarities to a class, of which the second has the larger sum by rounding
    h = KernelClassifier(
        points=np.zeros((2, 1)), weights=np.array([1.0 - 1e-14, 1.0]), codes=np.array([0, 1]),
        centre=np.array([0, 1]), classes=2, bandwidth=1.0, labels=("a", "b"),
    )  # fmt: skip
    assert h.predict(X + 50.0).tolist() == [0.0]
    assert np.ptp(h.scores(X)) == 0.0
