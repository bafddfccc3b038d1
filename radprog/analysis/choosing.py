"""Choosing settings over a grid: by folds, by a model's own criteria, or by the compression bound,
without data held out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, replace
from typing import Any, Unpack

from radprog.analysis.grids import SCALE, scales_of, settings_over
from radprog.api import need_points, run_settings
from radprog.base.errors import MALFORMED, OptionError
from radprog.base.sections import Part, Report
from radprog.catalog import Entry, entry_of
from radprog.decompositions.loop import Watcher
from radprog.decompositions.run import RunOptions, RunSettings, Spec
from radprog.decompositions.sweeps.sharing import unwatched
from radprog.models.settings import function, one_of, whole_number
from radprog.saved import suited
from radprog.telling.analyses import tune_parts
from radprog.tuning import tune_by_compression, tune_by_criterion, tune_by_folds

FOLDS = 5


class Tuned(Report):
    """Settings over a grid, printed as ``radprog tune`` does.

    A mapping: ``model``, ``protocol``, ``by``; ``cells``, one a setting, with params, score,
    standard_error, error, gap and what else was measured of it (shares, not percent; None where it
    has no score); ``best``: the cell that is chosen; ``ties``: how many score alike.
    """

    def _parts(self) -> list[Part]:
        return tune_parts(self)


def tune(
    spec: Spec,
    data: Any,
    grid: Mapping[str, Any],
    *,
    folds: int | None = None,
    protocol: str | None = None,
    by: str | None = None,
    watch: Watcher = unwatched,
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
    # scale is an option of the data, all others are of the model
    own = {name: values for name, values in grid.items() if name != SCALE}
    entry = entry_of(spec() if isinstance(spec, type) else spec)
    # options that the grid does not name stay as they are
    kept = () if isinstance(spec, type) else fields(spec)
    base = {field.name: getattr(spec, field.name) for field in kept if field.name not in own}
    specs = settings_over(entry, own, base)
    scales = scales_of(grid[SCALE]) if SCALE in grid else ()
    # kernels known at the training points alone cannot be cut into folds
    for one in specs:
        need_points(one, "be divided into folds")
    solving = run_settings(entry, **settings)
    how = {"folds": folds, "protocol": protocol}
    data = suited(entry, data)
    if data is None:
        raise OptionError(f"{entry.name} is tuned on a data set: none given")
    return Tuned(
        tuned(
            entry, specs, data, solving, scales=scales, named=tuple(own), by=by, watch=watch, **how
        )
    )


def chosen(table: Mapping[str, Any], spec: Spec, data: Any) -> tuple[Any, Any]:
    """The settings and the data of the choice of a table, for ``rp.fit(*rp.chosen(...))``.

    table: what ``tune`` returned; spec, data: what it was given. The settings hold the chosen
    options, and of a choice by compression its ``delta``, that of ``spec`` over the number of
    settings: at it the fit states the bound of the choice. The data are scaled by all their rows
    as was chosen. Raises OptionError for settings of another model than the table's.
    """
    entry = entry_of(spec() if isinstance(spec, type) else spec)
    try:
        model, best = table["model"], table["best"]
        # a choice by compression fixes its delta
        params = {name: best[name] for name in ("delta",) if name in best} | best["params"]
    except MALFORMED:
        raise OptionError("chosen: expected a table that rp.tune returned") from None
    if entry.name != model:
        raise OptionError(f"a table of {model} given with settings of {entry.name}")
    # the scaling goes into the data, the rest into the settings
    scale, data = params.pop(SCALE, None), suited(entry, data)
    try:
        settings = spec(**params) if isinstance(spec, type) else replace(spec, **params)
    except TypeError as error:
        raise OptionError(f"chosen: a table of other options than {model} has: {error}") from None
    return settings, data if scale is None else data.rescaled(scale)


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
    # the criterion decides the scorer
    by = entry.criteria[0] if by is None else by
    one_of("by", by, entry.criteria)
    whole_number("folds", how.get("folds"))
    scorer: Callable[..., dict[str, Any]]
    options: dict[str, Any]
    if by == "compression":
        scorer, options = tune_by_compression, {}
    elif "choose" in entry.can:
        scorer, options = tune_by_criterion, {"by": by}
        if "error" in entry.criteria:
            options["folds"] = FOLDS
    else:
        scorer, options = tune_by_folds, {"by": by, "folds": FOLDS, "protocol": "cv"}
    present = {name: value for name, value in how.items() if value is not None}
    # options that the scorer has no use for are refused
    for name in present.keys() - options.keys():
        raise OptionError(f"{name}: {entry.name} by {by} has no use for it")
    options |= {**present, "scales": scales, "named": named, "watch": watch}
    table = scorer(entry.name, specs, data, settings, **options)
    return {**table, "data": {"name": data.name, "sha256": data.sha256, "rows": data.rows}}
