"""Lies of a solver: nothing false is called optimal, wherever it enters."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from lies import LIES
from small_programs import honest, make_program, one_row, optimal

from radprog.base.errors import SolverError
from radprog.solvers.answer import SolverAnswer, judge
from radprog.solvers.program import ProblemClass, Program, Solution, SolveSettings, Status
from radprog.solvers.registry import SOLVERS, solve_program

INSIDE = [name for name in SOLVERS if ":" not in name]


def judged(program: Program, answer: SolverAnswer, convex: bool = True) -> Solution:
    how = {"solver": "liar", "version": "1", "seconds": 0.0, "settings": SolveSettings()}
    return judge(program, answer, **how, convex=convex)


@pytest.mark.parametrize("kind", [ProblemClass.LP, ProblemClass.QP, ProblemClass.QCQP])
@pytest.mark.parametrize("lie", LIES)
def test_judge_believes_none(lie, kind, known) -> None:
    for seed in range(3):
        case = known(seed, kind)
        assert judged(case.program, honest(case)).status is Status.OPTIMAL
        told = LIES[lie](case.program, honest(case))
        if isinstance(told, SolverAnswer):
            found = judged(case.program, told)
            assert_true(found, case)
            assert isinstance(found.status, Status)
            assert found.x is None or case.program.violation(found.x) < 1e-5


@pytest.mark.parametrize("lie", LIES)
@pytest.mark.parametrize("name", [name for name in INSIDE if name != "libsvm"])
def test_no_adapter_is_believed(name, lie, known, monkeypatch) -> None:
    spec = SOLVERS[name]
    adapter: Any = spec.adapter()
    for kind in ProblemClass:
        if not spec.takes(kind):
            continue
        case = known(1, kind)
        truth = honest(case)
        if case.row_duals is None:  # integers: any duals are a lie
            truth = replace(truth, row_duals=np.ones(len(case.program.row_lower)))
        monkeypatch.setattr(adapter, "solve", lambda p, s, c=case.program, t=truth: LIES[lie](c, t))
        try:
            found = solve_program(case.program, name)
        except SolverError as error:
            assert name in str(error)  # noqa: PT017
            continue
        assert_true(found, case)


def assert_true(found: Solution, case: Any) -> None:
    """What is called optimal is so, by multipliers that were repaired or computed here."""
    if found.status is Status.OPTIMAL:
        assert found.objective == pytest.approx(case.objective, rel=2e-6, abs=2e-9)
    assert found.status not in (Status.INFEASIBLE, Status.UNBOUNDED)


@pytest.mark.parametrize("size", [1e-3, 1.0, 1e6])
@pytest.mark.parametrize(("short", "proven"), [(1e-7, True), (1e-4, False), (0.05, False)])
def test_the_gap_that_is_a_proof(short, proven, size) -> None:
    """min size x, x >= 1, x >= 0 with the dual (1 - short) size: the gap is ``short``, relative."""
    found = judged(one_row(size, lower=0.0), optimal(1.0, size, size * (1.0 - short)))
    assert found.gap == pytest.approx(short)
    assert found.status is (Status.OPTIMAL if proven else Status.FEASIBLE)
    # a large gap, in units of 1 or more, speaks against the solver's word
    assert found.claimed_optimal == (short * size <= 1e-5 * max(1.0, size))


@pytest.mark.parametrize("side", ["row", "column"])
def test_a_point_outside_that_gains_by_it_is_not_optimal(side) -> None:
    """min 10 x - 10, x >= 1: x = 1 - 5e-7 is feasible within the tolerance, and better by 5e-6 than
    the optimum of 0, which is less than the gap that is allowed."""
    program, dual = replace(one_row(10.0), constant=-10.0), 10.0
    if side == "column":
        program, dual = replace(program, row_lower=np.array([-np.inf]), lower=np.ones(1)), 0.0
    x = 1 - 1e-6 / 2
    found = judged(program, optimal(x, 10 * x - 10, dual))
    assert (found.status, found.claimed_optimal) == (Status.FEASIBLE, True)
    assert "gains 5e-06" in found.message
    near = 1 - 5e-8  # a gain of 5e-7, next to an optimum of 0
    assert judged(program, optimal(near, 10 * near - 10, dual)).status is Status.FEASIBLE
    assert judged(program, optimal(1.0, 0.0, dual)).status is Status.OPTIMAL
    # 5e-7 of an optimum of 10
    assert judged(replace(program, constant=0.0), optimal(x, 10 * x, dual)).status is Status.OPTIMAL


@pytest.mark.parametrize("cost", [1.0, 0.0])
def test_an_unbounded_program_is_not_optimal(cost) -> None:
    """min cost x + 5e-6 z, x >= 1, z free: the gap at (1, 0) is small, but the multiplier of z
    points to a bound that it does not have."""
    program = make_program([cost, 5e-6], [[1.0, 0.0]], 1.0, lower=-np.inf)
    lie = optimal([1.0, 0.0], cost, cost)
    assert judged(program, lie).status is Status.FEASIBLE
    assert judged(replace(program, lower=np.zeros(2)), lie).status is Status.OPTIMAL


def test_stationary_points_of_nonconvex_programs_are_claims() -> None:
    """max x^2 over -1 <= x <= 1: x = 0 has the duals of an optimum."""
    program = make_program([0.0], [[1.0]], -1.0, 1.0, lower=-np.inf, quadratic=[[-2.0]])
    found = judged(program, optimal(0.0, 0.0, 0.0), convex=False)
    assert (found.status, found.claimed_optimal) == (Status.FEASIBLE, True)
    assert found.message.startswith("claimed optimal by liar: there is no dual proof")


def test_a_program_without_an_objective_is_proven_by_a_point() -> None:
    program = replace(one_row(0.0), integer=np.array([True]))
    assert judged(program, optimal(2.0, 0.0)).status is Status.OPTIMAL
