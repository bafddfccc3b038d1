"""Data sets with a numeric target: from files, and from arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from radprog.instances.dataset import array_hash
from radprog.instances.errors import DataError, OptionError
from radprog.instances.scaling import SCALINGS, Scaler, fit_scaler, scaler_from
from radprog.instances.tables import AnyPath, Table, is_missing, number, shown
from radprog.instances.tabular import MISSING, read_table
from radprog.instances.types import FloatArray, IntArray


@dataclass(frozen=True, kw_only=True, eq=False)
class RegressionData:
    """Points with a number each.

    X: float64 (n, d), scaled; y: float64 (n,), or None without a target; truth (n,): the values
    without noise, where they are known. raw: X before filling and scaling, NaN where a cell is
    missing; lines: the row of the file behind each point; reading: the reader's options; sha256:
    of the file's bytes, or of the arrays. labels: none.
    """

    X: FloatArray
    y: FloatArray | None
    raw: FloatArray
    scaler: Scaler
    truth: FloatArray | None = None
    name: str = "data"
    sha256: str = ""
    features: tuple[str, ...] = ()
    lines: IntArray | None = None
    reading: Mapping[str, Any] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()

    @property
    def rows(self) -> int:
        """Number of points n."""
        return len(self.X)

    @property
    def columns(self) -> int:
        """Number of features d."""
        return int(self.X.shape[1])

    @property
    def targets(self) -> FloatArray:
        """The numbers (n,); raises DataError where the data set has none."""
        if self.y is None:
            raise DataError(f"{self.name}: this needs a target, and the data was read without")
        return self.y

    @property
    def label_map(self) -> dict[str, str]:
        """Nothing: there are no classes."""
        return {}

    def take(self, indices: NDArray[np.intp], name: str | None = None) -> RegressionData:
        """The rows ``indices`` as a data set of its own, scaled as they are here."""
        return self._rows(indices, self.scaler, name)

    def partition(
        self, train: NDArray[np.intp], test: NDArray[np.intp]
    ) -> tuple[RegressionData, RegressionData]:
        """Training and test rows, both filled and scaled by the statistics of the training rows."""
        scaler = self.scaler.refit(self.raw[train])
        return self._rows(train, scaler, None), self._rows(test, scaler, None)

    def _rows(self, indices: NDArray[np.intp], scaler: Scaler, name: str | None) -> RegressionData:
        raw = self.raw[indices]
        X, y = scaler(raw), None if self.y is None else self.y[indices]
        return replace(
            self,
            X=X,
            y=y,
            raw=raw,
            scaler=scaler,
            truth=None if self.truth is None else self.truth[indices],
            lines=None if self.lines is None else self.lines[indices],
            name=name or f"{self.name}[{len(indices)} rows]",
            sha256=array_hash(X, y),
            warnings=(),
        )

    def recipe(self) -> dict[str, Any]:
        """What reading other files the way of this one needs, in JSON's types."""
        return {
            "kind": "regression",
            "columns": self.columns,
            "name": self.name,
            "sha256": self.sha256,
            "features": list(self.features),
            "scaler": self.scaler.plain(),
            "reading": dict(self.reading),
        }


def regression_from(recipe: Mapping[str, Any]) -> RegressionData:
    """The data set without rows that ``RegressionData.recipe`` describes."""
    empty = np.empty((0, recipe["columns"]))
    return RegressionData(
        X=empty,
        y=None,
        raw=empty,
        scaler=scaler_from(recipe["scaler"]),
        name=recipe["name"],
        sha256=recipe["sha256"],
        features=tuple(recipe["features"]),
        reading=dict(recipe["reading"]),
    )


def regression_data(
    X: ArrayLike,
    y: ArrayLike | None,
    *,
    truth: ArrayLike | None = None,
    name: str = "data",
    features: Sequence[str] = (),
    scale: str = "none",
) -> RegressionData:
    """A data set from arrays: X (n, d), y and truth (n,), all of finite numbers.

    Raises DataError on another shape or a number that is not finite; OptionError on a scale.
    """
    raw = _finite(X, f"{name}: X")
    if raw.ndim != 2 or 0 in raw.shape:
        raise DataError(f"{name}: X has shape {raw.shape}, expected (n, d), not empty")
    targets = None if y is None else _finite(y, f"{name}: y")
    values = None if truth is None else _finite(truth, f"{name}: truth")
    for what, array in (("y", targets), ("truth", values)):
        if array is not None and array.shape != (len(raw),):
            raise DataError(f"{name}: {what} has shape {array.shape}, expected ({len(raw)},)")
    if features and len(features) != raw.shape[1]:
        raise DataError(f"{name}: {len(features)} feature names for X of shape {raw.shape}")
    scaler = fit_scaler(scale, raw)
    return RegressionData(
        X=scaler(raw),
        y=targets,
        raw=raw,
        scaler=scaler,
        truth=values,
        name=name,
        sha256=array_hash(raw, targets),
        features=tuple(features),
    )


def _finite(values: ArrayLike, what: str) -> FloatArray:
    try:
        array = np.array(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise DataError(f"{what} cannot be used: {error}; expected numbers") from None
    if not np.isfinite(array).all():
        place = np.argwhere(~np.isfinite(array))[0].tolist()
        raise DataError(f"{what}{place} is not a finite number")
    return array


def read_regression(
    path: AnyPath,
    *,
    label: str | int | None = None,
    scale: str | None = None,
    missing: str | None = None,
    like: RegressionData | None = None,
) -> RegressionData:
    """Read points with a numeric target from CSV, TSV, blank separated text, svmlight or ARFF.

    label: the target's column: ``last`` (default), ``first``, ``none``, a name or an index from 0.
    scale: one of SCALINGS (default ``none``), of the features alone. missing: what to do about
    missing feature cells: ``error`` (default), ``drop`` or ``mean``; a missing target is an error.
    like: the training data, whose options, columns and scaler hold; only ``label`` may differ.

    Raises DataError, naming file, row and column, on a file that cannot be used (also where a
    target is no finite number); OptionError on an option that has no meaning.
    """
    known: dict[str, str] = {"label": "last", "scale": "none", "missing": "error"}
    if like is not None:
        known |= like.reading
    for key, value in (("label", label), ("scale", scale), ("missing", missing)):
        if value is None:
            continue
        if like is not None and key != "label" and str(value) != known[key]:
            raise OptionError(
                f"{key} '{value}' given, but it is '{known[key]}' in the training data"
            )
        known[key] = str(value)
    if known["scale"] not in SCALINGS:
        raise OptionError(f"scale '{known['scale']}': expected one of {', '.join(SCALINGS)}")
    if known["missing"] not in MISSING:
        raise OptionError(f"missing '{known['missing']}': expected one of {', '.join(MISSING)}")
    table = read_table(
        path,
        label=known["label"],
        width=None if like is None else like.columns,
        names=() if like is None else like.features,
    )
    if like is not None:
        _same_columns(table, like)
    kept, warnings = _complete(table, known["missing"])
    targets = None if table.labels is None else _targets(table, kept)
    raw = table.values[kept]
    try:
        scaler = like.scaler if like is not None else None
        if scaler is None:
            scaler = fit_scaler(known["scale"], raw, fill=known["missing"] == "mean")
        X = scaler(raw)
    except DataError as error:
        raise DataError(f"{table.source}: {error}") from None
    return RegressionData(
        X=X,
        y=targets,
        raw=raw,
        scaler=scaler,
        name=Path(path).name,
        sha256=table.sha256,
        features=table.names,
        lines=table.lines[kept],
        reading=known,
        warnings=warnings,
    )


def _same_columns(table: Table, like: RegressionData) -> None:
    names = table.names or like.features
    if len(table.columns) != like.columns or (like.features and names != like.features):
        raise DataError(
            f"{table.source}: {len(table.columns)} features ({', '.join(table.names[:5])}...) "
            f"given, expected the {like.columns} of the training data"
        )


def _complete(table: Table, missing: str) -> tuple[NDArray[np.intp], tuple[str, ...]]:
    """Rows to keep, and what to warn about."""
    holes = np.isnan(table.values)
    incomplete = holes.any(axis=1)
    rows = int(incomplete.sum())
    if rows and missing == "error":
        i = int(np.argmax(incomplete))
        raise DataError(
            f"{table.cell(i, int(np.argmax(holes[i])))}: the cell is missing (in {rows} rows some "
            "are); choose --missing drop or mean"
        )
    everything = np.arange(len(holes))
    if not rows:
        return everything, ()
    if missing == "mean":
        return everything, (f"{int(holes.sum())} missing cells filled with training means",)
    if rows == len(holes):
        raise DataError(f"{table.source}: every row has a missing cell, none is left")
    return np.flatnonzero(~incomplete), (f"{rows} rows with missing cells dropped",)


def _targets(table: Table, kept: NDArray[np.intp]) -> FloatArray:
    """Targets (n,) of the kept rows; DataError for a missing one or one that is no number."""
    labels = table.labels or ()
    values = np.empty(len(kept))
    for k, i in enumerate(kept.tolist()):
        value = number(labels[i])
        if is_missing(labels[i]):
            raise DataError(f"{table.row(i)}: the target is missing, expected a number")
        if value is None or not np.isfinite(value):
            raise DataError(
                f"{table.row(i)}: target '{shown(labels[i])}' is no finite number: regression "
                "needs a numeric target (option --label names its column)"
            )
        values[k] = value
    return values
