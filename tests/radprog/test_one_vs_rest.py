"""More than two classes at the command line: one classifier per class, for every model."""

import json
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_iris
from written import result_in, rows_in

import radprog as rp

NAMES = ["setosa", "versicolor", "virginica"]
MODELS = {  # options, and two points of a certificate that can be tampered with
    "vkr": (("--kernels", "poly:1-2"), "alpha", "--grid beta=1e-2,1e-3"),
    "l1svm": (("--kernels", "rbf:1"), "d", "--grid beta=1e-2,1e-3"),
    "svm": (("--kernels", "rbf:1"), "a", "--grid C=1,10"),
    "simsvm": (("--kernels", "laplace:1"), "mu", "--grid lam=1e-1,1e-2"),
}
READ = ("--one-vs-rest", "--scale", "ball")


def write_iris(path: str, rows: slice) -> None:
    """Rows of the iris data, the classes in turn."""
    X, y = load_iris(return_X_y=True)
    order = np.arange(150).reshape(3, 50).T.ravel()[rows]
    lines = [",".join([*map(repr, X[i].tolist()), NAMES[y[i]]]) for i in order]
    Path(path).write_text("\n".join(["a,b,c,d,kind", *lines]) + "\n")


@pytest.fixture
def iris(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An own working folder with 75 rows to learn from and 75 to test on."""
    monkeypatch.chdir(tmp_path)
    write_iris("train.csv", slice(0, 75))
    write_iris("test.csv", slice(75, 150))
    return tmp_path


@pytest.mark.cases(2)
@pytest.mark.thorough
@pytest.mark.parametrize("model", MODELS)
def test_from_solve_to_predict(radprog, iris, model) -> None:
    options, point, _ = MODELS[model]
    found = radprog.ok("solve", model, "train.csv", *READ, *options, "--test", "test.csv",
                    "--json", "r.json", "--save", "f.json", "--plot", "p.png")  # fmt: skip
    result = result_in("r.json")
    assert result["certified"]
    assert result["data"]["labels"] == dict(zip("012", NAMES, strict=True))
    for value in ("objective", "bound"):
        alone = []
        for classifier in result["machines"]:
            text = Path("train.csv").read_text()
            for name in NAMES:
                text = text.replace(name, "yes" if name == classifier["label"] else "no")
            Path("alone.csv").write_text(text)
            radprog("solve", model, "alone.csv", "--scale", "ball", *options, "--json", "a.json")
            alone.append(result_in("a.json")[value])
            assert classifier[value] == pytest.approx(alone[-1], rel=1e-6)
        assert result[value] == pytest.approx(sum(alone), rel=1e-6)
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
    solve = ("solve", "vkr", "train.csv", *READ, "--kernels", "poly:1-2")
    assert radprog(*solve, "--json", "r.json", "--save", "f.json").code == 0
    assert radprog(*solve, "--json", "again.json", "--start", "f.json").code == 0
    first, again = result_in("r.json"), result_in("again.json")
    for number, classifier in enumerate(first["machines"]):
        known = next(line for line in again["trace"] if line["machine"] == number)
        assert known["objective"] == pytest.approx(classifier["objective"], rel=1e-6)
    assert first["trace"][0]["objective"] > 1.01 * first["machines"][0]["objective"]
    Path("two.csv").write_text(Path("train.csv").read_text().replace("setosa", "virginica"))
    radprog.refused("a fit of kind 'one_vs_rest'", "solve", "vkr", "two.csv", "--start", "f.json")


def test_arrays_of_three_classes() -> None:
    X, y = load_iris(return_X_y=True)
    with pytest.raises(rp.DataError, match="3 classes"):
        rp.dataset(X, y)
    data = rp.dataset(X, y, one_vs_rest=True)
    assert data.sha256 != rp.dataset(X, y[::-1], one_vs_rest=True).sha256
    part = data.take(np.array([149, 0]))
    assert (part.classes, part.codes.tolist(), part.labels) == (("2", "0"), [2, 0], data.labels)
    together = rp.fit(
        rp.MKL(kernels="linear,rbf:1"), data
    )  # one set of weights for all classifiers
    assert together.certified
    assert set(together.predict(X)) == {0, 1, 2}
