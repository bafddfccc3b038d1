"""Scaling of features, fitted on the training rows alone."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from radprog.instances.errors import OptionError

FloatArray = NDArray[np.float64]
SCALINGS = ("none", "standard", "minmax", "unit", "ball")


@dataclass(frozen=True, kw_only=True)
class Scaler:
    """x -> (x - shift) / divisor, then every row divided by its norm where ``unit_rows``.

    kind: one of SCALINGS; shift, divisor: float64 (d,); divisor is 1 where a column is constant,
    so that a constant column becomes 0 (``standard``, ``minmax``, ``ball``). A zero row stays zero.
    """

    kind: str
    shift: FloatArray
    divisor: FloatArray

    @property
    def unit_rows(self) -> bool:
        """Whether every row is divided by its own norm."""
        return self.kind == "unit"

    def __call__(self, X: FloatArray) -> FloatArray:
        """Scale X (n, d) -> (n, d)."""
        scaled = (X - self.shift) / self.divisor
        if self.unit_rows:
            norms = np.linalg.norm(scaled, axis=1, keepdims=True)
            scaled = scaled / np.where(norms > 0, norms, 1.0)
        return scaled


def fit_scaler(kind: str, X: FloatArray) -> Scaler:
    """Fit on training rows X (n, d).

    standard: population mean and standard deviation; minmax: to [0, 1]; ball: standard, then
    divided by the largest training row norm; unit: rows to norm 1; none: unchanged.
    Raises OptionError on an unknown kind.
    """
    d = X.shape[1]
    shift, divisor = np.zeros(d), np.ones(d)
    if kind in ("standard", "ball"):
        shift, divisor = X.mean(axis=0), X.std(axis=0)
        constant = X.max(axis=0) == X.min(axis=0)
        shift = np.where(constant, X[0], shift)
        divisor = np.where(constant | (divisor == 0), 1.0, divisor)
        if kind == "ball":
            radius = float(np.linalg.norm((X - shift) / divisor, axis=1).max(initial=0.0))
            divisor = divisor * (radius if radius > 0 else 1.0)
    elif kind == "minmax":
        shift = X.min(axis=0)
        spread = X.max(axis=0) - shift
        divisor = np.where(spread > 0, spread, 1.0)
    elif kind not in SCALINGS:
        raise OptionError(f"unknown scaling '{kind}': expected one of {', '.join(SCALINGS)}")
    return Scaler(kind=kind, shift=shift, divisor=divisor)
