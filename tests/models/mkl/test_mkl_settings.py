"""Settings of multiple kernel learning: every option is checked, none is ignored."""

from __future__ import annotations

import pytest

from radprog.instances.errors import OptionError
from radprog.models.mkl.settings import MKL


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"variant": "best"}, "variant 'best': expected one of conv, dc, lp, unif"),
        ({"loss": "log"}, "loss 'log'"),
        ({"normalize": "max"}, "normalize 'max'"),
        ({"repair": "maybe"}, "repair 'maybe'"),
        ({"exchange": "fast"}, "exchange 'fast'"),
        ({"C": 0.0}, "C 0: expected a finite number > 0"),
        ({"C": -1.0}, "C -1"),
        ({"C": float("inf")}, "C inf"),
        ({"norm": 0.5}, "norm 0.5: expected a finite number >= 1"),
        ({"norm": float("inf")}, "norm inf"),
        ({"theta": -1}, "theta -1: expected an integer >= 0"),
        ({"theta": 1.5}, "theta 1.5: expected an integer"),
        ({"tail_budget": 0.0}, "tail_budget 0"),
        ({"tail_budget": "m"}, "tail_budget 'm'"),
        ({"variant": "dc", "starts": 0}, "starts 0"),
        ({"variant": "conv", "starts": 2}, "starts is not used by variant 'conv'"),
        ({"variant": "lp", "theta": 1}, "theta is not used by variant 'lp'"),
        ({"variant": "lp", "tail_budget": 1.0}, "tail_budget is not used by variant 'lp'"),
        ({"variant": "unif", "norm": 2.0}, "norm is not used by variant 'unif'"),
        ({"variant": "unif", "theta": 1}, "theta is not used by variant 'unif'"),
        ({"variant": "unif", "exchange": "plain"}, "exchange is not used by variant 'unif'"),
        ({"kernels": "rbf"}, "kernel 'rbf'"),
        ({"kernels": "linear", "grams": "K.npz"}, "kernels and grams are both given"),
    ],
)
def test_bad_options_are_refused(options, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        MKL(**options)


def test_defaults() -> None:
    spec = MKL()
    assert (spec.variant, spec.p, spec.cutoff, spec.C, spec.bias) == ("conv", 1.0, 1, 1.0, True)
    assert spec.budget(50) == 50.0
    assert MKL(tail_budget=1.0).budget(50) == 1.0
    assert MKL(tail_budget="n").budget(50) == 50.0
    assert MKL(variant="lp").cutoff == 0
    assert not MKL(no_bias=True).bias
