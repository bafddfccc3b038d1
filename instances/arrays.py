"""Data sets and matrices from arrays, and matrices from files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from radprog.instances.dataset import Dataset, array_hash
from radprog.instances.delimited import split_rows, table_of
from radprog.instances.errors import DataError
from radprog.instances.labels import Pair, plain_label, plain_labels, signs, two_classes
from radprog.instances.scaling import fit_scaler
from radprog.instances.tables import AnyPath, FloatArray, decode, digest, read_bytes

NPY_MAGIC = b"\x93NUMPY"


def dataset(
    X: ArrayLike,
    y: ArrayLike | None = None,
    *,
    name: str = "data",
    labels: Pair | None = None,
    features: Sequence[str] = (),
    scale: str = "none",
) -> Dataset:
    """A data set from arrays: X (n, d) of finite numbers, or (n,) of strings; y (n,) of two labels.

    labels: the labels in y behind -1 and +1 (default: the two in order, by value if they are
    numbers). features: d names, or none. scale: one of SCALINGS, fitted on these rows.
    Raises DataError on another shape, a cell that is no finite number, or not two classes.
    """
    points = np.asarray(X)
    if points.dtype.kind in "UT" or (points.ndim == 1 and _only_texts(points)):
        data = _string_points(points, name, scale)
    else:
        data = _number_points(points, name, scale)
    ...
