"""Random instances of all models against all their methods, solvers and rational arithmetic.

python tests/attack/differential.py --count 2000 --seed 0 --jobs 2

One line of progress, a table at the end; an instance that shows something is kept in
tests/attack/kept, and the exit code is 1.
"""

import argparse
import os
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from attack_cases import CATALOG, KEPT, draw
from attack_checks import Report, examine

COLUMNS = (
    "instances", "refused", "methods", "certified", "open", "no bound", "solver failed", "left",
    "pairs", "exact", "optimum known", "exact from points", "rounded far", "forms", "compared",
    "wide", "findings",
)  # fmt: skip


@contextmanager
def silent() -> Iterator[None]:
    """What libraries of solvers print themselves goes nowhere."""
    # the descriptor itself, for libraries in C do not write to sys.stderr
    kept = os.dup(2)
    with open(os.devnull, "w") as nowhere:
        os.dup2(nowhere.fileno(), 2)
        try:
            yield
        finally:
            os.dup2(kept, 2)
            os.close(kept)


def one(seed: int) -> Report:
    """What the instance of a seed shows."""
    start = time.perf_counter()
    with silent():
        report = examine(draw(seed))
    report.seconds = time.perf_counter() - start
    return report


def reports(seeds: Iterable[int], jobs: int) -> Iterator[Report]:
    """In any order of the work, in the order of the seeds."""
    if jobs == 1:
        yield from map(one, seeds)
        return
    # spawned: a fork would copy the threads and locks of solvers
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        yield from pool.map(one, seeds)


def summary(counts: dict[str, Counter[str]]) -> list[str]:
    """A line per count, a column per model, and the sum."""
    width = max(map(len, COLUMNS)) + 2
    lines = [" " * width + "".join(f"{name:>11}" for name in (*counts, "all"))]
    for column in COLUMNS:
        values = [counter[column] for counter in counts.values()]
        cells = "".join(f"{value:>11}" for value in (*values, sum(values)))
        lines.append(f"{column:<{width}}{cells}")
    return lines


def main(arguments: list[str] | None = None) -> int:
    """Exit code 1 where an instance shows something."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0, help="of the first instance")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--keep", type=Path, default=KEPT, help="folder for what is found")
    options = parser.parse_args(arguments)
    counts = {name: Counter[str]() for name in CATALOG}
    seeds = range(options.seed, options.seed + options.count)
    found = 0
    # count what every instance shows, whichever process ran it
    for done, report in enumerate(reports(seeds, options.jobs), 1):
        case, counter = report.case, counts[report.case.model]
        counter.update(report.counts)
        counter["instances"] += 1
        if report.findings:
            counter["findings"] += 1
            found += 1
            # kept with what it showed, to run again
            path = options.keep / f"{case.model}-{case.seed}.json"
            replace(case, found=report.findings).save(path)
            print(
                f"\nseed {case.seed}, kept as {path.name}:",
                *report.findings,
                sep="\n  ",
                flush=True,
            )
        # one line that is overwritten on a terminal, every twentieth in a log
        if sys.stderr.isatty() or done % 20 == 0:
            told = f"{done} of {options.count} instances, {found} with findings, seed {case.seed}"
            print(f"\r{told}", end="" if sys.stderr.isatty() else "\n", file=sys.stderr, flush=True)
    print("", *summary(counts), sep="\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
