"""What each command does, from parsed options to an exit code."""

from __future__ import annotations

import argparse
import csv
import io
import os
import sys
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from radprog.api import run_settings
from radprog.catalog import Entry, entry_named
from radprog.checking import check_result
from radprog.complexities import complexity_table
from radprog.decompositions.loop import Budget
from radprog.decompositions.run import RunSettings
from radprog.exporting import SUFFIXES, names_path, read_names
from radprog.exporting import export as export_model
from radprog.exporting import verify as verify_file
from radprog.figures import FORMATS
from radprog.instances import papers_data as catalogue
from radprog.instances.dataset import Dataset
from radprog.instances.errors import DataError, OptionError, OutputError
from radprog.instances.grams import GramSet
from radprog.instances.mkl_data import file_list
from radprog.instances.writing import probe_writable
from radprog.progress import console, interruptible, progress
from radprog.reproduce import Job, table_named
from radprog.result import result_of
from radprog.saved import SavedFit, load_fit, read_json, to_json, write_all, writing
from radprog.solvers.program import SolveSettings
from radprog.text import (
    capability_lines,
    check_lines,
    choice_lines,
    class_lines,
    expected_words,
    summary_lines,
    table_lines,
    tuning_lines,
    verdict_lines,
)
from radprog.tuning import choose as choose_settings
from radprog.tuning import parse_grid
from radprog.tuning import tune as tune_settings

Options = argparse.Namespace


def say(options: Options, *lines: str) -> None:
    """Messages for people, on stderr."""
    if not options.quiet:
        for line in lines:
            print(line, file=sys.stderr)


def emit(text: str) -> None:
    """What was asked for, on stdout."""
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # nothing more to flush
        if isinstance(error, BrokenPipeError):
            raise
        raise OutputError(f"cannot write to standard output: {error.strerror}") from None


def show(options: Options, lines: list[str]) -> None:
    """A table for people: on stdout, unless JSON was asked for there."""
    if options.json == "-":
        say(options, *lines)
    elif not options.quiet:
        emit("\n".join(lines) + "\n")


def write_or_emit(target: str | None, value: Any) -> None:
    """A JSON value to a file, to stdout for ``-``, or nowhere."""
    if target == "-":
        emit(to_json(value))
    elif target is not None:
        write_all({target: to_json(value)})


def probe(*targets: str | None, inputs: tuple[str | None, ...] = ()) -> None:
    """Refuse outputs that cannot be written, are given twice, or would overwrite an input."""
    taken = {os.path.realpath(path) for path in inputs if path is not None}
    for target in targets:
        if target is None or target == "-":
            continue
        probe_writable(target)
        place = os.path.realpath(target)
        if place in taken and Path(place).is_file() | (not Path(place).exists()):
            raise OptionError(f"{target}: the output would overwrite another file of this command")
        taken.add(place)


def probe_figure(target: str | None) -> None:
    """Refuse a figure of an unknown format."""
    if target is not None and Path(target).suffix.lower() not in FORMATS:
        raise OptionError(f"{target}: expected one of {', '.join(FORMATS)}")


def bar(options: Options) -> Progress:
    """A bar on stderr; hidden where that is no terminal."""
    screen = console()
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=screen,
        transient=True,
        disable=options.quiet or options.verbose or not screen.is_terminal,
    )


def need_points(spec: Any, purpose: str) -> None:
    """Refuse kernels and similarities that are known on the training points alone."""
    if getattr(spec, "similarity", None) is not None:
        raise OptionError(f"{spec.similarity}: a similarity given as a file cannot {purpose}")
    if "file:" in str(getattr(spec, "kernels", "")):
        raise OptionError(f"kernels '{spec.kernels}': a kernel given as a file cannot {purpose}")


def locate_data(options: Options, entry: Entry) -> tuple[str, ...]:
    """Set DATA from another option where it is left out; the files that it names.

    Raises OptionError where nothing names it, or grams and DATA both do.
    """
    places = {name: getattr(options, name, None) for name in entry.in_place_of_data}
    if places.get("grams") is not None and (options.data or places.get("views")):
        raise OptionError("grams: the matrices stand in place of DATA and views, leave them out")
    for place in places.values():
        options.data = options.data or place
    if options.data is None:
        raise OptionError(
            "the following argument is required: DATA, or one of "
            f"{', '.join('--' + name for name in places)} (see 'radprog {options.command} "
            f"{entry.name} --help')"
        )
    return tuple(file_list(options.data))


def read_data(options: Options, entry: Entry) -> Dataset:
    """The data set of the command."""
    given = {name: getattr(options, name) for name in entry.data_options}
    return entry.read(
        options.data, **{name: value for name, value in given.items() if value is not None}
    )


def model_options(options: Options, entry: Entry) -> dict[str, Any]:
    """The model's own options that were given."""
    return {
        field.name: getattr(options, field.name)
        for field in fields(entry.spec)
        if hasattr(options, field.name)
    }


def settings_of(options: Options, entry: Entry, **more: Any) -> RunSettings:
    """Run settings from the options that were given."""
    given = {}
    for name in ("method", "solver", "tol", "abs_tol", "time_limit", "max_iter", "seed", "threads"):
        value = getattr(options, name)
        if value is not None:
            given[name] = value
    solver_options = {}
    for text in options.solver_option:
        key, equals, value = text.partition("=")
        if not equals or not key:
            raise OptionError(f"solver option '{text}': expected K=V")
        solver_options[key] = value
    return run_settings(entry, **given, solver_options=solver_options, log=options.log, **more)


def solve(options: Options) -> int:
    """``radprog solve``: exit code 0 with a certificate or at the method's own end, else 1."""
    entry = entry_named(options.model)
    spec = entry.spec(**model_options(options, entry))
    inputs = (*locate_data(options, entry), options.test, options.start)
    probe(options.json, options.save, options.plot, options.log, inputs=inputs)
    probe_figure(options.plot)
    if options.test is not None:
        need_points(spec, "be tested here: use predict --cross")
    data = read_data(options, entry)
    test = None if options.test is None else entry.read(options.test, like=data)
    if test is not None:
        test.targets  # noqa: B018  refused here where a label is missing, not after the fit
    with (
        interruptible(quiet=options.quiet) as flag,
        progress(quiet=options.quiet, verbose=options.verbose) as observe,
    ):
        settings = settings_of(
            options, entry, start=options.start, observe=observe, interrupted=lambda: bool(flag)
        )
        run = entry.fit(spec, data, settings)
    result = result_of(run, data, settings, test)
    files = {}
    if options.json not in (None, "-"):
        files[options.json] = to_json(result)
    if options.save is not None:
        files[options.save] = SavedFit(model=run.name, data=data, fit=run.fit).to_json()
    with writing(files):
        if options.plot is not None:
            entry.plot(result, options.plot, run, data)
    if options.json == "-":
        emit(to_json(result))
    say(options, *(f"radprog: warning: {text}" for text in result["warnings"]))
    show(options, summary_lines(result))
    return 0 if entry.ended(run) else 1


def export(options: Options) -> int:
    """``radprog export``: the file and its names.json; exit code 1 when it was interrupted."""
    entry = entry_named(options.model)
    spec = entry.spec(**model_options(options, entry))
    if not options.output.endswith(SUFFIXES):
        raise OptionError(f"{options.output}: expected one of {', '.join(SUFFIXES)}")
    if options.method not in (None, entry.methods[0], *entry.exporters):
        raise OptionError(f"method '{options.method}': programs are exported by {entry.methods[0]}")
    names_file = str(names_path(options.output))
    probe(options.output, names_file, options.log, inputs=locate_data(options, entry))
    data = read_data(options, entry)
    with (
        interruptible(quiet=options.quiet) as flag,
        progress(quiet=options.quiet, verbose=options.verbose) as observe,
    ):
        settings = settings_of(options, entry, observe=observe, interrupted=lambda: bool(flag))
        built = entry.form(spec, data, options.form or entry.forms[0], settings)
    names = export_model(
        built.model,
        options.output,
        name=entry.name,
        form=options.form or entry.forms[0],
        expected=built.expected,
        sense=built.sense,
        iterate=built.iterate,
        data_sha256=data.sha256,
        made_of={
            "params": {key: value for key, value in asdict(spec).items() if value is not None},
            "reading": dict(data.reading),
            "seed": settings.seed,
        },
    )
    say(
        options,
        *built.notes,
        f"{options.output}: {names['class']} with {len(names['rows'])} rows and "
        f"{len(names['columns'])} columns, {expected_words(names, '.12g')}",
        f"{names_file}: what its rows and columns mean",
    )
    return 1 if flag else 0


def verify(options: Options) -> int:
    """``radprog verify``: exit code 1 when a solver disagrees."""
    names = read_names(options.file)
    probe(options.json, inputs=(options.file, str(names_path(options.file))))
    settings = SolveSettings(time_limit=options.time_limit)
    rows: list[dict[str, Any]] = []
    for solver in options.solver or ["highs"]:
        verdict = verify_file(options.file, solver, settings)
        rows.append(
            {
                "solver": solver,
                "version": verdict.answer.version,
                "status": verdict.answer.status.value,
                "claimed": verdict.answer.objective,
                "objective": verdict.objective,
                "violation": verdict.violation,
                "difference": verdict.difference,
                "seconds": verdict.answer.seconds,
                "agrees": verdict.agrees,
            }
        )
    write_or_emit(
        options.json,
        {
            "file": str(options.file),
            "class": names["class"],
            "expected": names["expected_objective"],
            "expected_status": names.get("expected_status"),
            "rows": rows,
        },
    )
    show(options, verdict_lines(options.file, names, rows))
    return 0 if all(row["agrees"] for row in rows) else 1


def class_names(saved: SavedFit) -> tuple[str, ...]:
    """Names of the classes that a fit predicts; none for numbers and for clusters."""
    names: tuple[str, ...] = getattr(saved.fit, "labels", saved.data.labels)
    return names


def predict(options: Options) -> int:
    """``radprog predict``: a CSV with the label, the score and the file's row of every point.

    Of more than two classes the score is the largest, that of the label.
    """
    probe(options.output, inputs=(options.fit, options.data, options.cross))
    saved = load_fit(options.fit)
    entry = entry_named(saved.model)
    if isinstance(saved.data, GramSet):
        if options.data is not None and options.cross is not None:
            raise OptionError("cross: a fit on kernel matrices takes --cross or DATA, not both")
        options.data, options.cross = options.data or options.cross, None
    if options.data is None:
        raise OptionError(
            "the following argument is required: DATA, or --cross for a fit on kernel matrices "
            "(see 'radprog predict --help')"
        )
    data = entry.read(options.data, like=saved.data, label=options.label)
    cross = None if options.cross is None else entry.read_cross(options.cross)
    try:
        scores = saved.fit.scores(data.X, cross)
    except DataError as error:
        raise DataError(f"{options.fit} on {options.data}: {error}") from None
    names = class_names(saved)
    numbers = None
    if scores.ndim == 2:
        numbers = saved.fit.predict(data.X, cross).astype(int)
        scores = scores.max(axis=1)
    elif names:
        numbers = (scores >= 0).astype(int)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["prediction", "row"] if numbers is None else ["label", "score", "row"])
    lines = range(1, data.rows + 1) if data.lines is None else data.lines.tolist()
    for i, (score, line) in enumerate(zip(scores.tolist(), lines, strict=True)):
        label = [] if numbers is None else [names[numbers[i]] if names else numbers[i]]
        writer.writerow([*label, repr(score), line])
    if options.output == "-":
        emit(text.getvalue())
    else:
        write_all({options.output: text.getvalue()})
    say(options, *(f"radprog: warning: {text}" for text in data.warnings))
    if names and numbers is not None:
        held = data.codes >= 0
        wrong, rows = int((data.codes != numbers)[held].sum()), int(held.sum())
        if rows:
            say(options, f"{wrong} of {rows} rows wrong ({100 * wrong / rows:.2f} %)")
    return 0


def check(options: Options) -> int:
    """``radprog check``: exit code 1 when the result does not hold."""
    probe(options.json, inputs=(options.result, options.data))
    result = read_json(options.result, "a result of radprog solve")
    report = check_result(result, options.data, options.result)
    write_or_emit(options.json, report)
    show(options, check_lines(report))
    return 0 if report["holds"] else 1


def complexity(options: Options) -> int:
    """``radprog complexity``: exit code 1 when it was ended before all classes were done."""
    entry = entry_named(options.model)
    given = model_options(options, entry)
    given.pop("trials", None)  # of the estimate, not of a penalty
    spec = entry.spec(**given)
    probe(options.json, inputs=locate_data(options, entry))
    data = read_data(options, entry)
    with interruptible(quiet=options.quiet) as flag, bar(options) as shown:
        task = shown.add_task("sign vectors", total=None)
        settings = RunSettings(
            seed=options.seed, time_limit=options.time_limit, interrupted=lambda: bool(flag)
        )
        table = complexity_table(
            entry,
            spec,
            data,
            trials=None if options.exact else options.trials,
            kind=options.kind,
            seed=options.seed,
            budget=settings.budget(),
            watch=lambda name, done, total: shown.update(
                task, description=name, completed=done, total=total
            ),
        )
    write_or_emit(options.json, table)
    say(options, *(f"radprog: warning: {text}" for text in getattr(data, "warnings", ())))
    show(options, class_lines(table))
    return 0 if table["complete"] else 1


def folds_of(options: Options) -> dict[str, int]:
    """The number of folds, where the command has one."""
    return {"folds": options.folds} if hasattr(options, "folds") else {}


def tune(options: Options) -> int:
    """``radprog tune``: a table of scores, the choice, and optionally its fit on all rows."""
    entry = entry_named(options.model)
    specs = parse_grid(entry.name, options.grid, model_options(options, entry))
    for spec in specs:
        need_points(spec, "be divided into folds")
    probe(options.json, options.save, options.log, inputs=locate_data(options, entry))
    data = read_data(options, entry)
    with interruptible(quiet=options.quiet) as flag, bar(options) as shown:
        task = shown.add_task("fits", total=None)
        clock = Budget()

        def watch(done: int, total: int) -> None:
            shown.update(task, completed=done, total=total)
            if options.verbose:
                left = clock.seconds * (total - done) / done
                say(options, f"fit {done} of {total}, about {left:.0f} s left")

        settings = settings_of(options, entry, interrupted=lambda: bool(flag))
        if entry.tuner is not None:
            table = choose_settings(
                entry.name, specs, data, settings, by=options.by, watch=watch, **folds_of(options)
            )
        else:
            table = tune_settings(
                entry.name,
                specs,
                data,
                settings,
                folds=options.folds,
                protocol=options.protocol,
                by=options.by,
                watch=watch,
            )
        table["data"] = {"name": data.name, "sha256": data.sha256, "rows": data.rows}
        files = {} if options.json in (None, "-") else {options.json: to_json(table)}
        whole = None
        if options.save is not None and table["complete"]:
            whole = entry.fit(specs[table["best_index"]], data, settings)
            files[options.save] = SavedFit(model=whole.name, data=data, fit=whole.fit).to_json()
    write_all(files)
    if options.json == "-":
        emit(to_json(table))
    warnings = [*data.warnings, *([] if whole is None else whole.warnings)]
    if options.save is not None and whole is None:
        warnings.append(f"{options.save} is not written, as the grid was not finished")
    say(options, *(f"radprog: warning: {text}" for text in warnings))
    show(options, tuning_lines(table) if entry.tuner is None else choice_lines(table))
    ended = table["ended"] and (whole is None or entry.ended(whole))
    return 0 if table["complete"] and ended else 1


def solvers(options: Options) -> int:
    """``radprog solvers``: the capability table."""
    from radprog.solvers.questions.capability import (
        capability_table,  # every solver is loaded with it
    )

    table = capability_table()
    write_or_emit(options.json, {"schema": 1, "solvers": [asdict(row) for row in table]})
    show(options, capability_lines(table))
    return 0


def data(options: Options) -> int:
    """``radprog data list|fetch``."""
    if options.action == "fetch":
        if options.name is None:
            raise OptionError("data fetch: which data set? see 'radprog data list'")
        folder = None if options.output is None else Path(options.output)
        state = catalogue.fetch(options.name, folder=folder)
        say(options, f"{options.name}: {state.value}")
        return 0
    known = bool(os.environ.get(catalogue.FOLDER_VARIABLE))
    states = {entry.file: state.value for entry, state in catalogue.status()} if known else {}
    for entry in catalogue.CATALOGUE:
        word = states.get(entry.file, "unknown")
        emit(f"{entry.file:<36}{word:<10}{entry.rows:>6} x {entry.features:<5}{entry.source}\n")
    if not known:
        say(options, f"set {catalogue.FOLDER_VARIABLE} to the folder that holds them")
    return 0


def reproduce(options: Options) -> int:
    """``radprog reproduce``: a paper's table beside ours; exit code 1 when it was ended before."""
    table = table_named(options.table)
    sets = table.chosen(options.sets)
    if options.plot is not None and table.plotter is None:
        raise OptionError(f"plot: {table.name} is a table, not a figure")
    probe_figure(options.plot)
    probe(options.json, options.plot)
    folder = None
    if table.files:
        folder = catalogue.data_folder() if options.data is None else Path(options.data)
    rows: list[dict[str, Any]] = []
    with interruptible(quiet=options.quiet) as flag, bar(options) as shown:
        task = shown.add_task("fits", total=None)
        clock = Budget()

        def watch(label: str, done: int, total: int) -> None:
            shown.update(task, description=label, completed=done, total=total)
            if options.verbose:
                left = clock.seconds * (total - done) / done
                say(options, f"{label}: fit {done} of {total}, about {left:.0f} s left")

        job = Job(
            sets=sets,
            folder=folder,
            seed=options.seed,
            quick=options.quick,
            watch=watch,
            interrupted=lambda: bool(flag),
        )
        rows.extend(table.rows(job))
    report = {
        "schema": 1,
        "table": table.name,
        "paper": table.paper,
        "seed": options.seed,
        "quick": options.quick,
        "complete": job.complete,
        "notes": table.notes,
        "rows": rows,
    }
    write_or_emit(options.json, report)
    if options.plot is not None:
        table.plot(rows, options.plot)
    show(options, table_lines(table, rows))
    return 0 if job.complete else 1


def demo(options: Options) -> int:
    """``radprog demo``: solve, check, export, verify on the shipped data."""
    from radprog.demo import run_demo

    return run_demo(Path(options.output), quiet=options.quiet)
