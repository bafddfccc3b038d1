"""``rp.read_program``: the model has the names, the optimum and the program of its file."""

import gzip

import pyomo.environ as pyo
import pytest
from program_files import PLAN
from refusals import refused
from tiny_programs import integer_model, linear_model

import radprog as rp
from radprog.solvers.compile import compile_model
from radprog.solvers.foreign import foreign_program
from radprog.solvers.questions.difference import differences

ODD = (
    "NAME odd;ROWS; N cost; L r1; G r2; E x; L empty;COLUMNS; x cost 1 r1 1; x r2 2;"
    " M 'MARKER' 'INTORG'; y cost -2.5 r1 1; y x 1; M 'MARKER' 'INTEND'; doc cost 1 x 1;RHS;"
    " RHS r1 4 r2 1; RHS x 2 cost -7; RHS empty 3;RANGES; R r1 2;BOUNDS; UP BND y 3; MI BND x;"
    " UP BND doc 5;ENDATA;"
).replace(";", "\n")


@pytest.mark.cases(20)
@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("form", ["mps", "lp", "mps.gz"])
def test_a_file_as_a_model(seed: int, form: str, tmp_path) -> None:
    model, points, (cost, _) = (integer_model, linear_model)[seed % 2](seed)
    total = sum(c * x for c, x in zip(cost, model.x.values(), strict=True)) + 3
    sense = pyo.maximize if seed % 3 else pyo.minimize
    model.cost = pyo.Objective(expr=total, sense=sense)
    path = tmp_path / f"p.{form}"
    rp.export(model, path)
    read = rp.read_program(path)
    one, other = foreign_program(path), compile_model(read)
    assert one is not None
    assert not list(differences(one, other))
    solution = rp.solve(read)
    assert solution.objective == rp.solve(path).objective
    assert (solution.x is not None) == bool(points)


def test_senses_ranges_and_names_that_are_taken(tmp_path) -> None:
    (tmp_path / "odd.mps").write_text(ODD)
    model = rp.read_program(tmp_path / "odd.mps")
    names = [part.name for part in model.component_objects((pyo.Var, pyo.Constraint))]
    assert names == ["x", "y", "doc_", "r1", "r2", "x_", "empty"]
    assert (model.r1.lower, model.r1.upper, model.x.lb, model.y.ub) == (2.0, 4.0, None, 3)
    assert rp.solve(model).objective == rp.solve(tmp_path / "odd.mps").objective == 2.5
    (tmp_path / "plan.lp.gz").write_bytes(gzip.compress(PLAN.format(order="x + z >= 3").encode()))
    model = rp.read_program(str(tmp_path / "plan.lp.gz"))
    assert model.objective.sense == pyo.maximize
    assert rp.solve(model).objective == rp.solve(tmp_path / "plan.lp.gz").objective


def test_names_of_suffixes_are_left_to_the_solution(tmp_path) -> None:
    text = "min\n 2 dual + 3 rc\nst\n rc: dual + rc >= 4\n dual: dual - rc <= 2\nend\n"
    (tmp_path / "dual.lp").write_text(text)
    model = rp.read_program(tmp_path / "dual.lp")
    assert rp.solve(model).objective == rp.solve(tmp_path / "dual.lp").objective == 9.0
    rows = (model.component(name) for name in ("rc__", "dual__"))
    assert ([model.dual[row] for row in rows], model.rc[model.rc_]) == ([2.5, -0.5], 0.0)


def test_squares(tmp_path) -> None:
    model = pyo.ConcreteModel()
    model.x = pyo.Var(range(2), bounds=(0, 4))
    model.row = pyo.Constraint(expr=model.x[0] + model.x[1] >= 3)
    square = model.x[0] ** 2 + model.x[0] * model.x[1] + 2 * model.x[1] ** 2 - model.x[1]
    model.cost = pyo.Objective(expr=square)
    rp.export(model, tmp_path / "q.mps")
    read = rp.read_program(tmp_path / "q.mps")
    assert abs(rp.solve(read).objective - rp.solve(model).objective) <= 1e-9


def test_refusals(tmp_path) -> None:
    refused(rp.OptionError, "path 3: expected", rp.read_program, 3)
    (tmp_path / "bad.mps").write_text(ODD.replace("BOUNDS", "BUNDS"))
    refused(rp.DataError, r"bad.mps", rp.read_program, tmp_path / "bad.mps")
