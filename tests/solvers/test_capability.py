"""Every installed solver does what its adapter declares: a tiny program of each class."""

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyomo.environ as pyo
import pytest

from radprog.commands.solvers import solver_rows
from radprog.solvers.compile import compile_model
from radprog.solvers.dense.svm import solve_svm
from radprog.solvers.program import ProblemClass, Program
from radprog.solvers.registry import SOLVERS

INSIDE = [name for name in SOLVERS if not name.startswith("pyomo:")]


@dataclass(frozen=True, kw_only=True)
class Probe:
    """A tiny program, its unique optimum x (n,), the objective, and the row duals (m,) or None."""

    program: Program
    x: tuple[float, ...]
    objective: float
    row_duals: tuple[float, ...] | None = None


def _plane(domain: Any) -> pyo.ConcreteModel:
    model = pyo.ConcreteModel()
    model.x = pyo.Var(bounds=(-10, 10), within=domain)
    model.y = pyo.Var(bounds=(-10, 10), within=domain)
    return model


def _lp() -> Probe:
    """min 1 - x - 2y, 1 <= x + y <= 4, x - y >= -2: both rows bind at (1, 3)."""
    model = _plane(pyo.Reals)
    model.total = pyo.Constraint(expr=(1, model.x + model.y, 4))
    model.slope = pyo.Constraint(expr=model.x - model.y >= -2)
    model.cost = pyo.Objective(expr=1 - model.x - 2 * model.y)
    return Probe(program=compile_model(model), x=(1.0, 3.0), objective=-6.0, row_duals=(-1.5, 0.5))


def _qp() -> Probe:
    """min (x-1)^2 + (y-3)^2, x + y <= 2: the projection (0, 2)."""
    model = _plane(pyo.Reals)
    model.total = pyo.Constraint(expr=model.x + model.y <= 2)
    model.cost = pyo.Objective(expr=(model.x - 1) ** 2 + (model.y - 3) ** 2)
    return Probe(program=compile_model(model), x=(0.0, 2.0), objective=2.0, row_duals=(-2.0,))


def _qcqp() -> Probe:
    """min x + y, x^2 + y^2 <= 2: the point (-1, -1) of the circle."""
    model = _plane(pyo.Reals)
    model.disc = pyo.Constraint(expr=model.x**2 + model.y**2 <= 2)
    model.cost = pyo.Objective(expr=model.x + model.y)
    return Probe(program=compile_model(model), x=(-1.0, -1.0), objective=-2.0, row_duals=(-0.5,))


def _milp() -> Probe:
    """max 5x + 4y, 6x + 4y <= 24, x + 2y <= 6, integers: (4, 0), not the rounded (3, 1)."""
    model = _plane(pyo.Integers)
    model.first = pyo.Constraint(expr=6 * model.x + 4 * model.y <= 24)
    model.second = pyo.Constraint(expr=model.x + 2 * model.y <= 6)
    model.low = pyo.Constraint(expr=model.y >= 0)
    model.cost = pyo.Objective(expr=5 * model.x + 4 * model.y, sense=pyo.maximize)
    return Probe(program=compile_model(model), x=(4.0, 0.0), objective=-20.0)


def _miqp() -> Probe:
    """min (x-1.3)^2 + (y-1.6)^2, x + y <= 2, integers: (1, 1)."""
    model = _plane(pyo.Integers)
    model.total = pyo.Constraint(expr=model.x + model.y <= 2)
    model.cost = pyo.Objective(expr=(model.x - 1.3) ** 2 + (model.y - 1.6) ** 2)
    return Probe(program=compile_model(model), x=(1.0, 1.0), objective=0.45)


def _miqcqp() -> Probe:
    """max 3x + 2y, x^2 + y^2 <= 6, integers: (2, 1)."""
    model = _plane(pyo.Integers)
    model.disc = pyo.Constraint(expr=model.x**2 + model.y**2 <= 6)
    model.cost = pyo.Objective(expr=3 * model.x + 2 * model.y, sense=pyo.maximize)
    return Probe(program=compile_model(model), x=(2.0, 1.0), objective=-8.0)


PROBES: Mapping[ProblemClass, Callable[[], Probe]] = {
    ProblemClass.LP: _lp,
    ProblemClass.QP: _qp,
    ProblemClass.QCQP: _qcqp,
    ProblemClass.MILP: _milp,
    ProblemClass.MIQP: _miqp,
    ProblemClass.MIQCQP: _miqcqp,
}


@pytest.mark.parametrize("name", [
    pytest.param(name, marks=() if name in INSIDE else pytest.mark.slow) for name in SOLVERS
])  # fmt: skip
def test_installed_solvers_do_what_they_declare(name) -> None:
    spec = SOLVERS[name]
    for kind, make in PROBES.items():
        if not (spec.installed() and spec.takes(kind)):
            continue
        probe = make()
        solution = spec.solve(probe.program)
        assert solution.claimed_optimal, (name, kind, solution.message)
        np.testing.assert_allclose(solution.x, probe.x, rtol=0, atol=3e-3)
        assert solution.objective == pytest.approx(probe.objective, rel=1e-5, abs=1e-5)
        if spec.declared.duals and probe.row_duals is not None:
            np.testing.assert_allclose(solution.row_duals, probe.row_duals, rtol=1e-4, atol=1e-4)


def test_libsvm_solves_the_dual_of_a_support_vector_machine() -> None:
    """Two points at distance 2: alpha = 1/2 each."""
    K = np.array([[1.0, -1.0], [-1.0, 1.0]])
    answer = solve_svm(K, np.array([1.0, -1.0]), 1.0)
    np.testing.assert_allclose(answer.alpha, [0.5, 0.5], atol=1e-6)


def test_the_table_is_what_is_declared() -> None:
    rows = {row["name"]: row for row in solver_rows()}
    assert list(rows)[: len(SOLVERS)] == list(SOLVERS)
    for name in INSIDE:
        spec, row = SOLVERS[name], rows[name]
        assert (row["installed"], bool(row["version"])) == (True, True)
        assert row["classes"] == {str(kind): spec.takes(kind) for kind in ProblemClass}
        assert row["duals"] == spec.declared.duals


def test_a_missing_solver_is_shown_as_not_installed(monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "piqp", None)
    monkeypatch.delitem(sys.modules, "radprog.solvers.adapters.piqp")
    row = next(row for row in solver_rows() if row["name"] == "piqp")
    assert (row["installed"], row["version"]) == (False, "")
    assert row["note"] == "solver piqp is not installed: no piqp"
    assert not any(row["classes"].values())


@pytest.mark.parametrize("kind", list(ProblemClass))
def test_probes_are_right(kind) -> None:
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
