"""Data sets for clustering and label propagation, in which some or all points have no label."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from radprog.base.types import FloatArray, IntArray
from radprog.instances.arrays import labels_of
from radprog.instances.data import Points, array_hash
from radprog.instances.dataset import points_of
from radprog.instances.labels import UNKNOWN, codes_of, in_order, plain_labels
from radprog.instances.tables import AnyPath
from radprog.instances.tabular import ReadOptions, read_rows, scaled, settled


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class PartlyLabelled(Points):
    """Points from any number of classes, some or all without labels.

    Attributes
    ----------
    X : ndarray (n, d)
        The points.
    codes : ndarray (n,)
        The class of each row as an index into ``labels``; -1 for rows without a label.
    known : ndarray (n,)
        Whether each row has a label.
    n_classes : int
        Number of classes in ``labels``.
    labels, raw, scaler, features, lines, weights, rows, columns, name, sha256
        See :class:`radprog.Dataset`.

    Examples
    --------
    >>> import radprog as rp
    >>> data = rp.partly_labelled([[0.0], [1.0], [2.0]], ["a", None, "b"])
    >>> data.known.tolist(), data.n_classes
    ([True, False, True], 2)
    """

    KIND: ClassVar[str] = "partly_labelled"
    READER: ClassVar[str] = "read_partly_labelled"

    @property
    def n_classes(self) -> int:
        """The number of classes in ``labels``."""
        return len(self.labels)

    @property
    def targets(self) -> FloatArray:
        """The class codes as numbers (n,), even for two classes.

        Raises DataError if a row has no label.
        """
        return self.codes.astype(np.float64) if self.known.all() else super().targets

    @property
    def hashed(self) -> FloatArray:
        """The codes, for a hash of arrays."""
        return self.codes.astype(np.float64)

    @property
    def label_map(self) -> dict[str, str]:
        """The name of each code."""
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
    r"""Read points from any number of classes, some or all without labels.

    Parameters
    ----------
    path : str or Path
        Path of the file. The suffix determines the format. An empty label, ``?``, ``NA``, ``N/A``,
        ``nan``, ``None`` or ``null`` marks an unknown label.
    like : PartlyLabelled, optional
        Training data. Their options, classes and scaler are used.
    **reading
        - ``label``: see :func:`radprog.read`; with ``none``, no point has a label.
        - ``scale``, ``missing``, ``categorical``, ``decimal``, ``header``: see
          :func:`radprog.read`.

    Returns
    -------
    PartlyLabelled
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
    """The data with labels as written, of the classes of ``like``. Raises DataError with the
    row."""
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
    PartlyLabelled
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
    data = PartlyLabelled(**points_of(X, name, scale=scale))
    if y is not None:
        written = labels_of(y, data.rows, name)
        data = _coded(data, written, name, np.arange(1, data.rows + 1))
    return replace(data, sha256=array_hash(data.X, data.hashed))
