"""Data sets of classes: in memory, from arrays, from files."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from radprog.instances.errors import DataError, OptionError
from radprog.instances.labelled import Labelled, labelled
from radprog.instances.labels import Pair, plain_label, plain_labels
from radprog.instances.scaling import Scaler, fit_scaler, scaler_from
from radprog.instances.tables import AnyPath, Table
from radprog.instances.tabular import Options, complete_rows, options_like, read_table, same_columns
from radprog.instances.types import FloatArray


@dataclass(frozen=True, kw_only=True, eq=False)
class Dataset(Labelled):
    """Points with labels.

    X: float64 (n, d), scaled, or an array of strings (n,) for string kernels;
    scaler: fitted on the training rows, applied to X already;
    raw: X (n, d) before filling and scaling, NaN where a cell is missing (None for strings).
    """

    features: tuple[str, ...] = ()
    scaler: Scaler | None = None
    raw: FloatArray | None = None

    @property
    def columns(self) -> int | None:
        """Number of features d; None for strings."""
        return int(self.X.shape[1]) if self.X.ndim == 2 else None

    def take(self, indices: NDArray[np.intp], name: str | None = None) -> Dataset:
        """The rows ``indices`` as a data set of its own, scaled as they are here.

        Its hash is that of the arrays.
        """
        X, y = self.X[indices], None if self.y is None else self.y[indices]
        return replace(
            self,
            X=X,
            y=y,
            classes=tuple(self.classes[i] for i in indices) if self.classes else (),
            raw=None if self.raw is None else self.raw[indices],
            lines=None if self.lines is None else self.lines[indices],
            name=name or f"{self.name}[{len(indices)} rows]",
            sha256=array_hash(X, y),
            warnings=(),
        )

    def partition(self, train: NDArray[np.intp], test: NDArray[np.intp]) -> tuple[Dataset, Dataset]:
        """Training and test rows, both filled and scaled by the statistics of the training rows."""
        first, second = self.take(train), self.take(test)
        if self.scaler is None or first.raw is None or second.raw is None:
            return first, second
        scaler = self.scaler.refit(first.raw)
        return first._scaled(scaler, first.raw), second._scaled(scaler, second.raw)

    def _scaled(self, scaler: Scaler, raw: FloatArray) -> Dataset:
        X = scaler(raw)
        return replace(self, X=X, scaler=scaler, sha256=array_hash(X, self.y))

    def recipe(self) -> dict[str, Any]:
        """What reading other files the way of this one needs, in JSON's types.

        ``dataset_from(recipe)`` is a data set without rows that serves as ``like`` of the reader.
        """
        return {
            "columns": self.columns,
            "labels": list(self.labels),
            "name": self.name,
            "sha256": self.sha256,
            "features": list(self.features),
            "scaler": None if self.scaler is None else self.scaler.plain(),
            "reading": dict(self.reading),
        }


def dataset_from(recipe: Mapping[str, Any]) -> Dataset:
    """The data set without rows that ``Dataset.recipe`` describes."""
    d = recipe["columns"]
    return Dataset(
        X=np.empty(0, dtype=np.str_) if d is None else np.empty((0, d)),
        y=None,
        labels=tuple(recipe["labels"]),
        name=recipe["name"],
        sha256=recipe["sha256"],
        features=tuple(recipe["features"]),
        scaler=None if recipe["scaler"] is None else scaler_from(recipe["scaler"]),
        reading=dict(recipe["reading"]),
    )


def array_hash(X: NDArray[Any], y: FloatArray | None) -> str:
    """SHA-256 over shape, type and bytes of X and y."""
    digest = hashlib.sha256()
    for array in (X,) if y is None else (X, y):
        fixed = np.ascontiguousarray(array)
        digest.update(f"{fixed.shape}{fixed.dtype.str}".encode())
        digest.update(fixed.tobytes())
    return digest.hexdigest()


def dataset(
    X: ArrayLike,
    y: ArrayLike | None = None,
    *,
    name: str = "data",
    labels: Pair | None = None,
    features: Sequence[str] = (),
    scale: str = "none",
    one_vs_rest: bool = False,
) -> Dataset:
    """A data set from arrays: X (n, d) of finite numbers or (n,) of strings; y (n,) of two labels,
    or with ``one_vs_rest`` of more.

    labels: the labels in y behind -1 and +1 (default: the two in order, by value if they are
    numbers). features: d names, or none. scale: one of SCALINGS, fitted on these rows.
    Raises DataError on another shape, a cell that is no finite number, or not two classes;
    OptionError on a scale without meaning.
    """
    points = _points(X, name)
    n = len(points)
    if features and (points.ndim == 1 or len(features) != points.shape[1]):
        raise DataError(f"{name}: {len(features)} feature names for X of shape {points.shape}")
    scaler = raw = None
    if points.ndim == 2:
        raw = points
        scaler = fit_scaler(scale, raw)
        points = scaler(raw)
    elif scale != "none":
        raise OptionError(f"{name}: scale '{scale}' has no meaning for strings")
    data = Dataset(X=points, name=name, features=tuple(features), scaler=scaler, raw=raw)
    if y is not None:
        written = np.asarray(y)
        if written.shape != (n,):
            raise DataError(f"{name}: y has shape {written.shape}, expected ({n},)")
        rows = np.arange(1, n + 1)
        texts = [str(label) for label in written.tolist()]
        data = labelled(data, texts, name, rows, one_vs_rest=one_vs_rest)
        if labels is not None:
            wanted = plain_label(labels[0]), plain_label(labels[1])
            if sorted(wanted) != sorted(data.labels):
                raise DataError(f"{name}: labels {labels} given, but y holds {data.labels}")
            if wanted != data.labels:
                data = replace(data, labels=wanted, y=-data.targets)
    hashed = array_hash(points if raw is None else raw, None if y is None else data.targets)
    return replace(data, sha256=hashed, lines=None)


def _points(X: ArrayLike, name: str) -> NDArray[Any]:
    """X as float64 (n, d) or strings (n,), a copy, checked."""
    try:
        points = np.asarray(X)
        if points.ndim == 1 and all(isinstance(x, str) for x in points.tolist()):
            points = points.astype(np.str_)
        elif points.dtype.kind in "OUScmM":
            raise TypeError(f"entries of type {points.dtype}")
        else:
            points = points.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise DataError(f"{name}: X cannot be used: {error}; expected numbers") from None
    strings = points.dtype.kind == "U"
    if points.ndim != (1 if strings else 2) or 0 in points.shape:
        raise DataError(
            f"{name}: X has shape {points.shape}, expected (n, d), or (n,) for strings, not empty"
        )
    if not strings and not np.isfinite(points).all():
        i, j = np.argwhere(~np.isfinite(points))[0].tolist()
        raise DataError(f"{name}: X[{i}, {j}] is {points[i, j]}, expected a finite number")
    return points


def read(
    path: AnyPath,
    *,
    label: str | int | None = None,
    scale: str | None = None,
    missing: str | None = None,
    positive: str | int | None = None,
    strings: str | int | None = None,
    one_vs_rest: bool | None = None,
    like: Dataset | None = None,
) -> Dataset:
    """Read a data set of classes from CSV, TSV, blank separated text, svmlight or ARFF.

    label: the label's column: ``last`` (default), ``first``, ``none``, a name of the header or an
    index from 0. scale: one of SCALINGS (default ``none``). missing: what to do about missing
    cells (empty, ``?``, ``NA``, ``nan``) of the features: ``error`` (default), ``drop`` the row,
    or put the ``mean`` of the column's training rows; a missing label is always an error.
    positive: the label that becomes +1 (default: the second of the two in order). strings: the
    column of texts that X holds instead of numbers; the other features are then left out.
    one_vs_rest: accept more than two classes.

    like: the training data, or ``dataset_from`` its recipe: options, labels and the fitted scaler
    are those of the training data, and a file with d columns has features only. ``label`` may be
    given (``none``: the file has no labels); another option must be that of the training data.

    Raises DataError, naming file, row and column, on a file that cannot be used; OptionError on
    an option that has no meaning.
    """
    given: dict[str, Any] = {
        key: value if isinstance(value, bool) else str(value)
        for key, value in [
            ("label", label),
            ("scale", scale),
            ("missing", missing),
            ("positive", positive),
            ("strings", strings),
            ("one_vs_rest", one_vs_rest),
        ]
        if value is not None
    }
    options = Options(**given) if like is None else options_like(like, given)
    table = read_table(
        path,
        label=options.label,
        strings=options.strings,
        width=None if like is None else like.columns,
        names=() if like is None else like.features,
    )
    if like is not None:
        same_columns(table, like)
    kept, warnings = complete_rows(table, options.missing)
    data = _featured(table, kept, options, like)
    lines = table.lines[kept]
    if like is not None:
        data = replace(data, labels=like.labels)
    if table.labels is not None:
        labels = plain_labels(table.labels, table.source, table.lines)
        data = labelled(
            data,
            [labels[i] for i in kept],
            table.source,
            lines,
            positive=options.positive,
            one_vs_rest=options.one_vs_rest,
            like=like,
        )
    return replace(
        data,
        name=Path(path).name,
        sha256=table.sha256,
        features=table.names,
        lines=lines,
        reading=options.reading(),
        warnings=warnings,
    )


def _featured(
    table: Table, kept: NDArray[np.intp], options: Options, like: Dataset | None
) -> Dataset:
    """The points alone, filled and scaled."""
    if table.strings is not None:
        return Dataset(X=np.array([table.strings[i] for i in kept], dtype=np.str_), y=None)
    raw = table.values[kept]
    try:
        scaler = None if like is None else like.scaler
        if scaler is None:
            scaler = fit_scaler(options.scale, raw, fill=options.missing == "mean")
        return Dataset(X=scaler(raw), y=None, scaler=scaler, raw=raw)
    except DataError as error:
        raise DataError(f"{table.source}: {error}") from None
