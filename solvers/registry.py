"""The registry of solvers and their capabilities, and functions that solve with a named solver.

Help reads the names here, so no import at the top loads scipy, pyomo or a solver.
"""

from __future__ import annotations

import importlib
import itertools
import os
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, cast

import numpy as np

from radprog.base.errors import (
    CapabilityError,
    NonlinearError,
    OptionError,
    RadprogError,
    SolverError,
    SolverMissingError,
    pip_install,
    warn_user,
)
from radprog.base.modelling import pyo
from radprog.solvers.answer import (
    BY_SOLVER,
    CLAIMS,
    Adapter,
    Declared,
    SolverAnswer,
    claiming,
    judge,
    own_limit,
    proved,
    without_point,
)
from radprog.solvers.program import (
    SOLVER_DEFAULTS,
    ProblemClass,
    Program,
    Solution,
    SolveSettings,
    Status,
)
from radprog.solvers.violations import relative_violation

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from radprog.solvers.adapters.pyomo_bridge import PyomoSolver

BRIDGE = "pyomo:"
#: Entry points of this group add the solvers of other packages: the name of a solver, and a module
#: or an object that is its :class:`~radprog.solvers.answer.Adapter`.
GROUP = "radprog.solvers"
CONIC = "clarabel"  # what solves programs over second-order cones best
NONLINEAR = "ipopt"  # what solves models that are neither linear nor quadratic
#: Commercial solvers, listed if Pyomo finds them; they are never chosen automatically.
VENDORS = ("gurobi", "cplex", "cplex_direct", "xpress", "copt", "mosek")
COMPLETE, SCIP = "check", "pyscipopt"  # the extra with SCIP, which takes every class and format
#: The exceptions of solvers that crash or return invalid values.
CRASHES = (
    ArithmeticError,
    AttributeError,
    LookupError,
    MemoryError,
    OSError,
    RuntimeError,
    TypeError,
    ValueError,
)


@dataclass(frozen=True, kw_only=True)
class SolverSpec:
    """A row of the registry. The name of the solver is also the name of its adapter's module.

    ``extra`` is the extra of radprog that installs the solver's package. ``entry`` is the entry
    point of a solver of another package. The adapter is not imported for programs of classes other
    than ``only``. All other properties are in ``DECLARED`` of the adapter
    (see :class:`Declared`). The adapter is imported at its first use.
    """

    name: str
    extra: str = ""
    entry: EntryPoint | None = None
    only: frozenset[ProblemClass] = frozenset(ProblemClass)

    def missing(self) -> str:
        """The reason why the solver is unusable, such as a missing package; "" if it is usable."""
        try:
            ask = self.loaded().DECLARED.missing
        except SolverMissingError as error:
            return str(error)
        reason = "" if ask is None else ask()
        return reason and f"solver {self.name} {reason}"

    def installed(self) -> bool:
        """Whether the solver's package or executable is installed."""
        return not self.missing()

    @property
    def declared(self) -> Declared:
        """The capabilities of the adapter; none if the adapter cannot be loaded."""
        try:
            return self.loaded().DECLARED
        except SolverMissingError:
            return Declared()

    def adapter(self) -> Adapter:
        """The adapter of the solver. Raises SolverMissingError if it is not installed."""
        if reason := self.missing():
            raise SolverMissingError(reason)
        return self.loaded()

    def takes(self, kind: ProblemClass) -> bool:
        """Whether the solver supports programs of this class as matrices."""
        return kind in self.only and kind in self.declared.classes

    def check(self, kind: ProblemClass) -> None:
        """Raise CapabilityError unless the solver supports programs of this class as matrices.

        Raises SolverMissingError if the solver cannot be loaded.
        """
        self.loaded()
        if not self.takes(kind):
            use = instead(able(kind, added=True))
            raise CapabilityError(
                f"solver {self.name} cannot solve programs of class {kind}: {use}"
            )

    @np.errstate(over="ignore", invalid="ignore")  # of a solver's numbers that are far too large
    def solve(
        self,
        program: Program,
        settings: SolveSettings = SOLVER_DEFAULTS,
        *,
        assume_convex: bool = False,
    ) -> Solution:
        """Check the class and (unless ``assume_convex``) the convexity, solve, and verify.

        The errors are those of :func:`solve_program`, except that a failure of the solver returns a
        solution with the status ``failed``.
        """
        # class and convexity first, so that no solver misreads the program
        kind = program.problem_class
        self.check(kind)
        adapter = self.adapter()
        tested = self.declared.convex_only and not assume_convex
        if tested:
            from radprog.solvers.convexity import check_convex  # loads scipy

            check_convex(program)
        start = time.perf_counter()
        try:
            if not program.cost.size:
                # its rows either hold or fail
                x = np.empty(0)
                answer = SolverAnswer(
                    status=Status.INFEASIBLE if program.violation(x) else Status.OPTIMAL,
                    x=x,
                    claimed=program.constant,
                    row_duals=np.zeros(program.row_lower.size),
                    message="there are no columns",
                )
            elif program.integer.any():
                from radprog.solvers.search import search  # loads scipy

                answer = search(adapter, program, settings, solved_by_any)
            else:
                answer = adapter.solve(program, settings)
            version = adapter.version()
        except RadprogError:
            raise
        except CRASHES as error:
            raise SolverError(f"solver {self.name} crashed: {error}") from error
        if not isinstance(answer, SolverAnswer):
            raise SolverError(f"solver {self.name} gave no answer but {type(answer).__name__}")
        # convexity decides what duals can prove
        convex = tested or assume_convex or kind is ProblemClass.LP
        if not convex and not program.integer.any():
            from radprog.solvers.convexity import is_convex  # loads scipy

            convex = is_convex(program)
        # its words become a solution, recomputed from the matrices
        solution = judge(
            program,
            answer,
            solver=self.name,
            version=version,
            seconds=time.perf_counter() - start,
            settings=settings,
            convex=convex,
            psd=assume_convex,
        )
        if solution.status not in (Status.FEASIBLE, Status.FAILED) and (
            solution.proved_by != BY_SOLVER
        ):
            return solution
        # what its own duals do not prove may be proved otherwise
        from radprog.solvers.claims import prove_claim  # loads scipy

        return prove_claim(program, solution, settings, convex=convex, psd=assume_convex)

    def loaded(self) -> Adapter:
        """The adapter's module, even if it cannot run.

        Raises SolverMissingError if its package is missing, or if an entry point does not lead to
        an adapter.
        """
        if self.entry is not None:
            source = f"solver {self.name} of the package {package_of(self.entry)}"
            try:
                added = self.entry.load()
            except Exception as error:  # whatever a package raises where it is imported
                reason = f"{type(error).__name__}: {error}"
                raise SolverMissingError(f"{source} cannot be loaded: {reason}") from error
            solves = callable(getattr(added, "solve", getattr(added, "solve_file", None)))
            declared = isinstance(getattr(added, "DECLARED", None), Declared)
            if not (declared and solves and callable(getattr(added, "version", None))):
                raise SolverMissingError(
                    f"{source} is no adapter: {self.entry.value} needs DECLARED, version, and "
                    "solve or solve_file"
                )
            return cast(Adapter, added)
        folder = "radprog.solvers.adapters"
        try:
            if self.name.startswith(BRIDGE):
                bridge = importlib.import_module(f"{folder}.pyomo_bridge")
                return cast(Adapter, bridge.PyomoSolver(self.name.removeprefix(BRIDGE)))
            return cast(Adapter, importlib.import_module(f"{folder}.{self.name}"))
        except ImportError as error:
            if (error.name or "").startswith("radprog."):
                raise
            reason = f"no {error.name}" if isinstance(error, ModuleNotFoundError) else str(error)
            remedy = f": {pip_install(self.extra, error.name or '')}" if self.extra else ""
            text = f"solver {self.name} is not installed: {reason}{remedy}"
            raise SolverMissingError(text) from error


QUADRATIC = frozenset({ProblemClass.QP, ProblemClass.QCQP})
#: The rows of all solvers, the preferred ones first.
SOLVERS: Mapping[str, SolverSpec] = {
    spec.name: spec
    for spec in (
        SolverSpec(name="highs"),
        SolverSpec(name="piqp", only=frozenset({ProblemClass.QP})),
        SolverSpec(name="ipopt", extra="ipopt", only=QUADRATIC),
        SolverSpec(name="clarabel", extra=COMPLETE, only=QUADRATIC),
        SolverSpec(name="scip", extra=COMPLETE),
        SolverSpec(name="libsvm", only=frozenset()),
        SolverSpec(name="pyomo:glpk"),
        SolverSpec(name="pyomo:cbc"),
    )
}
#: The short names of some solvers that Pyomo calls.
SHORT = {"glpk": "pyomo:glpk", "cbc": "pyomo:cbc"}


def added_solvers() -> dict[str, list[EntryPoint]]:
    """The entry points of other packages by the name of their solver, without loading them.

    A name of radprog's own is not replaced, and a warning names the package that has it.
    """
    from importlib.metadata import entry_points  # reads the folders of all packages

    entries: dict[str, list[EntryPoint]] = {}
    for entry in entry_points(group=GROUP):
        if entry.name in {*SOLVERS, *SHORT}:
            warn_user(
                f"the solver {entry.name} of the package {package_of(entry)} is never called, as "
                "radprog has one of this name: the entry point needs another key"
            )
        else:
            entries.setdefault(entry.name, []).append(entry)
    return entries


def package_of(entry: EntryPoint) -> str:
    """The name of the package of an entry point."""
    return entry.dist.name if entry.dist is not None else entry.value


def every_solver() -> Iterator[SolverSpec]:
    """The rows of the registry, then those of other packages, without loading an adapter.

    A name that two packages have is left out, because :func:`solver` refuses it.
    """
    yield from SOLVERS.values()
    for name, entries in added_solvers().items():
        if len(set(map(package_of, entries))) == 1:
            yield SolverSpec(name=name, entry=entries[0])


def offered(*, logs: bool = False) -> str:
    """The names of all solvers for help texts and messages. With ``logs``, only those that write a
    log; this loads their adapters.
    """
    full = (spec for spec in every_solver() if not spec.name.startswith(BRIDGE))
    names = [spec.name for spec in full if not logs or spec.declared.logs]
    return ", ".join(names) + " or pyomo:NAME"


def no_log(log: str | None, seconds: float) -> list[str]:
    """A list with a warning if no solver wrote ``log`` in the last ``seconds``. It is empty if a
    solver did, or if ``log`` is None.
    """
    if log is None:
        return []
    with suppress(OSError):  # it does not exist
        # seconds that the clock of a file may be behind
        if os.stat(log).st_mtime >= time.time() - seconds - 0.1:
            return []
    return [f"no log in {log}: no solver was called that writes one ({offered(logs=True)})"]


def solver(name: str) -> SolverSpec:
    """The row of a solver. Raises OptionError for an unknown name.

    ``pyomo:NAME`` may be any solver of Pyomo, and another name that of an entry point of the group
    ``radprog.solvers``. Their answers are verified like the answers of all other solvers.
    """
    if not isinstance(name, str):
        raise OptionError(
            f"solver {name!r}: expected the name of one: {', '.join(SOLVERS)}, pyomo:NAME"
        )
    name = SHORT.get(name, name)
    if name in SOLVERS:
        return SOLVERS[name]
    if name.startswith(BRIDGE):
        spec = SolverSpec(name=name)
        if cast("PyomoSolver", spec.loaded()).registered():
            return spec
    added = added_solvers()
    if name in added:
        packages = sorted(set(map(package_of, added[name])))
        if len(packages) > 1:
            raise OptionError(f"solver {name!r} is in two packages: {' and '.join(packages)}")
        return SolverSpec(name=name, entry=added[name][0])
    bridge = SolverSpec(name=f"{BRIDGE}{name}")
    hint = f"; write {bridge.name}" if cast("PyomoSolver", bridge.loaded()).registered() else ""
    names = ", ".join([*SOLVERS, *added])
    raise OptionError(f"unknown solver {name!r}: known are {names}, pyomo:NAME{hint}")


def list_solvers() -> list[str]:
    """The solvers of the capability table.

    The list contains all rows of the registry, the solvers of other packages, and the commercial
    solvers that Pyomo can call on this computer.
    """
    vendors = (SolverSpec(name=BRIDGE + name) for name in VENDORS)
    bridged = (cast("PyomoSolver", spec.loaded()) for spec in vendors)
    return [
        *SOLVERS,
        *added_solvers(),
        *(BRIDGE + link.name for link in bridged if link.registered() and not link.missing()),
    ]


def able(
    kind: ProblemClass, *, nonconvex: bool = False, cones: bool = False, added: bool = False
) -> Iterator[str]:
    """Yield the installed solvers for a class of programs, the preferred one first.

    ``nonconvex`` selects solvers that find global optima of nonconvex programs. ``cones`` selects
    solvers that accept a second-order cone as a quadratic row. ``added`` also yields the solvers of
    other packages, for messages: none of them is chosen automatically, so that a result does not
    depend on what else is installed.
    """
    for spec in every_solver() if added else SOLVERS.values():
        if spec.takes(kind):
            declared = spec.declared
            wanting = (nonconvex and declared.convex_only) or (cones and not declared.cones)
            if not wanting and spec.installed():
                yield spec.name


def instead(names: Iterable[str]) -> str:
    """Advice for a message: the solvers to use instead or, if there are none, SCIP."""
    use = ", ".join(names)
    return f"use {use}" if use else f"none installed here can: {pip_install(COMPLETE, SCIP)}"


def preferred(kind: ProblemClass, *, nonconvex: bool = False) -> str:
    """The first solver of :func:`able`. Raises SolverMissingError if there is none."""
    for name in able(kind, nonconvex=nonconvex):
        return name
    # a search for integers also serves convex programs
    curved = "nonconvex " * (nonconvex and not kind.startswith("MI"))
    missing = f"no solver for a {curved}{kind} is installed"
    package = SCIP if nonconvex or kind not in QUADRATIC else CONIC
    raise SolverMissingError(f"{missing}: {pip_install(COMPLETE, package)}")


def readers(form: str | None = None, kind: ProblemClass | None = None) -> list[str]:
    """The solvers that read files of a format, with programs of a class."""
    return [
        spec.name
        for spec in every_solver()
        if (form in spec.declared.formats if form else spec.declared.formats)
        and (kind is None or spec.takes(kind))
    ]


def solve_program(
    program: Program,
    name: str = "highs",
    settings: SolveSettings = SOLVER_DEFAULTS,
    *,
    assume_convex: bool = False,
) -> Solution:
    """Solve a program with one solver; :func:`judge` recomputes the answer.

    ``assume_convex`` skips the test of convexity.

    Raises CapabilityError if the solver does not support the program's class, and ConvexityError if
    the solver requires a convex program. Raises OptionError for unknown options,
    SolverMissingError if the solver is not installed, and SolverError if the solver crashes or its
    answer is wrong.
    """
    solution = solver(name).solve(program, settings, assume_convex=assume_convex)
    if solution.status is Status.FAILED and solution.claim is None:
        raise SolverError(f"solver {name} failed: {solution.message}")
    return solution


def solve_model(
    model: pyo.ConcreteModel,
    name: str | None = "highs",
    settings: SolveSettings = SOLVER_DEFAULTS,
    *,
    assume_convex: bool = False,
) -> Solution:
    """Compile a model, solve it, and load values and duals into it.

    If the solution has no point, the variables keep their values and the suffixes are cleared. The
    solver receives the model scaled by its suffix ``scaling_factor``. The function returns the
    solution of the compiled minimisation, in the model's units. The loaded duals have the sense of
    the model (see :func:`load_solution`).

    If ``name`` is None, the first installed solver for the model's class is used; for a nonconvex
    model, one that finds global optima. If no duals prove the answer to a convex program, the next
    solvers are tried. Ipopt computes a local solution of a model that is neither linear nor
    quadratic (:func:`radprog.solvers.nonlinear.solve_nonlinear`). Raises the errors of
    :func:`compile_model` and :func:`solve_program`.
    """
    from radprog.solvers.claims import prove_claim
    from radprog.solvers.compile import (  # loads pyomo
        compile_model,
        load_duals,
        load_solution,
        scaling_of,
    )
    from radprog.solvers.convexity import is_convex

    if name is not None:
        solver(name)  # an unknown name is refused before the model is read
    try:
        program = compile_model(model)
    except NonlinearError as error:
        if name not in (None, NONLINEAR):
            raise CapabilityError(f"{error}: only solver {NONLINEAR} takes such a model") from None
        if not solver(NONLINEAR).installed():
            raise SolverMissingError(solver(NONLINEAR).missing()) from None
        from radprog.solvers.nonlinear import solve_nonlinear  # loads cyipopt

        return solve_nonlinear(model, settings)
    # the solver sees the model in its units
    scaling = scaling_of(model)
    scaled = program if scaling.trivial else scaling.scaled(program)
    if settings.start is not None:
        settings = replace(settings, start=settings.start * scaling.columns)
    if name is None:
        answer = solved_by_any(program, scaled, settings, assume_convex=assume_convex)
    else:
        answer = solve_program(scaled, name, settings, assume_convex=assume_convex)
    solution = answer if scaling.trivial else scaling.restored(answer, program)
    if not scaling.trivial:  # proved in the units of the model too: factors round its numbers
        convex = assume_convex or is_convex(program)
        if solution.x is not None:
            solution = proved(program, solution, settings, convex=convex, psd=assume_convex)
        elif solution.status in CLAIMS:
            solution = claiming(replace(solution, message=""), solution.status)
            solution = prove_claim(program, solution, settings, convex=convex, psd=assume_convex)
    if solution.x is None:
        load_duals(model, None, None, program.sense)
    else:
        load_solution(model, program, solution)
    return solution


def solve_foreign(program: Program, name: str | None, settings: SolveSettings) -> Solution:
    """Solve a program from a file or another modelling package, in its own sense.

    ``name`` is as in :func:`solve_model`.
    """
    if name is None:
        answer = solved_by_any(program, program, settings)
    else:
        answer = solve_program(program, name, settings)
    return answer.in_sense(program.sense)


def solved_by_any(
    program: Program, scaled: Program, settings: SolveSettings, *, assume_convex: bool = False
) -> Solution:
    """The answer of the preferred solver to the scaled program.

    If this solver fails, or no duals prove its answer to a convex program, the next solvers are
    tried until an answer is proved. The best answer is returned. With options, only the first
    solver is tried, because options are specific to one solver. Raises the errors of
    :func:`solve_program`.
    """
    from radprog.solvers.convexity import cones_of, is_convex  # loads scipy

    kind = program.problem_class
    linear = kind in (ProblemClass.LP, ProblemClass.MILP)
    convex = not program.integer.any() and (linear or assume_convex or is_convex(program))
    # the preferred solver first; the others only where no options are given
    first = preferred(kind, nonconvex=not (linear or convex))
    names: Iterable[str] = [first]
    if not settings.solver_options:
        # a search over squares that are convex proves nothing more, and may not end; adapters are
        # loaded when they are tried
        alternatives = (
            name
            for name in able(kind, nonconvex=not (linear or convex))
            if name != first and (linear or not convex or solver(name).declared.convex_only)
        )
        names = itertools.chain(names, alternatives)
        # a point within tolerances of the tip of a cone is far too low: conic solvers first
        if convex and not linear and cones_of(program):
            names = sorted(names, key=lambda name: name != CONIC)
    best: Solution | None = None
    claims: list[str] = []  # solvers that claim "infeasible"
    failure: SolverError | None = None
    began, limit, remaining = time.perf_counter(), settings.time_limit, settings
    for name in names:
        try:
            answer = solve_program(scaled, name, remaining, assume_convex=assume_convex)
        except SolverError as error:
            failure = failure or error
        else:
            if answer.claim is Status.INFEASIBLE:
                claims.append(name)
            if best is None or _better(answer, best):
                best = answer
            # a limit of its own, such as of iterations, leaves the question to others
            open_ended = best.status in (Status.FAILED, Status.LIMIT)
            open_ended |= convex and best.status is Status.FEASIBLE
            if not open_ended:
                break
        # the next solver gets the remaining time
        seconds = time.perf_counter() - began
        if settings.interrupted() or (limit is not None and seconds >= limit):
            break
        remaining = settings.after(seconds)
        if best is not None and best.claim is Status.UNBOUNDED:
            # a solver that can prove it finds a ray at once; SCIP may follow one without end
            remaining = replace(remaining, time_limit=own_limit(settings, seconds))
    if best is None:
        raise cast(SolverError, failure)
    return contradicted(scaled, best, claims) if claims and best.x is not None else best


def contradicted(program: Program, solution: Solution, claims: Sequence[str]) -> Solution:
    """A solution with a point of a program that other solvers claim to be infeasible.

    A point that holds without tolerances refutes them. Nothing is proved by one that needs
    tolerances: the solution is then FAILED, and names both.
    """
    assert solution.x is not None
    names, verb = " and ".join(claims), "claims" if len(claims) == 1 else "claim"
    if relative_violation(program, solution.x) <= 0.0:
        text = f"{names} {verb} infeasible, which this point refutes"
        return replace(solution, message="; ".join(filter(None, (solution.message, text))))
    text = (
        f"{names} {verb} infeasible, {solution.solver} has a point that holds only within a "
        "tolerance: one of them is wrong"
    )
    return without_point(solution, Status.FAILED, text, Status.INFEASIBLE)


def _better(answer: Solution, best: Solution) -> bool:
    """Whether an answer is better than another one without a proof."""
    if answer.status in (Status.OPTIMAL, Status.INFEASIBLE, Status.UNBOUNDED):
        return True
    if best.status is Status.LIMIT and answer.status is Status.FEASIBLE:
        return True
    if answer.objective is None or answer.status is not Status.FEASIBLE:
        return False
    return best.objective is None or answer.objective <= best.objective
