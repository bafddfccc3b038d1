"""Random splits into training and test rows."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from radprog.base.errors import OptionError
from radprog.base.types import FloatArray
from radprog.instances.dataset import Dataset


def split(data: Dataset, share: float, seed: int = 0) -> tuple[Dataset, Dataset]:
    """Draw a ``share`` of the rows of each class as training rows; the others are test rows.

    The rows of both parts are in the order of ``data``. Filling and scaling are recomputed only
    from the training rows.
    """
    rng = np.random.default_rng(seed)
    classes = [np.flatnonzero(data.targets == label) for label in np.unique(data.targets)]
    chosen = [rng.permutation(rows)[: round(share * len(rows))] for rows in classes]
    in_training = np.isin(np.arange(data.rows), np.concatenate(chosen))
    return data.partition(np.flatnonzero(in_training), np.flatnonzero(~in_training))


def stratified_parts(y: NDArray[np.float64], parts: int, seed: int = 0) -> list[NDArray[np.intp]]:
    """Divide n rows at random into ``parts`` parts, and return the row numbers of each part.

    The row numbers are in increasing order. The sizes of the parts differ by at most one, as do
    their numbers of rows with the same label in y (n,). Raises OptionError unless 2 <= parts <= n.
    """
    if not 2 <= parts <= len(y):
        raise OptionError(f"{parts} parts of {len(y)} rows: expected 2 to {len(y)}")
    rng = np.random.default_rng(seed)
    # shuffle each class, then deal the rows to the parts in turn
    dealt = np.concatenate([rng.permutation(np.flatnonzero(y == label)) for label in np.unique(y)])
    return [np.sort(dealt[part::parts]) for part in range(parts)]


def error_of_mean(values: Sequence[float] | FloatArray) -> float | None:
    """The standard error of the mean of k values.

    It is their standard deviation (with k - 1 degrees of freedom) divided by sqrt(k). Returns None
    for fewer than two values, or if a value is not finite.
    """
    array = np.asarray(values, dtype=np.float64)
    if len(array) < 2 or not np.isfinite(array).all():
        return None
    return float(array.std(ddof=1)) / math.sqrt(len(array))


def regression_errors(
    predicted: FloatArray,
    y: FloatArray,
    weights: FloatArray | None = None,
    quantile: float | None = None,
) -> dict[str, float | None]:
    """The errors of predictions (n,) for targets y (n,).

    ``mae`` is the mean absolute error. ``mape`` is the mean absolute percentage error, or None if a
    target is 0. ``below`` is the share of targets at or below their predictions, up to 1e-10 of the
    largest number, since residuals of 0 are computed with rounding. With a
    ``quantile``, ``quantile_loss`` is the mean quantile loss. With weights (n,) all means are
    weighted, and ``weight`` is the sum of the weights.
    """
    errors, mape = np.abs(predicted - y), None
    if np.all(y != 0):
        mape = float(100.0 * np.average(errors / np.abs(y), weights=weights))
    room = 1e-10 * max(np.abs(y).max(), np.abs(predicted).max())
    share = float(np.average(y <= predicted + room, weights=weights))
    measures = {"mae": float(np.average(errors, weights=weights)), "mape": mape, "below": share}
    if weights is not None:
        measures["weight"] = float(weights.sum())
    if quantile is None:
        return measures
    # a residual above 0 costs q a unit, one below 0 costs 1 - q
    losses = np.where(y > predicted, quantile, 1.0 - quantile) * errors
    loss = float(np.average(losses, weights=weights))
    return {**measures, "quantile": quantile, "quantile_loss": loss}
