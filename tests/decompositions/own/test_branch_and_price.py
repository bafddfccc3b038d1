"""Branch and price over partitioned rows, against dynamic programming over subsets."""

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pyomo.environ as pyo
import pytest
from effort import seeds

import radprog as rp
from radprog.decompositions.own.columns import Column, Multipliers, PricedColumns


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

    def price(multipliers: Multipliers, limits: rp.Restrictions) -> PricedColumns:
        allowed = [c for c in columns if limits.allow(lambda row, c=c: row in c.coefficients)]
        if not allowed:
            return PricedColumns([], 0.0, 0.0)
        value, k = min((multipliers.reduced_cost(c), k) for k, c in enumerate(allowed))
        return PricedColumns([allowed[k]], value, float(len(model.row)))

    return price


def sets_of(seed: int) -> tuple[int, dict[tuple[int, ...], float]]:
    """Loads of a bin, classes of a colouring, or sets with costs of their own."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(5, 9))
    subsets = [s for k in range(1, n + 1) for s in itertools.combinations(range(n), k)]
    if seed % 3 == 0:
        sizes = rng.integers(20, 60, n)
        return n, {s: 1.0 for s in subsets if sizes[list(s)].sum() <= 100}
    if seed % 3 == 1:
        edges = np.triu(rng.random((n, n)) < 0.5, 1)
        free = [s for s in subsets if not any(edges[e] for e in itertools.combinations(s, 2))]
        return n, dict.fromkeys(free, 1.0)
    return n, {s: float(rng.integers(1, 30)) for s in subsets if len(s) <= 3}


def optimum(n: int, costs: dict[tuple[int, ...], float]) -> float:
    """The cheapest partition, the set of the least row first."""
    masks = [(sum(1 << i for i in items), cost) for items, cost in costs.items()]
    best = [0.0]
    for rows in range(1, 1 << n):
        least = rows & -rows
        inside = (best[rows ^ m] + c for m, c in masks if m & rows == m and m & least)
        best.append(min(inside))
    return best[-1]


@pytest.mark.parametrize("seed", seeds(300, 12))
def test_partitions_are_cheapest(seed: int) -> None:
    n, costs = sets_of(seed)
    model = partition(n)
    run = rp.branch_and_price(model, pricer(model, costs), integral=True)
    assert run.status == "optimal"
    assert run.objective == pytest.approx(optimum(n, costs))
    assert run.bound <= run.objective + 1e-9
    # the chosen columns are a partition of that cost
    items = sorted(i for column, _ in run.chosen for i in column.payload)
    assert items == list(range(n))
    assert sum(c.cost * v for c, v in run.chosen) == pytest.approx(run.objective)
    assert all(model.alone[i].ub is None for i in range(n))
    assert run.check() == ()


def fractional() -> tuple[pyo.ConcreteModel, Callable[..., Any]]:
    """Three rows and pairs of them: the linear program covers each pair by a half."""
    model = partition(3, 3.0)
    pairs = dict.fromkeys(itertools.combinations(range(3), 2), 2.0)
    return model, pricer(model, {**pairs, (0,): 1.5, (1,): 1.5, (2,): 1.5})


def test_a_tree_of_one_pair() -> None:
    model, price = fractional()
    run = rp.branch_and_price(model, price)
    assert (run.status, run.objective) == ("optimal", pytest.approx(3.5))
    assert run.nodes[0].bound == pytest.approx(3.0)
    assert len(run.nodes) == len(run.trace) > 1
    stopped = rp.branch_and_price(model, price, max_iter=1)
    assert (stopped.status, stopped.reason) == ("feasible", "max_iter")
    assert stopped.bound == pytest.approx(3.0)
    asked = iter([False] * 5 + [True] * 100)
    early = rp.branch_and_price(model, price, interrupted=lambda: next(asked))
    assert early.reason == "interrupt"
    assert not early.certified


def test_no_whole_point() -> None:
    """Pairs alone cannot partition three rows."""
    model, _ = fractional()
    model.none = pyo.Constraint(expr=sum(model.alone.values()) <= 0)
    price = pricer(model, dict.fromkeys(itertools.combinations(range(3), 2), 2.0))
    run = rp.branch_and_price(model, price)
    assert (run.objective, run.status) in ((None, "infeasible"), (None, "limit"))
    assert run.bound is None or run.bound >= 3.0 - 1e-6


def test_what_is_refused() -> None:
    model, price = fractional()
    with pytest.raises(rp.OptionError, match="branch 'rows': expected 'pairs'"):
        rp.branch_and_price(model, price, branch="rows")
    with pytest.raises(rp.OptionError, match="the restrictions"):
        rp.branch_and_price(model, lambda multipliers: [])
    with pytest.raises(rp.StoppedError, match="restrictions forbid") as stopped:
        rp.branch_and_price(model, lambda y, limits: price(y, rp.Restrictions()))
    assert stopped.value.run.nodes
    double = [Column(1.0, {model.row[0]: 2.0})]
    with pytest.raises(rp.StoppedError, match="2 in row row"):
        rp.branch_and_price(model, lambda y, limits: double)
    model.alone[0].domain = pyo.NonNegativeReals
    with pytest.raises(rp.CapabilityError, match="integer variables alone"):
        rp.branch_and_price(model, price)
