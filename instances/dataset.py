"""Data sets of classes: in memory, from arrays, from files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from radprog.instances.arrays import finite, labels_of
from radprog.instances.data import Points, array_hash, labelled, unknown
from radprog.instances.errors import DataError, OptionError
from radprog.instances.labels import LabelPair, plain_label
from radprog.instances.scaling import fit_scaler
from radprog.instances.tables import AnyPath
from radprog.instances.tabular import MISSING, Rows, TableOptions, read_rows, settled
from radprog.instances.types import FloatArray


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Dataset(Points):
    """Points of two classes, or of more that are learned one against the rest.

    X: float64 (n, d), scaled, or an array of strings (n,) for string kernels, without ``raw``.
    """

    KIND: ClassVar[str] = "dataset"
    one_vs_rest: ClassVar[bool] = True
    labels: tuple[str, ...] = ("-1", "1")

    @classmethod
    def _shaped(cls, recipe: Mapping[str, Any]) -> dict[str, Any]:
        TableOptions(**recipe["reading"])
        if recipe["columns"] is None:
            return {"X": np.empty(0, dtype=np.str_)}
        return super()._shaped(recipe)


def dataset(
    X: ArrayLike,
    y: ArrayLike | None = None,
    *,
    name: str = "data",
    labels: LabelPair | None = None,
    features: Sequence[str] = (),
    scale: str = "none",
    missing: str = "error",
    one_vs_rest: bool = False,
    weights: ArrayLike | None = None,
) -> Dataset:
    """A data set from arrays: X (n, d) of finite numbers or (n,) of strings; y (n,) of two labels,
    or with ``one_vs_rest`` of more.

    labels: the labels in y behind -1 and +1 (default: the two in order, by value if they are
    numbers). features: d names (default: the columns of a frame), or none. scale: one of SCALINGS,
    fitted on these rows. missing: what to do about cells that are NaN: ``error``, ``drop`` the row,
    or put the ``mean`` of the column's other rows. X may be a frame of pandas or polars, or sparse.
    weights: how many times every row counts (n,), numbers >= 0; one of weight 0 is left out.
    Raises DataError on another shape, a cell that is no finite number, or not two classes;
    OptionError on a scale without meaning.
    """
    if missing not in MISSING:
        raise OptionError(f"missing '{missing}': expected one of {', '.join(MISSING)}")
    if not features and hasattr(X, "columns"):
        features = tuple(map(str, X.columns))
    points = to_points(X, name, gaps=missing != "error")
    if missing == "drop" and points.dtype.kind == "f":
        points, y, weights = without_gaps(points, name, y, weights)
    n = len(points)
    if features and (points.ndim == 1 or len(features) != points.shape[1]):
        raise DataError(f"{name}: {len(features)} feature names for X of shape {points.shape}")
    scaler = raw = None
    if points.ndim == 2:
        raw = points
        scaler = fit_scaler(scale, raw, fill=missing == "mean")
        points = scaler(raw)
    elif scale != "none":
        raise OptionError(f"{name}: scale '{scale}' has no meaning for strings")
    data = Dataset(
        X=points,
        codes=unknown(n),
        name=name,
        features=tuple(features),
        scaler=scaler,
        raw=raw,
    )
    if y is not None:
        rows = np.arange(1, n + 1)
        data = labelled(data, labels_of(y, n, name), name, rows, one_vs_rest=one_vs_rest)
        if labels is not None:
            wanted = plain_label(labels[0]), plain_label(labels[1])
            if sorted(wanted) != sorted(data.labels):
                raise DataError(f"{name}: labels {labels} given, but y holds {data.labels}")
            if wanted != data.labels:
                data = replace(data, labels=wanted, codes=1 - data.codes)
    hashed = array_hash(points if raw is None else raw, None if y is None else data.targets)
    return replace(data, sha256=hashed, lines=None).weighed(weights)


def without_gaps(points: FloatArray, name: str, *of_rows: Any) -> tuple[Any, ...]:
    """The rows (n, d) without a NaN, and what is given of each row, or None; DataError where none
    is left."""
    kept = ~np.isnan(points).any(axis=1)
    if not kept.any():
        raise DataError(f"{name}: every row has a missing cell, none is left")
    own = [np.asarray(y)[kept] if np.shape(y)[:1] == kept.shape else y for y in of_rows]
    return points[kept], *own


def to_points(X: Any, name: str, *, gaps: bool = False) -> NDArray[Any]:
    """X as float64 (n, d) or strings (n,), a copy, checked; with ``gaps`` cells may be NaN."""
    X = X.toarray() if hasattr(X, "toarray") else X
    words: NDArray[Any] | None = None
    with suppress(TypeError, ValueError):
        words = np.asarray(X)
    strings = words is not None and words.ndim == 1 and all(map(_is_text, words.tolist()))
    points: NDArray[Any]
    if words is not None and strings:
        points = words.astype(np.str_)
    elif gaps and words is not None and words.dtype.kind == "f":
        points = finite(np.where(np.isnan(words), 0.0, words), name, "X")
        points[np.isnan(words)] = np.nan
    else:
        points = finite(X, name, "X")
    if points.ndim != (1 if strings else 2) or 0 in points.shape:
        raise DataError(
            f"{name}: X has shape {points.shape}, expected (n, d), or (n,) for strings, not empty"
        )
    return points


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def read(
    path: AnyPath,
    *,
    label: str | int | None = None,
    scale: str | None = None,
    missing: str | None = None,
    positive: str | int | None = None,
    strings: str | int | None = None,
    one_vs_rest: bool | None = None,
    weights: str | int | None = None,
    like: Dataset | None = None,
) -> Dataset:
    """Read a data set of classes from CSV, TSV, blank separated text, svmlight or ARFF.

    label: the label's column: ``last`` (default), ``first``, ``none``, a name of the header or an
    index from 0. scale: one of SCALINGS (default ``none``). missing: what to do about missing
    cells (empty, ``?``, ``NA``, ``nan``) of the features: ``error`` (default), ``drop`` the row,
    or put the ``mean`` of the column's training rows; a missing label is always an error.
    positive: the label that becomes +1 (default: the second of the two in order). strings: the
    column of texts that X holds instead of numbers; the other features are then left out.
    one_vs_rest: accept more than two classes. weights: the column, by name or index, of numbers
    >= 0 that say how many times each row counts; a row of weight 0 is left out.

    like: the training data, or ``Dataset.from_recipe``: options, labels and the fitted scaler
    are those of the training data, and a file with d columns has features only. ``label`` may be
    given (``none``: the file has no labels); another option must be that of the training data.

    Raises DataError, naming file, row and column, on a file that cannot be used; OptionError on
    an option that has no meaning.
    """
    options = settled(
        like,
        label=label,
        scale=scale,
        missing=missing,
        positive=positive,
        strings=strings,
        one_vs_rest=one_vs_rest,
        weights=weights,
    )
    rows = read_rows([path], options, like)
    data = Dataset(
        **rows.scaled(options, like),
        labels=("-1", "1") if like is None else like.labels,
        reading=options.reading(),
    )
    if rows.labels is not None:
        data = _labelled(data, rows, options, like)
    return data.weighed(rows.weights, scaled=like is not None)


def _labelled(data: Dataset, rows: Rows, options: TableOptions, like: Dataset | None) -> Dataset:
    assert rows.labels is not None
    return labelled(
        data,
        rows.labels,
        rows.source,
        rows.lines,
        positive=options.positive,
        one_vs_rest=options.one_vs_rest,
        like=like,
    )
