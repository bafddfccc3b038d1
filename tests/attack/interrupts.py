"""Ctrl-C at a random moment of every driver, in processes of their own.

python tests/attack/interrupts.py                   200 of them
python tests/attack/interrupts.py --count 40 --seed 7 --only tree

A process ends by itself and without a traceback. Its run holds the best objective and the best
bound that its observer has seen, and can be used: its model is solved, its columns are rounded,
its tree is checked. The exit code is 1 where one does not.
"""

from __future__ import annotations

import importlib
import math
import os
import random
import signal
import sys
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyomo.environ as pyo

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from faults import forked
from own_programs import CuttingStock, agents
from script_options import read_options

import radprog as rp


def tree(rng: random.Random, observe: Any) -> Callable[[], Any]:
    jobs = rng.randint(8, 16)
    loads, costs = (
        [[rng.randint(*ends) for _ in range(jobs)] for _ in range(3)]
        for ends in ((5, 25), (10, 50))
    )
    master, pricers = agents(costs, loads, [1.1 * 15 * jobs / 3] * 3)
    branch = rng.choice(["pairs", "bounds"])
    return lambda: rp.branch_and_price(
        master, pricers, branch=branch, whole_objective=True, observe=observe, time_limit=60
    )


def columns(rng: random.Random, observe: Any) -> Callable[[], Any]:
    stock = CuttingStock.random(rng.randrange(10**6), items=40, roll=1000)
    master = stock.master()
    price = stock.knapsack(master) if rng.random() < 0.5 else stock.pricing_model(master)
    return lambda: rp.column_generation(master, price, observe=observe, tol=1e-12)


def cuts(rng: random.Random, observe: Any) -> Callable[[], Any]:
    """The farthest point of a ball, by its tangents; sometimes with integers."""
    n, whole = rng.randint(5, 15), rng.random() < 0.5
    model = pyo.ConcreteModel()
    model.x = pyo.Var(range(n), bounds=(0, 9), domain=pyo.Integers if whole else pyo.Reals)
    worth = [rng.uniform(0.5, 2.0) for _ in range(n)]
    goal = sum(w * model.x[i] for i, w in enumerate(worth))
    model.f = pyo.Objective(expr=goal, sense=pyo.maximize)

    def separate(values: Any) -> Any:
        x = [values[model.x[i]] for i in range(n)]
        length = math.hypot(*x)
        if length <= 7.3 + 1e-7:
            return []
        return [sum(v / length * model.x[i] for i, v in enumerate(x)) <= 7.3]

    return lambda: rp.cutting_planes(model, separate, observe=observe, tol=1e-9)


def program(rng: random.Random, kind: str) -> Any:
    """A dense linear, mixed-integer or convex quadratic program that takes a while."""
    numbers = np.random.default_rng(rng.randrange(2**32))
    n, m = {"lp": (500, 400), "mip": (45, 6), "qp": (120, 60)}[kind]
    rows = numbers.normal(size=(m, n))
    model = pyo.ConcreteModel()
    domain = pyo.Binary if kind == "mip" else pyo.Reals
    model.x = pyo.Var(range(n), bounds=(0, 1), domain=domain)
    x, sides = list(model.x.values()), np.abs(rows).sum(axis=1) / 9
    if kind == "mip":  # a market split with slack
        rows = numbers.integers(0, 100, size=(m, n)).astype(float)
        sides = rows.sum(axis=1) // 2
    model.row = pyo.Constraint(
        range(m), rule=lambda _, i: pyo.quicksum(a * v for a, v in zip(rows[i], x, strict=True))
        <= float(sides[i]),
    )  # fmt: skip
    goal = pyo.quicksum(-c * v for c, v in zip(np.abs(numbers.normal(size=n)) + 1, x, strict=True))
    if kind == "qp":
        factor = numbers.normal(size=(n, n // 2))
        square = factor @ factor.T
        goal += pyo.quicksum(square[i, j] * x[i] * x[j] for i in range(n) for j in range(n))
    model.f = pyo.Objective(expr=goal)
    return model


def solving(kind: str) -> Callable[[random.Random, Any], Callable[[], Any]]:
    def made(rng: random.Random, observe: Any) -> Callable[[], Any]:
        model = program(rng, kind)
        solver = rng.choice([None, "highs"])
        return lambda: rp.solve(model, **({} if solver is None else {"solver": solver}))

    return made


def fitting(rng: random.Random, observe: Any) -> Callable[[], Any]:
    numbers = np.random.default_rng(rng.randrange(2**32))
    X = numbers.normal(size=(150, 4))
    data = rp.dataset(X, np.where(X[:, 0] * X[:, 1] + 0.5 * numbers.normal(size=150) > 0, 1, -1))
    spec = rng.choice([
        rp.VKR(kernels="poly:1-6", lam=1e-5, beta=1e-6),
        rp.MKL(kernels="rbf:1e-2..1e1", theta=8, C=10),
        rp.L1SVM(kernels="rbf:1", beta=1e-5),
    ])  # fmt: skip
    return lambda: rp.fit(spec, data, observe=observe, tol=1e-11, abs_tol=0.0)


KINDS: dict[str, tuple[Callable[[random.Random, Any], Callable[[], Any]], float]] = {
    "tree": (tree, 1.5),
    "columns": (columns, 0.7),
    "cuts": (cuts, 0.4),
    "lp": (solving("lp"), 0.3),
    "mip": (solving("mip"), 0.8),
    "qp": (solving("qp"), 0.15),
    "fit": (fitting, 0.3),
}  # and the seconds within which Ctrl-C is pressed


def faults_of(kind: str, run: Any, seen: list[Any]) -> list[str]:
    """What is wrong with the result of an interrupted run."""
    if kind in ("lp", "mip", "qp"):
        worst = 0.0 if run.x is None else float(run.violation or 0.0)
        return [f"its point violates a row by {worst:g}"] if worst > 1e-6 else []
    faults = []
    sense = -1 if kind == "cuts" else 1
    objectives = [sense * r.objective for r in seen if r.objective is not None]
    bounds = [sense * r.bound for r in seen if r.bound is not None]
    best = math.inf if run.objective is None else sense * run.objective
    bound = -math.inf if run.bound is None else sense * run.bound
    if objectives and best > min(objectives) + 1e-9 * abs(best):
        faults.append(f"its objective {best!r} is worse than {min(objectives)!r} on the way")
    if bounds and bound < max(bounds) - 1e-7 * abs(bound):
        faults.append(f"its bound {bound!r} is worse than {max(bounds)!r} on the way")
    if bound > best + 1e-6 * max(1.0, abs(best)):
        faults.append(f"its bound {bound!r} is beyond its objective {best!r}")
    # the result can be used
    if kind == "tree":
        faults += run.check()
    if kind == "columns":
        run.round(time_limit=5)
    if kind != "fit":
        run.model()
    return faults


def child(kind: str, seed: int) -> int:
    """One run in this process, interrupted after a random time."""
    rng, seen = random.Random(seed), list[Any]()
    make, longest = KINDS[kind]
    call = make(rng, seen.append)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    # the call has begun by then
    press = threading.Timer(rng.uniform(0.01, longest), os.kill, (os.getpid(), signal.SIGINT))
    press.daemon = True
    press.start()
    try:
        run = call()
        press.cancel()
        press.join()
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    except KeyboardInterrupt:
        # the documented end before the first step; or the key came after the run
        if press.is_alive() or not seen:
            return 0
        raise
    faults = faults_of(kind, run, seen)
    print(f"{run.status} {run.objective} {run.bound}, {len(seen)} rounds", *faults, sep="; ")
    return 1 if faults else 0


def load() -> None:
    """Import what the processes use, before they are forked."""
    for name in ("branch_and_price", "column_generation", "cutting_planes", "solve", "fit"):
        getattr(rp, name)
    adapters = ("highs", "piqp", "scip", "libsvm", "clarabel")
    for name in ("solvers.foreign", *(f"solvers.adapters.{adapter}" for adapter in adapters)):
        importlib.import_module(f"radprog.{name}")
    for paper in ("vkr", "mkl"):
        importlib.import_module(f"radprog.decompositions.{paper}.fit")


def main() -> int:
    options = read_options(__doc__, count=200, only=KINDS)
    kinds = options.only or list(KINDS)
    load()
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        for k in range(options.count):
            kind, seed = kinds[k % len(kinds)], 1000 * options.seed + k
            ended = forked(lambda kind=kind, seed=seed: child(kind, seed), Path(folder, "said"))
            if ended.code or "Traceback" in ended.said:
                print(f"{kind} {seed}: exit code {ended.code}: {ended.said.strip()}", flush=True)
                wrong += 1
    print(f"{options.count} interrupts, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
