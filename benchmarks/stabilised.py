"""Rounds of column generation until bound and value meet to 1e-7: the multipliers of the master
as they are, smoothed, and from the level set of its dual.

    python benchmarks/stabilised.py

Bin packing (every item once, a degenerate master) and cutting stock; pricing is a dynamic program.
Plain and smoothed rounds are those of ``rp.column_generation``. The level method asks the pricer at
the point nearest to that of the best bound among those where the restricted dual is at least
bound + ratio (value - bound), a quadratic program a round, and at the master's own multipliers
where that gives no column; these calls are counted too. An instance takes up to a minute.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog

TOL = 1e-7
RATIOS = (0.3, 0.5, 0.7, 0.9)
Vector = NDArray[np.float64]


@dataclass(frozen=True)
class Instance:
    """Demands of widths on rolls; ``once``: a pattern holds an item at most once."""

    name: str
    roll: int
    widths: list[int]
    demands: list[int]
    once: bool

    def best(self, y: Vector) -> tuple[float, Vector]:
        """The pattern (n,) of the greatest value, and that value."""
        n, roll = len(self.widths), self.roll
        value = np.zeros(roll + 1)
        taken = np.zeros((n, roll + 1), dtype=np.int64)
        for i, (width, gain) in enumerate(zip(self.widths, y, strict=True)):
            if gain <= 0.0:
                continue
            for _ in range(1 if self.once else roll // width):
                more = np.append(np.zeros(width), value[: roll + 1 - width] + gain)
                count = np.append(np.zeros(width, np.int64), taken[i, : roll + 1 - width] + 1)
                better = more > value + 1e-12
                if not better.any():
                    break
                value, taken[i] = np.where(better, more, value), np.where(better, count, taken[i])
        pattern, room = np.zeros(n), roll
        for i in reversed(range(n)):
            pattern[i] = taken[i, room]
            room -= int(pattern[i]) * self.widths[i]
        return float(pattern @ y), pattern

    def first(self) -> Vector:
        """The patterns (n, n) of one item each."""
        return np.diag([1.0 if self.once else float(self.roll // w) for w in self.widths])


def instances() -> list[Instance]:
    """Two of each kind, seeded."""
    found = []
    for items, low, high in ((60, 10, 90), (100, 10, 60)):
        widths = np.random.default_rng(1).integers(low, high, size=items).tolist()
        found.append(Instance(f"packing {items}", 300, widths, [1] * items, True))
    for items, low, high in ((40, 60, 400), (80, 30, 300)):
        rng = np.random.default_rng(1)
        widths = rng.choice(np.arange(low, high), size=items, replace=False).tolist()
        demands = rng.integers(10, 100, size=items).tolist()
        found.append(Instance(f"cutting {items}", 1000, widths, demands, False))
    return found


def generated(case: Instance, smoothing: float | None) -> tuple[int, float]:
    """Rounds and value of ``rp.column_generation``."""
    import pyomo.environ as pyo

    import radprog as rp

    items, first = range(len(case.widths)), case.first()
    master = pyo.ConcreteModel()
    master.x = pyo.Var(items, bounds=(0, None))
    master.cover = pyo.Constraint(
        items, rule=lambda m, i: float(first[i, i]) * m.x[i] >= case.demands[i]
    )
    master.used = pyo.Objective(expr=pyo.quicksum(master.x.values()))

    def price(multipliers: Any) -> Any:
        value, pattern = case.best(np.array([multipliers[master.cover[i]] for i in items]))
        rows = {master.cover[i]: pattern[i] for i in np.flatnonzero(pattern).tolist()}
        return rp.PricedColumns([rp.Column(1.0, rows)], 1.0 - value - 1e-9, sum(case.demands))

    run = rp.column_generation(master, price, tol=TOL, smoothing=smoothing)
    assert run.certified
    return len(run.trace), run.objective


def levelled(case: Instance, ratio: float) -> tuple[int, float]:
    """Calls of the pricer and value of the level method."""
    from radprog.solvers.dense.nearest import nearest_point

    demands, patterns = np.array(case.demands, dtype=np.float64), case.first()
    n, calls, bound, centre = len(demands), 0, -np.inf, np.zeros(len(demands))
    while True:
        solved = linprog(-demands, patterns, np.ones(len(patterns)), method="highs-ds")
        value, corner = -solved.fun, solved.x
        points = [corner]
        if np.isfinite(bound):
            rows = np.vstack([-demands, patterns])
            sides = np.append(-(bound + ratio * (value - bound)), np.ones(len(patterns)))
            box = np.zeros(n), np.full(n, np.inf)
            low = np.full(len(rows), -np.inf)
            near = nearest_point(centre, np.ones(n), rows, (low, sides), box)
            points = [corner] if near is None else [near, corner]
        for y in points:
            most, pattern = case.best(y)
            calls += 1
            if demands @ y / max(most, 1.0) > bound:
                centre = y / max(most, 1.0)
                bound = float(demands @ centre)
            if most > 1.0 + 1e-9:
                patterns = np.vstack([patterns, pattern])
                break
        if value - bound <= TOL * value:
            return calls, float(value)


def main() -> None:
    """Print a line an instance."""
    started = time.process_time()
    print("rounds            plain  smoothed" + "".join(f"  level {r}" for r in RATIOS))
    for case in instances():
        runs = [generated(case, 0.0), generated(case, None)]
        runs += [levelled(case, ratio) for ratio in RATIOS]
        assert max(v for _, v in runs) - min(v for _, v in runs) <= 1e-5 * runs[0][1]
        line = "".join(f"{count:>11d}" for count, _ in runs)
        print(f"{case.name:<12}{line}", flush=True)
    print(f"{time.process_time() - started:.0f} CPU seconds")


if __name__ == "__main__":
    main()
