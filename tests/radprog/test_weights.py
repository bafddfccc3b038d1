"""Weights of rows: 2 is the row twice, 0 the row left out, in values, bounds, forms and files."""

import csv
import json
from pathlib import Path

import numpy as np
import pytest
from refusals import refused

import radprog as rp
from radprog.cli import main

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
NAMES = ["vkr-trace", "vkr-poly", "vkr-given", "l1svm", "svm", "simsvm", "simsvm-indefinite"]


def weighed(**more) -> rp.Dataset:
    return rp.dataset(X, Y, weights=W, **more)


def waves(rows: np.ndarray | None) -> rp.Bags:
    if rows is None:
        return rp.series(WAVES, Y, weights=W)
    return rp.series(WAVES[rows], Y[rows])


def repeated(**more) -> rp.Dataset:
    return rp.dataset(X[TWICE], Y[TWICE], **more)


def alike(one: rp.Run, other: rp.Run, data, points: np.ndarray) -> None:
    """The run of weighed rows is that of their copies, and is recomputed."""
    assert one.certified
    assert (one.objective, one.bound) == pytest.approx((other.objective, other.bound), rel=1e-8)
    scores = (run.fit.scores(points) for run in (one, other))
    np.testing.assert_allclose(*scores, rtol=1e-6, atol=1e-5)
    assert rp.check(one, data)["holds"]


@pytest.mark.parametrize("spec", SPECS, ids=NAMES)
def test_a_weight_is_a_number_of_copies(spec) -> None:
    one, other = (rp.fit(spec, data, tol=1e-9) for data in (weighed(), repeated()))
    alike(one, other, weighed(), X)
    assert one.summary["training_error"] == pytest.approx(other.summary["training_error"])
    plain = rp.fit(spec, rp.dataset(X[W > 0], Y[W > 0]))
    assert plain.objective != pytest.approx(one.objective, rel=1e-3)


@pytest.mark.parametrize("spec", SPECS[:4:3], ids=NAMES[:4:3])
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
    spec, one, other = rp.LPBoost(length="4", nu=0.3, **more), *(waves(r) for r in (None, TWICE))
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
    several = {"one_vs_rest": True}
    data = rp.dataset(X, y, weights=W, **several)
    one = rp.fit(spec, data, tol=1e-8)
    other = rp.fit(spec, rp.dataset(X[TWICE], y[TWICE], **several), tol=1e-8)
    alike(one, other, data, X)
    np.testing.assert_allclose(one.summary["weights"], other.summary["weights"], atol=1e-5)
    assert one.extra["bounds"] == []
    for form, solver in (("qcqp", "clarabel"), ("svm", "piqp")):
        if (spec.variant, form) == ("unif", "qcqp") or (spec.p, form) == (2.0, "qcqp"):
            continue
        value = abs(rp.solve(rp.build(spec, data, form), solver=solver).objective)
        assert value == pytest.approx(one.objective, rel=1e-5)


@pytest.mark.parametrize(
    "more", [{"C": 2.0}, {"A": 3.0, "eps_low": 0.1}, {"C": 1.0, "kernels": "linear"}]
)
def test_regression_of_copies(more, tmp_path: Path) -> None:
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
    with pytest.raises(rp.RadprogError, match="method 'global' needs rows"):
        rp.fit(spec, rp.regression_data(X[:9], target[:9], weights=W[:9]), method="global")
    refused(rp.RadprogError, "complexity takes no weights", rp.fit, rp.Complexity(), data)


def test_what_a_result_with_weights_says(tmp_path: Path) -> None:
    data = weighed()
    run = rp.fit(SPECS[0], data)
    assert run.extra["bounds"] == []
    assert "without weights" in run.extra["compression"]["refused"]
    assert rp.check(run, data)["holds"]
    other = rp.dataset(X, Y, weights=W + (W > 1))
    refused(rp.DataError, "not the data set of the run: other rows", rp.check, run, other)
    assert rp.fit(SPECS[0], rp.dataset(X, Y, weights=np.ones(30))).extra["bounds"]
    refused(rp.RadprogError, "a proof needs rows without weights", rp.prove, run, data)


def written(path: Path, names: list[str], *columns) -> str:
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([names, *zip(*columns, strict=True)])
    return str(path)


def test_a_column_of_weights_on_the_command_line(tmp_path: Path, capsys) -> None:
    text = [[f"{value!r}" for value in column] for column in X.T.tolist()]
    plain = written(tmp_path / "plain.csv", ["a", "b", "c", "y"], *text, Y)
    file = written(tmp_path / "w.csv", ["a", "n", "b", "c", "y"], text[0], W, *text[1:], Y)
    result, fit = tmp_path / "run.json", tmp_path / "fit.json"
    model = ["l1svm", file, "--weights", "n", "--kernels", "poly:2"]
    to = ["--json", str(result), "--save", str(fit)]
    assert main(["solve", *model, "--test", plain, *to]) == 0
    told = json.loads(result.read_text())
    assert told["objective"] == pytest.approx(rp.fit(SPECS[3], repeated()).objective, rel=1e-9)
    assert told["data"]["weight"] == W.sum()
    assert told["data"]["rows"] == (W > 0).sum()
    assert told["test"]["rows"] == 30
    assert main(["check", str(result), file]) == 0
    assert main(["predict", str(fit), plain, "-o", str(tmp_path / "out.csv")]) == 0
    assert main(["solve", *model, "--test", file, "--json", str(result)]) == 0
    test = json.loads(result.read_text())["test"]
    assert test["rows"] == (W > 0).sum()
    assert test["error_upper_bound"] is None
    assert main(["solve", "l1svm", file, "--weights", "1", "--json", str(result)]) == 0
    capsys.readouterr()
    assert main(["export", *model, "-o", str(tmp_path / "x.mps")]) == 0
    assert main(["verify", str(tmp_path / "x.mps"), "--solver", "highs"]) == 0


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (-W, "weight -[0-9.]+, expected a finite number >= 0"),
        (np.where(np.arange(30) == 4, np.nan, W), "row 5: weight nan"),
        (0 * W, "all weights are zero"),
        (W[:-1], r"weights of shape \(29,\), expected \(30,\)"),
        (np.where(np.arange(30) == 4, 1e-13, W), "more than 1e\\+12 times"),
        (np.full(30, 1e300), "numbers from 1e-150 to 1e\\+150, or 0"),
        (np.full(30, 1e-300), "numbers from 1e-150 to 1e\\+150, or 0"),
        (W * SIDE, "no row of class 'no' has a positive weight"),
        (["a"] * 30, "weights cannot be used"),
    ],
    ids=["negative", "nan", "zero", "length", "span", "large", "small", "class", "text"],
)
def test_weights_that_are_none(weights, message: str) -> None:
    refused(rp.RadprogError, message, rp.dataset, X, Y, weights=weights)


@pytest.mark.parametrize("complexity", ["massart", "montecarlo", "local"])
def test_penalties_of_rows_that_count_alike(complexity: str) -> None:
    spec = rp.VKR(kernels="rbf:1", complexity=complexity)
    refused(rp.RadprogError, f"'{complexity}' needs rows without weights", rp.fit, spec, weighed())


def test_who_takes_no_weights(tmp_path: Path, capsys) -> None:
    with pytest.raises(rp.RadprogError, match="cdsk takes no weights of rows: expected one of"):
        rp.fit(rp.CDSK(clusters=2), weighed())
    file = written(tmp_path / "w.csv", ["a", "y", "n"], X[:, 0], Y, -W)
    assert main(["solve", "vkr", file, "--weights", "n"]) == 2
    assert "row 3: weight -3.0, expected a finite number" in capsys.readouterr().err
    assert main(["solve", "vkr", file, "--weights", "y", "--label", "y"]) == 2
    assert "columns [1, 1], expected different ones" in capsys.readouterr().err
