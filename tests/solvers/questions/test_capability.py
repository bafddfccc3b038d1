"""The capability table says what was tried, not what was declared."""

import sys
from dataclasses import replace

import numpy as np
import pytest

from radprog.solvers.adapters import highs
from radprog.solvers.answer import SolverAnswer
from radprog.solvers.program import ProblemClass, Program, SolveSettings
from radprog.solvers.questions.capability import PROBES, capability_table
from radprog.solvers.registry import SOLVERS

INSIDE = [name for name in SOLVERS if not name.startswith("pyomo:")]


def check_table(names: list[str]) -> None:
    rows = {row.name: row for row in capability_table(names)}
    assert list(rows) == names
    for name, row in rows.items():
        spec = SOLVERS[name]
        assert row.installed
        assert row.version
        for kind in ProblemClass:
            assert row.classes[kind] == ("ok" if spec.takes(kind) else "-")
        assert row.duals == ("ok" if spec.declared.duals else "-")
    assert [row.note for row in rows.values() if row.note] == (
        ["SVM dual: ok"] if "libsvm" in names else []
    )


def test_installed_solvers_do_what_they_declare() -> None:
    check_table(INSIDE)


@pytest.mark.slow
def test_external_solvers_do_what_they_declare() -> None:
    check_table([name for name in SOLVERS if name not in INSIDE])


@pytest.mark.parametrize("kind", list(ProblemClass))
def test_probes_are_right(kind: ProblemClass) -> None:
    """The stated optimum is feasible, has the stated value, and no nearby grid point is better."""
    probe = PROBES[kind]()
    program = probe.program
    assert program.problem_class is kind
    x = np.array(probe.x)
    assert program.violation(x) < 1e-12
    assert program.objective(x) == pytest.approx(probe.objective)
    step = 1.0 if program.integer.any() else 0.05
    grid = step * np.arange(-60, 61) if step < 1 else np.arange(-10.0, 11.0)
    for u in grid:
        for v in grid:
            point = np.array([u, v])
            if program.violation(point) <= 1e-12 and np.abs(point - x).max() > 1e-9:
                assert program.objective(point) > probe.objective + 1e-9
    if probe.row_duals is not None:
        y = np.array(probe.row_duals)
        np.testing.assert_allclose(program.reduced_costs(x, y), 0, atol=1e-12)


def test_a_solver_that_fails_is_shown_as_failing(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = highs.solve

    def wrong(program: Program, settings: SolveSettings) -> SolverAnswer:
        answer = honest(program, settings)
        if program.integer.any():
            raise RuntimeError("boom")
        if program.quadratic is not None and answer.x is not None:
            return replace(answer, x=answer.x + 1)
        return replace(answer, row_duals=None)

    monkeypatch.setattr(highs, "solve", wrong)
    (row,) = capability_table(["highs"])
    assert row.classes[ProblemClass.LP] == "ok"
    assert row.classes[ProblemClass.QP].startswith("declared but failed: status failed")
    assert row.classes[ProblemClass.MILP].startswith("declared but failed: solver highs crashed")
    assert row.duals.startswith("declared but failed")


def test_a_missing_solver_is_shown_as_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "piqp", None)
    monkeypatch.delitem(sys.modules, "radprog.solvers.adapters.piqp")
    (row,) = capability_table(["piqp"])
    assert row.note == "solver piqp is not installed: no piqp"
    assert not row.installed
    assert row.version == ""
    assert set(row.classes.values()) == {"-"}
