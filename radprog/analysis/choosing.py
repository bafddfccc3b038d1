"""Choosing settings by the compression bound, without data held out."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from radprog.catalog import TIE_RULE, entry_named, varied_options
from radprog.decompositions.loop import Watcher
from radprog.decompositions.run import Run, RunSettings
from radprog.instances.data import Data
from radprog.instances.errors import OptionError, RadprogError, UnfinishedError
from radprog.instances.tolerances import SCORE_TIE


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
    entry = entry_named(model)
    if len(data.labels) != 2:
        raise OptionError(f"by compression: expected data of two classes, {len(data.labels)} given")
    budget, found = settings.budget(), dict[Any, Any]()
    inner = replace(settings, time_limit=None, interrupted=budget.spent)
    shared = [replace(spec, delta=spec.delta / len(specs)) for spec in specs]
    for spec, run in entry.fit_grid(shared, data, inner):
        found[spec] = run
        watch(len(found), len(shared))
        if budget.spent():
            break
    cells = [_compressed(spec, found.get(spec), varied_options(specs)) for spec in shared]
    scores = [math.inf if cell["score"] is None else cell["score"] for cell in cells]
    if min(scores) == math.inf:
        if not found:
            raise UnfinishedError(f"{budget.reason.value}: ended before a setting was fitted")
        raise OptionError(f"no setting has a compression bound: {cells[0]['message']}")
    tied = [c for c, score in enumerate(scores) if score <= min(scores) + SCORE_TIE]
    complete = len(found) == len(specs)
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


def _compressed(spec: Any, run: Any, varied: Sequence[str]) -> dict[str, Any]:
    """One setting, fitted or not, with its bound as its score."""
    told: Mapping[str, Any] = {"bound": None, "size": None, "refused": "not reached before the end"}
    if isinstance(run, RadprogError):
        told = {**told, "refused": str(run)}
    elif run is not None:
        told = run.extra["compression"]
    return {
        "params": {name: getattr(spec, name) for name in varied},
        "score": told["bound"],
        "size": told["size"],
        "certified": isinstance(run, Run) and run.certified,
        "message": told["refused"],
    }
