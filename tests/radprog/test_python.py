"""The Python interface and the commands say the same."""

import os
import signal
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from refusals import refused
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV

import radprog as rp
from radprog.estimators import (
    DiscriminativeClustering,
    LocalMKLClassifier,
    SparseHingeClassifier,
    VKRClassifier,
)
from radprog.result import plain
from radprog.telling import uncertified


def test_a_grid_of_settings_has_the_runs_of_single_fits() -> None:
    rng = np.random.default_rng(0)
    data = rp.dataset(rng.normal(size=(40, 2)), np.arange(40) % 2)
    part = data.take(np.arange(30))
    specs = [rp.VKR(kernels="poly:1-2", lam=lam) for lam in (1e-3, 1e-1, 1e-3)]
    runs = rp.fit_grid(specs, part, tol=1e-9)
    for spec, run in zip(specs, runs, strict=True):
        alone = rp.fit(spec, part, tol=1e-9)
        assert run.spec == spec
        assert run.certified
        assert run.objective == pytest.approx(alone.objective, rel=1e-8)
        assert run.predict(data.X).shape == (40,)
    # a setting that the rows do not allow has an error in its place
    low = rp.MKL(kernels="linear,rbf:1", theta=2), rp.MKL(kernels="linear,rbf:1", theta=1)
    refused, run = rp.fit_grid(low, part)
    assert isinstance(refused, rp.SettingError)
    assert run.certified
    for wrong in ([], [specs[0], low[0]]):
        with pytest.raises(rp.OptionError, match="expected one model"):
            rp.fit_grid(wrong, part)


def test_a_result_of_arrays_is_checked_in_python(radprog, folder) -> None:
    frame = pd.read_csv("train.csv", float_precision="round_trip")
    made = rp.dataset(frame.iloc[:, :-1], frame.iloc[:, -1])
    rp.save_run(rp.fit(rp.L1SVM(kernels="poly:1"), made), made, "run.json")
    assert rp.check("run.json", made)["holds"]
    assert "the same numbers in another file" in radprog.ok("check run.json train.csv").out
    # a file that is not even read without the options of a reader
    Path("texts.csv").write_text("a,b,kind\n1,m,x\n2,w,y\n")
    radprog.refused("rp.check(result, data)", "check run.json texts.csv")


def test_what_the_command_warns_of_python_warns_of(radprog, folder) -> None:
    """Once each, at the caller's line, in a class of its own, and not twice by the command."""
    X = 1e3 * np.random.default_rng(0).normal(size=(20, 2))
    pd.DataFrame({0: X[:, 0], 1: X[:, 1], 2: np.sign(X[:, 0])}).to_csv("named.csv", index=False)
    found = radprog.ok("solve vkr named.csv --kernels poly:10 --json r.json")
    assert found.out.startswith("header: row 1 (0, 1, 2)\n")
    told = found.json["warnings"]
    assert "polynomial degree 10" in told[1]
    assert (len(told), [found.err.count(text[:50]) for text in told]) == (2, [1, 1])
    with pytest.warns(rp.RadprogWarning) as heard:
        run = rp.fit(rp.VKR(kernels="poly:10"), rp.read("named.csv"))
    assert [one.filename for one in heard] == [__file__] * 2
    assert [str(one.message) for one in heard] == [told[0], *run.warnings]


@pytest.fixture
def pressed(monkeypatch):
    """An observer that presses Ctrl-C in the second round, under Python's own handler."""
    seen = []

    def observe(record) -> None:
        seen.append(record)
        if len(seen) == 2:
            os.kill(os.getpid(), signal.SIGINT)

    # a shell's background job ignores it
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield observe
    signal.signal(signal.SIGINT, before)


HARD = {"lam": 1e-6, "beta": 1e-6, "kernels": "poly:1-5"}


ESTIMATORS = [
    VKRClassifier(**HARD, tol=1e-12),
    LocalMKLClassifier(kernels="rbf:0.1,rbf:1,rbf:10", tol=1e-12, abs_tol=0.0),
    DiscriminativeClustering(tol=1e-12),
    rp.LPBoostClassifier(learner="tree2", beta=1e-3, tol=1e-12),
]


@pytest.mark.parametrize("whole", ESTIMATORS, ids=lambda model: type(model).__name__)
def test_ctrl_c_keeps_the_answer_of_an_estimator_and_ends_its_caller(data, pressed, whole) -> None:
    whole = clone(whole).fit(data.X, data.y)
    model = clone(whole).set_params(verbose=pressed)
    words = f"{type(model).__name__} was ended by interrupt.*; it keeps its best answer"
    with pytest.warns(ConvergenceWarning, match=words), pytest.raises(KeyboardInterrupt):
        model.fit(data.X, data.y)
    # all that a fit has
    assert vars(model).keys() == vars(whole).keys()
    assert model.predict(data.X).shape == data.y.shape
    assert model.n_iter_ == 2 < whole.n_iter_
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.parametrize(
    "model",
    [VKRClassifier(**HARD, tol=1e-12), SparseHingeClassifier(beta=1e-4)],
    ids=["in the middle", "in the last round"],
)
def test_ctrl_c_ends_a_grid_search_where_warnings_are_errors(data, pressed, model) -> None:
    model = clone(model).set_params(verbose=pressed)
    search = GridSearchCV(model, {"beta": [1e-4, 1e-5]}, cv=2, error_score=0.0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(KeyboardInterrupt):
            search.fit(data.X, data.y)


def test_ctrl_c_before_the_first_step_is_that_of_python(data, pressed, monkeypatch) -> None:
    def ended(*arguments: object) -> None:
        os.kill(os.getpid(), signal.SIGINT)
        raise rp.UnfinishedError("interrupt: ended before the first step")

    monkeypatch.setattr("radprog.catalog.Entry.fitter", ended)
    with pytest.raises(KeyboardInterrupt):
        rp.fit(rp.VKR(), data)


@pytest.mark.parametrize(
    ("spec", "method"),
    [
        (rp.VKR(kernels="poly:1-4", lam=1e-4, beta=1e-4), "colgen"),
        (rp.VKR(kernels="poly:1-4", lam=1e-4, beta=1e-4), "cd"),
        (rp.MKL(kernels="rbf:0.1,rbf:1"), "silp"),
        (rp.L1Linear(beta=1e-4), "colgen"),
        (rp.CDSK(clusters=2), "alternate"),
    ],
)
def test_a_rule_of_the_user_ends_a_fit_and_is_named(spec, method) -> None:
    rng = np.random.default_rng(0)
    y = np.repeat([-1, 1], 40)
    data = rp.dataset(rng.normal(size=(80, 3)) + 0.5 * y[:, None], y)
    seen: list[int] = []

    def first(trace) -> bool:
        seen.append(len(trace))
        return len(trace) >= 1

    run = rp.fit(spec, data, method=method, stop=first)
    assert (run.stopped_by, run.status, len(run.trace)) == ("own_rule", "limit", 1)
    assert seen
    assert seen[-1] == 1


def test_a_rule_of_the_user_is_refused_where_there_are_no_rounds() -> None:
    data = rp.dataset(np.arange(6.0)[:, None], [-1, -1, 1, -1, 1, 1])
    for settings in ({"method": "dual", "stop": len}, {"stop": 3}):
        with pytest.raises(rp.OptionError, match="stop"):
            rp.fit(rp.VKR(kernels="poly:1"), data, **settings)


SPEC = rp.VKR(kernels="poly:1-2")
FLAGS = ("--scale", "ball", "--kernels", "poly:1-2")


def same(one, other) -> bool:
    """Equal but for seconds."""
    if isinstance(one, dict) and isinstance(other, dict):
        keys = {key for key in one.keys() | other.keys() if "seconds" not in key}
        return all(key in one and key in other and same(one[key], other[key]) for key in keys)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    return one == other


def test_tune(radprog, data) -> None:
    words = ("--grid", "lam=1e-3,1e-2", "--grid", "beta=1e-3..1e-1:2", "--folds", "3")
    table = radprog("tune", "vkr", "train.csv", *FLAGS, *words, "--seed", "2", "--json -").json
    grid = {"lam": [1e-3, 1e-2], "beta": "1e-3..1e-1:2"}
    assert same(plain(rp.tune(SPEC, data, grid, folds=3, seed=2, jobs=1)), table)
    unit = rp.read("train.csv", scale="unit")
    cells = rp.tune(rp.SVM(C=5.0), unit, {"C": [2, 1]}, folds=2)["cells"]
    assert [cell["params"]["C"] for cell in cells] == [1, 2]


CHOICES = [
    {"lam": [1e-5], "beta": [1e-2, 1e-1]},
    {"lam": [1e-5], "scale": ["standard", "unit"], "kernels": ["rbf:1", "poly:1"]},
]


@pytest.mark.parametrize("grid", CHOICES)
def test_the_choice_is_fitted_as_it_was_scored(data, grid) -> None:
    spec = rp.VKR(kernels="rbf:0.1", lam=1e-3)
    table = rp.tune(spec, data, grid, folds=2)
    best, scaled = rp.chosen(table, spec, data)
    params = table["best"]["params"]
    assert params.keys() == grid.keys()
    assert scaled.scaler.kind == params.get("scale", data.scaler.kind)
    for name in grid.keys() - {"scale"}:
        assert getattr(best, name) == params[name]
    assert rp.chosen(table, rp.VKR, data)[0].lam == params.get("lam", rp.VKR().lam)
    with pytest.raises(rp.RadprogError, match="table of vkr"):
        rp.chosen(table, rp.SVM(), data)


@pytest.mark.thorough
def test_price_bounds_check_and_report(radprog, data) -> None:
    solve = ("solve", "vkr", "train.csv", *FLAGS, "--json", "run.json", "--quiet")
    assert radprog(*solve).code == 0
    run = rp.fit(SPEC, data)
    candidates = ("rbf:1e-3", "laplace:30")
    table = radprog("price", "run.json", "--kernels", ",".join(candidates), "--json -").json
    assert same(plain(rp.price("run.json", "train.csv", kernels=",".join(candidates))), table)
    assert same(plain(rp.price(run, data, kernels=candidates)["rows"]), table["rows"])
    bounds, check = (
        radprog(f"{word} --json -").json for word in ("bounds run.json", "check run.json train.csv")
    )
    assert plain(rp.bounds(run, data)["rows"]) == bounds["rows"]
    assert rp.check(run, data)["recomputed"] == check["recomputed"]
    page = rp.report(run, "page.html", data=data)
    assert Path("page.html").read_text() == page
    assert "train.csv" in page
    analysis = rp.analyze(SPEC, data, form="budget")
    assert len(rp.report("run.json", analysis=analysis)) > len(rp.report("run.json"))


def test_complexity(radprog, data) -> None:
    table = radprog("complexity vkr train.csv", *FLAGS, "--trials 20 --seed 3 --json -").json
    assert same(plain(rp.complexity(SPEC, data, trials=20, seed=3)), table)


def test_data_of_another_kind_is_adapted() -> None:
    X = np.random.default_rng(0).normal(size=(12, 2))
    data = rp.dataset(X, np.where(X[:, 0] > 0, "in", "out"))
    assert rp.check(rp.fit(rp.LPDSK(), data, max_iter=3), data)["holds"]
    assert rp.analyze(rp.LPDSK(), data, form="weights")["status"] == "optimal"


def test_one_message_names_both(data, radprog, folder) -> None:
    options = {"method": "cd", "solver_options": {"a": "1"}}
    refused(rp.OptionError, "leave `solver_options` out", rp.fit, rp.VKR(), data, **options)
    words = "leave --solver-option out"
    radprog.refused(words, "solve vkr train.csv --method cd --solver-option a=1")


def test_a_stored_reason_names_parameters(data, radprog, folder) -> None:
    run = rp.fit(rp.L1SVM(kernels="poly:1"), data)
    words = "scale 'ball' is fitted on the sample: use {}"
    asked = "solve l1svm train.csv --kernels poly:1 --scale ball --json run.json"
    stored = radprog.ok(asked).json["compression"]["refused"]
    reasons = stored, run.extra["compression"]["refused"], rp.bounds(run, data)["refused"]
    assert {one.startswith(words.format("`scale='unit'`")) for one in reasons} == {True}
    assert f"compression: {words.format('--scale unit')}" in radprog("bounds", "run.json").out


@pytest.mark.parametrize(("model", "method"), [("mkl", "hybrid"), ("svr", "cccp")])
def test_a_method_that_refuses_the_data_is_not_advised(model, method) -> None:
    result = {"model": model, "method": method, "stopped_by": "critical_point", "bound": None}
    few, many = (uncertified({**result, "data": {"rows": rows}}) for rows in (40, 41))
    assert "`method='global'` may, of at most" in few
    assert "40 points" in few
    assert many.endswith("no optimum")
