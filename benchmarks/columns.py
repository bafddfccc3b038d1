"""``rp.column_generation`` against a handwritten loop in highspy, on columns that are in memory.

    python benchmarks/columns.py            # median of 3 processes each
    python benchmarks/columns.py --quick    # one process each

The program covers rows by short columns (3 to 6 rows in succession, as shifts), whose linear
programs HiGHS solves fast, so that what a driver adds is seen. A round prices all columns by one
sparse product and adds the 200 with the smallest reduced costs. ``plain`` passes them to highspy;
``arrays`` returns ``rp.Columns`` and ``objects`` a list of ``rp.Column``. Seconds are CPU seconds
of the loop with pricing, which is the same in all; the drivers' include reading the Pyomo model.
Memory is what the loop adds to that of the process.
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


if __name__ == "__main__":
    main()
