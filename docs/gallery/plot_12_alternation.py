"""
A monotone alternation
======================

The labels for given weights solve an eigenproblem. The weights for given labels solve a quadratic
program, by DCA. The common objective is recomputed after each half step.
"""

from itertools import pairwise

import matplotlib.pyplot as plt
from sklearn.datasets import load_iris

import radprog as rp

X, _ = load_iris(return_X_y=True)
data = rp.partly_labelled(X, [None] * len(X), scale="standard")
run = rp.fit(rp.CDSK(clusters=3, bandwidth="0.25*median"), data)
values = [record.objective for record in run.trace]
assert all(b <= a + 1e-9 * abs(a) for a, b in pairwise(values))

plt.figure(layout="constrained")
plt.plot([record.iteration for record in run.trace], values, "k-o")
plt.xlabel("step")
plt.ylabel("objective")
plt.title("Every step descends, or it is an error")
plt.show()
