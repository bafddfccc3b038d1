"""``radprog export``: build a program and write it for any solver."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from radprog.base.errors import OptionError
from radprog.terminal import common
from radprog.terminal.common import Options
from radprog.terminal.output import header_lines, interruptible_to_the_end, say

if TYPE_CHECKING:
    from radprog.catalog import Entry

HELP = "build a program and write it for any solver"
EXAMPLES = ("export vkr train.csv --scale ball --form dual -o train.mps",)
EACH = ("export {entry.name} {entry.example} --form {entry.forms[0]} -o program.mps",)


def add(parser: argparse.ArgumentParser) -> None:
    """Add a sub-parser for each model that has programs."""
    common.add_models(parser, "export", _options, EACH, lambda entry: entry.forms)


def _options(parser: argparse.ArgumentParser, entry: Entry) -> None:
    common.add_data(parser, entry)
    common.add_form(parser, entry)
    common.add_output(parser, "FILE", "file to write: .lp or .mps (also .gz), or .nl")
    common.add_model_options(parser, entry)
    common.add_data_options(parser, entry.data_options)
    common.add_constraints(parser, entry)
    common.add_run_options(parser, entry)


def run(options: Options) -> int:
    """Write the file and its names.json; the exit code is 1 after an interrupt."""
    from radprog.catalog import entry_named
    from radprog.decompositions.forms import Origin
    from radprog.decompositions.loop import first_step
    from radprog.decompositions.run import first_form
    from radprog.exporting import export, names_path
    from radprog.solvers.formats.program_writer import check_suffix
    from radprog.terminal.output import progress

    entry = entry_named(options.model)
    spec = entry.spec(**common.model_options(options, entry))
    check_suffix(options.output)
    if options.method not in (None, entry.methods[0], *entry.exporters):
        raise OptionError(f"method '{options.method}': programs are exported by {entry.methods[0]}")
    data, seconds = common.read_model(options, entry)
    spec = common.constrained(options, entry, spec, data)
    spec = entry.with_widths(spec, data)
    interrupted = interruptible_to_the_end(options)
    with progress(quiet=options.quiet, verbose=options.verbose) as observe:
        settings = entry.run_settings(
            **common.run_options(options), observe=observe, interrupted=interrupted, used=seconds
        )  # fmt: skip
        form = options.form or first_form(spec)
        # building and writing end together at the limit: then there is no file
        with first_step(settings.budget()):
            built = entry.form(spec, data, form, settings)
            origin = Origin(spec=spec, data=data, form=form, built=built, seed=settings.seed)
            names = export(origin.keep(), options.output, expected=True)
    code = 1 if interrupted() else 0
    say(options, *getattr(data, "warnings", ()), warning=True)
    say(
        options,
        *header_lines(data),
        *built.notes,
        *f"{options.output}: {names}".splitlines(),
        f"{names_path(options.output)}: the components of its rows and columns",
    )
    return code
