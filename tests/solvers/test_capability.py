"""The table of solvers is what their adapters declare; test_registry.py solves each class."""

import sys

import pyomo.environ as pyo
import pytest

import radprog as rp
from radprog.commands.solvers import solver_rows
from radprog.solvers.program import ProblemClass
from radprog.solvers.registry import SOLVERS

INSIDE = [name for name in SOLVERS if not name.startswith("pyomo:")]


def test_the_table_is_what_is_declared() -> None:
    rows = {row["name"]: row for row in solver_rows()}
    assert list(rows)[: len(SOLVERS)] == list(SOLVERS)
    for name in INSIDE:
        spec, row = SOLVERS[name], rows[name]
        assert (row["installed"], bool(row["version"])) == (True, True)
        assert row["classes"] == {str(kind): spec.takes(kind) for kind in ProblemClass}
        assert row["duals"] == spec.declared.duals


def test_a_time_limit_that_a_solver_ignores_is_named() -> None:
    model = pyo.ConcreteModel()
    model.x = pyo.Var(bounds=(0, 1))
    model.cost = pyo.Objective(expr=model.x**2 - model.x)
    with pytest.warns(rp.RadprogWarning, match="time_limit: solver piqp has none"):
        rp.solve(model, "piqp", time_limit=1.0)


def test_a_missing_solver_is_shown_as_not_installed(monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "piqp", None)
    monkeypatch.delitem(sys.modules, "radprog.solvers.adapters.piqp")
    row = next(row for row in solver_rows() if row["name"] == "piqp")
    assert (row["installed"], row["version"]) == (False, "")
    assert row["note"] == "solver piqp is not installed: no piqp"
    assert not any(row["classes"].values())
