"""Settings as frozen dataclasses: each field declares its default, parser, check and help once.

The options of the command line, the checks of values, the parameters of the estimators and the
lists of parameters in docstrings follow from the fields.
"""

from __future__ import annotations

import inspect
import re
import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import Field, dataclass, field, fields
from functools import wraps
from typing import Any, ClassVar, TypeAlias, TypeVar

import numpy as np

from radprog.base.errors import ArgumentError, OptionError, meant

Check: TypeAlias = Callable[[str, Any], object]  # of an option's name and value
C = TypeVar("C", bound=type[Any])
SECTION = "Parameters"  # of a docstring
LAST = r"\n\n(?=(?:See Also|Notes|References|Examples)\n-)"  # its sections after lists of names
TYPES: Mapping[str, tuple[type, ...]] = {
    "float": (int, float),
    "int": (int,),
    "bool": (bool,),
    "str": (str,),
    "None": (type(None),),
}
TYPE_WORDS = {
    "float": "a number", "int": "a whole number", "bool": "True or False", "str": "text",
}  # fmt: skip


def option(
    default: Any,
    parse: Callable[[str], Any] | None,
    help: str | Callable[[], str],
    each: Callable[[str], list[str]] | None = None,
    *,
    make: Callable[[Any], Any] | None = None,
    allowed: Sequence[str] = (),
    check: Check | None = None,
    metavar: str | None = None,
) -> Any:
    """A field of settings, with its default, its checks and its help text.

    - parse: converts the text of the command line. If it is None, the field is not an option of
      the command line.
    - help: the help text, or a function that returns it.
    - each: for an option whose value is a list, a function that splits the value into items. A grid
      tries these items one by one.
    - make: converts the caller's value into the stored one.
    - allowed: the permitted words.
    - check: function of name and value that raises OptionError; the value None is not checked.
    - metavar: the placeholder of the value in the help of the command line.
    """
    metadata: dict[str, Any] = {"parse": parse, "help": help, "each": each, "metavar": metavar}
    metadata |= {"make": make, "allowed": allowed, "check": check}
    if isinstance(default, dict):
        return field(default_factory=default.copy, metadata=metadata)
    return field(default=default, metadata=metadata)


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Base class for the settings of a model: a frozen dataclass that converts and checks its
    options.

    ``model_name`` is the class name in lower case. ``sense`` is -1 for a model that maximises and
    has an upper bound. ``methods`` and ``forms`` are those of the model, defaults first.

    A model may declare two more attributes. ``unused`` maps each method to the run settings that do
    not apply to it. ``own_code`` maps each method without a solver to the name of the code that
    solves its program. This code has no options and writes no log. If the user names a solver, it
    is used instead.
    """

    model_name: ClassVar[str]
    sense: ClassVar[int] = 1
    methods: ClassVar[tuple[str, ...]] = ()
    forms: ClassVar[tuple[str, ...]] = ()

    def __init_subclass__(cls) -> None:
        cls.model_name = cls.__name__.lower()

    def __post_init__(self) -> None:
        # defaults are valid as they stand (a test); the values that differ from them are those of
        # the caller: each is converted, then its type, then the value itself is checked
        changed = {
            option: value
            for option in fields(self)
            if (value := getattr(self, option.name)) is not option.default
            and not (type(value) is dict and not value)
        }
        for option, value in changed.items():
            make = option.metadata.get("make")
            changed[option] = of_type(option, value if make is None else make(value))
            object.__setattr__(self, option.name, changed[option])
        for option, value in changed.items():
            allowed, check = option.metadata.get("allowed"), option.metadata.get("check")
            if value is not None and allowed:
                one_of(option.name.replace("_", " "), value, allowed)
            if (value is not None or option.default is not None) and check is not None:
                check(option.name, value)
        # then what the options are together
        self.check()

    def check(self) -> None:
        """Raise OptionError for options that cannot be combined."""


def described(spec: C) -> C:
    """Add a list of the parameters to the docstring of a settings class, and return the class."""
    # a class's own fields come before those that it shares with others
    shown = sorted(fields(spec), key=lambda field: field.name not in spec.__annotations__)
    spec.__dataclass_fields__ = {field.name: field for field in shown} | spec.__dataclass_fields__
    signature = inspect.signature(spec)
    parameters = [signature.parameters[field.name] for field in shown]
    spec.__signature__ = signature.replace(parameters=parameters)
    # what the fields say of themselves is the list of parameters
    spec.__doc__ = with_parameters(spec.__doc__, parameters, helps(spec))
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
    texts = {field.name: field.metadata.get("help") for field in fields(kind)}
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
    kinds = [
        (item, "" if item.annotation == "Any" else f"{item.annotation}, ") for item in parameters
    ]
    entries = [(f"{item.name} : {kind}default={item.default!r}", item.name) for item, kind in kinds]
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
            sentence,
            96,
            initial_indent=indent,
            subsequent_indent=indent,  # of a line
        )
        lines += [head, *wrapped]
    return "\n\n".join(["\n".join(lines), *last])


def recorded(spec: Any, values: Mapping[str, Any]) -> Any:
    """Make settings of the class ``spec`` from the entries of a result or an export.

    Entries that are not settings are ignored.
    """
    names = {field.name for field in fields(spec)}
    return spec(**{key: value for key, value in values.items() if key in names})


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


def of_type(field: Field[Any], value: Any) -> Any:
    """The value of a field of new settings, if it has the declared type.

    Only numbers, truth values and strings are checked. NumPy numbers become Python numbers. Raises
    OptionError for a wrong type; the message includes the name of the field.
    """
    kinds = set(str(field.type).split(" | "))
    if not kinds <= TYPES.keys() or (value is None and "None" in kinds):
        return value
    # a number of NumPy is the same setting as Python's
    value = value.item() if isinstance(value, np.generic) else value
    # True and False are integers in Python, but no numbers here
    truth = isinstance(value, bool)
    if not any(isinstance(value, TYPES[kind]) and truth == (kind == "bool") for kind in kinds):
        expected = " or ".join(TYPE_WORDS[kind] for kind in TYPE_WORDS if kind in kinds)
        raise OptionError(f"{field.name} {value!r}: expected {expected}")
    return value
