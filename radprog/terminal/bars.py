"""A bar on stderr, and what stands for it where nothing is live."""

from __future__ import annotations

from typing import Any

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from radprog.progress import LINE_SECONDS, Pulse, console


class Bar(Progress):
    """A bar on terminals; elsewhere, unless ``silent``, a line each minute, and one at the first
    step where ``start``."""

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
        """Of a task: what is done, of how much."""
        super().update(task_id, **how)
        if self._lines and (self._due() or self._first):
            task, self._first = self._tasks[task_id], False
            of = "" if task.total is None else f" of {task.total:.0f}"
            line = f"{task.description}: {task.completed:.0f}{of}, {task.elapsed or 0.0:.0f} s"
            self.console.print(line, markup=False, soft_wrap=True)
