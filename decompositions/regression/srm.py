"""Structural risk minimisation: the class with the smallest bound (2) on a grid of gamma and A.

All classes use the same sign vectors. For each gamma, the radii A increase from A = 0. For A = 0,
the class contains only constants. Suprema increase with A, so the functions for one A are starting
points for the next A. The batch also contains a row with all signs -1, for the smallest empirical
error. For each cross-validation fold, it contains a row with zeros on this fold.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from functools import partial
from typing import Any

import numpy as np

from radprog.base.errors import DataError, OptionError
from radprog.base.limits import OutOfBudget
from radprog.base.types import FloatArray
from radprog.decompositions.loop import Reason, Record, first_step
from radprog.decompositions.regression.cccp import (
    Radius,
    SignedFits,
    StepCounts,
    fit_signs,
    progress,
)
from radprog.decompositions.regression.complexity import ESTIMATE_WORDS
from radprog.decompositions.regression.fit import (
    check_rows,
    regressor,
    scale_into_class,
    solver_use,
    step_program,
    step_warnings,
    summarise,
    values_of,
)
from radprog.decompositions.run import Outcome, Recomputed, Run, RunSettings, packed
from radprog.decompositions.sweeps.checkpoint import identity_of
from radprog.decompositions.sweeps.sharing import answers
from radprog.decompositions.sweeps.units import Inside, Sweep, Unit
from radprog.instances.data import array_hash
from radprog.instances.dataset import Dataset
from radprog.instances.splits import regression_errors
from radprog.models.bounds import moved_by_sample
from radprog.models.complexity import draw_signs, standard_error
from radprog.models.kernel_bank import KernelBank
from radprog.models.kernels import RBF
from radprog.models.regression.bounds import (
    classical_criteria,
    degrees_of_freedom,
    error_bound,
    smallest_bound,
    upper_bounds,
)
from radprog.models.regression.problem import RegressionClass, complexity_terms, regression_class
from radprog.models.regression.settings import SRM, TRIALS

ClassEstimate = dict[str, Any]


def srm_class(spec: SRM, data: Dataset, gamma: float) -> RegressionClass:
    """The factored class for one gamma."""
    K = KernelBank([RBF(gamma)], data.X).gram(0)
    return regression_class(K, data.targets, spec.loss())


def srm_signs(spec: SRM, n: int, seed: int) -> FloatArray:
    """The sign vectors (T, n), the same for all classes."""
    return draw_signs(n, TRIALS if spec.trials is None else spec.trials, seed, spec.kind)


def fold_rows(n: int, folds: int, seed: int) -> FloatArray:
    """Signs (folds, n): -1 on training rows, 0 on held-out rows."""
    if folds > n:
        raise OptionError(f"folds {folds}: there are only {n} rows")
    # folds at random, the same for every class
    order = np.random.default_rng([seed, 2]).permutation(n)
    signs = -np.ones((folds, n))
    for fold, rows in enumerate(np.array_split(order, folds)):
        signs[fold, rows] = 0.0
    return signs


def fit_srm(spec: SRM, data: Dataset, settings: RunSettings) -> Run:
    """Choose gamma and A with the smallest error bound, corrected for the number of classes.

    The objective is this bound. The bound is itself an estimate, because it uses an estimate of the
    complexity that may be too low. The certified bounds of all cells hold together with
    probability 1 - delta, so that of a chosen cell does. ``fit`` is the function with the smallest
    empirical error in the chosen class. ``extra`` contains ``cells`` (the table) and ``chosen``
    (the choices by this bound, cross-validation, BIC, Vapnik's measure and the MAPE of the training
    points). If the budget runs out, unfinished cells are omitted. Raises UnfinishedError if no cell
    is finished. A checkpoint stores the cells of each finished gamma.
    """
    settings.method_of(spec)
    budget, n = settings.budget(), data.rows
    check_rows(data)
    # what every class sees: random signs, all losses minimised, and each fold held out
    signs = srm_signs(spec, n, settings.seed)
    rows = np.concatenate([signs, -np.ones((1, n)), fold_rows(n, spec.folds, settings.seed)])
    # the cells of every gamma; workers begin with the largest, whose ranks are high
    truth = None if data.truth is None else array_hash(data.truth, None)
    sweep = Sweep(
        call=_cells_of_gamma,
        shared=(spec, data, settings.for_units(), rows),
        units=[
            Unit(name=f"srm, gamma {gamma:g}", item=g, size=len(spec.A_values), weight=gamma)
            for g, gamma in enumerate(spec.gamma_values)
        ],
        identity=identity_of([spec], data, settings) | {"truth": truth},
    )
    parts, reason = list[Mapping[str, Any]](), Reason.SOLVER
    with first_step(budget):
        for answer in answers(sweep, settings.sharing, budget, progress(settings, budget, "cells")):
            if answer.error is not None:
                raise answer.error
            if answer.cut:
                reason = budget.reason
            if answer.value is not None:
                parts.append(answer.value)
        if not parts:
            raise OutOfBudget
    outcome = _choose(spec, data, settings, signs, parts)
    return packed(spec, settings, budget, replace(outcome, reason=reason))


def _cells_of_gamma(shared: Any, number: int, inside: Inside) -> Any:
    """The cells of one gamma by increasing radius, as plain values. After an interrupt, only the
    finished cells.
    """
    spec, data, settings, rows = shared
    gamma, steps = spec.gamma_values[number], StepCounts()
    cells, functions, seconds = list[ClassEstimate](), list[dict[str, Any]](), list[float]()
    alone = replace(settings, interrupted=inside.interrupted)
    budget = alone.budget()
    # one factor for all radii of a gamma
    problem = srm_class(spec, data, gamma)
    smaller, complete = None, True
    try:
        for position, A in enumerate(spec.A_values):
            fits = SignedFits(problem=problem, signs=rows, radius=Radius(A=A), settings=alone)
            # the functions of the smaller class are starts: suprema can only grow with A
            carried = fits.constants() if smaller is None else smaller
            rng = np.random.default_rng([alone.seed, 3, number * len(spec.A_values) + position])
            ends = fit_signs(fits, budget, starts=spec.starts, rng=rng, carried=(carried,))
            if ends.cut:
                raise OutOfBudget
            smaller = ends.x
            # a line of the table
            cell, function = _cell(spec, data, problem, rows, ends.x, (gamma, A))
            cell["distinct_starts"] = int(ends.distinct.min())
            cells.append(cell)
            functions.append(function)
            seconds.append(budget.seconds)
            steps = steps.joined(ends.steps)
            inside.step()
    except OutOfBudget:
        if not cells:
            raise
        complete = False
    best = functions[min(range(len(cells)), key=lambda i: cells[i]["bound"])]
    part = {"cells": cells, "seconds": seconds, "best": best, "steps": asdict(steps)}
    if not complete:
        raise OutOfBudget(part)
    return part


def _cell(
    spec: SRM,
    data: Dataset,
    problem: RegressionClass,
    rows: FloatArray,
    x: FloatArray,
    place: tuple[float, float],
) -> tuple[ClassEstimate, dict[str, Any]]:
    """A cell of the table and its functions."""
    gamma, A = place
    n, T = data.rows, len(rows) - 1 - spec.folds
    signs = rows[:T]
    # functions of the class, evaluated on the data
    coefficients, bias = scale_into_class(problem, x, A)
    values, norms = values_of(problem, rows, coefficients, bias, Radius(A=A))
    h = problem.images(coefficients) + bias[:, None]
    terms = complexity_terms(signs, -values[:T])
    # half of delta for the signs drawn, in equal shares of the cells, and half for (2)
    half, classes = spec.delta / 2.0, len(spec.classes)
    upper = smallest_bound(upper_bounds(problem, signs, A, spec.kind, failure=half / classes))
    empirical = float(values[T] / n)
    # (2), for all classes of the grid at once
    bound = error_bound(empirical, float(terms.mean()), n, spec.delta, classes)
    truth = data.targets if data.truth is None else data.truth
    # cross-validation: losses on the rows left out
    held_out = rows[T + 1 :] == 0
    residuals = data.targets - h[T + 1 :]
    degrees = degrees_of_freedom(problem, A)
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
        "certified_bound": error_bound(empirical, upper.value, n, half, classes).value,
        "bound_one_class": error_bound(empirical, float(terms.mean()), n, spec.delta).value,
        "cv_error": float(spec.loss()(residuals)[held_out].mean()),
        "cv_mae": float(np.abs(residuals)[held_out].mean()),
        "degrees": degrees,
        **classical_criteria(empirical, degrees, n),
        **regression_errors(h[T], truth),
    }, {
        "coefficients": coefficients[: T + 1].tolist(),
        "bias": bias[: T + 1].tolist(),
        "x": x[T].tolist(),
        "summary": summarise(
            RBF(gamma).name, problem, coefficients[T], float(bias[T]), float(norms[T])
        ),
    }


def _smallest(cells: list[ClassEstimate], key: str) -> int | None:
    """The first cell with the smallest ``key``. Ties go to the smallest gamma, then the smallest
    A."""
    measured = [i for i, cell in enumerate(cells) if cell[key] is not None]
    return min(measured, key=lambda i: cells[i][key]) if measured else None


def _choose(
    spec: SRM,
    data: Dataset,
    settings: RunSettings,
    signs: FloatArray,
    parts: Sequence[Mapping[str, Any]],
) -> Outcome:
    """The outcome for the class with the smallest bound among the finished cells, from the parts
    of :func:`_cells_of_gamma`.
    """
    # the table, the seconds at the end of each cell, and the counts of all steps
    cells, ends, steps = list[ClassEstimate](), list[float](), StepCounts()
    for part in parts:
        elapsed = ends[-1] if ends else 0.0
        cells += part["cells"]
        ends += [elapsed + seconds for seconds in part["seconds"]]
        steps = steps.joined(StepCounts(**part["steps"]))
    # the class of smallest bound, with its functions; of equal ones the first
    index = min(range(len(cells)), key=lambda i: cells[i]["bound"])
    chosen, T = cells[index], len(signs)
    best = next(part["best"] for part in parts if part["cells"][0]["gamma"] == chosen["gamma"])
    coefficients, bias = np.asarray(best["coefficients"][T]), float(best["bias"][T])
    kernel, radius = RBF(chosen["gamma"]).name, Radius(A=chosen["A"])
    # what errors are measured against, and what they lack
    truth = "the training targets"
    if data.truth is not None:
        truth = "the values without noise of the training points"
    warnings = step_warnings(steps)
    if any(cell["mape"] is None for cell in cells):
        warnings += ("a target is 0: the mean absolute percentage error is not defined",)
    # a record for each finished cell
    grid, trace = spec.classes, list[Record]()
    for count, seconds in enumerate(ends, 1):
        value = min(cell["bound"] for cell in cells[:count])
        detail = {"cells": float(count), "of": float(len(grid))}
        trace.append(Record(count - 1, seconds, value, None, detail))
    return Outcome(
        method="cccp",
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
        program=partial(chosen_step, spec, data, chosen["gamma"], np.asarray(best["x"]), radius),
        warnings=warnings,
        extra={
            "kind": spec.kind,
            "trials": T,
            "starts": spec.starts,
            "steps": steps.solved,
            "estimate": ESTIMATE_WORDS,
            "cells": cells,
            "complete": len(cells) == len(grid),
            "chosen": {
                "bound": index,
                "cross_validation": _smallest(cells, "cv_error"),
                "bic": _smallest(cells, "bic"),
                "vc": _smallest(cells, "vc"),
                "mape": _smallest(cells, "mape"),
            },
            "mape_against": truth,
            "standard_error": chosen["standard_error"],
            "certified_upper": chosen["certified_upper"],
            "caveat": moved_by_sample(data),
            "tie_rule": "of equal cells the first: the smallest gamma, then the smallest A",
        },
    )


def chosen_step(spec: SRM, data: Dataset, gamma: float, x: FloatArray, radius: Radius) -> Any:
    """The last convex step in the chosen class. The kernel matrix is factored again."""
    return step_program(srm_class(spec, data, gamma), -np.ones(data.rows), x, radius)


def recompute_srm(spec: SRM, data: Dataset, evidence: Mapping[str, Any], seed: int) -> Recomputed:
    """Bound (2) of the chosen class from the stored functions, recomputed with numpy."""
    # the class, one of the table's rows: of the whole grid, or of its finished part
    gamma, A = chosen = float(evidence["gamma"]), float(evidence["A"])
    grid, numbers = spec.classes, evidence["classes"]
    if not set(numbers) <= set(range(len(grid))):
        raise DataError(f"the stored classes {numbers}: there are {len(grid)} in the grid")
    if chosen not in [grid[number] for number in numbers]:
        raise DataError(f"the stored class gamma = {gamma:g}, A = {A:g} is not in the grid")
    n, signs = data.rows, srm_signs(spec, data.rows, seed)
    problem = srm_class(spec, data, gamma)
    coefficients = np.asarray(evidence["coefficients"], dtype=np.float64)
    bias = np.asarray(evidence["bias"], dtype=np.float64)
    # a function for each sign vector, and last that of smallest empirical error: signs of -1
    rows = np.concatenate([signs, -np.ones((1, n))])
    values, _ = values_of(problem, rows, coefficients, bias, Radius(A=A))
    complexity = float(complexity_terms(signs, -values[:-1]).mean())
    empirical = float(values[-1] / n)
    bound = error_bound(empirical, complexity, n, spec.delta, len(spec.classes))
    fit = regressor(RBF(gamma).name, data, coefficients[-1], float(bias[-1]))
    return Recomputed(objective=bound.value, bound=None, fit=fit)
