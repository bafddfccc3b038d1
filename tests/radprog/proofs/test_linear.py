"""Proofs of l1linear: accepted by the checker, or refused when edited."""

from fractions import Fraction

import numpy as np
import pytest
from effort import seeds
from planted import PLACES, noisy, refused_everywhere, sealed, verdict

import radprog as rp

pytest.importorskip("flint")


def drawn(seed: int) -> tuple[rp.L1Linear, rp.Dataset]:
    rng = np.random.default_rng(seed)
    m, d = int(rng.integers(8, 40)), int(rng.integers(2, 30))
    X, y = noisy(rng, m, d, -1, 2)
    spec = rp.L1Linear(beta=float(10.0 ** rng.uniform(-3, -1)), bias=seed % 3 > 0)
    return spec, rp.dataset(X, y, scale=("none", "standard", "unit")[seed % 3])


@pytest.mark.parametrize("seed", seeds(40, 10))
def test_a_random_result_is_proved(seed: int) -> None:
    spec, data = drawn(seed)
    run = rp.fit(spec, data)
    proof = rp.prove(run, data)
    assert verdict(dict(proof.content), proof.data or b"").startswith("VALID: l1linear, ")
    # the floats of the result are on the safe sides of the exact values
    assert Fraction(run.bound) <= proof.bound <= proof.objective <= Fraction(run.objective)
    assert proof.gap <= Fraction(1e-6) * proof.objective


@pytest.mark.parametrize("place", PLACES)
def test_a_planted_error_is_refused(place: str) -> None:
    """Of data whose only feature has a coefficient: one without may change and prove the same."""
    spec, data = drawn(1)
    data = rp.dataset(data.X[:, :1], data.targets)
    refused_everywhere([rp.prove(rp.fit(spec, data), data)], place, 10)


def test_a_point_out_of_its_box_or_balance_is_refused() -> None:
    spec, data = drawn(1)
    proof = rp.prove(rp.fit(spec, data), data)
    for change, words in (("numbers", "d: its box"), ("scale", "d: its box")):
        content = {**proof.content, "dual": dict(proof.content["dual"])}
        content["dual"][change] = (
            [proof.content["dual"]["over"]] * data.rows if change == "numbers" else ["0x2", "0x1"]
        )
        assert words in verdict(sealed(content), proof.data or b"")


def test_sparse_rows_are_proved_by_a_table_of_them() -> None:
    _, data = drawn(2)
    sparse = rp.sparse_data(data.X, data.targets)
    proof = rp.prove(rp.fit(rp.L1Linear(beta=0.02), sparse), sparse)
    assert verdict(dict(proof.content), proof.data or b"").startswith("VALID")


@pytest.mark.parametrize("settings", [{"groups": [0, 0]}, {"signs": "nonnegative"}])
def test_other_programs_are_refused(settings) -> None:
    data = rp.dataset([[0.0, 1], [1, 0], [2, 1]], [0, 1, 1])
    run = rp.fit(rp.L1Linear(**settings), data)
    with pytest.raises(rp.OptionError, match="is proved with loss hinge"):
        rp.prove(run, data)
