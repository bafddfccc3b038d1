"""Structural risk minimisation: the class of least bound (2) in a grid of gamma and A.

All classes see the same sign vectors. For each gamma the radii A increase from A = 0, the
constants, and the functions found for one A are starting points for the next: suprema can only grow
with A. Rows of signs -1 give the least empirical error, rows with zeros on a fold the
cross-validation, in the same batch.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from radprog.base.errors import OptionError
from radprog.base.limits import OutOfBudget, bounded, under
from radprog.base.types import FloatArray
from radprog.decompositions.executors.checkpoint import Checkpoint
from radprog.decompositions.executors.sharing import answers
from radprog.decompositions.executors.units import Inside, Partial, Sweep, Unit
from radprog.decompositions.loop import Budget, Clock, Pace, Reason, Record
from radprog.decompositions.regression.assembly import (
    check_rows,
    in_class,
    values_of,
)
from radprog.decompositions.regression.cccp import (
    DescentSettings,
    Radius,
    SignedFits,
)
from radprog.decompositions.regression.cells import ClassEstimate, Progress, fingerprint_of
from radprog.decompositions.regression.complexity import ESTIMATE_WORDS
from radprog.decompositions.regression.exchange import fit_signs
from radprog.decompositions.regression.fit import (
    OWN,
    regressor,
    solver_use,
    step_program,
    step_warnings,
    summarise,
)
from radprog.decompositions.run import Methods, Outcome, Run, RunSettings, packed
from radprog.decompositions.threads import single_threaded
from radprog.instances.regression import RegressionData, regression_errors
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

NOT_USED: Methods = {"cccp": ("start", "threads")}


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
    out the cells that are not finished; where none is, constants stand in for the first class.
    """
    settings.check(spec, NOT_USED, OWN)
    clock, n = settings.clock(), data.rows
    budget = clock.budget
    check_rows(data)
    signs = srm_signs(spec, n, settings.seed)
    rows = np.concatenate([signs, -np.ones((1, n)), fold_rows(n, spec.folds, settings.seed)])
    total = len(spec.classes)
    if settings.sharing.shared or in_folder(spec, settings) is not None:
        progress, reason = _shared_cells(spec, data, settings, rows, budget)
        trace = [progress.record(index, total) for index in range(len(progress.cells))]
    else:
        progress = Progress.open(spec.checkpoint, fingerprint_of(spec, data, settings))
        reason = Reason.SOLVER
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


def _shared_cells(
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

    sweep = Sweep(call=_gamma_cells, shared=shared, units=units)
    for answer in answers(sweep, replace(settings.sharing, checkpoint=None), budget, watch):
        if answer.error is not None:
            raise answer.error
        if answer.value is not None:
            whole.take(answer.value)
        if answer.cut:
            reason = budget.reason
    return whole, reason


def _gamma_cells(shared: Any, item: tuple[int, str | None], inside: Inside) -> Any:
    """The cells of one gamma, the smaller radius first; those before a cut."""
    spec, data, settings, rows, mark = shared
    number, path = item
    alone = replace(settings, interrupted=inside.interrupted)
    progress = Progress.open(path, mark)
    for _ in progress.cells:
        inside.step()
    for _, cut in _cells(spec, data, alone, rows, progress, alone.budget(), number):
        if cut is not None:
            return Partial(progress)
        inside.step()
    return progress


def _cells(
    spec: SRM,
    data: RegressionData,
    settings: RunSettings,
    rows: FloatArray,
    progress: Progress,
    budget: Budget,
    only: int | None = None,
) -> Iterator[tuple[int, Reason | None]]:
    """Finish the cells in order, or those of one gamma: (index, None); (index, reason) when cut
    off."""
    before, size = progress.spent, len(spec.A_values)
    index, first = (-1, 0) if only is None else (only * size - 1, only * size)
    for gamma in spec.gamma_values if only is None else spec.gamma_values[only : only + 1]:
        problem: RegressionClass | None = None
        for position, A in enumerate(spec.A_values):
            index += 1
            if index - first < len(progress.cells):
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
                DescentSettings(budget=budget, max_iter=settings.max_iter),
                starts=spec.starts,
                rng=rng,
                carried=() if smaller is None else (smaller,),
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


def _constants(spec: SRM, data: RegressionData, rows: FloatArray) -> Progress:
    """The first class with its best constants alone, for a run that ended before a cell did."""
    gamma, A = spec.classes[0]
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
    grid = spec.classes
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
            "classes": [grid.index((cell["gamma"], cell["A"])) for cell in cells],
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
            "complete": len(cells) == len(grid),
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
