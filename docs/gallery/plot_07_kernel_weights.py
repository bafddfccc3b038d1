"""
Kernel weights from local complexity
====================================

A kernel is penalised only for the tail of its spectrum beyond the theta largest eigenvalues. With a
larger theta, the weights move from smooth kernels, whose spectra end early, to rough ones.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_moons

import radprog as rp

X, y = make_moons(100, noise=0.25, random_state=4)
data = rp.dataset(X, y)
thetas = (0, 1, 2, 4, 8)
runs = [rp.fit(rp.MKL(kernels="rbf:1e-1..1e1", theta=theta), data) for theta in thetas]
assert all(run.certified for run in runs)

shares = np.array([run.summary["weights"] for run in runs])
shares /= shares.sum(axis=1, keepdims=True)
bottom = np.zeros(len(thetas))
for name, share, hatch in zip(runs[0].summary["kernels"], shares.T, ("", "//", ".."), strict=True):
    plt.bar([str(t) for t in thetas], share, bottom=bottom, label=name, hatch=hatch, edgecolor="k")
    bottom += share
plt.xlabel("theta, eigenvalues that do not count")
plt.ylabel("share of the weights")
plt.title("What a kernel pays for changes with theta")
plt.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))
plt.tight_layout()
plt.show()
