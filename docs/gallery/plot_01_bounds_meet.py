"""
Bounds that meet
================

Column generation solves a Voted Kernel Regularization program. The objective is evaluated from the
data. The bound comes from a dual point that was made feasible by scaling. Neither is read from a
solver.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer

import radprog as rp

X, y = load_breast_cancer(return_X_y=True)
data = rp.dataset(X, y, scale="ball")
run = rp.fit(rp.VKR(kernels="poly:1-4"), data, tol=1e-10)
print(run.status, run.objective, run.bound)
assert run.certified

rounds = [record.iteration for record in run.trace]
plt.plot(rounds, [record.objective for record in run.trace], "k-o", label="objective")
plt.plot(rounds, [record.bound for record in run.trace], "k--s", label="bound")
plt.xticks(rounds)
plt.xlabel("round of column generation")
plt.ylabel("mean hinge loss + penalty")
plt.title(f"Objective and bound meet: gap {run.gap:.0e}")
plt.legend()
plt.show()

# %%
# A notebook displays the run as follows:
run

# %%
# A notebook displays its data as follows:
data
