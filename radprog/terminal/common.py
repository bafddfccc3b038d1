"""Common parts of the commands: groups of options, and their values."""

from __future__ import annotations

import argparse
import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import MISSING, Field, fields
from typing import TYPE_CHECKING, Any

from radprog.base.errors import OptionError
from radprog.terminal.parser import add_parser

if TYPE_CHECKING:
    from radprog.catalog import Entry
    from radprog.decompositions.run import Spec
    from radprog.decompositions.sweeps.sharing import Sharing
    from radprog.instances.dataset import Dataset
    from radprog.models.constraints import Constraint

Options = argparse.Namespace
WORKERS = ("jobs", "scheduler", "checkpoint")
JsonObject = Mapping[str, Any]


def add_models(
    parser: argparse.ArgumentParser,
    help: str,
    options: Callable[[argparse.ArgumentParser, Entry], None],
    examples: Callable[[Entry], Sequence[str]],
    offered: Callable[[Entry], bool] = lambda entry: True,
    ability: str = "",
) -> Any:
    """Add a sub-parser for each model of a command, and return the action of the sub-parsers.

    ``ability`` is the key of ``Entry.instead`` for models without the command.
    """
    from radprog.base.settings import about
    from radprog.catalog import CATALOG

    # options of a model are added when its parser is first used
    subparsers: Any = parser.add_subparsers(dest="model", metavar="MODEL", required=True)
    for entry in CATALOG.values():
        if not offered(entry) and ability in entry.instead:
            subparsers.above.instead[entry.name] = entry.instead[ability]
        elif offered(entry):

            def fill(parser: argparse.ArgumentParser, entry: Entry = entry) -> None:
                options(parser, entry)

            add_parser(
                subparsers,
                entry.name,
                f"{help}: {entry.title}",
                examples(entry),
                fill,
                about=about(entry.spec),
            )
    return subparsers


def flag(name: str) -> str:
    """The command-line option of a field."""
    return "--" + name.replace("_", "-")


DATA = "CSV, TSV, svmlight, ARFF or Parquet"
SERIES = "series: UCR .tsv or .txt, .ts; bags of patterns: .npz; tables for learners of tables"


def add_data(parser: argparse.ArgumentParser, entry: Entry) -> None:
    """Add the argument DATA, which is optional for some models."""
    others = (
        ", several joined by commas as views, or .npz of kernel matrices; omitted with "
        + " or ".join(f"--{name}" for name in entry.in_place_of_data)
        if entry.in_place_of_data
        else ""
    )
    nargs = "?" if entry.in_place_of_data else None
    parser.add_argument(
        "data", metavar="DATA", nargs=nargs, help=(SERIES if entry.stratified else DATA) + others
    )


def add_form(parser: argparse.ArgumentParser, entry: Entry) -> None:
    """Add the option for the form of the program, with a line for each form."""
    from radprog.wiring import form_words

    words = form_words(entry.wiring, entry.name)
    about = "\n".join(f"{form:<14}{words.get(form, '')}".rstrip() for form in entry.forms)
    others = ", or the variant's first" if hasattr(entry.spec, "written") else ""
    group = parser.add_argument_group(f"forms of {entry.name}, with the paper's equations", about)
    group.add_argument("--form", choices=entry.forms, help=f"default {entry.forms[0]}{others}")


def add_model_options(
    parser: argparse.ArgumentParser, entry: Entry, leave_out: Sequence[str] = ()
) -> None:
    """Add the options of the model, which are the fields of its settings."""
    group = parser.add_argument_group(f"options of {entry.name}")
    # every field of the settings is an option, except those about rows of the data
    for field in fields(entry.spec):
        if field.name in leave_out or field.metadata["parse"] is None:
            continue
        default = None if field.default is MISSING else field.default
        # a switch: its flag says the opposite of the default
        if isinstance(default, bool):
            group.add_argument(
                flag(f"no_{field.name}" if default else field.name),
                dest=field.name,
                action="store_const",
                const=not default,
                default=argparse.SUPPRESS,
                help=f"omit the {field.name}" if default else field.metadata["help"],
            )
            continue
        shown = "" if default is None else f" (default {default})"
        group.add_argument(
            flag(field.name),
            dest=field.name,
            type=field.metadata["parse"],
            default=argparse.SUPPRESS,
            help=field.metadata["help"] + shown,
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
        "mean:MOST, rate:SHARE, cap:KERNELS:LIMIT; repeatable",
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
    return entry.constrained(spec, data, constraints_of(options))


def add_data_options(
    parser: argparse.ArgumentParser, names: Sequence[str], title: str = "data options"
) -> None:
    """Add the named options for reading data, as a group with this title."""
    from radprog.instances.scaling import SCALING_WORDS, SCALINGS
    from radprog.instances.tabular import DECIMALS, HEADERS
    from radprog.instances.tabular import MISSING as MISSING_RULES

    helps: Mapping[str, dict[str, Any]] = {
        "label": {
            "metavar": "COLUMN",
            "help": "label column: last, first, none, name, or number from 0 (default last; for "
            "series first)",
        },
        "scale": {
            "choices": SCALINGS,
            "help": "scaling, fitted to the training rows (default none). "
            + "; ".join(f"{name}: {words}" for name, words in SCALING_WORDS.items()),
        },
        "missing": {"choices": MISSING_RULES, "help": "treatment of missing cells (default error)"},
        "categorical": {
            "metavar": "COLUMN,...",
            "help": "text columns, by names or numbers from 0, with a feature 0 or 1 for each "
            "level; auto: all columns with a text",
        },
        "decimal": {
            "choices": DECIMALS,
            "help": "decimal mark (default .); with a comma, tabs, semicolons or blanks separate "
            "cells",
        },
        "header": {
            "choices": HEADERS,
            "help": "whether the first row of a text file has names (default auto)",
        },
        "positive": {
            "metavar": "LABEL",
            "help": "the label of +1 (default: the second in order)",
        },
        "one_vs_rest": {
            "action": "store_true",
            "default": None,
            "help": "accept more than two classes, with one classifier per class",
        },
        "strings": {
            "metavar": "COLUMN",
            "help": "text column for the kernel edit, by name or number from 0",
        },
        "weights": {
            "metavar": "COLUMN",
            "help": "column of row weights, by name or number from 0 (default: all 1)",
        },
        "views": {
            "metavar": "A,B",
            "help": "files of several views of the same points, in place of DATA",
        },
        "classes": {"metavar": "LIST", "help": "two or more labels to keep (default all)"},
    }
    group = parser.add_argument_group(title)
    for name in names:
        group.add_argument(flag(name), **helps[name])


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
        how, text = settings[name].metadata, help or settings[name].metadata["help"]
        text = text() if callable(text) else text
        parser.add_argument(flag(name), type=how["parse"], help=text, metavar=how["metavar"])


def add_run_options(
    parser: argparse.ArgumentParser, entry: Entry, time_limit: str | None = None
) -> None:
    """Add all settings of a run. ``time_limit`` describes the work that the limit applies to."""
    group, others = parser.add_argument_group("run options"), ", or the variant's first"
    for name, field in _settings().items():
        if name == "method":
            group.add_argument(
                "--method",
                choices=entry.methods,
                help=f"default {entry.methods[0]}" + others * hasattr(entry.spec, "written"),
            )
        elif name == "solver_options":
            look = {key: field.metadata[key] for key in ("help", "metavar")}
            look |= {"dest": name, "action": "append", "default": []}
            group.add_argument("--solver-option", **look)
        else:
            add_settings(group, **{name: time_limit if name == "time_limit" else None})


def add_sharing(parser: argparse.ArgumentParser, *, checkpoint: bool = True) -> None:
    """Add the options for workers and checkpoints."""
    from radprog.decompositions.sweeps.sharing import ALL, parse_jobs

    group = parser.add_argument_group("workers")
    group.add_argument(
        "--jobs",
        type=parse_jobs,
        default=1,
        metavar="N|all",
        help=f"number of processes, or {ALL} for one per core (default 1); the result is the same",
    )
    group.add_argument(
        "--scheduler",
        metavar="ADDRESS",
        help="Dask cluster in place of --jobs: local, tls://HOST:PORT, or the FILE.json of "
        "dask scheduler --scheduler-file",
    )
    if not checkpoint:
        return
    group.add_argument(
        "--checkpoint",
        metavar="DIR",
        help="folder for finished parts, from which a killed command continues",
    )


def sharing_of(options: Options) -> Sharing:
    """The workers, from the options of the command line."""
    from radprog.decompositions.sweeps.sharing import Sharing

    logging.getLogger("radprog").setLevel(logging.ERROR if options.quiet else logging.WARNING)
    return Sharing(**chosen(options, *WORKERS))


def chosen(options: Options, *names: str) -> dict[str, Any]:
    """The values of some options by name; the value is None if the command has no such option."""
    return {name: getattr(options, name, None) for name in names}


def present(options: Options, names: Iterable[str]) -> dict[str, Any]:
    """The values of the given options that are set on the command line, by name."""
    return {name: value for name in names if (value := getattr(options, name)) is not None}


def add_output(parser: argparse.ArgumentParser, metavar: str, help: str, **more: Any) -> None:
    """Add the option for the output file or folder. It is required if it has no default."""
    more = more or {"required": True}
    parser.add_argument("-o", "--output", metavar=metavar, help=help, **more)


def add_force(parser: argparse.ArgumentParser) -> None:
    """Add the option to overwrite data files that have other content."""
    parser.add_argument(
        "--force", action="store_true", help="also replace data files that have other content"
    )


def add_talk_options(parser: argparse.ArgumentParser) -> None:
    """Add the options for the amount of output."""
    group = parser.add_argument_group("messages")
    either = group.add_mutually_exclusive_group()
    either.add_argument(
        "-q", "--quiet", action="store_true", help="no progress, no summary, no warnings"
    )
    either.add_argument(
        "-v", "--verbose", action="store_true", help="one line per iteration or fit"
    )
    group.add_argument("--debug", action="store_true", help="show the traceback of an error")


def locate_data(options: Options, entry: Entry) -> tuple[str, ...]:
    """If DATA is missing, take the files from another option, and return them.

    Raises OptionError without data, for ``grams`` of another format, or if ``grams`` is set
    together with DATA or ``views``.
    """
    from radprog.instances.dataset import MATRICES, file_list

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
    return tuple(file_list(options.data))


def read_data(options: Options, entry: Entry) -> Dataset:
    """The data set of the command."""
    how = present(options, entry.data_options) | chosen(options, *entry.read_by)
    data: Dataset = entry.read(options.data, **how)
    return data


def in_time(
    options: Options, call: Callable[[], Any], interrupted: Callable[[], bool] = lambda: False
) -> tuple[Any, float]:
    """The result of ``call``, and the seconds since the start of the command.

    These seconds count towards the time limit. Raises UnfinishedError if they exceed the limit, or
    after an interrupt.
    """
    from radprog.decompositions.loop import Budget, first_step

    # the limit runs since the command began
    budget = Budget(options.time_limit, interrupted=interrupted, started=options.began)
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
    """The settings of a run on the command line."""
    settings = present(options, (name for name in _settings() if name != "solver_options"))
    solver_options = {}
    for text in options.solver_options:
        key, equals, value = text.partition("=")
        if not equals or not key:
            raise OptionError(f"solver option '{text}': expected K=V")
        solver_options[key] = value
    return {**settings, "solver_options": solver_options}
