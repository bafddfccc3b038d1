"""
Sparse and not sparse, side by side
===================================

The norm-1 support vector machine uses few points. The usual support vector machine uses every point
within the margin. Both fits are certified optima of their programs.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import make_moons

import radprog as rp

X, y = make_moons(150, noise=0.25, random_state=3)
data = rp.dataset(X, y)
prices = [10.0**k for k in (-4, -3.5, -3, -2.5, -2, -1.5)]
sparse = [rp.fit(rp.L1SVM(kernels="rbf:1", beta=beta), data) for beta in prices]
usual = [rp.fit(rp.SVM(kernels="rbf:1", C=0.1 / (beta * len(y))), data) for beta in prices]
assert all(run.certified for run in sparse + usual)

plt.semilogx(prices, [run.summary["support_vectors"] for run in usual], "k--s", label="SVM")
plt.semilogx(prices, [run.summary["support_vectors"] for run in sparse], "k-o", label="norm 1")
plt.xlabel("weight of the regulariser, beta = 1 / (10 C m)")
plt.ylabel("points in the classifier")
plt.title("The l1 norm keeps a fraction of the points")
plt.legend()
plt.show()
