"""The workers and the checkpoint folder that a user requests for a sweep."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from radprog.base.errors import MALFORMED, OptionError, extra
from radprog.decompositions.loop import Budget, Watcher
from radprog.decompositions.sweeps.checkpoint import Checkpoint
from radprog.decompositions.sweeps.units import LOCAL_CLUSTER, Executor, Sweep, UnitAnswer

ALL = "all"


def cores() -> int:
    """The number of cores available to this process."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def check_address(address: str) -> None:
    """Raise OptionError unless the address is ``local``, tls://HOST:PORT or tcp://HOST:PORT."""
    parts = urlsplit(address)
    try:
        valid = parts.scheme in ("tls", "tcp") and bool(parts.hostname) and parts.port is not None
    except ValueError:
        valid = False
    if address == LOCAL_CLUSTER:
        return
    if not valid:
        raise OptionError(
            f"scheduler '{address}': expected {LOCAL_CLUSTER}, tls://HOST:PORT, tcp://HOST:PORT "
            "or a FILE.json written by a Dask scheduler"
        )


def address_in(path: str | Path) -> str:
    """The address in a file written by a Dask scheduler.

    Raises OptionError if the file is missing or contains no address.
    """
    try:
        address = json.loads(Path(path).read_bytes())["address"]
        if not isinstance(address, str):
            raise TypeError(f"address {address!r}")
    except (OSError, RecursionError, *MALFORMED) as error:
        reason = getattr(error, "strerror", None) or "it holds no address"
        raise OptionError(
            f"scheduler {path}: {reason}: expected a file written by a Dask scheduler"
        ) from None
    return address


def is_client(scheduler: Any) -> bool:
    """Whether an object is a ``distributed.Client``, without importing Dask."""
    return isinstance(scheduler, getattr(sys.modules.get("distributed"), "Client", ()))


@dataclass(frozen=True, kw_only=True)
class Sharing:
    """The workers and the checkpoint of a sweep. Raises OptionError if the number of jobs is
    invalid.

    - jobs: number of processes on this machine; ``all`` means one per core.
    - scheduler: a Dask cluster whose workers replace the processes. It is ``local`` for ``jobs``
      workers on this machine, an address, a scheduler file, or a ``distributed.Client``. Such a
      client is not closed.
    - checkpoint: a folder for finished units. A killed sweep can continue from it.
    """

    jobs: int | str = 1
    scheduler: Any = None
    checkpoint: str | Path | None = None

    def __post_init__(self) -> None:
        # jobs, then texts, then the address
        is_integer = isinstance(self.jobs, int) and not isinstance(self.jobs, bool)
        is_all = isinstance(self.jobs, str) and self.jobs == ALL
        if not is_all and not (is_integer and int(self.jobs) >= 1):
            raise OptionError(f"jobs {self.jobs}: expected a whole number >= 1, or {ALL}")
        for name in ("checkpoint", "scheduler"):
            value = getattr(self, name)
            if value is None or (name == "scheduler" and is_client(value)):
                continue
            if not isinstance(value, str | Path) or "\0" in str(value):
                raise OptionError(f"{name} {value!r}: expected text")
        if is_client(self.scheduler):
            # whom its owner believes is the owner's choice
            if self.scheduler.status != "running" or self.scheduler.asynchronous:
                raise OptionError("scheduler: expected a Client that is open and not asynchronous")
        elif self.scheduler is not None:
            # a scheduler file is replaced by its address
            address = self.scheduler
            if isinstance(address, Path) or (address.endswith(".json") and "://" not in address):
                address = address_in(address)
                object.__setattr__(self, "scheduler", address)
            check_address(address)
            with extra("dask", "a cluster"):
                import cryptography  # noqa: F401, the encryption of Security.temporary
                import distributed  # noqa: F401, named here, before any work

    @property
    def workers(self) -> int:
        """The number of workers."""
        return cores() if self.jobs == ALL else int(self.jobs)

    @property
    def shared(self) -> bool:
        """Whether workers other than this process take part."""
        return self.workers > 1 or self.scheduler is not None

    @property
    def request(self) -> tuple[str, int | str]:
        """The name and the value of the option that requests workers."""
        return ("jobs", self.jobs) if self.scheduler is None else ("scheduler", self.scheduler)

    def refuse_one(self, model: str, *, divided: bool, kept: bool) -> None:
        """Raise OptionError if workers or a checkpoint are set for a fit that cannot use them."""
        # what was to be divided, what was to be kept
        option, value = self.request
        if self.shared and not divided:
            raise OptionError(
                f"{option} {value}: one fit of {model} is not divided: leave `{option}` out. "
                "Workers share classes of `one_vs_rest` and of srm, starts of svr and sign vectors "
                "of complexity"
            )
        if self.checkpoint is not None and not kept:
            raise OptionError(
                f"checkpoint {self.checkpoint}: nothing of one fit of {model} is kept: leave "
                "`checkpoint` out"
            )

    def refuse_log(self, log: str | None) -> None:
        """Raise OptionError if several processes would write to the log of a solver."""
        if log is not None and self.shared:
            raise OptionError(
                f"log {log}: {self.workers} processes cannot write one file: leave `log` or "
                f"`{self.request[0]}` out"
            )

    def executor(self, units: int, budget: Budget) -> Executor:
        """An executor that starts now, with at most one worker per unit.

        If a scheduler has no workers yet, the executor waits for the first one within the budget.
        """
        # one unit needs no second process; a cluster's workers are asked all the same
        if not self.shared or not units:
            return Executor()
        if self.scheduler is not None:
            from radprog.decompositions.sweeps.cluster import Cluster  # loads dask

            return Cluster(self.scheduler, min(self.workers, units), budget)
        if units == 1:
            return Executor()
        from radprog.decompositions.sweeps.processes import Processes  # loads loky

        return Processes(min(self.workers, units))


ALONE = Sharing()


def parse_jobs(text: str) -> int | str:
    """The number of jobs. If the string is not a number, it is returned unchanged; :class:`Sharing`
    checks it.
    """
    try:
        return int(text)
    except ValueError:
        return text


def ignore_progress(finished: int, total: int) -> None:
    """A watcher that ignores all calls."""


def answers(
    sweep: Sweep, sharing: Sharing, budget: Budget, watch: Watcher = ignore_progress
) -> Iterator[UnitAnswer]:
    """The answers of all units, in the order of the units. They do not depend on the workers.

    ``watch`` is called with the number of finished fits and the number of all fits. A checkpoint
    stores each unit as soon as it finishes. Stored units are not computed again. If the budget runs
    out, the units that were not computed are marked as cut.
    """
    total = sum(unit.size for unit in sweep.units)
    finished = counted = 0  # finished fits, and those that the running unit has counted

    def step() -> None:
        nonlocal finished, counted
        finished, counted = finished + 1, counted + 1
        watch(finished, total)

    def finish(answer: UnitAnswer) -> None:
        # a unit that does not count its fits has them all at its end
        nonlocal finished, counted
        remaining = 0 if answer.cut else answer.unit.size - counted
        counted = 0
        if remaining > 0:
            finished += remaining
            watch(finished, total)

    # units that the checkpoint holds are not worked again
    checkpoint, ready = None, dict[int, UnitAnswer]()
    if sharing.checkpoint is not None:
        checkpoint = Checkpoint.open(sharing.checkpoint, sweep.identity)
        for number, unit in enumerate(sweep.units):
            stored = checkpoint.load(number, unit)
            if stored is not None:
                ready[number] = stored
                finish(stored)
    numbers = [number for number in range(len(sweep.units)) if number not in ready]
    # the executor answers the others in any order
    pending = replace(sweep, units=[sweep.units[number] for number in numbers])
    with (
        sharing.executor(len(numbers), budget) as executor,
        closing(executor.answers(pending, budget, step)) as fresh,
    ):
        for number, unit in enumerate(sweep.units):
            # answers that come before their turn are kept until it comes
            while number not in ready:
                place, answer = next(fresh, (None, None))
                if place is None or answer is None:  # the budget left this one out
                    ready[number] = UnitAnswer(unit=unit, cut=True)
                    break
                if checkpoint is not None:
                    checkpoint.store(numbers[place], answer)
                finish(answer)
                ready[numbers[place]] = answer
            yield ready.pop(number)
