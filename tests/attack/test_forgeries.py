"""A sample of forged proofs; the whole is ``forgeries.py --count 2000``."""

import pytest

pytest.importorskip("flint")

import forgeries

from radprog import proof_checker


def test_no_line_is_that_of_two_programs() -> None:
    valid, deceits = forgeries.attack(60, 5)
    assert deceits == []
    assert valid > 20


@pytest.mark.parametrize("part", ["listed", "spans", "short"])
def test_a_line_that_leaves_something_out_is_found(
    part: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(proof_checker, part, lambda value: "some")
    assert forgeries.attack(80, 1)[1]
