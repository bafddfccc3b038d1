"""The SVM dual through libsvm, against its optimality conditions and a QP solver."""

import numpy as np
import pytest
from rational import image, matrix, numbers
from small_programs import make_program

from radprog.base.types import FloatArray
from radprog.models.svm import best_bias
from radprog.solvers.dense.svm import solve_svm, solve_svm_active_set, solve_svm_interior
from radprog.solvers.program import Program, SolveSettings
from radprog.solvers.registry import solve_program


def points(seed: int, n: int = 40) -> tuple[FloatArray, FloatArray]:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, 3))
    y = np.where(x[:, 0] + 0.7 * rng.normal(size=n) > 0, 1.0, -1.0)
    y[:2] = (-1.0, 1.0)
    return np.exp(-0.3 * ((x[:, None] - x[None]) ** 2).sum(-1)), y


def dual_program(K: FloatArray, y: FloatArray, C: FloatArray, bias: bool) -> Program:
    n = y.size
    rows = y[None] if bias else ()
    return make_program(-np.ones(n), rows, 0.0, 0.0, upper=C, quadratic=K * np.outer(y, y))


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("seed", range(6))
def test_against_highs_and_the_optimality_conditions(seed, weighted, bias) -> None:
    K, y = points(seed)
    rng = np.random.default_rng(seed)
    C = np.where(rng.random(y.size) < 0.2, 0.0, 3 * rng.random(y.size)) if weighted else 1.0
    bound = np.broadcast_to(C, y.shape).astype(float)
    alpha, converged = solve_svm(K, y, C, tolerance=1e-8, bias=bias)
    assert converged
    assert (alpha >= 0).all()
    assert (alpha <= bound).all()
    assert np.count_nonzero(alpha > 1e-6) >= 5
    program = dual_program(K, y, bound, bias)
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


def test_one_class_has_the_trivial_answer() -> None:
    K, _ = points(0, 6)
    for label in (-1.0, 1.0):
        alpha, converged = solve_svm(K, np.full(6, label), 1.0)
        assert (alpha.max(), converged) == (0, True)
    # the other class has no weight
    y = np.array([1.0, 1.0, -1.0, 1.0, 1.0, 1.0])
    assert solve_svm(K, y, np.where(y > 0, 1.0, 0.0))[0].max() == 0


def test_nothing_to_do_without_weights() -> None:
    K, y = points(0, 6)
    for bias in (True, False):
        alpha, converged = solve_svm(K, y, 0.0, bias=bias)
        assert (alpha.max(), converged) == (0, True)


def test_the_cap_on_iterations_is_told() -> None:
    K, y = points(1, 200)
    alpha, converged = solve_svm(K, y, 1e3, tolerance=1e-10, max_iter=5)
    assert not converged
    assert (alpha >= 0).all()
    assert y @ alpha == pytest.approx(0, abs=1e-8)
    assert solve_svm(K, y, 1e3, tolerance=1e-3)[1]


def test_scaling_of_the_problem() -> None:
    """K -> t K with C -> C / t divides alpha by t."""
    K, y = points(2)
    one, _ = solve_svm(K, y, 1.0, tolerance=1e-9)
    other, _ = solve_svm(4 * K, y, 0.25, tolerance=1e-9)
    np.testing.assert_allclose(other, one / 4, atol=1e-6)


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
