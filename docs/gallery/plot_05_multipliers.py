"""
Which points hold the classifier
================================

The dual of the program has a weight for every point. The weight is 1/m if the point has a positive
loss, 0 if its margin is above 1, and in between if its margin is exactly 1.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_moons

import radprog as rp

X, y = make_moons(120, noise=0.25, random_state=2)
run = rp.fit(rp.VKR(kernels="rbf:1", beta=1e-3, lam=0.0), rp.dataset(X, y))
weights = np.asarray(run.evidence["d"]) * len(y)
look = {"s": 45, "cmap": "viridis_r", "vmin": 0, "vmax": 1, "edgecolors": "grey"}
for label, marker in ((0, "s"), (1, "o")):
    of = y == label
    plt.scatter(*X[of].T, c=weights[of], marker=marker, **look)
plt.colorbar(label="dual weight $m\\,d_i$")
plt.xlabel("$x_1$")
plt.ylabel("$x_2$")
plt.title(f"{int((weights > 1e-9).sum())} of {len(y)} points have a price")
plt.show()

# %%
# This table lists the same prices, with the ranges in which they hold:
rp.analyze(rp.VKR(kernels="rbf:1", beta=1e-3, lam=0.0), rp.dataset(X, y), form="primal")
