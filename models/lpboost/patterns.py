"""Similarities of patterns, the width of the Gaussian kernel, and rows of kernel matrices.

Symbols: m series with Q patterns of l numbers each, stacked as n = m Q patterns z_k, k = i Q + j.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from radprog.base.errors import OptionError
from radprog.base.limits import poll
from radprog.base.types import FloatArray, IntArray

PATTERN_KERNELS = ("gauss", "linear", "distance")
SIGMAS = tuple(10.0**exponent for exponent in range(-4, 5))
SAMPLE = 512  # patterns that sigma is chosen from, where there are more
BLOCK = 1 << 17  # entries of a block of pairwise values: fits in the processor's cache


@dataclass(frozen=True, kw_only=True)
class PatternKernel:
    """A similarity of patterns.

    - ``gauss``: K(z, x) = exp(-sigma |z - x|^2) with sigma > 0
    - ``linear``: K(z, x) = z'x
    - ``distance``: K(z, x) = -|z - x|; this kernel is not positive semidefinite
    """

    kind: str
    sigma: float | None = None

    def __post_init__(self) -> None:
        if self.kind not in PATTERN_KERNELS:
            raise OptionError(
                f"unknown pattern kernel '{self.kind}': expected one of "
                f"{', '.join(PATTERN_KERNELS)}"
            )
        if (self.sigma is not None) != (self.kind == "gauss"):
            raise OptionError("sigma belongs to the pattern kernel gauss, and only to it")
        if self.sigma is not None and not 0 < self.sigma < np.inf:
            raise OptionError(f"sigma {self.sigma:g}: expected a finite number > 0")

    def of_base(self, base: FloatArray) -> FloatArray:
        """The values of K from base values.

        Base values are inner products for ``linear``, and squared distances for other kinds.
        """
        if self.kind == "linear":
            return base
        if self.kind == "distance":
            return np.negative(np.sqrt(base))
        assert self.sigma is not None
        return np.exp(-self.sigma * base)

    def __call__(self, A: FloatArray, B: FloatArray) -> FloatArray:
        """K (a, b) between patterns A (a, l) and B (b, l)."""
        return self.of_base(base_values(self.kind, A, B))

    def norms(self, A: FloatArray) -> FloatArray:
        """The norms |Phi(z)| (a,) of patterns (a, l), by convention 1 for ``distance``."""
        if self.kind == "linear":
            return np.asarray(np.sqrt(np.einsum("ij,ij->i", A, A)))
        return np.ones(len(A))


def base_values(kind: str, A: FloatArray, B: FloatArray) -> FloatArray:
    """The inner products (a, b) for ``linear``, or the squared distances for other kinds.

    Distances are computed as |a|^2 + |b|^2 - 2 a'b, and are at least 0. Patterns must have been
    shifted to mean 0.
    """
    inner = A @ B.T
    if kind == "linear":
        return np.asarray(inner)
    inner *= -2.0
    inner += np.einsum("ij,ij->i", A, A)[:, None]
    inner += np.einsum("ij,ij->i", B, B)
    return np.asarray(np.maximum(inner, 0.0, out=inner))


def z_normalized(patterns: FloatArray) -> FloatArray:
    """Every pattern (..., l) shifted to mean 0 and scaled to standard deviation 1.

    A constant pattern becomes 0. Deviations below 1e-8 of the largest entry count as constant.
    """
    centred = patterns - patterns.mean(axis=-1, keepdims=True)
    deviation = np.sqrt(np.mean(centred**2, axis=-1, keepdims=True))
    # deviation, relative to the largest entry, of a constant pattern
    floor = 1e-8 * np.abs(patterns).max(axis=-1, keepdims=True, initial=0.0)
    flat = deviation <= floor
    return np.where(flat, 0.0, centred / np.where(flat, 1.0, deviation))


def centred(kind: str, patterns: FloatArray) -> tuple[FloatArray, float]:
    """The patterns (m, Q, l) minus their mean, and the mean.

    Distances do not depend on the mean. For ``linear`` the result is the unchanged patterns and 0.
    """
    shift = 0.0 if kind == "linear" else float(patterns.mean())
    return np.ascontiguousarray(patterns - shift), shift


def choose_sigma(
    patterns: FloatArray, weights: FloatArray | None = None
) -> tuple[float, int | None]:
    """The candidate sigma with the largest variance of kernel values between patterns (m, Q, l).

    The second value is the number of evaluated patterns, or None if all patterns were evaluated.
    Each pattern has the weight of its series in ``weights`` (m,).
    """
    m, Q, length = patterns.shape
    n = m * Q
    # candidates are decades apart: on 32 data sets and lengths of the archive 512 patterns chose
    # as all of up to 6,800 did (GunPoint: 0.01 s, 0.05 with sums over all pairs)
    places = np.linspace(0, n - 1, min(n, SAMPLE)).round().astype(np.intp)
    counts = None if weights is None else weights[places // Q]
    variances = kernel_variances(patterns.reshape(n, length)[places], SIGMAS, counts)
    return SIGMAS[int(np.argmax(variances))], None if n <= SAMPLE else SAMPLE


def kernel_variances(
    Z: FloatArray, sigmas: Sequence[float], weights: FloatArray | None = None
) -> FloatArray:
    """The variances (s,) of all n^2 values exp(-sigma |z_k - z_k'|^2) for patterns Z (n, l).

    Each pattern counts ``weights`` (n,) times.
    """
    n = len(Z)
    counts = np.ones(n) if weights is None else weights
    sums = np.zeros((len(sigmas), 2))
    step = max(1, BLOCK // n)
    for start in range(0, n, step):
        poll()
        rows = np.arange(start, min(n, start + step))
        base = base_values("gauss", Z[rows], Z)
        base[np.arange(len(rows)), rows] = 0.0
        # the variance of K is that of 1 - K, in which nothing cancels where K is near 1
        for s, sigma in enumerate(sigmas):
            distance = -np.expm1(-sigma * base)
            row_counts = counts[rows]
            sums[s] += row_counts @ distance @ counts, row_counts @ np.square(distance) @ counts
    mean, square = sums.T / counts.sum() ** 2
    return np.asarray(square - mean**2)


class LazyGram:
    """Rows of the kernel matrix K (n, n) of patterns Z (n, l), computed at their first use.

    Unlike a ``KernelBank``, it stores a few rows of a matrix that is never computed as a whole. If
    the rows would exceed ``limit`` bytes, all stored rows are discarded.
    """

    def __init__(self, kernel: PatternKernel, Z: FloatArray, limit: int = 1 << 28) -> None:
        self.kernel, self.Z = kernel, Z
        self._place: NDArray[np.int64] = np.full(len(Z), -1)
        self._capacity = max(1, limit // (8 * len(Z)))
        self._stored = np.empty((0, len(Z)))
        self._count = 0

    def __len__(self) -> int:
        return len(self.Z)

    def rows(self, indices: IntArray) -> FloatArray:
        """The rows K[indices] (r, n), for distinct indices."""
        places = self._places(indices)
        return self._stored[places]

    def combine(self, indices: IntArray, coefficients: FloatArray) -> FloatArray:
        """The sum over r of coefficients_r K[indices_r], (n,)."""
        support = np.flatnonzero(coefficients)
        places = self._places(indices[support])
        return np.asarray(coefficients[support] @ self._stored[places])

    def block(self, rows: IntArray, columns: IntArray) -> FloatArray:
        """The block K[rows, columns] (a, b)."""
        places = self._places(rows)
        return self._stored[places[:, None], columns]

    def _places(self, indices: IntArray) -> IntArray:
        """The places of the rows in memory; new rows are computed."""
        # if the rows would exceed the memory, all stored rows are discarded
        missing = indices[self._place[indices] < 0]
        if self._count + len(missing) > self._capacity:
            self._place[:] = -1
            self._count, missing = 0, indices
        # room for the new rows, at least twice what there was
        if self._count + len(missing) > len(self._stored):
            size = min(2 * len(self._stored), self._capacity, len(self))
            size = max(size, self._count + len(missing), 64)
            grown = np.empty((size, len(self)))
            grown[: self._count] = self._stored[: self._count]
            self._stored = grown
        # the missing rows in blocks of about 2^21 entries, between which limits are polled
        batch = max(1, (1 << 21) // len(self))
        for start in range(0, len(missing), batch):
            poll()
            part = missing[start : start + batch]
            stop = self._count + len(part)
            block = self.kernel(self.Z[part], self.Z)
            if self.kernel.kind != "linear":
                block[np.arange(len(part)), part] = 1.0 if self.kernel.kind == "gauss" else 0.0
            self._stored[self._count : stop] = block
            self._place[part] = np.arange(self._count, stop)
            self._count = stop
        return self._place[indices]
