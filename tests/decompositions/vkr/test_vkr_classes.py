"""Suprema of families of kernels, against brute force and against their bounds."""

import pytest
from signs import class_complexity, exact_complexity
from small_data import alternating_points

import radprog as rp
from radprog.decompositions.vkr.error_bounds import vkr_classes
from radprog.models.kernel_bank import KernelBank
from radprog.models.kernels import parse_kernels


def test_families_of_kernels_are_enumerated_as_their_complexity_says() -> None:
    data = alternating_points()
    found = vkr_classes(rp.VKR(kernels="poly:2,rbf:0.5"), data, 0)
    assert [item.name for item in found] == ["poly:2", "rbf:0.5"]
    for item in found:
        K = KernelBank(parse_kernels(item.name), data.X).gram(0)
        value = class_complexity(item.suprema, item.m).value
        assert value == pytest.approx(exact_complexity(K), rel=1e-12)
        assert item.exact
        assert value <= item.upper
