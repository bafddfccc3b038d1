"""The margin bound of shapelet ensembles: counts of cells, Gaussian complexity, honesty."""

import itertools
import math

import numpy as np
import pytest
from refusals import refused
from scipy.optimize import minimize

from radprog.base.errors import OptionError
from radprog.models.lpboost.bounds import (
    cell_margin,
    gaussian_complexity,
    log_cells,
    shapelet_bound,
    vc_dimension,
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


def test_the_margin_of_cells_against_other_routes() -> None:
    """Orthonormal images: the distance of 0 from a path's differences, in closed form. Patterns in
    the plane: the widest place of every sector between lines. Else a quadratic program an order."""
    for n in range(2, 7):
        lower, upper = cell_margin(np.eye(n), radius=2.0)
        assert lower == upper == pytest.approx(2 / math.sqrt(n * (n * n - 1) / 12))
    Z = np.random.default_rng(0).normal(size=(6, 2))
    angles = np.linspace(0.0, np.pi, 1_000_001)
    u = np.stack([np.cos(angles), np.sin(angles)])
    values = np.array([a - b for i, a in enumerate(Z) for b in Z[:i]]) @ u
    sector = (np.abs(np.diff(np.sign(values), axis=1)).sum(axis=0) > 0).cumsum()
    sector = np.append(0, sector) % sector[-1]  # the last one is the first, turned by pi
    least = np.abs(values).min(axis=0)
    widest = min(least[sector == number].max() for number in np.unique(sector))
    assert cell_margin(Z @ Z.T)[0] == pytest.approx(widest, rel=1e-2)
    K = np.exp(-((Z[:4, None] - Z[:4]) ** 2).sum(axis=2))
    inverse, sizes = np.linalg.inv(K), []
    for order in itertools.permutations(range(4)):
        gaps = {"type": "ineq", "fun": lambda a, order=order: np.diff(a[list(order)]) - 1.0}
        start = np.argsort(order) * 2.0
        sizes.append(minimize(lambda a: a @ inverse @ a, start, constraints=gaps).fun)
    assert cell_margin(K)[0] == pytest.approx(max(sizes) ** -0.5, rel=1e-4)


def test_bounds_of_the_margin_hold_it(monkeypatch: pytest.MonkeyPatch) -> None:
    Z = np.random.default_rng(1).normal(size=(6, 3))
    K = np.exp(-((Z[:, None] - Z) ** 2).sum(axis=2))
    exact = cell_margin(K)
    monkeypatch.setattr("radprog.models.lpboost.bounds.MOST_ORDERED", 1)
    around = cell_margin(K)
    assert 0.5 * exact[0] < around[0] <= exact[0] * (1 + 1e-9)
    assert exact[1] <= around[1] * (1 + 1e-9) < 2 * exact[1]
    # a pattern that comes twice changes nothing
    twice = cell_margin(K[np.ix_([0, *range(6)], [0, *range(6)])])
    assert twice == pytest.approx(around)


def test_theorem_1_iii_as_printed_and_mended() -> None:
    """d* <= R Lambda / mu* is false for a few orthonormal images, (R' Lambda / mu*)^2 holds."""
    for n in range(2, 8):
        mu, d = cell_margin(np.eye(n))[0], vc_dimension("gauss", np.arange(n)[:, None])
        assert d == n - 1
        assert 1.0 / mu < d <= (math.sqrt(2) / mu) ** 2 * (1 + 1e-9)
    Z = np.random.default_rng(0).normal(size=(9, 3))
    assert (vc_dimension("linear", Z), vc_dimension("linear", Z[:3])) == (3, 2)
    assert vc_dimension("gauss", np.vstack([Z, Z])) == 8


def test_what_has_no_cells() -> None:
    refused(OptionError, "feature map", vc_dimension, "distance", np.eye(3))
    refused(OptionError, "at least 2", cell_margin, np.ones((3, 3)))
    refused(OptionError, "semidefinite", cell_margin, -np.eye(2))
