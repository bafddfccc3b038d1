"""In-place factorisations and partial spectra with LAPACK from scipy."""

from __future__ import annotations

import numpy as np

from radprog.base.limits import poll, poll_eigendecomposition
from radprog.base.types import FloatArray

LARGE_MATRIX = 400  # points from which Lanczos may beat a whole spectrum


def positive_definite(M: FloatArray) -> bool:
    """Whether a Cholesky factorisation of a symmetric, contiguous M (n, n) succeeds; overwrites
    M."""
    from scipy.linalg.lapack import dpotrf  # help is shown without scipy

    poll()
    # the transpose is in the order of columns, which LAPACK takes without a copy
    _, info = dpotrf(M.T, lower=1, clean=0, overwrite_a=1)
    return bool(info == 0)


def eigenpairs(M: FloatArray, first: int, last: int) -> tuple[FloatArray, FloatArray]:
    """The eigenvalues ``first`` to ``last`` of a symmetric M (n, n), and their eigenvectors.

    Eigenvalues are counted from 0 in increasing order. The vectors are (n, last - first + 1).
    """
    from scipy.linalg import LinAlgError, eigh

    poll_eigendecomposition(len(M))
    try:
        values, vectors = eigh(M, subset_by_index=(first, last), check_finite=False)
    except LinAlgError:
        values = np.empty(0)
    if len(values) <= last - first:
        # dsyevr misses some, as of an identity with rounding errors beside its diagonal
        values, vectors = np.linalg.eigh(M)
        values, vectors = values[first : last + 1], vectors[:, first : last + 1]
    return values, vectors
