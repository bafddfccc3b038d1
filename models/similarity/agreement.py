"""The agreement of a clustering with known classes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from radprog.base.types import IntArray


def contingency(clusters: IntArray, classes: IntArray) -> NDArray[np.float64]:
    """The number of points in each cluster and class (clusters, classes), from codes >= 0 (n,)."""
    table = np.zeros((clusters.max(initial=-1) + 1, classes.max(initial=-1) + 1))
    np.add.at(table, (clusters, classes), 1.0)
    return table


def matched_accuracy(clusters: IntArray, classes: IntArray) -> float:
    """The accuracy of the best one-to-one matching of clusters to classes.

    A point without a cluster (code -1) counts as wrong.
    """
    # the assignment of clusters to classes that keeps most points
    kept = clusters >= 0
    table = contingency(clusters[kept], classes[kept])
    rows, columns = linear_sum_assignment(-table)
    return float(table[rows, columns].sum()) / max(len(clusters), 1)


def normalised_information(clusters: IntArray, classes: IntArray) -> float:
    """The mutual information of clusters and classes, divided by the mean of their entropies.

    The value is 1 if both are constant. Points without a cluster (code -1) form a separate cluster.
    """
    from sklearn.metrics import normalized_mutual_info_score  # slow to import

    return float(normalized_mutual_info_score(classes, clusters))
