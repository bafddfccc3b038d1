"""Similarities that are given: looked at, and split by the signs of their eigenvalues."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from radprog.base.errors import DataError
from radprog.base.limits import poll
from radprog.base.tolerances import SYMMETRY, ZERO_EIGENVALUE
from radprog.base.types import FloatArray

TILE = 512  # rows of a matrix looked at between two looks at the limits


class Split(NamedTuple):
    """S = plus - minus, both (n, n) positive semidefinite; ``size`` = plus + minus."""

    plus: FloatArray
    minus: FloatArray

    @property
    def size(self) -> FloatArray:
        """|S|: the matrix with the absolute values of the eigenvalues."""
        return self.plus + self.minus


def spectral_split(S: FloatArray) -> Split:
    """The eigenvalues of symmetric S (n, n) apart by their sign; of all splits into positive
    semidefinite parts the one of smallest trace. Eigenvalues within rounding of 0 are left out."""
    values, vectors = np.linalg.eigh(S)
    noise = ZERO_EIGENVALUE * len(S) * float(np.abs(values).max(initial=0.0))
    negative = values < -noise
    low = vectors[:, negative]
    minus = (low * -values[negative]) @ low.T
    if not negative.any():
        return Split(S.copy(), np.zeros_like(S))
    high = vectors[:, values > noise]
    plus = (high * values[values > noise]) @ high.T
    return Split((plus + plus.T) / 2, (minus + minus.T) / 2)


def checked_similarity(
    S: FloatArray, n: int | None = None, source: str = "similarity"
) -> FloatArray:
    """S made exactly symmetric; DataError unless it is finite, square (of n rows) and symmetric."""
    if S.ndim != 2 or S.shape[0] != S.shape[1] or n not in (None, len(S)):
        side = "n" if n is None else str(n)
        raise DataError(f"{source}: a matrix of shape {S.shape}, expected {side} x {side}")
    size = max((_size(S, top, source) for top in range(0, len(S), TILE)), default=0.0)
    gap, (i, j) = max(
        (
            _asymmetry(S, top, left)
            for top in range(0, len(S), TILE)
            for left in range(0, top + 1, TILE)
        ),
        default=(0.0, (0, 0)),
    )
    if gap > SYMMETRY * size:
        raise DataError(
            f"{source}: not symmetric: entry [{i}, {j}] is {S[i, j]:g}, [{j}, {i}] is {S[j, i]:g}"
        )
    if gap == 0.0:
        return S
    return S / 2 + S.T / 2


def _size(S: FloatArray, top: int, source: str) -> float:
    """The largest absolute value of TILE rows; DataError where one is not finite."""
    poll()
    rows = S[top : top + TILE]
    size = max(float(rows.max()), -float(rows.min()))
    if not np.isfinite(size):
        i, j = np.argwhere(~np.isfinite(rows))[0].tolist()
        raise DataError(
            f"{source}: entry [{top + i}, {j}] is {rows[i, j]}, expected a finite number"
        )
    return size


def _asymmetry(S: FloatArray, top: int, left: int) -> tuple[float, tuple[int, int]]:
    """The largest |S_ij - S_ji| of a tile, and its i and j."""
    poll()
    gap = np.abs(
        S[top : top + TILE, left : left + TILE] - S[left : left + TILE, top : top + TILE].T
    )
    i, j = divmod(int(gap.argmax()), gap.shape[1])
    return float(gap[i, j]), (top + i, left + j)
