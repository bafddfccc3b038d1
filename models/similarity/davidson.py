"""Lowest eigenpairs of a symmetric matrix from vectors near them, and a proof that none is missed.

The method of E. R. Davidson (1975) on blocks: Rayleigh and Ritz in the space of the start and of
all residuals since, each divided by the diagonal.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from radprog.base.limits import poll
from radprog.base.tolerances import UNIT_ROUNDOFF
from radprog.base.types import FloatArray
from radprog.models.lapack import positive_definite

MOST_BLOCKS = 5  # of the basis, in vectors sought, before it shrinks to two of them


class Pairs(NamedTuple):
    """Values (k,) ascending, orthonormal vectors (n, k), norms of their residuals (k,)."""

    values: FloatArray
    vectors: FloatArray
    residuals: FloatArray


def lowest_near(
    product: Callable[[FloatArray], FloatArray],
    diagonal: FloatArray,
    start: FloatArray,
    *,
    tolerance: float,
    most: int,
) -> Pairs:
    """Eigenpairs of a symmetric matrix (n, n) near its lowest, from linearly independent vectors
    (n, k), 3k <= n, until no residual is larger than ``tolerance``, or after ``most`` products.

    product: the matrix times a block (n, k); diagonal (n,), positive: of the matrix, or near it.
    """
    n, k = start.shape
    passes = 1 if start.dtype == np.float32 else 2  # which make vectors orthogonal to rounding
    basis = np.linalg.qr(start)[0]
    image = product(basis)
    for step in range(most + 1):
        poll()
        values, rotation = np.linalg.eigh(basis.T @ image)
        vectors, moved = basis @ rotation[:, :k], image @ rotation[:, :k]
        residual = moved - vectors * values[:k]
        norms = np.linalg.norm(residual, axis=0)
        if step == most or norms.max() <= tolerance:
            break
        if basis.shape[1] + k > min(MOST_BLOCKS * k, n):
            basis, image = basis @ rotation[:, : 2 * k], image @ rotation[:, : 2 * k]
        apart = norms > tolerance
        added = residual[:, apart] / (diagonal[:, None] * norms[apart])
        for _ in range(passes):
            added -= basis @ (basis.T @ added)
            added = np.linalg.qr(added)[0]
        basis, image = np.hstack([basis, added]), np.hstack([image, product(added)])
    return Pairs(values[:k], vectors, norms)


def least_error(M: FloatArray, found: Pairs) -> float | None:
    """By how much the lowest eigenvalues of M (n, n) may lie below the values found, number by
    number and all but the last, or None where some may be missed.

    A Cholesky factorisation shows M - s I to be positive definite, by more than its rounding errors
    (at most n roundoffs of the trace), on all that is orthogonal to these vectors V; s is next to
    the last value less its residual. So M has the eigenvalues of V'MV and others from s on, but for
    blocks beside the diagonal, the residuals R: they lower none by more than |R|^2 / (s - it).
    """
    n, values, low = len(M), found.values, found.vectors[:, :-1]
    spread = 2.0 * (float(np.abs(M.diagonal()).max()) + abs(float(values[-1])))
    shift = float(values[-1] - found.residuals[-1]) - 2.0 * n * n * UNIT_ROUNDOFF * spread
    if not shift > values[-2]:
        return None
    shifted = (low * spread) @ low.T
    shifted += M
    shifted[np.diag_indices(n)] -= shift
    if not positive_definite(shifted):
        return None
    return float(found.residuals[:-1] @ found.residuals[:-1]) / (shift - float(values[-2]))
