"""The bandwidth that a clustering chooses, and answers that do not depend on the order of rows."""

import numpy as np
import pytest
from clusters import blobs
from refusals import refused

import radprog as rp
from radprog.analysis.case import Wording
from radprog.catalog import CATALOG
from radprog.decompositions.run import RunSettings
from radprog.decompositions.similarity.assembly import assemble, choose_bandwidth, joining_bandwidth
from radprog.decompositions.similarity.cdsk import fit_cdsk, recompute_cdsk
from radprog.models.similarity.problem import Distances
from radprog.models.similarity.sparse import Neighbourhood


def test_outliers_widen_the_bandwidth() -> None:
    plain = blobs(60, seed=1, spread=6.0).X
    for X in (plain, np.vstack([plain, np.add(plain.mean(axis=0), [[40.0, 0.0], [40.0, 0.5]])])):
        every = Distances.of(X)
        assert choose_bandwidth(every, 3)[0] >= every.narrowest
    assert choose_bandwidth(Distances.of(plain), 3)[0] == Distances.of(plain).narrowest
    assert choose_bandwidth(every, 3)[0] >= 1.4 * every.narrowest


def test_reach_is_the_median_distance_to_a_neighbour() -> None:
    X = np.array([[0.0], [1.0], [3.0], [7.0]])
    assert Distances.of(X).reach(1) == 1.5  # of 1, 1, 2, 4
    assert Distances.of(X).reach(9) == 6.5  # of 7, 6, 4, 7
    assert Distances.of(X[:1]).reach(1) == 1.0


def test_choice_needs_no_labels_and_no_order_and_check_takes_it() -> None:
    data = blobs(42, seed=5, spread=4.0)
    run = fit_cdsk(rp.CDSK(clusters=3), data, RunSettings())
    blind = fit_cdsk(rp.CDSK(clusters=3), rp.partly_labelled(data.X, [None] * 42), RunSettings())
    order = np.random.default_rng(0).permutation(42)
    moved = fit_cdsk(rp.CDSK(clusters=3), data.take(order), RunSettings())
    assert run.summary["bandwidth"] == blind.summary["bandwidth"] == moved.summary["bandwidth"]
    assert run.summary["labels"] == blind.summary["labels"]
    assert run.summary["accuracy"] == 1.0
    # a check takes the bandwidth that was chosen
    run = fit_cdsk(rp.CDSK(), data, RunSettings())
    again = recompute_cdsk(rp.CDSK(), data, run.evidence)
    assert again.objective == pytest.approx(run.objective, rel=1e-9)
    other = recompute_cdsk(rp.CDSK(), data, {**run.evidence, "bandwidth": 2.0})
    assert other.fit.bandwidth == 2.0
    assert other.objective != pytest.approx(run.objective, rel=1e-3)
    for wrong in (0.0, -1.0, "wide", float("nan")):
        evidence = {**run.evidence, "bandwidth": wrong}
        refused((rp.OptionError, TypeError), "", recompute_cdsk, rp.CDSK(), data, evidence)
    median = assemble(rp.CDSK(bandwidth="median"), data).bandwidth
    assert median == Distances.of(data.X).median
    assert assemble(rp.LPDSK(bandwidth="median"), data).bandwidth == pytest.approx(median)


LINE = np.array([[0.0], [1.0], [2.5], [6.0], [6.0]])


@pytest.mark.parametrize(
    ("labels", "joining"),
    [
        ([0, None, None, 1, None], 3.5),
        ([0, 1, None, None, None], 1.0),
        ([0, None, 1, None, None], 1.5),
        ([0, 0, None, 0, 1], 3.5),  # in one place: the next edge between parts with labels
        ([0, None, None, 0, None], 3.5),  # one label alone: the longest
    ],
)
def test_a_propagation_takes_a_third_of_where_labels_meet(labels, joining) -> None:
    data = rp.partly_labelled(LINE, labels)
    assert assemble(rp.LPDSK(), data).bandwidth == pytest.approx(joining / 3)
    order = np.random.default_rng(0).permutation(5)
    assert assemble(rp.LPDSK(), data.take(order)).bandwidth == pytest.approx(joining / 3)


def test_the_longest_edge_keeps_a_similarity() -> None:
    codes = np.array([0, 1, -1, -1])
    far = np.array([[0.0], [0.1], [1.0], [90.0]])
    assert joining_bandwidth(Distances.of(far), codes) == pytest.approx(89.0 / 30)
    assert joining_bandwidth(Distances.of(far[:1]), codes[:1]) == 1.0
    with pytest.raises(rp.OptionError, match="all points coincide"):
        joining_bandwidth(Distances.of(np.zeros((4, 2))), codes)


def test_a_graph_of_neighbours_joins_labels_at_the_same_length() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    codes = np.where(rng.uniform(size=200) < 0.1, (X[:, 0] > 0).astype(int), -1)
    whole = joining_bandwidth(Distances.of(X), codes)
    assert joining_bandwidth(Neighbourhood.of(X, 12), codes) == pytest.approx(whole, rel=1e-12)


N = 5


def instance(model: str) -> tuple:
    """Points that are not in lexicographic order, and their settings; some labels for lpdsk."""
    rng, known = np.random.default_rng(3), list[int | None]([None] * N)
    X, how = rng.normal(size=(N, 2)).round(1), {"bandwidth": "0.8", "lam": N / 2}
    if model == "cdsk":
        return rp.CDSK(clusters=2, **how), rp.partly_labelled(X), known
    first, second = rng.permutation(N)[:2]
    known[first], known[second] = 0, 1
    labels = [None if k is None else "ab"[k] for k in known]
    return rp.LPDSK(**how), rp.partly_labelled(X, labels), known


@pytest.mark.parametrize("model", ["cdsk", "lpdsk"])
def test_every_index_of_a_point_is_a_row_of_the_data(model: str) -> None:
    spec, data, known = instance(model)
    entry, order = CATALOG[model], np.lexsort(data.X.T[::-1])
    assert order.tolist() != list(range(N))

    run = rp.fit(spec, data)
    shares = np.asarray(run.evidence["Y"])
    for form in entry.forms:
        if form == "general":
            continue
        built = rp.build(spec, data, form=form)
        iterate = built._radprog_origin.built.iterate
        assert "rows" not in iterate
        words = Wording(entry.hooks, form, spec, data, iterate)
        for part in ("label", "share", "weight"):
            for index in getattr(built, part, ()):
                numbers = index if isinstance(index, tuple) else (index,)
                name = f"{part}[{','.join(map(str, numbers))}]"
                assert data.row_name(numbers[0]) in words.what(name), name
        if form == "harmonic":
            rp.solve(built)
            free = [i for i in range(N) if known[i] is None]
            assert {i for i, _ in built.share} == set(free)
            for (i, k), variable in built.share.items():
                assert variable.value == pytest.approx(shares[i, k], abs=1e-5)
    # the last program of the run: the weights of the run are its optimum
    last = run.model()
    rp.solve(last)
    weights = [last.weight[i].value for i in range(N)]
    assert weights == pytest.approx(run.evidence["a"], abs=1e-3)
