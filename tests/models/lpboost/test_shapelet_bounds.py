"""The margin bound of shapelet ensembles: counts of cells, Gaussian complexity, honesty."""

import math

import numpy as np
import pytest

from radprog.base.errors import OptionError
from radprog.models.lpboost.bounds import (
    gaussian_complexity,
    log_cells,
    shapelet_bound,
)


def test_counts_of_cells() -> None:
    found = log_cells(3, 4, 2)
    within = 3 * 6
    assert found["naive"] == pytest.approx(math.log(4**3))
    assert found["within_series"] == pytest.approx(math.log(1 + within + within * 17 / 2))
    assert found["all_pairs"] == pytest.approx(math.log(1 + 66 + 66 * 65 / 2))
    # one pattern per series leaves no choice
    assert log_cells(5, 1, 3)["naive"] == 0.0
    assert log_cells(5, 1, 3)["within_series"] == 0.0


@pytest.mark.parametrize(
    ("m", "Q", "length", "expected"),
    [(50, 136, 15, (246, 226, 168)), (67, 16, 9, (186, 106, 68))],
)
def test_counts_on_the_papers_sizes(m: int, Q: int, length: int, expected: tuple[int, ...]) -> None:
    found = log_cells(m, Q, length)
    names = ("naive", "all_pairs", "within_series")
    assert [found[name] for name in names] == pytest.approx(expected, abs=1.0)


def test_the_complexity_covers_one_cell_of_orthonormal_features() -> None:
    """G = E|s| / m for Q = 1 and orthonormal features: Lemma 3 as printed is below it."""
    m = 50
    exact = math.sqrt(2) * math.exp(math.lgamma((m + 1) / 2) - math.lgamma(m / 2)) / m
    assert math.sqrt((math.sqrt(2) - 1) / m) < exact
    assert gaussian_complexity(1.0, 1.0, 0.0, m) >= exact
    assert gaussian_complexity(2.0, 3.0, 0.0, m) == pytest.approx(6 / math.sqrt(m))


def test_the_complexity_covers_a_simulation() -> None:
    """E max over shapelets and signs of mean_i s_i max_j K(z, x_i^j) is below the bound."""
    rng = np.random.default_rng(0)
    m, Q, length = 12, 6, 2
    X = rng.normal(size=(m, Q, length))
    z = rng.normal(size=(3000, length)) * 2
    H = np.exp(-0.5 * ((X[None] - z[:, None, None]) ** 2).sum(axis=3).min(axis=2))
    simulated = float(np.abs(H @ rng.standard_normal((400, m)).T).max(axis=0).mean()) / m
    log_theta = min(log_cells(m, Q, length)[name] for name in ("naive", "within_series"))
    assert 0.1 < simulated < gaussian_complexity(1.0, 1.0, log_theta, m)


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
    assert bound.vacuous
    assert len(bound.caveats) == 2


def test_a_ball_has_only_the_naive_count() -> None:
    margins = np.full(10, 0.2)
    single = shapelet_bound(margins, 0.1, [(50, 3)], radius=1.0, R=1.0)
    ball = shapelet_bound(margins, 0.1, [(50, 3)], radius=1.0, R=1.0, single=False)
    assert ball.parameters["log_theta"] == pytest.approx(10 * math.log(50))
    assert ball.value > single.value
    assert any("Q^m" in caveat for caveat in ball.caveats)


def test_it_is_not_vacuous_with_enough_rows() -> None:
    bound = shapelet_bound(np.full(4_000_000, 0.5), 0.4, [(3, 2)], radius=1.0, R=1.0)
    assert not bound.vacuous
    assert bound.value < 0.2


@pytest.mark.parametrize(("rho", "delta"), [(0.0, 0.05), (-0.1, 0.05), (0.1, 0.0), (0.1, 1.0)])
def test_bad_parameters(rho: float, delta: float) -> None:
    with pytest.raises(OptionError, match=r"expected|needs"):
        shapelet_bound(np.ones(4), rho, [(3, 2)], radius=1.0, R=1.0, delta=delta)
