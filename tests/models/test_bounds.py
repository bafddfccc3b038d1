"""What bounds share: the exact binomial limit and the compression bound against their defining
equations, which points a compression counts; the area under the curve by counting pairs."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refused
from sklearn.metrics import roc_auc_score

from radprog.base.errors import DataError, OptionError
from radprog.instances.dataset import dataset
from radprog.models import bounds
from radprog.models.bounds import Bound, binomial_upper
from radprog.models.kernel_bank import KernelBank
from radprog.models.kernels import parse_kernels
from radprog.models.ranking import area_under_curve
from radprog.models.vkr.bounds import fixed_diagonal


def test_a_bound_as_plain_values() -> None:
    plain = Bound(name="(1)", value=0.4, terms={"a": 0.1, "b": 0.3}).to_dict()
    assert (plain["value"], plain["vacuous"], plain["terms"]) == (0.4, False, {"a": 0.1, "b": 0.3})
    assert "form" not in plain
    for value in (1.0, 2.0, math.inf, math.nan):  # which say nothing
        assert Bound(name="(1)", value=value).to_dict()["vacuous"]
        assert Bound(name="(1)", value=value, trivial=1.5).to_dict()["vacuous"] == (value != 1.0)


@given(st.integers(1, 200), st.data(), st.floats(1e-6, 0.9))
def test_binomial_limit_solves_its_defining_equation(n, data, delta) -> None:
    errors = data.draw(st.integers(0, n - 1))
    q = binomial_upper(errors, n, delta)
    assert 0 < q < 1
    tail = math.fsum(math.comb(n, i) * q**i * (1 - q) ** (n - i) for i in range(errors + 1))
    assert tail == pytest.approx(delta, rel=1e-7)


def test_binomial_limit_in_closed_form() -> None:
    assert binomial_upper(0, 59, 0.05) == pytest.approx(1 - 0.05 ** (1 / 59), rel=1e-12)
    assert binomial_upper(7, 7, 0.05) == 1.0
    for errors, n in ((0, 0), (-1, 5), (6, 5)):
        refused(OptionError, "errors among", binomial_upper, errors, n, 0.05)
    refused(OptionError, "delta", binomial_upper, 1, 5, 1.0)


def defining_sum(points: int, size: int, delta: float, eps: Fraction) -> Fraction:
    """(delta/N) sum_{m=k}^{N-1} C(m,k)/C(N,k) (1-eps)^{-(N-m)}, exactly."""
    shares = (Fraction(math.comb(m, size), math.comb(points, size)) for m in range(size, points))
    total = sum(share / (1 - eps) ** (points - m) for m, share in enumerate(shares, size))
    return Fraction(delta) / points * total


@given(st.integers(1, 60), st.data(), st.floats(1e-6, 0.9))
def test_the_bound_solves_its_equation(points: int, data: st.DataObject, delta: float) -> None:
    size = data.draw(st.integers(0, points - 1))
    eps = Fraction(bounds.compression_bound(points, size, delta))
    slack = Fraction(1, 10**11)
    assert defining_sum(points, size, delta, min(eps + slack, 1 - (1 - eps) / 2)) > 1
    assert defining_sum(points, size, delta, eps - slack) < 1


def test_ends_and_what_is_refused() -> None:
    assert bounds.compression_bound(50, 50, 0.05) == 1.0
    assert bounds.compression_bound(100_000, 1000, 0.05) < 0.0125
    for points, size in ((0, 0), (5, -1), (5, 6)):
        words = f"compression to {size} of {points} points"
        refused(OptionError, words, bounds.compression_bound, points, size, 0.05)
    for delta in (0.0, 1.0, float("nan")):
        refused(OptionError, "delta", bounds.compression_bound, 5, 2, delta)


@pytest.mark.parametrize("scale", ["none", "unit", "standard", "ball"])
def test_scales(scale: str) -> None:
    data = dataset([[1.0, 2.0], [3.0, 4.0], [0.5, 0.0]], [1, -1, 1], scale=scale)
    told = bounds.moved_by_sample(data)
    assert told is None if scale in ("none", "unit") else f"'{scale}'" in str(told)
    assert data.scaling == scale
    far = dataset([[1e5, 2.0], [3e5, 4.0], [2e5, 0.0]], [1, -1, 1], scale=scale)
    assert ["makes feature 0" in text for text in far.warnings] == [True] * (scale == "unit")


def test_a_zero_row_has_no_length_and_texts_are_not_moved_by_the_sample_but_levels() -> None:
    for X, fixed in (([[0.0, 0.0], [3.0, 4.0]], False), ([[1.0, 0.0], [3.0, 4.0]], True)):
        data = dataset(X, [1, -1], scale="unit")
        bank = KernelBank(parse_kernels("linear,rbf:1"), data.X)
        found = [fixed_diagonal(kernel, data, bank) for kernel in bank.kernels]
        assert found == [fixed, True]
    assert bounds.moved_by_sample(dataset(["a", "b"], [1, -1])) is None
    texts = dataset(np.array([[1, "a"], [2, "b"], [3, "a"]], object), [1, -1, 1], categorical=[1])
    assert "fit rp.PickToLearn to a pipeline that" in str(bounds.moved_by_sample(texts))


def test_places() -> None:
    X = np.array([[1.0, 2.0], [0.0, 0.0], [1.0, 2.0 + 1e-15], [-0.0, 0.0], [1.0, 2.001]])
    assert bounds.places(X).tolist() == [0, 1, 0, 1, 4]
    assert bounds.places(np.array(["b", "a", "b"])).tolist() == [0, 1, 0]
    assert bounds.places(np.zeros((3, 2))).tolist() == [0, 0, 0]


def test_the_rule_for_equal_points() -> None:
    """All points of margin <= 1 count, of equal points beyond it at a column's place one."""
    place, margins = np.array([0, 0, 2, 2, 4]), np.array([1.5, 1.5, 0.2, -1.5, 1.0])
    # no column, one at two equal points, further ones at points inside; a larger margin
    for margin, columns, size in ((1.0, [], 3), (1.0, [0], 4), (1.0, [0, 2, 4], 4), (2.0, [0], 5)):
        given = margin, place, np.array(columns, dtype=int)
        assert bounds.compression_size(margins, *given, 1e-6) == size


@pytest.mark.parametrize("seed", range(5))
def test_the_area_under_the_curve_is_that_of_scikit_learn(seed: int) -> None:
    rng = np.random.default_rng(seed)
    y = np.where(rng.random(40) < 0.4, 1.0, -1.0)
    scores = np.round(rng.normal(size=40) + 0.5 * y, 1)  # with ties
    assert area_under_curve(scores, y) == pytest.approx(roc_auc_score(y, scores))
    refused(DataError, "points of both", area_under_curve, np.ones(3), np.ones(3))
