"""Hinge regressions of high rank by active sets: the answers of the interior-point method, bounded
by their own duals, without it on all columns."""

from dataclasses import replace

import numpy as np
import pytest

from radprog.solvers.dense import active_hinges
from radprog.solvers.dense.active_hinges import HIGH_RANK, solve_hinges_of_rank
from radprog.solvers.dense.hinges import HingeProgram, HingeSolution, solve_hinges


def hinges(rows: int, low: float = 0.05, **how) -> HingeProgram:
    """With a factor (n, r) of a Gaussian kernel, and kinks and slopes of sign vectors (rows, n)."""
    rng, n, up = np.random.default_rng(0), 260, 1.0
    X = rng.uniform(size=(n, 4))
    values, vectors = np.linalg.eigh(np.exp(-4.0 * np.square(X[:, None] - X).sum(axis=2)))
    F = (vectors * np.sqrt(np.maximum(values, 0.0)))[:, ::-1][:, : n - 20]
    y = np.sin(4.0 * X[:, 0]) + 0.3 * rng.standard_normal(n)
    maximised = rng.uniform(size=(rows, n)) < 0.5
    maximised[0] = False
    t1 = np.where(maximised, y + low + up, y - low)
    t2 = np.where(maximised, y - low - up, y + low)
    c = rng.integers(-1, 2, size=(rows, n)).astype(float) * (rows > 1) * how.get("costs", 1.0)
    return HingeProgram(F=F, t1=t1, t2=t2, c=c, box=(-8.0, 8.0), **how)


@pytest.fixture
def widths(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The numbers of columns that the interior-point method has been given."""
    seen: list[int] = []

    def watched(program: HingeProgram, **options) -> HingeSolution:
        seen.append(program.F.shape[1])
        return solve_hinges(program, **options)

    monkeypatch.setattr(active_hinges, "solve_hinges", watched)
    return seen


TIMES = {"costs": np.where(np.arange(260) % 3 == 0, 2.5, 1.0)}  # points that count several times


@pytest.mark.parametrize(
    "how",
    [
        *({"radius": 1.0}, {"radius": 3.0}, {"price": 20.0}, {"price": 10.0}),
        *({"radius": 3.0, **TIMES}, {"price": 10.0, **TIMES}),
    ],
)
def test_the_answers_are_those_of_the_interior_point_method(how, widths) -> None:
    program = hinges(3, **how)
    found = solve_hinges_of_rank(program)
    assert set(widths) == {HIGH_RANK}
    known = solve_hinges(program)
    np.testing.assert_allclose(found.value, known.value, rtol=1e-8)
    assert (found.bound <= found.value + 1e-12).all()
    assert (found.value - found.bound <= 1e-9 * (1.0 + np.abs(found.value))).all()
    np.testing.assert_allclose(found.w, known.w, atol=1e-3)
    np.testing.assert_allclose(found.b, known.b, atol=1e-3)
    np.testing.assert_allclose(found.multiplier, known.multiplier, rtol=1e-3)
    np.testing.assert_allclose(found.pull, known.pull, atol=1e-2)
    assert (np.abs(found.pull) <= how.get("costs", 1.0)).all()
    assert (np.linalg.norm(found.w, axis=1) <= how.get("radius", np.inf) * (1 + 1e-12)).all()
    # a start nearby is gone on from
    widths.clear()
    polls: list[int] = []
    same = solve_hinges_of_rank(program, start=found, poll=lambda: polls.append(1))
    assert len(polls) == 3  # from the solution each row is one step
    np.testing.assert_allclose(same.value, found.value, rtol=1e-9)
    moved = replace(program, c=np.where(np.arange(260) < 9, 0.0, program.c))
    other = solve_hinges_of_rank(moved, start=found)
    assert not widths
    np.testing.assert_allclose(other.value, solve_hinges(moved).value, rtol=1e-8)


def test_which_columns_interior_points_are_given(widths) -> None:
    """The leading ones; all of them where they are few, or where active sets give no answer."""
    program = hinges(1, radius=1.0)
    cases = (
        (hinges(1, low=0.0, radius=12.0), [HIGH_RANK]),
        (replace(program, F=program.F[:, :99]), [99]),
        (replace(program, F=program.F[:, :101]), [HIGH_RANK]),
        (hinges(1, radius=1e6), [HIGH_RANK, 240]),
    )
    for program, expected in cases:
        widths.clear()
        found = solve_hinges_of_rank(program)
        assert widths == expected
        np.testing.assert_allclose(found.value, solve_hinges(program).value, rtol=1e-7, atol=1e-6)
        assert np.isfinite(found.bound).all()


def test_a_radius_that_does_not_bind_has_no_multiplier(widths) -> None:
    values, vectors = np.linalg.eigh(np.eye(260) + 0.1)
    F = (vectors * np.sqrt(values))[:, ::-1]
    program = replace(hinges(1, low=0.0, radius=1e4), F=F)
    found = solve_hinges_of_rank(program)
    assert widths == [HIGH_RANK]
    assert found.multiplier[0] == 0.0
    assert 0.0 <= found.value[0] <= 1e-9
    np.testing.assert_allclose(program.F @ found.w[0] + found.b[0], program.t1[0], atol=1e-9)
