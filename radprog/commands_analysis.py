"""The commands ``load`` and ``analyze``."""

from __future__ import annotations

from radprog.analysis import analyze as analyze_program
from radprog.catalog import entry_named
from radprog.commands import (
    Options,
    emit,
    model_options,
    probe,
    read_data,
    say,
    settings_of,
    show,
    write_or_emit,
)
from radprog.instances.errors import OptionError
from radprog.loading import load as load_solution
from radprog.progress import interruptible
from radprog.result import result_of
from radprog.saved import SavedFit, to_json, write_all
from radprog.solvers.program import Status
from radprog.text import summary_lines
from radprog.text_analysis import analysis_lines

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
    if options.method not in (None, entry.methods[0]):
        raise OptionError(f"method '{options.method}': programs are built by {entry.methods[0]}")
    if options.top < 0:
        raise OptionError(f"top {options.top}: expected a number >= 0")
    probe(options.json, options.log, inputs=(options.data,))
    data = read_data(options, entry)
    with interruptible(quiet=options.quiet) as flag:
        settings = settings_of(options, entry, interrupted=lambda: bool(flag))
        report = analyze_program(spec, data, options.form, options.fix, settings)
    write_or_emit(options.json, report)
    show(options, analysis_lines(report, options.top))
    return 0 if report["status"] in DECIDED else 1
