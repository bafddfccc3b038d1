"""Files of programs, unpacked and read in one call."""

from pathlib import Path

import highspy
import pyscipopt

from radprog.solvers.answer import FileAnswer
from radprog.solvers.formats.program_reader import answer_of, program_of, reader_of
from radprog.solvers.formats.unpacking import plain_file
from radprog.solvers.program import SOLVER_DEFAULTS, ProblemClass, Program, SolveSettings

# a plan of three products; the last row is given
PLAN = """Maximize
 profit: 3 x + 2 y + z
Subject To
 hours: x + y + z <= 10
 steel: 2 x + y <= 14
 order: {order}
Bounds
 x <= 8
End
"""


def lp(goal: str, rows: str, more: str = "", sense: str = "Minimize") -> str:
    """A program in a file, of rows that semicolons part."""
    lines = "".join(f" {row}\n" for row in rows.split(";"))
    return f"{sense}\n obj: {goal}\nSubject To\n{lines}{more}End\n"


def read_file_with(
    name: str,
    path: str | Path,
    settings: SolveSettings = SOLVER_DEFAULTS,
    problem_class: ProblemClass | None = None,
) -> FileAnswer:
    """Let one program read and solve an .lp or .mps file (or .gz of one).

    ``problem_class``: what the file is known to be, beside what its sections say. Raises
    OptionError for an unknown reader, CapabilityError for a class or format that it is not declared
    for, SolverMissingError where it is not installed, DataError for a file that cannot be read, and
    SolverError where it gives no answer.
    """
    with plain_file(path) as file:
        spec = reader_of(name, path, problem_class or file.problem_class)
        return answer_of(spec, file, settings)


def file_class(path: str | Path) -> ProblemClass:
    """The class of the program in an .lp or .mps file (or .gz), from its sections and brackets.

    Raises DataError for a file that cannot be read or is neither.
    """
    with plain_file(path) as file:
        return file.problem_class


def read_program(path: str | Path) -> Program:
    """The matrices of an LP, MILP or QP file, as HiGHS reads them (always as a minimisation).

    Raises CapabilityError for quadratic rows, and DataError for a file that cannot be read or has
    kinds of variables that a Program has not.
    """
    with plain_file(path) as file:
        return program_of(file)


def write_highs_solution(program: str | Path, solution: str | Path) -> None:
    """HiGHS's own solution file of a program's file."""
    solver = highspy.Highs()
    solver.setOptionValue("output_flag", False)
    solver.readModel(str(program))
    solver.run()
    solver.writeSolution(str(solution), 0)


def write_scip_solution(program: str | Path, solution: str | Path) -> None:
    """SCIP's own solution file of a program's file, of the best point of 500 nodes."""
    model = pyscipopt.Model()
    model.hideOutput()
    model.readProblem(str(program))
    model.setParam("limits/totalnodes", 500)
    model.setParam("limits/time", 60.0)
    model.optimize()
    model.writeBestSol(str(solution))
