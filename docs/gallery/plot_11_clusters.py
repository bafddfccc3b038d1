"""
Clusters, and what each point is worth
======================================

Clustering by discriminative similarity learns the labels and a weight for every point together. The
objective falls in every half step. The end point is a heuristic answer.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_blobs

import radprog as rp

X, _ = make_blobs([70, 50, 30], cluster_std=[0.9, 0.6, 0.4], random_state=3)
run = rp.fit(rp.CDSK(clusters=3, bandwidth="0.3*median"), rp.partly_labelled(X, [None] * len(X)))
labels, weights = run.summary["labels"], np.asarray(run.summary["weights"])
for label, marker in zip(sorted(set(labels)), "os^", strict=True):
    of = np.array(labels) == label
    plt.scatter(*X[of].T, s=6000 * weights[of], marker=marker, edgecolors="k", label=str(label))
plt.xlabel("$x_1$")
plt.ylabel("$x_2$")
plt.title("Three clusters; size is the weight of a point")
plt.legend(title="cluster")
plt.show()
