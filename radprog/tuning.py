"""Choosing settings over a grid: folds, protocols, tie rule."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from radprog.base.errors import (
    DataError,
    OptionError,
    RadprogError,
    UnfinishedError,
    UnitError,
)
from radprog.base.limits import OutOfBudget, under
from radprog.base.types import IntArray
from radprog.catalog import TIE_RULE, Entry, entry_named, varied_options
from radprog.decompositions.executors.checkpoint import identity_of
from radprog.decompositions.executors.sharing import answers
from radprog.decompositions.executors.units import Inside, Sweep, Unit, UnitAnswer
from radprog.decompositions.expansion import signs
from radprog.decompositions.loop import Grace, Reason, Watcher
from radprog.decompositions.run import Run, RunSettings
from radprog.instances.data import Data
from radprog.instances.dataset import Dataset
from radprog.instances.splits import error_of_mean, stratified_parts
from radprog.models.ranking import area_under_curve
from radprog.models.score_rows import refuse_rows
from radprog.models.settings import one_of, whole_number

SCORE_TIE = 1e-12  # mean scores this close are equal: they differ by the order of summation

KNOWN_PROTOCOLS = ("cv", "paper", "holdout")
PATH = 25  # settings of a grid that hand on what they found


@dataclass(frozen=True)
class Setting:
    """One field of a grid: settings of a model, and the scaling of the features that they are
    fitted with, None that of the data."""

    spec: Any
    scale: str | None = None

    def params(self, varied: Sequence[str]) -> dict[str, Any]:
        """The scaling, where it is one of several, and the options that a grid has named."""
        scale = {} if self.scale is None else {"scale": self.scale}
        return scale | {name: getattr(self.spec, name) for name in varied}


@dataclass(frozen=True)
class Fold:
    """Row numbers of one round: fit on train, choose on validation, report on test (or None)."""

    train: IntArray
    validation: IntArray
    test: IntArray | None


def make_folds(
    n: int, folds: int, protocol: str, seed: int, classes: NDArray[np.float64] | None = None
) -> list[Fold]:
    """Folds of a random permutation of n rows; stratified by ``classes`` (n,) where given.

    cv: fold i validates, the rest trains. paper (Voted Kernel Regularization, section 6): fold i
    tests, fold i + 1 validates, the rest trains. holdout: the first of ``folds`` parts validates.
    """
    whole_number("folds", folds)
    one_of("protocol", protocol, KNOWN_PROTOCOLS)
    least = 3 if protocol == "paper" else 2
    if not least <= folds <= n:
        raise OptionError(f"folds {folds}: protocol {protocol} needs {least} to {n} of them")
    if classes is None:
        parts = np.array_split(np.random.default_rng(seed).permutation(n), folds)
    else:
        parts = stratified_parts(classes, folds, seed)

    def rest(*out: int) -> IntArray:
        return np.sort(np.concatenate([part for i, part in enumerate(parts) if i not in out]))

    if protocol == "holdout":
        return [Fold(rest(0), np.sort(parts[0]), None)]
    if protocol == "cv":
        return [Fold(rest(i), np.sort(parts[i]), None) for i in range(folds)]
    return [
        Fold(rest(i, (i + 1) % folds), np.sort(parts[(i + 1) % folds]), np.sort(parts[i]))
        for i in range(folds)
    ]


@dataclass(frozen=True)
class Cell:
    """One setting on one fold."""

    score: float
    error: float
    test_error: float | None
    gap: float | None
    certified: bool
    ended: bool
    iterations: int
    coefficients: int
    support_vectors: int


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
    watch: Watcher = lambda done, total: None,
) -> dict[str, Any]:
    """Score every setting on every fold and choose the one of least mean score.

    scales: of SCALINGS, each tried with every one of ``specs``, before the next; none: the data's.
    named: options that are told of every setting, beside those in which ``specs`` differ.
    Scaling and penalties are fitted on each fold's training rows alone. Ties: TIE_RULE. ``watch``
    is told how many fits of how many are done. The table holds, per setting, mean validation
    error, mean test error (protocol paper), worst gap, whether all fits are certified or, without
    a certificate, ended by their own rule, and mean numbers of coefficients and support vectors;
    ``standard_error`` is that of the mean score over the folds, None of one fold: folds share
    training rows, so that it is a measure of their scatter, not an unbiased estimate.
    A setting that the training rows of a fold do not allow, or whose solver or unit of work fails,
    has no score, and a message. ``settings.sharing`` says who works: the table is the same
    whoever does. An interrupt, or the time limit, which is that of all fits together, ends it: the
    choice is then over the folds that are finished. Raises UnfinishedError where there is none,
    OptionError, DataError.
    """
    entry = entry_named(model)
    _check_asked(entry, specs, data, by)
    settings.sharing.refuse_log(settings.log)
    classes = data.targets if entry.stratified or by == "auc" else None
    rounds = make_folds(data.rows, folds, protocol, settings.seed, classes)
    _check_classes(rounds, data)
    budget, refused = settings.budget(), dict[Setting, str]()
    asked = settings_over(specs, data, scales)
    sweep = _sweep(entry, specs, scales, rounds, _OfAllFolds(model, data, settings.for_units(), by))
    rows = _finished(sweep, answers(sweep, settings.sharing, budget, watch), len(rounds), refused)
    complete = len(rows) == len(rounds)
    if not rows:
        raise UnfinishedError(
            f"{budget.reason.value}: ended before the first of {len(rounds)} folds was finished"
        )
    return {
        "schema": 1,
        "model": model,
        "protocol": protocol,
        "by": by,
        "folds": folds,
        "rounds": len(rounds),
        "folds_finished": len(rows),
        "complete": complete,
        "stopped_by": "completion" if complete else budget.reason.value,
        "seed": settings.seed,
        "tie_rule": TIE_RULE,
        **_choice(asked, varied_options(specs, named), rows, refused),
    }


def settings_over(specs: Sequence[Any], data: Data, scales: Sequence[str]) -> list[Setting]:
    """Every scaling with all specs, before the next; OptionError, DataError where the data cannot
    be scaled so."""
    for scale in scales:
        data.rescaled(scale)
    return [Setting(spec, scale) for scale in scales or (None,) for spec in specs]


@dataclass(frozen=True)
class _OfAllFolds:
    """What the fits of all folds have in common."""

    model: str
    data: Dataset
    settings: RunSettings
    by: str


def parts(
    entry: Entry, specs: Sequence[Any], data: Data, scales: Sequence[str] = ()
) -> list[list[Setting]]:
    """Settings that one worker fits under one scaling, neighbours handing on what they found: so
    many that kernels are seldom computed twice. The same for any number of workers."""
    size = 1 if entry.hooks.grid is None or data.classes else PATH
    return [
        [Setting(spec, scale) for spec in specs[first : first + size]]
        for scale in scales or (None,)
        for first in range(0, len(specs), size)
    ]


def _sweep(
    entry: Entry,
    specs: Sequence[Any],
    scales: Sequence[str],
    rounds: Sequence[Fold],
    shared: _OfAllFolds,
) -> Sweep:
    units = [
        Unit(name=_named(entry.name, part, number), item=(part, fold), size=len(part))
        for number, fold in enumerate(rounds)
        for part in parts(entry, specs, shared.data, scales)
    ]
    identity = identity_of(specs, shared.data, shared.settings, scales)
    identity |= {"by": shared.by, "folds": [fold.validation.tolist() for fold in rounds]}
    return Sweep(call=_fold_cells, shared=shared, units=units, identity=identity)


def _named(model: str, part: Sequence[Setting], fold: int) -> str:
    """The settings of a part in words."""
    more = f" and {len(part) - 1} more" if len(part) > 1 else ""
    scale = "" if part[0].scale is None else f", scale {part[0].scale}"
    return f"{model}, fold {fold + 1}{scale}, {part[0].spec}{more}"


def _finished(
    sweep: Sweep, found: Iterable[UnitAnswer], rounds: int, refused: dict[Setting, str]
) -> list[dict[Setting, Cell]]:
    """The cells of every fold that is finished; ``refused`` gains what its rows do not allow, and
    the settings of units that failed."""
    per_fold = len(sweep.units) // rounds
    rows: list[dict[Setting, Cell]] = [{} for _ in range(rounds)]
    cut = set()
    for number, answer in enumerate(found):
        settings, _ = answer.unit.item
        fold = number // per_fold
        if isinstance(answer.error, UnitError):
            for setting in settings:
                refused.setdefault(setting, str(answer.error))
        elif answer.error is not None:
            raise answer.error
        elif answer.cut:
            cut.add(fold)
        else:
            for setting, told in zip(settings, answer.value, strict=True):
                if isinstance(told, str):
                    refused.setdefault(setting, told)
                else:
                    rows[fold][setting] = Cell(**told)
    return [row for fold, row in enumerate(rows) if fold not in cut]


def _fold_cells(shared: _OfAllFolds, item: Any, inside: Inside) -> list[dict[str, Any] | str]:
    """The cells of some settings on one fold, in order; in place of one that its rows do not allow,
    or whose solver failed, the message. OutOfBudget where it was cut off."""
    part, fold = item
    specs, scale = [setting.spec for setting in part], part[0].scale
    entry, data = entry_named(shared.model), shared.data
    settings = replace(shared.settings, interrupted=inside.interrupted)
    found: dict[Any, dict[str, Any] | str] = {}
    try:
        with under(Grace(settings.budget())):
            data = data if scale is None else data.rescaled(scale)
            train, validation = data.partition(fold.train, fold.validation)
            test = None if fold.test is None else data.partition(fold.train, fold.test)[1]
            for spec, run in entry.fit_grid(specs, train, settings):
                if isinstance(run, RadprogError):
                    found[spec] = str(run)
                elif run.reason is not Reason.INTERRUPT:
                    cell = _cell(run, validation, test, shared.by, entry.ended(run))
                    found[spec] = asdict(cell)
                    inside.step()
                if inside.interrupted():
                    break
    except UnfinishedError:  # in what fits share, in scores, or before any answer
        if not inside.interrupted():
            raise
        raise OutOfBudget from None
    if len(found) < len(specs):
        raise OutOfBudget
    return [found[spec] for spec in specs]


def _check_asked(entry: Entry, specs: Sequence[Any], data: Dataset, by: str) -> None:
    for spec in specs:
        refuse_rows(getattr(spec, "constraints", None), "they are on rows that folds leave out")
    if by == "bound" and not entry.bounded:
        raise OptionError(f"model {entry.name} has no generalisation bound to choose by")
    if by == "auc" and len(data.labels) != 2:
        raise OptionError(f"by auc: expected data of two classes, {len(data.labels)} given")
    if by == "auc" and data.weights is not None:
        raise OptionError("by auc: a rank of rows that count alike, and these have weights")


def _check_classes(rounds: Sequence[Fold], data: Dataset) -> None:
    for number, fold in enumerate(rounds):
        if len(np.unique(data.targets[fold.train])) < max(2, len(data.labels)):
            raise DataError(
                f"{data.name}: the training rows of fold {number + 1} are of "
                + ("one class only" if len(data.labels) < 3 else "some of the classes only")
                + ": take fewer folds or another seed"
            )


def _error(run: Run, data: Dataset) -> float:
    return data.share(run.fit.predict(data.X) != data.targets)


def _validated(run: Run, validation: Dataset, by: str) -> tuple[float, float]:
    """What is to be least, and the validation error, each row scored once: the error, 1 - the area
    under the curve, or the first of the run's bounds (a run that has none is the worst)."""
    if by == "auc":
        scores = run.fit.scores(validation.X)
        error = validation.share(signs(scores) != validation.targets)
        return 1.0 - area_under_curve(scores, validation.targets), error
    error = _error(run, validation)
    if by == "error":
        return error, error
    bounds = run.extra.get("bounds", [])
    return (float(bounds[0]["value"]) if bounds else math.inf), error


def _cell(run: Run, validation: Dataset, test: Dataset | None, by: str, ended: bool) -> Cell:
    score, error = _validated(run, validation, by)
    return Cell(
        score=score,
        error=error,
        test_error=None if test is None else _error(run, test),
        gap=run.gap,
        certified=run.certified,
        ended=ended,
        iterations=len(run.trace),
        coefficients=run.summary["coefficients"],
        support_vectors=run.summary["support_vectors"],
    )


def of_least_score(cells: Sequence[Mapping[str, Any]]) -> dict[str, Any] | None:
    """The first cell of least score, with its place and how many are as good; None without any."""
    scores = [math.inf if cell["score"] is None else cell["score"] for cell in cells]
    if min(scores) == math.inf:
        return None
    tied = [c for c, score in enumerate(scores) if score <= min(scores) + SCORE_TIE]
    return {"ties": len(tied), "best": cells[tied[0]], "best_index": tied[0]}


def _choice(
    settings: Sequence[Setting],
    varied: Sequence[str],
    rows: Sequence[Mapping[Setting, Cell]],
    refused: Mapping[Setting, str],
) -> dict[str, Any]:
    """Means over the folds per setting, and the first of least mean score.

    refused: why settings have none. Raises OptionError where that is all of them.
    """
    cells: list[dict[str, Any]] = []
    for one in settings:
        means = {"score": None} if one in refused else _means([row[one] for row in rows])
        cells.append({"params": one.params(varied), **means, "message": refused.get(one)})
    known = [cell for cell in cells if cell["score"] is not None]
    if not known:
        raise OptionError(next(iter(refused.values())))
    best = of_least_score(cells)
    if best is None:
        raise OptionError("no setting of the grid has a generalisation bound: choose by error")
    return {
        **best,
        "certified": all(cell["certified"] for cell in known),
        "ended": all(cell["ended"] for cell in known),
        "cells": cells,
    }


def _means(column: Sequence[Cell]) -> dict[str, Any]:
    """One setting over the folds."""
    scores, errors = [cell.score for cell in column], [cell.error for cell in column]
    tests = [cell.test_error for cell in column if cell.test_error is not None]
    gaps = [cell.gap for cell in column if cell.gap is not None]
    return {
        "score": float(np.mean(scores)),
        "standard_error": error_of_mean(scores),
        "error": float(np.mean(errors)),
        "error_std": float(np.std(errors)),
        "test_error": float(np.mean(tests)) if tests else None,
        "test_error_std": float(np.std(tests)) if tests else None,
        "test_standard_error": error_of_mean(tests),
        "test_errors": tests or None,
        "gap": max(gaps) if len(gaps) == len(column) else None,
        "certified": all(cell.certified for cell in column),
        "ended": all(cell.ended for cell in column),
        "iterations": sum(cell.iterations for cell in column),
        "coefficients": float(np.mean([cell.coefficients for cell in column])),
        "support_vectors": float(np.mean([cell.support_vectors for cell in column])),
        "support_vectors_std": float(np.std([cell.support_vectors for cell in column])),
    }
