"""Settings of runs and of solvers as typed keywords of the functions that take them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any, TypedDict

from radprog.base.errors import OptionError
from radprog.decompositions.executors.sharing import Sharing
from radprog.decompositions.loop import Observer


class RunOptions(TypedDict, total=False):
    """The fields of :class:`~radprog.decompositions.run.RunSettings`, and of its ``sharing``;
    start: a saved fit, or its path."""

    method: str | None
    solver: str | None
    tol: float
    abs_tol: float
    time_limit: float | None
    max_iter: int | None
    seed: int
    threads: int
    solver_options: Mapping[str, str]
    log: str | None
    start: Any
    observe: Observer
    interrupted: Callable[[], bool]
    used: float
    sharing: Sharing
    jobs: int | str
    scheduler: str | None
    insecure: bool
    checkpoint: str | Path | None


class SolverOptions(TypedDict, total=False):
    """The fields of :class:`~radprog.solvers.program.SolveSettings`."""

    tolerance: float | None
    time_limit: float | None
    threads: int
    seed: int
    options: Mapping[str, str]
    log: str | None
    interrupt: Callable[[], bool] | None


def known_options(kind: type[Any], options: Mapping[str, Any]) -> dict[str, Any]:
    """Options that are all fields of a settings class; OptionError for another one."""
    names = [field.name for field in fields(kind)]
    for name in options:
        if name not in names:
            raise OptionError(f"unknown setting '{name}': expected one of {', '.join(names)}")
    return dict(options)
