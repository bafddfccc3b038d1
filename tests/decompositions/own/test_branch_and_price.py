"""Branch and price over partitioned rows, against dynamic programming over subsets."""

import functools
import itertools
import json
import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyomo.environ as pyo
import pytest
from effort import seeds
from own_programs import CuttingStock, partition, pricer
from refusals import refused

import radprog as rp
from radprog.decompositions.loop import Budget
from radprog.decompositions.own.branch_and_price import ColumnTree
from radprog.decompositions.own.branching import BoundBranch, PricerVariable
from radprog.decompositions.own.columns import Multipliers


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
    run = rp.branch_and_price(model, pricer(model, costs), whole_objective=True)
    assert run.status == "optimal"
    assert run.objective == pytest.approx(optimum(n, costs))
    assert run.bound <= run.objective + 1e-9
    # the chosen columns are a partition of that cost
    assert sorted(i for column, _ in run.chosen for i in column.payload) == list(range(n))
    assert sum(c.cost * v for c, v in run.chosen) == pytest.approx(run.objective)
    assert all(model.alone[i].ub is None for i in range(n))
    assert run.check() == ()
    # the model has all columns, and is integer
    generated = run.model().component("generated")
    assert len(generated) == len(run.columns)
    assert rp.solve(run.model()).objective == pytest.approx(run.objective)


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
    assert len(run.nodes) == run.trace[-1].detail["nodes"] > 1
    stopped = rp.branch_and_price(model, price, max_iter=1)
    assert (stopped.status, stopped.reason) == ("feasible", "max_iter")
    assert stopped.message == "stopped by max_iter with 2 open nodes"
    assert stopped.bound == pytest.approx(3.0)
    assert run.message == ""
    asked = iter([False] * 5 + [True] * 100)
    early = rp.branch_and_price(model, price, interrupted=lambda: next(asked))
    assert (early.reason, early.certified) == ("interrupt", False)
    # without a reduced cost there is no bound, and a word of it
    without = rp.branch_and_price(model, lambda y, limits: price(y, limits).columns)
    assert (without.bound, without.status) == (None, "feasible")
    assert "pricer 1 gives no reduced_cost, and without it there is no bound" in without.message


def test_nodes_print_with_names_and_the_first_side_first() -> None:
    model, price = fractional()
    run = rp.branch_and_price(model, price)
    one, two = run.nodes[0].branch.rows
    assert repr(run.nodes[0].branch) == f"Pair({one.name} and {two.name}: together or apart)"
    for side, word in enumerate(("together", "apart")):
        (child,) = (n for n in (*run.nodes, *run.open) if (n.parent, n.side) == (0, side))
        assert f"restrictions=Restrictions({one.name} and {two.name} {word})" in repr(child)
    # of a bound, the side of at least stands first
    columns = rp.Components(((model.row[0], 2.0, math.inf), (model.row[1], 0.0, 1.0)))
    sides = BoundBranch(columns, 2.0).children(rp.Restrictions())
    for side, limits in zip((">= 3", "<= 2"), sides, strict=True):
        name = "Components(row[0] >= 2, 0 <= row[1] <= 1)"
        assert repr(limits) == f"Restrictions({name} {side})"


def test_what_is_open_after_a_proof_has_no_better_point(monkeypatch) -> None:
    for way in ("dive", "solve_restricted"):
        monkeypatch.setattr(ColumnTree, way, lambda *_: None)
    n, costs = sets_of(143)
    model = partition(n)
    run = rp.branch_and_price(model, pricer(model, costs))
    assert run.status == "optimal"
    assert run.open
    assert all(node.bound >= run.objective - 1e-6 for node in run.open)


def test_what_is_refused() -> None:
    model, price = fractional()
    with pytest.raises(rp.OptionError, match="branch 'rows': expected 'auto'"):
        rp.branch_and_price(model, price, branch="rows")
    refused(rp.OptionError, "the restrictions", rp.branch_and_price, model, lambda multipliers: [])
    with pytest.raises(rp.OptionError, match="stabilise 'much': expected a number in"):
        rp.branch_and_price(model, price, stabilise="much")
    with pytest.raises(rp.StoppedError, match="restrictions forbid") as stopped:
        rp.branch_and_price(model, lambda y, limits: price(y, rp.Restrictions()))
    assert stopped.value.run.nodes
    double = [rp.Column(1.0, {model.row[0]: 2.0})]
    refused(rp.StoppedError, "2 in row row", rp.branch_and_price, model, lambda y, limits: double)
    model.alone[0].domain = pyo.NonNegativeReals
    with pytest.raises(rp.CapabilityError, match=r"variables; the variable 'alone\[0\]' is"):
        rp.branch_and_price(model, price)


def test_a_checkpoint_is_gone_on_with(tmp_path: Path) -> None:
    file = tmp_path / "tree.json"
    n, costs = sets_of(5)
    model = partition(n)
    whole = rp.branch_and_price(model, pricer(model, costs), whole_objective=True)
    settings: dict[str, Any] = {"whole_objective": True, "checkpoint": file}
    first = rp.branch_and_price(model, pricer(model, costs), max_iter=1, **settings)
    stored = json.loads(file.read_text())
    del stored["digest"]
    assert stored == json.loads(json.dumps(first.tree))
    # another model of the same program goes on, to the same optimum
    again = partition(n)
    run = rp.branch_and_price(again, pricer(again, costs), **settings)
    assert (run.status, run.objective) == ("optimal", whole.objective)
    assert run.nodes[0].number == 0
    assert run.check() == ()
    done = rp.branch_and_price(again, pricer(again, costs), **settings)
    assert (done.objective, len(done.trace), len(done.nodes)) == (run.objective, 1, len(run.nodes))
    assert done.message == f"resumed from {file}: {len(run.nodes)} solved nodes"
    assert (done.trace[0].bound, done.trace[0].objective) == (run.bound, run.objective)
    assert done.trace[0].iteration == run.trace[-1].iteration + 1
    # a limit before the pricers have given columns and bounds again: only the point is kept
    text, calls = file.read_text(), list[Any]()

    def slow(multipliers: Multipliers, limits: rp.Restrictions) -> rp.PricedColumns:
        calls.append(limits)
        return pricer(again, costs)(multipliers, limits)

    limited = rp.branch_and_price(again, slow, interrupted=lambda: bool(calls), **settings)
    assert (limited.objective, limited.bound, limited.status) == (run.objective, None, "feasible")
    assert (limited.check(), file.read_text()) == ((), text)
    assert "ended before the pricers had given its columns and bounds again" in limited.message
    other, price = partition(n, 7.0), pricer(model, costs)
    with pytest.raises(rp.OptionError, match="another master"):
        rp.branch_and_price(other, pricer(other, costs), **settings)

    # the first column that a checkpoint cannot have ends the run
    for given in ({"payload": object}, {"payload": {3}}, {"name": {3}}, {"payload": np.int64(3)}):

        def named(multipliers: Multipliers, limits: rp.Restrictions) -> rp.PricedColumns:
            answer = price(multipliers, limits)
            return replace(answer, columns=[replace(c, **given) for c in answer.columns])  # noqa: B023

        settings["checkpoint"] = tmp_path / "other.json"
        if given != {"payload": 3}:
            with pytest.raises(rp.StoppedError, match=r"cannot store as JSON: .* is no JSON value"):
                rp.branch_and_price(model, named, **settings)
    assert rp.branch_and_price(model, named, **settings).status == "optimal"
    assert rp.branch_and_price(model, named, **settings).chosen[0][0].payload == 3


def test_a_spoilt_tree_is_seen() -> None:
    model, price = fractional()
    run = rp.branch_and_price(model, price)
    root, first, *others = run.nodes
    assert run.check() == ()
    leaf = next(node for node in run.nodes if node.branch is None and node.bound < 1e9)
    rest = [node for node in run.nodes if node is not leaf]
    free = replace(first, restrictions=rp.Restrictions())
    spoilt = {
        "a child is missing": replace(run, nodes=(root, *others)),
        "other restrictions": replace(run, nodes=(root, free, *others)),
        "proves": replace(run, nodes=(*rest, replace(leaf, bound=leaf.bound + 0.25))),
        "that of a leaf": replace(run, bound=run.bound + 1.0),
        "that violates row": replace(run, chosen=run.chosen[1:]),
    }
    for words, bad in spoilt.items():
        assert any(words in fault for fault in bad.check()), words


def test_patterns_close_at_the_root_or_say_what_is_missing() -> None:
    """Cutting stock over demands: the dive rounds patterns, and nothing divides them."""

    def cut(roll: int, widths: list[int], demands: list[int]) -> rp.TreeRun:
        case = CuttingStock(roll, widths, demands)
        master = case.master()
        price = case.knapsack(master)
        return rp.branch_and_price(master, lambda y, limits: price(y), whole_objective=True)

    run = cut(10, [3, 4], [4, 3])
    assert (run.status, run.objective) == ("optimal", 3.0)
    # without the round-up property: 259/132 rolls, and three are needed
    gap = cut(132, [44, 33, 12], [2, 3, 6])
    assert (gap.objective, gap.bound, gap.status) == (3.0, 2.0, "feasible")
    assert (gap.check(), "components" in gap.message) == ((), True)


def test_restrictions_are_compared_without_constraints_of_variables() -> None:
    """A dive may branch on another variable of the same pricer, or of the master, than the tree."""
    m = pyo.ConcreteModel()
    m.x = pyo.Var(range(2))
    own = [PricerVariable(number, m.x[j]) for number in range(2) for j in range(2)]
    for variables in (own, [m.x[0], m.x[1]]):
        limits = [rp.Restrictions(bounds=((one, 1.0, math.inf),)) for one in variables]
        for one, other in itertools.product(range(len(limits)), repeat=2):
            assert (limits[one] == limits[other]) == (one == other)
            assert limits[one] == replace(limits[one])
    assert limits[0] != rp.Restrictions(bounds=((m.x[0], 2.0, math.inf),))


@pytest.mark.parametrize("seed", [5, 8])
def test_ctrl_c_keeps_the_tree_and_the_best_point(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At every call of the pricer, in nodes and in dives, no node is left out."""
    n, costs = sets_of(seed)
    model = partition(n)
    price, calls = pricer(model, costs), 0
    best, roots = optimum(n, costs), 0

    def stopping(multipliers: Multipliers, limits: rp.Restrictions) -> rp.PricedColumns:
        nonlocal calls
        calls -= 1
        if calls == 0:
            raise KeyboardInterrupt
        return price(multipliers, limits)

    # as if each round of the root came after 100 seconds
    monkeypatch.setattr(Budget, "seconds", property(lambda budget: 100.0))
    for last in range(1, 12):
        calls = last
        run = rp.branch_and_price(model, stopping, whole_objective=True)
        calls = -1
        assert run.reason in ("interrupt", "tolerance")
        assert run.bound is None or run.bound <= best
        assert run.check() == ()
        # before any other heuristic, the best point of the columns, first of the master's own
        if not run.nodes:
            roots += 1
            assert run.objective == pytest.approx(rp.solve(run.model()).objective)
    assert roots > 3


def test_arguments_with_defaults_are_the_callers() -> None:
    """As in a loop that binds columns: def price(multipliers, restrictions, columns=columns)."""
    model, price = fractional()
    truth = rp.branch_and_price(model, price).objective
    relaxed = rp.column_generation(model, lambda m: price(m, rp.Restrictions())).objective

    def bound(multipliers: Any, restrictions: Any, price: Any = price, more: int = 3) -> Any:
        return price(multipliers, restrictions)

    class Priced:
        def __call__(self, multipliers: Any, restrictions: Any, *, price: Any = price) -> Any:
            return price(multipliers, restrictions)

    for own in (bound, Priced(), lambda *given: price(*given), functools.partial(price)):
        assert rp.branch_and_price(model, own).objective == truth
        assert rp.column_generation(model, own).objective == pytest.approx(relaxed)
    for wrong in (lambda m: [], lambda m, r, s, t: [], 3):
        refused(rp.OptionError, "the restrictions", rp.branch_and_price, model, wrong)
