"""Kernels and penalties that come as functions and matrices."""

import json
from functools import partial
from typing import Any

import numpy as np
import pytest
from refusals import refused
from sklearn.metrics import pairwise

import radprog as rp
from radprog.base.errors import KernelError, OptionError
from radprog.models.kernels import on_rows, parse_kernels
from radprog.result import digest_state
from radprog.saved import read_json

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 3))
NEW = RNG.normal(size=(7, 3))
Y = np.where(X[:, 0] * X[:, 1] + 0.3 * RNG.normal(size=40) > 0, 1, -1)


def gauss(X: Any, Z: Any) -> Any:
    """exp(-|x - z|^2 / 2)."""
    return np.exp(-0.5 * ((X[:, None] - Z[None]) ** 2).sum(-1))


@pytest.fixture
def data() -> rp.Dataset:
    return rp.dataset(X, Y)


SPECS = {
    "vkr": partial(rp.VKR, complexity=[0.5]),
    "l1svm": rp.L1SVM,
    "svm": rp.SVM,
    "simsvm": rp.SimSVM,
    "mkl": rp.MKL,
}
FORMS: dict[str, Any] = {
    "function": gauss,
    "metric": partial(pairwise.rbf_kernel, gamma=0.5),
    "named": rp.Kernel("mine", gauss, bound=1.0, psd=True),
    "matrix": gauss(X, X),
    "named matrix": rp.Kernel("G", gauss(X, X)),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("model", SPECS)
def test_a_kernel_of_ones_own_is_the_kernel_that_it_is(
    data, tmp_path, model: str, form: str
) -> None:
    kernel = FORMS[form]
    run = rp.fit(SPECS[model](kernels=kernel), data)
    same = rp.fit(SPECS[model](kernels="rbf:0.5"), data)
    assert run.objective == pytest.approx(same.objective, rel=1e-9)
    assert run.certified
    rp.save_fit(run, data, tmp_path / "f.json")
    rp.save_run(run, data, tmp_path / "r.json")
    (name,) = run.spec.kernels.own
    kind, _, label = name.partition(":")
    known = {label: getattr(kernel, "values", kernel)}
    loaded = rp.load_fit(tmp_path / "f.json", kernels=known)
    cross = gauss(NEW, X) if kind == "gram" else None
    scores = loaded.decision_function(NEW, cross)
    np.testing.assert_array_equal(scores, run.decision_function(NEW, cross))
    np.testing.assert_allclose(scores, same.decision_function(NEW), rtol=0, atol=1e-6)
    assert rp.check(tmp_path / "r.json", data, kernels=known)["holds"]
    assert rp.check(run, data)["holds"]
    result = read_json(tmp_path / "r.json", "a result")
    assert result["params"]["kernels"] == name
    assert digest_state(result) == "holds"
    with pytest.raises(KernelError, match=rf"'{name}' is a \w+ of its user.*kernels={{'{label}'"):
        rp.check(result, data)
    if kind == "own":
        with pytest.raises(KernelError, match=r"f\.json: kernel 'own:.*give it in Python"):
            rp.load_fit(tmp_path / "f.json")
        with pytest.raises(KernelError, match=r"f\.json: kernel 'own:.*differs from the kernel"):
            rp.load_fit(tmp_path / "f.json", kernels={label: pairwise.linear_kernel})


def test_penalties(data) -> None:
    plain = rp.VKR(kernels="poly:1-2,rbf:1", complexity="massart")
    r = rp.fit(plain, data).summary["penalties"]

    def massart(K: Any) -> float:
        return float(np.sqrt((K**2).sum(axis=0)).max() * np.sqrt(2 * np.log(2 * len(K))) / len(K))

    for complexity in (r, np.array(r), massart):
        run = rp.fit(rp.VKR(kernels=plain.kernels, complexity=complexity), data)
        np.testing.assert_allclose(run.summary["penalties"], r, rtol=1e-12)
        assert any("is not checked" in warning for warning in run.warnings)
        assert rp.check(run, data)["holds"]
    result = json.loads(json.dumps({"complexity": run.spec.complexity}))
    assert result["complexity"] == "own:massart"


class Changing:
    """Another kernel at every call."""

    def __init__(self) -> None:
        self.calls = 0

    def __call__(self, X: Any, Z: Any) -> Any:
        self.calls += 1
        return gauss(X, Z) * (1.0 + 0.1 * (self.calls % 2))


def nan(X: Any, Z: Any) -> Any:
    K = gauss(X, Z)
    K[-1, -1] = np.nan
    return K


def fails(X: Any, Z: Any) -> Any:
    raise ZeroDivisionError("by nothing")


def centred(X: Any, Z: Any) -> Any:
    return gauss(X, Z) - gauss(X, Z).mean()


@pytest.mark.parametrize("model", SPECS)
@pytest.mark.parametrize(
    ("kernel", "message"),
    [
        (lambda X, Z: np.zeros((len(X), 2)), r"'kernel1' returned an array of shape \(40, 2\)"),
        (lambda X, Z: gauss(X, Z) * 1j, "values of type complex128: expected numbers"),
        (lambda X, Z: gauss(X, Z).astype(str), "values of type <U.*: expected numbers"),
        (nan, r"'nan' is nan at row 39 of its points and row 39 .*\(1 of 1600 values\)"),
        (fails, "'fails' failed: ZeroDivisionError: by nothing"),
        (centred, "'centred' changes from call to call, or with the points"),
        (rp.Kernel("k", np.eye(3)[:2]), "kernel matrix is 2 x 3, expected 40 x 40"),
    ],
    ids=["shape", "complex", "text", "nan", "fails", "centred", "matrix"],
)
def test_nonsense_is_named(data, model: str, kernel: Any, message: str) -> None:
    refused(rp.RadprogError, message, rp.fit, SPECS[model](kernels=kernel), data)


def test_a_kernel_that_changes_is_found_out() -> None:
    kernel = parse_kernels(Changing())[0]
    refused(KernelError, "'Changing' changes from call to call", kernel, NEW, X)


@pytest.mark.parametrize("model", SPECS)
def test_a_function_cannot_overwrite_the_data(model: str) -> None:
    def doubling(X: Any, Z: Any) -> Any:
        X *= 2
        return X @ Z.T

    data = rp.dataset(X, Y)
    with pytest.raises(KernelError, match=r"kernel 'doubling' failed: ValueError: .*read-only"):
        rp.fit(SPECS[model](kernels=doubling), data)
    np.testing.assert_array_equal(data.X, X)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"kernels": [gauss, gauss]}, r"two kernels are called 'own:gauss': name them"),
        ({"kernels": ["rbf:1", "rbf:1"]}, "'rbf:1' is given twice"),
        ({"kernels": []}, "kernels: expected at least one"),
        ({"kernels": ["poly:1", 3]}, "kernels: item 2 is a int: expected text, a function"),
        ({"kernels": "own:mine"}, r"'own:mine' is a function of its user.*kernels=\{'mine'"),
        ({"complexity": [-1.0]}, "complexity: expected a method's name"),
        ({"complexity": "own:f"}, "complexity 'own:f' is a function of its user"),
    ],
)
def test_settings_that_cannot_be(given: dict[str, Any], message: str) -> None:
    refused(rp.RadprogError, message, rp.VKR, **given)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("two words", gauss), "kernel name 'two words'"),
        (("k", gauss, -1.0), "bound -1.0: expected a number > 0"),
        (("k", "poly"), "expected a function or a matrix of numbers"),
        (("k", [[np.inf]]), "cells that are not numbers"),
    ],
)
def test_kernels_that_cannot_be(arguments: tuple[Any, ...], message: str) -> None:
    with pytest.raises(KernelError, match=message):
        parse_kernels(rp.Kernel(*arguments))


def test_penalties_that_cannot_be(data) -> None:
    def broken(K: Any) -> float:
        raise KeyError("r")

    for complexity, message in (
        ([1.0, 2.0], "2 penalties given for 1 kernels"),
        (lambda K: -1.0, "complexity of kernel rbf:1 is -1.0"),
        (lambda K: "much", "complexity of kernel rbf:1 failed: ValueError"),
        (broken, "complexity of kernel rbf:1 failed: KeyError"),
    ):
        refused(OptionError, message, rp.fit, rp.VKR(kernels="rbf:1", complexity=complexity), data)


def test_the_command_line_says_what_is_missing(radprog, folder, monkeypatch) -> None:
    train = rp.read("train.csv")
    run = rp.fit(rp.L1SVM(kernels=pairwise.cosine_similarity), train)
    rp.save_fit(run, train, "f.json")
    rp.save_run(run, train, "r.json")
    for words in (
        ("predict", "f.json", "train.csv", "-o", "out.csv"),
        ("check", "r.json", "train.csv"),
        ("price", "r.json", "--kernels", "rbf:1"),
        ("solve", "l1svm", "train.csv", "--kernels", "own:cosine_similarity"),
    ):
        radprog.refused("kernel 'own:cosine_similarity' is a function of its user", *words)
    known = {"cosine_similarity": pairwise.cosine_similarity}
    assert rp.check("r.json", "train.csv", kernels=known)["holds"]


def test_a_width_of_the_rows_is_that_of_the_training_rows() -> None:
    X = np.random.default_rng(0).normal(size=(60, 3))
    data = rp.dataset(X, X[:, 0] * X[:, 1] > 0)
    run = rp.fit(rp.SVM(kernels="rbf:scale"), data)
    assert run.spec.kernels == on_rows("rbf:scale", X, None)
    assert "taken from the sample" in run.extra["compression"]["refused"]
    assert rp.check(run, data)["holds"]
    model = rp.build(rp.SVM(kernels="rbf:scale"), data)
    assert rp.solve(model).objective == pytest.approx(run.objective, rel=1e-5)
    cells = rp.tune(rp.SVM(), data, {"kernels": ["rbf:scale", "poly:1"]}, folds=3)["cells"]
    assert cells[0]["error"] < cells[1]["error"]
