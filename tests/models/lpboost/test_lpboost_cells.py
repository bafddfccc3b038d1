"""Margins of cells and dimensions of Theorem 1 (iii) against other routes."""

import itertools
import math

import numpy as np
import pytest
from lpboost_cells import cell_margin, vc_dimension
from refusals import refused
from scipy.optimize import minimize

from radprog.base.errors import OptionError


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
    monkeypatch.setattr("lpboost_cells.MOST_ORDERED", 1)
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
