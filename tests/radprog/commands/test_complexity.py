"""``radprog complexity``: tables, limits and refusals; and refusals of the regression models."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

MODELS = [
    ("vkr", "train.csv", ("--kernels", "poly:1-2,rbf:1")),
    ("l1svm", "train.csv", ("--kernels", "rbf:1")),
    ("lpboost", "waves.tsv", ("--length", "4")),
    ("lpboost", "waves.tsv", ("--length", "4", "--learner", "l1", "--starts", "2")),
    ("mkl", "train.csv", ("--kernels", "rbf:0.1,rbf:1")),
]


@pytest.fixture
def files(folder) -> Path:
    rng = np.random.default_rng(0)
    lines = [
        "\t".join([str(1 + i % 2), *map(repr, rng.normal(size=8).tolist())]) for i in range(10)
    ]
    Path("waves.tsv").write_text("\n".join(lines) + "\n")
    Path("few.csv").write_text("\n".join(Path("train.csv").read_text().split("\n")[:9]) + "\n")
    return folder  # type: ignore[no-any-return]


@pytest.mark.parametrize(("model", "file", "options"), MODELS, ids=str)
def test_tables(radprog, files, model, file, options) -> None:
    given = ("complexity", model, file, *options, "--trials", 30, "--json", "c.json")
    found = radprog(*given)
    assert found.code == 0, found.err
    table = json.loads(Path("c.json").read_text())
    assert (table["model"], table["complete"], table["kind"]) == (model, True, "rademacher")
    for row in table["classes"]:
        assert row["value"] > 0
        assert row["standard_error"] > 0
        assert row["trials"] == 30
        assert row["exact"] == ("l1" not in options)
        assert (row["certified_upper"] is None) == ("l1" in options)
        if row["certified_upper"] is not None:
            assert row["value"] - 4 * row["standard_error"] <= row["certified_upper"]
        assert row["class"] in found.out
    assert ("from below" in found.out) == ("l1" in options)
    again = Path("c.json").read_text()
    assert radprog(*given, "--seed", 0).code == 0
    assert Path("c.json").read_text() == again
    assert radprog(*given, "--seed", 1).code == 0
    assert Path("c.json").read_text() != again


def test_all_sign_vectors(radprog, files) -> None:
    given = ("complexity", "vkr", "few.csv", "--kernels", "linear", "--json", "-")
    exact = json.loads(radprog(*given, "--exact").out)["classes"][0]
    assert (exact["trials"], exact["standard_error"]) == (256, 0.0)
    sampled = json.loads(radprog(*given, "--trials", 2000).out)["classes"][0]
    assert abs(sampled["value"] - exact["value"]) <= 5 * sampled["standard_error"]
    balanced = json.loads(radprog(*given, "--exact", "--kind", "discrepancy").out)["classes"][0]
    assert (balanced["trials"], balanced["certified_upper"]) == (70, None)


@pytest.mark.thorough
def test_limits(radprog, files) -> None:
    given = ("complexity", "lpboost", "waves.tsv", "--length", "4", "--learner", "rkhs")
    found = radprog(*given, "--time-limit", 1e-9)
    assert found.code == 1
    assert "time_limit" in found.error
    assert radprog(*given, "--trials", 50_000, "--time-limit", 1.0, "--json", "c.json").code == 1
    table = json.loads(Path("c.json").read_text())
    assert (table["complete"], table["stopped_by"]) == (False, "time_limit")
    assert 2 <= table["classes"][0]["trials"] < 50_000


BAD = [
    (("vkr", "train.csv", "--trials", 1), "trials 1"),
    (("vkr", "train.csv", "--exact"), "sign vectors"),
    (("vkr", "train.csv", "--kernels", "edit"), "strings"),
    (("vkr", "nobody.csv"), "nobody.csv"),
    (("vkr", "train.csv", "--json", "nowhere/c.json"), "nowhere/c.json"),
    (("vkr", "odd.csv", "--kind", "discrepancy"), "even"),
    (("vkr", "train.csv", "--time-limit", 0), "time_limit"),
    (("svm", "train.csv"), "svm"),
    (("mkl", "train.csv", "--kernels", "rbf:1,rbf:2", "--variant", "dc", "--norm", 2), "norm 1"),
]


@pytest.mark.parametrize(("arguments", "word"), BAD, ids=str)
def test_refused(radprog, files, arguments, word) -> None:
    Path("odd.csv").write_text("\n".join(Path("train.csv").read_text().split("\n")[:8]) + "\n")
    before = sorted(path.name for path in files.iterdir())
    found = radprog("complexity", *arguments)
    assert found.code == 2
    assert word in found.error
    assert sorted(path.name for path in files.iterdir()) == before


REGRESSION = [
    ("svr", "sinc.csv", ("--eps-low", -1), "eps_low"),
    ("svr", "sinc.csv", ("--eps-up", 0), "eps_up"),
    ("svr", "sinc.csv", ("--A", -1), "A -1"),
    ("svr", "sinc.csv", ("--C", 0), "C 0"),
    ("svr", "sinc.csv", ("--gamma", 0), "gamma 0"),
    ("svr", "sinc.csv", ("--gamma", "nan"), "gamma nan"),
    ("svr", "one.csv", (), "one.csv"),
    ("svr", "nan.csv", (), "--missing"),
    ("svr", "words.csv", (), "words.csv, row 2"),
    ("svr", "sinc.csv", ("--kernels", "file:K.npy"), "positive semidefinite"),
    ("svr", "sinc.csv", ("--starts", 0), "starts 0"),
    ("complexity", "sinc.csv", ("--trials", 1), "trials 1"),
    ("complexity", "odd.csv", ("--kind", "discrepancy"), "even"),
    ("complexity", "sinc.csv", ("--C", 1), "C has no meaning"),
    ("srm", "sinc.csv", ("--delta", 0), "delta 0"),
    ("srm", "sinc.csv", ("--delta", 1), "delta 1"),
    ("srm", "sinc.csv", ("--gammas", "0,1"), "gammas"),
    ("srm", "sinc.csv", ("--As", "-1,1"), "As"),
]


@pytest.mark.parametrize(("model", "file", "options", "word"), REGRESSION, ids=str)
def test_regression_refused(radprog, folder, model, file, options, word) -> None:
    x = np.linspace(-1, 1, 10).tolist()
    lines = [f"{a!r},{np.sinc(a)!r}".replace("np.float64(", "").replace(")", "") for a in x]
    Path("sinc.csv").write_text("\n".join(lines) + "\n")
    Path("odd.csv").write_text("\n".join(lines[:9]) + "\n")
    Path("one.csv").write_text(lines[0] + "\n")
    Path("nan.csv").write_text("\n".join([*lines, "nan,1"]) + "\n")
    Path("words.csv").write_text("1,2\n2,high\n3,1\n")
    np.save("K.npy", np.diag([-1.0] + [1.0] * 9))
    before = sorted(path.name for path in folder.iterdir())
    found = radprog("solve", model, file, *options, "--json", "r.json", "--save", "f.json")
    assert found.code == 2, found.err
    assert word in found.error
    assert sorted(path.name for path in folder.iterdir()) == before


def test_a_constant_target_works(radprog, folder) -> None:
    Path("flat.csv").write_text("\n".join(f"{i},3" for i in range(8)) + "\n")
    found = radprog("solve", "svr", "flat.csv", "--gamma", 1, "--A", 1, "--json", "r.json")
    assert found.code == 0, found.err
    assert 0.0 <= json.loads(Path("r.json").read_text())["objective"] <= 1e-15
