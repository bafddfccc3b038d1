"""A new solver is one file and one row: help, solve, verify and the table follow."""

import json
import sys
import types
from collections.abc import Iterator
from pathlib import Path

import pytest

from radprog import cli
from radprog.base.errors import CapabilityError
from radprog.solvers import registry
from radprog.solvers.adapters import highs
from radprog.solvers.answer import Declared
from radprog.solvers.program import ProblemClass
from radprog.solvers.registry import SOLVERS, able, readers

ROWS = "x,y,label\n" + "".join(f"{i % 5},{i % 3 - i % 2},{'ab'[i % 2]}\n" for i in range(14))


@pytest.fixture
def newcomer(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """The file and the row; what was asked of it."""
    asked: list[str] = []
    module = types.ModuleType("radprog.solvers.adapters.newcomer")

    def solve(program, settings):
        asked.append("matrices")
        return highs.solve(program, settings)

    def solve_file(path, settings):
        asked.append(f"file{path.suffix}")
        return highs.solve_file(path, settings)

    module.DECLARED = Declared(  # type: ignore[attr-defined]
        classes=frozenset({ProblemClass.LP}), duals=True, formats=frozenset({"mps"})
    )
    module.version = lambda: "7.1"  # type: ignore[attr-defined]
    module.solve, module.solve_file = solve, solve_file  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setitem(SOLVERS, "newcomer", registry.SolverSpec(name="newcomer", files=True))
    cli.build_parser.cache_clear()
    yield asked
    cli.build_parser.cache_clear()


def output(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    try:
        code = cli.main(arguments)
    except SystemExit as stop:
        code = stop.code
    assert code == 0, capsys.readouterr().err
    return capsys.readouterr().out


def test_one_file_and_one_row(newcomer, tmp_path, monkeypatch, capsys) -> None:
    monkeypatch.chdir(tmp_path)
    Path("rows.csv").write_text(ROWS)
    assert "newcomer or pyomo:NAME" in " ".join(output(capsys, "solve", "vkr", "--help").split())
    assert "newcomer" in output(capsys, "verify", "--help")
    how = ("vkr", "rows.csv", "--kernels", "poly:1", "--quiet")
    solved = output(
        capsys, "solve", *how, "--method", "direct", "--solver", "newcomer", "--json", "-"
    )
    assert json.loads(solved)["solver"] == {"name": "newcomer", "version": "7.1", "options": {}}
    output(capsys, "export", *how, "--form", "dual", "-o", "p.mps")
    verdict = json.loads(output(capsys, "verify", "p.mps", "--solver", "newcomer", "--json", "-"))
    assert [row["solver"] for row in verdict["rows"]] == ["newcomer"]
    assert set(newcomer) == {"matrices", "file.mps"}
    rows = json.loads(output(capsys, "solvers", "--json", "-"))["solvers"]
    (row,) = [row for row in rows if row["name"] == "newcomer"]
    assert (row["classes"]["LP"], row["classes"]["QP"], row["duals"]) == (True, False, True)
    assert row["reads"] == ["mps"]
    assert "newcomer" in set(able(ProblemClass.LP))
    assert "newcomer" in readers("mps", ProblemClass.LP)


def test_what_it_does_not_declare_is_refused(newcomer, tmp_path) -> None:
    from program_files import read_file_with

    path = tmp_path / "m.lp"
    path.write_text("Minimize\n obj: x\nSubject To\n r: x >= 1\nEnd\n")
    with pytest.raises(CapabilityError, match=r"newcomer does not read \.lp files: use highs"):
        read_file_with("newcomer", path)
    with pytest.raises(CapabilityError, match="piqp reads no files: use highs, scip"):
        read_file_with("piqp", path)
    assert newcomer == []


def test_rows_and_declarations_agree() -> None:
    """A row says by itself what it takes a program as, so that help loads no solver."""
    for name, spec in SOLVERS.items():
        if spec.declared != Declared():
            assert spec.files == bool(spec.declared.formats), name
    preference = [next(able(kind)) for kind in ProblemClass]
    assert preference == ["highs", "highs", "ipopt", "highs", "scip", "scip"]
    assert next(able(ProblemClass.QCQP, nonconvex=True)) == "scip"
    assert list(able(ProblemClass.QCQP, cones=True)) == ["ipopt", "scip"]
