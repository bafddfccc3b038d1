"""
A classifier on few points
==========================

The data are two moons, and the kernels are Gaussian with three widths. The penalty of a kernel is
its Rademacher complexity. The l1 norm leaves only a few nonzero coefficients, each for a kernel at
a training point.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_moons

import radprog as rp

X, y = make_moons(150, noise=0.2, random_state=0)
run = rp.fit(rp.VKR(kernels="rbf:0.3,rbf:1,rbf:3", complexity="massart"), rp.dataset(X, y))
print(run.summary["coefficients"], "coefficients, gap", run.gap)
assert run.certified

grid = np.stack(np.meshgrid(np.linspace(-1.6, 2.6, 160), np.linspace(-1.2, 1.7, 120)), axis=-1)
scores = run.decision_function(grid.reshape(-1, 2)).reshape(grid.shape[:2])
plt.contourf(grid[..., 0], grid[..., 1], scores, 20, cmap="PuOr")
plt.contour(grid[..., 0], grid[..., 1], scores, [0.0], colors="k")
plt.scatter(*X[y == 0].T, c="k", marker="x", s=18, label="class 0")
plt.scatter(*X[y == 1].T, facecolors="w", edgecolors="k", s=18, label="class 1")
used = np.unique(run.fit.points, axis=0)
plt.scatter(*used.T, facecolors="none", edgecolors="r", s=120, label=f"{len(used)} points used")
plt.xlabel("$x_1$")
plt.ylabel("$x_2$")
plt.title(f"{run.summary['coefficients']} kernel functions separate 150 points")
plt.legend(loc="upper right")
plt.show()
