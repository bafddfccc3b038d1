"""Spectral steps: the best relaxed labelling at given weights, with its value and gradient.

ratio   min over Y'Y = (n/c) I of Psi(a, Y): Y = sqrt(n/c) times the c lowest eigenvectors of L;
ncut    min over Y'DY = I: Y = D^-1/2 U, U the c lowest of I - D^-1/2 S D^-1/2;
scaled  the same with Y'DY = (vol/c) I, vol = 1'D1, which an indicator of equal volumes meets;
ise     min of y'My over y'y = n, 1'y = 0 (balance): y = sqrt(n) times the lowest eigenvector.

The constraints of ncut and scaled depend on the weights, so alternation need not decrease the
objective there. :func:`normalised_cut` computes the minimum over Y, and its gradient, as a function
of the weights only. k-means turns eigenvectors into clusters.

Eigenvectors of large dense matrices are computed by the block method of E. R. Davidson (1975). A
proof ensures that none is missed. LAPACK computes the eigenvectors of small matrices, and Lanczos
those of sparse graphs.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy import linalg, sparse

from radprog.base.limits import poll, single_threaded
from radprog.base.tolerances import LEAST_DIVISOR, UNIT_ROUNDOFF
from radprog.base.types import FloatArray, IntArray
from radprog.models.lapack import LARGE_MATRIX, eigenpairs, positive_definite
from radprog.models.similarity.problem import DensityWeighted, Weighted, pair_distances
from radprog.models.similarity.sparse import SparseWeighted, lanczos_by_component

#: Eigenvalues (k,) in increasing order, orthonormal vectors (n, k), and residual norms (k,).
Eigenpairs = tuple[FloatArray, FloatArray, FloatArray]


def davidson(M: Any, start: FloatArray, tolerance: float, limit: int) -> Eigenpairs:
    """Approximate eigenpairs for the lowest eigenvalues of a symmetric M (n, n), dense or sparse.

    The method starts from linearly independent vectors ``start`` (n, k), 3k <= n. It ends when all
    residuals are at most ``tolerance`` times the largest diagonal entry, or after ``limit`` steps.
    """
    n, k = start.shape
    diagonal = M.diagonal()
    top = max(float(diagonal.max()), LEAST_DIVISOR)
    # a degree below this share of the largest one counts as the share where it divides
    scale = np.maximum(diagonal, 1e-8 * top)
    basis = np.linalg.qr(start)[0]
    image = M @ basis
    for step in range(limit + 1):
        poll()
        # Rayleigh and Ritz: the lowest vectors within the basis
        values, rotation = np.linalg.eigh(basis.T @ image)
        vectors, moved = basis @ rotation[:, :k], image @ rotation[:, :k]
        residual = moved - vectors * values[:k]
        norms = np.linalg.norm(residual, axis=0)
        if step == limit or norms.max() <= tolerance * top:
            break
        # thick restart: keep the lowest two blocks
        if basis.shape[1] + k > min(5 * k, n):  # blocks of a basis, before it restarts with two
            basis, image = basis @ rotation[:, : 2 * k], image @ rotation[:, : 2 * k]
        # expand by the residuals, preconditioned by the diagonal and made orthogonal twice
        large = norms > tolerance * top
        added = residual[:, large] / (scale[:, None] * norms[large])
        for _ in range(2):
            added -= basis @ (basis.T @ added)
            added = np.linalg.qr(added)[0]
        basis, image = np.hstack([basis, added]), np.hstack([image, M @ added])
    return values[:k], vectors, norms


def eigenvalue_error(M: FloatArray, pairs: Eigenpairs) -> float | None:
    """An upper bound on the error of all values of ``pairs`` except the last, for M (n, n).

    The error is the distance from a value down to its eigenvalue of M. Returns None if eigenvalues
    may be missing. Let V be the vectors of these values, and s a number slightly below the last
    value minus its residual. A Cholesky factorisation proves that M - s I is positive definite on
    the complement of V. Its margin for rounding errors is at most n roundoffs of the trace. Apart
    from the residuals R in the off-diagonal blocks, M thus has the eigenvalues of V'MV, and others
    of at least s. These blocks lower an eigenvalue t by at most |R|^2 / (s - t).
    """
    values, vectors, residuals = pairs
    n, low = len(M), vectors[:, :-1]
    spread = 2.0 * (float(np.abs(M.diagonal()).max()) + abs(float(values[-1])))
    shift = float(values[-1] - residuals[-1]) - 2.0 * n * n * UNIT_ROUNDOFF * spread
    if not shift > values[-2]:
        return None
    # M with the low vectors moved up, less s I
    shifted = (low * spread) @ low.T
    shifted += M
    shifted[np.diag_indices(n)] -= shift
    if not positive_definite(shifted):
        return None
    return float(residuals[:-1] @ residuals[:-1]) / (shift - float(values[-2]))


def _lowest(M: Any, count: int, start: FloatArray | None = None) -> tuple[FloatArray, FloatArray]:
    """The ``count`` lowest eigenvalues and vectors of M (n, n); ``start`` (n, count) approximates
    them."""
    poll()
    if sparse.issparse(M):
        return lanczos_by_component(M, count)
    n = len(M)
    # Davidson, where a proof shows that none is missed: ncut of 1,000 points 2.4 s, 4.9 by LAPACK
    if n >= LARGE_MATRIX and 3 * count <= n:
        # residuals of eigenvectors, relative to the largest entry of the diagonal where a proof
        # follows; 40 steps, as it is to converge
        pairs = davidson(M, _start(n, count, start), 3e-9, 40)
        error = eigenvalue_error(M, pairs)
        if error is not None and error <= UNIT_ROUNDOFF * n * float(np.abs(M.diagonal()).max()):
            return pairs[0], pairs[1]
    return eigenpairs(M, 0, min(count, n) - 1)


def _start(n: int, count: int, start: FloatArray | None) -> FloatArray:
    # random vectors where none are given
    return np.random.default_rng(0).normal(size=(n, count)) if start is None else start


def _rough(M: Any, count: int, start: FloatArray | None, limit: int) -> Eigenpairs:
    """The lowest eigenpairs to a few digits, without a proof, from approximate vectors."""
    rough_residual = 1e-4  # as long as the weights or the bandwidth move
    limit = 40 if start is None else limit
    return davidson(M, _start(M.shape[0], count, start), rough_residual, limit)


class Embedding(NamedTuple):
    """The relaxed labels Y (n, c), the lowest c + 1 eigenvalues (at most n), and eigenvectors."""

    Y: FloatArray
    eigenvalues: FloatArray
    vectors: FloatArray | None = None

    def gap(self, c: int) -> float | None:
        """The eigengap lambda_{c+1} - lambda_c; None for n = c."""
        if len(self.eigenvalues) <= c:
            return None
        return float(self.eigenvalues[c] - self.eigenvalues[c - 1])


def _ratio(values: FloatArray, vectors: FloatArray, c: int) -> Embedding:
    return Embedding(vectors[:, :c] * np.sqrt(len(vectors) / c), values, vectors)


def ratio_embedding(
    problem: Weighted, a: FloatArray, c: int, start: FloatArray | None = None
) -> Embedding:
    """The spectral step for objective ``ratio``, from approximate eigenvectors (n, c + 1)."""
    return _ratio(*_lowest(problem.laplacian(a), c + 1, start), c)


def refined_embedding(
    problem: Weighted, a: FloatArray, c: int, start: FloatArray | None = None
) -> tuple[Embedding, float]:
    """A nearly optimal embedding for objective ``ratio``, and the value Psi of this embedding.

    The method takes at most 4 Davidson steps from the vectors ``start`` (n, c + 1), because the
    weights move, or 40 from random vectors.
    """
    values, vectors, _ = _rough(problem.laplacian(a), c + 1, start, 4)
    total = problem.tau * problem.n / c * float(values[:c].sum())
    return _ratio(values, vectors, c), total + problem.label_free(a)


def normalised_vectors(
    S: Any, c: int, *, rough: bool = False
) -> tuple[FloatArray, FloatArray] | None:
    """The c + 1 lowest eigenvectors (n, c + 1) of I - D^-1/2 S D^-1/2, and their eigenvalues.

    k-means clusters the rows of the first c, divided by their norms (Ng, Jordan and Weiss). The
    diagonal of S is 0, and a dense S is overwritten. Returns None if S has a negative weight or a
    row of degree 0. With ``rough``, eigenvectors of large dense matrices have low accuracy and no
    proof.
    """
    degrees = S.sum(axis=1)
    smallest = (S.data if isinstance(S, sparse.csr_array) else S).min(initial=0.0)
    if not (smallest >= 0 and degrees.min() > 0):
        return None
    M, n = _normal(S, 1.0 / np.sqrt(degrees)), len(degrees)
    if sparse.issparse(M):
        # vectors for k-means: 500 points 5.1 ms, 7.0 with the digits of a descent
        values, vectors = lanczos_by_component(M, c + 1, 1e-5)
    elif rough and n >= LARGE_MATRIX and 3 * (c + 1) <= n:
        values, vectors, _ = _rough(M, c + 1, None, 40)
    else:
        values, vectors = _lowest(M, c + 1)
    return vectors, values


def _normal(S: Any, root: FloatArray) -> Any:
    """I - D^-1/2 S D^-1/2, with ``root`` for D^-1/2; a dense S is overwritten."""
    if isinstance(S, np.ndarray):
        S *= root[:, None]
        S *= -root
        S[np.diag_indices(len(S))] += 1.0
        return S
    # by entries, with their diagonal: 500 points 0.07 ms, 0.43 by products of matrices
    M = S.copy()
    M.data *= -root[M.indices] * np.repeat(root, np.diff(M.indptr))
    M.setdiag(1.0)
    return M


def balanced_embedding(problem: DensityWeighted, a: FloatArray) -> Embedding:
    """The spectral step for objective ``ise``, with y (n, 1)."""
    # the form on the plane 1'y = 0, with the direction 1 moved above all its eigenvalues
    M = problem.form(a)
    rows = M.mean(axis=1)
    shift = 2.0 * float(np.abs(M).sum(axis=1).max(initial=0.0)) + 1.0
    P = M - rows[:, None] - rows + rows.mean() + shift / problem.n
    values, vectors = _lowest((P + P.T) / 2, 2)
    y = vectors[:, :1] - vectors[:, :1].mean()
    y *= np.sqrt(problem.n) / np.linalg.norm(y)
    return Embedding(y, np.concatenate([values[:1], values]))


def normalised_cut(
    problem: Weighted, a: FloatArray, c: int, *, scaled: bool, start: FloatArray | None = None
) -> tuple[float, FloatArray, Embedding]:
    """The value, the gradient (n,) and the spectral step at the weights a (n,) of the function

        V(a) = tau sc sum_{k <= c} lambda_k(I - D^-1/2 S D^-1/2) - a's1 + lam a'|s|a.

    The factor sc is 1 for ``ncut``, and vol/c for ``scaled``. V is differentiable if lambda_c <
    lambda_{c+1}. Degrees leave out the diagonal of S. If a row has degree 0, V is infinite.
    ``start`` (n, c + 1) approximates the eigenvectors.
    """
    # spectral step: the c + 1 lowest eigenvectors of the normalised Laplacian
    S = problem.similarity(a)
    degrees = S.sum(axis=1)
    if not degrees.min() > 0:
        return np.inf, np.zeros_like(a), Embedding(np.zeros((len(a), c)), np.empty(0))
    root, volume = 1.0 / np.sqrt(degrees), float(degrees.sum())
    values, vectors = _lowest(_normal(S, root), c + 1, start)
    low, total = values[:c], float(values[:c].sum())
    Y = vectors[:, :c] * root[:, None]
    scale = volume / c if scaled else 1.0

    def pull(W: FloatArray) -> FloatArray:
        """Gradient of sum W_ij S_ij(a) for symmetric W: 4 (W o s)1 - 4 lam (W o |s|)a."""
        poll()
        if isinstance(problem, SparseWeighted):
            pulled = problem.like(np.where(i == j, 0.0, W) * problem.s.data)
            return np.asarray(4.0 * pulled.sum(axis=1) - 4.0 * problem.lam * (pulled @ a))
        np.fill_diagonal(W, 0.0)
        linear = np.einsum("ij,ij->i", W, problem.s)
        W *= problem.size
        return np.asarray(4.0 * linear - 4.0 * problem.lam * (W @ a))

    # gradient of the eigenvalues: dS(W), W_ij = |Y_i - Y_j|^2 / 2 - (q_i + q_j) / 2
    poll()
    q = (Y * Y) @ low
    if isinstance(problem, SparseWeighted):  # for all edges of s
        i, j = problem.edges
        W = 0.5 * (problem.edge_distances(Y) - q[i] - q[j])
    else:
        W = 0.5 * pair_distances(Y) - 0.5 * np.add.outer(q, q)
    gradient = problem.tau * scale * pull(W)
    if scaled:  # that of the volume
        gradient += problem.tau * total / c * pull(np.ones_like(W))
    gradient += 2.0 * problem.lam * (problem.size @ a) - problem.strength
    value = problem.tau * scale * total + problem.label_free(a)
    return value, gradient, Embedding(Y * np.sqrt(scale), values, vectors)


def normalised_rows(vectors: FloatArray) -> FloatArray:
    """The rows, scaled to norm 1. A row of zeros does not change."""
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors / np.where(norms > 0, norms, 1.0)


def by_first_appearance(codes: IntArray) -> IntArray:
    """The same partition (n,), with clusters numbered by first appearance."""
    _, indices, inverse = np.unique(codes, return_index=True, return_inverse=True)
    rank = np.empty(len(indices), dtype=np.intp)
    rank[np.argsort(indices)] = np.arange(len(indices))
    return rank[inverse]


def spread(points: FloatArray, codes: IntArray) -> float:
    """The sum of squares of points (n, d) around the means of their clusters."""
    return sum(
        float(((points[codes == k] - points[codes == k].mean(axis=0)) ** 2).sum())
        for k in np.unique(codes)
    )


def by_kmeans(
    points: FloatArray, c: int, seed: int, start: IntArray | None = None
) -> tuple[IntArray, float]:
    """The clusters (n,) from k-means, numbered by first appearance, and the within-cluster sum of
    squares.

    If there are fewer than c distinct points, there are fewer than c clusters. Few points have 20
    random starts. Many have one: the means of the clusters ``start`` (n,), or else the points of
    the pivots of a QR factorisation, which are the same for every basis of the eigenvectors (Damle,
    Minden and Ying, Simple, direct and efficient multi-way spectral clustering, 2019).
    """
    from sklearn.cluster import KMeans

    if len(points) < 500 or points.shape[1] < c:
        distinct = len(np.unique(points[:, -1]))
        if distinct < c:
            distinct = len(np.unique(points, axis=0))
        kmeans = KMeans(min(c, distinct), n_init=20, random_state=seed)
    else:
        # 17 data sets have the accuracy that 3 random starts gave: 500 points 0.7 ms, 4.6 by these
        if start is None:
            # rows of equal norms tie, and would be chosen by rounding: the first of them is longest
            tilted = points.T * np.linspace(1.0, 0.999, len(points))
            means = points[linalg.qr(tilted, mode="r", pivoting=True)[1][:c]]
        else:
            means = np.array([points[start == k].mean(axis=0) for k in range(int(start.max()) + 1)])
        means = np.unique(means, axis=0)
        kmeans = KMeans(len(means), n_init=1, init=means, tol=0.0)
    codes = by_first_appearance(kmeans.fit(points).labels_.astype(np.intp))
    return codes, spread(points, codes)


def spectral_clusters(K: Any, c: int) -> tuple[IntArray, FloatArray] | None:
    """Spectral clustering with equal weights, for a similarity K (n, n).

    Returns the clusters (n,), and the vectors D^-1/2 u (n, c + 1) of the eigenvectors u that made
    them. K is dense or sparse, and its diagonal is overwritten. Returns None if K has a negative
    entry, or if all off-diagonal entries of a row are 0.
    """
    if isinstance(K, np.ndarray):
        np.fill_diagonal(K, 0.0)
    else:
        K.setdiag(0.0)
    degrees = np.asarray(K.sum(axis=1))
    pairs = normalised_vectors(K, c, rough=True)
    if pairs is None:
        return None
    # k-means with seed 0, because nobody names one here
    codes = single_threaded(by_kmeans)(normalised_rows(pairs[0][:, :c]), c, 0)[0]
    return codes, pairs[0] / np.sqrt(degrees)[:, None]
