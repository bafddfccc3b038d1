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
UNKNOWN = -1  # code of a row without label
MOST_LEVELS = 1000  # of a text column
AMOUNT = re.compile(r"[+-]?[$€£¥₹]?\s?(\d{1,3}([,' ]\d{3})+|\d+)(\.\d*)?\s?[$€£¥₹%]?")
WITH_COMMA = re.compile(r"\s*[+-]?(\d+,\d*|,\d+)([eE][+-]?\d+)?\s*")
EXACT = 1 << 53  # from where floats leave out whole numbers
WHOLE = re.compile(r"([+-]?[0-9]+)(\.0*)?")


def is_gap(cell: object) -> bool:
    """Whether an object is a missing cell: None, NaN, or NA and NaT of pandas."""
    return not isinstance(cell, str) and str(cell) in ("None", "<NA>", "NaT", "nan", "NaN")


def label_texts(y: NDArray[Any], source: str) -> list[str]:
    """The labels (n,) as strings; a missing label becomes an empty string.

    Raises DataError for floating-point numbers of 2^53 or more, which do not represent a unique
    whole number.
    """
    large: Any = y[np.abs(y) >= EXACT] if y.dtype.kind == "f" else []
    if len(large):
        raise DataError(
            f"{source}: label {large[0]!r} is a float that stands for several whole numbers: "
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


def listed(names: Sequence[str]) -> str:
    """Labels or levels for a message, 30 at most."""
    return ", ".join(names[:30]) + (", ..." if len(names) > 30 else "")


def class_codes(
    texts: Sequence[str],
    source: str,
    lines: IntArray,
    *,
    classes: Sequence[str] | None = None,
    positive: str | None = None,
    several: bool = False,
    like: Sequence[str] | None = None,
    gaps: bool = False,
) -> tuple[IntArray, IntArray, tuple[str, ...]]:
    """The rows to keep, the codes of these rows, and the label of each code 0, 1, ...

    ``classes`` are the labels to keep, by default all; rows of other classes are omitted.
    ``positive`` is the class with code 1 of two classes, by default the second in increasing order.
    ``several`` allows more than two classes. ``like`` contains the labels of the training data.
    With ``gaps``, labels may be missing, and any number of classes may be present. Raises DataError
    for a label that the training data do not have, if a label of ``classes`` does not occur, and
    for a wrong number of classes. Raises OptionError for a repeated class, and if ``positive`` is
    not one of exactly two classes.
    """
    plain = plain_labels(texts, source, lines, gaps=gaps)
    present = in_order([label for label in plain if label])
    names = list(present if like is None else like)
    if like is None and classes is not None:
        names = in_order([plain_label(text) for text in classes])
        if len(names) != len(classes):
            raise OptionError(f"classes {','.join(classes)}: a class is given twice")
        absent = [label for label in names if label not in present]
        if absent:
            raise DataError(
                f"{source}: no row of class '{absent[0]}': the labels are {listed(present)}"
            )
    # two classes, or more where there may be; else an error that shows where each begins
    if like is None and not gaps and (len(names) < 2 or (len(names) > 2 and not several)):
        noun = "one class" if len(names) == 1 else f"{len(names)} classes"
        begins = "; ".join(
            f"'{shown(label)}' {plain.count(label)} times, first in row {lines[plain.index(label)]}"
            for label in names[:5]
        )
        choice = " (or choose `one_vs_rest`)" if len(names) > 2 else ""
        if len(names) > 5:
            begins += "; ..."
            if all(cell_number(label) is not None for label in names):
                choice += " (numeric targets: read_regression, of svr, complexity and srm)"
        raise DataError(f"{source}: {noun} in the label column, expected two{choice}: {begins}")
    # the positive class is the second
    if like is None and positive is not None:
        second = plain_label(positive)
        if len(names) != 2 or second not in names:
            raise OptionError(
                f"{source}: positive '{positive}': expected one of two classes, here "
                f"{listed(names)}"
            )
        names.sort(key=lambda label: label == second)
    # rows of other classes are left out, where classes were chosen
    kept = np.arange(len(plain))
    if classes is not None and not set(plain).isdisjoint(names):
        kept = np.array([i for i, label in enumerate(plain) if label in names], dtype=np.intp)
        plain = [plain[i] for i in kept]
    # the first label of another class is named
    code = {"": UNKNOWN, **{name: number for number, name in enumerate(names)}}
    strange = set(plain) - code.keys()
    if strange:
        i = next(i for i, label in enumerate(plain) if label in strange)
        expected = " or ".join(f"'{name}'" for name in names)
        raise DataError(
            f"{place(source, int(lines[kept[i]]))}: label '{shown(texts[kept[i]])}', expected "
            f"{expected if len(names) < 3 else 'one of ' + listed(names)} as in the training data"
        )
    return kept, np.array([code[label] for label in plain], dtype=np.intp), tuple(names)


def levels_of(cells: Sequence[str], where: str, *, doubt: bool = False) -> tuple[str, ...]:
    """The levels of a text column (n,) in increasing order and normal form.

    Missing cells are not levels. Raises DataError if there is no level, or more than MOST_LEVELS.
    With ``doubt``, because the user has not named the column, DataError is also raised if its cells
    are amounts or most of them are distinct. The message begins with ``where``.
    """
    levels = in_order([plain_label(cell) for cell in set(cells) if not is_missing(cell)])
    if not levels:
        raise DataError(f"{where}: every cell is missing: leave that column out")
    if len(levels) > MOST_LEVELS:
        raise DataError(
            f"{where}: {len(levels)} levels in {len(cells)} rows, expected {MOST_LEVELS} at most: "
            "leave that column out"
        )
    # amounts of money, names and numbers of documents are texts, but not levels
    texts = [level for level in levels if cell_number(level) is None]
    if doubt and texts and all(AMOUNT.fullmatch(x) or WITH_COMMA.fullmatch(x) for x in levels):
        raise DataError(
            f"{where}: numbers with signs, such as '{shown(texts[-1])}': write them without "
            "currency, percent and thousands separators (numbers with a decimal comma: "
            "`decimal=','`), or name the column as categorical"
        )
    # 20 cells may all differ and still be levels
    present = sum(not is_missing(cell) for cell in cells)
    if doubt and present > 20 and 2 * len(levels) > present:
        raise DataError(
            f"{where}: {len(levels)} different {'' if texts else 'numbers as '}texts in {present} "
            f"rows, such as '{shown(levels[0])}', are hardly levels: leave the column out, convert "
            "it to numbers, or name it as categorical"
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
    # each distinct cell is spelled once; a missing one is missing in every feature
    number = {level: k for k, level in enumerate(levels)}
    rows = {
        cell: len(levels) if is_missing(cell) else number.get(plain_label(cell), -1)
        for cell in set(cells)
    }
    strange = next((i for i, cell in enumerate(cells) if rows[cell] < 0), None)
    if strange is not None:
        raise DataError(
            f"{where(strange)}: level '{shown(cells[strange])}', expected one of {listed(levels)} "
            "as in the training data"
        )
    identity = np.vstack([np.eye(len(levels)), np.full(len(levels), np.nan)])
    return np.asarray(identity[[rows[cell] for cell in cells]])
