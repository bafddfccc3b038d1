"""
The pattern that decides
========================

Boosting over shapelets finds short patterns of the training series whose best match separates the
classes. The series of class 1 are random walks with a wave somewhere.
"""

import matplotlib.pyplot as plt
import numpy as np

import radprog as rp

rng = np.random.default_rng(1)
T, y = rng.normal(0, 0.5, (40, 60)).cumsum(axis=1), np.tile([0, 1], 20)
for i in np.flatnonzero(y):
    at = rng.integers(0, 45)
    T[i, at : at + 12] += 4 * np.sin(np.arange(12) / 12 * 2 * np.pi)
run = rp.fit(rp.LPBoost(length="12", nu=0.2), rp.series(T, y))
print(run.status, "margin", run.objective)
assert run.certified

figure, (above, below) = plt.subplots(2, 1, figsize=(7, 6), layout="constrained")
for i in range(6):
    above.plot(T[i], "k-" if y[i] else "k:", lw=1, alpha=0.7)
above.set_title("Three walks with a wave (solid), three without")
above.set_xlabel("time")
strongest = np.argsort(run.evidence["w"])[::-1][:3]
for k, style in zip(strongest, ("k-", "k--", "k:"), strict=True):
    hypothesis = run.evidence["hypotheses"][k]
    i, at = divmod(hypothesis["patterns"][0], 60 - 12 + 1)
    sign = "+" if hypothesis["sign"] > 0 else "-"
    below.plot(T[i, at : at + 12] - T[i, at], style, label=f"{sign} pattern of walk {i} at {at}")
below.legend()
below.set_title(f"Three of {len(run.evidence['w'])} patterns; certified margin {run.objective:.3f}")
below.set_xlabel("time within the pattern")
plt.show()
