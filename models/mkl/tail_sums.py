"""Tail sums of eigenvalues T(K) = sum_{j > theta} lambda_j(K), and their supergradients.

T is concave and positively homogeneous in K, hence superadditive. With u_1..u_theta eigenvectors
of the largest eigenvalues, T(K) = tr K - sum_j u_j'K u_j, and K' -> tr K' - sum_j u_j'K'u_j is a
supergradient: it is T(K) at K and at least T(K') at every other K'.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import linalg

from radprog.base.errors import OptionError
from radprog.base.limits import poll
from radprog.base.tolerances import ZERO_OF_SIZE
from radprog.base.types import FloatArray
from radprog.models.lapack import eigenpairs

CANCELLED_TRACE = 1e-6  # below this share of the trace, trace minus top has lost too many digits
LANCZOS_TOLERANCE = 1e-10  # relative residual of an eigenpair; eigenvalues are better by far
LANCZOS_EXHAUSTED = 1e-6  # relative length of a new direction that rounding errors may have made
LANCZOS_NEXT = 1e-3  # relative residual of the next eigenvalue, for the gap alone

LANCZOS_POINTS = 600  # from this many points on, few eigenvalues are found by Lanczos
LANCZOS_LARGEST = 64  # largest theta for Lanczos
LANCZOS_MORE = 4  # vectors of a block beyond theta
LANCZOS_BLOCKS = 40  # after which LAPACK takes over


@dataclass(frozen=True)
class Tail:
    """T(K), the orthonormal vectors (n, k) it is taken with, and lambda_theta - lambda_{theta+1}.

    value = tr K - sum_j u_j'K u_j over the columns of ``vectors`` (``top``), or sum_j u_j'K u_j
    (not ``top``: the vectors of the tail itself). A gap of 0 is a tie: T is unique, vectors are
    not; infinite where theta is 0.
    """

    value: float
    vectors: FloatArray
    top: bool
    gap: float

    def of(self, K: FloatArray) -> FloatArray:
        """The supergradient at other matrices K (M, n, n): (M,)."""
        n, k = self.vectors.shape
        products = (K.reshape(-1, n) @ self.vectors).reshape(len(K), n, k)
        explained: FloatArray = np.einsum("mij,ij->m", products, self.vectors)
        return np.trace(K, axis1=1, axis2=2) - explained if self.top else explained


def spectrum(K: FloatArray) -> FloatArray:
    """All eigenvalues (n,) of a symmetric K (n, n), largest first."""
    return np.asarray(np.linalg.eigvalsh(K)[::-1], dtype=np.float64)


def tail_of_spectrum(eigenvalues: FloatArray, theta: int) -> float:
    """sum_{j > theta} of eigenvalues (n,) in descending order."""
    return float(eigenvalues[theta:].sum())


def tail_sum(K: FloatArray, theta: int) -> float:
    """T(K) for symmetric K (n, n): Lanczos for few eigenvalues of a large matrix, else LAPACK.

    Raises OptionError unless 0 <= theta < n.
    """
    _check(len(K), theta)
    if theta == 0:
        return float(np.trace(K))
    if _by_lanczos(len(K), theta):
        found = _lanczos(K, theta)
        if found is not None:
            trace, value = float(np.trace(K)), float(np.trace(K) - found[0].sum())
            if value > CANCELLED_TRACE * trace:
                return value
    return tail_of_spectrum(spectrum(K), theta)


def tail(K: FloatArray, theta: int) -> Tail:
    """T(K) with its eigenvectors: those of the top, or of the tail where the tail is tiny.

    Raises OptionError unless 0 <= theta < n.
    """
    n, trace = len(K), float(np.trace(K))
    _check(n, theta)
    if theta == 0:
        return Tail(trace, np.zeros((n, 0)), True, np.inf)
    found = _lanczos(K, theta) if _by_lanczos(n, theta) else None
    if found is None:
        values, vectors = eigenpairs(K, n - theta - 1, n - 1)
        found = values[:0:-1], vectors[:, :0:-1], float(values[1] - values[0])
    top, vectors, gap = found
    value = trace - float(top.sum())
    if value > CANCELLED_TRACE * trace:
        return Tail(value, vectors, True, gap)
    values, vectors = eigenpairs(K, 0, n - theta - 1)
    return Tail(float(values.sum()), vectors, False, gap)


def rank(eigenvalues: FloatArray) -> int:
    """How many of the eigenvalues (n,), descending, are not rounding errors of the largest."""
    return int((eigenvalues > len(eigenvalues) * ZERO_OF_SIZE * max(eigenvalues[0], 0.0)).sum())


def _check(n: int, theta: int) -> None:
    if not 0 <= theta < n:
        raise OptionError(f"theta {theta}: expected 0 <= theta < {n}, the number of points")


def _by_lanczos(n: int, theta: int) -> bool:
    return n >= LANCZOS_POINTS and theta <= LANCZOS_LARGEST


def _lanczos(K: FloatArray, theta: int) -> tuple[FloatArray, FloatArray, float] | None:
    """The theta largest eigenvalues, their vectors and the gap to the next; None where unsure.

    Block Lanczos with full orthogonalisation. theta + LANCZOS_MORE random vectors see as many
    copies of a multiple eigenvalue, and every product with K is one of matrices.
    """
    n, width = len(K), theta + LANCZOS_MORE
    most = min(LANCZOS_BLOCKS, n // (2 * width))
    basis = np.empty((n, (most + 1) * width), order="F")
    H = np.zeros((most * width, most * width))
    block = linalg.qr(
        np.random.default_rng(0).standard_normal((n, width)), mode="economic", check_finite=False
    )[0]
    for j in range(most):
        poll()
        first, end = j * width, (j + 1) * width
        basis[:, first:end] = block
        image, known = K @ block, basis[:, :end]
        for _ in range(2):
            part = known.T @ image
            H[:end, first:end] += part
            image -= known @ part
        block, coupling = linalg.qr(image, mode="economic", check_finite=False)
        lengths = np.abs(np.diag(coupling))
        if (
            lengths.min() < LANCZOS_EXHAUSTED * abs(H[:end, :end]).max()
        ):  # of a short image only noise
            block -= known @ (known.T @ block)
            block = linalg.qr(block, mode="economic", check_finite=False)[0]
        if end < 2 * width:
            continue
        values, y = linalg.eigh(
            H[:end, :end], lower=False, subset_by_index=(end - theta - 1, end - 1)
        )
        if len(values) <= theta:  # LAPACK misses some of a flat spectrum
            return None
        residuals = np.linalg.norm(coupling @ y[first:end], axis=0)
        scale = abs(float(values[-1]))
        if (
            residuals[1:].max() <= LANCZOS_TOLERANCE * scale
            and residuals[0] <= LANCZOS_NEXT * scale
        ):
            vectors = known @ y[:, :0:-1]
            return values[:0:-1], vectors, float(values[1] - values[0])
    return None
