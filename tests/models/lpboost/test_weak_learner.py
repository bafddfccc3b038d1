"""The weak learner's explicit programs: primal = dual, QCQP = min-norm, MIP = enumeration."""

import itertools
from dataclasses import replace

import numpy as np
import pyomo.environ as pyo
import pytest
from effort import seeds

from radprog.base.errors import OptionError
from radprog.models.lpboost import weak_programs as module
from radprog.models.lpboost.weak_programs import (
    WeakStep,
    build_l1_dual,
    build_l1_mip,
    build_l1_step,
    build_min_norm,
    build_rkhs_step,
    gram_factor,
)
from radprog.solvers.program import SolveSettings
from radprog.solvers.registry import solve_model

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
    qcqp = build_rkhs_step(step)
    value = optimum(qcqp, "ipopt")
    alpha = np.array([qcqp.alpha[k].value for k in range(step.n)])
    assert alpha @ step.K @ alpha <= step.radius**2 * (1 + 1e-6)
    assert step.model_value(alpha) == pytest.approx(value, abs=1e-6)
    square = optimum(build_min_norm(step))
    assert value == pytest.approx(-step.radius * np.sqrt(square), rel=1e-6, abs=1e-7)
    assert optimum(build_rkhs_step(step), "clarabel") == pytest.approx(value, rel=1e-6)
    mass = build_min_norm(step)
    assert optimum(mass, "piqp") == pytest.approx(square, rel=1e-6, abs=1e-9)
    for q in step.negative.tolist():
        own = sum(mass.mass[q, j].value for j in range(step.Q))
        assert own == pytest.approx(step.d[q], abs=1e-9)


def enumerated(step: WeakStep) -> float:
    """The least of the convex steps of all Q^|pos| slopes: exact pricing over the l1 ball."""
    choices = itertools.product(range(step.Q), repeat=len(step.positive))
    slopes = [step.positive * step.Q + np.array(choice, dtype=np.intp) for choice in choices]
    return min(optimum(build_l1_step(replace(step, slopes=chosen))) for chosen in slopes)


@pytest.mark.parametrize("seed", range(4))
def test_exact_pricing_by_enumeration_and_as_a_mixed_integer_program(seed: int) -> None:
    step = tiny(seed)
    assert len(step.positive) >= 2
    model = build_l1_mip(step)
    value = optimum(model)
    assert value == pytest.approx(enumerated(step), abs=1e-7)
    assert value <= optimum(build_l1_step(step)) + 1e-9
    chosen = [sum(model.chosen[p, j].value for j in range(step.Q)) for p in step.positive.tolist()]
    assert chosen == pytest.approx([1.0] * len(step.positive))


def test_series_without_weight_are_left_out() -> None:
    step = tiny(0)
    weightless = set(np.flatnonzero(step.d == 0).tolist())
    assert len(weightless) == 1
    assert not weightless & {q for q, _ in step.rivals}
    assert not weightless & set(step.positive.tolist())


def test_weight_on_one_class_only() -> None:
    step = tiny(4)
    only = np.where(step.y > 0, step.d, 0.0)
    only /= only.sum()
    positive = replace(step, d=only)
    assert positive.rivals == []
    # without rivals the step is linear: all on the largest |a|
    assert optimum(build_l1_step(positive)) == pytest.approx(-np.abs(positive.a).max(), abs=1e-9)
    r = np.sqrt(only[positive.positive] @ positive.a[positive.slopes])
    assert optimum(build_rkhs_step(positive), "ipopt") == pytest.approx(-r, rel=1e-6)
    negative_d = np.where(step.y < 0, step.d, 0.0)
    negative_d /= negative_d.sum()
    negative = replace(step, d=negative_d, slopes=np.zeros(0, dtype=np.intp))
    value = optimum(build_l1_step(negative))
    assert value == pytest.approx(optimum(build_l1_dual(negative)), abs=1e-9)
    assert value < -0.01  # a similarity that is positive has negatives


def test_factors_of_kernel_matrices() -> None:
    step = tiny(2)
    R = gram_factor(step.K)
    np.testing.assert_allclose(R.T @ R, step.K, atol=1e-9)
    assert gram_factor(np.outer(np.arange(1.0, 5.0), np.arange(1.0, 5.0))).shape == (1, 4)


def test_programs_that_are_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    step = tiny(1)
    monkeypatch.setattr(module, "LARGEST_PROGRAM", 20)
    for build in (build_l1_step, build_l1_dual, build_l1_mip, build_rkhs_step, build_min_norm):
        with pytest.raises(OptionError, match=r"would have \d+ coefficients \(at most 20\)"):
            build(step)
