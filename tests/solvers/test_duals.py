"""One sign convention, whatever way a constraint is written: checked by finite differences."""

import pyomo.environ as pyo
import pytest
from small_models import small_model

from radprog.solvers.program import SolveSettings, Status
from radprog.solvers.registry import solve_model

STEP = 1e-3

# x + 2y >= 3 in ten ways, and whether the bound that Pyomo keeps is rhs or -rhs
WAYS = {
    "body >= rhs": (1, lambda m, p: m.x + 2 * m.y >= p),
    "rhs <= body": (1, lambda m, p: p <= m.x + 2 * m.y),
    "-body <= -rhs": (-1, lambda m, p: -m.x - 2 * m.y <= -p),
    "-rhs >= -body": (-1, lambda m, p: -p >= -m.x - 2 * m.y),
    "ranged": (1, lambda m, p: (p, m.x + 2 * m.y, 50)),
    "ranged from above": (-1, lambda m, p: (-50, -m.x - 2 * m.y, -p)),
    "equation": (1, lambda m, p: m.x + 2 * m.y == p),
    "reversed equation": (1, lambda m, p: p == m.x + 2 * m.y),
    "negative equation": (-1, lambda m, p: -m.x - 2 * m.y == -p),
    "with a constant": (1, lambda m, p: m.x + 2 * m.y + 7 >= p + 7),
}


def build(way: str, rhs: float, sense, square: bool) -> pyo.ConcreteModel:
    """min 2x + 3y (+ squares) over x, y in [0.2, 10], or the maximum of its negative."""
    model = small_model(row=lambda m: WAYS[way][1](m, rhs), x=(0.2, 10), y=(0.2, 10))
    cost = 2 * model.x + 3 * model.y + 5
    if square:
        cost = cost + (model.x - 1) ** 2 + model.x * model.y + 2 * model.y**2
    sign = 1 if sense == pyo.minimize else -1
    model.cost = pyo.Objective(expr=sign * cost, sense=sense)
    return model


def value(model: pyo.ConcreteModel) -> float:
    assert solve_model(model, "highs", SolveSettings(tol=1e-10)).status is Status.OPTIMAL
    return float(pyo.value(model.cost))


@pytest.mark.parametrize("square", [False, True])
@pytest.mark.parametrize("sense", [pyo.minimize, pyo.maximize])
@pytest.mark.parametrize("way", WAYS)
def test_row_duals_are_the_slope_of_the_models_own_objective(way, sense, square) -> None:
    kept = WAYS[way][0]
    model = build(way, 3.0, sense, square)
    assert 3 * kept in (model.row.lower, model.row.upper, pyo.value(model.row.lower or 0) - 7)
    value(model)
    ahead, behind = (value(build(way, 3.0 + h, sense, square)) for h in (STEP, -STEP))
    dual = model.dual[model.row]
    assert abs(dual) > 0.5
    assert dual == pytest.approx(kept * (ahead - behind) / (2 * STEP), rel=1e-4)
    # a binding >= of a minimisation has a dual >= 0; a maximisation turns it round
    if model.row.upper is None:
        assert (dual > 0) == (sense == pyo.minimize)
    if model.row.lower is None:
        assert (dual < 0) == (sense == pyo.minimize)


@pytest.mark.parametrize("sense", [pyo.minimize, pyo.maximize])
def test_reduced_costs_are_the_slope_in_a_variables_bound(sense) -> None:
    model = build("body >= rhs", 3.0, sense, False)
    base = value(model)
    moved = build("body >= rhs", 3.0, sense, False)
    moved.x.setlb(0.2 + STEP)
    slope = (value(moved) - base) / STEP
    assert model.x.value == pytest.approx(0.2)
    assert model.rc[model.x] == pytest.approx(slope, rel=1e-6)
    assert (model.rc[model.x] > 0.4) == (sense == pyo.minimize)
    assert model.rc[model.y] == pytest.approx(0, abs=1e-9)
