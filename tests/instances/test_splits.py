"""Stratified parts."""

import numpy as np
import pytest
from refusals import refused

from radprog.base.errors import OptionError
from radprog.instances.splits import stratified_parts


@pytest.mark.parametrize(("n", "parts"), [(10, 2), (11, 3), (23, 5), (7, 7)])
def test_stratified_parts(n: int, parts: int) -> None:
    y = np.where(np.random.default_rng(n).random(n) < 0.4, 1.0, -1.0)
    y[:2] = 1.0, -1.0
    found = stratified_parts(y, parts, seed=1)
    assert sorted(np.concatenate(found).tolist()) == list(range(n))
    for counts in (
        [len(part) for part in found],
        [int((y[part] > 0).sum()) for part in found],
        [int((y[part] < 0).sum()) for part in found],
    ):
        assert max(counts) - min(counts) <= 1
    again = stratified_parts(y, parts, seed=1)
    assert all(np.array_equal(a, b) for a, b in zip(found, again, strict=True))
    if n > 10:
        other = stratified_parts(y, parts, seed=2)
        assert not all(np.array_equal(a, b) for a, b in zip(found, other, strict=True))


@pytest.mark.parametrize("parts", [0, 1, 11])
def test_impossible_parts(parts: int) -> None:
    refused(OptionError, f"{parts} parts of 10 rows", stratified_parts, np.ones(10), parts)
