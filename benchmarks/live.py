"""Seconds of the masters of cutting stock in a solver of a vendor, live and rebuilt in every round.

    python benchmarks/live.py pyomo:gurobi

100 widths on rolls of 600; size-limited licences suffice. Pricing is a dynamic program.
"""

from __future__ import annotations

import sys
import time

import numpy as np
import pyomo.environ as pyo
from stabilised import Instance

import radprog as rp
from radprog.decompositions.drivers import masters


def run(case: Instance, solver: str) -> str:
    """Solve it by columns: status, value, seconds of everything but pricing."""
    items, first, pricing = range(len(case.widths)), case.first(), [0.0]
    model = pyo.ConcreteModel()
    model.rolls = pyo.Var(items, domain=pyo.NonNegativeReals)
    model.demand = pyo.Constraint(
        items, rule=lambda model, i: first[i, i] * model.rolls[i] >= case.demands[i]
    )
    model.used = pyo.Objective(expr=pyo.quicksum(model.rolls.values()))

    def price(multipliers: rp.Multipliers) -> rp.PricedColumns:
        start = time.perf_counter()
        value, pattern = case.best(np.array([multipliers[model.demand[i]] for i in items]))
        entries = {model.demand[i]: float(pattern[i]) for i in np.flatnonzero(pattern).tolist()}
        pricing[0] += time.perf_counter() - start
        return rp.PricedColumns([rp.Column(1.0, entries)], 1.0 - value - 1e-9, sum(case.demands))

    start = time.perf_counter()
    found = rp.column_generation(model, price, solver=solver)
    seconds = time.perf_counter() - start - pricing[0]
    return f"{found.status}, {found.objective:.6f}, {seconds:.2f} s"


def main() -> None:
    """Print a line each for the live and for the rebuilt master."""
    rng = np.random.default_rng(0)
    widths = rng.choice(np.arange(30, 230), size=100, replace=False).tolist()
    case = Instance("cutting 100", 600, widths, rng.integers(10, 100, size=100).tolist(), False)
    for solver in sys.argv[1:]:
        print(solver, "live:", run(case, solver))
        kept, masters.live_solver = masters.live_solver, lambda name: None
        print(solver, "rebuilt:", run(case, solver))
        masters.live_solver = kept


if __name__ == "__main__":
    main()
