"""
Your own concave parts: circles in a square
===========================================

The squared distances between centres must be large. Their negatives are concave functions, so they
are marked as concave parts. Each step replaces them by tangents, from several starts.
"""

import itertools

import matplotlib.pyplot as plt
import pyomo.environ as pyo

import radprog as rp

n = 7
model = pyo.ConcreteModel()
model.x = pyo.Var(range(n), bounds=(0, 1))
model.y = pyo.Var(range(n), bounds=(0, 1))
model.d = pyo.Var(bounds=(0, 2))  # squared distance
model.apart = pyo.Constraint(
    list(itertools.combinations(range(n), 2)),
    rule=lambda m, i, j: m.d + rp.concave(-((m.x[i] - m.x[j]) ** 2) - (m.y[i] - m.y[j]) ** 2) <= 0,
)
model.far = pyo.Objective(expr=-model.d)
run = rp.dca(model, starts=12, seed=0)
solved = run.model()
distance = (-run.objective) ** 0.5
radius = distance / (2 * (1 + distance))
print(run.status, "radius", radius)

axes = plt.gca()
for i in range(n):
    centre = [
        radius + (1 - 2 * radius) * pyo.value(solved.x[i]),
        radius + (1 - 2 * radius) * pyo.value(solved.y[i]),
    ]
    axes.add_patch(plt.Circle(centre, radius, fill=False))
axes.set_aspect("equal")
axes.set_xlim(0, 1)
axes.set_ylim(0, 1)
axes.set_title(f"Seven circles of radius {radius:.4f}: a critical point")
plt.show()
