"""Bags of patterns: series with their windows, or arrays of patterns, and their readers."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal, Self

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import ArrayLike

from radprog.base.errors import DataError, OptionError
from radprog.base.types import FloatArray, IntArray
from radprog.instances.arrays import finite, packed_arrays
from radprog.instances.data import Data
from radprog.instances.dataset import TableOptions, options_like, read_table, table_of
from radprog.instances.tables import (
    UNKNOWN,
    AnyPath,
    DataTable,
    decode,
    format_of,
    labels_of,
    place,
    read_bytes,
    shown,
    text_frame,
)

BagKind = Literal["series", "bags"]

NOUN: Mapping[BagKind, str] = {"series": "series", "bags": "bags of patterns"}


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Bags(Data):
    """Time series or bags of patterns, with labels and without scaling.

    Attributes
    ----------
    X : ndarray
        The rows. For the kind ``series``, the shape is (m, L), or (m, channels, L) for several
        values at each time. For the kind ``bags``, it is (m, Q, l), with Q patterns of l numbers in
        each bag.
    kind : str
        The kind of the rows: ``series`` or ``bags``.
    origin : tuple or None
        The larger data set that contains these rows, and their indices in it.
    labels, codes, y, lines, weights, name, sha256
        See :class:`radprog.Dataset`.

    Examples
    --------
    >>> import numpy as np
    >>> import radprog as rp
    >>> waves = rp.series(np.arange(12.0).reshape(3, 4), [1, 2, 1])
    >>> str(waves.kind), waves.X.shape, waves.codes.tolist()
    ('series', (3, 4), [0, 1, 0])
    """

    kind: BagKind = "series"
    labels: tuple[str, ...] = ("-1", "1")
    origin: tuple[Bags, IntArray] | None = field(default=None, repr=False)

    @property
    def span(self) -> int:
        """The length of the longest possible pattern: L for series, l for bags."""
        return int(self.X.shape[-1])

    def take(self, indices: IntArray, name: str | None = None) -> Self:
        """The rows ``indices`` as a separate data set, with a hash of their arrays."""
        parent, rows = (self, np.arange(self.rows)) if self.origin is None else self.origin
        return replace(super().take(indices, name), origin=(parent, rows[indices]))


def series(
    X: ArrayLike,
    y: ArrayLike | None = None,
    *,
    name: str = "data",
    weights: ArrayLike | None = None,
) -> Bags:
    """Create a data set of time series from arrays.

    Parameters
    ----------
    X : array (m, L) or (m, channels, L)
        m time series with L numbers in each channel.
    y : array (m,), optional
        Labels of the series.
    name : str
        Name that results show for the data set.
    weights : array (m,), optional
        Nonnegative weights of the series. A weight of 2 counts a series twice.

    Returns
    -------
    Bags
        The data set. The model extracts the patterns of each series: its windows.

    Raises
    ------
    DataError
        If the shape is wrong, a number is not finite, weights are invalid, or there are fewer than
        two classes.

    Examples
    --------
    >>> import numpy as np
    >>> import radprog as rp
    >>> rp.series(np.arange(12.0).reshape(3, 4), [1, 2, 1])
    <Bags 'data': 3 x 4, classes '1', '2'>
    """
    return _from_arrays(X, y, "series", name, weights)


def bags(
    X: ArrayLike,
    y: ArrayLike | None = None,
    *,
    name: str = "data",
    weights: ArrayLike | None = None,
) -> Bags:
    """Create a data set of bags of patterns, such as patches of images, from arrays.

    Parameters
    ----------
    X : array (m, Q, l), or sequence of m arrays (Q_i, l)
        m bags of patterns with l numbers each. If a bag has fewer than Q patterns, its last pattern
        is repeated. This does not change the best match.
    y : array (m,), optional
        Labels of the bags.
    name : str
        Name that results show for the data set.
    weights : array (m,), optional
        Nonnegative weights of the bags. A weight of 2 counts a bag twice.

    Returns
    -------
    Bags
        The data set.

    Raises
    ------
    DataError
        If the shape is wrong, a number is not finite, weights are invalid, or there are fewer than
        two classes.

    Examples
    --------
    >>> import numpy as np
    >>> import radprog as rp
    >>> rp.bags(np.arange(24.0).reshape(2, 3, 4), ["cat", "dog"])
    <Bags 'data': 2 x 3 x 4, classes 'cat', 'dog'>
    >>> rp.bags([[[1.0, 2.0]], [[3.0, 4.0], [5.0, 6.0]]], ["cat", "dog"]).X[0]
    array([[1., 2.],
           [1., 2.]])
    """
    return _from_arrays(X, y, "bags", name, weights)


def _from_arrays(
    X: ArrayLike, y: ArrayLike | None, kind: BagKind, name: str, weights: ArrayLike | None
) -> Bags:
    values = checked_values(X, kind, name)
    m = len(values)
    data = Bags(X=values, codes=np.full(m, UNKNOWN), kind=kind, name=name)
    if y is not None:
        data = data.labelled(*labels_of(y, m, name), several=True)
    return data.weighed(weights)


def checked_values(X: ArrayLike, kind: BagKind, name: str) -> FloatArray:
    """Return X as float64; bags (Q_i, l) are filled to equal size by their last pattern.

    Raises DataError for a wrong shape, no rows, or a number that is not finite.
    """
    if kind == "bags" and isinstance(X, list | tuple):
        with suppress(TypeError, ValueError):
            bags_of = [np.asarray(bag) for bag in X]
            if all(bag.ndim == 2 and len(bag) for bag in bags_of):
                positions = np.arange(max(map(len, bags_of)))
                X = np.stack([bag[np.minimum(positions, len(bag) - 1)] for bag in bags_of])
    values = finite(X, name, "X")
    wanted = "(m, L) or (m, channels, L)" if kind == "series" else "(m, Q, l)"
    if values.ndim not in ((2, 3) if kind == "series" else (3,)) or 0 in values.shape:
        raise DataError(f"{name}: X has shape {values.shape}, expected {wanted}, not empty")
    return values


def read_series(
    path: AnyPath,
    *,
    label: str | int | None = None,
    positive: str | int | None = None,
    one_vs_rest: bool | None = None,
    weights: str | int | None = None,
    like: Bags | None = None,
    **others: str | None,
) -> Bags:
    r"""Read time series or bags of patterns from a file.

    Parameters
    ----------
    path : str or Path
        Path of the file. The suffix determines the format (see Notes).
    label : str or int, optional
        The label column in UCR text: ``first`` (default), ``last``, ``none`` or an index. Other
        formats accept only ``none``, to omit the labels.
    positive : str or int, optional
        The label of +1. The default is the second of the two labels in increasing order.
    one_vs_rest : bool, optional
        Whether to accept more than two classes.
    weights : str or int, optional
        The column of UCR text, or the array in the ``.npz`` file, with the weights of the rows.
    like : Bags, optional
        Training data, or the result of ``Bags.from_recipe``. Their options and labels are used.
    **others
        Not accepted. The other options of :func:`radprog.read`, such as ``scale``, do not apply to
        time series.

    Returns
    -------
    Bags
        The data set.

    Raises
    ------
    DataError
        If the file cannot be used, lengths differ, numbers are missing, or the length differs from
        that of the training data. The message names the file and the row.
    OptionError
        If an option does not apply to time series.

    Notes
    -----
    - ``.npz``: bags of patterns, in the arrays X (m, Q, l) and y (m,); y is optional.
    - ``.ts``: time series of equal length and one dimension; the label is the last field.
    - Other suffixes: UCR text, with one series per row, separated by tabs, commas or blanks.

    Examples
    --------
    >>> from pathlib import Path
    >>> import radprog as rp
    >>> _ = Path("waves.csv").write_text("1,0.0,1.0,2.0\n2,1.0,0.0,1.0\n")
    >>> rp.read_series("waves.csv")
    <Bags 'waves.csv': 2 x 3, classes '1', '2'>
    """
    column = "first" if label is None and like is None else label
    extra = {"positive": positive, "one_vs_rest": one_vs_rest, "weights": weights}
    options = options_like(like, {"label": column}, **extra, **others)
    for name, plain in (("scale", "none"), ("missing", "error"), ("strings", None)):
        if (value := getattr(options, name)) != plain:
            raise OptionError(f"{name} '{value}' has no meaning for series")
    source, raw = str(path), read_bytes(path)
    suffix = format_of(source)
    if weights is not None and suffix == ".ts":
        raise OptionError(f"weights '{weights}' have no meaning for .ts files")
    if suffix in (".npz", ".ts") and options.label not in ("first", "last", "none"):
        raise OptionError(f"label '{options.label}' has no meaning for {suffix} files: only none")
    # the values, labels and weights of the file
    kind: BagKind = "bags" if suffix == ".npz" else "series"
    texts: Sequence[str] | None = None
    label_type = "text"
    counts: FloatArray | None = None
    if suffix == ".npz":
        keys = () if options.weights is None else (options.weights,)
        needed, optional = (("X", *keys), ("y",)) if like is None else (("X",), ("y", *keys))
        arrays = packed_arrays(source, raw, needed, optional)
        values = checked_values(arrays["X"], kind, source)
        lines = np.arange(1, len(values) + 1)
        if "y" in arrays:
            texts, label_type = labels_of(arrays["y"], len(values), source)
        counts = arrays.get(options.weights or "")
    else:
        if suffix == ".ts":
            table = _ts_table(source, decode(source, raw), options)
        else:
            width = None if like is None or like.X.ndim != 2 else like.span
            table = read_table(source, raw, options, width=width)
        values, lines, counts = table.values, table.lines, table.roles.get("weights")
        texts = table.roles["labels"].tolist() if "labels" in table.roles else None
        holes = np.argwhere(np.isnan(values))
        if len(holes):
            raise DataError(
                f"{table.cell(*holes[0].tolist())}: the value is missing; series must be complete "
                "and of equal length (unequal series are padded like this)"
            )
    # the shape of the training data; bags may hold more patterns
    name = Path(source).name
    if like is not None:
        first_side = 2 if like.kind == "bags" else 1
        if kind != like.kind or values.shape[first_side:] != like.X.shape[first_side:]:
            raise DataError(
                f"{name}: {NOUN[kind]} of shape {values.shape[1:]}, expected "
                f"{NOUN[like.kind]} of shape {like.X.shape[1:]} as in the training data"
            )
    data = Bags(
        X=values,
        codes=np.full(len(values), UNKNOWN),
        labels=("-1", "1") if like is None else like.labels,
        kind=kind,
        lines=lines,
        name=name,
        file_hash=hashlib.sha256(raw).hexdigest(),
        reading=options.reading() if like is None else dict(like.reading),
    )
    if texts is not None and options.label != "none":
        options_of = {"positive": options.positive, "several": options.one_vs_rest}
        data = data.labelled(texts, label_type, like, **options_of)
    elif positive is not None:
        raise OptionError(f"positive '{positive}' has no meaning without labels")
    return data.weighed(counts)


def _ts_table(source: str, text: str, options: TableOptions) -> DataTable:
    """The table of a .ts file: below ``@`` lines, a row is a series, a colon and its label."""
    declared, body, has_label = dict[str, list[str]](), list[str](), True
    for number, line in enumerate(map(str.strip, text.split("\n")), start=1):
        body.append("")  # what is no row of data is a blank line: rows keep their numbers
        if line.startswith("@"):
            key, *words = line.lower().split()
            declared[key] = words
        elif line and not line.startswith(("#", "%")):
            if "@data" not in declared:
                raise DataError(f"{place(source, number)}: '{shown(line)}' before the line @data")
            # the last field is the label, unless the file says that it has none
            has_label = declared.get("@classlabel", ["true"])[:1] == ["true"]
            if line.count(":") != has_label:
                raise DataError(
                    f"{place(source, number)}: {line.count(':') + 1} fields between colons, "
                    f"expected {1 + has_label}: series of several dimensions are not read"
                )
            body[-1] = line.replace(":", ",")
    if declared.get("@timestamps", [])[:1] == ["true"]:
        raise DataError(f"{source}: time stamps are not read, only equally spaced series")
    frame, label = text_frame(source, "\n".join(body)), "last" if has_label else "none"
    return table_of(frame, replace(options, label=label, header="no"))


def windows(X: FloatArray, kind: BagKind, length: int, step: int = 1) -> FloatArray:
    """The patterns (m, Q, l): the Q = L - length + 1 windows of each series, or the bags.

    A window has every ``step``-th of ``length`` points. Its channels are joined, so l is channels x
    ceil(length / step). Raises OptionError for a length below 1 or above L, and for bags if the
    length is not l.
    """
    span = X.shape[-1]
    if kind == "bags":
        if length != span:
            raise OptionError(f"length {length}: the patterns of these bags have {span} numbers")
        return X
    if not 1 <= length <= span:
        raise OptionError(f"length {length}: expected 1 to {span}, the length of the series")
    # windows of all series; dimensions of a window stand side by side
    view = sliding_window_view(X, length, axis=-1)[..., ::step]
    if X.ndim == 3:
        view = view.transpose(0, 2, 1, 3)
    return np.ascontiguousarray(view).reshape(len(X), span - length + 1, -1)
