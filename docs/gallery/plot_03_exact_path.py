"""
What sparsity costs
===================

The optimal value is a concave and piecewise linear function of the price beta of the norm. The
tangents at certified optima bound it from above at every price.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import make_moons

import radprog as rp

X, y = make_moons(60, noise=0.2, random_state=1)
betas, values = [], []
for k in range(25):
    beta = 10.0 ** (-4 + 3 * k / 24)
    run = rp.fit(rp.VKR(kernels="rbf:0.3,rbf:3", lam=0.0, beta=beta), rp.dataset(X, y))
    assert run.certified
    betas.append(beta)
    values.append(run.objective)

plt.semilogx(betas, values, "k-o")
plt.xlabel("beta, price of a unit of |alpha|")
plt.ylabel("optimal mean hinge loss + penalty")
plt.title("The trade-off curve: 25 certified optima")
plt.show()

# %%
# ``rp.path`` finds every breakpoint between two prices, here from 0.03 to 0.1:
rp.path(rp.L1SVM(kernels="rbf:1"), rp.dataset(X, y), ("beta", 0.03, 0.1))
