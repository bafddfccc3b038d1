"""
Your own columns: cutting stock
===============================

The master is a Pyomo model, a knapsack problem prices the columns, and a bound ends the run. The
widths and demands are random with a fixed seed.
"""

import matplotlib.pyplot as plt
import numpy as np
import pyomo.environ as pyo

import radprog as rp

rng = np.random.default_rng(0)
widths = np.sort(rng.choice(np.arange(12, 70), 10, replace=False))[::-1]
demands = rng.integers(20, 90, 10)
master = pyo.ConcreteModel()
master.rolls = pyo.Var(range(10), domain=pyo.NonNegativeIntegers)
master.demand = pyo.Constraint(
    range(10), rule=lambda m, i: int(100 // widths[i]) * m.rolls[i] >= int(demands[i])
)
master.used = pyo.Objective(expr=sum(master.rolls.values()))

pattern = pyo.ConcreteModel()
pattern.cuts = pyo.Var(range(10), domain=pyo.NonNegativeIntegers, bounds=(0, 8))
pattern.width = pyo.Constraint(expr=sum(int(widths[i]) * pattern.cuts[i] for i in range(10)) <= 100)
price = rp.PricingModel(
    pattern,
    cost=1.0,
    coefficients={master.demand[i]: pattern.cuts[i] for i in range(10)},
    count=int(demands.sum()),
)
run = rp.column_generation(master, price)
whole = run.round()
print(run.objective, whole.objective)
assert run.certified
assert whole.objective - run.bound < 2

rounds = [record.iteration for record in run.trace]
plt.plot(rounds, [record.objective for record in run.trace], "k-o", label="linear program")
plt.plot(rounds, [record.bound for record in run.trace], "k--s", label="bound over all patterns")
plt.axhline(whole.objective, color="tab:orange", label=f"whole rolls: {whole.objective:.0f}")
plt.ylim(0, 1.1 * run.trace[0].objective)
plt.xlabel("round")
plt.ylabel("rolls")
plt.title(f"No plan needs fewer than {run.bound:.1f} rolls")
plt.legend()
plt.show()
