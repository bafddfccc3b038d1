"""A weak form that is too large is refused before the run whose weights it takes."""

import re

import numpy as np
import pytest

import radprog as rp
from radprog.decompositions.lpboost import forms
from radprog.decompositions.run import RunSettings
from radprog.models.lpboost import weak_programs

WEAK = sorted({*forms.WEAK_PROGRAMS} - {"weak-rkhs"})


def size(form: str, nu: float) -> int:
    """The size in the refusal of a form of eight series, with three patterns each."""
    rng = np.random.default_rng(4)
    data = rp.series(np.cumsum(rng.normal(size=(8, 7)), axis=1), [1, -1] * 4)
    match = r"would have \d+ coefficients .* a smaller nu$"
    with pytest.raises(rp.OptionError, match=match) as refusal:
        forms.lpboost_form(rp.LPBoost(length="5", nu=nu), data, form, RunSettings())
    return int(re.findall(r"have (\d+)", str(refusal.value))[0])


@pytest.mark.parametrize("form", WEAK)
@pytest.mark.parametrize("nu", [0.1, 0.5, 0.75, 1.0])
def test_a_size_that_no_weights_make_small_is_refused_before_the_run(
    form: str, nu: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(weak_programs, "LARGEST_PROGRAM", 1)
    with monkeypatch.context() as without:
        without.setattr(forms, "boost", lambda *given: pytest.fail("a run"))
        least = size(form, nu)
    # nu m rows have weight, of which at most four are positive
    rivals = 3 * max(1, round(nu * 8) - 4)
    assert least == (rivals * (rivals + 1) // 2 if form == "weak-minnorm" else 2 * 24 * rivals)
    # the refusal was right: the program of the run is no smaller
    monkeypatch.setattr(forms, "check_size", lambda coefficients: None)
    assert size(form, nu) >= least


def test_a_larger_nu_makes_the_program_larger(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(weak_programs, "LARGEST_PROGRAM", 1)
    sizes = [size("weak-l1", nu) for nu in (0.5, 0.75, 1.0)]
    assert sizes == sorted(sizes)
    assert sizes[0] < sizes[-1]
