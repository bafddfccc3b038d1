"""Claims of a solver are recomputed: nothing false is called optimal, wherever it enters."""

from dataclasses import replace

import numpy as np
import pytest
from effort import seeds
from lies import LIES
from scipy import sparse
from small_programs import honest, make_program, one_row, optimal

from radprog.base.errors import SolverError
from radprog.solvers.answer import SolverAnswer, duality_gap, judge
from radprog.solvers.program import ProblemClass, Program, Solution, SolveSettings, Status
from radprog.solvers.registry import SOLVERS, solve_program
from radprog.solvers.violations import relative_violation

INSIDE = [name for name in SOLVERS if ":" not in name]
KINDS = (ProblemClass.LP, ProblemClass.QP, ProblemClass.QCQP)


def judged(program: Program, answer: SolverAnswer, tolerance=None, **how: bool) -> Solution:
    settings = SolveSettings(tol=tolerance, solver_options={"a": "b"})
    return judge(program, answer, solver="liar", version="1", seconds=0.5, settings=settings, **how)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("lie", LIES)
def test_judge_believes_none(lie, kind, known) -> None:
    for seed in range(3):
        case = known(seed, kind)
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
    adapter = spec.adapter()
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


def assert_true(found: Solution, case) -> None:
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


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", seeds(10))
def test_the_truth_passes(kind, seed, known) -> None:
    case = known(seed, kind)
    found = judged(case.program, honest(case))
    assert found.status is Status.OPTIMAL
    assert found.message == ""
    assert found.violation == pytest.approx(0, abs=1e-12)
    assert found.gap == pytest.approx(0, abs=1e-9)
    assert found.objective == pytest.approx(case.objective)
    assert (found.solver, found.version, found.seconds) == ("liar", "1", 0.5)
    assert found.options == {"a": "b"}


def test_a_feasible_point_that_is_not_optimal_is_called_feasible() -> None:
    """min x, x >= 1: claimed at x = 2 with the right value and the optimum's dual."""
    found = judged(one_row(), optimal(2.0, 2.0, 1.0))
    assert found.status is Status.FEASIBLE
    assert found.gap == pytest.approx(0.5)
    assert "gap of 1" in found.message
    # min x, x >= 1, x >= 0: a dual of 0.99 leaves 1 %, however much the solver was allowed
    program = replace(one_row(), lower=np.zeros(1))
    assert judged(program, optimal(1.0, 1.0, 0.99), 1e-3).status is Status.FEASIBLE
    # min x^2, x >= 0 as a row: at 0 no term of a reduced cost is there
    squares = sparse.csc_array([[2.0]])
    program = replace(one_row(), cost=np.zeros(1), row_lower=np.zeros(1), quadratic=squares)
    assert judged(program, optimal(0.0, 0.0, 0.0)).status is Status.OPTIMAL


def test_an_optimum_at_what_stands_for_infinity_is_none() -> None:
    program = replace(one_row(), row_lower=np.array([-np.inf]))
    found = judged(program, optimal(-1e20, -1e20), convex=False)
    assert (found.status, found.claim) == (Status.FAILED, Status.UNBOUNDED)
    assert (found.x, found.bound) == (None, None)
    assert "stands for infinity" in found.message


def test_multipliers_at_missing_bounds_count_in_the_gap() -> None:
    program = one_row()
    x = np.array([1.0])
    assert duality_gap(program, x, np.array([1.0]), np.array([0.0])) == 0
    # a negative dual points to the upper bound, which the row does not have
    assert duality_gap(program, x, np.array([-0.5]), np.array([0.0])) == pytest.approx(0.5)
    # the column is free: its reduced cost must vanish, at x = 0 too
    assert duality_gap(program, 0 * x, np.array([0.0]), np.array([0.3])) == pytest.approx(0.3)


def test_what_violation_is_allowed() -> None:
    for tolerance, violation, status in (
        (None, 9e-7, Status.OPTIMAL),
        (None, 2e-6, Status.FAILED),
        (1e-9, 9e-7, Status.OPTIMAL),
        (1e-4, 9e-4, Status.FEASIBLE),
        (1e-4, 2e-3, Status.FAILED),
    ):
        x = 1 - violation
        assert judged(one_row(), optimal(x, x, 1.0), tolerance).status is status
    # it is relative to the bound
    assert relative_violation(one_row(scale=1e6), np.array([1 - 1e-8])) == pytest.approx(1e-8)
    assert one_row(scale=1e6).violation(np.array([1 - 1e-8])) == pytest.approx(1e-2)


STOPPED = (Status.LIMIT, Status.INTERRUPTED)


@pytest.mark.parametrize("status", [s for s in Status if s is not Status.OPTIMAL])
def test_points_of_other_words(status) -> None:
    """Feasible ones are kept and recomputed, others and those of words without a point are not."""
    for x in (1.25, 0.25):
        answer = SolverAnswer(status=status, x=np.array([x]), claimed=77.0, message="so")
        found = judged(one_row(), answer)
        if status in (Status.FEASIBLE, *STOPPED) and x > 1.0:
            assert (found.status, found.message) == (status, "so")
            assert (found.objective, found.claimed, found.violation) == (1.25, 77.0, 0.0)
        else:
            assert (found.x, found.objective) == (None, None)
        if x < 1.0:
            assert found.status is (status if status in STOPPED else Status.FAILED)


def test_fractions_of_integers_are_violations() -> None:
    program = replace(one_row(), integer=np.array([True]))
    for value, status in ((3.0, Status.FEASIBLE), (3.2, Status.FAILED)):
        found = judged(program, optimal(value, value))
        assert (found.status, found.claimed_optimal) == (status, value == 3.0)


@pytest.mark.parametrize("status", [Status.OPTIMAL, Status.LIMIT])
@pytest.mark.parametrize("unit", [1.0, 1e-7])
def test_a_bound_beyond_the_point_refutes_the_claim(unit, status) -> None:
    """min x, 0 <= x <= 9, x whole: a search that says "nothing below 7" at x = 3."""
    program = make_program([unit], upper=9.0, integer=True)
    for bound, kept in ((7.0, None), (3.0 + 1e-9, 3.0 + 1e-9), (2.0, 2.0)):
        given = bound * unit
        answer = SolverAnswer(status=status, x=np.array([3.0]), claimed=3.0 * unit, bound=given)
        found = judged(program, answer)
        assert found.bound == (None if kept is None else given)
        assert found.claimed_optimal is (status is Status.OPTIMAL and kept is not None)
        assert ("beyond its own point" in found.message) is (kept is None)
