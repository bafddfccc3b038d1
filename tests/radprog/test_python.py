"""The Python interface says the same as the commands."""

import json
import os
import signal
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyomo.environ as pyo
import pytest

import radprog as rp
from radprog.decompositions.run import RunStatus
from radprog.estimators import VKRClassifier

SPECS = [
    (rp.VKR(kernels="poly:1-2"), ("vkr", "--kernels", "poly:1-2")),
    (rp.L1SVM(kernels="rbf:1", beta=1e-2), ("l1svm", "--kernels", "rbf:1", "--beta", "1e-2")),
    (rp.SVM(kernels="poly:2", C=3.0), ("svm", "--kernels", "poly:2", "--C", "3")),
]


@pytest.mark.parametrize(("spec", "words"), SPECS, ids=lambda value: str(value)[:12])
def test_fit_is_solve(radprog, data, spec, words) -> None:
    run = rp.fit(spec, data, tol=1e-6)
    model, *options = words
    done = radprog("solve", model, "train.csv", "--scale", "ball", *options, "--json", "-")
    result = json.loads(done.out)
    assert (run.objective, run.bound) == (result["objective"], result["bound"])
    assert (run.name, run.method) == (result["model"], result["method"])
    assert run.certified
    assert run.status is RunStatus.OPTIMAL
    assert isinstance(run.model(), pyo.ConcreteModel)


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


def test_a_result_of_arrays_is_checked_in_python(folder, tmp_path, radprog) -> None:
    frame = pd.read_csv(folder / "train.csv", float_precision="round_trip")
    made = rp.dataset(frame.iloc[:, :-1], frame.iloc[:, -1])
    rp.save_run(rp.fit(rp.L1SVM(kernels="poly:1"), made), made, tmp_path / "run.json")
    assert rp.check(tmp_path / "run.json", made)["holds"]
    found = radprog("check", str(tmp_path / "run.json"), str(folder / "train.csv"))
    assert (found.code, "the same numbers in another file" in found.out) == (0, True)
    # a file that is not even read without the options of a reader
    (tmp_path / "texts.csv").write_text("a,b,kind\n1,m,x\n2,w,y\n")
    found = radprog("check", str(tmp_path / "run.json"), str(tmp_path / "texts.csv"))
    assert (found.code, "rp.check(result, data)" in found.error) == (2, True)


def test_what_the_command_warns_of_python_warns_of(radprog, folder) -> None:
    """Once each, at the caller's line, in a class of its own, and not twice by the command."""
    X = 1e3 * np.random.default_rng(0).normal(size=(20, 2))
    pd.DataFrame({0: X[:, 0], 1: X[:, 1], 2: np.sign(X[:, 0])}).to_csv("named.csv", index=False)
    found = radprog("solve", "vkr", "named.csv", "--kernels", "poly:10", "--json", "r.json")
    assert found.out.startswith("header: row 1 (0, 1, 2)\n")
    told = json.loads(Path("r.json").read_text())["warnings"]
    assert "polynomial degree 10" in told[1]
    assert len(told) == 2
    assert [found.err.count(text[:50]) for text in told] == [1, 1]
    with pytest.warns(rp.RadprogWarning) as heard:
        run = rp.fit(rp.VKR(kernels="poly:10"), rp.read("named.csv"))
    assert [one.filename for one in heard] == [__file__] * 2
    assert [str(one.message) for one in heard] == [told[0], *run.warnings]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        radprog("solve", "vkr", "named.csv", "--kernels", "poly:10")
        warnings.simplefilter("ignore", rp.RadprogWarning)
        rp.fit(rp.VKR(kernels="poly:10"), rp.read("named.csv"))


@pytest.fixture
def pressed(monkeypatch) -> Any:
    """An observer that presses Ctrl-C in the second round, under Python's own handler."""
    seen: list[Any] = []

    def observe(record: Any) -> None:
        seen.append(record)
        if len(seen) == 2:
            os.kill(os.getpid(), signal.SIGINT)

    # a shell's background job ignores it
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield observe
    signal.signal(signal.SIGINT, before)


HARD = {"lam": 1e-6, "beta": 1e-6, "kernels": "poly:1-5"}


def test_ctrl_c_keeps_the_best_of_a_fit(data, pressed) -> None:
    run = rp.fit(rp.VKR(**HARD), data, tol=1e-12, abs_tol=0.0, observe=pressed)
    assert (run.stopped_by, len(run.trace)) == ("interrupt", 2)
    assert np.isfinite([run.objective, run.bound]).all()
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_ctrl_c_ends_what_an_estimator_is_part_of(data, pressed) -> None:
    model = VKRClassifier(**HARD, tol=1e-12, verbose=pressed)
    with pytest.raises(KeyboardInterrupt):
        model.fit(data.X, data.y)
    assert model.run_.stopped_by == "interrupt"


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
    for spec, settings in (
        (rp.VKR(kernels="poly:1"), {"method": "dual", "stop": len}),
        (rp.VKR(kernels="poly:1"), {"stop": 3}),
    ):
        with pytest.raises(rp.OptionError, match="stop"):
            rp.fit(spec, data, **settings)
