"""Adapters: modules or objects that declare their capabilities and solve programs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from radprog.solvers.answer import FileAnswer, SolverAnswer
from radprog.solvers.program import ProblemClass, Program, SolveSettings


@dataclass(frozen=True, kw_only=True)
class Declared:
    """The capabilities of an adapter, as ``DECLARED``; the capability table tests them.

    - classes: program classes of the solver.
    - duals: whether it returns duals of all continuous programs.
    - hot_start: whether it can start from a changed program.
    - convex_only: whether it requires a test of convexity.
    - cones: whether it accepts second-order cones, whose quadratic row is indefinite.
    - formats: files (``lp``, ``mps``) that it reads itself, through ``solve_file``.
    - missing: why it is unusable although its module loads ("is not installed: no glpsol"), or "".
    - trial: a test of its own, for an adapter without a class; it returns the result.
    """

    classes: frozenset[ProblemClass] = frozenset()
    duals: bool = False
    hot_start: bool = False
    convex_only: bool = True
    cones: bool = False
    formats: frozenset[str] = frozenset()
    missing: Callable[[], str] | None = None
    trial: Callable[[], str] | None = None


class Adapter(Protocol):
    """A solver of programs as matrices, of .lp or .mps files, or of both, with unverified
    answers."""

    @property
    def DECLARED(self) -> Declared: ...
    def version(self) -> str: ...
    def solve(self, program: Program, settings: SolveSettings) -> SolverAnswer: ...
    def solve_file(self, path: Path, settings: SolveSettings) -> FileAnswer: ...
