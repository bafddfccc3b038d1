"""The drivers for a user's own program, compared with a handwritten loop.

    python benchmarks/own.py            # median of 5 processes each
    python benchmarks/own.py --quick    # one process each
    python benchmarks/own.py --peer PYTHON  # an interpreter with dccp and cvxpy

The first program is cutting stock with 160 widths, and one pattern per round by a dynamic program.
radprog is ``rp.column_generation``. In every round the peer rebuilds its Pyomo model with all
columns and solves it by Pyomo's HiGHS interface, until no pattern improves. Seconds are CPU seconds
of the loop, with and without the dynamic program, which takes the same time in both.

The others are a hundred programs with concave parts (``dc_programs``), with one process per kind.
radprog is ``rp.dca`` of the Pyomo model, and the peer is dccp of the cvxpy problem, from the same
start. Seconds are CPU seconds of the call only. The circles have many local optima, so radprog
solves them from this start only, and from five more; the peer needs minutes for all of them. Values
are compared if both points satisfy the rows to 1e-6.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from dc_programs import EACH, KINDS, drawn, pyomo_model, valued
from measure import child, measure, peak_mb, table

THIS = str(Path(__file__).resolve())
ROLL = 1000
WIDTHS = 160
STARTS = {"packing": (1, 6)}  # of ours
PEER = Path(__file__).resolve().parents[1] / ".venv-bench" / "bin" / "python"
MET, SAME = 1e-6, 1e-5  # violation of a row that counts as none; relative difference that does


def instance() -> tuple[list[int], list[int]]:
    """Widths and demands."""
    rng = np.random.default_rng(0)
    widths = rng.choice(np.arange(60, 400), size=WIDTHS, replace=False)
    return widths.tolist(), rng.integers(10, 100, size=WIDTHS).tolist()


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


def descents(kind: str, starts: int) -> list[dict[str, Any]]:
    """``rp.dca`` of every program of a kind: CPU seconds, point and residual."""
    import radprog as rp

    dca, found = rp.dca, []  # imported when first named
    for seed in range(EACH):
        arrays = drawn(kind, seed)
        model, point = pyomo_model(kind, arrays, rp.concave)
        started = time.process_time()
        run = dca(model, starts=starts)
        seconds = time.process_time() - started
        found.append({"seconds": seconds, "x": point(run.values), "residual": run.residual})
    return found


def peer_descents(python: str, kind: str) -> list[dict[str, Any]]:
    """The same by the peer."""
    with tempfile.TemporaryDirectory() as folder:
        paths = [f"{folder}/{seed}.npz" for seed in range(EACH)]
        for seed, path in enumerate(paths):
            np.savez(path, kind=kind, **drawn(kind, seed))
        script = Path(THIS).with_name("own_peer.py")
        alone = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
        done = subprocess.run(
            [python, str(script), *paths], capture_output=True, text=True, check=True, env=alone
        )
    found: list[dict[str, Any]] = json.loads(done.stdout.splitlines()[-1])
    return found


def compare(python: str) -> None:
    """A line for every kind of program with concave parts and number of starts of ours."""
    print("\nprograms with concave parts, CPU seconds of one (medians)")
    for kind in KINDS:
        theirs = peer_descents(python, kind)
        for starts in STARTS.get(kind, (1,)):
            mine = descents(kind, starts)
            print(f"{kind:<8} starts {starts} {line(kind, mine, theirs)}", flush=True)


def line(kind: str, mine: list[dict[str, Any]], theirs: list[dict[str, Any]]) -> str:
    """Seconds and values side by side."""
    better = worse = missed = 0
    for seed, (one, other) in enumerate(zip(mine, theirs, strict=True)):
        arrays = drawn(kind, seed)
        a, a_off = valued(kind, arrays, one["x"])
        b, b_off = (0.0, 1.0) if other["x"] is None else valued(kind, arrays, other["x"])
        if max(a_off, b_off) > MET:
            missed += 1
            continue
        better += a < b - SAME * max(1.0, abs(b))
        worse += a > b + SAME * max(1.0, abs(b))
    spent = [statistics.median(item["seconds"] for item in part) for part in (mine, theirs)]
    residual = max(item["residual"] for item in mine)
    return (
        f"{spent[0]:>8.3f}{spent[1]:>8.3f}{spent[1] / spent[0]:>7.1f} times; value better "
        f"{better}, worse {worse}, a row not met {missed} of {EACH}; largest residual "
        f"{residual:.1e}"
    )


def main() -> None:
    """Measure, print tables."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--quick", action="store_true", help="one run each")
    parser.add_argument("--peer", default=str(PEER), help="interpreter that has dccp and cvxpy")
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
    if Path(options.peer).exists():
        compare(options.peer)


if __name__ == "__main__":
    main()
