"""Searches with integers in a process of their own: the same answer, or none at the limit."""

import itertools

import pyomo.environ as pyo
import pytest
from bad_endings import ends_its_process, hears_its_caller, never_ends

import radprog as rp
from radprog.solvers import apart
from radprog.solvers.answer import SolverAnswer
from radprog.solvers.apart import AT_LIMIT, solve_apart
from radprog.solvers.compile import compile_model
from radprog.solvers.program import Program, SolveSettings, Status
from radprog.solvers.registry import solve_program


@pytest.fixture
def model() -> pyo.ConcreteModel:
    model = pyo.ConcreteModel()
    model.x = pyo.Var(domain=pyo.NonNegativeIntegers)
    model.row = pyo.Constraint(expr=2 * model.x <= 7)
    model.gain = pyo.Objective(expr=model.x, sense=pyo.maximize)
    return model


@pytest.fixture
def program(model) -> Program:
    return compile_model(model)


def after(questions: int) -> SolveSettings:
    """Settings whose interrupt is raised after so many looks at it."""
    asked = itertools.count()
    return SolveSettings(time_limit=1e6, interrupt=lambda: next(asked) >= questions)


@pytest.mark.parametrize("name", ["highs", "scip"])
def test_the_answer_is_that_of_the_solver(model, program, tmp_path, name: str) -> None:
    here = solve_program(program, name)
    there = solve_program(program, name, SolveSettings(time_limit=1e6))
    assert (there.status, there.claim, there.objective) == (here.status, here.claim, -3.0)
    path = tmp_path / "program.mps"
    rp.export(model, path)
    assert rp.verify(path, name, time_limit=1e6).answer.objective == -3.0


def test_one_that_hears_nothing_is_ended(program, monkeypatch) -> None:
    monkeypatch.setattr(apart, "HANDING_OVER", 0.0)
    answer = solve_apart(SolverAnswer, never_ends, program, SolveSettings(time_limit=0.05))
    assert (answer.status, answer.x, answer.message) == (Status.LIMIT, None, AT_LIMIT)
    assert solve_apart(SolverAnswer, never_ends, program, after(1)).message == AT_LIMIT


def test_an_interrupt_leaves_the_incumbent(program, monkeypatch) -> None:
    monkeypatch.setattr(apart, "HANDING_OVER", 1e6)
    answer = solve_apart(SolverAnswer, hears_its_caller, program, after(1))
    assert (answer.status, answer.message) == (Status.INTERRUPTED, "its incumbent")


def test_a_process_that_dies_is_an_error(program) -> None:
    with pytest.raises(RuntimeError, match="its process ended with -6"):
        solve_apart(SolverAnswer, ends_its_process, program, SolveSettings())
