"""Constraints in scores: column generation, whole programs, machines and scipy's linprog agree."""

from typing import Any

import numpy as np
import pytest
from effort import count
from scipy.optimize import linprog
from small_data import grouped_points

import radprog as rp
from radprog.base.types import FloatArray
from radprog.decompositions.vkr.fit import assemble
from radprog.models.constraints import rows_of
from radprog.models.score_arrays import ScoreRows
from radprog.models.svm import svm_values

KERNELS = ("poly:1-3", "rbf:0.5,poly:2", "poly:1", "linear,rbf:0.1..1e1")


def reference(data: Any, spec: Any, G: FloatArray, h: FloatArray) -> Any:
    """The whole program by arrays of one's own in scipy."""
    problem, _ = assemble(spec, data)
    K = np.hstack([kernel(data.X, data.X) for kernel in problem.bank.kernels])
    prices = np.repeat(problem.prices, data.rows)
    m = data.rows
    A = np.vstack(
        [
            np.hstack([-data.y[:, None] * K, data.y[:, None] * K, -np.eye(m)]),
            np.hstack([G @ K, -G @ K, np.zeros((len(G), m))]),
        ]
    )
    b = np.concatenate([-np.ones(m), h])
    c = np.concatenate([prices, prices, np.full(m, 1.0 / m)])
    return linprog(c, A_ub=A, b_ub=b, method="highs-ds")


def case(seed: int) -> tuple[Any, Any, FloatArray, FloatArray]:
    """Data, settings and rows; those of every third seed contradict each other by rows' sums."""
    rng = np.random.default_rng(1000 + seed)
    m, R = int(rng.integers(8, 22)), int(rng.integers(1, 7))
    spec = rp.VKR(kernels=KERNELS[seed % 4], lam=0.01, beta=float(10.0 ** -rng.uniform(1, 4)))
    G = rng.normal(size=(R, m)) * (rng.uniform(size=(R, m)) < 0.6)
    h = rng.normal(size=R) * 10.0 ** rng.uniform(-2, 1)
    if seed % 3 == 0:
        G[-1], h[-1] = -G[:-1].sum(axis=0), -h[:-1].sum() - rng.uniform(0.0, 0.3)
    return grouped_points(seed, m), spec, G, h


@pytest.mark.parametrize("seed", range(count(100, 12)))
def test_random_rows_agree_with_linprog(seed: int) -> None:
    data, spec, G, h = case(seed)
    known = reference(data, spec, G, h)
    assert known.status == (2 if seed % 3 == 0 else 0) or seed >= 12
    if known.status == 2:
        for method in ("colgen", "direct", "dual"):
            with pytest.raises(rp.SettingError, match=r"hold together|no coefficients keep"):
                rp.fit(spec, data, constraints=rp.scores(G, h), method=method)
        return
    assert known.status == 0
    for method in ("colgen", "direct", "dual"):
        run = rp.fit(spec, data, constraints=rp.scores(G, h), method=method, tol=1e-8)
        assert run.certified, method
        assert run.objective == pytest.approx(known.fun, rel=1e-7)
    scores = run.fit.scores(data.X)
    assert np.all(G @ scores <= h + 1e-7 * (np.abs(h) + np.abs(G) @ np.abs(scores)))


@pytest.mark.parametrize("seed", range(count(12, 4)))
def test_the_bound_holds_at_any_dual_point(seed: int) -> None:
    """With rows, never above the optimum; tight at the run's own point."""
    data, spec, G, h = case(3 * seed + 1)
    run = rp.fit(spec, data, constraints=rp.scores(G, np.abs(h)), tol=1e-9)
    problem, _ = assemble(run.spec, data)
    rng = np.random.default_rng(seed)
    for size in 10.0 ** rng.uniform(-3, 2, size=20):
        d, mu = rng.uniform(0, 1 / data.rows, data.rows), size * rng.exponential(size=len(G))
        z = np.concatenate([d, mu / data.rows])
        for exact in (False, True):
            assert problem.dual_bound(z, problem.ratios(z), exact=exact)[0] <= run.objective
    z = np.concatenate([run.evidence["d"], run.evidence["mu"]])
    given = z, problem.ratios(z)
    cheap, sharp = (problem.dual_bound(*given, exact=exact)[0] for exact in (False, True))
    assert sharp == run.bound
    assert cheap == pytest.approx(sharp, rel=1e-9)


def test_forms_have_the_value_of_the_fit() -> None:
    data, spec = grouped_points(3, 30), rp.VKR(kernels="poly:1-2", lam=0.01, beta=0.01)
    held = [rp.parity("group", 0.05), rp.must_classify([3], 0.8)]
    run = rp.fit(spec, data, constraints=held, tol=1e-9)
    for form in ("primal", "dual", "master"):
        solution = rp.solve(rp.build(spec, data, form, constraints=held), tol=1e-9)
        assert solution.objective == pytest.approx(run.objective, rel=1e-7), form
    assert rp.fit(spec, data).objective < run.objective - 1e-3
    budget = rp.solve(rp.build(spec, data, "budget", constraints=held))
    norm = np.abs(run.evidence["alpha"]).sum()
    assert budget.objective == pytest.approx(run.objective - 0.01 * norm, rel=1e-6)
    assert rp.solve(rp.build(spec, data, "margin", constraints=held)).claimed_optimal


def crowded(m: int, d: int) -> Any:
    """Points of random labels, which scores of few dimensions cannot all get right."""
    rng = np.random.default_rng(1)
    return rp.dataset(rng.normal(size=(m, d)), rng.choice([-1, 1], m))


@pytest.mark.parametrize(
    ("m", "d", "kernel", "most"), [(200, 5, "poly:2", 22), (300, 10, "linear", 11)]
)
def test_many_rows_in_few_dimensions_are_a_conflict(m: int, d: int, kernel: str, most: int) -> None:
    """HiGHS fails on the program over all columns, which is degenerate."""
    rows = [rp.must_classify(range(120))]
    told = rf"{most} constraints cannot hold together: .* more; without any one of them the others"
    with pytest.raises(rp.SettingError, match=told):
        rp.fit(rp.L1SVM(kernels=kernel), crowded(m, d), constraints=rows)


def test_no_limit_is_named_that_nobody_set(monkeypatch: pytest.MonkeyPatch) -> None:
    from radprog.decompositions import conflicts
    from radprog.solvers.questions import conflict

    spec, data, rows = rp.L1SVM(kernels="linear"), crowded(30, 2), rp.must_classify([0])
    both = [rows, rp.scores(data.signs[0] * np.eye(30)[:1], 0.5)]

    def failing(*given: Any, **options: Any) -> Any:
        raise rp.SolverError("solver highs failed: Unknown")

    # f rises with the feature, at most 0 at the largest and at least 1 at the smallest
    apart = rp.scores([[0, 0, 1], [-1, 0, 0]], [0.0, -1.0])
    line = rp.dataset(np.arange(3.0)[:, None], [-1, 1, 1])
    # a solver that fails leaves the conflict, perhaps not a minimal one
    with monkeypatch.context() as patch:
        patch.setattr(conflicts, "solve_program", failing)
        with pytest.raises(
            rp.SettingError, match=r"hold together: .*; perhaps fewer of them cannot$"
        ):
            rp.fit(rp.L1Linear(signs="nonnegative"), line, constraints=apart)
        with pytest.raises(
            rp.SolverError, match="no point that keeps the constraints: solver highs"
        ):
            rp.fit(spec, data, constraints=rows)

    def unfinished(*given: Any) -> Any:
        raise rp.UnfinishedError("the time was too short")

    monkeypatch.setattr(conflict, "find_conflict", unfinished)
    with pytest.raises(rp.SolverError, match="no solver decides within 60 s whether"):
        rp.fit(spec, data, constraints=both)
    with pytest.raises(rp.UnfinishedError, match="time_limit"):
        rp.fit(spec, data, constraints=both, time_limit=50.0)


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
    rows = (rp.parity("group", t) for t in (0, 1e-5))
    run, wider = (rp.fit(spec, data, constraints=row, tol=1e-9) for row in rows)
    saved = (run.objective - wider.objective) / 1e-5
    assert saved > 0.0
    assert run.extra["constraints"][0]["price"] == pytest.approx(saved, rel=1e-3)


@pytest.mark.parametrize("seed", range(count(20, 6)))
def test_the_bound_of_a_machine_holds_at_any_dual_point(seed: int) -> None:
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
