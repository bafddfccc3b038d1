"""Tiny programs with all their points or vertices, by enumeration in rational numbers."""

import itertools
from fractions import Fraction
from typing import Any

import numpy as np
import pyomo.environ as pyo

Costs = list[int]


def integer_model(seed: int, *, binary: bool = False) -> tuple[Any, list[Costs], list[Costs]]:
    """A model with 2 to 5 integer columns, all its points, and two costs of its columns."""
    rng = np.random.default_rng(seed)
    n, m = int(rng.integers(2, 6)), int(rng.integers(1, 4))
    low = np.zeros(n, dtype=int) if binary else rng.integers(-2, 1, n)
    high = low + 1 if binary else low + rng.integers(0, 4, n)
    rows, sides = rng.integers(-4, 6, (m, n)), rng.integers(-1, 9, m)
    costs = rng.integers(-6, 7, (2, n)).tolist()
    model = pyo.ConcreteModel()
    ends = dict(enumerate(zip(low.tolist(), high.tolist(), strict=True)))
    model.x = pyo.Var(range(n), domain=pyo.Integers, bounds=lambda model, j: ends[j])
    model.rows = pyo.ConstraintList()
    for row, side in zip(rows.tolist(), sides.tolist(), strict=True):
        if any(row):
            model.rows.add(sum(a * model.x[j] for j, a in enumerate(row)) <= side)
    boxes = (range(one, other + 1) for one, other in ends.values())
    kept = [any(row) for row in rows.tolist()]
    points = [
        list(point)
        for point in itertools.product(*boxes)
        if (rows[kept] @ np.array(point) <= sides[kept]).all()
    ]
    return model, points, costs


def linear_model(seed: int) -> tuple[Any, list[list[Fraction]], list[Costs]]:
    """A model with 2 or 3 columns in a box, all its vertices, and two costs of its columns."""
    rng = np.random.default_rng(seed)
    n, m = int(rng.integers(2, 4)), int(rng.integers(1, 5))
    rows = [*rng.integers(-3, 6, (m, n)).tolist(), *np.eye(n, dtype=int).tolist()]
    rows += (-np.eye(n, dtype=int)).tolist()
    sides = [*rng.integers(-1, 9, m).tolist(), *[int(rng.integers(1, 6))] * n, *[0] * n]
    costs = rng.integers(-5, 6, (2, n)).tolist()
    model = pyo.ConcreteModel()
    model.x = pyo.Var(range(n), bounds=(0, sides[m]))
    model.rows = pyo.ConstraintList()
    for row, side in zip(rows[:m], sides[:m], strict=True):
        if any(row):
            model.rows.add(sum(a * model.x[j] for j, a in enumerate(row)) <= side)
    used = [(row, side) for row, side in zip(rows, sides, strict=True) if any(row)]
    vertices: list[list[Fraction]] = []
    for chosen in itertools.combinations(used, n):
        point = solved([row for row, _ in chosen], [side for _, side in chosen])
        if point is None or point in vertices:
            continue
        if all(sum(a * x for a, x in zip(row, point, strict=True)) <= side for row, side in used):
            vertices.append(point)
    return model, vertices, costs


def solved(rows: list[Costs], sides: Costs) -> list[Fraction] | None:
    """The solution of a square system in rational numbers; None if it is singular."""
    work = [[Fraction(a) for a in (*row, side)] for row, side in zip(rows, sides, strict=True)]
    for j in range(len(work)):
        pivot = next((i for i in range(j, len(work)) if work[i][j]), None)
        if pivot is None:
            return None
        work[j], work[pivot] = work[pivot], work[j]
        work[j] = [a / work[j][j] for a in work[j]]
        for i in range(len(work)):
            if i != j:
                work[i] = [a - work[i][j] * b for a, b in zip(work[i], work[j], strict=True)]
    return [row[-1] for row in work]


def value(cost: Costs, point: Any) -> Any:
    """The objective of a point."""
    return sum(a * x for a, x in zip(cost, point, strict=True))


def nondominated(values: list[tuple[Any, Any]]) -> list[tuple[Any, Any]]:
    """The pairs that no other pair dominates, in their order."""
    front: list[tuple[Any, Any]] = []
    for pair in sorted(set(values)):
        if not front or pair[1] < front[-1][1]:
            front.append(pair)
    return front


def extreme(values: list[tuple[Any, Any]]) -> list[tuple[Any, Any]]:
    """The nondominated pairs that lie below the lines between the others."""
    hull: list[tuple[Any, Any]] = []
    for pair in nondominated(values):
        while len(hull) > 1 and (hull[-1][0] - hull[-2][0]) * (pair[1] - hull[-2][1]) <= (
            hull[-1][1] - hull[-2][1]
        ) * (pair[0] - hull[-2][0]):
            hull.pop()
        hull.append(pair)
    return hull
