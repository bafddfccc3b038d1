"""The support vector machine under constraints in its scores: values by hand, forms, prices."""

from typing import Any

import numpy as np
import pytest
from effort import count
from small_data import grouped_points

import radprog as rp
from radprog.models.constraints import rows_of
from radprog.models.score_rows import ScoreRows
from radprog.models.svm import svm_values

SPECS = (rp.SVM(kernels="rbf:1", C=1.0), rp.SVM(kernels="poly:2", C=100.0))
MADE = (
    rp.parity("group", 0.05),
    rp.equal_opportunity("group", 0.02),
    rp.scores(np.ones(40) / 40, -0.3),
    rp.monotone([(0, 1), (4, 3)], gap=0.1),
    rp.must_classify([0, 5, 7], margin=1.2),
)


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.kernels)
@pytest.mark.parametrize("made", MADE)
def test_value_and_form(spec: Any, made: Any) -> None:
    data = grouped_points(1)
    run = rp.fit(spec, data, constraints=made, tol=1e-8)
    assert run.certified
    rows = ScoreRows.of_points(list(rows_of(made, data)), data.rows)
    scores = run.decision_function(data)
    terms = np.abs(rows.G) @ np.abs(scores) + np.abs(rows.h)
    assert np.all(rows.G @ scores <= rows.h + 1e-7 * terms)
    a, mu = (np.array(run.evidence[key]) for key in ("a", "mu"))
    v = data.y * a - mu @ rows.G
    norm = v @ (scores - run.fit.bias)
    hinge = np.maximum(0.0, 1.0 - data.y * scores).sum()
    assert run.objective == pytest.approx(0.5 * norm + spec.C * hinge, rel=1e-9)
    assert run.bound == pytest.approx(a.sum() - rows.h @ mu - 0.5 * norm, rel=1e-8)
    assert run.objective >= rp.fit(spec, data).bound * (1.0 - 1e-9)
    dual = rp.solve(rp.build(spec, data, constraints=made), solver="piqp")
    assert abs(dual.objective) == pytest.approx(run.objective, rel=1e-6)


def test_an_equality_of_scores_has_the_price_of_its_loosening() -> None:
    """Means that must be equal: both rows bind, and only the difference of their prices counts."""
    data, spec = grouped_points(1), SPECS[0]
    run, wider = (
        rp.fit(spec, data, constraints=rp.parity("group", t), tol=1e-9) for t in (0, 1e-5)
    )
    saved = (run.objective - wider.objective) / 1e-5
    assert saved > 0.0
    analysis = rp.analyze(spec, data, constraints=rp.parity("group", 0.0))
    for (told,) in (run.extra["constraints"], analysis["constraints"]):
        assert told["price"] == pytest.approx(saved, rel=1e-3)


@pytest.mark.parametrize("seed", range(count(20, 6)))
def test_the_bound_holds_at_any_dual_point(seed: int) -> None:
    rng, data, spec = np.random.default_rng(seed), grouped_points(seed, 20), SPECS[seed % 2]
    G, h = rng.normal(size=(3, 20)), rng.uniform(-0.1, 1.0, size=3)
    run = rp.fit(spec, data, constraints=rp.scores(G, h), tol=1e-8)
    assert run.certified
    rows = ScoreRows.of_points(run.spec.constraints, 20)
    X = data.X
    K = np.exp(-((X[:, None] - X[None]) ** 2).sum(2)) if seed % 2 == 0 else (X @ X.T + 1) ** 2
    a, mu = (np.array(run.evidence[key]) for key in ("a", "mu"))
    for size in (0.0, 1e-9, 1e-3, 0.1, 1.0):
        other = np.clip(a + size * spec.C * rng.normal(size=20), 0.0, spec.C)
        price = np.maximum(mu + size * rng.normal(size=3), 0.0)
        value, _, bound = svm_values(K, data.y, spec.C, other, rows, price)
        assert bound <= run.objective * (1.0 + 1e-9)
        assert value >= run.bound * (1.0 - 1e-9)


def test_refused() -> None:
    data, spec = grouped_points(3, 20), SPECS[0]
    with pytest.raises(rp.OptionError, match="svm has one kernel, whose norm C weighs"):
        rp.fit(spec, data, constraints=rp.family_cap("rbf:1", 1.0))
    with pytest.raises(rp.OptionError, match="libsvm takes no constraints"):
        rp.fit(spec, data, constraints=rp.must_classify([0]), solver="libsvm")
