"""Programs of ``rp.build`` through ``rp.solve`` by every solver, against what ``rp.fit`` certifies.

python tests/attack/model_routes.py --count 500 --seed 0 --jobs 1

Models of vkr, l1svm, mkl and svr on small random data, with every complexity, kernel family and
scale. One line for each claim that contradicts the fit, with the fewest rows that show it; exit
code 1 where there is one.
"""

from __future__ import annotations

import argparse
import math
import random
import sys
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field, replace
from multiprocessing import get_context
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

import numpy as np
import pyomo.environ as pyo
from differential import silent

import radprog as rp

SOLVERS = (None, "highs", "piqp", "ipopt", "clarabel", "scip")
LIMIT = 1.0  # seconds of a solve
MOST = 6  # pairs of form and solver of each draw
TOL, ABSOLUTE = 1e-6, 1e-9  # of the word "optimal"
ROUNDING = 1e-9  # of the fit's own objective, where a bound is held against it
MODELS = {"vkr": rp.VKR, "l1svm": rp.L1SVM, "mkl": rp.MKL, "svr": rp.SVR}
FORMS = {
    "vkr": ("primal", "dual", "master", "budget", "margin"),
    "l1svm": ("primal", "dual", "master", "budget", "margin"),
    "mkl": ("qcqp", "silp", "primal", "svm", "step", "multiclass"),
    "svr": ("step", "step-dual", "step-ivanov", "global"),
}
#: forms whose optimum is that of the fit; the others have a value of their own
SAME = {"vkr": ("primal", "dual"), "l1svm": ("primal", "dual"), "mkl": ("qcqp", "primal")}


@dataclass(frozen=True)
class Case:
    """Settings and data of a model, and which form goes to which solver."""

    model: str
    options: dict[str, Any]
    scale: str
    X: tuple[tuple[float, ...], ...]
    y: tuple[float, ...]
    pairs: tuple[tuple[str, str | None], ...] = ()
    seed: int = 0
    found: tuple[str, ...] = field(default=())

    def data(self) -> Any:
        """What the model is fitted to."""
        made = rp.regression_data if self.model == "svr" else rp.dataset
        return made(np.array(self.X), np.array(self.y), scale=self.scale)

    def __str__(self) -> str:
        told = f"rp.{MODELS[self.model].__name__}({self.options}), scale {self.scale}"
        return f"seed {self.seed} {'; '.join(self.found)} | {told}, X={self.X}, y={self.y}"


def draw(seed: int) -> Case:
    """The case of a seed."""
    rng = random.Random(f"model routes {seed}")
    model = rng.choice(tuple(MODELS))
    n, d = rng.choice((8, 12, 20, 40)), rng.randint(2, 4)
    units = [rng.choice((1.0, 1.0, 100.0, 1000.0)) for _ in range(d)]
    X = tuple(tuple(round(unit * rng.gauss(0, 1), 3) for unit in units) for _ in range(n))
    score = [row[0] / units[0] + 0.5 * rng.gauss(0, 1) for row in X]
    middle = sorted(score)[n // 2]
    y = tuple(round(v, 3) if model == "svr" else 1.0 if v >= middle else -1.0 for v in score)
    kernel = ("linear", f"poly:{rng.randint(1, 4)}", "poly:1-10", "rbf:0.1", "laplace:0.5")
    family = rng.choice(kernel)
    price = 10.0 ** rng.randint(-4, -1)
    options: dict[str, Any] = {"kernels": family}
    if model == "vkr":
        rules = ("trace", "poly", "local", "massart", "montecarlo", "none")
        options |= {"complexity": rng.choice(rules), "lam": price, "beta": price}
        if options["complexity"] == "poly" and "poly" not in family:
            options["kernels"] = "poly:1-3"
    elif model == "l1svm":
        options |= {"kernels": family.replace("1-10", "2"), "beta": price}
    elif model == "mkl":
        options |= {"kernels": f"{rng.choice(kernel)},rbf:1", "C": 10.0 ** rng.randint(-1, 2)}
        options |= rng.choice(({}, {"variant": "lp", "norm": 2.0}, {"variant": "dc"}))
    else:
        options |= {"kernels": family.replace("1-10", "3"), "starts": 2}
        options |= {rng.choice("AC"): 10.0 ** rng.randint(-1, 1)}
    scale = rng.choice(("none", "standard", "minmax", "unit", "ball"))
    pairs = [(form, solver) for form in FORMS[model] for solver in SOLVERS]
    return Case(model, options, scale, X, y, tuple(rng.sample(pairs, MOST)), seed)


def optimum_of(case: Case, run: rp.Run, form: str, model: Any) -> tuple[float, float]:
    """Least and greatest value of the minimisation that the form's optimum can have."""
    sense = 1.0 if next(model.component_data_objects(pyo.Objective)).sense == 1 else -1.0
    low = -math.inf if run.bound is None else float(run.bound)
    if form in SAME.get(case.model, ()) and case.options.get("variant") != "dc":
        ends = sense * low, sense * run.objective
        return min(ends), max(ends)
    if form == "global":
        return low, run.objective
    with tempfile.TemporaryDirectory() as folder:
        names = rp.export(model, f"{folder}/program.mps", expected=True)
    value, scale = names["expected_objective"], names["scale"]
    if value is None or not math.isfinite(value):
        return -math.inf, math.inf
    room = TOL * abs(value * scale) + ABSOLUTE
    return value * abs(scale) - room, value * abs(scale) + room


def fault_of(found: rp.Solution, low: float, high: float) -> str:
    """What contradicts an optimum between ``low`` and ``high``, beginning with its kind."""
    said = found.in_sense(1)
    status, value, bound = said.status.value, said.objective, said.bound
    room = TOL * max(abs(low) if math.isfinite(low) else 0.0, abs(high)) + ABSOLUTE
    if status in ("infeasible", "unbounded"):
        return f"{status}: an optimum between {low:.10g} and {high:.10g} is known"
    if status == "optimal" and value is not None and not low - room <= value <= high + room:
        return f"optimal: {value:.12g} outside {low:.12g}, {high:.12g}"
    searched = found.row_duals is None  # the bound is the word of branch and bound, and no claim
    if bound is not None and not searched and bound > high + ROUNDING * abs(high) + 1e-12:
        return f"bound: {bound:.15g} above {high:.15g}"
    return ""


def examine(case: Case | int, shrink: bool = True) -> Case | None:
    """The case, with what its solvers say falsely, on the fewest rows; None where all is well."""
    case = draw(case) if isinstance(case, int) else case
    found: dict[tuple[str, str | None], str] = {}
    with silent():
        try:
            data, spec = case.data(), MODELS[case.model](**case.options)
            run = rp.fit(spec, data, time_limit=10.0, seed=0)
        except rp.RadprogError:
            return None
        for form, solver in case.pairs:
            try:
                model = rp.build(spec, data, form)
                low, high = optimum_of(case, run, form, model)
                fault = fault_of(rp.solve(model, solver, time_limit=LIMIT), low, high)
            except rp.RadprogError:
                continue  # a form or solver that this program does not have
            except Exception as error:
                fault = f"traceback: {type(error).__name__}: {error}"
            if fault:
                found[form, solver] = f"{form} by {solver}: {fault}"
    if not found:
        return None
    case = replace(case, found=tuple(found.values()), pairs=tuple(found))
    return shrunk(case) if shrink else case


def shrunk(case: Case) -> Case:
    """With half of its rows, or one row less, as long as something is false."""
    size = len(case.X) // 2
    while size:
        for start in range(0, len(case.X), size):
            rows = [i for i in range(len(case.X)) if not start <= i < start + size]
            if len(rows) < 2:
                continue
            X, y = tuple(case.X[i] for i in rows), tuple(case.y[i] for i in rows)
            smaller = examine(replace(case, X=X, y=y), shrink=False)
            if smaller is not None:
                return shrunk(smaller)
        size //= 2
    return case


def cases(seeds: Sequence[int], jobs: int) -> Iterator[Case | None]:
    """What every seed shows, in their order."""
    if jobs == 1:
        yield from map(examine, seeds)
        return
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        yield from pool.map(examine, seeds)


def main(arguments: list[str] | None = None) -> int:
    """Exit code 1 where a claim contradicts a fit."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0, help="of the first model")
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args(arguments)
    seeds, false = range(options.seed, options.seed + options.count), 0
    for done, case in enumerate(cases(seeds, options.jobs), 1):
        if case is not None:
            false += len(case.found)
            print(case, flush=True)
        if done % 20 == 0:
            print(f"{done} of {options.count} models, {false} false claims", file=sys.stderr)
    print(f"{options.count} models, {false} false claims")
    return 1 if false else 0


if __name__ == "__main__":
    sys.exit(main())
