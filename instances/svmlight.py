"""Files in svmlight format, read by scikit-learn: rows ``label index:value ...``."""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from radprog.base.errors import DataError, OptionError
from radprog.base.limits import poll
from radprog.base.types import FloatArray
from radprog.instances.frames import MAX_CELLS
from radprog.instances.tables import Table, checked_table, place, shown

SUFFIXES = (".svm", ".svmlight", ".libsvm")
ROW = re.compile(r"\S+(\s+\d+:\S+)+\s*(#.*)?")


def svmlight_table(
    source: str,
    text: str,
    *,
    sha256: str,
    label: str,
    width: int | None = None,
    names: Sequence[str] = (),
) -> Table:
    """The table of a text in svmlight format, with ascending indices.

    Cells without an entry are 0. The smallest index is 1, or 0 if the file has an index 0. The
    indices are the names of the features. ``width`` and ``names`` of any training data determine
    the number of features and the smallest index.
    """
    points, base, lines, labels = svmlight_rows(source, text, label, names)
    if points.shape[0] * points.shape[1] > MAX_CELLS:
        raise DataError(
            f"{source}: {points.shape[0]} rows up to feature index {points.shape[1] - 1} are too "
            "many cells to hold densely"
        )
    values: FloatArray = points.toarray()[:, base:]
    # features of the training data that no row here has are 0
    if width is not None and values.shape[1] < width:
        values = np.pad(values, ((0, 0), (0, width - values.shape[1])))
    columns = tuple(range(base, base + values.shape[1]))
    return checked_table(
        Table(
            source=source,
            sha256=sha256,
            values=values,
            lines=np.array(lines, dtype=np.int64),
            columns=columns,
            names=tuple(map(str, columns)),
            labels=labels,
        )
    )


def svmlight_rows(
    source: str, text: str, label: str, names: Sequence[str] = ()
) -> tuple[Any, int, list[int], tuple[str, ...] | None]:
    """The points, the smallest index of a feature, the line of each row, and the labels.

    The points are a sparse matrix with one column for each index from 0.
    """
    if label not in ("last", "first", "none"):
        raise OptionError(
            f"{source}: label column '{label}': an svmlight row begins with its label"
        )
    # comments and blank lines are no rows
    contents = [line.split("#")[0].strip() for line in text.split("\n")]
    lines = [k for k, content in enumerate(contents, start=1) if content]
    points = _loaded(source, contents)
    # indices begin at 1, or at 0 where the file uses that
    uses_zero = bool((points.indices == 0).any())
    base = int(names[0] != "0") if names else int(not uses_zero)
    if base == 1 and uses_zero:
        raise DataError(f"{source}: feature index 0, but those of the training data begin at 1")
    labels = None if label == "none" else tuple(row.split()[0] for row in contents if row)
    return points, base, lines, labels


def _loaded(source: str, contents: Sequence[str]) -> Any:
    """Points as a sparse matrix, with one column per index from 0. An error names the row."""
    poll()
    try:
        return _load("\n".join(contents))
    except (ValueError, OverflowError):
        # read row by row to name the one that is wrong
        for k, content in enumerate(contents, start=1):
            try:
                _load(content)
            except (ValueError, OverflowError) as error:
                raise DataError(
                    f"{place(source, k)}: got '{shown(content)}', expected a numeric label and "
                    f"ascending index:value pairs ({shown(error)})"
                ) from None
        raise


def _load(text: str) -> Any:
    from sklearn.datasets import load_svmlight_file

    if re.search(r"\d_\d", text):
        raise ValueError("'_' inside a number")
    return load_svmlight_file(io.BytesIO(text.encode()), zero_based=True)[0]
