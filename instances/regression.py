"""Data sets with a numeric target: from files, and from arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self, Unpack

import numpy as np
from numpy.typing import ArrayLike

from radprog.base.errors import DataError
from radprog.base.types import FloatArray, IntArray
from radprog.instances.arrays import finite
from radprog.instances.data import Points, array_hash, unknown
from radprog.instances.scaling import fit_scaler
from radprog.instances.tables import AnyPath, cell_number, is_missing, place, shown
from radprog.instances.tabular import ReadOptions, read_rows, settled

READING = ("label", "scale", "missing")


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class RegressionData(Points):
    """Points X (n, d) with a number each, target (n,), in units of the file, or without.

    truth (n,): the values without noise, where they are known. Else as a Dataset, without labels.
    """

    KIND: ClassVar[str] = "regression"
    raw: FloatArray
    truth: FloatArray | None = None

    @property
    def y(self) -> FloatArray | None:
        """``target``."""
        return self.target

    @property
    def targets(self) -> FloatArray:
        """The numbers (n,); raises DataError where the data set has none."""
        if self.target is None:
            raise DataError(f"{self.name}: this needs a target, and the data was read without")
        return self.target

    @classmethod
    def from_recipe(cls, recipe: Mapping[str, Any]) -> Self:
        """The data set without rows that a recipe describes, which may be silent about labels."""
        return super().from_recipe({"labels": (), **recipe})


def regression_data(
    X: ArrayLike,
    y: ArrayLike | None,
    *,
    truth: ArrayLike | None = None,
    name: str = "data",
    features: Sequence[str] = (),
    scale: str = "none",
    weights: ArrayLike | None = None,
) -> RegressionData:
    """A data set from arrays: X (n, d), y and truth (n,), all of finite numbers; weights (n,): how
    many times each point counts. features: d names (default: the columns of a frame), or none.

    Raises DataError on another shape or a number that is not finite; OptionError on a scale.
    """
    # points, targets and noiseless values of the same length
    raw = finite(X, name, "X")
    if raw.ndim != 2 or 0 in raw.shape:
        raise DataError(f"{name}: X has shape {raw.shape}, expected (n, d), not empty")
    targets = None if y is None else finite(y, name, "y")
    values = None if truth is None else finite(truth, name, "truth")
    for what, array in (("y", targets), ("truth", values)):
        if array is not None and array.shape != (len(raw),):
            raise DataError(f"{name}: {what} has shape {array.shape}, expected ({len(raw)},)")
    if features and len(features) != raw.shape[1]:
        raise DataError(f"{name}: {len(features)} feature names for X of shape {raw.shape}")
    scaler = fit_scaler(scale, raw)
    return RegressionData(
        X=scaler(raw),
        codes=unknown(len(raw)),
        target=targets,
        raw=raw,
        scaler=scaler,
        truth=values,
        name=name,
        sha256=array_hash(raw, targets),
        features=tuple(features) or tuple(map(str, getattr(X, "columns", ()))),
    ).weighed(weights)


def read_regression(
    path: AnyPath,
    *,
    weights: str | None = None,
    like: RegressionData | None = None,
    **reading: Unpack[ReadOptions],
) -> RegressionData:
    """Read points with a numeric target from CSV, TSV, blank separated text, svmlight, ARFF or
    Parquet.

    label: the target's column: ``last`` (default), ``first``, ``none``, a name or an index from 0.
    scale: one of SCALINGS (default ``none``), of the features alone. missing: what to do about
    missing feature cells: ``error`` (default), ``drop`` or ``mean``; a missing target is an error.
    weights: the column of how many times each row counts. categorical, decimal, header: as
    :func:`radprog.read` takes them.
    like: the training data, whose options, columns and scaler hold; only ``label`` may differ.

    Raises DataError, naming file, row and column, on a file that cannot be used (also where a
    target is no finite number); OptionError on an option that has no meaning.
    """
    options = settled(like, reading, weights=weights)
    rows = read_rows([path], options, like, gaps=True)
    target = None if rows.labels is None else targets_of(rows.labels, rows.source, rows.lines)
    data = RegressionData(
        **rows.scaled(options, like), target=target, reading=options.reading(*READING)
    )
    return data.weighed(rows.weights, scaled=like is not None)


def targets_of(texts: Sequence[str], source: str, lines: IntArray) -> FloatArray:
    """Targets (n,) as written; DataError for a missing one or one that is no number."""
    values = np.empty(len(texts))
    for i, text in enumerate(texts):
        value = cell_number(text)
        where = place(source, int(lines[i]))
        if is_missing(text):
            raise DataError(f"{where}: the target is missing, expected a number")
        if value is None or not np.isfinite(value):
            raise DataError(
                f"{where}: target '{shown(text)}' is no finite number: regression needs a numeric "
                "target (option --label names its column)"
            )
        values[i] = value
    return values


def regression_errors(
    predicted: FloatArray, y: FloatArray, weights: FloatArray | None = None
) -> dict[str, float | None]:
    """``mae`` and ``mape`` (in percent; None where a target is 0) of predictions (n,), by weights
    (n,) of rows that have some."""
    errors, mape = np.abs(predicted - y), None
    if np.all(y != 0):
        mape = float(100.0 * np.average(errors / np.abs(y), weights=weights))
    return {"mae": float(np.average(errors, weights=weights)), "mape": mape}
