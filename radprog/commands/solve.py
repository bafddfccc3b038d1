"""``radprog solve``: build a program, solve it with a certificate, and report or save the
result.
"""

from __future__ import annotations

import argparse
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from radprog.base.errors import OptionError
from radprog.terminal import common
from radprog.terminal.common import Options
from radprog.terminal.output import (
    emit,
    interruptible_to_the_end,
    phase,
    progress,
    say,
    show,
)

if TYPE_CHECKING:
    from radprog.catalog import Entry

HELP = "build, solve with a certificate, report, save"
EXAMPLES = (
    "solve vkr train.csv --scale ball --json run.json --save fit.json",
    "solve svm train.csv --scale ball --kernels rbf:0.1 --C 10 --test test.csv",
)
EACH = (
    "solve {entry.name} {entry.example} --json run.json --plot run.png",
    "solve {entry.name} {entry.example} --save fit.json --time-limit 60",
)


def add(parser: argparse.ArgumentParser) -> None:
    """Add a sub-parser for each model."""
    common.add_models(parser, "solve", _options, EACH)


def _options(parser: argparse.ArgumentParser, entry: Entry) -> None:
    common.add_data(parser, entry)
    common.add_model_options(parser, entry, leave_out=entry.form_options)
    common.add_data_options(parser, entry.data_options)
    common.add_constraints(parser, entry)
    common.add_run_options(parser, entry)
    shared = entry.divided or "one_vs_rest" in entry.data_options
    common.add_sharing(parser, checkpoint=shared)
    common.hide(parser, () if shared else common.WORKERS)
    common.add_files(
        parser.add_argument_group("results"),
        json="the whole result as JSON",
        save="save the predictor as JSON, or as .npz",
        start="start from a saved fit, if the method supports it",
        test="also report the error on this data",
        plot="convergence and solution: .png, .svg or .pdf",
    )


def run(options: Options) -> int:
    """Print the result. The exit code is 0 if it is certified or a local method finished, and 1 if
    not.
    """
    from radprog.catalog import entry_named
    from radprog.models.constraints import COMPARED
    from radprog.result import result_of, to_json
    from radprog.saved import SavedFit, start_of, writing
    from radprog.telling import summary_lines

    # settings are checked before data are read
    entry = entry_named(options.model)
    spec = entry.spec(**common.model_options(options, entry))
    settings = entry.run_settings(**common.run_options(options))
    if options.test is not None:
        from radprog.api import need_points

        need_points(spec, "be tested here: use predict --cross")
    start = None if options.start is None else start_of(entry, options.start)
    output = {"quiet": options.quiet, "verbose": options.verbose}
    # reading counts towards the limit
    test: Any = None
    with phase(f"reading {options.data or 'the data'}", **output):
        data, seconds = common.read_model(options, entry)
        if options.test is not None:
            read_test = partial(entry.hooks.read, options.test, like=data)
            test, seconds = common.in_time(options, read_test)
            test.targets  # noqa: B018  refused here where a label is missing, not after the fit
    constraints, gaps = common.constraints_of(options), dict[str, float]()
    interrupted = interruptible_to_the_end(options)
    with progress(**output) as observe:
        settings = replace(
            settings, start=start, observe=observe, interrupted=interrupted, used=seconds
        )
        # the fit is called here, so that it stands near the command
        if constraints:
            run = entry.fit_constrained(spec, data, settings, constraints)
        else:
            fit, spec = entry.fitter(spec, data, settings)
            run = fit(spec, data, settings)
        # the constraints that compare groups, on the test data
        for constraint in () if test is None else constraints:
            try:
                measured = (
                    entry.realised(run.fit, test, constraint) if constraint.name in COMPARED else {}
                )
                gaps |= {name: values["gap"] for name, values in measured.items()}
            except OptionError as error:
                say(options, f"{options.test}: no gap of the test rows: {error}", warning=True)
        result = result_of(run, data, test, gaps)
    files: dict[str, str | bytes] = {}
    if options.json not in (None, "-"):
        files[options.json] = to_json(result)
    if options.save is not None:
        files[options.save] = SavedFit(model=run.name, data=data, fit=run.fit).content(options.save)
    # files appear together, or none does
    with writing(files) if files else nullcontext():
        if options.plot is not None:
            from radprog.figures import figure_of, save  # loads matplotlib

            save(figure_of(result, run, data), options.plot)
    if options.json == "-":
        emit(to_json(result))
    test_warnings = [] if test is None else [f"test: {line}" for line in test.warnings]
    say(options, *result["warnings"], *test_warnings, warning=True)
    show(options, summary_lines(result))
    return 0 if entry.ended(run) else 1
