"""``radprog bounds`` and ``rp.bounds``: every bound beside the others."""

import itertools
import json
from pathlib import Path

import numpy as np
import pytest
from refusals import refused

import radprog as rp
from radprog.analysis.bounds import bound_parts, gap_lines
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
def folder(empty):
    for name, seed in (("points.csv", 0), ("new.csv", 1)):
        data = cloud(60, seed)
        rows = np.column_stack([data.X, data.signs.astype(int)])
        np.savetxt(empty / name, rows, delimiter=",", fmt="%.8g")
    return empty


def test_the_command(radprog, folder) -> None:
    radprog.ok("solve l1svm points.csv --kernels rbf:1 --beta 0.01 --json run.json")
    done = radprog.ok("bounds run.json --test new.csv --json bounds.json")
    table = done.json
    assert table["sampled"]
    wrong = round(table["test"]["error"] * 60)
    assert table["test"]["upper"] == binomial_upper(wrong, 60, 0.05)
    (row,) = [row for row in table["rows"] if row["name"] == "compression"]
    assert row["value"] == compression_bound(60, row["parameters"]["size"], 0.05)
    assert row["above_test"] == pytest.approx(row["value"] - wrong / 60)
    assert f"{table['lowest']}  <- best" in done.out
    assert done.out.count("<- best") == 1
    assumed = (
        "if rows are independent draws, and the settings (kernels, beta, scale) were fixed before"
    )
    best = f"without held-out rows: compression, {bounded(row['value'], '.4g')}"
    assert f"{best}, {assumed}" in done.out
    assert "of all: " in done.out
    (folder / "points.csv").rename(folder / "moved.csv")
    done = radprog("bounds run.json")
    assert "give the --data" in done.out
    assert "Monte Carlo" not in done.out.partition("sampled")[0]
    assert "margin bound, trace" in radprog("bounds run.json --data moved.csv").out


def wide(n: int, scale: str) -> rp.Dataset:
    """Two classes far apart, of which a linear kernel with few coefficients says something."""
    rng = np.random.default_rng(0)
    y = np.where(np.arange(n) % 2, 1, -1)
    return rp.dataset(rng.normal(size=(n, 2)) / 20 + np.outer(y, [1.0, 0.5]), y, scale=scale)


def test_only_proved_bounds_are_the_least() -> None:
    """A margin that the fit chose makes none; nor do rows or kernels that the sample scales."""
    spec = rp.VKR(kernels="linear", lam=0.0, beta=0.02)
    for scale in ("unit", "none", "ball"):
        data = wide(2000, scale)
        table = rp.bounds(rp.fit(spec, data), data)
        rows = {row["name"]: row for row in table["rows"]}
        assert rows["margin bound"]["estimate"]
        values = [row["value"] for row in table["rows"]]
        assert values == sorted(values)
        assert values == pytest.approx([sum(row["terms"].values()) for row in table["rows"]])
        proved = {name for name, row in rows.items() if not row["estimate"]}
        assert proved <= {"compression"}
    assert (table["vacuous"], table["least"]) == (False, None)
    text = "\n".join(text_lines(bound_parts(table)))
    assert "best       without held-out rows: none: those below 1 are estimates" in text
    assert "margin bound (estimate)" in text
    told = "; ".join(rows["margin bound, trace"]["caveats"])
    assert "the rows are scaled or filled by numbers of the sample" in told


def test_each_bound_names_what_it_needs_fixed_and_each_gap_its_bounds() -> None:
    """Also where it is the smallest of several."""
    settings = ["kernels", "complexity", "lam", "beta", "scale"]
    for method, kernels in itertools.product(("trace", "local"), ("rbf:1", "rbf:0.5,rbf:2")):
        data = wide(60, "unit")
        spec = rp.VKR(kernels=kernels, complexity=method, lam=0.01, beta=0.01)
        table = rp.bounds(rp.fit(spec, data), data)
        fixed = {row["name"].partition(",")[0]: row["fixed"] for row in table["rows"]}
        if second := fixed.pop("Theorem 2", None):
            assert second == [*settings[:-1], "tradeoff", "scale"]
        assert set(map(tuple, fixed.values())) == {tuple(settings)}
        gaps = "\n".join(gap_lines(table, listed=True))
        assert ("r_k is the complexity of only" in gaps) == (method == "local")
        (of_all,) = (x for x in text_lines(bound_parts(table)) if x.startswith("best       of all"))
        both = f"if {', '.join(settings)} were fixed before (with" in of_all
        assert both == ("compression" in fixed)


def test_bad_input(radprog, folder) -> None:
    radprog.ok("solve svm points.csv --json run.json --save fit.json")
    radprog.refused("the numbers differ", "bounds run.json --data new.csv")
    radprog.refused("delta 2: expected", "bounds run.json --delta 2")
    radprog.refused("saved fit", "bounds fit.json")
    radprog.refused("a share of the rows below 1", "bounds run.json --holdout 1")
    (folder / "points.csv").unlink()
    radprog.refused("give --data", "bounds run.json --test new.csv")
    run = rp.fit(SPECS["svm"], cloud(20, 0))
    refused(rp.RadprogError, "`data` is the data set of the fit", rp.bounds, run)


@pytest.mark.parametrize("model", ["mkl", "lpboost", "simsvm", "cdsk", "svr"])
def test_results_of_other_models(radprog, model: str) -> None:
    stored = STORED / f"{model}.run.json"
    told = json.loads(stored.read_text()).get("bounds", [])
    shown = radprog("bounds", stored, "--holdout", 0.3)
    assert shown.code == 0
    # what is asked and does not exist is refused with a reason
    assert ("compression, hold-out: the bounds of" in shown.out) == (model in ("mkl", "cdsk"))
    assert ("radprog solve srm" in shown.out) == (model == "svr")
    assert len(radprog("bounds", stored, "--json", "-").json["rows"]) == len(told)


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
    assert (held["upper"], table["lowest"]) == (binomial_upper(wrong, 60, 0.1), "hold-out")
    lines = text_lines(bound_parts(table))
    (line,) = [line for line in lines if line.startswith("best       of all: hold-out")]
    settings = "kernels, C" if isinstance(spec, rp.SVM) else "loss, beta, signs, bias"
    assert f"and the settings ({settings}, scale) were not chosen on the held-out ones" in line
    assert "about a fit of the others" in line
    assert rp.bounds(run, data, holdout=0)["holdout"] is None
    weighed = rp.dataset(data.X, data.y, weights=np.arange(300.0) + 1)
    assert "weights" in rp.bounds(rp.fit(spec, weighed), weighed)["holdout"]["refused"]


@pytest.mark.parametrize("spec", [rp.MKL(kernels="poly:1,rbf:1"), rp.SimSVM(kernels="rbf:1")])
def test_a_bound_that_is_kept_for_one_delta_has_no_other(spec) -> None:
    data = rp.dataset(np.arange(8.0)[:, None], [-1, -1, 1, -1, 1, 1, -1, 1])
    run = rp.fit(spec, data)
    assert rp.bounds(run, data, delta=0.05)["rows"]
    words = r"only for delta 0\.05: leave delta out"
    refused(rp.OptionError, words, rp.bounds, run, data, delta=0.01)
