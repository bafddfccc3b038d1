"""Branch and price over pricing models against enumeration; a wide tolerance and a start."""

import itertools

import numpy as np
import own_programs
import pyomo.environ as pyo
import pytest
from compact_models import assignment
from effort import seeds
from refusals import refused
from small_models import small_model

import radprog as rp


def drawn(seed: int) -> tuple:
    """Costs, loads (agents, jobs) and capacities: some instances have no point."""
    rng = np.random.default_rng(seed)
    agents, jobs = int(rng.integers(2, 4)), int(rng.integers(4, 7))
    loads = rng.integers(1, 12, (agents, jobs))
    capacity = (rng.uniform(0.7, 1.1) * loads.sum(axis=1) / agents).astype(int)
    return rng.integers(1, 20, (agents, jobs)), loads, capacity


def enumerated(costs, loads, capacity) -> float | None:
    """The cheapest assignment of all."""
    agents, jobs = costs.shape
    who = np.array([*itertools.product(range(agents), repeat=jobs)])
    fits = [(loads[i] * (who == i)).sum(axis=1) <= capacity[i] for i in range(agents)]
    return min(costs[who, range(jobs)].sum(axis=1)[np.all(fits, axis=0)], default=None)


def assigned(costs, loads, capacity, branch: str, **settings) -> rp.TreeRun:
    given = own_programs.agents(costs, loads, capacity)
    return rp.branch_and_price(*given, branch=branch, whole_objective=True, **settings)


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
    master = small_model(lambda m: 9 * m.none, lambda m: m.none == 1, none=(0, None))
    master.none.domain = pyo.NonNegativeIntegers
    model = small_model(x=(0, 1))
    model.x.domain = pyo.Binary
    pricer, one = (rp.PricingModel(model, model.x, {master.row: a}, 1) for a in (model.x, 1.0))
    for wrong, words in ((pricer, r"fixed at 0\): branching"), (one, "row has others too")):
        said = f"expected a row of the master = 1 .*{words}"
        refused(rp.CapabilityError, said, rp.branch_and_price, master, wrong, branch="bounds")
    with pytest.raises(rp.OptionError, match="divides variables of PricingModel"):
        rp.branch_and_price(master, lambda y, limits: [], branch="bounds")
    model.x.domain = pyo.UnitInterval
    words = "x of a pricing model is not an integer"
    refused(rp.CapabilityError, words, rp.branch_and_price, master, pricer, branch="bounds")


@pytest.mark.parametrize("branch", ["pairs", "bounds", "components"])
@pytest.mark.parametrize("other", [False, True])
def test_a_pricing_model_without_a_point_has_no_columns(other: bool, branch: str) -> None:
    """Whether the program has a point is left to the rows of the master."""
    costs, loads, capacity = np.array([[3, 4], [5, 1]]), np.ones((2, 2), int), np.array([-1, 2])
    if not other:
        costs, loads, capacity = costs[:1], loads[:1], capacity[:1]
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


@pytest.mark.parametrize("solver", ["highs", "scip"])
def test_a_wide_tolerance_is_the_gap_of_the_search(solver: str) -> None:
    model, name = assignment(8, 40, 0), {"highs": "mip_rel_gap", "scip": "limits/gap"}[solver]
    found = rp.solve(model, solver, tol=0.1)
    assert (found.status, found.proved_by) == ("optimal", "solver")
    assert 1e-4 < found.gap <= 0.1
    assert found.violation == 0.0
    # the same gap without the tolerance proves nothing, and the message says why
    found = rp.solve(model, solver, solver_options={name: 0.1})
    assert found.status == "feasible"
    assert "its search ended at a gap of 0.0" in found.message
    assert "above the tolerance 1e-06" in found.message


def test_the_warning_of_a_start_is_about_the_line_of_the_user() -> None:
    model = assignment(2, 4, 0)
    with pytest.warns(rp.RadprogWarning, match="start: a point that violates") as issued:
        rp.solve(model, start={x.name: 1 for x in model.x.values()})
    assert issued[0].filename == __file__
