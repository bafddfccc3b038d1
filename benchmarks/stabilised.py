"""Pricing calls of ``rp.column_generation`` until a gap of 1e-7, with and without smoothing.

    python benchmarks/stabilised.py

The programs are bin packing (every item once, a degenerate master) and cutting stock; pricing is a
dynamic program. An instance takes up to a minute.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

TOL = 1e-7
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


def generated(case: Instance, **stabilised: float) -> tuple[int, float]:
    """Calls of the pricer and value of ``rp.column_generation``."""
    import pyomo.environ as pyo

    import radprog as rp

    items, first, calls = range(len(case.widths)), case.first(), 0
    master = pyo.ConcreteModel()
    master.x = pyo.Var(items, bounds=(0, None))
    master.cover = pyo.Constraint(
        items, rule=lambda m, i: float(first[i, i]) * m.x[i] >= case.demands[i]
    )
    master.used = pyo.Objective(expr=pyo.quicksum(master.x.values()))

    def price(multipliers: Any) -> Any:
        nonlocal calls
        calls += 1
        value, pattern = case.best(np.array([multipliers[master.cover[i]] for i in items]))
        rows = {master.cover[i]: pattern[i] for i in np.flatnonzero(pattern).tolist()}
        return rp.PricedColumns([rp.Column(1.0, rows)], 1.0 - value - 1e-9, sum(case.demands))

    run = rp.column_generation(master, price, tol=TOL, **stabilised)
    assert run.certified
    return calls, run.objective


def main() -> None:
    """Print a line an instance."""
    started = time.process_time()
    print("calls             plain  smoothed")
    for case in instances():
        runs = [generated(case, stabilise=0.0), generated(case)]
        assert max(v for _, v in runs) - min(v for _, v in runs) <= 1e-5 * runs[0][1]
        line = "".join(f"{count:>11d}" for count, _ in runs)
        print(f"{case.name:<12}{line}", flush=True)
    print(f"{time.process_time() - started:.0f} CPU seconds")


if __name__ == "__main__":
    main()
