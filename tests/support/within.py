"""A limit on a block, for what might take for ever."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager

from processes import PATIENCE


@contextmanager
def within(seconds: float, error: type[BaseException] = TimeoutError) -> Iterator[None]:
    """Raise the error where the block takes longer: of this process's own seconds, so that a
    busy machine fails nothing, or ``PATIENCE`` on the wall, where it waits."""

    def late(*_: object) -> None:
        raise error(f"not done within {seconds:g} s")

    limits = (
        (signal.SIGPROF, signal.ITIMER_PROF, seconds),
        (signal.SIGALRM, signal.ITIMER_REAL, PATIENCE),
    )
    before = [signal.signal(number, late) for number, _, _ in limits]
    for _, timer, limit in limits:
        signal.setitimer(timer, limit)
    try:
        yield
    finally:
        for (number, timer, _), handler in zip(limits, before, strict=True):
            signal.setitimer(timer, 0.0)
            signal.signal(number, handler)
