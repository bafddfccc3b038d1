"""The command line of the attacks: how many, from which seed on, and what they print."""

import argparse
import os
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from functools import partial
from multiprocessing import get_context
from typing import Any

#: What the programs of a seed were, counted while one is examined.
TALLY: Counter[str] = Counter()


def read_options(about: str | None, **defaults: Any) -> argparse.Namespace:
    """The options of a script: ``--seed``, and one for each default, of its type. A default of
    words is an option for some of them, with commas."""
    parser = argparse.ArgumentParser(
        description=about, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    for name, value in {"seed": 0, **defaults}.items():
        if value is False:
            parser.add_argument(f"--{name}", action="store_true")
        elif isinstance(value, str | int | float):
            parser.add_argument(f"--{name}", type=type(value), default=value)
        else:
            parser.add_argument(
                f"--{name}", type=lambda text: [*filter(None, text.split(","))], default=[],
                help=f"some of {','.join(value)}",
            )  # fmt: skip
    return parser.parse_args()


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


def examined(examine: Callable[[int], list[Any]], seed: int) -> tuple[list[str], Counter[str]]:
    """What is false about a seed, and what was counted."""
    TALLY.clear()
    return [*map(str, examine(seed))], Counter(TALLY)


def run(about: str | None, examine: Callable[..., list[Any]], **defaults: Any) -> int:
    """Examine the seeds that the command line names; exit code 1 where something is false.

    ``examine`` takes a seed and the options of ``defaults``, but count and jobs."""
    options = vars(read_options(about, **{"count": 200, "jobs": 1, **defaults}))
    count, jobs, first = (options.pop(name) for name in ("count", "jobs", "seed"))
    one = partial(examined, partial(examine, **options))
    false, tally = 0, Counter[str]()
    # spawned: a fork would copy the threads and locks of solvers
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        shown = (map if jobs == 1 else pool.map)(one, range(first, first + count))
        for done, (found, counted) in enumerate(shown, 1):
            false += len(found)
            tally.update(counted)
            print(*found, sep="\n", end="\n" * bool(found), flush=True)
            if done % 100 == 0:
                print(f"{done} of {count} seeds, {false} false", file=sys.stderr, flush=True)
    print(*(f"{number:8} {word}" for word, number in sorted(tally.items())), sep="\n")
    print(f"{count} seeds, {false} false")
    return 1 if false else 0
