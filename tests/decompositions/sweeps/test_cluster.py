"""Workers of a dask cluster: the same answers, lost workers, schedulers that are refused."""

import contextlib
import json
import logging
import multiprocessing
import os
import platform
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from planted_units import sweep_of
from refusals import refused

from radprog.base.errors import OptionError, UnitError
from radprog.decompositions.loop import Budget
from radprog.decompositions.sweeps import cluster
from radprog.decompositions.sweeps.sharing import Sharing, answers
from radprog.decompositions.sweeps.units import UnitAnswer


@pytest.mark.thorough
def test_two_workers_answer_as_one_process(tmp_path) -> None:
    """One worker is killed half way, one unit kills whoever takes it, one is wrong."""
    pytest.importorskip("distributed")
    items = [("", 0), ("dies once", str(tmp_path / "dead")), ("wrong", "boom"), ("", 3), ("", 4)]
    sweep = sweep_of(*items)
    here = Sharing(scheduler="local", jobs=2)
    told = list(answers(sweep, here, Budget()))
    assert (tmp_path / "dead").exists()
    assert not multiprocessing.active_children()  # no worker outlives its sweep
    assert [answer.value for answer in told] == [0, str(tmp_path / "dead"), None, 3, 4]
    assert isinstance(told[2].error, UnitError)
    assert str(told[2].error) == "unit 2: ValueError: boom"


@pytest.mark.thorough
def test_a_unit_that_ends_every_worker_is_reported() -> None:
    """As one does that needs more memory than there is."""
    pytest.importorskip("distributed")
    items = [("", 0), ("dies", None), ("", 2)]
    sweep = sweep_of(*items)
    told = list(answers(sweep, Sharing(scheduler="local", jobs=2), Budget()))
    assert [answer.value for answer in told] == [0, None, 2]
    assert isinstance(told[1].error, UnitError)
    assert str(told[1].error).startswith("unit 1: KilledWorker: ")


@pytest.mark.thorough
def test_there_are_no_pages() -> None:
    """They would answer every user of the machine, with logs and call stacks."""
    pytest.importorskip("distributed")
    with cluster.Cluster("local", 1, Budget()) as pool:
        ports = [pool.local.scheduler.http_server.port]
        ports += pool.client.run(lambda dask_worker: dask_worker.http_server.port).values()
        for port in ports:
            for page in ("info/main/workers.html", "json/counts.json", "metrics", "health", ""):
                with pytest.raises(urllib.error.HTTPError, match="404"):
                    urllib.request.urlopen(f"http://127.0.0.1:{port}/{page}")


@pytest.mark.parametrize(
    "address", ["head:8786", "http://127.0.0.1:8786", "tls://head", "tls://head:port", ""]
)
def test_addresses_that_are_refused(address) -> None:
    expected = "expected local, tls://HOST:PORT, tcp://HOST:PORT or a FILE"
    refused(OptionError, expected, Sharing, scheduler=address)


@pytest.mark.parametrize("address", ["local", "tls://10.0.0.1:8786", "tls://[::1]:1"])
def test_addresses_that_are_safe(address) -> None:
    assert Sharing(scheduler=address).shared


@pytest.mark.thorough
def test_nobody_there() -> None:
    pytest.importorskip("distributed")
    sweep = sweep_of(("", 1))
    begun = time.monotonic()
    with pytest.raises(OptionError, match="no dask scheduler answers within 8 s"):
        list(answers(sweep, Sharing(scheduler="tcp://127.0.0.1:1"), Budget()))
    assert time.monotonic() - begun < 60.0  # of a busy machine; dask alone waits half a minute
    with pytest.raises(OptionError, match="no certificates"):
        list(answers(sweep, Sharing(scheduler="tls://127.0.0.1:1"), Budget()))


@pytest.mark.thorough
@pytest.mark.parametrize("said", [b"HTTP/1.1 400 Bad Request\r\n\r\n", bytes(64), b""])
def test_somebody_else_there(monkeypatch, said) -> None:
    """A server of another protocol, and one that says nothing."""
    pytest.importorskip("distributed")
    if not said:
        monkeypatch.setattr(cluster.Cluster, "connect_seconds", 0.5)
    kept = []

    def serve() -> None:
        with contextlib.suppress(OSError):
            while True:
                kept.append(server.accept()[0])
                kept[-1].sendall(said)

    with socket.create_server(("127.0.0.1", 0)) as server:
        threading.Thread(target=serve, daemon=True).start()
        there = f"tcp://127.0.0.1:{server.getsockname()[1]}"
        with (
            pytest.raises(OptionError, match=there + ": no dask scheduler answers"),
            cluster.Cluster(there, 1, Budget()),
        ):
            pass


@pytest.mark.thorough
@pytest.mark.parametrize("ended", [signal.SIGKILL, signal.SIGTERM])
def test_a_scheduler_that_ends_ends_the_sweep(tmp_path, caplog, ended) -> None:
    """Units in its hands are lost, and dask answers nothing of those that come to it after."""
    pytest.importorskip("distributed")
    known = tmp_path / "scheduler.json"
    paths = os.pathsep.join([str(Path(__file__).parent), *sys.path])
    dask = [sys.executable, "-m", "dask"]
    with contextlib.ExitStack() as stack:

        def begun(*arguments: str) -> subprocess.Popen[bytes]:
            process = subprocess.Popen(
                [*dask, *arguments, "--scheduler-file", str(known), "--no-dashboard"],
                env=os.environ | {"PYTHONPATH": paths}, stderr=subprocess.DEVNULL,
            )  # fmt: skip
            stack.callback(process.wait)
            stack.callback(process.kill)
            return process

        scheduler = begun("scheduler", "--host", "127.0.0.1", "--port", "0")
        # it exists before it is written
        while not (known.exists() and known.read_text().rstrip().endswith("}")):
            assert scheduler.poll() is None
            time.sleep(0.05)
        address = json.loads(known.read_text())["address"]
        begun("worker", "--no-nanny", "--nthreads", "1")
        waits = f"import distributed; distributed.Client({address!r}).wait_for_workers(1, 60)"
        subprocess.run([sys.executable, "-c", waits], check=True, stderr=subprocess.DEVNULL)
        items = [("", 0), ("waits", 0), ("waits", 0), ("waits", 0)]
        sharing = Sharing(scheduler=str(known))
        told = answers(sweep_of(*items), sharing, Budget())
        assert next(told).value == 0
        scheduler.send_signal(ended)
        refused(UnitError, rf"{address}: the connection was lost", next, told)
    assert not [record for record in caplog.records if record.levelno >= logging.WARNING]


@pytest.mark.thorough
def test_workers_that_say_nothing(monkeypatch) -> None:
    """A limit is kept all the same."""
    monkeypatch.setattr(cluster.Cluster, "grace_seconds", 0.2)
    with somebody_elses_cluster() as other:
        pid = other.workers[0].pid
        with cluster.Cluster(other.scheduler_address, 1, Budget()) as pool:
            os.kill(pid, signal.SIGSTOP)
            assert not of_one_unit(pool, ("", 0), Budget(0.2))
        os.kill(pid, signal.SIGKILL)


@pytest.mark.thorough
def test_units_are_told_of_a_limit_and_users_of_one_scheduler_do_not_meet() -> None:
    with (
        somebody_elses_cluster() as other,
        cluster.Cluster(other.scheduler_address, 1, Budget()) as mine,
    ):
        assert of_one_unit(mine, ("", 1))[0].value == 1
        with cluster.Cluster(other.scheduler_address, 1, Budget()) as theirs:
            assert of_one_unit(theirs, ("", 2))[0].value == 2
            (answer,) = of_one_unit(theirs, ("waits", "so far"), Budget(0.2))
        assert answer.cut
        assert answer.value == "so far"
        assert of_one_unit(mine, ("", 3))[0].value == 3


@pytest.mark.parametrize("text", [None, "", "{", "[]", '{"address": 3}', "[" * 100_000, "\xff"])
def test_scheduler_files_that_are_none(tmp_path, text) -> None:
    file = tmp_path / "scheduler.json"
    if text is not None:
        file.write_bytes(text.encode("latin-1"))
    why = "No such file or directory" if text is None else "it holds no address"
    for path in (file, str(file)):
        words = f"{file}: {why}: expected a file written by a Dask"
        refused(OptionError, words, Sharing, scheduler=path)


@pytest.mark.thorough
def test_a_client_of_the_caller_stays_open() -> None:
    distributed = pytest.importorskip("distributed")
    sweep = sweep_of(*(("", number) for number in range(3)))
    with somebody_elses_cluster() as other, distributed.Client(other) as client:
        for _ in range(2):
            told = list(answers(sweep, Sharing(scheduler=client), Budget()))
            assert [answer.value for answer in told] == [0, 1, 2]
        assert client.submit(abs, -3).result() == 3
    refused(OptionError, "expected a Client that is open", Sharing, scheduler=client)


@pytest.mark.thorough
def test_the_first_worker_is_waited_for_and_later_ones_are_counted(monkeypatch, caplog) -> None:
    """The scheduler gets one when the message is there."""
    monkeypatch.setattr(cluster.Cluster, "count_seconds", 0.0)
    caplog.set_level(logging.WARNING, "radprog")
    with somebody_elses_cluster(0) as other:
        hears = logging.Handler()
        monkeypatch.setattr(hears, "emit", lambda record: other.scale(1))
        monkeypatch.setattr(logging.getLogger("radprog"), "handlers", [hears])
        with cluster.Cluster(other.scheduler_address, 1, Budget()) as pool:
            assert [record.message for record in caplog.records if record.name == "radprog"] == [
                f"radprog: scheduler {other.scheduler_address}: no workers yet: waiting 60 s for "
                "the first one"
            ]
            assert pool.width == 1
            other.scale(2)
            while pool.width < 2:
                assert of_one_unit(pool, ("", 5))[0].value == 5
            # one that came later is of another version
            monkeypatch.setattr(platform, "python_version", lambda: "2.7")
            with pytest.raises(OptionError, match=r"a worker has Python 3\S+, expected Python 2"):
                of_one_unit(pool, ("", 1))


@pytest.mark.thorough
def test_no_worker_comes(monkeypatch) -> None:
    monkeypatch.setattr(cluster.Cluster, "wait_seconds", 0.2)
    with somebody_elses_cluster(0) as other:
        there = other.scheduler_address
        for limit in (None, 0.5):
            with (
                pytest.raises(OptionError, match=rf"{there}: no worker came within 0\.\d+ s"),
                cluster.Cluster(there, 1, Budget(limit)),
            ):
                pass
        # an interrupt ends the wait, and leaves every unit out
        asked = iter([False])
        stopped = Budget(interrupted=lambda: next(asked, True))
        with cluster.Cluster(there, 1, stopped) as pool:
            assert not of_one_unit(pool, ("", 1), stopped)


@contextlib.contextmanager
def somebody_elses_cluster(workers: int = 1) -> Iterator[Any]:
    """A cluster in this process."""
    with pytest.importorskip("distributed").LocalCluster(
        n_workers=workers, threads_per_worker=1, host="127.0.0.1", dashboard_address=None,
        scheduler_kwargs={"dashboard_address": "127.0.0.1:0"}, silence_logs=logging.CRITICAL,
    ) as other:  # fmt: skip
        yield other


def of_one_unit(pool: cluster.Cluster, item: Any, budget: Budget | None = None) -> list[UnitAnswer]:
    found = pool.answers(sweep_of(item), budget or Budget(), lambda: None)
    return [answer for _, answer in found]
