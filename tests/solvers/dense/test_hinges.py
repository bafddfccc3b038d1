"""Batched hinge regressions: certified gaps, PIQP, hard shapes."""

from dataclasses import replace
from unittest.mock import Mock

import numpy as np
import pytest
from refusals import refused
from small_programs import make_program

from radprog.solvers.dense import active_hinges
from radprog.solvers.dense.active_hinges import HIGH_RANK, solve_hinges_of_rank
from radprog.solvers.dense.hinges import HingeProgram, HingeSolution, solve_hinges
from radprog.solvers.program import SolveSettings
from radprog.solvers.registry import solve_program


def instance(seed: int, B: int, n: int, r: int, **how) -> HingeProgram:
    rng = np.random.default_rng(seed)
    F = rng.normal(size=(n, r)) * 10.0 ** rng.uniform(-3, 0.5, size=r)
    y = rng.normal(size=(B, n))
    width = rng.choice([-1.0, 0.0, 0.3], size=(B, n))
    c = rng.choice([-1.0, 0.0, 1.0], size=(B, n))
    return HingeProgram(F=F - F.mean(axis=0), t1=y - width, t2=y + width, c=c, **how)


def by_piqp(program: HingeProgram, k: int, price: float) -> float:
    """Problem k with a price by PIQP on 2n slacks."""
    F, t1, t2, c = program.F, program.t1[k], program.t2[k], program.c[k]
    n, r = F.shape
    H, eye, none, slacks = np.hstack([F, np.ones((n, 1))]), np.eye(n), np.zeros((n, n)), 2 * n
    peer = make_program(
        np.concatenate([H.T @ c, np.ones(slacks)]),
        np.block([[-H, -eye, none], [H, none, -eye]]),
        row_upper=np.concatenate([-t1, t2]),
        lower=np.concatenate([np.full(r, -np.inf), [program.box[0]], np.zeros(slacks)]),
        upper=np.concatenate([np.full(r, np.inf), [program.box[1]], np.full(slacks, np.inf)]),
        quadratic=np.diag([price] * r + [0.0] * (1 + slacks)),
    )
    return float(solve_program(peer, "piqp", SolveSettings(tol=1e-10)).objective)


@pytest.mark.parametrize("seed", range(6))
def test_price_against_piqp(seed) -> None:
    price = float(10.0 ** np.random.default_rng(seed).uniform(-2, 1))
    program = instance(seed, 4, 15, 5, box=(-6.0, 6.0), price=price)
    found = solve_hinges(program)
    for k in range(4):
        assert found.value[k] == pytest.approx(by_piqp(program, k, price), rel=1e-7, abs=1e-7)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("radius", [1e-3, 1.0, 300.0])
def test_ball_is_certified_and_its_multiplier_is_the_price(seed, radius) -> None:
    program = instance(seed, 25, 20, 6, box=(-8.0, 8.0), radius=radius)
    t1, t2, c = program.t1, program.t2, program.c
    found = solve_hinges(program, tolerance=1e-11)
    norms = np.linalg.norm(found.w, axis=1)
    h = found.w @ program.F.T + found.b[:, None]
    value = (np.maximum(t1 - h, 0) + np.maximum(h - t2, 0) + c * h).sum(axis=1)
    assert np.allclose(found.value, value, rtol=1e-12)
    assert np.all(norms <= radius * (1 + 1e-12))
    assert np.all(found.bound <= found.value + 1e-12 * (1 + np.abs(value)))
    assert np.all(found.value - found.bound <= 1e-7 * (1 + np.abs(value)))
    active = np.flatnonzero(found.multiplier > 1e-3)
    assert np.allclose(norms[active], radius, rtol=1e-5)
    for k in active[:2]:
        price = float(found.multiplier[k])
        peer = by_piqp(program, k, price)
        total = found.value[k] + 0.5 * price * norms[k] ** 2
        assert total == pytest.approx(peer, rel=1e-6, abs=1e-6)


def test_flat_problems_stay_in_the_box() -> None:
    """All slopes -1 on one side: without the box the set of optima is a ray."""
    F, y, c = np.random.default_rng(0).normal(size=(10, 3)), np.zeros((1, 10)), -np.ones((1, 10))
    found = solve_hinges(HingeProgram(F=F, t1=y, t2=y, c=c, box=(-5.0, 5.0), radius=1.0))
    assert found.value[0] - found.bound[0] < 1e-8
    assert abs(found.b[0]) <= 5.0


def test_poll_may_stop_it_and_some_of_a_batch_are_taken() -> None:
    program = instance(6, 3, 10, 3, box=(-5.0, 5.0), price=2.0)
    stop = Mock(side_effect=KeyboardInterrupt("stop"))
    refused(KeyboardInterrupt, "stop", solve_hinges, program, poll=stop)
    some = program.take([2, 0])
    for name in ("c", "t1", "t2"):
        np.testing.assert_array_equal(getattr(some, name), getattr(program, name)[[2, 0]])
    assert some.price == 2.0


def test_batch_is_its_rows_and_row_by_row_products(monkeypatch) -> None:
    program = instance(5, 9, 14, 5, box=(-5.0, 5.0), radius=1.5)
    whole = solve_hinges(program)
    monkeypatch.setattr("radprog.solvers.dense.hinges._Shared.entries", 4 * 14)
    monkeypatch.setattr("radprog.solvers.dense.hinges._Shared.table", 0)
    parts = solve_hinges(program)
    assert np.allclose(whole.value, parts.value, rtol=1e-8)
    assert np.allclose(whole.w, parts.w, atol=1e-3)


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
