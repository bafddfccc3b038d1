"""The agreement of a clustering with known classes."""

from __future__ import annotations

import numpy as np
from scipy.optimize import linear_sum_assignment

from radprog.base.types import FloatArray, IntArray


def matched_accuracy(clusters: IntArray, classes: IntArray) -> float:
    """The accuracy of the best one-to-one matching of clusters to classes.

    A point without a cluster (code -1) counts as wrong.
    """
    # how many points each cluster has of each class, and the matching that keeps most of them
    assigned = clusters >= 0
    table = _counted(clusters[assigned], classes[assigned])
    rows, columns = linear_sum_assignment(-table)
    return float(table[rows, columns].sum()) / max(len(clusters), 1)


def normalised_information(clusters: IntArray, classes: IntArray) -> float:
    """The mutual information of clusters and classes, divided by the mean of their entropies.

    The value is 1 if both are constant. Points without a cluster (code -1) form a separate cluster.
    """
    # scikit-learn's takes 5 ms, a sixth of a clustering of 500 points
    table = _counted(clusters + 1, classes + 1)
    rows, columns, n = table.sum(axis=1), table.sum(axis=0), table.sum()
    ratios = np.divide(n * table, np.outer(rows, columns), out=np.ones_like(table), where=table > 0)
    information = float((table * np.log(ratios)).sum())
    entropies = sum(float(sums @ np.log(n / np.maximum(sums, 1.0))) for sums in (rows, columns))
    return max(0.0, 2.0 * information / entropies) if entropies else 1.0


def _counted(clusters: IntArray, classes: IntArray) -> FloatArray:
    """How many points each cluster has of each class."""
    table = np.zeros((clusters.max(initial=-1) + 1, classes.max(initial=-1) + 1))
    np.add.at(table, (clusters, classes), 1.0)
    return table
