"""Certified upper bounds of the complexity, and bound (2)."""

import math

import numpy as np
import pytest
from convex_pieces import least_values
from effort import seeds
from refusals import refused
from small_data import sine_class

from radprog.base.errors import OptionError
from radprog.models.complexity import all_signs, draw_signs
from radprog.models.regression import bounds as theory
from radprog.models.regression import problem as problems


def make_class(n: int, seed: int, gamma: float = 1.0) -> problems.RegressionClass:
    return sine_class(n, seed, problems.BoundedLoss(up=1.5), gamma, noise=0.5)


@pytest.mark.thorough
@pytest.mark.parametrize("A", [0.0, 0.5, 10.0])
@pytest.mark.parametrize("seed", seeds(2, 1))
def test_bounds_lie_above_the_exact_complexity(A: float, seed: int) -> None:
    problem = make_class(6, seed)
    signs = all_signs(6, "rademacher")
    exact = least_values(problem, signs, A)
    assert np.all(theory.suprema_bounds(problem, signs, A) >= -exact - 1e-8)
    value = float(problems.complexity_terms(signs, -exact).mean())
    drawn = draw_signs(6, 400, seed, "rademacher")
    bounds = theory.upper_bounds(problem, drawn, A, "rademacher")
    assert [bound.name for bound in bounds] == ["trivial", "sampled", "net", "contraction"]
    assert value <= theory.smallest_bound(bounds).value + 1e-8
    assert theory.smallest_bound(bounds).value == min(bound.value for bound in bounds)
    if A == 0.0:
        assert theory.suprema_bounds(problem, signs, A) == pytest.approx(-exact, abs=1e-12)


def test_balanced_signs_use_no_bound_for_independent_ones() -> None:
    signs = draw_signs(8, 50, 0, "discrepancy")
    bounds = theory.upper_bounds(make_class(8, 0), signs, 1.0, "discrepancy")
    assert {bound.name for bound in bounds} == {"trivial", "sampled"}


def test_small_classes_get_a_useful_bound() -> None:
    problem, signs = make_class(100, 1, gamma=1e-3), draw_signs(100, 100, 0, "rademacher")
    upper = theory.smallest_bound(theory.upper_bounds(problem, signs, 1e-3, "rademacher"))
    assert upper.name == "sampled"
    assert upper.parameters["failure"] == 0.05
    assert upper.value < 0.2


def test_error_bound() -> None:
    bound = theory.error_bound(0.2, 0.15, 100, 0.05)
    assert bound.terms["confidence"] == pytest.approx(3 * math.sqrt(math.log(40) / 200))
    assert bound.value == pytest.approx(0.35 + 0.4074, abs=1e-4)
    many = theory.error_bound(0.2, 0.15, 100, 0.05, 100)
    assert many.terms["confidence"] == pytest.approx(0.6109, abs=1e-4)
    for delta in (0.0, 1.0, -1.0, float("nan")):
        refused(OptionError, "delta", theory.error_bound, 0.1, 0.1, 10, delta)
    refused(OptionError, ".", theory.error_bound, 0.1, 0.1, 10, 0.5, 0)


def test_degrees_of_freedom_grow_with_the_ball() -> None:
    """1 of constants, the ridge function of norm A between, rank + 1 where the ball is not bound
    to; criteria of as many degrees as points are infinite."""
    problem = make_class(12, 0, gamma=0.3)
    e = (problem.factor**2).sum(axis=0)
    degrees = [theory.degrees_of_freedom(problem, A) for A in (0.0, 0.1, 1.0, 10.0, 1e30)]
    assert degrees[0] == 1.0
    assert degrees == sorted(degrees)
    assert degrees[-1] == pytest.approx(problem.rank + 1)
    for ridge in (1e-3, 0.1):
        w = problem.factor.T @ (problem.y - problem.y.mean()) / (e + ridge)
        expected = 1.0 + (e / (e + ridge)).sum()
        assert theory.degrees_of_freedom(problem, float(w @ w)) == pytest.approx(expected, rel=1e-6)
    few, many = (theory.classical_criteria(0.2, d, 12) for d in (1.0, 2.0))
    assert few["bic"] == pytest.approx(0.2 * (1 + np.log(12) / 11))
    assert all(0.2 < few[key] < many[key] for key in few)
    assert theory.classical_criteria(0.2, 12.0, 12) == {"bic": None, "vc": None}
