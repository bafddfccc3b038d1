"""Features of shapelets, stored and in codes: errors within what is told, rows exact, memory."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from effort import examples
from hypothesis import given
from hypothesis import strategies as st

from radprog.base.errors import OptionError
from radprog.base.limits import OutOfBudget, under
from radprog.base.types import FloatArray
from radprog.models.lpboost import features as module
from radprog.models.lpboost.features import CODES, CodedFeatures, StoredFeatures, distinct
from radprog.models.lpboost.patterns import (
    PATTERN_KERNELS,
    PatternKernel,
    centred,
    pattern_table,
    z_normalized,
)


def both(
    kind: str, patterns: FloatArray, sigma: float = 0.3, radius: float = 1.0
) -> tuple[StoredFeatures, CodedFeatures]:
    """The same features, stored and in codes."""
    kernel = PatternKernel(kind=kind, sigma=sigma if kind == "gauss" else None)
    table = pattern_table(kind, patterns, moments=False)
    stored = StoredFeatures(radius * table.features(kernel))
    return stored, CodedFeatures(kernel, centred(kind, patterns)[0], radius)


def decoded(found: CodedFeatures) -> FloatArray:
    """All features (n, m) from their codes."""
    values = found.radius * (found.least + found.step * found.codes.T.astype(np.float64))
    return np.asarray(values[found.place.ravel()])


@examples(40)
@given(
    st.integers(0, 999),
    st.sampled_from(PATTERN_KERNELS),
    st.integers(1, 6),
    st.integers(1, 5),
    st.sampled_from([1e-12, 1e-3, 1.0, 1e3, 1e18]),
    st.sampled_from([1e-4, 0.3, 1e4]),
)
def test_codes_err_by_no_more_than_they_say(
    seed: int, kind: str, m: int, Q: int, size: float, sigma: float
) -> None:
    rng = np.random.default_rng(seed)
    patterns = size * (rng.normal(size=(m, Q, 4)) + 0.7)
    stored, found = both(kind, patterns, sigma / size**2, radius=2.5)
    assert len(found) == len(stored) == m * Q
    largest = np.abs(stored.values).max()
    assert largest <= found.largest * (1 + 1e-9)
    assert np.abs(decoded(found) - stored.values).max() <= found.error + 1e-12 * largest
    assert found.error <= 12.0 * found.radius * found.step  # worth the name
    np.testing.assert_allclose(
        found.rows(np.arange(m * Q)), stored.values, rtol=1e-9, atol=1e-7 * largest
    )
    weights = rng.normal(size=m) * rng.integers(2, size=m)
    sums, slack = found.sums(weights)
    rounding = 1e-12 * largest * np.abs(weights).sum()
    assert np.abs(sums - stored.values @ weights).max() <= slack + rounding
    assert slack == pytest.approx(found.error * np.abs(weights).sum())
    assert abs(found.spread() - stored.spread()) <= 2.0 * found.error + 1e-12 * largest


def test_single_precision_where_it_is_good_enough() -> None:
    patterns = np.random.default_rng(0).normal(size=(4, 3, 5))
    types = {sigma: both("gauss", patterns, sigma)[1].type for sigma in (1e-3, 0.1, 1e4)}
    assert types == {1e-3: np.float32, 0.1: np.float32, 1e4: np.float64}
    assert both("linear", patterns)[1].type is np.float32
    assert both("distance", patterns)[1].type is np.float64
    assert both("linear", 1e16 * patterns)[1].type is np.float64


@pytest.mark.parametrize("kind", PATTERN_KERNELS)
def test_equal_patterns_are_kept_once(kind: str) -> None:
    rng = np.random.default_rng(1)
    patterns = rng.integers(-1, 2, size=(6, 9, 2)).astype(float)
    patterns[0, 0] = 0.0
    patterns[5, 8] = -0.0
    stored, found = both(kind, patterns)
    assert found.codes.shape == (6, len({tuple(z) for z in (patterns + 0.0).reshape(-1, 2)}))
    assert found.codes.shape[1] <= 9
    assert np.abs(decoded(found) - stored.values).max() <= found.error + 1e-12
    np.testing.assert_allclose(found.rows(np.arange(54)), stored.values, atol=1e-7)


def test_distinct_rows_keep_their_order() -> None:
    Z = np.array([[2.0, 1.0], [0.0, 3.0], [2.0, 1.0], [-0.0, 3.0], [1.0, 1.0]])
    first, place = distinct(Z)
    assert first.tolist() == [0, 1, 4]
    assert place.tolist() == [0, 1, 0, 1, 2]


def test_constant_patterns_have_one_code() -> None:
    patterns = z_normalized(np.ones((3, 4, 5)))
    for kind, value in (("gauss", 1.0), ("linear", 0.0), ("distance", 0.0)):
        found = both(kind, patterns)[1]
        assert found.codes.shape == (3, 1)
        assert (decoded(found) == value).all()
        assert found.spread() == 0.0


def test_rows_are_computed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    found = both("gauss", np.random.default_rng(2).normal(size=(5, 6, 3)))[1]
    asked: list[int] = []
    exact: Callable[..., FloatArray] = found._exact
    monkeypatch.setattr(found, "_exact", lambda k: asked.extend(k.tolist()) or exact(k))
    first = found.rows(np.array([7, 3, 7]))
    assert np.array_equal(first[0], first[2])
    assert np.array_equal(found.rows(np.array([3])), first[1:2])
    assert sorted(asked) == [3, 7]
    monkeypatch.setattr(module, "ROWS_KEPT", 1)
    assert np.array_equal(found.rows(np.array([7])), first[:1])
    assert sorted(asked) == [3, 7, 7]
    assert found.rows(np.array([], dtype=np.intp)).shape == (0, 5)


def test_codes_take_a_quarter_and_are_no_table() -> None:
    stored, found = both("gauss", np.random.default_rng(3).normal(size=(8, 20, 3)))
    assert 4 * found.codes.nbytes == stored.values.nbytes
    assert found.codes.max() == CODES  # every pattern is like itself
    with pytest.raises(OptionError, match="160 patterns on 8 series are too many"):
        found.stored()
    assert stored.stored() is stored.values


def test_blocks_of_all_widths_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    patterns = np.random.default_rng(4).normal(size=(7, 5, 3))
    weights = np.random.default_rng(5).normal(size=7)
    whole = both("gauss", patterns)[1]
    monkeypatch.setattr(module, "PAIRS", 60)
    monkeypatch.setattr(module, "SUMMED", 21)
    found = both("gauss", patterns)[1]
    assert np.abs(found.codes.astype(int) - whole.codes.astype(int)).max() <= 1
    np.testing.assert_allclose(found.sums(weights)[0], whole.sums(weights)[0], atol=1e-4)
    assert found.spread() == pytest.approx(whole.spread(), abs=1e-4)


def test_memory_is_asked_for_a_row_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PAIRS", 60)  # two series a block
    found = both("gauss", np.random.default_rng(7).normal(size=(9, 5, 3)))[1]
    blocks = list(found._blocks())
    pairs = [(i, j) for i, start, stop in blocks for j in range(start, stop)]
    assert sorted(pairs) == [(i, j) for i in range(9) for j in range(i + 1)]
    written = [max(i + 1, stop) for i, _, stop in blocks]
    assert written[0] == 1
    assert (np.diff(written) <= 1).all()


class Spent:
    """A limit that is spent after some looks at it."""

    remaining = 1.0

    def __init__(self, looks: int) -> None:
        self.looks = looks

    def spent(self) -> bool:
        self.looks -= 1
        return self.looks < 0


@pytest.mark.parametrize("looks", [0, 3])
def test_building_keeps_limits(looks: int, monkeypatch: pytest.MonkeyPatch) -> None:
    patterns = np.random.default_rng(6).normal(size=(9, 5, 3))
    kernel = PatternKernel(kind="gauss", sigma=1.0)
    with under(Spent(looks)), pytest.raises(OutOfBudget):
        CodedFeatures(kernel, patterns, 1.0)
    with under(Spent(9)):  # one look a block, here a series
        found = CodedFeatures(kernel, patterns, 1.0)
    monkeypatch.setattr(module, "PAIRS", 50)  # two series a block: 25 blocks
    with under(Spent(24)), pytest.raises(OutOfBudget):
        CodedFeatures(kernel, patterns, 1.0)
    with under(Spent(0)), pytest.raises(OutOfBudget):
        found.sums(np.ones(9))
    with under(Spent(0)), pytest.raises(OutOfBudget):
        found.rows(np.arange(3))
