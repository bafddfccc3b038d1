"""
Tails of spectra
================

The penalty from local Rademacher complexity is the sum of the eigenvalues beyond the theta largest.
A kernel whose spectrum decays quickly costs almost nothing.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_moons

import radprog as rp

X, y = make_moons(100, noise=0.25, random_state=4)
data = rp.dataset(X, y)
thetas = (0, 1, 2, 4, 8, 16, 24)
tails = np.array(
    [rp.fit(rp.MKL(kernels="rbf:1e-1..1e1", theta=t), data).summary["tail_sums"] for t in thetas]
)
for name, tail, style in zip(("0.1", "1", "10"), tails.T, ("k-o", "k--s", "k:^"), strict=True):
    plt.semilogy(thetas, tail, style, label=f"Gaussian kernel, gamma {name}")
plt.xlabel("theta")
plt.ylabel("sum of the eigenvalues beyond theta")
plt.title("Smooth kernels have short tails")
plt.legend()
plt.show()
