"""More than two classes at the command line: one classifier per class, for every model."""

import json
from pathlib import Path

import numpy as np
import pytest
from refusals import refused
from sklearn.datasets import load_iris
from small_files import write_csv
from written import result_in, rows_in

import radprog as rp

NAMES = ["setosa", "versicolor", "virginica"]
MODELS = {  # options, and a point of a certificate that can be tampered with
    "vkr": (("--kernels", "poly:1-2"), "alpha"),
    "l1svm": (("--kernels", "rbf:1"), "d"),
    "svm": (("--kernels", "rbf:1"), "a"),
    "simsvm": (("--kernels", "laplace:1"), "mu"),
}
READ = ("--one-vs-rest", "--scale", "ball")


def write_iris(path: str, rows: slice) -> None:
    """Rows of the iris data, the classes in turn."""
    X, y = load_iris(return_X_y=True)
    order = np.arange(150).reshape(3, 50).T.ravel()[rows]
    write_csv(path, X[order], np.array(NAMES)[y[order]], head="a,b,c,d,kind")


@pytest.fixture
def iris(empty: Path) -> Path:
    """An own working folder with 75 rows to learn from and 75 to test on."""
    write_iris("train.csv", slice(0, 75))
    write_iris("test.csv", slice(75, 150))
    return empty


@pytest.mark.cases(2)
@pytest.mark.thorough
@pytest.mark.parametrize("model", MODELS)
def test_from_solve_to_predict(radprog, iris, model) -> None:
    options, point = MODELS[model]
    files = "--test test.csv --json r.json --save f.json --plot p.png"
    found = radprog.ok("solve", model, "train.csv", *READ, *options, files)
    result = result_in("r.json")
    assert result["certified"]
    assert result["data"]["labels"] == dict(zip("012", NAMES, strict=True))
    assert [classifier["label"] for classifier in result["machines"]] == NAMES
    assert all(f"class      {name}: objective" in found.out for name in NAMES)
    assert result["test"]["error"] < 0.15

    assert radprog("check", "r.json", "train.csv").code == 0
    result["certificate"]["machines"][2][point][0] += 1e-3
    del result["digest"]  # so that only what is recomputed tells it
    Path("bad.json").write_text(json.dumps(result))
    assert radprog("check", "bad.json", "train.csv").code == 1

    done = radprog("predict", "f.json", "test.csv", "-o", "o.csv")
    assert f"{result['test']['errors']} of 75 rows wrong" in done.err
    rows = rows_in()
    saved = rp.load_fit("f.json")
    scores = saved.fit.scores(rp.read("test.csv", like=saved.data).X)
    assert [float(row["score"]) for row in rows] == scores.max(axis=1).tolist()
    assert [row["label"] for row in rows] == [NAMES[k] for k in scores.argmax(axis=1)]
    assert radprog("report", "r.json", "-o", "page.html").code == 0


def test_a_saved_fit_starts_every_classifier(radprog, iris) -> None:
    solve = ("solve vkr train.csv --kernels poly:1-2", *READ)
    first = radprog.ok(*solve, "--json r.json --save f.json").json
    again = radprog.ok(*solve, "--json - --start f.json").json
    for number, classifier in enumerate(first["machines"]):
        known = next(line for line in again["trace"] if line["machine"] == number)
        assert known["objective"] == pytest.approx(classifier["objective"], rel=1e-6)
    assert first["trace"][0]["objective"] > 1.01 * first["machines"][0]["objective"]
    Path("two.csv").write_text(Path("train.csv").read_text().replace("setosa", "virginica"))
    radprog.refused("a fit of kind 'one_vs_rest'", "solve vkr two.csv --start f.json")


def test_arrays_of_three_classes() -> None:
    X, y = load_iris(return_X_y=True)
    refused(rp.DataError, "3 classes", rp.dataset, X, y)
    data = rp.dataset(X, y, one_vs_rest=True)
    assert data.sha256 != rp.dataset(X, y[::-1], one_vs_rest=True).sha256
    part = data.take(np.array([149, 0]))
    assert (part.classes, part.codes.tolist(), part.labels) == (("2", "0"), [2, 0], data.labels)
    # one set of weights for all classifiers
    together = rp.fit(rp.MKL(kernels="linear,rbf:1"), data)
    assert (together.certified, set(together.predict(X))) == (True, {0, 1, 2})
