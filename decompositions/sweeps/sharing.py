"""Who works on a sweep and what is kept of it, as it was asked for."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from radprog.base.errors import MALFORMED, OptionError
from radprog.decompositions.loop import Budget, Watcher
from radprog.decompositions.sweeps.checkpoint import Checkpoint
from radprog.decompositions.sweeps.units import (
    LOCAL_CLUSTER,
    Executor,
    Serial,
    Sweep,
    UnitAnswer,
)

ALL = "all"


def cores() -> int:
    """Cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def check_address(address: str, *, insecure: bool) -> None:
    """Raise OptionError unless the address is ``local`` or tls://; a scheduler runs what it is
    sent, and its answers are unpickled: without TLS anyone can be it, on this machine every
    user. ``insecure``: also tcp://.
    """
    parts = urlsplit(address)
    try:
        known = parts.scheme in ("tls", "tcp") and bool(parts.hostname) and parts.port is not None
    except ValueError:
        known = False
    if address == LOCAL_CLUSTER:
        return
    if not known:
        raise OptionError(
            f"scheduler '{address}': expected {LOCAL_CLUSTER}, tls://HOST:PORT or the "
            "FILE.json of dask scheduler --scheduler-file"
        )
    if parts.scheme == "tcp" and not insecure:
        raise OptionError(
            f"scheduler {address}: not encrypted, and whoever answers there is believed: expected "
            "tls://HOST:PORT, or --insecure said aloud"
        )


def address_in(path: str | Path) -> str:
    """The address in the file that ``dask scheduler --scheduler-file`` writes; OptionError."""
    try:
        address = json.loads(Path(path).read_bytes())["address"]
        if not isinstance(address, str):
            raise TypeError(f"address {address!r}")
    except (OSError, RecursionError, *MALFORMED) as error:
        reason = getattr(error, "strerror", None) or "it holds no address"
        raise OptionError(
            f"scheduler {path}: {reason}: expected the file of dask scheduler --scheduler-file"
        ) from None
    return address


def is_client(scheduler: Any) -> bool:
    """Whether it is a ``distributed.Client``, without loading dask."""
    return isinstance(scheduler, getattr(sys.modules.get("distributed"), "Client", ()))


@dataclass(frozen=True, kw_only=True)
class Sharing:
    """jobs: processes of this machine, ``all``: one a core. scheduler: workers of a dask cluster in
    their place, ``local`` for ``jobs`` of this machine, an address, the scheduler file that holds
    one, or a ``distributed.Client``, which stays open; insecure: also an address without
    encryption. checkpoint: a folder that keeps what is done, and from which a sweep that was killed
    goes on.

    Raises OptionError for other numbers of jobs.
    """

    jobs: int | str = 1
    scheduler: Any = None
    insecure: bool = False
    checkpoint: str | Path | None = None

    def __post_init__(self) -> None:
        # jobs, then texts, then the address
        whole = isinstance(self.jobs, int) and not isinstance(self.jobs, bool)
        everyone = isinstance(self.jobs, str) and self.jobs == ALL
        if not everyone and not (whole and int(self.jobs) >= 1):
            raise OptionError(f"jobs {self.jobs}: expected a whole number >= 1, or {ALL}")
        for name in ("checkpoint", "scheduler"):
            value = getattr(self, name)
            if value is None or (name == "scheduler" and is_client(value)):
                continue
            if not isinstance(value, str | Path) or "\0" in str(value):
                raise OptionError(f"{name} {value!r}: expected text")
        if self.scheduler is None and self.insecure:
            raise OptionError("insecure has no meaning without a scheduler")
        if is_client(self.scheduler):
            # whom its owner believes is the owner's choice
            if self.scheduler.status != "running" or self.scheduler.asynchronous:
                raise OptionError("scheduler: expected a Client that is open and not asynchronous")
        elif self.scheduler is not None:
            # a scheduler file stands for its address
            address = self.scheduler
            if isinstance(address, Path) or (address.endswith(".json") and "://" not in address):
                address = address_in(address)
                object.__setattr__(self, "scheduler", address)
            check_address(address, insecure=self.insecure)

    @property
    def workers(self) -> int:
        """How many."""
        return cores() if self.jobs == ALL else int(self.jobs)

    @property
    def shared(self) -> bool:
        """Whether more than this process works."""
        return self.workers > 1 or self.scheduler is not None

    @property
    def asked(self) -> tuple[str, int | str]:
        """The option that shares, and its value."""
        return ("jobs", self.jobs) if self.scheduler is None else ("scheduler", self.scheduler)

    @property
    def elsewhere(self) -> bool:
        """Whether a scheduler at an address does."""
        return self.scheduler is not None and self.scheduler != LOCAL_CLUSTER

    def below(self, name: str) -> Sharing:
        """The same for a sweep of many: its checkpoint has a folder of its own."""
        if self.checkpoint is None:
            return self
        plain = re.sub(r"[^A-Za-z0-9.-]+", "-", name)
        return replace(self, checkpoint=str(Path(self.checkpoint) / plain))

    def refuse_one(self, model: str, *, divided: bool, kept: bool) -> None:
        """Raise OptionError if one fit of a model, which nothing divides, was to be shared, or
        kept where nothing of it is.
        """
        # what was to be divided, what was to be kept
        option, value = self.asked
        if self.shared and not divided:
            raise OptionError(
                f"{option} {value}: one fit of {model} is not divided, only classifiers of "
                "--one-vs-rest, classes of srm, starts of svr, sign vectors of complexity and "
                f"pricing of vkr and l1svm are: leave --{option} out"
            )
        if self.checkpoint is not None and not kept:
            raise OptionError(
                f"checkpoint {self.checkpoint}: nothing of one fit of {model} is kept: leave "
                "--checkpoint out"
            )

    def refuse_log(self, log: str | None) -> None:
        """Raise OptionError if several processes were to write the log of a solver."""
        if log is not None and self.shared:
            raise OptionError(
                f"log {log}: {self.workers} processes cannot write one file: leave --log or "
                f"--{self.asked[0]} out"
            )

    def executor(self, units: int, budget: Budget) -> Executor:
        """One that starts now, for so many units; no more workers than these. A scheduler without
        workers is waited for within the budget."""
        # one unit needs no second process; a cluster's workers are asked all the same
        if not self.shared or not units:
            return Serial()
        if self.scheduler is not None:
            from radprog.decompositions.sweeps.cluster import Cluster  # loads dask

            return Cluster(self.scheduler, min(self.workers, units), budget)
        if units == 1:
            return Serial()
        from radprog.decompositions.sweeps.processes import Processes  # loads loky

        return Processes(min(self.workers, units))


ALONE = Sharing()


def parse_jobs(text: str) -> int | str:
    """A number, or a text; :class:`Sharing` checks which."""
    try:
        return int(text)
    except ValueError:
        return text


def unwatched(done: int, total: int) -> None:
    """A watcher that looks away."""


def answers(
    sweep: Sweep, sharing: Sharing, budget: Budget, watch: Watcher = unwatched
) -> Iterator[UnitAnswer]:
    """An answer for every unit, in the order of the units, the same whoever works.

    watch: told how many fits of how many are done. A checkpoint keeps every unit that is done, as
    soon as it is; those that it holds are not computed again. Units that the budget leaves out
    are cut.
    """
    tally = _Tally(sum(unit.size for unit in sweep.units), watch)
    # units that the checkpoint holds are not worked again
    checkpoint, kept = None, dict[int, UnitAnswer]()
    if sharing.checkpoint is not None:
        checkpoint = Checkpoint.open(sharing.checkpoint, sweep.identity)
        for number, unit in enumerate(sweep.units):
            before = checkpoint.kept(number, unit)
            if before is not None:
                kept[number] = before
                tally.ended(before)
    numbers = [number for number in range(len(sweep.units)) if number not in kept]
    # the executor answers the others in any order
    rest = replace(sweep, units=[sweep.units[number] for number in numbers])
    with (
        sharing.executor(len(numbers), budget) as executor,
        closing(executor.answers(rest, budget, tally.step)) as fresh,
    ):
        for number, unit in enumerate(sweep.units):
            # answers that come before their turn are kept until it comes
            while number not in kept:
                place, answer = next(fresh, (None, None))
                if place is None or answer is None:  # the budget left this one out
                    kept[number] = UnitAnswer(unit=unit, cut=True)
                    break
                if checkpoint is not None:
                    checkpoint.keep(numbers[place], answer)
                tally.ended(answer)
                kept[numbers[place]] = answer
            yield kept.pop(number)


@dataclass
class _Tally:
    """The number of finished fits: counted one by one if a unit reports them, else at its end."""

    total: int
    watch: Watcher
    done: int = 0
    told: int = 0  # by the unit that runs

    def step(self) -> None:
        self.done += 1
        self.told += 1
        self.watch(self.done, self.total)

    def ended(self, answer: UnitAnswer) -> None:
        """The rest of a unit's fits."""
        left = 0 if answer.cut else answer.unit.size - self.told
        self.told = 0
        if left > 0:
            self.done += left
            self.watch(self.done, self.total)
