"""
Four prices of one kernel
=========================

The penalty of a kernel is a bound or an estimate of its Rademacher complexity. Lemma 3 (trace) and
Massart's lemma bound it. Local bounds use the spectrum. Monte Carlo estimates it from below.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer

import radprog as rp

X, y = load_breast_cancer(return_X_y=True)
data = rp.dataset(X[:150], y[:150], scale="ball")
degrees = range(1, 7)
for name, style in (("trace", "k-o"), ("massart", "k--s"), ("montecarlo", "k:^")):
    spec = rp.VKR(kernels="poly:1-6", complexity=name)
    plt.semilogy(degrees, rp.fit(spec, data).summary["penalties"], style, label=name)
plt.xlabel("degree of the polynomial kernel")
plt.ylabel("penalty $r_k$")
plt.title("Complexity of polynomial kernels on 150 points")
plt.legend()
plt.show()
