"""Values of all single shapelets: stored as floats, or streamed once into 16-bit codes.

Symbols: m series with Q patterns each, stacked as n = m Q patterns z_k; the feature of pattern k on
series i is F_ki = max_j K(z_k, x_i^j) / |Phi(z_k)|, 0 where the norm is 0.

Codes take a quarter of the memory of floats and are kept of distinct patterns alone. They err by at
most ``error``, which is proved: who prices with them learns which patterns can be the best, and
asks for the rows of these, which are computed in double precision. So pricing stays exact.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from radprog.base.errors import OptionError
from radprog.base.limits import poll
from radprog.base.types import FloatArray, IntArray
from radprog.models.lpboost.patterns import PatternKernel, extremes

CODES = 2**16 - 1  # steps between the least and the largest code
COARSE = 4.0  # steps of the codes up to which an error of single precision is accepted
SINGLE_LARGEST = 1e30  # squares from its reciprocal to it are taken in single precision
PAIRS = 1 << 18  # distances in a block: fit in the processor's cache
SUMMED = 1 << 22  # codes that become floats at once
ROWS_KEPT = 1 << 27  # bytes of exact rows that are kept
ROWS_AT_ONCE = 32


class Features(Protocol):
    """F (n, m) times a radius; ``largest``: no entry is larger in size."""

    largest: float

    def __len__(self) -> int: ...

    def stored(self) -> FloatArray:
        """F (n, m); OptionError where it is not stored."""
        ...

    def rows(self, indices: IntArray) -> FloatArray:
        """F[indices] (r, m) in double precision."""
        ...

    def sums(self, weights: FloatArray) -> tuple[FloatArray, float]:
        """F weights (n,) for weights (m,), and what each entry can be off by, beyond the rounding
        of the sums of a product."""
        ...

    def spread(self) -> float:
        """The largest difference of two entries of one row, up to a few errors."""
        ...


class StoredFeatures:
    """All features as floats: values (n, m)."""

    def __init__(self, values: FloatArray) -> None:
        self.values = values
        self.largest = float(np.abs(values).max())

    def __len__(self) -> int:
        return len(self.values)

    def stored(self) -> FloatArray:
        """F (n, m)."""
        return self.values

    def rows(self, indices: IntArray) -> FloatArray:
        """F[indices] (r, m)."""
        return self.values[indices]

    def sums(self, weights: FloatArray) -> tuple[FloatArray, float]:
        """F weights (n,), off by nothing."""
        return np.asarray(self.values @ weights, dtype=np.float64), 0.0

    def spread(self) -> float:
        """The largest difference of two entries of one row."""
        return float(np.ptp(self.values, axis=1).max())


class CodedFeatures:
    """Features of patterns (m, Q, l) in 16-bit codes (m, u) of the u distinct ones.

    Feature = radius (least + step code), off by at most ``error``: half a step, and what distances
    lose in the precision that they are computed in, single where that is no more than a few steps.
    Shift patterns to mean 0 first, except for linear. Building polls the limits in force.
    """

    def __init__(self, kernel: PatternKernel, patterns: FloatArray, radius: float) -> None:
        self.kernel, self.patterns, self.radius = kernel, patterns, radius
        m, Q, length = patterns.shape
        self.first, place = distinct(patterns.reshape(m * Q, length))
        self.place = place.reshape(m, Q)
        self.least, largest, self.type, slack = _range(kernel, patterns)
        self.step = (largest - self.least) / CODES
        self.error = radius * 1.01 * (slack + 0.5 * self.step)
        self.largest = radius * max(abs(self.least), abs(largest))
        self.codes: NDArray[np.uint16] = np.empty((m, len(self.first)), dtype=np.uint16)
        self._fill()
        self._kept: dict[int, FloatArray] = {}

    def __len__(self) -> int:
        return self.place.size

    def stored(self) -> FloatArray:
        """Refused: these features are for pricing alone."""
        m = len(self.codes)
        raise OptionError(
            f"{len(self)} patterns on {m} series are too many to be written out: take longer "
            "patterns or fewer series"
        )

    def rows(self, indices: IntArray) -> FloatArray:
        """F[indices] (r, m) in double precision; rows asked for before are remembered."""
        places = self.place.ravel()[indices]
        if 8 * len(self.codes) * (len(self._kept) + len(places)) > ROWS_KEPT:
            self._kept = {}
        new = np.array([k for k in np.unique(places) if int(k) not in self._kept], dtype=np.intp)
        for top in range(0, len(new), ROWS_AT_ONCE):
            poll()
            part = new[top : top + ROWS_AT_ONCE]
            self._kept.update(zip(part.tolist(), self._exact(self.first[part]), strict=True))
        return np.array([self._kept[int(k)] for k in places]).reshape(-1, len(self.codes))

    def _exact(self, indices: IntArray) -> FloatArray:
        m, Q, length = self.patterns.shape
        Z = self.patterns.reshape(m * Q, length)[indices]
        base = extremes(self.kernel.kind, Z, self.patterns)[0]
        if self.kernel.kind != "linear":  # every pattern lies in its own series
            base[np.arange(len(Z)), indices // Q] = 0.0
        return self.radius * _per_norm(self.kernel.of_base(base), self.kernel.norms(Z)[:, None])

    def sums(self, weights: FloatArray) -> tuple[FloatArray, float]:
        """F weights (n,), off by at most error |weights|_1."""
        used = np.flatnonzero(weights)
        u = len(self.first)
        total = np.empty(u)
        width = max(1, SUMMED // max(1, len(used)))
        for start in range(0, u, width):
            poll()
            block = self.codes[used, start : start + width]
            total[start : start + width] = weights[used] @ block.astype(np.float64)
        total = self.radius * (self.least * float(weights.sum()) + self.step * total)
        return total[self.place.ravel()], self.error * float(np.abs(weights).sum())

    def spread(self) -> float:
        """The largest difference of two entries of one row, up to two errors."""
        width = max(1, SUMMED // len(self.codes))
        found = [
            np.ptp(self.codes[:, start : start + width], axis=0).max()
            for start in range(0, len(self.first), width)
        ]
        return self.radius * self.step * float(max(found))

    def _fill(self) -> None:
        m, Q, length = self.patterns.shape
        Z = self.patterns.reshape(m * Q, length)
        norms = self.kernel.norms(Z).reshape(m, Q)
        # base values of two blocks are one product: -2 a'b + |a|^2 1 + 1 |b|^2, or a'b
        left: NDArray[Any] = Z.astype(self.type)
        right = left
        if self.kernel.kind != "linear":
            squares = np.einsum("ij,ij->i", Z, Z).astype(self.type)[:, None]
            one = np.ones_like(squares)
            left = np.concatenate([left, squares, one], axis=1)
            right = np.concatenate([-2.0 * right, one, squares], axis=1)
        least = np.maximum if self.kernel.kind == "linear" else np.minimum
        for i, start, stop in self._blocks():
            base = left[i * Q : (i + 1) * Q] @ right[start * Q : stop * Q].T
            base = base.reshape(Q, stop - start, Q)
            own = least.reduce(base, axis=2).T.astype(np.float64)  # (series, patterns of i)
            theirs = least.reduce(base, axis=0).astype(np.float64)  # (series, their patterns)
            if stop > i and self.kernel.kind != "linear":
                own[-1], theirs[-1] = 0.0, 0.0
            self.codes[start:stop, self.place[i]] = self._coded(own, norms[i])
            self.codes[i, self.place[start:stop]] = self._coded(theirs, norms[start:stop])

    def _blocks(self) -> Iterator[tuple[int, int, int]]:
        """Each series i with the blocks of those up to i: memory is asked for a row at a time, as
        work goes on, which takes the system longer than the distances themselves."""
        m, Q, _ = self.patterns.shape
        step = max(1, PAIRS // (Q * Q))
        for i in range(m):
            for start in range(0, i + 1, step):
                poll()
                yield i, start, min(i + 1, start + step)

    def _coded(self, base: FloatArray, norms: FloatArray) -> NDArray[np.uint16]:
        if self.kernel.kind != "linear":
            base = np.maximum(base, 0.0)
        values = _per_norm(self.kernel.of_base(base), norms)
        codes = np.rint((values - self.least) / (self.step or 1.0))
        return np.clip(codes, 0, CODES).astype(np.uint16)


def _per_norm(values: FloatArray, norms: FloatArray) -> FloatArray:
    """values / norms, 0 where the norm is 0."""
    return np.asarray(np.where(norms > 0, values / np.where(norms > 0, norms, 1.0), 0.0))


def distinct(Z: FloatArray) -> tuple[IntArray, IntArray]:
    """First place (u,) of every distinct row of Z (n, l), in order, and which each row is (n,)."""
    rows = np.ascontiguousarray(Z + 0.0)  # -0 is 0
    keys = rows.view(np.dtype((np.void, rows.dtype.itemsize * rows.shape[1]))).ravel()
    _, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty(len(order), dtype=np.intp)
    rank[order] = np.arange(len(order))
    return first[order], rank[inverse.ravel()]


def _range(
    kernel: PatternKernel, patterns: FloatArray
) -> tuple[float, float, type[np.float32] | type[np.float64], float]:
    """Least and largest value that a feature can have, the type that base values are computed in,
    and how far features then are from exact arithmetic.

    A product of r = l + 2 terms has an error of at most (r + 6) u times the sum of the sizes of its
    terms, the rounding of its factors included: 4 R^2 for a distance, R^2 for an inner product,
    R = max |z|. exp(-s t) has slope at most s; a root errs by at most the root of the error.
    """
    R2 = float(np.einsum("ijk,ijk->ij", patterns, patterns).max())
    R = math.sqrt(R2)
    least, largest = {"gauss": (0.0, 1.0), "distance": (-2.0 * R, 0.0), "linear": (-R, R)}[
        kernel.kind
    ]
    kind: type[np.float32] | type[np.float64]
    for kind in (np.float32, np.float64):
        rounding = (patterns.shape[2] + 8) * float(np.finfo(kind).eps)
        slack = {
            "gauss": 4.0 * (kernel.sigma or 0.0) * R2 * rounding,
            "distance": 2.0 * R * math.sqrt(rounding),
            "linear": R * rounding,
        }[kernel.kind]
        if (
            slack <= COARSE * (largest - least) / CODES
            and 1.0 / SINGLE_LARGEST <= R2 <= SINGLE_LARGEST
        ):
            break
    return least, largest, kind, slack
