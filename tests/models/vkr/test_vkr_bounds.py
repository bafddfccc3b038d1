"""Generalisation bounds against values worked out by hand, term by term."""

import math
from collections.abc import Callable

import numpy as np
import pytest
from refusals import refused

from radprog.base.errors import OptionError
from radprog.models.bounds import Bound
from radprog.models.vkr.bounds import margin_bound, margin_error, theorem_1, theorem_2

# The worked example: |alpha_k|_1 = (2, .5, 2), so B = 2 * .5 + .5 * 1 + 2 * .25 = 2, rho = .5,
# and sum_k |alpha_k|_1 r_k = .02 + .01 + .01 = .04. Of 4000 points 400 have a margin <= 1.
ALPHA = np.array([[1.0, -1.0], [0.0, 0.5], [-2.0, 0.0]])
SIZES = np.array([0.5, 1.0, 0.25])
PENALTIES = np.array([0.01, 0.02, 0.005])
MARGINS = np.concatenate([np.full(250, 0.5), np.full(150, -3.0), np.full(3600, 2.0)])
LOG_3 = 1.0986122886681098
LOG_40 = 3.6888794541139363  # log(2 / delta) with delta = .05


def check_sum(bound: Bound) -> None:
    assert bound.value == pytest.approx(sum(bound.terms.values()), rel=1e-14)
    assert bound.to_dict()["vacuous"] == (bound.value >= 1)
    assert bound.caveats
    assert all(caveat.strip() for caveat in bound.caveats)


def test_theorem_1_by_hand() -> None:
    bound = theorem_1(ALPHA, SIZES, PENALTIES, MARGINS, delta=0.05)
    # n: rho^2 m / log p = 1000 / 1.0986 = 910.24, its log 6.8137, times 4/rho^2 = 16: 109.02
    assert bound.parameters == {"m": 4000, "p": 3, "delta": 0.05, "rho": 0.5, "n": 110}
    assert bound.terms == pytest.approx(
        {
            "margin_error": 0.1,
            "complexity": 4 * 0.04,
            "families": 4 * math.sqrt(LOG_3 / 4000),
            "confidence": math.sqrt(110 * LOG_3 / 4000 + LOG_40 / 8000),
        },
        rel=1e-14,
    )
    # .1 + .16 + .066290 + .175137
    assert bound.value == pytest.approx(0.501427, abs=1e-6)
    assert not bound.to_dict()["vacuous"]
    assert bound.name == "Theorem 1"
    check_sum(bound)


def test_theorem_2_by_hand() -> None:
    given = ALPHA, SIZES, PENALTIES, MARGINS
    bound = theorem_2(*given, delta=0.05, tradeoff=3.0)
    # K = 3, K/(K-1) = 1.5; n: .25 * 2.5 * 4000 / (240 * 1.0986) = 9.4817, log 2.24936, times
    # 8/rho^2 = 32: 71.98; 2 n - 1 = 143
    assert bound.parameters["n"] == 72
    assert bound.terms == pytest.approx(
        {
            "margin_error": 0.15,
            "complexity": 18 * 0.04,
            "families": 80 * 3 * 4 * LOG_3 / 4000,
            "confidence": 15 * LOG_40 / 4000,
            "sampling": 15 * 143 * LOG_3 / 4000,
        },
        rel=1e-14,
    )
    assert bound.value == pytest.approx(0.15 + 0.72 + 0.263667 + 0.013833 + 0.589131, abs=1e-6)
    assert bound.name == "Theorem 2"
    assert not any("n is 1" in caveat for caveat in bound.caveats)
    assert any("no certificate" in caveat for caveat in bound.caveats)
    check_sum(bound)


@pytest.mark.parametrize("K", [1.05, 14 / 9, 1.8, 2.0, 5.0])
def test_theorem_2_has_the_constants_of_its_proof_for_every_tradeoff(K: float) -> None:
    given = ALPHA, SIZES, PENALTIES, MARGINS
    right = theorem_2(*given, delta=0.05, tradeoff=K).terms
    assert right["confidence"] * 4000 / LOG_40 == pytest.approx(max(5 * K, 2 * K + 14 / 3))
    assert right["complexity"] / 0.04 == pytest.approx(max(6 * K, 12.0))
    # inequality (4) of its proof: 80K log p/(rho^2 m) covers this for the n in use
    for size in (0.01, 0.5, 3.0, 30.0):
        bound = theorem_2(np.eye(2), np.full(2, size), np.zeros(2), MARGINS, delta=0.1, tradeoff=K)
        n, rho = bound.parameters["n"], bound.parameters["rho"]
        assert (1 + K / (K - 1)) * math.exp(-n * rho**2 / 8) <= bound.terms["families"]


def test_margin_bound_by_hand() -> None:
    assert margin_error(np.array([1.0, 1.0 - 1e-3, 1.0 + 1e-10, 1.0 + 1e-8, 2.0])) == 3 / 5
    margins = np.concatenate([np.full(500, 0.0), np.full(4500, 1.5)])
    expected = {
        "margin_error": 0.1,
        "complexity": 2 * 3 * 0.03,
        "confidence": 3 * math.sqrt(LOG_40 / 10000),
    }
    for alpha in (np.array([1.0, -2.0]), np.array([[1.0, -2.0]])):
        bound = margin_bound(alpha, 0.03, margins, delta=0.05)
        assert bound.terms == pytest.approx(expected, rel=1e-14)
        assert bound.value == pytest.approx(0.337619, abs=1e-6)
        assert not bound.to_dict()["vacuous"]
        check_sum(bound)


def test_a_zero_classifier_has_a_vacuous_bound() -> None:
    given = np.zeros((2, 3)), np.ones(2), np.ones(2), np.zeros(50)
    one = margin_bound(given[0][:1], 1.0, np.zeros(50), delta=0.1)
    for bound in (one, *(theorem(*given, delta=0.1) for theorem in (theorem_1, theorem_2))):
        assert bound.terms["margin_error"] >= 1
        assert bound.terms["complexity"] == 0
        assert bound.to_dict()["vacuous"]


@pytest.mark.parametrize("theorem", [theorem_1, theorem_2])
def test_number_of_draws_is_at_least_one(theorem: Callable[..., Bound]) -> None:
    # B = 200: rho^2 m = 4 / 40000 is far below log p, so that the logarithm is negative
    arguments = (100 * np.eye(2), np.ones(2), np.zeros(2), np.full(4, 2.0))
    bound = theorem(*arguments, delta=0.5)
    assert bound.parameters["n"] == 1
    assert bound.value > 2
    assert bound.to_dict()["vacuous"]
    assert "n is 1" in bound.caveats[-1]
    overflowing = theorem(1e200 * arguments[0], *arguments[1:], delta=0.5)
    assert overflowing.parameters["n"] == 1
    assert overflowing.to_dict()["vacuous"]


def test_what_the_bounds_refuse() -> None:
    given = SIZES, PENALTIES, MARGINS
    for theorem in (theorem_1, theorem_2):
        for alpha in (ALPHA[:1], ALPHA[0]):
            refused(OptionError, "p > 1 kernels", theorem, alpha, *given, delta=0.05)
        for delta in (0.0, 1.0, math.nan):
            refused(OptionError, "delta", theorem, ALPHA, *given, delta=delta)
    refused(OptionError, "one kernel", margin_bound, ALPHA, 0.1, MARGINS, delta=0.05)
    refused(OptionError, "delta", margin_bound, ALPHA[:1], 0.1, MARGINS, delta=-1.0)
