"""The bandwidth that a clustering chooses: from the points and k, wider where outliers take one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from clusters import blobs

from radprog.decompositions.run import RunSettings
from radprog.decompositions.similarity.assembly import assemble
from radprog.decompositions.similarity.bandwidth import chosen_bandwidth
from radprog.decompositions.similarity.cdsk import fit_cdsk
from radprog.decompositions.similarity.recompute import recompute_cdsk
from radprog.instances.errors import DataError, OptionError
from radprog.instances.unlabelled import partly_labelled
from radprog.models.settings import recorded
from radprog.models.similarity.problem import Distances
from radprog.models.similarity.settings import CDSK, LPDSK


def test_outliers_widen_the_bandwidth() -> None:
    plain = blobs(60, seed=1, spread=6.0).X
    apart = np.vstack([plain, np.add(plain.mean(axis=0), [[40.0, 0.0], [40.0, 0.5]])])
    for X in (plain, apart):
        every = Distances.of(X)
        assert chosen_bandwidth(every, 3) >= every.first
    assert chosen_bandwidth(Distances.of(plain), 3) == Distances.of(plain).first
    assert chosen_bandwidth(every, 3) >= 1.4 * every.first


def test_reach_is_the_median_distance_to_a_neighbour() -> None:
    X = np.array([[0.0], [1.0], [3.0], [7.0]])
    assert Distances.of(X).reach(1) == 1.5  # of 1, 1, 2, 4
    assert Distances.of(X).reach(9) == 6.5  # of 7, 6, 4, 7
    assert Distances.of(X[:1]).reach(1) == 1.0


def test_choice_needs_no_labels_and_no_order() -> None:
    data = blobs(42, seed=5, spread=4.0)
    run = fit_cdsk(CDSK(clusters=3), data, RunSettings())
    blind = fit_cdsk(CDSK(clusters=3), partly_labelled(data.X, [None] * 42), RunSettings())
    order = np.random.default_rng(0).permutation(42)
    moved = fit_cdsk(CDSK(clusters=3), data.take(order), RunSettings())
    assert run.summary["bandwidth"] == blind.summary["bandwidth"] == moved.summary["bandwidth"]
    assert run.summary["labels"] == blind.summary["labels"]
    assert run.summary["accuracy"] == 1.0


def test_a_row_hardly_similar_to_others_is_no_row_without() -> None:
    X = np.vstack([blobs(40, seed=2).X, [[30.0, 0.0]]])
    data = partly_labelled(X, [None] * 41)
    width = 1.0 + float(np.sort(np.hypot(*(X[:-1] - X[-1]).T))[0])
    spec = CDSK(clusters=2, bandwidth=width / 9)  # degrees of 1e-18 beside a diagonal of 1
    assert fit_cdsk(spec, data, RunSettings()).summary["min_degree"] < 1e-15
    with pytest.raises(DataError, match="similar to no other row"):
        fit_cdsk(CDSK(clusters=2, bandwidth=width / 99), data, RunSettings())


def test_given_bandwidth_holds() -> None:
    data = blobs(42, seed=5, spread=4.0)
    run = fit_cdsk(CDSK(bandwidth=0.7), data, RunSettings())
    assert run.summary["bandwidth"] == 0.7
    assert "bandwidth" not in run.evidence
    median = assemble(CDSK(bandwidth="median"), data).bandwidth
    assert median == Distances.of(data.X).median
    assert assemble(LPDSK(), data).bandwidth == pytest.approx(median)


def test_check_takes_the_bandwidth_that_was_chosen() -> None:
    data = blobs(42, seed=5, spread=4.0)
    run = fit_cdsk(CDSK(), data, RunSettings())
    again = recompute_cdsk(CDSK(), data, run.evidence)
    assert again.objective == pytest.approx(run.objective, rel=1e-9)
    other = recompute_cdsk(CDSK(), data, {**run.evidence, "bandwidth": 2.0})
    assert other.summary["bandwidth"] == 2.0
    assert other.objective != pytest.approx(run.objective, rel=1e-3)
    for wrong in (0.0, -1.0, "wide", float("nan")):
        with pytest.raises(DataError, match="stored bandwidth"):
            recompute_cdsk(CDSK(), data, {**run.evidence, "bandwidth": wrong})


def test_results_from_before_took_the_median() -> None:
    assert recorded(CDSK, {"lam": "auto", "tol": 1e-6}).bandwidth == "median"
    assert recorded(CDSK, {"bandwidth": "auto"}).bandwidth == "auto"
    assert recorded(CDSK, {"similarity": "G.npy", "clusters": 2}) == CDSK(
        similarity="G.npy", clusters=2
    )
    assert CDSK() == CDSK(bandwidth=None) == CDSK(bandwidth="auto")
    with pytest.raises(OptionError, match="not used with a given similarity"):
        replace(CDSK(similarity="G.npy"), bandwidth="median")
