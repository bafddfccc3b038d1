"""Which solver can do what; solving a program or a model by the name of a solver."""

from __future__ import annotations

import importlib
import importlib.util
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, cast

import numpy as np
import pyomo.environ as pyo

from radprog.instances.errors import (
    CapabilityError,
    OptionError,
    OutputError,
    RadprogError,
    SolverError,
    SolverMissingError,
)
from radprog.solvers.adapters.pyomo_bridge import PyomoSolver
from radprog.solvers.answer import Answer, judge
from radprog.solvers.compile import compile_model, load_solution
from radprog.solvers.convexity import check_convex
from radprog.solvers.formats.program_writer import write_program
from radprog.solvers.program import ProblemClass, Program, Solution, SolveSettings, Status

_LP, _QP, _QCQP = ProblemClass.LP, ProblemClass.QP, ProblemClass.QCQP
_MILP, _MIQP, _MIQCQP = ProblemClass.MILP, ProblemClass.MIQP, ProblemClass.MIQCQP
BRIDGE = "pyomo:"
_DEFAULT = SolveSettings()


class Adapter(Protocol):
    """What stands behind a solver: a module of this package, or a solver of Pyomo."""

    def version(self) -> str: ...
    def solve(self, program: Program, settings: SolveSettings) -> Answer: ...


@dataclass(frozen=True, kw_only=True)
class SolverSpec:
    """A solver's declaration: the classes of programs it can do, and the package it needs.

    ``convex_only``: quadratic parts are tested for convexity before it sees them. libsvm does no
    class: only the SVM dual of :func:`radprog.solvers.dense.svm.solve_svm`.
    """

    name: str
    classes: frozenset[ProblemClass]
    requires: str
    duals: bool = False
    hot_start: bool = False
    convex_only: bool = True

    def installed(self) -> bool:
        """True if the solver's package, or Pyomo's executable, is found."""
        if self.name.startswith(BRIDGE):
            return PyomoSolver(self.requires).installed()
        return importlib.util.find_spec(self.requires) is not None

    def adapter(self) -> Adapter:
        """The code behind the solver; SolverMissingError where it is not installed."""
        if not self.installed():
            raise SolverMissingError(f"solver {self.name} is not installed: no {self.requires}")
        if self.name.startswith(BRIDGE):
            return PyomoSolver(self.requires)
        module = "dense.svm" if self.name == "libsvm" else f"adapters.{self.name}"
        try:
            return cast(Adapter, importlib.import_module(f"radprog.solvers.{module}"))
        except ImportError as error:
            raise SolverMissingError(f"solver {self.name} cannot be loaded: {error}") from error

    def solve(self, program: Program, settings: SolveSettings = _DEFAULT) -> Solution:
        """Check class and convexity, solve and judge; errors as :func:`solve_program`, but a
        failure is returned as such and nothing is kept."""
        wanted = program.problem_class
        if wanted not in self.classes:
            able = ", ".join(other.name for other in SOLVERS.values() if wanted in other.classes)
            raise CapabilityError(f"solver {self.name} cannot solve a {wanted}: use {able}")
        adapter = self.adapter()
        if self.convex_only:
            check_convex(program)
        start = time.perf_counter()
        try:
            answer = adapter.solve(program, settings) if program.cost.size else _decided(program)
        except RadprogError:
            raise
        except (ArithmeticError, OSError, RuntimeError, TypeError, ValueError) as error:
            raise SolverError(f"solver {self.name} crashed: {error}") from error
        return judge(
            program,
            answer,
            solver=self.name,
            version=adapter.version(),
            seconds=time.perf_counter() - start,
            settings=settings,
        )


def _bridged(name: str, *classes: ProblemClass, duals: bool = True) -> SolverSpec:
    return SolverSpec(
        name=BRIDGE + name,
        classes=frozenset(classes or ProblemClass),
        requires=name,
        duals=duals,
        convex_only=True,
    )


SOLVERS: Mapping[str, SolverSpec] = {
    spec.name: spec
    for spec in (
        SolverSpec(
            name="highs",
            classes=frozenset({_LP, _QP, _MILP}),
            requires="highspy",
            duals=True,
            hot_start=True,
        ),
        SolverSpec(name="piqp", classes=frozenset({_QP}), requires="piqp", duals=True),
        SolverSpec(
            name="scip", classes=frozenset(ProblemClass), requires="pyscipopt", convex_only=False
        ),
        SolverSpec(name="ipopt", classes=frozenset({_QP, _QCQP}), requires="cyipopt", duals=True),
        SolverSpec(name="clarabel", classes=frozenset({_QP, _QCQP}), requires="clarabel"),
        SolverSpec(name="libsvm", classes=frozenset(), requires="sklearn"),
        _bridged("glpk", _LP, _MILP),
        _bridged("cbc", _LP, _MILP),
    )
}


def solver(name: str) -> SolverSpec:
    """The declaration of a solver; OptionError for an unknown name.

    ``pyomo:NAME`` may be any solver that Pyomo knows; one that is not in :data:`SOLVERS` is taken
    to do every convex class, and its answers are recomputed like all others.
    """
    if name in SOLVERS:
        return SOLVERS[name]
    if name.startswith(BRIDGE) and PyomoSolver(name.removeprefix(BRIDGE)).known():
        return _bridged(name.removeprefix(BRIDGE))
    raise OptionError(f"unknown solver {name!r}: known are {', '.join(SOLVERS)}, pyomo:NAME")


def solve_program(
    program: Program, name: str = "highs", settings: SolveSettings = _DEFAULT
) -> Solution:
    """Solve a program with one solver; the answer is recomputed by :func:`judge`.

    Raises CapabilityError if the solver is not declared for the program's class, ConvexityError
    if it needs convexity and there is none, OptionError for options it does not have,
    SolverMissingError if it is not installed; SolverError, which names the .mps file that the
    program was written to, if it crashes or its claim does not hold.
    """
    spec = solver(name)
    try:
        solution = spec.solve(program, settings)
    except SolverMissingError:
        raise
    except SolverError as error:
        raise SolverError(f"{error}; {_kept(program)}") from error
    if solution.status is Status.FAILED:
        raise SolverError(f"solver {name} failed: {solution.message}; {_kept(program)}")
    return solution


def solve_model(
    model: pyo.ConcreteModel, name: str = "highs", settings: SolveSettings = _DEFAULT
) -> Solution:
    """Compile a model, solve it, and load values and duals back where there is a point.

    The solution is in the units of the compiled minimisation; the model gets its own sense (see
    :func:`load_solution`). Raises what :func:`compile_model` and :func:`solve_program` raise.
    """
    program = compile_model(model)
    solution = solve_program(program, name, settings)
    if solution.x is not None:
        load_solution(model, program, solution)
    return solution


def _decided(program: Program) -> Answer:
    """A program without columns: its rows hold or not."""
    x = np.empty(0)
    status = Status.INFEASIBLE if program.violation(x) else Status.OPTIMAL
    return Answer(status=status, x=x, claimed=program.constant, message="there are no columns")


def _kept(program: Program) -> str:
    """Write a program that failed to a fresh folder and say where."""
    path = Path(tempfile.mkdtemp(prefix="radprog-")) / "failed.mps"
    try:
        write_program(program, path)
    except OutputError as error:
        return f"it could not be kept ({error})"
    return f"the program is kept in {path}"
