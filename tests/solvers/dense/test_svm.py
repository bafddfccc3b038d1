"""The SVM dual through libsvm, by interior points and by active sets, against each other, its
optimality conditions and a QP solver."""

import numpy as np
import pytest
from effort import examples
from hypothesis import given
from hypothesis import strategies as st
from rational import image, matrix, numbers
from small_programs import make_program

from radprog.base.types import FloatArray
from radprog.models.svm import best_bias, svm_feasible, svm_values
from radprog.solvers.dense.svm import solve_svm, solve_svm_active_set, solve_svm_interior
from radprog.solvers.program import SolveSettings
from radprog.solvers.registry import solve_program


def points(seed: int, n: int = 40) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Points in space, a Gaussian kernel of them, and labels of both classes."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    y = np.where(X[:, 0] + 0.7 * rng.normal(size=n) > 0, 1.0, -1.0)
    y[:2] = (-1.0, 1.0)
    return X, np.exp(-0.3 * ((X[:, None] - X[None]) ** 2).sum(-1)), y


def value(K: FloatArray, y: FloatArray, a: FloatArray) -> float:
    return float(a.sum() - 0.5 * (y * a) @ K @ (y * a))


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("seed", range(6))
def test_against_highs_and_the_optimality_conditions(seed, weighted, bias) -> None:
    _, K, y = points(seed)
    rng = np.random.default_rng(seed)
    C = np.where(rng.random(y.size) < 0.2, 0.0, 3 * rng.random(y.size)) if weighted else 1.0
    bound = np.broadcast_to(C, y.shape).astype(float)
    alpha, converged = solve_svm(K, y, C, tolerance=1e-8, bias=bias)
    assert converged
    assert (alpha >= 0).all()
    assert (alpha <= bound).all()
    assert np.count_nonzero(alpha > 1e-6) >= 5
    rows, quadratic = y[None] if bias else (), K * np.outer(y, y)
    program = make_program(-np.ones(y.size), rows, 0.0, 0.0, upper=bound, quadratic=quadratic)
    reference = solve_program(program, "highs", SolveSettings(tol=1e-10)).objective
    assert program.objective(alpha) == pytest.approx(reference, rel=1e-7)
    scores = K @ (y * alpha)
    if bias:
        assert y @ alpha == pytest.approx(0, abs=1e-10)
        scores += best_bias(scores, y, bound)
    margin = y * scores
    inside = (alpha > 1e-4) & (alpha < bound - 1e-4)
    np.testing.assert_allclose(margin[inside], 1, atol=1e-5)
    assert (margin[(alpha <= 1e-4) & (bound > 1e-3)] >= 1 - 1e-5).all()
    assert (margin[(alpha >= bound - 1e-4) & (bound > 1e-3)] <= 1 + 1e-5).all()


def test_one_class_or_no_weight_has_the_trivial_answer() -> None:
    _, K, y = points(0, 6)
    other = np.array([1.0, 1.0, -1.0, 1.0, 1.0, 1.0])  # whose second class has no weight
    cases = [(np.full(6, label), 1.0, True) for label in (-1.0, 1.0)]
    cases += [(y, 0.0, bias) for bias in (True, False)]
    for labels, C, bias in (*cases, (other, np.where(other > 0, 1.0, 0.0), True)):
        alpha, converged = solve_svm(K, labels, C, bias=bias)
        assert (alpha.max(), converged) == (0, True)


def test_the_cap_on_iterations_is_told() -> None:
    _, K, y = points(1, 200)
    alpha, converged = solve_svm(K, y, 1e3, tolerance=1e-10, max_iter=5)
    assert not converged
    assert (alpha >= 0).all()
    assert y @ alpha == pytest.approx(0, abs=1e-8)
    assert solve_svm(K, y, 1e3, tolerance=1e-3)[1]


@given(st.integers(0, 2**32 - 1), st.sampled_from([0.01, 1.0, 1e4]), st.booleans())
@examples(30)
def test_interior_points_are_optimal_and_feasible(seed, C, bias) -> None:
    """With a linear kernel of rank 3, where libsvm stalls."""
    X, _, y = points(seed, 30)
    K = X @ X.T
    a, converged = solve_svm_interior(K, y, C, bias=bias)
    assert converged
    assert a.min() >= 0.0
    assert a.max() <= C
    if bias:
        assert abs(y @ a) <= 1e-6 * C
        alpha = svm_feasible(y, C, a)
        primal, *_ = svm_values(K, y, C, alpha)
        assert primal - svm_values(K, y, 1.0, alpha)[2] <= 1e-6 * primal
        scores = K @ (alpha * y)
        scores += best_bias(scores, y)
        free = (alpha > 1e-4 * C) & (alpha < (1 - 1e-4) * C)
        assert np.abs(y * scores - 1)[free].max(initial=0.0) < 1e-4
    else:
        other, _ = solve_svm(K, y, C, bias=False, tolerance=1e-9)
        assert value(K, y, a) == pytest.approx(value(K, y, other), rel=1e-6)


@pytest.mark.parametrize("C", [1e9, 1e6, 0.05])
def test_active_sets_leave_no_loss_at_the_free_points(C) -> None:
    """In exact arithmetic their margins are 1 by far less than the ridge of the linear systems."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(30, 4))
    K, y = (1.0 + X @ X.T) ** 6, np.where(rng.normal(size=30) + X[:, 0] > 0, 1.0, -1.0)
    start, _ = solve_svm_interior(K, y, C)
    a = solve_svm_active_set(K, y, C, start, steps=8)
    assert a == pytest.approx(start, rel=1e-4, abs=1e-6 * start.max())
    assert abs(float(y @ a)) <= 1e-12 * a.sum()
    scores = image(matrix(K), numbers(a * y))
    biases = [int(y[i]) - scores[i] for i in np.flatnonzero((a > 0.0) & (a < C))]
    assert float(max(biases) - min(biases)) < 1e-11


def neighbours(seed: int, n: int = 40, rank: int = 60) -> tuple[FloatArray, FloatArray]:
    rng = np.random.default_rng(seed)
    y = np.where(np.arange(n) % 2 == 0, 1.0, -1.0)
    F = rng.normal(size=(n, rank)) / np.sqrt(rank) + 0.1 * y[:, None]
    return F @ F.T, y


@given(st.integers(0, 10**6), st.sampled_from([0.5, 3.0, 100.0]), st.booleans())
@examples(40)
def test_active_sets_from_the_solution_of_a_neighbour(seed, C, bias) -> None:
    """K moves by a tenth: the point is that of the interior-point method, to rounding errors."""
    K, y = neighbours(seed)
    start = solve_svm_interior(K, y, C, tolerance=1e-9, bias=bias)[0]
    moved = K + 0.1 * neighbours(seed + 1)[0]
    exact = solve_svm_interior(moved, y, C, tolerance=1e-11, bias=bias)[0]
    a = solve_svm_active_set(moved, y, C, start, bias=bias, steps=30)
    assert a.min() >= 0
    assert a.max() <= C
    if bias:
        assert abs(a @ y) < 1e-9 * C * len(y)
    assert value(moved, y, a) == pytest.approx(value(moved, y, exact), rel=1e-8)


def test_few_steps_are_enough_nearby_and_none_without_a_free_point() -> None:
    done = 0
    for seed in range(20):
        K, y = neighbours(seed)
        start = solve_svm_interior(K, y, 3.0, tolerance=1e-9)[0]
        moved = K + 0.01 * neighbours(seed + 1)[0]
        done += solve_svm_active_set(moved, y, 3.0, start, steps=6) is not None
    assert done >= 18
    assert solve_svm_active_set(K, y, 1e-9, np.full(40, 1e-9), steps=6) is None
    assert solve_svm_active_set(np.full((2, 2), np.nan), y[:2], 1.0, np.ones(2), steps=6) is None
