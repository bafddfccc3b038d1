"""Common parts of predictors: checks of rows and kernel values, and conversion to and from plain
values.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields
from functools import partial
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from radprog.base.errors import MALFORMED, DataError
from radprog.base.types import FloatArray, IntArray

P = TypeVar("P")

#: From plain values, by the type of a field.
CONVERTERS: Mapping[str, Callable[[Any], Any]] = {
    "FloatArray": partial(np.asarray, dtype=np.float64),
    "IntArray": partial(np.asarray, dtype=np.intp),
    "float": float,
    "float | None": lambda value: None if value is None else float(value),
    "int": int,
    "bool": bool,
    "tuple[str, ...]": lambda values: tuple(map(str, values)),
    "tuple[int, ...]": lambda values: tuple(map(int, values)),
}


def plain_values(fit: Any, *omitted: str) -> dict[str, Any]:
    """The fields of a predictor, except ``omitted``, as numbers, strings and lists."""
    values = {f.name: getattr(fit, f.name) for f in fields(fit) if f.name not in omitted}
    return {
        name: value.tolist()
        if isinstance(value, np.ndarray)
        # no array, which would drop the NUL characters at the end of a label
        else (list(value) if isinstance(value, tuple) else value)
        for name, value in values.items()
    }


def rebuilt(kind: type[P], values: Mapping[str, Any], **parts: Any) -> P:
    """Rebuild a predictor from ``parts`` and from its plain values, according to the type of each
    field.

    Raises one of MALFORMED. :func:`reading` converts these errors.
    """
    dataclass_type: Any = kind
    names = {f.name: str(f.type) for f in fields(dataclass_type) if f.name not in parts}
    read = {name: CONVERTERS[type_](values[name]) for name, type_ in names.items()}
    return kind(**read, **parts)


@contextmanager
def reading() -> Iterator[None]:
    """A context that raises DataError if a saved fit is invalid. The message names the missing or
    malformed part.
    """
    try:
        yield
    except MALFORMED as error:
        raise DataError(f"not a saved fit: {error!r}") from None


def columns_of(points: NDArray[Any] | None) -> int | None:
    """The number of features of points (r, d), or None for strings (r,)."""
    return None if points is None or points.ndim == 1 else int(points.shape[1])


def read_points(points: Any, columns: int | None) -> NDArray[Any]:
    """The points (r, columns) from plain values, or strings (r,) if ``columns`` is None."""
    if columns is None:
        return np.asarray(points, dtype=np.str_).reshape(len(points))
    return np.asarray(points, dtype=np.float64).reshape(len(points), int(columns))


def check_rows(X: NDArray[Any], columns: int | None) -> None:
    """Raise DataError if rows X contain a nonfinite number or have the wrong number of features."""
    if X.dtype.kind == "f" and not np.isfinite(X).all():
        row, *cell = np.argwhere(~np.isfinite(X))[0].tolist()
        raise DataError(
            f"row {row + 1}: X{[row, *cell]} is {X[row, *cell]}, expected a finite number"
        )
    if columns is not None and (X.ndim != 2 or X.shape[1] != columns):
        features = X.shape[1] if X.ndim == 2 else "no"
        raise DataError(f"the fit was made on {columns} features, the data has {features}")


def cross_columns(cross: FloatArray | None, rows: int, centre: IntArray, given: str) -> FloatArray:
    """The columns ``centre`` (r,) of ``cross``. ``cross`` contains kernel values between new points
    (rows) and training points (columns).

    ``given`` describes the kernel in messages. Raises DataError if the matrix is missing or its
    shape is wrong.
    """
    if cross is None:
        raise DataError(
            f"{given} was given as a matrix: prediction needs its values between the new points "
            "(rows) and the training points (columns), option `cross`"
        )
    if len(cross) != rows or cross.shape[1] <= centre.max(initial=-1):
        raise DataError(
            f"cross matrix is {cross.shape[0]} x {cross.shape[1]}: expected {rows} rows and one "
            "column per training point"
        )
    return np.asarray(cross[:, centre])
