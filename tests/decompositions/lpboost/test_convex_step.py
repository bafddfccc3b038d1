"""Generation of rows and columns: the values of the explicit programs, warm starts, limits."""

from typing import Any

import highspy
import numpy as np
import pyomo.environ as pyo
import pytest
from effort import examples, seeds
from hypothesis import given
from hypothesis import strategies as st

from radprog.base.errors import SolverError
from radprog.base.types import FloatArray, IntArray
from radprog.decompositions.loop import Budget
from radprog.decompositions.lpboost.convex_step import L1Step, MinNormStep, StepAnswer, least_norm
from radprog.models.lpboost import weak_programs
from radprog.models.lpboost.patterns import LazyGram, PatternKernel
from radprog.solvers.adapters.highs import Highs
from radprog.solvers.program import SolveSettings
from radprog.solvers.registry import solve_model


class Tiny:
    """m series with Q patterns in the plane, duplicates among them; weights and slopes by seed."""

    def __init__(self, seed: int, m: int = 6, Q: int = 4, kind: str = "gauss") -> None:
        self.rng = np.random.default_rng(seed)
        self.m, self.Q = m, Q
        Z = self.rng.normal(size=(m * Q, 2))
        Z[1] = Z[0]
        self.gram = LazyGram(PatternKernel(kind=kind, sigma=0.7 if kind == "gauss" else None), Z)
        self.y = self.rng.permutation(np.where(np.arange(m) % 2 == 0, 1.0, -1.0))
        self.positive = np.flatnonzero(self.y > 0)
        self.negative = np.flatnonzero(self.y < 0)

    def step(self, zeros: int = 0) -> tuple[FloatArray, IntArray]:
        """Random weights, ``zeros`` of them 0, and random slopes."""
        d = self.rng.dirichlet(np.ones(self.m))
        d[self.rng.permutation(self.m)[:zeros]] = 0.0
        slopes = self.positive * self.Q + self.rng.integers(0, self.Q, size=len(self.positive))
        return d / d.sum(), slopes

    def explicit(self, d: FloatArray, slopes: IntArray, radius: float) -> weak_programs.WeakStep:
        K, used = self.gram.rows(np.arange(len(self.gram))), d[self.positive] > 0
        return weak_programs.WeakStep(K=K, y=self.y, d=d, slopes=slopes[used], radius=radius)

    def value(self, d: FloatArray, slopes: IntArray, answer: StepAnswer) -> float:
        """The model at the answer's coefficients, by loops over the kernel."""
        scores = answer.alpha @ self.gram.rows(np.arange(len(self.gram)))[answer.patterns]
        total = -float(d[self.positive] @ scores[slopes])
        for q in self.negative:
            total += d[q] * max(scores[q * self.Q + j] for j in range(self.Q))
        return total


def optimum(model: pyo.ConcreteModel) -> float:
    solve_model(model, "highs", SolveSettings(tol=1e-10))
    return float(pyo.value(model.objective))


@pytest.mark.parametrize("kind", ["gauss", "linear", "distance"])
@pytest.mark.parametrize("seed", seeds(10))
def test_l1_generation_is_the_explicit_program(seed: int, kind: str, monkeypatch) -> None:
    tiny, radius = Tiny(seed, kind=kind), 1.0 + seed % 3
    solver = L1Step(tiny.gram, tiny.y, radius, 1e-12)
    for number, zeros in enumerate((0, 0, 1, 2, 1, 1)):  # one live program for all
        if number == 3:  # from here on it is cut back where it grows
            monkeypatch.setattr(L1Step, "unused_limit", 3)
        step = tiny.step(zeros)
        answer = solver(*step, Budget())
        explicit = tiny.explicit(*step, radius)
        value = optimum(weak_programs.build_l1_step(explicit))
        assert answer.value == pytest.approx(value, abs=1e-9)
        assert answer.bound == pytest.approx(value, abs=1e-9)
        assert answer.bound <= answer.value
        assert value == pytest.approx(optimum(weak_programs.build_l1_dual(explicit)), abs=1e-9)
        assert tiny.value(*step, answer) == pytest.approx(answer.value, abs=1e-12)
        assert np.abs(answer.alpha).sum() <= radius * (1 + 1e-12)
        assert len(np.unique(answer.patterns)) == len(answer.patterns)


@pytest.mark.parametrize("kind", ["gauss", "linear"])
@pytest.mark.parametrize("seed", seeds(10))
def test_the_point_of_least_norm_is_the_explicit_program(seed: int, kind: str) -> None:
    tiny, radius = Tiny(seed, kind=kind), 1.0 + seed % 3
    solver = MinNormStep(tiny.gram, tiny.y, radius, 1e-12)
    K = tiny.gram.rows(np.arange(len(tiny.gram)))
    for zeros in (0, 0, 1, 2):
        step = tiny.step(zeros)
        answer = solver(*step, Budget())
        square = max(0.0, optimum(weak_programs.build_min_norm(tiny.explicit(*step, radius))))
        # the root of a square of 1e-14 is noise of 1e-7
        assert answer.value == pytest.approx(-radius * np.sqrt(square), abs=3e-7)
        assert answer.bound <= answer.value
        assert answer.value - answer.bound <= 3e-7
        assert tiny.value(*step, answer) == pytest.approx(answer.value, abs=1e-10)
        block = K[np.ix_(answer.patterns, answer.patterns)]
        assert answer.alpha @ block @ answer.alpha <= radius**2 * (1 + 1e-9)


def test_nothing_to_gain_is_zero() -> None:
    """The negative series have the very patterns of the slopes: r = 0 and u = 0 is optimal."""
    Z = np.array([[0.0, 1.0], [2.0, 0.0], [0.0, 1.0], [2.0, 0.0]])
    gram = LazyGram(PatternKernel(kind="gauss", sigma=1.0), Z)
    for make in (L1Step, MinNormStep):
        answer = make(gram, np.array([1.0, -1.0]), 1.0)(np.full(2, 0.5), np.array([0]), Budget())
        assert answer.value == pytest.approx(0.0, abs=1e-7)
        assert answer.bound == pytest.approx(0.0, abs=1e-6)
        assert answer.bound <= answer.value


def test_a_step_that_fails_is_solved_again(monkeypatch: pytest.MonkeyPatch) -> None:
    tiny = Tiny(2)
    solver = L1Step(tiny.gram, tiny.y, 1.0, 1e-12)
    step = tiny.step()
    expected = solver(*step, Budget()).value
    claim, unknown = highspy.HighsModelStatus.kUnbounded, highspy.HighsModelStatus.kUnknown
    given: list[Any] = []
    run, status, said = Highs.run, Highs.getModelStatus, dict[int, Any]()

    def failing(highs: Highs) -> Any:
        ended = run(highs)
        said[id(highs)] = given.pop() if given else None
        return ended

    monkeypatch.setattr(Highs, "run", failing)
    monkeypatch.setattr(Highs, "getModelStatus", lambda h: said.get(id(h)) or status(h))
    # a claim has a second solve, without a basis; a failure has a third, by the primal method
    for words in ([claim], [unknown], [unknown, unknown]):
        given += words
        assert solver._minimise(*step, Budget(), None).value == pytest.approx(expected, abs=1e-12)
        assert not given
    given += [claim, claim]
    with pytest.raises(SolverError, match="a weak learner's step with status 'Unbounded'"):
        solver._minimise(*step, Budget(), None)


def test_a_step_met_before_is_not_solved_again() -> None:
    tiny = Tiny(3)
    solver = L1Step(tiny.gram, tiny.y, 1.0, 1e-12)
    d, slopes = tiny.step()
    d[tiny.positive[0]] = 0.0  # the slope of this row does not count
    answer = solver(d, slopes, Budget())
    assert solver(d, slopes, Budget()) is answer
    slopes[0] = tiny.positive[0] * tiny.Q + (slopes[0] + 1) % tiny.Q
    assert solver(d, slopes, Budget()) is answer
    assert solver(2.0 * d, slopes, Budget()).value == pytest.approx(2.0 * answer.value, abs=1e-9)
    slopes[1] = tiny.positive[1] * tiny.Q + (slopes[1] + 1) % tiny.Q
    fresh = L1Step(tiny.gram, tiny.y, 1.0, 1e-12)(d, slopes, Budget())
    assert solver(d, slopes, Budget()).value == pytest.approx(fresh.value, abs=1e-9)
    assert abs(fresh.value - answer.value) > 1e-6


@examples(60)
@given(st.integers(0, 10_000), st.integers(1, 12), st.integers(1, 4), st.booleans())
def test_least_norm_meets_its_optimality_conditions(seed, r, groups, singular) -> None:
    rng = np.random.default_rng(seed)
    factor = rng.normal(size=(2 if singular else r, r))
    K = factor.T @ factor
    owner = np.concatenate([np.arange(min(groups, r)), rng.integers(0, groups, r)])[:r]
    toward = K @ rng.normal(size=r)
    mass = rng.random(r) * (rng.random(r) < 0.6)
    for o in np.unique(owner):
        if mass[owner == o].sum() == 0:
            mass[np.flatnonzero(owner == o)[0]] = 1.0
    found = least_norm(K, toward, owner, mass)
    assert found.min() >= 0.0
    slope = K @ found - toward
    size = 1.0 + np.abs(toward).max() + np.abs(K).max()
    for o in np.unique(owner):
        own = owner == o
        assert found[own].sum() == pytest.approx(mass[own].sum(), rel=1e-9)
        # no move of mass within an owner descends
        used = own & (found > 1e-9)
        assert slope[used].max() <= slope[own].min() + 1e-6 * size
