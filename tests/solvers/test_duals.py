"""One sign convention, whatever way a constraint is written: checked by finite differences."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pyomo.environ as pyo
import pytest
from effort import seeds

from radprog.solvers.program import ProblemClass, SolveSettings, Status
from radprog.solvers.registry import SOLVERS, solve_model, solve_program

STEP = 1e-3

# x + 2y >= 3 in ten ways, and whether the bound that Pyomo keeps is rhs or -rhs
WAYS: dict[str, tuple[int, Callable[[Any, Any], Any]]] = {
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


def build(way: str, rhs: float, sense: Any, square: bool) -> pyo.ConcreteModel:
    """min 2x + 3y (+ squares) over x, y in [0.2, 10], or the maximum of its negative."""
    model = pyo.ConcreteModel()
    model.x = pyo.Var(bounds=(0.2, 10))
    model.y = pyo.Var(bounds=(0.2, 10))
    model.row = pyo.Constraint(expr=WAYS[way][1](model, rhs))
    cost = 2 * model.x + 3 * model.y + 5
    if square:
        cost = cost + (model.x - 1) ** 2 + model.x * model.y + 2 * model.y**2
    sign = 1 if sense == pyo.minimize else -1
    model.cost = pyo.Objective(expr=sign * cost, sense=sense)
    return model


def value(model: pyo.ConcreteModel, solver: str) -> float:
    assert solve_model(model, solver, SolveSettings(tol=1e-10)).status is Status.OPTIMAL
    return float(pyo.value(model.cost))


@pytest.mark.parametrize("square", [False, True])
@pytest.mark.parametrize("sense", [pyo.minimize, pyo.maximize])
@pytest.mark.parametrize("way", WAYS)
def test_row_duals_are_the_slope_of_the_models_own_objective(way, sense, square) -> None:
    kept = WAYS[way][0]
    model = build(way, 3.0, sense, square)
    assert 3 * kept in (model.row.lower, model.row.upper, pyo.value(model.row.lower or 0) - 7)
    value(model, "highs")
    ahead = value(build(way, 3.0 + STEP, sense, square), "highs")
    behind = value(build(way, 3.0 - STEP, sense, square), "highs")
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
    base = value(model, "highs")
    moved = build("body >= rhs", 3.0, sense, False)
    moved.x.setlb(0.2 + STEP)
    slope = (value(moved, "highs") - base) / STEP
    assert model.x.value == pytest.approx(0.2)
    assert model.rc[model.x] == pytest.approx(slope, rel=1e-6)
    assert (model.rc[model.x] > 0.4) == (sense == pyo.minimize)
    assert model.rc[model.y] == pytest.approx(0, abs=1e-9)


WITH_DUALS = [
    pytest.param(name, kind, marks=[pytest.mark.slow] if name.startswith("pyomo:") else [])
    for name, spec in SOLVERS.items()
    if spec.declared.duals
    for kind in sorted(spec.declared.classes)
    if not kind.startswith("MI")
]


@pytest.mark.parametrize(("name", "kind"), WITH_DUALS)
@pytest.mark.parametrize("seed", seeds(25))
def test_optimality_conditions(name, kind, seed, known) -> None:
    """Signs, complementarity and the optimal value, on all kinds of rows and bounds."""
    program = known(seed, kind).program
    solution = solve_program(program, name)
    assert solution.status is Status.OPTIMAL
    x, y, d = solution.x, solution.row_duals, solution.reduced_costs
    assert x is not None
    assert y is not None
    assert d is not None
    activity = program.activity(x)
    np.testing.assert_allclose(d, program.reduced_costs(x, y), atol=1e-12)
    for multiplier, value, lower, upper in (
        (y, activity, program.row_lower, program.row_upper),
        (d, x, program.lower, program.upper),
    ):
        strong = np.abs(multiplier) > 1e-5
        bound = np.where(multiplier > 0, lower, upper)
        np.testing.assert_allclose(value[strong], bound[strong], atol=1e-5)
    assert abs(solution.objective - solution.bound) <= 1e-5 * max(
        1.0, np.abs(activity).max(), np.abs(x).max()
    )
    assert np.count_nonzero(np.abs(y) > 1e-5) + np.count_nonzero(np.abs(d) > 1e-5) >= 2


def test_the_random_programs_are_not_trivial(known) -> None:
    for kind in (ProblemClass.LP, ProblemClass.QP, ProblemClass.QCQP):
        made = [known(seed, kind) for seed in range(25)]
        assert sum(np.count_nonzero(k.row_duals) >= 3 for k in made) >= 20
        assert all(np.count_nonzero(k.x) >= 3 for k in made)
