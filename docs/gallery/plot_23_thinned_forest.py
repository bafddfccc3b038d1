"""
The price of a tree
===================

A linear program gives the trees of a forest new weights that keep its margins. A higher price of
weight leaves fewer trees, and every weight has a certificate.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier

import radprog as rp

X, y = load_breast_cancer(return_X_y=True)
forest = RandomForestClassifier(100, random_state=0).fit(X[:300], y[:300])
parts = [rp.thin(forest, X[:300], y[:300], most=most) for most in (3, 5, 10, 20, 40)]
assert all(part.certified_ for part in parts)
sizes = [len(part.weights_) for part in parts]

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 4))
left.plot([part.beta_ for part in parts], sizes, "k-o")
left.set_title("trees with weight, of 100")
left.set_xlabel("beta, price of a unit of weight")
right.plot(sizes, [100 * part.score(X[300:], y[300:]) for part in parts], "k-o", label="thinned")
right.axhline(100 * forest.score(X[300:], y[300:]), color="grey", label="all 100 trees")
right.set_title("accuracy on new rows, %")
right.set_xlabel("trees with weight")
right.legend()
figure.tight_layout()
plt.show()
