"""Bags of patterns: series with their windows, or arrays of patterns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Self

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import ArrayLike

from radprog.base.errors import ArrayError, DataError, OptionError
from radprog.base.types import FloatArray, IntArray
from radprog.instances.arrays import finite, labels_of
from radprog.instances.data import Data, array_hash, labelled, unknown

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
    def one_vs_rest(self) -> bool:
        """Whether models learn more than two classes one against the rest."""
        return True

    @property
    def columns(self) -> int:
        """The number of values per row: L, channels x L or Q x l."""
        return int(np.prod(self.X.shape[1:]))

    @property
    def span(self) -> int:
        """The length of the longest possible pattern: L for series, l for bags."""
        return int(self.X.shape[-1])

    def take(self, indices: IntArray, name: str | None = None) -> Self:
        """The rows ``indices`` as a separate data set, with a hash of their arrays."""
        whole, rows = (self, np.arange(self.rows)) if self.origin is None else self.origin
        return replace(super().take(indices, name), origin=(whole, rows[indices]))

    def recipe(self) -> dict[str, Any]:
        """The options for reading other files in the same way, as JSON types."""
        return {**super().recipe(), "shape": list(self.X.shape[1:])}

    @classmethod
    def _shaped(cls, recipe: Mapping[str, Any]) -> dict[str, Any]:
        return {"X": np.empty((0, *recipe["shape"]))}


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
    return _from_arrays(X, y, "series", name).weighed(weights)


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
    return _from_arrays(X, y, "bags", name).weighed(weights)


def _from_arrays(X: ArrayLike, y: ArrayLike | None, kind: BagKind, name: str) -> Bags:
    values = checked_values(X, kind, name)
    m = len(values)
    data = Bags(X=values, codes=unknown(m), kind=kind, name=name, sha256=array_hash(values, None))
    if y is None:
        return data
    data = labelled(data, labels_of(y, m, name), name, np.arange(1, m + 1), one_vs_rest=True)
    return replace(data, sha256=array_hash(values, data.targets), lines=None)


def checked_values(X: ArrayLike, kind: BagKind, name: str) -> FloatArray:
    """Return X as float64.

    Raises DataError for a wrong shape, no rows, or a number that is not finite.
    """
    X = _filled(X) if kind == "bags" and isinstance(X, list | tuple) else X
    refuse_unequal(X, name, kind)
    values = finite(X, name, "X")
    wanted = "(m, L) or (m, channels, L)" if kind == "series" else "(m, Q, l)"
    if values.ndim not in ((2, 3) if kind == "series" else (3,)) or 0 in values.shape:
        raise DataError(f"{name}: X has shape {values.shape}, expected {wanted}, not empty")
    return values


def _filled(X: Sequence[Any]) -> Any:
    """Bags (Q_i, l), filled to equal size by repetition of the last pattern. Other arrays stay
    unchanged.
    """
    with suppress(TypeError, ValueError):
        bags_of = [np.asarray(bag) for bag in X]
        if all(bag.ndim == 2 and len(bag) for bag in bags_of):
            most = np.arange(max(map(len, bags_of)))
            return np.stack([bag[np.minimum(most, len(bag) - 1)] for bag in bags_of])
    return X


def refuse_unequal(X: Any, name: str, kind: BagKind = "series") -> None:
    """Raise ArrayError if the rows have different lengths."""
    if not isinstance(X, list | tuple) and getattr(X, "dtype", None) != np.dtype(object):
        return
    lengths: list[int] = []
    with suppress(TypeError, ValueError):
        lengths += [np.shape(one)[-1] for one in X if np.ndim(one)]
    if len(set(lengths)) > 1:
        first = next(i for i, length in enumerate(lengths) if length != lengths[0])
        what, remedy = "patterns", ""
        if kind == "series":
            what, remedy = "series", ": cut, pad or resample them to it"
        raise ArrayError(
            f"{name}: X cannot be used: {what} of {min(lengths)} to {max(lengths)} points, "
            f"X[{first}] of {lengths[first]} and X[0] of {lengths[0]}, expected one length{remedy}"
        )


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
