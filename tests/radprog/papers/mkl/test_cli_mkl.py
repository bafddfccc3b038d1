"""Multiple kernel learning from the command line: results, data of every kind, forms, bad input."""

import json
from pathlib import Path

import numpy as np
import pytest
from small_data import class_grams
from written import result_in, rows_in

import radprog as rp
from radprog.base.sections import bounded
from radprog.papers.mkl import mkl_lines

KERNELS = ("--kernels", "linear,rbf:0.1,rbf:1")
FILES = ("--json", "r.json", "--save", "f.json", "--test", "test.csv")


def matrices(n: int = 30, seed: int = 0, classes: int = 2) -> tuple[np.ndarray, np.ndarray]:
    """Three kernels on n points of some classes."""
    return class_grams((3, 6, 40), n, classes, seed=seed, apart=0.8)


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
    assert "<= global optimum <=" in found.out
    assert "not certified" in found.out
    assert len(got["starts"]) == 3
    assert radprog("check", "r.json", "train.csv").code == 0
    # a search that was stopped early, with a lower bound than the relaxation
    searched = {"global_bound": sandwich["bound"] - 1.0, "global_value": sandwich["value"]}
    (line,) = (
        line
        for line in mkl_lines({**got, "sandwich": sandwich | searched})
        if line.startswith("global")
    )
    assert f"{bounded(sandwich['bound'], '.10g', up=False)} <= global optimum" in line
    assert "(the relaxation, as the solver's search proved only" in line
    got["fit"]["weights"] = []
    got["certificate"]["weights"] = [1.1 * w for w in got["certificate"]["weights"]]
    Path("bad.json").write_text(json.dumps(got))
    assert "break their constraint" in radprog("check", "bad.json", "train.csv").out


# ---------------------------------------------------------------- data of every kind


@pytest.mark.thorough
def test_matrices_stand_in_place_of_data(radprog, folder) -> None:
    K, y = matrices(50)
    train, rest = np.arange(30), np.arange(30, 50)
    np.savez("g.npz", K=K[:, train][:, :, train], y=y[train], names=["a", "b", "c"])
    np.savez("new.npz", K=K[:, rest][:, :, train], y=y[rest])
    np.save("cross.npy", K[:, rest][:, :, train])
    files = ("--json", "r.json", "--save", "f.json", "--test", "new.npz", "--plot", "p.png")
    radprog.ok("solve", "mkl", "--grams", "g.npz", *files)
    got = result_in()
    assert got["fit"]["kernels"] == ["a", "b", "c"]
    assert (got["data"]["rows"], got["data"]["columns"], got["data"]["name"]) == (30, None, "g.npz")
    assert radprog("check", "r.json", "g.npz").code == 0
    assert radprog("check", "r.json", "new.npz").code == 2
    for words in (("--cross", "cross.npy"), ("new.npz",), ("cross.npy",)):
        assert radprog("predict", "f.json", *words, "-o", "o.csv").code == 0
    table = rows_in("o.csv")
    np.savez("two.npz", K=K[:2][:, rest][:, :, train], y=y[rest])
    radprog.refused("2 kernels, expected 3", "predict", "f.json", "two.npz", "-o", "t.csv")
    both = ("new.npz", "--cross", "cross.npy", "-o", "t.csv")
    radprog.refused("not both", "predict", "f.json", *both)
    assert len(table) == 20
    wrong = sum(int(row["label"]) != label for row, label in zip(table, y[rest], strict=True))
    assert got["test"]["errors"] == wrong
    assert rp.fit(rp.MKL(grams="g.npz"), None).objective == got["objective"]
    assert rp.load_fit("f.json").fit.scores(K[:, rest][:, :, train]).tolist() == [
        float(row["score"]) for row in table
    ]


def write_views(suffix: str, seed: int, n: int = 40, classes: int = 4) -> np.ndarray:
    """Files a and b, with 2 and 3 features of the same points, labels 7, 8, ..."""
    rng = np.random.default_rng(seed)
    y = 7 + np.arange(n) % classes
    for name, width in (("a", 2), ("b", 3)):
        X = rng.normal(size=(n, width)) + (y[:, None] - 8) * (1 if name == "a" else 0.3)
        lines = [
            ",".join(map(repr, x)) + f",{label}" for x, label in zip(X.tolist(), y, strict=True)
        ]
        Path(f"{name}{suffix}.csv").write_text("\n".join(lines) + "\n")
    return y


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
    for words in (("a.csv", "--views", "b.csv"), ("a.csv", "--views", "a.csv,b.csv"),
                  ("a.csv,b.csv",)):  # fmt: skip
        assert radprog("solve", "mkl", *words, *base, "--json", "again.json").code == 0
        assert result_in("again.json")["objective"] == got["objective"]
    alone = radprog("predict", "f.json", "a2.csv", "-o", "o.csv")
    assert "1 views given, the training data has 2" in alone.error


def test_data_of_another_kind_is_refused(folder) -> None:
    with pytest.raises(rp.RadprogError, match=r"data of kind regression given"):
        rp.fit(rp.MKL(kernels="linear"), rp.regression_data(np.eye(4), np.arange(4.0)))
