"""Instances and pricers of branch and price: bin packing, generalised assignment, colouring.

Each pricer is exact under the restrictions of a node of the tree.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

Edges = set[tuple[int, int]]


def uniform(n: int, seed: int) -> tuple[list[int], int]:
    """Falkenauer's class U: sizes uniform in 20..100, bins of 150."""
    return np.random.default_rng(seed).integers(20, 101, n).tolist(), 150


def triplets(n: int, seed: int) -> tuple[list[int], int]:
    """Falkenauer's class T: every bin of the optimum is full with three items, bins of 1000."""
    rng = np.random.default_rng(seed)
    sizes: list[int] = []
    for _ in range(n // 3):
        first = int(rng.integers(380, 491))
        second = int(rng.integers(250, (1000 - first) // 2 + 1))
        sizes += [first, second, 1000 - first - second]
    return sizes, 1000


def assignment(kind: str, agents: int, jobs: int, seed: int) -> tuple[Any, Any, Any]:
    """Classes C and D of generalised assignment (Chu and Beasley): costs and loads (agents, jobs),
    capacities (agents,)."""
    rng = np.random.default_rng(seed)
    if kind == "C":
        loads = rng.integers(5, 26, (agents, jobs))
        costs = rng.integers(10, 51, (agents, jobs))
    else:
        loads = rng.integers(1, 101, (agents, jobs))
        costs = 111 - loads + rng.integers(-10, 11, (agents, jobs))
    return costs, loads, (0.8 * loads.sum(axis=1) / agents).astype(int)


def mycielski(k: int) -> tuple[int, Edges]:
    """The graph myciel``k``: k steps from an edge, without triangles, of chromatic number k + 1."""
    n, edges = 2, {(0, 1)}
    for _ in range(k - 1):
        edges = {
            *edges,
            *((i, n + j) for i, j in edges),
            *((j, n + i) for i, j in edges),
            *((n + i, 2 * n) for i in range(n)),
        }
        n = 2 * n + 1
    return n, edges


def queens(k: int) -> tuple[int, Edges]:
    """The graph queen``k``_``k``: squares of a board that a queen reaches from each other."""
    squares = [(i, j) for i in range(k) for j in range(k)]
    return k * k, {
        (s, t)
        for s, (i, j) in enumerate(squares)
        for t, (p, q) in enumerate(squares)
        if s < t and (i == p or j == q or abs(i - p) == abs(j - q))
    }


def first_fit(sizes: Sequence[int], capacity: int) -> int:
    """Bins of first fit decreasing: no optimum has more."""
    rooms: list[int] = []
    for size in sorted(sizes, reverse=True):
        k = next((k for k, room in enumerate(rooms) if room >= size), len(rooms))
        if k == len(rooms):
            rooms.append(capacity)
        rooms[k] -= size
    return len(rooms)


Pairs = Sequence[tuple[int, int]]


def groups_of(n: int, together: Pairs, apart: Pairs) -> tuple[list[list[int]], list[set[int]]]:
    """Items that go together, and for each group those that it must not meet."""
    group_of = [[i] for i in range(n)]
    for i, j in together:
        one, other = group_of[i], group_of[j]
        if one is not other:
            one += other
            for k in other:
                group_of[k] = one
    groups = [group for i, group in enumerate(group_of) if group[0] == i]
    number = [0] * n
    for k, group in enumerate(groups):
        for i in group:
            number[i] = k
    foes: list[set[int]] = [set() for _ in groups]
    for i, j in apart:
        foes[number[i]].add(number[j])
        foes[number[j]].add(number[i])
    return groups, foes


class Sets:
    """A pricer of sets of items that cost 1 each: :meth:`priced` returns the least reduced cost and
    some sets, under the restrictions of a node that :meth:`restrict` reads once."""

    foes_of_all: Sequence[tuple[int, int]] = ()

    def __init__(self, rows: Any, n: int, count: float) -> None:
        self.rows, self.n, self.count = [rows[i] for i in range(n)], n, count
        self.place = {id(row): i for i, row in enumerate(self.rows)}
        self.limits: Any = None

    def __call__(self, multipliers: Any, limits: Any) -> Any:
        import radprog as rp

        if limits is not self.limits:
            self.limits = limits
            self.restrict(
                *(
                    [(self.place[id(r)], self.place[id(s)]) for r, s in pairs]
                    for pairs in (limits.together, limits.apart)
                )
            )
        least, sets = self.priced(multipliers.array.tolist())
        columns = [rp.Column(1.0, {self.rows[i]: 1.0 for i in s}, payload=s) for s in sets]
        return rp.PricedColumns(columns, least, self.count)

    def restrict(self, together: Pairs, apart: Pairs) -> None:
        """Read the restrictions of a node."""
        self.groups, self.foes = groups_of(self.n, together, [*apart, *self.foes_of_all])

    def priced(self, y: list[float]) -> tuple[float, Any]:
        """The least reduced cost at the multipliers y of the items, and some sets."""
        raise NotImplementedError


class Knapsack(Sets):
    """Loads of bins: dynamic programming over groups of items, after a search over those that must
    not meet."""

    def __init__(self, rows: Any, sizes: Sequence[int], capacity: int, columns: int = 4) -> None:
        super().__init__(rows, len(sizes), float(first_fit(sizes, capacity)))
        self.sizes, self.capacity, self.columns = sizes, capacity, columns

    def priced(self, y: list[float]) -> tuple[float, Any]:
        groups = self.groups
        self.weights = [sum(self.sizes[i] for i in group) for group in groups]
        worth = [sum(y[i] for i in group) for group in groups]
        useful = [
            k
            for k, value in enumerate(worth)
            if value > 0 and self.weights[k] <= self.capacity and k not in self.foes[k]
        ]
        sets, least = [], 1.0
        # the best bin, then the best ones of the items that are left
        for number in range(self.columns):
            value, chosen = self._best(useful, worth)
            if number == 0:
                least = 1.0 - value
            if not chosen or (number and value <= 1.0 + 1e-9):
                break
            sets.append(sorted(i for k in chosen for i in groups[k]))
            useful = [k for k in useful if k not in chosen]
        return least, sets

    def _best(self, useful: list[int], worth: list[float]) -> tuple[float, list[int]]:
        """The most valuable set of groups that fits and in which no two must not meet."""
        present = set(useful)
        fighting = [k for k in useful if self.foes[k] & present]
        fighting.sort(key=lambda k: -worth[k] / self.weights[k])
        free = [k for k in useful if not self.foes[k] & present]
        # tables of the free groups, then over them relaxed ones of those that fight
        order, room = [*free, *reversed(fighting)], self.capacity
        tables = [np.zeros(room + 1)]
        for k in order:
            before, w = tables[-1], self.weights[k]
            after = before.copy()
            np.maximum(before[w:], before[: room + 1 - w] + worth[k], out=after[w:])
            tables.append(after)
        best, start = [-1.0, []], len(order)

        def search(place: int, room: int, value: float, chosen: list[int]) -> None:
            if value + tables[place][room] <= best[0] + 1e-12:
                return
            if place == len(free):  # no conflicts are left: the table is exact
                best[:] = [value + tables[place][room], [*chosen]]
                best.append((place, room))
                return
            k, w = order[place - 1], self.weights[order[place - 1]]
            if w <= room and not self.foes[k].intersection(chosen):
                search(place - 1, room - w, value + worth[k], [*chosen, k])
            search(place - 1, room, value, chosen)

        search(start, room, 0.0, [])
        chosen, (place, room) = best[1], best[-1]
        # the groups that the tables chose
        while place:
            k = order[place - 1]
            if tables[place][room] > tables[place - 1][room]:
                chosen = [*chosen, k]
                room -= self.weights[k]
            place -= 1
        return float(best[0]), chosen


def packing_master(n: int) -> Any:
    """One bin for every item at first."""
    import pyomo.environ as pyo

    model = pyo.ConcreteModel()
    model.alone = pyo.Var(range(n), domain=pyo.NonNegativeIntegers)
    model.row = pyo.Constraint(range(n), rule=lambda m, i: m.alone[i] == 1)
    model.cost = pyo.Objective(expr=pyo.quicksum(model.alone.values()))
    return model


class Agent:
    """Prices the jobs of one agent: dynamic programming over those that the node leaves free. Pairs
    of a job and an agent are the variables of the compact program."""

    def __init__(self, model: Any, agent: int, costs: Any, loads: Any, capacity: int) -> None:
        self.job, self.agent, self.number = model.job, model.agent, agent
        self.costs, self.loads, self.capacity = costs, loads, int(capacity)
        self.jobs = {id(model.job[j]): j for j in range(len(costs))}
        self.agents = {id(model.agent[i]): i for i in model.agent}

    def __call__(self, multipliers: Any, limits: Any) -> Any:
        import radprog as rp

        n, mine = len(self.costs), set()
        closed: set[int] = set()
        for pairs, together in ((limits.together, True), (limits.apart, False)):
            for r, s in pairs:
                r, s = (r, s) if id(r) in self.jobs else (s, r)
                j, i = self.jobs[id(r)], self.agents[id(s)]
                if together and i == self.number:
                    mine.add(j)
                elif together or i == self.number:
                    closed.add(j)
        room = self.capacity - sum(int(self.loads[j]) for j in mine)
        if room < 0 or mine & closed:
            return rp.PricedColumns([], 0.0, 0.0)
        worth = [multipliers[self.job[j]] - float(self.costs[j]) for j in range(n)]
        useful = [
            j for j in range(n)
            if worth[j] > 0 and j not in mine and j not in closed and self.loads[j] <= room
        ]  # fmt: skip
        best = np.zeros(room + 1)
        taken = np.zeros((len(useful), room + 1), dtype=np.bool_)
        for k, j in enumerate(useful):
            w = int(self.loads[j])
            other = best[: room + 1 - w] + worth[j]
            taken[k, w:] = other > best[w:]
            best[w:] = np.maximum(best[w:], other)
        chosen = sorted(mine)
        for k in range(len(useful) - 1, -1, -1):
            if taken[k, room]:
                chosen.append(useful[k])
                room -= int(self.loads[useful[k]])
        value = -multipliers[self.agent[self.number]] - sum(worth[j] for j in chosen)
        column = rp.Column(
            float(sum(self.costs[j] for j in chosen)),
            {self.agent[self.number]: 1.0, **{self.job[j]: 1.0 for j in chosen}},
            payload=(self.number, tuple(sorted(chosen))),
        )
        return rp.PricedColumns([column], float(value), 1.0)


def assignment_master(agents: int, jobs: int) -> Any:
    """Every job has one agent, every agent one set of jobs, and no column is there at first."""
    import pyomo.environ as pyo

    model = pyo.ConcreteModel()
    model.none = pyo.Var(domain=pyo.NonNegativeIntegers, bounds=(0, 0))
    model.job = pyo.Constraint(range(jobs), rule=lambda m, j: m.none == 1)
    model.agent = pyo.Constraint(range(agents), rule=lambda m, i: m.none == 1)
    model.cost = pyo.Objective(expr=0.0 * model.none)
    return model


class Stable(Sets):
    """Colours: the stable set of greatest worth, by branch and bound over bit sets."""

    def __init__(self, rows: Any, n: int, edges: Iterable[tuple[int, int]]) -> None:
        super().__init__(rows, n, float(n))
        self.foes_of_all = list(edges)

    def priced(self, y: list[float]) -> tuple[float, Any]:
        groups, foes = self.groups, self.foes
        worth = [y[group[0]] if len(group) == 1 else sum(y[i] for i in group) for group in groups]
        useful = [k for k, v in enumerate(worth) if v > 0 and k not in foes[k]]
        useful.sort(key=worth.__getitem__, reverse=True)
        bit = {k: 1 << b for b, k in enumerate(useful)}
        near = [sum(bit[f] for f in foes[k] if f in bit) for k in useful]
        value, chosen = heaviest(near, [worth[k] for k in useful], 1.0)
        items = sorted(i for b in chosen for i in groups[useful[b]])
        return 1.0 - value, [items] if items else []


def heaviest(near: list[int], worth: list[float], least: float) -> tuple[float, list[int]]:
    """The stable set of greatest worth, if it is above ``least``; ``near``: neighbours of every
    vertex as bits, in decreasing order of worth. A cover by cliques, each with the worth of its
    first vertex, bounds what is left."""
    best: list[Any] = [least, []]

    def search(left: int, value: float, chosen: list[int]) -> None:
        if value > best[0] + 1e-12:
            best[:] = [value, chosen]
        # weighted cliques: the vertices that raise the bound above the best set
        order, bound, bits = [], value, left
        while bits:
            clique = bits
            bound += worth[(bits & -bits).bit_length() - 1]
            while clique:
                v = (clique & -clique).bit_length() - 1
                bits ^= 1 << v
                clique &= near[v]
                if bound > best[0] + 1e-12:
                    order.append((v, bound))
        for v, bound in reversed(order):
            if bound <= best[0] + 1e-12:
                return
            search(left & ~near[v] & ~(1 << v), value + worth[v], [*chosen, v])
            left ^= 1 << v

    search((1 << len(near)) - 1, 0.0, [])
    return float(best[0]), best[1]
