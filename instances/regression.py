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
from radprog.instances.tabular import ReadOptions, read_rows, scaled, settled

READING = ("label", "scale", "missing")


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class RegressionData(Points):
    """Points with a number each, in units of the file.

    Attributes
    ----------
    X : ndarray (n, d)
        The points.
    target : ndarray (n,) or None
        Their numbers.
    truth : ndarray (n,) or None
        The values without noise, where they are known.
    raw, scaler, features, levels, lines, weights, rows, columns, name, sha256
        As of :class:`radprog.Dataset`; there are no labels.

    Examples
    --------
    >>> import numpy as np
    >>> import radprog as rp
    >>> x = np.linspace(0.0, 1.0, 5)
    >>> data = rp.regression_data(x[:, None], 2 * x, scale="standard")
    >>> data.target.tolist(), float(data.X.mean())  # X is scaled, the target is not
    ([0.0, 0.5, 1.0, 1.5, 2.0], 0.0)
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
        """The numbers (n,); raises DataError if the data set has none."""
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
    """Make a data set for regression from arrays.

    Parameters
    ----------
    X : array (n, d)
        n points of d finite numbers.
    y : array (n,) or None
        Targets of the points.
    truth : array (n,), optional
        Targets without noise, in units of y.
    name : str
        Name of the data set in results.
    features : sequence of str
        d names, by default the columns of a frame.
    scale : str
        Scaling of the features: ``none``, ``standard``, ``minmax``, ``unit`` or ``ball``.
    weights : array (n,), optional
        The number of times that each point counts, at least 0.

    Returns
    -------
    RegressionData

    Raises
    ------
    DataError
        For another shape, or a number that is not finite.
    OptionError
        For an unknown scaling.

    Examples
    --------
    >>> import numpy as np
    >>> import radprog as rp
    >>> x = np.linspace(0.0, 1.0, 5)
    >>> rp.regression_data(x[:, None], np.sin(x))
    <RegressionData 'data': 5 x 1>
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
    r"""Read points with a numeric target; the formats are those of :func:`radprog.read`.

    Parameters
    ----------
    path : str or Path
        The file; its suffix gives the format.
    weights : str, optional
        The column with the number of times that each row counts, at least 0.
    like : RegressionData, optional
        Training data, whose options, columns and scaler hold. Only ``label`` may differ.
    **reading
        - ``label``: its column, ``last`` (default), ``first``, ``none``, a name or an index.
        - ``scale``, ``missing``: as of :func:`radprog.read`, for features only.
        - ``categorical``, ``decimal``, ``header``: as of :func:`radprog.read`.

    Returns
    -------
    RegressionData

    Raises
    ------
    DataError
        For a file that cannot be used, and a target that is not a finite number. The message names
        file, row and column.
    OptionError
        For an option that has no meaning.

    Examples
    --------
    >>> from pathlib import Path
    >>> import radprog as rp
    >>> _ = Path("points.csv").write_text("x,y\n1,0.5\n3,2.5\n")
    >>> rp.read_regression("points.csv").y
    array([0.5, 2.5])
    """
    options = settled(like, reading, weights=weights)
    rows = read_rows([path], options, like, gaps=True)
    target = None if rows.labels is None else targets_of(rows.labels, rows.source, rows.lines)
    data = RegressionData(
        **scaled(rows, options, like), target=target, reading=options.reading(*READING)
    )
    return data.weighed(rows.weights, scaled=like is not None)


def targets_of(texts: Sequence[str], source: str, lines: IntArray) -> FloatArray:
    """Targets (n,) as written; raises DataError for a missing one or one that is no number."""
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
    """``mae`` and ``mape`` (in percent; None if a target is 0) of predictions (n,), by weights
    (n,) of rows that have some.
    """
    errors, mape = np.abs(predicted - y), None
    if np.all(y != 0):
        mape = float(100.0 * np.average(errors / np.abs(y), weights=weights))
    return {"mae": float(np.average(errors, weights=weights)), "mape": mape}
