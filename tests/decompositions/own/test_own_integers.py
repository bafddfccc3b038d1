"""Points with integers in the drivers for a user's own program, against enumeration.

Rows miss by a unit of large numbers, have large factors of binaries, or very small coefficients.
"""

from __future__ import annotations

import itertools
from fractions import Fraction
from typing import Any

import numpy as np
import pyomo.environ as pyo
import pytest
from effort import seeds

import radprog as rp

ITEMS = 7


def drawn(seed: int) -> tuple[list[list[int]], list[int], list[int]]:
    """Rows of large whole numbers <= sides, and costs; sides are met, or missed by a unit."""
    rng = np.random.default_rng(seed)
    rows = rng.integers(10**6, 10**7, (2, ITEMS)).tolist()
    chosen = rng.integers(0, 2, ITEMS)
    sides = [int(np.dot(row, chosen)) - int(rng.integers(0, 2)) for row in rows]
    return rows, sides, rng.integers(1, 30, ITEMS).tolist()


def best_of(rows: Any, sides: Any, worth: Any) -> int:
    """The largest worth of all subsets that meet the rows in whole numbers."""
    return max(
        sum(w for w, z in zip(worth, point, strict=True) if z)
        for point in itertools.product((0, 1), repeat=ITEMS)
        if all(
            sum(a for a, z in zip(row, point, strict=True) if z) <= side
            for row, side in zip(rows, sides, strict=True)
        )
    )


def knapsack(rows: Any, sides: Any, worth: Any) -> pyo.ConcreteModel:
    model = pyo.ConcreteModel()
    model.x = pyo.Var(range(ITEMS), domain=pyo.Binary, initialize=0)
    model.row = pyo.ConstraintList()
    for row, side in zip(rows, sides, strict=True):
        model.row.add(sum(a * model.x[j] for j, a in enumerate(row)) <= side)
    goal = sum(w * model.x[j] for j, w in enumerate(worth))
    model.f = pyo.Objective(expr=goal, sense=pyo.maximize)
    return model


def whole_units(rows: Any, sides: Any, x: list[float]) -> bool:
    return all(
        sum(Fraction(a) * Fraction(v) for a, v in zip(row, x, strict=True)) <= side
        for row, side in zip(rows, sides, strict=True)
    )


@pytest.mark.parametrize("seed", seeds(60, 8))
def test_cuts_and_blocks_meet_rows_in_units(seed: int) -> None:
    rows, sides, worth = drawn(seed)
    best = best_of(rows, sides, worth)
    model = knapsack(rows, sides, worth)
    # the second row is a cut
    cut = model.row[2].body
    model.row[2].deactivate()

    def separate(values: Any) -> Any:
        return [cut <= sides[1]] if pyo.value(cut) > sides[1] else []

    run = rp.cutting_planes(model, separate, solver="highs")
    x = [run.values[v] for v in model.x.values()]
    assert run.objective is None or run.objective <= best
    if run.objective is not None:
        assert whole_units(rows[:1], sides[:1], x)
    assert run.status != "optimal" or run.objective == best
    # one block
    model.row[2].activate()
    blocks = rp.alternate(model, [model.x])
    assert blocks.objective is None or blocks.objective <= best
    x = [blocks.values[f"x[{j}]"] for j in range(ITEMS)]
    assert blocks.objective is None or whole_units(rows, sides, x)


@pytest.mark.parametrize("seed", seeds(60, 8))
def test_columns_meet_rows_in_units(seed: int) -> None:
    """Columns of large whole numbers in a master that misses by a unit; rounding and the tree."""
    rows, sides, worth = drawn(seed)
    best = best_of(rows, sides, worth)
    master = pyo.ConcreteModel()
    master.none = pyo.Var(bounds=(0, 0), domain=pyo.NonNegativeIntegers)
    master.row = pyo.Constraint(range(2), rule=lambda m, i: 0 * m.none <= sides[i])
    master.f = pyo.Objective(expr=0 * master.none)
    columns = [
        rp.Column(
            -float(worth[j]), {master.row[i]: rows[i][j] for i in range(2)}, upper=1.0, payload=j
        )
        for j in range(ITEMS)
    ]

    def price(multipliers: Any, restrictions: Any = None) -> Any:
        least = min(map(multipliers.reduced_cost, columns))
        return rp.PricedColumns(columns, reduced_cost=least, count=ITEMS)

    rounded = rp.column_generation(master, lambda multipliers: price(multipliers)).round()
    tree = rp.branch_and_price(master, price, max_iter=20)
    for objective, chosen in ((rounded.objective, rounded.chosen), (tree.objective, tree.chosen)):
        x = [0.0] * ITEMS
        for column, value in chosen:
            x[column.payload] = value
        assert objective is None or whole_units(rows, sides, x)
        assert objective is None or objective >= -best
    assert tree.check() == ()


@pytest.mark.parametrize("M", [1e4, 1e6, 1e8])
@pytest.mark.parametrize("small", [1.0, 1e-7])
def test_a_large_factor_of_a_binary_needs_it_whole(M: float, small: float) -> None:
    """A flow of half a unit needs its fixed cost, in cuts and in blocks."""
    model = pyo.ConcreteModel()
    model.y, model.b = (
        pyo.Var(bounds=(0, 10), initialize=1),
        pyo.Var(domain=pyo.Binary, initialize=1),
    )
    model.link = pyo.Constraint(expr=small * model.y <= small * M * model.b)
    model.f = pyo.Objective(expr=model.y + 100 * model.b)
    both = [model.y, model.b]

    def separate(values: Any) -> Any:
        return [model.y >= 0.5] if values[model.y] < 0.5 - 1e-9 else []

    # a point that breaks a row of small numbers is refused by name, if a solver returns one
    for driver in (lambda: rp.cutting_planes(model, separate), lambda: rp.alternate(model, [both])):
        said = ""
        try:
            run = driver()
        except rp.StoppedError as error:
            said, run = str(error), error.run
        assert not said or (small < 1.0 and ("integers whole" in said or "violates" in said))
        assert run.objective is None or run.objective == pytest.approx(100.5)
        model.least = pyo.Constraint(expr=model.y >= 0.5)


def crowded(n: int = 40) -> pyo.ConcreteModel:
    """Assignment of n jobs to 8 tight machines, whose search has a gap for long."""
    rng = np.random.default_rng(0)
    size, cost = rng.integers(10, 60, n).tolist(), rng.integers(10, 99, (n, 8)).tolist()
    model = pyo.ConcreteModel()
    model.x = pyo.Var(range(n), range(8), domain=pyo.Binary)
    x, room = model.x, sum(size) / 8 * 1.02
    model.job = pyo.Constraint(range(n), rule=lambda m, i: sum(x[i, k] for k in range(8)) == 1)
    model.room = pyo.Constraint(
        range(8), rule=lambda m, k: sum(size[i] * x[i, k] for i in range(n)) <= room
    )
    model.f = pyo.Objective(
        expr=sum(c * x[i, k] for i, row in enumerate(cost) for k, c in enumerate(row))
    )
    return model


@pytest.mark.parametrize("solver", ["highs", "scip"])
def test_a_wide_tolerance_is_the_gap_of_the_search(solver: str) -> None:
    model, name = crowded(), {"highs": "mip_rel_gap", "scip": "limits/gap"}[solver]
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
    model = crowded(8)
    with pytest.warns(rp.RadprogWarning, match="start: a point that violates") as issued:
        rp.solve(model, start=dict.fromkeys([f"x[{i},{k}]" for i in range(8) for k in range(8)], 1))
    assert issued[0].filename == __file__
