"""The numbers mu* and d* of Theorem 1 (iii) of Boosting the kernelized shapelets (Suehiro et al.).

No bound of a result needs them: docs/explanation/notes/series.md says why.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import numpy as np
from scipy.optimize import nnls

from radprog.base.types import FloatArray, IntArray

MOST_ORDERED = 8  # patterns whose orders are enumerated


def vc_dimension(kind: str, patterns: FloatArray) -> int:
    """The number d* of Theorem 1: the VC dimension of v -> sign<u, v> for differences v of images.

    The images belong to the patterns (n, l). Half-spaces through 0 shatter a set of vectors if and
    only if it is linearly independent, so d* is the rank of the differences. For kind ``linear``
    the rank is at most l. For ``gauss`` it is the number of distinct patterns minus 1, because
    their images are linearly independent.
    """
    if kind == "linear":
        return int(np.linalg.matrix_rank(patterns - patterns[0]))
    return len(np.unique(patterns, axis=0)) - 1


def cell_margin(K: FloatArray) -> tuple[float, float]:
    """A lower and an upper bound on the number mu* of Theorem 1 for the ball |u| <= 1 and the
    kernel matrix K (n, n). They are equal after an enumeration.

    mu* = min over cells I of max_(u in I, |u| <= 1) min_v |<u, v>| over the differences v of
    the images of the patterns. A cell is an order of the values <u, Phi(z_k)>. The smallest
    differences occur between neighbours in this order. The margin of a cell is thus
    the distance of 0 from the convex hull of these n - 1 differences. For up to 8 distinct patterns
    all orders are enumerated. For more patterns, the margin of one order is the upper bound.
    Equally spaced values give the lower bound sqrt(12 lambda / (n (n^2 - 1))). Here lambda
    is the smallest eigenvalue of the centred K apart from that of the constant vector.

    >>> import numpy as np
    >>> cell_margin(np.eye(3))[1] ** -2  # three orthonormal images: n (n^2 - 1) / 12
    2.0
    """
    empty_cell = 1e-7  # margin, as a share of the largest norm, of a cell that does not exist
    # one of several equal patterns: their difference is not a hyperplane
    norms = np.diagonal(K)
    equal = norms[:, None] + norms - 2.0 * K <= empty_cell**2 * norms.max()
    K = K[np.ix_(*2 * (np.flatnonzero(equal.argmax(axis=1) == np.arange(len(K))),))]
    n = len(K)
    # images in coordinates, from their mean: eigenvectors times roots of eigenvalues
    centring = np.eye(n) - 1.0 / n
    values, vectors = np.linalg.eigh(centring @ K @ centring)
    images = vectors * np.sqrt(values.clip(0.0))

    def margin(order: Sequence[int] | IntArray) -> float:
        """Return sqrt(c), where c is the smallest |V'p|^2 over p >= 0 with sum 1.

        Least squares with a row for the sum have the value c / (1 + c).
        """
        V = np.diff(images[np.asarray(order)], axis=0) / np.sqrt(norms.max())
        residual = nnls(np.vstack([V.T, np.ones(n - 1)]), np.append(np.zeros(n), 1.0))[1]
        square = residual**2 / max(1.0 - residual**2, np.finfo(float).tiny)
        return float(np.sqrt(square * norms.max()))

    if n <= MOST_ORDERED:
        # an order and its reverse are a cell and its negative
        orders = (p for p in itertools.permutations(range(n)) if p[0] < p[-1])
        margins = np.array([margin(order) for order in orders])
        least = float(margins[margins > empty_cell * math.sqrt(norms.max())].min())
        return least, least
    lower = math.sqrt(12.0 * max(float(values[1]), 0.0) / (n * (n * n - 1.0)))
    return lower, max(lower, margin(np.argsort(vectors[:, 1])))
