"""The bounds of the paper against simulation and scaling laws."""

import math

import numpy as np
import pytest
from effort import examples
from hypothesis import given
from hypothesis import strategies as st
from refusals import refused

from radprog.base.errors import OptionError
from radprog.models.complexity import fixed_point
from radprog.models.mkl import bounds


def test_risk_bounds_by_hand() -> None:
    first, second = bounds.excess_risks(0.1, 200, 0.05, 0.2)
    log = math.log(40)
    assert first.value == pytest.approx(0.4 + math.sqrt(2 * log / 200))
    assert second.value == pytest.approx(0.8 + 0.2 * math.sqrt(8 * log / 200) + 3 * log / 200)
    assert sum(second.terms.values()) == second.value
    assert bounds.excess_risks(0.3, 100, 0.05)[0].to_dict()["vacuous"] is True
    assert not bounds.excess_risks(0.0, 10**4, 0.05)[0].to_dict()["vacuous"]


def test_theorem_3_is_the_least_over_cutoffs() -> None:
    eigenvalues = np.array([0.1, 2.0, 0.5, 0.01])
    for r in (0.05, 0.3, 1.0, 5.0):
        terms = bounds.cutoff_terms(eigenvalues, r)
        assert terms.shape == (5,)
        assert terms.min() == pytest.approx(np.minimum(r, eigenvalues).sum())
        upper, lower = (bounds.theorem_3(eigenvalues, 50, r, lower=low) for low in (False, True))
        assert upper.value == pytest.approx(math.sqrt(2 / 50 * terms.min()))
        assert 0.0 < lower.value < upper.value
    # the global case has lost a factor in print
    bound = bounds.theorem_3(np.array([2.0, 1.0]), 50, math.inf)
    assert bound.value == pytest.approx(math.sqrt(2.0 * 3.0 / 50))


@given(st.floats(0.01, 1e3))
@examples(100)
def test_the_corrected_lower_bound_scales_like_a_complexity(s: float) -> None:
    """k -> s^2 k, r -> s^2 r scales the functions, and the complexity, by s."""
    eigenvalues, n, r = np.array([1e6, 4e4]), 10**4, 1e5
    first = bounds.theorem_3(eigenvalues, n, r, lower=True).value
    scaled = bounds.theorem_3(s**2 * eigenvalues, n, s**2 * r, lower=True).value
    assert scaled == pytest.approx(s * first)


def test_the_corrected_theorem_6_lies_above_a_complexity() -> None:
    """M uncorrelated kernels of rank one, radius 1, r = 1/M: the complexity is sqrt(r M / n)."""
    M, n = 400, 200_000
    assert bounds.theorem_6([np.array([1.0])] * M, n, 1 / M, 1.0).value > math.sqrt((1 / M) * M / n)


@pytest.mark.parametrize("norm", [1.0, 1.5, 2.0, 4.0])
def test_theorem_6_of_few_kernels_and_other_norms(norm: float) -> None:
    """Uncorrelated coordinates: the local complexity of {<w, x>: ||w||_{2,q} <= 1} by Monte Carlo,
    below, where w without the bound on the variance is the whole dual ball."""
    M, n, rng = 3, 400, np.random.default_rng(0)
    X = rng.choice([-1.0, 1.0], size=(n, M))
    q = 2.0 * norm / (norm + 1.0)
    signs = rng.choice([-1.0, 1.0], size=(300, n))
    suprema = np.linalg.norm(signs @ X / n, np.inf if q == 1.0 else q / (q - 1.0), axis=1)
    spectra = [np.array([1.0])] * M
    assert suprema.mean() < bounds.theorem_6(spectra, n, np.inf, 1.0, norm).value
    # a smaller ball of the same functions: r = 0.04 holds |w|_2 <= 0.2
    local = 0.2 * np.linalg.norm(signs @ X / n, axis=1).mean()
    values = [bounds.theorem_6(spectra, n, r, 1.0, norm).value for r in (0.04, 0.1, np.inf)]
    assert local < values[0] < values[1] <= values[2]


def test_theorem_7_has_the_rate_of_its_exponents() -> None:
    alpha = 4.0
    values = [bounds.theorem_7(alpha, 1.0, n, 10, 1.0).value for n in (10**4, 10**8)]
    slope = math.log(values[1] / values[0]) / math.log(10**4)
    assert slope == pytest.approx(-alpha / (alpha + 1))
    wide = bounds.theorem_7(alpha, 1.0, 10**4, 10, 3.0).value
    assert wide == pytest.approx(values[0] * 9 ** (1 / (alpha + 1)))


def test_the_corrected_theorem_7_is_the_fixed_point_of_theorem_6() -> None:
    """Eigenvalues d j^-alpha: psi(r*) <= r*, and not by much, since the sum is bounded tightly."""
    alpha, d, n, M = 2.5, 1.0, 10**5, 12
    r = bounds.theorem_7(alpha, d, n, M, 1.0).value
    psi = bounds.theorem_6([d * np.arange(1.0, 200_001.0) ** -alpha] * M, n, r, 1.0).value
    assert 0.5 * r < psi <= r * (1 + 1e-9)


@pytest.mark.parametrize("a", [1e-6, 0.3, 7.0])
def test_a_fixed_point_in_closed_form(a: float) -> None:
    """sqrt(min(a r, 4)): the fixed point is a below 2, where the minimum is at a r, else 2."""
    assert fixed_point(lambda r: math.sqrt(min(a * r, 4.0))) == pytest.approx(min(a, 2.0), rel=1e-9)


def test_the_decay_of_spectra_is_tight() -> None:
    spectra = np.array([[1.0, 0.5, 0.1], [0.9, 0.6, 0.0]])
    assert bounds.decay(spectra, 2.0) == pytest.approx(0.6 * 4)
    assert bounds.decay(spectra, 0.5) == 1.0


def test_what_the_theorems_do_not_cover_is_refused() -> None:
    refused(OptionError, "1 kernels", bounds.theorem_7, 2.0, 1.0, 100, 1, 1.0)
    refused(OptionError, "alpha 1", bounds.theorem_7, 1.0, 1.0, 100, 10, 1.0)
    refused(OptionError, "radius r = 0", bounds.theorem_3, np.ones(2), 10, 0.0)
    refused(OptionError, "not negative", bounds.theorem_3, np.array([1.0, -1.0]), 10, 1.0)
    few = np.array([1e-9])
    refused(OptionError, "eigenvalue >= 1/n", bounds.theorem_3, few, 100, 1.0, lower=True)
    refused(OptionError, "delta 1", bounds.excess_risks, 0.1, 10, 1.0)
    refused(OptionError, "complexity -1", bounds.excess_risks, -1.0, 10, 0.1)
