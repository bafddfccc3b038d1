"""Ranges of a basis: inside them its value formula holds, outside it changes."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from effort import seeds
from refusals import refused
from small_programs import make_program

from radprog.base.errors import CapabilityError
from radprog.solvers.program import ProblemClass, Program, SolveSettings, Status
from radprog.solvers.questions.ranging import solve_ranged
from radprog.solvers.registry import solve_program

TIGHT = SolveSettings(tol=1e-9)
REACH = 5.0  # how far into an infinite range is looked


def value(program: Program) -> float:
    solution = solve_program(program, "highs", TIGHT)
    assert solution.status is Status.OPTIMAL
    return float(solution.objective)


def moved_row(program: Program, row: int, now: float, to: float) -> Program:
    """The binding side of a row moved; of an equation both."""
    lower, upper = program.row_lower.copy(), program.row_upper.copy()
    for side in (lower, upper):
        if abs(side[row] - now) <= 1e-8:
            side[row] = to
    return replace(program, row_lower=lower, row_upper=upper)


@pytest.mark.parametrize("seed", seeds(12))
def test_inside_the_ranges_the_formula_of_the_basis_holds_and_outside_not(known, seed) -> None:
    program = known(seed, ProblemClass.LP).program
    solution, found = solve_ranged(program, TIGHT)
    rng = np.random.default_rng(seed)
    f, activity = solution.objective, program.activity(solution.x)
    basic = np.isnan(found.side[0])  # which have no range
    assert not solution.row_duals[basic].any()

    def inside(low: float, high: float, now: float) -> float:
        assert low <= now + 1e-9
        assert now <= high + 1e-9
        return rng.uniform(max(low, now - REACH), min(high, now + REACH))

    for j in range(program.cost.size):
        to = inside(found.cost[0, j], found.cost[1, j], program.cost[j])
        cost = program.cost.copy()
        cost[j] = to
        formula = f + (to - program.cost[j]) * solution.x[j]
        assert value(replace(program, cost=cost)) == pytest.approx(formula, rel=1e-9, abs=1e-9)
    for i in np.flatnonzero(~basic):
        to = inside(found.side[0, i], found.side[1, i], activity[i])
        formula = f + (to - activity[i]) * solution.row_duals[i]
        there = value(moved_row(program, i, activity[i], to))
        assert there == pytest.approx(formula, rel=1e-9, abs=1e-9)
    # the objective at the ends is told, and outside it changes
    changed = 0
    for i, (side, step) in product(np.flatnonzero(~basic), ((0, -0.05), (1, 0.05))):
        end, told = found.side[[side, side + 2], i]
        if not np.isfinite(end):
            continue
        formula = f + (end - activity[i]) * solution.row_duals[i]
        assert told == pytest.approx(formula, rel=1e-9, abs=1e-9)
        outside = moved_row(program, i, activity[i], end + step)
        if np.any(outside.row_lower > outside.row_upper):
            continue
        there = solve_program(outside, "highs", TIGHT)
        formula += step * solution.row_duals[i]
        changed += 1
        if there.status is Status.OPTIMAL and not found.degenerate + len(found.movable):
            assert there.objective > formula + 1e-9  # the optimal value is convex
    assert changed


def corner(third: float) -> Program:
    """max x + y over x + 2y <= 4, 3x + y <= 6 and x + y <= third; the optimum has x + y = 2.8."""
    rows = [[1.0, 2.0], [3.0, 1.0], [1.0, 1.0]]
    return make_program([-1.0, -1.0], rows, row_upper=[4.0, 6.0, third])


def test_degenerate_bases_and_other_optima_are_counted() -> None:
    solution, plain = solve_ranged(corner(100.0), TIGHT)
    # x = 1.6, y = 1.2; the price of the first side is 2/5, valid from 2 to 12
    assert solution.row_duals[0] == pytest.approx(-0.4)
    assert plain.side[:2, 0] == pytest.approx([2.0, 12.0])
    assert plain.cost[:2, 0] == pytest.approx([-3.0, -0.5])
    assert (plain.degenerate, len(plain.movable)) == (0, 0)
    _, degenerate = solve_ranged(corner(2.8))  # three lines through one point
    assert degenerate.degenerate + len(degenerate.movable) > 0
    _, many = solve_ranged(corner(2.0))  # a whole edge is optimal
    assert len(many.movable) > 0


def test_without_an_optimum_or_with_other_classes_there_is_no_range(known) -> None:
    for kind in (ProblemClass.QP, ProblemClass.MILP):
        refused(CapabilityError, "linear", solve_ranged, known(0, kind).program)
    crossed = replace(corner(5.0), row_lower=np.array([5.0, -np.inf, -np.inf]))
    free = replace(corner(5.0), row_upper=np.full(3, np.inf))
    for program, status in ((crossed, Status.INFEASIBLE), (free, Status.UNBOUNDED)):
        solution, found = solve_ranged(program)
        assert (solution.status, found) == (status, None)


@pytest.mark.parametrize("seed", seeds(60))
def test_another_optimum_is_found_wherever_there_is_one(seed) -> None:
    """Programs of small integers: every column in turn at its ends on the optimal face."""
    rng = np.random.default_rng(seed)
    matrix, inside = rng.integers(-2, 3, size=(4, 4)) * 1.0, rng.integers(0, 3, 4)
    program = make_program(
        rng.integers(-1, 3, 4), matrix, row_lower=matrix @ inside - rng.integers(0, 2, 4),
        lower=0.0, upper=np.where(rng.random(4) < 0.5, 3.0, np.inf),
    )  # fmt: skip
    solution, found = solve_ranged(program, TIGHT)
    if solution.status is not Status.OPTIMAL:
        return
    face = program.with_rows(program.cost[None], *[[solution.objective]] * 2)
    ends = []
    for j, sign in product(range(4), (1.0, -1.0)):
        end = solve_program(replace(face, cost=sign * np.eye(4)[j]), "highs", TIGHT)
        ends.append(end.status is Status.UNBOUNDED or abs(end.x[j] - solution.x[j]) > 1e-6)
    other = solve_program(found.face, "highs", TIGHT).x
    assert (np.abs(other - solution.x).max() > 1e-6) == any(ends)
    assert len(found.movable) or not any(ends)
    assert program.violation(other) <= 1e-8
    assert program.objective(other) == pytest.approx(solution.objective, abs=1e-8)
