"""A data set in memory: what every model is built from."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from radprog.instances.errors import DataError
from radprog.instances.scaling import Scaler

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class Dataset:
    """Points with labels.

    X: float64 (n, d), scaled, or an array of strings (n,) for string kernels;
    y: float64 (n,) in {-1, +1}, or None when the file has no labels;
    labels: the names behind -1 and +1; scaler: fitted on the training rows, applied to X already;
    reading: the reader's options, enough to read the same file the same way again;
    sha256: of the file's bytes, or of the arrays when there is no file.
    """

    X: NDArray[Any]
    y: FloatArray | None
    labels: tuple[str, str] = ("-1", "1")
    name: str = "data"
    sha256: str = ""
    features: tuple[str, ...] = ()
    scaler: Scaler | None = None
    reading: Mapping[str, Any] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()

    @property
    def rows(self) -> int:
        """Number of points n."""
        return len(self.X)

    @property
    def columns(self) -> int | None:
        """Number of features d; None for strings."""
        return int(self.X.shape[1]) if self.X.ndim == 2 else None

    @property
    def targets(self) -> FloatArray:
        """Labels (n,) in {-1, +1}; raises DataError where the data set has none."""
        if self.y is None:
            raise DataError(f"{self.name}: this needs labels, and the data set was read without")
        return self.y

    def take(self, indices: NDArray[np.intp], name: str | None = None) -> Dataset:
        """The rows ``indices`` as a data set of its own (its hash is that of the arrays)."""
        y = None if self.y is None else self.y[indices]
        X = self.X[indices]
        return Dataset(
            X=X,
            y=y,
            labels=self.labels,
            name=name or f"{self.name}[{len(indices)} rows]",
            sha256=array_hash(X, y),
            features=self.features,
            scaler=self.scaler,
            reading=self.reading,
        )


def array_hash(X: NDArray[Any], y: FloatArray | None) -> str:
    """SHA-256 over shape, type and bytes of X and y."""
    digest = hashlib.sha256()
    for array in (X,) if y is None else (X, y):
        fixed = np.ascontiguousarray(array)
        digest.update(f"{fixed.shape}{fixed.dtype.str}".encode())
        digest.update(fixed.tobytes())
    return digest.hexdigest()
