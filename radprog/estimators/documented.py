"""The Parameters and Attributes sections of the estimators' docstrings."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import is_dataclass
from typing import Any, TypeAlias, TypeVar

from radprog.base.settings import helps, refusing_others, with_parameters, with_section
from radprog.decompositions.run import RunSettings

C = TypeVar("C", bound=type[Any])
Attributes: TypeAlias = Mapping[str, tuple[str, str]]  # by name: type or shape, and meaning
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
# The types of parameters with the annotation Any, for the docstrings
TAKES = {
    "bandwidth": "float or str",
    "betas": "sequence of float, float or str",
    "class_weight": "mapping, 'balanced' or None",
    "complexity": "str, callable or array (p,)",
    "cv": "int, splitter or None",
    "families": "str or sequence of str",
    "grams": "array (M, n, n) or None",
    "groups": "sequence of int or None",
    "kernels": "str, callable, Kernel or sequence of them",
    "lams": "sequence of float, float or str",
    "length": "int, float, str or sequence of them",
    "random_state": "int, RandomState or None",
}


def documented(cls: C, own: Mapping[str, str] | None = None) -> C:
    """Add Parameters and Attributes sections to the docstring of a class, and return the class.

    Each parameter is listed with its type, its default and a help text. The help text comes from
    ``own`` or the class's field. If neither has one, it comes from the option of the
    model ``spec``, or from the setting of a run. Raises KeyError for a parameter without a help
    text. :func:`attributes_of` lists the attributes.
    """
    spec = cls.spec
    methods = f"name of the method: {', '.join(spec.methods)}; None means the first applicable one"
    # the help texts of command-line options are used here too
    of_run, of_model = (
        {RENAMED.get(name, name): text for name, text in helps(kind).items()}
        for kind in (RunSettings, spec)
    )
    of_class = {"method": methods, "solver": f"name of the solver: {of_run['solver']}"}
    of_class |= {**(helps(cls) if is_dataclass(cls) else {}), **(own or {})}
    texts = {**of_run, **of_model, **of_class}
    parameters = [
        one.replace(annotation=TAKES.get(one.name, one.annotation))
        for one in inspect.signature(cls).parameters.values()
    ]
    # parameters of the model first, those of every run last
    parameters.sort(key=lambda one: (one.name in of_run, one.name not in of_model))
    # sections Parameters and Attributes, as numpydoc writes them
    doc = with_parameters(cls.__doc__, parameters, texts)
    fitted = [(f"{name} : {kind}", entry) for name, (kind, entry) in attributes_of(cls).items()]
    cls.__doc__ = with_section(doc, "Attributes", fitted)
    return refusing_others(cls)


def attributes_of(cls: type[Any]) -> Attributes:
    """The fitted attributes of the class and of its base classes, with those of the class first."""
    entries: dict[str, tuple[str, str]] = {}
    # the class itself before its bases
    for kind in cls.__mro__:
        for name, entry in vars(kind).get("attributes", {}).items():
            entries.setdefault(name, entry)
    return entries
