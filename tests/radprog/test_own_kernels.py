"""Kernels and penalties that come as functions and matrices."""

import json
from functools import partial

import numpy as np
import pytest
from refusals import refused
from sklearn.metrics import pairwise

import radprog as rp
from radprog.result import digest_state
from radprog.saved import read_json

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 3))
NEW = RNG.normal(size=(7, 3))
Y = np.where(X[:, 0] * X[:, 1] + 0.3 * RNG.normal(size=40) > 0, 1, -1)


def gauss(X, Z):
    """exp(-|x - z|^2 / 2)."""
    return np.exp(-0.5 * ((X[:, None] - Z[None]) ** 2).sum(-1))


@pytest.fixture
def data() -> rp.Dataset:
    return rp.dataset(X, Y)


SPECS = {"l1svm": rp.L1SVM, "svm": rp.SVM, "simsvm": rp.SimSVM, "mkl": rp.MKL}
SPECS["vkr"] = partial(rp.VKR, complexity=[0.5])
FORMS = {
    "function": gauss,
    "metric": partial(pairwise.rbf_kernel, gamma=0.5),
    "named": rp.Kernel("mine", gauss, bound=1.0, psd=True),
    "matrix": gauss(X, X),
    "named matrix": rp.Kernel("G", gauss(X, X)),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("model", SPECS)
def test_a_kernel_of_ones_own_is_the_kernel_that_it_is(data, tmp_path, model, form) -> None:
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
    assert (result["params"]["kernels"], digest_state(result)) == (name, "holds")
    words = rf"'{name}' is a \w+ of its user.*kernels={{'{label}'"
    refused(rp.KernelError, words, rp.check, result, data)
    if kind == "own":
        words, other = r"f\.json: kernel 'own:.*", {label: pairwise.linear_kernel}
        file = tmp_path / "f.json"
        refused(rp.KernelError, words + "give it in Python", rp.load_fit, file)
        refused(rp.KernelError, words + "differs from the kernel", rp.load_fit, file, kernels=other)


def test_penalties(data) -> None:
    plain = rp.VKR(kernels="poly:1-2,rbf:1", complexity="massart")
    r = rp.fit(plain, data).summary["penalties"]

    def massart(K) -> float:
        return float(np.sqrt((K**2).sum(axis=0)).max() * np.sqrt(2 * np.log(2 * len(K))) / len(K))

    for complexity in (r, np.array(r), massart):
        run = rp.fit(rp.VKR(kernels=plain.kernels, complexity=complexity), data)
        np.testing.assert_allclose(run.summary["penalties"], r, rtol=1e-12)
        assert any("is not checked" in warning for warning in run.warnings)
        assert rp.check(run, data)["holds"]
    result = json.loads(json.dumps({"complexity": run.spec.complexity}))
    assert result["complexity"] == "own:massart"


def nan(X, Z):
    K = gauss(X, Z)
    K[-1, -1] = np.nan
    return K


def fails(X, Z):
    raise ZeroDivisionError("by nothing")


def centred(X, Z):
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
)
def test_nonsense_is_named(data, model: str, kernel, message: str) -> None:
    refused(rp.RadprogError, message, rp.fit, SPECS[model](kernels=kernel), data)


@pytest.mark.parametrize("model", SPECS)
def test_a_function_cannot_overwrite_the_data(model: str) -> None:
    def doubling(X, Z):
        X *= 2
        return X @ Z.T

    data = rp.dataset(X, Y)
    words = r"kernel 'doubling' failed: ValueError: .*read-only"
    refused(rp.KernelError, words, rp.fit, SPECS[model](kernels=doubling), data)
    np.testing.assert_array_equal(data.X, X)


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
