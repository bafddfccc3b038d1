"""The bandwidth of a clustering where none is given: from the points and the number of clusters."""

from __future__ import annotations

from typing import Any

import numpy as np

from radprog.decompositions.similarity.labelling import by_kmeans, normalised_rows
from radprog.decompositions.threads import single_threaded
from radprog.instances.limits import bounded
from radprog.models.similarity.problem import Distances
from radprog.models.similarity.sparse import Neighbourhood
from radprog.models.similarity.spectral import normalised_vectors

WIDENING = 2.0**0.5  # from one bandwidth tried to the next
SPLINTER = 0.1  # share of n/c below which a cluster is one of outliers
SEED = 0  # of k-means


def chosen_bandwidth(every: Distances | Neighbourhood, c: int) -> float:
    """The narrowest bandwidth under which no cluster is a splinter.

    From the median distance to the seventh nearest other point, wider by sqrt(2) at a time, up to
    1.5 times the median distance of all (3 times the first where a graph of neighbours leaves that
    unknown): the first where spectral clustering at equal weights leaves at least a tenth of n/c
    points in every cluster, so that no handful of outliers takes one; else the first under which
    every point is similar to another.
    """
    widest, width = every.widest, every.first
    joined = None
    while joined is None or width <= widest:
        K: Any = every.gram(width)
        if isinstance(every, Distances):
            np.fill_diagonal(K, 0.0)
        else:
            K.setdiag(0.0)
        found = normalised_vectors(K, c)
        if found is not None or K.shape[0] == 1:
            joined = joined or width
            rows = normalised_rows(found[0] if found is not None else K)
            codes, _ = bounded(single_threaded(by_kmeans), rows, c, SEED)
            if np.bincount(codes, minlength=c).min() >= SPLINTER * K.shape[0] / c:
                return width
        width *= WIDENING
    return joined
