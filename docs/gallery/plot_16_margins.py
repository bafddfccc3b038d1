"""
Margins, and the rho that LPBoost maximises
===========================================

LPBoost maximises rho minus a penalty on the shortfalls below rho. At the optimum, the smallest nu m
margins carry all the weight.
"""

import matplotlib.pyplot as plt
import numpy as np

import radprog as rp

rng = np.random.default_rng(2)
T, y = rng.normal(size=(60, 30)), np.tile([-1, 1], 30)
T[y == 1, 8:14] += 1.2
data = rp.series(T, y)
for nu, style in ((0.1, "k-"), (0.3, "k--"), (0.6, "k:")):
    run = rp.fit(rp.LPBoost(length="6", nu=nu), data)
    margins = np.sort(y * run.decision_function(data))
    plt.step(
        margins, np.arange(1, 61) / 60, style, label=f"nu = {nu}, rho = {run.summary['rho']:.3f}"
    )
plt.xlabel("margin $y_i\\,g(x_i)$")
plt.ylabel("share of the series")
plt.title("A larger nu gives up more points for a larger rho")
plt.legend()
plt.show()
