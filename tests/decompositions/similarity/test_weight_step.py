"""The weight step: two solvers on convex programs, enumeration of supports on the others."""

import itertools

import numpy as np
import pytest
from effort import seeds
from refusals import refused

from radprog.base.limits import OutOfBudget
from radprog.base.tolerances import WEIGHT_STEP_GAP
from radprog.base.types import FloatArray
from radprog.decompositions.loop import Budget
from radprog.decompositions.run import RunSettings
from radprog.decompositions.similarity.weight_step import (
    convex_minimum,
    curvature,
    paired_start,
    weight_step,
)
from radprog.models.similarity import problem as problems
from radprog.models.simplex import project
from radprog.solvers.dense.svm import paired_simplex_qp


def kernel_problem(seed: int, n: int) -> problems.Weighted:
    K = problems.Distances.of(np.random.default_rng(seed).normal(size=(n, 2))).gram(0.8)
    return problems.Weighted(s=K, size=K, lam=n / 2, upper=problems.kernel_box(n / 2))


def global_minimum(Q: FloatArray, b: FloatArray) -> float:
    """The least value over the simplex: a minimiser is stationary on the face of its support."""
    n, best = len(b), np.inf
    for size in range(1, n + 1):
        for support in itertools.combinations(range(n), size):
            face = np.ix_(support, support)
            system = np.zeros((size + 1, size + 1))
            system[:size, :size] = 2 * Q[face]
            system[:size, size] = system[size, :size] = 1.0
            found = np.linalg.lstsq(system, np.append(-b[list(support)], 1.0), rcond=None)[0][:size]
            if found.min() >= -1e-12 and abs(found.sum() - 1) < 1e-9:
                a = np.zeros(n)
                a[list(support)] = found
                best = min(best, float(a @ Q @ a + b @ a))
    return best


@pytest.mark.parametrize("seed", range(6))
def test_convex_step_agrees_with_a_second_solver(seed: int) -> None:
    problem = kernel_problem(seed, 30)
    Q, b = problem.quadratic(problems.indicator(np.random.default_rng(seed).integers(0, 3, 30), 3))
    assert curvature(Q).concave is None
    values = []
    for solver in (None, "highs"):
        a = convex_minimum(Q, b, problem.upper, Budget(), RunSettings(solver=solver))
        assert a.min() >= 0
        assert a.max() <= problem.upper * (1 + 1e-12)
        assert a.sum() == pytest.approx(1.0, abs=1e-12)
        values.append(float(a @ Q @ a + b @ a))
    assert values[0] == pytest.approx(values[1], abs=1e-7)


@pytest.mark.parametrize("seed", seeds(20))
def test_dca_reaches_the_global_minimum_of_small_programs(seed: int) -> None:
    """Relaxed labels, so that the program is not convex; the best of a few starts."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(5, 13))
    base = kernel_problem(seed, n)
    problem = problems.Weighted(s=base.s, size=base.size, lam=2.0, upper=1.0)
    Q, b = problem.quadratic(rng.normal(size=(n, 3)) * 1.5)
    assert curvature(Q).lowest < 0
    starts = [problem.uniform, *rng.dirichlet(np.full(n, 0.5), size=8)]
    answers = [weight_step(Q, b, 1.0, start, Budget(), gradient_steps=0)[0] for start in starts]
    assert all(answer.gap <= WEIGHT_STEP_GAP * n for answer in answers)
    assert min(answer.value for answer in answers) == pytest.approx(global_minimum(Q, b), abs=1e-6)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("box", [4.0, 1.5])
def test_pairwise_descent_ends_at_its_gap(seed: int, box: float) -> None:
    """Of labels and of relaxed ones, whose program is not convex; boxes of 4/n and less."""
    rng = np.random.default_rng(seed)
    problem = kernel_problem(seed, 40)
    for Y in (problems.indicator(rng.integers(0, 3, 40), 3), rng.normal(size=(40, 2))):
        Q, b = problem.quadratic(Y)
        whole = Q + np.add.outer(b, b) / 2.0
        found = paired_simplex_qp(whole, box / 40, 1e-4)
        a = project(found, box / 40)
        assert problems.frank_wolfe_gap(2 * Q @ a + b, a, box / 40) <= 1.01e-4
        assert paired_start(whole, box / 40, a, 1e-1) is a  # a rougher one is no better
    assert paired_simplex_qp(whole, 1 / 40, 1e-4) is None


def test_curvature_is_exact_on_the_simplex() -> None:
    rng = np.random.default_rng(0)
    A = rng.normal(size=(12, 12))
    Q = A + A.T
    split = curvature(Q)
    for a in rng.dirichlet(np.ones(12), size=5):
        value = a @ (split.convex - split.concave) @ a + split.slope @ a + split.constant
        assert value == pytest.approx(a @ Q @ a, abs=1e-10)
    for part in (split.convex, split.concave):
        assert np.linalg.eigvalsh(part)[0] >= -1e-10
    P = np.eye(12) - 1 / 12
    assert split.lowest == pytest.approx(np.linalg.eigvalsh(P @ Q @ P)[0])


def test_a_program_convex_on_the_plane_alone_is_found_convex() -> None:
    Q = np.eye(6) - 10.0  # indefinite, but 1'v = 0 sees the identity
    assert np.linalg.eigvalsh(Q)[0] < 0
    assert curvature(Q).concave is None


def test_spent_budget_ends_it() -> None:
    problem = kernel_problem(1, 20)
    Q, b = problem.quadratic(np.random.default_rng(1).normal(size=(20, 2)))
    given = Q, b, problem.upper, problem.uniform, Budget(interrupted=lambda: True)
    refused(OutOfBudget, "", weight_step, *given, gradient_steps=0)
