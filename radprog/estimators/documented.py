"""The parameters of an estimator in its docstring, from the options of its model."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import field, is_dataclass
from typing import Any, TypeVar

from radprog.decompositions.run import RunSettings
from radprog.models.settings import helps, with_parameters

C = TypeVar("C", bound=type[Any])


def parameter(default: Any, help: str) -> Any:
    """A parameter that no option of the model tells of, with what it means."""
    return field(default=default, metadata={"help": help})


def documented(cls: C, own: Mapping[str, str] | None = None) -> C:
    """The class, its docstring followed by a list of its parameters, in the form of numpydoc.

    Each has its type and default, and the help of the first that has one: ``own`` and the class's
    :func:`parameter`, the option of its model (``spec``) of that name, the setting of a run.
    KeyError where none of them tells of one.
    """
    spec = cls.spec
    methods = f"{', '.join(spec.methods)}; None is the first that its other settings allow"
    of_run, of_model = helps(RunSettings), helps(spec)
    of_class = {"method": methods, **(helps(cls) if is_dataclass(cls) else {}), **(own or {})}
    known = {**of_run, **of_model, **of_class}
    given = inspect.signature(cls).parameters
    ordered = sorted(given, key=lambda name: (name in of_run, name not in of_model))
    cls.__doc__ = with_parameters(cls.__doc__, [given[name] for name in ordered], known)
    return cls
