"""Progress on stderr: a live line on a terminal, one line per iteration when asked for."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from rich.console import Console
from rich.live import Live
from rich.text import Text

from radprog.decompositions.loop import Observer, Record

STOPS = (signal.SIGINT, signal.SIGTERM)


def console() -> Console:
    """A console on stderr."""
    return Console(stderr=True, highlight=False)


def describe(record: Record) -> str:
    """One iteration in one line."""

    def number(value: float | None) -> str:
        return "-" if value is None else f"{value:.9g}"

    gap = "-" if record.gap is None else f"{record.gap:.1e}"
    columns = record.detail.get("columns")
    extra = "" if columns is None else f"  columns {columns:.0f}"
    return (
        f"{record.iteration:4d}  {record.seconds:8.2f} s  objective {number(record.objective)}  "
        f"bound {number(record.bound)}  gap {gap}{extra}"
    )


@contextmanager
def progress(*, quiet: bool, verbose: bool) -> Iterator[Observer]:
    """An observer of iterations: silent, a line each, or one live line."""
    screen = console()
    if quiet or not (verbose or screen.is_terminal):
        yield lambda record: None
    elif verbose:
        yield lambda record: screen.print(describe(record), soft_wrap=True)
    else:
        with Live(console=screen, transient=True, refresh_per_second=8) as live:
            yield lambda record: live.update(Text(describe(record)))


@contextmanager
def interruptible(*, quiet: bool = False) -> Iterator[list[bool]]:
    """The first Ctrl-C raises a flag (a list that is then not empty), the second one stops hard.

    SIGTERM, which batch schedulers send, is the same.
    """
    flag: list[bool] = []

    def handle(number: int, frame: FrameType | None) -> None:
        if flag:
            raise KeyboardInterrupt
        flag.append(True)
        if not quiet:
            os.write(2, b"\nradprog: stopping with the best answer so far; Ctrl-C again: at once\n")

    before = {number: signal.signal(number, handle) for number in STOPS}
    try:
        yield flag
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
