"""
The features that pricing adds
==============================

Column generation starts without features. In every round, it adds features whose edge exceeds their
price. Objective and bound meet, and most of the 2,000 features never become a column.
"""

import matplotlib.pyplot as plt
import numpy as np

import radprog as rp

rng = np.random.default_rng(0)
X = rng.normal(size=(200, 2000))
y = X[:, :5].sum(axis=1) + rng.standard_t(3, size=200)
run = rp.fit(rp.L1Linear(loss="absolute", beta=0.15), rp.regression_data(X, y))
assert run.certified
columns = np.cumsum([0, *(record.detail["added"] for record in run.trace)])[:-1]
objectives = [record.objective for record in run.trace]
bounds = [record.bound for record in run.trace]

plt.plot(columns, objectives, "k-o", label="objective")
plt.plot(columns, bounds, "k--o", label="bound")
plt.xlabel("columns of the restricted master, of 4,000")
plt.ylabel("mean absolute error + beta norm")
plt.title(f"{run.summary['coefficients']} features are left")
plt.legend()
plt.show()
