"""Voted Kernel Regularization against HiGHS on the whole program.

    python benchmarks/vkr.py german            # 1000 rows, lam = beta = 1e-3
    python benchmarks/vkr.py waveform01        # 1982 rows, lam = beta = 1e-6
    python benchmarks/vkr.py grid              # 49 settings as a path against 49 cold solves
    python benchmarks/vkr.py stream            # 20,000 rows, kernels never stored whole
    python benchmarks/vkr.py build             # a Pyomo model of a million nonzeros
    python benchmarks/vkr.py all --quick       # one run each, without waveform01's peers

german, waveform01 and grid read RADPROG_DATA. Every measurement is a separate process with one
thread. Seconds are wall seconds without reading the data. Those of radprog include kernels,
penalties, solve and certificate; those of the peers are of HiGHS only. HiGHS solves the whole
primal program as exported (a), and the whole scaled dual program with default options (b) and
without presolve (c), which is the fastest known way to solve the whole program.
"""

from __future__ import annotations

import argparse
import itertools
import os
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
from measure import child, measure, peak_mb, stopwatch, table
from scipy import sparse

THIS = str(Path(__file__).resolve())


def load(name: str) -> Any:
    """The training rows of a case, scaled."""
    from radprog.instances.dataset import read

    folder = Path(os.environ["RADPROG_DATA"]) / "vkr"
    if name == "german":
        return read(folder / "german.csv", scale="ball")
    data = read(folder / "waveform01.csv", scale="ball")
    order = np.random.default_rng(0).permutation(data.rows)
    cut = int(0.6 * data.rows)
    return data.partition(order[:cut], order[cut:])[0]


def settings_of(name: str) -> Any:
    """The program of a case."""
    from radprog.models.vkr.settings import VKR

    price = 1e-3 if name == "german" else 1e-6
    return VKR(kernels="poly:1-10", lam=price, beta=price)


def ours(name: str) -> dict[str, Any]:
    """Column generation with its certificate."""
    from radprog.decompositions.run import RunSettings
    from radprog.decompositions.vkr.fit import fit_vkr

    data = load(name)
    with stopwatch() as spent:
        run = fit_vkr(settings_of(name), data, RunSettings(tol=1e-8))
    return {
        **spent,
        "objective": run.objective,
        "bound": run.bound,
        "note": f"{run.columns} columns",
    }


def matrices(problem: Any, dual: bool) -> Any:
    """The whole primal program, or the scaled dual, as matrices built without Pyomo's memory."""
    from radprog.solvers.program import Program

    pairs, m = problem.all_pairs, problem.m
    prices, r = problem.prices[pairs[:, 0]], len(pairs)
    rows = problem.y[:, None] * problem.bank.columns(pairs)
    if dual:
        return Program(
            cost=-np.ones(m),
            rows=sparse.csr_array(np.ascontiguousarray(rows.T) / (m * prices[:, None])),
            row_lower=-np.ones(r),
            row_upper=np.ones(r),
            lower=np.zeros(m),
            upper=np.ones(m),
            integer=np.zeros(m, dtype=bool),
            column_names=(),
            row_names=(),
        )
    block = sparse.csr_array(rows)
    del rows
    n = 2 * r + m
    return Program(
        cost=np.concatenate([prices, prices, np.full(m, 1.0 / m)]),
        rows=sparse.csr_array(sparse.hstack([block, -block, sparse.eye_array(m)])),
        row_lower=np.ones(m),
        row_upper=np.full(m, np.inf),
        lower=np.zeros(n),
        upper=np.full(n, np.inf),
        integer=np.zeros(n, dtype=bool),
        column_names=(),
        row_names=(),
    )


def same_as_exported() -> None:
    """The matrices of the peers are those of the Pyomo models that are exported."""
    from table_generators import waveform

    from radprog.decompositions.vkr.fit import assemble
    from radprog.models.vkr.programs import build_dual, build_primal
    from radprog.models.vkr.settings import VKR
    from radprog.solvers.compile import compile_model

    problem, _ = assemble(VKR(kernels="poly:1-2", lam=1e-2, beta=1e-2), waveform(20, seed=0))
    primal, dual = compile_model(build_primal(problem)), compile_model(build_dual(problem))
    ours = matrices(problem, dual=False)
    prices = problem.prices[problem.all_pairs[:, 0]]
    scaled = dual.rows.toarray() / (problem.m * prices[:, None])
    assert np.allclose(primal.rows.toarray(), ours.rows.toarray(), rtol=1e-14, atol=0)
    assert np.allclose(primal.cost, ours.cost)
    assert np.allclose(scaled, matrices(problem, dual=True).rows.toarray(), rtol=1e-13, atol=0)


def whole(name: str, dual: bool, presolve: str = "choose") -> dict[str, Any]:
    """HiGHS on the whole program; F(alpha) is evaluated at its point."""
    import highspy

    from radprog.decompositions.vkr.fit import assemble
    from radprog.solvers.adapters.highs import pass_program

    same_as_exported()
    problem, _ = assemble(settings_of(name), load(name))
    program = matrices(problem, dual)
    with stopwatch() as spent:
        highs = highspy.Highs()
        highs.silent()
        highs.setOptionValue("threads", 1)
        highs.setOptionValue("presolve", presolve)
        pass_program(highs, program)
        highs.run()
    answer = {**spent, "peak_mb": peak_mb()}
    solution, pairs = highs.getSolution(), problem.all_pairs
    if dual:
        alpha = -np.asarray(solution.row_dual) / (problem.m * problem.prices[pairs[:, 0]])
    else:
        x = np.asarray(solution.col_value)
        alpha = x[: len(pairs)] - x[len(pairs) : 2 * len(pairs)]
    used = np.flatnonzero(alpha)
    value = problem.primal_value(problem.bank.columns(pairs[used]), pairs[used], alpha[used])
    word = highs.modelStatusToString(highs.getModelStatus())
    return {**answer, "objective": value, "note": f"HiGHS says {word}"}


def grid(name: str, scale: str, warm: bool) -> dict[str, Any]:
    """49 settings on three fifths of the rows, every one certified to 1e-6."""
    from radprog.decompositions.run import RunSettings
    from radprog.decompositions.vkr.fit import fit_grid, fit_vkr
    from radprog.instances.dataset import read
    from radprog.models.vkr.settings import VKR

    data = read(Path(os.environ["RADPROG_DATA"]) / "vkr" / f"{name}.csv", scale=scale)
    parts = np.array_split(np.random.default_rng(0).permutation(data.rows), 5)
    train, _ = data.partition(np.sort(np.concatenate(parts[2:])), np.sort(parts[1]))
    values = [10.0**-i for i in range(7)]
    specs = [VKR(lam=lam, beta=beta) for lam, beta in itertools.product(values, values)]
    started = time.perf_counter()
    if warm:
        runs = [run for _, run in fit_grid(specs, train, RunSettings())]
    else:
        runs = [fit_vkr(spec, train, RunSettings()) for spec in specs]
    return {
        "seconds": time.perf_counter() - started,
        "objective": sum(run.objective or 0.0 for run in runs),
        "note": f"certified {sum(run.certified for run in runs)} of {len(runs)}, "
        f"{sum(len(run.trace) for run in runs)} rounds",
    }


def stream(rows: str = "20000", price: str = "1e-2") -> dict[str, Any]:
    """Generated waveform rows, every one a centre; of 20,000 the 12.8 GB of kernel values are
    computed block by block."""
    from table_generators import waveform

    from radprog.decompositions.run import RunSettings
    from radprog.decompositions.vkr.fit import fit_vkr
    from radprog.instances.dataset import dataset
    from radprog.models.vkr.settings import VKR

    points = waveform(int(rows), seed=0)
    data = dataset(points.X, points.y, scale="ball")
    spec = VKR(kernels="poly:1-4", lam=float(price), beta=float(price))
    with stopwatch() as spent:
        run = fit_vkr(spec, data, RunSettings())
    note = f"{run.columns} columns"
    return {**spent, "objective": run.objective, "bound": run.bound, "note": note}


def centres() -> dict[str, Any]:
    """100,000 generated waveform rows, columns at 2,000 of them."""
    from table_generators import waveform

    from radprog.decompositions.run import RunSettings
    from radprog.decompositions.vkr.fit import fit_vkr
    from radprog.instances.dataset import dataset
    from radprog.models.vkr.settings import VKR

    points = waveform(100_000, seed=0)
    data = dataset(points.X, points.y, scale="ball")
    spec = VKR(kernels="poly:1-4", lam=1e-2, beta=1e-2, centres=2000)
    with stopwatch() as spent:
        run = fit_vkr(spec, data, RunSettings(tol=1e-4))
    return {**spent, "objective": run.objective, "bound": run.bound}


def build(compiled: bool) -> dict[str, Any]:
    """A dual program of 1000 rows and 1000 columns, dense."""
    from table_generators import waveform

    from radprog.decompositions.vkr.fit import assemble
    from radprog.models.vkr.programs import build_dual
    from radprog.models.vkr.settings import VKR
    from radprog.solvers.compile import compile_model

    problem, _ = assemble(VKR(kernels="poly:2", lam=1e-2, beta=1e-2), waveform(1000, seed=0))
    started = time.perf_counter()
    model = build_dual(problem)
    seconds, nonzeros = time.perf_counter() - started, None
    if compiled:
        started = time.perf_counter()
        nonzeros = compile_model(model).rows.nnz
        seconds = time.perf_counter() - started
    return {"seconds": seconds, "objective": None, "note": f"nonzeros {nonzeros}"}


TASKS = {
    "ours": ours,
    "primal": lambda name: whole(name, dual=False),
    "dual": lambda name: whole(name, dual=True),
    "plain": lambda name: whole(name, dual=True, presolve="off"),
    "warm": lambda name, scale: grid(name, scale, warm=True),
    "cold": lambda name, scale: grid(name, scale, warm=False),
    "stream": stream,
    "centres": centres,
    "model": lambda: build(compiled=False),
    "compile": lambda: build(compiled=True),
}


def compare(case: str, runs: int, quick: bool) -> None:
    """One table."""

    def row(label: str, *arguments: str, runs: int = runs) -> dict[str, Any]:
        return {"name": label, **measure(THIS, ["--child", *arguments], runs)}

    if case in ("german", "waveform01"):
        rows = [row("column generation", "ours", case)]
        if case == "german":
            rows.append(row("(a) HiGHS, whole primal", "primal", case))
            rows.append(row("(b) HiGHS, whole scaled dual", "dual", case))
            rows.append(row("(c) the same without presolve", "plain", case))
        elif not quick:
            rows.append(row("(a) HiGHS, whole primal", "primal", case, runs=1))
            rows.append(row("(c) HiGHS, whole scaled dual without presolve", "plain", case, runs=1))
        table(f"{case}: ratios to column generation", rows)
    elif case == "grid":
        for name, scale in (("ionosphere", "unit"), ("diabetes", "ball")):
            rows = [
                row("path", "warm", name, scale),
                row("49 cold solves", "cold", name, scale),
            ]
            table(f"grid of 49 settings on {name}, {scale}: ratios to the path", rows)
    elif case == "stream":
        table("20,000 rows, poly:1-4", [row("column generation", "stream", runs=1)])
    elif case == "build":
        rows = [row("build", "model"), row("compile", "compile")]
        table("a Pyomo model of a million nonzeros", rows)


def main() -> None:
    """Run the cases asked for."""
    if len(sys.argv) > 1 and sys.argv[1] == "--child":
        task, *arguments = sys.argv[2:]
        child(lambda: TASKS[task](*arguments))
        return
    cases = ("german", "waveform01", "grid", "stream", "build")
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("cases", nargs="+", choices=[*cases, "all"])
    parser.add_argument("--runs", type=int, default=5, help="processes per measurement (5)")
    parser.add_argument("--quick", action="store_true", help="one run, no peers on waveform01")
    options = parser.parse_args()
    os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")
    for case in cases if "all" in options.cases else options.cases:
        compare(case, 1 if options.quick else options.runs, options.quick)


if __name__ == "__main__":
    main()
