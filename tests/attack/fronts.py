"""Fronts and next best solutions of tiny programs against the enumeration of all points.

Run as a script, it examines ``--count`` programs of each kind from ``--seed`` on.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

import numpy as np
import pyomo.environ as pyo
from scipy.optimize import Bounds, LinearConstraint, milp
from script_options import run
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


def check_step_front(seed: int) -> None:
    """A front is complete only if it has all points, whatever the step."""
    rng = np.random.default_rng(seed)
    model, points, costs = integer_model(seed, binary=True)
    # costs with a common divisor, some of them decimals
    scale, of = int(rng.integers(1, 4)), int(rng.choice([1, 10]))
    other = [scale * cost for cost in costs[1]]
    unit = (math.gcd(*other) or 1) / of
    pairs = nondominated([(value(costs[0], one), value(other, one)) for one in points])
    expected = [[first, second / of] for first, second in pairs]
    for times in (0.4, 1.0, 1.5, 2.0, 3.0, 1000.0):
        goals = objective(model, costs[0]), objective(model, [cost / of for cost in other])
        front = rp.front(model, *goals, step=times * unit)
        if not points:
            assert front.status == "infeasible"
            continue
        values = np.round(front.values, 9).tolist()
        assert all(pair in expected for pair in values)
        assert values[-1] == expected[-1]
        assert front.complete == (times <= 1.0 or len(expected) == 1)
        if front.complete:
            assert values == expected
        else:
            assert f"step {times * unit:g}" in repr(front)
            assert f"step={unit:g} finds all" in str(front)


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


def check_mixed_front(seed: int) -> None:
    """Each point of a second objective that is continuous is the best at a step from the last.

    The step divides the least value of the second objective, which is the last point's.
    """
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 5))
    # columns: amounts, then whether a source is open; as much as is needed comes from open ones
    room, need = rng.integers(20, 200, n), int(rng.integers(20, 41))
    unit = rng.integers(5, 99, n) / float(rng.choice([1, 7, 10]))
    cost = np.concatenate([unit * rng.choice([1.0, 40.0]), rng.integers(0, 500, n)])
    other = np.concatenate([rng.integers(1, 60, n) / float(rng.choice([1, 7, 10])), np.zeros(n)])
    rows = np.block([[np.eye(n), -np.diag(room)], [-np.ones((1, n)), np.zeros((1, n))]])
    sides = np.array([*np.zeros(n), -need])
    model = pyo.ConcreteModel()
    model.x = pyo.Var(range(2 * n), bounds=lambda _, j: (0, None if j < n else 1))
    for j in range(n, 2 * n):
        model.x[j].domain = pyo.Binary
    x = np.array([*model.x.values()])
    model.rows = pyo.Constraint(range(n + 1), rule=lambda _, i: rows[i] @ x <= sides[i])

    def best(goal: Any, end: float = np.inf) -> float:
        """The least value of costs of which ``other`` is at most ``end``, by another solver."""
        answer = milp(
            goal,
            integrality=np.arange(2 * n) >= n,
            bounds=Bounds(0, np.where(np.arange(2 * n) < n, np.inf, 1)),
            constraints=LinearConstraint(np.vstack([rows, other]), ub=[*sides, end]),
            options={"mip_rel_gap": 0.0},
        )
        assert answer.status == 0
        return float(answer.fun)

    least = best(other)
    step = least / int(rng.choice([2, 4, 8]))
    front = rp.front(model, cost @ x, other @ x, step=step)
    # it has line segments: points at steps are not all, where it has more than one
    assert front.status == ("step" if len(front.points) > 1 else "complete"), front.message
    assert front.complete == (len(front.points) == 1)
    first, second = front.values.T
    assert np.isclose(first[0], best(cost))
    assert second[-1] <= least + 2e-3 * step
    assert (second >= least - 1e-6 * least).all()
    assert (-np.diff(second)[:-1] >= 0.99 * step).all()
    for place, value_ in enumerate(first[1:], 1):
        end = max(second[place - 1] - step, least)
        # between ends a little lower and a little higher, as both have rounding
        assert value_ <= best(cost, max(end - 2e-3 * step, least * (1 + 1e-9))) * (1 + 1e-7)
        assert value_ >= best(cost, end + 2e-3 * step) * (1 - 1e-7)


def check_next_best(seed: int) -> None:
    """The next best solutions are those of all points."""
    model, points, (cost, _) = integer_model(seed, binary=seed % 2 == 0)
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


KINDS = {
    "integer": check_integer_front,
    "linear": check_linear_front,
    "mixed": check_mixed_front,
    "step": check_step_front,
    "next": check_next_best,
}


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
    sys.exit(run(__doc__, examine, kinds=KINDS))
