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
from collections.abc import Callable
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from multiprocessing import resource_tracker
from pathlib import Path
from typing import Any, Self

import cloudpickle
from joblib import Parallel, delayed

from radprog.base.errors import UnitError
from radprog.base.limits import STOPS, blocked
from radprog.decompositions.loop import Budget
from radprog.decompositions.sweeps.units import (
    Answers,
    Executor,
    Inside,
    Sweep,
    Unit,
    UnitAnswer,
    new_shared,
    perform_unit,
)

POLL_SECONDS = 0.05  # seconds between two looks at the budget, or for the word to stop
_folders: set[str] = set()  # of a worker: where it read from


class Processes(Executor):
    """An executor with ``jobs`` processes.

    The common data are in a file. Each process reads it once.
    """

    def __init__(self, jobs: int) -> None:
        self.width = jobs
        self.prior: Sweep | None = None  # the last sweep, whose shared part is in the folder
        self.sweeps = 0

    def __enter__(self) -> Self:
        self.temporary = tempfile.TemporaryDirectory(prefix="radprog-")
        self.folder = Path(self.temporary.name)
        return self

    def __exit__(self, *error: object) -> None:
        self.temporary.cleanup()

    def answers(self, sweep: Sweep, budget: Budget, step: Callable[[], None]) -> Answers:
        """See :class:`~radprog.decompositions.sweeps.units.Executor`; steps are not reported."""
        # what is shared is written once, and read once a worker; so is the word to stop
        self.sweeps += 1
        blob = new_shared(sweep, self.prior, f"jobs {self.width}")
        if blob is not None:
            self.file, self.prior = self.folder / f"shared-{self.sweeps}", sweep
            self.file.write_bytes(blob)
        stop, ended = self.folder / f"stop-{self.sweeps}", threading.Event()

        def pass_limit() -> None:
            while not budget.spent():
                if ended.wait(POLL_SECONDS):
                    return
            stop.touch()

        thread = threading.Thread(target=pass_limit, daemon=True)
        thread.start()
        remaining, deaths = dict.fromkeys(sweep.dearest_first()), 3  # as many as dask allows a unit
        try:
            # loky ends the whole pool with a worker that dies: a new one works what is left
            for _ in range(deaths):
                work = [
                    delayed(_run_unit)(
                        self.file, stop, number, sweep.units[number], sweep.news, Path.cwd()
                    )
                    for number in remaining
                ]
                # a process without work ends after 30 seconds; signals wait, because the processes
                # inherit them blocked: Ctrl-C would break their imports, before `_start_worker`.
                # Python 3.11 unblocks them where it starts its tracker, so that comes first
                resource_tracker.ensure_running()
                with blocked(*STOPS):
                    finished = Parallel(
                        n_jobs=self.width, backend="loky", return_as="generator_unordered",
                        batch_size=1, idle_worker_timeout=30, initializer=_start_worker,
                        initargs=(os.getpid(),),
                    )(work)  # fmt: skip
                try:
                    for number, answer in finished:
                        del remaining[number]
                        yield number, answer
                    return
                except GeneratorExit:  # the caller needs no further answers: the units are stopped
                    stop.touch()
                    with suppress(BrokenProcessPool):
                        deque(finished, maxlen=0)
                    raise
                except BrokenProcessPool as error:  # what it had not answered is done again
                    codes = re.search(r"\{(.*)\}", str(error))
                    cause = codes[1] if codes else type(error).__name__
        finally:
            ended.set()
            thread.join()
        raise UnitError(
            f"jobs {self.width}: processes died {deaths} times ({cause}): a unit may need more "
            "memory than there is; a sweep with `checkpoint` continues from its finished units"
        )


def _start_worker(caller: int) -> None:
    """Ignore Ctrl-C in a worker. Its caller also receives the signal and stops the workers."""

    def end_with_caller() -> None:
        while os.getppid() == caller:
            time.sleep(0.5)  # seconds between two looks of a worker at its caller
        for folder in [*_folders]:  # which a killed caller leaves behind
            shutil.rmtree(folder, ignore_errors=True)
        os._exit(1)

    for number in STOPS:
        signal.signal(number, signal.SIG_IGN)
    # a killed caller sends no signal: each worker checks whether it exists
    threading.Thread(target=end_with_caller, daemon=True).start()


def _run_unit(
    file: Path, stop: Path, number: int, unit: Unit, news: Any, place: Path
) -> tuple[int, UnitAnswer]:
    """Run one unit in a worker, in the working folder of its caller."""
    seen, state = -POLL_SECONDS, False

    def stopped() -> bool:
        nonlocal seen, state
        # the file system is checked at most every POLL_SECONDS seconds
        now = time.monotonic()
        if not state and now - seen > POLL_SECONDS:
            seen, state = now, stop.exists()
        return state

    os.chdir(place)
    _folders.add(str(file.parent))
    if stopped():
        return number, UnitAnswer(unit=unit, cut=True)
    call, shared = _read(file)
    return number, perform_unit(call, shared, unit, Inside(stopped, news=news))


@functools.lru_cache(maxsize=2)
def _read(file: Path) -> Any:
    """The content of a file, read without a second copy of its bytes in memory."""
    with file.open("rb") as stream:
        return cloudpickle.load(stream)
