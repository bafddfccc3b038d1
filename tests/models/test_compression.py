"""The compression bound against its defining equation; which points are one; what counts."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from radprog.base.errors import OptionError
from radprog.instances.dataset import dataset
from radprog.models.bounds import (
    compression_bound,
    compression_size,
    moved_by_sample,
    places,
)
from radprog.models.kernel_bank import KernelBank
from radprog.models.kernels import parse_kernels
from radprog.models.vkr.bounds import fixed_diagonal


@pytest.mark.parametrize(
    ("points", "size", "bound"), [(398, 50, 0.18069937), (200, 5, 0.0687503), (1000, 20, 0.0355223)]
)
def test_known_values(points: int, size: int, bound: float) -> None:
    assert compression_bound(points, size, 0.05) == pytest.approx(bound, abs=5e-8)


def defining_sum(points: int, size: int, delta: float, eps: Fraction) -> Fraction:
    """(delta/N) sum_{m=k}^{N-1} C(m,k)/C(N,k) (1-eps)^{-(N-m)}, exactly."""
    total = sum(
        Fraction(math.comb(m, size), math.comb(points, size)) / (1 - eps) ** (points - m)
        for m in range(size, points)
    )
    return Fraction(delta) / points * total


@given(st.integers(1, 60), st.data(), st.floats(1e-6, 0.9))
def test_the_bound_solves_its_equation(points: int, data: st.DataObject, delta: float) -> None:
    size = data.draw(st.integers(0, points - 1))
    eps = Fraction(compression_bound(points, size, delta))
    slack = Fraction(1, 10**11)
    assert defining_sum(points, size, delta, min(eps + slack, 1 - (1 - eps) / 2)) > 1
    assert defining_sum(points, size, delta, eps - slack) < 1


def test_order() -> None:
    bounds = [compression_bound(50, k, 0.05) for k in range(51)]
    assert bounds == sorted(bounds)
    assert (bounds[0] > 0, bounds[50]) == (True, 1.0)
    assert compression_bound(50, 5, 0.01) > compression_bound(50, 5, 0.05)
    assert compression_bound(50, 49, 0.05) == pytest.approx(1 - 0.05 / 50**2)
    assert compression_bound(100_000, 1000, 0.05) < 0.0125


@pytest.mark.parametrize(("points", "size"), [(0, 0), (5, -1), (5, 6)])
def test_sizes_that_are_none(points: int, size: int) -> None:
    with pytest.raises(OptionError, match=f"compression to {size} of {points} points"):
        compression_bound(points, size, 0.05)


@pytest.mark.parametrize("delta", [0.0, 1.0, float("nan")])
def test_a_probability_that_is_none(delta: float) -> None:
    with pytest.raises(OptionError, match="delta"):
        compression_bound(5, 2, delta)


@pytest.mark.parametrize(
    ("scale", "why"),
    [("none", None), ("unit", None), ("standard", "'standard'"), ("ball", "'ball'")],
)
def test_scales(scale: str, why: str | None) -> None:
    data = dataset([[1.0, 2.0], [3.0, 4.0], [0.5, 0.0]], [1, -1, 1], scale=scale)
    told = moved_by_sample(data)
    assert told is None if why is None else why in str(told)
    assert data.scaling == scale
    far = dataset([[1e5, 2.0], [3e5, 4.0], [2e5, 0.0]], [1, -1, 1], scale=scale)
    assert ["makes feature 0" in text for text in far.warnings] == [True] * (scale == "unit")


def test_a_zero_row_has_no_length_and_texts_are_not_moved_by_the_sample_but_levels() -> None:
    for X, fixed in (([[0.0, 0.0], [3.0, 4.0]], False), ([[1.0, 0.0], [3.0, 4.0]], True)):
        data = dataset(X, [1, -1], scale="unit")
        bank = KernelBank(parse_kernels("linear,rbf:1"), data.X)
        found = [fixed_diagonal(kernel, data, bank) for kernel in bank.kernels]
        assert found == [fixed, True]
    assert moved_by_sample(dataset(["a", "b"], [1, -1])) is None
    texts = dataset(np.array([[1, "a"], [2, "b"], [3, "a"]], object), [1, -1, 1], categorical=[1])
    assert "fit rp.PickToLearn to a pipeline that" in str(moved_by_sample(texts))


def test_places() -> None:
    X = np.array([[1.0, 2.0], [0.0, 0.0], [1.0, 2.0 + 1e-15], [-0.0, 0.0], [1.0, 2.001]])
    assert places(X).tolist() == [0, 1, 0, 1, 4]
    assert places(np.array(["b", "a", "b"])).tolist() == [0, 1, 0]
    assert places(np.zeros((3, 2))).tolist() == [0, 0, 0]


def test_the_rule_for_equal_points() -> None:
    """All points of margin <= 1 count, of equal points beyond it at a column's place one."""
    place = np.array([0, 0, 2, 2, 4])
    margins = np.array([1.5, 1.5, 0.2, -1.5, 1.0])
    assert compression_size(margins, 1.0, place, np.array([], dtype=int), 1e-6) == 3
    assert compression_size(margins, 1.0, place, np.array([0]), 1e-6) == 4  # one of the two equals
    assert compression_size(margins, 1.0, place, np.array([0, 2, 4]), 1e-6) == 4  # those are inside
    assert compression_size(margins, 2.0, place, np.array([0]), 1e-6) == 5
