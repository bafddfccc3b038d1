"""Results of a clustering, and the conversion of a relaxed labelling to labels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy

from radprog.base.limits import single_threaded
from radprog.base.types import FloatArray, IntArray
from radprog.decompositions.loop import Reason, Record
from radprog.decompositions.run import SolverUse
from radprog.models.similarity.spectral import Embedding, normalised_vectors


@dataclass(frozen=True, kw_only=True)
class Relaxed:
    """The end point of a method: weights a (n,), their embedding and the objective.

    All arrays are in the order of the problem. The objective is None if it was not evaluated.
    ``eigenvalues`` are the eigenvalues of the Laplacian at a. ``lowest`` is the smallest eigenvalue
    of the last nonconvex weight step.
    """

    a: FloatArray
    embedding: Embedding
    objective: float | None
    reason: Reason
    trace: Sequence[Record] | None
    eigenvalues: FloatArray | None = None
    lowest: float | None = None
    solver: SolverUse = field(default_factory=lambda: SolverUse("scipy", scipy.__version__, {}))


@dataclass(frozen=True, kw_only=True)
class Clustering(Relaxed):
    """An end point with labels ``codes`` (n,). ``bound`` is a bound on the optimum of the discrete
    problem.
    """

    codes: IntArray
    bound: float | None = None
    eigengap: float | None = None
    distortion: float | None = None
    evidence: dict[str, Any]


def normalised_rows(vectors: FloatArray) -> FloatArray:
    """The rows, scaled to norm 1. A row of zeros does not change."""
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors / np.where(norms > 0, norms, 1.0)


def by_first_appearance(codes: IntArray) -> IntArray:
    """The same partition (n,), with clusters numbered by first appearance."""
    _, first, inverse = np.unique(codes, return_index=True, return_inverse=True)
    rank = np.empty(len(first), dtype=np.intp)
    rank[np.argsort(first)] = np.arange(len(first))
    return rank[inverse]


def spread(points: FloatArray, codes: IntArray) -> float:
    """The sum of squares of points (n, d) around the means of their clusters."""
    return sum(
        float(((points[codes == k] - points[codes == k].mean(axis=0)) ** 2).sum())
        for k in np.unique(codes)
    )


def by_kmeans(points: FloatArray, c: int, seed: int) -> tuple[IntArray, float]:
    """The clusters (n,) from k-means, numbered by first appearance, and the within-cluster sum of
    squares.

    If there are fewer than c distinct points, there are fewer than c clusters.
    """
    from sklearn.cluster import KMeans

    distinct = len(np.unique(points[:, -1]))
    if distinct < c:
        distinct = len(np.unique(points, axis=0))
    # k-means starts
    means = KMeans(n_clusters=min(c, distinct), n_init=20, random_state=seed).fit(points)
    codes = by_first_appearance(means.labels_.astype(np.intp))
    return codes, spread(points, codes)


def spectral_clusters(K: Any, c: int) -> IntArray | None:
    """The clusters (n,) from spectral clustering with equal weights, for a similarity K (n, n).

    K is dense or sparse, and its diagonal is overwritten. Returns None if K has a negative entry,
    or if all off-diagonal entries of a row are 0.
    """
    if isinstance(K, np.ndarray):
        np.fill_diagonal(K, 0.0)
    else:
        K.setdiag(0.0)
    pairs = normalised_vectors(K, c, rough=True)
    if pairs is None:
        return None
    # of k-means where nobody names one
    return single_threaded(by_kmeans)(normalised_rows(pairs[0]), c, 0)[0]
