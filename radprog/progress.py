"""Progress on stderr: a live line on a terminal, otherwise a line per minute or per iteration."""

from __future__ import annotations

import math
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import TYPE_CHECKING, Any

from radprog.decompositions.loop import Observer, Record

if TYPE_CHECKING:  # rich costs a tenth of a second, and only a terminal needs it
    from rich.text import Text

Counter = Callable[[str, int, int], None]

LINE_SECONDS = 60.0  # seconds between lines without a live display


def describe(record: Record) -> str:
    """One iteration in one line."""

    def number(value: float | None) -> str:
        return "-" if value is None else f"{value:.9g}"

    gap = "-" if record.gap is None else f"{record.gap:.1e}"
    columns = record.detail.get("columns")
    extra = "" if columns is None else f"  columns {columns:.0f}"
    if "seconds_left" in record.detail:
        of, left = record.detail["of"], record.detail["seconds_left"]
        done = record.detail.get("done", record.detail.get("cells", 0.0))
        extra += f"  {done:.0f} of {of:.0f} done, about {left:.0f} s left"
    return (
        f"{record.iteration:4d}  {record.seconds:8.2f} s  objective {number(record.objective)}  "
        f"bound {number(record.bound)}  gap {gap}{extra}"
    )


def time_left(tol: float) -> Callable[[Record], float | None]:
    """A function that estimates the seconds until the gap is ``tol``, from the last ten rounds.

    The estimate is None if the gap is unknown or does not decrease.
    """
    seen: deque[tuple[float, float]] = deque(maxlen=10)

    def left(record: Record) -> float | None:
        if record.gap is None or record.gap <= 0 or tol <= 0:
            return None
        # the logarithm of the gap falls about linearly in time
        seen.append((record.seconds, math.log(record.gap)))
        (began, before), (now, level) = seen[0], seen[-1]
        if len(seen) < 3 or level >= before:  # fewest rounds for this estimate
            return None
        return max(0.0, (level - math.log(tol)) * (now - began) / (before - level))

    return left


def one_line(text: str) -> Text:
    """The text, shortened to the width of the terminal."""
    from rich.text import Text

    return Text(text, no_wrap=True, overflow="ellipsis")


def phase(what: str, *, quiet: bool, verbose: bool) -> AbstractContextManager[Any]:
    """A live line with the name of the current phase; only on terminals."""
    if quiet or verbose or not sys.stderr.isatty():
        return nullcontext()
    from rich.console import Console

    return Console(stderr=True, highlight=False).status(what)


def in_lines(every: float = 0.0) -> Observer:
    """An observer that prints one line per iteration, but at most one in ``every`` seconds.

    If the estimated remaining time exceeds ``every``, it also prints the first iteration.
    """
    last = time.monotonic()

    def show(record: Record) -> None:
        nonlocal last
        long = not record.iteration and record.detail.get("seconds_left", 0.0) > every
        if long or time.monotonic() - last >= every:
            last = time.monotonic()
            sys.stderr.write(describe(record) + "\n")

    return show


@contextmanager
def progress(*, quiet: bool, verbose: bool, tol: float = 0.0) -> Iterator[Observer]:
    """An observer of iterations: silent, one line each, or one live line.

    The live line has the estimated seconds until the gap is ``tol``. Without a terminal there is
    one line per minute.
    """
    if quiet:
        yield lambda record: None
    elif verbose or not sys.stderr.isatty():
        yield in_lines(0.0 if verbose else LINE_SECONDS)
    else:
        from rich.console import Console
        from rich.live import Live

        screen = Console(stderr=True, highlight=False)
        # a live line, with the estimated remaining seconds
        left = time_left(tol)
        first = one_line("kernels, first round")
        with Live(first, console=screen, transient=True, refresh_per_second=8) as live:

            def show(record: Record) -> None:
                seconds = None if "seconds_left" in record.detail else left(record)
                soon = "" if seconds is None else f"about {seconds:.0f} s left "
                live.update(one_line(soon + describe(record)))

            yield show


@contextmanager
def bar(what: str, *, silent: bool, start: bool = False) -> Iterator[Counter]:
    """A function of a unit's label, and of the finished and all units of a sweep.

    It moves a progress bar on terminals; elsewhere, unless ``silent``, it prints one line per
    minute. With ``start``, it also prints a line at the first unit.
    """
    if silent or not sys.stderr.isatty():
        began = time.monotonic()
        due = began if start else began + LINE_SECONDS  # of the next line

        def print_line(label: str, done: int, total: int) -> None:
            nonlocal due
            now = time.monotonic()
            if not silent and now >= due:
                due = now + LINE_SECONDS
                sys.stderr.write(f"{label}: {done} of {total}, {now - began:.0f} s\n")

        yield print_line
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

    columns = "{task.description}", BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
    screen = Console(stderr=True, highlight=False)
    with Progress(*columns, console=screen, transient=True) as shown:
        task = shown.add_task(what, total=None)
        yield lambda label, done, total: shown.update(
            task, description=label, completed=done, total=total
        )
