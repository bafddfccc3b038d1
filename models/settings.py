"""The common parts of the models' settings: checks and parsers of their options."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import numpy as np

from radprog.base.errors import OptionError
from radprog.base.settings import Check
from radprog.models.kernels import EXTREME, Kernels, parse_kernels

Unused: TypeAlias = Mapping[str, tuple[str, ...]]  # by method: run settings without a meaning
OwnCode: TypeAlias = Mapping[str, str]  # by method: what solves where no solver is named
Numbers: TypeAlias = Any  # text, a number or a sequence of numbers; once made, text
SOLVERLESS = ("solver", "solver_options", "log")  # unused by a method that calls no solver
YES, NO = ("yes", "true", "on", "1"), ("no", "false", "off", "0")


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


def at_least(limit: int) -> Check:
    """A check that raises OptionError for a number below ``limit``."""

    def check(name: str, value: int) -> None:
        if value < limit:
            raise OptionError(f"{name} {value}: expected at least {limit}")

    return check


def words_or(check: Check, *words: str) -> Check:
    """A check for an option that is a number or one of the given words."""

    def checked(name: str, value: Any) -> None:
        if isinstance(value, str) and value not in words:
            raise OptionError(f"{name} '{value}': expected {', '.join(words)} or a number > 0")
        if not isinstance(value, str):
            check(name, value)

    return checked


def one_kernel(model: str) -> Check:
    """A check that raises OptionError unless a SPEC has exactly one kernel."""

    def check(name: str, spec: Kernels) -> None:
        if (number := len(parse_kernels(spec))) != 1:
            raise OptionError(f"{model} takes one kernel, '{spec}' gives {number}")

    return check


def as_text(name: str, value: Any, *, optional: bool = True) -> Any:
    """Convert a number or a sequence of numbers to the string of an option.

    A string is returned unchanged. If the option is ``optional``, None is also returned unchanged.
    Raises OptionError for any other value.
    """
    if isinstance(value, str) or (value is None and optional):
        return value
    # each item by itself: an array of [1, 0.5] would make 1 the number 1.0
    several = value if np.ndim(value) else [value]
    items = [np.asarray(item).item() for item in several] if np.ndim(value) <= 1 else []
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
