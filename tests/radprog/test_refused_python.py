"""Bad values from Python: one table of calls and the words of the error that each raises."""

from pathlib import Path

import numpy as np
import pytest
from sklearn.svm import SVC

import radprog as rp
from radprog.models.kernels import parse_kernels

X = np.random.default_rng(0).normal(size=(12, 2))
DATA = rp.dataset(X, X[:, 0] > 0)
OTHER = rp.regression_data(X, X[:, 0])
SPEC = rp.L1SVM(kernels="linear", beta=0.1)
RUN = rp.fit(SPEC, DATA)
MODEL = rp.build(SPEC, DATA)
rp.solve(MODEL)


def tune(**given):
    return rp.tune(SPEC, **{"data": DATA, "grid": {"beta": [0.1]}, "folds": 3, **given})


def path(**given):
    return rp.path(SPEC, **{"data": DATA, "path": ("beta", 0.1, 0.2), **given})


def cut(answer):
    return rp.cutting_planes(rp.build(SPEC, DATA), lambda values: answer)


def broken(K) -> float:
    raise KeyError("r")


def penalised(complexity, data=DATA):
    return rp.fit(rp.VKR(kernels="rbf:1", complexity=complexity), data)


def parsed(*arguments):
    return parse_kernels(rp.Kernel(*arguments))


def gauss(X, Z):
    return np.exp(-0.5 * ((X[:, None] - Z[None]) ** 2).sum(-1))


def picked(**given):
    return rp.PickToLearn(**{"estimator": SVC(), **given}).fit(X, X[:, 0] > 0)


def weighed(weights):
    return rp.dataset(X, X[:, 0] > 0, weights=weights)


def at_row_5(value: float):
    return np.where(np.arange(12) == 4, value, 1.0)


OPTIONS = [
    (lambda: picked(delta=0.0), "delta"),
    (lambda: picked(picks=0), "picks 0: expected at least 1"),
    (lambda: picked(estimator=SVC), r"the class SVC is given, expected .* SVC\(\)"),
    (lambda: picked(estimator="svc"), r"'svc' is given, expected a classifier such as SVC\("),
    (lambda: tune(data=None), "tuned on a data set: none given"),
    (lambda: tune(grid=None), "grid None: expected the values of every option"),
    (lambda: tune(grid={"colour": [1]}), "colour"),
    (lambda: tune(grid={"beta": []}), "0 settings"),
    (lambda: tune(grid={"beta": [1.0, 1.0]}), "given twice"),
    (lambda: tune(grid={"beta": ["x", 1]}), "beta 'x'"),
    (lambda: tune(grid={"beta": range(1, 10**9)}), "settings, expected 1 to 100000"),
    (lambda: tune(grid={"beta": np.array(np.nan)}), "expected a number"),
    (lambda: tune(grid={"scale": None}), "unknown scale 'None'"),
    (lambda: tune(folds=2.5), "folds 2.5: expected a whole number"),
    (lambda: tune(protocol="kfold"), "unknown protocol 'kfold': expected one of cv, paper, hold"),
    (lambda: tune(by="luck"), "unknown by 'luck'"),
    (lambda: tune(watch=3), "watch 3: expected a function"),
    (lambda: tune(jobs=np.zeros(2)), "expected a whole number >= 1"),
    (lambda: tune(checkpoint="\0"), "expected text"),
    (lambda: tune(scheduler=3), "scheduler 3: expected text"),
    (lambda: rp.tune(rp.CDSK, DATA, {"clusters": 2}, folds=3), "folds"),
    (lambda: rp.chosen(np.zeros(2), SPEC, DATA), "expected a table that"),
    (
        lambda: rp.chosen({"model": "l1svm", "best": {"params": {"colour": 1}}}, SPEC, DATA),
        "options that l1svm does not have",
    ),
    (lambda: path(data=None), "works on data of rp.read: "),
    (lambda: path(path="beta"), r"NAME=FROM\.\.TO"),
    (lambda: path(constraints=np.zeros(2)), "expected rp.scores, rp.parity"),
    (lambda: rp.plot(RUN, file=True), "expected one of"),
    (lambda: rp.plot(RUN, DATA, file="p.gif"), r"p\.gif: expected one of \.png"),
    (lambda: rp.plot(RUN, "run.png"), r"run\.png': expected a data set"),
    (lambda: rp.plot(RUN, Path("run.png")), r"run\.png': expected a data set"),
    (lambda: rp.save_fit(3, DATA, "f.json"), "expected a run, as rp"),
    (lambda: rp.save_fit(RUN, None, "f.json"), "l1svm works on data of rp.read: NoneType given"),
    (lambda: rp.save_fit(RUN, "f.json", "g.json"), "'f.json': a path is given, expected the data"),
    (lambda: rp.export(None, "p.lp"), "None is not a Pyomo model"),
    (lambda: rp.export(MODEL, "p.lp", expected="1"), "expected '1': expected a number"),
    (lambda: rp.export(MODEL, "p.nl.gz"), r"\.lp, \.mps, \.lp\.gz, \.mps\.gz, \.nl; only \.nl"),
    (lambda: rp.complexity(SPEC, DATA, trials=10**30), "the most in memory"),
    (lambda: rp.complexity(SPEC, DATA, kind=["rademacher"]), "unknown kind"),
    (lambda: rp.price(RUN, DATA, length=3), "priced by `kernels`"),
    (lambda: rp.price(RUN, "train.csv", kernels="linear"), "the data set of the fit"),
    (lambda: rp.report(RUN, "page.txt", data=DATA), "page.txt"),
    (lambda: rp.report(RUN), "the data set of the fit"),
    (lambda: rp.fit(SPEC, DATA, colour="red"), "colour"),
    (lambda: rp.fit(SPEC, DATA, DATA.y), "the data set has labels"),
    (lambda: rp.fit("vkr", DATA), "not a model"),
    (lambda: rp.fit(rp.VKR(rho=1.0), DATA), "rho is not used by a fit"),
    (lambda: rp.certify(MODEL, tol="a"), "tol 'a': expected a number"),
    (lambda: rp.certify(MODEL, {"nobody": 1.0}), "nobody has a value, and the program has no such"),
    (lambda: rp.certify(MODEL, 3), "values 3: expected a mapping by name or component"),
    (lambda: rp.cutting_planes(MODEL, 3), "separate 3: expected a function"),
    (lambda: rp.PricingModel(MODEL, 1.0, 5), "coefficients: int is given"),
    (lambda: rp.PricingModel(MODEL, 1.0, {}, "a"), "count 'a': expected a number"),
    (lambda: rp.PricingModel("m", 1.0, {}), "str is given, expected a Pyomo"),
    (lambda: rp.verify("train.csv", time_limit=0), "time_limit"),
]
ANY = [  # of the base class
    (lambda: rp.VKR(kernels=[gauss, gauss]), r"two kernels are called 'own:gauss': name them"),
    (lambda: rp.VKR(kernels=["rbf:1", "rbf:1"]), "'rbf:1' is given twice"),
    (lambda: rp.VKR(kernels=[]), "kernels: expected at least one"),
    (lambda: rp.VKR(kernels=["poly:1", 3]), "kernels: item 2 is a int: expected text, a function"),
    (lambda: rp.VKR(kernels="own:mine"), r"'own:mine' is a function of its user.*{'mine'"),
    (lambda: rp.VKR(complexity=[-1.0]), "complexity: expected a method's name"),
    (lambda: rp.VKR(complexity="own:f"), "complexity 'own:f' is a function of its user"),
    (lambda: parsed("two words", gauss), "kernel name 'two words'"),
    (lambda: parsed("k", gauss, -1.0), "bound -1.0: expected a number > 0"),
    (lambda: parsed("k", "poly"), "expected a function or a matrix of numbers"),
    (lambda: parsed("k", [[np.inf]]), "cells that are not numbers"),
    (lambda: penalised([1.0, 2.0]), "2 penalties given for 1 kernels"),
    (lambda: penalised(lambda K: -1.0), "complexity of kernel rbf:1 is -1.0"),
    (lambda: penalised(lambda K: "much"), "complexity of kernel rbf:1 failed: ValueError"),
    (lambda: penalised(broken), "complexity of kernel rbf:1 failed: KeyError"),
    (lambda: penalised("massart", weighed(at_row_5(2.0))), "'massart' needs rows without weights"),
    (lambda: penalised("local", weighed(at_row_5(2.0))), "'local' needs rows without weights"),
    (lambda: weighed(-np.ones(12)), "weight -1.0, expected a finite number >= 0"),
    (lambda: weighed(at_row_5(np.nan)), "row 5: weight nan"),
    (lambda: weighed(np.zeros(12)), "all weights are zero"),
    (lambda: weighed(np.ones(11)), r"weights of shape \(11,\), expected \(12,\)"),
    (lambda: weighed(at_row_5(1e-13)), "more than 1e\\+12 times"),
    (lambda: weighed(np.full(12, 1e300)), "numbers from 1e-150 to 1e\\+150, or 0"),
    (lambda: weighed(X[:, 0] > 0), "no row of class 'False' has a positive weight"),
    (lambda: weighed(["a"] * 12), "weights cannot be used"),
]
OTHERS = [
    (rp.DataError, lambda: rp.load_fit(["f.json"]), "expected the path of a file"),
    (rp.DataError, lambda: rp.save_run(RUN, OTHER, "r.json"), "not the data set of the run"),
    (rp.DataError, lambda: rp.load_fit("nobody.json"), "nobody.json: no such file"),
    (rp.DataError, lambda: rp.verify(b"p.mps"), "expected the path of a file"),
    (rp.DataError, lambda: rp.verify("x" * 5000), "File name too long"),
    (rp.DataError, lambda: rp.read("nobody.csv"), "nobody.csv"),
    (rp.DataError, lambda: rp.price({}, DATA, kernels="linear"), "not a result"),
    (rp.DataError, lambda: rp.fit(SPEC, rp.dataset(np.eye(3))), "labels"),
    (rp.OutputError, lambda: rp.save_fit(RUN, DATA, None), "expected the path of a file"),
    (rp.OutputError, lambda: rp.save_run(RUN, DATA, "\0"), "expected the path of a file"),
    (rp.RadprogError, lambda: cut(rp.Separated([], "v")), "the separator gave a"),
    (rp.RadprogError, lambda: cut({"a": 1}), "the separator gave a"),
]


@pytest.mark.cases(40)
@pytest.mark.parametrize(
    ("kind", "call", "words"),
    [
        *((rp.OptionError, *row) for row in OPTIONS),
        *((rp.RadprogError, *row) for row in ANY),
        *OTHERS,
    ],
)
def test_a_bad_value_is_named(kind, call, words: str, empty) -> None:
    with pytest.raises(kind, match=words) as caught:
        call()
    assert isinstance(caught.value, rp.RadprogError)
    assert not list(empty.iterdir())


def test_an_export_that_is_refused_leaves_the_files_as_they_were(tmp_path) -> None:
    rp.export(MODEL, tmp_path / "p.lp")
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    with pytest.raises(rp.OptionError, match="expected 'much': expected a number"):
        rp.export(rp.build(rp.SVM(), DATA), tmp_path / "p.lp", expected="much")
    assert before == {path: path.read_bytes() for path in tmp_path.iterdir()}
