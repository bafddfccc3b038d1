"""The bandwidth of a clustering where none is given: from the points and the number of clusters."""

from __future__ import annotations

import numpy as np

from radprog.decompositions.similarity.labelling import by_kmeans, normalised_rows
from radprog.decompositions.threads import single_threaded
from radprog.instances.limits import bounded
from radprog.models.similarity.problem import Distances
from radprog.models.similarity.spectral import normalised_vectors

NEIGHBOUR = 7  # whose distance, the median over the points, is the narrowest bandwidth tried
WIDENING = 2.0**0.5  # from one bandwidth tried to the next
WIDEST = 1.5  # times the median distance, up to which bandwidths are tried
SPLINTER = 0.1  # share of n/c below which a cluster is one of outliers
SEED = 0  # of k-means


def chosen_bandwidth(every: Distances, c: int) -> float:
    """The narrowest bandwidth under which no cluster is a splinter.

    From the median distance to the seventh nearest other point, wider by sqrt(2) at a time, up to
    1.5 times the median distance of all: the first where spectral clustering at equal weights
    leaves at least a tenth of n/c points in every cluster, so that no handful of outliers takes
    one; else the first under which every point is similar to another.
    """
    median = every.median
    width, joined = every.reach(NEIGHBOUR) or median / 4, None
    while joined is None or width <= WIDEST * median:
        K = every.gram(width)
        np.fill_diagonal(K, 0.0)
        found = normalised_vectors(K, c)
        if found is not None or len(K) == 1:
            joined = joined or width
            rows = normalised_rows(found[0] if found is not None else K)
            codes, _ = bounded(single_threaded(by_kmeans), rows, c, SEED)
            if np.bincount(codes, minlength=c).min() >= SPLINTER * len(K) / c:
                return width
        width *= WIDENING
    return joined
