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
from radprog.decompositions.run import RunSettings
from radprog.exporting import export as export_model
from radprog.exporting import names_path, read_names
from radprog.exporting import verify as verify_file
from radprog.instances import catalogue
from radprog.instances.arrays import read_matrix
from radprog.instances.dataset import Dataset
from radprog.instances.errors import DataError, OptionError
from radprog.instances.files import atomic_text, probe_writable
from radprog.instances.readers import read
from radprog.progress import console, interruptible, progress
from radprog.reproduce import vkr_table
from radprog.result import result_of, summary_lines
from radprog.saved import SavedFit, load_fit, read_json, to_json, write_json
from radprog.solvers.capability import capability_table
from radprog.solvers.program import ProblemClass, SolveSettings
from radprog.tuning import parse_grid
from radprog.tuning import tune as tune_settings

Options = argparse.Namespace
PLOT_FORMATS = (".png", ".svg", ".pdf")


def say(options: Options, *lines: str) -> None:
    """Messages for people, on stderr."""
    if not options.quiet:
        for line in lines:
            print(line, file=sys.stderr)


def emit(text: str) -> None:
    """What was asked for, on stdout."""
    sys.stdout.write(text)
    sys.stdout.flush()


def write_or_emit(target: str | None, value: Any) -> None:
    """A JSON value to a file, to stdout for ``-``, or nowhere."""
    if target == "-":
        emit(to_json(value))
    elif target is not None:
        write_json(target, value)


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
    for target in (options.json, options.save, options.plot):
        if target is not None and target != "-":
            probe_writable(target)
    if options.plot is not None and Path(options.plot).suffix.lower() not in PLOT_FORMATS:
        raise OptionError(f"{options.plot}: expected one of {', '.join(PLOT_FORMATS)}")
    data = read_data(options, entry)
    test = None if options.test is None else entry.read(options.test, like=data)
    if test is not None and test.y is None:
        raise DataError(f"{options.test}: test data needs labels, and this file has none")
    with (
        interruptible() as flag,
        progress(quiet=options.quiet, verbose=options.verbose) as observe,
    ):
        settings = settings_of(
            options, entry, start=options.start, observe=observe, interrupted=lambda: bool(flag)
        )
        run = entry.fit(spec, data, settings)
    result = result_of(run, data, settings, test)
    write_or_emit(options.json, result)
    if options.save is not None:
        SavedFit(model=run.name, data=data, fit=run.fit).save(options.save)
    if options.plot is not None:
        entry.plot(result, options.plot)
    lines = summary_lines(result)
    warnings = [f"warning: {text}" for text in result["warnings"]]
    say(options, *warnings)
    if not options.quiet:
        if options.json == "-":
            say(options, *lines)
        else:
            emit("\n".join(lines) + "\n")
    own_end = run.method == "cd" and not run.reason.premature
    return 0 if run.certified or own_end else 1


def export(options: Options) -> int:
    """``radprog export``: the file and its names.json."""
    entry = entry_named(options.model)
    spec = entry.spec(**model_options(options, entry))
    if not options.output.endswith((".lp", ".mps", ".lp.gz", ".mps.gz", ".nl")):
        raise OptionError(f"{options.output}: expected .lp, .mps, .lp.gz, .mps.gz or .nl")
    probe_writable(options.output)
    data = read_data(options, entry)
    with (
        interruptible() as flag,
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
    )
    expected = names["expected_objective"]
    say(
        options,
        *built.notes,
        f"{options.output}: {names['class']} with {len(names['rows'])} rows and "
        f"{len(names['columns'])} columns, expected objective "
        + ("unknown" if expected is None else f"{expected:.12g}"),
        f"{names_path(options.output)}: what its rows and columns mean",
    )
    return 0


def verify(options: Options) -> int:
    """``radprog verify``: exit code 1 when a solver disagrees."""
    names = read_names(options.file)
    expected = names["expected_objective"]
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
        {"file": str(options.file), "class": names["class"], "expected": expected, "rows": rows},
    )
    if options.json != "-" and not options.quiet:
        shown = "unknown" if expected is None else f"{expected:.12g}"
        emit(f"{options.file}: {names['class']}, expected objective {shown}\n")
        emit(f"{'solver':<10}{'status':<12}{'objective':>22}{'violation':>11}{'seconds':>9}  \n")
        for row in rows:
            objective = "-" if row["objective"] is None else f"{row['objective']:.14g}"
            violation = "-" if row["violation"] is None else f"{row['violation']:.1e}"
            word = "agrees" if row["agrees"] else "DIFFERS"
            emit(
                f"{row['solver']:<10}{row['status']:<12}{objective:>22}{violation:>11}"
                f"{row['seconds']:>9.2f}  {word}\n"
            )
    return 0 if all(row["agrees"] for row in rows) else 1


def predict(options: Options) -> int:
    """``radprog predict``: a CSV with the label and the score of every row."""
    probe_writable(options.output)
    saved = load_fit(options.fit)
    data = read(options.data, like=saved.data, label=options.label)
    cross = None if options.cross is None else read_matrix(options.cross)
    scores = saved.fit.scores(data.X, cross)
    negative, positive = saved.data.labels
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["label", "score"])
    for score in scores:
        writer.writerow([positive if score >= 0 else negative, repr(float(score))])
    with atomic_text(options.output) as stream:
        stream.write(text.getvalue())
    if data.y is not None:
        wrong = int(((scores >= 0) != (data.y > 0)).sum())
        say(options, f"{wrong} of {data.rows} rows wrong ({100 * wrong / data.rows:.2f} %)")
    return 0


def check(options: Options) -> int:
    """``radprog check``: exit code 1 when the result does not hold."""
    report = check_result(read_json(options.result, "a result of radprog solve"), options.data)
    write_or_emit(options.json, report)
    if options.json != "-" and not options.quiet:
        for key in ("objective", "bound"):
            emit(
                f"{key:<10} claimed {report['claimed'][key]!r}, recomputed "
                f"{report['recomputed'][key]!r}\n"
            )
        emit(f"{'gap':<10} {report['recomputed']['gap']!r}\n")
        emit("the certificate holds\n" if report["holds"] else "the result DOES NOT HOLD: ")
        if not report["holds"]:
            emit("; ".join(report["problems"]) + "\n")
    return 0 if report["holds"] else 1


def tune(options: Options) -> int:
    """``radprog tune``: a table of scores, the choice, and optionally its fit on all rows."""
    entry = entry_named(options.model)
    base = model_options(options, entry)
    specs = parse_grid(entry.name, options.grid, base)
    for target in (options.json, options.save):
        if target is not None and target != "-":
            probe_writable(target)
    data = read_data(options, entry)
    screen = console()
    with (
        interruptible() as flag,
        Progress(
            TextColumn("fits"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
            console=screen,
            transient=True,
            disable=options.quiet or not screen.is_terminal,
        ) as bar,
    ):
        task = bar.add_task("fits", total=None)
        settings = settings_of(options, entry, interrupted=lambda: bool(flag))
        table = tune_settings(
            entry.name,
            specs,
            data,
            settings,
            folds=options.folds,
            protocol=options.protocol,
            by=options.by,
            watch=lambda done, total: bar.update(task, completed=done, total=total),
        )
    table["data"] = {"name": data.name, "sha256": data.sha256, "rows": data.rows}
    write_or_emit(options.json, table)
    best = table["best"]
    lines = [f"best of {len(specs)} settings on {table['folds_finished']} rounds: {best['params']}"]
    lines += best_cells(table)
    lines.append(f"validation error {100 * best['error']:.2f} %, {table['ties']} settings tie")
    if best["test_error"] is not None:
        lines.append(
            f"test error {100 * best['test_error']:.2f} % +- {100 * best['test_error_std']:.2f}"
        )
    lines.append(
        f"{best['support_vectors']:.1f} support vectors, {best['coefficients']:.1f} coefficients; "
        + ("every fit certified" if table["certified"] else "NOT every fit is certified")
    )
    if options.by == "bound" and best["score"] >= 1:
        lines.append(f"the bound chosen by is vacuous ({best['score']:.3g})")
    if options.json == "-":
        say(options, *lines)
    elif not options.quiet:
        emit("\n".join(lines) + "\n")
    if options.save is not None and table["complete"]:
        run = entry.fit(specs[table["best_index"]], data, settings)
        SavedFit(model=run.name, data=data, fit=run.fit).save(options.save)
    return 0 if table["complete"] and table["certified"] else 1


def best_cells(table: dict[str, Any], count: int = 10) -> list[str]:
    """The best settings of a tuning table, a line each."""
    cells = sorted(table["cells"], key=lambda cell: cell["score"])
    lines = [f"{'error %':>9} {'+-':>6} {'SVs':>7} {'gap':>9}  settings"]
    for cell in cells[:count]:
        gap = "-" if cell["gap"] is None else f"{cell['gap']:.1e}"
        values = ", ".join(f"{key}={value}" for key, value in cell["params"].items())
        lines.append(
            f"{100 * cell['error']:>9.2f} {100 * cell['error_std']:>6.2f} "
            f"{cell['support_vectors']:>7.1f} {gap:>9}  {values}"
        )
    if len(cells) > count:
        lines.append(f"{'...':>9} {len(cells) - count} more, all with --json")
    return lines


def solvers(options: Options) -> int:
    """``radprog solvers``: the capability table."""
    table = capability_table()
    write_or_emit(options.json, {"schema": 1, "solvers": [asdict(row) for row in table]})
    if options.json != "-" and not options.quiet:
        emit(f"{'solver':<14}{'version':<28}" + "".join(f"{c:<8}" for c in ProblemClass))
        emit(f"{'duals':<8}\n")
        for row in table:
            cells = "".join(f"{row.classes[c]:<8}" for c in ProblemClass)
            version = row.version if row.installed else "not installed"
            emit(f"{row.name:<14}{version:<28}{cells}{row.duals:<8}{row.note}\n")
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
    """``radprog reproduce``: a paper's table beside ours."""
    folder = catalogue.data_folder() if options.data is None else Path(options.data)
    screen = console()
    with Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=screen,
        transient=True,
        disable=options.quiet or not screen.is_terminal,
    ) as bar:
        task = bar.add_task("fits", total=None)
        rows = vkr_table(
            folder,
            options.sets.split(","),
            settings=RunSettings(seed=options.seed),
            watch=lambda label, done, total: bar.update(
                task, description=label, completed=done, total=total
            ),
        )
    write_or_emit(options.json, {"schema": 1, "table": options.table, "rows": rows})
    if options.json != "-":
        emit(f"{'data set':<14}{'method':<8}{'error %':>9}{'(paper)':>9}{'SVs':>8}{'(paper)':>9}")
        emit("  settings, ties, certified\n")
        for row in rows:
            emit(
                f"{row['set']:<14}{row['method']:<8}{row['error']:>9.2f}{row['paper_error']:>9.2f}"
                f"{row['support_vectors']:>8.1f}{row['paper_support_vectors']:>9.1f}  "
                f"{row['params']}, {row['ties']}, {row['certified']} of {row['cells']}\n"
            )
    return 0


def demo(options: Options) -> int:
    """``radprog demo``: solve, check, export, verify on the shipped data."""
    from radprog.demo import run_demo

    return run_demo(Path(options.output), quiet=options.quiet)
