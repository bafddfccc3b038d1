"""Points of many classes, of which some, or all, have no label: what clustering works on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from radprog.instances.arrays import read_matrix
from radprog.instances.dataset import array_hash, dataset
from radprog.instances.errors import DataError, OptionError
from radprog.instances.labels import in_order, plain_label
from radprog.instances.scaling import Scaler, fit_scaler, scaler_from
from radprog.instances.tables import AnyPath, Table, is_missing, place, shown
from radprog.instances.tabular import Options, complete_rows, read_table
from radprog.instances.types import FloatArray, IntArray

UNKNOWN = -1  # code of a row without label


@dataclass(frozen=True, kw_only=True, eq=False)
class PartlyLabelled:
    """Points X (n, d), scaled, with codes (n,): class as an index into ``labels``, -1 unknown.

    raw: X before filling and scaling; scaler: fitted on the training rows; lines: the row of the
    file behind each point; reading: the reader's options; sha256: of the file or of the arrays.
    """

    X: FloatArray
    codes: IntArray
    labels: tuple[str, ...] = ()
    name: str = "data"
    sha256: str = ""
    features: tuple[str, ...] = ()
    scaler: Scaler | None = None
    raw: FloatArray | None = None
    lines: NDArray[np.int64] | None = None
    reading: Mapping[str, Any] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()

    @property
    def rows(self) -> int:
        """Number of points n."""
        return len(self.X)

    @property
    def columns(self) -> int:
        """Number of features d."""
        return int(self.X.shape[1])

    @property
    def n_classes(self) -> int:
        """Number of classes c that the labels name."""
        return len(self.labels)

    @property
    def known(self) -> NDArray[np.bool_]:
        """Which rows have a label (n,)."""
        return np.asarray(self.codes != UNKNOWN)

    @property
    def targets(self) -> FloatArray:
        """Codes as numbers (n,); DataError where a row has none."""
        if not self.known.all():
            i = int(np.argmin(self.known))
            raise DataError(f"{self.name}: row {self.line(i)} has no label, this needs all of them")
        return self.codes.astype(np.float64)

    def line(self, i: int) -> int:
        """Row i as the file counts it, from 1."""
        return i + 1 if self.lines is None else int(self.lines[i])

    @property
    def label_map(self) -> dict[str, str]:
        """The name behind each code."""
        return {str(code): label for code, label in enumerate(self.labels)}

    def take(self, indices: IntArray, name: str | None = None) -> PartlyLabelled:
        """The rows ``indices`` as a set of their own, scaled as they are here."""
        X, codes = self.X[indices], self.codes[indices]
        return replace(
            self,
            X=X,
            codes=codes,
            raw=None if self.raw is None else self.raw[indices],
            lines=None if self.lines is None else self.lines[indices],
            name=name or f"{self.name}[{len(indices)} rows]",
            sha256=array_hash(X, codes.astype(np.float64)),
            warnings=(),
        )

    def partition(self, train: IntArray, test: IntArray) -> tuple[PartlyLabelled, PartlyLabelled]:
        """Training and test rows, both filled and scaled by the statistics of the training rows."""
        first, second = self.take(train), self.take(test)
        if self.scaler is None or first.raw is None or second.raw is None:
            return first, second
        scaler = self.scaler.refit(first.raw)
        return (
            replace(first, X=scaler(first.raw), scaler=scaler),
            replace(second, X=scaler(second.raw), scaler=scaler),
        )

    def hide(self, indices: IntArray) -> PartlyLabelled:
        """The same points without the labels of the rows ``indices``."""
        codes = self.codes.copy()
        codes[indices] = UNKNOWN
        return replace(self, codes=codes, sha256=array_hash(self.X, codes.astype(np.float64)))

    def recipe(self) -> dict[str, Any]:
        """What reading other files the way of this one needs, in JSON's types."""
        return {
            "kind": "partly_labelled",
            "columns": self.columns,
            "labels": list(self.labels),
            "name": self.name,
            "sha256": self.sha256,
            "features": list(self.features),
            "scaler": None if self.scaler is None else self.scaler.plain(),
            "reading": dict(self.reading),
        }


def partly_labelled_from(recipe: Mapping[str, Any]) -> PartlyLabelled:
    """The set without rows that ``PartlyLabelled.recipe`` describes: ``like`` of the reader."""
    return PartlyLabelled(
        X=np.empty((0, recipe["columns"])),
        codes=np.empty(0, dtype=np.intp),
        labels=tuple(recipe["labels"]),
        name=recipe["name"],
        sha256=recipe["sha256"],
        features=tuple(recipe["features"]),
        scaler=None if recipe["scaler"] is None else scaler_from(recipe["scaler"]),
        reading=dict(recipe["reading"]),
    )


def coded(
    written: Sequence[str],
    source: str,
    lines: NDArray[np.int64],
    classes: Sequence[str] | None = None,
) -> tuple[IntArray, tuple[str, ...]]:
    """Codes (n,) of labels as written, -1 where one is missing, and the classes in order.

    classes: those of the training data; DataError, naming the row, on any other label.
    """
    spelling = {text: UNKNOWN if is_missing(text) else plain_label(text) for text in set(written)}
    present = [str(label) for label in set(spelling.values()) if label != UNKNOWN]
    known = tuple(in_order(present)) if classes is None else tuple(classes)
    code: dict[str | int, int] = {label: k for k, label in enumerate(known)}
    code[UNKNOWN] = UNKNOWN
    plain = [spelling[text] for text in written]
    for i, label in enumerate(plain):
        if label not in code:
            raise DataError(
                f"{place(source, int(lines[i]))}: label '{shown(written[i])}', expected one of "
                f"{', '.join(known)} as in the training data"
            )
    return np.array([code[label] for label in plain], dtype=np.intp), known


def read_partly_labelled(
    path: AnyPath,
    *,
    label: str | int | None = None,
    scale: str | None = None,
    missing: str | None = None,
    like: PartlyLabelled | None = None,
) -> PartlyLabelled:
    """Read points of any number of classes; an empty label, ``?``, ``NA`` or ``nan`` is unknown.

    Options as those of :func:`radprog.instances.dataset.read`; with ``label`` ``none`` no row has
    one. like: the training data, whose options, classes and scaler hold.
    Raises DataError, naming file, row and column; OptionError on an option without meaning.
    """
    given: dict[str, Any] = {
        key: str(value)
        for key, value in (("label", label), ("scale", scale), ("missing", missing))
        if value is not None
    }
    options = Options(**(given if like is None else _options_of(like, given)))
    table = read_table(
        path,
        label=options.label,
        width=None if like is None else like.columns,
        names=() if like is None else like.features,
    )
    if like is not None and len(table.columns) != like.columns:
        raise DataError(
            f"{table.source}: {len(table.columns)} features given, expected {like.columns} as in "
            "the training data"
        )
    kept, warnings = complete_rows(table, options.missing)
    X, raw, scaler = _points(table, kept, options, like)
    lines = table.lines[kept]
    codes = np.full(len(kept), UNKNOWN, dtype=np.intp)
    labels: tuple[str, ...] = () if like is None else like.labels
    if table.labels is not None:
        written = [table.labels[i] for i in kept]
        codes, labels = coded(written, table.source, lines, None if like is None else labels)
    return PartlyLabelled(
        X=X,
        codes=codes,
        labels=labels,
        name=Path(path).name,
        sha256=table.sha256,
        features=table.names,
        scaler=scaler,
        raw=raw,
        lines=lines,
        reading={key: asdict(options)[key] for key in ("label", "scale", "missing")},
        warnings=warnings,
    )


def _options_of(like: PartlyLabelled, given: Mapping[str, str]) -> dict[str, str]:
    """The training data's options; ``given`` may only repeat them, but for the label's column."""
    known = {key: str(value) for key, value in like.reading.items()}
    for key, value in given.items():
        if key != "label" and known.get(key, value) != value:
            raise OptionError(
                f"{key} '{value}' given, but it is '{known[key]}' in the training data"
            )
    return {**known, **given}


def _points(
    table: Table, kept: IntArray, options: Options, like: PartlyLabelled | None
) -> tuple[FloatArray, FloatArray, Scaler]:
    raw = table.values[kept]
    try:
        scaler = None if like is None else like.scaler
        if scaler is None:
            scaler = fit_scaler(options.scale, raw, fill=options.missing == "mean")
        return scaler(raw), raw, scaler
    except DataError as error:
        raise DataError(f"{table.source}: {error}") from None


def partly_labelled(
    X: ArrayLike,
    y: Sequence[Any] | NDArray[Any] | None = None,
    *,
    name: str = "data",
    scale: str = "none",
) -> PartlyLabelled:
    """From arrays: X (n, d) of finite numbers; y (n,) of labels, None, "" or NaN where unknown.

    Raises DataError on another shape, or a cell that is no finite number.
    """
    points = dataset(X, name=name, scale=scale)
    if points.X.ndim != 2:
        raise DataError(f"{name}: X holds strings, expected numbers")
    n = points.rows
    codes, labels = np.full(n, UNKNOWN, dtype=np.intp), ()
    if y is not None:
        written = ["" if label is None else str(label) for label in np.asarray(y).tolist()]
        if len(written) != n:
            raise DataError(f"{name}: y has {len(written)} labels, X has {n} rows")
        codes, labels = coded(written, name, np.arange(1, n + 1))  # type: ignore[assignment]
    return PartlyLabelled(
        X=np.asarray(points.X, dtype=np.float64),
        codes=codes,
        labels=labels,
        name=name,
        sha256=array_hash(points.X, codes.astype(np.float64)),
        scaler=points.scaler,
        raw=points.raw,
    )


def read_similarity(path: AnyPath, n: int | None = None) -> FloatArray:
    """A similarity matrix (n, n) of finite numbers from ``.npy`` or text; symmetry is not checked.

    Raises DataError on another shape or a number that is not finite.
    """
    return read_matrix(path, (n, n))
