"""Scaling of features and filling of missing cells, fitted only to the training rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from radprog.base.errors import DataError, OptionError
from radprog.base.types import FloatArray

#: The help text of each scaling.
SCALING_WORDS: Mapping[str, str] = {
    "none": "features as they are",
    "standard": "each feature with mean 0 and deviation 1",
    "minmax": "each feature from 0 to 1",
    "unit": "each row divided by its norm: features of large numbers outweigh the others",
    "ball": "standard, then divided by the largest norm of a row",
}
SCALINGS = tuple(SCALING_WORDS)


@dataclass(frozen=True, kw_only=True, eq=False)
class Scaler:
    """The map x -> (x - shift) / divisor; with ``unit_rows`` each row is divided by its norm.

    - kind: one of SCALINGS.
    - shift, divisor: float64 (d,). For a constant column the divisor is 1, so ``standard``,
      ``minmax`` and ``ball`` make the column 0. ``unit`` does not change a row of zeros.
    - fill: float64 (d,), the values that replace missing cells (NaN) before scaling; None if
      nothing is filled.
    - ends: the first columns of the separately scaled groups of columns, except the first group.
    """

    kind: str
    shift: FloatArray
    divisor: FloatArray
    fill: FloatArray | None = None
    ends: tuple[int, ...] = ()

    @property
    def unit_rows(self) -> bool:
        """Whether each row is divided by its norm."""
        return self.kind == "unit"

    def __call__(self, X: FloatArray) -> FloatArray:
        """Fill and scale X (n, d).

        Raises DataError for another number of columns, and if the result is not finite.
        """
        if X.ndim != 2 or X.shape[1] != len(self.shift):
            raise DataError(
                f"data of shape {X.shape} given, expected (rows, {len(self.shift)}) "
                "as in the training data"
            )
        # fill missing cells by the means of the training rows, then scale
        filled = X if self.fill is None else np.where(np.isnan(X), self.fill, X)
        with np.errstate(over="ignore", invalid="ignore"):
            scaled: FloatArray = (filled - self.shift) / self.divisor
        if not np.isfinite(scaled).all():
            raise DataError(
                f"scaling '{self.kind}' met missing or infinite cells, or numbers too large for it"
            )
        if self.unit_rows:
            return np.hstack([_unit_rows(block) for block in np.split(scaled, self.ends, axis=1)])
        return scaled

    def warnings(self, X: FloatArray, names: Sequence[str] = ()) -> tuple[str, ...]:
        """A warning if one feature makes up nearly all of the rows X (n, d), scaled to norm 1.

        ``names`` contains the names of the d features, or is empty.
        """
        if not self.unit_rows:
            return ()
        shares = np.square(X).mean(axis=0)
        j = int(shares.argmax())
        # mean share of one feature in the squares of a row; breast cancer: 0.66
        if shares[j] <= 0.95:
            return ()
        return (
            f"scale 'unit' makes feature {names[j] if names else j} {100 * shares[j]:.0f} % of the "
            "squares of a row: use `scale='standard'`; or divide it by a fixed number first, which "
            "keeps the compression bound",
        )

    def refit(
        self, X: FloatArray, weights: FloatArray | None = None, kind: str | None = None
    ) -> Scaler:
        """A scaler of the same or another kind, with the same filling, for raw rows X (n, d)."""
        fill = self.fill is not None
        return fit_scaler(kind or self.kind, X, fill=fill, weights=weights, ends=self.ends)

    def plain(self) -> dict[str, Any]:
        """The scaler as strings and lists of numbers for JSON; ``scaler_from`` is the inverse."""
        return {
            "kind": self.kind,
            "shift": self.shift.tolist(),
            "divisor": self.divisor.tolist(),
            "fill": None if self.fill is None else self.fill.tolist(),
            **({"ends": list(self.ends)} if self.ends else {}),
        }


def scaler_from(plain: Mapping[str, Any]) -> Scaler:
    """The scaler from the output of ``plain``."""
    fill = plain["fill"]
    return Scaler(
        kind=plain["kind"],
        shift=np.array(plain["shift"], dtype=np.float64),
        divisor=np.array(plain["divisor"], dtype=np.float64),
        fill=None if fill is None else np.array(fill, dtype=np.float64),
        ends=tuple(map(int, plain.get("ends", ()))),
    )


def fit_scaler(
    kind: str,
    X: FloatArray,
    *,
    fill: bool = False,
    weights: FloatArray | None = None,
    ends: Sequence[int] = (),
) -> Scaler:
    """Fit a scaler to training rows X (n, d), n >= 1.

    - kind ``standard``: population mean 0 and standard deviation 1. ``minmax``: values in [0, 1].
      ``ball``: like ``standard``, then divided by the largest norm of a training row. ``unit``:
      rows of norm 1. ``none``: no change.
    - fill: whether missing cells (NaN) are first replaced by the mean of the column's other cells.
    - weights w (n,) > 0: row i counts w_i times in means and deviations; the mean is sum_i w_i x_i
      / sum_i w_i.
    - ends: see :class:`Scaler`.

    Raises OptionError for an unknown kind. Raises DataError if there are no rows, if a column to be
    filled has no values, or for numbers that are too large.
    """
    if kind not in SCALINGS:
        raise OptionError(f"unknown scaling '{kind}': expected one of {', '.join(SCALINGS)}")
    if not len(X):
        raise DataError("no rows to fit a scaling on")
    fills, shifts, divisors = list[FloatArray](), list[FloatArray](), list[FloatArray]()
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        for part in np.split(X, ends, axis=1):
            # means of the cells that are there fill the gaps
            if fill:
                there = ~np.isnan(part)
                counts = there.sum(axis=0)
                if (counts == 0).any():
                    raise DataError(
                        f"feature {int(np.argmin(counts))} (counted from 0) has no value in any "
                        "training row: leave that column out"
                    )
                values = np.where(there, part, 0.0)
                means = values.sum(axis=0) / counts
                if weights is not None:
                    means = (weights @ values) / (weights @ there)
                part = np.where(there, part, means)
                fills.append(means)
            # shift and divisor of each column; a constant one becomes 0
            shift, divisor = np.zeros(part.shape[1]), np.ones(part.shape[1])
            lowest, spread = part.min(axis=0), np.ptp(part, axis=0)
            if kind == "minmax":
                shift, divisor = lowest, _nonzero(spread)
            if kind in ("standard", "ball"):
                mean, deviation = part.mean(axis=0), part.std(axis=0)
                if weights is not None:
                    mean = np.average(part, axis=0, weights=weights)
                    deviation = np.sqrt(np.average((part - mean) ** 2, axis=0, weights=weights))
                shift = np.where(spread == 0, lowest, mean)
                divisor = _nonzero(np.where(spread == 0, 0.0, deviation))
            # ball: the largest row gets norm 1
            if kind == "ball":
                norms = np.linalg.norm((part - shift) / divisor, axis=1)
                divisor = divisor * _nonzero(norms.max())
            shifts.append(shift)
            divisors.append(divisor)
    shift, divisor = np.concatenate(shifts), np.concatenate(divisors)
    if not (np.isfinite(shift).all() and np.isfinite(divisor).all()):
        raise DataError(f"scaling '{kind}' overflows: missing, infinite or too large numbers")
    means = np.concatenate(fills) if fill else None
    return Scaler(kind=kind, shift=shift, divisor=divisor, fill=means, ends=tuple(ends))


def _unit_rows(X: FloatArray) -> FloatArray:
    """Every row divided by its norm; a zero row stays zero."""
    # dividing by the largest entry first keeps the squares inside the range of floats
    peaks = np.abs(X).max(axis=1, keepdims=True, initial=0.0)
    shrunk = X / np.where(peaks > 0, peaks, 1.0)
    norms = np.linalg.norm(shrunk, axis=1, keepdims=True)
    return np.asarray(shrunk / np.where(norms > 0, norms, 1.0))


def _nonzero(lengths: FloatArray) -> FloatArray:
    """The lengths, with 0 replaced by 1."""
    return np.where(lengths > 0, lengths, 1.0)
