"""Settings of multiple kernel learning: every option is checked, none is ignored."""

from radprog.models.mkl.settings import MKL


def test_defaults() -> None:
    spec = MKL()
    assert (spec.variant, spec.p, spec.cutoff, spec.C, spec.no_bias) == ("conv", 1.0, 1, 1.0, False)
    assert spec.tail_bound(50) == 50.0
    assert MKL(tail_budget=1.0).tail_bound(50) == 1.0
    assert MKL(tail_budget="n").tail_bound(50) == 50.0
    assert MKL(variant="lp").cutoff == 0
