"""Sums with known rounding errors, against rational arithmetic."""

import tracemalloc
from fractions import Fraction

import numpy as np
import pytest
from rational import dot, image, matrix, numbers

from radprog.models.rounding import dot_up, down, hinge_up, products, sum_down, sum_up, up


def exact_products(A: np.ndarray, x: np.ndarray) -> list[Fraction]:
    return image(matrix(A), numbers(x))


def exact(value: np.longdouble) -> Fraction:
    """A number of extended precision is the sum of two floats."""
    high = float(value)
    return Fraction(high) + Fraction(float(value - high))


def spread(rng: np.random.Generator, *shape: int) -> np.ndarray:
    """Numbers over 20 orders of magnitude, of both signs: sums that cancel."""
    return rng.normal(size=shape) * 10.0 ** rng.uniform(-10, 10, size=shape)


@pytest.mark.parametrize(("n", "r"), [(1, 1), (3, 64), (5, 65), (4, 200), (2, 1000), (3, 0)])
def test_products_are_within_their_error(n: int, r: int) -> None:
    for seed in range(10):
        rng = np.random.default_rng(seed)
        A, x = spread(rng, n, r), spread(rng, r)
        values, errors = products(A, x)
        for value, error, truth in zip(values, errors, exact_products(A, x), strict=True):
            assert abs(exact(value) - truth) <= Fraction(float(error))
        size = np.abs(A) @ np.abs(x)
        assert (errors <= 1e-17 * (64 + r) * size * 8 + 1e-300).all()  # and no wild excuse


def test_products_hold_little_in_extended_precision() -> None:
    """Rows in more than one block, each with its own sum."""
    A, x = np.repeat(np.arange(3000.0)[:, None], 1000, axis=1), np.ones(1000)
    tracemalloc.start()
    values, _ = products(A, x)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert (values == 1000 * np.arange(3000)).all()
    assert peak < 12e6  # of which 8.4 for the sizes of the entries of a block


def test_sums_and_roundings_enclose() -> None:
    for seed in range(50):
        x = spread(np.random.default_rng(seed), 200)
        truth = sum(map(Fraction, x.tolist()), Fraction())
        assert Fraction(sum_down(x)) <= truth <= Fraction(sum_up(x))
        assert sum_up(x) - sum_down(x) <= 1e-15 * abs(float(truth)) + 1e-300
    assert up(0.0) == 0.0 == down(0.0)
    assert up(1.0) > 1.0 > down(1.0)
    assert up(-1.0) > -1.0
    assert sum_up(np.zeros(3)) == 0.0


@pytest.mark.thorough
def test_hinge_is_rounded_up_by_the_errors_of_its_margins() -> None:
    for seed in range(30):
        rng = np.random.default_rng(seed)
        A, x = rng.normal(size=(40, 90)), 3.0 * rng.normal(size=90)
        margins, errors = products(A, x)
        truth = sum((max(Fraction(0), 1 - t) for t in exact_products(A, x)), Fraction())
        value = hinge_up(margins, errors)
        assert truth <= Fraction(value)
        assert value <= float(truth) * (1 + 1e-14) + 1e-12
    assert hinge_up(np.zeros(7, dtype=np.longdouble), np.zeros(7)) == 7.0


def test_quadratic_forms_are_rounded_up() -> None:
    for seed in range(30):
        rng = np.random.default_rng(seed)
        A, x = spread(rng, 20, 20), spread(rng, 20)
        truth = dot(numbers(x), exact_products(A, x))
        value = dot_up(x, *products(A, x))
        assert truth <= Fraction(value)
        assert float(Fraction(value) - truth) <= 3e-16 * float(np.abs(x) @ np.abs(A) @ np.abs(x))
    assert dot_up(np.array([1e308]), np.array([1e308], dtype=np.longdouble), np.zeros(1)) == np.inf


def test_losses_that_floats_would_round_down_are_rounded_up_one_by_one() -> None:
    # 127 losses just below half a unit above 1, and one that the sum of the floats loses.
    above = np.full(127, 0.99, dtype=np.longdouble) * np.longdouble(2.0**-53)
    margins = np.concatenate([-above, [np.longdouble(1.0) - np.longdouble(0.49 * 2.0**-46)]])
    errors = np.full(128, 1e-30)
    assert sum(1 - exact(margin) for margin in margins) <= Fraction(hinge_up(margins, errors))


def test_errors_of_the_values_count_against_them() -> None:
    """Of all t within the errors the worst counts, for either sign."""
    value, error = np.array([0.5], dtype=np.longdouble), np.array([0.25])
    assert 0.75 <= hinge_up(value, error) <= 0.75 + 1e-15
    assert hinge_up(value + 1, error) < 1e-300
    for x, worst in ((2.0, 1.5), (-2.0, -0.5)):
        assert worst <= dot_up(np.array([x]), value, error) <= worst + 1e-14
