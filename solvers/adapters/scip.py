"""SCIP: it solves programs of linear and quadratic algebra to global optimality, without duals."""

from __future__ import annotations

import io
import math
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr
from functools import cache, partial
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import pyscipopt
from pyscipopt import SCIP_EVENTTYPE, Eventhdlr, Model
from pyscipopt.scip import Expr, ExprCons, Term
from scipy import sparse

from radprog.base.errors import CapabilityError, DataError, OptionError, SolverError
from radprog.base.limits import never
from radprog.solvers.answer import Declared, FileAnswer, SolverAnswer
from radprog.solvers.apart import solve_apart
from radprog.solvers.program import (
    ProblemClass,
    Program,
    SolveSettings,
    check_log,
    parsed,
    status_map,
)

DECLARED = Declared(
    classes=frozenset(ProblemClass),
    convex_only=False,
    cones=True,
    starts=True,
    formats=frozenset({"lp", "mps"}),
    logs=True,
)

#: The status words of SCIP. "inforunbd" is resolved by a second run without presolving.
STATUS = status_map(
    optimal=("optimal", "gaplimit"),  # within the gap that is asked for
    limit=(
        "nodelimit",
        "totalnodelimit",
        "stallnodelimit",
        "timelimit",
        "memlimit",
        "primallimit",
        "duallimit",
        "sollimit",
        "bestsollimit",
        "restartlimit",
    ),
    interrupted=("userinterrupt", "terminate"),
    infeasible=("infeasible",),
    unbounded=("unbounded",),
)
Given = TypeVar("Given")
Found = TypeVar("Found", bound=SolverAnswer | FileAnswer)
#: Columns that SCIP's readers add for a quadratic objective.
_OWN_COLUMNS = frozenset({"quadobjvar", "qmatrixvar"})


def version() -> str:
    """The versions of the installed SCIP and of its Python interface."""
    return f"{Model().version()} (PySCIPOpt {pyscipopt.__version__})"


def solve(program: Program, settings: SolveSettings) -> SolverAnswer:
    """Solve a program of any class; a quadratic objective becomes a row t >= 1/2 x'Qx.

    Raises CapabilityError for numbers that SCIP treats as infinite. SCIP runs in a separate
    process, because it may crash, may not check a limit or Ctrl-C for minutes, and writes to the
    standard error of its process.
    """
    return _apart(SolverAnswer, _solve, program, settings)


def _solve(program: Program, settings: SolveSettings) -> SolverAnswer:
    model = new_model(settings)
    with _taken():
        variables = _add_program(model, program)
        if settings.start is not None and program.integer.any():
            # SCIP itself completes a point without all columns
            start = model.createPartialSol()
            for variable, value in zip(variables, settings.start.tolist(), strict=True):
                if math.isfinite(value):
                    model.setSolVal(start, variable, value)
            model.addSol(start)
    word = _optimize(model)
    if model.getNSols() == 0:
        return SolverAnswer(status=STATUS[word], message=word)
    best = model.getBestSol()
    return SolverAnswer(
        status=STATUS[word],
        x=np.array([best[variable] for variable in variables], dtype=np.float64),
        claimed=float(model.getSolObjVal(best)),
        message=word,
        bound=float(model.getDualbound()),
    )


def solve_file(path: Path, settings: SolveSettings) -> FileAnswer:
    """Read an .lp or .mps file of any class and solve it, in a separate process.

    The separate process is necessary, because the numbers in the file are not checked beforehand.
    Raises DataError for an unreadable file, and CapabilityError if SCIP treats a number as
    infinite.
    """
    return _apart(FileAnswer, _solve_file, path, settings)


def _solve_file(path: Path, settings: SolveSettings) -> FileAnswer:
    model = new_model(settings)
    try:
        with _taken():
            model.readProblem(str(path))
    except OSError as error:
        raise DataError(f"SCIP cannot read this file: {error}") from None
    word = _optimize(model)
    bound = float(model.getDualbound())
    bound = math.copysign(math.inf, bound) if model.isInfinity(abs(bound)) else bound
    if model.getNSols() == 0:
        return FileAnswer(STATUS[word], message=word, bound=bound)
    best = model.getBestSol()
    x = {v.name: float(best[v]) for v in model.getVars() if v.name not in _OWN_COLUMNS}
    return FileAnswer(STATUS[word], float(model.getSolObjVal(best)), x, word, bound=bound)


def _run(model: Model) -> None:
    with _caught() as printed:
        try:
            model.optimize()
        except Exception as error:
            if type(error) is not Exception:  # PySCIPOpt raises the bare class
                raise
            lines = printed.getvalue().splitlines()
            raise SolverError(f"{error}" + (f" ({lines[0].strip()})" if lines else "")) from error


@contextmanager
def _taken() -> Iterator[None]:
    """Raise CapabilityError if SCIP rejects its input. PySCIPOpt reports this by the base
    exception.
    """
    with _caught() as printed:
        try:
            yield
        except Exception as error:
            if type(error) is not Exception:
                raise
            line = (printed.getvalue().splitlines() or [""])[0].partition("ERROR: ")[2]
            raise CapabilityError(
                f"SCIP does not take this program, numbers from 1e20 on are infinite to it: "
                f"{line.strip() or error}"
            ) from None


@contextmanager
def _caught() -> Iterator[io.StringIO]:
    """Suppress SCIP's error output, because it only repeats an exception."""
    _errors_to_python()
    with redirect_stderr(io.StringIO()) as printed:
        yield printed


@cache
def _errors_to_python() -> None:
    """Redirect SCIP's error printer to sys.stderr. All SCIP models share this printer."""
    Model().redirectOutput()


def _apart(
    kind: type[Found],
    call: Callable[[Given, SolveSettings], Found],
    argument: Given,
    settings: SolveSettings,
) -> Found:
    """Run call(argument, settings) in a separate process and return its answer of this ``kind``.

    SCIP may crash that process with a signal.
    """
    try:
        return solve_apart(kind, partial(_silenced, call), argument, settings)
    except RuntimeError as error:
        raise SolverError(f"SCIP crashed: {error}") from None


def _silenced(
    call: Callable[[Given, SolveSettings], Found], argument: Given, settings: SolveSettings
) -> Found:
    """Run call(argument, settings) in a process whose final output is suppressed."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # its file
    return call(argument, settings)


def _optimize(model: Model) -> str:
    _run(model)
    # presolving cannot tell the two apart, a run without it can
    if model.getStatus() == "inforunbd":
        model.freeTransform()
        model.setParam("presolving/maxrounds", 0)
        _run(model)
    return str(model.getStatus())


def new_model(settings: SolveSettings) -> Model:
    """An empty SCIP model with the settings and without output.

    It polls ``settings.interrupted`` in its runs. Raises OptionError for an unknown option or an
    invalid value.
    """
    model = Model()
    if settings.log is not None:
        check_log(settings.log)
        model.setLogfile(settings.log)
    model.hideOutput()
    # settings of ours, which an option of the same name replaces
    # where none is asked for: SCIP's own is as large as CLAIM_TOLERANCE
    options: dict[str, bool | int | float | str] = {
        "misc/catchctrlc": False,
        "randomization/randomseedshift": settings.seed % 2**31,
        "numerics/feastol": 1e-8 if settings.tol is None else settings.tol,
        "limits/gap": settings.gap,
    }
    if settings.time_limit is not None:
        options["limits/time"] = max(settings.time_limit, 0.0)
    parameters = model.getParams()
    for name, text in settings.solver_options.items():
        if name not in parameters:
            raise OptionError(f"SCIP has no option {name!r}")
        options[name] = parsed("SCIP", name, text, type(parameters[name]))
    for name, value in options.items():
        try:
            model.setParam(name, value)
        except (ValueError, OverflowError):
            raise OptionError(f"SCIP does not take {value!r} for its option {name}") from None
    if settings.interrupted is not never:
        model.includeEventhdlr(_Poll(settings.interrupted), "poll", "asks whether to stop")
    return model


def _add_program(model: Model, program: Program) -> list[Any]:
    variables = [
        model.addVar(name, "I" if is_integer else "C", lb=_finite(lower), ub=_finite(upper))
        for name, is_integer, lower, upper in zip(
            program.column_names,
            program.integer.tolist(),
            program.lower.tolist(),
            program.upper.tolist(),
            strict=True,
        )
    ]
    singles = [Term(variable) for variable in variables]
    objective = Expr(dict(zip(singles, program.cost.tolist(), strict=True)))
    # SCIP takes linear objectives: a square becomes a row over a height
    if program.quadratic is not None:
        height = model.addVar("", lb=None, ub=None)
        model.addCons(_quadratic(program.quadratic, variables, {Term(height): -1.0}) <= 0)
        objective += height
    model.setObjective(objective + program.constant)
    # rows with a side; SCIP takes None for an infinite one
    starts, columns, data = (
        part.tolist() for part in (program.rows.indptr, program.rows.indices, program.rows.data)
    )
    for row, name in enumerate(program.row_names):
        span = slice(starts[row], starts[row + 1])
        terms = {singles[j]: value for j, value in zip(columns[span], data[span], strict=True)}
        body = _quadratic(program.quadratic_rows.get(row), variables, terms)
        lower, upper = _finite(program.row_lower[row]), _finite(program.row_upper[row])
        if lower is not None or upper is not None:
            model.addCons(ExprCons(body, lower, upper), name)
    return variables


def _quadratic(
    matrix: sparse.csc_array | None, variables: list[Any], terms: dict[Term, float]
) -> Expr:
    """The linear terms plus 1/2 x'Qx."""
    if matrix is not None:
        half = sparse.triu(matrix, format="coo")
        weight = np.where(half.row == half.col, 0.5, 1.0) * half.data
        for i, j, value in zip(half.row.tolist(), half.col.tolist(), weight.tolist(), strict=True):
            terms[Term(variables[i], variables[j])] = value
    return Expr(terms)


def _finite(bound: float) -> float | None:
    return float(bound) if np.isfinite(bound) else None


class _Poll(Eventhdlr):  # type: ignore[misc]
    """An event handler that polls the interrupt at every presolving round, node and linear
    program."""

    _EVENTS = SCIP_EVENTTYPE.PRESOLVEROUND | SCIP_EVENTTYPE.NODEFOCUSED | SCIP_EVENTTYPE.LPSOLVED

    def __init__(self, interrupt: Callable[[], bool]) -> None:
        self._interrupt = interrupt

    def eventinit(self) -> None:
        self.model.catchEvent(self._EVENTS, self)

    def eventexit(self) -> None:
        self.model.dropEvent(self._EVENTS, self)

    def eventexec(self, event: object) -> None:
        if self._interrupt():
            self.model.interruptSolve()
