"""Data sets of classes: in memory, from arrays, from files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from radprog.base.errors import DataError, OptionError
from radprog.base.types import FloatArray
from radprog.instances.arrays import (
    array_of,
    columns_of,
    finite,
    labels_of,
    refuse_others,
)
from radprog.instances.data import Points, array_hash, labelled, unknown
from radprog.instances.delimited import EVERY_TEXT, MISSING, TableOptions
from radprog.instances.labels import LabelPair, indicators, is_gap, levels_of, plain_label
from radprog.instances.scaling import fit_scaler
from radprog.instances.tables import AnyPath, Levels, is_missing, place
from radprog.instances.tabular import ReadOptions, Rows, read_rows, settled

TEXTS_AS_FEATURES = ': categorical="auto" makes features of columns of texts'


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Dataset(Points):
    """Points of two classes, or of more that are learned one against the rest.

    X: float64 (n, d), filled and scaled, or strings (n,) for string kernels; raw (n, d): before
    filling and scaling, NaN where a cell is missing (None of strings); scaler: how X was made of
    it. y (n,): -1 and +1 of two classes, their codes of more, None without labels; codes (n,): the
    class of every row as an index into labels, which are the names of the classes in order.
    features: d names, or none; levels: of columns of texts. lines (n,): the row of the file behind
    each, from 1 (None without a file); weights (n,): how many times each row counts (None: once).
    rows, columns: n and d. name, sha256: of the file, or of the arrays; reading: the options by
    which the file was read; warnings: lines of text. Other kinds of data have the same, and more.
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
    categorical: str | Sequence[str | int] | None = None,
) -> Dataset:
    """A data set from arrays: X (n, d) of finite numbers or (n,) of strings; y (n,) of two labels,
    or with ``one_vs_rest`` of more.

    labels: the labels in y behind -1 and +1 (default: the two in order, by value if they are
    numbers). features: d names (default: the columns of a frame), or none. scale: one of SCALINGS,
    fitted on these rows. missing: what to do about cells that are NaN: ``error``, ``drop`` the row,
    or put the ``mean`` of the column's other rows. X may be a frame of pandas or polars, or sparse:
    its columns hold numbers or truth values (1 and 0) of any type, nullable ones too, whose missing
    cells are NaN.
    weights: how many times every row counts (n,), numbers >= 0; one of weight 0 is left out.
    categorical: the columns of texts, names or indices from 0, or ``auto``, all in which a text
    stands: each is one feature a level, 1 or 0, named ``column=level``. Columns of a frame's type
    Categorical always are, by its categories.
    Raises DataError on another shape, a cell that is no finite number, or not two classes;
    OptionError on a scale without meaning.
    """
    if missing not in MISSING:
        raise OptionError(f"missing '{missing}': expected one of {', '.join(MISSING)}")
    # numbers, texts or a frame with both, as one array
    points, features, levels = _given(X, name, tuple(features), categorical, missing != "error")
    if missing == "drop" and points.dtype.kind == "f":
        points, y, weights = without_gaps(points, name, y, weights)
    n = len(points)
    if features and (points.ndim == 1 or len(features) != points.shape[1]):
        raise DataError(f"{name}: {len(features)} feature names for X of shape {points.shape}")
    # fill and scale; strings have neither
    scaler = raw = None
    if points.ndim == 2:
        raw = points
        scaler = fit_scaler(scale, raw, fill=missing == "mean")
        points = scaler(raw)
    elif scale != "none":
        raise OptionError(f"{name}: scale '{scale}' has no meaning for strings")
    # the data set, first without labels
    data = Dataset(
        X=points,
        codes=unknown(n),
        name=name,
        features=tuple(features),
        scaler=scaler,
        raw=raw,
        levels=levels,
    )
    if y is not None:
        rows = np.arange(1, n + 1)
        data = labelled(data, labels_of(y, n, name), name, rows, one_vs_rest=one_vs_rest)
        data = data if labels is None else _in_this_order(data, labels)
    # the hash is that of the arrays as given
    hashed = array_hash(points if raw is None else raw, None if y is None else data.targets)
    return replace(data, sha256=hashed, lines=None).weighed(weights)


def _given(
    X: Any,
    name: str,
    features: tuple[str, ...],
    categorical: str | Sequence[str | int] | None,
    gaps: bool,
) -> tuple[NDArray[Any], tuple[str, ...], Levels]:
    """What :func:`dataset` is given as points, names of the features and levels."""
    framed = hasattr(X, "columns")
    if not features and framed:
        features = tuple(map(str, X.columns))
    if categorical is not None or (framed and any(map(_categories, columns_of(X)))):
        levels = levels_in(X, name, features, categorical)
        if levels:
            return *encoded(X, name, features, levels, gaps=gaps), levels
    return to_points(X, name, features, gaps=gaps, more=TEXTS_AS_FEATURES), features, {}


def _in_this_order(data: Dataset, labels: LabelPair) -> Dataset:
    """The data with these labels behind -1 and +1; DataError where they are others."""
    wanted = plain_label(labels[0]), plain_label(labels[1])
    if sorted(wanted) != sorted(data.labels):
        raise DataError(f"{data.name}: labels {labels} given, but y holds {data.labels}")
    return data if wanted == data.labels else replace(data, labels=wanted, codes=1 - data.codes)


def without_gaps(points: FloatArray, name: str, *of_rows: Any) -> tuple[Any, ...]:
    """The rows (n, d) without a NaN, and what is given of each row, or None; DataError where none
    is left."""
    kept = ~np.isnan(points).any(axis=1)
    if not kept.any():
        raise DataError(f"{name}: every row has a missing cell, none is left")
    own = [np.asarray(y)[kept] if np.shape(y)[:1] == kept.shape else y for y in of_rows]
    return points[kept], *own


def to_points(
    X: Any,
    name: str,
    features: Sequence[str] = (),
    *,
    gaps: bool = False,
    more: str = "",
    first: int = 0,
) -> NDArray[Any]:
    """X as float64 (n, d) or strings (n,), a copy, checked; with ``gaps`` cells may be NaN.

    In messages: features, d names, or none; more, what to do about a text in X; first, the number
    of its first column.
    """
    X = X.toarray() if hasattr(X, "toarray") else X
    # strings, numbers with gaps, or anything else, which must be finite numbers
    words: NDArray[Any] | None = None
    with suppress(TypeError, ValueError):
        words = array_of(X)
    strings = words is not None and words.ndim == 1 and all(map(_is_text, words.tolist()))
    points: NDArray[Any]
    if words is not None and strings:
        points = words.astype(np.str_)
    elif words is not None and words.dtype.kind == "f" and (empty := np.isnan(words)).any():
        if not gaps:
            raise DataError(_gap(np.argwhere(empty)[0].tolist(), name, features, first))
        points = finite(np.where(empty, 0.0, words), name, "X")
        points[empty] = np.nan
    else:
        if words is not None:
            refuse_others(words, name, features, more, first)
        points = finite(X if words is None else words, name, "X")
    if points.ndim != (1 if strings else 2) or 0 in points.shape:
        raise DataError(
            f"{name}: X has shape {points.shape}, expected (n, d), or (n,) for strings, not empty"
        )
    return points


def _gap(cell: list[int], name: str, features: Sequence[str], first: int) -> str:
    """What is said of a missing cell of X."""
    where = name
    if len(cell) == 2:
        i, j = cell
        where = place(name, i + 1, j + first, features[j] if j < len(features) else None)
        cell = [i, j + first]
    return (
        f"{where}: X{cell} is nan, expected a finite number: leave such rows out, or choose "
        "missing drop or mean"
    )


def frame_names(X: Any) -> tuple[str, ...]:
    """The names of a frame's columns; none where they are but numbered, and of other things."""
    names = tuple(map(str, getattr(X, "columns", ())))
    return () if names == tuple(map(str, range(len(names)))) else names


def levels_in(
    X: Any, name: str, features: Sequence[str], categorical: str | Sequence[str | int] | None
) -> Levels:
    """The levels of the columns of texts of X (n, d), as :func:`dataset` finds them.

    Raises DataError on a column that is not there, or without a level; OptionError on one that is
    named twice.
    """
    # columns of a frame's categorical type bring their levels
    columns = columns_of(X)
    typed = {j: of_type for j, column in enumerate(columns) if (of_type := _categories(column))}
    if categorical == EVERY_TEXT or categorical is None:
        chosen = [] if categorical is None else list(range(len(columns)))
        chosen = [j for j in chosen if any(map(_is_text, columns[j]))]
    else:
        specs = categorical.split(",") if isinstance(categorical, str) else categorical
        chosen = [_place_of(str(spec).strip(), name, features, len(columns)) for spec in specs]
        if len(set(chosen)) < len(chosen):
            raise OptionError(f"categorical {', '.join(map(str, specs))}: a column is given twice")
    texts = {j: levels_of(cells_of(columns[j]), f"{name}, column {j}") for j in chosen}
    return dict(sorted({**texts, **typed}.items()))


def _place_of(spec: str, name: str, features: Sequence[str], width: int) -> int:
    """A column by its name or its index from 0; DataError where there is none."""
    if spec in features:
        return list(features).index(spec)
    if spec.isdecimal() and int(spec) < width:
        return int(spec)
    raise DataError(
        f"{name}: categorical '{spec}': expected a name of the columns, or an index from 0 to "
        f"{width - 1}"
    )


def _categories(column: Any) -> tuple[str, ...]:
    """The categories of a frame's column of that type, in their order; none of another one."""
    kind = getattr(column, "dtype", None)
    name = str(kind)
    if name == "category" or name.startswith("Enum"):
        return tuple(map(plain_label, cells_of(getattr(kind, "categories", ()))))
    return levels_of(cells_of(column), "a column") if name.startswith("Categorical") else ()


def cells_of(column: Any) -> list[str]:
    """The cells of a column (n,) as texts, empty where one is missing."""
    return ["" if is_gap(cell) or is_missing(text := str(cell)) else text for cell in column]


def encoded(
    X: Any, name: str, features: Sequence[str], levels: Levels, *, gaps: bool = False
) -> tuple[FloatArray, tuple[str, ...]]:
    """X (n, d') with columns of texts as float64 (n, d), checked, and the names of the d features,
    or none; DataError on a level that is none of ``levels``."""
    blocks: list[FloatArray] = []
    names: list[str] = []
    for j, column in enumerate(columns_of(X)):
        # a column of numbers is one feature
        if j not in levels:
            cells, head = array_of(column)[:, None], features[j : j + 1]
            blocks.append(to_points(cells, name, head, gaps=gaps, more=TEXTS_AS_FEATURES, first=j))
            names += head
            continue

        def where(i: int, j: int = j) -> str:
            return f"{name}, row {i + 1}, column {j}"

        # a column of texts is an indicator for each level
        blocks.append(indicators(cells_of(column), levels[j], where))
        names += [f"{head}={level}" for head in features[j : j + 1] for level in levels[j]]
    points = np.hstack(blocks)
    if not gaps and np.isnan(points).any():
        i = int(np.argmax(np.isnan(points).any(axis=1)))
        raise DataError(f"{name}, row {i + 1}: a cell is missing: choose missing drop or mean")
    return points, tuple(names)


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def read(
    path: AnyPath,
    *,
    positive: str | int | None = None,
    strings: str | int | None = None,
    one_vs_rest: bool | None = None,
    weights: str | int | None = None,
    like: Dataset | None = None,
    **reading: Unpack[ReadOptions],
) -> Dataset:
    """Read a data set of classes from CSV, TSV, blank separated text, svmlight, ARFF or Parquet.

    label: the label's column: ``last`` (default), ``first``, ``none``, a name of the header or an
    index from 0. scale: one of SCALINGS (default ``none``). missing: what to do about missing
    cells (empty, ``?``, ``NA``, ``nan``) of the features: ``error`` (default), ``drop`` the row,
    or put the ``mean`` of the column's training rows; a missing label is always an error.
    positive: the label that becomes +1 (default: the second of the two in order). strings: the
    column of texts that X holds instead of numbers; the other features are then left out.
    one_vs_rest: accept more than two classes. weights: the column, by name or index, of numbers
    >= 0 that say how many times each row counts; a row of weight 0 is left out. categorical: the
    columns of texts, names or indices joined by commas, or ``auto``, all in which a text stands:
    each is one feature a level, 1 or 0, named ``column=level``; missing in all of them where the
    cell is. decimal: ``.`` or ``,`` (then between no cells). header: whether the first row of a
    text file names the columns: ``yes``, ``no``, or ``auto`` (default), which a warning says where
    that row holds numbers.

    like: the training data, or ``Dataset.from_recipe``: options, labels, levels and the scaler
    are those of the training data, and a file with d columns has features only. ``label`` may be
    given (``none``: the file has no labels); another option must be that of the training data.

    Raises DataError, naming file, row and column, on a file that cannot be used; OptionError on
    an option that has no meaning.
    """
    own = {"positive": positive, "strings": strings, "one_vs_rest": one_vs_rest}
    options = settled(like, reading, weights=weights, **own)
    return of_rows(read_rows([path], options, like), options, like)


def of_rows(rows: Rows, options: TableOptions, like: Dataset | None = None) -> Dataset:
    """The data set of the rows of a table; like: the training data. Raises DataError."""
    data = Dataset(
        **rows.scaled(options, like),
        labels=("-1", "1") if like is None else like.labels,
        reading=options.reading(),
    )
    if rows.labels is not None:
        data = labelled(
            data,
            rows.labels,
            rows.source,
            rows.lines,
            positive=options.positive,
            one_vs_rest=options.one_vs_rest,
            like=like,
        )
    return data.weighed(rows.weights, scaled=like is not None)
