"""Output of the commands: stdout, stderr, and files that are checked before the work."""

from __future__ import annotations

import csv
import io
import os
import shutil
import sys
import textwrap
from argparse import Namespace as Options
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from radprog.base.errors import OptionError, in_one_line
from radprog.base.sections import Part, text_lines
from radprog.base.writing import probe_writable
from radprog.terminal.colour import coloured, emit
from radprog.terminal.parser import with_options

if TYPE_CHECKING:
    from radprog.decompositions.loop import NamedWatcher


LABEL = 11  # width of the first word of a line, in characters


def say(options: Options, *lines: str) -> None:
    """Print messages to stderr."""
    if not options.quiet:
        for line in lines:
            line = in_one_line(with_options(line, options))
            print(coloured(line, sys.stderr), file=sys.stderr)


def header_lines(data: Any) -> list[str]:
    """Lines that show the row of the table that was read as the header."""
    header = getattr(data, "header", "")
    return [f"header: {header}"] if header else []


def warn(options: Options, warnings: Iterable[str]) -> None:
    """Print warnings to stderr."""
    say(options, *(f"radprog: warning: {text}" for text in warnings))


def wrapped(lines: Iterable[str], width: int) -> list[str]:
    """Lines with long prose wrapped and indented; tables stay unchanged."""
    shown: list[str] = []
    for line in lines:
        # tables and short lines as they are
        label, prose = line[:LABEL], line[LABEL:]
        if len(line) <= width or "  " in prose or line.startswith(" "):
            shown.append(line)
            continue
        # wrapped prose is aligned with its start; a title, with its capital, has no label
        labelled = len(label.split()) == 1 and label.endswith(" ") and label.islower()
        indent = " " * (LABEL if labelled else 2)
        shown += textwrap.wrap(line, width, subsequent_indent=indent, break_on_hyphens=False)
    return shown


def show(options: Options, parts: Iterable[Part]) -> None:
    """Print lines and tables to stdout, or to stderr if the command writes JSON to stdout.

    On a terminal, long prose is wrapped.
    """
    lines = text_lines(parts)
    if options.json == "-":
        say(options, *lines)
    elif not options.quiet:
        # names may hold line breaks
        lines = [in_one_line(with_options(line, options)) for line in lines]
        if sys.stdout.isatty():
            lines = wrapped(lines, shutil.get_terminal_size().columns)
        emit("\n".join(lines) + "\n", for_people=True)


def write_or_emit(
    target: str | None, value: Any, files: Mapping[str, str | bytes] | None = None
) -> None:
    """Write further files and a JSON value. The value goes to a file, to stdout for ``-``, or
    nowhere for None.
    """
    from radprog.result import to_json
    from radprog.saved import write_all

    # all files appear, or none
    together = dict(files or {})
    if target not in (None, "-"):
        together[target] = to_json(value)
    write_all(together)
    if target == "-":
        emit(to_json(value))


def finish(
    options: Options,
    value: Any,
    parts: Iterable[Part],
    *,
    data: Any = None,
    warnings: Iterable[str] = (),
    files: Mapping[str, str | bytes] | None = None,
) -> None:
    """Write the requested files, and print the warnings and the result.

    ``data`` is the data set for :func:`header_lines`.
    """
    write_or_emit(options.json, value, files)
    warn(options, [*getattr(data, "warnings", ()), *warnings])
    show(options, [*header_lines(data), *parts])


#: Options and arguments with files: outputs, which are probed before the work, and inputs.
OUTPUTS = ("output", "json", "csv", "save", "log", "plot", "prove")
INPUTS = (
    *("data", "test", "start", "validate", "constraint_file", "grams", "views", "similarity"),
    *("result", "analysis", "fit", "cross", "program", "answer", "solution", "names"),
    *("dual_sol", "dual_names", "model", "blocks"),
)


def probe(options: Options) -> None:
    """Raise an error for an output that cannot be written, occurs twice, or is also an input."""
    given = {name: str(value) for name, value in vars(options).items() if value is not None}
    # a list of files has commas
    files = [given[name] for name in INPUTS if name in given]
    inputs = [*files, *(path for several in files for path in several.split(","))]
    targets = [given[name] for name in OUTPUTS if name in given and given[name] != "-"]
    # a program has its names beside it
    if options.command == "verify":
        inputs.append(f"{options.program}.names.json")
    if options.command == "export":
        targets.append(f"{options.output}.names.json")
    taken = {os.path.realpath(path) for path in inputs if Path(path).is_file()}
    for target in targets if options.command != "demo" else ():
        probe_writable(target)
        # an output over an input, or over another output
        place = os.path.realpath(target)
        if place in taken and Path(place).is_file() | (not Path(place).exists()):
            raise OptionError(f"{target}: the output would overwrite another file of this command")
        taken.add(place)
    if "plot" in given:
        from radprog.figures import FORMATS  # loads matplotlib

        if Path(given["plot"]).suffix.lower() not in FORMATS:
            raise OptionError(f"{given['plot']}: expected one of {', '.join(FORMATS)}")


@contextmanager
def counted(
    options: Options, what: str, *, start: bool = False
) -> Iterator[tuple[Callable[[], bool], NamedWatcher]]:
    """Two functions: the first returns whether Ctrl-C was pressed, and the second counts the
    finished units of a sweep.

    The counter shows a progress bar on stderr, or one line per minute if stderr is not a terminal.
    With ``start``, it also prints a line at the first unit. With ``--verbose``, it prints a line
    with the remaining time for each unit.
    """
    from radprog.base.limits import interruptible
    from radprog.decompositions.loop import Budget, Pace
    from radprog.progress import bar

    silent = options.quiet or options.verbose
    with interruptible(quiet=options.quiet) as flag, bar(what, silent=silent, start=start) as count:
        clock, pace = Budget(), Pace()

        def watch(label: str, done: int, total: int) -> None:
            count(label, done, total)
            if options.verbose:
                left = pace.left(clock.seconds, done, total)
                say(options, f"{label}: {done} of {total}, about {left:.0f} s left")

        yield lambda: bool(flag), watch


def csv_text(head: Sequence[Any], rows: Iterable[Sequence[Any]]) -> str:
    """A table as CSV."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([head, *rows])
    return text.getvalue()
