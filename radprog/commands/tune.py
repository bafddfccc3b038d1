"""``radprog tune``: choose settings over a grid with certified fits."""

from __future__ import annotations

import argparse
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from radprog.terminal import common
from radprog.terminal.common import Options
from radprog.terminal.output import counted, csv_text, finish, say

if TYPE_CHECKING:
    from radprog.catalog import Entry

HELP = "choose settings over a grid with certified fits"
EXAMPLES = ("tune vkr train.csv --categorical auto --grid lam=1e0..1e-6:7 --grid beta=1e-1,1e-3",)
EACH = ("tune {entry.name} {entry.example} {entry.grid_example} --seed 1 --save fit.json",)
PROTOCOLS = {
    "cv": "each fold validates once (default)",
    "paper": "fold i tests, i + 1 validates",
    "holdout": "the first fold validates",
}
CRITERION_WORDS = {
    "error": "error on held-out rows, or the mean loss of numbers",
    "bound": "the generalisation bound",
    "auc": "1 - area under the curve of two classes, on held-out rows",
    "distortion": "squares within the clusters of the embedding",
    "objective": "the monitored one, relative to uniform weights",
    "eigengap": "the largest one, which also compares numbers of clusters",
}


def add(parser: argparse.ArgumentParser) -> None:
    """Add a sub-parser for each model with a grid."""
    common.add_models(parser, "tune", _options, EACH, lambda entry: entry.grid_example)


def _options(parser: argparse.ArgumentParser, entry: Entry) -> None:
    common.add_data(parser, entry)
    scaled = "scale" in entry.data_options
    parser.add_argument(
        "--grid",
        action="append",
        required=True,
        metavar="NAME=LIST",
        help="values of an option: comma-separated, or a..b:N (N points, log-spaced); "
        "kernels, length: each is tried by itself, or whole lists separated by ';'"
        + ("; scale: fitted to the training rows of each fold" if scaled else ""),
    )
    criteria = entry.criteria
    parser.add_argument("--folds", type=int, help="number of folds of held-out rows (default 5)")
    parser.add_argument(
        "--protocol",
        choices=tuple(PROTOCOLS),
        help="; ".join(f"{name}: {text}" for name, text in PROTOCOLS.items()),
    )
    parser.add_argument(
        "--by",
        choices=criteria,
        default=criteria[0],
        help=f"criterion to minimise (default {criteria[0]}): "
        + "; ".join(f"{name}: {CRITERION_WORDS[name]}" for name in criteria),
    )
    common.add_constraints(parser, entry)
    common.add_model_options(parser, entry, leave_out=entry.form_options)
    common.add_data_options(parser, entry.data_options)
    common.add_run_options(parser, entry, time_limit="time limit of the whole command")
    common.add_sharing(parser)
    common.add_files(
        parser.add_argument_group("results"),
        json="the whole table as JSON",
        csv="the whole table as CSV, one row per setting",
        save="fit the choice to all rows and save it, like solve --save",
        plot="scores over the grid: .png, .svg or .pdf",
    )


def run(options: Options) -> int:
    """Print the table of scores and the chosen settings. On request, fit them to all rows."""
    from radprog.analysis.choosing import tune_parts, tuned
    from radprog.analysis.grids import SCALE, parse_entries, scales_of, settings_over
    from radprog.api import need_points
    from radprog.catalog import entry_named
    from radprog.decompositions.loop import Budget
    from radprog.decompositions.sweeps.sharing import ALONE
    from radprog.saved import SavedFit

    entry = entry_named(options.model)
    base = common.model_options(options, entry)
    solving = entry.run_settings(**common.run_options(options))
    # the grid: options of the model, and the scaling
    fixed = {**base, SCALE: getattr(options, SCALE, None)}
    grid = parse_entries(entry, options.grid, fixed)
    scales = scales_of(grid.pop(SCALE)) if SCALE in entry.data_options and SCALE in grid else ()
    specs = settings_over(entry, grid, base)
    for spec in specs:
        need_points(spec, "be divided into folds")
    data, seconds = common.read_model(options, entry)
    with counted(options, "fits") as (interrupted, watch):
        clock = Budget()
        solving = replace(solving, interrupted=interrupted, used=seconds)
        # score all settings
        table = tuned(
            entry,
            specs,
            data,
            solving,
            by=options.by,
            watch=partial(watch, "fits"),
            scales=scales,
            named=tuple(grid),
            folds=options.folds,
            protocol=options.protocol,
            constraints=common.constraints_of(options) or None,
        )
        final, files = None, dict[str, str | bytes]()
        if options.csv is not None:
            rows = [{**cell["params"], **cell} for cell in table["cells"]]
            names = dict.fromkeys(name for row in rows for name in row)
            columns = [name for name in names if name not in ("params", "test_errors")]
            files[options.csv] = csv_text(
                columns, [[row.get(name) for name in columns] for row in rows]
            )
        if options.save is not None and table["complete"]:
            # the choice is fitted to all rows in the remaining time
            remaining = replace(solving, used=seconds + clock.seconds, sharing=ALONE)
            if scales:
                data = data.rescaled(table["best"]["params"]["scale"])
            best = specs[table["best_index"] % len(specs)]
            constraints = common.constraints_of(options)
            final = entry.fit_constrained(best, data, remaining, constraints)
            saved = SavedFit(model=final.name, data=data, fit=final.fit)
            files[options.save] = saved.content(options.save)
    if options.plot is not None:
        from radprog.analysis.plots import plot_grid

        plot_grid(table, options.plot)
    warnings = [] if final is None else list(final.warnings)
    if options.save is not None and final is None:
        warnings.append(f"{options.save} is not written, as the grid was not finished")
    finish(options, table, tune_parts(table), data=data, warnings=warnings, files=files)
    if final is not None:
        say(options, f"{options.save}: the choice, fitted to all rows")
    ended = table["ended"] and (final is None or entry.ended(final))
    return 0 if table["complete"] and ended else 1
