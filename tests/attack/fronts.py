"""Fronts and next best solutions of tiny programs against the enumeration of all points.

Run as a script, it examines ``--count`` programs of each kind from ``--seed`` on.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

import numpy as np
import pyomo.environ as pyo
from side_routes import main
from tiny_programs import Costs, extreme, integer_model, linear_model, nondominated, value

import radprog as rp


def objective(model: Any, cost: Costs) -> Any:
    return sum(c * x for c, x in zip(cost, model.x.values(), strict=True))


def check_integer_front(seed: int) -> None:
    """The front of integers is that of all points."""
    model, points, costs = integer_model(seed)
    front = rp.front(model, *(objective(model, cost) for cost in costs))
    if not points:
        assert (front.status, len(front.points)) == ("infeasible", 0)
        return
    pairs = [(value(costs[0], point), value(costs[1], point)) for point in points]
    assert front.complete
    assert front.proved_by == "solver"
    assert np.allclose(front.values, nondominated(pairs), atol=1e-9)
    for point, pair in zip(front.points, front.values, strict=True):
        x = list(point.values())
        assert x in points
        assert [value(cost, x) for cost in costs] == pair.tolist()


def check_linear_front(seed: int) -> None:
    """The front of a linear program has the extreme vertices."""
    model, vertices, costs = linear_model(seed)
    front = rp.front(model, *(objective(model, cost) for cost in costs))
    if not vertices:
        assert (front.status, len(front.points)) == ("infeasible", 0)
        return
    pairs = [(value(costs[0], point), value(costs[1], point)) for point in vertices]
    expected = np.array([[float(a), float(b)] for a, b in extreme(pairs)])
    assert front.complete
    assert front.proved_by == "duals"
    assert front.values.shape == expected.shape
    assert np.allclose(front.values, expected, atol=1e-7)


def check_next_best(seed: int) -> None:
    """The next best solutions are those of all points."""
    model, points, (cost, _) = integer_model(seed, binary=True)
    sense = (pyo.minimize, pyo.maximize)[seed % 3 == 0]
    model.cost = pyo.Objective(expr=objective(model, cost), sense=sense)
    block = rp.analyze(model, solutions=6)["solutions"]
    if not points:
        assert block is None
        return
    values = sorted((value(cost, point) for point in points), reverse=sense == pyo.maximize)
    assert [one["objective"] for one in block["list"]] == values[:6]
    assert block["complete"] == (len(points) < 6)
    listed = [list(one["values"].values()) for one in block["list"]]
    assert all(point in points for point in listed)
    assert len({tuple(point) for point in listed}) == len(listed)
    assert all(one["status"] == "optimal" for one in block["list"])
    assert all(abs(one["bound"] - one["objective"]) <= 1e-6 for one in block["list"])


KINDS = {"integer": check_integer_front, "linear": check_linear_front, "next": check_next_best}


def examine(seed: int, kinds: Sequence[str] = ()) -> list[str]:
    """What is false of the programs of a seed."""
    found = []
    for kind in kinds or KINDS:
        try:
            KINDS[kind](seed)
        except (AssertionError, ValueError, rp.RadprogError) as error:
            found.append(f"seed {seed} {kind}: {error!r}")
    return found


if __name__ == "__main__":
    sys.exit(main(examine, kinds=KINDS))
