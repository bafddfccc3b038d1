"""The log of a solver on standard output."""

from __future__ import annotations

import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from radprog.solvers.program import SolveSettings


@contextmanager
def with_log_shown(settings: SolveSettings, *, tee: bool) -> Iterator[SolveSettings]:
    """A context with settings that print their log to standard output. Without ``tee``, the
    settings are unchanged.

    The log is kept if the settings have a file for the log.
    """
    if not tee:
        yield settings
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(settings.log or Path(folder) / "solver.log")
        ended = threading.Event()
        watcher = threading.Thread(target=_follow, args=(path, _size(path), ended), daemon=True)
        watcher.start()
        try:
            yield replace(settings, log=str(path))
        finally:
            ended.set()
            watcher.join()


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def _follow(path: Path, place: int, ended: threading.Event) -> None:
    """Print the new lines of the file until its writer ends."""
    is_last = False
    while not is_last:
        is_last = ended.wait(0.1)  # seconds between two looks at the file
        if not path.exists():
            continue
        if _size(path) < place:  # begun anew
            place = 0
        with path.open("rb") as stream:
            stream.seek(place)
            text = stream.read()
        place += len(text)
        sys.stdout.write(text.decode(errors="replace"))
        sys.stdout.flush()
