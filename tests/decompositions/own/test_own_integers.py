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
