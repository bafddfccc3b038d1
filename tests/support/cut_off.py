"""Runs cut off at any question, without any time after it."""

from collections.abc import Callable


def polled(times: float) -> tuple[Callable[[], bool], list[int]]:
    """An interrupt flag that is up from the given question on, and the questions asked."""
    asked: list[int] = []

    def interrupted() -> bool:
        asked.append(1)
        return len(asked) > times

    return interrupted, asked
