"""The Speed table of the README is what its script makes of what was measured."""

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def speed(benchmark: Callable[[str], Any]) -> Any:
    return benchmark("speed")


def test_readme_holds_what_was_measured(speed: Any) -> None:
    results, text = json.loads(speed.RESULTS.read_text()), (ROOT / "README.md").read_text()
    assert text.count(speed.START) == text.count(speed.END) == 1
    assert speed.readme(text, results) == text
    faster = copy.deepcopy(results)
    faster["cases"][speed.FRONT[0]]["rows"][0]["cpu"] /= 3.0
    assert speed.readme(text, faster) != text


def test_the_page_holds_what_was_measured(speed: Any) -> None:
    results, text = json.loads(speed.RESULTS.read_text()), speed.PAGE.read_text()
    assert speed.page(results, list(speed.CASES)) == text
    ours, *peers = results["cases"]["cdsk"]["rows"]
    assert peers
    assert "- `cdsk`, 1000 points, 7 clusters: SpectralClustering" in text.partition("Won:")[0]
    peers[0]["cpu"] = 9 * ours["cpu"]
    slower = speed.page(results, list(speed.CASES))
    assert "SpectralClustering (rbf) 9 times" in slower.partition("Won:")[2]


def test_every_number_has_its_run(speed: Any) -> None:
    results = json.loads(speed.RESULTS.read_text())
    assert set(results["cases"]) <= set(speed.CASES)
    for case in results["cases"].values():
        assert {"date", "commit", "versions", "python", "machine"} <= set(case)
        ours, *peers = case["rows"]
        assert ours["name"] == ""
        assert all(row["name"] for row in peers)
        assert all(row["runs"] >= 1 and speed.seconds_of(row) > 0 for row in case["rows"])


def test_table_of_a_case(speed: Any) -> None:
    rows = [
        {"name": "", "cpu": 2.0, "seconds": 3.0, "peak_mb": 100.4, "objective": 1.0, "runs": 5},
        {"name": "a peer", "seconds": 30.0, "objective": 1.05, "runs": 1},
    ]
    case = {
        "title": "a task", "valued": True, "rows": rows, "date": "2026-01-02",
        "machine": {"processor": "one"},
    }  # fmt: skip
    told = speed.table({"cases": {"german": case}})
    assert "| a task | 2 s, 100 MiB | a peer: 30 s, its point 5.0 % above the" in told
    assert "optimum | 15 |" in told
    assert told.endswith("2026-01-02 on one, one thread; medians of 1 to 5 runs.")
    lost = {**case, "machine": {"processor": speed.UNRECORDED}}
    assert "on one (1 of the 2 cases on" in speed.table({"cases": {"german": case, "mkl": lost}})
