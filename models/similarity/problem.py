"""Discriminative similarity: S_ij = 2 (a_i + a_j) s_ij - 2 lam a_i a_j |s|_ij, and its values.

Weights a (n,) are in the simplex with a box. Y (n, c) is a relaxed labelling, one row per point. s
is the similarity. |s| is its matrix with flipped spectrum (s itself for a kernel), and d_ij = |Y_i
- Y_j|^2:

    Psi(a, Y) = tau Tr(Y'LY) - a's1 + lam a'|s|a,   L = diag(S1) - S

tau = 1/2 makes the trace the sum over pairs i < j, so Psi is (12) at an indicator Y. The printed
(27) and (28) have tau = 1. For fixed Y, Psi is the quadratic a'Qa + b'a of
:meth:`Weighted.quadratic`. For fixed a, it is the trace form of a graph Laplacian.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import minimum_spanning_tree
from scipy.spatial.distance import cdist, squareform

from radprog.base.errors import OptionError
from radprog.base.limits import poll
from radprog.base.tolerances import UNIT_ROUNDOFF
from radprog.base.types import FloatArray, IntArray

NEIGHBOUR = 7  # whose distance, the median over the points, is the first bandwidth tried


@dataclass(frozen=True, eq=False)
class Distances:
    """Squared Euclidean distances of points (n, d), for all bandwidths.

    Unlike a ``KernelBank``, it needs no kernel, and it stores only the pairs i < j.
    """

    squared: FloatArray

    @staticmethod
    def of(X: FloatArray) -> Distances:
        """The distances of all pairs of points (n, d). The current limits are polled."""
        squared, end = np.empty(len(X) * (len(X) - 1) // 2), 0
        for block in pair_blocks(X):
            begin, end = end, end + len(block)
            squared[begin:end] = block
        return Distances(squared)

    @cached_property
    def median(self) -> float:
        """The median distance of two different points. Raises OptionError for a median of 0."""
        poll()
        middle = float(np.sqrt(np.median(self.squared))) if self.squared.size else 1.0
        if not middle > 0:
            raise OptionError(
                "the median distance is 0 (most points coincide): give the bandwidth as a number"
            )
        return middle

    def reach(self, k: int) -> float:
        """The median over the points of the distance to the k-th nearest other point.

        With fewer than k other points, the distance to the farthest point is used.
        """
        poll()
        if not self.squared.size:
            return 1.0
        # the k-th smallest of every row; place 0 is the point itself
        squares: FloatArray = squareform(self.squared)
        poll()
        place = min(k, len(squares) - 1)
        squares.partition(place, axis=1)
        return float(np.median(np.sqrt(squares[:, place])))

    def tree(self) -> tuple[FloatArray, IntArray]:
        """The edges of a minimum spanning tree: lengths (e,) in increasing order, and ends (e, 2).

        Equal points are not connected.
        """
        poll()
        return spanning_tree(squareform(self.squared))

    @property
    def narrowest(self) -> float:
        """The narrowest candidate bandwidth: the median distance to the seventh neighbour."""
        return self.reach(NEIGHBOUR) or self.median / 4

    @property
    def widest(self) -> float:
        """The widest candidate bandwidth. Raises OptionError if the median distance is 0."""
        return 1.5 * self.median  # times the median distance of all, up to which others are tried

    def gram(self, bandwidth: float) -> FloatArray:
        """The kernel matrix exp(-|x_i - x_j|^2 / (2 h^2)) (n, n), with diagonal 1."""
        poll()
        # pairs i < j, then the matrix
        values = self.squared * (-0.5 / bandwidth**2)
        K: FloatArray = squareform(np.exp(values, out=values))
        poll()
        np.fill_diagonal(K, 1.0)
        return K


def pair_blocks(X: FloatArray) -> Iterator[FloatArray]:
    """Yield the squared distances of points (n, d) for the pairs i < j, in blocks of rows i."""
    # distances that are computed between two looks at the limits
    rows = max(1, (1 << 16) // max(1, len(X)))
    for top in range(0, len(X), rows):
        poll()
        block = cdist(X[top : top + rows], X[top:], "sqeuclidean")
        yield block[np.triu(np.ones(block.shape, dtype=np.bool_), 1)]


def pair_distances(Y: FloatArray) -> FloatArray:
    """The distances d_ij = |Y_i - Y_j|^2 (n, n) of the rows of Y (n, c); they are at least 0."""
    poll()
    # |Y_i|^2 + |Y_j|^2 - 2 Y_i'Y_j as one product, which rounding may leave below 0
    g = np.einsum("ij,ij->i", Y, Y)
    ones = np.ones_like(g)
    d: FloatArray = np.column_stack([-2.0 * Y, g, ones]) @ np.column_stack([Y, ones, g]).T
    np.maximum(d, 0.0, out=d)
    np.fill_diagonal(d, 0.0)
    return d


def spanning_tree(squared: Any) -> tuple[FloatArray, IntArray]:
    """The result of :meth:`Distances.tree` for squared distances (n, n), dense or sparse.

    A distance of 0 means that there is no edge.
    """
    # SciPy takes 0 for no edge; the distances keep theirs
    edges = sparse.csr_array(squared, copy=True)
    edges.eliminate_zeros()
    tree = minimum_spanning_tree(edges).tocoo()
    order = np.argsort(tree.data, kind="stable")
    ends = np.column_stack([tree.row, tree.col])[order]
    return np.sqrt(tree.data[order]), np.asarray(ends, dtype=np.intp)


def indicator(codes: IntArray, c: int) -> FloatArray:
    """The indicator matrix Y (n, c) of a labelling.

    Y_ik is 1 if point i is in class k, and 0 otherwise. Points with code -1 have a row of zeros.
    """
    return np.asarray(codes[:, None] == np.arange(c), dtype=np.float64)


@dataclass(frozen=True, kw_only=True, eq=False)
class Weighted:
    """The data of the problem: the similarity s (n, n), |s|, lam, the box and the trace factor.

    ``size`` is |s|. For a kernel, this is the same array as ``s``. ``lam`` is positive. ``upper``
    is the upper bound on the weights a, and ``tau`` is the factor of the trace.
    """

    s: Any  # FloatArray, but in a subclass
    size: Any
    lam: float
    upper: float
    tau: float = 0.5  # of the sum over pairs

    def __post_init__(self) -> None:
        if not (np.isfinite(self.lam) and self.lam > 0):
            raise OptionError(f"lam {self.lam:g}: expected a finite number > 0")
        if self.n * self.upper < 1.0 - 1e-12:  # rounding of the number of weights of a box
            raise OptionError(
                f"lam {self.lam:g}, weights at most {self.upper:.3g}: the sum of {self.n} of them "
                f"stays below 1; expected a box of at least 1/n, or lam at most "
                f"{self.lam * self.n * self.upper:.6g} with a box of 2/lam"
            )

    @property
    def n(self) -> int:
        """The number of points."""
        return int(self.s.shape[0])

    def dense(self) -> Weighted:
        """The problem with dense matrices of all pairs."""
        return self

    @cached_property
    def strength(self) -> FloatArray:
        """The sums s1 (n,) of the rows of s."""
        return np.asarray(self.s.sum(axis=1))

    @property
    def uniform(self) -> FloatArray:
        """The weights 1/n (n,)."""
        return np.full(self.n, 1.0 / self.n)

    @property
    def scale(self) -> float:
        """The scale sum_ij |s_ij| / 2n, to compare values for different bandwidths; 0 only if s =
        0.

        For a kernel with lam = n/2 it is minus the label-free part at uniform weights.
        """
        return float(np.abs(self.s).sum()) / (2.0 * self.n)

    def label_free(self, a: FloatArray) -> float:
        """The part -a's1 + lam a'|s|a of the objective that does not depend on the labels."""
        return float(self.lam * (a @ (self.size @ a)) - a @ self.strength)

    def similarity(self, a: FloatArray) -> Any:
        """The similarity S(a) (n, n) by (26), or (13) for a kernel, with the diagonal 0."""
        poll()
        S: FloatArray
        if self.size is self.s:
            # a product of rank two: cdsk of 1,000 points 0.32 s, 0.38 by sums of pairs
            factor = np.column_stack([2.0 * a, 2.0 - 2.0 * self.lam * a])
            S = factor @ np.vstack([np.ones_like(a), a])
            S *= self.s
        else:
            S = np.add.outer(2.0 * a, 2.0 * a) * self.s
            S -= np.multiply.outer(2.0 * self.lam * a, a) * self.size
        np.fill_diagonal(S, 0.0)
        return S

    def degrees(self, a: FloatArray) -> FloatArray:
        """The row sums (n,) of S(a) without its diagonal."""
        return np.asarray(self.similarity(a).sum(axis=1))

    def laplacian(self, a: FloatArray) -> Any:
        """The Laplacian L = diag(S1) - S (n, n).

        The diagonal of S has no effect on L, so it is set to 0.
        """
        S = self.similarity(a)
        degrees = S.sum(axis=1)
        np.negative(S, out=S)
        np.fill_diagonal(S, degrees)
        return S

    def trace(self, a: FloatArray, Y: FloatArray) -> float:
        """The term tau Tr(Y'LY), computed as a sum of S_ij |Y_i - Y_j|^2 over pairs."""
        return self.tau * 0.5 * float(np.vdot(self.similarity(a), pair_distances(Y)))

    def value(self, a: FloatArray, Y: FloatArray) -> float:
        """The objective Psi(a, Y)."""
        return self.trace(a, Y) + self.label_free(a)

    def quadratic(self, Y: FloatArray) -> tuple[Any, FloatArray]:
        """The pair (Q, b) with Psi(a, Y) = a'Qa + b'a.

        Q = lam (|s| - tau |s| o d) and b = 2 tau (s o d)1 - s1. For an indicator Y and tau = 1/2,
        Q = lam |s| o same is positive semidefinite.
        """
        # distances become Q in their place
        d = pair_distances(Y)
        b = 2.0 * self.tau * np.einsum("ij,ij->i", self.s, d) - self.strength
        d *= -self.tau
        d += 1.0
        d *= self.size
        d *= self.lam
        return d, b

    def labelled_value(self, a: FloatArray, codes: IntArray) -> float:
        """The objective of (12) or (25): the cut of the labelling, minus a's1, plus lam a'|s|a.

        It equals a's1 - 2 a'(s o same)1 + lam a'(|s| o same)a, where same_ij is 1 for equal codes.
        """
        # products with the classes alone: no matrix (n, n)
        parts = indicator(codes, int(codes.max()) + 1)
        weighted = a[:, None] * parts
        beside = self.s @ np.hstack([parts, weighted])
        c = parts.shape[1]
        burden = beside[:, c:] if self.size is self.s else self.size @ weighted
        linear = a @ self.strength - 2.0 * np.vdot(weighted, beside[:, :c])
        return float(linear + self.lam * np.vdot(weighted, burden))

    def labelled_value_up(self, a: FloatArray, codes: IntArray) -> float:
        """The objective of (12) or (25), rounded up by the error of its evaluation.

        The error is at most (8 n + 64) 2^-53 times the sum of the sizes of all terms.
        """
        sizes = 3.0 * (abs(self.s) @ np.ones(self.n)) + self.lam * (abs(self.size) @ a)
        rounding = (8 * self.n + 64) * UNIT_ROUNDOFF
        return self.labelled_value(a, codes) + rounding * float(a @ sizes)


def box_of(box: str | float, lam: float) -> float:
    """The upper bound on a weight for the setting ``auto``, ``none`` (the simplex) or a number."""
    if box == "auto":
        return kernel_box(lam)
    return 1.0 if box == "none" else min(float(box), 1.0)


def kernel_box(lam: float) -> float:
    """The largest upper bound on the weights, 2 / lam, that ensures S >= 0 for a kernel."""
    return 2.0 / lam


def general_box(s: FloatArray, size: FloatArray, lam: float) -> float | None:
    """An upper bound on the weights that ensures that (26) is nonnegative; None if there is none.

    (26) is nonnegative if (a_i + a_j) s_ij >= lam a_i a_j |s|_ij. For s >= 0 this holds for all
    weights up to 2 / (lam max |s|_ij / s_ij).
    """
    # pairs without similarity but with a burden, or with a negative one, have no box
    off_diagonal = ~np.eye(len(s), dtype=np.bool_)
    strength, burden = s[off_diagonal], np.maximum(size[off_diagonal], 0.0)
    # eigenvalues of this share of the largest count as 0
    noise = 1e-12 * float(np.abs(size).max(initial=1.0))
    if (strength < 0).any() or ((strength == 0) & (burden > noise)).any():
        return None
    positive = strength > 0
    worst = float((burden[positive] / strength[positive]).max(initial=1.0))
    return kernel_box(lam) / max(worst, 1.0)


@dataclass(frozen=True, kw_only=True, eq=False)
class DensityWeighted(Weighted):
    """The objective ISE-hat + lam a'(K_wide o yy')a of Section 4 for two classes.

    The signs y (n, 1) replace Y. ``s`` is K_h, and ``size`` is K_{sqrt(2) h}. The value is lam
    a'(size o yy')a - 2 a'(s o yy')1. It is convex in a for every y.
    """

    def trace(self, a: FloatArray, Y: FloatArray) -> float:
        """The difference of :meth:`value` and :meth:`label_free`."""
        return self.value(a, Y) - self.label_free(a)

    def value(self, a: FloatArray, Y: FloatArray) -> float:
        """The value ISE-hat + lam K(a) of the objective."""
        y = Y[:, 0]
        weighted = a * y
        return float(self.lam * (weighted @ (self.size @ weighted)) - 2.0 * weighted @ (self.s @ y))

    def label_free(self, a: FloatArray) -> float:
        """The value for a single class, y = 1."""
        return float(self.lam * (a @ (self.size @ a)) - 2.0 * a @ self.strength)

    def quadratic(self, Y: FloatArray) -> tuple[FloatArray, FloatArray]:
        """The pair (lam K_wide o yy', -2 (K o yy')1)."""
        y = Y[:, 0]
        return self.lam * self.size * np.multiply.outer(y, y), -2.0 * y * (self.s @ y)

    def labelled_value(self, a: FloatArray, codes: IntArray) -> float:
        """The value for the signs of a labelling with codes 0 and 1."""
        return self.value(a, np.where(codes == 0, -1.0, 1.0)[:, None])

    def form(self, a: FloatArray) -> FloatArray:
        """The matrix M (n, n) with value = y'My."""
        sums = np.add.outer(a, a) * self.s
        return np.asarray(self.lam * np.multiply.outer(a, a) * self.size - sums)


def least_linear(gradient: FloatArray, upper: float) -> float:
    """The minimum of gradient's over {0 <= s <= upper, 1's = 1}.

    The entries with the smallest gradient are filled first.
    """
    # the cheapest entries at the box, one more with what is left of the sum
    # as many weights as the box allows, whose number may be rounded
    count = min(len(gradient), int(np.floor(1.0 / upper + 1e-12)))
    cheap = np.sort(gradient)
    value = upper * float(cheap[:count].sum())
    spare = 1.0 - upper * count
    return value + (spare * float(cheap[count]) if count < len(cheap) and spare > 0 else 0.0)


def frank_wolfe_gap(gradient: FloatArray, a: FloatArray, upper: float) -> float:
    """The Frank-Wolfe gap: gradient'a minus the minimum of gradient's over the box and the simplex.

    It is 0 at a stationary point. For a convex function it bounds value(a) - optimum from above.
    """
    return float(gradient @ a) - least_linear(gradient, upper)
