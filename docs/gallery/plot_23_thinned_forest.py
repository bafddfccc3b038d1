"""
The price of a tree
===================

A linear program gives new weights to a few trees of a forest so that they keep its margins, with a
certificate. The multipliers of the program give every other tree a price: what a unit of its weight
would cost.
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
left.plot(sorted(parts[3].prices_), "k.")
left.set_title(f"prices of 100 trees, of which {sizes[3]} have weight")
left.set_xlabel("trees, by price")
right.plot(sizes, [100 * part.score(X[300:], y[300:]) for part in parts], "k-o", label="thinned")
right.axhline(100 * forest.score(X[300:], y[300:]), color="grey", label="all 100 trees")
right.set_title("accuracy on new rows, %")
right.set_xlabel("trees with weight")
right.legend()
figure.tight_layout()
plt.show()
