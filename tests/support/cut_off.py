"""Runs cut off at any question, without any time after it."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import pytest

from radprog.decompositions import loop


def polled(times: float) -> tuple[Callable[[], bool], list[int]]:
    """An interrupt flag that is up from the given question on, and the questions asked."""
    asked: list[int] = []

    def interrupted() -> bool:
        asked.append(1)
        return len(asked) > times

    return interrupted, asked


def take_grace(monkeypatch: pytest.MonkeyPatch) -> None:
    """A clock of which the process has had hours whenever it is asked again."""
    hours = itertools.count(0.0, 1e4)
    monkeypatch.setattr(loop.time, "process_time", lambda: next(hours))
