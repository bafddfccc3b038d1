"""From labels as written to -1 and +1."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from radprog.instances.errors import DataError
from radprog.instances.tables import is_missing, number, place, shown
from radprog.instances.types import FloatArray, IntArray

Pair = tuple[str, str]
LISTED = 5


def plain_label(label: str) -> str:
    """One spelling per label: ``1``, ``1.0`` and ``+1`` are the same; texts stay as they are."""
    text = label.strip()
    value = number(text)
    if value is None or not math.isfinite(value):
        return text
    return repr(value + 0.0).removesuffix(".0")


def plain_labels(labels: Sequence[str], source: str, lines: IntArray) -> list[str]:
    """Every label in its one spelling; DataError, naming the row, where one is missing."""
    spelling = {label: plain_label(label) for label in set(labels)}
    if any(is_missing(label) for label in spelling):
        i = next(i for i, label in enumerate(labels) if is_missing(label))
        raise DataError(f"{place(source, int(lines[i]))}: the label is missing, expected a class")
    return [spelling[label] for label in labels]


def in_order(labels: Sequence[str]) -> list[str]:
    """The distinct labels, by value if all are numbers, else by text."""
    values = {label: number(label) for label in set(labels)}
    if any(value is None for value in values.values()):
        return sorted(values)
    return sorted(values, key=lambda label: values[label] or 0.0)


def two_classes(
    labels: Sequence[str], source: str, lines: IntArray, positive: str | None = None
) -> Pair:
    """The labels behind -1 and +1 among labels in their one spelling.

    The second in order is +1, unless ``positive`` names the first.
    Raises DataError where the labels are not two, or ``positive`` is none of them.
    """
    classes = in_order(labels)
    if len(classes) != 2:
        noun = "one class" if len(classes) == 1 else f"{len(classes)} classes"
        listed = "; ".join(
            f"'{shown(label)}' {labels.count(label)} times, "
            f"first in row {lines[labels.index(label)]}"
            for label in classes[:LISTED]
        )
        more = "; ..." if len(classes) > LISTED else ""
        choice = " (or choose --one-vs-rest)" if len(classes) > 2 else ""
        raise DataError(
            f"{source}: {noun} in the label column, expected two{choice}: {listed}{more}"
        )
    first, second = classes
    if positive is None:
        return first, second
    chosen = plain_label(positive)
    if chosen not in classes:
        raise DataError(
            f"{source}: positive label '{positive}' given, but the labels are "
            f"'{first}' and '{second}'"
        )
    return (second, first) if chosen == first else (first, second)


def check_known(labels: Sequence[str], names: Sequence[str], source: str, lines: IntArray) -> None:
    """DataError, naming the row, on a label that is none of ``names``."""
    unknown = set(labels) - set(names)
    if unknown:
        i = next(i for i, label in enumerate(labels) if label in unknown)
        expected = " or ".join(f"'{name}'" for name in names)
        raise DataError(
            f"{place(source, int(lines[i]))}: label '{shown(labels[i])}', expected {expected} as "
            "in the training data"
        )


def signs(labels: Sequence[str], pair: Sequence[str], source: str, lines: IntArray) -> FloatArray:
    """-1 for the first label of the pair, +1 for the second; DataError on any other."""
    check_known(labels, pair, source, lines)
    return np.where(np.array(labels) == pair[1], 1.0, -1.0)


def label_map(labels: Sequence[str]) -> dict[str, str]:
    """The name behind each number of a class: -1 and 1 for two, else 0, 1, ..."""
    numbers = ("-1", "1") if len(labels) == 2 else map(str, range(len(labels)))
    return dict(zip(numbers, labels, strict=True))
