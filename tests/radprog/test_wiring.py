"""What the catalog says of a model is what its wiring holds."""

from typing import get_args

import pytest

from radprog.base.errors import OptionError
from radprog.catalog import CATALOG, Ability
from radprog.decompositions.run import UNUSED, RunSettings


@pytest.mark.parametrize("model", CATALOG)
def test_a_model_can_do_what_its_row_says(model: str) -> None:
    entry = CATALOG[model]
    able = {name for name in get_args(Ability) if getattr(entry.hooks, name) is not None}
    assert (able, entry.hooks.form is not None) == (set(entry.can), bool(entry.forms))
    assert set(entry.value_forms) <= set(entry.forms)
    assert (entry.hooks.load is not None) == bool(entry.value_forms)
    # lpdsk: by its error, from its own sweep
    assert "choose" in entry.can or entry.criteria[0] == "error"
    assert entry.forms == () or entry.hooks.terms
    assert set(entry.exporters) <= set(entry.methods)


@pytest.mark.parametrize("model", CATALOG)
def test_a_form_or_method_that_a_model_does_not_have_is_refused(model: str) -> None:
    entry = CATALOG[model]
    spec = entry.spec(kernels="linear") if model == "simsvm" else entry.spec()
    known = f"unknown form 'circle': expected one of {', '.join(entry.forms)}"
    with pytest.raises(OptionError, match=known if entry.forms else "has no program to build"):
        entry.form(spec, None, "circle", RunSettings())
    known = f"unknown method 'circle': expected one of {', '.join(entry.methods)}"
    with pytest.raises(OptionError, match=known):
        RunSettings(method="circle").method_of(spec)


SOLVER = ("solver", "solver_options", "log")
UNUSED_OF = {  # methods by the options that they have no use for
    ("max_iter", "start"): "vkr-direct vkr-dual l1svm-direct l1svm-dual l1linear-direct mkl-qcqp "
    "simsvm-primal cdsk-exact lpdsk-exact",
    ("max_iter",): "mkl-global",
    ("max_iter", "start", *SOLVER): "mkl-svm",
    ("start", *SOLVER): "vkr-cd l1svm-cd",
    ("start", "threads"): "svr-cccp complexity-cccp srm-cccp",
    ("start", "threads", *SOLVER): "svr-global complexity-exact",
    ("start",): "svm-dual simsvm-dual cdsk-alternate lpdsk-alternate",
}
GIVEN = {"max_iter": 3, "start": object(), "solver": "highs", "solver_options": {"a": "1"}}
GIVEN |= {"log": "a.log", "threads": 2}
VARIANT_OF = {"hybrid": "dc", "dca": "dc", "algorithm1": "dc", "global": "dc", "svm": "unif"}
METHODS = [(model, method) for model, entry in CATALOG.items() for method in entry.methods]


@pytest.mark.parametrize(("model", "method"), METHODS)
def test_options_without_a_use_are_refused_before_the_data_are_seen(model, method) -> None:
    spec = CATALOG[model].spec
    given = {"simsvm": {"kernels": "linear"}, "mkl": {"variant": VARIANT_OF.get(method, "conv")}}
    refused = set()
    for option, value in GIVEN.items():
        settings = RunSettings(method=method, **{option: value})
        with pytest.raises(Exception) as found:  # of those that are used: there are no data
            CATALOG[model].hooks.fit(spec(**given.get(model, {})), None, settings)
        if UNUSED[option] in str(found.value):
            assert isinstance(found.value, OptionError)
            assert f"{model}: method '{method}'" in str(found.value)
            refused.add(option)
    rows = [row for row, names in UNUSED_OF.items() if f"{model}-{method}" in names.split()]
    assert [refused] == [set(row) for row in rows or [()]]
