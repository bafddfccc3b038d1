"""``radprog bounds`` and ``rp.bounds``: every bound beside the others."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

import radprog as rp
from radprog.models.bounds import binomial_upper
from radprog.models.compression import compression_bound

SPECS = {
    "vkr": rp.VKR(kernels="rbf:0.5,rbf:2", complexity="trace", lam=0.01, beta=0.01),
    "l1svm": rp.L1SVM(kernels="rbf:1", beta=0.01),
    "svm": rp.SVM(kernels="rbf:1"),
}


def cloud(n: int, seed: int) -> rp.Dataset:
    rng = np.random.default_rng(seed)
    y = np.where(np.arange(n) % 2, 1, -1)
    return rp.dataset(rng.normal(size=(n, 2)) + 1.5 * y[:, None], y)


@pytest.fixture
def folder(tmp_path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    for name, seed in (("points.csv", 0), ("new.csv", 1)):
        data = cloud(60, seed)
        rows = np.column_stack([data.X, data.signs.astype(int)])
        np.savetxt(tmp_path / name, rows, delimiter=",", fmt="%.8g")
    return tmp_path


@pytest.mark.parametrize("model", SPECS)
def test_a_run(model: str) -> None:
    data = cloud(60, 0)
    run = rp.fit(SPECS[model], data)
    table = rp.bounds(run, data)
    values = [row["value"] for row in table["rows"]]
    assert values == sorted(values)
    assert table["least"] == "compression"
    names = {row["name"] for row in table["rows"]}
    assert {"margin grid, trace", "margin grid, Monte Carlo"} <= names
    for row in table["rows"]:
        assert row["value"] == pytest.approx(math.fsum(row["terms"].values()))
        assert row["parameters"]["delta"] == 0.05


def test_monte_carlo_is_between() -> None:
    """Of own centres below any centre, up to the price of sampling; a trace above their mean."""
    data = cloud(60, 0)
    table = rp.bounds(rp.fit(SPECS["vkr"], data), data)
    grid = {row["name"]: row["terms"]["complexity"] * row["parameters"]["rho"] / 2
            for row in table["rows"] if row["name"].startswith("margin grid")}  # fmt: skip
    sampling = math.sqrt(2 * math.log(2 / 0.05) / (60 * 1000))
    own, anywhere = grid["margin grid, Monte Carlo, own centres"], grid["margin grid, Monte Carlo"]
    assert sampling < own <= anywhere
    assert anywhere - sampling <= grid["margin grid, trace"]
    assert grid["margin grid, trace"] == pytest.approx(math.sqrt(2 * 60) / 60)


@pytest.mark.parametrize("model", SPECS)
def test_another_delta_is_that_of_another_run(model: str) -> None:
    from dataclasses import replace

    data = cloud(60, 0)
    run = rp.fit(SPECS[model], data)
    asked = rp.bounds(run, data, delta=0.001)
    solved = rp.bounds(rp.fit(replace(SPECS[model], delta=0.001), data), data)
    for one, other in zip(asked["rows"], solved["rows"], strict=True):
        assert (one["name"], one["enough"]) == (other["name"], other["enough"])
        assert one["value"] == pytest.approx(other["value"])


def test_the_command(radprog, folder) -> None:
    solve = ("solve", "l1svm", "points.csv", "--kernels", "rbf:1", "--beta", 0.01, "--quiet")
    radprog(*solve, "--json", "run.json")
    done = radprog("bounds", "run.json", "--test", "new.csv", "--json", "bounds.json")
    table = json.loads((folder / "bounds.json").read_text())
    assert done.code == 0
    assert table["sampled"]
    wrong = round(table["test"]["error"] * 60)
    assert table["test"]["upper"] == binomial_upper(wrong, 60, 0.05)
    (row,) = [row for row in table["rows"] if row["name"] == "compression"]
    assert row["value"] == compression_bound(60, row["parameters"]["size"], 0.05)
    assert row["above_test"] == pytest.approx(row["value"] - wrong / 60)
    assert "compression  <- least" in done.out
    assert f"{row['value']:.4g}" in done.out
    (folder / "points.csv").rename(folder / "moved.csv")
    done = radprog("bounds", "run.json")
    assert "give the data with --data" in done.out
    assert "Monte Carlo" not in done.out.partition("sampled")[0]
    assert "margin grid, trace" in radprog("bounds", "run.json", "--data", "moved.csv").out


def test_enough_points() -> None:
    """With so many points, the same terms say something; with one in a hundred less they do not."""
    data = cloud(60, 0)
    table = rp.bounds(rp.fit(SPECS["l1svm"], data), data)
    (row,) = [row for row in table["rows"] if row["name"] == "margin bound"]
    assert row["vacuous"]

    def value(m: float) -> float:
        terms = dict(row["terms"])
        return terms.pop("margin_error") + math.sqrt(60 / m) * sum(terms.values())

    assert value(row["enough"]) <= 1 < value(0.99 * row["enough"])


def test_a_refused_bound_is_said(radprog, folder) -> None:
    radprog("solve", "svm", "points.csv", "--scale", "ball", "--json", "run.json", "--quiet")
    done = radprog("bounds", "run.json")
    assert "compression: scale 'ball' is fitted on the sample" in done.out
    assert json.loads(radprog("bounds", "run.json", "--json", "-").out)["refused"]


def test_bad_input(radprog, folder) -> None:
    radprog("solve", "svm", "points.csv", "--json", "run.json", "--save", "fit.json", "--quiet")
    assert "hashes differ" in radprog("bounds", "run.json", "--data", "new.csv").error
    assert "delta 2: expected" in radprog("bounds", "run.json", "--delta", 2).error
    assert "saved fit" in radprog("bounds", "fit.json").error
    (folder / "points.csv").unlink()
    assert "give --data" in radprog("bounds", "run.json", "--test", "new.csv").error
    with pytest.raises(rp.RadprogError, match="expected the data set"):
        rp.bounds(rp.fit(SPECS["svm"], cloud(20, 0)))


@pytest.mark.parametrize("model", ["mkl", "lpboost", "simsvm", "cdsk", "svr"])
def test_results_of_other_models(radprog, model: str) -> None:
    from pathlib import Path

    stored = Path(__file__).resolve().parents[2] / "stored" / f"{model}.run.json"
    done = radprog("bounds", stored)
    told = json.loads(stored.read_text()).get("bounds", [])
    assert done.code == 0
    assert len(json.loads(radprog("bounds", stored, "--json", "-").out)["rows"]) == len(told)
