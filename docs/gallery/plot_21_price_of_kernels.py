"""
A kernel that cannot help
=========================

The dual point prices every kernel. A kernel with a ratio below 1 cannot lower the optimum. This is
a proof, not a grid search.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_moons

import radprog as rp

X, y = make_moons(120, noise=0.2, random_state=6)
beta = 2e-3
run = rp.fit(rp.VKR(kernels="rbf:1", lam=0.0, beta=beta), rp.dataset(X, y), tol=1e-9)
assert run.certified
d = np.asarray(run.evidence["d"]) * np.where(y == 1, 1, -1)
distances = ((X[:, None, :] - X[None, :, :]) ** 2).sum(axis=2)
gammas = np.logspace(-3, 3, 121)
prices = [np.abs(np.exp(-g * distances) @ d).max() / beta for g in gammas]

plt.loglog(gammas, prices, "k-")
plt.yticks([1, 2, 4, 6], ["1", "2", "4", "6"])
plt.yticks([], minor=True)
plt.axhline(1.0, color="k", ls="--")
plt.axvline(1.0, color="k", ls=":")
plt.xlabel("gamma of a Gaussian kernel")
plt.ylabel("largest correlation / price")
plt.title("Above the dashed line a kernel would help")
plt.show()
