"""Sparse data sets, in which each row has a class or a number."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Unpack

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from radprog.base.errors import DataError, OptionError
from radprog.instances.arrays import column_of, finite
from radprog.instances.data import Points
from radprog.instances.dataset import (
    Dataset,
    Kind,
    ReadOptions,
    data_of,
    dataset,
    options_like,
    read_rows,
    regression_data,
    targets_of,
)
from radprog.instances.formats import SVMLIGHT, svmlight_rows
from radprog.instances.tables import (
    UNKNOWN,
    AnyPath,
    cell_number,
    decode,
    format_of,
    labels_of,
    read_bytes,
)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class SparseData(Points):
    """Points in a sparse matrix, each with a class or a numeric target, without scaling.

    Attributes
    ----------
    X : csr_array (n, d)
        The points.
    labels, codes, y, target, weights, rows, columns, name, sha256
        See :class:`radprog.Dataset`.

    Examples
    --------
    >>> from scipy.sparse import eye_array
    >>> import radprog as rp
    >>> data = rp.sparse_data(eye_array(6, format="csr"), [0, 0, 0, 1, 1, 1])
    >>> data.X.nnz, rp.fit(rp.L1Linear(), data).certified
    (6, True)
    """

    kind: str = "sparse"


def is_sparse(X: Any) -> bool:
    """Whether X is a sparse matrix or array of scipy."""
    return bool(sparse.issparse(X))


def sparse_points(X: Any, name: str) -> Any:
    """Return X (n, d) as a new CSR array without duplicates and zeros.

    Raises DataError unless X is a matrix of finite numbers.
    """
    try:
        points = sparse.csr_array(X, dtype=np.float64, copy=True)
    except (TypeError, ValueError) as error:
        raise DataError(f"{name}: X is not a sparse matrix: {error}") from None
    if points.ndim != 2 or 0 in points.shape:
        raise DataError(f"{name}: X has shape {points.shape}, expected (n, d), not empty")
    finite(points.data, name, "X")
    points.sum_duplicates()
    points.eliminate_zeros()
    return points


def sparse_data(
    X: Any,
    y: ArrayLike | None,
    *,
    name: str = "data",
    numbers: bool = False,
    one_vs_rest: bool = False,
    weights: ArrayLike | None = None,
) -> SparseData:
    """Create a data set of sparse rows for a linear model.

    Parameters
    ----------
    X : sparse matrix (n, d)
        n points with d finite features, in any SciPy sparse format.
    y : array (n,) or None
        Labels of the points, or targets if ``numbers`` is True.
    name : str
        Name that results show for the data set.
    numbers : bool
        Whether y contains regression targets.
    one_vs_rest : bool
        Whether to accept more than two classes.
    weights : array (n,), optional
        Nonnegative weights of the rows. A weight of 2 counts a row twice.

    Returns
    -------
    SparseData
        The data set.

    Raises
    ------
    DataError
        If shapes are wrong, a number is not finite, or there are fewer than two classes.

    Examples
    --------
    >>> from scipy.sparse import csr_array
    >>> import radprog as rp
    >>> data = rp.sparse_data(csr_array([[0.0, 1.0], [2.0, 0.0], [0.0, 3.0]]), ["no", "yes", "yes"])
    >>> data.X.shape, data.labels
    ((3, 2), ('no', 'yes'))
    """
    points = sparse_points(X, name)
    n = points.shape[0]
    data = SparseData(X=points, codes=np.full(n, UNKNOWN), name=name)
    if y is not None and numbers:
        data = replace(data, target=column_of(y, n, name, "y"))
    elif y is not None:
        data = data.labelled(*labels_of(y, n, name), several=one_vs_rest)
    return data.weighed(weights)


Linear = Dataset | SparseData  # what a linear model works on


def linear_data(
    X: Any,
    y: ArrayLike,
    *,
    numbers: bool,
    weights: ArrayLike | None,
    features: Sequence[str] = (),
) -> Linear:
    """A data set without scaling, from dense or sparse rows X (n, d) and numbers or labels y (n,).

    Only dense rows have feature names.
    """
    if is_sparse(X):
        return sparse_data(X, y, numbers=numbers, one_vs_rest=True, weights=weights)
    if numbers:
        return regression_data(X, y, weights=weights, features=features)
    return dataset(X, y, one_vs_rest=True, weights=weights, features=features)


def read_linear(
    path: AnyPath,
    *,
    positive: str | int | None = None,
    strings: str | int | None = None,
    one_vs_rest: bool | None = None,
    weights: str | int | None = None,
    like: Linear | None = None,
    **reading: Unpack[ReadOptions],
) -> Linear:
    """Read points with classes or numbers.

    If the label column has more than two different numbers, they are targets, unless
    ``one_vs_rest`` or ``positive`` is set. The rows of an svmlight file are sparse
    (:class:`SparseData`), unless they are scaled. Other files are read by :func:`radprog.read` and
    :func:`radprog.read_regression`, with the options of these functions. Raises OptionError and
    DataError as these functions do.
    """
    if strings is not None:
        raise OptionError(f"strings '{strings}': a linear model takes no texts")
    extra = {"positive": positive, "one_vs_rest": one_vs_rest, "weights": weights}
    options = options_like(like, reading, **extra)
    chosen = options.one_vs_rest or options.positive is not None
    source, in_text = str(path), format_of(str(path)) not in SVMLIGHT
    # dense rows, of classes or of numbers
    if isinstance(like, Dataset) or (like is None and (in_text or options.scale != "none")):
        table = read_rows([path], options, like)
        numbers = not chosen and are_targets(table.roles.get("labels", ()))
        kind: Kind = like.kind if like is not None else "regression" if numbers else "dataset"
        return data_of(table, kind, options, like)
    # sparse rows
    raw = read_bytes(path)
    if options.weights is not None:
        raise OptionError(f"{source}: svmlight has no weights column '{options.weights}'")
    names = () if like is None else like.features
    points, base, lines, labels = svmlight_rows(source, decode(source, raw), options.label, names)
    points = points[:, base:]
    # features of the training data that no row here has are 0
    width = points.shape[1] if like is None else like.columns or 0
    if points.shape[1] > width:
        raise DataError(
            f"{source}: {points.shape[1]} features given, expected {width} as in the training data"
        )
    points.resize(points.shape[0], width)
    data = SparseData(
        X=sparse_points(points, source),
        codes=np.full(len(lines), UNKNOWN),
        name=source.rpartition("/")[2],
        file_hash=hashlib.sha256(raw).hexdigest(),
        labels=() if like is None else like.labels,
        features=tuple(map(str, range(base, base + width))),
        lines=lines,
        reading=options.reading(),
    )
    # classes, or more than two different numbers as targets
    if labels is None:
        return data
    if chosen or not are_targets(labels) if like is None else data.labels:
        return data.labelled(
            labels, like=like, positive=options.positive, several=options.one_vs_rest
        )
    return replace(data, target=targets_of(labels, source, lines))


def are_targets(labels: Iterable[str]) -> bool:
    """Whether labels are more than two different numbers."""
    numbers = {cell_number(label) for label in set(labels)}
    return len(numbers) > 2 and all(x is not None and math.isfinite(x) for x in numbers)
