"""Common parts of the commands: groups of options, and their values."""

from __future__ import annotations

import argparse
import functools
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import MISSING, Field, fields
from functools import partial
from typing import TYPE_CHECKING, Any

from radprog.base.errors import OptionError
from radprog.terminal.parser import add_parser

if TYPE_CHECKING:
    from radprog.catalog import Entry
    from radprog.decompositions.run import Spec
    from radprog.instances.dataset import Dataset
    from radprog.models.constraints import Constraint

Options = argparse.Namespace
WORKERS = ("jobs", "scheduler", "checkpoint")
JsonObject = Mapping[str, Any]


def add_models(
    parser: argparse.ArgumentParser,
    help: str,
    options: Callable[[argparse.ArgumentParser, Entry], None],
    examples: Sequence[str],
    offered: Callable[[Entry], Any] = lambda entry: True,
) -> Any:
    """Add a sub-parser for each offered model of a command, and return the action of the
    sub-parsers.

    ``examples`` have the placeholder ``entry``, with its fields.
    """
    from radprog.base.settings import about
    from radprog.catalog import CATALOG, added_models

    subparsers: Any = parser.add_subparsers(dest="model", metavar="MODEL", required=True)

    def fill(entry: Entry, parser: argparse.ArgumentParser) -> None:
        options(parser, entry)
        unused = getattr(entry.spec, "unused", {})
        hide(parser, set.intersection(*({*unused.get(method, ())} for method in entry.methods)))

    def add(entries: Iterable[Entry]) -> None:
        """Add the sub-parsers of models, whose options are added when they are first used."""
        for entry in filter(offered, entries):
            add_parser(
                subparsers,
                entry.name,
                f"{help}: {entry.title}",
                [example.format(entry=entry) for example in examples],
                partial(fill, entry),
                about=about(entry.spec),
            )

    add(CATALOG.values())
    # models of other packages: at a name that is not one of these, and in the help
    subparsers.owner.add_rare = lambda: add(added_models().values())
    return subparsers


def hide(parser: argparse.ArgumentParser, names: Collection[str]) -> None:
    """Leave options out of the help, which a model refuses by name."""
    for action in parser._actions:
        if action.dest in names:
            action.help = argparse.SUPPRESS


def flag(name: str) -> str:
    """The command-line option of a field."""
    return "--" + name.replace("_", "-")


#: Options with a file, and its name in the help.
FILES = {
    "json": "FILE|-",
    "csv": "FILE",
    "save": "FIT",
    "start": "FIT",
    "data": "DATA",
    "test": "DATA2",
    "plot": "FILE.png",
    "cross": "FILE.npy",
    "analysis": "FILE.json",
    "prove": "OUT.vipr",
    "dual_sol": "SOL2",
    "dual_names": "NAMES2.json",
}


def add_files(parser: Any, **helps: str) -> None:
    """Add options with a file, each with its help text."""
    for name, help in helps.items():
        parser.add_argument(flag(name), metavar=FILES[name], help=help)


def add_data(parser: argparse.ArgumentParser, entry: Entry) -> None:
    """Add the argument DATA, which is optional for some models."""
    help = "CSV, TSV, svmlight, ARFF or Parquet"
    if entry.stratified:
        help = (
            "series: UCR .tsv or .txt, .ts; bags of patterns: .npz; tables for learners of tables"
        )
    if places := " or ".join(f"--{name}" for name in entry.in_place_of_data):
        help += ", several joined by commas as views, or .npz of kernel matrices; "
        help += f"omitted with {places}"
    parser.add_argument("data", metavar="DATA", nargs="?" if places else None, help=help)


def add_form(parser: argparse.ArgumentParser, entry: Entry) -> None:
    """Add the option for the form of the program, with a line for each form."""
    from radprog.wiring import form_words

    words = form_words(entry.wiring, entry.name)
    text = "\n".join(f"{form:<14}{words.get(form, '')}".rstrip() for form in entry.forms)
    variant = ", or the variant's first" if hasattr(entry.spec, "written") else ""
    group = parser.add_argument_group(f"forms of {entry.name}, with the paper's equations", text)
    group.add_argument("--form", choices=entry.forms, help=f"default {entry.forms[0]}{variant}")


def add_model_options(
    parser: argparse.ArgumentParser, entry: Entry, leave_out: Sequence[str] = ()
) -> None:
    """Add the options of the model, which are the fields of its settings."""
    group = parser.add_argument_group(f"options of {entry.name}")
    # every field of the settings is an option, except those about rows of the data
    for field in fields(entry.spec):
        if field.name in leave_out or field.metadata["parse"] is None:
            continue
        name, help = field.name, field.metadata["help"]
        default = None if field.default is MISSING else field.default
        keywords: dict[str, Any] = {"type": field.metadata["parse"]}
        if isinstance(default, bool):
            # a switch: its flag says the opposite of the default
            keywords = {"action": "store_const", "const": not default}
            name, help = (f"no_{name}", f"omit the {name}") if default else (name, help)
        elif default is not None:
            help += f" (default {default})"
        group.add_argument(
            flag(name), dest=field.name, default=argparse.SUPPRESS, help=help, **keywords
        )


def add_constraints(parser: argparse.ArgumentParser, entry: Entry) -> None:
    """Add the options for constraints on the scores, if the model has them."""
    if not hasattr(entry.spec, "constraints"):
        return
    group = parser.add_argument_group("constraints in the scores of the points")
    group.add_argument(
        "--constraint",
        action="append",
        default=[],
        metavar="NAME:...",
        help="parity:COLUMN:EPS, opportunity:COLUMN:EPS, monotone:ROW<ROW, classify:ROWS:MARGIN, "
        "rising:COLUMN, falling:COLUMN, mean:MOST, rate:SHARE, rate:KIND:MOST[:COLUMN] (KIND: "
        "positive, false positive or false negative); repeatable",
    )
    group.add_argument(
        "--constraints",
        dest="constraint_file",
        metavar="FILE",
        help="constraints, one per line: as in --constraint, or a coefficient of each score and "
        "the right-hand side",
    )


def constraints_of(options: Options) -> list[Constraint]:
    """The constraints of the command line, followed by the constraints in the file."""
    from radprog.models.constraints import parse_constraint, read_constraints

    constraints = [parse_constraint(text) for text in getattr(options, "constraint", ())]
    if getattr(options, "constraint_file", None) is not None:
        constraints += read_constraints(options.constraint_file)
    return constraints


def constrained(options: Options, entry: Entry, spec: Spec, data: Any) -> Any:
    """The settings with the constraints of the command line, for the rows of the data."""
    stated = getattr(options, "constraint", ()) or getattr(options, "constraint_file", None)
    return entry.constrained(spec, data, constraints_of(options)) if stated else spec


def add_data_options(
    parser: argparse.ArgumentParser, names: Sequence[str], title: str = "data options"
) -> None:
    """Add the named options for reading data, as a group with this title."""
    from radprog.instances.data import SCALING_WORDS
    from radprog.instances.dataset import WORDS

    texts = {
        "label": "label column: last, first, none, name, or number from 0 (default last; for "
        "series first)",
        "scale": "scaling, fitted to the training rows (default none). "
        + "; ".join(f"{name}: {words}" for name, words in SCALING_WORDS.items()),
        "missing": "treatment of missing cells (default error)",
        "categorical": "text columns, by names or numbers from 0, with a feature 0 or 1 for each "
        "level; auto: all columns with a text",
        "drop": "columns to leave out, such as ids and dates: names joined by commas",
        "decimal": "decimal mark (default .); with a comma, tabs, semicolons or blanks separate "
        "cells",
        "header": "whether the first row of a text file has names (default auto)",
        "positive": "the label of +1 (default: the second in order)",
        "one_vs_rest": "accept more than two classes, with one classifier per class",
        "strings": "text column for the kernel edit, by name or number from 0",
        "weights": "column of row weights, by name or number from 0 (default: all 1)",
        "views": "files of several views of the same points, in place of DATA",
        "classes": "two or more labels to keep (default all)",
    }
    places = {"categorical": "COLUMN,...", "positive": "LABEL", "views": "A,B", "classes": "LIST"}
    group = parser.add_argument_group(title)
    for name in names:
        keywords: dict[str, Any] = {"metavar": places.get(name, "COLUMN")}
        if name in WORDS:
            keywords = {"choices": WORDS[name]}
        elif name == "one_vs_rest":
            keywords = {"action": "store_true", "default": None}
        group.add_argument(flag(name), help=texts[name], **keywords)


@functools.cache
def _settings() -> dict[str, Field[Any]]:
    """The settings of a run that are options."""
    from radprog.decompositions.run import RunSettings

    return {field.name: field for field in fields(RunSettings) if field.metadata["parse"]}


def add_settings(parser: Any, **helps: str | None) -> None:
    """Add settings of a run as options.

    The value in ``helps`` replaces the help text of a setting, unless it is None.
    """
    # parser and help stand in the metadata of the field
    settings = _settings()
    for name, help in helps.items():
        meta, default = settings[name].metadata, settings[name].default
        text = help or meta["help"]
        text = text() if callable(text) else text
        text += f" (default {default:g})" if isinstance(default, float) else ""
        parser.add_argument(flag(name), type=meta["parse"], help=text, metavar=meta["metavar"])


def add_run_options(
    parser: argparse.ArgumentParser, entry: Entry, time_limit: str | None = None
) -> None:
    """Add all settings of a run. ``time_limit`` describes the work that the limit applies to."""
    group = parser.add_argument_group("run options")
    variant = ", or the variant's first" if hasattr(entry.spec, "written") else ""
    for name, field in _settings().items():
        if name == "method":
            help = f"default {entry.methods[0]}{variant}"
            group.add_argument("--method", choices=entry.methods, help=help)
        elif name == "solver_options":
            look = {key: field.metadata[key] for key in ("help", "metavar")}
            group.add_argument("--solver-option", dest=name, action="append", default=[], **look)
        else:
            add_settings(group, **{name: time_limit if name == "time_limit" else None})


def add_sharing(parser: argparse.ArgumentParser, *, checkpoint: bool = True) -> None:
    """Add the options for workers and checkpoints."""
    from radprog.decompositions.sweeps.sharing import ALL, parse_jobs

    group = parser.add_argument_group("workers")
    help = f"number of processes, or {ALL} for one per core (default 1); the result is the same"
    group.add_argument("--jobs", type=parse_jobs, metavar="N|all", help=help)
    help = "Dask cluster in place of --jobs: local, tls://HOST:PORT, or the FILE.json of "
    help += "dask scheduler --scheduler-file"
    group.add_argument("--scheduler", metavar="ADDRESS", help=help)
    if checkpoint:
        help = "folder for finished parts, from which a killed command continues"
        group.add_argument("--checkpoint", metavar="DIR", help=help)


def chosen(options: Options, *names: str) -> dict[str, Any]:
    """The values of some options by name, without those that were not set."""
    return {name: value for name in names if (value := getattr(options, name, None)) is not None}


def add_output(parser: argparse.ArgumentParser, metavar: str, help: str, **keywords: Any) -> None:
    """Add the option for the output file or folder. It is required if it has no default."""
    keywords = keywords or {"required": True}
    parser.add_argument("-o", "--output", metavar=metavar, help=help, **keywords)


def read_model(options: Options, entry: Entry) -> tuple[Dataset, float]:
    """The data set of the command, and the seconds since the start of the command.

    If DATA is missing, the files of another option take its place. Raises OptionError without data,
    for ``grams`` of another format, or if ``grams`` is set together with DATA or ``views``.
    """
    from radprog.instances.dataset import MATRICES

    # options with files in place of DATA
    places = {name: getattr(options, name, None) for name in entry.in_place_of_data}
    if places.get("grams") is not None and (options.data or places.get("views")):
        raise OptionError("grams: the matrices stand in place of DATA and views, leave them out")
    if not str(places.get("grams") or MATRICES).endswith(MATRICES):
        raise OptionError(f"grams '{places['grams']}': expected {MATRICES} of kernel matrices")
    for place in places.values():
        options.data = options.data or place
    if options.data is None:
        raise OptionError(
            "the following argument is required: DATA, or one of "
            f"{', '.join('--' + name for name in places)} (see 'radprog {options.command} "
            f"{entry.name} --help')"
        )
    reading = chosen(options, *entry.data_options, *entry.read_by)
    # the time limit of an analysis is of each program that is solved
    if options.command == "analyze":
        return entry.hooks.read(options.data, **reading), 0.0
    return in_time(options, lambda: entry.hooks.read(options.data, **reading))


def in_time(
    options: Options, call: Callable[[], Any], interrupted: Callable[[], bool] = lambda: False
) -> tuple[Any, float]:
    """The result of ``call``, and the seconds since the start of the command.

    These seconds count towards the time limit. Raises UnfinishedError if they exceed the limit, or
    after an interrupt.
    """
    from radprog.decompositions.loop import Budget, first_step

    # the limit runs since the command began
    limit = getattr(options, "time_limit", None)
    if limit is not None and not limit > 0:
        raise OptionError(f"time_limit {limit:g}: expected a positive number")
    budget = Budget(limit, interrupted=interrupted, started=options.began)
    with first_step(budget):
        return call(), budget.seconds


def model_options(options: Options, entry: Entry) -> dict[str, Any]:
    """The model's own options on the command line."""
    return {
        field.name: getattr(options, field.name)
        for field in fields(entry.spec)
        if hasattr(options, field.name)
    }


def run_options(options: Options) -> dict[str, Any]:
    """The settings of a run and of its workers on the command line."""
    settings, solver_options = chosen(options, *_settings(), *WORKERS), {}
    for text in options.solver_options:
        key, equals, value = text.partition("=")
        if not equals or not key:
            raise OptionError(f"solver option '{text}': expected K=V")
        solver_options[key] = value
    return {**settings, "solver_options": solver_options}
