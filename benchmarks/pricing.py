"""Pricing of vkr by several processes and a cluster, and estimates of a round on many machines.

    python benchmarks/pricing.py run                   # one process, two, two workers over TLS
    python benchmarks/pricing.py run --centres 20000   # every point a centre
    python benchmarks/pricing.py run --rows 200000 --centres 2000 --runs 3
    python benchmarks/pricing.py parts                 # the parts of a round, measured here
    python benchmarks/pricing.py plan --rows 1e7 --workers 100 --bandwidth 1.25e9

The rows are generated waveforms of 21 columns, scaled to the ball, with kernels poly:1-4. ``run``
measures wall seconds of a fit (kernels, penalties, solve and certificate), processor seconds of the
caller and of its workers, and the peak memory of the caller. ``plan`` measures the parts of a
round, or reads them from ``--parts FILE`` (the output of ``parts --json FILE``). It then computes a
round by :func:`plan`, with the network's bytes per second in place of the loopback's.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import resource
import statistics
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import cloudpickle
import numpy as np
from measure import child, measure, stopwatch, table

THIS = str(Path(__file__).resolve())
COLUMNS, KERNELS = 21, 4
WAYS = {
    "one process": {},
    "two processes": {"jobs": 2},
    "two workers, TLS": {"jobs": 2, "scheduler": "local"},
}


@dataclass(frozen=True)
class Parts:
    """What was measured. value: seconds of a kernel value in a pass of one core; column: of one in
    a column of the master; trip: seconds of a round without work, two workers over TLS; byte: bytes
    of news for a row that counts; base: MiB of a worker without data to speak of."""

    value: float
    column: float
    trip: float
    byte: float
    base: float


def fit(rows: int, centres: int, way: str) -> dict[str, Any]:
    """One fit."""
    from joblib.externals.loky import get_reusable_executor

    from radprog.decompositions.run import RunSettings
    from radprog.decompositions.sweeps.sharing import Sharing
    from radprog.decompositions.vkr.fit import fit_vkr
    from radprog.instances.dataset import dataset
    from radprog.instances.generators import waveform
    from radprog.models.vkr.settings import VKR

    points = waveform(rows, seed=0)
    data = dataset(points.X, points.y, scale="ball")
    spec = VKR(kernels=f"poly:1-{KERNELS}", lam=1e-2, beta=1e-2, centres=centres)
    sharing = Sharing(**WAYS[way])
    with stopwatch() as spent:
        run = fit_vkr(spec, data, RunSettings(tol=1e-4, sharing=sharing))
    if sharing.jobs != 1 and sharing.scheduler is None:  # its processes would serve half a minute
        get_reusable_executor(reuse=True).shutdown(wait=True)
    workers = resource.getrusage(resource.RUSAGE_CHILDREN)
    return {
        **spent,
        "objective": run.objective,
        "note": f"gap {run.gap:.1e}, {len(run.trace)} rounds, {spent['cpu']:.1f} CPU s here, "
        f"{workers.ru_utime + workers.ru_stime:.1f} of workers",
    }


def parts() -> Parts:
    """Measure them, a minute or so."""
    from radprog.decompositions.loop import Budget
    from radprog.decompositions.sweeps.sharing import Sharing
    from radprog.decompositions.threads import held_to
    from radprog.decompositions.vkr import shared_pricing
    from radprog.instances.generators import waveform
    from radprog.models.kernel_bank import KernelBank
    from radprog.models.kernel_tiles import KernelPass, KernelTiles
    from radprog.models.kernels import parse_kernels

    def tiles(rows: int, centres: int) -> KernelTiles:
        X = waveform(rows, seed=0).X
        return KernelTiles(
            kernels=tuple(parse_kernels(f"poly:1-{KERNELS}")), X=X, centres=X[:centres]
        )

    def asked(rows: int) -> KernelPass:
        return KernelPass(kinds=("plain",), weights=np.full(rows, 0.1))

    with held_to(1):
        whole = tiles(20_000, 256)
        with stopwatch() as spent:
            whole.measured(asked(20_000))
        value = spent["cpu"] / (20_000 * 256 * KERNELS)
        bank = KernelBank(whole.kernels, whole.X, whole.X[:64])
        pairs = np.array([[k, j] for k in range(KERNELS) for j in range(64)])
        with stopwatch() as spent:
            bank.columns(pairs)
        column = spent["cpu"] / (20_000 * len(pairs))
    news = shared_pricing.News.of(asked(20_000), 20_000)
    shared_pricing.LEAST_VALUES = 0
    small, trips = tiles(200, 128), []
    with shared_pricing.SharedPricing(Sharing(jobs=2, scheduler="local"), Budget()) as workers:
        for _ in range(31):
            started = time.perf_counter()
            assert workers(small, asked(200)) is not None
            trips.append(time.perf_counter() - started)
    return Parts(
        value=value,
        column=column,
        trip=statistics.median(trips[1:]),
        byte=len(cloudpickle.dumps(news)) / 20_000,
        base=resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 2**10,
    )


def plan(
    parts: Parts, *, rows: int, centres: int, workers: int, bandwidth: float, share: float = 1.0
) -> dict[str, float]:
    """One round: messages, bytes, seconds; share: of the rows whose multiplier is not 0.

    News go to the scheduler, to one worker, and then from worker to worker, twice as many at each
    step. ``sums`` are of the worker with most blocks of 64 centres, kernels being divided where
    there are fewer of these than workers; ``columns`` the 300 that enter the master at most, by the
    caller. worker_mb, MiB: base + 16 rows (columns + share), while the data are read; column_mb: a
    column of the master.
    """
    used = share * rows
    news = parts.byte * used + (rows / 8 if share < 1 else 0)
    back = 8 * KERNELS * centres
    blocks = -(-centres // 64)
    groups = min(KERNELS, -(-workers // blocks))
    ranges = min(blocks, workers // groups)
    busiest = -(-blocks // ranges) / blocks * -(-KERNELS // groups) / KERNELS
    hops = 2 + math.ceil(math.log2(workers))
    data = 8 * rows * COLUMNS
    seconds = {
        "latency": parts.trip,
        "news": hops * news / bandwidth,
        "sums": busiest * used * centres * KERNELS * parts.value,
        "answers": back / bandwidth,
        "columns": 300 * rows * parts.column,
    }
    return {
        "messages": 4 * workers + 1,
        "bytes_of_news": news * (workers + 1),
        "bytes_of_answers": back,
        **{f"seconds_of_{name}": spent for name, spent in seconds.items()},
        "seconds_of_a_round": sum(seconds.values()),
        "seconds_of_sums_alone": used * centres * KERNELS * parts.value,
        "seconds_of_data_once": (workers + 1) * data / bandwidth,
        "worker_mb": parts.base + (2 * data + 16 * used) / 2**20,
        "column_mb": 8 * rows / 2**20,
    }


def main() -> None:
    """Run what is asked for."""
    if len(sys.argv) > 1 and sys.argv[1] == "--child":
        rows, centres, way = sys.argv[2:]
        child(lambda: fit(int(rows), int(centres), way))
        return
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("what", choices=["run", "parts", "plan"])
    parser.add_argument("--rows", type=float, default=20_000)
    parser.add_argument("--centres", type=int, default=1000)
    parser.add_argument("--runs", type=int, default=1, help="processes per measurement (1)")
    parser.add_argument("--workers", type=int, default=100)
    parser.add_argument("--bandwidth", type=float, default=1.25e9, help="bytes a second (10 Gb/s)")
    parser.add_argument("--share", type=float, default=1.0, help="of rows that count (1)")
    parser.add_argument("--parts", help="JSON file of measured parts")
    parser.add_argument("--json", help="where parts are written")
    options = parser.parse_args()
    os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")
    number = int(options.rows)
    if options.what == "run":
        given = (str(number), str(options.centres))
        runs = [
            {"name": way, **measure(THIS, ["--child", *given, way], options.runs)} for way in WAYS
        ]
        table(f"{number} rows, {options.centres} centres, poly:1-{KERNELS}", runs)
        return
    known = json.loads(Path(options.parts).read_text()) if options.parts else asdict(parts())
    if options.json:
        Path(options.json).write_text(json.dumps(known, indent=1) + "\n")
    found = known
    if options.what == "plan":
        found = plan(
            Parts(**known),
            rows=number,
            centres=options.centres,
            workers=options.workers,
            bandwidth=options.bandwidth,
            share=options.share,
        )
    for name, value in found.items():
        print(f"{name:<24}{value:.4g}")


if __name__ == "__main__":
    main()
