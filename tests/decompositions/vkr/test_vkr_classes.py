"""Suprema of families of kernels, against brute force and against their bounds."""

from __future__ import annotations

import numpy as np
import pytest
from signs import exact_complexity

from radprog.decompositions.vkr.questions import vkr_classes
from radprog.instances.dataset import dataset
from radprog.models.complexity import class_complexity
from radprog.models.kernel_bank import KernelBank
from radprog.models.kernels import parse_kernels
from radprog.models.vkr.settings import VKR


def points(n: int = 8, seed: int = 0):
    rng = np.random.default_rng(seed)
    return dataset(rng.normal(size=(n, 2)), np.where(np.arange(n) % 2, 1.0, -1.0))


def test_families_of_kernels_are_enumerated_as_their_complexity_says() -> None:
    data = points()
    found = vkr_classes(VKR(kernels="poly:2,rbf:0.5"), data, 0)
    assert [item.name for item in found] == ["poly:2", "rbf:0.5"]
    for item in found:
        K = KernelBank(parse_kernels(item.name), data.X).gram(0)
        estimate = class_complexity(item.suprema, item.m, trials=None)
        assert estimate is not None
        value = estimate.value
        assert value == pytest.approx(exact_complexity(K), rel=1e-12)
        assert item.exact
        assert value <= item.upper


def test_an_estimate_can_be_ended() -> None:
    (found,) = vkr_classes(VKR(kernels="linear"), points(), 0)
    seen = []

    def stop(done: int, total: int) -> bool:
        seen.append((done, total))
        return done >= 100

    part = class_complexity(found.suprema, 8, trials=300, stop=stop)
    assert part is not None
    assert part.trials == 128
    assert seen[-1] == (128, 300)
    assert class_complexity(found.suprema, 8, trials=None, stop=stop) is None
    assert class_complexity(found.suprema, 8, trials=50, exact=False, stop=lambda *_: True) is None
