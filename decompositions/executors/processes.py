"""Processes of this machine, through loky: started afresh, never forked."""

from __future__ import annotations

import atexit
import hashlib
import os
import re
import shutil
import signal
import tempfile
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Any

import cloudpickle
from joblib.externals.loky.process_executor import ProcessPoolExecutor

from radprog.decompositions.executors.pool import LOOK, WorkerLost, WorkerPool
from radprog.decompositions.executors.units import (
    Call,
    Inside,
    Sweep,
    Unit,
    UnitAnswer,
    packed_sweep,
    performed,
)
from radprog.decompositions.loop import STOPS

IDLE = 30  # seconds after which a process without work ends
PULSE = 0.5  # seconds between two looks of a worker at its caller
KEPT_SWEEPS = 2  # sweeps whose shared part a worker keeps
_held: dict[str, tuple[Call, Any]] = {}  # of a worker
_folders: set[str] = set()  # of a worker: where it read from
_told: dict[str, Any] = {}  # of a worker: the latest news
_pools: dict[int, Any] = {}  # by their width: the reusable one of loky belongs to joblib
atexit.register(_pools.clear)  # while what their end calls is there


class Processes(WorkerPool):
    """``jobs`` processes. What is shared is one file, which each reads once."""

    def __init__(self, jobs: int) -> None:
        self.width = jobs
        self.folder = tempfile.TemporaryDirectory(prefix="radprog-")
        self.key, self.news, self.told = "", "", 0
        self.workers = self._started()

    def _started(self) -> Any:
        if self.width not in _pools:
            _pools[self.width] = ProcessPoolExecutor(
                max_workers=self.width, timeout=IDLE, initializer=_begin, initargs=(os.getpid(),)
            )
        return _pools[self.width]

    def _ended(self) -> None:
        """Whatever runs is ended."""
        self.workers.shutdown(wait=True, kill_workers=True)
        _pools.pop(self.width, None)

    def share(self, sweep: Sweep) -> None:
        """Write the file; OptionError where something in it cannot be handed to a process."""
        blob = packed_sweep(sweep, f"jobs {self.width}")
        self.key = hashlib.sha256(blob).hexdigest()
        (Path(self.folder.name) / self.key).write_bytes(blob)

    def tell(self, news: Any) -> None:
        """A file of their own, which each process reads once."""
        if self.news:
            Path(self.news).unlink(missing_ok=True)
        self.news = ""
        if news is not None:
            self.told += 1
            self.news = str(Path(self.folder.name) / f"news-{self.told}")
            Path(self.news).write_bytes(cloudpickle.dumps(news))

    def submit(self, unit: Unit) -> Future[UnitAnswer]:
        """Hand a unit to a process."""
        found: Future[UnitAnswer] = self.workers.submit(
            _work, self.folder.name, self.key, self.news, unit, os.getcwd()
        )
        return found

    def ask_to_stop(self) -> None:
        """A file that the processes look for."""
        (Path(self.folder.name) / "stop").touch()

    def tend(self) -> None:
        """They need nothing."""

    def renew(self) -> None:
        """The rest of the processes end, and others are started."""
        self._ended()
        self.workers = self._started()

    def leave(self, *, clean: bool) -> None:
        """Processes without work end by themselves, and serve other sweeps until then."""
        if not clean:
            self._ended()
        self.folder.cleanup()

    def loss(self, error: BaseException) -> WorkerLost | None:
        """A pool that is broken: how its process ended."""
        if not isinstance(error, BrokenProcessPool):
            return None
        codes = re.search(r"\{(.*)\}", str(error))
        return WorkerLost(codes[1] if codes else str(error).splitlines()[0])


def _begin(caller: int) -> None:
    """Ctrl-C at the terminal reaches all processes: the one that was started decides, and its
    workers end with it."""
    for number in STOPS:
        signal.signal(number, signal.SIG_IGN)
    threading.Thread(target=_end_with, args=(caller,), daemon=True).start()


def _end_with(caller: int) -> None:
    """End this worker once its caller is gone, and remove the data that a killed caller left."""
    while os.getppid() == caller:
        time.sleep(PULSE)
    for folder in [*_folders]:
        shutil.rmtree(folder, ignore_errors=True)
    os._exit(1)


def _work(folder: str, key: str, news: str, unit: Unit, place: str) -> UnitAnswer:
    """One unit, in a worker, which sees the files that its caller, in a folder, sees."""
    os.chdir(place)
    _folders.add(folder)
    if key not in _held:
        for old in [*_held][: len(_held) - KEPT_SWEEPS + 1]:
            del _held[old]
        _held[key] = _read(Path(folder) / key)
    if news not in _told:
        _told.clear()
        _told[news] = _read(Path(news)) if news else None
    call, shared = _held[key]
    inside = Inside(_asked(Path(folder) / "stop"), news=_told[news])
    return performed(call, shared, unit, inside)


def _read(file: Path) -> Any:
    """What a file holds, whose bytes are in memory but once."""
    with file.open("rb") as stream:
        return cloudpickle.load(stream)


def _asked(stop: Path) -> Callable[[], bool]:
    """Whether the file is there; looked up now and then."""
    seen, state = [0.0], [False]

    def interrupted() -> bool:
        now = time.monotonic()
        if not state[0] and now - seen[0] > LOOK:
            seen[0] = now
            state[0] = stop.exists()
        return state[0]

    return interrupted
