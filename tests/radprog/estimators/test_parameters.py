"""The help of every estimator lists its parameters, in the words of the options of its model."""

import re
from dataclasses import fields
from inspect import signature

import pytest

import radprog as rp
from radprog import estimators
from radprog.catalog import CATALOG
from radprog.estimators.documented import documented


def sentence(text: str) -> str:
    """A help text as a docstring has it."""
    return f"{text[0].upper()}{text[1:]}."


@pytest.mark.parametrize("name", estimators.__all__)
def test_help_lists_every_parameter(name: str) -> None:
    kind = getattr(estimators, name)
    listed = re.findall(r"^(\w+) : .*default=(.*)\n    \S", kind.__doc__, re.M)
    known = {name: value.default for name, value in signature(kind).parameters.items()}
    assert len(listed) == len(known)
    assert dict(listed) == {name: repr(value) for name, value in known.items()}
    told = " ".join(kind.__doc__.split())
    own = {one.name for one in fields(kind) if "help" in one.metadata}  # parameters with own texts
    for option in fields(kind.spec):
        if option.name in known.keys() - own:
            assert f"default={known[option.name]!r} {sentence(option.metadata['help'])}" in told


@pytest.mark.parametrize("model", CATALOG)
def test_help_of_the_settings_of_a_model_lists_them(model: str) -> None:
    kind = CATALOG[model].spec
    listed = re.findall(r"^(\w+) : .*default=(.*)\n    \S", kind.__doc__ or "", re.M)
    assert listed == [(name, repr(one.default)) for name, one in signature(kind).parameters.items()]
    told = " ".join((kind.__doc__ or "").split())
    assert all(sentence(one.metadata["help"]) in told for one in fields(kind))


@pytest.mark.parametrize("name", estimators.__all__)
def test_what_fit_returns_has_the_type_of_the_estimator(name: str) -> None:
    """Type checkers then know the attributes of ``Estimator().fit(X, y)``."""
    kind = getattr(estimators, name)
    for method in filter(None, [getattr(kind, method, None) for method in ("fit", "_fit")]):
        if method.__module__.startswith("radprog."):
            assert signature(method).return_annotation == "Self"


def test_settings_of_a_run_come_last() -> None:
    parameters, _ = estimators.VKRClassifier.__doc__.split("Attributes\n")
    names = re.findall(r"^(\w+) : ", parameters, re.M)
    assert names[:2] == ["kernels", "complexity"]
    assert names[-3:] == ["time_limit", "random_state", "threads"]


def test_a_parameter_that_nothing_tells_of_is_refused() -> None:
    with pytest.raises(KeyError, match="depth"):

        @documented
        class Other:
            spec = rp.VKR

            def __init__(self, lam: float = 0.1, depth: int = 0) -> None: ...
