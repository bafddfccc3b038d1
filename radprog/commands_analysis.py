"""The commands ``load``, ``analyze``, ``price`` and ``report``."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

from radprog.analysis.case import analyze as analyze_program
from radprog.analysis.paths import path_block, plot_path
from radprog.analysis.text import analysis_lines, path_lines
from radprog.catalog import Entry, entry_named
from radprog.commands import (
    Options,
    emit,
    locate_data,
    model_options,
    need_points,
    probe,
    read_data,
    say,
    settings_of,
    show,
    write_or_emit,
)
from radprog.decompositions.loop import certified_by
from radprog.decompositions.parametric import MOST_ROWS
from radprog.figures import FORMATS
from radprog.instances.errors import DataError, OptionError, RadprogError
from radprog.loading import load as load_solution
from radprog.progress import interruptible
from radprog.report import report_page
from radprog.result import result_of
from radprog.saved import SavedFit, StoredRun, read_json, to_json, write_all
from radprog.solvers.program import Status
from radprog.text import price_lines, summary_lines

DECIDED = (Status.OPTIMAL, Status.INFEASIBLE, Status.UNBOUNDED)  # a program was analysed whole


def load(options: Options) -> int:
    """``radprog load``: exit code 1 when the file claims what its point is not worth, or when its
    duals do not certify it."""
    inputs = (
        options.solution,
        options.names,
        options.data,
        options.dual_sol,
        options.dual_names,
    )
    probe(options.json, options.save, inputs=inputs)
    loaded = load_solution(
        options.solution,
        options.names,
        options.data,
        dual_solution=options.dual_sol,
        dual_names=options.dual_names,
        **{
            name: value
            for name in ("tol", "abs_tol")
            if (value := getattr(options, name)) is not None
        },
    )
    run = loaded.run
    result = result_of(run, loaded.data, loaded.settings)
    files = {}
    if options.json not in (None, "-"):
        files[options.json] = to_json(result)
    if options.save is not None:
        saved = SavedFit(model=run.name, data=loaded.data, fit=run.fit)
        files[options.save] = saved.to_json()
    write_all(files)
    if options.json == "-":
        emit(to_json(result))
    say(options, *(f"radprog: warning: {text}" for text in result["warnings"]))
    show(options, summary_lines(result))
    return 0 if loaded.agrees is not False and (run.certified or run.bound is None) else 1


def analyze(options: Options) -> int:
    """``radprog analyze``: exit code 1 when the solver was stopped before it could tell."""
    entry = entry_named(options.model)
    spec = entry.spec(**model_options(options, entry))
    if options.method not in (None, entry.methods[0], *entry.exporters):
        raise OptionError(f"method '{options.method}': programs are built by {entry.methods[0]}")
    if options.top < 0:
        raise OptionError(f"top {options.top}: expected a number >= 0")
    if getattr(options, "path", None) is not None:
        return _path(options, entry, spec)
    for name in ("validate", "rows", "plot"):
        if getattr(options, name, None) is not None:
            raise OptionError(f"{name} is used with --path alone")
    probe(options.json, options.log, inputs=locate_data(options, entry))
    data = read_data(options, entry)
    with interruptible(quiet=options.quiet) as flag:
        settings = settings_of(options, entry, interrupted=lambda: bool(flag))
        report = analyze_program(spec, data, options.form, options.fix, settings)
    write_or_emit(options.json, report)
    show(options, analysis_lines(report, options.top))
    return 0 if report["status"] in DECIDED else 1


def _path(options: Options, entry: Entry, spec: Any) -> int:
    """``radprog analyze --path``: exit code 1 when it was stopped or is not certified."""
    if options.form is not None or options.fix:
        raise OptionError("form and fix are not used by --path, which solves by decomposition")
    probe(options.json, options.plot, options.log, inputs=(options.data, options.validate))
    if options.plot is not None and Path(options.plot).suffix.lower() not in FORMATS:
        raise OptionError(f"{options.plot}: expected one of {', '.join(FORMATS)}")
    if options.validate is not None:
        need_points(spec, "be validated here")
    data = read_data(options, entry)
    validation = None if options.validate is None else entry.read(options.validate, like=data)
    rows = MOST_ROWS if options.rows is None else options.rows
    with interruptible(quiet=options.quiet) as flag:
        settings = settings_of(options, entry, interrupted=lambda: bool(flag))
        block = path_block(entry, spec, data, settings, options.path, validation, rows)
    block |= {"schema": 1, "model": entry.name}
    block["data"] = {"name": data.name, "sha256": data.sha256, "rows": data.rows}
    if options.plot is not None:
        plot_path(block, options.plot)
    write_or_emit(options.json, block)
    say(options, *(f"radprog: warning: {text}" for text in [*data.warnings, *block["warnings"]]))
    show(options, path_lines(block))
    return 0 if block["certified"] else 1


def price(options: Options) -> int:
    """``radprog price``: what each candidate could improve at most."""
    result = read_json(options.result, "a result of radprog solve")
    stored = StoredRun.of(result, options.result)
    candidates = getattr(options, stored.entry.priced)
    if stored.entry.pricer is not None and candidates is None:
        raise OptionError(f"{stored.entry.name} is priced by --{stored.entry.priced}")
    path = options.data or str(Path(options.result).with_name(Path(stored.name).name))
    probe(options.json, inputs=(options.result, path))
    if options.data is None and not Path(path).is_file():
        raise DataError(f"{path}: not found: give the data of {options.result} as --data DATA")
    data = stored.read(path)
    if data.sha256 != stored.sha256:
        raise DataError(f"{path}: another file than {options.result} was made on: hashes differ")
    try:
        priced = stored.entry.price(
            stored.spec, data, stored.evidence, stored.seed, candidates or ""
        )
    except RadprogError:
        raise
    except (KeyError, TypeError, ValueError, IndexError) as error:
        raise DataError(f"{options.result}: its points have no prices: {error!r}") from None
    tolerances = (stored.tol, stored.abs_tol)
    certified = certified_by(priced.objective, priced.bound, *tolerances) is not None
    table = {
        "schema": 1,
        "model": stored.entry.name,
        "data": {"name": data.name, "sha256": data.sha256},
        "objective": priced.objective,
        "bound": priced.bound,
        "certified": certified,
        "floor": priced.floor,
        "maximise": priced.maximise,
        "rows": [
            {**asdict(row), "useless": certified and row.keeps_bound} for row in priced.candidates
        ],
        "warnings": priced.warnings,
    }
    write_or_emit(options.json, table)
    say(options, *(f"radprog: warning: {text}" for text in priced.warnings))
    show(options, price_lines(table))
    return 0


def report(options: Options) -> int:
    """``radprog report``: one self-contained page about a result."""
    if not options.output.lower().endswith((".html", ".htm")):
        raise OptionError(f"{options.output}: expected a file that ends in .html")
    probe(options.output, inputs=(options.result, options.analysis))
    result = read_json(options.result, "a result of radprog solve")
    analysis = options.analysis and read_json(options.analysis, "what analyze --json wrote")
    write_all({options.output: report_page(result, options.result, analysis)})
    say(options, f"{options.output}: a page that needs no other file")
    return 0
