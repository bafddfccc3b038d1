"""The stored instances: every capable solver finds the value that stands beside them."""

from __future__ import annotations

import importlib.util
import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from radprog.catalog import CATALOG
from radprog.exporting import read_names, verify
from radprog.solvers.convexity import check_convex
from radprog.solvers.program import ProblemClass, SolveSettings, Status
from radprog.solvers.readers import READERS, read_program
from radprog.solvers.registry import SOLVERS, solve_program

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "instances" / "library"
INDEX: list[dict[str, Any]] = json.loads((FOLDER / "index.json").read_text())
INSIDE = ("highs", "scip")
LIMIT = SolveSettings(time_limit=60.0)


def capable(names: Any) -> list[tuple[str, str]]:
    return [
        (row["file"], name)
        for row in INDEX
        for name in names
        if row["class"] in READERS[name].classes and "mps" in READERS[name].formats
    ]


def agrees(file: str, reader: str) -> None:
    verdict = verify(FOLDER / file, reader, LIMIT)
    (row,) = [row for row in INDEX if row["file"] == file]
    assert verdict.agrees, (verdict.answer.status, verdict.difference, verdict.violation)
    assert verdict.objective == pytest.approx(row["value"], rel=1e-6, abs=1e-6)


@pytest.mark.parametrize(("file", "reader"), capable(INSIDE))
def test_readers_agree(file: str, reader: str) -> None:
    agrees(file, reader)


@pytest.mark.slow
@pytest.mark.parametrize(("file", "reader"), capable([n for n in READERS if n not in INSIDE]))
def test_other_readers_agree(file: str, reader: str) -> None:
    agrees(file, reader)


@pytest.mark.parametrize("row", [row for row in INDEX if row["class"] == "QP"])
def test_other_solvers_agree_on_the_matrices(row: dict[str, Any]) -> None:
    program = read_program(FOLDER / row["file"])
    assert program.problem_class == row["class"]
    check_convex(program)
    names = [n for n, s in SOLVERS.items() if ProblemClass.QP in s.classes and n not in INSIDE]
    assert len(names) >= 3
    for name in names:
        solution = solve_program(program, name, LIMIT)
        assert solution.status is Status.OPTIMAL, name
        assert solution.objective == pytest.approx(row["value"], rel=1e-6, abs=1e-6), name


def test_the_library_is_complete() -> None:
    forms = {(entry.builder, form) for entry in CATALOG.values() for form in entry.forms}
    forms = {(builder, form) for builder, form in forms if form not in ("joint", "dc")}  # .nl
    found = Counter((CATALOG[row["model"]].builder, row["form"]) for row in INDEX)
    assert set(found) == forms
    assert set(found.values()) == {2}
    for row in INDEX:
        names = read_names(FOLDER / row["file"])
        assert names["expected_objective"] == row["value"]
        assert (names["model"], names["form"]) == (row["model"], row["form"])
        assert len(row["verified"]) >= 2
        assert abs(row["value"]) > 1e-3  # none is solved by 0 alone
        for value in row["verified"].values():
            assert value == pytest.approx(row["value"], rel=1e-6, abs=1e-6)
    stored = {path.name for path in FOLDER.glob("*.mps.gz")}
    assert stored == {row["file"] for row in INDEX}
    assert sum(row["degenerate"] is True for row in INDEX) >= 4


def test_the_table_is_that_of_the_index() -> None:
    place = ROOT / "benchmarks" / "library.py"
    spec = importlib.util.spec_from_file_location("library_of_instances", place)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    try:
        spec.loader.exec_module(module)
        assert module.readme(INDEX) == (FOLDER / "README.md").read_text()
        assert {f"{i.name}.mps.gz" for i in module.instances()} >= {row["file"] for row in INDEX}
    finally:
        del sys.modules[spec.name]
