"""``rp.column_generation`` against a handwritten loop in highspy, on columns that are in memory.

    python benchmarks/columns.py            # median of 3 processes each
    python benchmarks/columns.py --quick    # one process each

The program covers rows by short columns (3 to 6 rows in succession, as shifts), whose linear
programs HiGHS solves fast, so that what a driver adds is seen. A round prices all columns by one
sparse product and adds the 200 with the smallest reduced costs. ``plain`` passes them to highspy;
``arrays`` returns ``rp.Columns`` and ``objects`` a list of ``rp.Column``. Seconds are CPU seconds
of the loop with pricing, which is the same in all; the drivers' include reading the Pyomo model.
Memory is what the loop adds to that of the process.

The second program is cutting stock with 40 widths and at most 12 pieces a roll, priced by a small
integer program. ``highspy`` changes its costs in a live object, with the options and gaps of
radprog; ``model`` is an ``rp.PricingModel``. Milliseconds are those of a master and a call.
The third is the same without a limit of pieces, by ``rp.branch_and_price`` of the pricing model.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

import numpy as np
from measure import child, measure, peak_mb, table
from scipy import sparse

THIS = str(Path(__file__).resolve())
SIZES = {"2000x10000": (2_000, 10_000), "4000x50000": (4_000, 50_000)}
EACH = 200  # columns a round
DEAR = 100.0  # cost of a column of the master itself


class Pool:
    """The columns of a program, and their pricing."""

    def __init__(self, rows: int, columns: int) -> None:
        rng = np.random.default_rng(0)
        sizes = rng.integers(3, 7, columns)
        starts = np.concatenate([[0], np.cumsum(sizes)])
        first = rng.integers(0, rows - 6, columns).tolist()
        places = np.concatenate(
            [np.arange(a, a + size) for a, size in zip(first, sizes.tolist(), strict=True)]
        )
        entries = np.ones(len(places)), places, starts
        self.matrix = sparse.csc_array(entries, shape=(rows, columns))
        self.turned = self.matrix.T.tocsr()
        self.cost = np.round(sizes**0.7 * rng.uniform(0.5, 1.5, columns), 3)
        self.held = np.zeros(columns, dtype=np.bool_)

    def best(self, y: Any) -> tuple[float, Any]:
        """The smallest reduced cost, and the places of new columns that improve."""
        reduced = self.cost - self.turned @ y
        reduced[self.held] = 0.0
        least = np.argpartition(reduced, EACH)[:EACH]
        least = np.sort(least[reduced[least] < -1e-9])
        self.held[least] = True
        return float(reduced.min()), least


def plain(pool: Pool) -> dict[str, Any]:
    """The loop in highspy."""
    import highspy

    m = pool.matrix.shape[0]
    started, before = time.process_time(), peak_mb()
    h = highspy.Highs()
    for option, value in (
        ("output_flag", False), ("threads", 1), ("presolve", "off"), ("solver", "simplex"),
        ("simplex_strategy", 4),
    ):  # fmt: skip
        h.setOptionValue(option, value)
    lp = highspy.HighsLp()
    lp.num_col_, lp.num_row_ = m, m
    lp.col_cost_, lp.col_lower_, lp.col_upper_ = np.full(m, DEAR), np.zeros(m), np.full(m, np.inf)
    lp.row_lower_, lp.row_upper_ = np.ones(m), np.full(m, np.inf)
    lp.a_matrix_.start_, lp.a_matrix_.index_ = np.arange(m + 1), np.arange(m)
    lp.a_matrix_.value_ = np.ones(m)
    h.passModel(lp)
    rounds = 0
    while True:
        h.run()
        rounds += 1
        _, new = pool.best(np.array(h.getSolution().row_dual))
        if not len(new):
            break
        part, k = pool.matrix[:, new], len(new)
        h.addCols(
            k, pool.cost[new], np.zeros(k), np.full(k, np.inf), part.nnz, part.indptr[:-1],
            part.indices, part.data,
        )  # fmt: skip
    value = h.getInfo().objective_function_value
    return told(started, before, value, f"no bound, {rounds} rounds")


def driven(pool: Pool, arrays: bool) -> dict[str, Any]:
    """``rp.column_generation``."""
    import pyomo.environ as pyo

    import radprog as rp

    m, solve = pool.matrix.shape[0], rp.column_generation  # imported when first named
    model = pyo.ConcreteModel()
    model.dear = pyo.Var(range(m), bounds=(0, None))
    model.row = pyo.Constraint(range(m), rule=lambda model, i: model.dear[i] >= 1)
    model.cost = pyo.Objective(expr=DEAR * pyo.quicksum(model.dear.values()))
    rows = list(model.row.values())

    def price(multipliers: Any) -> Any:
        if arrays:
            least, new = pool.best(multipliers.array)
            return rp.PricedColumns(rp.Columns(pool.cost[new], pool.matrix[:, new]), least, m)
        least, new = pool.best(np.array(list(multipliers.values())))
        columns = []
        for j in new.tolist():
            part = slice(*pool.matrix.indptr[j : j + 2])
            entries = zip(pool.matrix.indices[part], pool.matrix.data[part], strict=True)
            columns.append(rp.Column(pool.cost[j], {rows[i]: value for i, value in entries}))
        return rp.PricedColumns(columns, least, m)

    started, before = time.process_time(), peak_mb()
    run = solve(model, price, stabilise=0.0, tol=1e-12)
    note = f"bound {run.bound:.6f}, {len(run.trace)} rounds"
    return told(started, before, run.objective, note)


def stock(seed: int, most: int | None) -> tuple[Any, Any, Any]:
    """The master, a pricing model of patterns of at most ``most`` pieces, and its numbers."""
    import pyomo.environ as pyo

    import radprog as rp

    rng, items = np.random.default_rng(seed), range(40)
    widths = rng.choice(np.arange(60, 400), size=40, replace=False).tolist()
    demands = rng.integers(10, 100, size=40).tolist()
    master = pyo.ConcreteModel()
    master.rolls = pyo.Var(items, domain=pyo.NonNegativeIntegers)
    master.demand = pyo.Constraint(
        items, rule=lambda m, i: (1000 // widths[i]) * m.rolls[i] >= demands[i]
    )
    master.used = pyo.Objective(expr=sum(master.rolls.values()))
    pattern = pyo.ConcreteModel()
    pattern.cuts = pyo.Var(
        items, domain=pyo.NonNegativeIntegers, bounds=lambda _, i: (0, 1000 // widths[i])
    )
    pattern.width = pyo.Constraint(expr=sum(widths[i] * pattern.cuts[i] for i in items) <= 1000)
    if most is not None:
        pattern.pieces = pyo.Constraint(expr=sum(pattern.cuts.values()) <= most)
    rows = {master.demand[i]: pattern.cuts[i] for i in items}
    return master, rp.PricingModel(pattern, 1.0, rows, count=sum(demands)), (widths, demands)


def modelled() -> dict[str, Any]:
    """Column generation by a pricing model."""
    import radprog as rp

    master, price, _ = stock(0, 12)
    solve, started = rp.column_generation, time.process_time()
    run = solve(master, price, stabilise=0.0)
    seconds = time.process_time() - started
    note = f"{1e3 * seconds / len(run.trace):.2f} ms a round, {len(run.trace)} rounds"
    return {"seconds": seconds, "objective": round(run.objective, 6), "note": note}


def by_hand() -> dict[str, Any]:
    """The same in highspy."""
    import highspy

    _, _, (widths, demands) = stock(0, 12)
    started, n = time.process_time(), len(widths)
    master, price = highspy.Highs(), highspy.Highs()
    lean = {"mip_heuristic_effort": 0.0, "mip_detect_symmetry": False}
    lean["mip_heuristic_run_feasibility_jump"] = False
    for h, options in ((master, {"solver": "simplex"}), (price, lean)):
        for option, value in {"output_flag": False, "threads": 1, "presolve": "off"}.items():
            h.setOptionValue(option, value)
        for option, value in options.items():
            h.setOptionValue(option, value)
    for i in range(n):
        master.addRow(demands[i], np.inf, 0, np.zeros(0, dtype=np.int32), np.zeros(0))
        price.addVar(0.0, 1000 // widths[i])
        price.changeColIntegrality(i, highspy.HighsVarType.kInteger)
    for i in range(n):
        master.addCol(1.0, 0.0, np.inf, 1, np.array([i], np.int32), np.array([1000.0 // widths[i]]))
    places = np.arange(n, dtype=np.int32)
    price.addRow(-np.inf, 1000.0, n, places, np.array(widths, dtype=float))
    price.addRow(-np.inf, 12.0, n, places, np.ones(n))
    rounds, gap = 0, 0.05
    while True:
        master.run()
        rounds += 1
        y = np.array(master.getSolution().row_dual)
        while True:
            price.changeColsCost(n, places, -y)
            price.setOptionValue("mip_rel_gap", gap)
            price.clearSolver()
            price.run()
            x = np.round(price.getSolution().col_value)
            if gap == 0.0 or y @ x > 1.0 + 1e-9:
                break
            gap = 0.0
        if y @ x <= 1.0 + 1e-9:
            break
        used = np.flatnonzero(x).astype(np.int32)
        master.addCol(1.0, 0.0, np.inf, len(used), used, x[used])
    seconds = time.process_time() - started
    note = f"{1e3 * seconds / rounds:.2f} ms a round, {rounds} rounds"
    value = master.getInfo().objective_function_value
    return {"seconds": seconds, "objective": round(value, 6), "note": note}


def searched(seed: int) -> dict[str, Any]:
    """Branch and price by a pricing model."""
    import radprog as rp

    master, price, _ = stock(seed, None)
    solve, started = rp.branch_and_price, time.process_time()
    stop = lambda: time.process_time() - started > 60.0  # noqa: E731
    run = solve(master, price, whole_objective=True, interrupted=stop)
    seconds = time.process_time() - started
    note = f"{run.status}, bound {run.bound:g}, {len(run.nodes)} nodes, faults {run.check()}"
    return {"seconds": seconds, "objective": run.objective, "note": note}


def told(started: float, before: float, objective: float, note: str) -> dict[str, Any]:
    """What a process prints."""
    return {
        "seconds": time.process_time() - started,
        "peak_mb": peak_mb() - before,
        "objective": round(objective, 6),
        "note": note,
    }


def main() -> None:
    """Measure, print tables."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--quick", action="store_true", help="one run each")
    parser.add_argument("--task", help=argparse.SUPPRESS)
    parser.add_argument("--size", choices=[*SIZES], help=argparse.SUPPRESS)
    options = parser.parse_args()
    more: dict[str, Any] = {"model": modelled, "highspy": by_hand}
    more |= {f"cutting 40-{k}": lambda k=k: searched(k) for k in range(3)}
    if options.task in more:
        child(more[options.task])
        return
    if options.task:
        pool = Pool(*SIZES[options.size])
        child(lambda: plain(pool) if options.task == "plain" else driven(
            pool, options.task == "arrays"
        ))  # fmt: skip
        return
    for size in SIZES:
        rows = []
        for task in ("plain", "arrays", "objects"):
            arguments = ["--task", task, "--size", size]
            found = measure(THIS, arguments, 1 if options.quick else 3)
            rows.append({"name": task, **found})
        table(f"{size} columns, CPU seconds and memory of the loop", rows)
    runs = 1 if options.quick else 3
    for title, tasks in (
        ("pricing by an integer program, CPU seconds", ["highspy", "model"]),
        ("branch and price of cutting stock, CPU seconds", [*more][2:]),
    ):
        table(title, [{"name": task, **measure(THIS, ["--task", task], runs)} for task in tasks])


if __name__ == "__main__":
    main()
