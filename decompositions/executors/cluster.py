"""Workers of a dask cluster: on this machine, or wherever its scheduler has them."""

from __future__ import annotations

import asyncio
import contextlib
import importlib.metadata
import logging
import os
import platform
import signal
import struct
import threading
import time
import uuid
from collections.abc import Callable
from concurrent.futures import CancelledError, Future
from typing import Any

import cloudpickle

from radprog.decompositions.executors.address import LOCAL_CLUSTER
from radprog.decompositions.executors.pool import WorkerLost, WorkerPool
from radprog.decompositions.executors.units import (
    Call,
    Inside,
    Sweep,
    Unit,
    UnitAnswer,
    packed_sweep,
    performed,
)
from radprog.decompositions.loop import Budget
from radprog.instances.errors import ConnectionLostError, OptionError, extra
from radprog.instances.limits import OutOfBudget, bounded, lifted, under

CONNECTING = 8.0  # seconds until a scheduler that does not answer is given up
SILENT = 1.0  # seconds more for what is connected and says nothing, which dask waits for
WORKERS_SILENT = 60.0  # seconds until workers that do not answer are given up
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
    "distributed.worker.memory.monitor-interval": "500ms",
    **{f"distributed.worker.memory.{name}": False for name in ("target", "spill", "pause")},
}
#: Packages that decide the answer of a fit.
DECIDING = ("radprog", "numpy", "scipy", "scikit-learn", "highspy", "piqp", "pyomo")
#: What dask logs of connections that break, which is told by errors of ours.
LOGS = ("distributed.client", "distributed.batched")
_blobs: dict[str, bytes] = {}  # of a worker: what sweeps share, as it was sent, until it is read
_read: dict[str, tuple[Call, Any]] = {}
_asked: set[str] = set()  # sweeps whose units are to end with what they have
_reading = threading.Lock()


class Cluster(WorkerPool):
    """Workers of a dask scheduler. What is shared travels once to each, also to those that join
    later; units of a worker that is lost are done by others."""

    def __init__(self, address: str, jobs: int) -> None:
        with extra("dask", "a cluster"):
            import cryptography  # noqa: F401, the encryption of Security.temporary
            from dask import config
            from distributed import Client, LocalCluster, Security
        self.name, self.key, self.jobs = address, "", jobs
        self.own: Any = None
        self.news: Any = None
        security: Any = Security(require_encryption=True) if address.startswith("tls:") else None
        if address == LOCAL_CLUSTER:
            security = Security.temporary()
            with config.set(DASK_CONFIG):
                self.own = LocalCluster(
                    n_workers=jobs, threads_per_worker=1, host="127.0.0.1", protocol="tls",
                    security=security, dashboard_address=None, silence_logs=logging.CRITICAL,
                    scheduler_kwargs={"dashboard": False, "dashboard_address": "127.0.0.1:0"},
                )  # fmt: skip
        try:
            with config.set(DASK_CONFIG):
                self.client = (
                    connected(Client, self.own, security)
                    if self.own
                    else within(CONNECTING + SILENT, connected, Client, address, security)
                )
        except TypeError as error:  # no certificates
            raise OptionError(
                f"scheduler {address}: no certificates: name them as dask does, "
                "DASK_DISTRIBUTED__COMM__TLS__CA_FILE, ..._CLIENT__CERT, ..._CLIENT__KEY"
            ) from error
        except (OSError, TimeoutError, ValueError, OutOfBudget) as error:
            raise OptionError(
                f"scheduler {address}: no connection within {CONNECTING:g} s "
                f"({str(error) or 'no answer'})"
            ) from None
        except (MemoryError, struct.error) as error:  # lengths that are none
            raise OptionError(
                f"scheduler {address}: what answers there is no dask scheduler"
            ) from error
        self.levels = {name: logging.getLogger(name).level for name in LOGS}
        for name in LOGS:
            logging.getLogger(name).setLevel(logging.CRITICAL)
        self._check_workers()

    def _check_workers(self) -> None:
        """OptionError where there are none, or they are of another version."""
        ours = expected_versions()
        try:
            found = within(WORKERS_SILENT, self.client.run, versions)
        except OutOfBudget:
            self.leave(clean=False)
            raise OptionError(
                f"scheduler {self.name}: its workers say nothing within {WORKERS_SILENT:g} s"
            ) from None
        if not found:
            self.leave(clean=False)
            raise OptionError(f"scheduler {self.name}: it has no workers")
        for worker, theirs in found.items():
            differing = [name for name in ours if theirs.get(name) != ours[name]]
            if differing:
                self.leave(clean=False)
                has, expected = (
                    ", ".join(f"{name} {of.get(name)}" for name in differing)
                    for of in (theirs, ours)
                )
                raise OptionError(
                    f"scheduler {self.name}: worker {worker} has {has}, expected {expected}"
                )
        threads = self.client.nthreads()
        self.width = sum(threads.values())
        self.places = [worker for worker, number in sorted(threads.items()) for _ in range(number)]

    def share(self, sweep: Sweep) -> None:
        """Send it to every worker, once; OptionError where it cannot travel."""
        from distributed import WorkerPlugin

        class Shared(WorkerPlugin):  # type: ignore[misc]
            """What is kept by a worker for all units of a sweep."""

            def __init__(self, key: str, blob: bytes) -> None:
                self.name, self.blob = key, blob

            def setup(self, worker: Any) -> None:
                keep(self.name, self.blob)
                self.blob = b""

            def teardown(self, worker: Any) -> None:
                forget(self.name)

        blob = packed_sweep(sweep, f"scheduler {self.name}")
        if self.key:
            bounded(self.client.unregister_worker_plugin, self.key)
        self.key = f"radprog-{uuid.uuid4().hex}"  # others may share the same there, and leave
        bounded(self.client.register_plugin, Shared(self.key, blob))

    def tell(self, news: Any) -> None:
        """A future that the scheduler keeps the means to make again; workers hand it on among
        themselves."""
        from dask import config

        self.news = None
        if news is not None:
            with config.set({"distributed.admin.large-graph-warning-threshold": "1TB"}):
                self.news = self.client.submit(handed_on, cloudpickle.dumps(news), pure=False)

    def submit(self, unit: Unit) -> Future[UnitAnswer]:
        """Hand a unit to a worker, to that of its place where it has one and it is there."""
        where: dict[str, Any] = {}
        if unit.place is not None:
            address = self.places[unit.place % len(self.places)]
            where = {"workers": [address], "allow_other_workers": True}
        there = self.client.submit(work_there, self.key, unit, self.news, pure=False, **where)
        answer: Future[UnitAnswer] = Future()
        self.client.loop.add_callback(handed_over, self.client, there, answer)
        return answer

    def ask_to_stop(self) -> None:
        """Every worker is told, beside the unit that it does."""
        self.client.loop.add_callback(asked_to_stop, self.client, self.key)

    def tend(self) -> None:
        """Start workers of one's own again that the cluster gave up, as it does with one that takes
        15 seconds to come back. ConnectionLostError where the scheduler is gone."""
        if self.client.status != "running":
            raise self._out_of_reach()
        if self.own is not None and len(self.own.workers) < self.jobs:
            self.own.scale(self.jobs)

    def renew(self) -> None:
        """The scheduler does that by itself."""

    def leave(self, *, clean: bool) -> None:
        """Close the connection, and a cluster of one's own."""
        with contextlib.suppress(Exception):  # what is gone needs no closing
            if self.key:
                within(SILENT, self.client.unregister_worker_plugin, self.key)
        close(self.client, CONNECTING if clean else SILENT)
        with contextlib.suppress(Exception):
            if self.own is not None:
                self._end_workers()
                self.own.close(timeout=CONNECTING)
        self.key, self.news = "", None
        for name, level in self.levels.items():
            logging.getLogger(name).setLevel(level)

    def _end_workers(self) -> None:
        """At once: nothing of theirs is kept, and asking them to end takes a second and more. One
        that is about to be started again ends as soon as it is there."""
        nannies = list(self.own.workers.values())
        for nanny in nannies:
            nanny.close_gracefully()  # it starts none again
        given_up = time.monotonic() + CONNECTING
        while any(nanny.process for nanny in nannies) and time.monotonic() < given_up:
            for pid in [nanny.pid for nanny in nannies if nanny.pid is not None]:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, getattr(signal, "SIGKILL", signal.SIGTERM))
            time.sleep(0.01)

    def loss(self, error: BaseException) -> WorkerLost | None:
        """None: the scheduler hands a unit to other workers, three times; then it has failed.
        ConnectionLostError where nobody knows of it any more."""
        if isinstance(error, CancelledError):
            raise self._out_of_reach()
        return None

    def _out_of_reach(self) -> ConnectionLostError:
        return ConnectionLostError(
            f"scheduler {self.name}: the connection was lost; a sweep with --checkpoint "
            "goes on where it was when the same command runs again"
        )


def within(seconds: float, call: Callable[..., Any], *args: Any) -> Any:
    """call(*args); OutOfBudget where it does not end by then."""
    with lifted(), under(Budget(seconds)):
        return bounded(call, *args)


def connected(make: Any, address: Any, security: Any) -> Any:
    """A client of dask; one that does not get there is closed."""
    client = make.__new__(make)
    try:
        client.__init__(address, security=security, timeout=CONNECTING)
    except BaseException:
        close(client, CONNECTING)
        raise
    return client


def close(client: Any, seconds: float) -> None:
    """Close a client for good. One that is left open is closed by the garbage collector, in
    whatever thread that runs: where it holds dask's lock of event loops, it waits for itself."""
    with contextlib.suppress(Exception):
        client.close(timeout=seconds)
    client.status = "closed"


async def handed_over(client: Any, there: Any, answer: Future[UnitAnswer]) -> None:
    """The answer of a unit, or what became of it. dask's own executor says nothing of one that was
    done, was lost with its worker before it travelled, and then failed."""
    try:
        answer.set_result(await client.gather(there, asynchronous=True))
    except CancelledError:
        answer.cancel()
        answer.set_running_or_notify_cancel()
    except BaseException as error:
        answer.set_exception(error)


async def asked_to_stop(client: Any, key: str) -> None:
    """Those that hear it: others are left alone soon."""
    with contextlib.suppress(Exception, asyncio.CancelledError):
        await client.run(ask, key, asynchronous=True)


def versions() -> dict[str, str]:
    """What a worker must have in common with its caller: what decides the answer of a fit."""
    found = {name: importlib.metadata.version(name) for name in DECIDING}
    return {"Python": platform.python_version(), **found}


def expected_versions() -> dict[str, str]:
    """Those of the caller."""
    return versions()


def keep(key: str, blob: bytes) -> None:
    """Keep what the units of a sweep share, in a worker."""
    _blobs[key] = blob


def ask(key: str) -> None:
    """Its units to end, in a worker."""
    _asked.add(key)


def forget(key: str) -> None:
    """Of a sweep that is over, in a worker."""
    with _reading:
        _blobs.pop(key, None)
        _read.pop(key, None)
        _asked.discard(key)


def handed_on(news: bytes) -> bytes:
    """The news of a sweep, in a worker."""
    return news


def work_there(key: str, unit: Unit, news: bytes | None) -> UnitAnswer:
    """One unit, in a worker."""
    with _reading:
        if key not in _read:
            _read[key] = cloudpickle.loads(_blobs.pop(key))
    call, shared = _read[key]
    told = None if news is None else cloudpickle.loads(news)
    inside = Inside(lambda: key in _asked, news=told)
    return performed(call, shared, unit, inside)
