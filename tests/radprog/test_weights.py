"""Weights of rows: 2 is the row twice, 0 the row left out, in values, bounds, forms and files."""

import re

import numpy as np
import pytest
from refusals import refused
from small_files import write_csv

import radprog as rp

RNG = np.random.default_rng(3)
X = RNG.normal(size=(30, 3))
SIDE = X[:, 0] * X[:, 1] + 0.3 * RNG.normal(size=30) > 0
Y = np.array(["no", "yes"])[SIDE.astype(int)]
W = RNG.integers(0, 4, 30).astype(float)
TWICE = np.repeat(np.arange(30), W.astype(int))
WAVES = np.sin(np.linspace(0, 6, 12) * (1 + SIDE[:, None])) + 0.5 * RNG.normal(size=(30, 12))
SPECS = [
    rp.VKR(kernels="poly:1-3", lam=1e-2),
    rp.VKR(kernels="poly:1-2", complexity="poly", lam=1e-3),
    rp.VKR(kernels="rbf:0.1,linear", complexity=[0.5, 1.0], lam=1e-3, beta=1e-2),
    rp.L1SVM(kernels="poly:2"),
    rp.SVM(kernels="rbf:0.5", C=0.3),
    rp.SimSVM(kernels="rbf:0.5", lam=0.05),
    rp.SimSVM(kernels=lambda A, B: np.tanh(A @ B.T - 1.0), lam=0.05),  # indefinite
]


def weighed(**more) -> rp.Dataset:
    return rp.dataset(X, Y, weights=W, **more)


def repeated(**more) -> rp.Dataset:
    return rp.dataset(X[TWICE], Y[TWICE], **more)


def alike(one: rp.Run, other: rp.Run, data, points: np.ndarray) -> None:
    """The run of weighed rows is that of their copies, and is recomputed."""
    assert one.certified
    assert (one.objective, one.bound) == pytest.approx((other.objective, other.bound), rel=1e-8)
    scores = (run.fit.scores(points) for run in (one, other))
    np.testing.assert_allclose(*scores, rtol=1e-6, atol=1e-5)
    assert rp.check(one, data)["holds"]


@pytest.mark.parametrize("spec", SPECS)
def test_a_weight_is_a_number_of_copies(spec) -> None:
    one, other = (rp.fit(spec, data, tol=1e-9) for data in (weighed(), repeated()))
    alike(one, other, weighed(), X)
    assert one.summary["training_error"] == pytest.approx(other.summary["training_error"])
    plain = rp.fit(spec, rp.dataset(X[W > 0], Y[W > 0]))
    assert plain.objective != pytest.approx(one.objective, rel=1e-3)


@pytest.mark.parametrize("spec", SPECS[:4:3])
@pytest.mark.parametrize("method", ["direct", "dual", "cd"])
def test_every_method_has_the_weights(spec, method: str) -> None:
    best, run = rp.fit(spec, weighed()), rp.fit(spec, weighed(), method=method)
    assert run.bound <= best.objective * (1 + 1e-9) <= run.objective * (1 + 2e-9)
    if method != "cd":
        assert run.certified


@pytest.mark.thorough
@pytest.mark.cases(3)
@pytest.mark.parametrize("form", ["primal", "margin", "dual", "master", "budget"])
def test_every_form_has_the_weights(form: str) -> None:
    spec = SPECS[0]
    one, other = (rp.solve(rp.build(spec, data, form)) for data in (weighed(), repeated()))
    assert one.objective == pytest.approx(other.objective, rel=1e-6)


@pytest.mark.parametrize("more", [{}, {"sigma": 1.0}, {"pattern_kernel": "distance"}])
def test_shapelets_of_copies(more) -> None:
    spec, one = rp.LPBoost(length="4", nu=0.3, **more), rp.series(WAVES, Y, weights=W)
    other = rp.series(WAVES[TWICE], Y[TWICE])
    first, second = rp.fit(spec, one), rp.fit(spec, other)
    alike(first, second, one, WAVES)
    assert first.summary["below_rho"] == pytest.approx(second.summary["below_rho"])
    assert first.extra["bounds"] == []
    for form in ("primal", "dual"):
        value = abs(rp.solve(rp.build(spec, one, form)).objective)
        assert value == pytest.approx(abs(first.objective), rel=1e-6)


MIXED = [
    rp.MKL(kernels="rbf:0.1,rbf:1,poly:2"),
    rp.MKL(kernels="rbf:0.1,rbf:1", loss="squared", theta=2, C=3.0),
    rp.MKL(kernels="rbf:0.1,rbf:1", variant="lp", norm=2.0, no_bias=True),
    rp.MKL(kernels="rbf:0.1,rbf:1", variant="unif", normalize="none"),
]
THREE = (X[:, 0] > -0.5).astype(int) + (X[:, 0] > 0.5)


@pytest.mark.parametrize("y", [Y, THREE], ids=["two", "three"])
@pytest.mark.parametrize("spec", MIXED, ids=["conv", "squared", "lp", "unif"])
def test_kernel_weights_of_copies(spec, y) -> None:
    data = rp.dataset(X, y, weights=W, one_vs_rest=True)
    one = rp.fit(spec, data, tol=1e-8)
    other = rp.fit(spec, rp.dataset(X[TWICE], y[TWICE], one_vs_rest=True), tol=1e-8)
    alike(one, other, data, X)
    np.testing.assert_allclose(one.summary["weights"], other.summary["weights"], atol=1e-5)
    assert one.summary.get("tail_sum") == pytest.approx(other.summary.get("tail_sum"))
    assert one.extra["bounds"] == []
    for form, solver in (("qcqp", "clarabel"), ("svm", "piqp")):
        if (spec.variant, form) == ("unif", "qcqp") or (spec.p, form) == (2.0, "qcqp"):
            continue
        value = abs(rp.solve(rp.build(spec, data, form), solver=solver).objective)
        assert value == pytest.approx(one.objective, rel=1e-5)


@pytest.mark.parametrize(
    "more", [{"C": 2.0}, {"A": 3.0, "eps_low": 0.1}, {"C": 1.0, "kernels": "linear"}]
)
def test_regression_of_copies(more, tmp_path) -> None:
    target = X[:, 0] + 0.3 * np.random.default_rng(0).normal(size=30)
    spec = rp.SVR(starts=3, **more)
    data, copies = rp.regression_data(X, target, weights=W), X[TWICE]
    one, other = rp.fit(spec, data), rp.fit(spec, rp.regression_data(copies, target[TWICE]))
    assert one.objective == pytest.approx(other.objective, rel=1e-7)
    np.testing.assert_allclose(one.predict(X), other.predict(X), atol=1e-4)
    assert one.summary["mae"] == pytest.approx(other.summary["mae"], rel=1e-4)
    assert rp.check(one, data)["holds"]
    losses = rp.solve(rp.build(spec, data, "step-ivanov"), solver="clarabel").objective
    if "C" in more:
        losses = more["C"] * losses + one.summary["norm2"] / 2.0
    assert losses == pytest.approx(one.objective, rel=1e-4)
    for form in ("global", "step-dual"):
        refused(rp.RadprogError, f"form '{form}' needs rows", rp.build, spec, data, form)
    few = rp.regression_data(X[:9], target[:9], weights=W[:9])
    refused(rp.RadprogError, "method 'global' needs rows", rp.fit, spec, few, method="global")
    refused(rp.RadprogError, "complexity takes no weights", rp.fit, rp.Complexity(), data)


def test_what_a_result_with_weights_says(tmp_path) -> None:
    data = weighed()
    run = rp.fit(SPECS[0], data)
    assert run.extra["bounds"] == []
    assert "without weights" in run.extra["compression"]["refused"]
    assert rp.check(run, data)["holds"]
    other = rp.dataset(X, Y, weights=W + (W > 1))
    refused(rp.DataError, "not the data set of the run: other rows", rp.check, run, other)
    assert rp.fit(SPECS[0], rp.dataset(X, Y, weights=np.ones(30))).extra["bounds"]
    refused(rp.RadprogError, "a proof needs rows without weights", rp.prove, run, data)


def test_a_column_of_weights_on_the_command_line(radprog, empty) -> None:
    write_csv("plain.csv", X, Y, head="a,b,c,y")
    write_csv("w.csv", X[:, 0], W, X[:, 1:], Y, head="a,n,b,c,y")
    model = "l1svm w.csv --weights n --kernels poly:2"
    told = radprog.ok("solve", model, "--test plain.csv --json run.json --save fit.json").json
    assert told["objective"] == pytest.approx(rp.fit(SPECS[3], repeated()).objective, rel=1e-9)
    assert told["data"]["weight"] == W.sum()
    for one in (model, "l1linear w.csv --weights n", "mkl w.csv --weights n --kernels linear"):
        done = radprog.ok("solve", one, "--json weighed.json")
        share = 100 * done.json["fit"]["training_error"]
        assert f", weighted training error {share:.2f} %" in done.out
    assert "points, training error" in radprog.ok("solve l1svm plain.csv --kernels poly:2").out
    losses = "weighted mean quantile loss .*, weighted mean absolute error"
    numbers = "l1linear numbers.csv --weights n --loss quantile"
    write_csv("numbers.csv", X[:, 0], W, X[:, 1], head="a,n,y")
    assert len(re.findall(losses, radprog.ok("solve", numbers, "--test numbers.csv").out)) == 2
    assert (told["data"]["rows"], told["test"]["rows"]) == ((W > 0).sum(), 30)
    radprog.ok("check run.json w.csv")
    radprog.ok("predict fit.json plain.csv -o out.csv")
    test = radprog.ok("solve", model, "--test w.csv --json run.json").json["test"]
    assert (test["rows"], test["error_upper_bound"]) == ((W > 0).sum(), None)
    radprog.ok("solve l1svm w.csv --weights 1")
    radprog.ok("export", model, "-o x.mps")
    radprog.ok("verify x.mps --solver highs")


def test_who_takes_no_weights(radprog, empty) -> None:
    words = "cdsk takes no weights of rows: expected one of"
    refused(rp.RadprogError, words, rp.fit, rp.CDSK(clusters=2), weighed())
    write_csv("w.csv", X[:, 0], Y, -W, head="a,y,n")
    asked = "solve vkr w.csv --weights"
    radprog.refused("row 3: weight -3.0, expected a finite number", asked, "n")
    radprog.refused("columns [1, 1], expected different ones", asked, "y --label y")
