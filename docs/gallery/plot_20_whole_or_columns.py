"""
The whole program, or the columns that matter
=============================================

The picture compares the columns of the whole linear program with those that column generation adds
to its master.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer

import radprog as rp

X, y = load_breast_cancer(return_X_y=True)
sizes, whole, used = (100, 200, 300, 400, 500), [], []
for m in sizes:
    run = rp.fit(rp.VKR(kernels="poly:1-10"), rp.dataset(X[:m], y[:m], scale="ball"))
    assert run.certified
    whole.append(2 * 10 * m)
    used.append(run.columns)
plt.semilogy(sizes, whole, "k--s", label="columns of the whole program")
plt.semilogy(sizes, used, "k-o", label="columns generated")
plt.xlabel("training points")
plt.ylabel("columns")
plt.title("A certificate for all columns from a few of them")
plt.legend()
plt.show()
