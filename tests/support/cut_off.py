"""Runs cut off at any question, without any time after it."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass
class Questions:
    """A limit that is spent from the given question on."""

    left: float
    asked: itertools.count[int] = field(default_factory=itertools.count)
    remaining = 1.0

    def spent(self) -> bool:
        return next(self.asked) >= self.left


def polled(times: float) -> tuple[Callable[[], bool], list[int]]:
    """An interrupt flag that is up from the given question on, and the questions asked."""
    asked: list[int] = []

    def interrupted() -> bool:
        asked.append(1)
        return len(asked) > times

    return interrupted, asked
