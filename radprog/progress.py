"""Progress on stderr: a live line on a terminal, otherwise a line per minute or per iteration."""

from __future__ import annotations

import math
import sys
import time
from collections import deque
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

from rich.console import Console
from rich.live import Live
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.text import Text

from radprog.decompositions.loop import Observer, Record

LINE_SECONDS = 60.0  # seconds between lines without a live display


def console() -> Console:
    """A console for stderr. Cursor codes go only to a terminal, also with FORCE_COLOR."""
    return Console(stderr=True, highlight=False, force_terminal=sys.stderr.isatty())


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


class TimeLeft:
    """An estimate of the seconds until the gap is ``tol``, from the decrease in the last rounds."""

    def __init__(self, tol: float) -> None:
        self.tol = tol
        # rounds for the estimate of the remaining time
        self.seen: deque[tuple[float, float]] = deque(maxlen=10)

    def __call__(self, record: Record) -> float | None:
        """The estimate; None if the gap is unknown or does not decrease."""
        if record.gap is None or record.gap <= 0 or self.tol <= 0:
            return None
        # the logarithm of the gap falls about linearly in time
        self.seen.append((record.seconds, math.log(record.gap)))
        (began, before), (now, level) = self.seen[0], self.seen[-1]
        if len(self.seen) < 3 or level >= before:  # fewest rounds for this estimate
            return None
        return max(0.0, (level - math.log(self.tol)) * (now - began) / (before - level))


def one_line(text: str) -> Text:
    """The text, shortened to the width of the terminal."""
    return Text(text, no_wrap=True, overflow="ellipsis")


def phase(what: str, *, quiet: bool, verbose: bool) -> AbstractContextManager[Any]:
    """A live line with the name of the current phase; only on terminals."""
    screen = console()
    return nullcontext() if quiet or verbose or not screen.is_terminal else screen.status(what)


class Pulse:
    """A function that returns True at most once in ``every`` seconds, and first after ``every``
    seconds.
    """

    def __init__(self, every: float) -> None:
        self.every, self.last = every, time.monotonic()

    def __call__(self) -> bool:
        now = time.monotonic()
        due = now - self.last >= self.every
        self.last = now if due else self.last
        return due


def in_lines(every: float = 0.0) -> Observer:
    """An observer that prints one line per iteration, but at most one in ``every`` seconds.

    If the estimated remaining time exceeds ``every``, it also prints the first iteration.
    """
    screen, due = console(), Pulse(every)

    def show(record: Record) -> None:
        long = not record.iteration and record.detail.get("seconds_left", 0.0) > every
        if due() or long:
            screen.print(describe(record), soft_wrap=True)

    return show


@contextmanager
def progress(*, quiet: bool, verbose: bool, tol: float = 0.0) -> Iterator[Observer]:
    """An observer of iterations: silent, one line each, or one live line.

    The live line has the estimated seconds until the gap is ``tol``. Without a terminal there is
    one line per minute.
    """
    screen = console()
    if quiet:
        yield lambda record: None
    elif verbose or not screen.is_terminal:
        yield in_lines(0.0 if verbose else LINE_SECONDS)
    else:
        # a live line, with the estimated remaining seconds
        left = TimeLeft(tol)
        first = one_line("kernels, first round")
        with Live(first, console=screen, transient=True, refresh_per_second=8) as live:

            def show(record: Record) -> None:
                seconds = None if "seconds_left" in record.detail else left(record)
                soon = "" if seconds is None else f"about {seconds:.0f} s left "
                live.update(one_line(soon + describe(record)))

            yield show


class Bar(Progress):
    """A progress bar on terminals; elsewhere, unless ``silent``, one line per minute.

    With ``start``, there is also a line at the first step.
    """

    def __init__(self, *, silent: bool, start: bool = False) -> None:
        screen = console()
        super().__init__(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
            console=screen,
            transient=True,
            disable=silent or not screen.is_terminal,
        )
        self._first, self._due = start, Pulse(LINE_SECONDS)
        self._lines = self.disable and not silent

    def update(self, task_id: Any, **how: Any) -> None:
        """Update the finished part of a task."""
        super().update(task_id, **how)
        if self._lines and (self._due() or self._first):
            # no terminal: one line per minute
            task, self._first = self._tasks[task_id], False
            of = "" if task.total is None else f" of {task.total:.0f}"
            line = f"{task.description}: {task.completed:.0f}{of}, {task.elapsed or 0.0:.0f} s"
            self.console.print(line, markup=False, soft_wrap=True)
