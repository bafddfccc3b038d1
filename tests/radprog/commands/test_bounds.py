"""``radprog bounds`` and ``rp.bounds``: every bound beside the others."""

import json
import math
from pathlib import Path

import numpy as np
import pytest

import radprog as rp
from radprog.analysis.bounds import bound_parts
from radprog.base.sections import bounded, text_lines
from radprog.models.bounds import binomial_upper, compression_bound

STORED = Path(__file__).resolve().parents[2] / "stored"
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
    table = rp.bounds(rp.fit(SPECS[model], data), data)
    values = [row["value"] for row in table["rows"]]
    assert values == sorted(values)
    assert table["least"] == "compression"
    names = {row["name"] for row in table["rows"]}
    assert {"margin grid, trace", "margin grid, Monte Carlo"} <= names
    for row in table["rows"]:
        assert row["value"] == pytest.approx(math.fsum(row["terms"].values()))
        assert row["parameters"]["delta"] == 0.05


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
    assert [line for line in done.out.splitlines() if f"{table['lowest']}  <- best" in line]
    assert done.out.count("<- best") == 1
    assumed = "if rows are independent draws, and the settings (kernels, beta) were fixed before"
    assert (
        f"without held-out rows: compression, {bounded(row['value'], '.4g')}, {assumed}" in done.out
    )
    assert "of all: " in done.out
    (folder / "points.csv").rename(folder / "moved.csv")
    done = radprog("bounds", "run.json")
    assert "give the --data" in done.out
    assert "Monte Carlo" not in done.out.partition("sampled")[0]
    assert "margin grid, trace" in radprog("bounds", "run.json", "--data", "moved.csv").out


def wide(n: int, scale: str) -> rp.Dataset:
    """Two classes far apart, of which a linear kernel with few coefficients says something."""
    rng = np.random.default_rng(0)
    y = np.where(np.arange(n) % 2, 1, -1)
    return rp.dataset(rng.normal(size=(n, 2)) / 20 + np.outer(y, [1.0, 0.5]), y, scale=scale)


def test_only_proved_bounds_are_the_least() -> None:
    """A margin that the fit chose makes none; nor do rows or kernels that the sample scales."""
    spec = rp.VKR(kernels="linear", lam=0.0, beta=0.02)
    found = {}
    for scale in ("unit", "none", "ball"):
        data = wide(2000, scale)
        table = rp.bounds(rp.fit(spec, data), data)
        rows = {row["name"]: row for row in table["rows"]}
        assert rows["margin bound"]["estimate"]
        found[scale] = (table, rows)
    table, rows = found["unit"]
    proved = {name for name, row in rows.items() if not row["estimate"]}
    assert proved == {"compression", "margin grid, trace", "margin grid, Monte Carlo"} & set(rows)
    assert table["least"] in proved
    for scale in ("none", "ball"):
        assert all(
            row["estimate"] for name, row in found[scale][1].items() if name != "compression"
        )
    assert not found["ball"][0]["vacuous"]
    assert found["ball"][0]["least"] is None
    text = "\n".join(text_lines(bound_parts(found["ball"][0])))
    assert "best       without held-out rows: none: those below 1 are estimates" in text
    assert "margin bound (estimate)" in text
    told = "; ".join(found["ball"][1]["margin grid, trace"]["caveats"])
    assert "the rows are scaled or filled by numbers of the sample" in told


def test_bad_input(radprog, folder) -> None:
    radprog("solve", "svm", "points.csv", "--json", "run.json", "--save", "fit.json", "--quiet")
    assert "the numbers differ" in radprog("bounds", "run.json", "--data", "new.csv").error
    assert "delta 2: expected" in radprog("bounds", "run.json", "--delta", 2).error
    assert "saved fit" in radprog("bounds", "fit.json").error
    assert "a share of the rows below 1" in radprog("bounds", "run.json", "--holdout", 1).error
    (folder / "points.csv").unlink()
    assert "give --data" in radprog("bounds", "run.json", "--test", "new.csv").error
    with pytest.raises(rp.RadprogError, match="`data` is the data set of the fit"):
        rp.bounds(rp.fit(SPECS["svm"], cloud(20, 0)))


@pytest.mark.parametrize("model", ["mkl", "lpboost", "simsvm", "cdsk", "svr"])
def test_results_of_other_models(radprog, model: str) -> None:
    stored = STORED / f"{model}.run.json"
    told = json.loads(stored.read_text()).get("bounds", [])
    shown = radprog("bounds", stored, "--holdout", 0.3)
    assert shown.code == 0
    # what is asked and does not exist is refused with a reason
    assert ("compression, hold-out: the bounds of" in shown.out) == (model in ("mkl", "cdsk"))
    assert ("radprog solve srm" in shown.out) == (model == "svr")
    assert len(json.loads(radprog("bounds", stored, "--json", "-").out)["rows"]) == len(told)


@pytest.mark.parametrize("spec", [rp.SVM(kernels="rbf:scale"), rp.L1Linear(beta=0.1)])
def test_rows_held_out_beside_the_bounds(spec) -> None:
    data = wide(300, "standard")
    run = rp.fit(spec, data)
    table = rp.bounds(run, data, delta=0.1)
    held = table["holdout"]
    order = np.random.default_rng(0).permutation(300)
    train, test = data.partition(np.sort(order[60:]), np.sort(order[:60]))
    wrong = int((rp.fit(spec, train).fit.predict(test.X) != test.signs).sum())
    assert (held["rows"], held["errors"]) == (60, wrong)
    assert held["upper"] == binomial_upper(wrong, 60, 0.1)
    assert table["lowest"] == "hold-out"
    lines = text_lines(bound_parts(table))
    (line,) = [line for line in lines if line.startswith("best       of all: hold-out")]
    settings = "kernels, C" if isinstance(spec, rp.SVM) else "loss, beta, signs, bias"
    assert f"and the settings ({settings}) were not chosen on the held-out ones" in line
    assert "about a fit of the others" in line
    assert rp.bounds(run, data, holdout=0)["holdout"] is None
    weighed = rp.dataset(data.X, data.y, weights=np.arange(300.0) + 1)
    assert "weights" in rp.bounds(rp.fit(spec, weighed), weighed)["holdout"]["refused"]


@pytest.mark.parametrize("spec", [rp.MKL(kernels="poly:1,rbf:1"), rp.SimSVM(kernels="rbf:1")])
def test_a_bound_that_is_kept_for_one_delta_has_no_other(spec) -> None:
    data = rp.dataset(np.arange(8.0)[:, None], [-1, -1, 1, -1, 1, 1, -1, 1])
    run = rp.fit(spec, data)
    assert rp.bounds(run, data, delta=0.05)["rows"]
    with pytest.raises(rp.OptionError, match=r"only for delta 0\.05: leave delta out"):
        rp.bounds(run, data, delta=0.01)
