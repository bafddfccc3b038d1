"""Rows with labels: of two classes, or of more that are learned one against the rest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from radprog.instances.errors import DataError, OptionError
from radprog.instances.labels import (
    check_known,
    in_order,
    label_map,
    plain_labels,
    signs,
    two_classes,
)
from radprog.instances.types import FloatArray, IntArray


@dataclass(frozen=True, kw_only=True, eq=False)
class Labelled:
    """What data sets of labelled rows have in common.

    X: the rows (n, ...). y: float64 (n,) in {-1, +1}; None without labels, or with more than two
    classes. labels: the names behind -1 and +1, or all classes in order where there are more;
    classes: the class of every row then, else (). lines: the row of the file behind each row,
    counted from 1 (None without a file). reading: the reader's options, enough to read the same
    file the same way again. sha256: of the file's bytes, or of the arrays when there is no file.
    """

    X: NDArray[Any]
    y: FloatArray | None = None
    labels: tuple[str, ...] = ("-1", "1")
    classes: tuple[str, ...] = ()
    name: str = "data"
    sha256: str = ""
    lines: IntArray | None = None
    reading: Mapping[str, Any] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()

    @property
    def rows(self) -> int:
        """Number of rows n."""
        return len(self.X)

    @property
    def signs(self) -> FloatArray:
        """Labels (n,) in {-1, +1}; DataError where there are none, or more than two classes."""
        if self.classes:
            raise DataError(
                f"{self.name}: {len(self.labels)} classes, and this works with two classes alone"
            )
        return self.targets

    @property
    def targets(self) -> FloatArray:
        """Labels (n,) in {-1, +1}, with more than two classes their numbers; DataError where there
        are none."""
        if self.y is not None:
            return self.y
        if self.classes:
            return self.codes.astype(np.float64)
        raise DataError(f"{self.name}: this needs labels, and the data set was read without")

    @property
    def codes(self) -> NDArray[np.intp]:
        """Class of every row (n,), an index into ``labels``; -1 without labels."""
        if self.y is not None:
            return (self.y > 0).astype(np.intp)
        numbers = {label: number for number, label in enumerate(self.labels)}
        found = [numbers[label] for label in self.classes] or [-1] * self.rows
        return np.array(found, dtype=np.intp)

    @property
    def label_map(self) -> dict[str, str]:
        """The name behind each number of a class."""
        return label_map(self.labels)


Data = TypeVar("Data", bound=Labelled)


def labelled(
    data: Data,
    texts: Sequence[str],
    source: str,
    lines: IntArray,
    *,
    positive: str | None = None,
    one_vs_rest: bool = False,
    like: Labelled | None = None,
) -> Data:
    """The data with labels from texts (n,): of two classes, or with ``one_vs_rest`` of more.

    Labels are those of ``like``, where it is given. Raises DataError, naming the row, on a missing
    or unknown label, on one class, and on three without ``one_vs_rest``; OptionError on a
    ``positive`` class among three.
    """
    plain = plain_labels(texts, source, lines)
    names = tuple(in_order(plain)) if like is None else like.labels
    if len(names) > 2 and (one_vs_rest or like is not None):
        if positive is not None:
            raise OptionError(f"positive '{positive}' has no meaning for {len(names)} classes")
        check_known(plain, names, source, lines)
        return replace(data, labels=names, classes=tuple(plain), lines=lines)
    pair = names if like is not None else two_classes(plain, source, lines, positive)
    return replace(data, y=signs(plain, pair, source, lines), labels=pair, lines=lines)
