"""Weighted graphs: components, neighbours, harmonic labels, minimum cuts and their bounds.

A graph is a symmetric matrix S (n, n) of weights >= 0; its diagonal is never read.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import numpy as np
from scipy import linalg, sparse
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import cg, splu

from radprog.base.errors import OptionError
from radprog.base.limits import poll
from radprog.base.types import BoolArray, FloatArray, IntArray
from radprog.models.lapack import eigenpairs

# rounds of the semidefinite relaxation of a cut: least, between two looks at its bound, most
LEAST_ROUNDS, ROUNDS_APART, MOST_ROUNDS = 60, 20, 200
PENALTY, OVERSTEP = 50.0, 1.6  # of its augmented Lagrangian, and of the steps of its multiplier
BALANCE, ADAPTED = 2.0, 1.4  # of its residuals, and the factor of the penalty where it is lost


def components(S: Any) -> IntArray:
    """The component number of each vertex (n,); positive weights are edges. S may be sparse."""
    if isinstance(S, csr_array):
        return np.asarray(connected_components(S > 0, directed=False)[1], dtype=np.intp)
    # breadth first on the rows: 4,000 points 0.2 ms, 1.7 s where they become a sparse matrix
    component, number = np.full(len(S), -1, dtype=np.intp), 0
    together = 64  # vertices whose edges are looked at at once
    for root in range(len(S)):
        if component[root] >= 0:
            continue
        component[root], front = number, np.array([root])
        while front.size:
            reached = (S[front[:together]] > 0).any(axis=0) & (component < 0)
            component[reached] = number
            front = np.concatenate([front[together:], np.flatnonzero(reached)])
            if (component >= 0).all():
                return component
        number += 1
    return component


def without_label(S: Any, known: BoolArray) -> BoolArray:
    """A mask (n,) of the vertices in components without a labelled vertex.

    ``known`` (n,) is the mask of labelled vertices.
    """
    component = components(S)
    reached = np.zeros(component.max(initial=-1) + 1, dtype=np.bool_)
    reached[component[known]] = True
    return ~reached[component]


def nearest_neighbours(K: FloatArray, k: int) -> FloatArray:
    """The nearest-neighbour graph: the kernel matrix K with 0 for pairs that are not neighbours.

    Two points are neighbours if one of them is among the k nearest points of the other. All ties
    are kept, so the graph does not depend on the order of the points.
    """
    # the k-th largest similarity of every row, without the diagonal
    n = len(K)
    if not 1 <= k < max(n, 2):
        raise OptionError(f"neighbours {k}: expected 1 to {n - 1} for {n} points")
    off_diagonal = K.copy()
    np.fill_diagonal(off_diagonal, -np.inf)
    threshold = np.sort(off_diagonal, axis=1)[:, n - k]
    adjacent = off_diagonal >= threshold[:, None]
    return np.where(adjacent | adjacent.T | np.eye(n, dtype=np.bool_), K, 0.0)


def harmonic(S: Any, F: FloatArray, known: BoolArray) -> tuple[FloatArray, BoolArray]:
    """The harmonic labels Y (n, c), and the mask (n,) of :func:`without_label`.

    Labelled points have their rows of F (n, c). Every other row is the weighted mean of the rows of
    its neighbours, or 0 if no label reaches the point. The system L_uu Y_u = S_ul F_l is solved by
    sparse factors or conjugate gradients for sparse S, and by a Cholesky factorisation for dense S.
    By the maximum principle all rows are in the convex hull of the rows of F. If the Cholesky
    solution violates this principle, the system is solved again by elimination.
    """
    # rows that a label reaches, and blocks of their Laplacian
    lost = without_label(S, known)
    Y = np.where(known[:, None], F, 0.0)
    free = np.flatnonzero(~known & ~lost)
    if not free.size:
        return Y, lost
    rows = S[free]
    W, pull = rows[:, free], rows[:, np.flatnonzero(known)]
    if isinstance(S, csr_array):
        Y[free] = _by_sparse_system(W - sparse.diags_array(W.diagonal()), pull, F[known])
        return Y, lost
    np.fill_diagonal(W, 0.0)
    solved = _by_cholesky(W, pull, F[known])
    if solved is None:
        # groups that hang by threads of 1e-14: 1,000 points 0.8 s, 0.01 by Cholesky with garbage
        solved = _by_elimination(W, pull @ F[known], pull.sum(axis=1))
    Y[free] = solved
    return Y, lost


def _by_sparse_system(W: Any, pull: Any, labels: FloatArray) -> FloatArray:
    """Solve (diag(W1 + pull 1) - W) Y = pull labels with sparse W, scaled to a unit diagonal."""
    # no degree is 0, for every row is reached by a label
    root = 1.0 / np.sqrt(W.sum(axis=1) + pull.sum(axis=1))
    unit = sparse.diags_array(root)
    A = sparse.eye_array(len(root)) - unit @ W @ unit
    right = root[:, None] * (pull @ labels)
    Y = np.full_like(right, np.nan)
    # few points by sparse factors, unless a pivot is 0: digits 17 ms and 3 rows whose ties of 1e-90
    # rounding hides, 104 ms and 4 rows by conjugate gradients; 5,000 points 140 ms, 90
    if len(root) <= 2500:
        with suppress(RuntimeError):
            mode = {"SymmetricMode": True}
            Y = splu(A.tocsc(), "MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options=mode).solve(right)
    for k in np.flatnonzero(~np.isfinite(Y).all(axis=0)):
        # relative, of labels propagated by conjugate gradients
        Y[:, k], _ = cg(
            A, right[:, k], rtol=1e-12, maxiter=10 * len(root),
            callback=lambda _: poll(),
        )  # fmt: skip
    return np.asarray(np.clip(root[:, None] * Y, labels.min(axis=0), labels.max(axis=0)))


def _by_cholesky(W: FloatArray, pull: FloatArray, labels: FloatArray) -> FloatArray | None:
    """The solution for dense W; None if it violates the maximum principle."""
    # the Laplacian scaled to a unit diagonal
    right = pull @ labels
    degrees = W.sum(axis=1) + pull.sum(axis=1)
    if not degrees.min() > 0:
        return None
    root = 1.0 / np.sqrt(degrees)
    M = W * np.multiply.outer(-root, root)
    np.fill_diagonal(M, 1.0)
    try:
        factor = linalg.cho_factor(M, lower=True, check_finite=False)
    except linalg.LinAlgError:
        return None
    Y = root[:, None] * linalg.cho_solve(factor, right * root[:, None], check_finite=False)
    # maximum principle: values within those of the labels, rows with their sum
    lowest, highest = labels.min(axis=0), labels.max(axis=0)
    outside = max(float((lowest - Y).max()), float((Y - highest).max()))
    sums = labels.sum(axis=1)
    drift = 0.0 if np.ptp(sums) > 0 else float(np.abs(Y.sum(axis=1) - sums[0]).max())
    # how far harmonic values may leave [0, 1], or their rows the sum 1
    if not max(outside, drift) <= 1e-10:
        return None
    return np.asarray(np.clip(Y, lowest, highest))


def _by_elimination(W: FloatArray, right: FloatArray, pull: FloatArray) -> FloatArray:
    """The solution by the star-mesh transform. It eliminates one vertex after another.

    Every weight is a sum of products of weights, so no cancellation occurs (Grassmann, Taksar and
    Heyman).
    """
    n = len(W)
    W, right, pull = W.copy(), right.copy(), pull.copy()
    strength = np.zeros(n)
    # forward: vertex k goes, its edges are shared by those it joined
    for k in range(n - 1, -1, -1):
        poll()
        strength[k] = W[k, :k].sum() + pull[k]
        if not strength[k] > 0:
            continue
        share = W[:k, k] / strength[k]
        W[:k, :k] += np.multiply.outer(share, W[k, :k])
        right[:k] += np.multiply.outer(share, right[k])
        pull[:k] += share * pull[k]
    # backward: every vertex is a mean of those before it
    Y = np.zeros_like(right)
    for k in range(n):
        if strength[k] > 0:
            Y[k] = (right[k] + W[k, :k] @ Y[:k]) / strength[k]
    return Y


def cut(S: Any, codes: IntArray) -> float:
    """The sum of S_ij over the pairs i < j with different codes; S may be sparse."""
    # similarity of every point to every part; the own part is not a cut
    part = np.unique(codes, return_inverse=True)[1]
    to = S @ (part[:, None] == np.arange(part.max(initial=0) + 1)).astype(np.float64)
    to[np.arange(len(codes)), part] = 0.0
    return 0.5 * float(to.sum())


def least_cut(S: FloatArray, codes: IntArray) -> tuple[float, IntArray]:
    """The minimum cut between the terminals of two classes, and a labelling (n,) that attains it.

    ``codes`` (n,) are 0 and 1 at the terminals, and -1 elsewhere. The method is maximum flow
    (networkx). It requires S >= 0. Weights are rounded to multiples of 2^-50 times the largest
    weight, because rounding errors on saturated edges could join parts that the cut separates.
    Raises OptionError if S has a negative weight or a class has no terminal.
    """
    if (S[~np.eye(len(S), dtype=np.bool_)] < 0).any():
        raise OptionError("a least cut needs weights >= 0: with negative ones it is NP-hard")
    if not {0, 1} <= set(codes.tolist()):
        raise OptionError("a least cut needs a terminal of both classes: else it is 0")
    import networkx as nx  # slow to import

    # the graph with whole capacities, its terminals tied to a vertex of their class
    graph = nx.Graph()
    graph.add_nodes_from(range(len(S)))
    rows, columns = np.nonzero(np.triu(S, 1))
    weights = S[rows, columns]
    largest = weights.max(initial=0.0) or 1.0
    # the largest weight as an integer, for exact sums in a maximum flow
    capacities = [round(w) for w in ((2.0**50) * (weights / largest)).tolist()]
    graph.add_weighted_edges_from(
        zip(rows.tolist(), columns.tolist(), capacities, strict=True), "capacity"
    )
    for i, code in enumerate(codes.tolist()):
        if code >= 0:
            graph.add_edge(("class", code), i)  # no capacity: never cut
    _, (side, _) = nx.minimum_cut(graph, ("class", 0), ("class", 1))
    sides = np.array([0 if i in side else 1 for i in range(len(S))], dtype=np.intp)
    return cut(S, sides), sides


def relaxed_cut_bound(S: FloatArray, codes: IntArray) -> float:
    """A lower bound on the cut over all labellings with the cluster sizes m of codes (n,).

    With X (n, k) the indicator of such a labelling, V = X - 1/k and Y = VV', the cut is <L, Y>/2,
    Y_ii = 1 - 1/k, 1'Y1 = sum m^2 - n^2/k, Y_ij >= -1/k, and the eigenvalues omega of V'V are those
    of Y. So for all d, mu and N >= 0, with M = L/2 - diag(d) - mu 11',

        cut >= (1 - 1/k) 1'd + mu (sum m^2 - n^2/k) - 1'N1/k + sum_j omega_j lambda_j(M - N),

    with omega in decreasing and lambda in increasing order. The best d, mu and N are optimal for
    the dual of the semidefinite relaxation (J. Povh, F. Rendl and A. Wiegele 2006). They are
    approximated by alternating directions from the labelling (Z. Wen, D. Goldfarb and W. Yin 2010).
    The rounding errors of the terms are subtracted from the bound.
    """
    # the cost in units of its largest entry; Y of the labelling
    n, sizes = len(S), np.bincount(codes)
    k, L = int((sizes > 0).sum()), np.diag(S.sum(axis=1)) - S
    unit = 0.5 * float(L.max(initial=0.0))
    if k < 2 or not unit > 0:
        return 0.0
    C, share, total = L / (2.0 * unit), 1.0 - 1.0 / k, float((sizes**2).sum()) - n * n / k
    V = (codes[:, None] == np.flatnonzero(sizes)) - 1.0 / k
    omega = np.maximum(np.linalg.eigvalsh(V.T @ V)[::-1], 0.0)
    Y, Z, N, penalty = V @ V.T, np.zeros_like(C), np.zeros_like(C), PENALTY
    # the rounds end unless the bound rises by 2 % of the cut between two looks
    best, value, aim = 0.0, -np.inf, 0.02 * cut(S, codes) / unit
    for step in range(1, MOST_ROUNDS + 1):
        poll()
        # multipliers d of the diagonal and mu of the sum: two equations
        R = C - Z - N - Y / penalty
        rows = np.diag(R) + share / penalty
        mu = (float(R.sum()) + total / penalty - float(rows.sum())) / (n * n - n)
        d = rows - mu
        M = C - mu
        M[np.diag_indices(n)] -= d
        # Z: the positive part of what is left, without its few negative eigenvalues (270 points:
        # 0.2 s of all rounds, 0.4 by all eigenvectors); N: the non-negative one
        Z_raw = M - N - Y / penalty
        try:
            values, vectors = linalg.eigh(Z_raw, subset_by_value=(-np.inf, 0.0), check_finite=False)
        except linalg.LinAlgError:  # LAPACK's syevr fails on some ranges with many equal values
            values, vectors = np.linalg.eigh(Z_raw)
            values = np.minimum(values, 0.0)
        Z = Z_raw - (vectors * values) @ vectors.T
        N = np.maximum(M - Z - (Y + 1.0 / k) / penalty, 0.0)
        # the multiplier Y
        residual = M - Z - N
        Y -= OVERSTEP * penalty * residual
        if step % ROUNDS_APART:
            continue
        # the bound at d, mu and N, whatever the rounds have come to, less rounding errors
        previous, A = value, M - N
        low = eigenpairs((A + A.T) / 2.0, 0, k - 1)[0]
        value = share * d.sum() + mu * total - N.sum() / k + float(omega @ low)
        terms = (
            np.abs(d).sum() + abs(mu) * n * n + N.sum() + omega.sum() * np.abs(A).sum(axis=1).max()
        )
        best = max(best, value - 8.0 * n * np.finfo(float).eps * float(terms))
        if step >= LEAST_ROUNDS and value < previous + aim:
            break
        # balance how far Y and the multipliers are from their constraints
        violation = np.linalg.norm(np.diag(Y) - share) / np.sqrt(n) + abs(Y.sum() - total) / n**2
        gap = np.linalg.norm(residual) / np.linalg.norm(C)
        if violation < gap / BALANCE:
            penalty *= ADAPTED
        elif violation > gap * BALANCE:
            penalty /= ADAPTED
    return unit * best


def cut_bound(S: FloatArray, sizes: Sequence[int], eigenvalues: FloatArray | None = None) -> float:
    """A lower bound on the cut over all labellings with clusters of these sizes, for S >= 0.

    The bound is half the sum of m_k lambda_k(L), with sizes m_1 >= m_2 >= ... and eigenvalues in
    increasing order (Donath and Hoffman). The rounding error of the eigenvalues is subtracted.
    ``eigenvalues`` may supply the lowest eigenvalues of L in increasing order, at least one per
    cluster.
    """
    n, degrees = len(S), S.sum(axis=1)
    lowest = eigenvalues
    if lowest is None:
        lowest = eigenpairs(np.diag(degrees) - S, 0, len(sizes) - 1)[0]
    # eigenvalues less their rounding errors, sizes from the largest down
    rounding = 8.0 * n * np.finfo(float).eps * 2.0 * float(degrees.max(initial=0.0))
    values = np.maximum(lowest[: len(sizes)] - rounding, 0.0)
    return 0.5 * float(np.sort(np.array(sizes))[::-1] @ values)
