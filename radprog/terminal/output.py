"""Output of the commands: stdout, stderr, colours, progress, and files that are checked before the
work.
"""

from __future__ import annotations

import csv
import io
import os
import re
import sys
import time
from argparse import Namespace as Options
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from radprog.base.errors import OptionError, OutputError
from radprog.base.sections import Part, safe, text_lines
from radprog.base.writing import probe_writable

if TYPE_CHECKING:  # rich costs a tenth of a second, and only a terminal needs it
    from rich.text import Text

    from radprog.decompositions.loop import NamedWatcher, Observer, Record

LINE_SECONDS = 60.0  # seconds between lines without a live display
#: A parameter in backticks, alone or with its value; values in quotes are skipped.
PARAMETER = re.compile(r"(?<!\w)'[^']*'(?!\w)|(?<![\w/])`(\w+)(?:=([^`]*))?`(?![\w/]|\.\w)")
#: Coloured texts with their codes of ANSI: failures, unproved results, proved results; the first
#: match decides.
STYLES = (
    (r"^radprog: error:|\bDOES NOT HOLD\b|\bDIFFERS\b|\bNOT FEASIBLE\b|\bBROKEN\b", "1;31"),
    (r"^radprog: warning:|\bnot certified\b|\bnot proved\b", "33"),
    (r"(?<=: )(?:certified\b|optimal(?: within \S+ %)?, proved)|\bthe certificate holds\b", "32"),
)
PATTERN = re.compile("|".join(f"(?P<s{i}>{p})" for i, (p, _) in enumerate(STYLES)), re.MULTILINE)


def coloured(text: str, stream: TextIO) -> str:
    """The text for the stream, in colours on terminals.

    NO_COLOR and FORCE_COLOR override this default.
    """
    terminal = stream.isatty() and os.environ.get("TERM") not in (None, "dumb")
    if os.environ.get("NO_COLOR") or not (os.environ.get("FORCE_COLOR") or terminal):
        return text

    def paint(match: re.Match[str]) -> str:
        code = STYLES[int(str(match.lastgroup)[1:])][1]
        return f"\033[{code}m{match[0]}\033[0m"

    return PATTERN.sub(paint, text)


def emit(text: str, *, for_people: bool = False) -> None:
    """Print the result of a command to stdout.

    On a terminal, control characters are replaced, and text ``for_people`` may be coloured.
    """
    try:
        text = safe(text) if sys.stdout.isatty() else text
        text = coloured(text, sys.stdout) if for_people else text
        sys.stdout.write(text)
        sys.stdout.flush()
    except OSError as error:
        # the reader closed the pipe: later flushes go to the null device
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # nothing more to flush
        if isinstance(error, BrokenPipeError):
            raise
        raise OutputError(f"cannot write to standard output: {error.strerror}") from None


def status_word(status: str, gap: float | None, tol: float) -> str:
    """The status, with a tolerance that is large and used: "optimal within 2 %"."""
    is_loose = status == "optimal" and gap is not None and 1e-4 < gap <= tol
    return f"{status} within {100.0 * tol:g} %" if is_loose else status


def worded(text: str, options: Options) -> str:
    """A message as one safe line, with the options of the command that ran in place of parameters
    in backticks: --time-limit for `time_limit`, and --missing drop for `missing='drop'`.
    """

    def option(match: re.Match[str]) -> str:
        # options of the command, of its model, and of solve, whose results other commands read
        commands = options.parser.subparsers()
        command, model = commands[options.command], getattr(options, "model", None)
        parsers = [command, *(sub for name, sub in command.subparsers().items() if name == model)]
        parsers += commands["solve"].subparsers().values()
        flag = next((flag for parser in parsers if (flag := parser.option_of(match[1]))), None)
        # an option of predict alone, for a fit that --save wrote
        if flag is None and (flag := commands["predict"].option_of(match[1])):
            flag = f"radprog predict {flag}"
        value = (match[2] or "").strip("'\"")
        return match[0] if flag is None else " ".join(filter(None, (flag, value)))

    if "parser" in options:
        text = PARAMETER.sub(option, text)
    # names may hold line breaks
    return safe(text).replace("\n", "\\n")


def say(options: Options, *lines: str, warning: bool = False) -> None:
    """Print messages or warnings to stderr."""
    if not options.quiet:
        for line in lines:
            line = f"radprog: warning: {line}" if warning else line
            print(coloured(worded(line, options), sys.stderr), file=sys.stderr)


def header_lines(data: Any) -> list[str]:
    """Lines that show the row of the table that was read as the header."""
    header = getattr(data, "header", "")
    return [f"header: {header}"] if header else []


def show(options: Options, parts: Iterable[Part]) -> None:
    """Print lines and tables to stdout, or to stderr if the command writes JSON to stdout."""
    lines = text_lines(parts)
    if options.json == "-":
        say(options, *lines)
    elif not options.quiet:
        emit("".join(f"{worded(line, options)}\n" for line in lines), for_people=True)


def interruptible_to_the_end(options: Options) -> Callable[[], bool]:
    """A function: whether Ctrl-C was pressed. From here to the end of the command, a first one ends
    a search, and nothing of the output that follows.
    """
    from radprog.base.limits import interruptible

    pressed: Callable[[], bool] = options.ending.enter_context(interruptible(quiet=options.quiet))
    return pressed


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
    """Write the requested files, then print the warnings and the result. A first Ctrl-C ends
    neither.

    ``data`` is the data set for :func:`header_lines`.
    """
    from radprog.base.limits import stopped_by_ctrl_c

    with stopped_by_ctrl_c():
        write_or_emit(options.json, value, files)
        say(options, *getattr(data, "warnings", ()), *warnings, warning=True)
        show(options, [*header_lines(data), *parts])


#: Options and arguments with files: outputs, which are probed before the work, and inputs.
OUTPUTS = ("output", "json", "csv", "save", "log", "plot", "prove")
INPUTS = (
    *("data", "test", "start", "constraint_file", "grams", "views", "similarity"),
    *("result", "analysis", "fit", "cross", "program", "answer", "solution", "names"),
    *("dual_sol", "dual_names", "model", "blocks"),
)


def probe(options: Options) -> None:
    """Raise an error for an output that cannot be written, occurs twice, or is also an input."""
    values = {name: str(value) for name, value in vars(options).items() if value is not None}
    # a list of files has commas
    files = [values[name] for name in INPUTS if name in values]
    inputs = [*files, *(path for several in files for path in several.split(","))]
    targets = [values[name] for name in OUTPUTS if name in values and values[name] != "-"]
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
    if "plot" in values:
        from radprog.figures import FORMATS  # loads matplotlib

        if Path(values["plot"]).suffix.lower() not in FORMATS:
            raise OptionError(f"{values['plot']}: expected one of {', '.join(FORMATS)}")


def one_line(text: str) -> Text:
    """The text, shortened to the width of the terminal."""
    from rich.text import Text

    return Text(text, no_wrap=True, overflow="ellipsis")


@contextmanager
def phase(text: str, *, quiet: bool, verbose: bool = False) -> Iterator[None]:
    """A live line with the name of the current phase, on a terminal."""
    if quiet or verbose or not sys.stderr.isatty():
        yield
        return
    from rich.console import Console

    with Console(stderr=True, highlight=False).status(text):
        yield


@contextmanager
def progress(*, quiet: bool, verbose: bool) -> Iterator[Observer]:
    """An observer of iterations: silent, one line each, or one live line.

    Without a terminal there is at most one line per minute.
    """
    if quiet:
        yield lambda record: None
        return
    if verbose or not sys.stderr.isatty():
        interval, last = 0.0 if verbose else LINE_SECONDS, time.monotonic()

        def print_line(record: Record) -> None:
            nonlocal last
            if (now := time.monotonic()) - last >= interval:
                last = now
                sys.stderr.write(f"{record}\n")

        yield print_line
        return
    from rich.console import Console
    from rich.live import Live

    screen = Console(stderr=True, highlight=False)
    first = one_line("kernels, first round")
    with Live(first, console=screen, transient=True, refresh_per_second=8) as live:
        yield lambda record: live.update(one_line(str(record)))


@contextmanager
def bar(title: str, *, silent: bool) -> Iterator[Callable[[str, int, int], None]]:
    """A function of a unit's label, and of the finished and all units of a sweep.

    It moves a progress bar on terminals; elsewhere, unless ``silent``, it prints one line per
    minute.
    """
    if silent or not sys.stderr.isatty():
        began = time.monotonic()
        next_line = began + LINE_SECONDS

        def print_line(label: str, count: int, total: int) -> None:
            nonlocal next_line
            now = time.monotonic()
            if not silent and now >= next_line:
                next_line = now + LINE_SECONDS
                sys.stderr.write(f"{label}: {count} of {total}, {now - began:.0f} s\n")

        yield print_line
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

    columns = "{task.description}", BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
    screen = Console(stderr=True, highlight=False)
    with Progress(*columns, console=screen, transient=True) as shown:
        task = shown.add_task(title, total=None)
        yield lambda label, count, total: shown.update(
            task, description=label, completed=count, total=total
        )


@contextmanager
def counted(options: Options, title: str) -> Iterator[tuple[Callable[[], bool], NamedWatcher]]:
    """Two functions: the first returns whether Ctrl-C was pressed, and the second counts the
    finished units of a sweep.

    The counter shows a progress bar on stderr, or one line per minute if stderr is not a terminal.
    With ``--verbose``, it prints a line for each unit. Units of a checkpoint are said.
    """
    silent = options.quiet or options.verbose
    pressed = interruptible_to_the_end(options)
    with bar(title, silent=silent) as count:
        folder = options.checkpoint
        saved = Path(folder or os.devnull)
        stored = countdown = len([*saved.glob("unit-*")])

        def watch(label: str, finished: int, total: int) -> None:
            nonlocal countdown
            count(label, finished, total)
            # the units of the checkpoint are counted first
            countdown -= 1
            if countdown == 0:
                say(options, f"continuing: {stored} units found, {finished} of {total} {label}")
            if options.verbose:
                say(options, f"{label}: {finished} of {total}")

        try:
            yield pressed, watch
        finally:
            if folder and pressed():
                units = len([*saved.glob("unit-*")])
                say(options, f"{units} units are kept in {folder}: the same command continues")


def csv_text(head: Sequence[Any], rows: Iterable[Sequence[Any]]) -> str:
    """A table as CSV."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([head, *rows])
    return text.getvalue()
