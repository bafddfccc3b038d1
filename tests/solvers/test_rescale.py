"""Scaled programs have the same solutions; a model says its scales by Pyomo's suffix."""

import json

import numpy as np
import pyomo.environ as pyo
import pytest
from refusals import refused
from small_programs import optimal

from radprog.base.errors import CapabilityError, DataError
from radprog.exporting import export, names_path, verify
from radprog.models.algebra import with_duals, with_scales
from radprog.solvers.answer import judge
from radprog.solvers.compile import scaling_of
from radprog.solvers.program import ProblemClass, SolveSettings, Status
from radprog.solvers.registry import solve_model
from radprog.solvers.rescale import Scaling


@pytest.mark.parametrize("kind", [ProblemClass.LP, ProblemClass.QP, ProblemClass.QCQP])
@pytest.mark.parametrize("seed", range(4))
def test_a_solution_comes_back(seed, kind, known) -> None:
    case, rng = known(seed, kind), np.random.default_rng(seed)
    program = case.program
    m, n = program.rows.shape
    scaling = Scaling(2.0 ** rng.integers(-9, 9, n), 2.0 ** rng.integers(-9, 9, m), 0.25)
    scaled, v = scaling.scaled(program), case.x * scaling.columns
    assert scaled.problem_class is kind
    assert scaled.objective(v) == pytest.approx(0.25 * case.objective, rel=1e-13)
    assert scaled.activity(v) == pytest.approx(scaling.rows * program.activity(case.x), rel=1e-12)
    told = optimal(v, scaled.objective(v), 0.25 * case.row_duals / scaling.rows)
    answer = judge(scaled, told, solver="s", version="1", seconds=0.0, settings=SolveSettings())
    assert answer.status is Status.OPTIMAL
    back = scaling.restored(answer, program)
    assert back.x == pytest.approx(case.x, rel=1e-15)
    assert back.row_duals == pytest.approx(case.row_duals, rel=1e-12)
    assert back.objective == pytest.approx(case.objective, rel=1e-13)
    reduced = program.reduced_costs(case.x, case.row_duals)
    assert back.reduced_costs == pytest.approx(reduced, abs=1e-9)
    assert back.violation == program.violation(back.x)


def test_integers_are_not_scaled(known) -> None:
    program = known(0, ProblemClass.MILP).program
    m, n = program.rows.shape
    Scaling(np.ones(n), np.full(m, 2.0), 4.0).scaled(program)
    refused(CapabilityError, "integer", Scaling(np.full(n, 2.0), np.ones(m), 1.0).scaled, program)


def small() -> pyo.ConcreteModel:
    """max 3e6 x + 2e6 y, x + y <= 4e-3, x <= 3e-3, y <= 2e-3: 11000 at (3e-3, 1e-3)."""
    model = pyo.ConcreteModel(name="small")
    model.x, model.y = pyo.Var(bounds=(0, 3e-3)), pyo.Var(bounds=(0, 2e-3))
    model.row = pyo.Constraint(expr=model.x + model.y <= 4e-3)
    model.objective = pyo.Objective(expr=3e6 * model.x + 2e6 * model.y, sense=pyo.maximize)
    return with_scales(with_duals(model), 1e4, {"x": 3e-3, "y": 1e-3, "row": 4e-3})


def test_a_model_is_solved_in_its_scales_and_told_in_its_units() -> None:
    model = small()
    scaling = scaling_of(model)
    assert scaling.objective == 2.0**-13
    assert scaling.columns.tolist() == [2.0**8, 2.0**10]
    assert scaling.rows.tolist() == [2.0**8]
    solution = solve_model(model, "highs")
    assert solution.status is Status.OPTIMAL
    assert solution.objective == pytest.approx(-11000)
    assert [model.x.value, model.y.value] == pytest.approx([3e-3, 1e-3])
    assert model.dual[model.row] == pytest.approx(2e6)
    assert model.rc[model.x] == pytest.approx(1e6)


@pytest.mark.parametrize("factor", [0.0, -1.0, float("inf"), "large"])
def test_a_scale_is_a_positive_number(factor) -> None:
    model = small()
    model.scaling_factor[model.x] = factor
    refused(DataError, "scaling_factor of x is", solve_model, model, "highs")


@pytest.mark.parametrize("suffix", [".lp", ".mps"])
def test_a_file_holds_the_scaled_program(tmp_path, suffix) -> None:
    path = tmp_path / f"small{suffix}"
    names = export(small(), path, expected=-11000.0)
    assert names == json.loads(names_path(path).read_text())
    assert names["expected_objective"] == -11000.0 / 2**13
    assert names["scale"] * names["expected_objective"] == 11000.0
    assert names["column_scale"] == {"x": 2.0**-8, "y": 2.0**-10}
    assert names["row_scale"] == {"row": 2.0**-8}
    verdict = verify(path)
    assert verdict.agrees
    x = {name: verdict.answer.x[name] * unit for name, unit in names["column_scale"].items()}
    assert x == pytest.approx({"x": 3e-3, "y": 1e-3})


def test_a_nonlinear_file_is_scaled_too(tmp_path) -> None:
    plain, path = small(), tmp_path / "small.nl"
    export(small(), path, expected=-11000.0)
    scaled = path.read_text().split("\nb")[1]
    plain.del_component(plain.scaling_factor)
    assert "column_scale" not in export(plain, path)
    assert path.read_text().split("\nb")[1] != scaled
