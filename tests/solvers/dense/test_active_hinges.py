"""Hinge regressions of high rank by active sets: the answers of the interior-point method, bounded
by their own duals, without it on all columns."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from radprog.solvers.dense import active_hinges
from radprog.solvers.dense.active_hinges import LEADING, solve_hinges_of_rank
from radprog.solvers.dense.hinges import HingeProgram, HingeSolution, solve_hinges


def hinges(n: int, rows: int, low: float = 0.05, **how: float) -> HingeProgram:
    """With a factor (n, r) of a Gaussian kernel, and kinks and slopes of sign vectors (rows, n)."""
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(n, 4))
    values, vectors = np.linalg.eigh(np.exp(-4.0 * np.square(X[:, None] - X).sum(axis=2)))
    F = (vectors * np.sqrt(np.maximum(values, 0.0)))[:, ::-1][:, : n - 20]
    y = np.sin(4.0 * X[:, 0]) + 0.3 * rng.standard_normal(n)
    maximised = rng.uniform(size=(rows, n)) < 0.5
    maximised[0] = False
    up = 1.0
    t1 = np.where(maximised, y + low + up, y - low)
    t2 = np.where(maximised, y - low - up, y + low)
    c = rng.integers(-1, 2, size=(rows, n)).astype(float) * (rows > 1)
    return HingeProgram(F=F, t1=t1, t2=t2, c=c, box=(-8.0, 8.0), **how)


@pytest.fixture
def widths(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The numbers of columns that the interior-point method has been given."""
    seen: list[int] = []

    def watched(program: HingeProgram, **options: Any) -> HingeSolution:
        seen.append(program.F.shape[1])
        return solve_hinges(program, **options)

    monkeypatch.setattr(active_hinges, "solve_hinges", watched)
    return seen


@pytest.mark.parametrize(
    "how", [{"radius": 1.0}, {"radius": 3.0}, {"price": 20.0}, {"price": 10.0}], ids=str
)
def test_the_answers_are_those_of_the_interior_point_method(how, widths) -> None:
    program = hinges(260, 3, **how)
    found = solve_hinges_of_rank(program)
    assert set(widths) == {LEADING}
    known = solve_hinges(program)
    np.testing.assert_allclose(found.value, known.value, rtol=1e-8)
    assert (found.bound <= found.value + 1e-12).all()
    assert (found.value - found.bound <= 1e-9 * (1.0 + np.abs(found.value))).all()
    np.testing.assert_allclose(found.w, known.w, atol=1e-3)
    np.testing.assert_allclose(found.b, known.b, atol=1e-3)
    np.testing.assert_allclose(found.multiplier, known.multiplier, rtol=1e-3)
    assert (np.linalg.norm(found.w, axis=1) <= how.get("radius", np.inf) * (1 + 1e-12)).all()
    # a start nearby is gone on from
    widths.clear()
    same = solve_hinges_of_rank(program, start=found)
    np.testing.assert_allclose(same.value, found.value, rtol=1e-9)
    moved = replace(program, c=np.where(np.arange(260) < 9, 0.0, program.c))
    other = solve_hinges_of_rank(moved, start=found)
    assert not widths
    np.testing.assert_allclose(other.value, solve_hinges(moved).value, rtol=1e-8)


def test_a_large_radius_needs_no_smaller_ones(widths) -> None:
    program = hinges(260, 1, low=0.0, radius=12.0)
    found = solve_hinges_of_rank(program)
    assert widths == [LEADING]
    np.testing.assert_allclose(found.value, solve_hinges(program).value, rtol=1e-7)


def test_a_radius_that_does_not_bind_has_no_multiplier(widths) -> None:
    program = hinges(260, 1, low=0.0, radius=1e4)
    values, vectors = np.linalg.eigh(np.eye(260) + 0.1)
    program = replace(program, F=(vectors * np.sqrt(values))[:, ::-1])
    found = solve_hinges_of_rank(program)
    assert widths == [LEADING]
    assert found.multiplier[0] == 0.0
    assert 0.0 <= found.value[0] <= 1e-9
    np.testing.assert_allclose(program.F @ found.w[0] + found.b[0], program.t1[0], atol=1e-9)


def test_from_the_solution_it_is_one_step() -> None:
    program, polls = hinges(260, 1, radius=3.0), list[int]()
    solve_hinges_of_rank(program, start=solve_hinges_of_rank(program), poll=lambda: polls.append(1))
    assert len(polls) == 1


def test_what_active_sets_do_not_solve_is_left_to_interior_points(widths) -> None:
    program = hinges(260, 1, radius=1e6)
    found = solve_hinges_of_rank(program)
    assert widths[-1] == program.F.shape[1]
    np.testing.assert_allclose(found.value, solve_hinges(program).value, atol=1e-6)
    assert np.isfinite(found.bound).all()


def test_few_columns_go_there_at_once(widths) -> None:
    program = hinges(260, 1, radius=1.0)
    solve_hinges_of_rank(replace(program, F=program.F[:, :150]))
    assert widths == [150]


@pytest.mark.parametrize("how", [{"radius": 3.0}, {"price": 10.0}], ids=str)
def test_points_that_count_several_times(how, widths) -> None:
    counts = np.where(np.arange(260) % 3 == 0, 2.5, 1.0)
    program = hinges(260, 2, **how)
    program = replace(program, c=program.c * counts, costs=counts)
    found = solve_hinges_of_rank(program)
    assert set(widths) == {LEADING}
    known = solve_hinges(program)
    np.testing.assert_allclose(found.value, known.value, rtol=1e-8)
    assert (found.value - found.bound <= 1e-9 * (1.0 + np.abs(found.value))).all()
    np.testing.assert_allclose(found.pull, known.pull, atol=1e-2)
    assert (np.abs(found.pull) <= counts).all()
