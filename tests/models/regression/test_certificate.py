"""Exact objectives, and bounds by pieces that no function of the class goes below."""

from fractions import Fraction

import numpy as np
import pytest
from effort import seeds
from rational import dot, image, matrix, numbers
from refusals import refused

from radprog.base.errors import DataError
from radprog.models.regression import certificate
from radprog.models.regression.certificate import FITTED, FREE, SATURATED
from radprog.models.regression.problem import (
    BoundedLoss,
    RegressionClass,
    regression_class,
    surely_definite,
)


def random_class(seed: int, n: int = 6) -> RegressionClass:
    rng = np.random.default_rng(seed)
    x, y = rng.uniform(-1, 1, n), rng.normal(size=n) * 10.0 ** rng.integers(-1, 3)
    loss = BoundedLoss(low=float(rng.choice([0.0, 0.1])), up=float(rng.choice([0.3, 1.0])))
    gamma = 10.0 ** rng.uniform(-2, 1)
    return regression_class(np.exp(-gamma * (x[:, None] - x) ** 2), y, loss)


def exact_parts(problem: RegressionClass, c: np.ndarray, b: float) -> list[Fraction]:
    """(|r_i| - low)_+ / up of every point, not clipped."""
    low, up = Fraction(problem.loss.low), Fraction(problem.loss.up)
    h = [value + Fraction(b) for value in image(matrix(problem.kernel), numbers(c))]
    off = (abs(y - v) - low for y, v in zip(numbers(problem.y), h, strict=True))
    return [max(part, Fraction()) / up for part in off]


def exact_norm(K: np.ndarray, c: np.ndarray) -> Fraction:
    """c'K c."""
    parts = numbers(c)
    return dot(parts, image(matrix(K), parts))


@pytest.mark.parametrize("seed", seeds(20))
def test_the_objective_is_the_exact_one_rounded_up(seed: int) -> None:
    problem, rng = random_class(seed), np.random.default_rng(seed + 1)
    c, b = rng.normal(size=problem.n) * 10.0 ** rng.integers(-3, 9), float(rng.normal())
    c[rng.integers(problem.n)] = 0.0
    total = sum((min(part, Fraction(1)) for part in exact_parts(problem, c, b)), Fraction())
    norm = exact_norm(problem.kernel, c)
    for C, exact in ((None, total), (1.7, norm / 2 + Fraction(1.7) * total)):
        assert exact <= certificate.value_up(problem, c, b, C) <= float(exact) * (1 + 1e-13)
    radius = float(norm) * 0.9
    inside = certificate.scale_into_ball(problem.kernel, c, radius)
    assert radius * (1 - 1e-12) <= exact_norm(problem.kernel, inside) <= radius


@pytest.mark.parametrize("seed", seeds(20))
def test_a_kernel_of_low_rank_is_positive_semidefinite_as_its_floats_are(seed: int) -> None:
    """By elimination in rational arithmetic; its values of 1e10 are rounded by more than 1e-6."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 7))
    X = np.column_stack([rng.normal(size=n) * 10.0 ** rng.integers(-2, 3), np.full(n, 98326.5)])
    exact = [[Fraction(value) for value in row] for row in surely_definite(X @ X.T).tolist()]
    left = np.array(exact, dtype=object)
    while left.size:
        assert left[0, 0] > 0
        left = left[1:, 1:] - np.outer(left[1:, 0], left[0, 1:]) / left[0, 0]
    whole = np.eye(3) + 0.5
    assert surely_definite(whole) is whole


@pytest.mark.parametrize("seed", seeds(20))
def test_no_function_is_below_a_piece(seed: int) -> None:
    """Whatever the multipliers: saturated points at 1, fitted ones at their convex loss."""
    problem, rng = random_class(seed), np.random.default_rng(seed + 2)
    n, A, C = problem.n, 2.0, 0.8
    states = rng.integers(0, 3, size=(30, n))
    g = certificate.balanced(rng.uniform(-1.5, 1.5, size=(30, n)), states)
    assert np.abs(g).max() <= 1.0
    assert np.abs(g.sum(axis=1)).max() <= 1e-14
    ivanov = certificate.piece_bounds(problem, states, g, A, None)
    tikhonov = certificate.piece_bounds(problem, states, g, None, C)
    for _ in range(10):
        c = certificate.scale_into_ball(problem.kernel, rng.normal(size=n), A)
        b = float(rng.choice(problem.y) + 0.1 * rng.normal())
        parts, norm = exact_parts(problem, c, b), exact_norm(problem.kernel, c)
        for row, first, second in zip(states, ivanov, tikhonov, strict=True):
            value = sum(
                (part if kind == FITTED else Fraction(int(kind == SATURATED)))
                for part, kind in zip(parts, row, strict=True)
            )
            assert Fraction(float(first)) <= value
            assert Fraction(float(second)) <= norm / 2 + Fraction(C) * value


def test_a_piece_is_as_sharp_as_its_program() -> None:
    """Two points a distance of 3 apart in y, kernel 2 and -2 between them: by hand."""
    K = np.array([[1.0, -1.0], [-1.0, 1.0]])
    problem = regression_class(K, np.array([0.0, 3.0]), BoundedLoss())
    states, g = np.array([[FITTED, FITTED]]), np.array([[-1.0, 1.0]])
    value = 3.0 - 2.0 * np.sqrt(1.5)  # sum |r| at w = sqrt(A), A = 1.5
    assert certificate.piece_bounds(problem, states, g, 1.5, None)[0] == pytest.approx(
        value, rel=1e-14
    )
    assert certificate.piece_bounds(problem, states, g, None, 0.5)[0] == pytest.approx(
        1.5 - 0.5, rel=1e-14
    )
    assert certificate.least_bound(problem, states * 0 + SATURATED, g, 1.5, None) == 2.0
    # targets t and -t, constants alone: 2 (t - low) / up
    for low in (0.0, 0.25):
        problem = regression_class(np.eye(2), np.array([0.75, -0.75]), BoundedLoss(low=low, up=1.0))
        bound = float(certificate.piece_bounds(problem, states, -g, 0.0, None)[0])
        assert bound <= 2 * (0.75 - low)
        assert bound == pytest.approx(2 * (0.75 - low), rel=1e-12)
    assert (
        certificate.value_up(problem, np.zeros(2), 1e9, None) == 2
    )  # saturated points count one each


def test_pieces_cover_or_not() -> None:
    tree = certificate.read_states(["f?f", "f?s", "sf?", "ss?"], 3)
    assert certificate.cover(tree)
    assert certificate.cover(np.full((1, 3), FREE))
    for row in range(4):
        assert not certificate.cover(np.delete(tree, row, axis=0))
    assert not certificate.cover(certificate.read_states(["ff?", "?ss", "s?f"], 3))
    assert certificate.spell_states(tree) == ["f?f", "f?s", "sf?", "ss?"]
    for words in ([], ["ff"], ["fx?"]):
        refused(DataError, "letters", certificate.read_states, words, 3)
