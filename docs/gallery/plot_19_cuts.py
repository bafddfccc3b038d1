"""
Your own cuts: infinitely many rows
===================================

The program maximises 2x + y over the unit disc, which is the intersection of infinitely many
half-planes. In each round, a separator adds the most violated one, until none is violated.
"""

import math

import matplotlib.pyplot as plt
import numpy as np
import pyomo.environ as pyo

import radprog as rp

model = pyo.ConcreteModel()
model.x = pyo.Var(bounds=(0, 3))
model.y = pyo.Var(bounds=(0, 3))
model.most = pyo.Objective(expr=2 * model.x + model.y, sense=pyo.maximize)
angles = []


def separate(values):
    """The tangent that the point violates most; none within 1e-9."""
    at = np.linspace(0, math.pi / 2, 2001)
    over = values[model.x] * np.cos(at) + values[model.y] * np.sin(at) - 1
    worst = int(over.argmax())
    if over[worst] <= 1e-9:
        return []
    angles.append(at[worst])
    return [math.cos(at[worst]) * model.x + math.sin(at[worst]) * model.y <= 1]


run = rp.cutting_planes(model, separate)
print(run.status, run.objective, "with", len(angles), "rows")

t = np.linspace(0, math.pi / 2, 100)
plt.plot(np.cos(t), np.sin(t), "k-", lw=2, label="the disc")
for angle in angles:
    x = np.linspace(-0.2, 1.6, 2)
    if math.sin(angle) > 0.05:
        plt.plot(x, (1 - x * math.cos(angle)) / math.sin(angle), "k:", lw=1)
plt.plot(pyo.value(model.x), pyo.value(model.y), "r*", ms=14, label="optimum")
plt.xlim(0, 1.5)
plt.ylim(0, 1.8)
plt.xlabel("x")
plt.ylabel("y")
plt.title(f"{len(angles)} of infinitely many rows were needed")
plt.legend()
plt.show()
