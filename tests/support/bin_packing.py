"""A bin packing problem as a compact model."""

import pyomo.environ as pyo


def bins(weights: list[int], room: int, number: int) -> pyo.ConcreteModel:
    """Items in bins."""
    m = pyo.ConcreteModel()
    items, places = range(len(weights)), range(number)
    m.x = pyo.Var(items, places, domain=pyo.Binary)
    m.used = pyo.Var(places, domain=pyo.Binary)
    m.bins = pyo.Objective(expr=sum(m.used.values()))
    m.item = pyo.Constraint(items, rule=lambda m, i: sum(m.x[i, b] for b in places) == 1)
    m.size = pyo.Constraint(
        places, rule=lambda m, b: sum(weights[i] * m.x[i, b] for i in items) <= room * m.used[b]
    )
    return m
