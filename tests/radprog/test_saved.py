"""Saved fits: what they give back, and what happens to damaged ones."""

import json
import pickle
from pathlib import Path

import numpy as np
import pytest
from refusals import refused
from small_files import write_csv

import radprog as rp
from radprog.catalog import CATALOG
from radprog.estimators import VKRClassifier
from radprog.result import errors_on
from radprog.saved import EDITED


@pytest.fixture
def saved(once, folder):
    """The content of fit.json, a small fit."""
    once.ok("solve", "vkr", "train.csv", "--kernels", "poly:1-2", "--save", "fit.json")
    return json.loads(Path("fit.json").read_text())


def test_a_fit_of_an_estimator_is_saved_by_it(radprog, empty) -> None:
    X = np.random.default_rng(0).normal(size=(40, 2))
    y = np.where(X[:, 0] > 0, "up", "down")
    data = rp.dataset(X, y, scale="standard")
    model = VKRClassifier(kernels="poly:1").fit(data.X, y)
    with pytest.raises(rp.DataError, match=r"other rows, labels.* saves its fit by save_fit"):
        rp.save_fit(model.run_, data, "fit.json")
    model.save_fit("fit.json")
    assert rp.load_fit("fit.json").predict(data.X).tolist() == model.predict(data.X).tolist()
    # a pickle is not loaded
    Path("model.pkl").write_bytes(pickle.dumps(model))
    radprog.refused(
        "model.pkl: a binary file, expected text", "predict model.pkl fit.json -o o.csv"
    )
    for load in (rp.load_fit, lambda path: rp.check(path, data)):
        refused(rp.DataError, "a binary file, expected text", load, "model.pkl")


def test_an_edited_fit_is_refused(radprog, folder, saved) -> None:
    """Whatever was edited: its digest does not hold."""
    saved["data"]["scaler"] = None
    saved["fit"]["bias"] = 7.0
    Path("bad.json").write_text(json.dumps(saved))
    before = sorted(folder.iterdir())
    for arguments in [
        ("predict", "bad.json", "test.csv", "-o", "o.csv"),
        ("solve", "vkr", "train.csv", "--kernels", "poly:1-2", "--start", "bad.json"),
    ]:
        found = radprog(*arguments)
        assert found.code == 2, found
        assert found.error.startswith(f"bad.json: the saved fit is damaged: {EDITED}")
    assert sorted(folder.iterdir()) == before


@pytest.fixture
def given(once, folder) -> np.ndarray:
    """A fit on a kernel file; the values (30, 40) between test.csv and train.csv."""
    train = rp.read("train.csv")
    test = rp.read("test.csv", like=train)
    np.save("K.npy", np.tanh(train.X @ train.X.T + 0.5))
    once.ok("solve vkr train.csv --kernels file:K.npy --complexity massart --save fit.json")
    return np.tanh(test.X @ train.X.T + 0.5)


CROSS = {
    "too few rows": lambda values: values[:-1],
    "too few columns": lambda values: values[:, :3],
    "turned": lambda values: values.T,
    "one row alone": lambda values: values[0],
    "nan": lambda values: np.where(values == values.max(), np.nan, values),
    "objects": lambda values: values.astype(object),
}


@pytest.mark.parametrize("case", CROSS)
def test_cross_values_that_cannot_be_used(radprog, folder, given, case) -> None:
    np.save("cross.npy", CROSS[case](given), allow_pickle=True)
    radprog.refused("cross", "predict fit.json test.csv -o o.csv --cross cross.npy")
    assert not Path("o.csv").exists()


def test_cross_is_asked_for_where_it_is_needed(radprog, folder, given) -> None:
    radprog.refused("--cross", "predict", "fit.json", "test.csv", "-o", "o.csv")


HARSH = [
    "svm --kernels poly:8 --scale standard",
    "svm --kernels poly:6 --C 1e-9",
    "svm --kernels poly:8 --scale standard --solver piqp",
    "simsvm --kernels poly:6 --lam 1e-6",
    "mkl --kernels poly:1-8 --normalize none --tail-budget 1 --theta 1",
    "vkr --kernels poly:1-6 --scale standard --beta 1e-3",
    "l1svm --kernels linear --beta 1e3",
]


@pytest.mark.parametrize("words", HARSH)
def test_the_saved_fit_repeats_the_training_error(radprog, empty, words) -> None:
    """Ties at 0 included, where kernel values span many orders of magnitude (60 rows with outliers
    up to some thousands) and where there is no coefficient."""
    rng = np.random.default_rng(7)
    X = rng.standard_t(1.2, size=(60, 5))
    y = np.where(X[:, 0] + np.tanh(X[:, 1]) + 0.5 * rng.normal(size=60) > 0, "b", "a")
    write_csv("x.csv", X, y, head="f1,f2,f3,f4,f5,y")
    model, options = words.split(" ", 1)
    found = radprog("solve", model, "x.csv", options, "--json r.json --save f.json")
    assert found.code in (0, 1), found  # 1: not certified
    fit, saved = found.json["fit"], rp.load_fit("f.json")
    data = CATALOG[model].hooks.read("x.csv", like=saved.data)
    error = errors_on(model, saved.fit, data)["error"]
    assert error == fit["training_error"]
    if not fit["coefficients"]:
        assert error == float(np.mean(data.targets < 0))
