"""Similarities of patterns, their extremes over the patterns of a series, and kernel matrices.

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

SINGLE_PRECISION_SUMS = 1e-4  # relative error of a sum of kernel values in single precision
CONSTANT_PATTERN = 1e-8  # deviation, relative to the largest entry, of a constant pattern

PATTERN_KERNELS = ("gauss", "linear", "distance")
SIGMAS = tuple(10.0**exponent for exponent in range(-4, 5))
SAMPLE = 2048  # patterns that sigma is chosen from where there are too many
SCREEN = 1024  # patterns that rule candidates for sigma out, where there are more than SAMPLE
CONTESTED = 0.8  # share of the largest variance between these below which a candidate is ruled out
ROW_ENTRIES = 1 << 21  # entries of kernel rows that are computed between two looks at the limits
BLOCK = 1 << 17  # entries of a block of pairwise values: fits in the processor's cache


@dataclass(frozen=True, kw_only=True)
class PatternKernel:
    """A similarity of patterns.

    gauss: K(z, x) = exp(-sigma |z - x|^2), sigma > 0. linear: K(z, x) = z'x.
    distance: K(z, x) = -|z - x|, which is no kernel (not positive semidefinite).
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

    @property
    def psd(self) -> bool:
        """Whether every matrix of similarities is positive semidefinite."""
        return self.kind != "distance"

    def of_base(self, base: FloatArray) -> FloatArray:
        """K from base values: inner products for linear, squared distances for the others."""
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
        """|Phi(z)| (a,) for patterns (a, l); 1 for gauss and, by convention, for distance."""
        if self.kind == "linear":
            return np.asarray(np.sqrt(np.einsum("ij,ij->i", A, A)))
        return np.ones(len(A))


def base_values(kind: str, A: FloatArray, B: FloatArray) -> FloatArray:
    """Inner products for linear, squared distances for the other kernels: (a, b).

    Distances are |a|^2 + |b|^2 - 2 a'b, never below 0: shift patterns to mean 0 first.
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
    floor = CONSTANT_PATTERN * np.abs(patterns).max(axis=-1, keepdims=True, initial=0.0)
    flat = deviation <= floor
    return np.where(flat, 0.0, centred / np.where(flat, 1.0, deviation))


def extremes(kind: str, Z: FloatArray, patterns: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Base values of the most and the least similar pattern of every series.

    Z (r, l), patterns (m, Q, l); returns (near, far), each (r, m): min_j and max_j of the squared
    distance, or max_j and min_j of the inner product for linear.
    """
    m, Q, length = patterns.shape
    stacked = patterns.reshape(m * Q, length)
    near, far = np.empty((len(Z), m)), np.empty((len(Z), m))
    rows = max(1, BLOCK // Q)
    for i in range(m):
        poll()
        columns = stacked[i * Q : (i + 1) * Q]
        for top in range(0, len(Z), rows):
            base = base_values(kind, columns, Z[top : top + rows])
            near[top : top + rows, i] = base.min(axis=0)
            far[top : top + rows, i] = base.max(axis=0)
    return (far, near) if kind == "linear" else (near, far)


@dataclass(frozen=True, kw_only=True, eq=False)
class PatternTable:
    """What all ensembles over the patterns of some series share, whatever sigma, nu or fold.

    patterns: (m, Q, l), shifted by ``shift`` except for linear; near, far: base values (m, Q, m) of
    the most and the least similar pattern of every series; sigmas: the candidates that are left,
    none where sigma is given; moments: (s, 2, m, m), of several the sums of K and K^2 over all
    pairs of patterns of two series, to a relative error below SINGLE_PRECISION_SUMS, or None.
    """

    kind: str
    patterns: FloatArray
    shift: float
    near: FloatArray
    far: FloatArray
    sigmas: tuple[float, ...] = ()
    moments: FloatArray | None = None

    @property
    def stacked(self) -> FloatArray:
        """The patterns as (n, l)."""
        return self.patterns.reshape(-1, self.patterns.shape[2])

    def take(self, rows: IntArray) -> PatternTable:
        """The table of the series ``rows``."""
        grid = np.ix_(rows, np.arange(self.patterns.shape[1]), rows)
        moments = self.moments
        return PatternTable(
            kind=self.kind,
            patterns=self.patterns[rows],
            shift=self.shift,
            near=self.near[grid],
            far=self.far[grid],
            sigmas=self.sigmas,
            moments=None if moments is None else moments[:, :, rows[:, None], rows],
        )

    def sigma(self, weights: FloatArray | None = None) -> float:
        """The candidate sigma of the largest variance of all n^2 kernel values; ties: smallest.

        Of many patterns those candidates that :func:`contested` leaves. The sums of ``moments``
        rule out what they can; sums in double precision decide the rest.
        weights: of the series (m,), as many times as which each of its patterns counts.
        """
        if len(self.sigmas) == 1:
            return self.sigmas[0]
        assert self.moments is not None
        m, Q = self.patterns.shape[:2]
        counts = np.ones(m) if weights is None else weights
        sums = np.einsum("skij,i,j->sk", self.moments, counts, counts)
        mean, square = sums.T / (counts.sum() * Q) ** 2
        variance, error = square - mean**2, SINGLE_PRECISION_SUMS * (square + 2.0 * mean**2)
        left = np.flatnonzero(variance + error >= (variance - error).max())
        if len(left) > 1:
            each = None if weights is None else np.repeat(weights, Q)
            exact = kernel_variances(self.stacked, [self.sigmas[i] for i in left], each)
            left = left[[int(np.argmax(exact))]]
        return self.sigmas[int(left[0])]

    def features(self, kernel: PatternKernel, *, nearest: bool = True) -> FloatArray:
        """max_j (or with ``nearest`` False, min_j) of K(z_k, x_i^j) / |Phi(z_k)|: (n, m).

        A pattern of norm 0 has similarity 0 to everything.
        """
        base = self.near if nearest else self.far
        values = kernel.of_base(base.reshape(-1, base.shape[2]))
        norms = kernel.norms(self.stacked)[:, None]
        return np.asarray(values / np.where(norms > 0, norms, 1.0))


def centred(kind: str, patterns: FloatArray) -> tuple[FloatArray, float]:
    """Patterns (m, Q, l) less their mean, which distances do not see, and the mean; linear: as they
    are, and 0."""
    shift = 0.0 if kind == "linear" else float(patterns.mean())
    return np.ascontiguousarray(patterns - shift), shift


def sampled_sigma(patterns: FloatArray) -> tuple[float, int]:
    """The candidate sigma of the largest variance of kernel values between SAMPLE of the patterns
    (m, Q, l), or all where there are fewer, evenly spread; and how many they are."""
    Z = evenly(patterns, SAMPLE)
    return SIGMAS[int(np.argmax(kernel_variances(Z, SIGMAS)))], len(Z)


def evenly(patterns: FloatArray, most: int) -> FloatArray:
    """``most`` of the patterns (m, Q, l), or all where there are fewer, evenly spread: (r, l)."""
    Z = patterns.reshape(-1, patterns.shape[2])
    return Z[np.linspace(0, len(Z) - 1, min(most, len(Z))).round().astype(np.intp)]


def contested(patterns: FloatArray) -> tuple[float, ...]:
    """The candidate sigmas; of more than SAMPLE patterns (m, Q, l) those from the first to the last
    whose variance between SCREEN of them is CONTESTED of the largest or more."""
    if patterns.shape[0] * patterns.shape[1] <= SAMPLE:
        return SIGMAS
    variances = kernel_variances(evenly(patterns, SCREEN), SIGMAS)
    left = np.flatnonzero(variances >= CONTESTED * variances.max())
    return SIGMAS[left[0] : left[-1] + 1]


def pattern_table(
    kind: str, patterns: FloatArray, *, moments: bool, weighted: bool = False
) -> PatternTable:
    """The table of patterns (m, Q, l); ``moments`` only where sigma is to be chosen from it, of all
    candidates where series count with weights."""
    patterns, shift = centred(kind, patterns)
    m, Q, length = patterns.shape
    stacked = patterns.reshape(m * Q, length)
    near, far = extremes(kind, stacked, patterns)
    near, far = near.reshape(m, Q, m), far.reshape(m, Q, m)
    if kind != "linear":  # every pattern lies in its own series
        near[np.arange(m), :, np.arange(m)] = 0.0
    sigmas = () if not moments else SIGMAS if weighted else contested(patterns)
    return PatternTable(
        kind=kind,
        patterns=patterns,
        shift=shift,
        near=near,
        far=far,
        sigmas=sigmas,
        moments=kernel_moments(patterns, sigmas) if len(sigmas) > 1 else None,
    )


def kernel_moments(patterns: FloatArray, sigmas: Sequence[float]) -> FloatArray:
    """Sums of K and K^2 of the Gaussian kernel over all pairs of patterns of two series.

    patterns (m, Q, l), sigmas in steps of a decade; returns (s, 2, m, m). Kernel values are taken
    in single precision, a tenth of the time; distances in double.
    """
    m, Q, length = patterns.shape
    stacked = patterns.reshape(m * Q, length)
    out = np.zeros((len(sigmas), 2, m, m))
    step = max(1, BLOCK // (Q * Q))
    for i in range(m):
        poll()
        own = stacked[i * Q : (i + 1) * Q]
        for start in range(i, m, step):
            poll()
            stop = min(m, start + step)
            base = base_values("gauss", stacked[start * Q : stop * Q], own)
            if start == i:
                np.fill_diagonal(base[:Q], 0.0)
            with np.errstate(over="ignore"):  # an infinite exponent counts as one below -69
                exponent = (-sigmas[0] * base).astype(np.float32).reshape(stop - start, Q * Q)
                kernel = np.empty_like(exponent)
                for s in range(len(sigmas)):
                    if s:
                        exponent *= np.float32(10.0)
                    # below 1e-30 a value adds nothing, and subnormal numbers are slow
                    np.exp(np.maximum(exponent, np.float32(-69.0), out=kernel), out=kernel)
                    for power in range(2):
                        if power:
                            np.square(kernel, out=kernel)
                        out[s, power, i, start:stop] = kernel.sum(axis=1)
            out[:, :, start:stop, i] = out[:, :, i, start:stop]
    return out


def kernel_variances(
    Z: FloatArray, sigmas: Sequence[float], weights: FloatArray | None = None
) -> FloatArray:
    """Variance (s,) of all n^2 values exp(-sigma |z_k - z_k'|^2) of patterns Z (n, l), each of
    which counts ``weights`` (n,) times."""
    n = len(Z)
    counts = np.ones(n) if weights is None else weights
    sums = np.zeros((len(sigmas), 2))
    step = max(1, BLOCK // n)
    for start in range(0, n, step):
        poll()
        rows = np.arange(start, min(n, start + step))
        base = base_values("gauss", Z[rows], Z)
        base[np.arange(len(rows)), rows] = 0.0
        for s, sigma in enumerate(sigmas):
            distance = -np.expm1(-sigma * base)  # 1 - K: no cancellation where K is near 1
            own = counts[rows]
            sums[s] += own @ distance @ counts, own @ np.square(distance) @ counts
    mean, square = sums.T / counts.sum() ** 2
    return np.asarray(square - mean**2)


class LazyGram:
    """Rows of the kernel matrix K (n, n) of patterns Z (n, l), computed when first asked for.

    Beside a ``KernelBank``: a few rows of a matrix that is never computed as a whole.

    Memory grows with the rows in use; beyond ``limit`` bytes the rows kept are forgotten.
    """

    def __init__(self, kernel: PatternKernel, Z: FloatArray, limit: int = 1 << 28) -> None:
        self.kernel, self.Z = kernel, Z
        self._place: NDArray[np.int64] = np.full(len(Z), -1)
        self._capacity = max(1, limit // (8 * len(Z)))
        self._kept = np.empty((0, len(Z)))
        self._used = 0

    def __len__(self) -> int:
        return len(self.Z)

    def rows(self, indices: IntArray) -> FloatArray:
        """K[indices] (r, n); indices without repetition."""
        places = self._places(indices)
        return self._kept[places]

    def combine(self, indices: IntArray, coefficients: FloatArray) -> FloatArray:
        """sum_r coefficients_r K[indices_r] (n,)."""
        used = np.flatnonzero(coefficients)
        places = self._places(indices[used])
        return np.asarray(coefficients[used] @ self._kept[places])

    def block(self, first: IntArray, second: IntArray) -> FloatArray:
        """K[first, second] (a, b)."""
        places = self._places(first)
        return self._kept[places[:, None], second]

    def _places(self, indices: IntArray) -> IntArray:
        """Where the rows stand, computed where they are new."""
        new = indices[self._place[indices] < 0]
        if self._used + len(new) > self._capacity:
            self._place[:] = -1
            self._used, new = 0, indices
        if self._used + len(new) > len(self._kept):
            size = min(2 * len(self._kept), self._capacity, len(self))
            size = max(size, self._used + len(new), 64)
            grown = np.empty((size, len(self)))
            grown[: self._used] = self._kept[: self._used]
            self._kept = grown
        at_once = max(1, ROW_ENTRIES // len(self))
        for start in range(0, len(new), at_once):
            poll()
            part = new[start : start + at_once]
            stop = self._used + len(part)
            block = self.kernel(self.Z[part], self.Z)
            if self.kernel.kind != "linear":
                block[np.arange(len(part)), part] = 1.0 if self.kernel.kind == "gauss" else 0.0
            self._kept[self._used : stop] = block
            self._place[part] = np.arange(self._used, stop)
            self._used = stop
        return self._place[indices]
