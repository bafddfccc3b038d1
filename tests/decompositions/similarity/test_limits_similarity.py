"""Limits in clustering and label propagation: the incumbent of a finished step, or one error."""

import json
from collections.abc import Callable
from functools import partial

import numpy as np
import pytest
from clusters import blobs, with_few_labels
from cut_off import polled

import radprog as rp
from radprog.decompositions.loop import Reason
from radprog.decompositions.run import Run, RunSettings
from radprog.decompositions.similarity.cdsk import fit_cdsk, recompute_cdsk
from radprog.decompositions.similarity.lpdsk import fit_lpdsk, recompute_lpdsk

OBJECTIVES = ("ratio", "ncut", "scaled", "ise")
POLLS = (0, 1, 2, 3, 5, 8, 13, 21, 34, 89, 1000, 100_000)


def spec_of(objective: str) -> rp.CDSK:
    return rp.CDSK(clusters=2 if objective == "ise" else 3, objective=objective)


def polls_until_done(fit: Callable[[RunSettings], Run], polls: int) -> Run | None:
    """The run that an interrupt at the given question leaves; None where it made no step."""
    flag, asked = polled(polls)
    try:
        run = fit(RunSettings(interrupted=flag))
    except rp.UnfinishedError:
        return None
    assert (len(asked) > polls) == (run.stopped_by is Reason.INTERRUPT)
    json.dumps({**run.summary, **run.evidence, **run.extra}, allow_nan=False)
    assert np.isclose(sum(run.summary["weights"]), 1.0)
    return run


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_clusters_wherever_a_limit_strikes(objective: str) -> None:
    data, spec = blobs(40, seed=6, spread=1.0), spec_of(objective)
    runs = [polls_until_done(partial(fit_cdsk, spec, data), polls) for polls in POLLS]
    assert runs[0] is None
    assert runs[-1] is not None
    for run in runs:
        if run is not None:
            assert run.trace
            again = recompute_cdsk(spec, data, run.evidence)
            assert again.objective == pytest.approx(run.objective, rel=1e-9)
            assert set(run.summary["labels"]) == set(range(spec.clusters or 0))
            assert run.fit.predict(data.X).shape == (40,)


def test_labels_wherever_a_limit_strikes() -> None:
    data = with_few_labels(blobs(30, seed=1, spread=1.5))
    known = data.codes >= 0
    runs = [polls_until_done(partial(fit_lpdsk, rp.LPDSK(), data), polls) for polls in POLLS]
    assert runs[0] is None
    assert runs[-1] is not None
    for run in runs:
        if run is not None:
            labels = np.array(run.summary["labels"])
            assert np.array_equal(labels[known], data.codes[known])
            again = recompute_lpdsk(rp.LPDSK(), data, run.evidence)
            assert again.objective == pytest.approx(run.objective, rel=1e-9)


def test_exact_wherever_a_limit_strikes() -> None:
    data, spec = blobs(6, c=2), rp.CDSK(clusters=2)
    runs = []
    for polls in (0, 1, 10, 20, 40, 80, 1000):
        flag, _ = polled(polls)
        try:
            runs.append(fit_cdsk(spec, data, RunSettings(method="exact", interrupted=flag)))
        except rp.UnfinishedError:
            assert not runs
    assert runs[-1].bound is not None
    for run in runs:
        again = recompute_cdsk(spec, data, run.evidence)
        assert again.objective == pytest.approx(run.objective, rel=1e-9)
