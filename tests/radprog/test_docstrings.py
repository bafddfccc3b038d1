"""Docstrings of all that is public: numpydoc lists every parameter, roles lead somewhere, and
examples run."""

import doctest
import inspect
import re

import pytest

import radprog as rp
from radprog import estimators

ESTIMATORS = [getattr(estimators, name) for name in estimators.__all__]
# methods where they are defined, those of scikit-learn's classes left out
METHODS = {
    f"{base.__name__}.{name}": one
    for kind in ESTIMATORS
    for base in kind.__mro__
    if base.__module__.startswith("radprog.estimators")
    for name, one in vars(base).items()
    if inspect.isfunction(one) and not name.startswith("_")
}
FUNCTIONS = {name: one for name in dir(rp) if inspect.isfunction(one := getattr(rp, name))}
CALLABLES = FUNCTIONS | METHODS
CLASSES = {kind.__name__: kind for kind in ESTIMATORS} | {
    name: one for name in rp.__all__ if inspect.isclass(one := getattr(rp, name))
}
EXAMPLES = CALLABLES | CLASSES


def section(name: str, title: str) -> str:
    """The text of a section of numpydoc, empty where there is none."""
    doc = inspect.getdoc(CALLABLES[name]) or ""
    part = re.search(rf"^{title}\n-+\n(.*?)(?=\n\n[A-Z]\w+\n---|\Z)", doc, re.M | re.S)
    return part[1] if part else ""


@pytest.mark.parametrize("name", sorted(CALLABLES))
def test_every_parameter_is_listed(name: str) -> None:
    heads = re.findall(r"^(\S.*?)(?: :.*)?$", section(name, "Parameters"), re.M)
    listed = {part.lstrip("*") for head in heads for part in head.split(", ")}
    parameters = dict(inspect.signature(CALLABLES[name]).parameters)
    parameters.pop("self", None)
    # settings of a run are one line, or a line each
    named = {key for key, one in parameters.items() if one.kind is not one.VAR_KEYWORD}
    assert named <= listed
    assert listed <= parameters.keys() or named < parameters.keys()
    assert section(name, "Raises")


@pytest.mark.parametrize("name", sorted(EXAMPLES))
def test_examples_run(name: str, tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # where examples write their files
    tests = doctest.DocTestFinder(recurse=False).find(EXAMPLES[name], name, globs={})
    assert doctest.DocTestRunner().run(tests[0]).failed == 0
    assert tests[0].examples
