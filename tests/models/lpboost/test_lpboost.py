"""Programs (2) and (3), the weak learner's programs, and their values; settings of LPBoost."""

import itertools
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pyomo.environ as pyo
import pytest
from effort import examples, seeds
from hypothesis import given
from hypothesis import strategies as st
from rational import dot, image, matrix, numbers
from refusals import refused
from scipy import sparse

from radprog.base.errors import OptionError
from radprog.base.types import FloatArray
from radprog.models.lpboost import weak_programs as weak
from radprog.models.lpboost.problem import SoftMargin
from radprog.models.lpboost.programs import build_dual, build_primal
from radprog.models.lpboost.settings import LPBoost, parse_lengths
from radprog.models.lpboost.weak_programs import WeakStep
from radprog.models.score_arrays import ScoreRows
from radprog.solvers.program import SolveSettings, Status
from radprog.solvers.registry import solve_model

NUS = (1e-6, 0.05, 0.2, 0.37, 0.8, 1.0)


def instance(seed: int, nu: float, closed: bool = False) -> tuple[FloatArray, SoftMargin]:
    """T random hypotheses on m rows, with their negatives where ``closed``."""
    rng = np.random.default_rng(seed)
    m, T = int(rng.integers(2, 15)), int(rng.integers(1, 9))
    y = rng.permutation(np.where(np.arange(m) % 2 == 0, 1.0, -1.0))
    H = rng.normal(size=(T, m)) + 0.3 * y
    return np.concatenate([H, -H]) if closed else H, SoftMargin(y=y, nu=nu)


def exact_value(margins: Sequence[float | Fraction], nu: float) -> Fraction:
    """Program (2) at these margins in rational arithmetic: the mean of the smallest nu m."""
    cap = min(Fraction(1), 1 / (Fraction(nu) * len(margins)))
    value, room = Fraction(), Fraction(1)
    for margin in sorted(margins):
        value += min(cap, room) * Fraction(margin)
        room -= min(cap, room)
    return value


@examples(150)
@given(st.integers(0, 10_000), st.sampled_from(NUS))
def test_the_value_at_given_weights(seed: int, nu: float) -> None:
    H, margin = instance(seed, nu)
    g = margin.y * (np.random.default_rng(seed).dirichlet(np.ones(len(H))) @ H)
    best, rho = float(exact_value(g.tolist(), nu)), margin.rho(g)
    assert margin.value(g) == pytest.approx(best, rel=1e-9, abs=1e-11)
    d = margin.worst_weights(g)
    assert d.sum() == pytest.approx(1.0)
    assert d.min() >= 0.0
    assert d.max() <= 1.0 / (nu * margin.m) + 1e-12
    attained = rho - np.maximum(0.0, rho - g).sum() / (nu * margin.m)
    assert attained == pytest.approx(best, rel=1e-9, abs=1e-11)


@examples(40)
@given(st.integers(0, 10_000), st.sampled_from(NUS))
def test_the_reported_value_is_not_above_the_exact_one(seed: int, nu: float) -> None:
    H, margin = instance(seed, nu)
    w = np.random.default_rng(seed).dirichlet(np.ones(len(H)))
    parts = numbers(w)
    exact = image(matrix((H * margin.y).T), parts)
    value = exact_value([g / sum(parts) for g in exact], nu)
    found = Fraction(margin.value_down(H, w))
    six_ulps = Fraction(6, 2**52)  # rounded down once, then by four, and what the sums may err
    assert value - six_ulps * max(abs(g) for g in exact) <= found <= value


@pytest.mark.parametrize("nus", [(0.1, 0.3, 0.7, 1.0), (0.3,)])
def test_the_bound_is_one_in_exact_arithmetic(nus: tuple[float, ...]) -> None:
    """Of a class of one hypothesis the optimum is known exactly, and d attains it: an edge that is
    rounded down, or a d that is not quite feasible, is a bound below the optimum without the
    rounding term; with it the bound is nowhere more than a few roundings above. With one nu a row
    binds."""
    below = 0
    for nu, seed in itertools.product(nus, range(40 if len(nus) > 1 else 60)):
        rng = np.random.default_rng(seed)
        m = int(rng.integers(3, 40))
        H, R = rng.normal(size=(1, m)) * 10.0 ** rng.uniform(-3, 3), int(len(nus) == 1)
        G = rng.normal(size=(R, m))
        exact = image(matrix(G), numbers(H[0]))
        h = [v if (v := float(e)) >= e else float(np.nextafter(v, np.inf)) for e in exact]
        rows = ScoreRows(G=sparse.csr_array(G), h=np.array(h), names=("row",) * R, of=("row",) * R)
        y = np.where(rng.random(m) < 0.5, 1.0, -1.0)
        margin = SoftMargin(y=y, nu=nu, rows=rows)
        optimum = exact_value((y * H[0]).tolist(), nu)
        mu = 10.0 ** rng.uniform(-3, 3, size=R)
        z = margin.feasible(np.append(margin.worst_weights(y * H[0]), mu))
        edge, largest = float(margin.edges(H, z).max()), float(np.abs(H).max())
        price = dot(numbers(h), numbers(z[m:]))
        below += Fraction(edge) + price < optimum
        bound = margin.bound(edge + margin.rounding(largest, z), z)
        size = 1 + sum(numbers(z[m:] @ np.abs(G)))
        assert optimum <= Fraction(bound) <= optimum + Fraction(largest) * m * size * 2**-46
    assert below  # the term is needed: by which nu depends on how a processor sums


@examples(60)
@given(st.integers(0, 10_000), st.sampled_from(NUS), st.booleans())
def test_feasible_weights(seed: int, nu: float, spread: bool) -> None:
    rng = np.random.default_rng(seed)
    margin = SoftMargin(y=np.ones(int(rng.integers(1, 20))), nu=nu)
    d = rng.normal(size=margin.m) * (10.0 if spread else 1e-9) + 1.0 / margin.m
    found = margin.feasible(d)
    assert found.sum() == pytest.approx(1.0, abs=1e-12)
    assert found.min() >= 0.0
    assert found.max() <= margin.cap * (1 + 1e-12)
    inside = margin.worst_weights(d)
    np.testing.assert_allclose(margin.feasible(inside), inside, atol=1e-9)
    # one shift of all that are neither 0 nor at the cap
    free = (found > 1e-9) & (found < margin.cap - 1e-9)
    shifts = (found - d)[free]
    np.testing.assert_allclose(shifts, shifts.mean() if len(shifts) else 0.0, atol=1e-9)


@pytest.mark.parametrize("nu", NUS)
@pytest.mark.parametrize("seed", seeds(12))
def test_the_two_programs_have_one_value(seed: int, nu: float) -> None:
    H, margin = instance(seed, nu, closed=seed % 2 == 0)
    tight = SolveSettings(tol=1e-10)
    primal, dual = build_primal(H, margin), build_dual(H, margin)
    found = solve_model(primal, "highs", tight)
    # at nu = 1 the weights 1/m, rounded, leave the margin without a bound
    assert found.claimed_optimal if nu == 1.0 else found.status is Status.OPTIMAL
    assert solve_model(dual, "highs", tight).status is Status.OPTIMAL
    gamma = pyo.value(dual.objective)
    assert pyo.value(primal.objective) == pytest.approx(gamma, rel=1e-8, abs=1e-8)
    if seed % 2 == 0:
        assert gamma >= -1e-9  # the class holds the negatives
    # the weights are the multipliers of the other program, worth the same without a solver
    own = np.array([primal.weight[t].value for t in primal.hypothesis])
    w = -np.array([dual.dual[dual.edge[t]] for t in dual.hypothesis])
    for weights in (own, w):
        assert weights.min() >= -1e-9
        assert weights.sum() == pytest.approx(1.0, abs=1e-8)
        assert margin.value(margin.y * (weights @ H)) == pytest.approx(gamma, rel=1e-7, abs=1e-8)
    d = margin.feasible(np.array([dual.d[i].value for i in dual.row]))
    assert margin.edges(H, d).max() == pytest.approx(gamma, rel=1e-7, abs=1e-8)
    assert nu < 1.0 or d == pytest.approx(np.full(margin.m, 1.0 / margin.m), abs=1e-9)
    # rho need not be unique, but the multiplier is one of them
    rho, g = dual.dual[dual.mass], margin.y * (w @ H)
    attained = rho - np.maximum(0.0, rho - g).sum() / (nu * margin.m)
    assert attained == pytest.approx(gamma, rel=1e-6, abs=1e-7 / (nu * margin.m))
    assert primal.dual[primal.convex] == pytest.approx(gamma, abs=1e-7)


def test_lengths() -> None:
    for text, span, expected in (
        (None, 150, (30,)),
        ("0.1,0.2,0.3,0.4", 150, (15, 30, 45, 60)),
        ("0.1,0.2,0.3,0.4", 24, (2, 4, 7, 9)),  # shares are rounded down
        ("0.3", 150, (45,)),  # and 0.3 x 150 is 45, whatever the binary digits say
        ("15, 0.1", 150, (15,)),
        ("0.1..0.4:3", 100, (10, 20, 40)),
        ("4..16:3", 100, (4, 8, 16)),
        ("1", 5, (1,)),
        ("5", 5, (5,)),
    ):
        assert LPBoost(length=text).lengths(span) == expected
    refused(OptionError, "a share of 9 points that rounds to 0", LPBoost(length="0.1").lengths, 9)
    refused(OptionError, "length 10: the series have 9 points", LPBoost(length="3,10").lengths, 9)
    assert parse_lengths("7,0.25") == [("7", 7.0), ("0.25", 0.25)]


TIGHT = SolveSettings(tol=1e-10)


def tiny(seed: int, *, m: int = 5, Q: int = 3, radius: float = 1.0) -> WeakStep:
    """Random patterns in the plane; every third instance has a series without weight."""
    rng = np.random.default_rng(seed)
    Z = rng.normal(size=(m * Q, 2))
    K = np.exp(-0.5 * ((Z[:, None] - Z) ** 2).sum(axis=2))
    y = np.where(np.arange(m) % 2 == 0, 1.0, -1.0)
    d = rng.dirichlet(np.ones(m))
    if seed % 3 == 0:
        d[int(rng.integers(m))] = 0.0
        d /= d.sum()
    positive = np.flatnonzero((y > 0) & (d > 0))
    slopes = positive * Q + rng.integers(0, Q, size=len(positive))
    return WeakStep(K=K, y=y, d=d, slopes=slopes, radius=radius)


def optimum(model: pyo.ConcreteModel, solver: str = "highs") -> float:
    solution = solve_model(model, solver, TIGHT if solver == "highs" else SolveSettings())
    assert solution.claimed_optimal
    return float(pyo.value(model.objective))


@pytest.mark.parametrize("seed", seeds(8))
def test_the_step_over_the_kernels_ball_and_its_dual(seed: int) -> None:
    step = tiny(seed, radius=1.0 + seed % 2)
    qcqp = weak.build_rkhs_step(step)
    value = optimum(qcqp, "ipopt")
    alpha = np.array([qcqp.alpha[k].value for k in range(step.n)])
    assert alpha @ step.K @ alpha <= step.radius**2 * (1 + 1e-6)
    # -a'alpha + sum_q d_q max_j (K alpha)_qj
    largest = (step.K @ alpha).reshape(-1, step.Q).max(axis=1)[step.negative]
    model = -step.a @ alpha + step.d[step.negative] @ largest
    assert model == pytest.approx(value, abs=1e-6)
    mass = weak.build_min_norm(step)
    square = optimum(mass)
    assert value == pytest.approx(-step.radius * np.sqrt(square), rel=1e-6, abs=1e-7)
    assert optimum(weak.build_rkhs_step(step), "clarabel") == pytest.approx(value, rel=1e-6)
    for q in step.negative.tolist():
        own = sum(mass.mass[q, j].value for j in range(step.Q))
        assert own == pytest.approx(step.d[q], abs=1e-9)
    R = weak.gram_factor(step.K)
    np.testing.assert_allclose(R.T @ R, step.K, atol=1e-9)
    assert weak.gram_factor(np.outer(step.a, step.a)).shape == (1, step.n)


def enumerated(step: WeakStep) -> float:
    """The least of the convex steps of all Q^|pos| slopes: exact pricing over the l1 ball."""
    choices = itertools.product(range(step.Q), repeat=len(step.positive))
    slopes = [step.positive * step.Q + np.array(choice, dtype=np.intp) for choice in choices]
    return min(optimum(weak.build_l1_step(replace(step, slopes=chosen))) for chosen in slopes)


def of_one_class(step: WeakStep, sign: float) -> FloatArray:
    """The weights of one class, of sum 1."""
    only = np.where(sign * step.y > 0, step.d, 0.0)
    return only / only.sum()


@pytest.mark.parametrize("seed", range(4))
def test_exact_pricing_by_enumeration_and_as_a_mixed_integer_program(seed: int) -> None:
    step = tiny(seed)
    assert len(step.positive) >= 2
    model = weak.build_l1_mip(step)
    value = optimum(model)
    assert value == pytest.approx(enumerated(step), abs=1e-7)
    assert value <= optimum(weak.build_l1_step(step)) + 1e-9
    chosen = [sum(model.chosen[p, j].value for j in range(step.Q)) for p in step.positive.tolist()]
    assert chosen == pytest.approx([1.0] * len(step.positive))


def test_weight_on_one_class_only() -> None:
    step = tiny(4)
    only = of_one_class(step, 1.0)
    positive = replace(step, d=only)
    assert positive.rivals == []
    # without rivals the step is linear: all on the largest |a|
    linear = optimum(weak.build_l1_step(positive))
    assert linear == pytest.approx(-np.abs(positive.a).max(), abs=1e-9)
    r = np.sqrt(only[positive.positive] @ positive.a[positive.slopes])
    assert optimum(weak.build_rkhs_step(positive), "ipopt") == pytest.approx(-r, rel=1e-6)
    negative = replace(step, d=of_one_class(step, -1.0), slopes=np.zeros(0, dtype=np.intp))
    value = optimum(weak.build_l1_step(negative))
    assert value == pytest.approx(optimum(weak.build_l1_dual(negative)), abs=1e-9)
    assert value < -0.01  # a similarity that is positive has negatives


def test_programs_that_are_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    step = tiny(1)
    monkeypatch.setattr(weak, "LARGEST_PROGRAM", 20)
    for name in ("l1_step", "l1_dual", "l1_mip", "rkhs_step", "min_norm"):
        build, words = getattr(weak, f"build_{name}"), r"would have \d+ coefficients \(at most 20\)"
        refused(OptionError, words, build, step)
