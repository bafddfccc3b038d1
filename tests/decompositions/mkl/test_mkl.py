"""Fitting multiple kernel learning: certificates, invariances, bad input, protein folds."""

import json
import os
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from refusals import refused
from small_data import class_grams

import radprog as rp
from radprog.decompositions.loop import Reason, Record
from radprog.decompositions.mkl.exchange import ValueOracle, no_progress
from radprog.decompositions.mkl.fit import MultiKernelExpansion, fit_mkl, recompute_mkl
from radprog.decompositions.run import RunSettings
from radprog.models.mkl.kernel_sets import kernel_set
from radprog.models.mkl.problem import MultipleKernels, problem_of
from radprog.result import plain
from radprog.solvers.program import Status

TIGHT = RunSettings(tol=1e-8)


def points(seed: int = 0, n: int = 40) -> rp.Dataset:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    y = np.where(X[:, 0] * X[:, 1] + 0.5 * X[:, 2] + 0.3 * rng.normal(size=n) > 0, 1, -1)
    return rp.dataset(X, y)


KERNELS = "linear,poly:2,rbf:0.1,rbf:1"


def grams(n: int = 24, classes: int = 2, M: int = 4, seed: int = 0) -> rp.GramSet:
    ranks = (9, 7, 5, 11) * 2
    return rp.gram_set(*class_grams(ranks[:M], n, classes, seed=seed, apart=0.5, ridge=0.01))


CASES = [
    {"norm": 1.3},
    {"norm": 5.0},
    {"theta": 5, "C": 10.0},
    {"loss": "squared", "norm": 2.0, "no_bias": True},
    {"center": True, "normalize": "none"},
    {"tail_budget": 3.0, "C": 100.0},
    {"variant": "lp", "norm": 2.0},
    {"variant": "unif"},
    {"variant": "unif", "loss": "squared"},
]


@pytest.mark.parametrize("options", CASES, ids=str)
def test_every_convex_variant_is_certified_and_recomputed(options) -> None:
    spec, data = rp.MKL(**options), grams()
    run = fit_mkl(spec, data, TIGHT)
    assert run.status is Status.OPTIMAL, (run.reason, run.gap)
    assert run.gap < 1e-8
    evidence = json.loads(json.dumps(plain(dict(run.evidence))))
    assert recompute_mkl(spec, data, evidence).pair == (run.objective, run.bound)
    assert run.summary["kernels_used"] >= 1
    bounds = [record.bound for record in run.trace]
    assert all(a <= b + 1e-12 for a, b in pairwise(bounds))
    assert max(bounds) <= run.objective * (1 + 1e-12)


def test_theta_0_is_trace_constrained_learning_and_makes_dc_convex() -> None:
    data = grams()
    for norm in (1.0, 2.0):
        conv = fit_mkl(rp.MKL(theta=0, norm=norm), data, TIGHT)
        lp = fit_mkl(rp.MKL(variant="lp", norm=norm), data, TIGHT)
        assert conv.objective == pytest.approx(lp.objective, rel=1e-7)
        if norm == 1.0:
            dc = fit_mkl(rp.MKL(variant="dc", theta=0, starts=1), data, RunSettings(tol=1e-6))
            assert dc.objective == pytest.approx(conv.objective, rel=2e-6)


@pytest.mark.parametrize("name", ["scip", "clarabel"])
def test_a_solver_without_multipliers(name: str) -> None:
    run = fit_mkl(rp.MKL(), grams(n=12, M=2), RunSettings(method="qcqp", solver=name))
    assert run.certified
    assert run.solver.name == name


@pytest.mark.parametrize("solver", ["pyomo:glpk", "pyomo:cbc"])
@pytest.mark.slow
def test_the_master_may_be_any_linear_solver(solver: str) -> None:
    assert fit_mkl(rp.MKL(), grams(), RunSettings(solver=solver, tol=1e-6)).certified


def test_curvature_saves_support_vector_machines() -> None:
    data = grams(n=60, M=8, seed=1)
    curved = fit_mkl(rp.MKL(C=10.0), data, RunSettings(tol=1e-7))
    linear = fit_mkl(rp.MKL(C=10.0), data, RunSettings(tol=1e-7, solver="highs"))
    assert (curved.solver.name, linear.solver.name) == ("piqp", "highs")
    assert linear.objective == pytest.approx(curved.objective, rel=1e-6)
    assert linear.summary["machines"] > 2 * curved.summary["machines"]


def test_several_classes_share_the_weights() -> None:
    data = grams(classes=3, n=30)
    run = fit_mkl(rp.MKL(), data, TIGHT)
    assert run.certified
    assert np.array(run.evidence["a"]).shape == (3, 30)
    assert run.summary["training_error"] < 0.5
    predicted = run.fit.predict(data.X)
    assert set(predicted) <= {0.0, 1.0, 2.0}
    assert (predicted != data.targets).mean() == run.summary["training_error"]
    weights = np.array(run.summary["weights"])
    total = 0.0
    for k in range(3):
        kernels = kernel_set(rp.MKL(), rp.gram_set(data.K, np.where(data.targets == k, 1, -1)))
        total += ValueOracle(MultipleKernels(kernels=kernels, C=1.0))(weights, 1e-9).objective
    assert run.objective == pytest.approx(total, rel=1e-6)


# ---------------------------------------------------------------- limits, starts, warnings


@pytest.mark.parametrize("C", [1e6, 1e12])
def test_a_huge_C_is_a_hard_margin(C: float) -> None:
    """Beyond the largest dual point C has no effect, and does no harm to the digits."""
    spec = rp.MKL(kernels="rbf:0.1,rbf:1", C=1e3)
    hard = fit_mkl(spec, points(), TIGHT)
    assert np.max(hard.evidence["a"]) < 1e3
    run = fit_mkl(replace(spec, C=C), points(), RunSettings(tol=1e-6))
    assert run.certified
    assert run.objective == pytest.approx(hard.objective, rel=1e-6)


def test_a_gap_that_does_not_fall_ends_the_exchange() -> None:
    def trace(gap: float, rounds: int) -> list[Record]:
        return [Record(k, 0.0, 1.0, 1.0 - gap) for k in range(rounds)]

    assert not no_progress(trace(1e-6, 50))
    assert no_progress(trace(1e-6, 51))
    assert not no_progress([Record(k, 0.0, 1.0, 1.0 - 2.0**-k) for k in range(51)])


def test_a_start_is_taken_from_an_earlier_fit() -> None:
    data = points()
    spec = rp.MKL(kernels=KERNELS, C=5.0)
    first = fit_mkl(spec, data, RunSettings(tol=1e-7))
    second = fit_mkl(spec, data, RunSettings(tol=1e-7, start=first.fit))
    assert second.objective == pytest.approx(first.objective, rel=2e-7)
    assert len(second.trace) < len(first.trace)


# ---------------------------------------------------------------- the predictor


@pytest.mark.parametrize(
    "options",
    [{}, {"center": True}, {"center": True, "no_bias": True}, {"normalize": "none", "norm": 2.0}],
    ids=str,
)
def test_scores_on_the_training_points_are_those_of_the_machine(options) -> None:
    data = points()
    spec = rp.MKL(kernels=KERNELS, **options)
    run = fit_mkl(spec, data, TIGHT)
    weights, a = (np.array(run.evidence[part]) for part in ("weights", "a"))
    value = problem_of(spec, kernel_set(spec, data)).value(weights, a)
    assert run.fit.scores(data.X) == pytest.approx(value.scores[0] + value.biases[0], abs=1e-8)
    again = MultiKernelExpansion.from_dict(json.loads(json.dumps(plain(run.fit.to_dict()))))
    assert np.array_equal(again.scores(data.X), run.fit.scores(data.X))


def test_given_matrices_predict_from_cross_values() -> None:
    train, test = grams(n=40).partition(np.arange(30), np.arange(30, 40))
    run = fit_mkl(rp.MKL(), train, TIGHT)
    scores = run.fit.scores(test.X)
    assert scores.shape == (10,)
    assert np.array_equal(scores, run.fit.scores(np.zeros((10, 0)), cross=test.K))
    refused(rp.DataError, "option `cross`", run.fit.scores, np.zeros((3, 2)))
    refused(rp.DataError, r"expected \(4, new points, 30\)", run.fit.scores, test.K[:, :, :20])


def test_training_statistics_alone_are_used() -> None:
    """Normalisation, centring and tails come from the training rows: test rows change nothing."""
    data = grams(n=40)
    run = fit_mkl(rp.MKL(center=True), data.take(np.arange(30)), TIGHT)
    K = data.K.copy()
    K[:, 30:, 30:] *= 100.0
    other = replace(data, X=K).partition(np.arange(30), np.arange(30, 40))
    again = fit_mkl(rp.MKL(center=True), other[0], TIGHT)
    assert again.objective == run.objective
    assert np.array_equal(again.fit.scores(other[1].X), run.fit.scores(K[:, 30:, :30]))


# ---------------------------------------------------------------- grid


# ---------------------------------------------------------------- bad input


def test_evidence_that_does_not_hold_is_refused_or_lowers_the_bound() -> None:
    spec, data = rp.MKL(), grams()
    run = fit_mkl(spec, data, TIGHT)
    for change, message in (
        ({"weights": [1.0]}, "do not fit this data set"),
        ({"weights": [-1.0, 1.0, 1.0, 1.0]}, "do not fit this data set"),
        ({"weights": [9.0, 9.0, 9.0, 9.0]}, "break their constraint by a factor"),
        ({"a": [[1.0]]}, "do not fit"),
        ({"dual": [[1.0]]}, "do not fit"),
        ({"weights": None}, "do not fit"),
    ):
        refused(rp.DataError, message, recompute_mkl, spec, data, {**run.evidence, **change})
    lied = {**run.evidence, "dual": (1e6 * np.ones((1, 24))).tolist()}
    objective, bound = recompute_mkl(spec, data, lied).pair
    assert objective == run.objective
    assert bound < run.bound
    assert recompute_mkl(spec, data, {**run.evidence, "dual": None}).bound is None


def test_a_ball_in_other_units_has_the_same_solution() -> None:
    """The exchange scales by J: a problem in other units converges all the same."""
    small = replace(grams(), X=1e-6 * grams().K)
    run = fit_mkl(rp.MKL(normalize="none"), small, TIGHT)
    assert (run.reason, run.certified) == (Reason.TOLERANCE, True)


def wide_kernels(n: int, C: float) -> rp.Run:
    """A fit to kernels so wide that their products cancel, and their tail sums are tiny."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 8))
    y = np.sign(X[:, :5].sum(axis=1) + rng.normal(size=n))
    spec = rp.MKL(kernels="rbf:0.001,rbf:0.01,rbf:0.1,rbf:1,rbf:10", theta=50, C=C)
    # without an absolute tolerance, which a large gap would meet
    return fit_mkl(spec, rp.dataset(X, y), RunSettings(abs_tol=0.0, max_iter=20))


def test_wide_kernels_are_certified() -> None:
    run = wide_kernels(300, 1.0)  # a gap of 6e-6 by sums in floats
    assert run.reason is Reason.TOLERANCE
    assert run.status is Status.OPTIMAL
    assert not run.warnings


def test_a_search_without_a_proof_warns(monkeypatch) -> None:
    monkeypatch.setattr(MultipleKernels, "dual_bound", lambda *_: 0.0)
    run = wide_kernels(60, 1.0)
    assert (run.reason, run.certified) == (Reason.TOLERANCE, False)
    assert run.warnings[-1].startswith("rounding errors hide the optimum: they leave a gap of 1")


@pytest.fixture(scope="module")
def protein() -> rp.Dataset:
    folder = Path(os.environ["RADPROG_DATA"]) / "mkl"
    paths = sorted(folder.glob("proteinFold_view*.csv"))
    assert len(paths) == 12
    return rp.read_views(paths, classes=["7", "16"])


@pytest.mark.data
@pytest.mark.parametrize(("norm", "value"), [(1.0, 29.16517), (2.0, 15.11001)])
def test_conv_on_protein_folds(protein: rp.Dataset, norm: float, value: float) -> None:
    run = fit_mkl(rp.MKL(kernels="linear", norm=norm), protein, RunSettings(tol=1e-7))
    assert run.certified
    assert run.objective == pytest.approx(value, rel=1e-6)
    assert run.summary["machines"] <= 60
    assert len(run.summary["weights"]) == 12


@pytest.mark.data
def test_dc_on_protein_folds(protein: rp.Dataset) -> None:
    """5075.153 for C = n and budget 1 is 33.6103 for C = 1 and budget n."""
    run = fit_mkl(rp.MKL(kernels="linear", variant="dc", starts=1), protein, RunSettings())
    assert run.status is Status.CRITICAL_POINT
    assert 151 * run.objective == pytest.approx(5075.1534, rel=1e-6)
    assert run.bound == pytest.approx(29.16516, rel=1e-5)
    assert run.summary["machines"] < 150
