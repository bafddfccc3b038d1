"""Docstrings of the public functions: numpydoc lists every parameter, and examples run."""

from __future__ import annotations

import doctest
import inspect
import re
from pathlib import Path

import pytest

import radprog as rp

FUNCTIONS = {name: one for name in dir(rp) if inspect.isfunction(one := getattr(rp, name))}


def section(name: str, title: str) -> str:
    """The text of a section of numpydoc, empty where there is none."""
    doc = inspect.getdoc(FUNCTIONS[name]) or ""
    part = re.search(rf"^{title}\n-+\n(.*?)(?=\n\n[A-Z]\w+\n---|\Z)", doc, re.M | re.S)
    return part[1] if part else ""


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_every_parameter_is_listed(name: str) -> None:
    heads = re.findall(r"^(\S.*?)(?: :.*)?$", section(name, "Parameters"), re.M)
    listed = {part.lstrip("*") for head in heads for part in head.split(", ")}
    parameters = inspect.signature(FUNCTIONS[name]).parameters
    # settings of a run are one line, or a line each
    named = {key for key, one in parameters.items() if one.kind is not one.VAR_KEYWORD}
    assert named <= listed
    assert listed <= parameters.keys() or named < parameters.keys()
    assert section(name, "Raises")


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_examples_run(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # where examples write their files
    tests = doctest.DocTestFinder(recurse=False).find(FUNCTIONS[name], name, globs={})
    assert doctest.DocTestRunner().run(tests[0]).failed == 0
    assert tests[0].examples
