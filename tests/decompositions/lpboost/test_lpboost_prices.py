"""LPBoost: lengths priced, suprema of its classes, programs and their sizes."""

import itertools
import re
from dataclasses import replace

import numpy as np
import pytest
from effort import count, seeds
from series_generators import cylinder_bell_funnel
from signs import class_complexity
from small_data import waves

import radprog as rp
from radprog.decompositions.lpboost import forms, prices
from radprog.decompositions.lpboost.fit import fit_lpboost
from radprog.decompositions.lpboost.forms import lpboost_form
from radprog.decompositions.lpboost.shapelets import assemble
from radprog.decompositions.run import RunSettings
from radprog.models.lpboost import weak_programs
from radprog.models.lpboost.settings import LPBoost

SIGNS = np.array(list(itertools.product([-1.0, 1.0], repeat=8)))


CURVES = cylinder_bell_funnel(20, length=30, seed=2)


def whole(found) -> float:
    return class_complexity(found.suprema, found.m).value


def test_lengths_of_lpboost() -> None:
    useless = helped = 0
    for seed in seeds(12, 4):
        data = cylinder_bell_funnel(16, length=20, seed=seed)
        spec = rp.LPBoost(length="8", nu=0.3)
        run = fit_lpboost(spec, data, RunSettings(tol=1e-9))
        priced = prices.price_lpboost(spec, data, run.evidence, 0, "1,4,12,20")
        assert priced.bound == run.bound
        for candidate in priced.candidates:
            length = candidate.name.removeprefix("length ")
            added = fit_lpboost(replace(spec, length=f"8,{length}"), data, RunSettings(tol=1e-9))
            assert added.objective <= candidate.floor + 1e-12
            rise = added.objective - run.objective
            useless += candidate.keeps_bound
            assert rise <= run.bound - run.objective + 1e-12 or not candidate.keeps_bound
            helped += rise > 1e-4
    assert helped > count(5, 1)
    assert useless > 0


def test_lengths_of_the_program_and_above_the_series() -> None:
    curves = cylinder_bell_funnel(10, length=12, seed=0)
    boosted = fit_lpboost(rp.LPBoost(length="4..5"), curves, RunSettings(tol=1e-9))
    priced = prices.price_lpboost(boosted.spec, curves, boosted.evidence, 0, "3..6,13,0.25")
    rows = {row.name.split()[1]: row for row in priced.candidates}
    assert set(rows) == {"3", "4", "5", "6", "13"}
    held = [rows["4"], rows["5"]]
    assert [row.present for row in priced.candidates] == [row in held for row in priced.candidates]
    # the bound is the largest edge of the program's own lengths
    assert max(row.ratio for row in held) == pytest.approx(1.0)
    assert all(row.keeps_bound and row.floor == priced.bound for row in [*held, rows["13"]])
    assert "12 points" in rows["13"].name
    assert rows["13"].ratio == 0.0
    assert priced.floor == max(rows["3"].floor, rows["6"].floor)


def test_shapelets_by_hand() -> None:
    data, spec = waves(0, 8, 12), rp.LPBoost(length="4")
    (found,) = prices.lpboost_classes(spec, data, 0)
    (family,) = assemble(spec, data).families
    by_hand = np.mean([np.abs(family.features @ sigma).max() for sigma in SIGNS]) / 8
    assert whole(found) == pytest.approx(by_hand, rel=1e-12)
    assert found.exact
    assert by_hand <= found.upper
    (plus,) = prices.lpboost_classes(rp.LPBoost(length="4", learner="shapelet-plus"), data, 0)
    one_sided = np.mean([(family.features @ sigma).max() for sigma in SIGNS]) / 8
    assert whole(plus) == pytest.approx(one_sided, rel=1e-12)


@pytest.mark.parametrize("learner", ["l1", "rkhs"])
def test_balls_are_searched_from_below(learner) -> None:
    data, spec = waves(0, 6, 8), rp.LPBoost(length="4", learner=learner, starts=3)
    problem = assemble(spec, data)
    (found,) = prices.lpboost_classes(spec, data, 0)
    assert (found.exact, found.upper) == (False, None)
    features = problem.families[0].features
    normal = np.random.default_rng(0).standard_normal((2, 6))
    for sigma in (*SIGNS[::50, :6], *normal):
        value = prices.largest_sum(spec, problem, sigma, 0)
        assert value >= (features @ sigma).max() - 1e-9  # every shapelet lies in the ball
        assert value == pytest.approx(found.suprema(sigma[None])[0])


TINY = cylinder_bell_funnel(6, length=10, seed=1)


def test_the_whole_programs_do_not_depend_on_the_rounds() -> None:
    spec = LPBoost(length="4,6")
    run = fit_lpboost(spec, TINY, RunSettings(tol=1e-9))
    primal = lpboost_form(spec, TINY, "primal", RunSettings(max_iter=1))
    dual = lpboost_form(spec, TINY, "dual", RunSettings(max_iter=1))
    assert primal.expected == pytest.approx(-(run.objective or 0.0), rel=1e-8)
    assert primal.sense == -1.0
    assert dual.expected == pytest.approx(run.objective, rel=1e-8)
    assert len(dual.model.edge) == 2 * sum(family["patterns"] for family in run.summary["lengths"])
    plus = lpboost_form(LPBoost(length="4", learner="shapelet-plus"), TINY, "dual", RunSettings())
    assert len(plus.model.edge) == 6 * 7


def test_the_iterate_is_that_of_the_run_and_values_of_forms_are_ordered() -> None:
    spec, settings = LPBoost(learner="l1", length="5", sigma=0.05), RunSettings(max_iter=2)
    start = lpboost_form(spec, TINY, "weak-l1", RunSettings(max_iter=0))
    step = lpboost_form(spec, TINY, "weak-l1", settings)
    assert start.iterate["iterations"] == 0
    np.testing.assert_allclose(start.iterate["d"], 1 / 6)
    assert step.iterate["iterations"] == 2
    assert np.ptp(step.iterate["d"]) > 1e-3
    assert (start.iterate["length"], start.iterate["sigma"]) == (5, 0.05)
    slopes = [slope // 6 for slope in start.iterate["slopes"]]
    assert slopes == np.flatnonzero(TINY.targets > 0).tolist()
    assert lpboost_form(spec, TINY, "weak-l1", settings).iterate == step.iterate
    # primal and dual values are opposite
    dual = lpboost_form(spec, TINY, "weak-l1-dual", settings)
    assert dual.expected == pytest.approx(-step.expected)
    assert (step.sense, dual.sense) == (1.0, -1.0)
    assert lpboost_form(spec, TINY, "weak-l1-mip", settings).expected <= step.expected + 1e-9
    wide, square = (lpboost_form(spec, TINY, f, settings) for f in ("weak-rkhs", "weak-minnorm"))
    assert square.expected == pytest.approx(wide.expected**2)
    assert any("sqrt" in note for note in square.notes)
    assert wide.expected < step.expected  # the l1 ball lies inside the other


@pytest.mark.thorough
def test_larger_mixed_integer_programs_are_not_solved() -> None:
    data = cylinder_bell_funnel(16, length=20, seed=1)
    built = lpboost_form(LPBoost(length="4"), data, "weak-l1-mip", RunSettings(max_iter=0))
    assert built.expected is None
    assert any("binaries" in note for note in built.notes)


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
def test_a_size_that_no_weights_make_small_is_refused_before_the_run(form, nu, monkeypatch) -> None:
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
