"""What an adapter is: a module (or object) that declares what it can do, and does it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from radprog.solvers.answer import FileAnswer, SolverAnswer
from radprog.solvers.program import ProblemClass, Program, SolveSettings


@dataclass(frozen=True, kw_only=True)
class Declared:
    """What an adapter says of itself, as ``DECLARED``; the capability table tries it.

    classes: what it solves. duals: of every continuous program. hot_start: from a changed program.
    convex_only: quadratic parts are tested for convexity before it sees them; cones: it takes
    second-order cones although their matrix, as a quadratic row, is indefinite. formats: the files
    (``lp``, ``mps``) that it reads by itself, through ``solve_file``. missing: why it cannot be
    used although its module loads ("is not installed: no glpsol"), or nothing. trial: a test-solve
    of its own, where it does no class: what came out.
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
    """A solver of programs as matrices, or of .lp or .mps files that it reads by itself, or of
    both; its own words, which nobody believes yet."""

    @property
    def DECLARED(self) -> Declared: ...
    def version(self) -> str: ...
    def solve(self, program: Program, settings: SolveSettings) -> SolverAnswer: ...
    def solve_file(self, path: Path, settings: SolveSettings) -> FileAnswer: ...
