"""Support vector machine: exact bias, feasible points, values and the dual program."""

import math
from fractions import Fraction

import numpy as np
import pytest
from effort import examples
from hypothesis import given
from hypothesis import strategies as st
from rational import balanced, dot, image, matrix, numbers, products

from radprog.base.types import FloatArray
from radprog.models.svm import best_bias, build_svm_dual, svm_feasible, svm_values
from radprog.solvers.compile import compile_model
from radprog.solvers.program import ProblemClass
from radprog.solvers.registry import solve_model

scores = st.one_of(st.integers(-3, 3).map(float), st.floats(-50, 50))
scored = st.lists(st.tuples(scores, st.sampled_from([-1.0, 1.0])), min_size=1, max_size=12)


def hinge(scores: FloatArray, y: FloatArray, b: float) -> float:
    return sum(
        max(0.0, 1.0 - label * (s + b))
        for s, label in zip(scores.tolist(), y.tolist(), strict=True)
    )


@given(scored)
@examples(300)
def test_best_bias_is_the_best_of_all_kinks(pairs: list[tuple[float, float]]) -> None:
    scores, y = (np.array(column) for column in zip(*pairs, strict=True))
    best = min(hinge(scores, y, float(kink)) for kink in y - scores)
    assert hinge(scores, y, best_bias(scores, y)) <= best + 1e-9


def gram(m: int, seed: int) -> tuple[FloatArray, FloatArray]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(m, 3))
    y = np.where(X[:, 0] + 0.7 * rng.normal(size=m) > 0, 1.0, -1.0)
    y[:2] = 1.0, -1.0
    return np.exp(-0.3 * ((X[:, None] - X[None]) ** 2).sum(-1)), y


@given(st.integers(0, 10**6), st.floats(0.01, 100.0))
@examples(50)
def test_feasible_point_and_its_values(seed: int, C: float) -> None:
    """Any a is brought into the feasible set, and its dual value is below any primal value."""
    rng = np.random.default_rng(seed)
    K, y = gram(9, seed)
    a = svm_feasible(y, C, C * rng.normal(0.5, 1.0, size=9))
    assert a.min() >= 0.0
    assert a.max() <= C
    assert float(y @ a) == pytest.approx(0.0, abs=1e-12 * C * 9)
    primal, *_ = svm_values(K, y, C, svm_feasible(y, C, C * rng.random(9)))
    assert svm_values(K, y, 1.0, a)[2] <= primal


def test_feasible_leaves_a_feasible_point_alone() -> None:
    y, a = np.array([1.0, -1.0, 1.0]), np.array([0.25, 0.75, 0.5])
    assert svm_feasible(y, 1.0, a).tolist() == a.tolist()
    # 3 on the positive side, 1 on the negative: the positive side shrinks by a third.
    shrunk = svm_feasible(y, 2.0, np.array([2.0, 1.0, 1.0]))
    assert shrunk == pytest.approx(np.array([2 / 3, 1.0, 1 / 3]))
    # the point 0 has the bound 0 without a sign
    values = svm_values(np.eye(2), np.array([1.0, -1.0]), 3.0, np.zeros(2))
    assert values == pytest.approx((6.0, 0.0, 0.0), rel=1e-15)
    assert math.copysign(1.0, values[2]) == 1.0


@pytest.mark.parametrize("solver", ["piqp", "highs"])
@pytest.mark.parametrize(("seed", "C"), [(0, 1.0), (1, 0.05), (2, 20.0)])
def test_dual_program_has_no_gap(solver: str, seed: int, C: float) -> None:
    K, y = gram(12, seed)
    model = build_svm_dual(K, y, C)
    assert compile_model(model).problem_class is ProblemClass.QP
    solution = solve_model(model, solver)
    a = svm_feasible(y, C, solution.x)
    primal, *_ = svm_values(K, y, C, a)
    assert svm_values(K, y, 1.0, a)[2] == pytest.approx(primal, rel=1e-5)
    assert -solution.objective == pytest.approx(primal, rel=1e-5)


def badly_scaled(seed: int) -> tuple[FloatArray, FloatArray, float, FloatArray]:
    """K = XX' of columns from 1e-6 to 1e6, y, C from 1e-6 to 1e6, and any multipliers."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 12))
    X = np.round(rng.normal(size=(n, 3)), 2) * 10.0 ** rng.uniform(-6, 6, size=3)
    y = np.where(rng.random(n) < 0.5, 1.0, -1.0)
    y[:2] = 1.0, -1.0
    C = 10.0 ** rng.uniform(-6, 6)
    return X @ X.T, y, C, C * rng.random(n) * 10.0 ** rng.uniform(-12, 0, size=n)


@pytest.mark.parametrize("seed", range(60))
def test_objective_is_above_and_bound_below_exact_arithmetic(seed: int) -> None:
    K, y, C, a = badly_scaled(seed)
    a = svm_feasible(y, C, a)
    k, c = matrix(K), numbers(a * y)
    scores = image(k, c)
    norm = dot(c, scores)
    objective, bias, _ = svm_values(K, y, C, a)
    hinges = [max(0, 1 - int(t) * (s + Fraction(bias))) for t, s in zip(y, scores, strict=True)]
    value = norm / 2 + Fraction(C) * sum(hinges, Fraction())
    assert value <= Fraction(objective)
    assert float(Fraction(objective) - value) <= 1e-14 * objective
    bound = Fraction(svm_values(K, y, 1.0, a)[2])
    own = sum(numbers(a)) - norm / 2
    assert bound >= own - Fraction(1, 10**13) * (sum(numbers(a)) + norm)
    signs, best = numbers(y), Fraction()
    for point in balanced(signs, numbers(a)):
        c = products(signs, point)
        best = max(best, sum(point) - dot(c, image(k, c)) / 2)
    assert bound <= best
    assert bound <= Fraction(objective)
