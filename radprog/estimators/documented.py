"""The parameters and the fitted attributes of an estimator in its docstring."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import field, is_dataclass
from typing import Any, TypeAlias, TypeVar

from radprog.decompositions.run import RunSettings
from radprog.models.settings import helps, refusing_others, with_parameters, with_section

C = TypeVar("C", bound=type[Any])
Attributes: TypeAlias = Mapping[str, tuple[str, str]]  # by name: type or shape, and meaning


def parameter(default: Any, help: str) -> Any:
    """A parameter that no option of the model tells of, with what it means."""
    return field(default=default, metadata={"help": help})


def documented(cls: C, own: Mapping[str, str] | None = None) -> C:
    """The class, its docstring followed by a list of its parameters and one of what a fit sets, in
    the form of numpydoc.

    Each parameter has its type and default, and the help of the first that has one: ``own`` and the
    class's :func:`parameter`, the option of its model (``spec``) of that name, the setting of a
    run. KeyError where none of them tells of one. Attributes are those of :func:`attributes_of`.
    """
    spec = cls.spec
    methods = f"{', '.join(spec.methods)}; None is the first that its other settings allow"
    # the texts of the options of the command line serve here too
    of_run, of_model = helps(RunSettings), helps(spec)
    of_class = {"method": methods, **(helps(cls) if is_dataclass(cls) else {}), **(own or {})}
    texts = {**of_run, **of_model, **of_class}
    parameters = inspect.signature(cls).parameters
    # parameters of the model first, those of every run last
    ordered = sorted(parameters, key=lambda name: (name in of_run, name not in of_model))
    # sections Parameters and Attributes, as numpydoc writes them
    doc = with_parameters(cls.__doc__, [parameters[name] for name in ordered], texts)
    fitted = [(f"{name} : {kind}", entry) for name, (kind, entry) in attributes_of(cls).items()]
    cls.__doc__ = with_section(doc, "Attributes", fitted)
    return refusing_others(cls)


def attributes_of(cls: type[Any]) -> Attributes:
    """What a fit of the class sets, or answers from its run: the ``attributes`` of the class, then
    those of its bases that it does not tell anew."""
    entries: dict[str, tuple[str, str]] = {}
    # the class itself before its bases
    for kind in cls.__mro__:
        for name, entry in vars(kind).get("attributes", {}).items():
            entries.setdefault(name, entry)
    return entries
