"""Kernels as functions K(x, z) with their SPEC names and base quantities.

Base quantities are inner products, distances of points, and edit distances of strings.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import isnan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from radprog.base.errors import DataError, OptionError, extra
from radprog.base.types import FloatArray

PointArray = NDArray[Any]

BASES = ("inner", "squared", "cityblock", "edit")
RULES = ("scale", "median")  # by which rows give the width of a Gaussian


def pairs_at_once(base: str) -> int:
    """The number of pairs in a block; the current limits are polled between blocks."""
    # the same of strings, which take longer
    return (1 << 16) if base == "edit" else (1 << 21)  # pairs of points in a block of 16 MiB


def base_matrix(base: str, X: PointArray, Z: PointArray) -> FloatArray:
    """The base quantity (n, c) between X and Z: inner product, distance or edit distance."""
    strings = X.dtype.kind == "U"
    if strings != (base == "edit"):
        raise OptionError(
            "only the kernel edit takes strings, and the data are strings"
            if strings
            else "the kernel edit needs strings, and the data are numbers"
        )
    # distances term by term: |x|^2 - 2x'z + |z|^2 loses the digits of points far from the origin
    if base == "inner":
        return np.asarray(X @ Z.T, dtype=np.float64)
    if base == "edit":
        with extra("strings", "kernel edit"):
            from rapidfuzz.distance import Levenshtein
            from rapidfuzz.process import cdist as string_distances

        scorer = Levenshtein.normalized_distance
        return np.asarray(
            string_distances(X.tolist(), Z.tolist(), scorer=scorer, dtype=np.float64, workers=1)
        )
    from scipy.spatial.distance import cdist  # slow to import: a kernel's name is read without it

    return cdist(X, Z, "sqeuclidean" if base == "squared" else "cityblock")


def _short(value: float) -> str:
    """The shorter of two spellings that read back as the same number."""
    text = f"{value:g}"
    return text if float(text) == value else repr(value)


class KernelFunction:
    """A function K(x, z) of one base quantity of x and z.

    ``name`` is the string that :func:`~radprog.models.kernels.parse_kernels` reads. ``base`` is one
    of ``BASES``, or ``matrix`` for a given matrix, or ``own`` for a user's function. ``psd`` is
    True if K is symmetric positive semidefinite for all sets of points.
    """

    base = "inner"
    psd = True

    @property
    def name(self) -> str:
        """The kernel as a SPEC."""
        raise NotImplementedError

    def of_base(self, base: FloatArray) -> FloatArray:
        """Kernel values from base values of the same shape."""
        return base

    def __call__(self, X: PointArray, Z: PointArray) -> FloatArray:
        """Kernel matrix (n, c) between points X and centres Z."""
        return self.of_base(base_matrix(self.base, X, Z))

    def diagonal(self, X: PointArray) -> FloatArray:
        """The values K(x, x) of the points (n,)."""
        if self.base == "inner":
            return self.of_base(np.einsum("ij,ij->i", X, X))
        return self.of_base(np.zeros(len(X)))


@dataclass(frozen=True)
class Polynomial(KernelFunction):
    """The polynomial kernel K(x, z) = (x'z + 1)^degree."""

    degree: int
    base = "inner"

    @property
    def name(self) -> str:
        return f"poly:{self.degree}"

    def of_base(self, base: FloatArray) -> FloatArray:
        # repeated products, as the tiles of a bank make them: the values are the same
        shifted = base + 1.0
        power = shifted.copy()
        with np.errstate(over="ignore"):
            for _ in range(self.degree - 1):
                power *= shifted
        return power


@dataclass(frozen=True)
class Linear(KernelFunction):
    """The linear kernel K(x, z) = x'z."""

    base = "inner"
    name = "linear"

    def of_base(self, base: FloatArray) -> FloatArray:
        return base.copy()


@dataclass(frozen=True)
class RBF(KernelFunction):
    """The Gaussian kernel K(x, z) = exp(-gamma |x - z|_2^2).

    ``rule`` is empty, or the rule in ``RULES`` by which :meth:`on` computes gamma from training
    rows. Before that, gamma is NaN.
    """

    gamma: float
    rule: str = ""
    base = "squared"

    @property
    def name(self) -> str:
        parts = [self.rule, "" if isnan(self.gamma) else _short(self.gamma)]
        return f"rbf:{'='.join(part for part in parts if part)}"

    def of_base(self, base: FloatArray) -> FloatArray:
        if isnan(self.gamma):
            raise OptionError(f"kernel '{self.name}' has no width: the rows of one table give it")
        return _decayed(base, self.gamma)

    def on(self, X: FloatArray, weights: FloatArray | None = None) -> RBF:
        """The kernel with gamma computed, to 6 digits, from rows X (n, d) with weights (n,).

        The rule ``scale`` gives 1 / (columns x variance). The rule ``median`` gives 1 / (2 median
        squared distance of two different rows).
        """
        gamma = scale_width(X, weights) if self.rule == "scale" else _median_width(X, weights)
        return RBF(float(f"{gamma:.6g}"), self.rule)


def scale_width(X: FloatArray, weights: FloatArray | None = None) -> float:
    """The width gamma = 1 / (columns x variance) for X (n, d) with row weights (n,).

    If all cells are equal, gamma is 1.
    """
    each = None if weights is None else np.tile(weights[:, None], X.shape[1])
    variance = float(np.average((X - np.average(X, weights=each)) ** 2, weights=each))
    return 1.0 / (X.shape[1] * variance) if variance > 0.0 else 1.0


def _median_width(X: FloatArray, weights: FloatArray | None) -> float:
    """1 / (2 median squared distance) of two different rows of X (n, d); 1 if all are equal."""
    from scipy.spatial.distance import pdist

    # of many rows some, evenly spaced
    # whose distances have the median
    part = np.unique(np.linspace(0, len(X) - 1, 2000).astype(int))
    squares = pdist(X[part], "sqeuclidean")
    # a pair counts as often as the rows of its copies meet
    counts = np.ones(len(part)) if weights is None else weights[part]
    first, second = np.triu_indices(len(part), 1)
    pairs = np.where(squares > 0.0, counts[first] * counts[second], 0.0)
    order = np.argsort(squares)
    passed = np.cumsum(pairs[order])
    if not passed.size or passed[-1] == 0.0:
        return 1.0
    return 0.5 / float(squares[order][np.searchsorted(passed, 0.5 * passed[-1])])


@dataclass(frozen=True)
class Laplace(KernelFunction):
    """The Laplace kernel K(x, z) = exp(-gamma |x - z|_1)."""

    gamma: float
    base = "cityblock"

    @property
    def name(self) -> str:
        return f"laplace:{_short(self.gamma)}"

    def of_base(self, base: FloatArray) -> FloatArray:
        return _decayed(base, self.gamma)


def _decayed(base: FloatArray, gamma: float) -> FloatArray:
    """Return exp(-gamma base), using one additional array of its size."""
    values = -gamma * base
    return np.asarray(np.exp(values, out=values))


@dataclass(frozen=True)
class EditSimilarity(KernelFunction):
    """The edit similarity K(s, t) = -(edit distance of s and t) / max(|s|, |t|), not PSD."""

    base = "edit"
    psd = False
    name = "edit"

    def of_base(self, base: FloatArray) -> FloatArray:
        return np.negative(base)


@dataclass(frozen=True)
class Precomputed(KernelFunction):
    """A given matrix (n, c) with a row for each point and a column for each centre.

    It need not be symmetric.
    """

    path: str
    matrix: FloatArray = field(repr=False, compare=False)
    base = "matrix"
    psd = False

    @property
    def name(self) -> str:
        return f"file:{self.path}"

    def __call__(self, X: PointArray, Z: PointArray) -> FloatArray:
        if self.matrix.shape != (len(X), len(Z)):
            raise DataError(
                f"{self.path}: the kernel matrix is {self.matrix.shape[0]} x "
                f"{self.matrix.shape[1]}, expected {len(X)} x {len(Z)} (points x centres)"
            )
        return self.matrix

    def diagonal(self, X: PointArray) -> FloatArray:
        if self.matrix.shape != (len(X), len(X)):
            raise DataError(f"{self.path}: a diagonal needs a square matrix of {len(X)} points")
        return self.matrix.diagonal().copy()
