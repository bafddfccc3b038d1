"""Points of many classes, of which some, or all, have no label: what clustering works on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from radprog.base.errors import DataError
from radprog.base.types import FloatArray, IntArray
from radprog.instances.data import Points, array_hash
from radprog.instances.dataset import dataset
from radprog.instances.labels import UNKNOWN, codes_of, in_order, label_texts, plain_labels
from radprog.instances.tables import AnyPath
from radprog.instances.tabular import ReadOptions, read_rows, scaled, settled


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class PartlyLabelled(Points):
    """Points of any number of classes, some rows or all without a label.

    Attributes
    ----------
    X : ndarray (n, d)
        The points.
    codes : ndarray (n,)
        The class of every row as an index into ``labels``, -1 without one.
    known : ndarray (n,)
        Which rows have a label.
    n_classes : int
        Number of names in ``labels``.
    labels, raw, scaler, features, lines, weights, rows, columns, name, sha256
        As of :class:`radprog.Dataset`.

    Examples
    --------
    >>> import radprog as rp
    >>> data = rp.partly_labelled([[0.0], [1.0], [2.0]], ["a", None, "b"])
    >>> data.known.tolist(), data.n_classes
    ([True, False, True], 2)
    """

    KIND: ClassVar[str] = "partly_labelled"

    @property
    def n_classes(self) -> int:
        """Number of classes c that the labels name."""
        return len(self.labels)

    @property
    def targets(self) -> FloatArray:
        """Codes as numbers (n,), also of two classes; raises DataError if a row has none."""
        return self.codes.astype(np.float64) if self.known.all() else super().targets

    @property
    def hashed(self) -> FloatArray:
        """The codes."""
        return self.codes.astype(np.float64)

    @property
    def label_map(self) -> dict[str, str]:
        """The name behind each code."""
        return {str(code): label for code, label in enumerate(self.labels)}

    def hide(self, indices: IntArray) -> PartlyLabelled:
        """The same points without the labels of the rows ``indices``."""
        codes = self.codes.copy()
        codes[indices] = UNKNOWN
        return replace(self, codes=codes, sha256=array_hash(self.X, codes.astype(np.float64)))


def read_partly_labelled(
    path: AnyPath,
    *,
    like: PartlyLabelled | None = None,
    **reading: Unpack[ReadOptions],
) -> PartlyLabelled:
    r"""Read points of any number of classes, in which some labels are unknown.

    Parameters
    ----------
    path : str or Path
        The file; its suffix gives the format. An empty label, ``?``, ``NA`` or ``nan`` is unknown.
    like : PartlyLabelled, optional
        Training data, whose options, classes and scaler hold here.
    **reading
        - ``label``: as of :func:`radprog.read`; with ``none`` no point has a label.
        - ``scale``, ``missing``, ``categorical``, ``decimal``, ``header``: as of
          :func:`radprog.read`.

    Returns
    -------
    PartlyLabelled

    Raises
    ------
    DataError
        For a file that cannot be used; the message names file, row and column.
    OptionError
        For an option that has no meaning.

    Examples
    --------
    >>> from pathlib import Path
    >>> import radprog as rp
    >>> _ = Path("points.csv").write_text("x,kind\n1,no\n3,\n5,yes\n")
    >>> rp.read_partly_labelled("points.csv").codes
    array([ 0, -1,  1])
    """
    options = settled(like, reading)
    rows = read_rows([path], options, like, gaps=True)
    data = PartlyLabelled(
        **scaled(rows, options, like),
        labels=() if like is None else like.labels,
        reading=options.reading("label", "scale", "missing"),
    )
    return _coded(data, rows.labels, rows.source, rows.lines, like)


def _coded(
    data: PartlyLabelled,
    written: Sequence[str] | None,
    source: str,
    lines: IntArray,
    like: PartlyLabelled | None = None,
) -> PartlyLabelled:
    """The data with labels as written, of the classes of ``like``; DataError, naming the row."""
    if written is None:
        return data
    # an empty label is unknown; classes are those present, or of the training data
    plain = plain_labels(written, source, lines, gaps=True)
    labels = like.labels if like is not None else tuple(in_order([x for x in plain if x]))
    return replace(data, codes=codes_of(plain, labels, source, lines), labels=labels)


def partly_labelled(
    X: ArrayLike,
    y: Sequence[Any] | NDArray[Any] | None = None,
    *,
    name: str = "data",
    scale: str = "none",
) -> PartlyLabelled:
    """Make a data set in which some labels are unknown, from arrays.

    Parameters
    ----------
    X : array (n, d)
        n points of d finite numbers.
    y : sequence (n,), optional
        Labels; None, NA, "" and NaN stand for unknown ones.
    name : str
        Name of the data set in results.
    scale : str
        Scaling of the features: ``none``, ``standard``, ``minmax``, ``unit`` or ``ball``.

    Returns
    -------
    PartlyLabelled
        ``codes`` (n,) numbers the classes from 0; -1 stands for an unknown label.

    Raises
    ------
    DataError
        For another shape, or a cell that is not a finite number.
    OptionError
        For an unknown scaling.

    Examples
    --------
    >>> import radprog as rp
    >>> data = rp.partly_labelled([[0.0], [1.0], [2.0]], ["a", None, "b"])
    >>> data.codes
    array([ 0, -1,  1])
    """
    points = dataset(X, name=name, scale=scale)
    if points.X.ndim != 2:
        raise DataError(f"{name}: X holds strings, expected numbers")
    written = None
    if y is not None:
        written = label_texts(np.asarray(y), name)
        if len(written) != points.rows:
            raise DataError(f"{name}: y has {len(written)} labels, X has {points.rows} rows")
    data = PartlyLabelled(
        X=points.X,
        codes=points.codes,
        name=name,
        scaler=points.scaler,
        raw=points.raw,
        features=points.features,
        levels=points.levels,
    )
    data = _coded(data, written, name, np.arange(1, points.rows + 1))
    return replace(data, sha256=array_hash(data.X, data.hashed))
