"""Programs of a user's own: cutting stock, partitions, assignment, a travelling
salesman, a newsvendor."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import networkx as nx
import numpy as np
import pyomo.environ as pyo

from radprog.decompositions.own.branching import Restrictions
from radprog.decompositions.own.columns import Column, Multipliers, PricedColumns, PricingModel
from radprog.decompositions.own.cutting_planes import PointValues


@dataclass
class CuttingStock:
    """min number of rolls of a width from which items of some widths are cut, each as often as
    demanded: a column is a pattern."""

    roll: int
    widths: list[int]
    demands: list[int]

    @staticmethod
    def random(seed: int = 0, items: int = 20, roll: int = 100) -> CuttingStock:
        rng = np.random.default_rng(seed)
        widths = rng.choice(np.arange(5, 60), size=items, replace=False).tolist()
        return CuttingStock(roll, widths, rng.integers(10, 100, size=items).tolist())

    def master(self, *, first: bool = True) -> pyo.ConcreteModel:
        """With one pattern an item, or, which is infeasible, with none."""
        model = pyo.ConcreteModel(name="rolls")
        model.item = pyo.RangeSet(0, len(self.widths) - 1)
        most = [self.roll // width if first else 0 for width in self.widths]
        model.rolls = pyo.Var(model.item, domain=pyo.NonNegativeIntegers)
        if not first:
            model.rolls.setub(0)

        def demand(model: Any, i: int) -> Any:
            return max(most[i], 1) * model.rolls[i] >= self.demands[i]

        model.demand = pyo.Constraint(model.item, rule=demand)
        model.used = pyo.Objective(expr=pyo.quicksum(model.rolls.values()))
        return model

    @property
    def most_rolls(self) -> float:
        """No solution uses more."""
        return float(sum(self.demands))

    def knapsack(self, model: pyo.ConcreteModel) -> Any:
        """A pricer by dynamic programming."""

        def price(multipliers: Multipliers) -> PricedColumns:
            values = [multipliers[model.demand[i]] for i in model.item]
            best, chosen = [0.0] * (self.roll + 1), [-1] * (self.roll + 1)
            # best[room]: the most valuable pattern of that width, and the item that it ends with
            for room in range(1, self.roll + 1):
                best[room] = best[room - 1]
                for i, width in enumerate(self.widths):
                    if width <= room and best[room - width] + values[i] > best[room] + 1e-12:
                        best[room], chosen[room] = best[room - width] + values[i], i
            # back from the whole width, item by item
            pattern: dict[int, int] = {}
            room = self.roll
            while room > 0:
                i = chosen[room]
                if i < 0:
                    room -= 1
                    continue
                pattern[i] = pattern.get(i, 0) + 1
                room -= self.widths[i]
            # its reduced cost is 1 less its value; a little less, for rounding, is a bound of all
            column = Column(1.0, {model.demand[i]: k for i, k in pattern.items()}, payload=pattern)
            return PricedColumns([column], 1.0 - best[self.roll] - 1e-9, self.most_rolls)

        return price

    def pricing_model(self, model: pyo.ConcreteModel) -> PricingModel:
        """The same as a Pyomo model."""
        knapsack = pyo.ConcreteModel(name="pattern")
        knapsack.cut = pyo.Var(model.item, domain=pyo.NonNegativeIntegers, bounds=(0, self.roll))
        width = pyo.quicksum(self.widths[i] * knapsack.cut[i] for i in model.item)
        knapsack.room = pyo.Constraint(expr=width <= self.roll)
        cuts = {model.demand[i]: knapsack.cut[i] for i in model.item}
        return PricingModel(knapsack, 1.0, cuts, count=self.most_rolls)


def partition(n: int, price_alone: float = 100.0) -> pyo.ConcreteModel:
    """A master with one expensive column a row."""
    model = pyo.ConcreteModel()
    model.alone = pyo.Var(range(n), domain=pyo.NonNegativeIntegers)
    model.row = pyo.Constraint(range(n), rule=lambda m, i: m.alone[i] == 1)
    model.cost = pyo.Objective(expr=price_alone * sum(model.alone.values()))
    return model


def pricer(model: pyo.ConcreteModel, costs: dict[tuple[int, ...], float]) -> Callable[..., Any]:
    """All allowed sets by their reduced cost, the best one first."""
    columns = [
        Column(cost, {model.row[i]: 1.0 for i in items}, payload=items)
        for items, cost in costs.items()
    ]

    def price(multipliers: Multipliers, limits: Restrictions) -> PricedColumns:
        allowed = [c for c in columns if limits.allow(lambda row, c=c: row in c.coefficients)]
        if not allowed:
            return PricedColumns([], 0.0, 0.0)
        value, k = min((multipliers.reduced_cost(c), k) for k, c in enumerate(allowed))
        return PricedColumns([allowed[k]], value, float(len(model.row)))

    return price


def agents(costs: Any, loads: Any, capacity: Any) -> tuple[pyo.ConcreteModel, list[PricingModel]]:
    """min cost of jobs, each done by one agent of limited capacity: the master of the jobs, and a
    pricing model an agent; agents of equal loads share a model."""
    agents, jobs = np.shape(costs)
    master = pyo.ConcreteModel()
    master.none = pyo.Var(bounds=(0, 0), domain=pyo.NonNegativeIntegers)
    master.job = pyo.Constraint(range(jobs), rule=lambda m, j: m.none == 1)
    master.agent = pyo.Constraint(range(agents), rule=lambda m, i: m.none == 1)
    master.cost = pyo.Objective(expr=0 * master.none)
    pricers, models = [], {}
    for i, (cost, load) in enumerate(
        zip(np.array(costs).tolist(), np.array(loads).tolist(), strict=True)
    ):
        same = (*load, float(capacity[i]))
        if same not in models:
            models[same] = pyo.ConcreteModel()
            models[same].x = pyo.Var(range(jobs), domain=pyo.Binary)
            work = sum(load[j] * models[same].x[j] for j in range(jobs))
            models[same].fits = pyo.Constraint(expr=work <= same[-1])
        model = models[same]
        parts = {master.agent[i]: 1.0, **{master.job[j]: model.x[j] for j in range(jobs)}}
        price = sum(cost[j] * model.x[j] for j in range(jobs))
        does = lambda m: [j for j in m.x if m.x[j].value > 0.5]  # noqa: E731
        pricers.append(PricingModel(model, price, parts, count=1.0, payload=does))
    return master, pricers


@dataclass
class Assignment:
    """max profit of jobs assigned to machines of limited capacity: a column is what one machine
    does; every machine prices its own."""

    profit: np.ndarray
    load: np.ndarray
    capacity: np.ndarray

    @staticmethod
    def random(seed: int = 0, machines: int = 4, jobs: int = 12) -> Assignment:
        rng = np.random.default_rng(seed)
        load = rng.integers(5, 25, size=(machines, jobs))
        capacity = np.floor(0.8 * load.sum(axis=1) / machines).astype(int)
        return Assignment(rng.integers(10, 50, size=(machines, jobs)), load, capacity)

    def master(self, *, all_jobs: bool = False) -> pyo.ConcreteModel:
        """Without columns; with ``all_jobs`` none is left out, and it is infeasible at first."""
        machines, jobs = self.profit.shape
        model = pyo.ConcreteModel(name="machines")
        model.left_out = pyo.Var(range(jobs), bounds=(0, 0 if all_jobs else 1))
        rule = lambda model, j: model.left_out[j] == 1  # noqa: E731
        model.job = pyo.Constraint(range(jobs), rule=rule)
        model.spare = pyo.Var(range(machines), bounds=(0, 1))
        model.machine = pyo.Constraint(range(machines), rule=lambda m, k: m.spare[k] <= 1)
        model.profit = pyo.Objective(expr=0.0 * model.spare[0], sense=pyo.maximize)
        return model

    def listed(self, model: pyo.ConcreteModel) -> list[Any]:
        """A pricer a machine, from a list of all that it can do."""
        jobs = range(self.load.shape[1])
        sets = (np.arange(2 ** len(jobs))[:, None] >> np.arange(len(jobs))) & 1
        sense = 1 if model.profit.sense == pyo.minimize else -1

        def pricer(k: int) -> Any:
            fit = sets[sets @ self.load[k] <= self.capacity[k]].astype(float)
            cost = fit @ self.profit[k]

            def price(multipliers: Multipliers) -> PricedColumns:
                pi = np.array([multipliers[model.job[j]] for j in jobs])
                reduced = cost - fit @ pi - multipliers[model.machine[k]]
                best = int((sense * reduced).argmin())
                parts: dict[Any, Any] = {model.job[j]: fit[best, j] for j in jobs}
                parts[model.machine[k]] = 1.0
                return PricedColumns([Column(cost[best], parts)], reduced[best], 1.0)

            return price

        return [pricer(k) for k in range(len(self.load))]

    def whole(self, *, all_jobs: bool = False) -> pyo.ConcreteModel:
        """The compact program."""
        machines, jobs = self.profit.shape
        model = pyo.ConcreteModel()
        model.does = pyo.Var(range(machines), range(jobs), domain=pyo.Binary)
        model.job = pyo.Constraint(
            range(jobs),
            rule=lambda m, j: (int(all_jobs), sum(m.does[k, j] for k in range(machines)), 1),
        )
        model.room = pyo.Constraint(
            range(machines),
            rule=lambda m, k: (
                sum(int(self.load[k, j]) * m.does[k, j] for j in range(jobs))
                <= int(self.capacity[k])
            ),
        )
        profit = sum(
            int(self.profit[k, j]) * model.does[k, j] for k in range(machines) for j in range(jobs)
        )
        model.profit = pyo.Objective(expr=profit, sense=pyo.maximize)
        return model


class Tour:
    """The subtour program of a travelling salesman: degrees, and a cut for every set of cities."""

    def __init__(self, cities: int, seed: int = 3, *, whole: bool = False) -> None:
        points = np.random.default_rng(seed).random((cities, 2))
        self.cities = cities
        self.edges = [(i, j) for i in range(cities) for j in range(i + 1, cities)]
        self.model = model = pyo.ConcreteModel(name="tour")
        model.x = pyo.Var(self.edges, bounds=(0, 1), domain=pyo.Binary if whole else pyo.Reals)
        length = {(i, j): float(np.hypot(*(points[i] - points[j]))) for i, j in self.edges}
        self.length = length
        model.length = pyo.Objective(expr=pyo.quicksum(length[e] * model.x[e] for e in self.edges))
        model.degree = pyo.Constraint(
            range(cities), rule=lambda m, i: pyo.quicksum(m.x[e] for e in self.edges if i in e) == 2
        )

    def cut(self, cities: Any) -> Any:
        """At least two edges leave a set of cities."""
        inside = set(cities)
        leave = [e for e in self.edges if (e[0] in inside) != (e[1] in inside)]
        return pyo.quicksum(self.model.x[e] for e in leave) >= 2

    def separate(self, values: PointValues) -> list[Any]:
        """The components of the support, or its least cut."""
        graph = nx.Graph()
        graph.add_nodes_from(range(self.cities))
        for edge in self.edges:
            if values[self.model.x[edge]] > 1e-9:
                graph.add_edge(*edge, weight=values[self.model.x[edge]])
        # components that no edge joins are violated cuts
        if not nx.is_connected(graph):
            return [self.cut(part) for part in nx.connected_components(graph)]
        # else the least cut, where it is below 2
        size, (part, _) = nx.stoer_wagner(graph)
        return [self.cut(part)] if size < 2.0 - 1e-6 else []


def buy_papers(model: Any) -> Any:
    """The first stage of a newsvendor: papers bought at 1, before the demand is known."""
    model.bought = pyo.Var(bounds=(0, 100))
    return model.bought


def sell_papers(block: Any, demand: float) -> Any:
    """The second stage of a newsvendor: papers sold at 3."""
    block.sold = pyo.Var(bounds=(0, demand))
    block.papers = pyo.Constraint(expr=block.sold <= block.model().bought)
    return -3 * block.sold
