"""Class numbers from the labels in a file, and levels from the strings of a column."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from radprog.base.errors import DataError, OptionError
from radprog.base.types import FloatArray, IntArray
from radprog.instances.tables import cell_number, is_missing, place, shown

LabelPair = tuple[str, str]
LISTED, MOST = 5, 30  # labels that a message shows with their rows, and alone
UNKNOWN = -1  # code of a row without label
MOST_LEVELS = 1000  # of a text column
AMOUNT = re.compile(r"[+-]?[$€£¥₹]?\s?(\d{1,3}([,' ]\d{3})+|\d+)(\.\d*)?\s?[$€£¥₹%]?")
EXACT = 1 << 53  # from where floats leave out whole numbers
WHOLE = re.compile(r"([+-]?[0-9]+)(\.0*)?")
GAPS = frozenset({"None", "<NA>", "NaT", "nan", "NaN"})  # objects where a cell is missing, as texts


def is_gap(cell: object) -> bool:
    """Whether an object is a missing cell: None, NaN, or NA and NaT of pandas."""
    return not isinstance(cell, str) and str(cell) in GAPS


def label_texts(y: NDArray[Any], source: str) -> list[str]:
    """The labels (n,) as strings; a missing label becomes an empty string.

    Raises DataError for floating-point numbers of 2^53 or more, which do not represent a unique
    whole number.
    """
    large = np.flatnonzero(np.abs(y) >= EXACT) if y.dtype.kind == "f" else np.empty(0, dtype=int)
    if len(large):
        raise DataError(
            f"{source}: label {y[large[0]]!r} is a float that stands for several whole numbers: "
            "give labels from 2^53 on as integers or texts"
        )
    return ["" if is_gap(label) else str(label) for label in y.tolist()]


def plain_label(label: str) -> str:
    """The normal form of a label. It is the same for ``1``, ``1.0`` and ``+1``; other strings stay
    unchanged.
    """
    text = label.strip()
    # whole numbers exactly, also where floats leave some out
    if whole := WHOLE.fullmatch(text):
        return str(int(whole[1]))
    value = cell_number(text)
    if value is None or not math.isfinite(value):
        return text
    return repr(value + 0.0).removesuffix(".0")


def plain_labels(
    labels: Sequence[str], source: str, lines: IntArray, *, gaps: bool = False
) -> list[str]:
    """All labels in normal form; a missing label becomes an empty string.

    Raises DataError for a missing label, unless ``gaps`` allows missing labels.
    """
    # each distinct label is spelled once
    spelling = {label: "" if is_missing(label) else plain_label(label) for label in set(labels)}
    if "" in spelling.values() and not gaps:
        i = next(i for i, label in enumerate(labels) if is_missing(label))
        raise DataError(
            f"{place(source, int(lines[i]))}: the label is missing, expected a class"
            " (rows without one: read_partly_labelled, of cdsk and lpdsk)"
        )
    return [spelling[label] for label in labels]


def in_order(labels: Sequence[str]) -> list[str]:
    """The distinct labels, sorted by value if all are numbers, and alphabetically if not."""
    every = set(labels)
    if any(cell_number(label) is None for label in every):
        return sorted(every)
    return sorted(every, key=lambda label: int(label) if WHOLE.fullmatch(label) else float(label))


def class_names(
    labels: Sequence[str],
    source: str,
    lines: IntArray,
    *,
    classes: Sequence[str] | None = None,
    positive: str | None = None,
    several: bool = False,
) -> tuple[str, ...]:
    """The names of the classes 0, 1, ... from labels in normal form.

    ``classes`` are the labels to keep, by default all. ``positive`` is the class with code 1 of two
    classes, by default the second in increasing order. ``several`` allows more than two classes.
    Raises DataError if a label of ``classes`` does not occur, or for a wrong number of classes.
    Raises OptionError for a repeated class, and if ``positive`` is not one of exactly two classes.
    """
    present = in_order(labels)
    chosen = present if classes is None else in_order([plain_label(text) for text in classes])
    if classes is not None and len(chosen) != len(classes):
        raise OptionError(f"classes {','.join(classes)}: a class is given twice")
    for label in chosen:
        if label not in present:
            raise DataError(
                f"{source}: no row of class '{label}': the labels are {', '.join(present[:MOST])}"
            )
    # two classes, or more where there may be; else an error that shows where each begins
    if len(chosen) < 2 or (len(chosen) > 2 and not several):
        noun = "one class" if len(chosen) == 1 else f"{len(chosen)} classes"
        listed = "; ".join(
            f"'{shown(label)}' {labels.count(label)} times, "
            f"first in row {lines[labels.index(label)]}"
            for label in chosen[:LISTED]
        )
        more = "; ..." if len(chosen) > LISTED else ""
        choice = " (or choose `one_vs_rest`)" if len(chosen) > 2 else ""
        if len(chosen) > LISTED and all(cell_number(label) is not None for label in chosen):
            choice += " (numeric targets: read_regression, of svr, complexity and srm)"
        raise DataError(
            f"{source}: {noun} in the label column, expected two{choice}: {listed}{more}"
        )
    # the positive class is the second
    if positive is not None:
        second = plain_label(positive)
        if len(chosen) != 2 or second not in chosen:
            raise OptionError(
                f"{source}: positive '{positive}': expected one of two classes, here "
                f"{', '.join(chosen[:MOST])}"
            )
        chosen.sort(key=lambda label: label == second)
    return tuple(chosen)


def codes_of(labels: Sequence[str], names: Sequence[str], source: str, lines: IntArray) -> IntArray:
    """The class of each row (n,), as an index into ``names``; UNKNOWN for an empty label.

    Raises DataError for a label that is not in ``names``.
    """
    code = {"": UNKNOWN, **{name: number for number, name in enumerate(names)}}
    # the first label of another class is named
    strange = set(labels) - code.keys()
    if strange:
        i = next(i for i, label in enumerate(labels) if label in strange)
        expected = " or ".join(f"'{name}'" for name in names)
        if len(names) > 2:
            expected = f"one of {', '.join(names[:MOST])}"
        raise DataError(
            f"{place(source, int(lines[i]))}: label '{shown(labels[i])}', expected {expected} as "
            "in the training data"
        )
    return np.array([code[label] for label in labels], dtype=np.intp)


def chosen_codes(
    written: Sequence[str],
    source: str,
    lines: IntArray,
    *,
    classes: Sequence[str] | None = None,
    positive: str | None = None,
    like: Sequence[str] | None = None,
) -> tuple[IntArray, IntArray, tuple[str, ...]]:
    """The rows to keep, the codes of these rows, and the label of each code 0, 1, ...

    ``classes`` and ``positive`` are as in :func:`class_names`. ``like`` contains the labels of the
    training data. With ``classes``, rows of other classes are omitted. Raises DataError for a label
    that the training data do not have, and under the conditions of :func:`class_names`.
    """
    # classes of these labels, or those of the training data
    plain = plain_labels(written, source, lines)
    how: dict[str, Any] = {"classes": classes, "positive": positive, "several": True}
    names = class_names(plain, source, lines, **how) if like is None else tuple(like)
    # rows of other classes are left out, where classes were chosen
    kept = np.arange(len(plain))
    if classes is not None and not set(plain).isdisjoint(names):
        kept = np.array([i for i, label in enumerate(plain) if label in names], dtype=np.intp)
    return kept, codes_of([plain[i] for i in kept], names, source, lines[kept]), names


def label_map(labels: Sequence[str]) -> dict[str, str]:
    """The name of each class number. The numbers are -1 and 1 for two classes, and 0, 1, ... for
    more.
    """
    numbers = ("-1", "1") if len(labels) == 2 else map(str, range(len(labels)))
    return dict(zip(numbers, labels, strict=True))


def levels_of(cells: Sequence[str], where: str, *, unasked: bool = False) -> tuple[str, ...]:
    """The levels of a text column (n,) in increasing order and normal form.

    Missing cells are not levels. Raises DataError if there is no level, or more than MOST_LEVELS.
    ``unasked`` means that the user has not named the column. In this case, DataError is also raised
    if its cells are amounts or most of them are distinct. The message begins with ``where``.
    """
    # distinct texts in order; a column of missing cells, or of too many texts, is refused
    levels = in_order([plain_label(cell) for cell in set(cells) if not is_missing(cell)])
    if not levels:
        raise DataError(f"{where}: every cell is missing: leave that column out")
    if len(levels) > MOST_LEVELS:
        raise DataError(
            f"{where}: {len(levels)} levels in {len(cells)} rows, expected {MOST_LEVELS} at most: "
            "leave that column out"
        )
    # amounts of money, names and numbers of documents are texts, but not levels
    signed = [level for level in levels if cell_number(level) is None]
    if unasked and signed and all(AMOUNT.fullmatch(level) for level in levels):
        raise DataError(
            f"{where}: numbers with signs, such as '{shown(signed[-1])}': write them without "
            "currency, percent and thousands separators, or name the column as categorical"
        )
    present = sum(not is_missing(cell) for cell in cells)
    # of a column; so few may all differ and still be levels
    if unasked and present > 20 and 2 * len(levels) > present:
        kind, mend = (
            ("texts", "leave the column out") if signed else ("numbers as texts", "convert them")
        )
        raise DataError(
            f"{where}: {len(levels)} different {kind} in {present} rows, such as "
            f"'{shown(levels[0])}', are hardly levels: {mend}, or name the column as categorical"
        )
    return tuple(levels)


def indicators(
    cells: Sequence[str], levels: Sequence[str], where: Callable[[int], str]
) -> FloatArray:
    """The features (n, levels) of a text column (n,), one for each level.

    A feature is 1 if the cell has its level, 0 for another level, and NaN for a missing cell.
    Raises DataError for a level that is not in ``levels``. ``where`` is a function from i to the
    name of row i.
    """
    code = {level: k for k, level in enumerate(levels)}
    # each distinct cell is spelled once, and must be a level
    spelled = {cell: None if is_missing(cell) else plain_label(cell) for cell in set(cells)}
    strange = {cell for cell, level in spelled.items() if level is not None and level not in code}
    if strange:
        i = next(i for i, cell in enumerate(cells) if cell in strange)
        more = ", ..." if len(levels) > MOST else ""
        raise DataError(
            f"{where(i)}: level '{shown(cells[i])}', expected one of "
            f"{', '.join(levels[:MOST])}{more} as in the training data"
        )
    # rows of the identity; a missing cell is missing in every feature
    identity = np.vstack([np.eye(len(levels)), np.full(len(levels), np.nan)])
    places = {
        cell: len(levels) if level is None else code[level] for cell, level in spelled.items()
    }
    return np.asarray(identity[[places[cell] for cell in cells]])
