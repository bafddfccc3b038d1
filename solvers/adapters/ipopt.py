"""Ipopt: an interior-point method for smooth programs, used with duals for convex QP and QCQP."""

from __future__ import annotations

from contextlib import suppress
from types import SimpleNamespace
from typing import Any

import cyipopt
import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from radprog.base.errors import OptionError
from radprog.base.limits import in_a_process
from radprog.base.tolerances import INTERIOR_LEAST
from radprog.base.types import FloatArray
from radprog.solvers.answer import Declared, SolverAnswer
from radprog.solvers.program import ProblemClass, Program, SolveSettings, Status, status_map

DECLARED = Declared(
    classes=frozenset({ProblemClass.QP, ProblemClass.QCQP}), duals=True, cones=True, logs=True
)

#: The return codes of Ipopt. An acceptable point is verified by its duality gap, like an optimum.
STATUS = status_map(
    optimal=(0, 1),
    feasible=(6,),
    limit=(-1, -4, -5),
    interrupted=(5,),
    infeasible=(2,),
    unbounded=(4,),
)
TYPES = int, float, str  # of options
WITH_POINT = (Status.OPTIMAL, Status.FEASIBLE, Status.LIMIT, Status.INTERRUPTED)


def version() -> str:
    """The versions of the installed Ipopt and of its Python interface."""
    return f"{'.'.join(map(str, cyipopt.IPOPT_VERSION))} (cyipopt {cyipopt.__version__})"


def solve(program: Program, settings: SolveSettings) -> SolverAnswer:
    """Solve a convex QP or QCQP."""
    functions = _Functions(program, settings)
    box = program.lower, program.upper
    sides = program.row_lower[functions.bounded], program.row_upper[functions.bounded]
    start = np.clip(np.zeros(program.cost.size), *box)
    x, status, message, info = run_ipopt(functions, start, box, sides, settings)
    # Ipopt's multipliers are those of f + y'g: the other sign
    duals = np.zeros(program.row_lower.size)
    duals[functions.bounded] = -np.asarray(info["mult_g"])
    usable = status in WITH_POINT
    return SolverAnswer(
        status=status,
        x=x if usable else None,
        claimed=float(info["obj_val"]) if usable else None,
        row_duals=duals if status is Status.OPTIMAL else None,
        message=message,
    )


def run_ipopt(
    functions: Any,
    start: FloatArray,
    box: tuple[FloatArray, FloatArray],
    sides: tuple[FloatArray, FloatArray],
    settings: SolveSettings,
    **overrides: str,
) -> tuple[FloatArray, Status, str, Any]:
    """Run Ipopt, and return the point in the box, the status, the message and Ipopt's result.

    ``overrides`` replace options in the settings. Raises OptionError for an option
    that Ipopt does not have.
    """
    # from 2e19 on, numbers are infinite to Ipopt
    (lb, ub), (cl, cu) = ([np.clip(end, -2e19, 2e19) for end in pair] for pair in (box, sides))
    problem = cyipopt.Problem(
        n=len(start), m=len(cl), problem_obj=functions, lb=lb, ub=ub, cl=cl, cu=cu
    )
    # the default tolerance, if the settings have none
    tolerance = 1e-9 if settings.tol is None else max(settings.tol, INTERIOR_LEAST)
    options: dict[str, int | float | str] = {
        "print_level": 0,
        "sb": "yes",
        "tol": tolerance,
        "constr_viol_tol": tolerance,
        "mu_strategy": "adaptive",  # the other one returns huge multipliers of dependent rows
    }
    if settings.time_limit is not None:
        options["max_wall_time"] = float(max(settings.time_limit, 1e-3))
    if settings.log is not None:
        options.update({"output_file": settings.log, "file_print_level": 5})
    # what the user asks for by name replaces these. Ipopt does not report the type of an option,
    # and prints pages for a wrong one: types are tried in a process whose output is discarded
    for name, text in settings.solver_options.items():
        kind = in_a_process(_accepted_type, name, text)
        if kind is None:
            raise OptionError(f"Ipopt has no option {name!r} that takes {text!r}")
        options[name] = TYPES[kind](text)
    for name, value in (options | overrides).items():
        problem.add_option(name, value)
    x, info = problem.solve(start)
    message = info["status_msg"]
    text = message.decode() if isinstance(message, bytes) else str(message)
    return np.clip(x, *box), STATUS[int(info["status"])], text, info


class _Functions:
    """The functions and derivatives for Ipopt, from matrices; ``bounded`` are the rows with a
    bound.
    """

    def __init__(self, program: Program, settings: SolveSettings) -> None:
        self.program, self.interrupted = program, settings.interrupted
        finite = np.isfinite(program.row_lower) | np.isfinite(program.row_upper)
        self.bounded: NDArray[np.intp] = np.flatnonzero(finite)
        n = program.cost.size
        quadratic = program.quadratic
        self.Q = sparse.csc_array((n, n)) if quadratic is None else quadratic
        self.squares = {
            int(place): program.quadratic_rows[int(row)]
            for place, row in enumerate(self.bounded)
            if int(row) in program.quadratic_rows
        }
        self.linear = program.rows[self.bounded]
        # places of the Jacobian: linear entries, and the columns of a row's square
        pattern = abs(self.linear)
        for place, square in self.squares.items():
            touched = np.unique(square.nonzero()[0])
            ones = np.ones(touched.size), (np.full(touched.size, place), touched)
            pattern = pattern + sparse.csr_array(ones, shape=pattern.shape)
        self.jacobian_at = sparse.coo_array(pattern).coords
        # places of the Hessian of the Lagrangian: its lower triangle
        hessian = sum((abs(square) for square in self.squares.values()), start=abs(self.Q))
        self.hessian_at = sparse.coo_array(sparse.tril(hessian)).coords

    def objective(self, x: FloatArray) -> float:
        return self.program.objective(x)

    def gradient(self, x: FloatArray) -> FloatArray:
        return np.asarray(self.program.cost + self.Q @ x)

    def constraints(self, x: FloatArray) -> FloatArray:
        return self.program.activity(x)[self.bounded]

    def jacobianstructure(self) -> Any:
        return self.jacobian_at

    def jacobian(self, x: FloatArray) -> FloatArray:
        matrix = self.linear.tolil() if self.squares else self.linear
        for place, square in self.squares.items():
            matrix[place] = self.linear[[place]].toarray()[0] + square @ x
        return _entries(matrix, self.jacobian_at)

    def hessianstructure(self) -> Any:
        return self.hessian_at

    def hessian(self, x: FloatArray, multipliers: FloatArray, weight: float) -> FloatArray:
        total = weight * self.Q
        for place, square in self.squares.items():
            total = total + multipliers[place] * square
        return _entries(total, self.hessian_at)

    def intermediate(self, *progress: Any) -> bool:
        return not self.interrupted()


def _entries(matrix: Any, places: Any) -> FloatArray:
    """The entries of a sparse matrix at (rows, columns)."""
    return np.asarray(matrix.tocsr()[places], dtype=np.float64).ravel()


def _accepted_type(name: str, text: str) -> int | None:
    """The number of the first type that Ipopt accepts for an option, or None."""
    problem = cyipopt.Problem(1, 0, SimpleNamespace(objective=sum, gradient=sum))
    for place, kind in enumerate(TYPES):
        with suppress(ValueError, TypeError):
            problem.add_option(name, kind(text))
            return place
    return None
