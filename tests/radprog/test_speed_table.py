"""Tables of speed are what their scripts make of what was measured; the folders of benchopt run."""

import copy
import importlib.util
import json
import sys
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
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
    for part in faster["measured"]:
        part["cases"][speed.FRONT[0]]["rows"][0]["cpu"] /= 3.0
    assert speed.readme(text, faster) != text


def test_the_page_holds_what_was_measured(speed: Any) -> None:
    results, text = json.loads(speed.RESULTS.read_text()), speed.PAGE.read_text()
    assert speed.page(results, list(speed.CASES)) == text
    ours, *peers = results["measured"][-1]["cases"]["cdsk"]["rows"]
    lost = "- lost: `cdsk`, 1000 points, 7 clusters: SpectralClustering"
    assert peers
    assert lost in text
    peers[0]["cpu"] = 9 * ours["cpu"]
    assert lost not in speed.page(results, list(speed.CASES)).partition("| task")[0]


class Base:
    """benchopt's classes, as far as the folders use them."""

    def __init__(self, **settings: Any) -> None:
        self.__dict__.update(settings)

    def get_seed(self) -> int:
        return 0


@pytest.mark.parametrize(
    ("folder", "least", "settings"),
    [
        ("l1_hinge", ["radprog", "highs"], {"beta": 0.1}),
        ("quantile_regression", ["radprog", "scikit_learn"], {"beta": 0.05, "quantile": 0.9}),
    ],
)
def test_folders_of_benchopt(
    folder: str, least: list[str], settings: dict[str, float], monkeypatch: pytest.MonkeyPatch
) -> None:
    benchopt = types.ModuleType("benchopt")
    for name in ("BaseDataset", "BaseObjective", "BaseSolver"):
        setattr(benchopt, name, Base)
    monkeypatch.setitem(sys.modules, "benchopt", benchopt)
    root, values = ROOT / "benchmarks" / "benchopt" / folder, {}

    def loaded(path: Path) -> Any:
        spec = importlib.util.spec_from_file_location("loaded", path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    data = loaded(root / "datasets" / "simulated.py").Dataset(n=60, p=40).get_data()
    objective = loaded(root / "objective.py").Objective(**settings)
    objective.set_data(**data)
    start = objective.evaluate_result(**objective.get_one_result())["value"]
    for path in sorted((root / "solvers").glob("*.py")):
        kind = loaded(path).Solver
        solver = kind(**{k: v[0] for k, v in getattr(kind, "parameters", {}).items()})
        solver.set_objective(**objective.get_objective())
        solver.run(20)
        values[path.stem] = objective.evaluate_result(**solver.get_result())["value"]
    best = min(values.values())
    assert best < start
    assert [values[name] for name in least] == pytest.approx([best, best], rel=1e-6)
    assert np.isfinite(list(values.values())).all()
