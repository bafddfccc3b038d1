"""A command that asks something and the function of its name say the same."""

import json
from pathlib import Path

import numpy as np
import pytest

import radprog as rp
from radprog.result import plain

SPEC = rp.VKR(kernels="poly:1-2")
FLAGS = ("--scale", "ball", "--kernels", "poly:1-2")


@pytest.fixture
def told(radprog, folder):
    """What a command writes with --json, whatever its exit code."""

    def ask(*words: str) -> dict[str, object]:
        return json.loads(radprog(*words, "--json", "-").out)

    return ask


def same(one, other) -> bool:
    """Equal but for seconds."""
    if isinstance(one, dict) and isinstance(other, dict):
        keys = {key for key in one.keys() | other.keys() if "seconds" not in key}
        return all(key in one and key in other and same(one[key], other[key]) for key in keys)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    return one == other


def test_tune(told, data) -> None:
    words = ("--grid", "lam=1e-3,1e-2", "--grid", "beta=1e-3..1e-1:2", "--folds", "3")
    table = told("tune", "vkr", "train.csv", *FLAGS, *words, "--seed", "2")
    grid = {"lam": [1e-3, 1e-2], "beta": "1e-3..1e-1:2"}
    assert same(plain(rp.tune(SPEC, data, grid, folds=3, seed=2, jobs=1)), table)
    unit = rp.read("train.csv", scale="unit")
    assert rp.tune(rp.SVM, unit, {"C": 1.0}, by="compression")["best"]["params"] == {"C": 1}
    cells = rp.tune(rp.SVM(C=5.0), unit, {"C": [2, 1]}, folds=2)["cells"]
    assert [cell["params"]["C"] for cell in cells] == [1, 2]


CHOICES = [
    ({"lam": [1e-5], "beta": [1e-2, 1e-1]}, None),
    ({"lam": [1e-5], "scale": ["standard", "unit"], "kernels": ["rbf:1", "poly:1"]}, None),
    ({"beta": [1e-2, 1e-1], "scale": ["unit"]}, "compression"),
]


@pytest.mark.parametrize(("grid", "by"), CHOICES)
def test_the_choice_is_fitted_as_it_was_scored(data, grid, by) -> None:
    spec = rp.VKR(kernels="rbf:0.1", lam=1e-3)
    table = rp.tune(spec, data, grid, by=by, **({} if by else {"folds": 2}))
    best, scaled = rp.chosen(table, spec, data)
    params = table["best"]["params"]
    assert params.keys() == grid.keys()
    assert scaled.scaler.kind == params.get("scale", data.scaler.kind)
    assert {name: getattr(best, name) for name in grid if name != "scale"} == {
        name: value for name, value in params.items() if name != "scale"
    }
    assert rp.chosen(table, rp.VKR, data)[0].lam == params.get("lam", rp.VKR().lam)
    if by:
        assert best.delta == table["best"]["delta"] == 0.05 / 2
        again = rp.fit(best, scaled).extra["compression"]["bound"]
        assert again == pytest.approx(table["best"]["score"])
    with pytest.raises(rp.RadprogError, match="table of vkr"):
        rp.chosen(table, rp.SVM(), data)


@pytest.mark.thorough
def test_price_bounds_check_and_report(radprog, told, data) -> None:
    solve = ("solve", "vkr", "train.csv", *FLAGS, "--json", "run.json", "--quiet")
    assert radprog(*solve).code == 0
    run = rp.fit(SPEC, data)
    candidates = ("rbf:1e-3", "laplace:30")
    table = told("price", "run.json", "--kernels", ",".join(candidates))
    assert same(plain(rp.price("run.json", "train.csv", kernels=",".join(candidates))), table)
    assert same(plain(rp.price(run, data, kernels=candidates)["rows"]), table["rows"])
    assert plain(rp.bounds(run, data)["rows"]) == told("bounds", "run.json")["rows"]
    assert rp.check(run, data)["recomputed"] == told("check", "run.json", "train.csv")["recomputed"]
    page = rp.report(run, "page.html", data=data)
    assert Path("page.html").read_text() == page
    assert "train.csv" in page
    analysis = rp.analyze(SPEC, data, form="budget")
    assert len(rp.report("run.json", analysis=analysis)) > len(rp.report("run.json"))


def test_complexity(told, data) -> None:
    table = told("complexity", "vkr", "train.csv", *FLAGS, "--trials", "20", "--seed", "3")
    assert same(plain(rp.complexity(SPEC, data, trials=20, seed=3)), table)


def test_data_of_another_kind_is_adapted() -> None:
    X = np.random.default_rng(0).normal(size=(12, 2))
    data = rp.dataset(X, np.where(X[:, 0] > 0, "in", "out"))
    assert rp.check(rp.fit(rp.LPDSK(), data, max_iter=3), data)["holds"]
    assert rp.analyze(rp.LPDSK(), data, form="weights")["status"] == "optimal"
