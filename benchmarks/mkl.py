"""Multiple kernel learning against cvxpy, whole programs and linear masters: CPU seconds, ratios.

python benchmarks/mkl.py [--quick] [--peer PYTHON]

The benchmark needs RADPROG_DATA. PYTHON is an interpreter with cvxpy, by default
.venv-bench/bin/python; if it does not exist, the peers are omitted. Every row is the median of
several new processes, or the result of one process for slow methods.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from measure import keep, peak_mb, stopwatch
from scipy.spatial.distance import cdist

from radprog.decompositions.mkl.fit import fit_mkl
from radprog.decompositions.run import RunSettings
from radprog.instances.dataset import read, read_views
from radprog.models.mkl.kernel_sets import KernelSet, kernel_set, spectrum, tail_sum
from radprog.models.mkl.settings import MKL

HERE = Path(__file__).resolve()
PEER = HERE.parent.parent / ".venv-bench" / "bin" / "python"
SONAR = "linear,poly:1,poly:2,rbf:0.01,rbf:0.1"  # the last three of full rank
TOL = 1e-7
MASTERS = (("exchange, curvature", "curved"), ("exchange, linear masters", "highs"))
ONE_THREAD = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}


def prepared(case: str) -> tuple[MKL, KernelSet]:
    """Settings and kernels of a case: sonar or protein."""
    folder = Path(os.environ["RADPROG_DATA"])
    if case == "sonar":
        spec = MKL(kernels=SONAR, theta=2)
        return spec, kernel_set(spec, read(folder / "clustering/sonar.csv", scale="standard"))
    spec = MKL(kernels="linear", theta=1)
    paths = sorted((folder / "mkl").glob("proteinFold_view*.csv"))
    return spec, kernel_set(spec, read_views(paths, classes=["7", "16"]))


def timed(task: Callable[[], Any]) -> dict[str, Any]:
    """CPU seconds of a task that returns a run; its values and its note."""
    with stopwatch() as spent:
        run = task()
    own = {"seconds": spent["cpu"], "cpu": spent["cpu"], "wall": spent["seconds"]}
    note = f"gap {run.gap:.0e}, {run.summary['machines']} SVMs"
    values = {"objective": run.objective, "bound": run.bound}
    return {**own, "peak_mb": peak_mb(), **values, "note": note}


def solver_of(master: str) -> str | None:
    """The solver that is named for a master: none for the curved one."""
    return None if master == "curved" else master


def conv(case: str, norm: float, method: str, master: str) -> dict[str, Any]:
    """One certified fit of variant conv."""
    spec, kernels = prepared(case)
    kernels.tails(spec.cutoff)
    spec = MKL(theta=spec.theta, norm=norm)
    settings = RunSettings(tol=TOL, method=method, solver=solver_of(master))

    def task() -> Any:
        run = fit_mkl(spec, None, settings, kernels)
        assert run.certified
        return run

    return timed(task)


def dc(case: str, method: str, master: str) -> dict[str, Any]:
    """DCA from the uniform start."""
    spec, kernels = prepared(case)
    kernels.tails(spec.cutoff)
    spec = MKL(theta=1, variant="dc", starts=1)
    settings = RunSettings(method=method, solver=solver_of(master))
    return timed(lambda: fit_mkl(spec, None, settings, kernels))


def tails(repeats: int) -> list[dict[str, Any]]:
    """Tail sums of 2000 points: LAPACK once each, Lanczos for theta 1, 4, 16; interleaved."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2000, 30))
    squares = cdist(X, X, "sqeuclidean")
    rows = []
    for name, K in (("rbf:0.03", np.exp(-0.03 * squares)), ("linear", X @ X.T)):
        times: dict[str, list[float]] = {}
        values: dict[str, float] = {}

        def measure(what: str, task: Callable[[], float], times=times, values=values) -> None:
            start = time.process_time()
            values[what] = task()
            times.setdefault(what, []).append(time.process_time() - start)

        for _ in range(repeats):
            measure("eigh", lambda K=K: float(np.linalg.eigh(K)[0][:-1].sum()))
            measure("eigvalsh", lambda K=K: float(spectrum(K)[1:].sum()))
            for theta in (1, 4, 16):
                measure(f"theta {theta}", lambda K=K, theta=theta: tail_sum(K, theta))
        rows += [
            {"name": f"{name} {what}", "seconds": statistics.median(t), "objective": values[what]}
            for what, t in times.items()
        ]
    return rows


def child(arguments: list[str], runs: int) -> dict[str, Any]:
    """Median of fresh processes of this script on one task."""
    answers = []
    for _ in range(runs):
        done = subprocess.run(
            [sys.executable, str(HERE), "--task", *arguments],
            capture_output=True,
            text=True,
            check=False,
            env=ONE_THREAD,
        )
        if done.returncode:
            raise SystemExit(f"{arguments} failed:\n{done.stderr}")
        answers.append(json.loads(done.stdout.splitlines()[-1]))
    seconds = statistics.median(answer.get("seconds", 0.0) for answer in answers)
    return {**answers[-1], "seconds": seconds}


def peer(python: str, case: str, norm: float, form: str, runs: int) -> dict[str, Any]:
    """Median of cvxpy on the kernels of a case, in processes of its own interpreter."""
    spec, kernels = prepared(case)
    answers = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "problem.npz"
        c = kernels.tails(spec.cutoff) / kernels.n
        np.savez(path, K=kernels.K, y=kernels.labels[0], c=c, C=1.0, p=norm)
        for _ in range(runs):
            done = subprocess.run(
                [python, str(HERE.with_name("mkl_peer.py")), str(path), form],
                capture_output=True,
                text=True,
                check=False,
                env=ONE_THREAD,
            )
            if done.returncode:
                note = done.stderr.splitlines()[-1]
                return {"seconds": float("nan"), "objective": None, "note": note}
            answers.append(json.loads(done.stdout.splitlines()[-1]))
    return {**answers[-1], "seconds": statistics.median(a["seconds"] for a in answers)}


def table(title: str, rows: list[dict[str, Any]], base: int = 0) -> None:
    """Print rows with the ratio of their seconds to those of row ``base``."""
    keep(title, rows)
    print(f"\n{title}")
    print(f"{'':<34}{'CPU s':>9}{'ratio':>8}  objective, note")
    for row in rows:
        ratio = row["seconds"] / rows[base]["seconds"]
        value = row.get("objective", row.get("bound"))  # a peer's dual point has a bound alone
        print(
            f"{row['name']:<34}{row['seconds']:>9.3f}{ratio:>8.1f}  {value!r} "
            f"{row.get('note', '')}",
            flush=True,
        )


def main() -> None:
    """Run the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="one process per row, no slow peers")
    parser.add_argument("--peer", default=str(PEER), help="interpreter that has cvxpy")
    options = parser.parse_args()
    runs = 1 if options.quick else 3
    peers = Path(options.peer).exists()

    def row(name: str, *arguments: str, times: int = runs) -> dict[str, Any]:
        return {"name": name, **child(list(arguments), times)}

    for case, title in (("sonar", "sonar n=208 M=5 theta=2"), ("protein", "folds n=151 M=12")):
        rows = [row(name, "conv", case, "1", "silp", master) for name, master in MASTERS]
        rows.append(row("QCQP, Ipopt", "conv", case, "1", "qcqp", "curved", times=1))
        if peers:
            for form in ("quadratic", "factors", "primal")[: 2 if options.quick else 3]:
                name = f"cvxpy + Clarabel, {form}"
                rows.append({"name": name, **peer(options.peer, case, 1.0, form, runs)})
        table(f"conv p=1, {title}: tolerance {TOL:g}", rows)
    rows = [row(name, "conv", "protein", "2", "silp", master) for name, master in MASTERS]
    rows.append(row("QCQP, Ipopt", "conv", "protein", "2", "qcqp", "curved", times=runs))
    if peers:
        rows.append({"name": "cvxpy", **peer(options.peer, "protein", 2.0, "factors", runs)})
    table("conv p=2, folds n=151 M=12", rows)
    rows = [
        row(name, "dc", "protein", *arguments)
        for name, *arguments in (
            ("hybrid", "hybrid", "curved"),
            ("exact steps", "dca", "curved"),
            ("Algorithm 1", "algorithm1", "curved"),
            ("exact steps, linear masters", "dca", "highs"),
        )
    ]
    table("dc theta=1 from the uniform start, folds n=151 M=12", rows)
    measured = child(["tails", "1" if options.quick else "5"], 1)["rows"]
    for part in (0, 5):
        table("tail sums n=2000", measured[part : part + 5], base=2)


if sys.argv[1:2] == ["--task"]:
    kind, case, *rest = sys.argv[2:]
    if kind == "tails":
        print(json.dumps({"rows": tails(int(case))}))
    elif kind == "conv":
        print(json.dumps(conv(case, float(rest[0]), rest[1], rest[2])))
    else:
        print(json.dumps(dc(case, rest[0], rest[1])))
elif __name__ == "__main__":
    main()
