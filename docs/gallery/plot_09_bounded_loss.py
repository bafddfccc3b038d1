"""
Regression that outliers cannot bend
====================================

A loss that is constant beyond 1 ignores distant points. The program is not convex. CCCP from five
starts finds a critical point, and the status says so.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.svm import SVR

import radprog as rp

rng = np.random.default_rng(0)
x = np.sort(rng.uniform(-1, 1, 80))
y = np.sin(3 * x) / (3 * x) + rng.normal(0, 0.05, 80)
far = rng.choice(80, 36, replace=False)
y[far] += rng.uniform(1, 3, 36)
run = rp.fit(rp.SVR(gamma=1.0, A=2.0), rp.regression_data(x[:, None], y))
print(run.status, run.summary["saturated"], "points are saturated")

at = np.linspace(-1, 1, 200)[:, None]
plt.plot(x, y, "k.", label="data, 45 % far off")
plt.plot(at[:, 0], np.sin(3 * at[:, 0]) / (3 * at[:, 0]), "k:", label="truth")
plt.plot(at[:, 0], run.predict(at), "k-", label="bounded loss")
usual = SVR(gamma=1.0, epsilon=0.0).fit(x[:, None], y)
plt.plot(at[:, 0], usual.predict(at), "--", color="tab:orange", label="unbounded loss")
plt.xlabel("x")
plt.ylabel("y")
plt.title("The bounded loss keeps to the curve")
plt.legend(loc="upper center", bbox_to_anchor=(0.5, -0.15), ncols=2)
plt.tight_layout()
plt.show()
