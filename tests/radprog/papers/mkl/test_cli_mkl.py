"""Multiple kernel learning from the command line: results, data of every kind, forms, bad input."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
from refusals import refused
from small_data import class_grams
from small_files import write_csv
from written import result_in, rows_in

import radprog as rp
from radprog.base.sections import bounded
from radprog.papers.mkl import mkl_lines
from radprog.result import result_of

KERNELS = ("--kernels", "linear,rbf:0.1,rbf:1")
FILES = ("--json", "r.json", "--save", "f.json", "--test", "test.csv")


@pytest.mark.cases(1)
@pytest.mark.parametrize("method", ["hybrid", "dca", "algorithm1"])
def test_variant_dc_prints_what_lies_between(radprog, folder, method) -> None:
    options = ("--variant", "dc", "--method", method, "--starts", 3)
    found = radprog.ok("solve", "mkl", "train.csv", *KERNELS, *options, *FILES)
    got = result_in()
    assert (got["status"], got["certified"]) == ("critical_point", False)
    sandwich = got["sandwich"]
    assert sandwich["bound"] <= sandwich["value"] == got["objective"]
    assert got["bound"] == pytest.approx(sandwich["bound"], rel=1e-12)
    (line,) = re.findall(r"^sandwich.*<= global optimum <=.*$", found.out, re.M)
    low, high = map(float, re.findall(r"(\S+) \(", line))
    # the digits after the 14th are rounding errors
    assert low <= sandwich["bound"] <= sandwich["value"] * (1 - 1e-13) <= high
    assert "not certified" in found.out
    assert (len(got["starts"]), radprog("check", "r.json", "train.csv").code) == (3, 0)
    # a search that was stopped early, with a lower bound than the relaxation
    searched = {"global_bound": sandwich["bound"] - 1.0, "global_value": sandwich["value"]}
    lines = mkl_lines({**got, "sandwich": sandwich | searched})
    (line,) = (line for line in lines if line.startswith("global"))
    assert f"{bounded(sandwich['bound'], '.10g', up=False)} <= global optimum" in line
    assert "(the relaxation, as the solver's search proved only" in line
    got["fit"]["weights"] = []
    got["certificate"]["weights"] = [1.1 * w for w in got["certificate"]["weights"]]
    Path("bad.json").write_text(json.dumps(got))
    assert "break their constraint" in radprog("check", "bad.json", "train.csv").out


def test_kernels_without_a_printed_weight_are_not_counted() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 4))
    y = X[:, 0] * X[:, 1] + 0.5 * X[:, 2] + 0.3 * rng.normal(size=40) > 0
    kernels = "linear,poly:2,rbf:0.1,rbf:1,rbf:100,rbf:1e-6"
    data = rp.dataset(X, y)
    run = rp.fit(rp.MKL(kernels=kernels, norm=1.02), data)
    weights = np.array(run.summary["weights"])
    assert 0.0 < weights.min() < 1e-4 < 5e-3 < np.sort(weights)[2]
    assert run.summary["kernels_used"] == 4
    lines = mkl_lines(result_of(run, data))
    assert lines[0].count("%") == 4
    assert any(line.startswith("fit        4 of 6 kernels") for line in lines)


def test_shares_of_kernels_of_unequal_size_are_those_of_the_trace() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 4))
    data = rp.dataset(X, X[:, 0] * X[:, 1] + X[:, 2] > 0)
    spec = rp.MKL(kernels="rbf:0.01,poly:4", norm=2, normalize="none")
    run = rp.fit(spec, data)
    traces = [40.0, float((((X**2).sum(axis=1) + 1.0) ** 4).sum())]
    parts = np.array(run.summary["weights"]) * traces
    np.testing.assert_allclose(run.summary["weight_per_kernel"], parts / parts.sum(), rtol=1e-12)
    assert min(run.summary["weights"]) < 5e-4 * max(run.summary["weights"])
    assert run.summary["kernels_used"] == 2


# ---------------------------------------------------------------- data of every kind


@pytest.mark.thorough
def test_matrices_stand_in_place_of_data(radprog, folder) -> None:
    K, y = class_grams((3, 6, 40), 50, 2, seed=0, apart=0.8)
    train, rest = np.arange(30), np.arange(30, 50)
    np.savez("g.npz", K=K[:, train][:, :, train], y=y[train], names=["a", "b", "c"])
    np.savez("new.npz", K=K[:, rest][:, :, train], y=y[rest])
    np.save("cross.npy", K[:, rest][:, :, train])
    files = "--json r.json --save f.json --test new.npz --plot p.png"
    radprog.ok("solve mkl --grams g.npz", files)
    got = result_in()
    assert got["fit"]["kernels"] == ["a", "b", "c"]
    assert (got["data"]["rows"], got["data"]["columns"], got["data"]["name"]) == (30, None, "g.npz")
    assert radprog("check", "r.json", "g.npz").code == 0
    assert radprog("check", "r.json", "new.npz").code == 2
    for words in ("--cross cross.npy", "new.npz", "cross.npy"):
        radprog.ok("predict f.json", words, "-o o.csv")
    table = rows_in("o.csv")
    np.savez("two.npz", K=K[:2][:, rest][:, :, train], y=y[rest])
    radprog.refused("2 kernels, expected 3", "predict", "f.json", "two.npz", "-o", "t.csv")
    radprog.refused("not both", "predict f.json new.npz --cross cross.npy -o t.csv")
    assert len(table) == 20
    wrong = sum(int(row["label"]) != label for row, label in zip(table, y[rest], strict=True))
    assert got["test"]["errors"] == wrong
    assert rp.fit(rp.MKL(grams="g.npz"), None).objective == got["objective"]
    scores = rp.load_fit("f.json").fit.scores(K[:, rest][:, :, train])
    assert scores.tolist() == [float(row["score"]) for row in table]


def write_views(suffix: str, seed: int) -> None:
    """Files a and b, with 2 and 3 features of the same 40 points, labels 7 to 10."""
    rng, y = np.random.default_rng(seed), 7 + np.arange(40) % 4
    for name, width, apart in (("a", 2, 1.0), ("b", 3, 0.3)):
        write_csv(f"{name}{suffix}.csv", rng.normal(size=(40, width)) + apart * (y[:, None] - 8), y)


def test_views_of_the_same_points(radprog, folder) -> None:
    write_views("", 0)
    write_views("2", 1)
    base = ("--classes", "10,7", "--kernels", "rbf:0.1,rbf:1", "--scale", "standard")
    files = ("--json", "r.json", "--save", "f.json", "--test", "a2.csv,b2.csv")
    radprog.ok("solve", "mkl", "--views", "a.csv,b.csv", *base, *files)
    got = result_in()
    assert got["fit"]["kernels"] == ["rbf:0.1[a]", "rbf:1[a]", "rbf:0.1[b]", "rbf:1[b]"]
    assert (got["data"]["rows"], got["data"]["columns"]) == (20, 5)
    assert got["data"]["labels"] == {"-1": "7", "1": "10"}
    for words in ("a.csv", "a.csv,b.csv"):
        assert radprog("check", "r.json", words).code == 0
    assert radprog("check", "r.json", "a2.csv,b2.csv").code == 1
    assert radprog("predict", "f.json", "a2.csv,b2.csv", "-o", "o.csv").code == 0
    table = rows_in("o.csv")
    assert len(table) == 20  # of the two classes alone, with their rows of the file
    assert [int(row["row"]) for row in table[:4]] == [1, 4, 5, 8]
    wrong = sum(row["label"] != ("7" if int(row["row"]) % 4 == 1 else "10") for row in table)
    assert got["test"]["errors"] == wrong
    for words in ("a.csv --views b.csv", "a.csv --views a.csv,b.csv", "a.csv,b.csv"):
        radprog.ok("solve mkl", words, *base, "--json again.json")
        assert result_in("again.json")["objective"] == got["objective"]
    radprog.refused("1 views given, the training data has 2", "predict f.json a2.csv -o o.csv")


def test_data_of_another_kind_is_refused(folder) -> None:
    data = rp.regression_data(np.eye(4), np.arange(4.0))
    refused(rp.RadprogError, "data of kind regression given", rp.fit, rp.MKL(), data)
