"""Processor seconds of masters in a commercial solver, live or rebuilt in every round.

    python benchmarks/live.py pyomo:gurobi

The columns are those of cutting stock, with 100 widths on rolls of 600; pricing is a dynamic
program. The rows are those of the stock of 60 goods for 10 scenarios of demand, with a Benders cut
for each scenario. Size-limited licences suffice. Times exclude pricing and separation.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pyomo.environ as pyo
from stabilised import Instance

import radprog as rp
from radprog.solvers.adapters import pyomo_bridge


class Oracle:
    """A pricer or separator, and the seconds that it takes."""

    def __init__(self, ask: Callable[[Any], Any]) -> None:
        self.ask, self.seconds = ask, 0.0

    def __call__(self, point: Any) -> Any:
        """Its answer."""
        start = time.process_time()
        answer = self.ask(point)
        self.seconds += time.process_time() - start
        return answer


def columns() -> tuple[Callable[..., Any], pyo.ConcreteModel, Oracle]:
    """Cutting stock: its driver, master and pricer."""
    rng = np.random.default_rng(0)
    widths = rng.choice(np.arange(30, 230), size=100, replace=False).tolist()
    case = Instance("cutting 100", 600, widths, rng.integers(10, 100, size=100).tolist(), False)
    items, first = range(len(case.widths)), case.first()
    model = pyo.ConcreteModel()
    model.rolls = pyo.Var(items, domain=pyo.NonNegativeReals)
    model.demand = pyo.Constraint(
        items, rule=lambda model, i: first[i, i] * model.rolls[i] >= case.demands[i]
    )
    model.used = pyo.Objective(expr=pyo.quicksum(model.rolls.values()))

    def price(multipliers: rp.Multipliers) -> rp.PricedColumns:
        value, pattern = case.best(np.array([multipliers[model.demand[i]] for i in items]))
        entries = {model.demand[i]: float(pattern[i]) for i in np.flatnonzero(pattern).tolist()}
        return rp.PricedColumns([rp.Column(1.0, entries)], 1.0 - value - 1e-9, sum(case.demands))

    return rp.column_generation, model, Oracle(price)


def rows() -> tuple[Callable[..., Any], pyo.ConcreteModel, Oracle]:
    """Stock before demand is seen: its driver, master and separator."""
    rng = np.random.default_rng(0)
    goods, scenarios = range(60), range(10)
    demand = rng.gamma(2.0, 25.0, size=(len(scenarios), len(goods)))
    cost, lost = rng.uniform(1.0, 2.0, len(goods)), rng.uniform(2.0, 6.0, len(goods))
    model = pyo.ConcreteModel()
    model.stock = pyo.Var(goods, bounds=(0, 300))
    model.lost = pyo.Var(scenarios, bounds=(0, None))
    model.room = pyo.Constraint(expr=pyo.quicksum(model.stock.values()) <= 2400)
    buying = pyo.quicksum(cost[j] * model.stock[j] for j in goods)
    model.cost = pyo.Objective(expr=buying + pyo.quicksum(model.lost.values()) / len(scenarios))

    def separate(values: Any) -> rp.Separated:
        stock = np.array([values[model.stock[j]] for j in goods])
        missing = np.maximum(demand - stock, 0.0)
        losses = missing @ lost
        # a tangent for every scenario whose loss the master has too small
        cuts = [
            pyo.quicksum(
                lost[j] * (demand[s, j] - model.stock[j])
                for j in np.flatnonzero(missing[s]).tolist()
            )
            <= model.lost[s]
            for s in scenarios
            if losses[s] > values[model.lost[s]] + 1e-7 * (1.0 + losses[s])
        ]
        return rp.Separated(cuts, float(cost @ stock + losses.mean()))

    return rp.cutting_planes, model, Oracle(separate)


def run(case: Callable[[], Any], solver: str) -> str:
    """Status, value, rounds and seconds of a case."""
    drive, model, oracle = case()
    start = time.process_time()
    found = drive(model, oracle, solver=solver)
    seconds = time.process_time() - start - oracle.seconds
    return f"{found.status}, {found.objective:.6f}, {len(found.trace)} rounds, {seconds:.2f} s"


def main() -> None:
    """Print a line each for the live and for the rebuilt masters."""
    for solver in sys.argv[1:]:
        for case in (columns, rows):
            print(solver, case.__name__, "live:", run(case, solver))
            kept = pyomo_bridge.live_solver
            pyomo_bridge.live_solver = lambda name: None
            print(solver, case.__name__, "rebuilt:", run(case, solver))
            pyomo_bridge.live_solver = kept


if __name__ == "__main__":
    main()
