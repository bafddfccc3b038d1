"""The choice of settings over a grid: by cross-validation, or by criteria of the model."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, replace
from typing import Any, Unpack

from radprog.analysis.grids import SCALE, scales_of, settings_over
from radprog.api import need_points, run_settings
from radprog.base.errors import MALFORMED, OptionError
from radprog.base.limits import UsersFunction
from radprog.base.sections import Part, Report, Table, styled
from radprog.base.settings import function, one_of, whole_number
from radprog.catalog import Entry, entry_of
from radprog.decompositions.loop import Watcher
from radprog.decompositions.run import (
    RunOptions,
    RunSettings,
    Spec,
    end_failed,
    failures_of,
    stoppable,
)
from radprog.decompositions.sweeps.sharing import ignore_progress
from radprog.models.constraints import Constraints
from radprog.telling import setting_words
from radprog.tuning import tune_by_criterion, tune_by_folds
from radprog.wiring import Values

FOLDS = 5


SHARES = {"error": "error %", "auc": "1 - AUC %"}  # criteria that are shown in per cent


class Tuned(Report):
    """Scores of the settings in a grid. ``print`` and notebooks show them as the table of ``radprog
    tune``.

    This class is a mapping with these keys:

    - ``model``, ``protocol``, ``by``
    - ``cells``: one entry per setting, with ``params``, ``score``, ``standard_error``, ``error``,
      ``gap`` and other measures. Error rates are fractions, not percentages. All measures are None
      if there is no score. The entry of a clustering also contains ``sizes``.
    - ``best``: the chosen cell
    - ``ties``: number of cells with the best score
    - ``edges``: warnings about chosen values at an end of the grid

    Examples
    --------
    >>> import numpy as np
    >>> import radprog as rp
    >>> data = rp.dataset(np.arange(6.0)[:, None], [-1, -1, 1, -1, 1, 1])
    >>> table = rp.tune(rp.VKR(kernels="poly:1"), data, {"lam": [1e-3, 1e-1]}, folds=3)
    >>> table["model"], len(table["cells"]), table["best"] in table["cells"]
    ('vkr', 2, True)
    """

    def _parts(self) -> list[Part]:
        return tune_parts(self)


def tune(
    model: Spec,
    data: Any,
    grid: Mapping[str, Any],
    *,
    folds: int | None = None,
    protocol: str | None = None,
    by: str | None = None,
    watch: Watcher | None = None,
    constraints: Constraints | None = None,
    **settings: Unpack[RunOptions],
) -> Tuned:
    """Choose settings from a grid by certified fits.

    Parameters
    ----------
    model : settings of a model
        Settings, or a settings class. ``grid`` varies some of the options.
    data : data set
        The data for the choice.
    grid : mapping
        The values of each option, by name: a sequence, or a string such as ``1e-3..1e-1:3``.
    folds : int, optional
        Number of folds. The default is 5.
    protocol : str, optional
        How rows are held out: ``cv``, ``paper`` or ``holdout``.
    by : str, optional
        The criterion to minimise. The default is the first criterion of the model (see Notes).
    watch : callable, optional
        Function that is called with the number of finished fits and the total number of fits.
    constraints : Constraint or sequence, optional
        Constraints on each fit, about the training rows of its fold. They must name features, or
        be functions of the rows.
    **settings
        Settings of a run, as in :func:`radprog.fit`. ``time_limit`` (seconds) applies to all fits
        together.

    Returns
    -------
    Tuned
        A mapping that ``print`` shows as a table. ``cells`` contains an entry for each setting.
        ``best`` contains the chosen ``params`` and their ``score``.

    Raises
    ------
    OptionError
        If an option or criterion is unknown, or no setting of the grid has a score.
    DataError
        If the data cannot be used.
    UnfinishedError
        If a limit ends the work before any setting has a score.

    Notes
    -----
    Let S be the grid. The choice is argmin_{s in S} criterion(s). If several settings attain the
    minimum, the most regularised one is chosen. The criteria are

    - ``error``: the error rate on held-out rows; in regression, the mean loss of ``L1Linear`` or
      the mean absolute error of ``SVR``;
    - ``auc``: 1 minus the area under the ROC curve on held-out rows, for two classes;
    - ``bound``: the model's first error bound for the fits to the training rows, averaged over the
      folds;
    - ``distortion``, ``objective``, ``eigengap``: criteria of ``cdsk``. Only ``eigengap`` compares
      numbers of clusters; the others rise with them.

    The option ``scale`` of the grid varies the scaling of the features. On each fold, the scaling
    is computed only from the training rows. For criteria without held-out rows, it is computed from
    all rows.

    Examples
    --------
    >>> import numpy as np
    >>> import radprog as rp
    >>> data = rp.dataset(np.arange(6.0)[:, None], [-1, -1, 1, -1, 1, 1])
    >>> table = rp.tune(rp.VKR(kernels="poly:1"), data, {"lam": [1e-3, 1e-1]}, folds=3)
    >>> [cell["params"] for cell in table["cells"]]  # the largest lam first
    [{'lam': 0.1}, {'lam': 0.001}]
    >>> table["best"]["score"] == min(cell["score"] for cell in table["cells"])
    True
    """
    if not isinstance(grid, Mapping):
        raise OptionError(f"grid {grid!r}: expected the values of every option, by its name")
    watch = ignore_progress if watch is None else watch
    function("watch", watch)
    # scale is an option of the data, all others are options of the model
    axes = {name: values for name, values in grid.items() if name != SCALE}
    entry = entry_of(model() if isinstance(model, type) else model)
    # options outside the grid stay unchanged
    fixed = () if isinstance(model, type) else fields(model)
    base = {field.name: getattr(model, field.name) for field in fixed if field.name not in axes}
    specs = settings_over(entry, axes, base)
    scales = scales_of(grid[SCALE]) if SCALE in grid else ()
    # kernels with values only at the training points cannot be divided into folds
    for spec in specs:
        need_points(spec, "be divided into folds")
    cv = {"folds": folds, "protocol": protocol, "constraints": constraints}
    data = entry.adapt(data)
    if data is None:
        raise OptionError(f"{entry.name} is tuned on a data set: none given")
    with stoppable(run_settings(entry, **settings)) as solving:
        table = tuned(
            entry, specs, data, solving, scales=scales, named=tuple(axes), by=by,
            watch=UsersFunction("watch", watch, failures_of(solving)), **cv,
        )  # fmt: skip
        end_failed(solving, Tuned(table))
    return Tuned(table)


def chosen(table: Mapping[str, Any], model: Spec, data: Any) -> tuple[Any, Any]:
    """Return the settings and the data that :func:`radprog.tune` chose.

    Parameters
    ----------
    table : mapping
        The table returned by ``tune``.
    model : settings of a model
        The settings passed to ``tune``, or their class.
    data : data set
        The data passed to ``tune``.

    Returns
    -------
    settings : settings of a model
        ``model`` with the chosen options.
    data : data set
        The data, with all rows scaled as chosen.

    Raises
    ------
    OptionError
        If the table belongs to another model, or does not come from ``tune``.

    Examples
    --------
    >>> import numpy as np
    >>> import radprog as rp
    >>> data = rp.dataset(np.arange(6.0)[:, None], [-1, -1, 1, -1, 1, 1])
    >>> model = rp.VKR(kernels="poly:1")
    >>> table = rp.tune(model, data, {"lam": [1e-3, 1e-1]}, folds=3)
    >>> settings, scaled = rp.chosen(table, model, data)
    >>> settings.lam == table["best"]["params"]["lam"]
    True
    >>> rp.fit(settings, scaled).certified
    True
    """
    entry = entry_of(model() if isinstance(model, type) else model)
    try:
        name, best = table["model"], table["best"]
        params = {**best["params"]}
    except MALFORMED:
        raise OptionError("chosen: expected a table that rp.tune returned") from None
    if entry.name != name:
        raise OptionError(f"a table of {name} given with settings of {entry.name}")
    # the scaling belongs to the data, the other options to the settings
    scale, data = params.pop(SCALE, None), entry.adapt(data)
    try:
        settings = model(**params) if isinstance(model, type) else replace(model, **params)
    except TypeError as error:
        raise OptionError(
            f"chosen: the table has options that {entry.name} does not have: {error}"
        ) from None
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
    **cv: Any,
) -> dict[str, Any]:
    """The table of ``tune``: by cross-validation, or by the model's own criteria.

    ``scales`` are the scalings to try. All ``specs`` are tried with one scaling before the next.
    Without ``scales``, the scaling of the data is used. ``named`` are the options of the grid,
    which the table shows even if an option has only one value. ``how`` contains the number of folds
    and the protocol, or None for the defaults. Raises OptionError if a given number or protocol is
    not used.
    """
    entry.check_can("tune")
    # the criterion determines the scorer
    by = entry.criteria[0] if by is None else by
    one_of("by", by, entry.criteria)
    whole_number("folds", cv.get("folds"))
    scorer: Callable[..., dict[str, Any]]
    options: dict[str, Any]
    if "choose" in entry.can:
        scorer, options = tune_by_criterion, {"by": by}
        if "error" in entry.criteria:
            options["folds"] = FOLDS
    else:
        scorer, options = tune_by_folds, {"by": by, "folds": FOLDS, "protocol": "cv"}
        options["constraints"] = None
    present = {name: value for name, value in cv.items() if value is not None}
    # options that the scorer does not use are refused
    for name in present.keys() - options.keys():
        reason = "" if "folds" in options else ", which holds no rows out"
        raise OptionError(f"{name} has no meaning for {entry.name} by {by}{reason}: leave it out")
    options |= {**present, "scales": scales, "named": named, "watch": watch}
    table = scorer(entry.name, specs, data, settings, **options)
    return {**table, "data": data.identity}


def tune_parts(table: Values) -> list[Part]:
    """The best settings in a table, the choice, and its error."""
    cells, best, by = table["cells"], table["best"], table["by"]
    # shares in per cent, other criteria unchanged; the best first
    unit, style = (100.0, ".2f") if by in SHARES else (1.0, ".6g")
    # errors of rows held out: shares of classes, losses of numbers
    of_rows, per_cent = ((1.0, ".6g"), "") if by == "loss" else ((100.0, ".2f"), " %")
    error = "loss" if by == "loss" else "error"
    scored = sorted((c for c in cells if c["score"] is not None), key=lambda c: float(c["score"]))

    def scaled(value: float | None, unit: float = unit, style: str = style) -> str:
        return styled(None if value is None else unit * value, style)

    parts: list[Part] = [
        Table(
            head=(
                str(SHARES.get(by, "minus eigengap" if by == "eigengap" else by)),
                "s.e.",
                f"test{per_cent}",
                "size",
                "gap",
                "cluster sizes",
                "settings",
            ),
            rows=[
                (
                    scaled(cell["score"]),
                    scaled(cell["standard_error"], style=".2f" if by in SHARES else ".2g"),
                    scaled(cell.get("test_error"), *of_rows),
                    styled(cell.get("support_vectors"), ".1f"),
                    styled(cell.get("gap"), ".1e"),
                    " ".join(map(str, cell.get("sizes", ()))),
                    setting_words(cell["params"]),
                )
                for cell in scored
            ],
            most=10,  # shown settings of a table
        )
    ]
    # settings that the data do not allow, with the reason
    parts += [
        f"none       {setting_words(cell['params'])}: {cell['message']}"
        for cell in cells
        if cell["message"] is not None
    ]
    choice = f"choice     {setting_words(best['params'])}"
    edges = [f"grid       {line}" for line in table.get("edges", ())]
    if "folds_finished" not in table:
        sizes = best.get("sizes", [1])
        # criteria without labels prefer graphs with nearly separate parts of a few rows
        if min(sizes) < 0.1 * sum(sizes) / len(sizes):  # a tenth of an average cluster
            edges.append(
                f"warning    the smallest cluster of the choice has {min(sizes)} of {sum(sizes)} "
                "rows, perhaps only far from others: compare larger bandwidths, or another `by`"
            )
        scores = f"{len(scored)} of {len(cells)} settings scored, the least is best"
        parts += [choice, *edges, f"work       {scores}"]
        return parts
    # held-out rows: error of the choice, its test error, and the finished work
    ties = f", one of {table['ties']} that tie" if table["ties"] > 1 else ""
    parts.append(f"{choice}: validation {error} {scaled(best['error'], *of_rows)}{per_cent}{ties}")
    parts += edges
    if best["test_error"] is not None:
        mean, spread = (scaled(best[key], *of_rows) for key in ("test_error", "test_error_std"))
        wrong = " loss" if by == "loss" else " % wrong"
        parts.append(f"test       {mean}{wrong}, +- {spread} over {table['folds_finished']} folds")
    if by == "bound" and best["score"] >= 1:
        parts.append("warning    the bound chosen by is vacuous: it is no less than 1")
    certified = sum(cell["certified"] for cell in scored)
    parts.append(
        f"work       {len(scored)} settings on {table['folds_finished']} of {table['rounds']} "
        f"folds (ended by {table['stopped_by']}), {certified} certified on every fold"
    )
    return parts
