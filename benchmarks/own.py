"""Drivers of a user's own program against the loop that one would write without them.

    python benchmarks/own.py            # median of 5 processes each
    python benchmarks/own.py --quick    # one each

Cutting stock, 60 widths, one pattern a round by the same dynamic program: ours is
``rp.column_generation``; the peer builds its Pyomo model anew with all columns and solves it by
Pyomo's own HiGHS interface in every round, until no pattern improves. Seconds are CPU seconds of
the loop, and again without those of the dynamic program, which both spend alike.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

import numpy as np
from measure import child, measure, peak_mb, table

THIS = str(Path(__file__).resolve())
ROLL = 1000


def instance() -> tuple[list[int], list[int]]:
    """Widths and demands."""
    rng = np.random.default_rng(0)
    widths = rng.choice(np.arange(60, 400), size=60, replace=False)
    return widths.tolist(), rng.integers(10, 100, size=60).tolist()


class Knapsack:
    """The best pattern at given values, and the CPU seconds spent on it."""

    def __init__(self, widths: list[int]) -> None:
        self.widths, self.seconds = widths, 0.0

    def __call__(self, values: list[float]) -> tuple[float, dict[int, int]]:
        started = time.process_time()
        best, chosen = [0.0] * (ROLL + 1), [-1] * (ROLL + 1)
        pairs = zip(self.widths, values, strict=True)
        useful = [(i, w, v) for i, (w, v) in enumerate(pairs) if v > 0]
        for room in range(1, ROLL + 1):
            most, which = best[room - 1], -1
            for i, width, value in useful:
                if width <= room and best[room - width] + value > most + 1e-12:
                    most, which = best[room - width] + value, i
            best[room], chosen[room] = most, which
        pattern: dict[int, int] = {}
        room = ROLL
        while room > 0:
            i = chosen[room]
            if i < 0:
                room -= 1
            else:
                pattern[i] = pattern.get(i, 0) + 1
                room -= self.widths[i]
        self.seconds += time.process_time() - started
        return best[ROLL], pattern


def ours() -> dict[str, Any]:
    """rp.column_generation."""
    import pyomo.environ as pyo

    import radprog as rp

    widths, demands = instance()
    master = pyo.ConcreteModel()
    items = range(len(widths))
    master.rolls = pyo.Var(items, domain=pyo.NonNegativeReals)
    master.demand = pyo.Constraint(
        items, rule=lambda m, i: (ROLL // widths[i]) * m.rolls[i] >= demands[i]
    )
    master.used = pyo.Objective(expr=pyo.quicksum(master.rolls.values()))
    knapsack = Knapsack(widths)

    def price(multipliers: Any) -> Any:
        value, pattern = knapsack([multipliers[master.demand[i]] for i in items])
        column = rp.Column(1.0, {master.demand[i]: k for i, k in pattern.items()})
        return rp.PricedColumns([column], 1.0 - value - 1e-9, sum(demands))

    solve = rp.column_generation  # imported when first named
    started = time.process_time()
    run = solve(master, price, tol=1e-7)
    seconds = time.process_time() - started
    note = f"bound {run.bound:.6f}, {len(run.columns)} columns, {len(run.trace)} rounds"
    return answer(seconds, knapsack, run.objective, note)


def plain() -> dict[str, Any]:
    """Pyomo, built anew in every round."""
    import pyomo.environ as pyo

    widths, demands = instance()
    items = range(len(widths))
    patterns: list[dict[int, int]] = [{i: ROLL // widths[i]} for i in items]
    knapsack, solver = Knapsack(widths), pyo.SolverFactory("appsi_highs")
    solver.available()  # imports highspy
    started = time.process_time()
    rounds = 0
    while True:
        model = pyo.ConcreteModel()
        model.x = pyo.Var(range(len(patterns)), domain=pyo.NonNegativeReals)
        using: list[list[Any]] = [[] for _ in items]
        for j, pattern in enumerate(patterns):
            for i, count in pattern.items():
                using[i].append(count * model.x[j])
        model.demand = pyo.Constraint(
            items, rule=lambda m, i, using=using: pyo.quicksum(using[i]) >= demands[i]
        )
        model.used = pyo.Objective(expr=pyo.quicksum(model.x.values()))
        model.dual = pyo.Suffix(direction=pyo.Suffix.IMPORT)
        solver.solve(model)
        rounds += 1
        value, pattern = knapsack([model.dual[model.demand[i]] for i in items])
        if value <= 1.0 + 1e-7:
            break
        patterns.append(pattern)
    seconds = time.process_time() - started
    note = f"no bound, {len(patterns) - len(widths)} columns, {rounds} rounds"
    return answer(seconds, knapsack, float(pyo.value(model.used)), note)


def answer(seconds: float, knapsack: Knapsack, objective: float, note: str) -> dict[str, Any]:
    """What a process prints."""
    rest = seconds - knapsack.seconds
    return {
        "seconds": rest,
        "peak_mb": peak_mb(),
        "objective": round(objective, 6),
        "note": f"{note}; {seconds:.2f} s with pricing",
    }


def main() -> None:
    """Measure, print a table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--quick", action="store_true", help="one run each")
    parser.add_argument("--task", choices=["ours", "plain"], help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.task:
        child(ours if options.task == "ours" else plain)
        return
    rows = []
    for task in ("ours", "plain"):
        found = measure(THIS, ["--task", task], 1 if options.quick else 5)
        rows.append({"name": task, **found})
    table("cutting stock, CPU seconds without pricing", rows)


if __name__ == "__main__":
    main()
