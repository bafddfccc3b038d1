"""Compact models with blocks: items in bins, jobs to agents, two stages."""

import numpy as np
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


def assignment(agents: int, jobs: int, seed: int) -> pyo.ConcreteModel:
    """Jobs to agents with capacities, at least cost."""
    rng = np.random.default_rng(seed)
    cost, work = rng.integers(5, 25, (agents, jobs)), rng.integers(5, 25, (agents, jobs))
    m = pyo.ConcreteModel()
    m.x = pyo.Var(range(agents), range(jobs), domain=pyo.Binary)
    m.cost = pyo.Objective(expr=sum(int(cost[k]) * m.x[k] for k in m.x))
    m.job = pyo.Constraint(
        range(jobs), rule=lambda m, j: sum(m.x[i, j] for i in range(agents)) == 1
    )
    room = (0.85 * work.sum(axis=1) / agents).astype(int)
    m.time = pyo.Constraint(
        range(agents),
        rule=lambda m, i: sum(int(work[i, j]) * m.x[i, j] for j in range(jobs)) <= int(room[i]),
    )
    return m


def stages(scenarios: int, *, whole: bool) -> pyo.ConcreteModel:
    """Capacity now, demand later."""
    rng = np.random.default_rng(1)
    m = pyo.ConcreteModel()
    m.capacity = pyo.Var(range(2), bounds=(0, 9), domain=pyo.Integers if whole else pyo.Reals)
    m.made = pyo.Var(range(2), range(scenarios), bounds=(0, None))
    m.lost = pyo.Var(range(scenarios), bounds=(0, None))
    demand = rng.integers(3, 15, scenarios)
    m.limit = pyo.Constraint(m.made.index_set(), rule=lambda m, i, s: m.made[i, s] <= m.capacity[i])
    m.demand = pyo.Constraint(
        range(scenarios),
        rule=lambda m, s: m.made[0, s] + 2 * m.made[1, s] + m.lost[s] >= int(demand[s]),
    )
    m.cost = pyo.Objective(
        expr=3 * m.capacity[0]
        + 5 * m.capacity[1]
        + sum(m.made[0, s] + m.made[1, s] + 9 * m.lost[s] for s in range(scenarios)) / scenarios
    )
    return m
