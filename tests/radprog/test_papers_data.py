"""The papers' own files, from the command line to another solver's confirmation."""

import csv
import json
import os
from pathlib import Path

import pytest

pytestmark = pytest.mark.data


def place(name: str) -> Path:
    return Path(os.environ["RADPROG_DATA"]) / "vkr" / f"{name}.csv"


@pytest.mark.thorough
def test_german_solve_check_export_verify_predict(radprog, folder) -> None:
    file = place("german")
    radprog.ok("solve", "vkr", file, "--scale", "ball", "--tol", 1e-8, "--json", "r.json",
                     "--save", "f.json", "--test", file)  # fmt: skip
    result = json.loads(Path("r.json").read_text())
    assert result["objective"] == pytest.approx(0.445922176447, rel=1e-9)
    assert result["gap"] <= 1e-8
    checked = json.loads(radprog("check", "r.json", file, "--json", "-").out)
    assert checked["holds"]
    assert checked["recomputed"]["objective"] == pytest.approx(result["objective"], rel=1e-12)
    assert radprog("predict", "f.json", file, "-o", "labels.csv").code == 0
    with open("labels.csv") as stream:
        labels = [row["label"] for row in csv.DictReader(stream)]
    truth = [line.rsplit(",", 1)[1] for line in file.read_text().split()]
    truth = truth[len(truth) - len(labels) :]  # without a header
    wrong = sum(a != b for a, b in zip(labels, truth, strict=True))
    assert wrong == result["test"]["errors"] == round(1000 * result["fit"]["training_error"])


@pytest.mark.slow
def test_german_dual_is_confirmed_by_highs(radprog, folder) -> None:
    radprog.ok("export vkr", place("german"), "--scale ball --form dual -o german.mps")
    found = radprog("verify", "german.mps", "--json", "-")
    row = json.loads(found.out)["rows"][0]
    assert (found.code, row["agrees"]) == (0, True)
    assert -row["objective"] == pytest.approx(0.445922176447, rel=1e-7)


def test_missing_cells_of_breastcancer(radprog, folder) -> None:
    file = place("breastcancer")
    options = ("--kernels", "poly:1-3", "--scale", "ball")
    refused = radprog("solve", "vkr", file, *options)
    assert refused.code == 2
    assert "breastcancer.csv, row" in refused.error
    assert "--missing drop or mean" in refused.error
    rows = {}
    for rule in ("drop", "mean"):
        found = radprog.ok("solve", "vkr", file, *options, "--missing", rule, "--json", "r.json")
        assert "warning" in found.err
        result = json.loads(Path("r.json").read_text())
        rows[rule] = result["data"]["rows"]
        assert result["fit"]["training_error"] < 0.06
        assert radprog("check", "r.json", file).code == 0
    assert rows == {"drop": 683, "mean": 699}
