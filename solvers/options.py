"""Checks of solver settings: limits, ``solver_options``, and the path of a log."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from radprog.base.errors import OptionError, OutputError

_BOOLEANS = {"true": True, "on": True, "1": True, "false": False, "off": False, "0": False}


def parsed(solver: str, name: str, text: str, kind: type) -> bool | int | float | str:
    """Convert ``text`` to a ``kind``: bool, int, float or str. Raises OptionError for an invalid
    string.
    """
    try:
        if kind is bool:
            return _BOOLEANS[text.lower()]
        if kind is int:
            return int(text)
        if kind is float:
            return float(text)
    except (KeyError, ValueError):
        expected = {bool: "true or false", int: "an integer", float: "a number"}[kind]
        raise OptionError(f"{solver} option {name} takes {expected}, not {text!r}") from None
    return text


def set_attributes(solver: str, target: Any, options: Mapping[str, str]) -> None:
    """Set the options of a solver whose settings are the attributes of an object."""
    for name, text in options.items():
        present = getattr(target, name, None)
        if not isinstance(present, bool | int | float | str):
            raise OptionError(f"{solver} has no option {name!r}")
        setattr(target, name, parsed(solver, name, text, type(present)))


def refuse_no_number(
    name: str,
    value: Any,
    least: int = 0,
    *,
    whole: bool = False,
    positive: bool = False,
    finite: bool = False,
) -> None:
    """Raise OptionError unless ``value`` is a number of at least ``least``.

    With ``whole`` it must be a whole number. Strings and truth values are rejected.
    """
    kinds = (int, np.integer) if whole else (int, float, np.integer, np.floating)
    if not isinstance(value, kinds) or isinstance(value, bool):
        raise OptionError(f"{name} {value!r}: expected a {'whole ' * whole}number")
    if value >= least and not (positive and value == 0) and not (finite and value == math.inf):
        return
    expected = f"at least {least}" if least else f"a {'finite ' * finite}number >= 0"
    shown = value if whole else f"{value:g}"
    raise OptionError(f"{name} {shown}: expected {'a positive number' if positive else expected}")


def finite_number(value: Any) -> float | None:
    """The value as a finite float, or None."""
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None


def option_texts(options: Any) -> dict[str, str]:
    """The options of a solver by name, with their values as strings.

    Raises OptionError unless ``options`` maps names to numbers or strings.
    """
    valid = isinstance(options, Mapping)
    for key, value in options.items() if valid else ():
        valid &= isinstance(key, str) and isinstance(value, str | int | float | np.number)
    if not valid:
        raise OptionError(
            f"solver_options {options!r}: expected names with numbers or texts, as "
            "{'presolve': 'off'}"
        )
    return {key: str(value) for key, value in options.items()}


def log_path(log: Any) -> str | None:
    """The path of a log, or None. Raises OptionError for any other value."""
    if not isinstance(log, str | None):
        raise OptionError(
            f"log {log!r}: expected the path of a file, as a string; a function that fits and "
            "drivers call after every round is observe"
        )
    return log


def check_log(path: str) -> None:
    """Raise OutputError if the log cannot be written."""
    try:
        with open(path, "a"):
            pass
    except OSError as error:
        raise OutputError(f"cannot write the log {path}: {error.strerror}") from None
