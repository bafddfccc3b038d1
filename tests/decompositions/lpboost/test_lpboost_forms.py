"""Every form of LPBoost as a program: its expected value by several solvers."""

import numpy as np
import pytest
from series_generators import cylinder_bell_funnel

from radprog.base.errors import OptionError
from radprog.decompositions.lpboost.fit import fit_lpboost
from radprog.decompositions.lpboost.forms import lpboost_form
from radprog.decompositions.run import RunSettings
from radprog.instances.bags import Bags
from radprog.models.lpboost.settings import LPBoost


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
