"""LPBoost: lengths priced, suprema of its classes, its path in 1/nu, explicit programs."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from effort import count, seeds
from refusals import refused
from series_generators import cylinder_bell_funnel
from signs import class_complexity

import radprog as rp
from radprog.base.errors import OptionError
from radprog.decompositions.lpboost import prices
from radprog.decompositions.lpboost.fit import fit_lpboost
from radprog.decompositions.lpboost.forms import lpboost_form
from radprog.decompositions.lpboost.shapelets import assemble
from radprog.decompositions.paths import ParameterPath
from radprog.decompositions.run import RunSettings
from radprog.instances.bags import Bags
from radprog.models.lpboost.settings import LPBoost

SPEC = rp.LPBoost()


ANY = RunSettings()


COLD = RunSettings(tol=1e-11, abs_tol=1e-12)


SIGNS = np.array(list(itertools.product([-1.0, 1.0], repeat=8)))


@pytest.fixture(scope="module")
def curves() -> rp.Bags:
    return cylinder_bell_funnel(20, length=30, seed=2)


@pytest.fixture(scope="module")
def path(curves: rp.Bags) -> ParameterPath:
    return prices.lpboost_path(SPEC, curves, "nu", 0.1, 1.0, ANY, 200)


@pytest.mark.thorough
def test_cold_runs_between_breakpoints_agree(curves: rp.Bags, path: ParameterPath) -> None:
    found = path.envelope
    assert found.complete
    assert found.gap <= 1e-9
    assert len(found.breakpoints) >= 10
    assert (found.marks[0], found.marks[-1]) == (1.0, 10.0)
    for s in np.random.default_rng(0).uniform(1, 10, count(50, 10)):
        run = fit_lpboost(replace(SPEC, nu=float(1 / s)), curves, COLD)
        assert run.certified
        assert path.sense * found.value(s) == pytest.approx(run.objective, abs=1e-8)


def test_labels_of_a_piece_are_those_of_the_run(curves: rp.Bags, path: ParameterPath) -> None:
    low, high, line = max(path.envelope.pieces, key=lambda piece: piece[1] - piece[0])
    run = fit_lpboost(replace(SPEC, nu=2 / (low + high)), curves, COLD)
    np.testing.assert_array_equal(path.labels(line, curves.X), run.fit.predict(curves.X))
    assert len(path.errors(curves)) == len(path.envelope.lines)


def test_paths_that_are_refused(curves: rp.Bags) -> None:
    cases = {
        ("beta", 0.1, 1.0, SPEC): "expected nu",
        ("nu", 0.0, 1.0, SPEC): "expected 0 < from < to <= 1",
        ("nu", 0.1, 1.5, SPEC): "expected 0 < from < to <= 1",
        ("nu", 0.5, 0.1, SPEC): "expected 0 <= from < to",
        ("nu", 0.1, 1.0, rp.LPBoost(learner="l1")): "proves no bound",
    }
    for (name, first, last, spec), message in cases.items():
        with pytest.raises(rp.OptionError, match=message):
            prices.lpboost_path(spec, curves, name, first, last, ANY, 200)
    refused(rp.OptionError, "20 rows", prices.lpboost_path, SPEC, curves, "nu", 0.1, 1.0, ANY, 19)


def waves(m: int = 8, length: int = 12, seed: int = 0):
    rng = np.random.default_rng(seed)
    return rp.series(rng.normal(size=(m, length)), np.where(np.arange(m) % 2, 1.0, -1.0))


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


def test_lengths_that_are_refused() -> None:
    curves = cylinder_bell_funnel(10, length=12, seed=0)
    boosted = fit_lpboost(rp.LPBoost(length="4"), curves, RunSettings())
    with pytest.raises(rp.OptionError, match="proves no bound"):
        prices.price_lpboost(rp.LPBoost(learner="l1"), curves, boosted.evidence, 0, "4")


def test_shapelets_by_hand() -> None:
    data, spec = waves(), rp.LPBoost(length="4")
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
    data, spec = waves(6, 8), rp.LPBoost(length="4", learner=learner, starts=3)
    problem = assemble(spec, data)
    (found,) = prices.lpboost_classes(spec, data, 0)
    assert (found.exact, found.upper) == (False, None)
    features = problem.families[0].features
    normal = np.random.default_rng(0).standard_normal((2, 6))
    for sigma in (*SIGNS[::50, :6], *normal):
        value = prices.largest_sum(spec, problem, sigma, 0)
        assert value >= (features @ sigma).max() - 1e-9  # every shapelet lies in the ball
        assert value == pytest.approx(found.suprema(sigma[None])[0])


@pytest.fixture(scope="module")
def tiny() -> Bags:
    return cylinder_bell_funnel(6, length=10, seed=1)


def test_the_whole_programs_do_not_depend_on_the_rounds(tiny: Bags) -> None:
    spec = LPBoost(length="4,6")
    run = fit_lpboost(spec, tiny, RunSettings(tol=1e-9))
    primal = lpboost_form(spec, tiny, "primal", RunSettings(max_iter=1))
    dual = lpboost_form(spec, tiny, "dual", RunSettings(max_iter=1))
    assert primal.expected == pytest.approx(-(run.objective or 0.0), rel=1e-8)
    assert primal.sense == -1.0
    assert dual.expected == pytest.approx(run.objective, rel=1e-8)
    assert len(dual.model.edge) == 2 * sum(family["patterns"] for family in run.summary["lengths"])
    plus = lpboost_form(LPBoost(length="4", learner="shapelet-plus"), tiny, "dual", RunSettings())
    assert len(plus.model.edge) == 6 * 7


def test_the_iterate_is_that_of_the_run_and_values_of_forms_are_ordered(tiny: Bags) -> None:
    spec, settings = LPBoost(learner="l1", length="5", sigma=0.05), RunSettings(max_iter=2)
    start = lpboost_form(spec, tiny, "weak-l1", RunSettings(max_iter=0))
    step = lpboost_form(spec, tiny, "weak-l1", settings)
    assert start.iterate["iterations"] == 0
    np.testing.assert_allclose(start.iterate["d"], 1 / 6)
    assert step.iterate["iterations"] == 2
    assert np.ptp(step.iterate["d"]) > 1e-3
    assert (start.iterate["length"], start.iterate["sigma"]) == (5, 0.05)
    slopes = [slope // 6 for slope in start.iterate["slopes"]]
    assert slopes == np.flatnonzero(tiny.targets > 0).tolist()
    assert lpboost_form(spec, tiny, "weak-l1", settings).iterate == step.iterate
    # primal and dual values are opposite
    dual = lpboost_form(spec, tiny, "weak-l1-dual", settings)
    assert dual.expected == pytest.approx(-step.expected)
    assert (step.sense, dual.sense) == (1.0, -1.0)
    assert lpboost_form(spec, tiny, "weak-l1-mip", settings).expected <= step.expected + 1e-9
    wide, square = (lpboost_form(spec, tiny, f, settings) for f in ("weak-rkhs", "weak-minnorm"))
    assert square.expected == pytest.approx(wide.expected**2)
    assert any("sqrt" in note for note in square.notes)
    assert wide.expected < step.expected  # the l1 ball lies inside the other


@pytest.mark.thorough
def test_larger_mixed_integer_programs_are_not_solved() -> None:
    data = cylinder_bell_funnel(16, length=20, seed=1)
    built = lpboost_form(LPBoost(length="4"), data, "weak-l1-mip", RunSettings(max_iter=0))
    assert built.expected is None
    assert any("binaries" in note for note in built.notes)


@pytest.mark.thorough
def test_forms_that_do_not_exist(tiny: Bags) -> None:
    distance = LPBoost(length="5", pattern_kernel="distance")
    for form in ("weak-rkhs", "weak-minnorm"):
        with pytest.raises(OptionError, match="positive semidefinite"):
            lpboost_form(distance, tiny, form, RunSettings())
    assert lpboost_form(distance, tiny, "weak-l1", RunSettings(max_iter=1)).expected is not None
    large = cylinder_bell_funnel(40, length=120, seed=1)
    with pytest.raises(OptionError, match="coefficients"):
        lpboost_form(LPBoost(length="4", nu=1.0), large, "weak-l1", RunSettings(max_iter=0))
