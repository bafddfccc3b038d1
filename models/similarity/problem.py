"""Discriminative similarity: S_ij = 2 (a_i + a_j) s_ij - 2 lam a_i a_j |s|_ij, and what it enters.

Weights a (n,) live in the simplex with a box; Y (n, c) holds a relaxed labelling, one row a point.
With d_ij = |Y_i - Y_j|^2, s the similarity and |s| its flipped spectrum (s itself for a kernel):

    Psi(a, Y) = tau Tr(Y'LY) - a's1 + lam a'|s|a,   L = diag(S1) - S

tau = 1/2 makes the trace the sum over pairs i < j, so that Psi is (12) at an indicator Y; the
printed (27) and (28) have tau = 1. For fixed Y, Psi is the quadratic a'Qa + b'a of
:meth:`Weighted.quadratic`; for fixed a, it is the trace form of a graph Laplacian.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import minimum_spanning_tree
from scipy.spatial.distance import cdist, squareform

from radprog.instances.errors import DataError, OptionError
from radprog.instances.limits import bounded, poll
from radprog.instances.tolerances import BOX_ROUNDING, SYMMETRY, ZERO_EIGENVALUE
from radprog.instances.types import FloatArray, IntArray
from radprog.models.lapack import by_size

HALF = 0.5  # tau of the sum over pairs
NEIGHBOUR = 7  # whose distance, the median over the points, is the first bandwidth tried
PAIRS = 1 << 18  # distances that are computed between two looks at the limits
TILE = 512  # rows of a matrix looked at between two looks at the limits
WIDEST = 1.5  # times the median distance of all, up to which others are tried


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
    values, vectors = by_size(len(S), np.linalg.eigh, S)
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
    return bounded(lambda: S / 2 + S.T / 2)


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


@dataclass(frozen=True, eq=False)
class Distances:
    """Squared Euclidean distances of points (n, d), shared by every bandwidth.

    Beside a ``KernelBank``: no kernel is known yet; pairs i < j only.
    """

    squared: FloatArray

    @staticmethod
    def of(X: FloatArray) -> Distances:
        """All pairs; polls the limits in force."""
        n, end = len(X), 0
        squared = np.empty(n * (n - 1) // 2)
        rows = max(1, PAIRS // max(1, n))
        for top in range(0, n, rows):
            poll()
            block = cdist(X[top : top + rows], X[top:], "sqeuclidean")
            later = block[np.arange(block.shape[1]) > np.arange(len(block))[:, None]]
            begin, end = end, end + len(later)
            squared[begin:end] = later
        return Distances(squared)

    @cached_property
    def median(self) -> float:
        """The median distance of two different points; OptionError where it is 0."""
        poll()
        middle = float(np.sqrt(np.median(self.squared))) if self.squared.size else 1.0
        if not middle > 0:
            raise OptionError(
                "the median distance is 0 (most points coincide): give the bandwidth as a number"
            )
        return middle

    def reach(self, k: int) -> float:
        """The median over the points of the distance to the k-th nearest other one, or to the
        farthest where they are fewer."""
        poll()
        if not self.squared.size:
            return 1.0
        every: FloatArray = squareform(self.squared)
        poll()
        place = min(k, len(every) - 1)  # place 0 is the point itself
        return float(np.median(np.sqrt(np.partition(every, place, axis=1)[:, place])))

    def tree(self) -> tuple[FloatArray, IntArray]:
        """Lengths (e,) of the edges of a minimum spanning tree, ascending, and their ends (e, 2);
        points in one place are not joined."""
        poll()
        return spanning_tree(squareform(self.squared))

    @property
    def first(self) -> float:
        """The narrowest bandwidth worth a try: the median distance to the seventh neighbour."""
        return self.reach(NEIGHBOUR) or self.median / 4

    @property
    def widest(self) -> float:
        """The widest bandwidth worth a try; OptionError where the median distance is 0."""
        return WIDEST * self.median

    def gram(self, bandwidth: float) -> FloatArray:
        """exp(-|x_i - x_j|^2 / (2 h^2)) (n, n), unit diagonal."""
        poll()
        K: FloatArray = squareform(np.exp(self.squared * (-0.5 / bandwidth**2)))
        poll()
        np.fill_diagonal(K, 1.0)
        return K


def pair_distances(Y: FloatArray) -> FloatArray:
    """d_ij = |Y_i - Y_j|^2 (n, n) of the rows of Y (n, c), never below 0."""
    poll()
    g = np.einsum("ij,ij->i", Y, Y)
    one = np.ones_like(g)
    d: FloatArray = np.column_stack([-2.0 * Y, g, one]) @ np.column_stack([Y, one, g]).T
    np.maximum(d, 0.0, out=d)
    np.fill_diagonal(d, 0.0)
    return d


def spanning_tree(squared: Any) -> tuple[FloatArray, IntArray]:
    """:meth:`Distances.tree` of squared distances (n, n), dense or sparse; those of 0 join none."""
    edges = sparse.csr_array(squared)
    edges.eliminate_zeros()
    tree = minimum_spanning_tree(edges).tocoo()
    order = np.argsort(tree.data, kind="stable")
    ends = np.column_stack([tree.row, tree.col])[order]
    return np.sqrt(tree.data[order]), np.asarray(ends, dtype=np.intp)


def indicator(codes: IntArray, c: int) -> FloatArray:
    """Y (n, c) of a labelling: 1 where a point has the class; zero rows for code -1."""
    return np.asarray(codes[:, None] == np.arange(c), dtype=np.float64)


@dataclass(frozen=True, kw_only=True, eq=False)
class Weighted:
    """The similarity s (n, n), its size |s|, lam > 0, the box a <= upper, and the trace weight.

    ``s`` and ``size`` are the same array for a kernel.
    """

    s: Any  # FloatArray, but in a subclass
    size: Any
    lam: float
    upper: float
    tau: float = HALF

    def __post_init__(self) -> None:
        if not (np.isfinite(self.lam) and self.lam > 0):
            raise OptionError(f"lam {self.lam:g}: expected a finite number > 0")
        if self.n * self.upper < 1.0 - BOX_ROUNDING:
            raise OptionError(
                f"lam {self.lam:g}, weights at most {self.upper:.3g}: the sum of {self.n} of them "
                f"stays below 1; expected a box of at least 1/n, or lam at most "
                f"{self.lam * self.n * self.upper:.6g} with a box of 2/lam"
            )

    @property
    def n(self) -> int:
        """Number of points."""
        return int(self.s.shape[0])

    def dense(self) -> Weighted:
        """The problem with matrices of all pairs."""
        return self

    @cached_property
    def strength(self) -> FloatArray:
        """s1 (n,), the sums of its rows."""
        return np.asarray(self.s.sum(axis=1))

    @property
    def uniform(self) -> FloatArray:
        """Weights 1/n (n,)."""
        return np.full(self.n, 1.0 / self.n)

    @property
    def scale(self) -> float:
        """sum_ij |s_ij| / 2n, > 0 unless s = 0: what values are compared by between bandwidths.

        For a kernel with lam = n/2 it is minus the label-free part at uniform weights.
        """
        return float(np.abs(self.s).sum()) / (2.0 * self.n)

    def label_free(self, a: FloatArray) -> float:
        """-a's1 + lam a'|s|a."""
        return float(self.lam * (a @ (self.size @ a)) - a @ self.strength)

    def similarity(self, a: FloatArray, *, loops: bool = False) -> Any:
        """S(a) (n, n): (13) for a kernel, (26) in general; the diagonal is 0 without ``loops``."""
        poll()
        S: FloatArray
        if self.size is self.s:
            S = np.column_stack([2.0 * a, 2.0 - 2.0 * self.lam * a]) @ np.vstack([np.ones_like(a), a])
            S *= self.s
        else:
            S = np.add.outer(2.0 * a, 2.0 * a)
            S *= self.s
            S -= np.multiply.outer(2.0 * self.lam * a, a) * self.size
        poll()
        if not loops:
            np.fill_diagonal(S, 0.0)
        return S

    def laplacian(self, a: FloatArray) -> Any:
        """L = diag(S1) - S (n, n); the diagonal of S cancels, so it is left out before summing."""
        S = self.similarity(a)
        degrees = S.sum(axis=1)
        np.negative(S, out=S)
        np.fill_diagonal(S, degrees)
        return S

    def trace(self, a: FloatArray, Y: FloatArray) -> float:
        """tau Tr(Y'LY), as the sum of S_ij |Y_i - Y_j|^2 over pairs."""
        return self.tau * 0.5 * float(np.vdot(self.similarity(a), pair_distances(Y)))

    def value(self, a: FloatArray, Y: FloatArray) -> float:
        """Psi(a, Y)."""
        return self.trace(a, Y) + self.label_free(a)

    def uniform_value(self, Y: FloatArray) -> float:
        """Psi at equal weights, by products of s and |s| with [1, Y] alone."""
        sides = np.column_stack([np.ones(self.n), Y])
        near = self.s @ sides
        far = near if self.size is self.s else self.size @ sides
        S = (4.0 * near - 2.0 * self.lam / self.n * far) / self.n
        norms = np.einsum("ij,ij->i", Y, Y)
        trace = self.tau * (float(S[:, 0] @ norms) - float(np.vdot(Y, S[:, 1:])))
        rest = self.lam / self.n * float(far[:, 0].sum()) - float(near[:, 0].sum())
        return trace + rest / self.n

    def quadratic(self, Y: FloatArray) -> tuple[Any, FloatArray]:
        """(Q, b) with Psi(a, Y) = a'Qa + b'a: Q = lam (|s| - tau |s| o d), b = 2 tau (s o d)1 - s1.

        Q is positive semidefinite for an indicator Y with tau = 1/2: lam |s| o same.
        """
        poll()
        if self.size is self.s:
            Q = self._pulled(Y)
            return Q, self.strength - (2.0 / self.lam) * Q.sum(axis=1)
        d = pair_distances(Y)
        b = 2.0 * self.tau * np.einsum("ij,ij->i", self.s, d) - self.strength
        d *= -self.tau
        d += 1.0
        d *= self.size
        d *= self.lam
        return d, b

    def _pulled(self, Y: FloatArray) -> FloatArray:
        """lam s o (1 - tau d) with few passes over n^2 numbers, symmetric but for rounding."""
        half = self.lam * (0.5 - self.tau * np.einsum("ij,ij->i", Y, Y))
        pull, one = 2.0 * self.tau * self.lam * Y, np.ones_like(half)
        Q = np.column_stack([pull, half, one]) @ np.column_stack([Y, one, half]).T
        poll()
        np.fill_diagonal(Q, self.lam)
        Q *= self.s
        return Q

    def labelled_value(self, a: FloatArray, codes: IntArray) -> float:
        """J of (12), or of (25): the cut of the labelling, minus a's1, plus lam a'|s|a, which is
        a's1 - 2 a'(s o same)1 + lam a'(|s| o same)a."""
        parts = indicator(codes, int(codes.max()) + 1)
        own = a[:, None] * parts
        near = self.s @ np.hstack([parts, own])
        c = parts.shape[1]
        far = near[:, c:] if self.size is self.s else self.size @ own
        linear = a @ self.strength - 2.0 * np.vdot(own, near[:, :c])
        return float(linear + self.lam * np.vdot(own, far))

    def class_norms(self, a: FloatArray, codes: IntArray, c: int) -> FloatArray:
        """a(y)'|s|a(y) of every class y (c,): their sum is Omega."""
        parts = a[:, None] * indicator(codes, c)
        return np.asarray(np.einsum("ik,ik->k", parts, self.size @ parts))


def box_of(box: str | float, lam: float) -> float:
    """The largest weight of a setting: ``auto``, ``none`` (the simplex) or a number."""
    if box == "auto":
        return kernel_box(lam)
    return 1.0 if box == "none" else min(float(box), 1.0)


def kernel_box(lam: float) -> float:
    """The largest weight with S >= 0 for every pair whatever the others are: 2 / lam."""
    return 2.0 / lam


def general_box(s: FloatArray, size: FloatArray, lam: float) -> float | None:
    """The box that keeps (26) non-negative for s >= 0; None where no box does.

    (a_i + a_j) s_ij >= lam a_i a_j |s|_ij for all weights up to 2 / (lam max |s|_ij / s_ij).
    """
    off = ~np.eye(len(s), dtype=np.bool_)
    strength, burden = s[off], np.maximum(size[off], 0.0)
    noise = ZERO_EIGENVALUE * float(np.abs(size).max(initial=1.0))
    if (strength < 0).any() or ((strength == 0) & (burden > noise)).any():
        return None
    positive = strength > 0
    worst = float((burden[positive] / strength[positive]).max(initial=1.0))
    return kernel_box(lam) / max(worst, 1.0)


@dataclass(frozen=True, kw_only=True, eq=False)
class DensityWeighted(Weighted):
    """ISE-hat + lam a'(K_wide o yy')a of section 4 for two classes, y (n, 1) in place of Y.

    ``s`` is K_h, ``size`` is K_{sqrt(2) h}: value = lam a'(size o yy')a - 2 a'(s o yy')1. It is
    convex in a for every y, labelling or not.
    """

    def trace(self, a: FloatArray, Y: FloatArray) -> float:
        """What the value has beyond the label-free part: nothing is left out by :meth:`value`."""
        return self.value(a, Y) - self.label_free(a)

    def value(self, a: FloatArray, Y: FloatArray) -> float:
        """ISE-hat + lam K(a)."""
        y = Y[:, 0]
        weighted = a * y
        return float(self.lam * (weighted @ (self.size @ weighted)) - 2.0 * weighted @ (self.s @ y))

    def uniform_value(self, Y: FloatArray) -> float:
        """The value at equal weights."""
        return self.value(self.uniform, Y)

    def label_free(self, a: FloatArray) -> float:
        """The value of a single class, y = 1."""
        return float(self.lam * (a @ (self.size @ a)) - 2.0 * a @ self.s.sum(axis=1))

    def quadratic(self, Y: FloatArray) -> tuple[FloatArray, FloatArray]:
        """(lam K_wide o yy', -2 (K o yy')1)."""
        y = Y[:, 0]
        return self.lam * self.size * np.multiply.outer(y, y), -2.0 * y * (self.s @ y)

    def labelled_value(self, a: FloatArray, codes: IntArray) -> float:
        """The value at the signs of a labelling by codes 0 and 1."""
        return self.value(a, np.where(codes == 0, -1.0, 1.0)[:, None])

    def form(self, a: FloatArray) -> FloatArray:
        """M (n, n) with value = y'My."""
        both = np.add.outer(a, a) * self.s
        return np.asarray(self.lam * np.multiply.outer(a, a) * self.size - both)


def project(v: FloatArray, upper: float) -> FloatArray:
    """The point of {0 <= a <= upper, 1'a = 1} nearest to v (n,): clip(v - t, 0, upper).

    The sum is piecewise linear in t with kinks at v and v - upper; t is exact.
    """
    kinks = np.sort(np.concatenate([v, v - upper]))
    low, high = 0, len(kinks) - 1  # the sum is n upper >= 1 at the first, 0 at the last
    while high - low > 1:
        middle = (low + high) // 2
        if _clipped(v - kinks[middle], upper).sum() >= 1.0:
            low = middle
        else:
            high = middle
    left = v - kinks[low]
    inside = (v >= kinks[high]) & (v - upper <= kinks[low])
    excess = float(_clipped(left.copy(), upper).sum()) - 1.0
    shift = excess / inside.sum() if inside.any() and excess > 0 else 0.0
    a = _clipped(left - shift, upper)
    total = float(a.sum())
    return np.minimum(a / total, upper) if total > 0 else np.full(len(v), 1.0 / len(v))


def _clipped(v: FloatArray, upper: float) -> FloatArray:
    """v held to [0, upper], in its place: np.clip takes four times as long for 1000 numbers."""
    np.maximum(v, 0.0, out=v)
    return np.minimum(v, upper, out=v)


def least_linear(gradient: FloatArray, upper: float) -> float:
    """min gradient's over {0 <= s <= upper, 1's = 1}: the cheapest entries filled up."""
    count = min(len(gradient), int(np.floor(1.0 / upper + BOX_ROUNDING)))
    cheap = np.sort(gradient)
    value = upper * float(cheap[:count].sum())
    rest = 1.0 - upper * count
    return value + (rest * float(cheap[count]) if count < len(cheap) and rest > 0 else 0.0)


def frank_wolfe_gap(gradient: FloatArray, a: FloatArray, upper: float) -> float:
    """gradient'a - min gradient's: 0 at a stationary point, and for a convex function an upper
    bound of value(a) - optimum."""
    return float(gradient @ a) - least_linear(gradient, upper)
