"""Settings over a grid: lists of values, their order, and all combinations."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields
from typing import Any

from radprog.base.errors import OptionError
from radprog.base.settings import one_of
from radprog.catalog import Entry
from radprog.instances.data import SCALINGS
from radprog.models.kernels import number_list

SCALE = "scale"  # the option of the data that a grid may vary
MOST_SETTINGS = 100_000  # of a grid: every one is fitted in every fold


def parse_list(name: str, text: str, each: Callable[[str], list[str]] | None = None) -> list[str]:
    """Values of ``a,b,c`` or ``a..b:N`` (N logarithmically spaced numbers) as strings.

    If the values of the option are lists themselves, ``each`` splits a list into items. ``;`` then
    separates whole lists. In a string without ``;``, every item is a value.
    """
    # an option with lists as values: single items, or whole lists between semicolons
    if each is not None:
        return [item.strip() for item in text.split(";")] if ";" in text else each(text)
    # FROM..TO:N, equal steps of the logarithm
    if ".." in text and ":" in text and "," not in text:
        return [f"{value:.12g}" for value in number_list(f"grid {name}", text)]
    return [item.strip() for item in text.split(",")]


def parse_entries(entry: Entry, entries: Sequence[str], fixed: Mapping[str, Any]) -> dict[str, str]:
    """The LIST of each option in strings NAME=LIST. Raises OptionError for a repeated option."""
    grid: dict[str, str] = {}
    for text in entries:
        name, equals, values = text.partition("=")
        name = name.strip().replace("-", "_")
        if not equals:
            raise OptionError(f"grid '{text}': expected NAME=LIST with NAME in {_names(entry)}")
        if name in grid or fixed.get(name) is not None:
            raise OptionError(f"option {name} is given twice, once in `grid`")
        grid[name] = values
    return grid


def settings_over(entry: Entry, grid: Mapping[str, Any], base: Mapping[str, Any]) -> list[Any]:
    """All settings of a grid, in order of decreasing regularisation.

    ``grid`` contains the values of each varied option, or their LIST; ``base`` has the fixed
    options. Raises OptionError for an option that the model does not have, or for an invalid value.
    """
    options, axes = _varying(entry), dict[str, list[Any]]()
    for name, values in grid.items():
        if name not in options:
            raise OptionError(f"grid '{name}': expected NAME=LIST with NAME in {_names(entry)}")
        if not isinstance(values, str):
            axes[name] = _value_list(values)
            continue
        # texts are parsed like the option of the command
        parse, each = (options[name].metadata[key] for key in ("parse", "each"))
        axes[name] = []
        for value in parse_list(name, values, each):
            try:
                axes[name].append(parse(value))
            except ValueError:
                raise OptionError(
                    f"grid {name}: '{value}' is not a number: expected a..b:N or numbers a,b,c"
                ) from None
    for name, axis in axes.items():
        # options whose larger value regularises more, or less
        falling, rising = ("lam", "beta", "nu"), ("C", "A")
        if name in (*falling, *rising) and all(isinstance(value, int | float) for value in axis):
            # the strongest regularisation comes first, and wins ties
            axis.sort(reverse=name in falling)
    # the size is checked before any settings object is made
    size = math.prod(map(len, axes.values()))
    sizes = ", ".join(f"{name} of {len(axis)}" for name, axis in axes.items())
    if not 1 <= size <= MOST_SETTINGS:
        raise OptionError(f"grid {sizes}: {size} settings, expected 1 to {MOST_SETTINGS}")
    # the slowest axis first: neighbours in the grid share kernels
    slowest = {"kernels": 1, "lam": 2, "beta": 3, "nu": 4}
    names = sorted(axes, key=lambda name: slowest.get(name, 0))
    specs = [
        entry.spec(**{**base, **dict(zip(names, choice, strict=True))})
        for choice in itertools.product(*(axes[name] for name in names))
    ]
    if len(set(specs)) < len(specs):
        raise OptionError(f"grid {sizes}: a value is given twice")
    return specs


def scales_of(values: Any) -> tuple[str, ...]:
    """Distinct entries of SCALINGS, from a LIST or a sequence. Raises OptionError for other
    values.
    """
    scales = tuple(
        map(str, parse_list(SCALE, values) if isinstance(values, str) else _value_list(values))
    )
    for scale in scales:
        one_of(SCALE, scale, SCALINGS)
    if not scales or len(set(scales)) < len(scales):
        raise OptionError(f"grid {SCALE} '{','.join(scales)}': expected scalings, each once")
    return scales


def _varying(entry: Entry) -> dict[str, Any]:
    """The options of a model that a grid may vary."""
    return {
        field.name: field
        for field in fields(entry.spec)
        if field.name not in entry.form_options and field.metadata["parse"]
    }


def _names(entry: Entry) -> str:
    return ", ".join((*_varying(entry), *({SCALE} & set(entry.data_options))))


def _value_list(values: Any) -> list[Any]:
    """The values of an option, or its single value; long sequences are truncated."""
    is_sequence = isinstance(values, Iterable) and getattr(values, "ndim", 1) > 0
    return list(itertools.islice(values, MOST_SETTINGS + 1)) if is_sequence else [values]
