"""The bandwidth where none is given: of a clustering from the points and the number of clusters, of
a propagation from the points and the labels that are known."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from radprog.base.errors import OptionError
from radprog.base.limits import poll
from radprog.base.types import IntArray
from radprog.decompositions.similarity.labelling import spectral_clusters
from radprog.instances.labels import UNKNOWN
from radprog.models.similarity.problem import Distances
from radprog.models.similarity.sparse import Neighbourhood

WIDENING = 2.0**0.5  # from one bandwidth tried to the next
SPLINTER = 0.1  # share of n/c below which a cluster is one of outliers
DEVIATIONS = 3.0  # of a Gaussian, beyond which a similarity is next to nothing
MOST_DEVIATIONS = 30.0  # deviations at which it is still a number of full precision


class Chosen(NamedTuple):
    """A bandwidth, its kernel K (n, n), and the clusters (n,) by which it was chosen, if it was."""

    bandwidth: float
    K: Any
    codes: IntArray | None = None


def chosen_bandwidth(every: Distances | Neighbourhood, c: int) -> Chosen:
    """The narrowest bandwidth under which no cluster is a splinter.

    From the median distance to the seventh nearest other point, wider by sqrt(2) at a time, up to
    1.5 times the median distance of all (3 times the first where a graph of neighbours leaves that
    unknown): the first where spectral clustering at equal weights leaves at least a tenth of n/c
    points in every cluster, so that no handful of outliers takes one; else the first under which
    every point is similar to another.
    """
    width, joined = every.first, None
    while joined is None or width <= every.widest:
        poll()
        K = every.gram(width)
        codes = spectral_clusters(K.copy(), c) if K.shape[0] > 1 else np.zeros(1, dtype=np.intp)
        if codes is not None:
            joined = joined or Chosen(width, K)
            if np.bincount(codes, minlength=c).min() >= SPLINTER * K.shape[0] / c:
                return Chosen(width, K, codes)
        width *= WIDENING
    return joined


def joining_bandwidth(every: Distances | Neighbourhood, codes: IntArray) -> float:
    """A third of the least distance that joins rows of two labels: a label hardly passes there.

    In the order of their lengths the edges of the minimum spanning tree join points to parts; the
    first that joins a part with a label to one with another has the length sought (X. Zhu and Z.
    Ghahramani, Learning from Labeled and Unlabeled Data with Label Propagation, 2002). Where none
    does, it is the longest. codes (n,): -1 unknown. Never so narrow that the longest edge has no
    similarity in floating point. Raises OptionError where all points coincide.
    """
    lengths, ends = every.tree()
    if not lengths.size:
        if len(codes) == 1:
            return 1.0
        raise OptionError("all points coincide: give the bandwidth as a number")
    part = list(range(len(codes)))
    held: list[set[int]] = [{int(code)} - {UNKNOWN} for code in codes]
    joining = float(lengths[-1])
    for length, pair in zip(lengths.tolist(), ends.tolist(), strict=True):
        first, second = (_root(part, point) for point in pair)
        if held[first] and held[second] and len(held[first] | held[second]) > 1:
            joining = length
            break
        part[second] = first
        held[first] |= held[second]
    return max(joining / DEVIATIONS, float(lengths[-1]) / MOST_DEVIATIONS)


def _root(part: list[int], point: int) -> int:
    """The point that stands for the part of another, with shorter ways from now on."""
    while part[point] != point:
        part[point] = part[part[point]]
        point = part[point]
    return point
