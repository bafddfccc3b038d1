"""Workers of a Dask cluster, on this machine or on other machines."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import importlib.metadata
import logging
import math
import platform
import struct
import time
import uuid
from collections import deque
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Self

import cloudpickle

from radprog.base.errors import OptionError, UnitError
from radprog.decompositions.loop import Budget
from radprog.decompositions.sweeps.units import (
    LOCAL_CLUSTER,
    Answers,
    Executor,
    Inside,
    Sweep,
    Unit,
    UnitAnswer,
    new_shared,
    perform_unit,
)

POLL_SECONDS = 0.01  # seconds between two looks at what has ended, and at the budget
#: What dask watches on the side, here and in workers of one's own: stacks a hundred times a second,
#: loops fifty times, disks and memory. Units are long and few, nobody looks at a dashboard, and no
#: worker stores what it could spill, nor gets better by a pause. Memory that one block of kernel
#: values leaves the next takes: given back to the system each time it costs a quarter of a sweep.
#: Workers that ended and do not come back are not waited for. HTTP pages answer any user of a
#: machine, unlike the ports with TLS: there are none.
DASK_CONFIG: dict[str, Any] = {
    "distributed.nanny.pre-spawn-environ.MALLOC_TRIM_THRESHOLD_": None,
    "distributed.scheduler.http.routes": [],
    "distributed.scheduler.no-workers-timeout": "120s",
    "distributed.worker.http.routes": [],
    "distributed.worker.profile.enabled": False,
    "distributed.admin.tick.interval": "500ms",
    "distributed.admin.system-monitor.interval": "10s",
    "distributed.admin.system-monitor.disk": False,
    "distributed.admin.large-graph-warning-threshold": "1TB",
    "distributed.worker.memory.monitor-interval": "500ms",
    **{f"distributed.worker.memory.{name}": False for name in ("target", "spill", "pause")},
}
#: Packages that decide the answer of a fit.
DECIDING = ("radprog", "numpy", "scipy", "scikit-learn", "highspy", "piqp", "pyomo")
#: Loggers of dask for broken connections, which our errors report.
LOGS = ("distributed.client", "distributed.batched")
_stopped: set[str] = set()  # of a worker: sweeps whose units are to end with what they have


class Cluster(Executor):
    """Workers of a Dask scheduler.

    The common data are a Dask future. Workers pass it to each other and can compute it again. If a
    worker is lost, other workers repeat its units.
    """

    connect_seconds = 8.0  # seconds until a scheduler that does not answer is given up
    wait_seconds = 60.0  # seconds in which the first worker comes, where the run has no time limit
    count_seconds = 2.0  # seconds between two counts of the workers
    grace_seconds = 3.0  # seconds in which units may return their results after the budget is spent

    def __init__(self, scheduler: Any, jobs: int, budget: Budget) -> None:
        self.external = (
            None if isinstance(scheduler, str) else scheduler
        )  # a client that stays open
        self.name = scheduler if self.external is None else scheduler.scheduler.address
        self.jobs, self.width, self.budget = jobs, jobs, budget
        self.counted = time.monotonic()
        self.prior: Sweep | None = None  # the last sweep, whose shared part is with the workers
        self.local: Any = None

    def __enter__(self) -> Self:
        from dask import config
        from distributed import Client, LocalCluster, Security
        from distributed.comm import connect

        address: Any = self.name
        security: Any = Security(require_encryption=True) if address.startswith("tls:") else None
        with contextlib.ExitStack() as stack:
            stack.enter_context(quiet_logs())
            # workers of one's own: TLS with certificates of this session, no pages
            stack.enter_context(config.set(DASK_CONFIG))
            if self.name == LOCAL_CLUSTER:
                security = Security.temporary()
                address = self.local = stack.enter_context(LocalCluster(
                    n_workers=self.jobs, threads_per_worker=1, host="127.0.0.1", protocol="tls",
                    security=security, dashboard_address=None, silence_logs=logging.CRITICAL,
                    scheduler_kwargs={"dashboard": False, "dashboard_address": "127.0.0.1:0"},
                ))  # fmt: skip
            # a scheduler elsewhere, or the one just started
            try:
                if self.local is None and self.external is None:
                    # dask would wait forever for a server that accepts connections and says nothing
                    tls = security.get_connection_args("client") if security else {}

                    async def greet() -> None:
                        comm = await asyncio.wait_for(
                            connect(address, self.connect_seconds, **tls),
                            self.connect_seconds,
                        )
                        comm.abort()

                    # in a separate thread: the caller's may run a loop, as in a notebook
                    with ThreadPoolExecutor(1) as pool:
                        pool.submit(asyncio.run, greet()).result()
                self.client = self.external or Client(
                    address, security=security, timeout=self.connect_seconds
                )
            except TypeError as error:
                raise OptionError(
                    f"scheduler {address}: no certificates: name them as dask does, "
                    "DASK_DISTRIBUTED__COMM__TLS__CA_FILE, ..._CLIENT__CERT, ..._CLIENT__KEY"
                ) from error
            except (
                *(OSError, TimeoutError, ValueError, MemoryError, struct.error),
                AssertionError,  # dask's, where its own thread does not start within 10 s
            ) as error:
                raise OptionError(
                    f"scheduler {address}: no dask scheduler answers within "
                    f"{self.connect_seconds:g} s ({str(error) or type(error).__name__})"
                ) from error
            stack.callback(self._close)
            # the first worker, in the time that is left
            limit = self.budget.limit or self.wait_seconds
            until, warned = time.monotonic() + limit, False
            try:
                while not self.client.nthreads() and not self.budget.interrupted():
                    if time.monotonic() >= until:
                        raise OptionError(
                            f"scheduler {self.name}: no worker came within {limit:.3g} s"
                        )
                    if not warned:
                        warned = True
                        logging.getLogger("radprog").warning(
                            "radprog: scheduler %s: no workers yet: waiting %.3g s for the "
                            "first one",
                            *(self.name, limit),
                        )
                    time.sleep(10 * POLL_SECONDS)
            except OSError:
                raise self._connection_error() from None
            self.width = max(1, sum(self.client.nthreads().values()))
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *error: object) -> None:
        self._stack.close()

    def _close(self) -> None:
        self.prior = self.shared = None  # workers forget it
        if self.external is None:
            with contextlib.suppress(Exception):  # what is gone needs no closing
                # seconds until one that does not hear of the end is left
                self.client.close(timeout=1.0)

    def answers(self, sweep: Sweep, budget: Budget, step: Callable[[], None]) -> Answers:
        """See :class:`~radprog.decompositions.sweeps.units.Executor`; steps are not reported."""
        from distributed import as_completed
        from distributed.scheduler import KilledWorker

        submit, key, news = self.client.submit, uuid.uuid4().hex, sweep.news
        # what all units share goes to each worker once, as the answer of a separate unit; what is
        # new in this sweep once more
        blob = new_shared(sweep, self.prior, f"scheduler {self.name}")
        if blob is not None:
            self.shared, self.prior = self.client.submit(cloudpickle.loads, blob, pure=False), sweep
        if news is not None:
            news = submit(receive_news, news, pure=False)
        ours = versions()

        async def count_threads() -> None:
            # workers may arrive one by one from a queue
            self.width = max(1, sum((await self.client.scheduler.ncores()).values()))

        waiting, flying = deque(sweep.dearest_first()), dict[Any, int]()
        blamed: set[int] = set()  # units whose workers ended, with others beside them
        completed = as_completed(with_results=True, raise_errors=False)
        given_up = math.inf
        try:
            while (waiting or flying) and time.monotonic() < given_up:
                # workers that ended are started again
                if self.client.status != "running":
                    raise self._connection_error()
                if self.local is not None and len(self.local.workers) < self.jobs:
                    self.local.scale(self.jobs)
                if time.monotonic() > self.counted + self.count_seconds:
                    self.counted = time.monotonic()
                    self._call_in_background(count_threads)
                # the limit: running units are stopped, waiting ones are left out
                if math.isinf(given_up) and budget.spent():
                    given_up = time.monotonic() + self.grace_seconds
                    waiting.clear()
                    self._stop(key)
                # the dearest first, few more than work; a blamed unit at the end, alone
                # units that wait where the workers are, so that none waits for the next one to
                # travel
                while waiting and len(flying) < (1 if waiting[0] in blamed else self.width + 1):
                    number = waiting.popleft()
                    unit, order = sweep.units[number], len(waiting)
                    future = submit(
                        *(run_unit, self.shared, unit, news, key, ours),
                        pure=False, priority=order,
                    )  # fmt: skip
                    flying[future] = number
                    completed.add(future)
                # answers; dask gives up a unit after a few workers that ended with it, and with
                # all that they held: both are tried once more
                for future, answer in completed.next_batch(block=False):
                    number = flying.pop(future)
                    error = future.exception() if future.status == "error" else None
                    lost = error is None and future.status != "finished"
                    if (lost or isinstance(error, KilledWorker)) and number not in blamed:
                        blamed.add(number)
                        waiting.append(number)
                        continue
                    if lost:
                        raise self._connection_error()
                    # a worker of another version, or without a package
                    if isinstance(error, OptionError | ImportError):
                        raise OptionError(f"scheduler {self.name}: {error}")
                    if error is not None:
                        unit = sweep.units[number]
                        failure = UnitError(f"{unit.name}: {type(error).__name__}: {error}")
                        answer = UnitAnswer(unit=unit, error=failure)
                    yield number, answer
                time.sleep(POLL_SECONDS)
        finally:
            if flying:
                self._stop(key)
                with contextlib.suppress(Exception):  # what is gone needs no word
                    self.client.cancel(list(flying))

    def _connection_error(self) -> UnitError:
        return UnitError(
            f"scheduler {self.name}: the connection was lost; a sweep with `checkpoint` "
            "continues when the same command runs again"
        )

    def _stop(self, key: str) -> None:
        """Send a stop signal to all workers. The signal also reaches workers that are running a
        unit.
        """
        self._call_in_background(lambda: self.client.run(stop_units, key, asynchronous=True))

    def _call_in_background(self, call: Callable[[], Awaitable[Any]]) -> None:
        """Make a call to the scheduler in the background."""

        async def await_call() -> None:
            with contextlib.suppress(Exception, asyncio.CancelledError):
                await call()

        self.client.loop.add_callback(await_call)


@contextlib.contextmanager
def quiet_logs() -> Iterator[None]:
    """A context in which Dask does not log broken connections."""
    levels = {name: logging.getLogger(name).level for name in LOGS}
    for name in LOGS:
        logging.getLogger(name).setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        for name, level in levels.items():
            logging.getLogger(name).setLevel(level)


def versions() -> dict[str, str]:
    """The versions of Python and of the packages that affect a fit. They must be equal on all
    workers."""
    packages = {name: importlib.metadata.version(name) for name in DECIDING}
    return {"Python": platform.python_version(), **packages}


#: Those of a worker, which do not change while it lives.
worker_versions = functools.cache(versions)


def version_difference(theirs: dict[str, str], ours: dict[str, str]) -> str:
    """The differences between the versions of a worker and of its caller, as a string."""
    names = [name for name in ours if theirs.get(name) != ours[name]]
    has, expected = (", ".join(f"{name} {v.get(name)}" for name in names) for v in (theirs, ours))
    return f"has {has}, expected {expected}"


def receive_news(news: Any) -> Any:
    """Receive the data ``news`` of a sweep in a worker."""
    return news


def stop_units(key: str) -> None:
    """Stop the units of a sweep in a worker."""
    _stopped.add(key)


def run_unit(pair: Any, unit: Unit, news: Any, key: str, expected: dict[str, str]) -> UnitAnswer:
    """Run one unit in a worker. Raises OptionError if the versions of the worker differ from those
    of its caller.
    """
    if worker_versions() != expected:
        raise OptionError(f"a worker {version_difference(worker_versions(), expected)}")
    call, shared = pair
    if key in _stopped:
        return UnitAnswer(unit=unit, cut=True)
    return perform_unit(call, shared, unit, Inside(lambda: key in _stopped, news=news))
