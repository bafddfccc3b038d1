"""Data sets with a numeric target, from files and from arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self, Unpack

import numpy as np
from numpy.typing import ArrayLike

from radprog.base.errors import DataError
from radprog.base.types import FloatArray, IntArray
from radprog.instances.arrays import column_of
from radprog.instances.data import Points, array_hash
from radprog.instances.dataset import points_of
from radprog.instances.tables import AnyPath, cell_number, is_missing, place, shown
from radprog.instances.tabular import ReadOptions, read_rows, scaled, settled

READING = ("label", "scale", "missing")


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class RegressionData(Points):
    """Points with numeric targets in the units of the file.

    Attributes
    ----------
    X : ndarray (n, d)
        The points.
    target : ndarray (n,) or None
        Targets of the points.
    truth : ndarray (n,) or None
        Targets without noise, if known.
    raw, scaler, features, levels, lines, weights, rows, columns, name, sha256
        See :class:`radprog.Dataset`. There are no labels.

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
    READER: ClassVar[str] = "read_regression"
    raw: FloatArray
    truth: FloatArray | None = None

    @property
    def y(self) -> FloatArray | None:
        """The targets, as in ``target``."""
        return self.target

    @property
    def targets(self) -> FloatArray:
        """The targets (n,). Raises DataError if there are no targets."""
        if self.target is None:
            raise DataError(f"{self.name}: this needs a target, but the data have none")
        return self.target

    @classmethod
    def from_recipe(cls, recipe: Mapping[str, Any]) -> Self:
        """The data set described by a recipe, without rows. The recipe needs no labels."""
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
    """Create a regression data set from arrays.

    Parameters
    ----------
    X : array (n, d)
        n points with d finite features.
    y : array (n,) or None
        Targets of the points.
    truth : array (n,), optional
        Targets without noise, in the units of y.
    name : str
        Name that results show for the data set.
    features : sequence of str
        Names of the d features. The default is the column names of a data frame.
    scale : str
        Scaling of the features: ``none``, ``standard``, ``minmax``, ``unit`` or ``ball``.
    weights : array (n,), optional
        Nonnegative weights of the points. A weight of 2 counts a point twice.

    Returns
    -------
    RegressionData
        The data set.

    Raises
    ------
    DataError
        If the shape is wrong, or a number is not finite.
    OptionError
        If the scaling is unknown.

    Examples
    --------
    >>> import numpy as np
    >>> import radprog as rp
    >>> x = np.linspace(0.0, 1.0, 5)
    >>> rp.regression_data(x[:, None], np.sin(x))
    <RegressionData 'data': 5 x 1>
    """
    # points, targets and noiseless values of the same length
    points = points_of(X, name, features=features, scale=scale)
    n = len(points["codes"])
    targets = None if y is None else column_of(y, n, name, "y")
    return RegressionData(
        **points,
        target=targets,
        truth=None if truth is None else column_of(truth, n, name, "truth"),
        sha256=array_hash(points["raw"], targets),
    ).weighed(weights)


def read_regression(
    path: AnyPath,
    *,
    weights: str | None = None,
    like: RegressionData | None = None,
    **reading: Unpack[ReadOptions],
) -> RegressionData:
    r"""Read points with numeric targets, in any format that :func:`radprog.read` accepts.

    Parameters
    ----------
    path : str or Path
        Path of the file. The suffix determines the format.
    weights : str, optional
        The column with the nonnegative weights of the rows.
    like : RegressionData, optional
        Training data. Their options, columns and scaler are used; only ``label``, ``decimal`` and
        ``header`` may differ.
    **reading
        - ``label``: the target column: ``last`` (default), ``first``, ``none``, a name or an index.
        - ``scale``, ``missing``: see :func:`radprog.read`; they apply only to features.
        - ``categorical``, ``decimal``, ``header``: see :func:`radprog.read`.

    Returns
    -------
    RegressionData
        The data set.

    Raises
    ------
    DataError
        If the file cannot be used, or a target is not a finite number. The message names the file,
        the row and the column.
    OptionError
        If an option is invalid.

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
    """Convert strings to targets (n,). Raises DataError for a string that is not a finite
    number.
    """
    values = np.empty(len(texts))
    for i, text in enumerate(texts):
        value = cell_number(text)
        where = place(source, int(lines[i]))
        if is_missing(text):
            raise DataError(f"{where}: the target is missing, expected a number")
        if value is None or not np.isfinite(value):
            raise DataError(
                f"{where}: target '{shown(text)}' is not a finite number: regression needs a "
                "numeric target (option --label names its column)"
            )
        values[i] = value
    return values


def regression_errors(
    predicted: FloatArray,
    y: FloatArray,
    weights: FloatArray | None = None,
    quantile: float | None = None,
) -> dict[str, float | None]:
    """The errors of predictions (n,) for targets y (n,).

    ``mae`` is the mean absolute error. ``mape`` is the mean absolute percentage error, or None if a
    target is 0. ``below`` is the share of targets at or below their predictions. With a
    ``quantile``, ``quantile_loss`` is the mean quantile loss. With weights (n,) all means are
    weighted, and ``weight`` is the sum of the weights.
    """
    errors, mape = np.abs(predicted - y), None
    if np.all(y != 0):
        mape = float(100.0 * np.average(errors / np.abs(y), weights=weights))
    below = float(np.average(y <= predicted, weights=weights))
    of = {"mae": float(np.average(errors, weights=weights)), "mape": mape, "below": below}
    if weights is not None:
        of["weight"] = float(weights.sum())
    if quantile is None:
        return of
    # a residual above 0 costs q a unit, one below 0 costs 1 - q
    losses = np.where(y > predicted, quantile, 1.0 - quantile) * errors
    loss = float(np.average(losses, weights=weights))
    return {**of, "quantile": quantile, "quantile_loss": loss}
