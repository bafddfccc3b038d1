"""Branch and price over pricing models: generalised assignment against enumeration."""

import itertools
from typing import Any

import numpy as np
import pyomo.environ as pyo
import pytest
from effort import seeds

import radprog as rp


def drawn(seed: int) -> tuple[Any, Any, Any]:
    """Costs, loads (agents, jobs) and capacities: some instances have no point."""
    rng = np.random.default_rng(seed)
    agents, jobs = int(rng.integers(2, 4)), int(rng.integers(4, 7))
    loads = rng.integers(1, 12, (agents, jobs))
    capacity = (rng.uniform(0.7, 1.1) * loads.sum(axis=1) / agents).astype(int)
    return rng.integers(1, 20, (agents, jobs)), loads, capacity


def enumerated(costs: Any, loads: Any, capacity: Any) -> float | None:
    """The cheapest assignment of all."""
    agents, jobs = costs.shape
    values = [
        sum(costs[i, j] for j, i in enumerate(who))
        for who in itertools.product(range(agents), repeat=jobs)
        if all(
            sum(loads[i, j] for j in range(jobs) if who[j] == i) <= capacity[i]
            for i in range(agents)
        )
    ]
    return min(values, default=None)


def assigned(costs: Any, loads: Any, capacity: Any, branch: str, **settings: Any) -> rp.TreeRun:
    agents, jobs = costs.shape
    master = pyo.ConcreteModel()
    master.none = pyo.Var(bounds=(0, 0), domain=pyo.NonNegativeIntegers)
    master.job = pyo.Constraint(range(jobs), rule=lambda m, j: m.none == 1)
    master.agent = pyo.Constraint(range(agents), rule=lambda m, i: m.none == 1)
    master.cost = pyo.Objective(expr=0 * master.none)
    pricers, models = [], {}
    for i in range(agents):
        # agents of equal loads share a model
        same = (*loads[i].tolist(), int(capacity[i]))
        if same not in models:
            models[same] = pyo.ConcreteModel()
            models[same].x = pyo.Var(range(jobs), domain=pyo.Binary)
            models[same].fits = pyo.Constraint(
                expr=sum(int(loads[i, j]) * models[same].x[j] for j in range(jobs))
                <= int(capacity[i])
            )
        model = models[same]
        pricers.append(
            rp.PricingModel(
                model,
                cost=sum(int(costs[i, j]) * model.x[j] for j in range(jobs)),
                coefficients={
                    master.agent[i]: 1.0,
                    **{master.job[j]: model.x[j] for j in range(jobs)},
                },
                count=1.0,
                payload=lambda m: [j for j in m.x if m.x[j].value > 0.5],
            )
        )
    return rp.branch_and_price(master, pricers, branch=branch, whole_objective=True, **settings)


@pytest.mark.parametrize("seed", seeds(60, 6))
@pytest.mark.parametrize("branch", ["auto", "bounds"])
@pytest.mark.parametrize("shared", [False, True])
def test_assignments_are_cheapest(shared: bool, branch: str, seed: int) -> None:
    costs, loads, capacity = drawn(seed)
    if shared:  # a branch on a variable of one agent leaves the others
        loads[1:], capacity[1:] = loads[0], capacity[0] + 1
        loads[0], capacity[0] = loads[1], capacity[1]
    run = assigned(costs, loads, capacity, branch)
    assert run.check() == ()
    assert run._tree.branch == branch.replace("auto", "pairs")
    best = enumerated(costs, loads, capacity)
    if best is None:
        assert run.status == "infeasible"
        return
    assert (run.status, run.objective) == ("optimal", pytest.approx(best))
    assert sorted(j for column, _ in run.chosen for j in column.payload) == [*range(costs.shape[1])]


def test_bounds_need_a_convexity_row() -> None:
    master = pyo.ConcreteModel()
    master.none = pyo.Var(domain=pyo.NonNegativeIntegers)
    master.job = pyo.Constraint(expr=master.none == 1)
    master.cost = pyo.Objective(expr=9 * master.none)
    model = pyo.ConcreteModel()
    model.x = pyo.Var(domain=pyo.Binary)
    pricer = rp.PricingModel(model, cost=model.x, coefficients={master.job: model.x}, count=1)
    one = rp.PricingModel(model, cost=model.x, coefficients={master.job: 1.0}, count=1)
    for wrong, words in ((pricer, r"fixed at 0\): branching"), (one, "job has others too")):
        with pytest.raises(rp.CapabilityError, match=f"expected a row of the master = 1 .*{words}"):
            rp.branch_and_price(master, wrong, branch="bounds")
    with pytest.raises(rp.OptionError, match="divides variables of PricingModel"):
        rp.branch_and_price(master, lambda y, limits: [], branch="bounds")
    model.x.domain = pyo.UnitInterval
    with pytest.raises(rp.CapabilityError, match="x of a pricing model is not an integer"):
        rp.branch_and_price(master, pricer, branch="bounds")


@pytest.mark.parametrize("branch", ["pairs", "bounds", "components"])
@pytest.mark.parametrize("other", [False, True])
def test_a_pricing_model_without_a_point_has_no_columns(other: bool, branch: str) -> None:
    """Whether the program has a point is left to the rows of the master."""
    costs, loads, capacity = (
        np.array([[3, 4], [5, 1]]),
        np.ones((2, 2), dtype=int),
        np.array([2, 2]),
    )
    if not other:
        costs, loads, capacity = costs[:1], loads[:1], capacity[:1]
    capacity[0] = -1
    for limit in (None, 1e-6):
        run = assigned(costs, loads, capacity, branch, time_limit=limit)
        # the row of the agent needs a column of its own
        expected = ("limit", "time_limit") if limit else ("infeasible", "tolerance")
        assert (run.status, run.reason, run.objective) == (*expected, None)
        assert run.check() == ()


def test_a_check_has_no_limit_of_the_run() -> None:
    costs, loads, capacity = drawn(3)
    run = assigned(costs, loads, capacity, "bounds", time_limit=60.0)
    run._tree.budget.started -= 1e6
    assert run.check() == ()
