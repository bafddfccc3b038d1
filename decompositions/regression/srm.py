"""Structural risk minimisation: the class of least bound (2) in a grid of gamma and A.

All classes see the same sign vectors. For each gamma the radii A increase from A = 0, the
constants, and the functions found for one A are starting points for the next: suprema can only grow
with A. Rows of signs -1 give the least empirical error, rows with zeros on a fold the
cross-validation, in the same batch.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from radprog.decompositions.loop import Budget, Clock, Reason, Record
from radprog.decompositions.regression.assembly import (
    check_rows,
    in_class,
    values_of,
)
from radprog.decompositions.regression.cccp import (
    Radius,
    SignedFits,
    StepCounts,
    fit_signs,
)
from radprog.decompositions.regression.complexity import ESTIMATE_WORDS
from radprog.decompositions.regression.fit import (
    OWN,
    regressor,
    solver_use,
    step_program,
    step_warnings,
    summarise,
)
from radprog.decompositions.run import Methods, Outcome, Run, RunSettings, packed
from radprog.instances.errors import DataError, OptionError, RadprogError
from radprog.instances.limits import OutOfBudget, bounded, under
from radprog.instances.regression import RegressionData, regression_errors
from radprog.instances.types import FloatArray
from radprog.instances.writing import atomic_text
from radprog.models.complexity import draw_signs, standard_error
from radprog.models.kernel_bank import KernelBank
from radprog.models.kernel_functions import RBF
from radprog.models.regression.bounds import error_bound, least, upper_bounds
from radprog.models.regression.problem import (
    RegressionClass,
    complexity_terms,
    constants,
    regression_class,
)
from radprog.models.regression.settings import SRM, TRIALS

ClassEstimate = dict[str, Any]

NOT_USED: Methods = {"cccp": ("start", "threads")}
CHECKPOINT = 1  # schema of the file
NO_STEPS = StepCounts()


def srm_class(spec: SRM, data: RegressionData, gamma: float) -> RegressionClass:
    """The factored class of one gamma."""
    K = KernelBank([RBF(gamma)], data.X).gram(0)
    return regression_class(K, data.targets, spec.loss())


def srm_signs(spec: SRM, n: int, seed: int) -> FloatArray:
    """The sign vectors (T, n) that every class sees."""
    return draw_signs(n, TRIALS if spec.trials is None else spec.trials, seed, spec.kind)


def fold_rows(n: int, folds: int, seed: int) -> FloatArray:
    """Signs (folds, n): -1 on training rows, 0 on the rows held out."""
    if folds > n:
        raise OptionError(f"folds {folds}: there are only {n} rows")
    order = np.random.default_rng([seed, 2]).permutation(n)
    signs = -np.ones((folds, n))
    for fold, rows in enumerate(np.array_split(order, folds)):
        signs[fold, rows] = 0.0
    return signs


@dataclass(kw_only=True)
class Progress:
    """Finished cells, the functions of the last one (starts of the next), and the best so far.

    With a ``path`` it is one file, rewritten whole after each cell: killed at any moment and
    started again, a run continues with the same numbers. elapsed: seconds to the end of each cell,
    those of the runs before counted in.
    """

    path: str | None
    fingerprint: str
    cells: list[ClassEstimate] = field(default_factory=list)
    elapsed: list[float] = field(default_factory=list)
    steps: StepCounts = field(default_factory=StepCounts)
    carried: FloatArray | None = None
    best: dict[str, Any] = field(default_factory=dict)

    @staticmethod
    def open(path: str | None, fingerprint: str) -> Progress:
        """What the file holds, or nothing; OptionError where it belongs to another run."""
        progress = Progress(path=path, fingerprint=fingerprint)
        if path is None or not Path(path).exists():
            return progress
        try:
            stored = json.loads(Path(path).read_text(encoding="utf-8"))
            if stored["radprog_srm"] != CHECKPOINT:
                raise DataError(f"{path}: a checkpoint of another version")
            if stored["fingerprint"] != fingerprint:
                raise OptionError(
                    f"checkpoint {path} belongs to other data, options or seed: name another file"
                )
            progress.cells, progress.best = list(stored["cells"]), dict(stored["best"])
            progress.steps = StepCounts(**stored.get("steps", {}))
            progress.elapsed = list(stored.get("elapsed", [0.0] * len(progress.cells)))
            if len(progress.elapsed) != len(progress.cells):
                raise DataError(f"{path}: {len(progress.elapsed)} times of its cells")
            carried = stored["carried"]
            progress.carried = None if carried is None else np.asarray(carried, dtype=np.float64)
        except RadprogError:
            raise
        except (OSError, KeyError, TypeError, ValueError) as error:
            raise DataError(f"{path}: not a checkpoint of srm: {error!r}") from None
        return progress

    @property
    def spent(self) -> float:
        """Seconds of all runs together."""
        return self.elapsed[-1] if self.elapsed else 0.0

    def record(self, index: int, total: int) -> Record:
        """The line of the trace that the cell was."""
        done, seconds = index + 1, self.elapsed[index]
        left = seconds / done * (total - done)
        detail = {"cells": float(done), "of": float(total), "seconds_left": left}
        return Record(index, seconds, min(c["bound"] for c in self.cells[:done]), None, detail)

    def add(
        self,
        cell: ClassEstimate,
        x: FloatArray,
        functions: Mapping[str, Any],
        steps: StepCounts = NO_STEPS,
        seconds: float = 0.0,
    ) -> None:
        """Take in a finished cell, and write."""
        self.cells.append(cell)
        self.carried, self.steps = x, self.steps.joined(steps)
        self.elapsed.append(seconds)
        if not self.best or cell["bound"] < self.cells[self.best["index"]]["bound"]:
            self.best = {"index": len(self.cells) - 1, **functions}
        if self.path is None:
            return
        with atomic_text(self.path) as stream:
            json.dump(
                {
                    "radprog_srm": CHECKPOINT,
                    "fingerprint": self.fingerprint,
                    "cells": self.cells,
                    "elapsed": self.elapsed,
                    "steps": asdict(self.steps),
                    "carried": x.tolist(),
                    "best": self.best,
                },
                stream,
                allow_nan=False,
            )


def fingerprint_of(spec: SRM, data: RegressionData, settings: RunSettings) -> str:
    """What must agree for a checkpoint to be continued."""
    content = {
        **asdict(replace(spec, checkpoint=None)),
        "data": data.sha256,
        "scaled": hashlib.sha256(np.ascontiguousarray(data.X).tobytes()).hexdigest(),
        "truth": None if data.truth is None else data.truth.tolist(),
        "seed": settings.seed,
        "solver": settings.solver,
        "max_iter": settings.max_iter,
        "options": dict(settings.solver_options),
    }
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def fit_srm(spec: SRM, data: RegressionData, settings: RunSettings) -> Run:
    """Choose gamma and A by bound (2), corrected for the number of classes.

    objective: that bound, with the complexity's estimate from below: an estimate itself. ``fit``:
    the function of least empirical error in the chosen class. Extra keys: ``cells`` (the table),
    ``chosen`` beside the choices of cross-validation and of the least MAPE. A spent budget leaves
    out the cells that are not finished; where none is, constants stand in for the first class.
    """
    settings.check(spec, NOT_USED, OWN)
    clock, n = settings.clock(), data.rows
    budget = clock.budget
    check_rows(data)
    signs = srm_signs(spec, n, settings.seed)
    rows = np.concatenate([signs, -np.ones((1, n)), fold_rows(n, spec.folds, settings.seed)])
    progress = Progress.open(spec.checkpoint, fingerprint_of(spec, data, settings))
    total, reason = len(spec.gamma_values) * len(spec.A_values), Reason.SOLVER
    trace = [progress.record(index, total) for index in range(len(progress.cells))]
    for index, cut in _cells(spec, data, settings, rows, progress, budget):
        if cut is not None:
            reason = cut
            break
        trace.append(progress.record(index, total))
        settings.observe(trace[-1])
    warnings = step_warnings(progress.steps)
    if not progress.cells:
        warnings = (
            f"{reason.value}: ended before the first of {total} cells was finished: the best "
            "constants stand in for its class",
        )
        progress = _constants(spec, data, rows)
    return _finish(spec, data, settings, signs, progress, (reason, trace), clock, warnings)


def _cells(
    spec: SRM,
    data: RegressionData,
    settings: RunSettings,
    rows: FloatArray,
    progress: Progress,
    budget: Budget,
) -> Iterator[tuple[int, Reason | None]]:
    """Finish the cells in order: (index, None); (index, reason) when cut off."""
    index, before = -1, progress.spent
    for gamma in spec.gamma_values:
        problem: RegressionClass | None = None
        for position, A in enumerate(spec.A_values):
            index += 1
            if index < len(progress.cells):
                continue
            if budget.spent():
                yield index, budget.reason
                return
            try:
                with under(budget):
                    if problem is None:
                        problem = bounded(srm_class, spec, data, gamma)
            except OutOfBudget:
                yield index, budget.reason
                return
            fits = SignedFits(
                problem=problem,
                signs=rows,
                radius=Radius(A=A),
                settings=settings,
            )
            rng = np.random.default_rng([settings.seed, 3, index])
            smaller = progress.carried if position else fits.constants()
            found = fit_signs(
                fits,
                starts=spec.starts,
                rng=rng,
                budget=budget,
                carried=() if smaller is None else (smaller,),
                max_iter=settings.max_iter,
            )
            if found.cut:
                yield index, found.reason
                return
            try:
                with under(budget):
                    cell, functions = _cell(spec, data, problem, rows, found.x, (gamma, A))
            except OutOfBudget:
                yield index, budget.reason
                return
            cell["distinct_starts"] = int(found.distinct.min())
            progress.add(cell, found.x, functions, found.steps, before + budget.seconds)
            yield index, None


def _cell(
    spec: SRM,
    data: RegressionData,
    problem: RegressionClass,
    rows: FloatArray,
    x: FloatArray,
    place: tuple[float, float],
) -> tuple[ClassEstimate, dict[str, Any]]:
    """A line of the table, and the functions behind it."""
    gamma, A = place
    n, T = data.rows, len(rows) - 1 - spec.folds
    signs = rows[:T]
    coefficients, bias = in_class(problem, x, A)
    values, norms = values_of(problem, rows, coefficients, bias, Radius(A=A))
    h = problem.images(coefficients) + bias[:, None]
    terms = complexity_terms(signs, -values[:T])
    upper = least(upper_bounds(problem, signs, A, spec.kind))
    empirical = float(values[T] / n)
    classes = len(spec.gamma_values) * len(spec.A_values)
    bound = error_bound(empirical, float(terms.mean()), n, spec.delta, classes)
    truth = data.targets if data.truth is None else data.truth
    held_out = rows[T + 1 :] == 0
    residuals = data.targets - h[T + 1 :]
    return {
        "gamma": gamma,
        "A": A,
        "rank": problem.rank,
        "empirical": empirical,
        "complexity": float(terms.mean()),
        "standard_error": standard_error(terms),
        "certified_upper": upper.value,
        "certified_by": upper.name,
        "bound": bound.value,
        "bound_one_class": error_bound(empirical, float(terms.mean()), n, spec.delta).value,
        "cv_error": float(spec.loss()(residuals)[held_out].mean()),
        "cv_mae": float(np.abs(residuals)[held_out].mean()),
        **regression_errors(h[T], truth),
    }, {
        "coefficients": coefficients[: T + 1].tolist(),
        "bias": bias[: T + 1].tolist(),
        "x": x[T].tolist(),
        "summary": summarise(
            RBF(gamma).name, problem, coefficients[T], float(bias[T]), float(norms[T])
        ),
    }


def _constants(spec: SRM, data: RegressionData, rows: FloatArray) -> Progress:
    """The first class with its best constants alone, for a run that ended before a cell did."""
    gamma, A = spec.gamma_values[0], spec.A_values[0]
    problem = constants(RBF(gamma).diagonal(data.X), data.targets, spec.loss())
    x = SignedFits(problem=problem, signs=rows, radius=Radius(A=A)).constants()
    cell, functions = _cell(spec, data, problem, rows, x, (gamma, A))
    progress = Progress(path=None, fingerprint="")
    progress.add({**cell, "distinct_starts": 1}, x, functions)
    return progress


def _least(cells: list[ClassEstimate], key: str) -> int | None:
    """The first cell of least ``key``: of equal ones the smallest gamma, then the smallest A."""
    known = [i for i, cell in enumerate(cells) if cell[key] is not None]
    return min(known, key=lambda i: cells[i][key]) if known else None


def _choices(cells: list[ClassEstimate], best: int) -> dict[str, Any]:
    """Indices of the cells that the bound and other criteria choose."""
    return {
        "bound": best,
        "cross_validation": _least(cells, "cv_error"),
        "mape": _least(cells, "mape"),
    }


def _undefined(cells: list[ClassEstimate]) -> Iterator[str]:
    if any(cell["mape"] is None for cell in cells):
        yield "a target is 0: the mean absolute percentage error is not defined"


def _finish(
    spec: SRM,
    data: RegressionData,
    settings: RunSettings,
    signs: FloatArray,
    progress: Progress,
    outcome: tuple[Reason, list[Record]],
    clock: Clock,
    warnings: tuple[str, ...],
) -> Run:
    reason, trace = outcome
    cells, best = progress.cells, progress.best
    chosen = cells[best["index"]]
    T = len(signs)
    coefficients, bias = np.asarray(best["coefficients"][T]), float(best["bias"][T])
    kernel, radius = RBF(chosen["gamma"]).name, Radius(A=chosen["A"])
    truth = "the targets" if data.truth is None else "the values without noise"
    total = len(spec.gamma_values) * len(spec.A_values)
    found = Outcome(
        method="cccp",
        reason=reason,
        objective=chosen["bound"],
        bound=None,
        trace=trace,
        solver=solver_use(settings),
        fit=regressor(kernel, data, coefficients, bias),
        summary={
            "gamma": chosen["gamma"],
            "A": chosen["A"],
            **(best.get("summary") or _summary(spec, data, chosen["gamma"], coefficients, bias)),
        },
        evidence={
            "gamma": chosen["gamma"],
            "A": chosen["A"],
            "coefficients": best["coefficients"],
            "bias": best["bias"],
        },
        program=partial(_program, spec, data, chosen["gamma"], np.asarray(best["x"]), radius),
        warnings=(*warnings, *_undefined(cells)),
        extra={
            "kind": spec.kind,
            "trials": T,
            "starts": spec.starts,
            "steps": progress.steps.solved,
            "estimate": ESTIMATE_WORDS,
            "cells": cells,
            "complete": len(cells) == total,
            "chosen": _choices(cells, best["index"]),
            "mape_against": truth,
            "standard_error": chosen["standard_error"],
            "certified_upper": chosen["certified_upper"],
            "tie_rule": "of equal cells the first: the smallest gamma, then the smallest A",
        },
    )
    return packed(spec, settings, clock, found)


def _summary(
    spec: SRM, data: RegressionData, gamma: float, coefficients: FloatArray, bias: float
) -> dict[str, Any]:
    """The ``fit`` block of the chosen function (n,), for cells of a file that came without it."""
    problem = srm_class(spec, data, gamma)
    norm2 = float(coefficients @ problem.images(coefficients[None])[0])
    return summarise(RBF(gamma).name, problem, coefficients, bias, norm2)


def _program(spec: SRM, data: RegressionData, gamma: float, x: FloatArray, radius: Radius) -> Any:
    """The last convex step in the chosen class, which is factored again."""
    return step_program(srm_class(spec, data, gamma), -np.ones(data.rows), x, radius)
