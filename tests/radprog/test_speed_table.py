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


def part_of(*rows: dict[str, Any], key: str = "german", **around: Any) -> dict[str, Any]:
    """A part of the results with one case."""
    case = {
        "title": "a task", "rows": list(rows), "date": "2026-01-02", "commit": "c0ffee",
        "load_before": 0.5,
    }  # fmt: skip
    machine = {"processor": "one", "cores": 2}
    place = {"versions": {"radprog": "1.2", "numpy": "2.0"}, "python": "3.12", "machine": machine}
    return {**place, "cases": {key: case}, **around}


OURS = {"name": "", "cpu": 2.0, "seconds": 3.0, "peak_mb": 100.4, "objective": 1.0, "runs": 5}
PEER = {"name": "a peer", "seconds": 30.0, "objective": 1.05, "gap": 0.05, "runs": 1}


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


def test_branch_and_price_holds_what_was_measured(benchmark: Callable[[str], Any]) -> None:
    script = benchmark("branch_and_price")
    *_, part = json.loads(script.RESULTS.read_text())["measured"]
    assert "\n".join(list(script.lines(part))) in script.PAGE.read_text()
    solved, open_ = (
        {"cpu": 3.0, "objective": 1.0, "bound": bound} for bound in (1.0, 0.0)
    )  # fmt: skip
    part |= {"limit": 80.0, "rows": {"T60-0": {"radprog": solved, "highs": open_, "scip": solved}}}
    *_, foot = script.lines(part)
    assert foot == "| shifted geometric mean of 1 | | 3.0 s | 80.0 s | 3.0 s | – |"
    del part["rows"]["T60-0"]["scip"]
    assert list(script.lines(part))[-1].startswith("| proved | | 1 of 1 | 0 of 1 | 0 of 0")


def test_every_number_has_its_run(speed: Any) -> None:
    for part in json.loads(speed.RESULTS.read_text())["measured"]:
        assert set(part) == {"versions", "python", "machine", "cases"}
        assert set(part["cases"]) <= set(speed.CASES)
        for case in part["cases"].values():
            assert {"date", "commit", "load_before"} <= set(case)
            ours, *peers = case["rows"]
            assert ours["name"] == ""
            assert all(row["name"] for row in peers)
            assert all(row["runs"] >= 1 and speed.seconds_of(row) > 0 for row in case["rows"])


def test_table_of_a_case(speed: Any) -> None:
    told = speed.table({"measured": [part_of(OURS, PEER)]})
    assert "| a task | 2 s, 100 MiB | a peer: 30 s, verified gap 5.0 % | 15 |" in told
    assert told.endswith("2026-01-02 on one, one thread; medians of 1 to 5 runs.")


def test_no_table_mixes_machines(speed: Any, benchmark: Callable[[str], Any]) -> None:
    later = part_of(OURS, machine={"processor": "two", "cores": 8})
    told = speed.page({"measured": [part_of(OURS, PEER), later]}, ["german"])
    new, old = told.split("## radprog 1.2 on ")[1:]
    assert new.startswith("two, 8 cores\n")
    assert old.startswith("one, 2 cores\n")
    assert "a peer" not in new
    assert "Measured 2026-01-02, commit `c0ffee`; load before 0.5" in old
    assert "Python 3.12, numpy 2.0." in old
    # the shifted mean of one task is its time
    assert "| shifted geometric mean, 1 tasks | radprog | 2 | 1 |" in old
    assert "|  | the fastest peer | 30 | 15 |" in old
    assert "of a gap up to" not in old
    exact = part_of(OURS, PEER, {"name": "an exact peer", "seconds": 62.0, "gap": 1e-9})
    foot = speed.page({"measured": [exact]}, ["german"]).strip().splitlines()[-3:]
    assert foot[0] == "|  | the fastest peer | 30 | 15 | | | | | |"
    assert foot[2] == "|  | the fastest peer of a gap up to 0.0001 | 62 | 31 | | | | | |"
    assert "| a peer | 30 | 15 | 5.0e-02 |" in old
    assert "shifted geometric mean," not in new
    place = benchmark("measure").here_and_now
    results: dict[str, Any] = {"measured": [part_of(OURS), later]}
    kept = {key: part_of()[key] for key in ("versions", "python", "machine")}
    assert place(results, {**kept, "machine": {**kept["machine"], "load_before": 3.0}})["cases"]
    assert [part["machine"]["processor"] for part in results["measured"]] == ["two", "one"]
    assert "cases" not in place(results, {**kept, "versions": {"radprog": "1.3"}})
    assert len(results["measured"]) == 3


def test_gaps_are_our_own(speed: Any) -> None:
    rows: list[dict[str, Any]] = [
        {"objective": 2.0, "bound": 1.9}, {"objective": 2.5}, {"bound": 1.5}, {"objective": None},
        {"objective": 1.8},
    ]  # fmt: skip
    speed.verify(rows)
    # a value below the bound is rounding, and no gap below 0
    assert [row.get("gap") for row in rows] == pytest.approx([0.05, 0.24, 1 / 6, None, 0.0])
    alone = [{"objective": 2.0}]
    speed.verify(alone)
    assert "gap" not in alone[0]


def test_shifted_mean(benchmark: Callable[[str], Any]) -> None:
    mean = benchmark("measure").shifted_mean
    assert mean([0.0, 3.0]) == pytest.approx(1.0)
    assert mean([10.0, 1000.0], 10.0) == pytest.approx((20.0 * 1010.0) ** 0.5 - 10.0)


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
