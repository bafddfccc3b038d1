"""``pyomo:NAME``: any solver that Pyomo can call. Its answers are verified.

For ``verify``, command-line solvers (GLPK, CBC, Gurobi, CPLEX) read .lp and .mps files themselves.
The solver receives a minimisation with one bound per row. In this form, signs, senses and ranged
rows have the same meaning in every interface.
"""

from __future__ import annotations

import math
import subprocess
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyomo.environ as pyo
from pyomo.common.log import LoggingIntercept
from pyomo.core.expr.numeric_expr import LinearExpression
from pyomo.opt import ProblemFormat, ResultsFormat, SolverResults
from pyomo.opt import TerminationCondition as Word
from scipy import sparse

from radprog.base.errors import OptionError, SolverError
from radprog.base.types import BoolArray, FloatArray
from radprog.solvers.answer import Declared, FileAnswer, SolverAnswer
from radprog.solvers.apart import solve_apart
from radprog.solvers.program import ProblemClass, Program, SolveSettings, Status, status_map

_LINEAR = frozenset({ProblemClass.LP, ProblemClass.MILP})
#: Solvers that would misread or refuse quadratic parts; all others are assumed to support all
#: classes.
CLASSES: Mapping[str, frozenset[ProblemClass]] = {"glpk": _LINEAR, "cbc": _LINEAR}

#: The status words of Pyomo.
STATUS = status_map(
    optimal=(Word.globallyOptimal, Word.locallyOptimal, Word.optimal),
    feasible=(Word.feasible,),
    limit=(
        Word.maxTimeLimit,
        Word.maxIterations,
        Word.minFunctionValue,
        Word.minStepLength,
        Word.maxEvaluations,
        Word.intermediateNonInteger,
        Word.noSolution,
    ),
    interrupted=(Word.userInterrupt, Word.resourceInterrupt),
    infeasible=(Word.infeasible,),
    unbounded=(Word.unbounded,),
)
_POINTLESS = (Status.INFEASIBLE, Status.UNBOUNDED)
_FORMATS = {ProblemFormat.cpxlp: "lp", ProblemFormat.mps: "mps"}


@dataclass(frozen=True)
class PyomoSolver:
    """An adapter for the solver ``name`` of Pyomo's solver factory.

    The solver receives the time limit, the log and the options. The options for tolerance, threads
    and seed have different names in each solver, so they are not set. The solver cannot be
    interrupted.
    """

    name: str

    @property
    def DECLARED(self) -> Declared:
        """The declared capabilities: duals, and all convex classes, except for solvers in
        ``CLASSES``.
        """
        accepted = getattr(self._solver(), "_valid_problem_formats", [])
        return Declared(
            classes=CLASSES.get(self.name, frozenset(ProblemClass)),
            duals=True,
            formats=frozenset(name for form, name in _FORMATS.items() if form in accepted),
            missing=self.missing,
        )

    def registered(self) -> bool:
        """Whether Pyomo has an interface with this name; an executable is not sufficient."""
        return self.name in set(pyo.SolverFactory)

    def missing(self) -> str:
        """The reason why the solver is unusable, or "". Raises OptionError for an unknown name."""
        solver = self._solver()
        try:
            available = solver.available(exception_flag=False) and (solver.version(), True)
        except Exception as error:  # whatever its vendor raises
            return f"cannot be used: it does not tell its version: {_one_line(error)}"
        return "" if available else f"is not installed: Pyomo finds no {self.name}"

    def version(self) -> str:
        """The version according to Pyomo's interface."""
        number = self._solver().version()
        return ".".join(map(str, number)) if isinstance(number, tuple) else str(number or "")

    def solve(self, program: Program, settings: SolveSettings) -> SolverAnswer:
        """Solve a program. Raises SolverError if the solver does not run."""
        if _broken_facts(program).any():
            return SolverAnswer(
                status=Status.INFEASIBLE, message="a row without coefficients is violated"
            )
        model = to_pyomo(program)
        try:
            results = self._run(model, settings)
        except NotImplementedError:  # an interface without duals
            model.del_component("dual")
            results = self._run(model, settings)
        status = STATUS[results.solver.termination_condition]
        loaded = bool(len(results.solution)) and status not in _POINTLESS
        if loaded:
            model.solutions.load_from(results)
        return SolverAnswer(
            status=status,
            x=_values(model, program) if loaded else None,
            claimed=_number(results.problem.upper_bound) if loaded else None,
            row_duals=_duals(model, program) if loaded else None,
            message=str(results.solver.termination_condition),
            bound=_number(results.problem.lower_bound) if program.integer.any() else None,
        )

    def solve_file(self, path: Path, settings: SolveSettings) -> FileAnswer:
        """Let the solver read and solve a file. Raises SolverError if the solver does not run.

        Pyomo only calls the solver and reads its solution, without duals of rows. The call is in a
        separate process, because Pyomo would leave the solver running after an interrupt.
        """
        try:
            return solve_apart(FileAnswer, self._solve_file, path, settings)
        except RuntimeError as error:
            raise SolverError(f"pyomo:{self.name} crashed: {error}") from None

    def _solve_file(self, path: Path, settings: SolveSettings) -> FileAnswer:
        results = self._run(str(path), settings)
        word = results.solver.termination_condition
        status = STATUS[word]
        if not len(results.solution) or status in _POINTLESS:
            return FileAnswer(status, message=str(word))
        columns = results.solution(0).variable
        x = {name: float(value["Value"]) for name, value in columns.items()}
        return FileAnswer(status, _number(results.problem.upper_bound), x, str(word))

    def _run(self, problem: pyo.ConcreteModel | str, settings: SolveSettings) -> Any:
        """Pyomo's results for a model or a file, without loading them."""
        solver = self._solver()
        keywords: dict[str, Any] = {"load_solutions": False}
        if settings.time_limit is not None:
            keywords["timelimit"] = math.ceil(settings.time_limit)
        if settings.log is not None:
            keywords["logfile"] = settings.log
        try:
            with LoggingIntercept(level=30) as output:
                for option, text in settings.solver_options.items():
                    solver.options[option] = text
                return solver.solve(problem, **keywords)
        except subprocess.TimeoutExpired:
            cut_off = SolverResults()
            cut_off.solver.termination_condition = Word.maxTimeLimit
            return cut_off
        except NotImplementedError:
            raise
        except Exception as error:  # whatever its vendor raises: no licence, an option it has not
            reason = _one_line(output.getvalue() or error)
            raise SolverError(f"pyomo:{self.name} crashed: {reason}") from None

    def _solver(self) -> Any:
        if not self.registered():
            raise OptionError(f"Pyomo has no solver {self.name!r}")
        solver = pyo.SolverFactory(self.name)
        if self.name == "cbc":  # it reads .mps too, which Pyomo's interface leaves out
            solver._valid_problem_formats.append(ProblemFormat.mps)
            solver._valid_result_formats[ProblemFormat.mps] = [ResultsFormat.soln]
        return solver


def _one_line(words: object) -> str:
    """A solver's message in one line."""
    return textwrap.shorten(str(words), 400)  # characters of what a solver says


def to_pyomo(program: Program) -> pyo.ConcreteModel:
    """The program as a Pyomo minimisation over ``x[j]``.

    The rows are ``floor[r]`` (>=), ``ceiling[r]`` (<=) and ``equal[r]``. A continuous program has
    the suffix ``dual``.
    """
    model = pyo.ConcreteModel()
    model.x = pyo.Var(range(program.cost.size))
    variables = list(model.x.values())
    for variable, lower, upper, integer in zip(
        variables, *(part.tolist() for part in (program.lower, program.upper, program.integer)),
        strict=True,
    ):  # fmt: skip
        variable.setlb(lower if math.isfinite(lower) else None)
        variable.setub(upper if math.isfinite(upper) else None)
        variable.domain = pyo.Integers if integer else pyo.Reals
    # one constraint a side: signs and ranges then mean the same to every solver
    low, high, written = program.row_lower, program.row_upper, ~_facts(program)
    same = low == high
    groups = (
        ("equal", same, low, low),
        ("floor", ~same & np.isfinite(low), low, None),
        ("ceiling", ~same & np.isfinite(high), None, high),
    )
    for name, chosen, floor, ceiling in groups:
        constraint = pyo.Constraint(pyo.Any)
        model.add_component(name, constraint)
        for row in np.flatnonzero(written & chosen).tolist():
            span = slice(program.rows.indptr[row], program.rows.indptr[row + 1])
            body: Any = LinearExpression(
                linear_coefs=program.rows.data[span].tolist(),
                linear_vars=[variables[j] for j in program.rows.indices[span].tolist()],
            )
            if row in program.quadratic_rows:
                body = body + half_square(program.quadratic_rows[row], variables)
            constraint[row] = (
                None if floor is None else float(floor[row]),
                body,
                None if ceiling is None else float(ceiling[row]),
            )
    cost = np.flatnonzero(program.cost)
    objective: Any = LinearExpression(
        constant=program.constant,
        linear_coefs=program.cost[cost].tolist(),
        linear_vars=[variables[j] for j in cost],
    )
    if program.quadratic is not None:
        objective += half_square(program.quadratic, variables)
    model.objective = pyo.Objective(expr=objective)
    if not program.integer.any():  # duals of a last relaxation would prove nothing
        model.dual = pyo.Suffix(direction=pyo.Suffix.IMPORT)
    return model


def _facts(program: Program) -> BoolArray:
    """Whether rows (m,) have no coefficients. Such rows hold or fail for all x and are not
    modelled.
    """
    quadratic = np.isin(np.arange(program.row_lower.size), list(program.quadratic_rows))
    return np.asarray((np.diff(program.rows.indptr) == 0) & ~quadratic)


def _broken_facts(program: Program) -> BoolArray:
    return _facts(program) & ((program.row_lower > 0) | (program.row_upper < 0))


def half_square(matrix: sparse.csc_array, variables: list[Any]) -> Any:
    """1/2 x'Qx of a symmetric matrix (n, n), over variables (n,)."""
    half = sparse.triu(matrix, format="coo")
    weight = np.where(half.row == half.col, 0.5, 1.0) * half.data
    return pyo.quicksum(
        value * variables[i] * variables[j]
        for i, j, value in zip(half.row.tolist(), half.col.tolist(), weight.tolist(), strict=True)
    )


def _values(model: pyo.ConcreteModel, program: Program) -> FloatArray:
    """The point; a variable that the solver does not use is at its bound nearest to 0."""
    unseen = np.clip(0.0, program.lower, program.upper)
    values = [variable.value for variable in model.x.values()]
    return np.array(
        [u if v is None else v for u, v in zip(unseen, values, strict=True)], np.float64
    )


def _duals(model: pyo.ConcreteModel, program: Program) -> FloatArray | None:
    """Row duals, with the two halves of a ranged row added; None if the solver returns none."""
    if model.component("dual") is None or not len(model.dual):
        return None
    duals = np.zeros(program.row_lower.size)
    for part in map(model.component, ("equal", "floor", "ceiling")):
        for row, constraint in part.items():
            duals[row] += model.dual.get(constraint, 0.0)
    return duals


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) and math.isfinite(value) else None
