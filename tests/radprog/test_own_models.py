"""``rp.solve`` of any Pyomo model: values in its own sense, whatever its class."""

from __future__ import annotations

import math

import pyomo.environ as pyo
import pytest

import radprog as rp


def plan(sense=pyo.maximize) -> pyo.ConcreteModel:
    """max 3x + 2y, x + y <= 4, x + 3y <= 7, x <= 3: 11 at (3, 1); or the same as a minimisation."""
    model = pyo.ConcreteModel()
    model.x, model.y = pyo.Var(bounds=(0, 3)), pyo.Var(bounds=(0, None))
    model.both = pyo.Constraint(expr=model.x + model.y <= 4)
    model.wide = pyo.Constraint(expr=model.x + 3 * model.y <= 7)
    model.gain = pyo.Objective(expr=sense * -(3 * model.x + 2 * model.y), sense=sense)
    return model


def knapsack() -> pyo.ConcreteModel:
    """max c'x over a hard knapsack of 30 things."""
    model = pyo.ConcreteModel()
    model.take = pyo.Var(range(30), domain=pyo.Binary)
    size = [1000 + (37 * i * i) % 911 for i in range(30)]
    model.room = pyo.Constraint(
        expr=pyo.quicksum(size[i] * model.take[i] for i in range(30)) <= sum(size) // 2
    )
    worth = [size[i] + (53 * i) % 17 for i in range(30)]
    model.worth = pyo.Objective(
        expr=pyo.quicksum(worth[i] * model.take[i] for i in range(30)), sense=pyo.maximize
    )
    return model


def disc() -> pyo.ConcreteModel:
    """max x + y over a disc: 2."""
    model = pyo.ConcreteModel()
    model.x, model.y = pyo.Var(), pyo.Var()
    model.disc = pyo.Constraint(expr=model.x**2 + model.y**2 <= 2)
    model.goal = pyo.Objective(expr=model.x + model.y, sense=pyo.maximize)
    return model


@pytest.mark.parametrize("solver", [None, "highs", "scip"])
def test_a_maximised_model_is_told_as_one(solver) -> None:
    model = plan()
    found = rp.solve(model, solver)
    assert found.objective == pytest.approx(11.0)
    assert pyo.value(model.gain) == pytest.approx(11.0)
    if solver != "scip":
        assert found.bound == pytest.approx(11.0)
        assert found.row_duals.tolist() == pytest.approx([2.0, 0.0])
        assert found.reduced_costs.tolist() == pytest.approx([1.0, 0.0])
        assert model.dual[model.both] == pytest.approx(2.0)


def test_the_same_as_a_minimisation() -> None:
    found = rp.solve(plan(pyo.minimize))
    assert (found.objective, found.bound) == pytest.approx((-11.0, -11.0))
    assert found.row_duals.tolist() == pytest.approx([-2.0, 0.0])


def test_integers_at_a_limit_show_bound_and_gap() -> None:
    model = knapsack()
    best = rp.solve(model)
    assert best.bound == pytest.approx(best.objective, rel=1e-4)
    stopped = rp.solve(model, options={"mip_max_nodes": "1", "mip_rel_gap": "0.0"})
    assert stopped.status == "limit"
    assert stopped.objective <= best.objective + 1e-6
    assert stopped.bound >= best.bound - 1e-3
    assert stopped.gap == pytest.approx(stopped.bound - stopped.objective)


def test_nonlinear_rows_go_to_ipopt() -> None:
    model = pyo.ConcreteModel()
    model.x = pyo.Var(bounds=(0.1, 10), initialize=1.0)
    model.curve = pyo.Constraint(expr=pyo.exp(model.x) <= 5)
    model.goal = pyo.Objective(expr=3 * model.x, sense=pyo.maximize)
    found = rp.solve(model)
    assert (found.solver, found.status, found.claimed_optimal) == ("ipopt", "feasible", True)
    assert found.objective == pytest.approx(3 * math.log(5), rel=1e-6)
    assert found.row_duals.tolist() == pytest.approx([3 / 5], rel=1e-4)
    assert model.dual[model.curve] == pytest.approx(3 / 5, rel=1e-4)
    assert "local" in found.message


def test_quadratic_rows_go_to_who_can() -> None:
    model = disc()
    found = rp.solve(model)
    assert found.solver != "highs"
    assert found.objective == pytest.approx(2.0, rel=1e-6)
    with pytest.raises(rp.RadprogError, match="solver highs cannot solve a QCQP"):
        rp.solve(model, "highs")


@pytest.mark.parametrize("solver", ["highs", "ipopt", "scip"])
def test_tee_shows_the_log(solver, capsys) -> None:
    model = disc() if solver == "ipopt" else plan()
    rp.solve(model, solver, tee=True)
    assert len(capsys.readouterr().out.splitlines()) > 3
    rp.solve(model, solver)
    assert capsys.readouterr().out == ""


def test_a_log_is_shown_and_kept(tmp_path, capsys) -> None:
    file = tmp_path / "highs.log"
    rp.solve(plan(), log=str(file), tee=True)
    assert file.read_text() == capsys.readouterr().out
