"""Batched hinge regressions: certified gaps, PIQP, hard shapes; the cone's algebra."""

import time
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from small_programs import make_program

from radprog.base.types import FloatArray
from radprog.solvers.dense.hinges import (
    ConeScaling,
    HingeProgram,
    divide,
    dot,
    lorentz,
    product,
    rate_out,
    solve_each,
    solve_hinges,
)
from radprog.solvers.program import SolveSettings
from radprog.solvers.registry import solve_program


def inside(rng: np.random.Generator, count: int, size: int) -> FloatArray:
    tail = rng.normal(size=(count, size))
    head = np.linalg.norm(tail, axis=1) + rng.exponential(size=count) + 1e-3
    return np.concatenate([head[:, None], tail], axis=1)


def test_scaling_maps_one_point_to_the_other() -> None:
    rng = np.random.default_rng(0)
    s, z, u = inside(rng, 30, 4), inside(rng, 30, 4), rng.normal(size=(30, 5))
    cone = ConeScaling(s, z)
    assert np.allclose(cone.times(z), cone.over(s), rtol=1e-9, atol=1e-9)
    assert np.allclose(cone.over(cone.times(u)), u, atol=1e-8)
    middle = cone.times(z)
    assert np.allclose(dot(middle, middle), dot(s, z))
    assert np.allclose(product(middle, divide(middle, u)), u, atol=1e-7)


def test_rate_is_where_the_cone_is_left() -> None:
    rng = np.random.default_rng(1)
    a, d = inside(rng, 200, 3), rng.normal(size=(200, 4)) * 3
    rate = rate_out(a, d)
    leaves = rate > 1e-9
    assert 20 < leaves.sum() < 200
    edge = a[leaves] + d[leaves] / rate[leaves, None]
    assert np.allclose(lorentz(edge, edge), 0.0, atol=1e-7)
    far = a[~leaves] + 1e3 * d[~leaves]
    assert np.all(lorentz(far, far) > 0)
    assert np.all(far[:, 0] > 0)


def test_singular_matrix_in_a_batch() -> None:
    found = solve_each(np.stack([np.eye(2), np.ones((2, 2))]), np.ones((2, 2)))
    assert np.allclose(found[0], 1.0)
    assert np.isfinite(found).all()


def instance(seed: int, B: int, n: int, r: int, **how: Any) -> HingeProgram:
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


def test_bound_holds_for_other_points() -> None:
    """No point of ball and box lies below the bound."""
    program = instance(3, 8, 12, 4, box=(-3.0, 3.0), radius=2.0)
    t1, t2, c = program.t1, program.t2, program.c
    found = solve_hinges(program)
    rng = np.random.default_rng(0)
    w = rng.normal(size=(2000, 4))
    w *= 2.0 * rng.uniform(size=(2000, 1)) / np.linalg.norm(w, axis=1, keepdims=True)
    h = w @ program.F.T + rng.uniform(-3, 3, size=(2000, 1))
    for k in range(8):
        values = np.maximum(t1[k] - h, 0) + np.maximum(h - t2[k], 0) + c[k] * h
        assert values.sum(axis=1).min() >= found.bound[k]


def test_flat_problems_stay_in_the_box() -> None:
    """All slopes -1 on one side: without the box the set of optima is a ray."""
    n = 10
    F = np.random.default_rng(0).normal(size=(n, 3))
    y = np.zeros((1, n))
    found = solve_hinges(
        HingeProgram(F=F, t1=y, t2=y, c=-np.ones((1, n)), box=(-5.0, 5.0), radius=1.0)
    )
    assert found.value[0] - found.bound[0] < 1e-8
    assert abs(found.b[0]) <= 5.0


def test_batch_is_its_rows_and_row_by_row_products(monkeypatch) -> None:
    program = instance(5, 9, 14, 5, box=(-5.0, 5.0), radius=1.5)
    whole = solve_hinges(program)
    monkeypatch.setattr("radprog.solvers.dense.hinges._Shared.entries", 4 * 14)
    monkeypatch.setattr("radprog.solvers.dense.hinges._Shared.table", 0)
    parts = solve_hinges(program)
    assert np.allclose(whole.value, parts.value, rtol=1e-8)
    assert np.allclose(whole.w, parts.w, atol=1e-3)


def test_poll_may_stop_it() -> None:
    program = instance(6, 3, 10, 3, box=(-5.0, 5.0), radius=1.0)
    started = time.process_time()

    def stop() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        solve_hinges(program, poll=stop)
    assert time.process_time() - started < 5


SOUND = HingeProgram(
    F=np.ones((4, 2)), t1=np.zeros((3, 4)), t2=np.ones((3, 4)), c=np.zeros((3, 4)),
    box=(-1.0, 1.0), radius=1.0,
)  # fmt: skip


def test_some_of_a_batch() -> None:
    some = replace(SOUND, c=np.arange(12.0).reshape(3, 4), radius=np.inf, price=2.0).take([2, 0])
    assert some.c[:, 0].tolist() == [8.0, 0.0]
    assert some.t1.shape == some.t2.shape == (2, 4)
    assert some.price == 2.0
