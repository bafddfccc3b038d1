"""LPBoost over shapelets against peers: the convex step, fits, cross-validation and accuracy.

python benchmarks/lpboost.py [--quick] [--sets A,B] [--peer PYTHON] [--lts PYTHON]

The benchmark needs RADPROG_DATA. PYTHON is an interpreter with aeon (``--peer``) or pyts
(``--lts``), by default .venv-bench/bin/python. If it does not exist, its peers are omitted. Every
row is the median of several new processes, or the result of one process for slow methods.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from measure import child, measure, peak_mb, stopwatch, table

from radprog.analysis.grids import settings_over
from radprog.catalog import entry_named
from radprog.decompositions.loop import Budget
from radprog.decompositions.lpboost.convex_step import L1Step
from radprog.decompositions.lpboost.fit import fit_lpboost
from radprog.decompositions.lpboost.forms import weak_step
from radprog.decompositions.lpboost.shapelets import assemble
from radprog.decompositions.run import RunSettings
from radprog.instances.bags import Bags, read_series
from radprog.models.lpboost.settings import LPBoost
from radprog.models.lpboost.weak_programs import build_l1_dual, build_l1_step
from radprog.solvers.compile import compile_model
from radprog.solvers.program import SolveSettings
from radprog.solvers.registry import solve_program
from radprog.tuning import tune_by_folds

HERE = Path(__file__).resolve()
sys.path.append(str(HERE.parent.parent / "reproduction"))
from lpboost_table1 import ALL_LENGTHS, NUS, ONE_LENGTH, PRINTED, TABLE, mcnemar  # noqa: E402

PEER = HERE.parent.parent / ".venv-bench" / "bin" / "python"
SETS = TABLE.default
ENTRY = entry_named("lpboost")
GRIDS = {
    "single": settings_over(ENTRY, {"length": ONE_LENGTH, "nu": NUS}, {}),
    "mixed": settings_over(ENTRY, {"nu": NUS}, {"length": ALL_LENGTHS}),
    "families": settings_over(
        ENTRY, {"families": "plain;diff;dilated:2;plain,diff;plain,diff,dilated:2"},
        {"length": ALL_LENGTHS},
    ),
}  # fmt: skip
POOL = "plain,diff,dilated:2"


def paths(name: str) -> tuple[Path, Path]:
    """Training and test file of a data set."""
    folder = Path(os.environ["RADPROG_DATA"]) / "ucr"
    return folder / f"{name}_TRAIN.tsv", folder / f"{name}_TEST.tsv"


def data_of(name: str) -> tuple[Bags, Bags]:
    """Training and test series, label 1 as +1."""
    first, second = paths(name)
    train = read_series(first, positive=1)
    return train, read_series(second, like=train)


def step(way: str, weights: str) -> dict[str, Any]:
    """The convex step on ItalyPowerDemand with 4 points, evaluated from alpha."""
    train, _ = data_of("ItalyPowerDemand")
    spec = LPBoost(length="4")
    problem = assemble(spec, train)
    d = np.full(train.rows, 1.0 / train.rows)
    if weights == "random":
        d = problem.margin.feasible(np.random.default_rng(0).dirichlet(np.ones(train.rows)))
    explicit, slopes = weak_step(spec, problem, d, RunSettings())
    if way == "generation":
        problem = assemble(spec, train)  # no kernel row is known yet
        with stopwatch() as spent:
            step_of = L1Step(problem.families[0].gram, explicit.y, 1.0)
            answer = step_of(explicit.d, slopes, Budget())
        alpha, bound = np.zeros(explicit.n), None
        alpha[answer.patterns] = answer.alpha
    else:
        build = build_l1_step if way == "primal" else build_l1_dual
        program = compile_model(build(explicit))
        with stopwatch() as spent:
            solution = solve_program(program, "highs", SolveSettings(tol=1e-9))
        n = explicit.n
        bound = solution.bound if way == "primal" else None  # of the program, proved by its duals
        assert solution.x is not None
        assert solution.row_duals is not None
        if way == "primal":
            alpha = solution.x[:n] - solution.x[n : 2 * n]
        else:  # rows above and below of every pattern, in this order
            alpha = -(solution.row_duals[:n] - solution.row_duals[n : 2 * n])
            alpha = min((alpha, -alpha), key=explicit.model_value)
    value = explicit.model_value(alpha)
    return {**spent, "peak_mb": peak_mb(), "objective": value, "bound": bound}


def scored(run: Any, test: Bags) -> dict[str, Any]:
    """Which test rows have the right label, and their share in percent."""
    right = run.fit.predict(test.X) == test.targets
    return {"right": right.astype(int).tolist(), "accuracy": 100 * float(right.mean())}


def fit(name: str, learner: str, length: str, families: str = "plain") -> dict[str, Any]:
    """One fit with everything: reading, distances, sigma, test."""
    train, test = data_of(name)
    spec = LPBoost(learner=learner, length=length, families=families)
    run = fit_lpboost(spec, train, RunSettings())
    word = "certified" if run.certified else run.stopped_by.value
    cpu = f"{time.process_time():.1f} CPU s"
    score = scored(run, test)
    note = f"{score['accuracy']:.1f} %, {cpu}, {word}, {run.summary['hypotheses']} hypotheses"
    share = f"{run.summary['nonzero']} of {run.summary['nonzero_of']} coefficients"
    return {"objective": run.objective, "note": f"{note}, {share}", **score}


def tuned(name: str, grid: str) -> dict[str, Any]:
    """Cross-validation and the fit of what it chose."""
    train, test = data_of(name)
    specs = GRIDS[grid]
    chosen = tune_by_folds("lpboost", specs, train, RunSettings())
    spec = specs[chosen["best_index"]]
    run = fit_lpboost(spec, train, RunSettings())
    what = f"length {spec.length}, families {spec.families}, nu {spec.nu}"
    score = scored(run, test)
    note = f"{score['accuracy']:.1f} %, {what}, {chosen['ties']} ties"
    note += f", {time.process_time():.1f} CPU s"
    return {"objective": run.objective, "note": note, **score}


TASKS: dict[str, Callable[..., dict[str, Any]]] = {"step": step, "fit": fit, "tuned": tuned}


def ours(label: str, runs: int, *arguments: str) -> dict[str, Any]:
    """A row of this project."""
    return {"name": label, **measure(str(HERE), ["--task", *arguments], runs)}


def peer(python: Path, name: str, kind: str) -> dict[str, Any]:
    """A row of a peer."""
    script = str(HERE.with_name("lpboost_peer.py"))
    command = [str(python), script, *map(str, paths(name)), kind]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)} failed:\n{done.stderr}")
    answer = json.loads(done.stdout.splitlines()[-1])
    note = f"{100 * answer['accuracy']:.1f} %, fit alone {answer['fit']:.1f} s"
    library = "pyts" if kind == "lts" else "aeon"
    row = {"name": f"{library} {kind}", "runs": 1, "objective": None, "note": note}
    return {**answer, **row}


def compare(rows: list[dict[str, Any]], peers: list[dict[str, Any]]) -> None:
    """McNemar's exact test of every row of ours against every peer, on the same test rows."""
    for row in rows:
        for other in peers:
            wrong, peer = (np.array(one["right"]) == 0 for one in (row, other))
            won, lost, p = mcnemar(wrong, peer)
            print(f"{row['name']} against {other['name']}: {won} won, {lost} lost, p = {p:.2g}")


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="one run each, one data set")
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument("--peer", type=Path, default=PEER)
    parser.add_argument("--lts", type=Path, default=PEER)
    parser.add_argument("--task", nargs="+", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.task:
        child(lambda: TASKS[options.task[0]](*options.task[1:]))
        return
    runs = 1 if options.quick else 3
    for weights in ("uniform", "random"):
        rows = [
            ours("row and column generation", runs, "step", "generation", weights),
            ours("HiGHS, explicit dual", 1, "step", "dual", weights),
            ours("HiGHS, explicit primal", 1, "step", "primal", weights),
        ]
        table(f"convex step over the l1 ball, ItalyPowerDemand, 4 points, {weights} weights", rows)
    rows = [ours(name, runs, "fit", "GunPoint", name, "15") for name in ("shapelet", "l1", "rkhs")]
    if options.peer.is_file() and not options.quick:
        rows.append(peer(options.peer, "GunPoint", "stc"))
    table("GunPoint, 15 points: kernel, sigma, fit and test", rows)
    sets = options.sets.split(",")
    for name in sets[:1] if options.quick else sets:
        rows = [
            ours("four lengths, nothing tuned", runs, "fit", name, "shapelet", ALL_LENGTHS),
            ours("four lengths, three families", runs, "fit", name, "shapelet", ALL_LENGTHS, POOL),
            ours("four lengths, families by 5-fold CV", runs, "tuned", name, "families"),
            ours("four lengths, nu by 5-fold CV", runs, "tuned", name, "mixed"),
            ours("length and nu by 5-fold CV", runs, "tuned", name, "single"),
        ]
        beside = []
        if options.peer.is_file():
            beside += [peer(options.peer, name, kind) for kind in ("rdst", "minirocket", "ig-svm")]
        if options.lts.is_file():
            beside.append(peer(options.lts, name, "lts"))
        paper = f", paper {PRINTED[name][0]} %" if name in PRINTED else ""
        table(f"{name}: accuracy{paper}", rows + beside)
        compare(rows, beside)


if __name__ == "__main__":
    sys.exit(main())
