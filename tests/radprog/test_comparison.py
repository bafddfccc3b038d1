"""The page beside scikit-learn and aeon is what its script makes of what was measured."""

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture
def comparison(benchmark: Callable[[str], Any]) -> Any:
    return benchmark("comparison")


def test_the_page_holds_what_was_measured(comparison: Any) -> None:
    results, text = json.loads(comparison.RESULTS.read_text()), comparison.PAGE.read_text()
    assert comparison.page(results) == text
    better = copy.deepcopy(results)
    for unit in better["units"]:
        if unit["method"] == "VKRClassifier":
            unit["scores"] = [1.0]
    told = comparison.page(better)
    assert "**Classifiers**: VKRClassifier has the best mean rank" in told
    assert "| VKRClassifier | SVC | " in told
    better["units"] = [unit for unit in better["units"] if unit["task"] != "clusters"]
    assert "## Clusterings" not in comparison.page(better)


def test_every_number_has_its_run(comparison: Any) -> None:
    results = json.loads(comparison.RESULTS.read_text())
    keys = [(unit["task"], unit["data"], unit["method"]) for unit in results["units"]]
    left = [(unit["task"], unit["data"], unit["method"]) for unit in results["left"]]
    planned = {(unit.task, unit.data, unit.method) for unit in comparison.plan()}
    assert len(keys + left) == len(set(keys + left))
    assert set(keys + left) == planned
    assert {"date", "commit", "versions", "python", "machine", "rows"} <= set(results)
    assert {name: results[name] for name in ("grids", "ours")} == comparison.described()
    for unit in results["units"]:
        assert unit["cpu"] > 0
        assert len(unit["scores"]) == len(unit["chosen"]) == (1 if unit["task"] == "series" else 3)


def test_what_was_not_run_is_said(comparison: Any) -> None:
    results = json.loads(comparison.RESULTS.read_text())
    results["left"] = [results["units"].pop(0)]
    task, data, method = (results["left"][0][key] for key in ("task", "data", "method"))
    told = comparison.page(results)
    assert f"1 of {len(results['units']) + 1} runs are still to be made" in told
    assert f": {data.partition('/')[2]} ({method})" in told
    assert data not in comparison.page.__globals__["scores"](results, task)[0]


def test_a_run_goes_on_where_it_was(comparison: Any, tmp_path: Path) -> None:
    place, made = tmp_path / "unit.json", []

    def make() -> dict[str, Any]:
        made.append(1)
        return {"scores": [len(made)]}

    task = {"task": "classes", "rows": 150}
    for _ in range(2):
        assert comparison.kept(place, task, make)["scores"] == [1]
    assert comparison.kept(place, {**task, "rows": 60}, make)["scores"] == [2]
    assert list(tmp_path.iterdir()) == [place]
    assert comparison.kept(tmp_path / "other.json", task, lambda: None) is None
    assert list(tmp_path.iterdir()) == [place]


def test_equal_methods_share_their_rank(comparison: Any) -> None:
    ranks = comparison.page.__globals__["ranks"]
    assert ranks("classes", [[0.9, 0.9, 0.8]]).tolist() == [1.5, 1.5, 3.0]
    assert ranks("values", [[0.9, 0.7, 0.8]]).tolist() == [3.0, 1.0, 2.0]
