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
    - missing: the reason why the adapter cannot be used although its module can be imported ("is
      not installed: no glpsol"), or "".
    - trial: for an adapter without a class, a function that tests it and returns the result.
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
    """An adapter of a solver.

    It solves programs as matrices, .lp or .mps files, or both, and returns answers before
    verification.
    """

    @property
    def DECLARED(self) -> Declared: ...
    def version(self) -> str: ...
    def solve(self, program: Program, settings: SolveSettings) -> SolverAnswer: ...
    def solve_file(self, path: Path, settings: SolveSettings) -> FileAnswer: ...
