"""Which solver can do what; solving a program or a model by the name of a solver."""

from __future__ import annotations

import importlib
import importlib.util
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol, cast

import pyomo.environ as pyo

from radprog.instances.errors import CapabilityError, OptionError, SolverError, SolverMissingError
from radprog.solvers.answer import Answer, judge
from radprog.solvers.compile import compile_model, load_solution
from radprog.solvers.program import ProblemClass, Program, Solution, SolveSettings, Status

_LP, _QP, _MILP = ProblemClass.LP, ProblemClass.QP, ProblemClass.MILP


class Adapter(Protocol):
    """What the module of a solver offers."""

    def version(self) -> str: ...
    def solve(self, program: Program, settings: SolveSettings) -> Answer: ...


@dataclass(frozen=True, kw_only=True)
class SolverSpec:
    """A solver's declaration: what it can do, and the modules behind it."""

    name: str
    classes: frozenset[ProblemClass]
    requires: str
    duals: bool = False
    hot_start: bool = False
    convex_only: bool = True

    def installed(self) -> bool:
        """True if the solver's own package can be found."""
        return importlib.util.find_spec(self.requires) is not None

    def adapter(self) -> Adapter:
        """The adapter module; SolverMissingError where the solver is not installed."""
        if not self.installed():
            raise SolverMissingError(f"solver {self.name} needs the package {self.requires}")
        return cast(Adapter, importlib.import_module(f"radprog.solvers.{self.name}"))


SOLVERS: Mapping[str, SolverSpec] = {
    spec.name: spec
    for spec in (
        SolverSpec(name="highs", classes=frozenset({_LP, _QP, _MILP}), requires="highspy",
                   duals=True, hot_start=True),
    )
}


def solver(name: str) -> SolverSpec:
    """The declaration of a solver; OptionError for an unknown name."""
    if name not in SOLVERS:
        raise OptionError(f"unknown solver {name!r}: known are {', '.join(SOLVERS)}, pyomo:NAME")
    return SOLVERS[name]


def solve_program(program: Program, name: str = "highs",
                  settings: SolveSettings = SolveSettings()) -> Solution:
    spec = solver(name)
    wanted = program.problem_class
    if wanted not in spec.classes:
        able = [other.name for other in SOLVERS.values() if wanted in other.classes]
        raise CapabilityError(f"{name} cannot solve a {wanted}; able: {', '.join(able) or 'none'}")
    adapter = spec.adapter()
    start = time.perf_counter()
    answer = adapter.solve(program, settings)
    seconds = time.perf_counter() - start
    solution = judge(program, answer, solver=name, version=adapter.version(), seconds=seconds,
                     settings=settings)
    if solution.status is Status.FAILED:
        raise SolverError(solution.message)
    return solution


def solve_model(model: pyo.ConcreteModel, name: str = "highs",
                settings: SolveSettings = SolveSettings()) -> Solution:
    program = compile_model(model)
    solution = solve_program(program, name, settings)
    if solution.x is not None:
        load_solution(model, program, solution)
    return solution
