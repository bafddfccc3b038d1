"""Features and points generated together: the optimum by other routes, laws of the trace."""

import itertools
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse
from table_generators import sparse_text

import radprog as rp
from radprog.base.limits import OutOfBudget
from radprog.decompositions.drivers import sifting
from radprog.decompositions.linear import fit as linear
from radprog.decompositions.run import RunSettings

LOSSES, SIGNS = ("hinge", "quantile", "absolute"), ("free", "nonnegative", "nonpositive")
CASES = list(itertools.product(LOSSES, (None, 3), SIGNS, (True, False)))


def data_of(loss: str, n: int = 60, p: int = 30, seed: int = 0) -> rp.SparseData:
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, p)) * (rng.random((n, p)) < 0.3)
    f = X[:, 0] + X[:, 1] - X[:, 2] + 0.5 * rng.standard_normal(n)
    y = np.where(f > 0, 1, -1) if loss == "hinge" else f
    return rp.sparse_data(sparse.csr_array(X), y, numbers=loss != "hinge")


@pytest.mark.parametrize(("loss", "size", "signs", "bias"), CASES)
def test_column_generation_whole_program_and_dual_agree(loss, size, signs, bias, monkeypatch):
    groups = None if size is None else [j // size for j in range(30)]
    spec = rp.L1Linear(loss=loss, beta=0.02, groups=groups, signs=signs, bias=bias)
    data = data_of(loss)
    generated, whole = rp.fit(spec, data), rp.fit(spec, data, method="direct")
    monkeypatch.setattr(linear, "HIGHS_ENTRIES", 0)
    sifted = rp.fit(spec, replace(data, X=data.X.toarray()))
    assert all(run.certified for run in (generated, whole, sifted))
    assert generated.summary["coefficients"] > 0
    dual = rp.solve(rp.build(spec, data, "dual")).objective
    values = [generated.objective, sifted.objective, -dual]
    assert values == pytest.approx([whole.objective] * 3, rel=1e-6)
    bounds = [record.bound for record in generated.trace]
    values = [record.objective for record in generated.trace]
    assert bounds == sorted(bounds)
    assert values == sorted(values, reverse=True)


@pytest.mark.parametrize("loss", ["hinge", "quantile"])
def test_points_are_generated_where_they_are_many(loss, monkeypatch) -> None:
    data = data_of(loss, n=400)
    spec = rp.L1Linear(loss=loss, beta=0.01)
    all_points = rp.fit(spec, data)
    monkeypatch.setattr(linear, "SAMPLE", 50)
    monkeypatch.setattr(linear, "WHOLE_POINTS", 100)
    few = rp.fit(spec, data)
    assert few.certified
    assert few.objective == pytest.approx(all_points.objective, rel=1e-6)
    assert few.trace[-1].detail["points"] < 400 == all_points.trace[-1].detail["points"]


def test_weights_are_rows_that_count_more_often() -> None:
    data = data_of("quantile")
    counts = np.arange(60) % 3
    twice = data.take(np.repeat(np.arange(60), counts))
    spec = rp.L1Linear(loss="quantile", beta=0.02, quantile=0.3)
    one, other = (rp.fit(spec, rows).objective for rows in (data.weighed(counts), twice))
    assert one == pytest.approx(other, rel=1e-6)


def test_rounding_errors_of_large_features_are_not_the_gap() -> None:
    data = data_of("hinge")
    rows = rp.dataset(1e6 * data.X.toarray(), data.targets)
    assert rp.fit(rp.L1Linear(beta=1e-3), rows).certified


@pytest.mark.parametrize("entries", [0, 10**9])  # sifted, and by HiGHS
@pytest.mark.parametrize("other", [{"beta": 9.0}, {"beta": 0.03}, {"beta": 1e-4}, {"seed": 1}])
@pytest.mark.parametrize(("loss", "size", "signs", "bias"), CASES)
def test_a_basis_starts_another_fit(
    loss, size, signs, bias, other, entries, monkeypatch
) -> None:  # fmt: skip
    monkeypatch.setattr(linear, "HIGHS_ENTRIES", entries)
    groups = None if size is None else [j // size for j in range(30)]
    spec = rp.L1Linear(loss=loss, beta=0.02, groups=groups, signs=signs, bias=bias)
    data, seeded = data_of(loss), data_of(loss, seed=other.get("seed", 0))
    data, seeded = (replace(each, X=each.X.toarray()) for each in (data, seeded))
    first = rp.fit(replace(spec, beta=other.get("beta", 0.02)), seeded)
    cold, warm = rp.fit(spec, data), rp.fit(spec, data, start=first.fit)
    assert warm.certified
    assert warm.objective == pytest.approx(cold.objective, rel=1e-6)


def test_an_optimal_basis_needs_no_pivot(monkeypatch) -> None:
    data = data_of("quantile", n=200)
    data, spec = replace(data, X=data.X.toarray()), rp.L1Linear(loss="quantile", beta=0.01)
    monkeypatch.setattr(linear, "HIGHS_ENTRIES", 0)
    pivots, solve = [], sifting.solve_boxed

    def counted(*given):
        point = solve(*given)
        pivots.append(point.pivots)
        return point

    monkeypatch.setattr(sifting, "solve_boxed", counted)
    first = rp.fit(spec, data)
    cold = sum(pivots)
    pivots.clear()
    assert rp.fit(spec, data, start=first.fit).certified
    assert sum(pivots) == 0 < cold


def test_a_fit_starts_another() -> None:
    data = data_of("hinge")
    first = rp.fit(rp.L1Linear(beta=0.02), data)
    again = rp.fit(rp.L1Linear(beta=0.02), data, start=first.fit)
    assert again.certified
    assert len(again.trace) < len(first.trace)
    with pytest.raises(rp.DataError, match="same number of features"):
        rp.fit(rp.L1Linear(), data, start=replace(first.fit, columns=31))
    # constraints that contradict each other are named
    one = np.eye(60)[:1]
    both = rp.scores(np.vstack([one, -one]), [-1.0, -1.0])
    with pytest.raises(rp.SettingError, match="cannot hold together"):
        rp.fit(rp.L1Linear(beta=0.02), data, constraints=both)


def test_a_text_of_many_words_is_never_made_dense(monkeypatch) -> None:
    data = sparse_text(200, 3000, seed=1)

    def refuse(*_, **__):
        raise AssertionError("dense")

    monkeypatch.setattr(type(data.X), "toarray", refuse)
    run = rp.fit(rp.L1Linear(beta=0.003), data)
    assert run.certified
    assert 0 < run.summary["coefficients"] < 300


@pytest.mark.parametrize("signs", ["free", "nonnegative"])
def test_a_small_beta_hands_over_to_the_interior_point_method(signs, monkeypatch) -> None:
    data, spec = sparse_text(400, 4000, seed=3), rp.L1Linear(beta=1e-5, signs=signs)
    run = rp.fit(spec, data)
    assert run.certified
    assert run.solver.options["solver"] == "ipm"
    assert run.summary["coefficients"] < 400
    # by simplex pivots alone
    pivots = rp.fit(spec, data, solver_options={"threads": "1"})
    assert pivots.solver.options == {"threads": "1"}
    assert run.objective == pytest.approx(pivots.objective, rel=1e-6)
    # X has 8 million entries, most of them 0
    direct = rp.fit(spec, sparse_text(400, 20_000, seed=3), method="direct")
    assert direct.certified


@pytest.mark.parametrize(
    ("loss", "bias", "beta"),
    [("hinge", True, 3e-5), ("hinge", False, 1e-4), ("quantile", True, 1e-4)],
)
def test_a_loose_tolerance_needs_only_gradient_steps(loss, bias, beta) -> None:
    data, spec = sparse_text(400, 4000, seed=3), rp.L1Linear(loss=loss, beta=beta, bias=bias)
    if loss == "quantile":
        y = np.random.default_rng(0).standard_normal(400)
        data = rp.sparse_data(data.X, y, numbers=True)
    run = rp.fit(spec, data, tol=1e-2)
    assert run.certified
    assert "gradient" in run.trace[-1].detail
    best = rp.fit(spec, data).objective
    assert run.bound <= best * (1.0 + 1e-6)
    assert best <= run.objective * (1.0 + 1e-6)
    assert run.objective - run.bound <= 1e-2 * run.objective
    # many coefficients of an earlier fit begin them, without a program of these features
    later = rp.fit(replace(spec, beta=0.7 * beta), data, tol=1e-2, start=run.fit)
    assert later.certified
    assert all("gradient" in record.detail for record in later.trace)
    # coefficients of one sign are left to the interior-point method
    spec = rp.L1Linear(beta=1e-5, signs="nonnegative")
    signed = rp.fit(spec, sparse_text(400, 4000, seed=3), tol=1e-2)
    assert "gradient" not in signed.trace[-1].detail


def gradient_records(run: rp.Run) -> int:
    return sum("gradient" in record.detail for record in run.trace)


@pytest.mark.parametrize("bias", [True, False])
def test_gradient_steps_converge_on_rows_of_few_entries(bias) -> None:
    """Blocks with hardly a common feature: each has a norm next to that of the whole matrix."""
    rng = np.random.default_rng(3)
    X = sparse.random_array((660, 525), density=0.004, rng=rng, format="csr")
    f = X @ rng.standard_normal(525) + 0.1 * rng.standard_normal(660)
    data, spec = rp.sparse_data(X, np.where(f > 0, 1, -1)), rp.L1Linear(beta=3e-4, bias=bias)
    run = rp.fit(spec, data, tol=1e-2)
    assert run.certified
    assert 0 < gradient_records(run) < 20


def test_gradient_steps_of_a_path_begin_at_the_weights_before() -> None:
    data = sparse_text(400, 4000, seed=3)
    specs = [rp.L1Linear(beta=beta) for beta in (3e-4, 1e-4, 3e-5)]
    runs = [run for _, run in linear.fit_grid(specs, data, RunSettings(tol=1e-2))]
    assert all(run.certified for run in runs)
    pairs = zip(specs[1:], runs[:-1], strict=True)
    alone = [rp.fit(spec, data, tol=1e-2, start=run.fit) for spec, run in pairs]
    assert sum(map(gradient_records, runs[1:])) < 0.8 * sum(map(gradient_records, alone))


@pytest.mark.parametrize(("loss", "bias"), [("absolute", True), ("quantile", False)])
def test_dense_features_with_many_coefficients_end_by_interior_points(loss, bias) -> None:
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((100, 600)), rng.standard_normal(100)
    data, spec = rp.regression_data(X, y), rp.L1Linear(loss=loss, beta=1e-3, bias=bias)
    run = rp.fit(spec, data)
    assert run.certified
    assert run.trace[-1].detail["interior"] > 100
    # a vertex has at most as many coefficients as there are rows
    assert 50 < run.summary["coefficients"] <= 100
    pivots = rp.fit(spec, data, solver_options={"threads": "1"})
    assert "interior" not in pivots.trace[-1].detail
    assert run.objective == pytest.approx(pivots.objective, rel=2e-6)
    bounds = [record.bound for record in run.trace]
    assert bounds == sorted(bounds)


@pytest.mark.parametrize("quantile", [0.1, 0.5])
def test_interior_points_of_few_features_have_the_digits_of_many(quantile) -> None:
    """With fewer features than points, the linear systems have the size of the features."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(600, 80))
    data = rp.regression_data(X, X[:, 0] + rng.standard_t(2.2, size=600))
    run = rp.fit(rp.L1Linear(loss="quantile", quantile=quantile, beta=1e-3), data, tol=1e-7)
    assert run.certified
    assert run.trace[-1].detail["interior"] > 60
    whole = rp.fit(run.spec, data, method="direct", tol=1e-7)
    assert run.objective == pytest.approx(whole.objective, rel=2e-7)


@pytest.mark.thorough
def test_many_rows_of_dense_features_begin_by_interior_points(monkeypatch) -> None:
    monkeypatch.setattr(linear, "SAMPLE", 300)
    monkeypatch.setattr(linear, "WHOLE_POINTS", 900)
    monkeypatch.setattr(linear, "uses_sifting", lambda *given: False)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1200, 90))
    data = rp.regression_data(X, X @ rng.normal(size=90) + rng.standard_t(3.0, size=1200))
    spec = rp.L1Linear(loss="quantile", quantile=0.3, beta=1e-4)
    run = rp.fit(spec, data)
    assert run.certified
    assert "interior" in run.trace[0].detail
    whole = rp.fit(spec, data, method="direct")
    assert run.objective == pytest.approx(whole.objective, rel=2e-6)

    def end(*given: object) -> Iterator[None]:
        yield from ()
        raise OutOfBudget

    # a limit before their first step leaves the coefficients of the sample
    monkeypatch.setattr(linear, "interior_points", end)
    ended = rp.fit(spec, data, time_limit=100.0)
    assert ended.status == "limit"
    assert run.objective < ended.objective < 0.5 * rp.fit(replace(spec, beta=1e3), data).objective


def test_interior_points_that_fail_leave_the_rest_to_pivots(monkeypatch) -> None:
    rng = np.random.default_rng(0)
    data = rp.regression_data(rng.standard_normal((60, 300)), rng.standard_normal(60))
    spec = rp.L1Linear(loss="quantile", beta=1e-3)
    monkeypatch.setattr("radprog.decompositions.linear.interior.dpotrf", lambda M, **_: (M, 1))
    run = rp.fit(spec, data)
    assert run.certified
    assert "interior" not in run.trace[-1].detail


def test_constraints_without_any_loss_are_certified() -> None:
    # the weights of all points are 0, so that only the prices have rounding
    X = [[.02, 1.19], [-.44, -1.08], [.56, .79], [2.44, .41], [1.17, 1.21], [.02, .12], [.63, .77],
         [-.11, -1.57], [1.03, -.62], [.58, -1.02]]  # fmt: skip
    data = rp.dataset(X, [1, -1, 1, -1, 1, 1, 1, -1, -1, -1])
    held = [rp.must_classify([6], 3.0), rp.mean_score(-1.0)]
    held.append(rp.parity([0, 0, 1, 1, 1, 0, 1, 0, 1, 1], 0.0))
    for method in ("colgen", "direct"):
        assert rp.fit(rp.L1Linear(beta=0.1), data, constraints=held, method=method).certified
