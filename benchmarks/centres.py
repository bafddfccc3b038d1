"""Columns at sampled centres (`--centres N`), HiGHS on the whole program, and scikit-learn's l1.

    python benchmarks/centres.py                          # 5,000 rows, 200 centres: a minute
    python benchmarks/centres.py --rows 2000 --centres 500
    python benchmarks/centres.py --full --json FILE       # 100,000 rows, 2,000 centres

The rows are generated waveforms, with kernels poly:1-4 and lam = beta = 1e-2. The features are the
kernels at the centres, each divided by its price. All methods except liblinear therefore minimise
the same function of the same columns: mean hinge loss + sum |w|. liblinear supports the l1 norm
only with the squared hinge loss, a different program; its point is evaluated in this objective. SGD
has no certificate, and stops by its own rule. HiGHS solves the scaled dual without presolve, the
fastest known way to solve the whole program, up to ``WHOLE`` entries. For larger programs its
memory is extrapolated from the number of entries, which is 800 million at full size. A method that
fails, for example for lack of memory, is reported and omitted. Every measurement is a separate
process with one thread. Seconds are those of fitting only. Memory is that of the process, including
features.
"""

from __future__ import annotations

import argparse
import json
import math
import os
from pathlib import Path
from typing import Any

import numpy as np
from measure import child, circumstances, measure, peak_mb, stopwatch, table

THIS = str(Path(__file__).resolve())
SMALL, FULL = (5_000, 200), (100_000, 2_000)
WHOLE = 4_000_000  # entries of a whole program that HiGHS is given
KERNELS = 4
TOL = 1e-4
EPOCHS = 200  # of SGD at most
FIRST_STEP = 10.0  # of SGD's adaptive steps: the best of 0.01 to 100 and of its other schedules
MIB = 2**20


def data_of(rows: int) -> Any:
    """Generated points, scaled to the unit ball."""
    from table_generators import waveform

    from radprog.instances.dataset import dataset

    points = waveform(rows, seed=0)
    return dataset(points.X, points.y, scale="ball")


def settings_of(centres: int) -> Any:
    """The program."""
    from radprog.models.vkr.settings import VKR

    return VKR(kernels=f"poly:1-{KERNELS}", lam=1e-2, beta=1e-2, centres=centres)


def ours(rows: int, centres: int) -> dict[str, Any]:
    """Column generation with its certificate."""
    from radprog.decompositions.run import RunSettings
    from radprog.decompositions.vkr.fit import fit_vkr

    data = data_of(rows)
    with stopwatch() as spent:
        run = fit_vkr(settings_of(centres), data, RunSettings(tol=TOL))
    note = f"certified gap {run.gap:.1e}"
    return {**spent, "objective": run.objective, "bound": run.bound, "note": note}


def problem_of(rows: int, centres: int) -> Any:
    """The program's data; every column of it is y times a feature."""
    from radprog.decompositions.vkr.fit import assemble

    return assemble(settings_of(centres), data_of(rows))[0]


def features(problem: Any) -> Any:
    """Kernels at the centres over their prices (rows, kernels x centres)."""
    pairs = problem.all_pairs
    columns = problem.bank.columns(pairs)
    columns /= problem.prices[pairs[:, 0]]
    return columns


def value(y: Any, columns: Any, w: Any) -> float:
    """Mean hinge loss + sum |w| at coefficients w of the features."""
    margins = 1.0 - y * (columns @ w)
    return float(np.maximum(margins, 0.0).mean() + np.abs(w).sum())


def liblinear(rows: int, centres: int) -> dict[str, Any]:
    """min |w|_1 + C sum max(0, 1 - y w'x)^2 with C = 1 / rows, without a bias."""
    from sklearn.svm import LinearSVC

    problem = problem_of(rows, centres)
    columns = features(problem)
    machine = LinearSVC(
        penalty="l1", loss="squared_hinge", dual=False, C=1.0 / rows, fit_intercept=False,
        tol=TOL, max_iter=1000, random_state=0,
    )  # fmt: skip
    with stopwatch() as spent:
        w = machine.fit(columns, problem.y).coef_[0]
    note = f"squared hinge, another program; {np.count_nonzero(w)} coefficients"
    return {**spent, "objective": value(problem.y, columns, w), "note": note}


def sgd(rows: int, centres: int) -> dict[str, Any]:
    """Stochastic gradients of the same function, its features scaled to numbers up to 1."""
    from sklearn.linear_model import SGDClassifier

    problem = problem_of(rows, centres)
    columns = features(problem)
    largest = float(np.abs(columns).max())
    columns /= largest
    machine = SGDClassifier(
        loss="hinge", penalty="l1", alpha=1.0 / largest, fit_intercept=False, max_iter=EPOCHS,
        tol=TOL, learning_rate="adaptive", eta0=FIRST_STEP, random_state=0,
    )  # fmt: skip
    with stopwatch() as spent:
        w = machine.fit(columns, problem.y).coef_[0]
    worth = value(problem.y, columns * largest, w / largest)
    note = f"no certificate, {machine.n_iter_} passes; {np.count_nonzero(w)} coefficients"
    return {**spent, "objective": worth, "note": note}


def whole(rows: int, centres: int) -> dict[str, Any]:
    """HiGHS on the whole scaled dual, without presolve."""
    import highspy
    from vkr import matrices

    from radprog.solvers.adapters.highs import pass_program

    problem = problem_of(rows, centres)
    before, program = peak_mb(), matrices(problem, dual=True)
    with stopwatch() as spent:
        highs = highspy.Highs()
        highs.silent()
        highs.setOptionValue("threads", 1)
        highs.setOptionValue("presolve", "off")
        pass_program(highs, program)
        highs.run()
    answer = {**spent, "peak_mb": peak_mb()}
    w = -np.asarray(highs.getSolution().row_dual) / problem.m
    word, entries = highs.modelStatusToString(highs.getModelStatus()), program.rows.nnz
    each = (answer["peak_mb"] - before) * MIB / entries
    return {
        **answer,
        "objective": value(problem.y, features(problem), w),
        "note": f"HiGHS says {word}; {entries} entries, {each:.0f} bytes each",
        "entries": entries,
        "bytes": each,
    }


TASKS = {"ours": ours, "whole": whole, "liblinear": liblinear, "sgd": sgd}


def least(rows: int, centres: int) -> tuple[int, int]:
    """Rows and centres, these no more than those, of a whole program that HiGHS is given."""
    few = WHOLE // (KERNELS * centres)
    if few < centres:
        few = centres = math.isqrt(WHOLE // KERNELS)
    return min(rows, few), min(rows, centres)


def compare(rows: int, centres: int) -> list[dict[str, Any]]:
    """Every way at one size, HiGHS at the largest that is allowed, and ours there too."""

    def row(name: str, task: str, rows: int = rows, centres: int = centres) -> dict[str, Any]:
        found = measure(THIS, ["--child", task, str(rows), str(centres)], 1)
        print(f"  {name:<45}{found['cpu']:>10.2f} s {found['note']}", flush=True)
        return {"name": name, "rows": rows, "centres": centres, **found}

    told = [row("column generation", "ours")]
    for name, task in (("liblinear, l1", "liblinear"), ("SGD, hinge and l1", "sgd")):
        try:
            told.append(row(name, task))
        except SystemExit as error:
            print(f"  {name}: {str(error).splitlines()[-1]}", flush=True)
    table(f"{rows} rows, {centres} centres: ratios to column generation", told)
    few, fewer = least(rows, centres)
    both = [
        row(f"column generation, {few} rows", "ours", few, fewer),
        row(f"HiGHS whole, {few} rows", "whole", few, fewer),
    ]
    table(f"{few} rows, {fewer} centres: ratios to column generation", both)
    if few < rows:
        entries = KERNELS * centres * rows
        memory = both[1]["bytes"] * entries / MIB
        both[1]["extrapolated_mb"] = memory
        print(f"\nHiGHS whole at {rows} rows: {entries} entries, {memory:.0f} MiB extrapolated")
    return [*told, *both]


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--child", nargs=3, help=argparse.SUPPRESS)
    parser.add_argument("--rows", type=int, default=SMALL[0])
    parser.add_argument("--centres", type=int, default=SMALL[1])
    parser.add_argument("--full", action="store_true", help="100,000 rows, 2,000 centres")
    parser.add_argument("--json", type=Path, help="file to write what was measured to")
    options = parser.parse_args()
    if options.child:
        task, *sizes = options.child
        child(lambda: TASKS[task](*map(int, sizes)))
        return
    os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")
    rows = compare(*(FULL if options.full else (options.rows, options.centres)))
    if options.json:
        options.json.write_text(json.dumps({**circumstances(), "rows": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main()
