"""
Three labels per class
======================

Label propagation by discriminative similarity labels two moons from six known labels.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_moons

import radprog as rp

X, y = make_moons(150, noise=0.08, random_state=5)
rng = np.random.default_rng(2)
known = np.concatenate([rng.choice(np.flatnonzero(y == c), 3, replace=False) for c in (0, 1)])
given = [str(y[i]) if i in known else None for i in range(len(y))]
run = rp.fit(rp.LPDSK(bandwidth="0.1*median", class_mass=True), rp.partly_labelled(X, given))
labels = np.array([int(name) for name in run.summary["names"]])[np.array(run.summary["labels"])]
right = (labels == y).mean()
for label, marker in ((0, "s"), (1, "o")):
    of = labels == label
    plt.scatter(*X[of].T, marker=marker, facecolors="none", edgecolors="k", label=f"class {label}")
plt.scatter(*X[known].T, c="r", marker="*", s=180, label="label given")
plt.xlabel("$x_1$")
plt.ylabel("$x_2$")
plt.title(f"Six labels, {100 * right:.0f} % of the others right")
plt.legend()
plt.show()
