"""Data sets from arrays, and matrices from files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from radprog.instances.dataset import Dataset, array_hash
from radprog.instances.delimited import split_rows, table_of
from radprog.instances.errors import DataError, OptionError
from radprog.instances.labelled import labelled
from radprog.instances.labels import Pair, plain_label
from radprog.instances.scaling import fit_scaler
from radprog.instances.tables import AnyPath, decode, digest, read_bytes
from radprog.instances.types import FloatArray

NPY_MAGIC = b"\x93NUMPY"


def dataset(
    X: ArrayLike,
    y: ArrayLike | None = None,
    *,
    name: str = "data",
    labels: Pair | None = None,
    features: Sequence[str] = (),
    scale: str = "none",
    one_vs_rest: bool = False,
) -> Dataset:
    """A data set from arrays: X (n, d) of finite numbers or (n,) of strings; y (n,) of two labels,
    or with ``one_vs_rest`` of more.

    labels: the labels in y behind -1 and +1 (default: the two in order, by value if they are
    numbers). features: d names, or none. scale: one of SCALINGS, fitted on these rows.
    Raises DataError on another shape, a cell that is no finite number, or not two classes;
    OptionError on a scale without meaning.
    """
    points = _points(X, name)
    n = len(points)
    if features and (points.ndim == 1 or len(features) != points.shape[1]):
        raise DataError(f"{name}: {len(features)} feature names for X of shape {points.shape}")
    scaler = raw = None
    if points.ndim == 2:
        raw = points
        scaler = fit_scaler(scale, raw)
        points = scaler(raw)
    elif scale != "none":
        raise OptionError(f"{name}: scale '{scale}' has no meaning for strings")
    data = Dataset(X=points, name=name, features=tuple(features), scaler=scaler, raw=raw)
    if y is not None:
        written = np.asarray(y)
        if written.shape != (n,):
            raise DataError(f"{name}: y has shape {written.shape}, expected ({n},)")
        rows = np.arange(1, n + 1)
        texts = [str(label) for label in written.tolist()]
        data = labelled(data, texts, name, rows, one_vs_rest=one_vs_rest)
        if labels is not None:
            wanted = plain_label(labels[0]), plain_label(labels[1])
            if sorted(wanted) != sorted(data.labels):
                raise DataError(f"{name}: labels {labels} given, but y holds {data.labels}")
            if wanted != data.labels:
                data = replace(data, labels=wanted, y=-data.targets)
    hashed = array_hash(points if raw is None else raw, None if y is None else data.targets)
    return replace(data, sha256=hashed, lines=None)


def _points(X: ArrayLike, name: str) -> NDArray[Any]:
    """X as float64 (n, d) or strings (n,), a copy, checked."""
    try:
        points = np.asarray(X)
        if points.ndim == 1 and all(isinstance(x, str) for x in points.tolist()):
            points = points.astype(np.str_)
        elif points.dtype.kind in "OUScmM":
            raise TypeError(f"entries of type {points.dtype}")
        else:
            points = points.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise DataError(f"{name}: X cannot be used: {error}; expected numbers") from None
    strings = points.dtype.kind == "U"
    if points.ndim != (1 if strings else 2) or 0 in points.shape:
        raise DataError(
            f"{name}: X has shape {points.shape}, expected (n, d), or (n,) for strings, not empty"
        )
    if not strings and not np.isfinite(points).all():
        i, j = np.argwhere(~np.isfinite(points))[0].tolist()
        raise DataError(f"{name}: X[{i}, {j}] is {points[i, j]}, expected a finite number")
    return points


def read_matrix(path: AnyPath, shape: tuple[int | None, int | None] | None = None) -> FloatArray:
    """A matrix of finite numbers, float64, from ``.npy`` or from text without labels (CSV, ...).

    shape: what it must be; None in either place leaves that side free.
    Raises DataError on another shape, a cell that is no finite number, or a pickle.
    """
    source = str(path)
    raw = read_bytes(path)
    if raw.startswith(NPY_MAGIC) or Path(path).suffix.lower() in (".npy", ".npz"):
        matrix = _npy(path)
    else:
        grid = split_rows(source, decode(source, raw))
        matrix = table_of(grid, sha256=digest(raw), label="none").values
    expected = (None, None) if shape is None else shape
    if matrix.ndim != 2 or any(
        want not in (None, got) for want, got in zip(expected, matrix.shape, strict=True)
    ):
        wanted = " x ".join("any" if want is None else str(want) for want in expected)
        raise DataError(f"{source}: an array of shape {matrix.shape}, expected {wanted}")
    if not np.isfinite(matrix).all():
        i, j = np.argwhere(~np.isfinite(matrix))[0].tolist()
        raise DataError(f"{source}: entry [{i}, {j}] is {matrix[i, j]}, expected a finite number")
    return matrix


def _npy(path: AnyPath) -> FloatArray:
    try:
        array = np.load(path, allow_pickle=False)
    except (ValueError, EOFError, OSError, MemoryError) as error:
        raise DataError(
            f"{path}: no array of numbers in NumPy's .npy format (pickles are never read): {error}"
        ) from None
    if not isinstance(array, np.ndarray):
        array.close()
        raise DataError(f"{path}: an .npz archive, expected a single array as .npy")
    if array.dtype.kind not in "biuf":
        raise DataError(f"{path}: an array of type {array.dtype}, expected numbers")
    return np.asarray(array, dtype=np.float64)
