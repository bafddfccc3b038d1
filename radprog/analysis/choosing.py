"""Choosing settings over a grid: by folds, by a model's own criteria, or by the compression bound,
without data held out."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Unpack

from radprog.analysis.grids import grid_of
from radprog.api import need_points, run_settings
from radprog.catalog import TIE_RULE, Entry, entry_named, entry_of, varied_options
from radprog.decompositions.executors.identity import identity_of
from radprog.decompositions.executors.sharing import answers
from radprog.decompositions.executors.units import Inside, Partial, Sweep, Unit, UnitAnswer
from radprog.decompositions.loop import Watcher
from radprog.decompositions.options import RunOptions
from radprog.decompositions.run import RunSettings
from radprog.instances.data import Data
from radprog.instances.errors import OptionError, RadprogError, UnfinishedError, UnitError
from radprog.instances.tolerances import SCORE_TIE
from radprog.models.settings import one_of
from radprog.result import suited
from radprog.tuning import choose, parts, tune_by_folds

FOLDS = 5
NOT_REACHED = "not reached before the end"
NOTHING_FOUND: Mapping[str, Any] = {"bound": None, "size": None}


def tune(
    spec: Any,
    data: Any,
    grid: Mapping[str, Any],
    *,
    folds: int | None = None,
    protocol: str | None = None,
    by: str | None = None,
    watch: Watcher = lambda done, total: None,
    **settings: Unpack[RunOptions],
) -> dict[str, Any]:
    """Choose settings over a grid, every fit certified.

    spec: settings of a model, of which ``grid`` varies some, or the class of its settings. grid: of
    each option the values, or a LIST as of the command. folds (5), protocol (cv, paper, holdout):
    how rows are held out, where they are. by: what is least; None is the model's first criterion.
    watch is told how many fits of how many are done. settings: as of ``rp.fit``, the time limit
    that of all fits together. ``best`` holds ``params``, and the score; ``cells`` every setting.
    Raises OptionError, DataError, UnfinishedError.
    """
    specs = grid_of(spec, grid)
    entry = entry_of(specs[0])
    for one in specs:
        need_points(one, "be divided into folds")
    asked = run_settings(entry, **settings)
    how = {"folds": folds, "protocol": protocol}
    return tuned(entry, specs, suited(entry, data), asked, by=by, watch=watch, **how)


def tuned(
    entry: Entry,
    specs: Sequence[Any],
    data: Any,
    settings: RunSettings,
    *,
    by: str | None,
    watch: Watcher,
    **how: Any,
) -> dict[str, Any]:
    """The table of ``tune``: by folds, by the model's own criteria, or by compression.

    how: folds and protocol, None where they are not given; OptionError where they have no use.
    """
    by = by or entry.criteria[0]
    one_of("by", by, entry.criteria)
    scorer: Callable[..., dict[str, Any]]
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
    table = scorer(entry.name, specs, data, settings, watch=watch, **{**told, **given})
    return {**table, "data": {"name": data.name, "sha256": data.sha256, "rows": data.rows}}


def tune_by_compression(
    model: str,
    specs: Sequence[Any],
    data: Data,
    settings: RunSettings,
    *,
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
    budget = settings.budget()
    shared = [replace(spec, delta=spec.delta / len(specs)) for spec in specs]
    varied = varied_options(specs)
    sweep = Sweep(
        call=_compressed,
        shared=(model, data, settings.for_units(), varied),
        units=[
            Unit(name=f"{model}, settings {first + 1} to {first + len(part)}", item=part,
                 size=len(part))
            for first, part in parts(entry_named(model), shared, data)
        ],
        identity=identity_of(shared, data, settings) | {"by": "compression"},
    )  # fmt: skip
    cells = _gathered(answers(sweep, settings.sharing, budget, watch), varied)
    fitted = [cell for cell in cells if cell["message"] != NOT_REACHED]
    scores = [math.inf if cell["score"] is None else cell["score"] for cell in cells]
    if min(scores) == math.inf:
        if not fitted:
            raise UnfinishedError(f"{budget.reason.value}: ended before a setting was fitted")
        raise OptionError(f"no setting has a compression bound: {cells[0]['message']}")
    tied = [c for c, score in enumerate(scores) if score <= min(scores) + SCORE_TIE]
    complete = len(fitted) == len(specs)
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
        "ties": len(tied),
        "best": cells[tied[0]],
        "best_index": tied[0],
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
        for number, spec in enumerate(answer.unit.item):
            told = fitted.get(number)
            cells.append(told or _cell(spec, varied, {**NOTHING_FOUND, "refused": why}))
    return cells


def _compressed(shared: Any, specs: Sequence[Any], inside: Inside) -> Any:
    """The cells of neighbouring settings, fitted once each; those before a cut."""
    model, data, settings, varied = shared
    found: dict[Any, dict[str, Any]] = {}
    alone = replace(settings, interrupted=inside.interrupted)
    for spec, run in entry_named(model).fit_grid(specs, data, alone):
        if isinstance(run, RadprogError):
            found[spec] = _cell(spec, varied, {**NOTHING_FOUND, "refused": str(run)})
        else:
            found[spec] = _cell(spec, varied, run.extra["compression"], certified=run.certified)
        inside.step()
        if inside.interrupted():
            break
    cells = [found.get(spec) for spec in specs]
    return Partial(cells) if None in cells else cells


def _cell(
    spec: Any, varied: Sequence[str], told: Mapping[str, Any], certified: bool = False
) -> dict[str, Any]:
    """One setting with its bound as its score."""
    return {
        "params": {name: getattr(spec, name) for name in varied},
        "score": told["bound"],
        "size": told["size"],
        "certified": certified,
        "message": told["refused"],
    }
