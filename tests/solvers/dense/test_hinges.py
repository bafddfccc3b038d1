"""Batched hinge regressions: certified gaps, PIQP, hard shapes."""

from unittest.mock import Mock

import numpy as np
import pytest
from refusals import refused
from small_programs import make_program

from radprog.solvers.dense.hinges import HingeProgram, solve_hinges
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
