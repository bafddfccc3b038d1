"""The papers' own files: another solver's confirmation, and missing cells."""

import json
import os
from pathlib import Path

import pytest

pytestmark = pytest.mark.data


def place(name: str) -> Path:
    return Path(os.environ["RADPROG_DATA"]) / "vkr" / f"{name}.csv"


def test_missing_cells_of_breastcancer(radprog, folder) -> None:
    file = place("breastcancer")
    options = ("--kernels", "poly:1-3", "--scale", "ball")
    told = radprog.refused("breastcancer.csv, row", "solve", "vkr", file, *options)
    assert "--missing drop or mean" in told
    rows = {}
    for rule in ("drop", "mean"):
        found = radprog.ok("solve", "vkr", file, *options, "--missing", rule, "--json", "r.json")
        assert "warning" in found.err
        result = json.loads(Path("r.json").read_text())
        rows[rule] = result["data"]["rows"]
        assert result["fit"]["training_error"] < 0.06
        assert radprog("check", "r.json", file).code == 0
    assert rows == {"drop": 683, "mean": 699}
