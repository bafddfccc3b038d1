"""Limits in clustering and label propagation: wherever they strike there is a labelling."""

from __future__ import annotations

import json

import numpy as np
import pytest
from clusters import blobs, with_few_labels
from cut_off import polled

from radprog.decompositions.loop import Reason
from radprog.decompositions.run import Recomputed, Run, RunSettings, RunStatus
from radprog.decompositions.similarity.cdsk import fit_cdsk
from radprog.decompositions.similarity.cut_off import NO_SIMILARITIES, equal_parts, relaxed
from radprog.decompositions.similarity.lpdsk import fit_lpdsk, recompute_lpdsk
from radprog.decompositions.similarity.recompute import recompute_cdsk
from radprog.models.similarity.given import spectral_split
from radprog.models.similarity.problem import DensityWeighted, Weighted
from radprog.models.similarity.settings import CDSK, LPDSK

OBJECTIVES = ("ratio", "ncut", "scaled", "ise")
POLLS = (0, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89)


def spec_of(objective: str) -> CDSK:
    return CDSK(clusters=2 if objective == "ise" else 3, objective=objective)


def check(run: Run, polls: int) -> None:
    n = len(run.summary["labels"])
    assert run.bound is None
    assert np.isclose(sum(run.summary["weights"]), 1.0)
    json.dumps({**run.summary, **run.evidence, **run.extra}, allow_nan=False)
    told = any(text.startswith("no step was made") for text in run.warnings)
    assert told == (run.summary["weights"] == [1 / n] * n and not run.trace)
    if polls == 0:
        assert (run.status, run.stopped_by) == (RunStatus.LIMIT, Reason.INTERRUPT)
        assert run.objective is None
        assert run.summary["cut"] is None
        assert any(NO_SIMILARITIES in warning for warning in run.warnings)
        assert run.summary["weights"] == [1 / n] * n


def agrees(run: Run, again: Recomputed) -> None:
    assert again.bound is None
    if run.objective is None:
        assert "objective" in again.late
    else:
        assert again.objective == pytest.approx(run.objective, rel=1e-9)


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("polls", POLLS)
def test_clusters_without_any_grace(no_grace, objective: str, polls: int) -> None:
    data, spec = blobs(40, seed=6, spread=1.0), spec_of(objective)
    flag, asked = polled(polls)
    run = fit_cdsk(spec, data, RunSettings(interrupted=flag))
    assert (len(asked) > polls) == (run.stopped_by is Reason.INTERRUPT)
    check(run, polls)
    assert set(run.summary["labels"]) == set(range(spec.clusters or 0))
    again = recompute_cdsk(spec, data, run.evidence)
    agrees(run, again)
    assert run.fit.predict(data.X).shape == (40,)


def test_labels_without_any_grace(no_grace) -> None:
    data = with_few_labels(blobs(30, seed=1, spread=1.5))
    known = data.codes >= 0
    for polls in POLLS:
        flag, _ = polled(polls)
        run = fit_lpdsk(LPDSK(), data, RunSettings(interrupted=flag))
        check(run, polls)
        labels = np.array(run.summary["labels"])
        assert np.array_equal(labels[known], data.codes[known])
        again = recompute_lpdsk(LPDSK(), data, run.evidence)
        agrees(run, again)
        if polls == 0:
            assert set(labels[~known]) == {-1}


def test_exact_without_any_grace(no_grace) -> None:
    data, spec = blobs(6, c=2), CDSK(clusters=2)
    for polls in (0, 1, 2, 3):
        run = fit_cdsk(spec, data, RunSettings(method="exact", interrupted=polled(polls)[0]))
        check(run, polls)
        again = recompute_cdsk(spec, data, run.evidence)
        agrees(run, again)


def test_the_value_at_equal_weights_is_the_value() -> None:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((13, 3))
    s = np.exp(-np.square(X[:, None] - X).sum(axis=2))
    Y = rng.standard_normal((13, 3))
    indefinite = rng.uniform(-0.5, 1.0, (13, 13))
    indefinite = (indefinite + indefinite.T) / 2
    size = spectral_split(indefinite).size
    problems = (
        Weighted(s=s, size=s, lam=6.5, upper=1.0),
        Weighted(s=indefinite, size=size, lam=3.0, upper=1.0, tau=1.0),
        DensityWeighted(s=s, size=np.sqrt(s), lam=6.5, upper=1.0),
    )
    for problem in problems:
        assert problem.uniform_value(Y) == pytest.approx(
            problem.value(problem.uniform, Y), rel=1e-11
        )


@pytest.mark.parametrize(("n", "c"), [(7, 2), (7, 3), (12, 4), (5, 5)])
def test_equal_parts_meet_the_constraints(n: int, c: int) -> None:
    codes = equal_parts(n, c)
    sizes = np.bincount(codes, minlength=c)
    assert sizes.max() - sizes.min() <= 1
    Y = relaxed(codes, c)
    np.testing.assert_allclose(Y.T @ Y, n / c * np.eye(c), atol=1e-12)
    y = relaxed(equal_parts(n, 2), 2, density=True)
    assert float((y * y).sum()) == pytest.approx(n)
    assert float(y.sum()) == pytest.approx(0.0, abs=1e-12)
