"""Cutting planes for a user's own program."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pyomo.environ as pyo
import pytest
from own_programs import Tour

from radprog.decompositions.own.cutting_planes import CutRun, Separated, cutting_planes
from radprog.decompositions.own.result import StoppedError
from radprog.instances.errors import CapabilityError
from radprog.solvers.registry import solve_model


def disc(sense: int = 1) -> tuple[pyo.ConcreteModel, Any]:
    """min x + y with x cos t + y sin t >= 1 for every t in [0, pi/2]: 2, at (1, 1)."""
    model = pyo.ConcreteModel()
    model.x, model.y = pyo.Var(bounds=(-5, 5)), pyo.Var(bounds=(-5, 5))
    direction = pyo.minimize if sense == 1 else pyo.maximize
    model.value = pyo.Objective(expr=sense * (model.x + model.y), sense=direction)
    angles = np.linspace(0.0, math.pi / 2, 501)

    def separate(values: Any) -> Separated:
        reach = values[model.x] * np.cos(angles) + values[model.y] * np.sin(angles)
        assert pyo.value(model.x) == values[model.x]
        t = angles[reach.argmin()]
        worst = float(reach.min())
        rows = [model.x * math.cos(t) + model.y * math.sin(t) >= 1] if worst < 1 - 1e-9 else []
        total = values[model.x] + values[model.y]
        return Separated(rows, sense * total / worst if worst > 0 else None)

    return model, separate


@pytest.mark.parametrize("sense", [1, -1])
def test_a_semi_infinite_program(sense: int) -> None:
    model, separate = disc(sense)
    run = cutting_planes(model, separate)
    assert run.certified
    assert run.objective == pytest.approx(2.0 * sense, rel=1e-6)
    assert sense * run.bound <= 2.0 + 1e-9
    assert sense * solve_model(run.model()).objective == pytest.approx(run.bound, rel=1e-6)
    assert (sense * run.multipliers >= -1e-9).all()


def test_the_subtour_program_of_sixty_cities() -> None:
    tour = Tour(60)
    run = cutting_planes(tour.model, tour.separate)
    assert run.certified
    assert len(run.rows) > 5
    point = run.model()
    assert tour.separate(run.values) == []
    assert solve_model(point).objective == pytest.approx(run.objective, rel=1e-9)


def test_whole_variables_are_relaxed_and_it_is_said() -> None:
    model, separate = disc()
    model.n = pyo.Var(domain=pyo.Binary)
    model.half = pyo.Constraint(expr=model.n == 0.5)
    run = cutting_planes(model, separate)
    assert run.relaxed
    assert "relaxed" in run.message


def test_infeasible_and_unbounded() -> None:
    model, _ = disc()
    run = cutting_planes(model, lambda v: [model.x >= 6] if v[model.x] < 6 else [])
    assert run.status == "infeasible"
    free = pyo.ConcreteModel()
    free.x = pyo.Var()
    free.row = pyo.Constraint(expr=free.x <= 1)
    free.value = pyo.Objective(expr=free.x)
    assert cutting_planes(free, lambda _: []).status == "unbounded"


def test_a_limit_keeps_the_bound() -> None:
    model, separate = disc()
    run = cutting_planes(model, separate, max_iter=2)
    assert run.reason == "max_iter"
    assert run.bound <= 2.0
    assert run.status in ("feasible", "limit")


def wrong(model: pyo.ConcreteModel) -> dict[str, tuple[Any, str]]:
    other = pyo.ConcreteModel()
    other.x, other.f = pyo.Var(), pyo.Var(initialize=1.0)
    other.f.fix()
    if not hasattr(model, "kept"):
        model.kept = pyo.Constraint(expr=model.x <= 5)
    return {
        "satisfied": (lambda _: [model.x >= -100], "meets all of them"),
        "another model": (lambda _: [other.x >= 100], "not in the model"),
        "not linear": (lambda _: [model.x**2 >= 100], "not linear"),
        "no row": (lambda _: [3.0], "row of the separator"),
        "no answer": (lambda _: 3, "expected inequalities"),
        "a bool": (lambda _: [False], "expected an inequality"),
        "value": (lambda _: Separated(value=math.nan), "value of nan"),
        "too good": (lambda _: Separated(value=-100.0), "value -100, beyond the bound"),
        "crash": (lambda _: {}[1], "KeyError"),
        "a constraint": (lambda _: [model.kept], "is kept: expected an inequality"),
        "another variable": (lambda v: [v[other.x] >= 1], "x is no variable of the model"),
        "another that is fixed": (lambda v: [v[other.f] >= 1], "f is no variable of the model"),
    }


@pytest.mark.parametrize("kind", sorted(wrong(disc()[0])))
def test_nonsense_is_named_and_what_was_found_is_kept(kind: str) -> None:
    model, separate = disc()
    answer, words = wrong(model)[kind]
    asked = []

    def separator(values: Any) -> Any:
        asked.append(1)
        return separate(values) if len(asked) < 3 else answer(values)

    with pytest.raises(StoppedError, match=words) as stopped:
        cutting_planes(model, separator)
    assert isinstance(stopped.value.run, CutRun)
    assert stopped.value.run.bound is not None
    assert len(stopped.value.run.trace) == 2


def test_fixed_variables_have_values_and_stay() -> None:
    """max x with x + f <= 3 for the fixed f = 1."""
    model = pyo.ConcreteModel()
    model.x, model.f = pyo.Var(bounds=(0, 5)), pyo.Var(initialize=1.0)
    model.f.fix()
    model.value = pyo.Objective(expr=model.x, sense=pyo.maximize)

    def separate(v: Any) -> Any:
        return model.x + model.f <= 3 if v[model.x] + v[model.f] > 3 + 1e-9 else None

    run = cutting_planes(model, separate)
    assert run.certified
    assert run.objective == pytest.approx(2.0)
    model.x.fix(4.0)  # then nothing is left to be solved for
    assert cutting_planes(model, lambda _: []).objective == 4.0
    assert cutting_planes(model, separate).status == "infeasible"


def test_a_model_that_is_not_linear() -> None:
    model, separate = disc()
    model.round = pyo.Constraint(expr=model.x**2 + model.y**2 <= 9)
    with pytest.raises(CapabilityError, match="need a linear program"):
        cutting_planes(model, separate)
