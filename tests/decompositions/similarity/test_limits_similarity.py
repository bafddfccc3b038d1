"""Limits in clustering and label propagation: the incumbent of a finished step, or one error."""

import json
from typing import Any

import numpy as np
import pytest
from clusters import blobs, with_few_labels
from cut_off import polled

import radprog as rp
from radprog.decompositions.loop import Reason
from radprog.decompositions.run import RunSettings
from radprog.decompositions.similarity.cdsk import fit_cdsk, recompute_cdsk
from radprog.decompositions.similarity.lpdsk import fit_lpdsk, recompute_lpdsk

POLLS = (0, 1, 2, 3, 5, 8, 13, 21, 34, 89, 1000, 100_000)
CLOUD, PART = blobs(40, seed=6, spread=1.0), with_few_labels(blobs(30, seed=1, spread=1.5))
CASES: dict[str, tuple[Any, Any, str]] = {
    "ratio": (rp.CDSK(clusters=3), CLOUD, "alternate"),
    "ncut": (rp.CDSK(clusters=3, objective="ncut"), CLOUD, "alternate"),
    "scaled": (rp.CDSK(clusters=3, objective="scaled"), CLOUD, "alternate"),
    "ise": (rp.CDSK(clusters=2, objective="ise"), CLOUD, "alternate"),
    "exact": (rp.CDSK(clusters=2), blobs(6, c=2), "exact"),
    "labels": (rp.LPDSK(), PART, "alternate"),
}


@pytest.mark.parametrize("case", CASES)
def test_wherever_a_limit_strikes(case: str) -> None:
    spec, data, method = CASES[case]
    fit, recompute = fit_cdsk, recompute_cdsk
    if case == "labels":
        fit, recompute = fit_lpdsk, recompute_lpdsk
    finished = []
    for polls in POLLS:
        flag, asked = polled(polls)
        try:
            run = fit(spec, data, RunSettings(method=method, interrupted=flag))
        except rp.UnfinishedError:
            assert not finished
            continue
        finished.append(polls)
        assert (len(asked) > polls) == (run.stopped_by is Reason.INTERRUPT)
        json.dumps({**run.summary, **run.evidence, **run.extra}, allow_nan=False)
        assert np.isclose(sum(run.summary["weights"]), 1.0)
        assert run.trace
        again = recompute(spec, data, run.evidence)
        assert again.objective == pytest.approx(run.objective, rel=1e-9)
        labels = np.array(run.summary["labels"])
        if case == "labels":
            assert np.array_equal(labels[data.codes >= 0], data.codes[data.codes >= 0])
        else:
            assert set(labels.tolist()) == set(range(spec.clusters))
            assert run.fit.predict(data.X).shape == (data.rows,)
    assert 0 not in finished
    assert POLLS[-1] in finished
    assert case != "exact" or run.bound is not None
