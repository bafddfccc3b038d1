"""Solvers in a process of their own: the same answer, or none at the limit."""

from __future__ import annotations

import threading
from dataclasses import replace

import numpy as np
import pyomo.environ as pyo
import pytest

import radprog as rp
from radprog.base.errors import ConvexityError, OptionError
from radprog.solvers import apart
from radprog.solvers.adapters import highs
from radprog.solvers.compile import compile_model
from radprog.solvers.dense.svm import svm_program
from radprog.solvers.program import SolveSettings, Status
from radprog.solvers.registry import solve_program

RNG = np.random.default_rng(3)
POINTS = RNG.normal(size=(30, 4))
Y = np.where(RNG.random(30) < 0.5, -1.0, 1.0)
ENDED = "it was ended at the limit"
PROGRAM = svm_program(POINTS @ POINTS.T, Y, 1.0)


@pytest.fixture
def large(monkeypatch) -> None:
    monkeypatch.setattr(apart, "LARGE_QUADRATIC", PROGRAM.quadratic.nnz)


@pytest.mark.parametrize("name", ["piqp", "highs"])
def test_the_answer_is_that_of_the_solver(monkeypatch, large, name: str) -> None:
    here = solve_program(PROGRAM, name)
    monkeypatch.setattr(apart, "HANDING_OVER", 1e6)
    there = solve_program(PROGRAM, name, SolveSettings(time_limit=1e6))
    assert there.status is here.status is Status.OPTIMAL
    assert np.array_equal(there.x, here.x)
    assert np.array_equal(there.row_duals, here.row_duals)


def test_at_the_limit_it_is_ended(monkeypatch, large) -> None:
    monkeypatch.setattr(apart, "HANDING_OVER", -1e6)
    answer = solve_program(PROGRAM, "piqp", SolveSettings(time_limit=1.0))
    assert (answer.status, answer.x) == (Status.LIMIT, None)
    assert answer.message == ENDED


def test_an_interrupt_ends_it(large) -> None:
    answer = solve_program(PROGRAM, "piqp", SolveSettings(time_limit=1e6, interrupt=lambda: True))
    assert answer.status is Status.INTERRUPTED


def test_its_errors_are_raised_here(monkeypatch, large) -> None:
    monkeypatch.setattr(apart, "HANDING_OVER", 1e6)
    with pytest.raises(OptionError, match="has no option 'none'"):
        solve_program(PROGRAM, "piqp", SolveSettings(time_limit=1e6, options={"none": "1"}))
    with pytest.raises(ConvexityError, match="not convex"):
        solve_program(
            svm_program(-np.ones((30, 30)), Y, 1.0), "piqp", SolveSettings(time_limit=1e6)
        )


def test_small_programs_and_those_without_a_limit_stay_here(monkeypatch) -> None:
    monkeypatch.setattr(apart, "isolated", None)
    assert solve_program(PROGRAM, "piqp", SolveSettings(time_limit=1e6)).x is not None
    monkeypatch.setattr(apart, "LARGE_QUADRATIC", 1)
    assert solve_program(PROGRAM, "piqp", SolveSettings(interrupt=lambda: False)).x is not None


def test_large_linear_programs_of_a_late_solver(monkeypatch) -> None:
    program = replace(PROGRAM, quadratic=None)
    monkeypatch.setattr(apart, "LARGE_LINEAR", program.rows.nnz)
    told = SolveSettings(time_limit=1e6)
    monkeypatch.setattr(apart, "HANDING_OVER", 1e6)
    here, there = solve_program(program, "scip"), solve_program(program, "scip", told)
    assert np.array_equal(there.x, here.x)
    monkeypatch.setattr(apart, "HANDING_OVER", -2e6)
    assert solve_program(program, "scip", told).message == ENDED
    assert solve_program(program, "highs", told).x is not None


def test_a_search_that_asks_for_no_limit_is_left_alone(monkeypatch, tmp_path) -> None:
    """As HiGHS's is on some programs with integers, by itself and from a file."""
    free = threading.Event()

    def endless(*_: object) -> None:
        free.wait()

    model = pyo.ConcreteModel()
    model.x = pyo.Var(domain=pyo.NonNegativeIntegers)
    model.row = pyo.Constraint(expr=2 * model.x <= 7)
    model.gain = pyo.Objective(expr=model.x, sense=pyo.maximize)
    path = tmp_path / "program.mps"
    rp.export(model, path)
    assert rp.solve(model, solver="highs", time_limit=1e6).objective == 3.0
    monkeypatch.setattr(apart, "HANDING_OVER", 1e6)
    asked = SolveSettings(time_limit=1e6, interrupt=lambda: True)
    assert solve_program(compile_model(model), "highs", asked).message != ENDED  # it hears it
    for name in ("solve", "solve_file"):
        monkeypatch.setattr(highs, name, endless)
    monkeypatch.setattr(apart, "HANDING_OVER", 0.0)
    answer = solve_program(compile_model(model), "highs", SolveSettings(time_limit=0.05))
    assert (answer.status, answer.message) == (Status.LIMIT, ENDED)
    assert solve_program(compile_model(model), "highs", asked).status is Status.INTERRUPTED
    told = rp.verify(path, time_limit=0.05).answer
    assert (told.status, told.message) == (Status.LIMIT, ENDED)
    free.set()
