"""The agreement of a clustering with known classes."""

from __future__ import annotations

import numpy as np
from scipy.optimize import linear_sum_assignment

from radprog.base.types import IntArray


def matched_accuracy(clusters: IntArray, classes: IntArray) -> float:
    """The accuracy of the best one-to-one matching of clusters to classes.

    A point without a cluster (code -1) counts as wrong.
    """
    # how many points each cluster has of each class, and the matching that keeps most of them
    kept = clusters >= 0
    found, truth = clusters[kept], classes[kept]
    table = np.zeros((found.max(initial=-1) + 1, truth.max(initial=-1) + 1))
    np.add.at(table, (found, truth), 1.0)
    rows, columns = linear_sum_assignment(-table)
    return float(table[rows, columns].sum()) / max(len(clusters), 1)


def normalised_information(clusters: IntArray, classes: IntArray) -> float:
    """The mutual information of clusters and classes, divided by the mean of their entropies.

    The value is 1 if both are constant. Points without a cluster (code -1) form a separate cluster.
    """
    from sklearn.metrics import normalized_mutual_info_score  # slow to import

    return float(normalized_mutual_info_score(classes, clusters))
