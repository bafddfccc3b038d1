"""The parameters of an estimator in its docstring, from the options of its model."""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Mapping
from dataclasses import field, fields, is_dataclass
from typing import Any, TypeVar

from radprog.decompositions.run import RunSettings

C = TypeVar("C", bound=type[Any])
DOC_WIDTH = 96  # of a line


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
    given = dict(inspect.signature(cls).parameters)
    lines = [inspect.cleandoc(cls.__doc__ or ""), "", "Parameters", "----------"]
    for name in sorted(given, key=lambda name: (name in of_run, name not in of_model)):
        kind = "" if given[name].annotation == "Any" else f"{given[name].annotation}, "
        lines.append(f"{name} : {kind}default={given[name].default!r}")
        indent = " " * 4
        lines += textwrap.wrap(
            known[name], DOC_WIDTH, initial_indent=indent, subsequent_indent=indent
        )
    cls.__doc__ = "\n".join(lines)
    return cls


def helps(kind: Any) -> dict[str, str]:
    """What is said of every field of a class that says it."""
    found = {one.name: one.metadata.get("help") for one in fields(kind)}
    return {name: told if isinstance(told, str) else told() for name, told in found.items() if told}
