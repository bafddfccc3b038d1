"""``radprog analyze``: print the binding constraints, prices, ranges and conflicts of a program."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from radprog.base.errors import OptionError
from radprog.terminal import common
from radprog.terminal.common import JsonObject, Options
from radprog.terminal.output import finish, interruptible_to_the_end, phase, say
from radprog.terminal.parser import FILE, add_parser

if TYPE_CHECKING:
    from radprog.catalog import Entry

HELP = "what binds, what a unit is worth, how far numbers can move, what conflicts"
EXAMPLES = (
    "analyze vkr train.csv --scale ball --form budget",
    "analyze vkr small.csv --scale ball --path beta=1e-4..1e-1 --plot path.png",
    "analyze plan.mps --time-limit 30 --solutions 3 -o next.sol",
    "analyze plan.mps -o plan.sol --json analysis.json --plot blocks.png",
)
EACH = ("analyze {entry.name} {entry.example} --form {entry.forms[0]}",)
CODES = """exit codes:
  0  answered: an optimum, infeasible with a conflict, or unbounded with a ray
  1  stopped before an answer, infeasible by a solver's claim alone, or a path not certified
  2  a file cannot be read, or has a program of another class: nothing is written
  3  a solver that is not installed, or crashed
"""
SETTINGS = ("solver", "time_limit", "threads", "seed")  # of the solver of a file's program


def add(parser: argparse.ArgumentParser) -> None:
    """Add a sub-parser for each model that has programs, and one for program files."""
    subparsers = common.add_models(
        parser, "analyze a program", _options, EACH, lambda entry: entry.forms
    )
    words = "analyze a linear or quadratic program in a file; the word itself may be left out"

    def options_of_file(parser: argparse.ArgumentParser) -> None:
        parser.add_argument("program", metavar="FILE", help="an .lp or .mps file (.gz too)")
        _add_tables(parser, plot="picture of the matrix, as given and by blocks")
        help = "row that the least repair of an infeasible program keeps, or a pattern: demand*"
        parser.add_argument("--protect", action="append", metavar="ROW", help=help)
        words = "write the point, or those of --solutions, numbered from 1: ANSWER-1.sol and so on"
        common.add_output(parser, "ANSWER.sol", words, default=None)
        common.add_settings(parser, **dict.fromkeys(SETTINGS))

    add_parser(subparsers, FILE, words, EXAMPLES[-2:], options_of_file, CODES)


def _options(parser: argparse.ArgumentParser, entry: Entry) -> None:
    common.add_data(parser, entry)
    common.add_form(parser, entry)
    _add_tables(parser)
    if "path" in entry.can:
        group = parser.add_argument_group("exact path in one parameter")
        help = "the optimum over an interval of a parameter"
        group.add_argument("--path", metavar="NAME=FROM..TO", help=help)
        common.add_files(group, plot="value and trade-off curve")
    common.add_model_options(parser, entry)
    common.add_data_options(parser, entry.data_options)
    common.add_constraints(parser, entry)
    common.add_run_options(parser, entry, time_limit="of each program that is solved")


def _add_tables(parser: argparse.ArgumentParser, **files: str) -> None:
    parser.add_argument("--top", type=int, default=10, help="rows of every table (10)")
    help = "list K solutions with the optimum: the next best with integers, or vertices of its face"
    parser.add_argument("--solutions", type=int, default=0, metavar="K", help=help)
    common.add_files(parser, json="the whole analysis as JSON", **files)


def run(options: Options) -> int:
    """Print the analysis; the exit code is 1 if a limit ended the solver before its answer, or if a
    path is not certified.
    """
    from radprog.analysis.paths import path, path_parts
    from radprog.analysis.program_page import analysis_parts
    from radprog.analysis.programs import analyze
    from radprog.catalog import entry_named

    if options.top < 0:
        raise OptionError(f"top {options.top}: expected a number >= 0")
    if options.model == FILE:
        if options.plot is not None:
            from radprog.decompositions.programs.compact import structure  # loads scipy

            blocks = structure(options.program)
            blocks.plot(options.plot)
            say(options, f"{options.plot}: {blocks.alt}")
        message = (
            f"searching for the optimum of {options.program}: Ctrl-C or --time-limit ends this and "
            "analyzes the best answer; `radprog decompose` may be faster"
        )
        interrupted = interruptible_to_the_end(options)
        with phase(message, quiet=options.quiet):
            settings = common.chosen(options, *SETTINGS, "solutions", "protect", "top")
            report = analyze(options.program, interrupted=interrupted, **settings)
        files = _solution_files(report, options.output)
        say(options, *[f"{name} is written" for name in files])
        lacking = [f"{options.output}: not written, as there is no point"]
        lacking *= options.output is not None and not files
        parts = analysis_parts(report, options.top)
        finish(options, report, parts, files=files, warnings=lacking)
        return _code(report)
    entry = entry_named(options.model)
    spec = entry.spec(**common.model_options(options, entry))
    if options.method not in (None, entry.methods[0], *entry.exporters):
        raise OptionError(f"method '{options.method}': programs are built by {entry.methods[0]}")
    # a path is solved by decomposition, and has options of its own
    pathed = getattr(options, "path", None) is not None
    plot = getattr(options, "plot", None)
    if plot is not None and not pathed:
        raise OptionError("plot is used only with --path")
    if pathed and (options.form is not None or options.solutions):
        raise OptionError(
            "form and solutions are not used by --path, which solves by decomposition"
        )
    data, _ = common.read_model(options, entry)
    spec = entry.constrained(spec, data, common.constraints_of(options))
    settings = common.run_options(options)
    settings["interrupted"] = interruptible_to_the_end(options)
    if pathed:
        block = path(spec, data, options.path, plot=plot, **settings)
        finish(options, block, path_parts(block), data=data, warnings=block["warnings"])
        return 0 if block["certified"] else 1
    report = analyze(
        spec,
        data,
        options.form,
        solutions=options.solutions,
        top=options.top,
        **settings,
    )
    finish(options, report, analysis_parts(report, options.top), data=data)
    return _code(report)


def _solution_files(report: JsonObject, output: str | None) -> dict[str, str]:
    """The file of the point, or of each solution, by its name."""
    from radprog.solvers.formats.solution_reader import solution_text

    if output is None or report["objective"] is None:
        return {}
    if report["solutions"] is None:
        values = {column["name"]: column["value"] + 0.0 for column in report["columns"]}
        return {output: solution_text(report["objective"], values)}
    path = Path(output)
    return {
        str(path.with_name(f"{path.stem}-{k}{path.suffix}")): solution_text(
            solution["objective"], solution["values"]
        )
        for k, solution in enumerate(report["solutions"]["list"], 1)
    }


def _code(report: JsonObject) -> int:
    """The exit code: 0 if the analysis has an answer, and 1 if not."""
    from radprog.solvers.program import Status

    if report["status"] == Status.INFEASIBLE:
        return 0 if report["conflict"] is not None else 1
    decided = (Status.OPTIMAL, Status.UNBOUNDED)  # answers about the whole program
    return 0 if report["claimed_optimal"] or report["status"] in decided else 1
