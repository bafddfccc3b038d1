"""The Parameters and Attributes sections of the estimators' docstrings."""

from __future__ import annotations

import inspect
import re
import sys
from typing import Any, TypeVar

from radprog.base.settings import helps, refusing_others, with_parameters, with_section
from radprog.decompositions.run import RunSettings

C = TypeVar("C", bound=type[Any])
# Settings with another name in scikit-learn
RENAMED = {
    "seed": "random_state",
    "clusters": "n_clusters",
    "neighbours": "n_neighbors",
    "starts": "n_init",
    "bias": "fit_intercept",
    "no_bias": "fit_intercept",
}
NEGATED = "no_bias"  # the name with the opposite meaning
# The types of settings with the annotation Any, for the docstrings
TAKES = {
    "bandwidth": "float or str",
    "complexity": "str, callable or array (p,)",
    "families": "str or sequence of str",
    "kernels": "str, callable, Kernel or sequence of them",
    "length": "int, float, str or sequence of them",
}


# A section of a docstring, and its entries: name, type, and the indented meaning
SECTION = r"\n\n{}\n-+(?:\n.+)+"
ENTRY = re.compile(r"^(\w+) : (.*)((?:\n    .+)+)", re.M)


def documented(cls: C) -> C:
    """Complete the Parameters and Attributes sections of the docstring of a class, and return it.

    Each parameter is listed with its type, its default and its meaning. The meaning comes from the
    docstring of the class or of a base class. If none has it, it is the help text of the option of
    the model ``spec``, if there is one, or of the setting of a run. Raises KeyError for a parameter
    without one.
    """
    if sys.flags.optimize > 1:  # there are no docstrings
        return refusing_others(cls)
    # the help texts of command-line options are used here too
    spec = getattr(cls, "spec", None)
    of_run, of_model = (
        {RENAMED.get(name, name): text for name, text in helps(kind).items()} if kind else {}
        for kind in (RunSettings, spec)
    )
    listed = ", ".join(getattr(spec, "methods", ()))
    methods = f"name of the method: {listed}; None means the first applicable"
    written = entries_of(cls, "Parameters")
    texts = {**of_run, **of_model, "method": f"{methods} one"}
    texts |= {"solver": f"name of the solver: {of_run['solver']}"}
    texts |= {name: text for name, (_, text) in written.items()}
    kinds = TAKES | {name: kind for name, (kind, _) in written.items()}
    parameters = [
        parameter.replace(annotation=kinds.get(parameter.name, parameter.annotation))
        for parameter in inspect.signature(cls).parameters.values()
    ]
    # parameters of the model first, those of every run last
    parameters.sort(
        key=lambda parameter: (parameter.name in of_run, parameter.name not in of_model)
    )
    fitted = [(f"{k} : {kind}", text) for k, (kind, text) in entries_of(cls, "Attributes").items()]
    # the sections of the class itself are replaced by complete ones
    doc = inspect.cleandoc(cls.__doc__ or "")
    doc = re.sub(SECTION.format("(?:Parameters|Attributes)"), "", doc)
    doc = with_parameters(doc, parameters, texts)
    cls.__doc__ = with_section(doc, "Attributes", fitted)
    return refusing_others(cls)


def entries_of(cls: type[Any], title: str) -> dict[str, tuple[str, str]]:
    """The type and the meaning of each name in a section of the docstrings of a class and of its
    base classes, those of the class first.
    """
    entries: dict[str, tuple[str, str]] = {}
    for kind in cls.__mro__:
        if kind.__module__.startswith("radprog."):
            section = re.search(SECTION.format(title), inspect.cleandoc(kind.__doc__ or ""))
            for name, annotation, text in ENTRY.findall(section[0] if section else ""):
                entries.setdefault(name, (annotation, " ".join(text.split())))
    return entries
