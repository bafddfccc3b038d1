"""
The points that a bound rests on
================================

Pick-to-learn trains on the points that it predicts worst, until it predicts all others correctly.
The fewer training points it uses, the smaller the upper bound on the error.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.svm import SVC

import radprog as rp

rng = np.random.default_rng(0)
X = rng.normal(size=(300, 2))
y = (np.hypot(X[:, 0], X[:, 1]) > 1.1).astype(int)
model = rp.PickToLearn(SVC()).fit(X, y)
assert model.rounds_[-1].errors == 0

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 4))
left.scatter(*X.T, c=y, cmap="coolwarm", s=8)
left.scatter(*X[model.compressed_].T, facecolors="none", edgecolors="k", s=50)
bound = np.ceil(100 * model.error_bound_) / 100  # rounded up, so that it stays a bound
left.set_title(f"{len(model.compressed_)} of 300 points: error at most {bound:.2f}")
sizes = [one.size for one in model.rounds_]
right.step(sizes, [one.errors for one in model.rounds_], "k", where="post")
right.set_title("until no error is left")
right.set_xlabel("points that were trained on")
right.set_ylabel("errors on all others")
figure.tight_layout()
plt.show()
