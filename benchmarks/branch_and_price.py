"""Branch and price against the compact program: bin packing, generalised assignment, colouring.

    python benchmarks/branch_and_price.py                  # all, into benchmarks/results
    python benchmarks/branch_and_price.py --only U120 T60  # instances by the start of the name
    python benchmarks/branch_and_price.py --limit 600      # CPU seconds per run (default 60)
    python benchmarks/branch_and_price.py --peer PYTHON    # an interpreter with bnbpy
    python benchmarks/branch_and_price.py --write          # docs/reference/benchmarks.md

Instances are drawn by the published generators (``packing.py``) with seeds 0, 1 and 2. radprog is
``rp.branch_and_price`` with the pricers of ``packing.py``. HiGHS and SCIP solve the compact program
with one thread and an absolute gap below 1. For bin packing and colouring, that program includes a
cheap bound (sizes over capacity, or a clique), bins in order, and item j in one of the first j
bins. bnbpy is a framework: its master is scipy's, the pricer is that of radprog, and the branching
by Ryan and Foster is in this file. Every solver runs in a separate process. Limits and figures are
CPU seconds, including child processes. A value is proved if bound and objective agree. Results are
stored by versions and machine, with one table each.
"""

from __future__ import annotations

import argparse
import json
import math
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from measure import circumstances, here_and_now, packages, shifted_mean, where, write_section
from packing import (
    Agent,
    Knapsack,
    Stable,
    assignment,
    assignment_master,
    first_fit,
    mycielski,
    packing_master,
    queens,
    triplets,
    uniform,
)

THIS = Path(__file__).resolve()
RESULTS = THIS.parent / "results" / "branch_and_price.json"
SOLVERS = ("radprog", "highs", "scip", "bnbpy")
GRAPHS = ("myciel3", "myciel4", "myciel5", "queen5", "queen6", "queen7")
NAMES = [
    *(f"{kind}-{seed}" for kind in ("U120", "U250", "T60", "T120") for seed in range(3)),
    *(f"{kind}{size}-0" for kind in "CD" for size in ("5x100", "10x100", "20x100")),
    *GRAPHS,
]


def seconds() -> float:
    """CPU seconds of this process and of its children."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def packing(name: str) -> tuple[list[int], int]:
    """Sizes and capacity of a bin packing instance."""
    kind, seed = name[1:].split("-")
    return (uniform if name[0] == "U" else triplets)(int(kind), int(seed))


def agents(name: str) -> tuple[Any, Any, Any]:
    """Costs, loads and capacities of an assignment instance."""
    size, seed = name[1:].split("-")
    rows, columns = map(int, size.split("x"))
    return assignment(name[0], rows, columns, int(seed))


def graph(name: str) -> Any:
    """Vertices and edges."""
    return (mycielski if name[0] == "m" else queens)(int(name[-1]))


def ours(name: str, limit: float) -> dict[str, Any]:
    """rp.branch_and_price."""
    import radprog as rp

    pricers: Any
    if name[0] in "UT":
        sizes, capacity = packing(name)
        master = packing_master(len(sizes))
        pricers = Knapsack(master.row, sizes, capacity)
    elif name[0] in "CD":
        costs, loads, rooms = agents(name)
        master = assignment_master(*costs.shape)
        pricers = [Agent(master, i, costs[i], loads[i], rooms[i]) for i in range(len(rooms))]
    else:
        n, edges = graph(name)
        master = packing_master(n)
        pricers = Stable(master.row, n, edges)
    solve = rp.branch_and_price  # imported when first named
    started = seconds()
    run = solve(
        master, pricers, whole_objective=True, interrupted=lambda: seconds() - started > limit
    )
    return answer(started, run.objective, run.bound, len(run.nodes))


def answer(started: float, objective: Any, bound: Any, nodes: int) -> dict[str, Any]:
    """What a process prints; a value beyond 1e18 is none."""
    values = [None if v is None or abs(v) > 1e18 else round(v, 6) for v in (objective, bound)]
    return {"cpu": seconds() - started, "objective": values[0], "bound": values[1], "nodes": nodes}


Row = tuple[dict[int, float], float, float]


def compact(name: str) -> tuple[list[float], list[Row]]:
    """Costs of binary variables, and rows: entries, lower, upper."""
    rows: list[Row] = []
    if name[0] in "CD":
        costs, loads, rooms = agents(name)
        m, n = costs.shape
        rows += [({i * n + j: 1.0 for i in range(m)}, 1.0, 1.0) for j in range(n)]
        rows += [
            ({i * n + j: float(loads[i, j]) for j in range(n)}, -math.inf, float(rooms[i]))
            for i in range(m)
        ]
        return costs.astype(float).ravel().tolist(), rows
    # bins or colours k in order, and for item j those up to j; the first items are the hardest
    if name[0] in "UT":
        sizes, capacity = packing(name)
        sizes = sorted(sizes, reverse=True)
        n, most, least = len(sizes), first_fit(sizes, capacity), -(-sum(sizes) // capacity)
        edges = set()
    else:
        n, edges = graph(name)
        order, most, least = coloured(n, edges)
        place = {v: k for k, v in enumerate(order)}
        edges = {(place[i], place[j]) for i, j in edges}
        sizes, capacity = [], 0
    x = {(j, k): most + c for c, (j, k) in enumerate(
        (j, k) for j in range(n) for k in range(min(j + 1, most)))}  # fmt: skip
    rows += [({x[j, k]: 1.0 for k in range(min(j + 1, most))}, 1.0, 1.0) for j in range(n)]
    rows += [({k: 1.0, k + 1: -1.0}, 0.0, math.inf) for k in range(most - 1)]
    rows.append((dict.fromkeys(range(most), 1.0), float(least), math.inf))
    if sizes:
        for k in range(most):
            entries = {x[j, k]: float(sizes[j]) for j in range(k, n)}
            rows.append(({**entries, k: -float(capacity)}, -math.inf, 0.0))
            rows += [({x[j, k]: 1.0, k: -1.0}, -math.inf, 0.0) for j in range(k, n)]
    for k in range(most):
        rows += [
            ({x[i, k]: 1.0, x[j, k]: 1.0, k: -1.0}, -math.inf, 0.0)
            for i, j in edges
            if (i, k) in x and (j, k) in x
        ]
        rows += [({x[j, k]: 1.0, k: -1.0}, -math.inf, 0.0) for j in range(n) if (j, k) in x]
    return [1.0] * most + [0.0] * len(x), rows


def coloured(n: int, edges: Any) -> tuple[list[int], int, int]:
    """Vertices with a greedy clique first, the colours of the better of two greedy colourings, and
    the size of the clique."""
    near: list[set[int]] = [set() for _ in range(n)]
    for i, j in edges:
        near[i].add(j)
        near[j].add(i)
    cliques = []
    for v in range(n):
        clique = [v]
        for w in sorted(near[v], key=lambda w: -len(near[w])):
            if near[w].issuperset(clique):
                clique.append(w)
        cliques.append(clique)
    clique = max(cliques, key=len)
    others = sorted(set(range(n)) - set(clique), key=lambda v: -len(near[v]))
    most = n
    for order in ([*clique, *others], range(n)):
        colour: dict[int, int] = {}
        for v in order:
            used = {colour[w] for w in near[v] if w in colour}
            colour[v] = next(c for c in range(n) if c not in used)
        most = min(most, 1 + max(colour.values()))
    return [*clique, *others], most, len(clique)


def highs(name: str, limit: float) -> dict[str, Any]:
    """HiGHS on the compact program."""
    import highspy

    costs, rows = compact(name)
    h = highspy.Highs()
    for option, value in (
        ("output_flag", False), ("threads", 1), ("mip_rel_gap", 0.0), ("mip_abs_gap", 0.999)
    ):  # fmt: skip
        h.setOptionValue(option, value)
    for cost in costs:
        h.addVariable(lb=0, ub=1, obj=cost, type=highspy.HighsVarType.kInteger)
    for entries, low, high in rows:
        index = np.array(list(entries), dtype=np.int32)
        h.addRow(low, high, len(index), index, np.array(list(entries.values())))
    started = seconds()

    def stop(event: Any) -> None:
        if seconds() - started > limit:
            event.interrupt()

    h.cbMipInterrupt.subscribe(stop)
    h.cbSimplexInterrupt.subscribe(stop)
    h.run()
    info = h.getInfo()
    whole = info.primal_solution_status == 2
    return answer(
        started,
        info.objective_function_value if whole else None,
        rounded(info.mip_dual_bound),
        int(info.mip_node_count),
    )


def rounded(bound: float) -> float:
    """A bound of a whole objective."""
    return math.ceil(bound - 1e-6) if math.isfinite(bound) else bound


def scip(name: str, limit: float) -> dict[str, Any]:
    """SCIP on the compact program."""
    from pyscipopt import Model, quicksum

    costs, rows = compact(name)
    model = Model()
    model.hideOutput()
    for option, value in (
        ("timing/clocktype", 1), ("limits/time", limit), ("limits/absgap", 0.999)
    ):  # fmt: skip
        model.setParam(option, value)
    x = [model.addVar(vtype="B", obj=cost) for cost in costs]
    for entries, low, high in rows:
        body = quicksum(a * x[j] for j, a in entries.items())
        if low == high:
            model.addCons(body == low)
        elif math.isfinite(low):
            model.addCons(body >= low)
        else:
            model.addCons(body <= high)
    started = seconds()
    model.optimize()
    whole = model.getNSols() > 0
    value = model.getObjVal() if whole else None
    return answer(started, value, rounded(model.getDualbound()), model.getNNodes())


def bnbpy(name: str, limit: float) -> dict[str, Any]:
    """The frame of bnbpy: scipy's master, our pricer, Ryan and Foster's pairs."""
    import bnbpy as frame
    from scipy.optimize import linprog

    if name[0] in "CD":
        return {}
    fakes = {i: object() for i in range(1000)}
    if name[0] in "UT":
        sizes, capacity = packing(name)
        n, pricer = len(sizes), Knapsack(fakes, sizes, capacity, 1)
    else:
        n, edges = graph(name)
        pricer = Stable(fakes, n, edges)
    started = seconds()

    class Spent(Exception):
        pass

    class Master(frame.Master):
        def __init__(self) -> None:
            self.sets: list[list[int]] = [[i] for i in range(n)]
            self.together: list[tuple[int, int]] = []
            self.apart: list[tuple[int, int]] = []

        def copy(self, deep: bool = False) -> Any:
            other = Master()
            other.sets, other.together, other.apart = (
                [*self.sets], [*self.together], [*self.apart]
            )  # fmt: skip
            return other

        def add_col(self, c: Any) -> bool:
            self.sets.append(c)
            return True

        def allowed(self, s: Any) -> bool:
            return all((i in s) == (j in s) for i, j in self.together) and not any(
                i in s and j in s for i, j in self.apart
            )

        def solve(self) -> Any:
            if seconds() - started > limit:
                raise Spent
            matrix = np.zeros((n, len(self.sets) + n))
            for c, s in enumerate(self.sets):
                matrix[s, c] = 1.0
            matrix[:, len(self.sets) :] = np.eye(n)
            costs = [1.0 if self.allowed(s) else 1e3 for s in self.sets] + [1e3] * n
            found = linprog(costs, A_eq=matrix, b_eq=np.ones(n), method="highs-ds")
            self.x = found.x
            return frame.MasterSol(cost=found.fun, duals=found.eqlin.marginals)

    class Price(frame.Pricing):
        def set_weights(self, c: Any) -> None:
            self.y = c

        def solve(self) -> Any:
            pricer.restrict(self.master.together, self.master.apart)
            least, sets = pricer.priced(list(self.y))
            return frame.PriceSol(red_cost=least, new_col=sets[0] if sets else None)

    class Packing(frame.ColumnGenProblem):
        def __init__(self, master: Any) -> None:
            price = Price(price_tol=1e-6)
            price.master = master
            super().__init__(master=master, pricing=price)

        def calc_bound(self) -> float:
            return math.ceil(super().calc_bound() - 1e-6)

        def weights(self) -> Any:
            total: dict[tuple[int, int], float] = {}
            for s, v in zip(self.master.sets, self.master.x, strict=False):
                if v > 1e-6:
                    for a, i in enumerate(s):
                        for j in s[a + 1 :]:
                            total[i, j] = total.get((i, j), 0.0) + v
            return {p: w for p, w in total.items() if 1e-6 < w < 1 - 1e-6}

        def is_feasible(self) -> bool:
            return not self.weights()

        def branch(self) -> Any:
            weights = self.weights()
            pair = min(weights, key=lambda p: abs(weights[p] - 0.5))
            children = []
            for part in ("together", "apart"):
                master = self.master.copy()
                getattr(master, part).append(pair)
                children.append(Packing(master))
            return children

    search = frame.BranchAndBound()
    try:
        found = search.solve(Packing(Master()))
        return answer(started, found.cost, found.lb, 0)
    except Spent:
        return answer(started, None, None, 0)


TASKS = {"radprog": ours, "highs": highs, "scip": scip, "bnbpy": bnbpy}


def measured(name: str, solver: str, limit: float, python: str) -> dict[str, Any]:
    """One solver on one instance, in a process of its own."""
    command = [python, str(THIS), "--task", solver, "--only", name, "--limit", str(limit)]
    started = time.perf_counter()
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.stderr.write(f"{solver} failed on {name}:\n{done.stderr[-2000:]}\n")
        return {}
    row = json.loads(done.stdout.splitlines()[-1])
    return {**row, "wall": time.perf_counter() - started} if row else {}


def proved(row: dict[str, Any]) -> bool:
    """Whether bound and objective meet."""
    both = row.get("objective"), row.get("bound")
    return None not in both and abs(both[0] - both[1]) < 1e-6


def shown(row: dict[str, Any]) -> str:
    """A cell: seconds where it is proved, else objective and bound at the limit."""
    if not row:
        return "–"
    if proved(row):
        return f"{row['cpu']:.1f} s"
    value, bound = (
        "none" if row[key] is None else f"{row[key]:.0f}" for key in ("objective", "bound")
    )
    return f"{value}, bound {bound}"


def lines(results: dict[str, Any]) -> Iterator[str]:
    """A part of what was measured: where, the table, and at its foot the means of the seconds; of
    what was not proved those of the limit."""
    when = f"{results['date']}, commit `{results['commit'][:10]}`"
    yield f"{where(results)}, {when}; {packages(results)}."
    yield ""
    yield f"| instance | optimum | {' | '.join(SOLVERS)} |"
    yield "|" + "---|" * (2 + len(SOLVERS))
    rows = results["rows"]
    for name in (name for name in NAMES if name in rows):
        values = {r["objective"] for r in rows[name].values() if proved(r)}
        assert len(values) < 2, (name, rows[name])
        optimum = f"{values.pop():.0f}" if values else "?"
        cells = " | ".join(shown(rows[name].get(solver, {})) for solver in SOLVERS)
        yield f"| {name} | {optimum} | {cells} |"
    solved = [
        f"{sum(proved(row.get(solver, {})) for row in rows.values())} of "
        f"{sum(bool(row.get(solver)) for row in rows.values())}"
        for solver in SOLVERS
    ]
    yield f"| proved | | {' | '.join(solved)} |"
    shared = [row for row in rows.values() if all(row.get(solver) for solver in SOLVERS[:3])]
    if not shared:
        return
    means = [
        shifted_mean([r["cpu"] if proved(r) else results["limit"] for r in column])
        for column in ([row[solver] for row in shared] for solver in SOLVERS[:3])
    ]
    cells = " | ".join(f"{mean:.1f} s" for mean in means)
    yield f"| shifted geometric mean of {len(shared)} | | {cells} | – |"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", nargs="*", default=[""])
    parser.add_argument("--solvers", nargs="*", default=SOLVERS)
    parser.add_argument("--limit", type=float, default=60.0)
    parser.add_argument("--peer", default="")
    parser.add_argument("--task", choices=SOLVERS)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    if options.task:
        print(json.dumps(TASKS[options.task](options.only[0], options.limit)))
        return
    known = json.loads(RESULTS.read_text()) if RESULTS.is_file() else {}
    if options.write:
        write_section("branch_and_price", "\n".join(lines(known["measured"][-1])))
        return
    around = circumstances()
    part = here_and_now(known, around)
    rows = part.setdefault("rows", {})
    for name in (name for name in NAMES if name.startswith(tuple(options.only))):
        for solver in options.solvers:
            python = options.peer if solver == "bnbpy" else sys.executable
            row = measured(name, solver, options.limit, python) if python else {}
            rows.setdefault(name, {})[solver] = row
            print(f"{name:<10}{solver:<9}{shown(row)}", flush=True)
            # what is measured is kept, whatever comes
            part.update(date=around["date"], commit=around["commit"], limit=options.limit)
            RESULTS.write_text(json.dumps(known, indent=1) + "\n")


if __name__ == "__main__":
    main()
