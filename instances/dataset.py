"""Data sets of rows with classes or numbers, from arrays and from files: the options of tables, and
the road from a file to the features, labels and weights of its rows.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any, Literal, TypedDict, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from radprog.base.errors import DataError, OptionError
from radprog.base.types import FloatArray, IntArray
from radprog.instances.arrays import column_of
from radprog.instances.data import (
    SCALINGS,
    Data,
    Points,
    check_magnitude,
    checked_weights,
    fit_scaler,
)
from radprog.instances.formats import SVMLIGHT, arff_frame, parquet_frame, svmlight_frame
from radprog.instances.grams import GramSet, read_grams
from radprog.instances.tables import (
    UNKNOWN,
    AnyPath,
    DataTable,
    Frame,
    LabelPair,
    below_header,
    cell_number,
    class_codes,
    complete_rows,
    decode,
    features_of,
    format_of,
    frame_of,
    is_missing,
    is_name,
    labels_of,
    not_numbers,
    numbers_of,
    place,
    plain_label,
    read_bytes,
    refuse_gap,
    shown,
    text_frame,
    texts_of,
)

Kind = Literal["dataset", "regression", "partly_labelled", "views"]
MATRICES = ".npz"  # suffix of files of kernel matrices

#: The options of a table with a list of words, and these words.
WORDS = {
    "scale": SCALINGS,
    "missing": ("drop", "mean", "error"),
    "decimal": (".", ","),
    "header": ("auto", "yes", "no"),
}
OF_THE_FILE = ("label", "decimal", "header")  # may be others than of the training data


@dataclass(frozen=True, kw_only=True)
class TableOptions:
    """The options of ``read`` with their defaults; the first seven are those of every reader."""

    label: str = "last"
    scale: str = "none"
    missing: str = "error"
    categorical: str | Sequence[str | int] | None = None
    decimal: str | None = None
    header: str | None = None
    drop: str | None = None
    positive: str | None = None
    strings: str | None = None
    one_vs_rest: bool = False
    weights: str | None = None

    def __post_init__(self) -> None:
        # words first, then options without a meaning beside strings or without labels
        for name, allowed in WORDS.items():
            value = getattr(self, name)
            if value is not None and value not in allowed:
                between = " " if name == "decimal" else ", "
                raise OptionError(f"{name} '{value}': expected one of {between.join(allowed)}")
        if self.strings is not None:
            for name in ("scale", "categorical", "missing"):
                if (value := getattr(self, name)) not in (None, "none", "drop", "error"):
                    raise OptionError(f"{name} '{value}' has no meaning for strings")
        if self.positive is not None and self.label == "none":
            raise OptionError(f"positive '{self.positive}' has no meaning without labels")

    @property
    def dropped(self) -> list[str]:
        """The names of the columns that are left out."""
        return [] if self.drop is None else [name.strip() for name in self.drop.split(",")]

    def reading(self) -> dict[str, Any]:
        """The label, scale and missing cells, and what else is set, as a mapping."""
        always = ("label", "scale", "missing")
        return {key: value for key, value in asdict(self).items() if value or key in always}


class ReadOptions(TypedDict, total=False):
    """The options of all readers of tables, see :func:`radprog.read`."""

    label: str | int | None
    scale: str | None
    missing: str | None
    categorical: str | Sequence[str | int] | None
    decimal: str | None
    header: str | None
    drop: str | Sequence[str] | None


def options_like(like: Any, reading: ReadOptions, **extra: Any) -> TableOptions:
    """The options that are not None, combined with the options of any training data ``like``.

    Only options in OF_THE_FILE may differ from the options of the training data. ``extra`` are the
    options that only this reader accepts. Raises OptionError for a different or invalid option, and
    TypeError for an unknown option.
    """
    names = [option.name for option in fields(TableOptions)]
    if strange := reading.keys() - names[:7]:
        raise TypeError(f"this reader has no option {', '.join(sorted(strange))}")
    given = {key: value for key, value in {**reading, **extra}.items() if value is not None}
    chosen: dict[str, Any] = {
        key: ",".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
        for key, value in given.items()
    }
    chosen |= {key: value for key, value in given.items() if isinstance(value, bool)}
    if like is None:
        return TableOptions(**chosen)
    if not isinstance(like, Data):
        raise OptionError(f"like: {type(like).__name__} given, expected data, as `data` of a fit")
    # the options of the training data; arrays have none: fill as they were filled, else leave out
    trained: dict[str, Any] = {"categorical": None}
    if isinstance(like, Points) and like.scaler is not None:
        trained["scale"] = like.scaler.kind
    if isinstance(like, Points) and not like.reading:
        filled = like.scaler is not None and like.scaler.fill is not None
        trained["missing"] = "mean" if filled else "drop"
    if like.one_vs_rest and like.reading:
        trained["one_vs_rest"] = len(like.labels) > 2
    trained |= {key: value for key, value in like.reading.items() if key in names}
    fixed = {**trained, "positive": like.labels[1]} if len(like.labels) == 2 else trained
    # an option may repeat that of the training data
    for key, value in chosen.items():
        form = plain_label if key == "positive" and like.label_type != "str" else str
        if key in fixed and key not in OF_THE_FILE and form(fixed[key]) != form(value):
            raise OptionError(
                f"{key} '{value}' given, but it is '{fixed[key]}' in the training data"
            )
    if chosen.get("label") == "none":
        chosen["positive"] = None
    return TableOptions(**{**trained, **chosen})


def read_table(
    source: str,
    raw: bytes,
    options: TableOptions,
    like: Points | None = None,
    width: int | None = None,
) -> DataTable:
    """The table in the bytes of a data file; the suffix or the content determines the format.

    ``source`` is the path of the file. ``width`` is the number of features of any training data.
    Raises DataError for an invalid file, and OptionError for an option that the format does not
    have.
    """
    # the format: Parquet by its first bytes, text by suffix or first line
    suffix, form, text, first_line = format_of(source), "", "", ""
    if raw.startswith(b"PAR1") or suffix == ".parquet":
        form = "Parquet"
    else:
        text = decode(source, raw)
        lines = (line.group().strip() for line in re.finditer(r"[^\n]+", text))
        first_line = next((line for line in lines if line and line[0] not in "#%"), "")
        if suffix in SVMLIGHT or re.fullmatch(r"\S+(\s+\d+:\S+)+\s*(#.*)?", first_line):
            form = "svmlight"
        elif suffix == ".arff" or first_line.lower().startswith("@relation"):
            form = "ARFF"
    # options of a text that this format cannot have
    roles = ("strings", "weights", "categorical") if form == "svmlight" else ()
    for name in ("decimal", "header", *roles) if form else ():
        value = getattr(options, name)
        if value is not None and (name, value) not in (("decimal", "."), ("header", "auto")):
            raise OptionError(f"{source}: {form} has no {name} '{value}'")
    if form == "Parquet":
        frame = parquet_frame(source, raw)
    elif form == "ARFF":
        frame = arff_frame(source, text)
    elif form == "svmlight":
        names = () if like is None else like.given_features
        frame = svmlight_frame(source, text, options.label, names, width or 0)
        label = "none" if options.label == "none" else "first"
        options = replace(options, label=label)
    else:
        frame = text_frame(source, text, decimal=options.decimal or ".")
    return replace(table_of(frame, options, like, width), file_hash=hashlib.sha256(raw).hexdigest())


def columns_of(
    frame: Frame,
    titles: tuple[str, ...],
    options: TableOptions,
    like: Points | None,
    width: int | None,
) -> tuple[list[int], int | None, int | None, int | None, list[str]]:
    """The columns of the features, of the labels, strings and weights, and the names of those that
    training data ``like`` do not have; see :func:`table_of`. ``titles`` is the header or first row.
    """
    # a text column is one column of the file and a feature for each level
    trained = () if like is None else like.given_features
    if like is not None and like.levels:
        width = like.given_columns
    unlabelled = 1 if options.strings is not None else width  # columns of a file that has no label
    label, weights = options.label, options.weights
    names = [name for name in options.dropped if like is None or name in titles]
    if numbers := [name for name in names if not is_name(name)]:
        raise OptionError(f"drop '{numbers[0]}': expected names of the header")
    dropped = [frame.column_named(name, titles, "drop") for name in names]
    by_name = bool(trained) and options.header != "no"
    by_name = by_name and all(is_name(name) and titles.count(name) == 1 for name in trained)
    if label in trained and is_name(label):
        raise OptionError(f"{frame.source}: label '{label}' is a feature of the training data")
    # the label of the training data has a name, however it was chosen: no other column is the label
    label_names = () if like is None or options.header == "no" else like.label_name[:1]
    has_header = by_name or (options.strings in titles and is_name(str(options.strings)))
    for name in label_names if like is not None and label == like.reading.get("label") else ():
        if titles.count(name) == 1:
            label = str(titles.index(name))
        elif name in titles or has_header:
            label = name if name in titles else "none"
    # a file without its label is compared by the columns of the training data
    if len(titles) == unlabelled or (
        label not in titles and not set(trained).isdisjoint(titles) and is_name(label)
    ):
        label = "none"
    # later files may lack the weights
    lacking = by_name or (unlabelled is not None and len(titles) == unlabelled + (label != "none"))
    if len(titles) == unlabelled or (lacking and weights not in titles):
        weights = None
    # the columns with a role; those left over are features
    w = None if weights is None else frame.column_named(weights, titles, "weights")
    order = [j for j in range(len(titles)) if j != w and j not in dropped] or [0]
    k: int | None = None
    if label in ("last", "first"):
        k = order[-1 if label == "last" else 0]
    elif label != "none":
        k = frame.column_named(label, titles, "label")
    spec = options.strings
    s = None if spec is None else frame.column_named(spec, titles, "strings")
    roles = [j for j in (k, s, w) if j is not None]
    if len({*roles, *dropped}) < len(roles) + len(dropped):
        raise DataError(
            f"{frame.source}: label, strings, weights and drop are columns {[*roles, *dropped]}, "
            "expected different ones"
        )
    columns, ignored = [j for j in order if s is None and j not in roles], list[str]()
    if by_name and like is not None and trained != tuple(titles[j] for j in columns):
        # the same columns in another order, or among others; the label too has its name
        columns = [titles.index(name) for name in trained]
        k = None if label in ("last", "first") else k
        ignored = [titles[j] for j in order if j not in (*columns, k)]
    return columns, k, s, w, ignored


def table_of(
    frame: Frame, options: TableOptions, like: Points | None = None, width: int | None = None
) -> DataTable:
    """Features, labels, strings and weights of the columns of a file, a frame or an array.

    - label: ``last``, ``first``, ``none``, a name of the header, or an index from 0. For ``last``
      and ``first``, the column of weights is ignored.
    - strings, weights: a name or an index.
    - width: the number of features of any training data ``like``. A file with exactly as many
      columns has no label. With ``strings``, a file with one column has no label. A file without a
      name for the weights, and with at most one more column, has no weights.
    - categorical: text columns, by names or indices joined by commas, or ``auto``; the levels of
      training data replace it.
    - drop: names of columns that are left out, joined by commas.

    If the header has the columns of the training data in another order, or among others, they are
    taken by name, and so are the label and the weights. A warning names the columns left out.
    """
    trained = () if like is None else like.given_features
    levels = None if like is None else like.levels
    in_text = not isinstance(frame.columns[0], np.ndarray)
    titles = frame.names or tuple(
        texts_of(column[:1])[0] if in_text else "" for column in frame.columns
    )
    columns, k, s, w, ignored = columns_of(frame, titles, options, like, width)
    # text columns by name or number; none of them stands for all
    chosen, text_names = None, list[str]()
    if options.categorical is not None and levels is None:
        spec = options.categorical
        text_names = spec.split(",") if isinstance(spec, str) else list(map(str, spec))
        text_names = [] if spec == "auto" else [name.strip() for name in text_names]
        chosen = [frame.column_named(name, titles, "categorical") for name in text_names]
        if len(set(chosen)) < len(chosen) or not set(chosen) <= set(columns):
            raise OptionError(
                f"categorical {', '.join(text_names)}: a column is given twice, or holds the "
                "labels, weights or strings"
            )
    # the first row is a header for certain if options call columns by name, or if it has the names
    # of the training data
    if in_text and not frame.names:
        roles = (options.label, options.strings, options.weights, *options.dropped)
        called = [name for name in roles if name and name in titles] + text_names
        certain = any(is_name(name) for name in called)
        if certain and options.header == "no":
            raise DataError(
                f"{frame.source}: `header='no'`, but a column is called by its name: expected an "
                "index from 0"
            )
        certain = certain or (bool(trained) and trained == tuple(titles[j] for j in columns))
        numeric = columns if chosen is None and not levels else []
        frame = below_header(frame, options.header or "auto", certain, numeric, chosen is not None)
    # what else the rows have
    role_cells: dict[str, Any] = {}
    label_type = "text"
    for role, j in (("labels", k), ("strings", s)):
        if j is not None:
            cells = texts_of(frame.columns[j])
            if role == "labels" and isinstance(frame.columns[j], np.ndarray):
                cells, label_type = labels_of(frame.columns[j], len(cells), frame.source)
            role_cells[role] = np.array(cells, dtype=object)
    if w is not None:
        role_cells["weights"] = numbers_of(frame.columns[w])
        if role_cells["weights"] is None:
            raise not_numbers(frame, [w])
    # columns that are dropped may still be groups of a constraint
    named = zip(frame.names, frame.columns, strict=False)
    dropped = {name: cells for name, cells in named if name and name in options.dropped}
    if dropped:
        role_cells["groups"] = np.empty(len(frame.lines), [(name, object) for name in dropped])
        for name, cells in dropped.items():
            numbers = numbers_of(cells)
            if numbers is None:
                role_cells["groups"][name] = [text or None for text in texts_of(cells)]
            else:
                role_cells["groups"][name] = numbers
    table = features_of(frame, columns, levels, chosen, trained, **role_cells)
    warning = f"{frame.source}: columns that the fit does not have are left out: "
    notes = (warning + shown(", ".join(map(repr, ignored))),) if ignored else ()
    title = (frame.names[k],) if frame.names and k is not None else ()
    warnings = (*table.warnings, *notes)
    return replace(table, label=title, label_type=label_type, warnings=warnings)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Dataset(Points):
    """Points with classes, with numeric targets, or with classes of which some are unknown.

    Other kinds of data sets have most of these attributes, and some have further attributes.

    Attributes
    ----------
    kind : str
        ``dataset`` for two classes or one classifier per class, ``regression`` for numeric
        targets, ``partly_labelled`` for clusters and label propagation, ``views`` for several
        groups of features or chosen classes.
    X : ndarray (n, d)
        The points, with missing cells filled and features scaled; strings (n,) for string kernels.
    raw : ndarray (n, d) or None
        The points before filling and scaling, with NaN for missing cells; None for strings.
    scaler : Scaler or None
        The scaling from ``raw`` to X; each view is scaled separately.
    y : ndarray (n,) or None
        -1 and +1 for two classes, class codes for more classes, numeric targets, or None without
        labels.
    codes : ndarray (n,)
        The class of each row as an index into ``labels``; -1 for an unknown class.
    known : ndarray (n,)
        Whether each row has a class.
    target, truth : ndarray (n,) or None
        Numeric targets, and targets without noise if they are known.
    labels : tuple of str
        Names of the classes, in order.
    label_type : str
        The type of the predicted labels: ``str``, ``int``, ``float`` or ``bool``, or ``text`` if a
        text file has them, which are predicted as they are first written there.
    features : tuple of str
        Names of the d features, or an empty tuple.
    views : tuple of (str, int, int)
        The name of each view, its first column, and the column after its last.
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

    kind: Kind = "dataset"
    truth: FloatArray | None = None
    views: tuple[tuple[str, int, int], ...] = ()

    @property
    def n_classes(self) -> int:
        """The number of classes in ``labels``."""
        return len(self.labels)

    def hide(self, indices: IntArray) -> Dataset:
        """The same points without the labels of the rows ``indices``."""
        codes = self.codes.copy()
        codes[indices] = UNKNOWN
        return replace(self, codes=codes, file_hash="")

    def as_kind(self, kind: Kind) -> Dataset:
        """Rows of numbers of the kind ``dataset`` as a view, or as partly labelled points; other
        rows and kinds are left as they are.
        """
        if self.kind != "dataset" or self.raw is None or kind not in ("views", "partly_labelled"):
            return self
        labels = self.labels if self.known.any() else ()
        views: Any = ((self.name, 0, self.X.shape[1]),) if kind == "views" else ()
        return replace(self, kind=kind, labels=labels, views=views)


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
    keywords: Any = {"features": features, "scale": scale, "missing": missing}
    keywords |= {"categorical": categorical, "one_vs_rest": one_vs_rest, "weights": weights}
    data = _from_arrays(X, y, "dataset", name, **keywords)
    if labels is None or y is None:
        return data
    # these labels for -1 and +1, in this order
    wanted = tuple(labels_of(list(labels), 2, name)[0])
    if sorted(wanted) != sorted(data.labels):
        raise DataError(f"{name}: labels {labels} given, but y holds {data.labels}")
    turned = replace(data, labels=wanted, codes=1 - data.codes)
    return data if wanted == data.labels else turned


def regression_data(
    X: ArrayLike,
    y: ArrayLike | None,
    *,
    truth: ArrayLike | None = None,
    name: str = "data",
    features: Sequence[str] = (),
    scale: str = "none",
    weights: ArrayLike | None = None,
) -> Dataset:
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
    Dataset
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
    <Dataset 'data': 5 x 1>
    """
    keywords: Any = {"features": features, "scale": scale, "weights": weights, "truth": truth}
    return _from_arrays(X, y, "regression", name, **keywords)


def partly_labelled(
    X: ArrayLike,
    y: Sequence[Any] | NDArray[Any] | None = None,
    *,
    name: str = "data",
    scale: str = "none",
) -> Dataset:
    """Create a data set from arrays in which some labels are unknown.

    Parameters
    ----------
    X : array (n, d)
        n points with d finite features.
    y : sequence (n,), optional
        Labels of the points. None, NA, "" and NaN mark unknown labels.
    name : str
        Name that results show for the data set.
    scale : str
        Scaling of the features: ``none``, ``standard``, ``minmax``, ``unit`` or ``ball``.

    Returns
    -------
    Dataset
        The data set. ``codes`` (n,) contains the class numbers from 0, and -1 for unknown labels.

    Raises
    ------
    DataError
        If the shape is wrong, or a cell is not a finite number.
    OptionError
        If the scaling is unknown.

    Examples
    --------
    >>> import radprog as rp
    >>> data = rp.partly_labelled([[0.0], [1.0], [2.0]], ["a", None, "b"])
    >>> data.codes
    array([ 0, -1,  1])
    """
    return _from_arrays(X, y, "partly_labelled", name, scale=scale)


def _from_arrays(
    X: Any,
    y: Any,
    kind: Kind,
    name: str,
    *,
    features: Sequence[str] = (),
    weights: ArrayLike | None = None,
    truth: ArrayLike | None = None,
    **keywords: Any,
) -> Dataset:
    """A data set of arrays, by the same road as a file: columns, features, labels."""
    frame = frame_of(X, name, features)
    strings = frame.columns[0].dtype.kind == "U"
    options = TableOptions(label="none", strings="0" if strings else None, **keywords)
    if strings and kind != "dataset":
        raise DataError(f"{name}: X holds strings, expected numbers")
    table = table_of(frame, options)
    # labels or targets, and weights, of the same rows
    n = len(table.lines)
    roles: dict[str, NDArray[Any]] = dict(table.roles)
    if y is not None and kind == "regression":
        roles["target"] = column_of(y, n, name, "y")
    elif y is not None:
        texts, label_type = labels_of(y, n, name)
        roles["labels"] = np.array(texts, dtype=object)
        table = replace(table, label_type=label_type)
    if truth is not None:
        roles["truth"] = column_of(truth, n, name, "truth")
    if weights is not None:
        roles["weights"] = checked_weights(weights, n, name, lambda i: i + 1)
    data = data_of(replace(table, roles=roles), kind, options)
    return replace(data, name=name, lines=None, reading={})


def data_of(
    table: DataTable,
    kind: Kind,
    options: TableOptions,
    like: Dataset | None = None,
    classes: Sequence[str] | None = None,
    views: tuple[tuple[str, int, int], ...] = (),
) -> Dataset:
    """The data set of the rows of a table; ``like`` is the training data.

    The scaler of ``like`` is used; if there is none, a scaler is computed from the rows.
    ``classes`` are the labels to keep, and ``views`` the groups of columns. Raises DataError if
    the labels or the columns do not fit.
    """
    labels, label_type = () if like is None else like.labels, table.label_type
    if options.missing == "drop" and kind in ("dataset", "views") and "labels" in table.roles:
        # not even a row that is dropped may lack its label
        known = None if like is None else like.labels
        refuse_gap(table.roles["labels"].tolist(), table.source, table.lines, known)
    table = complete_rows(table, options.missing, trained=like is not None)
    # labels in the form that the kind of data needs
    texts = table.roles["labels"].tolist() if "labels" in table.roles else None
    target, codes = table.roles.get("target"), np.full(len(table.lines), UNKNOWN)
    if texts is not None and kind == "regression":
        if label_type == "bool":
            texts = ["1" if text == "True" else text and "0" for text in texts]
        target = targets_of(texts, table.source, table.lines)
    elif texts is not None:
        indices, codes, labels = class_codes(
            texts,
            table.source,
            table.lines,
            label_type=label_type,
            classes=classes if like is None else like.reading.get("classes"),
            positive=options.positive,
            several=options.one_vs_rest or kind == "views",
            like=None if like is None else like.labels,
            gaps=kind == "partly_labelled",
        )
        table = table if len(indices) == len(texts) else table.take(indices)
    elif kind == "dataset" and like is None:
        labels, label_type = ("-1", "1"), "int"
    # strings, or features that are filled and scaled as those of the training rows
    warnings, points = table.warnings, dict[str, Any]()
    if "strings" in table.roles:
        points["X"] = table.roles["strings"].astype(np.str_)
    else:
        try:
            scaler = None if like is None else like.scaler
            if scaler is None:
                fill = options.missing == "mean"
                scaler = fit_scaler(options.scale, table.values, fill=fill, ends=table.ends)
            points = {"X": scaler(table.values), "raw": table.values, "scaler": scaler}
        except DataError as error:
            raise DataError(f"{table.source}: {error}") from None
        check_magnitude(points["X"], lambda place: table.cell(*place))
        if like is None and scaler.kind == "unit":
            warnings += scaler.warnings(points["X"], table.names)
    reading = options.reading() | ({} if classes is None else {"classes": list(classes)})
    data = Dataset(
        kind=kind,
        codes=codes,
        target=target,
        truth=table.roles.get("truth"),
        labels=labels,
        label_type=label_type if like is None else like.label_type,
        name=f"{len(table.ends) + 1} views" if table.ends else Path(table.source).name,
        file_hash=table.file_hash,
        lines=table.lines,
        groups=table.roles.get("groups"),
        reading=reading,
        warnings=warnings,
        left_out=table.left_out,
        header=table.header,
        features=() if kind == "views" else table.names,
        levels=table.levels,
        label_name=table.label,
        views=views,
        **points,
    )
    weights = table.roles.get("weights")
    return data if weights is None else data.weighed(weights, scaled=like is not None)


def read_rows(
    paths: Sequence[AnyPath],
    options: TableOptions,
    like: Points | None = None,
    widths: Sequence[int | None] | None = None,
) -> DataTable:
    """The tables of files with the same points, side by side, without dropped rows.

    ``like`` is the training data, and ``widths`` are its numbers of features in each file. Raises
    DataError for invalid files.
    """
    if len(paths) > 1 and options.categorical is not None:
        raise OptionError(f"categorical '{options.categorical}' has no meaning with several views")
    widths = widths or [None if like is None else like.columns] * len(paths)
    tables = list[DataTable]()
    for path, width in zip(paths, widths, strict=True):
        table = read_table(str(path), read_bytes(path), options, like, width)
        # a table in the shape of the training data
        count = None if "strings" in table.roles else len(table.columns)
        if like is not None and count != width:
            got, wanted = ("strings" if k is None else f"{k} features" for k in (count, width))
            raise DataError(
                f"{table.source}: {got} given, expected {wanted} as in the training data"
            )
        # the same rows, labels and weights in every table
        tables.append(table)
        first = tables[0]
        if len(table.lines) != len(first.lines):
            raise DataError(
                f"{table.source}: {len(table.lines)} rows, but {first.source} has "
                f"{len(first.lines)}: views are of the same points"
            )
        for role in ("labels", "weights"):
            if not np.array_equal(table.roles.get(role, ()), first.roles.get(role, ())):
                raise DataError(f"{table.source}: other {role} than in {first.source}")
        # each file of views has its own missing cells
        if len(paths) > 1 and options.missing == "error":
            complete_rows(table, "error")
    if len(tables) == 1:
        return first
    hashes = "".join(table.file_hash for table in tables)
    return replace(
        first,
        file_hash=hashlib.sha256(hashes.encode()).hexdigest(),
        values=np.hstack([table.values for table in tables]),
        columns=tuple(j for table in tables for j in table.columns),
        names=(),
        ends=tuple(np.cumsum([len(table.columns) for table in tables])[:-1].tolist()),
        warnings=tuple(line for table in tables for line in table.warnings),
        header="; ".join(dict.fromkeys(table.header for table in tables)),
    )


def targets_of(texts: Sequence[str], source: str, lines: IntArray) -> FloatArray:
    """Convert strings to targets (n,). Raises DataError for a string that is not a finite
    number.
    """
    values = [np.nan if (value := cell_number(text)) is None else value for text in texts]
    wrong = np.flatnonzero(~np.isfinite(values))
    if len(wrong):
        text, line = texts[wrong[0]], int(lines[wrong[0]])
        problem = "the target is missing" if is_missing(text) else f"target '{shown(text)}'"
        raise DataError(
            f"{place(source, line)}: {problem}, expected a finite number: regression needs a "
            "numeric target (`label` names its column)"
        )
    return np.array(values)


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
        - ``categorical``: text columns, a list of names or indices, or ``auto``.
        - ``drop``: names of columns to leave out.
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
    extra = {"positive": positive, "strings": strings, "one_vs_rest": one_vs_rest}
    options = options_like(like, reading, weights=weights, **extra)
    return data_of(read_rows([path], options, like), "dataset", options, like)


def read_regression(
    path: AnyPath,
    *,
    weights: str | None = None,
    like: Dataset | None = None,
    **reading: Unpack[ReadOptions],
) -> Dataset:
    r"""Read points with numeric targets, in any format that :func:`radprog.read` accepts.

    Parameters
    ----------
    path : str or Path
        Path of the file. The suffix determines the format.
    weights : str, optional
        The column with the nonnegative weights of the rows.
    like : Dataset, optional
        Training data. Their options, columns and scaler are used; only ``label``, ``decimal`` and
        ``header`` may differ.
    **reading
        - ``label``: the target column: ``last`` (default), ``first``, ``none``, a name or an index.
        - ``scale``, ``missing``: see :func:`radprog.read`; they apply only to features.
        - ``categorical``, ``decimal``, ``header``: see :func:`radprog.read`.

    Returns
    -------
    Dataset
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
    options = options_like(like, reading, weights=weights)
    return data_of(read_rows([path], options, like), "regression", options, like)


def read_partly_labelled(
    path: AnyPath,
    *,
    like: Dataset | None = None,
    **reading: Unpack[ReadOptions],
) -> Dataset:
    r"""Read points from any number of classes, some or all without labels.

    Parameters
    ----------
    path : str or Path
        Path of the file. The suffix determines the format. An empty label, ``?``, ``NA``, ``N/A``,
        ``nan``, ``None`` or ``null`` marks an unknown label.
    like : Dataset, optional
        Training data. Their options, classes and scaler are used.
    **reading
        - ``label``: see :func:`radprog.read`; with ``none``, no point has a label.
        - ``scale``, ``missing``, ``categorical``, ``decimal``, ``header``: see
          :func:`radprog.read`.

    Returns
    -------
    Dataset
        The data set.

    Raises
    ------
    DataError
        If the file cannot be used. The message names the file, the row and the column.
    OptionError
        If an option is invalid.

    Examples
    --------
    >>> from pathlib import Path
    >>> import radprog as rp
    >>> _ = Path("points.csv").write_text("x,kind\n1,no\n3,\n5,yes\n")
    >>> rp.read_partly_labelled("points.csv").codes
    array([ 0, -1,  1])
    """
    options = options_like(like, reading)
    return data_of(read_rows([path], options, like), "partly_labelled", options, like)


def read_views(
    paths: Sequence[AnyPath],
    *,
    classes: Sequence[str] | None = None,
    positive: str | None = None,
    weights: str | None = None,
    like: Dataset | None = None,
    **reading: Unpack[ReadOptions],
) -> Dataset:
    r"""Read several views of the same points, one file per view.

    Parameters
    ----------
    paths : sequence of str or Path
        Files with the same points in the same order, and with the same labels.
    classes : sequence of str, optional
        Two or more labels to keep. The default is all labels. Rows from other classes are omitted.
    positive : str, optional
        The label of +1. The default is the second of two labels in increasing order.
    weights : str, optional
        The column with the nonnegative weights of the rows.
    like : Dataset, optional
        The training set. Its options, classes, scaling and order of views are used; only ``label``,
        ``decimal`` and ``header`` may differ.
    **reading
        - ``label``, ``missing``, ``decimal``, ``header``: see :func:`radprog.read`.
        - ``scale``: see :func:`radprog.read`; each view is scaled separately.
        - ``categorical``: see :func:`radprog.read`; only for a single file.

    Returns
    -------
    Dataset
        The data set. It has no labels if the files contain none and ``like`` is set.

    Raises
    ------
    DataError
        If files differ in rows or labels, or a cell is missing.
    OptionError
        If an option is invalid.

    Examples
    --------
    >>> from pathlib import Path
    >>> import radprog as rp
    >>> _ = Path("sizes.csv").write_text("a,b,kind\n1,2,no\n3,4,yes\n5,7,yes\n")
    >>> _ = Path("colours.csv").write_text("c,kind\n0.1,no\n0.5,yes\n0.3,yes\n")
    >>> rp.read_views(["sizes.csv", "colours.csv"]).views
    (('sizes', 0, 2), ('colours', 2, 3))
    """
    if not paths:
        raise OptionError("no view given: expected at least one file")
    extra = {"weights": weights, "positive": positive if like is None else None}
    options = options_like(like, reading, **extra)
    if like is not None and len(paths) != len(like.views):
        raise DataError(
            f"{len(paths)} views given, the training data has {len(like.views)}: "
            f"{', '.join(name for name, _, _ in like.views)}"
        )
    # the files side by side, each with the width of its view in any training data
    widths = None if like is None else [end - first for _, first, end in like.views]
    table = read_rows(paths, options, like, widths)
    if like is not None:
        return data_of(table, "views", options, like, views=like.views)
    if "labels" not in table.roles:
        raise DataError(f"{table.source}: no label column")
    ends = zip(paths, (0, *table.ends), (*table.ends, len(table.columns)), strict=True)
    views = tuple((Path(path).stem, first, end) for path, first, end in ends)
    data = data_of(table, "views", options, None, classes, views)
    files = {"views": [str(path) for path in paths]} if len(paths) > 1 else {}
    return replace(data, reading={**data.reading, **files})


MklData = Dataset | GramSet


def file_list(text: str) -> list[str]:
    """The files in a comma-separated list.

    If the whole string is the name of an existing file, the list contains only that file.
    """
    return [text] if "," not in text or Path(text).exists() else text.split(",")


def read_mkl(
    path: str,
    *,
    views: str | Sequence[str] | None = None,
    classes: str | Sequence[str] | None = None,
    positive: str | None = None,
    strings: str | None = None,
    weights: str | None = None,
    like: MklData | None = None,
    **reading: Unpack[ReadOptions],
) -> MklData:
    """Read kernel matrices (.npz), views (one file each), or a table with two or more classes.

    - path: a file, or a comma-separated list of views.
    - views: the files of all views, or of the views besides ``path``.
    - classes: the labels to keep.
    - label, scale, missing, positive, strings, weights, categorical, decimal, header: options of
      :func:`radprog.read`.
    - like: the training data.

    Raises DataError, and OptionError for an option that this kind of data does not have.
    """
    table: dict[str, Any] = {"weights": weights, **reading}
    paths, chosen, view_paths = file_list(path), _items(classes), _items(views)
    if view_paths is not None and not len(paths) == len(view_paths) > 1:
        # the files of all views, or those beside the first
        paths = view_paths if set(paths) <= set(view_paths) else [*paths, *view_paths]
    # new rows are read with the options of the training data
    if isinstance(like, GramSet):
        return read_grams(path, like=like)
    if isinstance(like, Dataset) and like.kind == "views":
        keywords = {key: table.get(key) for key in (*OF_THE_FILE, "weights")}
        return read_views(paths, like=like, **keywords)
    if like is not None:
        return read(path, positive=positive, strings=strings, like=like, **table)
    # kernel matrices have no options of tables
    if path.endswith(MATRICES):
        for name, value in {**table, "views": views, "strings": strings}.items():
            if value is not None:
                raise OptionError(f"{name} has no meaning for kernel matrices ({path})")
        return read_grams(path, classes=chosen, positive=positive)
    # one table of at most two classes is a data set; else views, one for each file
    alone = len(paths) == 1 and chosen is None
    if strings is not None:
        if alone:
            return read(path, positive=positive, strings=strings, **table)
        raise OptionError("strings has no meaning with several views or chosen classes")
    if alone:
        options = options_like(None, reading, positive=positive, weights=weights)
        rows = read_rows(paths, options)
        form = str if rows.label_type == "str" else plain_label
        if len({form(text) for text in rows.roles.get("labels", ())}) <= 2:
            return data_of(rows, "dataset", options)
    return read_views(paths, classes=chosen, positive=positive, **table)


def _items(items: str | Sequence[str] | None) -> list[str] | None:
    if isinstance(items, str):
        return [item.strip() for item in items.split(",") if item.strip()]
    return None if items is None else [str(item) for item in items]
