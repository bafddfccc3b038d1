"""The choice of settings over a grid: by held-out rows, or by a criterion of the model.

:meth:`Entry.fit_grid` fits the settings. A fit may start from the solution of a neighbouring
setting.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from radprog.base.errors import (
    DataError,
    OptionError,
    RadprogError,
    UnfinishedError,
    UnitError,
)
from radprog.base.limits import OutOfBudget, under
from radprog.base.settings import one_of, whole_number
from radprog.base.types import IntArray
from radprog.catalog import TIE_RULE, Entry, entry_named, varied_options
from radprog.decompositions.analyses import UNSCORED
from radprog.decompositions.loop import Budget, Reason, Watcher
from radprog.decompositions.run import Run, RunSettings, signs
from radprog.decompositions.sweeps.checkpoint import identity_of
from radprog.decompositions.sweeps.sharing import ALONE, answers, ignore_progress
from radprog.decompositions.sweeps.units import Inside, Sweep, Unit
from radprog.instances.data import Data
from radprog.instances.dataset import Dataset
from radprog.instances.splits import error_of_mean, stratified_parts
from radprog.instances.tables import cell_number
from radprog.models.ranking import area_under_curve
from radprog.models.score_rows import refuse_rows

PROTOCOLS = ("cv", "paper", "holdout")
NOT_REACHED = "not reached before the end"


@dataclass(frozen=True)
class Setting:
    """One point of a grid: settings of a model, and the scaling of the features.

    If the scaling is None, the data keep their scaling.
    """

    spec: Any
    scale: str | None = None

    def params(self, varied: Sequence[str]) -> dict[str, Any]:
        """The options of the grid, and the scaling if the grid has several scalings."""
        scale = {} if self.scale is None else {"scale": self.scale}
        return scale | {name: getattr(self.spec, name) for name in varied}


@dataclass(frozen=True)
class Fold:
    """The row indices of one round of validation: ``train`` for the fit, ``validation`` for the
    choice, ``test`` for the reported error.
    """

    train: IntArray
    validation: IntArray
    test: IntArray | None = None


def make_folds(
    n: int, folds: int, protocol: str, seed: int, classes: NDArray[np.float64] | None = None
) -> list[Fold]:
    """Folds of a random permutation of n rows, stratified if ``classes`` (n,) are given.

    - ``cv``: fold i validates, and the other folds train.
    - ``paper`` (Voted Kernel Regularization, section 6): fold i tests, fold i + 1 validates, and
      the other folds train.
    - ``holdout``: the first of ``folds`` parts validates, and the other parts train.
    """
    whole_number("folds", folds)
    one_of("protocol", protocol, PROTOCOLS)
    smallest = 3 if protocol == "paper" else 2
    if not smallest <= folds <= n:
        raise OptionError(f"folds {folds}: protocol {protocol} needs {smallest} to {n} of them")
    # a random permutation, cut into parts of equal size; or parts with the shares of the classes
    if classes is None:
        parts = np.array_split(np.random.default_rng(seed).permutation(n), folds)
    else:
        parts = stratified_parts(classes, folds, seed)

    def without(*omitted: int) -> IntArray:
        return np.sort(np.concatenate([part for i, part in enumerate(parts) if i not in omitted]))

    # the parts for validation and test
    if protocol == "holdout":
        return [Fold(without(0), np.sort(parts[0]))]
    if protocol == "cv":
        return [Fold(without(i), np.sort(parts[i])) for i in range(folds)]
    return [
        Fold(without(i, (i + 1) % folds), np.sort(parts[(i + 1) % folds]), np.sort(parts[i]))
        for i in range(folds)
    ]


def tune_by_folds(
    model: str,
    specs: Sequence[Any],
    data: Dataset,
    settings: RunSettings,
    *,
    folds: int = 5,
    protocol: str = "cv",
    by: str = "error",
    scales: Sequence[str] = (),
    named: Sequence[str] = (),
    watch: Watcher = ignore_progress,
    constraints: Any = None,
) -> dict[str, Any]:
    """Score every setting on every fold, and choose the one with the smallest mean score.

    - ``scales``: scalings from SCALINGS. All ``specs`` are tried with one scaling before the next.
      Without scales, the scaling of the data is used.
    - ``named``: options that the table lists for every setting, besides those in which ``specs``
      differ.
    - ``watch``: function that is called with the number of finished fits and the number of all
      fits.
    - ``constraints``: constraints of each fit, about the training rows of its fold.

    Scaling and penalties are computed only from the training rows of a fold. TIE_RULE resolves
    ties. In regression the error is the mean loss, and ``by`` of the table is ``loss``. For each
    setting, the table has the mean validation error, the mean test error (protocol ``paper``), the
    worst gap, and mean numbers of coefficients and support vectors. ``certified`` records whether
    all fits are certified. ``ended`` also accepts local methods that ended by their own rule.
    ``error_std`` is the standard deviation of the errors over the folds, with the number of folds
    as divisor. ``standard_error`` estimates the standard error of the mean score: the deviation of
    the scores, divided by the square root of folds - 1. It is None for one fold. It is biased,
    because the folds share training rows.

    A setting has a message in place of a score if the training rows do not allow it, if its solver
    fails, or if its unit of work fails. ``settings.sharing`` describes the workers, and the table
    does not depend on them. The time limit applies to all fits together, and each fold has an equal
    share of it, unless a checkpoint keeps finished folds. After a limit or an interrupt, the choice
    uses the finished folds; without any, it is among the settings that were fitted on the most
    folds. Raises UnfinishedError if there are none, OptionError, and DataError.
    """
    entry, budget = entry_named(model), settings.budget()
    # constraints on rows have no meaning on a part of the rows
    for spec in specs:
        hint = "the rows of these are points that folds leave out: give them to tune itself"
        refuse_rows(getattr(spec, "constraints", None), hint)
    one_of("by", by, entry.criteria)
    if by == "auc" and len(data.labels) != 2:
        raise OptionError(f"by auc: expected data of two classes, {len(data.labels)} given")
    if by == "auc" and data.weights is not None:
        raise OptionError("by auc needs rows without weights")
    classes = data.targets if entry.stratified or by == "auc" else None
    rounds = make_folds(data.rows, folds, protocol, settings.seed, classes)
    grid = settings_over(specs, data, scales)
    table = fit_on_folds(
        entry, specs, data, settings, rounds, by, budget, scales, watch, constraints
    )
    # only folds with all settings count, so that the means are over the same rows; without any,
    # the settings on the most folds
    complete = [row for row in table if len(row) == len(grid)]
    counted = complete or table
    finished = max(sum(setting in row for row in counted) for setting in grid)
    if not finished:
        raise UnfinishedError(
            f"{budget.reason.value}: ended before a setting was fitted on the first of "
            f"{len(rounds)} folds"
        )
    cells = []
    for setting in grid:
        # every fold must allow a setting, also an unfinished fold
        row_cells = [row[setting] for row in counted if setting in row]
        messages = [row[setting] for row in table if isinstance(row.get(setting), str)]
        messages += [NOT_REACHED] * (len(row_cells) < finished)
        means = {"score": None} if messages else _means(row_cells)
        params = setting.params(varied_options(specs, named))
        cells.append({"params": params, **means, "message": messages[0] if messages else None})
    scored = [cell for cell in cells if cell["score"] is not None]
    ended_by = None if len(complete) == len(rounds) else budget.reason
    details: dict[str, Any] = {"protocol": protocol, "folds": folds, "rounds": len(rounds)}
    details |= {"folds_finished": finished, "tie_rule": TIE_RULE}
    details["certified"] = all(cell["certified"] for cell in scored)
    details["ended"] = all(cell["ended"] for cell in scored)
    # the error of numbers is a loss
    by = "loss" if by == "error" and data.target is not None else by
    return _table(model, by, settings, cells, ended_by, details)


def tune_by_criterion(
    model: str,
    specs: Sequence[Any],
    data: Any,
    settings: RunSettings,
    *,
    by: str,
    scales: Sequence[str] = (),
    named: Sequence[str] = (),
    watch: Watcher = ignore_progress,
    **details: Any,
) -> dict[str, Any]:
    """Score every setting by the model's own criterion, and choose the one with the smallest score.

    No rows are held out, so features are scaled by all rows. A setting that is invalid for the data
    has a message in place of a score. Raises OptionError if no setting has a score, or if
    ``settings.sharing`` has workers or a checkpoint.
    """
    if settings.sharing != ALONE:
        raise OptionError(
            f"{model} scores its settings at once in one process: leave `jobs` and `checkpoint` out"
        )
    entry, budget, reason = entry_named(model), settings.budget(), None
    grid, size = settings_over(specs, data, scales), len(specs)
    cells: list[dict[str, Any]] = []
    for first in range(0, len(grid), size):
        part = grid[first : first + size]
        scores: list[dict[str, Any]] = [UNSCORED] * size
        # for one scaling, the model scores all settings at once in the remaining time
        if reason is None:
            try:
                scaled = data if part[0].scale is None else data.rescaled(part[0].scale)
                scores, reason = entry.hook("choose", scaled)(
                    [setting.spec for setting in part],
                    scaled,
                    replace(settings, used=settings.used + budget.seconds),
                    by=by,
                    watch=lambda count, _, f=first: watch(f + count, len(grid)),
                    **details,
                )
            except OptionError as error:
                if part[0].scale is None:
                    raise
                scores = [{**UNSCORED, "message": str(error)}] * size
                reason = budget.reason if budget.spent() else None
        cells += [
            {"params": setting.params(varied_options(specs, named)), **score}
            for setting, score in zip(part, scores, strict=True)
        ]
    details = {"certified": False, "ended": reason is None}
    return _table(model, by, settings, cells, reason, details)


def _table(
    model: str,
    by: str,
    settings: RunSettings,
    cells: Sequence[Mapping[str, Any]],
    reason: Reason | None,
    details: Mapping[str, Any],
) -> dict[str, Any]:
    """The table of a grid.

    ``how`` contains further entries of the table. The first cell with the smallest score is chosen,
    and the table has its index and the number of ties. ``reason`` is the limit that ended the work
    before all settings were scored, or None. Raises UnfinishedError if no setting was scored, and
    OptionError if none has a score.
    """
    # the first smallest score, because the grid begins with the strongest regularisation
    scores = [math.inf if cell["score"] is None else cell["score"] for cell in cells]
    smallest = min(scores)
    if smallest == math.inf:
        message = next((cell["message"] for cell in cells if cell["message"] is not None), None)
        if message is None and reason is not None:
            raise UnfinishedError(f"{reason.value}: ended before a setting was scored")
        raise OptionError(f"no setting has a score by {by}: {message or 'choose by error'}")
    tied = ties_of(scores)
    return {
        "schema": 1,
        "model": model,
        "by": by,
        "complete": reason is None,
        "stopped_by": "completion" if reason is None else reason.value,
        "seed": settings.seed,
        **details,
        "ties": len(tied),
        "best": cells[tied[0]],
        "best_index": tied[0],
        # an end of a grid says nothing if all its scores are equal, or if a limit left some out
        "edges": edges_of(
            cells[tied[0]]["params"],
            [cell["params"] for cell in cells] if len(tied) < len(cells) and not reason else [],
        ),
        "cells": cells,
    }


def ties_of(scores: ArrayLike) -> list[int]:
    """The indices of the smallest score and of all scores that equal it up to rounding."""
    values = np.asarray(scores, dtype=np.float64)
    size = np.abs(values[np.isfinite(values)]).max()
    # mean scores within 1e-12 of the largest one are equal, up to rounding
    return [int(c) for c in np.flatnonzero(values <= values.min() + 1e-12 * size)]


def edges_of(chosen: Mapping[str, Any], grid: Sequence[Mapping[str, Any]]) -> list[str]:
    """Warnings about chosen numbers that are the smallest or largest of three or more values."""
    lines = []
    for name, entry in chosen.items():
        # numbers may be texts, as bandwidth, which may also be a multiple of the median
        numbers = {params[name]: cell_number(str(params[name])) for params in [chosen, *grid]}
        values = {number for number in numbers.values() if number is not None}
        value = numbers[entry]
        for word, extreme in (("small", min), ("larg", max)):
            # one cluster is no clustering
            if len(values) > 2 and value == extreme(values) and (name, value) != ("clusters", 2):
                text = f"{name} {value:.4g} is the {word}est of the grid"
                lines.append(f"{text}: a {word}er one may be better")
    return lines


def settings_over(specs: Sequence[Any], data: Data, scales: Sequence[str]) -> list[Setting]:
    """The settings of a grid: every scaling with all ``specs``, one scaling after another.

    Raises OptionError, and DataError if the data cannot be scaled in this way.
    """
    for scale in scales:
        data.rescaled(scale)
    return [Setting(spec, scale) for scale in scales or (None,) for spec in specs]


def fit_on_folds(
    entry: Entry,
    specs: Sequence[Any],
    data: Data,
    settings: RunSettings,
    rounds: Sequence[Fold],
    by: str,
    budget: Budget,
    scales: Sequence[str] = (),
    watch: Watcher = ignore_progress,
    constraints: Any = None,
) -> list[dict[Setting, Any]]:
    """For each round of validation, the cells of its settings; a failed cell is its error message.

    ``constraints`` are about the training rows of each fold. Cells after the end of the
    budget are left out.
    """
    settings.sharing.refuse_log(settings.log)
    for number, fold in enumerate(rounds if getattr(data, "target", None) is None else ()):
        # the training rows must contain every class
        if len(np.unique(data.targets[fold.train])) < max(2, len(data.labels)):
            raise DataError(
                f"{data.name}: the training rows of fold {number + 1} are of "
                + ("one class only" if len(data.labels) < 3 else "some of the classes only")
                + ": take fewer folds or another seed"
            )
    # a unit has neighbouring settings of one scaling, so that kernels are seldom computed twice;
    # the division is the same for any number of workers
    size = 1 if entry.hooks.grid is None else 25
    parts = [
        [Setting(spec, scale) for spec in specs[first : first + size]]
        for scale in scales or (None,)
        for first in range(0, len(specs), size)
    ]
    units = [
        Unit(
            name=f"{entry.name}, fold {number + 1}"
            + ("" if part[0].scale is None else f", scale {part[0].scale}")
            + f", {part[0].spec}"
            + (f" and {len(part) - 1} more" if len(part) > 1 else ""),
            item=(part, fold, len(parts) * (len(rounds) - number) - place),
            size=len(part),
        )
        for number, fold in enumerate(rounds)
        for place, part in enumerate(parts)
    ]
    validation = [fold.validation.tolist() for fold in rounds]
    # time limit and interrupt apply to the sweep, not to its fits; so many units work at once
    alone, workers = settings.for_units(), min(settings.sharing.workers, len(units))
    limited = budget.time_limit is not None and settings.sharing.checkpoint is None
    deadline = time.time() + budget.remaining if limited else None
    identity = identity_of(specs, data, alone, scales) | {"by": by, "folds": validation}
    if constraints and settings.sharing.checkpoint is not None:
        raise OptionError("constraints: leave `checkpoint` out, which cannot compare them")
    shared = entry.name, data, alone, by, constraints, deadline, workers
    sweep = Sweep(call=_fit_part, shared=shared, units=units, identity=identity)
    table: list[dict[Setting, Any]] = [{} for _ in rounds]
    # a failed unit affects only its own settings
    for number, answer in enumerate(answers(sweep, settings.sharing, budget, watch)):
        part, row = answer.unit.item[0], table[number // len(parts)]
        if isinstance(answer.error, UnitError):
            row |= dict.fromkeys(part, str(answer.error))
        elif answer.error is not None:
            raise answer.error
        else:
            cells = answer.value or [None] * len(part)
            row |= {
                setting: cell for setting, cell in zip(part, cells, strict=True) if cell is not None
            }
    return table


def _fit_part(shared: Any, item: tuple[Sequence[Setting], Fold, int], inside: Inside) -> Any:
    """The cells of some settings on one fold, in order.

    A setting that the rows do not allow, or whose solver fails, has a message in place of a cell.
    Cells after an interrupt are None.
    """
    model, data, settings, by, constraints, deadline, workers = shared
    part, fold, remaining = item
    entry, scale = entry_named(model), part[0].scale
    # an equal share of the time for each of the units that are left, so that all folds have the
    # first settings, which are the cheap ones of a path
    unit_end = (
        None
        if deadline is None
        else time.time() + (deadline - time.time()) / math.ceil(remaining / workers)
    )

    def stopped() -> bool:
        return inside.interrupted() or (unit_end is not None and time.time() > unit_end)

    settings = replace(settings, interrupted=stopped)
    cells: dict[Any, Any] = {}
    try:
        # scaling is fitted only to the training rows
        with under(settings.budget()):
            data = data if scale is None else data.rescaled(scale)
            train, validation = data.partition(fold.train, fold.validation)
            test = None if fold.test is None else data.partition(fold.train, fold.test)[1]
        # neighbours on the grid share columns, basis and kernels
        for spec, run in entry.fit_grid(
            [setting.spec for setting in part], train, settings, constraints
        ):
            if isinstance(run, RadprogError):
                cells[spec] = str(run)
            elif run.reason is not Reason.INTERRUPT:
                cells[spec] = _measure_run(entry, run, validation, test, by)
            inside.step()
            if stopped():
                break
    except UnfinishedError:  # before the first step of a fit
        if not stopped():
            raise
    ordered = [cells.get(setting.spec) for setting in part]
    if None in ordered:
        raise OutOfBudget(ordered)
    return ordered


def _error(run: Run, data: Dataset) -> float:
    """The share of wrong rows; in regression, the mean loss with the slopes of the settings."""
    predicted = run.fit.predict(data.X)
    if data.target is None:
        return data.share(predicted != data.targets)
    spec: Any = run.spec
    upper, lower = getattr(spec, "slopes", (1.0, 1.0))  # of svr: the absolute error
    residuals = data.targets - predicted
    losses = np.maximum(upper * residuals, -lower * residuals)
    return float(np.average(losses, weights=data.weights))


def _measure_run(
    entry: Entry, run: Run, validation: Dataset, test: Dataset | None, by: str
) -> dict[str, Any]:
    """The scores of a run on the validation rows and its errors on the test rows."""
    # every criterion is minimised: the error, 1 - the area under the curve, or the first bound of
    # the run, which is infinity without bounds
    if by == "auc":
        scores = run.fit.scores(validation.X)
        error = validation.share(signs(scores) != validation.targets)
        score = 1.0 - area_under_curve(scores, validation.targets)
    else:
        score = error = _error(run, validation)
    if by == "bound":
        bounds = run.extra.get("bounds", [])
        score = float(bounds[0]["value"]) if bounds else math.inf
    coefficients = run.summary.get("coefficients", run.summary.get("support_vectors"))
    return {
        "score": score,
        "error": error,
        "test_error": None if test is None else _error(run, test),
        "gap": run.gap,
        "certified": run.certified,
        "ended": entry.ended(run),
        "iterations": len(run.trace),
        "coefficients": coefficients,
        # a linear model has features in place of support vectors
        "support_vectors": run.summary.get("support_vectors", coefficients),
    }


def _means(column: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The means of one setting over the folds."""
    values = {key: [cell[key] for cell in column] for key in column[0]}
    tests = [error for error in values["test_error"] if error is not None]
    return {
        "score": float(np.mean(values["score"])),
        "standard_error": error_of_mean(values["score"]),
        "error": float(np.mean(values["error"])),
        "error_std": float(np.std(values["error"])),
        "test_error": float(np.mean(tests)) if tests else None,
        "test_error_std": float(np.std(tests)) if tests else None,
        "test_standard_error": error_of_mean(tests),
        "test_errors": tests or None,
        "gap": None if None in values["gap"] else max(values["gap"]),
        "certified": all(values["certified"]),
        "ended": all(values["ended"]),
        "iterations": sum(values["iterations"]),
        # a model without coefficients has no sizes
        **{
            name: None if None in values[key] else float(mean(values[key]))
            for name, key, mean in (
                ("coefficients", "coefficients", np.mean),
                ("support_vectors", "support_vectors", np.mean),
                ("support_vectors_std", "support_vectors", np.std),
            )
        },
    }
