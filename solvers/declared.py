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
    """The capabilities of an adapter, as ``DECLARED``; the tests solve a program of each.

    - classes: the classes of programs that the solver supports.
    - duals: whether the solver returns duals of all continuous programs.
    - hot_start: whether the solver can continue from its last basis after a change.
    - convex_only: whether programs must pass a test of convexity.
    - cones: whether the solver accepts second-order cones as indefinite quadratic rows.
    - formats: the file formats (``lp``, ``mps``) that the solver reads, through ``solve_file``.
    - missing: a function that returns the reason why the adapter is unusable although its module
      can be imported ("is not installed: no glpsol"), or "".
    - note: for an adapter without a class, what it solves.
    """

    classes: frozenset[ProblemClass] = frozenset()
    duals: bool = False
    hot_start: bool = False
    convex_only: bool = True
    cones: bool = False
    formats: frozenset[str] = frozenset()
    missing: Callable[[], str] | None = None
    note: str = ""


class Adapter(Protocol):
    """The interface of the adapters.

    An adapter solves programs as matrices, or as .lp or .mps files, or both. Its answers are not
    verified.
    """

    @property
    def DECLARED(self) -> Declared: ...
    def version(self) -> str: ...
    def solve(self, program: Program, settings: SolveSettings) -> SolverAnswer: ...
    def solve_file(self, path: Path, settings: SolveSettings) -> FileAnswer: ...
