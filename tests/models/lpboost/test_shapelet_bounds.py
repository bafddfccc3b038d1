"""The margin bound of shapelet ensembles: counts of cells, Gaussian complexity, honesty."""

import math

import numpy as np
import pytest
from refusals import refused

from radprog.base.errors import OptionError
from radprog.models.lpboost.bounds import gaussian_complexity, log_cells, shapelet_bound


def test_counts_of_cells() -> None:
    found = log_cells(3, 4, 2)
    within = 3 * 6
    assert found["naive"] == pytest.approx(math.log(4**3))
    assert found["within_series"] == pytest.approx(math.log(1 + within + within * 17 / 2))
    assert found["all_pairs"] == pytest.approx(math.log(1 + 66 + 66 * 65 / 2))
    # one pattern per series leaves no choice
    assert log_cells(5, 1, 3)["naive"] == 0.0
    assert log_cells(5, 1, 3)["within_series"] == 0.0


def test_the_complexity_covers_one_cell_of_orthonormal_features() -> None:
    """G = E|s| / m for Q = 1 and orthonormal features: Lemma 3 as printed is below it."""
    m = 50
    exact = math.sqrt(2) * math.exp(math.lgamma((m + 1) / 2) - math.lgamma(m / 2)) / m
    assert math.sqrt((math.sqrt(2) - 1) / m) < exact
    assert gaussian_complexity(1.0, 1.0, 0.0, m) >= exact
    assert gaussian_complexity(2.0, 3.0, 0.0, m) == pytest.approx(6 / math.sqrt(m))


def test_the_bound_is_the_sum_of_its_terms() -> None:
    margins = np.array([0.5, 0.1, 0.5, 0.4, -0.2])
    bound = shapelet_bound(margins, 0.4, [(4, 3), (2, 5)], radius=1.0, R=1.0, delta=0.1)
    assert bound.terms["margin_error"] == 0.4
    cells = [math.exp(min(log_cells(5, *size)[k] for k in ("naive", "within_series")))
             for size in ((4, 3), (2, 5))]  # fmt: skip
    assert bound.parameters["log_theta"] == pytest.approx(math.log(sum(cells)))
    G = gaussian_complexity(1.0, 1.0, bound.parameters["log_theta"], 5)
    assert bound.terms["complexity"] == pytest.approx(2 / 0.4 * math.sqrt(math.pi / 2) * G)
    assert bound.terms["confidence"] == pytest.approx(3 * math.sqrt(math.log(20) / 10))
    assert bound.value == pytest.approx(sum(bound.terms.values()))
    assert bound.to_dict()["vacuous"]
    assert len(bound.caveats) == 2


def test_a_ball_has_only_the_naive_count() -> None:
    margins = np.full(10, 0.2)
    single = shapelet_bound(margins, 0.1, [(50, 3)], radius=1.0, R=1.0)
    ball = shapelet_bound(margins, 0.1, [(50, 3)], radius=1.0, R=1.0, single=False)
    assert ball.parameters["log_theta"] == pytest.approx(10 * math.log(50))
    assert ball.value > single.value
    assert any("Q^m" in caveat for caveat in ball.caveats)
    many = shapelet_bound(np.full(4_000_000, 0.5), 0.4, [(3, 2)], radius=1.0, R=1.0)
    assert many.value < 0.2
    assert not many.to_dict()["vacuous"]
    for rho, delta in ((0.0, 0.05), (-0.1, 0.05), (0.1, 0.0), (0.1, 1.0)):
        how = {"radius": 1.0, "R": 1.0, "delta": delta}
        refused(OptionError, "expected|needs", shapelet_bound, margins, rho, [(3, 2)], **how)
