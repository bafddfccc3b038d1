"""Processes on this machine, started by joblib's loky without forking."""

from __future__ import annotations

import functools
import os
import re
import shutil
import signal
import tempfile
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Self

import cloudpickle
from joblib import Parallel, delayed

from radprog.base.errors import ConnectionLostError
from radprog.base.limits import STOPS
from radprog.decompositions.loop import Budget
from radprog.decompositions.sweeps.units import (
    Answers,
    Inside,
    Sweep,
    Unit,
    UnitAnswer,
    packed_sweep,
    performed,
)

LOOK = 0.05  # seconds between two looks at the budget, or for the word to stop
DEATHS = 3  # of workers, after which a sweep is given up: as many as dask allows a unit
_folders: set[str] = set()  # of a worker: where it read from


class Processes:
    """An executor with ``jobs`` processes.

    The common data are in a file. Each process reads it once.
    """

    def __init__(self, jobs: int) -> None:
        self.width = jobs
        self.known: Sweep | None = None  # the last sweep, whose shared part is in the folder
        self.sweeps = 0

    def __enter__(self) -> Self:
        self.temporary = tempfile.TemporaryDirectory(prefix="radprog-")
        self.folder = Path(self.temporary.name)
        return self

    def __exit__(self, *error: object) -> None:
        self.temporary.cleanup()

    def answers(self, sweep: Sweep, budget: Budget, step: Callable[[], None]) -> Answers:
        """See :class:`~radprog.decompositions.sweeps.units.Executor`; steps are not reported."""
        # what is shared travels by a file, and so does the word to stop
        self.sweeps += 1
        stop = self.folder / f"stop-{self.sweeps}"
        file = self._share(sweep)
        left = dict.fromkeys(sweep.dearest_first())
        with _stopping(budget, stop):
            # loky ends the whole pool with a worker that dies: a new one works what is left
            for _ in range(DEATHS):
                work = [
                    delayed(_work)(file, stop, number, sweep.units[number], sweep.news, Path.cwd())
                    for number in left
                ]
                # seconds after which a process without work ends
                ended = Parallel(
                    n_jobs=self.width, backend="loky", return_as="generator_unordered",
                    batch_size=1, idle_worker_timeout=30, initializer=_begin,
                    initargs=(os.getpid(),),
                )(work)  # fmt: skip
                try:
                    for number, answer in ended:
                        del left[number]
                        yield number, answer
                    return
                except GeneratorExit:  # the caller needs no further answers: the units are stopped
                    stop.touch()
                    with suppress(BrokenProcessPool):
                        deque(ended, maxlen=0)
                    raise
                except BrokenProcessPool as error:  # what it had not answered is done again
                    codes = re.search(r"\{(.*)\}", str(error))
                    how = codes[1] if codes else type(error).__name__
        raise ConnectionLostError(
            f"jobs {self.width}: processes died {DEATHS} times ({how}): a unit may need more "
            "memory than there is; a sweep with `checkpoint` continues from its finished units"
        )

    def _share(self, sweep: Sweep) -> Path:
        """The file of the common data. Raises OptionError if they cannot be sent to a process."""
        # what is shared is written once, and read once a worker
        old = self.known
        if old is None or old.call is not sweep.call or old.shared is not sweep.shared:
            blob = packed_sweep(sweep, f"jobs {self.width}")
            (self.folder / f"shared-{self.sweeps}").write_bytes(blob)
            self.file, self.known = self.folder / f"shared-{self.sweeps}", sweep
        return self.file


@contextmanager
def _stopping(budget: Budget, stop: Path) -> Iterator[None]:
    """A context that creates a file when the budget runs out. Workers check for this file."""
    ended = threading.Event()

    def look() -> None:
        while not budget.spent():
            if ended.wait(LOOK):
                return
        stop.touch()

    thread = threading.Thread(target=look, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def _begin(caller: int) -> None:
    """Ignore Ctrl-C in a worker. Its caller also receives the signal and stops the workers."""
    for number in STOPS:
        signal.signal(number, signal.SIG_IGN)
    # a killed caller sends no signal: each worker checks whether it exists
    threading.Thread(target=_end_with, args=(caller,), daemon=True).start()


def _end_with(caller: int) -> None:
    """End this worker when its caller has ended. Remove the data left behind by a killed caller."""
    while os.getppid() == caller:
        time.sleep(0.5)  # seconds between two looks of a worker at its caller
    for folder in [*_folders]:
        shutil.rmtree(folder, ignore_errors=True)
    os._exit(1)


def _work(
    file: Path, stop: Path, number: int, unit: Unit, news: Any, place: Path
) -> tuple[int, UnitAnswer]:
    """Run one unit in a worker, in the working folder of its caller."""
    os.chdir(place)
    _folders.add(str(file.parent))
    stopped = _looking(stop)
    if stopped():
        return number, UnitAnswer(unit=unit, cut=True)
    call, shared = _read(file)
    return number, performed(call, shared, unit, Inside(stopped, news=news))


@functools.lru_cache(maxsize=2)
def _read(file: Path) -> Any:
    """The content of a file, read without a second copy of its bytes in memory."""
    with file.open("rb") as stream:
        return cloudpickle.load(stream)


def _looking(stop: Path) -> Callable[[], bool]:
    """A function that returns whether the file exists. It checks for the file at intervals."""
    seen, state = -LOOK, False

    def stopped() -> bool:
        nonlocal seen, state
        # the file system is checked at most every LOOK seconds
        now = time.monotonic()
        if not state and now - seen > LOOK:
            seen, state = now, stop.exists()
        return state

    return stopped
