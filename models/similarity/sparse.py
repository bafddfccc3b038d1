"""Similarities as sparse graphs, with a kernel restricted to nearest neighbours.

This module computes the values of :mod:`problem` and :mod:`spectral` from the edges of the graph,
without a dense matrix (n, n). The values are exact for this similarity. Lanczos computes the lowest
eigenvectors of each component of the graph separately, so no copy of a multiple eigenvalue 0 is
missed.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy import linalg, sparse
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigsh
from scipy.spatial import KDTree

from radprog.base.errors import OptionError, SolverError
from radprog.base.limits import poll
from radprog.base.tolerances import LEAST_DIVISOR, UNIT_ROUNDOFF
from radprog.base.types import FloatArray, IntArray
from radprog.models.similarity.problem import NEIGHBOUR, Weighted, spanning_tree

DENSE_COMPONENT = 200  # points up to which a component's eigenvectors are those of LAPACK
TREE_COLUMNS = (
    15  # above which products replace trees: cdsk of 10,000 points of 50 columns 2.7 s, 12.6
)
BLOCK = 500  # points whose neighbours are asked for between two looks at a limit


@dataclass(frozen=True, kw_only=True, eq=False)
class Neighbourhood:
    """Squared distances (n, n), sparse and symmetric, of pairs of near neighbours.

    In each pair, one point is among the k nearest points of the other. The diagonal and pairs at
    distance 0 are included. ``narrowest`` and ``widest`` are the ends of the candidate bandwidths.
    """

    squared: Any
    narrowest: float
    widest: float

    @staticmethod
    def of(X: FloatArray, k: int) -> Neighbourhood:
        """The k nearest neighbours of points X (n, d).

        All ties are kept, so the order of the points has no effect. Raises OptionError unless
        1 <= k < n, and if most points coincide.
        """
        n = len(X)
        if not 1 <= k < max(n, 2):
            raise OptionError(f"neighbours {k}: expected 1 to {n - 1} for {n} points")
        reach, pairs = (_by_tree if X.shape[1] <= TREE_COLUMNS else _by_blocks)(X, k)
        # pairs one of which is near the other, and their squared distances
        i, j = (np.concatenate(ends) for ends in zip(*pairs, strict=True))
        edges = sparse.coo_array((np.ones(len(i)), (i, j)), shape=(n, n)).tocsr()
        edges = (edges + edges.T).tocoo()
        squared = pair_squares(X, *edges.coords)
        narrowest = float(np.median(reach)) or float(reach.mean())
        if not narrowest > 0:
            raise OptionError(
                f"most points have {NEIGHBOUR} others in the same place: give the bandwidth"
            )
        return Neighbourhood(
            squared=sparse.csr_array((squared, edges.coords), shape=(n, n)),
            narrowest=narrowest,
            widest=3.0 * narrowest,  # times the first bandwidth, up to which others are tried
        )

    def tree(self) -> tuple[FloatArray, IntArray]:
        """The result of :meth:`Distances.tree`. Every component of the graph has its own tree."""
        return spanning_tree(self.squared)

    def gram(self, bandwidth: float) -> Any:
        """The kernel values exp(-|x_i - x_j|^2 / (2 h^2)) for the pairs, with diagonal 1."""
        K = self.squared.copy()
        K.data = np.exp(K.data * (-0.5 / bandwidth**2))
        return K


def pair_squares(X: FloatArray, i: IntArray, j: IntArray) -> FloatArray:
    """The squared distances |X_i - X_j|^2 of the pairs of places ``i`` and ``j``."""
    total = np.zeros(len(i))
    # by columns in one piece: 26,000 pairs of 7 columns 0.6 ms, 2.7 by rows
    for column in np.ascontiguousarray(X.T):
        poll()
        difference = column.take(i) - column.take(j)
        difference *= difference
        total += difference
    return total


#: Parts of the pairs of points and their near neighbours: two arrays of places each.
Near = list[tuple[IntArray, IntArray]]


def _by_tree(X: FloatArray, k: int) -> tuple[FloatArray, Near]:
    """Distances (n,) to the seventh other point, and the near neighbours of all points.

    These are the points no farther than its k-th, including itself and ties. A pair may be there
    twice.
    """
    n = len(X)
    # leaves of 40 points: 2,000 points 18 ms, 24 by the 10 of scipy
    tree, reach, pairs = KDTree(X, leafsize=40), np.empty(n), Near()
    count = min(max(k, NEIGHBOUR), n - 1)
    for start in range(0, n, BLOCK):
        poll()
        # the nearest is the point itself
        part = X[start : start + BLOCK]
        neighbours, points = tree.query(part, min(count + 2, n))
        distance: FloatArray = np.asarray(neighbours)
        reach[start : start + BLOCK] = distance[:, min(NEIGHBOUR, count)]
        rows = np.arange(start, start + len(part), dtype=np.intp)
        nearest = np.asarray(points, dtype=np.intp)[:, : k + 1]
        pairs.append((np.repeat(rows, nearest.shape[1]), nearest.ravel()))
        # balls only where others tie with the k-th: 2,000 points 19 ms, 51 by balls for all
        ends = np.nextafter(distance[:, k], np.inf)
        for row in np.flatnonzero(distance[:, min(k + 1, n - 1)] <= ends):
            ball = np.array(tree.query_ball_point(part[row], ends[row]), dtype=np.intp)
            pairs.append((np.full(len(ball), rows[row]), ball))
    return reach, pairs


def _by_blocks(X: FloatArray, k: int) -> tuple[FloatArray, Near]:
    """The same values, from products of blocks of points with all points."""
    # rough distances |x|^2 + |y|^2 - 2 x'y, and by how much rounding may change them
    n, columns = X.shape
    centred = X - X.mean(axis=0)
    square = np.einsum("ij,ij->i", centred, centred)
    doubt = 8.0 * (columns + 4) * UNIT_ROUNDOFF * float(square.max())
    reach, pairs, count = np.empty(n), Near(), min(max(k, NEIGHBOUR), n - 1)
    for start in range(0, n, BLOCK):
        poll()
        rough = centred[start : start + BLOCK] @ (-2.0 * centred.T)
        rough += square
        rough += square[start : start + BLOCK, None]
        threshold = np.partition(rough, count, axis=1)[:, count] + 2.0 * doubt
        # exact distances of the few that may be among the nearest, sorted within each row
        place, points = np.nonzero(rough <= threshold[:, None])
        exact = np.sqrt(((X[points] - X[start + place]) ** 2).sum(axis=1))
        counts = np.bincount(place)
        starts, far = np.cumsum(counts) - counts, exact[np.lexsort((exact, place))]
        reach[start : start + BLOCK] = far[starts + min(NEIGHBOUR, count)]
        close = exact <= np.repeat(far[starts + k], counts)
        pairs.append((start + place[close], points[close]))
    return reach, pairs


@dataclass(frozen=True, kw_only=True, eq=False)
class SparseWeighted(Weighted):
    """The problem of :class:`Weighted` with a sparse s (n, n), and with s as ``size``."""

    s: Any  # csr_array with its diagonal, symmetric
    size: Any

    @cached_property
    def edges(self) -> tuple[IntArray, IntArray]:
        """The row and the column of each stored entry, in the order of storage."""
        counts = np.diff(self.s.indptr)
        return np.repeat(np.arange(self.n), counts), self.s.indices.astype(np.intp)

    def dense(self) -> Weighted:
        """The problem with dense matrices of all pairs."""
        s = self.s.toarray()
        return Weighted(s=s, size=s, lam=self.lam, upper=self.upper, tau=self.tau)

    def like(self, data: FloatArray) -> Any:
        """A sparse matrix with the entries ``data`` at the positions of s."""
        return sparse.csr_array((data, self.s.indices, self.s.indptr), shape=self.s.shape)

    def similarity(self, a: FloatArray) -> Any:
        """The sparse similarity S(a). Its diagonal has explicit zeros."""
        poll()
        # (13) on the edges
        i, j = self.edges
        first, second = a[i], a[j]
        values = 2.0 * (first + second - self.lam * first * second) * self.s.data
        values[i == j] = 0.0
        return self.like(values)

    def laplacian(self, a: FloatArray) -> Any:
        """The sparse Laplacian L = diag(S1) - S."""
        # the diagonal is stored in s, so that the degrees have their places
        S = self.similarity(a)
        i, j = self.edges
        values = -S.data
        values[i == j] = S.sum(axis=1)
        return self.like(values)

    def edge_distances(self, Y: FloatArray) -> FloatArray:
        """The squared distances |Y_i - Y_j|^2 for the stored entries of s, in order."""
        return pair_squares(Y, *self.edges)

    def trace(self, a: FloatArray, Y: FloatArray) -> float:
        """The term tau Tr(Y'LY), computed as a sum of S_ij |Y_i - Y_j|^2 over pairs."""
        return self.tau * 0.5 * float(self.similarity(a).data @ self.edge_distances(Y))

    def quadratic(self, Y: FloatArray) -> tuple[Any, FloatArray]:
        """The pair (Q, b) of :meth:`Weighted.quadratic`, with a sparse Q."""
        # as for all pairs, on the edges
        d = self.edge_distances(Y)
        pull = self.like(self.s.data * d)
        b = 2.0 * self.tau * pull.sum(axis=1) - self.strength
        return self.like(self.lam * self.s.data * (1.0 - self.tau * d)), b


def lanczos_by_component(
    M: Any, count: int, tolerance: float = 1e-8
) -> tuple[FloatArray, FloatArray]:
    """The ``count`` lowest eigenvalues of a sparse positive semidefinite M, and vectors (n, count).

    Lanczos computes the lowest eigenvalues of each large component of the graph from a seeded start
    vector, to a relative ``tolerance``, or 1e-5 where that is not reached. The result has the
    lowest of all components. Equal eigenvalues are ordered by the size of their components, largest
    first. Raises SolverError if Lanczos does not converge.
    """
    n, count = M.shape[0], min(count, M.shape[0])
    number, component = connected_components(M != 0, directed=False)
    sizes = np.bincount(component, minlength=number)
    order = np.argsort(component, kind="stable")
    ends = np.concatenate([[0], np.cumsum(sizes)])
    # the lowest pairs of every component, the largest first
    pairs: list[tuple[float, IntArray, FloatArray]] = []
    for place in np.argsort(-sizes, kind="stable").tolist():
        poll()
        members = order[ends[place] : ends[place + 1]]
        part = M[members][:, members] if number > 1 else M
        if len(members) <= max(DENSE_COMPONENT, 2 * count + 2):
            # few points: all eigenpairs at once
            values, vectors = np.linalg.eigh(part.toarray())
            values, vectors = values[:count], vectors[:, :count]
        else:
            values, vectors = _lanczos(part, count, tolerance)
        pairs += [(v, members, x) for v, x in zip(values.tolist(), vectors.T, strict=True)]
    # the lowest of all; the sort is stable, so equal ones stay in the order of their components
    # difference, relative to the largest, of eigenvalues of parts of a graph
    unit = max(1e-10 * max(value for value, *_ in pairs), LEAST_DIVISOR)
    pairs.sort(key=lambda pair: round(pair[0] / unit))
    lowest = np.zeros((n, count))
    for k, (_, members, vector) in enumerate(pairs[:count]):
        lowest[members, k] = vector
    return np.array([value for value, *_ in pairs[:count]]), lowest


def _lanczos(M: Any, count: int, tolerance: float) -> tuple[FloatArray, FloatArray]:
    """Lowest eigenpairs of a sparse M (n, n) by Lanczos from a seeded vector, or all at once.

    It may return only one vector of a multiple eigenvalue. Raises SolverError if the method
    does not converge.
    """
    n = M.shape[0]
    shift = float(abs(M).sum(axis=1).max())  # no eigenvalue is larger

    # the largest of shift I - M, where Lanczos converges fast
    shifted = -M
    shifted.setdiag(shift - M.diagonal())

    def shifted_product(x: FloatArray) -> FloatArray:
        poll()
        return np.asarray(shifted @ x)

    operator = LinearOperator((n, n), matvec=shifted_product, dtype=np.float64)
    # the seeded start vector, and the width of the basis: 24, or 2 count + 1 if that is more
    start, width = np.random.default_rng(0).normal(size=n), max(24, 2 * count + 1)
    for accuracy in dict.fromkeys((tolerance, 1e-5)):
        try:
            values, vectors = eigsh(
                operator, count, which="LA", v0=start, tol=accuracy,
                maxiter=40 if n <= 2000 else 800, ncv=min(n - 1, width),
            )  # fmt: skip
        except ArpackNoConvergence:
            # many tiny eigenvalues: 683 points of breastcancer 0.1 s, 2.8 s by more of Lanczos
            if n <= 2000:
                return linalg.eigh(M.toarray(), subset_by_index=(0, count - 1))
            continue
        order = np.argsort(-values, kind="stable")
        return shift - values[order], vectors[:, order]
    raise SolverError(f"Lanczos found no {count} eigenvectors of a graph of {n} points")
