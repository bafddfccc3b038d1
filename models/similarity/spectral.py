"""Spectral steps: the relaxed labelling Y that is best for given weights, and what it says of them.

ratio   min over Y'Y = (n/c) I of Psi(a, Y): Y = sqrt(n/c) times the c lowest eigenvectors of L;
ncut    min over Y'DY = I: Y = D^-1/2 U, U the c lowest of I - D^-1/2 S D^-1/2;
scaled  the same with Y'DY = (vol/c) I, vol = 1'D1, which an indicator of equal volumes meets;
ise     min of y'My over y'y = n, 1'y = 0 (balance): y = sqrt(n) times the lowest eigenvector.

The constraints of ncut and scaled move with the weights, so alternating does not descend there:
:class:`NormalisedCut` is the minimum over Y as a function of the weights alone, with its gradient.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from radprog.base.errors import DataError, SolverError
from radprog.base.limits import poll
from radprog.base.tolerances import LEAST_DIVISOR, UNIT_ROUNDOFF
from radprog.base.types import FloatArray
from radprog.models.lapack import LARGE_MATRIX, eigenpairs
from radprog.models.similarity.davidson import Pairs, least_error, lowest_near
from radprog.models.similarity.problem import DensityWeighted, Weighted, pair_distances
from radprog.models.similarity.sparse import SparseWeighted, lanczos_pairs, lowest_pairs

# residuals of eigenvectors, relative to the largest entry of the diagonal:
PROVED_EIGENPAIRS = 3e-9  # where a proof follows
REFINED_EIGENPAIRS = 1e-4  # as long as the weights move
ROUGH_EIGENPAIRS = 1e-4  # where a bandwidth is chosen
SMALLEST_SCALE = 1e-8  # of the largest degree, that a smaller one counts as where it divides

REFINING_STEPS = 6  # of the method of Davidson, from vectors that are near
CONVERGING_STEPS = 40  # of it where it is to converge
DENSE_RESTARTS = 3  # of Lanczos, before LAPACK is the quicker
SEED = 0  # of its first vectors where none are near


class Room(NamedTuple):
    """Arrays (n, n) that serve one step after the other: new ones take as long as filling them."""

    whole: FloatArray
    single: NDArray[np.float32]

    @staticmethod
    def of(n: int) -> Room:
        """For n points."""
        return Room(np.empty((n, n)), np.empty((n, n), dtype=np.float32))


class Embedding(NamedTuple):
    """Y (n, c) and the lowest c + 1 eigenvalues (or n); of objective ratio their vectors too."""

    Y: FloatArray
    eigenvalues: FloatArray
    vectors: FloatArray | None = None

    def gap(self, c: int) -> float | None:
        """lambda_{c+1} - lambda_c; None with n = c."""
        if len(self.eigenvalues) <= c:
            return None
        return float(self.eigenvalues[c] - self.eigenvalues[c - 1])


def _lowest(M: Any, count: int) -> tuple[FloatArray, FloatArray]:
    """The lowest eigenpairs: of a large dense matrix those of Lanczos where a proof shows that none
    is missed, else all by LAPACK."""
    poll()
    if sparse.issparse(M):
        return lowest_pairs(M, count)
    n = len(M)
    if n >= LARGE_MATRIX and 3 * count <= n:
        try:
            values, vectors = lanczos_pairs(M, count, DENSE_RESTARTS)
        except SolverError:
            pass
        else:
            norms = np.linalg.norm(M @ vectors - vectors * values, axis=0)
            if _proved(M, Pairs(values, vectors, norms)):
                return values, vectors
    return eigenpairs(M, 0, min(count, n) - 1)


def _proved(M: FloatArray, found: Pairs) -> bool:
    """Whether no eigenvalue is missed, and none below the value found by more than rounding."""
    error = least_error(M, found)
    return error is not None and error <= UNIT_ROUNDOFF * len(M) * float(np.abs(M.diagonal()).max())


def _near(L: Any, start: FloatArray, tolerance: float, most: int) -> Pairs:
    """Lowest eigenpairs of L (n, n), near vectors (n, k); tolerance: relative to the diagonal."""
    degrees = L.diagonal()
    top = max(float(degrees.max()), LEAST_DIVISOR)
    scale = np.maximum(degrees, SMALLEST_SCALE * top)
    return lowest_near(lambda B: L @ B, scale, start, tolerance=tolerance * top, most=most)


def _roughly(
    L: Any, start: FloatArray, tolerance: float, most: int, room: Room | None = None
) -> Pairs:
    """The same of few digits: of a dense L by vectors in single precision, to which Rayleigh and
    Ritz are applied in double."""
    if not sparse.issparse(L):
        single: Any = np.empty(L.shape, dtype=np.float32) if room is None else room.single
        np.copyto(single, L, casting="same_kind")
        found = _near(single, start.astype(np.float32), tolerance, most)
        start, most = found.vectors.astype(np.float64), 0
    return _near(L, start, tolerance, most)


def ratio_embedding(
    problem: Weighted,
    a: FloatArray,
    c: int,
    start: FloatArray | None = None,
    room: Room | None = None,
) -> Embedding:
    """The spectral step of objective ratio; start (n, c + 1): vectors near those of all pairs, from
    which they may be found sooner, and proved to be the lowest."""
    L = problem.laplacian(a, room and room.whole)
    if sparse.issparse(L):
        return _ratio(*_lowest(L, c + 1), c)
    if start is not None:
        found = _near(L, start, PROVED_EIGENPAIRS, CONVERGING_STEPS)
        if _proved(L, found):
            return _ratio(found.values, found.vectors, c)
    poll()
    return _ratio(*eigenpairs(L, 0, min(c + 1, len(L)) - 1), c)


def _ratio(values: FloatArray, vectors: FloatArray, c: int) -> Embedding:
    return Embedding(vectors[:, :c] * np.sqrt(len(vectors) / c), values, vectors)


def refined_embedding(
    problem: Weighted,
    a: FloatArray,
    c: int,
    start: FloatArray | None = None,
    room: Room | None = None,
) -> tuple[Embedding, float]:
    """An embedding for objective ratio near the best in a fraction of the time, and Psi there: by
    the method of Davidson, a few steps from vectors (n, c + 1), or more from random ones."""
    most = REFINING_STEPS
    if start is None:
        start, most = np.random.default_rng(SEED).normal(size=(problem.n, c + 1)), CONVERGING_STEPS
    found = _roughly(
        problem.laplacian(a, room and room.whole), start, REFINED_EIGENPAIRS, most, room
    )
    embedding = _ratio(found.values, found.vectors, c)
    total = problem.tau * problem.n / c * float(found.values[:c].sum())
    return embedding, total + problem.label_free(a)


def normalised_vectors(
    S: Any, c: int, *, rough: bool = False
) -> tuple[FloatArray, FloatArray] | None:
    """The c lowest eigenvectors (n, c) of I - D^-1/2 S D^-1/2, and c + 1 of its eigenvalues (or n).

    Its rows, divided by their norms, are what k-means separates (Ng, Jordan and Weiss). S without
    diagonal, overwritten where it is dense. None where S has a negative weight or a row of degree
    0. rough: of many points to few digits, without a proof.
    """
    degrees = S.sum(axis=1)
    least = (S.data if isinstance(S, sparse.csr_array) else S).min(initial=0.0)
    if not (least >= 0 and degrees.min() > 0):
        return None
    M, n = _normal(S, 1.0 / np.sqrt(degrees)), len(degrees)
    if rough and not sparse.issparse(M) and n >= LARGE_MATRIX and 3 * (c + 1) <= n:
        start = np.random.default_rng(SEED).normal(size=(n, c + 1))
        values, vectors, _ = _roughly(M, start, ROUGH_EIGENPAIRS, CONVERGING_STEPS)
    else:
        values, vectors = _lowest(M, c + 1)
    return vectors[:, :c], values


def _normal(S: Any, root: FloatArray) -> Any:
    """I - D^-1/2 S D^-1/2, root being D^-1/2; a dense S is overwritten."""
    if sparse.issparse(S):
        unit: Any = sparse.diags_array(root)
        return (sparse.eye_array(len(root)) - unit @ S @ unit).tocsr()
    S *= root[:, None]
    S *= -root
    S[np.diag_indices(len(S))] += 1.0
    return S


def balanced_embedding(problem: DensityWeighted, a: FloatArray) -> Embedding:
    """The spectral step of objective ise; y is (n, 1)."""
    M = problem.form(a)
    rows = M.mean(axis=1)
    shift = 2.0 * float(np.abs(M).sum(axis=1).max(initial=0.0)) + 1.0
    P = M - rows[:, None] - rows + rows.mean() + shift / problem.n
    values, vectors = _lowest((P + P.T) / 2, 2)
    y = vectors[:, :1] - vectors[:, :1].mean()
    y *= np.sqrt(problem.n) / np.linalg.norm(y)
    return Embedding(y, np.concatenate([values[:1], values]))


@dataclass(frozen=True, kw_only=True)
class CutPoint:
    """The value V at some weights, its gradient (n,), the embedding and the degrees (n,)."""

    value: float
    gradient: FloatArray
    embedding: Embedding
    degrees: FloatArray


@dataclass(frozen=True, kw_only=True, eq=False)
class NormalisedCut:
    """V(a) = tau sc sum_{k <= c} lambda_k(I - D^-1/2 S D^-1/2) - a's1 + lam a'|s|a.

    sc = 1 (ncut) or vol/c (scaled). Differentiable where lambda_c < lambda_{c+1}.
    loops: degrees include the diagonal of S, as printed.
    """

    problem: Weighted
    c: int
    scaled: bool
    loops: bool = False

    def __call__(self, a: FloatArray) -> CutPoint:
        """Value, gradient and spectral step at a; DataError naming a row of degree 0."""
        problem, c = self.problem, self.c
        S = problem.similarity(a, loops=self.loops)
        degrees = S.sum(axis=1)
        if not degrees.min() > 0:
            raise ZeroDegreeError(int(degrees.argmin()))
        root = 1.0 / np.sqrt(degrees)
        volume = float(degrees.sum())
        values, vectors = _lowest(_normal(S, root), c + 1)
        poll()
        low = values[:c]
        Y = vectors[:, :c] * root[:, None]
        scale = volume / c if self.scaled else 1.0
        total = float(low.sum())
        q = (Y * Y) @ low
        W = self._pairs(Y, q)
        poll()
        gradient = problem.tau * scale * self._pull(W, a)
        if self.scaled:
            gradient += problem.tau * total / c * self._pull(np.ones_like(W), a)
        gradient += 2.0 * problem.lam * (problem.size @ a) - problem.strength
        value = problem.tau * scale * total + problem.label_free(a)
        embedding = Embedding(Y * np.sqrt(scale), values)
        return CutPoint(value=value, gradient=gradient, embedding=embedding, degrees=degrees)

    def _pairs(self, Y: FloatArray, q: FloatArray) -> FloatArray:
        """|Y_i - Y_j|^2 / 2 - (q_i + q_j) / 2 of all pairs, or of the edges (entries of s)."""
        if isinstance(self.problem, SparseWeighted):
            i, j = self.problem.edges
            return 0.5 * (self.problem.edge_distances(Y) - q[i] - q[j])
        return 0.5 * pair_distances(Y) - 0.5 * np.add.outer(q, q)

    def _pull(self, W: FloatArray, a: FloatArray) -> FloatArray:
        """Gradient of sum W_ij S_ij(a) for symmetric W: 4 (W o s)1 - 4 lam (W o |s|)a."""
        if isinstance(self.problem, SparseWeighted):
            i, j = self.problem.edges
            kept = W if self.loops else np.where(i == j, 0.0, W)
            pulled = self.problem.like(kept * self.problem.s.data)
            return np.asarray(4.0 * pulled.sum(axis=1) - 4.0 * self.problem.lam * (pulled @ a))
        if not self.loops:
            np.fill_diagonal(W, 0.0)
        first = np.einsum("ij,ij->i", W, self.problem.s)
        W *= self.problem.size
        return np.asarray(4.0 * first - 4.0 * self.problem.lam * (W @ a))


class ZeroDegreeError(DataError):
    """A row has degree 0 at some weights; ``row`` of the problem."""

    def __init__(self, row: int) -> None:
        super().__init__(f"row {row} has degree 0: use a larger bandwidth")
        self.row = row
