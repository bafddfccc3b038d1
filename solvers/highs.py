"""HiGHS: LP, MILP and convex QP, with duals, interrupts and hot starts."""

from __future__ import annotations

from collections.abc import Mapping

import highspy
import numpy as np
from highspy import HighsModelStatus as Word
from scipy import sparse

from radprog.instances.errors import OptionError, OutputError, SolverError
from radprog.solvers.answer import Answer
from radprog.solvers.options import parsed
from radprog.solvers.program import Program, SolveSettings, Status

#: Every word of HiGHS. "Unbounded or infeasible" is settled by a second run without presolve.
STATUS: Mapping[Word, Status] = {
    Word.kNotset: Status.FAILED,
    Word.kLoadError: Status.FAILED,
    Word.kModelError: Status.FAILED,
    Word.kPresolveError: Status.FAILED,
    Word.kSolveError: Status.FAILED,
    Word.kPostsolveError: Status.FAILED,
    Word.kModelEmpty: Status.OPTIMAL,
    Word.kOptimal: Status.OPTIMAL,
    Word.kInfeasible: Status.INFEASIBLE,
    Word.kUnboundedOrInfeasible: Status.FAILED,
    Word.kUnbounded: Status.UNBOUNDED,
    Word.kObjectiveBound: Status.LIMIT,
    Word.kObjectiveTarget: Status.LIMIT,
    Word.kTimeLimit: Status.LIMIT,
    Word.kIterationLimit: Status.LIMIT,
    Word.kUnknown: Status.FAILED,
    Word.kSolutionLimit: Status.LIMIT,
    Word.kInterrupt: Status.INTERRUPTED,
    Word.kMemoryLimit: Status.LIMIT,
    Word.kHighsInterrupt: Status.INTERRUPTED,
}
_SMALLEST_TOLERANCE = 1e-10
_LARGEST_SEED = 2**31 - 1
_threads_in_use = [0]


def version() -> str:
    """Version of the installed HiGHS."""
    return str(highspy.Highs().version())


def solve(program: Program, settings: SolveSettings) -> Answer:
    """Solve an LP, MILP or convex QP."""
    highs = new_highs(settings)
    pass_program(highs, program)
    run(highs)
    if highs.getModelStatus() == Word.kUnboundedOrInfeasible:
        _set_option(highs, "presolve", "off")
        run(highs)
    return read_answer(highs, program)


def new_highs(settings: SolveSettings) -> highspy.Highs:
    """A silent HiGHS with the settings applied; ``settings.interrupt`` is polled inside its runs.

    Raises OptionError for an unknown option or a value that it cannot take.
    """
    highs = highspy.Highs()
    highs.setOptionValue("output_flag", False)
    if settings.log is not None:
        _open_log(highs, settings.log)
    if settings.threads != _threads_in_use[0]:
        highspy.Highs.resetGlobalScheduler(True)
        _threads_in_use[0] = settings.threads
    options: dict[str, float | int | bool | str] = {
        "threads": settings.threads,
        "random_seed": settings.seed % _LARGEST_SEED,
        "small_matrix_value": 1e-12,
        "mip_rel_gap": 1e-9,
    }
    if settings.tolerance is not None:
        tolerance = max(settings.tolerance, _SMALLEST_TOLERANCE)
        for kind in ("primal_feasibility", "dual_feasibility", "mip_feasibility"):
            options[f"{kind}_tolerance"] = tolerance
    if settings.time_limit is not None:
        options["time_limit"] = max(settings.time_limit, 0.0)
    for name, value in options.items():
        _set_option(highs, name, value)
    for name, text in settings.options.items():
        _set_text_option(highs, name, text)
    if settings.interrupt is not None:
        _poll(highs, settings)
    return highs


def pass_program(highs: highspy.Highs, program: Program) -> None:
    """Hand the matrices over in one call, the quadratic part as its lower triangle."""
    n, m = program.cost.size, program.row_lower.size
    rows = program.rows
    triangle = (
        None if program.quadratic is None else sparse.tril(program.quadratic, format="csc")
    )
    empty = np.empty(0)
    status = highs.passModel(
        n, m, rows.nnz, 0 if triangle is None else triangle.nnz,
        int(highspy.MatrixFormat.kRowwise), int(highspy.HessianFormat.kTriangular),
        int(highspy.ObjSense.kMinimize), program.constant,
        program.cost, program.lower, program.upper, program.row_lower, program.row_upper,
        rows.indptr, rows.indices, rows.data,
        empty if triangle is None else triangle.indptr,
        empty if triangle is None else triangle.indices,
        empty if triangle is None else triangle.data,
        program.integer.astype(np.int32),
    )  # fmt: skip
    if status == highspy.HighsStatus.kError:
        raise SolverError("HiGHS refused the program's matrices")


def run(highs: highspy.Highs) -> None:
    """Solve what was passed, within the time limit that was set, however often it ran before."""
    highs.run()


def read_answer(highs: highspy.Highs, program: Program) -> Answer:
    """Status, point and row duals of the last run."""
    word = highs.getModelStatus()
    status = STATUS[word]
    solution = highs.getSolution()
    info = highs.getInfo()
    x = np.array(solution.col_value) if solution.value_valid else None
    duals = np.array(solution.row_dual) if solution.dual_valid else None
    if program.integer.any() or status is not Status.OPTIMAL:
        duals = None
    return Answer(
        status=status,
        x=x,
        claimed=float(info.objective_function_value) if x is not None else None,
        row_duals=duals,
        message=highs.modelStatusToString(word),
    )


def _poll(highs: highspy.Highs, settings: SolveSettings) -> None:
    interrupt = settings.interrupt
    assert interrupt is not None

    def ask(event: highspy.HighsCallbackEvent) -> None:
        if interrupt():
            event.interrupt()

    for callback in (highs.cbSimplexInterrupt, highs.cbIpmInterrupt, highs.cbMipInterrupt):
        callback.subscribe(ask)


def _open_log(highs: highspy.Highs, path: str) -> None:
    try:
        with open(path, "a"):
            pass
    except OSError as error:
        raise OutputError(f"cannot write the log {path}: {error.strerror}") from None
    highs.setOptionValue("log_to_console", False)
    highs.setOptionValue("log_file", path)
    highs.setOptionValue("output_flag", True)


def _set_option(highs: highspy.Highs, name: str, value: float | int | bool | str) -> None:
    if highs.setOptionValue(name, value) != highspy.HighsStatus.kOk:
        raise OptionError(f"HiGHS does not take {value!r} for its option {name}")


def _set_text_option(highs: highspy.Highs, name: str, text: str) -> None:
    status, present = highs.getOptionValue(name)
    if status != highspy.HighsStatus.kOk:
        raise OptionError(f"HiGHS has no option {name!r}")
    _set_option(highs, name, parsed("HiGHS", name, text, type(present)))
