"""HiGHS: LP, MILP and convex QP, with duals, interrupts and hot starts.

The QP method of HiGHS does not poll an interrupt, so only the time limit ends its run early.
"""

from __future__ import annotations

import math
import os
import re
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext, suppress
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import highspy
import numpy as np
from highspy import HighsModelStatus as Word
from highspy import HighsVarType

from radprog.base.errors import DataError, OptionError, SolverError
from radprog.base.limits import keep, never, signals_held
from radprog.base.tolerances import HIGHS_LEAST
from radprog.base.types import BoolArray, Deferred, FloatArray
from radprog.solvers.answer import Declared, FileAnswer, SolverAnswer
from radprog.solvers.apart import AT_LIMIT, solve_search
from radprog.solvers.formats.valid_names import unique_names
from radprog.solvers.program import (
    ProblemClass,
    Program,
    SolveSettings,
    Status,
    check_log,
    parsed,
    status_map,
)

if TYPE_CHECKING:
    from scipy import sparse
else:  # half of the start of a process that searches, which does without
    sparse = Deferred("scipy.sparse")

HIGHS_ENTRY = 1e-12  # entries of a matrix below it are 0 to HiGHS
Event = highspy.cb.HighsCallbackType
SIMPLEX = Event.kCallbackSimplexInterrupt
HIGHS_REGULARISATION = (0.0, 1e-7, 1e-6)  # of a quadratic program, tried one after the other

DECLARED = Declared(
    classes=frozenset({ProblemClass.LP, ProblemClass.QP, ProblemClass.MILP}),
    duals=True,
    hot_start=True,
    starts=True,
    formats=frozenset({"lp", "mps"}),
    logs=True,
)

#: The status words of all versions of HiGHS, except failures. "Unbounded or infeasible" is resolved
#: by a second run without presolve.
MEANING = status_map(
    optimal=("kModelEmpty", "kOptimal"),
    limit=(
        "kObjectiveBound",
        "kObjectiveTarget",
        "kTimeLimit",
        "kIterationLimit",
        "kSolutionLimit",
        "kMemoryLimit",
    ),
    interrupted=("kInterrupt", "kHighsInterrupt"),
    infeasible=("kInfeasible",),
    unbounded=("kUnbounded",),
)
#: The status words of the installed HiGHS.
STATUS: Mapping[Word, Status] = {word: MEANING[name] for name, word in Word.__members__.items()}
_threads_in_use = [0, os.getpid()]  # by the pool of HiGHS, and the process that has it


class Highs(highspy.Highs):  # type: ignore[misc]
    """A HiGHS object without output, whose callbacks raise no exceptions.

    HiGHS discards an exception of a callback. Its run then ends with a solve error, and another run
    of the object may crash the process.
    """

    def enableCallbacks(self) -> None:
        """Enable callbacks. From version 1.16 on, this prints a banner if there is output."""
        self.setOptionValue("output_flag", False)
        self.held, self.raised, self.listeners = list[int](), list[BaseException](), list[Any]()
        self.failed = False  # and never runs again, whatever is changed
        self.events, self.hearing = 0, True
        # not highspy's own, whose five calls an event take a tenth of column generation
        self.setCallback(Highs._notify, self)

    @staticmethod
    def _notify(kind: Any, text: str, values: Any, answer: Any, highs: Any) -> None:
        """Tell listeners an event; of those of the simplex method, one an iteration, only a few."""
        highs.events += 1
        if kind == SIMPLEX and highs.events % 16 != 1:
            return
        stop: object = False
        for wanted, respond in highs.listeners:
            try:
                stop = (wanted == kind and respond(kind, text, values)) or stop
            except BaseException as error:  # raised by run
                highs.raised.append(error)
        if answer is not None and (stop or highs.raised or highs.held):
            answer.user_interrupt = True

    def run(self) -> highspy.HighsStatus:
        """Run HiGHS. Afterwards, raise the exception of a callback or of the handler of a signal.

        Raises SolverError if an earlier run of the object failed (:func:`renewed`).
        """
        if self.failed:
            raise SolverError("HiGHS failed, and cannot run again")
        # without callbacks, no handler of a signal runs inside HiGHS
        with signals_held() if self.hearing else nullcontext(list[int]()) as self.held:
            status: highspy.HighsStatus = super().run()
            self.failed = self.getModelStatus() == Word.kSolveError
        if self.raised:
            raise self.raised.pop()
        return status

    def hear(self, wanted: bool) -> None:
        """Call the listeners in runs from now on, or none of them."""
        if wanted != self.hearing:
            self.hearing = wanted
            for kind, _ in self.listeners:
                (self.startCallback if wanted else self.stopCallback)(kind)

    def listen(self, kind: Any, respond: Callable[[Any, str, Any], object]) -> None:
        """Call a function of the kind, the text and the values of each event of a kind.

        The run ends if the result is true, after an exception, and after a signal.
        """
        self.startCallback(kind)
        self.listeners.append((kind, respond))


def renewed(highs: Highs) -> Highs:
    """A new object with the model, the options and the callbacks of another, and without a basis.

    An object whose run failed must not run again.
    """
    copy = Highs()
    copy.passOptions(highs.getOptions())
    # the limit is for the runs of both
    remaining = highs.getOptionValue("time_limit")[1] - highs.getRunTime()
    set_option(copy, "time_limit", max(0.0, remaining))
    copy.passModel(highs.getModel())
    for kind, respond in highs.listeners:
        copy.listen(kind, respond)
    return copy


def version() -> str:
    """The version of the installed HiGHS."""
    return str(Highs().version())


class Compressed(NamedTuple):
    """The entries of a matrix by rows or by columns, without scipy and its checks."""

    indptr: Any
    indices: Any
    data: FloatArray

    @property
    def nnz(self) -> int:
        """The number of entries."""
        return self.data.size

    @staticmethod
    def joined(parts: Sequence[Any]) -> Compressed:
        """The entries of several matrices, one after the other."""
        lengths = [part.indptr[1:] - part.indptr[:-1] for part in parts]
        return Compressed(
            np.concatenate([[0], *lengths]).cumsum(dtype=np.int32),
            np.concatenate([part.indices for part in parts]).astype(np.int32),
            np.concatenate([part.data for part in parts]),
        )


def solve(program: Program, settings: SolveSettings) -> SolverAnswer:
    """Solve an LP, MILP or convex QP.

    Branch and bound runs in a separate process, because it may enter a loop that ignores limits
    and Ctrl-C.
    """
    if program.integer.any():
        rows = program.rows
        entries = cast(Any, Compressed(rows.indptr, rows.indices, rows.data))
        return solve_search(SolverAnswer, _solve, replace(program, rows=entries), settings)
    return _solve(program, settings)


def _solve(program: Program, settings: SolveSettings) -> SolverAnswer:
    highs = new_highs(settings)
    pass_program(highs, program)
    if settings.start is not None and program.integer.any():
        # HiGHS itself completes a point without all columns
        known = np.flatnonzero(np.isfinite(settings.start)).astype(np.int32)
        highs.setSolution(len(known), known, settings.start[known])
    _keep_incumbents(
        highs,
        lambda x, value, bound: SolverAnswer(
            status=Status.INTERRUPTED,
            x=x,
            claimed=value,
            bound=bound,
            message=AT_LIMIT,
            processor=time.process_time(),
        ),
    )
    return read_answer(run(highs, settings), integer=bool(program.integer.any()))


def solve_file(path: Path, settings: SolveSettings) -> FileAnswer:
    """Read an .lp or .mps file (LP, MILP or QP) and solve it. Raises DataError for other files.

    Branch and bound with a time limit runs in a separate process, as in :func:`solve`.
    """
    # only the process that searches writes a log
    highs = new_highs(replace(settings, log=None))
    _read(highs, path)
    if highs.getLp().integrality_:
        return solve_search(FileAnswer, _solve_file, path, settings)
    if settings.log is not None:
        _open_log(highs, settings.log)
    return _solve_read(highs, settings)


def _solve_file(path: Path, settings: SolveSettings) -> FileAnswer:
    highs = new_highs(settings)
    _read(highs, path)
    return _solve_read(highs, settings)


def _solve_read(highs: Highs, settings: SolveSettings) -> FileAnswer:
    """Solve the program that was read from a file."""
    names, row_names = names_of(highs)

    def named(x: FloatArray | None) -> dict[str, float]:
        return {} if x is None else dict(zip(names, x.tolist(), strict=True))

    _keep_incumbents(
        highs,
        lambda x, *ends: FileAnswer(Status.INTERRUPTED, ends[0], named(x), AT_LIMIT, bound=ends[1]),
    )
    highs = run(highs, settings)
    lp = highs.getLp()
    answer = read_answer(highs, integer=bool(lp.integrality_))
    sense = -1.0 if lp.sense_ == highspy.ObjSense.kMaximize else 1.0
    y = answer.row_duals
    return FileAnswer(
        answer.status,
        answer.claimed,
        named(answer.x),
        answer.message,
        None if y is None else dict(zip(row_names, (sense * y).tolist(), strict=True)),
        answer.bound,
    )


def names_of(highs: Highs) -> tuple[list[str], list[str]]:
    """The names of the columns and rows in a file.

    Raises DataError if the names are not strings, or if HiGHS omits them because two are equal.
    """
    lp = highs.getLp()
    try:
        names_of_both = list(lp.col_names_), list(lp.row_names_)
    except UnicodeDecodeError:
        raise DataError("a name in it is not text") from None
    sizes = (("columns", lp.num_col_), ("rows", lp.num_row_))
    for (noun, size), names in zip(sizes, names_of_both, strict=True):
        if len(names) != size:
            raise DataError(f"its {size} {noun} do not have names of their own")
    return names_of_both


def read_model(path: Path) -> tuple[Highs, list[str]]:
    """The model of an .lp or .mps file (LP, MILP or QP), and HiGHS's warnings.

    Entries of at most ``HIGHS_ENTRY`` are left out.
    """
    highs = new_highs(SolveSettings())
    return highs, _read(highs, path)


def held_model(program: Program) -> Highs:
    """A model with a program. Raises SolverError if HiGHS refuses the program."""
    highs = new_highs(SolveSettings())
    pass_program(highs, program)
    return highs


def names_differ(highs: Highs, columns: Sequence[str], rows: Sequence[str]) -> bool:
    """Whether a model has a column or row of another name; rows named "" may have any.

    Raises DataError as :func:`names_of`, where names differ.
    """
    n, m = highs.getNumCol(), highs.getNumRow()
    if (n, m) == (len(columns), len(rows)):
        # one by one: ``getLp`` copies all, 160 MB of a million columns
        theirs = chain(
            (highs.getColName(j)[1] for j in range(n)), (highs.getRowName(i)[1] for i in range(m))
        )
        with suppress(UnicodeDecodeError):
            names = zip(chain(columns, rows), theirs, strict=True)
            if all(name in ("", their_name) for name, their_name in names):
                return False
    names_of(highs)
    return True


def matrices_of(highs: Highs, rename: Callable[[str], str] = str) -> Program:
    """The matrices of a HiGHS model, as a minimisation.

    Rows and columns without names are named by numbers. ``rename`` changes all names.
    """
    lp = highs.getLp()
    columns = list(lp.col_names_) or [f"c{j}" for j in range(lp.num_col_)]
    rows = list(lp.row_names_) or [f"r{i}" for i in range(lp.num_row_)]
    sense, constant = objective_of(highs)
    cost, lower, upper, entries = columns_of(highs, 0, lp.num_col_)
    hessian, (row_lower, row_upper) = hessian_of(highs), sides_of(highs)
    return Program(
        cost=sense * cost,
        rows=sparse.csr_array(entries),
        row_lower=row_lower,
        row_upper=row_upper,
        lower=lower,
        upper=upper,
        integer=integers_of(highs, 0, lp.num_col_),
        column_names=unique_names(map(rename, columns)),
        row_names=unique_names(map(rename, rows)),
        constant=constant,
        sense=sense,
        quadratic=None if hessian is None else sense * hessian,
    )


def objective_of(highs: Highs) -> tuple[int, float]:
    """-1 for a maximisation, and the constant of the minimisation. No names or matrices are copied
    as by ``getLp``.
    """
    sense = -1 if highs.getObjectiveSense()[1] == highspy.ObjSense.kMaximize else 1
    return sense, sense * highs.getObjectiveOffset()[1]


def sides_of(highs: Highs) -> tuple[FloatArray, FloatArray]:
    """The sides (m,) of the rows of a model."""
    m = highs.getNumRow()
    _, _, lower, upper, _ = highs.getRows(m, np.arange(m, dtype=np.int32))
    return lower[:m], upper[:m]  # of no rows it gives one


def columns_of(
    highs: Highs, first: int, last: int
) -> tuple[FloatArray, FloatArray, FloatArray, sparse.csc_array]:
    """The costs, lower bounds, upper bounds and entries (m, k) of columns of a model."""
    places = np.arange(first, last, dtype=np.int32)
    _, n, *vectors, nnz = highs.getCols(places.size, places)
    _, starts, rows, values = highs.getColsEntries(places.size, places)
    # HiGHS gives one number for no columns, and for no entries
    cost, lower, upper = (vector[:n] for vector in vectors)
    parts = values[:nnz], rows[:nnz], np.append(starts[:n], nnz)
    return cost, lower, upper, sparse.csc_array(parts, shape=(highs.getNumRow(), n))


def integers_of(highs: Highs, first: int, last: int) -> BoolArray:
    """Which of some columns are integer. Raises DataError for semi-continuous ones."""
    # one by one: ``getLp`` copies all, 160 MB of a million columns
    kinds = [highs.getColIntegrality(j)[1] for j in range(first, last)]
    numbers = np.array([*map(int, kinds)], dtype=np.intp)
    for k in np.flatnonzero(numbers > int(HighsVarType.kInteger)).tolist():
        word = re.sub("(?<=[a-z])(?=[A-Z])", "-", kinds[k].name.removeprefix("k")).lower()
        raise DataError(f"it has {word} variables: expected continuous or integer ones")
    return np.equal(numbers, int(HighsVarType.kInteger))


def hessian_of(highs: Highs) -> sparse.csc_array | None:
    """The symmetric matrix of the squares of a model."""
    if not highs.getHessianNumNz():
        return None
    # HiGHS has its lower triangle
    part, n = highs.getModel().hessian_, highs.getNumCol()
    entries = np.asarray(part.value_), np.asarray(part.index_), np.asarray(part.start_)
    lower = sparse.csc_array(entries, shape=(n, n))
    return sparse.csc_array(lower + sparse.tril(lower, -1).T)


def new_highs(settings: SolveSettings, **own: float | int | bool | str) -> Highs:
    """A HiGHS object with the settings and without output.

    ``own`` are options of HiGHS, which those of the user override. The object polls
    ``settings.interrupted`` in its runs. Raises OptionError for an unknown option or an invalid
    value.
    """
    highs = Highs()
    if settings.log is not None:
        _open_log(highs, settings.log)
    # its pool of threads is one for the process: a new number needs a new pool, and so does a fork,
    # where the threads of the pool are not, and do not end
    if [settings.threads, os.getpid()] != _threads_in_use:
        highspy.Highs.resetGlobalScheduler(_threads_in_use[1] == os.getpid())
        _threads_in_use[:] = settings.threads, os.getpid()
    options: dict[str, float | int | bool | str] = {
        "threads": settings.threads,
        "random_seed": settings.seed % (2**31 - 1),  #  largest seed
        "small_matrix_value": HIGHS_ENTRY,
        "mip_rel_gap": settings.gap,
        "mip_abs_gap": 1e-12,  # absolute gap at which HiGHS ends a search; its own is 1e-6
        # a column within it is whole: with 1e-6 and a factor of 1e7, better points are cut off;
        # with 1e-10, the rounding of rows of 8 digits makes feasible programs infeasible
        "mip_feasibility_tolerance": 1e-9,
    }
    # tolerances of the problem, then limits, then what the user asks for by name
    if settings.tol is not None:
        tolerance = max(settings.tol, HIGHS_LEAST)
        options["primal_feasibility_tolerance"] = tolerance
        options["dual_feasibility_tolerance"] = tolerance
    if settings.time_limit is not None:
        options["time_limit"] = max(settings.time_limit, 0.0)
    for name, value in (options | own).items():
        set_option(highs, name, value)
    for name, text in settings.solver_options.items():
        status, present = highs.getOptionValue(name)
        if status != highspy.HighsStatus.kOk:
            raise OptionError(f"HiGHS has no option {name!r}")
        set_option(highs, name, parsed("HiGHS", name, text, type(present)))
    if settings.interrupted is not never:
        for kind in (SIMPLEX, Event.kCallbackIpmInterrupt, Event.kCallbackMipInterrupt):
            highs.listen(kind, lambda *event: settings.interrupted())
    return highs


def pass_program(highs: Highs, program: Program, columns: Any = None) -> None:
    """Pass the matrices to HiGHS in one call, with the lower triangle of the quadratic part.

    Continuous ``columns``, with their cost, bounds and matrix, replace those of the program.
    """
    box: Any = program if columns is None else columns
    n, m = box.cost.size, program.row_lower.size
    rows = program.rows if columns is None else columns.matrix
    integer = program.integer if columns is None else np.zeros(n)
    for part in (box.cost, *(q.data for q in (program.quadratic,) if q is not None)):
        accepted(highspy.HighsStatus.kOk, "the program's objective", part)
    form = highspy.MatrixFormat.kRowwise if columns is None else highspy.MatrixFormat.kColwise
    # its Hessian is the lower triangle
    triangle = None if program.quadratic is None else sparse.tril(program.quadratic, format="csc")
    empty = np.empty(0)
    status = highs.passModel(
        n, m, rows.nnz, 0 if triangle is None else triangle.nnz,
        int(form), int(highspy.HessianFormat.kTriangular),
        int(highspy.ObjSense.kMinimize), program.constant,
        box.cost, box.lower, box.upper, program.row_lower, program.row_upper,
        rows.indptr, rows.indices, rows.data,
        empty if triangle is None else triangle.indptr,
        empty if triangle is None else triangle.indices,
        empty if triangle is None else triangle.data,
        integer.astype(np.int32),
    )  # fmt: skip
    accepted(status, "the program's matrices", rows.data)


def accepted(status: highspy.HighsStatus, argument: str, entries: FloatArray | None = None) -> None:
    """Raise SolverError if HiGHS rejected the call with ``argument``, or if an entry is NaN.

    HiGHS rejects ``entries`` from 1e15 on, but it accepts NaN.
    """
    largest = float(np.abs(entries).max()) if entries is not None and entries.size else 0.0
    if math.isnan(largest):
        raise SolverError(f"HiGHS cannot be given {argument}: an entry is not a number")
    if status == highspy.HighsStatus.kError:
        reason = "a number in it is none"
        if largest >= 1e15:
            reason = (
                f"it takes entries below 1e+15, and the largest here is {largest:.3g}: "
                "scale the features (`scale='ball'`, unit or standard), or your own model, by its "
                "suffix scaling_factor"
            )
        raise SolverError(f"HiGHS refused {argument}: {reason}")


def read_answer(highs: Highs, *, integer: bool = False) -> SolverAnswer:
    """The status, the point and the row duals of the last run."""
    word = highs.getModelStatus()
    status = STATUS[word]
    solution = highs.getSolution()
    info = highs.getInfo()
    x = np.array(solution.col_value) if solution.value_valid else None
    duals = np.array(solution.row_dual) if solution.dual_valid else None
    # duals of a last relaxation, or of a point on the way, prove nothing
    if integer or status is not Status.OPTIMAL:
        duals = None
    answer = SolverAnswer(
        status=status,
        x=x,
        claimed=float(info.objective_function_value) if x is not None else None,
        row_duals=duals,
        message=highs.modelStatusToString(word),
        bound=float(info.mip_dual_bound) if integer else None,
    )
    # a search does not tell the two apart, but without costs it finds a point or that none is
    if word == Word.kUnboundedOrInfeasible:
        n = highs.getNumCol()
        highs.changeColsCost(n, np.arange(n, dtype=np.int32), np.zeros(n))
        status = STATUS[_run(highs)]
        status = Status.UNBOUNDED if status is Status.OPTIMAL else status
    return replace(answer, status=status)


def run(highs: Highs, settings: SolveSettings) -> Highs:
    """Run HiGHS, and return the object with the answer. If the run is inconclusive, run HiGHS again
    with other options.
    """
    if highs.getHessianNumNz():
        return _run_quadratic(highs, settings)
    _run(highs)
    # presolve cannot tell the two apart, the simplex method can
    if highs.getModelStatus() == Word.kUnboundedOrInfeasible:
        set_option(highs, "presolve", "off")
        _run(highs)
    elif highs.getModelStatus() == Word.kUnknown:  # the dual simplex lost its way
        highs.clearSolver()
        set_option(highs, "simplex_strategy", 4)  # HiGHS's number of it
        _run(highs)
    return highs


def _run(highs: Highs) -> Word:
    """One run. Raises SolverError for an error even if the status of the model hides it."""
    status = highs.run()
    word: Word = highs.getModelStatus()
    if status == highspy.HighsStatus.kError and STATUS[word] is not Status.FAILED:
        text = highs.modelStatusToString(word)
        raise SolverError(f"HiGHS ended with an error, although it says '{text}'")
    return word


def _run_quadratic(highs: Highs, settings: SolveSettings) -> Highs:
    """Solve a quadratic program without regularisation; if this fails, solve it with
    regularisation.

    HiGHS adds 1e-7 I to Q by default. Without this term the answer is exact. However, the
    active-set method then fails or cycles more often. For singular Q, it may also return its first
    point as optimal. If the run fails or takes no step, the program is therefore solved again with
    the term.
    """
    size = highs.getNumCol() + highs.getNumRow()
    unmoved: tuple[Highs, float] | None = None  # with a point that no step left, and its value
    for regularisation in HIGHS_REGULARISATION:
        if regularisation != HIGHS_REGULARISATION[0]:
            highs = renewed(highs)
        options = {
            "qp_regularization_value": regularisation,
            "qp_iteration_limit": 50 * (200 + size),  #  qp iterations
        }
        for name in options.keys() - settings.solver_options.keys():
            set_option(highs, name, options[name])
        word = _run(highs)
        if word == Word.kOptimal and highs.getInfo().qp_iteration_count == 0 and unmoved is None:
            unmoved = highs, highs.getInfo().objective_function_value
        elif word != Word.kIterationLimit and STATUS[word] is not Status.FAILED:
            break
    value = highs.getInfo().objective_function_value
    if unmoved is not None and not (word == Word.kOptimal and value < unmoved[1]):
        return unmoved[0]
    return highs


def _read(highs: Highs, path: Path) -> list[str]:
    """Read a file, and return the warnings of HiGHS. Raises DataError for an unreadable file.

    Warnings about crossing bounds, and about entries of at most ``HIGHS_ENTRY``, which HiGHS leaves
    out, are omitted.
    """
    # its log alone holds its warnings
    lines: list[str] = []
    _, logging = highs.getOptionValue("output_flag")
    set_option(highs, "log_to_console", False)
    set_option(highs, "output_flag", True)
    _, limit = highs.getOptionValue("time_limit")
    set_option(highs, "time_limit", math.inf)  # else a file that takes longer is called broken
    highs.listen(Event.kCallbackLogging, lambda kind, text, values: lines.append(text))
    try:
        status = highs.readModel(str(path))
    except UnicodeDecodeError:
        raise DataError("a name in it is not text") from None
    finally:
        highs.stopCallback(highs.listeners.pop()[0])
    set_option(highs, "output_flag", logging)
    set_option(highs, "time_limit", limit)
    messages = {
        word: [line for line in lines if line.startswith(word)] for word in ("ERROR", "WARNING")
    }
    if status == highspy.HighsStatus.kError:
        # its parser of .lp files takes neither =>, =< and < nor some names, and tells no line
        lines = path.read_text(encoding="utf-8", errors="replace").split("\n")
        odd = re.compile(r"[^\\]*?(=[<>]|[<>](?!=))")
        line = next((k for k, text in enumerate(lines, 1) if odd.match(text)), None)
        if path.suffix == ".lp" and line:
            raise DataError(f"line {line}: HiGHS reads the comparisons <=, >= and = alone")
        why = "".join(f": {line[6:].strip()}" for line in messages["ERROR"][:1])
        raise DataError(f"HiGHS cannot read this file{why}".removesuffix(f" reading {path}"))
    expected = re.compile("values less than|inconsistent bounds")
    return [line[8:].strip() for line in messages["WARNING"] if not expected.search(line)]


def _keep_incumbents(
    highs: Highs, answer: Callable[[FloatArray | None, float | None, float], object]
) -> None:
    """Keep each answer(x, objective, bound) of branch and bound while it runs.

    The heuristics of HiGHS may run for seconds without polling the interrupt.
    """
    incumbent: tuple[FloatArray | None, float | None] = None, None
    kept_at = -math.inf

    def keep_event(kind: Any, text: str, event: Any) -> None:
        nonlocal incumbent, kept_at
        improved = kind == Event.kCallbackMipImprovingSolution
        if improved:
            incumbent = np.array(event.mip_solution), float(event.objective_function_value)
        # without a better point, the bound is kept twice a second
        if improved or time.monotonic() >= kept_at + 0.5:
            kept_at = time.monotonic()
            keep(answer(*incumbent, float(event.mip_dual_bound)))

    for kind in (Event.kCallbackMipImprovingSolution, Event.kCallbackMipInterrupt):
        highs.listen(kind, keep_event)


def _open_log(highs: Highs, path: str) -> None:
    check_log(path)
    highs.setOptionValue("log_to_console", False)
    highs.setOptionValue("log_file", path)
    highs.setOptionValue("output_flag", True)


def set_option(highs: Highs, name: str, value: float | int | bool | str) -> None:
    """Set an option. Raises OptionError if HiGHS rejects the value."""
    if highs.setOptionValue(name, value) != highspy.HighsStatus.kOk:
        raise OptionError(f"HiGHS does not take {value!r} for its option {name}")
