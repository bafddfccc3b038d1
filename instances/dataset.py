"""A data set in memory: what every model is built from."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from radprog.instances.labelled import Labelled
from radprog.instances.scaling import Scaler, scaler_from
from radprog.instances.types import FloatArray


@dataclass(frozen=True, kw_only=True, eq=False)
class Dataset(Labelled):
    """Points with labels.

    X: float64 (n, d), scaled, or an array of strings (n,) for string kernels;
    scaler: fitted on the training rows, applied to X already;
    raw: X (n, d) before filling and scaling, NaN where a cell is missing (None for strings).
    """

    features: tuple[str, ...] = ()
    scaler: Scaler | None = None
    raw: FloatArray | None = None

    @property
    def columns(self) -> int | None:
        """Number of features d; None for strings."""
        return int(self.X.shape[1]) if self.X.ndim == 2 else None

    def take(self, indices: NDArray[np.intp], name: str | None = None) -> Dataset:
        """The rows ``indices`` as a data set of its own, scaled as they are here.

        Its hash is that of the arrays.
        """
        X, y = self.X[indices], None if self.y is None else self.y[indices]
        return replace(
            self,
            X=X,
            y=y,
            classes=tuple(self.classes[i] for i in indices) if self.classes else (),
            raw=None if self.raw is None else self.raw[indices],
            lines=None if self.lines is None else self.lines[indices],
            name=name or f"{self.name}[{len(indices)} rows]",
            sha256=array_hash(X, y),
            warnings=(),
        )

    def partition(self, train: NDArray[np.intp], test: NDArray[np.intp]) -> tuple[Dataset, Dataset]:
        """Training and test rows, both filled and scaled by the statistics of the training rows."""
        first, second = self.take(train), self.take(test)
        if self.scaler is None or first.raw is None or second.raw is None:
            return first, second
        scaler = self.scaler.refit(first.raw)
        return first._scaled(scaler, first.raw), second._scaled(scaler, second.raw)

    def _scaled(self, scaler: Scaler, raw: FloatArray) -> Dataset:
        X = scaler(raw)
        return replace(self, X=X, scaler=scaler, sha256=array_hash(X, self.y))

    def recipe(self) -> dict[str, Any]:
        """What reading other files the way of this one needs, in JSON's types.

        ``dataset_from(recipe)`` is a data set without rows that serves as ``like`` of the reader.
        """
        return {
            "columns": self.columns,
            "labels": list(self.labels),
            "name": self.name,
            "sha256": self.sha256,
            "features": list(self.features),
            "scaler": None if self.scaler is None else self.scaler.plain(),
            "reading": dict(self.reading),
        }


def dataset_from(recipe: Mapping[str, Any]) -> Dataset:
    """The data set without rows that ``Dataset.recipe`` describes."""
    d = recipe["columns"]
    return Dataset(
        X=np.empty(0, dtype=np.str_) if d is None else np.empty((0, d)),
        y=None,
        labels=tuple(recipe["labels"]),
        name=recipe["name"],
        sha256=recipe["sha256"],
        features=tuple(recipe["features"]),
        scaler=None if recipe["scaler"] is None else scaler_from(recipe["scaler"]),
        reading=dict(recipe["reading"]),
    )


def array_hash(X: NDArray[Any], y: FloatArray | None) -> str:
    """SHA-256 over shape, type and bytes of X and y."""
    digest = hashlib.sha256()
    for array in (X,) if y is None else (X, y):
        fixed = np.ascontiguousarray(array)
        digest.update(f"{fixed.shape}{fixed.dtype.str}".encode())
        digest.update(fixed.tobytes())
    return digest.hexdigest()
