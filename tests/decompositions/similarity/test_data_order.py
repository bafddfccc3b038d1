"""Models of clusters and labels have the points of the data, in the order of the data."""

from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import pyomo.environ as pyo
import pytest
from clusters import labelling_value, labellings

import radprog as rp
from radprog.analysis.case import Wording
from radprog.catalog import CATALOG
from radprog.models.similarity.problem import Weighted

N, BANDWIDTH = 5, 0.8


def instance(seed: int, model: str) -> tuple[Any, Any, list[int | None]]:
    """Points, seldom in lexicographic order, and their settings; some labels for lpdsk."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(N, 2)).round(1)
    if model == "cdsk":
        spec = rp.CDSK(clusters=2, bandwidth=str(BANDWIDTH), lam=N / 2, min_size=1 + seed % 2)
        return spec, rp.partly_labelled(X), [None] * N
    known: list[int | None] = [None] * N
    first, second = rng.permutation(N)[:2]
    known[first], known[second] = 0, 1
    spec = rp.LPDSK(bandwidth=str(BANDWIDTH), lam=N / 2)
    return spec, rp.partly_labelled(X, [None if k is None else "ab"[k] for k in known]), known


@pytest.mark.cases(4)
@pytest.mark.parametrize("model", ["cdsk", "lpdsk"])
@pytest.mark.parametrize("seed", range(20))
def test_a_row_on_two_points_of_the_data_is_that_of_enumeration(seed: int, model: str) -> None:
    spec, data, known = instance(seed, model)
    X = data.X
    K = np.exp(-((X[:, None] - X[None]) ** 2).sum(axis=2) / (2 * BANDWIDTH**2))
    problem = Weighted(s=K, size=K, lam=N / 2, upper=4 / N)
    low, given = getattr(spec, "min_size", None) or 1, [-1 if k is None else k for k in known]
    allowed = labellings(given, 2, (low, N))
    values = {tuple(codes.tolist()): labelling_value(problem, codes) for codes in allowed}
    # the pair whose must-link costs most
    price = {
        (i, j): min((v for c, v in values.items() if c[i] == c[j]), default=-np.inf)
        for i, j in combinations(range(N), 2)
    }
    i, j = max(price, key=price.__getitem__)
    built = rp.build(spec, data, form="labels")
    built.together = pyo.Constraint(range(2), rule=lambda m, k: m.label[i, k] == m.label[j, k])
    assert rp.solve(built, solver="scip").objective == pytest.approx(price[i, j], abs=1e-5)
    labels = np.array([[round(built.label[p, k].value) for k in range(2)] for p in range(N)])
    codes = tuple(labels.argmax(axis=1).tolist())
    assert values[codes] == pytest.approx(price[i, j], abs=1e-5)
    # the predictor of the model has the weight of every point, and its class
    fit = rp.predictor(built).fit
    a = np.array([sum(built.weight[p, k].value for k in range(2)) for p in range(N)])
    votes = K @ (a[:, None] * labels)
    clear = np.abs(votes[:, 0] - votes[:, 1]) > 1e-4
    np.testing.assert_array_equal(fit.predict(X)[clear], votes.argmax(axis=1)[clear])


@pytest.mark.parametrize("model", ["cdsk", "lpdsk"])
def test_every_index_of_a_point_is_a_row_of_the_data(model: str) -> None:
    spec, data, known = instance(3, model)
    entry, order = CATALOG[model], np.lexsort(data.X.T[::-1])
    assert order.tolist() != list(range(N))
    spec = replace(spec, min_size=None) if model == "cdsk" else spec
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
