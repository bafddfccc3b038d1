"""Models of ``rp.build``: exported, loaded, changed, predicting."""

from unittest import mock

import numpy as np
import pyomo.environ as pyo
import pytest
from program_files import write_highs_solution
from refusals import refused
from small_models import small_model

import radprog as rp
from radprog.commands.verify import verdict_line
from radprog.decompositions.vkr import forms

SPECS = {
    "vkr": (rp.VKR(kernels="poly:1-2", lam=0.01, beta=0.01), ("primal", "dual", "master")),
    "l1svm": (rp.L1SVM(kernels="rbf:1", beta=0.01), ("primal", "dual")),
    "svm": (rp.SVM(kernels="rbf:1"), ("dual",)),
    "simsvm": (rp.SimSVM(kernels="rbf:1"), ("primal", "dual")),
}
CASES = [(name, form) for name, (_, known) in SPECS.items() for form in known]


@pytest.mark.parametrize(("name", "form"), CASES)
def test_a_solved_form_predicts_as_the_fit(data, name, form) -> None:
    spec = SPECS[name][0]
    model = rp.build(spec, data, form=form)
    refused(rp.OptionError, "holds no values", rp.predictor, model)
    rp.solve(model, tol=1e-9)
    again, run = rp.predictor(model), rp.fit(spec, data, tol=1e-8)
    scores = again.decision_function(data), run.decision_function(data)
    np.testing.assert_allclose(*scores, atol=1e-3)
    assert set(again.predict(data)) == {"no", "yes"}
    assert repr(again) == f"<SavedFit of {name}, classes no, yes>"


@pytest.mark.parametrize("solver", ["rp", "appsi_highs", "highs"])
def test_a_changed_form_solved_elsewhere_predicts(data, solver, tmp_path) -> None:
    """A price so high that no point is fitted, but for rows that must have their margin."""
    spec = rp.VKR(kernels="poly:1-2", lam=0.3, beta=0.3)
    plain = rp.fit(spec, data)
    wrong = int(np.argmin(data.signs * plain.decision_function(data)))
    model = rp.build(spec, data, form="primal").clone()
    model.shortfall[wrong].fix(0.0)
    model.extra = pyo.Var(["of its user"], initialize=1.0)
    rp.solve(model) if solver == "rp" else pyo.SolverFactory(solver).solve(model)
    fit = rp.predictor(model)
    assert data.signs[wrong] * fit.decision_function(data)[wrong] >= 1.0 - 1e-6
    assert data.signs[wrong] * plain.decision_function(data)[wrong] < 0.9
    fit.save(tmp_path / "fit.json")
    kept = rp.load_fit(tmp_path / "fit.json").decision_function(data)
    np.testing.assert_allclose(kept, fit.decision_function(data))


def test_what_gives_no_predictor(data) -> None:
    other = small_model(lambda m: m.x, x=(0, 1))
    refused(rp.OptionError, "a model of rp", rp.predictor, other)
    refused(rp.OptionError, "a model of rp", rp.export, other, "p.mps", expected=True)
    model = rp.build(rp.LPDSK(), data, form="weights")
    rp.solve(model)
    refused(rp.OptionError, "is a step of the method", rp.predictor, model)
    model = rp.build(SPECS["vkr"][0], data, form="dual")
    pyo.SolverFactory("appsi_highs").solve(model)
    model.dual.clear()
    refused(rp.OptionError, "without row duals", rp.predictor, model)


def loaded_back(file: str, data="train.csv"):
    """What HiGHS's solution of an exported file amounts to."""
    write_highs_solution(file, "its.sol")
    return rp.load("its.sol", f"{file}.names.json", data)


def test_an_exported_model_is_loaded_again(data) -> None:
    spec = SPECS["vkr"][0]
    names = rp.export(rp.build(spec, data, form="dual"), "dual.mps", expected=True)
    assert (names["model"], names["form"]) == ("vkr", "dual")
    assert rp.verify("dual.mps").agrees
    for given in ("train.csv", data):
        loaded = loaded_back("dual.mps", given)
        assert (loaded.agrees, loaded.run.certified) == (True, True)
    assert loaded.run.objective == pytest.approx(rp.fit(spec, data).objective, rel=1e-6)
    # other options of the reader make other rows of the same file
    other = rp.read("train.csv", scale="unit")
    refused(rp.DataError, "the numbers differ", loaded_back, "dual.mps", other)


def test_a_program_of_arrays_is_loaded_with_its_data_set(radprog, data) -> None:
    spec, of = SPECS["vkr"][0], (data.X, data.signs)
    rp.export(rp.build(spec, rp.dataset(*of), form="dual"), "dual.mps")
    loaded = loaded_back("dual.mps", rp.dataset(*of))
    assert (loaded.agrees, loaded.run.certified) == (True, True)
    assert loaded.run.objective == pytest.approx(rp.fit(spec, data).objective, rel=1e-6)
    # there is no file of it, and other rows are not those of the program
    files = ("its.sol", "dual.mps.names.json")
    for more in ("", "--data train.csv"):
        words = "made from arrays: pass the data set to rp.load"
        radprog.refused(words, "load", files[0], "--names", files[1], more)
    turned = rp.dataset(data.X[::-1], data.signs)
    refused(rp.DataError, "the numbers differ$", rp.load, *files, turned)
    refused(rp.OptionError, r"ndarray given: rp\.dataset", rp.load, *files, data.X)


CHANGES = {
    "row": lambda m: m.add_component("own", pyo.Constraint(expr=m.shortfall[0] <= 0.1)),
    "off": lambda m: m.margin[2].deactivate(),
    "gone": lambda m: m.del_component(m.margin),
    "fixed": lambda m: m.shortfall[3].fix(0.0),
    "bound": lambda m: m.alpha_plus[0, 1].setub(1e-3),
    "side": lambda m: m.margin[4].set_value(m.margin[4].body >= 2.0),
    "other numbers": lambda m: m.margin[4].set_value(2 * m.margin[4].body >= 1.0),
    "objective": lambda m: m.objective.set_value(2 * m.objective.expr),
}


@pytest.mark.parametrize("kind", CHANGES)
@pytest.mark.parametrize("copied", [False, True])
def test_a_changed_program_has_no_expected_value(data, kind, copied) -> None:
    """What is loaded of it is proved by the data, and false of no model."""
    model = rp.build(SPECS["vkr"][0], data, form="primal")
    model = model.clone() if copied else model
    CHANGES[kind](model)
    refused(rp.OptionError, "or changed since", rp.export, model, "p.mps", expected=True)
    assert rp.export(model, "p.mps")["expected_objective"] is None
    if kind == "off":  # its multipliers are none of the form
        refused(rp.DataError, "other points, kernels or rows", loaded_back, "p.mps")
        return
    run, best = loaded_back("p.mps").run, rp.fit(SPECS["vkr"][0], data, tol=1e-9)
    assert (run.bound is None) == (kind == "gone")
    assert kind == "gone" or run.bound <= best.objective + 1e-9
    assert run.objective >= best.bound - 1e-9
    assert rp.check(run, data)["holds"]


def test_a_changed_nonlinear_program_has_no_expected_value(data) -> None:
    few = [*np.flatnonzero(data.signs > 0)[:2], *np.flatnonzero(data.signs < 0)[:2]]
    model = rp.build(rp.MKL(kernels="rbf:1,rbf:2", variant="dc"), data.take(few), "dc")
    assert rp.export(model.clone(), "p.nl")["class"] == "NLP"
    next(model.component_data_objects(pyo.Var)).setub(0.5)
    refused(rp.OptionError, "or changed since", rp.export, model, "p.nl", expected=True)


@pytest.mark.parametrize("form", ["primal", "dual"])
def test_nothing_is_solved_in_a_build(data, form) -> None:
    with mock.patch.object(forms, "fit_vkr", side_effect=AssertionError("solved")):
        model = rp.build(SPECS["vkr"][0], data, form=form)
        assert rp.export(model, "p.mps")["expected_objective"] is None
        refused(AssertionError, "solved", rp.export, model, "p.mps", expected=True)


X = np.random.default_rng(0).normal(size=(12, 2))


@pytest.mark.parametrize(("solver", "whose"), [("highs", "its duals"), ("scip", "duals of HiGHS")])
def test_verify_says_whose_duals_prove_it(data, solver: str, whose: str) -> None:
    """SCIP gives none."""
    rp.export(rp.build(SPECS["vkr"][0], data, form="dual"), "dual.mps", expected=True)
    verdict = rp.verify("dual.mps", solver)
    assert (verdict.proven, verdict.own_duals) == (True, solver == "highs")
    row = {**vars(verdict), "agrees": True, "cut_off": False, "status": "optimal", "seconds": 1.0}
    for proven, words in ((True, f", proven by {whose}"), (False, f"({whose}")):
        assert words in verdict_line({**row, "solver": solver, "proven": proven, "gap": 1e-3})
