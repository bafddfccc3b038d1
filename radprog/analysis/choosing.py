"""Choosing settings over a grid: by folds, by a model's own criteria, or by the compression bound,
without data held out."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Unpack

from radprog.analysis.grids import SCALE, grid_of, scales_of
from radprog.api import need_points, run_settings
from radprog.base.errors import (
    MALFORMED,
    OptionError,
    RadprogError,
    UnfinishedError,
    UnitError,
)
from radprog.catalog import TIE_RULE, Entry, entry_named, entry_of, varied_options
from radprog.decompositions.executors.checkpoint import identity_of
from radprog.decompositions.executors.sharing import ALONE, answers
from radprog.decompositions.executors.units import Inside, Partial, Sweep, Unit, UnitAnswer
from radprog.decompositions.loop import Reason, Watcher
from radprog.decompositions.options import RunOptions
from radprog.decompositions.run import RunSettings, Spec
from radprog.instances.data import Data
from radprog.models.settings import function, one_of, whole_number
from radprog.result import suited
from radprog.telling.analyses import tune_lines
from radprog.telling.results import setting_words
from radprog.telling.tables import ToldTable
from radprog.tuning import Setting, of_least_score, parts, settings_over, tune_by_folds

FOLDS = 5
Scored = tuple[float, float | None, str | None]  # score, its standard error, message
NOT_REACHED = "not reached before the end"
NOTHING_FOUND: Mapping[str, Any] = {"bound": None, "size": None}


class Tuned(ToldTable):
    """Settings over a grid, printed as ``radprog tune`` does.

    A mapping: ``model``, ``protocol``, ``by``; ``cells``, one a setting, with params, score,
    standard_error, error, gap and what else was measured of it (shares, not percent; None where it
    has no score); ``best``: the cell that is chosen; ``ties``: how many score alike.
    """

    def lines(self) -> list[str]:
        return tune_lines(self)

    def ended(self) -> str:
        best = self["best"]
        return f"{setting_words(best['params'])}, {self['by']} {best['score']:.4g}"


def tune(
    spec: Spec,
    data: Any,
    grid: Mapping[str, Any],
    *,
    folds: int | None = None,
    protocol: str | None = None,
    by: str | None = None,
    watch: Watcher = lambda done, total: None,
    **settings: Unpack[RunOptions],
) -> Tuned:
    """Choose settings over a grid, every fit certified.

    spec: settings of a model, of which ``grid`` varies some, or the class of its settings. grid: of
    each option the values, or a LIST as of the command; ``scale`` varies that of the data's
    features, fitted in every fold on its training rows alone; on all rows where none are held out,
    as by ``cdsk`` and ``lpdsk``. folds (5), protocol (cv, paper, holdout): how rows are held out,
    where they are. watch is told how many fits of how many are done. settings: as of ``rp.fit``,
    the time limit that of all fits together.

    by: what is least; None is the model's first of these. ``error``: of labels held out; ``auc``:
    1 - area under the curve of two classes, held out; ``bound``: the first bound of a fit;
    ``compression``: the bound by what solutions rest on, each at delta over the number of settings,
    of fits to all rows; ``distortion``, ``objective``, ``eigengap``: of ``cdsk`` and ``lpdsk``.

    ``best`` holds ``params``, every option of the grid, and the score; by compression also
    ``delta``, at which a fit states the bound of the choice. ``cells``: every setting.
    :func:`radprog.chosen` makes settings and data of it, ``print`` a table.
    Raises OptionError, DataError, UnfinishedError.
    """
    if not isinstance(grid, Mapping):
        raise OptionError(f"grid {grid!r}: expected the values of every option, by its name")
    function("watch", watch)
    own = {name: values for name, values in grid.items() if name != SCALE}
    specs = grid_of(spec, own)
    scales = scales_of(grid[SCALE]) if SCALE in grid else ()
    entry = entry_of(specs[0])
    for one in specs:
        need_points(one, "be divided into folds")
    asked = run_settings(entry, **settings)
    how = {"folds": folds, "protocol": protocol}
    given = suited(entry, data)
    if given is None:
        raise OptionError(f"{entry.name} is tuned on a data set: none given")
    return Tuned(
        tuned(
            entry, specs, given, asked, scales=scales, named=tuple(own), by=by, watch=watch, **how
        )
    )


def chosen(table: Mapping[str, Any], spec: Spec, data: Any) -> tuple[Any, Any]:
    """The settings and the data of the choice of a table, for ``rp.fit(*rp.chosen(...))``.

    table: what ``tune`` returned; spec, data: what it was given. The settings hold the chosen
    options, and of a choice by compression its ``delta``, that of ``spec`` over the number of
    settings: at it the fit states the bound of the choice. The data are scaled by all their rows
    as was chosen. Raises OptionError for settings of another model than the table's.
    """
    entry = entry_of(spec if not isinstance(spec, type) else spec())
    try:
        model, best = table["model"], table["best"]
        params = {name: best[name] for name in ("delta",) if name in best} | best["params"]
    except MALFORMED:
        raise OptionError("chosen: expected a table that rp.tune returned") from None
    if entry.name != model:
        raise OptionError(f"a table of {model} given with settings of {entry.name}")
    scale, given = params.pop(SCALE, None), suited(entry, data)
    try:
        settings = spec(**params) if isinstance(spec, type) else replace(spec, **params)
    except TypeError as error:
        raise OptionError(f"chosen: a table of other options than {model} has: {error}") from None
    return settings, given if scale is None else given.rescaled(scale)


def tuned(
    entry: Entry,
    specs: Sequence[Any],
    data: Any,
    settings: RunSettings,
    *,
    by: str | None,
    watch: Watcher,
    scales: Sequence[str] = (),
    named: Sequence[str] = (),
    **how: Any,
) -> dict[str, Any]:
    """The table of ``tune``: by folds, by the model's own criteria, or by compression.

    scales: each is tried with every one of ``specs``, before the next; none: that of the data.
    named: options of the grid, which are told of every setting, also of one value.
    how: folds and protocol, None where they are not given; OptionError where they have no use.
    """
    by = entry.criteria[0] if by is None else by
    one_of("by", by, entry.criteria)
    whole_number("folds", how.get("folds"))
    scorer: Callable[..., dict[str, Any]]
    told: dict[str, Any]
    own = "choose" in entry.can
    if by == "compression":
        scorer, told = tune_by_compression, {}
    elif own:
        scorer, told = choose, {"by": by, **({"folds": FOLDS} if "error" in entry.criteria else {})}
    else:
        scorer, told = tune_by_folds, {"by": by, "folds": FOLDS, "protocol": "cv"}
    given = {name: value for name, value in how.items() if value is not None}
    for name in given.keys() - told.keys():
        raise OptionError(f"{name}: {entry.name} by {by} has no use for it")
    told |= {**given, "scales": scales, "named": named, "watch": watch}
    table = scorer(entry.name, specs, data, settings, **told)
    return {**table, "data": {"name": data.name, "sha256": data.sha256, "rows": data.rows}}


def choose(
    model: str,
    specs: Sequence[Any],
    data: Any,
    settings: RunSettings,
    *,
    by: str,
    scales: Sequence[str] = (),
    named: Sequence[str] = (),
    watch: Watcher = lambda done, total: None,
    **how: Any,
) -> dict[str, Any]:
    """Score every setting by the model's own criterion and choose the one of least score.

    Nothing that is scaled is held out here: features are scaled by all rows. A setting that the
    data cannot be used with has no score, and a message. Raises OptionError where no setting could
    be scored, and for more than one job.
    """
    if settings.sharing != ALONE:
        raise OptionError(
            f"{model} scores its settings at once in one process: leave --jobs and --checkpoint out"
        )
    varied, asked = varied_options(specs, named), settings_over(specs, data, scales)
    scored, reason = _scored(model, asked, len(specs), data, settings, by=by, watch=watch, **how)
    cells = [
        {
            "params": setting.params(varied),
            "score": None if math.isnan(score) else score,
            "standard_error": error,
            "message": message,
        }
        for setting, (score, error, message) in zip(asked, scored, strict=True)
    ]
    known = [score for score, _, _ in scored if not math.isnan(score)]
    if not known:
        raise OptionError(next(message for _, _, message in scored if message is not None))
    best = next(k for k, cell in enumerate(cells) if cell["score"] == min(known))
    return {
        "schema": 1,
        "model": model,
        "by": by,
        "complete": reason is None,
        "stopped_by": "completion" if reason is None else reason.value,
        "certified": False,
        "ended": reason is None,
        "seed": settings.seed,
        "best": cells[best],
        "best_index": best,
        "cells": cells,
    }


def _scored(
    model: str,
    asked: Sequence[Setting],
    size: int,
    data: Any,
    settings: RunSettings,
    *,
    watch: Watcher,
    **how: Any,
) -> tuple[list[Scored], Reason | None]:
    """Scores of settings, of which ``size`` have a scaling in common, and why they are not all
    there, if so; OptionError of a scaling alone where it has none."""
    entry, budget = entry_named(model), settings.budget()
    scored, reason = list[Scored](), None
    for first in range(0, len(asked), size):
        if reason is not None:
            scored += [(math.nan, None, None)] * size
            continue
        scale, specs = asked[first].scale, [one.spec for one in asked[first : first + size]]
        own = data if scale is None else data.rescaled(scale)
        left = replace(settings, used=settings.used + budget.seconds)
        try:
            found = entry.choose(
                specs, own, left, watch=lambda k, _, f=first: watch(f + k, len(asked)), **how
            )
            scored += zip(found.scores, found.standard_errors, found.messages, strict=True)
            reason = found.reason
        except OptionError as error:
            if scale is None:
                raise
            scored += [(math.nan, None, str(error))] * size
            reason = budget.reason if budget.spent() else None
    return scored, reason


def tune_by_compression(
    model: str,
    specs: Sequence[Any],
    data: Data,
    settings: RunSettings,
    *,
    scales: Sequence[str] = (),
    named: Sequence[str] = (),
    watch: Watcher = lambda done, total: None,
) -> dict[str, Any]:
    """Fit every setting once, on all rows, and choose the one of least compression bound.

    Every setting has its delta divided by their number G, so that all G bounds hold together with
    probability 1 - delta: that of the choice is one of them. Ties: TIE_RULE. A setting that is
    refused has no score, and a message. Raises OptionError where all are, or for data of more
    than two classes, UnfinishedError where not one was fitted.
    """
    if len(data.labels) != 2:
        raise OptionError(f"by compression: expected data of two classes, {len(data.labels)} given")
    settings.sharing.refuse_log(settings.log)
    budget, varied = settings.budget(), varied_options(specs, named)
    total = len(settings_over(specs, data, scales))
    shared = [replace(spec, delta=spec.delta / total) for spec in specs]
    divided = parts(entry_named(model), shared, data, scales)
    firsts = [1 + sum(map(len, divided[:k])) for k in range(len(divided))]
    sweep = Sweep(
        call=_compressed,
        shared=(model, data, settings.for_units(), varied),
        units=[
            Unit(name=f"{model}, settings {first} to {first + len(part) - 1}", item=part,
                 size=len(part))
            for first, part in zip(firsts, divided, strict=True)
        ],
        identity=identity_of(shared, data, settings, scales) | {"by": "compression"},
    )  # fmt: skip
    cells = _gathered(answers(sweep, settings.sharing, budget, watch), varied)
    fitted = [cell for cell in cells if cell["message"] != NOT_REACHED]
    best = of_least_score(cells)
    if best is None:
        if not fitted:
            raise UnfinishedError(f"{budget.reason.value}: ended before a setting was fitted")
        raise OptionError(f"no setting has a compression bound: {cells[0]['message']}")
    complete = len(fitted) == total
    return {
        "schema": 1,
        "model": model,
        "by": "compression",
        "points": data.rows,
        "delta": specs[0].delta,
        "complete": complete,
        "stopped_by": "completion" if complete else budget.reason.value,
        "certified": all(cell["certified"] for cell in cells),
        "ended": complete,
        "seed": settings.seed,
        "tie_rule": TIE_RULE,
        **best,
        "cells": cells,
    }


def _gathered(found: Iterable[UnitAnswer], varied: Sequence[str]) -> list[dict[str, Any]]:
    """The cells of all units in order; those that were not reached, or failed, say so."""
    cells: list[dict[str, Any]] = []
    for answer in found:
        if answer.error is not None and not isinstance(answer.error, UnitError):
            raise answer.error
        fitted = dict(enumerate(answer.value or ()))
        why = NOT_REACHED if answer.error is None else str(answer.error)
        for number, setting in enumerate(answer.unit.item):
            told = fitted.get(number)
            cells.append(told or _cell(setting, varied, {**NOTHING_FOUND, "refused": why}))
    return cells


def _compressed(shared: Any, part: Sequence[Setting], inside: Inside) -> Any:
    """The cells of neighbouring settings, fitted once each; those before a cut."""
    model, data, settings, varied = shared
    found: dict[Setting, dict[str, Any]] = {}
    alone, scale = replace(settings, interrupted=inside.interrupted), part[0].scale
    own = data if scale is None else data.rescaled(scale)
    for spec, run in entry_named(model).fit_grid([one.spec for one in part], own, alone):
        one = Setting(spec, scale)
        if isinstance(run, RadprogError):
            found[one] = _cell(one, varied, {**NOTHING_FOUND, "refused": str(run)})
        else:
            found[one] = _cell(one, varied, run.extra["compression"], certified=run.certified)
        inside.step()
        if inside.interrupted():
            break
    cells = [found.get(one) for one in part]
    return Partial(cells) if None in cells else cells


def _cell(
    setting: Setting, varied: Sequence[str], told: Mapping[str, Any], certified: bool = False
) -> dict[str, Any]:
    """One setting with its bound as its score."""
    return {
        "params": setting.params(varied),
        "score": told["bound"],
        "standard_error": None,
        "size": told["size"],
        "delta": setting.spec.delta,
        "certified": certified,
        "message": told["refused"],
    }
