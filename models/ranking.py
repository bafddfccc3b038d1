"""The ranking quality of scores for two classes."""

from __future__ import annotations

import numpy as np

from radprog.base.errors import DataError
from radprog.base.types import FloatArray


def area_under_curve(scores: FloatArray, y: FloatArray) -> float:
    """The area under the receiver operating characteristic of scores (n,) for labels y (n,).

    It is the probability that a point of class +1 has a higher score than a point of class -1.
    Equal scores count one half. Raises DataError if a class is missing.
    """
    positive = y > 0
    p, n = int(positive.sum()), int((~positive).sum())
    if p == 0 or n == 0:
        raise DataError("a ranking of two classes needs points of both")
    # ranks, of equal scores their mean; Mann and Whitney's statistic over all pairs
    _, place, ties = np.unique(scores, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(ties) - (ties - 1) / 2.0)[place]
    return (float(ranks[positive].sum()) - p * (p + 1) / 2) / (p * n)
