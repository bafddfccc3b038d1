"""Searches with integers in a process of their own: the same answer, or none at the limit."""

import itertools
from dataclasses import replace
from unittest.mock import Mock

import numpy as np
import pyomo.environ as pyo
import pytest
from bad_endings import ends_its_process, hears_its_caller, never_ends, pressed_at_the_incumbent
from refusals import refused
from small_models import small_model

import radprog as rp
from radprog.solvers import apart
from radprog.solvers.adapters import highs
from radprog.solvers.answer import SolverAnswer
from radprog.solvers.apart import AT_LIMIT, solve_apart
from radprog.solvers.compile import compile_model
from radprog.solvers.program import Program, SolveSettings, Status
from radprog.solvers.registry import solve_program


@pytest.fixture
def model() -> pyo.ConcreteModel:
    model = small_model(lambda m: m.x, lambda m: 2 * m.x <= 7, sense=pyo.maximize, x=(0, None))
    model.x.domain = pyo.Integers
    return model


@pytest.fixture
def program(model) -> Program:
    return compile_model(model)


def knapsack(
    seed: int, shape: tuple[int, int], side: int, sense=pyo.maximize
) -> tuple[pyo.ConcreteModel, list[int]]:
    """Binaries with as many rows, at most ``side`` of a maximum, at least of a minimum; costs."""
    rng, columns, model = np.random.default_rng(seed), range(shape[1]), pyo.ConcreteModel()
    model.x = pyo.Var(columns, domain=pyo.Binary)
    *sizes, worth = rng.integers(20, 100, (shape[0] + 1, shape[1])).tolist()
    model.rows = pyo.ConstraintList()
    for row in sizes:
        size = pyo.sum_product(row, model.x, index=columns)
        model.rows.add(size <= side if sense == pyo.maximize else size >= side)
    model.worth = pyo.Objective(expr=pyo.sum_product(worth, model.x, index=columns), sense=sense)
    return model, worth


def after(questions: int) -> SolveSettings:
    """Settings whose interrupt is raised after so many looks at it."""
    asked = itertools.count()
    return SolveSettings(time_limit=1e6, interrupted=lambda: next(asked) >= questions)


@pytest.mark.parametrize("name", ["highs", "scip"])
def test_the_answer_is_that_of_the_solver(model, program, tmp_path, name) -> None:
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
    # one that hears it leaves its incumbent, and one that dies is an error
    monkeypatch.setattr(apart, "HANDING_OVER", 1e6)
    answer = solve_apart(SolverAnswer, hears_its_caller, program, after(1))
    assert (answer.status, answer.message) == (Status.INTERRUPTED, "its incumbent")
    how, words = (program, SolveSettings()), "its process ended with -6"
    refused(RuntimeError, words, solve_apart, SolverAnswer, ends_its_process, *how)


def test_a_short_search_needs_no_process(program, monkeypatch) -> None:
    monkeypatch.setattr(apart, "in_a_process", None)
    monkeypatch.setattr(apart, "START", 1e6)
    assert solve_program(program, "highs").objective == -3.0


@pytest.mark.usefixtures("ctrl_c")
def test_ctrl_c_keeps_the_incumbent_and_its_bound(model, monkeypatch) -> None:
    monkeypatch.setattr(apart, "HANDING_OVER", 1e6)
    monkeypatch.setattr(highs, "solve_search", apart.solve_apart)
    monkeypatch.setattr(highs, "_solve", pressed_at_the_incumbent)
    for how in ({}, {"time_limit": 1e6}):
        solution = rp.solve(model, "highs", **how)
        assert (solution.status, solution.objective, solution.bound) == ("interrupted", 3.0, 3.25)
        assert model.x.value == 3.0


@pytest.mark.parametrize("sense", [pyo.minimize, pyo.maximize])
def test_what_highs_keeps_while_it_searches(tmp_path, monkeypatch, sense) -> None:
    model, worth = knapsack(0, (5, 30), 700, sense)
    program, kept = compile_model(model), []
    monkeypatch.setattr(highs, "keep", kept.append)
    best = highs._solve(program, SolveSettings())
    assert kept[-1].bound <= best.claimed + 1e-6
    for answer in kept:
        assert answer.status is Status.INTERRUPTED
        if answer.x is not None:
            assert program.violation(answer.x) < 1e-6
            assert program.objective(answer.x) == pytest.approx(answer.claimed)
            assert answer.bound <= best.claimed + 1e-6 <= answer.claimed + 2e-6
    # a file, which may be a maximisation
    path = tmp_path / "program.lp"
    model.write(str(path), io_options={"symbolic_solver_labels": True})
    count = len(kept)
    done = highs._solve_file(path, SolveSettings())
    assert len(kept) > count
    for answer in kept[count:]:
        assert program.sense * answer.bound <= program.sense * done.objective + 1e-6
        if answer.x:
            values = [worth[int(name[2:-1])] * value for name, value in answer.x.items()]
            assert sum(values) == pytest.approx(answer.objective)


def test_a_search_begins_anew_in_a_process_with_the_same_end(tmp_path, monkeypatch) -> None:
    """The same nodes, point and bound; ended there, it leaves its beginning."""
    model, _ = knapsack(1, (9, 40), 900)
    program, how = compile_model(model), SolveSettings(solver_options={"mip_max_nodes": "200"})
    here = highs._solve(program, how)
    monkeypatch.setattr(apart, "START", 1e-3)
    there = highs.solve(program, how)
    assert (there.status, there.claimed, there.bound) == (here.status, here.claimed, here.bound)
    assert there.x.tolist() == here.x.tolist()
    path = tmp_path / "program.mps"
    rp.export(model, path)
    assert highs.solve_file(path, how).objective == pytest.approx(here.claimed)
    # with a log, all of it is another process
    logged = highs.solve(program, replace(how, log=str(tmp_path / "log")))
    assert logged.claimed == here.claimed
    assert (tmp_path / "log").read_text().count("Solving report") == 1
    # the rest has the time that is left, and no point
    first = SolverAnswer(status=Status.LIMIT, x=here.x, bound=-3.5)
    monkeypatch.setattr(highs, "_solve", Mock(return_value=first))
    nothing = Mock(return_value=SolverAnswer(status=Status.LIMIT, message=AT_LIMIT))
    monkeypatch.setattr(apart, "solve_apart", nothing)
    kept = highs.solve(program, replace(how, time_limit=5.0))
    assert 4.0 < nothing.call_args.args[-1].time_limit < 5.0
    assert (kept.status, kept.x.tolist(), kept.bound) == (Status.LIMIT, here.x.tolist(), -3.5)
    assert kept.message == AT_LIMIT
