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

from radprog.base.errors import MALFORMED, DataError, OptionError, RadprogError
from radprog.base.limits import OutOfBudget
from radprog.base.types import FloatArray
from radprog.base.writing import atomic_text
from radprog.decompositions.executors.checkpoint import Checkpoint
from radprog.decompositions.executors.sharing import answers
from radprog.decompositions.executors.units import Inside, Partial, Sweep, Unit
from radprog.decompositions.loop import Budget, Pace, Reason, Record, first_step
from radprog.decompositions.regression.assembly import check_rows, in_class, values_of
from radprog.decompositions.regression.cccp import (
    DescentSettings,
    Radius,
    SignedFits,
    StepCounts,
    fit_signs,
)
from radprog.decompositions.regression.complexity import ESTIMATE_WORDS
from radprog.decompositions.regression.fit import (
    regressor,
    solver_use,
    step_program,
    step_warnings,
    summarise,
)
from radprog.decompositions.run import Outcome, Run, RunSettings, packed
from radprog.decompositions.threads import single_threaded
from radprog.instances.regression import RegressionData, regression_errors
from radprog.models.complexity import draw_signs, standard_error
from radprog.models.kernel_bank import KernelBank
from radprog.models.kernel_functions import RBF
from radprog.models.regression.bounds import error_bound, least, upper_bounds
from radprog.models.regression.problem import RegressionClass, complexity_terms, regression_class
from radprog.models.regression.settings import SRM, TRIALS

ClassEstimate = dict[str, Any]
CHECKPOINT = 2  # schema of the file


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
            progress.steps = StepCounts(**stored["steps"])
            progress.elapsed = list(stored["elapsed"])
            if len(progress.elapsed) != len(progress.cells):
                raise DataError(f"{path}: {len(progress.elapsed)} times of its cells")
            carried = stored["carried"]
            progress.carried = None if carried is None else np.asarray(carried, dtype=np.float64)
        except RadprogError:
            raise
        except (OSError, *MALFORMED) as error:
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

    def take(self, other: Progress) -> None:
        """Take in the cells of the gamma that comes next."""
        before, index = self.spent, len(self.cells)
        self.cells += other.cells
        self.elapsed += [before + seconds for seconds in other.elapsed]
        self.carried, self.steps = other.carried, self.steps.joined(other.steps)
        if other.best:
            self._keep_best({**other.best, "index": index + other.best["index"]})

    def _keep_best(self, cell: dict[str, Any]) -> None:
        """A cell with its functions, where its bound is less than that of the best so far."""
        index = self.best.get("index")
        if index is None or self.cells[cell["index"]]["bound"] < self.cells[index]["bound"]:
            self.best = cell

    def add(
        self,
        cell: ClassEstimate,
        x: FloatArray,
        functions: Mapping[str, Any],
        steps: StepCounts,
        seconds: float,
    ) -> None:
        """Take in a finished cell, and write."""
        self.cells.append(cell)
        self.carried, self.steps = x, self.steps.joined(steps)
        self.elapsed.append(seconds)
        self._keep_best({"index": len(self.cells) - 1, **functions})
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


@single_threaded
def fit_srm(spec: SRM, data: RegressionData, settings: RunSettings) -> Run:
    """Choose gamma and A by bound (2), corrected for the number of classes.

    objective: that bound, with the complexity's estimate from below: an estimate itself. ``fit``:
    the function of least empirical error in the chosen class. Extra keys: ``cells`` (the table),
    ``chosen`` beside the choices of cross-validation and of the least MAPE. A spent budget leaves
    out the cells that are not finished; UnfinishedError where all are.
    """
    settings.check(spec)
    budget, n = settings.budget(), data.rows
    check_rows(data)
    # what every class sees: random signs, all losses minimised, and each fold held out
    signs = srm_signs(spec, n, settings.seed)
    rows = np.concatenate([signs, -np.ones((1, n)), fold_rows(n, spec.folds, settings.seed)])
    total, reason = len(spec.classes), Reason.SOLVER
    with first_step(budget):
        if settings.sharing.shared or in_folder(spec, settings) is not None:
            progress, reason = _cells_by_workers(spec, data, settings, rows, budget)
            trace = [progress.record(index, total) for index in range(len(progress.cells))]
        else:
            progress = Progress.open(spec.checkpoint, fingerprint_of(spec, data, settings))
            trace = [progress.record(index, total) for index in range(len(progress.cells))]
            try:
                for index in _finish_cells(spec, data, settings, rows, progress, budget):
                    trace.append(progress.record(index, total))
                    settings.observe(trace[-1])
            except OutOfBudget:
                reason = budget.reason
        if not progress.cells:
            raise OutOfBudget
    return _choose(spec, data, settings, signs, progress, (reason, trace), budget)


def in_folder(spec: SRM, settings: RunSettings) -> str | Path | None:
    """The folder that keeps the cells, where it is no single file: one that exists, or a name
    without a suffix. OptionError where several processes were to write one file."""
    place = spec.checkpoint or settings.sharing.checkpoint
    if place is None or Path(place).is_dir() or not Path(place).suffix:
        return place
    if settings.sharing.shared:
        raise OptionError(
            f"checkpoint {place}: {settings.sharing.workers} processes cannot write one file: name "
            "a folder"
        )
    return None


def _cells_by_workers(
    spec: SRM, data: RegressionData, settings: RunSettings, rows: FloatArray, budget: Budget
) -> tuple[Progress, Reason]:
    """The cells of every gamma by whoever works, each gamma with a file of its own in the folder;
    of a gamma that was cut off, those before. The largest gamma comes first."""
    folder, mark = in_folder(spec, settings), fingerprint_of(spec, data, settings)
    if folder is not None:
        Checkpoint.open(folder, {"command": "srm", "options, data and seed": mark})
    size = len(spec.A_values)
    units = [
        Unit(
            name=f"srm, gamma {gamma:g}",
            item=(
                number,
                None if folder is None else str(Path(folder) / f"gamma-{number:03d}.json"),
            ),
            size=size,
            weight=gamma,  # of narrow kernels ranks are higher, and steps dearer
        )
        for number, gamma in enumerate(spec.gamma_values)
    ]
    shared = (spec, data, settings.for_units(), rows, mark)
    whole, reason, pace = Progress(path=None, fingerprint=mark), Reason.SOLVER, Pace()

    def watch(done: int, total: int) -> None:
        left = pace.left(budget.seconds, done, total)
        detail = {"cells": float(done), "of": float(total), "seconds_left": left}
        settings.observe(Record(done - 1, budget.seconds, None, None, detail))

    sweep = Sweep(call=_cells_of_gamma, shared=shared, units=units)
    for answer in answers(sweep, replace(settings.sharing, checkpoint=None), budget, watch):
        if answer.error is not None:
            raise answer.error
        if answer.value is not None:
            whole.take(answer.value)
        if answer.cut:
            reason = budget.reason
    return whole, reason


def _cells_of_gamma(shared: Any, item: tuple[int, str | None], inside: Inside) -> Any:
    """The cells of one gamma, the smaller radius first; those before a cut."""
    spec, data, settings, rows, mark = shared
    number, path = item
    alone = replace(settings, interrupted=inside.interrupted)
    progress = Progress.open(path, mark)
    for _ in progress.cells:
        inside.step()
    try:
        for _ in _finish_cells(spec, data, alone, rows, progress, alone.budget(), number):
            inside.step()
    except OutOfBudget:
        return Partial(progress)
    return progress


def _finish_cells(
    spec: SRM,
    data: RegressionData,
    settings: RunSettings,
    rows: FloatArray,
    progress: Progress,
    budget: Budget,
    only: int | None = None,
) -> Iterator[int]:
    """Finish the cells in order, or those of one gamma, and yield their numbers; OutOfBudget where
    one is cut off."""
    before, size = progress.spent, len(spec.A_values)
    index, first = (-1, 0) if only is None else (only * size - 1, only * size)
    for gamma in spec.gamma_values if only is None else spec.gamma_values[only : only + 1]:
        problem: RegressionClass | None = None
        for position, A in enumerate(spec.A_values):
            index += 1
            if index - first < len(progress.cells):
                continue
            # one factor for all radii of a gamma
            budget.check()
            if problem is None:
                problem = srm_class(spec, data, gamma)
            fits = SignedFits(problem=problem, signs=rows, radius=Radius(A=A), settings=settings)
            # the functions of the smaller class are starts: suprema can only grow with A
            smaller = progress.carried if position else fits.constants()
            found = fit_signs(
                fits,
                DescentSettings(budget=budget, max_iter=settings.max_iter),
                starts=spec.starts,
                rng=np.random.default_rng([settings.seed, 3, index]),
                carried=() if smaller is None else (smaller,),
            )
            if found.cut:
                raise OutOfBudget
            # a line of the table, kept before the next begins
            cell, functions = _cell(spec, data, problem, rows, found.x, (gamma, A))
            cell["distinct_starts"] = int(found.distinct.min())
            progress.add(cell, found.x, functions, found.steps, before + budget.seconds)
            yield index


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
    bound = error_bound(empirical, float(terms.mean()), n, spec.delta, len(spec.classes))
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


def _least(cells: list[ClassEstimate], key: str) -> int | None:
    """The first cell of least ``key``: of equal ones the smallest gamma, then the smallest A."""
    known = [i for i, cell in enumerate(cells) if cell[key] is not None]
    return min(known, key=lambda i: cells[i][key]) if known else None


def _choose(
    spec: SRM,
    data: RegressionData,
    settings: RunSettings,
    signs: FloatArray,
    progress: Progress,
    ended: tuple[Reason, list[Record]],
    budget: Budget,
) -> Run:
    """The run of the class of least bound, from the finished cells."""
    reason, trace = ended
    cells, best = progress.cells, progress.best
    chosen = cells[best["index"]]
    T = len(signs)
    coefficients, bias = np.asarray(best["coefficients"][T]), float(best["bias"][T])
    kernel, radius = RBF(chosen["gamma"]).name, Radius(A=chosen["A"])
    truth = "the targets" if data.truth is None else "the values without noise"
    warnings = step_warnings(progress.steps)
    if any(cell["mape"] is None for cell in cells):
        warnings += ("a target is 0: the mean absolute percentage error is not defined",)
    grid = spec.classes
    found = Outcome(
        method="cccp",
        reason=reason,
        objective=chosen["bound"],
        bound=None,
        trace=trace,
        solver=solver_use(settings),
        fit=regressor(kernel, data, coefficients, bias),
        summary={"gamma": chosen["gamma"], "A": chosen["A"], **best["summary"]},
        evidence={
            "gamma": chosen["gamma"],
            "A": chosen["A"],
            "classes": [grid.index((cell["gamma"], cell["A"])) for cell in cells],
            "coefficients": best["coefficients"],
            "bias": best["bias"],
        },
        program=partial(_program, spec, data, chosen["gamma"], np.asarray(best["x"]), radius),
        warnings=warnings,
        extra={
            "kind": spec.kind,
            "trials": T,
            "starts": spec.starts,
            "steps": progress.steps.solved,
            "estimate": ESTIMATE_WORDS,
            "cells": cells,
            "complete": len(cells) == len(grid),
            "chosen": {
                "bound": best["index"],
                "cross_validation": _least(cells, "cv_error"),
                "mape": _least(cells, "mape"),
            },
            "mape_against": truth,
            "standard_error": chosen["standard_error"],
            "certified_upper": chosen["certified_upper"],
            "tie_rule": "of equal cells the first: the smallest gamma, then the smallest A",
        },
    )
    return packed(spec, settings, budget, found)


def _program(spec: SRM, data: RegressionData, gamma: float, x: FloatArray, radius: Radius) -> Any:
    """The last convex step in the chosen class, which is factored again."""
    return step_program(srm_class(spec, data, gamma), -np.ones(data.rows), x, radius)
