"""
How complex a class of regressors is
====================================

Monte Carlo estimates the Rademacher complexity from random signs. For each sign vector it uses the
best function found, so it estimates from below. The upper bound is certified.
"""

from itertools import pairwise

import matplotlib.pyplot as plt
import numpy as np

import radprog as rp

x = np.linspace(-1, 1, 40)
data = rp.regression_data(x[:, None], np.sin(3 * x) / (3 * np.where(x == 0, 1e-9, x)))
norms = [0.1, 0.3, 1.0, 3.0, 10.0]
runs = [rp.fit(rp.Complexity(gamma=1.0, A=A, trials=30, starts=2), data) for A in norms]
values = [run.objective for run in runs]
assert all(a <= b for a, b in pairwise(values))

errors = [2 * run.extra["standard_error"] for run in runs]
upper = [run.extra["certified_upper"] for run in runs]
plt.errorbar(norms, values, errors, fmt="k-o", capsize=4, label="estimate, 2 s.e.")
plt.semilogx(norms, upper, "k--s", label="certified upper bound")
plt.xlabel("A, the largest squared norm")
plt.ylabel("Rademacher complexity")
plt.title("A larger class fits noise better")
plt.ylim(0, 1.05)
plt.legend()
plt.show()
