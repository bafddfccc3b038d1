"""Data sets with classes, from arrays and from files."""

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
from radprog.instances.tables import AnyPath, Levels, Table, index_warnings, is_missing, place
from radprog.instances.tabular import ReadOptions, read_rows, scaled, settled

TEXTS_AS_FEATURES = ': categorical="auto" makes features of text columns'


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Dataset(Points):
    """Points from two classes, or from more classes for one-vs-rest classifiers.

    Other kinds of data sets have most of these attributes, and some have further attributes.

    Attributes
    ----------
    X : ndarray (n, d)
        The points, with missing cells filled and features scaled; strings (n,) for string kernels.
    raw : ndarray (n, d) or None
        The points before filling and scaling, with NaN for missing cells; None for strings.
    scaler : Scaler or None
        The scaling from ``raw`` to X.
    y : ndarray (n,) or None
        -1 and +1 for two classes, class codes for more classes, or None without labels.
    codes : ndarray (n,)
        The class of each row as an index into ``labels``.
    labels : tuple of str
        Names of the classes, in order.
    features : tuple of str
        Names of the d features, or an empty tuple.
    levels : mapping
        The levels of each text column, by the index of the column among the feature columns.
    lines : ndarray (n,) or None
        Row numbers in the file, counted from 1; None without a file.
    weights : ndarray (n,) or None
        Weights of the rows; None means 1 for all rows.
    rows, columns : int
        The number n of rows and the number d of features.
    name, sha256 : str
        Name of the data set, and hash of the file or of the arrays.
    reading : mapping
        The options with which the file was read.
    warnings : tuple of str
        Warnings from the reader, one per entry.

    Examples
    --------
    >>> import radprog as rp
    >>> X = [[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]]
    >>> data = rp.dataset(X, ["no", "yes", "yes"], scale="minmax")
    >>> data.rows, data.columns, data.labels, data.codes.tolist()
    (3, 2, ('no', 'yes'), [0, 1, 1])
    >>> data.X.tolist()
    [[0.0, 0.0], [0.5, 0.5], [1.0, 1.0]]
    """

    KIND: ClassVar[str] = "dataset"
    READER: ClassVar[str] = "read"
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
    """Create a data set with two or more classes from arrays.

    Parameters
    ----------
    X : array (n, d) or (n,)
        n points with d numbers each, or n strings. pandas and polars data frames and sparse arrays
        are also accepted.
    y : array (n,), optional
        Labels of the points.
    name : str
        Name that results show for the data set.
    labels : pair, optional
        The labels of -1 and +1. By default they are in increasing order: by value if they are
        numbers, otherwise alphabetically.
    features : sequence of str
        Names of the d features. The default is the column names of a data frame.
    scale : str
        Scaling of the features: ``none``, ``standard``, ``minmax``, ``unit`` or ``ball``.
    missing : str
        How NaN cells are treated: ``error``, ``drop`` to drop the row, or ``mean`` to fill the cell
        with the mean of the column over the other rows.
    one_vs_rest : bool
        Whether to accept more than two classes.
    weights : array (n,), optional
        Nonnegative weights of the rows. A weight of 2 counts a row twice. Rows with weight 0 are
        omitted.
    categorical : str or sequence, optional
        Text columns, by name or by index from 0. ``auto`` means all columns that contain a string.

    Returns
    -------
    Dataset
        The data set.

    Raises
    ------
    DataError
        If the shape is wrong, a cell is not a finite number, or the number of classes is wrong.
    OptionError
        If the scaling is unknown.

    Notes
    -----
    ``standard``, ``minmax`` and ``ball`` map x to (x - shift) / divisor, with the shift and divisor
    computed from these rows. ``unit`` divides each row by its norm.

    A categorical column becomes one feature per level, with the values 1 and 0 and the name
    ``column=level``. Columns of type Categorical are always categorical. Boolean values become 1
    and 0.

    Examples
    --------
    >>> import numpy as np
    >>> import radprog as rp
    >>> X = np.array([[0.0, 1.0], [2.0, 3.0], [4.0, 6.0]])
    >>> data = rp.dataset(X, ["no", "yes", "yes"], features=["a", "b"])
    >>> data
    <Dataset 'data': 3 x 2, classes 'no', 'yes'>
    >>> data.y
    array([-1.,  1.,  1.])
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
    scaler, raw, warnings = None, None, tuple[str, ...]()
    if points.ndim == 2:
        raw = points
        scaler = fit_scaler(scale, raw, fill=missing == "mean")
        points = scaler(raw)
        warnings = (*scaler.warnings(points, features), *index_warnings(features, raw))
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
        warnings=warnings,
    )
    if y is not None:
        rows = np.arange(1, n + 1)
        data = labelled(data, labels_of(y, n, name), name, rows, one_vs_rest=one_vs_rest)
        data = data if labels is None else _in_this_order(data, labels)
    # the hash is that of the caller's arrays
    hashed = array_hash(points if raw is None else raw, None if y is None else data.targets)
    return replace(data, sha256=hashed, lines=None).weighed(weights)


def points_of(X: ArrayLike, name: str, **how: Any) -> dict[str, Any]:
    """The fields of a data set of numbers X (n, d), by name, with the options of :func:`dataset`.

    Raises DataError for strings.
    """
    points = dataset(X, name=name, **how)
    if points.X.ndim != 2:
        raise DataError(f"{name}: X holds strings, expected numbers")
    kept = ("X", "codes", "name", "features", "levels", "scaler", "raw", "warnings")
    return {key: getattr(points, key) for key in kept}


def _given(
    X: Any,
    name: str,
    features: tuple[str, ...],
    categorical: str | Sequence[str | int] | None,
    gaps: bool,
) -> tuple[NDArray[Any], tuple[str, ...], Levels]:
    """Points, names of the features, and levels from the arguments of :func:`dataset`."""
    framed = hasattr(X, "columns")
    if not features and framed:
        features = tuple(map(str, X.columns))
    if categorical is not None or (framed and any(map(_categories, columns_of(X)))):
        levels = levels_in(X, name, features, categorical)
        if levels:
            return *encoded(X, name, features, levels, gaps=gaps), levels
    return to_points(X, name, features, gaps=gaps, more=TEXTS_AS_FEATURES), features, {}


def _in_this_order(data: Dataset, labels: LabelPair) -> Dataset:
    """The data with these labels for -1 and +1. Raises DataError if its labels differ."""
    wanted = plain_label(labels[0]), plain_label(labels[1])
    if sorted(wanted) != sorted(data.labels):
        raise DataError(f"{data.name}: labels {labels} given, but y holds {data.labels}")
    return data if wanted == data.labels else replace(data, labels=wanted, codes=1 - data.codes)


def without_gaps(points: FloatArray, name: str, *of_rows: Any) -> tuple[Any, ...]:
    """The rows (n, d) without NaN, and the same rows of the other arrays. Each of these arrays may
    be None.

    Raises DataError if no row remains.
    """
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
    """A checked copy of X as float64 (n, d) or strings (n,); with ``gaps`` cells may be NaN.

    For messages, ``features`` contains the d names or none, ``more`` is a hint about strings in X,
    and ``first`` is the number of the first column.
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
    """The message for a missing cell of X."""
    where = name
    if len(cell) == 2:
        i, j = cell
        where = place(name, i + 1, j + first, features[j] if j < len(features) else None)
        cell = [i, j + first]
    return (
        f"{where}: X{cell} is nan, expected a finite number: leave such rows out, as missing drop "
        "does, or fit with missing mean"
    )


def frame_names(X: Any) -> tuple[str, ...]:
    """The names of a frame's columns; none for columns 0, 1, ... and for other objects."""
    names = tuple(map(str, getattr(X, "columns", ())))
    return () if names == tuple(map(str, range(len(names)))) else names


def levels_in(
    X: Any, name: str, features: Sequence[str], categorical: str | Sequence[str | int] | None
) -> Levels:
    """The levels of the text columns of X (n, d), for the options of :func:`dataset`.

    Raises DataError if a column is missing or has no level, and OptionError for a repeated column.
    """
    # columns of a frame's categorical type bring their levels
    columns = columns_of(X)
    typed = {j: of_type for j, column in enumerate(columns) if (of_type := _categories(column))}
    if categorical == EVERY_TEXT or categorical is None:
        chosen = [] if categorical is None else list(range(len(columns)))
        chosen = [j for j in chosen if j not in typed and any(map(_is_text, columns[j]))]
    else:
        specs = categorical.split(",") if isinstance(categorical, str) else categorical
        chosen = [_place_of(str(spec).strip(), name, features, len(columns)) for spec in specs]
        if len(set(chosen)) < len(chosen):
            raise OptionError(f"categorical {', '.join(map(str, specs))}: a column is given twice")
    unasked = categorical == EVERY_TEXT
    texts = {
        j: levels_of(cells_of(columns[j]), f"{name}, column {j}", unasked=unasked) for j in chosen
    }
    return dict(sorted({**texts, **typed}.items()))


def _place_of(spec: str, name: str, features: Sequence[str], width: int) -> int:
    """The place of a column, from its name or its index from 0. Raises DataError if there is no
    such column.
    """
    if spec in features:
        return list(features).index(spec)
    if spec.isdecimal() and int(spec) < width:
        return int(spec)
    raise DataError(
        f"{name}: categorical '{spec}': expected a name of the columns, or an index from 0 to "
        f"{width - 1}"
    )


def _categories(column: Any) -> tuple[str, ...]:
    """The categories of a frame's Categorical column, in their order; none for another column."""
    kind = getattr(column, "dtype", None)
    name = str(kind)
    if name == "category" or name.startswith("Enum"):
        return tuple(map(plain_label, cells_of(getattr(kind, "categories", ()))))
    return levels_of(cells_of(column), "a column") if name.startswith("Categorical") else ()


def cells_of(column: Any) -> list[str]:
    """The cells of a column (n,) as strings; missing cells are empty strings."""
    return ["" if is_gap(cell) or is_missing(text := str(cell)) else text for cell in column]


def encoded(
    X: Any, name: str, features: Sequence[str], levels: Levels, *, gaps: bool = False
) -> tuple[FloatArray, tuple[str, ...]]:
    """Convert X (n, d'), which has text columns, to a checked float64 array (n, d).

    The second value contains the names of the d features, or is empty. Raises DataError for a level
    that is not in ``levels``.
    """
    columns, blocks, names = columns_of(X), list[FloatArray](), list[str]()
    # all other text columns are named in one error
    others = [j for j, x in enumerate(columns) if j not in levels and any(map(_is_text, x))]
    if others:
        cells = np.zeros((len(columns[0]), len(columns)), dtype=object)
        for j in others:
            cells[:, j] = list(columns[j])
        refuse_others(cells, name, features, TEXTS_AS_FEATURES)
    for j, column in enumerate(columns):
        # a numeric column is one feature
        if j not in levels:
            cells, head = array_of(column)[:, None], features[j : j + 1]
            blocks.append(to_points(cells, name, head, gaps=gaps, more=TEXTS_AS_FEATURES, first=j))
            names += head
            continue

        def where(i: int, j: int = j) -> str:
            return f"{name}, row {i + 1}, column {j}"

        # a text column is an indicator for each level
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
    r"""Read a classification data set from CSV, TSV, blank-separated text, svmlight, ARFF or
    Parquet.

    Parameters
    ----------
    path : str or Path
        Path of the file. The suffix determines the format.
    positive : str or int, optional
        The label of +1. The default is the second of the two labels in increasing order.
    strings : str or int, optional
        The text column to use as X. Other features are omitted.
    one_vs_rest : bool, optional
        Whether to accept more than two classes.
    weights : str or int, optional
        The column with the nonnegative weights of the rows.
    like : Dataset, optional
        Training data, or the result of ``Dataset.from_recipe``. Their options, labels, levels and
        scaler are used.
    **reading
        - ``label``: the label column: ``last`` (default), ``first``, ``none``, a name or an index.
        - ``scale``: the scaling of the features, see :func:`radprog.dataset`; ``none`` by default.
        - ``missing``: how empty cells, ``?``, ``NA``, ``N/A``, ``nan``, ``None`` and ``null`` are
          treated: ``error`` (default), ``drop`` or ``mean``.
        - ``categorical``: text columns, by names or indices joined by commas, or ``auto``.
        - ``decimal``: the decimal mark, ``.`` (default) or ``,``. A decimal comma cannot also
          separate cells.
        - ``header``: whether the first row contains column names: ``yes``, ``no`` or ``auto``
          (default).

    Returns
    -------
    Dataset
        The data set.

    Raises
    ------
    DataError
        If the file cannot be used. The message names the file, the row and the column.
    OptionError
        If an option is invalid, or differs from the option of ``like``.

    Notes
    -----
    With ``like``, a file with exactly d columns is read as a file without a label column. The
    options ``label``, ``decimal`` and ``header`` may differ from the options of the training data;
    all others must agree. A missing label is always an error. ``mean`` uses the mean of the column
    over the training rows. With ``header="auto"``, a first row of numbers may be read as names. If
    so, a warning states this choice. True and False become 1 and 0.

    Examples
    --------
    >>> from pathlib import Path
    >>> import radprog as rp
    >>> _ = Path("points.csv").write_text("a,b,kind\n1,2,no\n3,4,yes\n5,7,yes\n")
    >>> data = rp.read("points.csv", scale="standard")
    >>> data
    <Dataset 'points.csv': 3 x 2, classes 'no', 'yes'>
    >>> float(data.X.mean().round(6))
    0.0
    """
    own = {"positive": positive, "strings": strings, "one_vs_rest": one_vs_rest}
    options = settled(like, reading, weights=weights, **own)
    return of_rows(read_rows([path], options, like), options, like)


def of_rows(rows: Table, options: TableOptions, like: Dataset | None = None) -> Dataset:
    """The data set of the rows of a table; ``like`` is the training data.

    Raises DataError if the labels or the columns do not fit.
    """
    data = Dataset(
        **scaled(rows, options, like),
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
