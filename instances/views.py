"""Many classes and several feature views of the same points: one file per view."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from radprog.instances.dataset import array_hash
from radprog.instances.errors import DataError, OptionError
from radprog.instances.grams import Coded, class_codes, known_codes
from radprog.instances.scaling import SCALINGS, Scaler, fit_scaler, scaler_from
from radprog.instances.tables import AnyPath, Table
from radprog.instances.tabular import MISSING, complete_rows, read_table
from radprog.instances.types import FloatArray, IntArray


@dataclass(frozen=True, kw_only=True, eq=False)
class ViewSet(Coded):
    """Points with several groups of features and two classes or more.

    X: float64 (n, d), the views side by side, each scaled; raw: the same before scaling.
    views: (name, first column, end column) of each; scalers: one per view, fitted on the training
    rows; lines: the row of the file behind each point, where there is one.
    """

    X: FloatArray
    raw: FloatArray
    views: tuple[tuple[str, int, int], ...]
    scalers: tuple[Scaler, ...]
    name: str = "views"
    sha256: str = ""
    reading: Mapping[str, Any] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    lines: NDArray[np.int64] | None = None

    @property
    def rows(self) -> int:
        """Number of points n."""
        return len(self.X)

    @property
    def columns(self) -> int:
        """Number of features d of all views together."""
        return int(self.X.shape[1])

    def take(self, indices: IntArray, name: str | None = None) -> ViewSet:
        """The rows ``indices`` as a set of their own, scaled as they are here."""
        return self._with(self.raw[indices], self.scalers, indices, name)

    def partition(self, train: IntArray, test: IntArray) -> tuple[ViewSet, ViewSet]:
        """Training and test rows, both scaled by the statistics of the training rows."""
        raw = self.raw[train]
        scalers = tuple(
            scaler.refit(raw[:, first:end])
            for scaler, (_, first, end) in zip(self.scalers, self.views, strict=True)
        )
        return self._with(raw, scalers, train, None), self._with(
            self.raw[test], scalers, test, None
        )

    def _with(
        self, raw: FloatArray, scalers: tuple[Scaler, ...], rows: IntArray, name: str | None
    ) -> ViewSet:
        X = _scaled(raw, self.views, scalers)
        codes = self.codes[rows]
        return replace(
            self,
            X=X,
            raw=raw,
            codes=codes,
            scalers=scalers,
            name=name or f"{self.name}[{len(rows)} rows]",
            sha256=array_hash(X, codes.astype(np.float64)),
            lines=None if self.lines is None else self.lines[rows],
            warnings=(),
        )

    def recipe(self) -> dict[str, Any]:
        """What reading other files the way of these needs, in JSON's types."""
        return {
            "kind": "views",
            "columns": self.columns,
            "labels": list(self.labels),
            "views": [list(view) for view in self.views],
            "scalers": [scaler.plain() for scaler in self.scalers],
            "name": self.name,
            "sha256": self.sha256,
            "reading": dict(self.reading),
        }


def views_from(recipe: Mapping[str, Any]) -> ViewSet:
    """The set without rows that ``ViewSet.recipe`` describes: the ``like`` of the reader."""
    empty = np.empty((0, recipe["columns"]))
    return ViewSet(
        X=empty,
        raw=empty,
        codes=np.empty(0, dtype=np.intp),
        labels=tuple(recipe["labels"]),
        views=tuple((str(name), int(a), int(b)) for name, a, b in recipe["views"]),
        scalers=tuple(scaler_from(plain) for plain in recipe["scalers"]),
        name=recipe["name"],
        sha256=recipe["sha256"],
        reading=dict(recipe["reading"]),
    )


def read_views(
    paths: Sequence[AnyPath],
    *,
    classes: Sequence[str] | None = None,
    label: str | None = None,
    scale: str | None = None,
    missing: str | None = None,
    positive: str | None = None,
    like: ViewSet | None = None,
) -> ViewSet:
    """Read one file per view: the same points in the same order, with the same labels.

    classes: the labels to keep, two or more (default: all); rows of other classes are left out.
    positive: of two classes the one that becomes +1 (default: the second in order).
    label: its column (``last``). scale: one of SCALINGS (``none``), fitted per view. missing: what
    to do about missing cells: ``error`` (default), ``drop`` the row, or the ``mean`` of training
    rows. like: the training set, whose options, classes, scaling and order of views hold, but for
    ``label``; files without labels then give a set without.
    Raises DataError where files differ in rows or labels, or a cell is missing.
    """
    if not paths:
        raise OptionError("no view given: expected at least one file")
    known = {"label": "last", "scale": "none", "missing": "error"}
    known |= {} if like is None else {key: like.reading[key] for key in known}
    for key, value in (("label", label), ("scale", scale), ("missing", missing)):
        if value is not None:
            known[key] = value
    if known["scale"] not in SCALINGS:
        raise OptionError(f"scale '{known['scale']}': expected one of {', '.join(SCALINGS)}")
    if known["missing"] not in MISSING:
        raise OptionError(f"missing '{known['missing']}': expected one of {', '.join(MISSING)}")
    if like is not None and len(paths) != len(like.views):
        raise DataError(
            f"{len(paths)} views given, the training data has {len(like.views)}: "
            f"{', '.join(name for name, _, _ in like.views)}"
        )
    widths = [None] * len(paths) if like is None else [b - a for _, a, b in like.views]
    tables = [
        read_table(path, label=known["label"], width=width)
        for path, width in zip(paths, widths, strict=True)
    ]
    for table, width in zip(tables, widths, strict=True):
        if width is not None and table.values.shape[1] != width:
            raise DataError(
                f"{table.source}: {table.values.shape[1]} features given, expected {width} as in "
                "the training data"
            )
    complete, warnings = _complete(tables, known["missing"])
    kept, codes, labels = _classes(tables[0], complete, classes, positive, like)
    raw = np.hstack([table.values for table in tables])[kept]
    ends = np.cumsum([table.values.shape[1] for table in tables]).tolist()
    views = tuple(
        (Path(path).stem, end - table.values.shape[1], end)
        for path, table, end in zip(paths, tables, ends, strict=True)
    )
    if like is None:
        fill = known["missing"] == "mean"
        scalers = tuple(
            fit_scaler(known["scale"], raw[:, first:end], fill=fill) for _, first, end in views
        )
    else:
        scalers, views = like.scalers, like.views
    hashes = "".join(table.sha256 for table in tables)
    return ViewSet(
        X=_scaled(raw, views, scalers),
        raw=raw,
        codes=codes,
        labels=labels,
        views=views,
        scalers=scalers,
        name=Path(paths[0]).name if len(paths) == 1 else f"{len(paths)} views",
        sha256=tables[0].sha256
        if len(tables) == 1
        else hashlib.sha256(hashes.encode()).hexdigest(),
        reading={
            **known,
            "views": [str(path) for path in paths] if len(paths) > 1 else None,
            "classes": None if classes is None else list(classes),
            "positive": positive,
        },
        warnings=warnings,
        lines=tables[0].lines[kept],
    )


def _complete(tables: Sequence[Table], missing: str) -> tuple[IntArray, tuple[str, ...]]:
    """Rows to keep of views of the same points, and what to warn about."""
    first = tables[0]
    holes = []
    for table in tables:
        if len(table.lines) != len(first.lines):
            raise DataError(
                f"{table.source}: {len(table.lines)} rows, but {first.source} has "
                f"{len(first.lines)}: views are of the same points"
            )
        if table.labels != first.labels:
            raise DataError(f"{table.source}: other labels than in {first.source}")
        kept, _ = complete_rows(table, missing)
        holes.append(np.isin(np.arange(len(table.lines)), kept, invert=True))
    incomplete = np.any(holes, axis=0)
    cells = sum(int(np.isnan(table.values).sum()) for table in tables)
    rows = int(incomplete.sum())
    if rows == len(incomplete):
        raise DataError("every row has a missing cell in one of the views, none is left")
    warnings: tuple[str, ...] = ()
    if rows:
        warnings = (f"{rows} rows with missing cells dropped",)
    elif cells:
        warnings = (f"{cells} missing cells filled with training means",)
    return np.flatnonzero(~incomplete), warnings


def _classes(
    table: Table,
    complete: IntArray,
    classes: Sequence[str] | None,
    positive: str | None,
    like: ViewSet | None,
) -> tuple[IntArray, IntArray, tuple[str, ...]]:
    """Which of the complete rows to keep, codes, labels; those of the training data if any."""
    lines, source = table.lines[complete], table.source
    if table.labels is None:
        if like is None:
            raise DataError(f"{source}: no label column")
        return complete, np.full(len(complete), -1, dtype=np.intp), like.labels
    written = [table.labels[i] for i in complete]
    if like is None:
        kept, codes, labels = class_codes(written, source, lines, classes, positive)
        return complete[kept], codes, labels
    chosen = like.reading.get("classes") is not None
    kept, codes = known_codes(written, source, lines, like.labels, chosen=chosen)
    return complete[kept], codes, like.labels


def _scaled(
    raw: FloatArray, views: Sequence[tuple[str, int, int]], scalers: Sequence[Scaler]
) -> FloatArray:
    return np.hstack(
        [scaler(raw[:, first:end]) for scaler, (_, first, end) in zip(scalers, views, strict=True)]
    )
