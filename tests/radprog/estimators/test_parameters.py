"""The help of every estimator lists its parameters, in the words of the options of its model."""

import re
from dataclasses import fields
from inspect import signature

import pytest

from radprog import estimators


def sentence(text: str) -> str:
    """A help text as a docstring has it."""
    return f"{text[0].upper()}{text[1:]}."


# settings of a model that an estimator describes in its own docstring
OWN = {
    "BoundedLossSVR": {"A", "C"},
    "LocalMKLClassifier": {"grams"},
    "SimilarityClassifier": {"kernels"},
}


@pytest.mark.parametrize("name", estimators.__all__)
def test_help_lists_every_parameter(name: str) -> None:
    kind = getattr(estimators, name)
    listed = re.findall(r"^(\w+) : .*default=(.*)\n    \S", kind.__doc__, re.M)
    known = {name: value.default for name, value in signature(kind).parameters.items()}
    assert len(listed) == len(known)
    assert dict(listed) == {name: repr(value) for name, value in known.items()}
    told = " ".join(kind.__doc__.split())
    own = {"groups"} | OWN.get(name, set())
    for option in fields(kind.spec):
        if option.name in known.keys() - own:
            assert f"default={known[option.name]!r} {sentence(option.metadata['help'])}" in told
