"""The common parts of the models' settings: options, their checks and their parsers."""

from __future__ import annotations

import inspect
import math
import re
import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field, fields
from functools import wraps
from typing import Any, TypeAlias, TypeVar

import numpy as np

from radprog.base.errors import ArgumentError, OptionError, meant
from radprog.models.kernels import EXTREME, parse_kernels
from radprog.models.own_kernels import Kernels, kernel_text

Unused: TypeAlias = Mapping[str, tuple[str, ...]]  # by method: run settings without a meaning
OwnCode: TypeAlias = Mapping[str, str]  # by method: what solves where no solver is named
Check: TypeAlias = Callable[[str, Any], object]  # of an option's name and value
Numbers: TypeAlias = Any  # text, a number or a sequence of numbers; once made, text
C = TypeVar("C", bound=type[Any])
SOLVERLESS = ("solver", "solver_options", "log")  # unused by a method that calls no solver
DOC_WIDTH = 96  # of a line
SECTION = "Parameters"  # of a docstring
LAST = r"\n\n(?=(?:See Also|Notes|References|Examples)\n-)"  # its sections after lists of names
TYPES: Mapping[str, tuple[type, ...]] = {
    "float": (int, float),
    "int": (int,),
    "bool": (bool,),
    "str": (str,),
    "None": (type(None),),
}
TYPE_WORDS = {"float": "a number", "int": "an integer", "bool": "True or False", "str": "text"}
YES, NO = ("yes", "true", "on", "1"), ("no", "false", "off", "0")


def option(
    default: Any,
    parse: Callable[[str], Any],
    help: str,
    each: Callable[[str], list[str]] | None = None,
    *,
    make: Callable[[Any], Any] | None = None,
    allowed: Sequence[str] = (),
    check: Check | None = None,
    of_rows: bool = False,
) -> Any:
    """A field that is also an option of the command line.

    - each: for an option whose value is a list, a function that splits the value into items. A grid
      tries these items one by one.
    - make: converts the caller's value into the stored one.
    - allowed: the permitted words.
    - check: function of name and value that raises OptionError; the value None is not checked.
    - of_rows: whether the field refers to the rows of one data set. Such a field is not an option
      of the command line.
    """
    metadata = {"parse": parse, "help": help, "each": each, "of_rows": of_rows}
    metadata |= {"make": make, "allowed": allowed, "check": check}
    return field(default=default, metadata=metadata)


class Settings:
    """Base class for the settings of a model: a frozen dataclass that converts and checks its
    options.
    """

    def __post_init__(self) -> None:
        declared = [one for one in fields(self) if one.metadata]  # type: ignore[arg-type]
        # what a caller gives becomes what is held, of the type that is declared
        for one in declared:
            if one.metadata["make"] is not None:
                take(self, **{one.name: one.metadata["make"](getattr(self, one.name))})
        check_types(self)
        # every option by itself, then what they are together
        for one in declared:
            value = getattr(self, one.name)
            if value is not None and one.metadata["allowed"]:
                one_of(one.name.replace("_", " "), value, one.metadata["allowed"])
            if value is not None and one.metadata["check"] is not None:
                one.metadata["check"](one.name, value)
        self.check()

    def check(self) -> None:
        """Raise OptionError for options that cannot be combined."""


def described(spec: C) -> C:
    """Add a list of the parameters to the docstring of a settings class, and return the class."""
    # what the fields say of themselves is the list of parameters
    texts = helps(spec)
    parameters = inspect.signature(spec).parameters.values()
    spec.__doc__ = with_parameters(spec.__doc__, parameters, texts)
    return refusing_others(spec)


def refusing_others(cls: C) -> C:
    """Make a class raise ArgumentError for an unknown keyword, and return the class.

    The message suggests the most similar parameter.
    """
    plain, parameters = cls.__init__, inspect.signature(cls).parameters

    @wraps(plain)
    def init(self: Any, *args: Any, **options: Any) -> None:
        for name in options.keys() - parameters.keys():
            raise ArgumentError(
                f"{cls.__name__} has no parameter {name}{meant(name, parameters)}"
                f" (expected some of {', '.join(parameters)})"
            )
        plain(self, *args, **options)

    cls.__init__ = init
    return cls


def helps(kind: Any) -> dict[str, str]:
    """The help texts of the fields of a class."""
    texts = {one.name: one.metadata.get("help") for one in fields(kind)}
    return {name: text if isinstance(text, str) else text() for name, text in texts.items() if text}


def about(spec: type) -> str:
    """The docstring of a settings class, without the list of parameters."""
    return inspect.cleandoc(spec.__doc__ or "").partition(f"\n\n{SECTION}\n")[0]


def with_parameters(
    doc: str | None, parameters: Iterable[inspect.Parameter], texts: Mapping[str, str]
) -> str:
    """A docstring with a numpydoc list of parameters: the type, default and meaning of each.

    Raises KeyError if a parameter has no entry in ``texts``.
    """
    kinds = [(one, "" if one.annotation == "Any" else f"{one.annotation}, ") for one in parameters]
    entries = [(f"{one.name} : {kind}default={one.default!r}", one.name) for one, kind in kinds]
    return with_section(doc, SECTION, [(head, texts[name]) for head, name in entries])


def with_section(doc: str | None, title: str, entries: Iterable[tuple[str, str]]) -> str:
    """A docstring with a numpydoc section of names, with the type and the meaning of each.

    The section is placed before the sections in :data:`LAST`.
    """
    text, *last = re.split(LAST, inspect.cleandoc(doc or ""), maxsplit=1)
    lines, indent = [text, "", title, "-" * len(title)], " " * 4
    for head, text in entries:
        sentence = f"{text[:1].upper()}{text[1:]}".rstrip(".") + "."
        wrapped = textwrap.wrap(
            sentence, DOC_WIDTH, initial_indent=indent, subsequent_indent=indent
        )
        lines += [head, *wrapped]
    return "\n\n".join(["\n".join(lines), *last])


def recorded(spec: Any, values: Mapping[str, Any]) -> Any:
    """Make settings of the class ``spec`` from the entries of a result or an export.

    Entries that are not settings are ignored.
    """
    names = {own.name for own in fields(spec)}
    return spec(**{key: value for key, value in values.items() if key in names})


def nonnegative(name: str, value: float) -> None:
    """Raise OptionError unless the value is 0 or a number that :func:`positive` allows."""
    if not (math.isfinite(value) and value >= 0):
        raise OptionError(f"{name} {value:g}: expected a finite number >= 0")
    if value:
        positive(name, value)


def positive(name: str, value: float) -> None:
    """Raise OptionError unless the value is in the range from 1 / ``EXTREME`` to ``EXTREME``."""
    if not (math.isfinite(value) and value > 0):
        raise OptionError(f"{name} {value:g}: expected a finite number > 0")
    if not 1 / EXTREME <= value <= EXTREME:
        raise OptionError(
            f"{name} {value}: out of range, expected a number from {1 / EXTREME:g} to {EXTREME:g}"
        )


def at_least(least: int) -> Check:
    """A check that raises OptionError for a number below ``least``."""

    def check(name: str, value: int) -> None:
        if value < least:
            raise OptionError(f"{name} {value}: expected at least {least}")

    return check


def words_or(check: Check, *words: str) -> Check:
    """A check for an option that is a number or one of the given words."""

    def checked(name: str, value: Any) -> None:
        if isinstance(value, str) and value not in words:
            raise OptionError(f"{name} '{value}': expected {', '.join(words)} or a number > 0")
        if not isinstance(value, str):
            check(name, value)

    return checked


def whole_number(name: str, value: Any) -> None:
    """Raise OptionError unless the value is a whole number, or None."""
    is_whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if not (value is None or is_whole):
        raise OptionError(f"{name} {value!r}: expected a whole number")


def function(name: str, value: Any) -> None:
    """Raise OptionError unless the value can be called."""
    if not callable(value):
        raise OptionError(f"{name} {value!r}: expected a function")


def one_of(
    name: str, value: Any, allowed: Sequence[str], others: Mapping[str, str] | None = None
) -> None:
    """Raise OptionError unless the value is an allowed word.

    ``others`` maps some invalid words to the allowed words with the same meaning, for the message.
    """
    if not (isinstance(value, str) and value in allowed):
        meant = (others or {}).get(str(value).lower())
        hint = "" if meant is None else f"; did you mean {meant}?"
        raise OptionError(f"unknown {name} '{value}': expected one of {', '.join(allowed)}{hint}")


def one_kernel(model: str) -> Check:
    """A check that raises OptionError unless a SPEC has exactly one kernel."""

    def check(name: str, spec: Kernels) -> None:
        if (number := len(parse_kernels(spec))) != 1:
            raise OptionError(f"{model} takes one kernel, '{spec}' gives {number}")

    return check


def optional_kernels(kernels: Kernels | None) -> str | None:
    """The SPEC of kernels, or None if no kernels are given."""
    return None if kernels is None else kernel_text(kernels)


def some_kernels(name: str, spec: Kernels) -> None:
    """Raise OptionError unless a SPEC has kernels."""
    parse_kernels(spec)


def take(spec: Any, **values: Any) -> None:
    """Set fields of a frozen dataclass during its construction."""
    for name, value in values.items():
        object.__setattr__(spec, name, value)


def check_types(spec: Any) -> None:
    """Check that every field of new settings has its declared type.

    Only numbers, truth values and strings are checked. NumPy numbers become Python numbers. Raises
    OptionError for a wrong type; the message includes the name of the field.
    """
    for own in fields(spec):
        kinds, value = set(str(own.type).split(" | ")), getattr(spec, own.name)
        if not kinds <= TYPES.keys() or (value is None and "None" in kinds):
            continue
        # a number of NumPy is the same setting as Python's
        if isinstance(value, np.generic):
            value = value.item()
            take(spec, **{own.name: value})
        # True and False are integers in Python, but no numbers here
        truth = isinstance(value, bool)
        if not any(isinstance(value, TYPES[kind]) and truth == (kind == "bool") for kind in kinds):
            expected = " or ".join(TYPE_WORDS[kind] for kind in TYPE_WORDS if kind in kinds)
            raise OptionError(f"{own.name} {value!r}: expected {expected}")


def as_text(name: str, value: Any, *, optional: bool = True) -> Any:
    """Convert a number or a sequence of numbers to the string of an option.

    A string is returned unchanged. If the option is ``optional``, None is also returned unchanged.
    Raises OptionError for any other value.
    """
    if isinstance(value, str) or (value is None and optional):
        return value
    items = np.ravel(value).tolist() if np.ndim(value) <= 1 else []
    if not items or not all(type(item) in (int, float, str) for item in items):
        raise OptionError(f"{name} {value!r}: expected a number, a sequence of numbers or text")
    return ",".join(map(str, items))


def yes_or_no(text: str) -> bool:
    """Convert ``yes``, ``true``, ``on``, ``1``, ``no``, ``false``, ``off`` or ``0`` to a truth
    value.

    Raises ValueError for any other text.
    """
    if text.lower() not in YES + NO:
        raise ValueError(f"'{text}': expected yes or no")
    return text.lower() in YES


def positive_number(name: str, value: str | float) -> float:
    """The value as a number > 0, for an option that may also be ``auto``. Raises OptionError."""
    try:
        number = float(value)
    except ValueError:
        raise OptionError(f"{name} '{value}': expected 'auto' or a number > 0") from None
    positive(name, number)
    return number


def number_or(*words: str) -> Callable[[str], str | float]:
    """A parser for a number or one of the given words. It raises ValueError for any other text."""

    def number_or_word(text: str) -> str | float:
        return text if text in words else float(text)

    return number_or_word
